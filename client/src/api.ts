import type { Client } from 'openapi-fetch'
import { answerWithinMs, withDeadline } from './deadline.ts'
import type { paths } from './openapi.ts'
import { problemOf } from './problem.ts'

/** Every route by its method and path, with the types of the server's OpenAPI document. */
export type Api = Pick<Client<paths>, 'GET' | 'POST' | 'PUT' | 'DELETE'>

const uploadWithinMs = 300_000

type Init = {
  params?: { path?: Record<string, string>; query?: Record<string, unknown> }
  body?: unknown
  parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
} & Omit<RequestInit, 'body'>

/**
 * Calls routes like openapi-fetch, and has its types: the answer is `{ data, response }` or `{ error, response }`. A body is
 * sent as JSON, unless it is a form.
 */
export function openApi(url: string, fetch: (url: string, init: RequestInit) => Promise<Response>): Api {
  const call =
    (method: string) =>
    async (path: string, { params, body, headers, signal, parseAs, ...more }: Init = {}) => {
      const query = Object.entries(params?.query ?? {}).flatMap(([name, value]) =>
        [value].flat().flatMap((one) => (one == null ? [] : `${name}=${encodeURIComponent(String(one))}`)),
      )
      const filled = path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(params!.path![name]!))
      const isForm = body instanceof FormData
      const sendsJson = !!body && !isForm
      const send = async (signal: AbortSignal) => {
        const response = await fetch(url + filled + (query[0] ? `?${query.join('&')}` : ''), {
          credentials: 'omit',
          ...more,
          method,
          signal,
          headers: {
            ...(sendsJson && { 'content-type': 'application/json' }),
            ...Object.fromEntries(new Headers(headers)),
          },
          body: sendsJson ? JSON.stringify(body) : body,
        } as RequestInit)
        if (!response.ok) return { error: await problemOf(response), response }
        const type = response.headers.get('content-type') ?? ''
        // No route answers with HTML: a network that wants a login, or a proxy, has answered instead.
        if (/html/.test(type)) throw new TypeError('not the server')
        const as = parseAs ?? (/json/.test(type) ? 'json' : 'text')
        return { data: await (as === 'stream' ? response.body : response[as]()), response }
      }
      return withDeadline(isForm ? uploadWithinMs : answerWithinMs, send, signal ?? undefined)
    }
  return { GET: call('GET'), POST: call('POST'), PUT: call('PUT'), DELETE: call('DELETE') } as unknown as Api
}
