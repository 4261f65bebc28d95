import { Elysia } from 'elysia'
import { invalid, Refusal } from '../refusal.ts'

const limit = 64 * 1024
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a request's body as JSON, up to 64 KiB. Used after the guard, so that a stranger learns only that they are not
 * signed in, and nothing of theirs is read: that is why the parsing that Elysia would do before any guard is switched off.
 *
 * Errors: 415 for another media type or a compressed body, 413 over the limit, 400 for what is not JSON in UTF-8, 422
 * for JSON that is no object.
 */
export const jsonBody = new Elysia({ name: 'json-body' })
  .onParse({ as: 'scoped' }, () => null)
  .onTransform({ as: 'scoped' }, async (context) => {
    const { request, headers } = context
    if (request.method === 'GET' || request.method === 'HEAD') return
    // An empty body is no body: routes that take none accept it, the others name what is missing.
    if (request.body === null || headers['content-length'] === '0') {
      context.body = {}
      return
    }
    context.body = await readJson(request, headers)
  })

async function readJson(request: Request, headers: Record<string, string | undefined>): Promise<unknown> {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new Refusal('unsupported_media_type', 'The body has to be application/json.')
  if (headers['content-encoding']) throw new Refusal('unsupported_media_type', 'Compressed bodies are not taken.')
  if (Number(headers['content-length']) > limit) throw tooLarge()
  const bytes = headers['content-length'] === undefined ? await readChunks(request) : await request.bytes()
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

async function readChunks(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body!) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = () => new Refusal('payload_too_large', 'The body may have up to 64 KiB.')
