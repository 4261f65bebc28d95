import type { Server } from 'bun'
import { problemResponse } from '../http/errors.ts'
import { Refusal } from '../lib/refusal.ts'

/** Tells the main thread where a forwarded request comes from. Whatever a client sends under this name is replaced. */
const peerHeader = 'x-convene-peer'

/** Where a request that was forwarded comes from. */
export const peerOf = (request: Request) => request.headers.get(peerHeader) ?? undefined

// What people ask for most, and what a slow client can make last. All else is rare, or changes what only the main thread has,
// such as the erasure journal.
const id = '[^/]+'
const answeredHere: Record<string, RegExp> = {
  GET: new RegExp(
    `^/(?:ws|api/v1/(?:me|me/export|users/${id}|media/${id}|chats|chats/${id}/messages|search/nearby|sync))$`,
  ),
  POST: new RegExp(`^/api/v1/(?:media|chats/${id}/messages)$`),
  PUT: new RegExp(`^/api/v1/chats/${id}/read$`),
}

/** Path and query. Not by URL, which throws for a host that is none; without a host, there is only this. */
const targetOf = (url: string) => (url.startsWith('/') ? url : url.slice(url.indexOf('/', 'https://'.length)))

// Of the connection, which is another one.
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade']

// A JSON body is not longer.
const mostBuffered = 64 * 1024
// Bun sends 256 requests at a time, and queues the others. A slow client must not hold one of them for long.
const mostStreamed = 64

/** Answers what the main thread has to, by passing it on; null for what this thread answers itself. */
export function front(mainSocket: string) {
  let streamed = 0

  async function pass(request: Request, url: string, headers: Headers): Promise<Response> {
    const length = request.body === null ? 0 : Number(headers.get('content-length') ?? Infinity)
    const isShort = length <= mostBuffered
    if (!isShort && streamed >= mostStreamed) return tooMany()
    if (!isShort) streamed++
    try {
      const { method, signal } = request
      // A short body is read before it is passed on.
      const body = isShort && length > 0 ? await request.arrayBuffer() : request.body
      const answer = await fetch(url, {
        ...{ unix: mainSocket, method, headers, body, signal },
        ...{ redirect: 'manual', decompress: false, timeout: false },
      })
      for (const name of hopByHop) answer.headers.delete(name)
      return new Response(answer.body, { status: answer.status, headers: answer.headers })
    } catch {
      // The client is gone, or the main thread stops.
      return problemResponse(new Refusal('shutting_down', 'This server is restarting: try again shortly.'), '')
    } finally {
      if (!isShort) streamed--
    }
  }

  return (request: Request, server: Pick<Server<unknown>, 'requestIP'>): Promise<Response> | null => {
    const target = targetOf(request.url)
    if (answeredHere[request.method]?.test(target.replace(/\?.*/s, ''))) return null
    const headers = new Headers(request.headers)
    for (const name of hopByHop) headers.delete(name)
    // Without one, that of this server would be sent.
    if (!headers.has('user-agent')) headers.set('user-agent', '')
    headers.set(peerHeader, server.requestIP(request)?.address ?? '')
    return pass(request, `http://localhost${target}`, headers)
  }
}

const tooMany = () =>
  problemResponse(
    new Refusal('busy', 'Too many uploads are in work. Try again in a moment.', undefined, { 'retry-after': '5' }),
    '',
  )
