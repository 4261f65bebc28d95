/** The four characters that name a chunk, as a big-endian number. */
export const fourCC = (name: string) => Buffer.from(name, 'latin1').readUInt32BE(0)

const VP8X = fourCC('VP8X')
const ALPH = fourCC('ALPH')
const VP8 = fourCC('VP8 ')
const VP8L = fourCC('VP8L')

/** A chunk of a WebP file: its four-character code, and where its data lies in the file. */
type WebpChunk = { type: number; from: number; to: number }

/**
 * The chunks between two offsets of a WebP file, in order (RFC 9649, section 2.3). The last one may claim to reach
 * beyond the end. Yields offsets, not views: a hostile file may hold a million empty chunks.
 */
export function* webpChunks(file: Buffer, from: number, to: number): Generator<WebpChunk> {
  for (let at = from; at + 8 <= to;) {
    const size = file.readUInt32LE(at + 4)
    yield { type: file.readUInt32BE(at), from: at + 8, to: at + 8 + size }
    at += 8 + size + (size % 2) // chunks start at even offsets
  }
}

/** Before its picture, a frame has its transparency and perhaps some unknown chunks. */
const MAX_CHUNKS_OF_FRAME = 100

/**
 * A still WebP file of the first picture between two offsets of another file. Keeps its pixels and transparency, and drops every
 * other chunk (EXIF, XMP, colour profile, animation, unknown ones). Width and height are the picture's, in pixels.
 */
export function plainWebp(file: Buffer, from: number, to: number, width: number, height: number): Buffer {
  let transparency: Buffer | null = null
  for (const chunk of webpChunks(file, from, to).take(MAX_CHUNKS_OF_FRAME)) {
    if (chunk.type === ALPH) transparency ??= file.subarray(chunk.from, chunk.to)
    if (chunk.type !== VP8 && chunk.type !== VP8L) continue
    const picture = riffChunk(chunk.type, file.subarray(chunk.from, chunk.to))
    if (!transparency || chunk.type === VP8L) return riff(picture)
    // a lossy picture keeps its transparency in a chunk of its own, which only the extended format allows
    const header = Buffer.alloc(10)
    header.writeUInt8(0x10, 0)
    header.writeUIntLE(width - 1, 4, 3)
    header.writeUIntLE(height - 1, 7, 3)
    return riff(Buffer.concat([riffChunk(VP8X, header), riffChunk(ALPH, transparency), picture]))
  }
  return riff(Buffer.alloc(0))
}

const riff = (chunks: Buffer) => riffChunk(fourCC('RIFF'), Buffer.concat([Buffer.from('WEBP', 'latin1'), chunks]))

function riffChunk(type: number, data: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(type, 0)
  header.writeUInt32LE(data.length, 4)
  return Buffer.concat([header, data, Buffer.alloc(data.length % 2)])
}
