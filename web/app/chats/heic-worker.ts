// The decoder of heic-to that needs no `eval`, in a worker file from this server. The package would start a worker from a blob,
// which the content security policy forbids.
import buildLibheif from '../../../node_modules/heic-to/src/lib/libheif-without-unsafe-eval.js'

type Image = {
  get_width(): number
  get_height(): number
  display(into: ImageData, done: (shown: ImageData | null) => void): void
  free(): void
}
type Libheif = { HeifDecoder: new () => { decode(bytes: ArrayBuffer): Image[] } }

const { HeifDecoder }: Libheif = buildLibheif()

async function decode(bytes: ArrayBuffer) {
  const images = new HeifDecoder().decode(bytes)
  const [image] = images
  if (!image) return { error: 'there is no image' }
  const width = image.get_width()
  const height = image.get_height()
  const empty = new ImageData(width, height)
  empty.data.fill(255)
  const shown = await new Promise<ImageData | null>((done) => image.display(empty, done))
  for (const one of images) one.free()
  return shown ? { width, height, data: shown.data } : { error: 'the image is damaged' }
}

onmessage = async ({ data }: MessageEvent<ArrayBuffer>) => {
  try {
    postMessage(await decode(data))
  } catch (error) {
    postMessage({ error: String(error) })
  }
}
