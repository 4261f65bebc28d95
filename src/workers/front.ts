import type { Server } from 'bun'
import { problemResponse } from '../http/errors.ts'
import { nextRequestId } from '../http/request-id.ts'
import { Refusal } from '../lib/refusal.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** Tells the main thread where a forwarded request comes from. Whatever a client sends under this name is replaced. */
const peerHeader = 'x-convene-peer'

/** Where a request that was forwarded comes from. */
export const peerOf = (request: Request) => request.headers.get(peerHeader) ?? undefined

// What people ask for most, and what a slow client can make last. All else is rare, or changes what only the main thread has,
// such as the erasure journal.
const id = '[^/]+'
const answeredHere: Record<string, RegExp> = {
  GET: new RegExp(
    `^/(?:ws|assets/${id}|openapi/${id}/${id}|api/v1/(?:me|me/export|users/${id}|media/${id}|chats|chats/${id}/messages|search/nearby|sync|admin/audit))$`,
  ),
  POST: new RegExp(`^/api/v1/(?:media|chats/${id}/messages)$`),
  PUT: new RegExp(`^/api/v1/chats/${id}/read$`),
}

/** Path and query. Not by URL, which throws for a host that is none; without a host, there is only this. */
const targetOf = (url: string) => (url.startsWith('/') ? url : url.slice(url.indexOf('/', 'https://'.length)))

/** The same target in a URL for `fetch`, which would drop a fragment and the second of two slashes at the beginning. */
const passedOn = (target: string) =>
  `http://localhost${target.replace(/^\/\//, '/%2F').replaceAll('\\', '%5C').replaceAll('#', '%23')}`

// Of the connection, which is another one.
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade']

// A JSON body is not longer.
const mostBuffered = 64 * 1024
// Bun sends 256 requests at a time, and queues the others. A slow client must not hold one of them for long.
const mostStreamed = 64

/** Answers what the main thread has to, by passing it on; null for what this thread answers itself. */
export function front(mainSocket: string, metrics: Pick<Metrics, 'problem'>) {
  let streamed = 0

  function refuse(refusal: Refusal): Response {
    metrics.problem(refusal.code)
    return problemResponse(refusal, nextRequestId())
  }

  async function pass(request: Request, url: string, headers: Headers): Promise<Response> {
    let isStreamed = false
    try {
      const body = request.body === null ? null : await beginningOf(request.body)
      if (body instanceof ReadableStream) {
        if (streamed >= mostStreamed) return refuse(tooMany())
        isStreamed = true
        streamed++
      } else headers.delete('content-length')
      const { method, signal } = request
      const answer = await fetch(url, {
        ...{ unix: mainSocket, method, headers, body, signal },
        ...{ redirect: 'manual', decompress: false, timeout: false },
      })
      // Read whole, at the pace of the main thread.
      const bytes = await answer.arrayBuffer()
      for (const name of hopByHop) answer.headers.delete(name)
      return new Response(bytes.byteLength > 0 ? bytes : null, { status: answer.status, headers: answer.headers })
    } catch {
      // Nobody reads it.
      if (request.signal.aborted) return new Response()
      return refuse(new Refusal('shutting_down', 'This server is restarting: try again shortly.'))
    } finally {
      if (isStreamed) streamed--
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
    return pass(request, passedOn(target), headers)
  }
}

/** A short body whole, however slowly it comes; of a longer one, a stream once its beginning has come. */
async function beginningOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob | ReadableStream> {
  const reader = body.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let length = 0; length <= mostBuffered;) {
    const { done, value } = await reader.read()
    if (done) return new Blob(chunks)
    chunks.push(value)
    length += value.length
  }
  return new ReadableStream({
    start(rest) {
      for (const chunk of chunks) rest.enqueue(chunk)
    },
    async pull(rest) {
      const { done, value } = await reader.read()
      if (done) rest.close()
      else rest.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

const tooMany = () =>
  new Refusal('busy', 'Too many uploads are in work. Try again in a moment.', undefined, { 'retry-after': '5' })
