import { Refusal } from '../lib/refusal.ts'
import { mediaTypeOf, readBytes } from './json-body.ts'

/**
 * A form that a page has posted (application/x-www-form-urlencoded), up to 64 KiB.
 *
 * Errors: 415 for another media type or a compressed body, 413 over the limit, 400 for a body that breaks off.
 */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const { headers } = request
  const type = mediaTypeOf(headers.get('content-type'))
  if (type !== 'application/x-www-form-urlencoded' || headers.get('content-encoding'))
    throw new Refusal('unsupported_media_type', 'The body has to be application/x-www-form-urlencoded.')
  if (request.body === null) return new URLSearchParams()
  return new URLSearchParams(new TextDecoder().decode(await readBytes(request)))
}
