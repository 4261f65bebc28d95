import type { Luminance } from './pdq.ts'

/**
 * The side of the square that an image is scaled to, in pixels. Decoding and scaling run on other threads, but work on the
 * pixels blocks the event loop.
 */
const side = 128

/**
 * The brightness of a picture, scaled to a square. Transparent pixels count as white. Throws if the picture cannot be decoded.
 */
export async function luminanceOf(picture: Uint8Array): Promise<Luminance> {
  // Bun does not return raw pixels. A small PNG is the cheapest lossless form.
  const png = await new Bun.Image(picture)
    .resize(side, side, { filter: 'bilinear' })
    .png({ compressionLevel: 1 })
    .buffer()
  return readPng(png)
}

const channelsOf: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 }

/** Reads a PNG as Bun writes it: eight bits for each channel, without interlacing. */
async function readPng(png: Buffer): Promise<Luminance> {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = channelsOf[png.readUInt8(25)]
  if (png[24] !== 8 || channels === undefined || png[28] !== 0)
    throw new Error('Bun has written a PNG of an unexpected form')
  const parts: Buffer[] = []
  for (let at = 8; at + 8 <= png.length;) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  const { inflateSync } = await import('node:zlib')
  const rows = inflateSync(Buffer.concat(parts))
  unfilter(rows, width * channels, height, channels)
  const values = new Float32Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      values[y * width + x] = brightness(rows, y * (width * channels + 1) + 1 + x * channels, channels)
  return { width, height, values }
}

function brightness(rows: Uint8Array, at: number, channels: number): number {
  const [red, green, blue] = channels < 3 ? [at, at, at] : [at, at + 1, at + 2]
  // As in the paper: the luma of ITU-R BT.601.
  const luma = 0.299 * (rows[red] ?? 0) + 0.587 * (rows[green] ?? 0) + 0.114 * (rows[blue] ?? 0)
  if (channels % 2 === 1) return luma
  const opacity = (rows[at + channels - 1] ?? 0) / 255
  return luma * opacity + 255 * (1 - opacity)
}

/** Undoes the filters in place: PNG specification (third edition), section 9. Each row begins with the type of its filter. */
function unfilter(rows: Uint8Array, bytes: number, height: number, channels: number) {
  for (let y = 0; y < height; y++) {
    const start = y * (bytes + 1) + 1
    const filter = rows[start - 1] ?? 0
    if (filter === 0) continue
    for (let i = 0; i < bytes; i++) {
      const left = i < channels ? 0 : (rows[start + i - channels] ?? 0)
      const above = y === 0 ? 0 : (rows[start + i - bytes - 1] ?? 0)
      const corner = i < channels || y === 0 ? 0 : (rows[start + i - bytes - 1 - channels] ?? 0)
      rows[start + i] = ((rows[start + i] ?? 0) + predicted(filter, left, above, corner)) & 255
    }
  }
}

// Without an array for the three distances: it runs for 50,000 bytes of an image, in a fifth of the time.
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  const byLeft = Math.abs(above - corner)
  const byAbove = Math.abs(left - corner)
  const byCorner = Math.abs(left + above - 2 * corner)
  if (byLeft <= byAbove && byLeft <= byCorner) return left
  return byAbove <= byCorner ? above : corner
}
