import { Elysia } from 'elysia'
import { invalid, Refusal } from '../lib/refusal.ts'

const limit = 64 * 1024
// Our bodies need three levels at most. With thousands, recursive validation would overflow the stack.
const maxDepth = 32
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads bodies as JSON. Errors: those of `readJson`. */
export const jsonBody = new Elysia({ name: 'json-body' })
  // Otherwise Elysia would read bodies of any content type and size.
  .onParse(() => null)
  .onTransform(async (context) => {
    const { request } = context
    if (request.method !== 'GET' && request.method !== 'HEAD') context.body = await readJson(request)
  })
  .as('scoped')

/**
 * A request's body, up to 64 KiB or `longest` bytes. An empty body is an empty object: routes without a body accept it, others
 * report what is missing.
 *
 * Errors: 415 for another media type or a compressed body, 413 over the limit, 400 for a body that is not JSON in UTF-8 or
 * breaks off, 422 for JSON that is not an object or is nested too deeply.
 */
export async function readJson(request: Request, longest = limit): Promise<unknown> {
  const { headers } = request
  if (request.body === null) return {}
  const bytes = await readBytes(request, longest)
  // Only now is a body without a length known to be empty.
  if (bytes.length === 0) return {}
  if (!isJson(headers.get('content-type')))
    throw new Refusal('unsupported_media_type', 'The body has to be application/json.')
  if (headers.get('content-encoding')) throw new Refusal('unsupported_media_type', 'Compressed bodies are not taken.')
  if (isDeep(bytes)) throw invalid('/', `Expected values nested up to ${maxDepth} levels deep`, 'not_allowed')
  const body = parsed(bytes)
  // Elysia would turn it into an empty object, which is valid if every field is optional.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('/', 'Expected an object', 'type')
  return body
}

const isJson = (type: string | null) => type === 'application/json' || mediaTypeOf(type) === 'application/json'

/** The type that a Content-Type names, without its parameters. */
export const mediaTypeOf = (type: string | null) => type?.replace(/;.*/s, '').trim().toLowerCase()

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new Refusal('malformed_body', 'The body is not JSON in UTF-8.')
  }
}

/** The bytes of a request's body. Errors: 413 over 64 KiB or `longest` bytes, 400 for one that breaks off. */
export async function readBytes(request: Request, longest = limit): Promise<Uint8Array> {
  const length = request.headers.get('content-length')
  if (Number(length) > longest) throw tooLarge(longest)
  try {
    return length !== null || request.body === null ? await request.bytes() : await readChunks(request.body, longest)
  } catch (error) {
    // Any other error means that the client disconnected.
    throw error instanceof Refusal ? error : new Refusal('bad_request', 'The body broke off.')
  }
}

async function readChunks(body: ReadableStream<Uint8Array>, longest: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > longest) throw tooLarge(longest)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const [quote, backslash] = [0x22, 0x5c]
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

/** Whether arrays and objects are nested too deeply. Checked before anything recursive reads them. */
function isDeep(json: Uint8Array): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if (byte === quote) inString = !inString
    else if (inString) i += byte === backslash ? 1 : 0
    else if (isOpening(byte)) depth++
    else if (isClosing(byte)) depth--
    if (depth > maxDepth) return true
  }
  return false
}

const tooLarge = (longest: number) => new Refusal('payload_too_large', `The body may have up to ${longest / 1024} KiB.`)
