import { Elysia } from 'elysia'
import { invalid, Refusal } from '../refusal.ts'

const limit = 64 * 1024
// No body of ours needs more than three; what reads thousands, as validation does, runs out of stack.
const deepest = 32
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads bodies as JSON, after the guard, so that a stranger learns only that they are not signed in, and nothing of theirs
 * is read: that is why the parsing that Elysia would do before any guard is switched off. `then` runs once a body is read.
 * Errors: those of `readJson`.
 */
export const jsonBody = (then?: (context: { request: Request; query: unknown; route: string }) => Promise<void>) =>
  new Elysia({ name: 'json-body', seed: then })
    .onParse(() => null)
    // One hook for both: each costs every request, those without a body too.
    .onTransform(async (context) => {
      const { request, query, route } = context
      if (request.method === 'GET' || request.method === 'HEAD') return
      context.body = await readJson(request)
      await then?.({ request, query, route })
    })
    .as('scoped')

/**
 * A request's body, up to 64 KiB. An empty one is an empty object: routes that take none accept it, the others name what
 * is missing.
 *
 * Errors: 415 for another media type or a compressed body, 413 over the limit, 400 for what is not JSON in UTF-8 or breaks
 * off, 422 for JSON that is no object or nested too deeply.
 */
async function readJson(request: Request): Promise<unknown> {
  const { headers } = request
  if (request.body === null || headers.get('content-length') === '0') return {}
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new Refusal('unsupported_media_type', 'The body has to be application/json.')
  if (headers.get('content-encoding')) throw new Refusal('unsupported_media_type', 'Compressed bodies are not taken.')
  if (Number(headers.get('content-length')) > limit) throw tooLarge()
  const bytes = await readBytes(request)
  if (isDeep(bytes)) throw invalid('/', `Expected values nested up to ${deepest} levels deep`)
  const body = parsed(bytes)
  // Elysia would make an empty object of it, and find nothing wrong where every field may be absent.
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('/', 'Expected an object')
  return body
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new Refusal('malformed_body', 'The body is not JSON in UTF-8.')
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  try {
    return request.headers.has('content-length') ? await request.bytes() : await readChunks(request.body!)
  } catch (error) {
    // What is no refusal is the connection's end, which is no fault of ours to be logged.
    throw error instanceof Refusal ? error : new Refusal('bad_request', 'The body broke off.')
  }
}

async function readChunks(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const [quote, backslash] = [0x22, 0x5c]
const opening = new Set([0x5b, 0x7b])
const closing = new Set([0x5d, 0x7d])

/** Whether arrays and objects lie deeper in each other than is taken, looked at before anything recursive reads them. */
function isDeep(json: Uint8Array): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]!
    if (byte === quote) inString = !inString
    else if (inString) i += byte === backslash ? 1 : 0
    else if (opening.has(byte)) depth++
    else if (closing.has(byte)) depth--
    if (depth > deepest) return true
  }
  return false
}

const tooLarge = () => new Refusal('payload_too_large', 'The body may have up to 64 KiB.')
