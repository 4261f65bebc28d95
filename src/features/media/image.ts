import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { fairSemaphore } from '../../lib/fair-semaphore.ts'
import { Refusal, invalid } from '../../lib/refusal.ts'
import { readImageFile } from './image-file.ts'
import { type Pdq, pdqOf } from './pdq.ts'
import { luminanceOf } from './pixels.ts'
import { plainWebp } from './webp.ts'

/** The largest upload, in bytes. */
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024
/** The largest picture, in pixels, before it is scaled down. */
const MAX_IMAGE_PIXELS = 40_000_000
/** The longest side of a stored picture, in pixels. */
const MAX_SIDE = 2048
/** The longest side of a thumbnail, in pixels. */
const THUMB_SIDE = 320
/** The longest side of a placeholder, in pixels: small enough for its data URL to travel within a list. */
const PLACEHOLDER_SIDE = 16

/**
 * A decoded picture takes up to 4 bytes a pixel, twice while it is scaled. Bun decodes on a pool of one thread per processor
 * (at least two), on which it also reads files and hashes passwords: one thread is left for those.
 */
export const DECODES_AT_ONCE = Math.max(1, Math.min(2, availableParallelism() - 1))
/** How many files may wait to be decoded, in total and per user. */
const DECODES_WAITING = { all: 256, each: 16 }

/** A picture as it is stored: a still WebP file without any metadata; sizes in pixels. */
type Picture = {
  bytes: Uint8Array
  width: number
  height: number
  /** The same picture, its longest side at most 320 pixels. */
  thumb: Uint8Array
  /** A `data:image/webp` URL of a few hundred characters, to show blurred until the picture is loaded. */
  placeholder: string
  /** Its perceptual hashes and their quality. */
  pdq: Pdq
}

/**
 * Converts an uploaded file to a stored picture: upright, in WebP, its longest side at most 2048 pixels (never enlarged), and
 * with only the pixels of the upload: no EXIF, XMP, comments or colour profile. Takes the first frame of an animation. The
 * bytes must not change before the promise settles.
 *
 * Before decoding, refuses files that are no JPEG, PNG, WebP or GIF by their bytes (`unsupported_media_type`), larger than
 * 10 MiB or 40 megapixels (`payload_too_large`), or empty, damaged or cut off (`validation_failed`). Decodes one file of a
 * user at a time. Refuses with `busy` while too many wait.
 */
export async function reencode(bytes: Uint8Array, userId: string): Promise<Picture> {
  if (bytes.length > MAX_IMAGE_BYTES) throw new Refusal('payload_too_large', 'An image may have up to 10 MiB.')
  if (bytes.length === 0) throw invalid('/file', 'The file is empty.', 'too_short')
  const file = await readImageFile(bytes)
  if (!file) throw new Refusal('unsupported_media_type', 'An image must be a JPEG, PNG, WebP or GIF file.')
  if (file.pixels > MAX_IMAGE_PIXELS) throw tooManyPixels()
  if (file.fault) throw invalid('/file', file.fault, 'format')
  return limited(userId, async () => {
    try {
      const image = new Bun.Image(file.still(), { maxPixels: MAX_IMAGE_PIXELS, autoOrient: false })
      turnUpright(image, file.orientation)
      image.resize(MAX_SIDE, MAX_SIDE, { fit: 'inside', withoutEnlargement: true }).webp({ quality: 80 })
      const encoded = await image.buffer()
      const { width, height } = image
      // the encoder keeps the colour profile, which can identify a screen or camera
      const plain = plainWebp(encoded, 12, encoded.length, width, height)
      const thumb = await shrink(plain)
      const placeholder = await placeholderOf(thumb)
      return { bytes: plain, width, height, thumb, placeholder, pdq: await hashed(thumb) }
    } catch (error) {
      throw refusalOf(error)
    }
  })
}

/** The thumbnail of a stored picture. Throws if the picture cannot be decoded. */
export const thumbnailOf = (picture: Uint8Array): Promise<Uint8Array> => limited('', () => shrink(picture))

/**
 * The hashes of a picture, from its thumbnail: decoding that takes a twentieth of the time and changes few of the bits. Throws
 * if it cannot be decoded.
 */
export const pdqOfThumb = (thumb: Uint8Array): Promise<Pdq> => limited('', () => hashed(thumb))

async function hashed(thumb: Uint8Array): Promise<Pdq> {
  const luminance = await luminanceOf(thumb)
  // Each of the two takes some milliseconds of the event loop.
  await setImmediate()
  return pdqOf(luminance)
}

/** Makes a thumbnail from the stored picture: decoding the upload again would cost several times more. */
const shrink = (picture: Uint8Array) =>
  new Bun.Image(picture)
    .resize(THUMB_SIDE, THUMB_SIDE, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .buffer()

const placeholderOf = (thumb: Uint8Array) =>
  new Bun.Image(thumb)
    .resize(PLACEHOLDER_SIDE, PLACEHOLDER_SIDE, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 50 })
    .dataurl()

/**
 * Rotates and mirrors by the EXIF orientation. Bun's own `autoOrient` reads it only in JPEG, but PNG and WebP have it too.
 * Bun rotates before it mirrors, whatever the order of the calls.
 */
function turnUpright(image: Bun.Image, orientation: number): void {
  if (orientation === 3) image.rotate(180)
  if (orientation >= 5 && orientation <= 7) image.rotate(90)
  if (orientation === 8) image.rotate(270)
  if (orientation === 2 || orientation === 5) image.flop()
  if (orientation === 4 || orientation === 7) image.flip()
}

const tooManyPixels = () => new Refusal('payload_too_large', 'An image may have up to 40 megapixels.')

/** A file that the decoder rejects is the sender's mistake. Any other error is ours. */
function refusalOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') return tooManyPixels()
  if (code === 'ERR_IMAGE_DECODE_FAILED') return invalid('/file', 'The image is damaged or cannot be read.', 'format')
  return error
}

const limited = fairSemaphore({
  atOnce: DECODES_AT_ONCE,
  waiting: DECODES_WAITING,
  refuse: () =>
    new Refusal('busy', 'Too many images are being processed. Try again in a moment.', undefined, {
      'retry-after': '2',
    }),
})

/** Turns the error of a damaged image into null, as it has no thumbnail and no hashes. Rethrows any other error. */
export function nullIfDamaged(error: unknown): null {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_IMAGE_')) return null
  throw error
}
