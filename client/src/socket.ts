import type { Session } from './session.ts'
import { openRetry, type Retry } from './store.ts'
import type { ClientSocket, ClientWebSocket, ConnectionState, Frame, Problem } from './types.ts'

type Deps = {
  url: string
  WebSocket: ClientWebSocket
  session: Session
  retry: Retry
  /** The number of the newest event that is known; null before the first. */
  since(): number | null
  /** `since` is what the socket was opened with. Answers whether an event is missing: another socket gets it. */
  onFrame(frame: Frame, since: number | null): boolean
  onState(state: ConnectionState['state'], reason?: string | null): void
  /** Asks the server over HTTP for anything that the socket may show. */
  probe(): Promise<{ error?: Problem; response?: Response }>
}

export type Connection = {
  send(frame: object): void
  close(): void
  /** The network may be back: connects at once, or finds out soon whether the connection still works. */
  wake(): void
}

const pongWithinMs = 10_000
const openWithinMs = 15_000

/** Holds one socket open until it is closed: refreshes its token in place, and opens another when it is lost. */
export function stayConnected({ url, WebSocket, session, retry, since, onFrame, onState, probe }: Deps): Connection {
  let socket: ClientSocket | null = null
  let used: string | null = null
  /** What the server knows the socket by: a token that was sent since may have crossed with a close. */
  let accepted: string | null = null
  let refused: string | null = null
  let opening = false
  let over = false
  let heartbeat: Timer
  let deadline: Timer
  const later = openRetry(retry, open)
  // It tries also without a network: `onLine` is wrong on some systems.
  const isOffline = () => (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
  const showTrying = () => onState(isOffline() ? 'offline' : 'connecting')

  async function open() {
    if (over || socket || opening) return
    later.stop()
    showTrying()
    opening = true
    const token = await session.token(refused).catch(() => undefined)
    opening = false
    // Without a token the session is over, and with it this connection.
    if (over || token === null) return
    if (token === undefined) return later.failed()
    used = accepted = token
    refused = null
    const from = since()
    const query = from === null ? '' : `?since=${from}`
    // The token is no part of the address, which browsers and proxies keep.
    const opened = (socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws${query}`, ['convene', `bearer.${token}`]))
    let greeted = false
    expectWithin(openWithinMs)
    opened.onmessage = ({ data }: { data: unknown }) => {
      if (opened !== socket) return
      clearTimeout(deadline)
      const frame: Frame = JSON.parse(String(data))
      if (frame.type === 'session_ended') return void session.end(frame.data.reason)
      if (frame.type === 'hello') {
        greeted = true
        later.done()
        keepAlive(frame.data.heartbeat_s * 1000)
      }
      if (frame.type === 'auth') accepted = used
      if (onFrame(frame, from)) return void lost(1006, '', true)
      if (frame.type === 'hello' && !over) onState('online')
    }
    opened.onclose = ({ code, reason }: { code: number; reason: string }) =>
      opened === socket && lost(code, reason, greeted)
    opened.onerror = () => {}
  }

  function keepAlive(everyMs: number) {
    clearInterval(heartbeat)
    heartbeat = setInterval(() => {
      ping(pongWithinMs)
      // Refreshes a token that is about to run out, which is passed on. If that fails, the server closes the socket in time.
      session.token().catch(() => {})
    }, everyMs)
  }

  /** Takes the connection for lost if nothing arrives within this time. */
  function expectWithin(ms: number) {
    clearTimeout(deadline)
    const awaited = socket
    deadline = setTimeout(() => awaited === socket && lost(1006, '', true), ms)
  }

  function ping(withinMs: number) {
    send({ type: 'ping' })
    expectWithin(withinMs)
  }

  function send(frame: object) {
    if (socket?.readyState !== 1) return false
    socket.send(JSON.stringify(frame))
    return true
  }

  function drop() {
    later.stop()
    clearTimeout(deadline)
    clearInterval(heartbeat)
    const last = socket
    socket = null
    // Closing waits for the other end, which may be gone: nothing of it counts any more.
    last?.close()
  }

  async function lost(code: number, reason: string, greeted: boolean) {
    drop()
    if (code === 4403) return void session.end('suspended')
    if (code === 4409) return stop('too_many_sockets')
    if (code === 4401 && reason === 'consents_required') return stop(reason)
    if (code === 4401) refused = accepted
    showTrying()
    // Browsers do not tell why an upgrade failed. A request does, and refreshes the token on the way.
    const { error, response } =
      greeted || isOffline() ? {} : await probe().catch(() => ({}) as Awaited<ReturnType<Deps['probe']>>)
    // A server that is asked by too many at once tells each of them when to come back.
    const waitMs = 1000 * Number(response?.headers.get('retry-after') ?? 0)
    if (over) return
    if (error?.status === 403) stop(error.code)
    // Spread out after a restart of the server.
    else later.failed(waitMs, code === 1012 ? 3000 : 0)
  }

  function stop(reason: string) {
    close()
    onState('stopped', reason)
  }

  function close() {
    over = true
    forgetTokens()
    drop()
  }

  const forgetTokens = session.accessToken.subscribe(() => {
    const token = session.accessToken.get()
    if (token && token !== used && send({ type: 'auth', data: { token } })) used = token
  })

  void open()
  return {
    send,
    close,
    wake() {
      if (socket?.readyState === 1) ping(3000)
      else if (!socket) void open()
    },
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined
