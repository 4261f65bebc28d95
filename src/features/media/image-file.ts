import { setImmediate } from 'node:timers/promises'
import { fourCC, plainWebp, webpChunks } from './webp.ts'

/** The properties of an image file, read from its headers and structure without decoding a pixel. */
type ImageFile = {
  /** The largest area that the file claims anywhere, in pixels: decoding may allocate this much. */
  pixels: number
  /** How the picture must be turned to stand upright: the EXIF value, 1 (not at all) to 8. */
  orientation: number
  /** Why this file must not be decoded, in a sentence for its sender; null if its structure is complete. */
  fault: string | null
  /**
   * Returns the bytes to decode: the file itself, for a PNG only its picture chunks, for an animated WebP its first frame.
   * This may copy the file, so call it only when decoding begins.
   */
  still: () => Buffer
}

/** Reads a file's structure and yields between its steps, each of which takes microseconds. */
type Reading = Generator<void, ImageFile>

/**
 * Recognises JPEG, PNG, WebP and GIF by their bytes, whatever name or content type came with them, and checks that the
 * file is complete. A decoder alone does not: it fills the missing part of a JPEG or GIF with flat colour.
 * Returns null for every other kind of file.
 */
export async function readImageFile(bytes: Uint8Array): Promise<ImageFile | null> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (startsWith(file, '\xff\xd8\xff')) return inSlices(readJpeg(file))
  if (startsWith(file, '\x89PNG\r\n\x1a\n')) return inSlices(readPng(file))
  if (startsWith(file, 'GIF87a') || startsWith(file, 'GIF89a')) return inSlices(readGif(file))
  if (startsWith(file, 'RIFF') && startsWith(file.subarray(8), 'WEBP')) return inSlices(readWebp(file))
  return null
}

/** How many steps run before requests have their turn: together some hundred microseconds. */
const STEPS_AT_ONCE = 1000

/** A file of 10 MiB may have millions of parts: reading them all at once would block the event loop. */
async function inSlices(reading: Reading): Promise<ImageFile> {
  for (let steps = 1; ; steps++) {
    const { done, value } = reading.next()
    if (done) return value
    if (steps % STEPS_AT_ONCE === 0) await setImmediate()
  }
}

const TRUNCATED = 'The image is cut off before its end.'
const NO_PIXELS = 'The image has no pixels.'
const TOO_MANY_SCANS = 'The image has too many progressive scans.'

/**
 * Cameras and encoders write about ten scans. Each costs a pass over the whole picture but may be only a few bytes long, so
 * a file of the allowed size could otherwise keep a processor busy for an hour.
 */
const MAX_SCANS = 64
/** Pixels times scans, the cost of the passes. The largest picture may have 16 scans, one of 12 megapixels 53. */
const MAX_SCANNED_PIXELS = 640_000_000
/** Encoders write chunks of 8 KiB at least, so that 10 MiB have about a thousand. */
const MAX_PNG_CHUNKS = 20_000
const TOO_MANY_CHUNKS = 'The image has too many chunks.'
/** How many bytes of a JPEG's picture data one step searches for a marker. */
const SEARCHED_AT_ONCE = 64 * 1024

const startsWith = (file: Buffer, magic: string) => file.toString('latin1', 0, magic.length) === magic

/** Segments up to the end marker: ITU-T T.81, annex B. */
function* readJpeg(file: Buffer): Reading {
  const image: ImageFile = { pixels: 0, orientation: 1, fault: TRUNCATED, still: () => file }
  let scans = 0
  let hasExif = false
  for (let at = 2; at + 1 < file.length;) {
    yield
    const marker = file.readUInt8(at + 1)
    // picture data lies between the segments; in it, 0xff occurs only before 0x00 and the restart markers
    if (file[at] !== 0xff) {
      at = nextByteOf(0xff, file, at)
      continue
    }
    if (marker === 0xff) {
      at += 1
      continue
    }
    at += 2
    if (marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue
    if (marker === 0xd9) {
      if (image.pixels === 0) image.fault = NO_PIXELS
      else if (scans > MAX_SCANS || scans * image.pixels > MAX_SCANNED_PIXELS) image.fault = TOO_MANY_SCANS
      else image.fault = null
      break
    }
    if (at + 2 > file.length) break
    const end = at + file.readUInt16BE(at)
    if (end < at + 2 || end > file.length) break
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame && end >= at + 7) {
      image.pixels = Math.max(image.pixels, file.readUInt16BE(at + 3) * file.readUInt16BE(at + 5))
    } else if (marker === 0xe1 && !hasExif) {
      const segment = file.subarray(at + 2, end)
      hasExif = startsWith(segment, EXIF_PREFIX)
      image.orientation = readOrientation(segment)
    } else if (marker === 0xda) {
      scans += 1
    }
    at = end
  }
  return image
}

/** The next position of the byte, or the end of the searched part. */
function nextByteOf(byte: number, file: Buffer, from: number): number {
  const to = Math.min(from + SEARCHED_AT_ONCE, file.length)
  const found = file.subarray(from, to).indexOf(byte)
  return found < 0 ? to : from + found
}

