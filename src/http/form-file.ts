import { invalid, Refusal } from '../lib/refusal.ts'

/** The limit for everything but the file: other fields, and the headers of all parts. */
const otherBytes = 64 * 1024
/** Parsing a form of a hundred thousand parts would block the event loop for a third of a second. */
const maxParts = 16
/** The limit for the headers of one part. */
const maxHeaderBytes = 16 * 1024
/** The limit for all uploads together while they are read and processed, in bytes. */
const maxInMemory = 128 * 1024 * 1024
/** The limit for the uploads of one user, so that uploads that never end do not block everybody else's. */
const maxPerUser = 32 * 1024 * 1024
/** The first size of a buffer for a body of unknown length; it doubles as the body arrives. */
const firstBufferBytes = 64 * 1024

let inMemory = 0
const inMemoryByUser = new Map<string, number>()

/** The memory that uploads occupy now, in bytes. */
export const uploadsInMemory = () => inMemory

/** Counts memory that an upload occupies, or with a negative number releases. */
function count(userId: string, bytes: number) {
  inMemory += bytes
  const taken = (inMemoryByUser.get(userId) ?? 0) + bytes
  if (taken === 0) inMemoryByUser.delete(userId)
  else inMemoryByUser.set(userId, taken)
}

/**
 * One buffer that holds a whole body, the only copy of it. Its full size is counted, filled or not. Refuses with `busy` where a
 * limit would be exceeded.
 */
function openBuffer(userId: string, most: number) {
  let bytes = new Uint8Array()
  let used = 0

  function grow(needed: number) {
    const size = Math.max(needed, Math.min(most, Math.max(firstBufferBytes, 2 * bytes.length)))
    const more = size - bytes.length
    if (inMemory + more > maxInMemory) throw busy('Too many uploads are in progress.')
    if ((inMemoryByUser.get(userId) ?? 0) + more > maxPerUser) throw busy('Too many of your uploads are in progress.')
    count(userId, more)
    bytes = new Uint8Array(bytes.buffer.transfer(size))
  }

  return {
    add(chunk: Uint8Array) {
      if (used + chunk.length > bytes.length) grow(used + chunk.length)
      bytes.set(chunk, used)
      used += chunk.length
    },
    read: () => Buffer.from(bytes.buffer, 0, used),
    /** Releases the memory at once, instead of at the next garbage collection. */
    free() {
      count(userId, -bytes.length)
      bytes.buffer.transfer(0)
    },
  }
}

type Wanted = { name: string; maxBytes: number; userId: string }

/**
 * Reads a multipart form and passes the one file in its field `name` to `use`. The bytes are released once `use` has settled.
 * Stops reading when the body exceeds `maxBytes`. Other fields are ignored.
 *
 * Refusals: 415 for another kind of body or a compressed one, 413 over the limit, 400 for a malformed or truncated form,
 * 422 for no file, or several, in that field, 503 `busy` while other uploads, or other ones of this user, occupy the memory.
 */
export async function withFormFile<T>(
  request: Request,
  { name, maxBytes, userId }: Wanted,
  use: (file: Uint8Array) => Promise<T>,
): Promise<T> {
  if (request.body === null) throw noFile(name)
  const boundary = boundaryOf(request.headers)
  const most = maxBytes + otherBytes
  const announced = Number(request.headers.get('content-length') ?? most)
  if (announced > most) throw tooLarge(maxBytes)
  const buffer = openBuffer(userId, announced || most)
  try {
    await readWhole(request.body, maxBytes, buffer)
    return await use(fileIn(buffer.read(), boundary, name))
  } finally {
    buffer.free()
  }
}

/** The boundary between the parts of a multipart form (RFC 7578, section 4.1). */
function boundaryOf(headers: Headers): string {
  const type = headers.get('content-type') ?? ''
  if (!/^multipart\/form-data *(;|$)/i.test(type))
    throw new Refusal('unsupported_media_type', 'The body has to be multipart/form-data.')
  if (headers.has('content-encoding')) throw new Refusal('unsupported_media_type', 'Compressed bodies are not taken.')
  const [, quoted, plain] = /; *boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70})) *(?:;|$)/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw noForm()
  return boundary
}

