import { invalid, Refusal } from '../refusal.ts'

/** What the other fields of a form and the headers of its parts may take, in bytes. */
const roomForTheRest = 64 * 1024
/** Reading a form of a hundred thousand parts would hold everybody else up for a third of a second. */
const maxParts = 16
/** What all uploads together may take of memory while they are read and worked on, in bytes. */
const maxInMemory = 256 * 1024 * 1024
/** What those of one user may take: uploads that never end must not keep everybody else from theirs. */
const maxOfUser = 64 * 1024 * 1024

let inMemory = 0
const ofUsers = new Map<string, number>()

/** Counts bytes that an upload takes, or with a negative number gives back. */
function take(userId: string, bytes: number) {
  inMemory += bytes
  const taken = (ofUsers.get(userId) ?? 0) + bytes
  if (taken === 0) ofUsers.delete(userId)
  else ofUsers.set(userId, taken)
}

type Wanted = { name: string; maxBytes: number; userId: string }

/**
 * Reads a multipart form and hands `use` the one file in its field `name`. Stops reading where the body outgrows
 * `maxBytes`. Other fields are ignored.
 *
 * Refusals: 415 for another kind of body or a compressed one, 413 over the limit, 400 for what is no form or breaks off,
 * 422 for no file, or several, in that field, 503 `busy` while other uploads take all the room, or the user's others all
 * of theirs.
 */
export async function withFormFile<T>(
  request: Request,
  { name, maxBytes, userId }: Wanted,
  use: (file: Uint8Array) => Promise<T>,
): Promise<T> {
  if (request.body === null) throw noFile(name)
  const boundary = boundaryOf(request.headers)
  if (Number(request.headers.get('content-length')) > maxBytes + roomForTheRest) throw tooLarge(maxBytes)
  const held = { userId, bytes: 0 }
  try {
    return await use(await fileIn(await wholeBody(request.body, maxBytes, held), boundary, name))
  } finally {
    take(userId, -held.bytes)
  }
}

/** The delimiter between the parts, of a multipart form (RFC 7578, section 4.1). */
function boundaryOf(headers: Headers): string {
  const type = headers.get('content-type') ?? ''
  if (!/^multipart\/form-data *(;|$)/i.test(type))
    throw new Refusal('unsupported_media_type', 'The body has to be multipart/form-data.')
  if (headers.has('content-encoding')) throw new Refusal('unsupported_media_type', 'Compressed bodies are not taken.')
  const boundary = /; *boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70})) *(?:;|$)/i.exec(type)
  if (!boundary) throw noForm()
  return boundary[1] ?? boundary[2]!
}

type Held = { userId: string; bytes: number }

/** Reads to the end and counts in `held` what that takes. Nothing of the chunks outlives it, as uploads may have to wait. */
async function wholeBody(body: ReadableStream<Uint8Array>, maxBytes: number, held: Held): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of body) {
      held.bytes += chunk.byteLength
      take(held.userId, chunk.byteLength)
      // Such a body may have no end: the connection goes, instead of reading on to get to the next request.
      if (held.bytes > maxBytes + roomForTheRest) throw tooLarge(maxBytes, { connection: 'close' })
      if (inMemory > maxInMemory) throw busy('Too many uploads are in work.')
      if (ofUsers.get(held.userId)! > maxOfUser) throw busy('Too many of your uploads are in work.')
      chunks.push(chunk)
    }
  } catch (error) {
    // What is no refusal is the connection's end, which is no fault of ours to be logged.
    throw error instanceof Refusal ? error : new Refusal('bad_request', 'The body broke off.')
  }
  return Buffer.concat(chunks)
}

async function fileIn(form: Buffer, boundary: string, name: string): Promise<Uint8Array> {
  refuseManyParts(form, `--${boundary}`)
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` }
  const fields = await new Response(form as Uint8Array<ArrayBuffer>, { headers }).formData().catch(() => {
    throw noForm()
  })
  const [file, ...more] = fields.getAll(name)
  if (!(file instanceof Blob)) throw noFile(name)
  if (more.length > 0) throw invalid(`/${name}`, 'Expected one file')
  return file.bytes()
}

/** Counts no further than needed: a body of nothing but delimiters has millions of them. */
function refuseManyParts(form: Buffer, delimiter: string) {
  let delimiters = 0
  for (let at = form.indexOf(delimiter); at >= 0; at = form.indexOf(delimiter, at + delimiter.length))
    if (++delimiters > maxParts + 1)
      throw new Refusal('payload_too_large', `The form may have up to ${maxParts} parts.`)
}

const noForm = () => new Refusal('malformed_body', 'The body is not a multipart form.')
const noFile = (name: string) => invalid(`/${name}`, 'Expected a file')
const tooLarge = (maxBytes: number, headers?: Record<string, string>) =>
  new Refusal('payload_too_large', `A file may have up to ${maxBytes / (1024 * 1024)} MiB.`, undefined, headers)
const busy = (detail: string) =>
  new Refusal('busy', `${detail} Try again in a moment.`, undefined, { 'retry-after': '5' })