/** Chunks up to IEND: PNG specification (third edition), section 5. */
function* readPng(file: Buffer): Reading {
  const image: ImageFile = { pixels: 0, orientation: 1, fault: TRUNCATED, still: () => file }
  const needed: Buffer[] = []
  /** The start of the current run of needed chunks. */
  let from = 0
  let chunks = 0
  let hasExif = false
  for (let at = 8; at + 12 <= file.length;) {
    yield
    if (++chunks > MAX_PNG_CHUNKS) {
      image.fault = TOO_MANY_CHUNKS
      break
    }
    const end = at + 12 + file.readUInt32BE(at)
    const type = file.readUInt32BE(at + 4)
    // the size comes first and is read even if the rest is missing
    if (at === 8) {
      if (type !== PNG.IHDR || file.length < 24) break
      image.pixels = file.readUInt32BE(16) * file.readUInt32BE(20)
    }
    if (end > file.length) break
    if (type === PNG.EXIF && !hasExif) {
      hasExif = true
      image.orientation = readOrientation(file.subarray(at + 8, end - 4))
    }
    if (type === PNG.IEND) {
      image.fault = image.pixels === 0 ? NO_PIXELS : null
      needed.push(file.subarray(from, end))
      const [only, ...others] = needed
      image.still = () => (only && others.length === 0 ? only : Buffer.concat(needed))
      break
    }
    if (!PNG_PICTURE.has(type)) {
      needed.push(file.subarray(from, at))
      from = end
    }
    at = end
  }
  return image
}

const PNG = { IHDR: fourCC('IHDR'), IEND: fourCC('IEND'), EXIF: fourCC('eXIf') }
/** The chunks of the picture. A decoder would also inflate the others, which can expand to gigabytes of texts and profiles. */
const PNG_PICTURE = new Set([PNG.IHDR, fourCC('PLTE'), fourCC('tRNS'), fourCC('IDAT')])

/** Blocks up to the trailer: GIF89a specification, appendix B. The first frame is the one that gets decoded. */
function* readGif(file: Buffer): Reading {
  const image: ImageFile = { pixels: 0, orientation: 1, fault: TRUNCATED, still: () => file }
  if (file.length < 13) return image
  const screen = file.readUInt16LE(6) * file.readUInt16LE(8)
  image.pixels = screen
  let firstFrame: number | null = null
  for (let at = 13 + colourTableBytes(file.readUInt8(10)); at < file.length;) {
    yield
    const kind = file[at]
    if (kind === 0x3b) {
      image.fault = screen === 0 || !firstFrame ? NO_PIXELS : null
      break
    }
    if (kind === 0x2c && at + 10 <= file.length) {
      firstFrame ??= file.readUInt16LE(at + 5) * file.readUInt16LE(at + 7)
      image.pixels = Math.max(image.pixels, firstFrame)
      at += 11 + colourTableBytes(file.readUInt8(at + 9))
    } else if (kind === 0x21) {
      at += 2
    } else {
      image.fault = 'The image is damaged.'
      break
    }
    for (let size = file[at]; size; size = file[at]) {
      at += 1 + size
      yield
    }
    at += 1
  }
  return image
}

const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)

/** Chunks up to the length that the container states: RFC 9649, section 2. */
function* readWebp(file: Buffer): Reading {
  const image: ImageFile = { pixels: 0, orientation: 1, fault: null, still: () => file }
  let hasFrame = false
  let hasExif = false
  const claim = (width: number, height: number) => {
    if (width === 0 || height === 0) image.fault = NO_PIXELS
    image.pixels = Math.max(image.pixels, width * height)
  }
  const end = 8 + file.readUInt32LE(4)
  const readable = Math.min(end, file.length)
  for (const { type, from, to } of webpChunks(file, 12, readable)) {
    yield
    const length = Math.min(to, readable) - from
    if (type === WEBP.VP8X && length >= 10) {
      claim(file.readUIntLE(from + 4, 3) + 1, file.readUIntLE(from + 7, 3) + 1)
    } else if (type === WEBP.VP8 && length >= 10) {
      claim(file.readUInt16LE(from + 6) & 0x3fff, file.readUInt16LE(from + 8) & 0x3fff)
    } else if (type === WEBP.VP8L && length >= 5) {
      const bits = file.readUInt32LE(from + 1)
      claim((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    } else if (type === WEBP.ANMF && length >= 16 && !hasFrame) {
      hasFrame = true
      // the decoder does not read animations
      const [width, height] = [file.readUIntLE(from + 6, 3) + 1, file.readUIntLE(from + 9, 3) + 1]
      claim(width, height)
      image.still = () => plainWebp(file, from + 16, from + length, width, height)
    } else if (type === WEBP.EXIF && length > 0 && !hasExif) {
      hasExif = true
      image.orientation = readOrientation(file.subarray(from, from + length))
    }
  }
  if (end > file.length) image.fault = TRUNCATED
  else if (image.pixels === 0) image.fault ??= NO_PIXELS
  return image
}

const WEBP = {
  VP8X: fourCC('VP8X'),
  VP8: fourCC('VP8 '),
  VP8L: fourCC('VP8L'),
  ANMF: fourCC('ANMF'),
  EXIF: fourCC('EXIF'),
}

const EXIF_PREFIX = 'Exif\0\0'
/** Cameras write some dozens of entries. */
const MAX_EXIF_ENTRIES = 1000

/** The orientation in a block of EXIF: tag 0x0112 of the first directory (Exif 2.32, section 4.6). 1 if it has none. */
function readOrientation(exif: Buffer): number {
  // JPEG puts a prefix before the block; in the other formats it is optional
  const tiff = startsWith(exif, EXIF_PREFIX) ? exif.subarray(EXIF_PREFIX.length) : exif
  const littleEndian = startsWith(tiff, 'II')
  if (tiff.length < 8 || (!littleEndian && !startsWith(tiff, 'MM'))) return 1
  const uint16 = (at: number) => (littleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = littleEndian ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return 1
  const entries = Math.min(uint16(directory), MAX_EXIF_ENTRIES)
  for (let i = 0; i < entries; i += 1) {
    const entry = directory + 2 + 12 * i
    if (entry + 12 > tiff.length) return 1
    if (uint16(entry) !== 0x0112) continue
    const orientation = uint16(entry + 8)
    return orientation >= 1 && orientation <= 8 ? orientation : 1
  }
  return 1
}
