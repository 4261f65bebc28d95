import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { codeOf } from '../../lib/errors.ts'
import { minutes } from '../../lib/time.ts'

export type Http2Answer = { status: number; headers: IncomingHttpHeaders; body: string }

type Options = {
  /** A certificate authority besides the usual ones. */
  ca?: string
  timeoutMs: number
  pingEveryMs?: number
  pingTimeoutMs?: number
}

type Connection = {
  session: ClientHttp2Session
  /** The last stream that the server has processed, according to its GOAWAY. */
  lastProcessed: number
  failure: string | null
  /** Resolves once the server has said how many requests it takes at once; in the end also if it never does. */
  ready: Promise<void>
}

// Answers of APNs have some 100 bytes.
const longestBody = 65_536

/** The server ended the connection before it processed the request, which may be sent again at once. */
class NotProcessed extends Error {}

/**
 * Requests over one HTTP/2 connection, which is opened when it is needed. A connection gets no new requests after the server ends
 * it (GOAWAY), a ping is not answered, or a request times out; running requests may finish.
 */
export function openHttp2(
  origin: string,
  { ca, timeoutMs, pingEveryMs = minutes, pingTimeoutMs = timeoutMs }: Options,
) {
  let current: Connection | null = null

  function connection(): Connection {
    if (current && !current.session.closed && !current.session.destroyed) return current
    const session = connect(origin, { ca })
    const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>()
    const opened: Connection = { session, lastProcessed: Infinity, failure: null, ready }
    const late = setTimeout(becomeReady, timeoutMs)
    late.unref()
    void ready.then(() => clearTimeout(late))
    session.once('remoteSettings', () => becomeReady())
    current = opened
    const pings = setInterval(() => ping(session), pingEveryMs)
    pings.unref()
    session.on('goaway', (_code, lastStreamId) => {
      opened.lastProcessed = lastStreamId
      retire(opened)
    })
    session.on('error', (error) => {
      opened.failure = codeOf(error)
      retire(opened)
    })
    session.on('close', () => {
      clearInterval(pings)
      becomeReady()
      retire(opened)
    })
    return opened
  }

  function ping(session: ClientHttp2Session) {
    if (session.closed || session.destroyed || session.connecting) return
    const dead = setTimeout(() => session.destroy(), pingTimeoutMs)
    dead.unref()
    session.ping((error) => {
      clearTimeout(dead)
      if (error) session.destroy()
    })
  }

  function retire(connection: Connection) {
    if (current === connection) current = null
    const { session } = connection
    if (!session.closed && !session.destroyed) session.close()
  }

  function attempt(headers: Record<string, string>, body: string): Promise<Http2Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Http2Answer>()
    const used = connection()
    const stream = used.session.request(headers)
    const limit = setTimeout(() => {
      reject(new Error('timeout'))
      retire(used)
      stream.close(constants.NGHTTP2_CANCEL)
      // Closing waits for the connection, which may never come.
      if (used.session.connecting) used.session.destroy()
    }, timeoutMs)
    let answer: { status: number; headers: IncomingHttpHeaders } | null = null
    let text = ''
    let isWhole = false
    stream.setEncoding('utf8')
    stream.on('response', (received) => {
      answer = { status: received[':status'] ?? 0, headers: received }
    })
    stream.on('data', (chunk: string) => {
      if (text.length < longestBody) text += chunk
    })
    stream.on('end', () => (isWhole = true))
    // `close` follows.
    stream.on('error', () => {})
    stream.on('close', () => {
      clearTimeout(limit)
      const { rstCode, id = 0 } = stream
      if (answer !== null && isWhole && rstCode === constants.NGHTTP2_NO_ERROR)
        return resolve({ ...answer, body: text })
      const isRefused = rstCode === constants.NGHTTP2_REFUSED_STREAM || id > used.lastProcessed
      reject(answer === null && isRefused ? new NotProcessed('refused') : new Error(used.failure || 'cut'))
    })
    stream.end(body)
    return promise
  }

  return {
    /** Throws an Error if there is no complete answer; its message contains nothing of the request. */
    async request(headers: Record<string, string>, body: string): Promise<Http2Answer> {
      try {
        return await attempt(headers, body)
      } catch (error) {
        if (!(error instanceof NotProcessed)) throw error
        // A connection that was just opened would refuse all requests above its limit, which is not known yet.
        await connection().ready
        return attempt(headers, body)
      }
    },
    close() {
      current?.session.close()
      current = null
    },
  }
}
