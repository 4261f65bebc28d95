import { isTemporary, retryAfterMs } from './problem.ts'
import type { Session } from './session.ts'
import { openRetry, type Retry } from './store.ts'
import type { ClientSocket, ClientWebSocket, ConnectionState, Frame, Problem } from './types.ts'

type Deps = {
  url: string
  WebSocket: ClientWebSocket
  session: Session
  retry: Retry
  /** The number of the newest known event; null before the first. */
  since(): number | null
  /** `since` is the number with which the socket was opened. Returns whether an event is missing, which a new socket gets. */
  onFrame(frame: Frame, since: number | null): boolean
  onState(state: ConnectionState['state'], reason?: string | null): void
  /** Makes an HTTP request that fails for the same reason as the socket. */
  probe(): Promise<{ error?: Problem; response?: Response }>
}

export type Connection = {
  send(frame: object): void
  close(): void
  /** The network may be back or gone: connects at once, also if stopped, or finds out soon whether the connection still works. */
  wake(): void
}

const pongWithinMs = 10_000
const openWithinMs = 15_000
const hangsAfterMs = 1000

/** Keeps one socket open until `close`: sends it new tokens, and opens another one when it is lost. */
export function stayConnected({ url, WebSocket, session, retry, since, onFrame, onState, probe }: Deps): Connection {
  let socket: ClientSocket | null = null
  let used: string | null = null
  /** The last token that the server has accepted. A token sent since may have crossed with a close. */
  let accepted: string | null = null
  let refused: string | null = null
  let opening = false
  let openedAt = 0
  let isClosed = false
  let isStopped = false
  let heartbeat: Timer
  let deadline: Timer
  const reconnect = openRetry(retry, open)
  // Used for display only: `onLine` is wrong on some systems, so the socket is opened even without a network.
  const isOffline = () => (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
  const showTrying = () => onState(isOffline() ? 'offline' : 'connecting')

  async function open() {
    if (isClosed || isStopped || socket || opening) return
    reconnect.stop()
    showTrying()
    opening = true
    const token = await session.token(refused).catch(() => undefined)
    opening = false
    // Null: the session is over, and so is this connection.
    if (isClosed || isStopped || token === null) return
    if (token === undefined) return reconnect.failed()
    used = accepted = token
    refused = null
    const from = since()
    const query = from === null ? '' : `?since=${from}`
    // The token is not part of the URL, because browsers and proxies store URLs.
    const opened = (socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws${query}`, ['convene', `bearer.${token}`]))
    let greeted = false
    openedAt = Date.now()
    expectWithin(openWithinMs)
    opened.onmessage = ({ data }: { data: unknown }) => {
      if (opened !== socket) return
      clearTimeout(deadline)
      const frame: Frame = JSON.parse(String(data))
      if (frame.type === 'session_ended') void session.end(frame.data.reason)
      if (frame.type === 'hello') {
        greeted = true
        reconnect.done()
        keepAlive(frame.data.heartbeat_s * 1000)
      }
      if (frame.type === 'auth') accepted = used
      if (onFrame(frame, from)) return void lost(1006, '', true)
      if (frame.type === 'hello' && !isClosed) onState('online')
    }
    opened.onclose = ({ code, reason }: { code: number; reason: string }) =>
      opened === socket && lost(code, reason, greeted)
    opened.onerror = () => {}
  }

  function keepAlive(everyMs: number) {
    clearInterval(heartbeat)
    heartbeat = setInterval(() => {
      ping(pongWithinMs)
      // Refreshes a token that expires soon; the new one is sent below. If that fails, the server closes the socket in time.
      session.token().catch(() => {})
    }, everyMs)
  }

  /** Treats the connection as lost if nothing arrives within this time. */
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
    reconnect.stop()
    clearTimeout(deadline)
    clearInterval(heartbeat)
    const last = socket
    socket = null
    // `close` waits for the other end, which may be gone, so later events of this socket are ignored.
    last?.close()
  }

  async function lost(code: number, reason: string, greeted: boolean) {
    drop()
    if (code === 4403) return void session.end('suspended')
    if (code === 4409) return stop('too_many_sockets')
    if (code === 4401 && reason === 'consents_required') return stop(reason)
    if (code === 4401) refused = accepted
    showTrying()
    // Browsers do not say why an upgrade failed. An HTTP request shows the reason, and refreshes the token if needed.
    const { error, response } =
      greeted || isOffline() ? {} : await probe().catch(() => ({}) as Awaited<ReturnType<Deps['probe']>>)
    // An overloaded server says when to come back.
    const waitMs = response ? retryAfterMs(response) : 0
    if (isClosed) return
    if (error?.status === 403 && !isTemporary(error)) stop(error.code)
    // After a restart of the server, clients spread their reconnects.
    else reconnect.failed(waitMs, code === 1012 ? 3000 : 0)
  }

  /** Tries no more until `wake`. */
  function stop(reason: string) {
    isStopped = true
    drop()
    onState('stopped', reason)
  }

  function close() {
    isClosed = true
    stopSendingTokens()
    drop()
  }

  const stopSendingTokens = session.accessToken.subscribe(() => {
    const token = session.accessToken.get()
    if (token && token !== used && send({ type: 'auth', data: { token } })) used = token
  })

  void open()
  return {
    send,
    close,
    wake() {
      if (socket?.readyState === 1) return ping(isOffline() ? 1000 : 3000)
      // An attempt that began without a network may hang for long.
      if (socket && Date.now() - openedAt > hangsAfterMs) drop()
      isStopped = false
      void open()
    },
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined
