import { trustOwnWorkers } from '../people/trusted.ts'

declare const heicWorkerUrl: string

type Decoded = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> } | { error: string }

/** Decodes a HEIC photo in a worker, because it takes a second or two. */
export async function decodeHeic(file: Blob): Promise<ImageBitmap> {
  trustOwnWorkers()
  const worker = new Worker(heicWorkerUrl)
  try {
    const decoded = await new Promise<Decoded>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = () => reject(new Error('the decoder did not start'))
      void file.arrayBuffer().then((bytes) => worker.postMessage(bytes, [bytes]), reject)
    })
    if ('error' in decoded) throw new Error(decoded.error)
    return await createImageBitmap(new ImageData(decoded.data, decoded.width, decoded.height))
  } finally {
    worker.terminate()
  }
}
