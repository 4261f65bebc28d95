import { noteSize } from './photo-size.ts'

/** The server scales photos down to this on the longer side, so sending more would only cost the sender's data. */
const longestSide = 2048

export type Part = { x: number; y: number; width: number; height: number }

/**
 * Prepares a photo for sending: upright, no larger than the server keeps it, as JPEG. Null if the browser cannot decode it;
 * then the server may be able to.
 */
export async function preparePhoto(file: Blob): Promise<{ photo: Blob; width: number; height: number } | null> {
  const bitmap = await decode(file)
  if (bitmap === null) return null
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height))
  const width = Math.max(1, Math.round(bitmap.width * scale))
  const height = Math.max(1, Math.round(bitmap.height * scale))
  const photo = await draw(bitmap, { x: 0, y: 0, width: bitmap.width, height: bitmap.height }, { width, height })
  bitmap.close()
  return photo && { photo, width, height }
}

/** A crop in percent of a photo, as a part in pixels. */
export const pixelsOf = (crop: Part, { width, height }: { width: number; height: number }): Part => ({
  x: (crop.x / 100) * width,
  y: (crop.y / 100) * height,
  width: (crop.width / 100) * width,
  height: (crop.height / 100) * height,
})

/** Copies a file into memory, because it may change on the disk before it is sent. Null if it cannot be read. */
export async function copyOf(file: Blob): Promise<Blob | null> {
  try {
    return new Blob([await file.arrayBuffer()], { type: file.type })
  } catch {
    return null
  }
}

/** Cuts a part out of a prepared photo. Null if that fails, for example because the memory is full. */
export async function cutPhoto(file: Blob, { x, y, width, height }: Part): Promise<Blob | null> {
  const bitmap = await decode(file)
  if (bitmap === null) return null
  const size = { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) }
  const photo = await draw(bitmap, { x, y, width, height }, size)
  bitmap.close()
  return photo
}

async function draw(bitmap: ImageBitmap, part: Part, size: { width: number; height: number }): Promise<Blob | null> {
  const canvas = document.createElement('canvas')
  canvas.width = size.width
  canvas.height = size.height
  const context = canvas.getContext('2d')
  if (!context) return null
  // JPEG has no transparency: paint transparent parts white instead of black.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, size.width, size.height)
  context.drawImage(bitmap, part.x, part.y, part.width, part.height, 0, 0, size.width, size.height)
  const photo = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.88))
  if (photo) noteSize(photo, size)
  return photo
}

const isHeic = (file: Blob) => /hei[cf]/i.test(file.type) || (file instanceof File && /\.hei[cf]$/i.test(file.name))

/** Decodes a photo, turned upright. For HEIC in browsers without support, it fetches a decoder. */
async function decode(file: Blob): Promise<ImageBitmap | null> {
  try {
    return await createImageBitmap(file)
  } catch {
    if (!isHeic(file)) return null
  }
  try {
    const { decodeHeic } = await import('./heic.ts')
    return await decodeHeic(file)
  } catch {
    return null
  }
}