async function readWhole(body: ReadableStream<Uint8Array>, maxBytes: number, buffer: ReturnType<typeof openBuffer>) {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      // The body may never end: close the connection instead of reading on to the next request.
      if (bytes > maxBytes + otherBytes) throw tooLarge(maxBytes, { connection: 'close' })
      buffer.add(chunk)
    }
  } catch (error) {
    // Any other error means that the client disconnected.
    throw error instanceof Refusal ? error : new Refusal('bad_request', 'The body broke off.')
  }
}

/** The one file of that name in a form. A view of the form's bytes, because a copy would double the memory. */
function fileIn(form: Buffer, boundary: string, name: string): Uint8Array {
  refuseTooManyParts(form, `--${boundary}`)
  const parts = partsOf(form, boundary).filter((part) => part.name === name)
  const [file, ...more] = parts
  if (!file) throw noFile(name)
  if (!file.isFile) throw invalid(`/${name}`, 'Expected a file', 'type')
  if (more.length > 0) throw invalid(`/${name}`, 'Expected one file', 'too_long')
  return file.content
}

type Part = { name: string | undefined; isFile: boolean; content: Buffer }

/** The parts of a form (RFC 2046, section 5.1.1; RFC 7578). */
function partsOf(form: Buffer, boundary: string): Part[] {
  const parts: Part[] = []
  const delimiter = `\r\n--${boundary}`
  // The first delimiter is at the start, or follows a preamble, which is ignored and ends with a line break.
  let at =
    form.toString('latin1', 0, delimiter.length - 2) === delimiter.slice(2)
      ? delimiter.length - 2
      : afterNext(form, delimiter, 0)
  while (form.toString('latin1', at, at + 2) !== '--') {
    const headersAt = afterNext(form, '\r\n', at)
    if (!/^[ \t]*$/.test(form.toString('latin1', at, Math.min(headersAt - 2, at + 100)))) throw noForm()
    // The headers end with an empty line; a part without headers begins with it.
    const contentAt = afterNext(form, '\r\n\r\n', headersAt - 2)
    if (contentAt - headersAt > maxHeaderBytes) throw noForm()
    const next = afterNext(form, delimiter, contentAt - 2)
    const disposition = dispositionOf(form.toString('utf8', headersAt, contentAt))
    parts.push({
      name: disposition.get('name'),
      isFile: disposition.has('filename') || disposition.has('filename*'),
      content: form.subarray(contentAt, Math.max(contentAt, next - delimiter.length)),
    })
    at = next
  }
  return parts
}

/** The end of the next occurrence of a text. Throws if there is none. */
function afterNext(form: Buffer, text: string, from: number): number {
  const found = form.indexOf(text, from, 'latin1')
  if (found < 0) throw noForm()
  return found + text.length
}

/** The parameters of a part's Content-Disposition, by name in lower case (RFC 6266, section 4.1). */
function dispositionOf(headers: string): Map<string, string> {
  const [, parameters] = /^content-disposition:[ \t]*form-data[ \t]*(;.*)?$/im.exec(headers) ?? []
  const pairs = (parameters ?? '').matchAll(/;[ \t]*([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/g)
  return new Map(Array.from(pairs, ([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? '']))
}

/** Stops counting at the limit, as a body of nothing but delimiters has millions of them. */
function refuseTooManyParts(form: Buffer, delimiter: string) {
  let delimiters = 0
  for (
    let at = form.indexOf(delimiter, 0, 'latin1');
    at >= 0;
    at = form.indexOf(delimiter, at + delimiter.length, 'latin1')
  )
    if (++delimiters > maxParts + 1)
      throw new Refusal('payload_too_large', `The form may have up to ${maxParts} parts.`)
}

const noForm = () => new Refusal('malformed_body', 'The body is not a multipart form.')
const noFile = (name: string) => invalid(`/${name}`, 'Expected a file', 'required')
const tooLarge = (maxBytes: number, headers?: Record<string, string>) =>
  new Refusal('payload_too_large', `A file may have up to ${maxBytes / (1024 * 1024)} MiB.`, undefined, headers)
const busy = (detail: string) =>
  new Refusal('busy', `${detail} Try again in a moment.`, undefined, { 'retry-after': '5' })
