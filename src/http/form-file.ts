import { invalid, Refusal } from '../lib/refusal.ts'

/** What the other fields of a form and the headers of its parts may take, in bytes. */
const roomForTheRest = 64 * 1024
/** Reading a form of a hundred thousand parts would hold everybody else up for a third of a second. */
const maxParts = 16
/** Those of one part, in bytes. */
const maxHeaders = 16 * 1024
/** What all uploads together may take of memory while they are read and worked on, in bytes. */
const maxInMemory = 128 * 1024 * 1024
/** What those of one user may take: uploads that never end must not keep everybody else from theirs. */
const maxOfUser = 32 * 1024 * 1024
/** What is taken for a body at first; it doubles as the body comes. */
const firstRoom = 64 * 1024

let inMemory = 0
const ofUsers = new Map<string, number>()

/** How many bytes the uploads in work take of memory now. */
export const uploadsInMemory = () => inMemory

/** Counts bytes that an upload takes, or with a negative number gives back. */
function take(userId: string, bytes: number) {
  inMemory += bytes
  const taken = (ofUsers.get(userId) ?? 0) + bytes
  if (taken === 0) ofUsers.delete(userId)
  else ofUsers.set(userId, taken)
}

/**
 * The bytes of one body, all in one buffer: nothing else of the upload is kept. Everything that this buffer takes is counted,
 * filled or not, and refused with `busy` where there is no more room.
 */
function openRoom(userId: string, most: number) {
  let bytes = new Uint8Array()
  let used = 0

  function grow(needed: number) {
    const size = Math.max(needed, Math.min(most, Math.max(firstRoom, 2 * bytes.length)))
    const more = size - bytes.length
    if (inMemory + more > maxInMemory) throw busy('Too many uploads are in work.')
    if ((ofUsers.get(userId) ?? 0) + more > maxOfUser) throw busy('Too many of your uploads are in work.')
    take(userId, more)
    bytes = new Uint8Array(bytes.buffer.transfer(size))
  }

  return {
    add(chunk: Uint8Array) {
      if (used + chunk.length > bytes.length) grow(used + chunk.length)
      bytes.set(chunk, used)
      used += chunk.length
    },
    read: () => Buffer.from(bytes.buffer, 0, used),
    /** Gives the memory back at once, not when it is next collected. */
    free() {
      take(userId, -bytes.length)
      bytes.buffer.transfer(0)
    },
  }
}

type Wanted = { name: string; maxBytes: number; userId: string }

/**
 * Reads a multipart form and hands `use` the one file in its field `name`, whose bytes are gone once `use` has settled.
 * Stops reading where the body outgrows `maxBytes`. Other fields are ignored.
 *
 * Refusals: 415 for another kind of body or a compressed one, 413 over the limit, 400 for a malformed or truncated form,
 * 422 for no file, or several, in that field, 503 `busy` while other uploads take all the room, or the user's others all of
 * theirs.
 */
export async function withFormFile<T>(
  request: Request,
  { name, maxBytes, userId }: Wanted,
  use: (file: Uint8Array) => Promise<T>,
): Promise<T> {
  if (request.body === null) throw noFile(name)
  const boundary = boundaryOf(request.headers)
  const most = maxBytes + roomForTheRest
  const announced = Number(request.headers.get('content-length') ?? most)
  if (announced > most) throw tooLarge(maxBytes)
  const room = openRoom(userId, announced || most)
  try {
    await readWhole(request.body, maxBytes, room)
    return await use(fileIn(room.read(), boundary, name))
  } finally {
    room.free()
  }
}

/** The delimiter between the parts, of a multipart form (RFC 7578, section 4.1). */
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

async function readWhole(body: ReadableStream<Uint8Array>, maxBytes: number, room: ReturnType<typeof openRoom>) {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      // Such a body may have no end: the connection goes, instead of reading on to get to the next request.
      if (bytes > maxBytes + roomForTheRest) throw tooLarge(maxBytes, { connection: 'close' })
      room.add(chunk)
    }
  } catch (error) {
    // Any other error means that the client disconnected.
    throw error instanceof Refusal ? error : new Refusal('bad_request', 'The body broke off.')
  }
}

/** The one file of that name in a form, as a part of its bytes: a copy would take as much memory again. */
function fileIn(form: Buffer, boundary: string, name: string): Uint8Array {
  refuseManyParts(form, `--${boundary}`)
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
  // Before the first delimiter stands nothing, or a text that is not for us and ends with a line.
  let at =
    form.toString('latin1', 0, delimiter.length - 2) === delimiter.slice(2)
      ? delimiter.length - 2
      : afterNext(form, delimiter, 0)
  while (form.toString('latin1', at, at + 2) !== '--') {
    const headersAt = afterNext(form, '\r\n', at)
    if (!/^[ \t]*$/.test(form.toString('latin1', at, Math.min(headersAt - 2, at + 100)))) throw noForm()
    // The line that ends the headers; a part without any begins with it.
    const contentAt = afterNext(form, '\r\n\r\n', headersAt - 2)
    if (contentAt - headersAt > maxHeaders) throw noForm()
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

/** Where that text ends next. Throws if it does not come. */
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

/** Counts no further than needed: a body of nothing but delimiters has millions of them. */
function refuseManyParts(form: Buffer, delimiter: string) {
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
