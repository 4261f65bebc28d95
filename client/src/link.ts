import type { Api } from './api.ts'
import { disconnected } from './initial.ts'
import { randomId, type Session } from './session.ts'
import { type Connection, stayConnected } from './socket.ts'
import { isSame, type Retry, type Settable } from './store.ts'
import type { Note, Tabs } from './tabs.ts'
import type { ClientWebSocket, ConnectionState, Frame } from './types.ts'

export type LinkDeps = {
  url: string
  WebSocket: ClientWebSocket
  session: Session
  api: Api
  retry: Retry
  tabs: Tabs | null
  /** The prefix of this user's locks. */
  name: string
  state: Settable<ConnectionState>
  /** Called once for every durable event, in order, and for ephemeral frames. */
  onFrame(frame: Frame): void
  /** Data read over HTTP may be out of date. Called at the first connection (null), and after a gap, with the new number. */
  onReset(gap: number | null): void
  /** The users known to be online, for a tab that joins. */
  online(): string[]
  onOnline(users: string[]): void
}

/** Receives the events of one user for this tab: from its own socket, or from the one that several tabs share. */
export function openLink(deps: LinkDeps) {
  const { tabs, api, state, onFrame, onReset } = deps
  /** The number of the newest event that this tab has published. */
  const known: { seq: number | null } = { seq: null }
  let connection: Connection | null = null
  /** Identifies the latest call of `open`; null while closed. */
  let running: object | null = null

  function reset(seq: number) {
    const gap = known.seq === null ? null : seq
    known.seq = seq
    onReset(gap)
  }

  /** Publishes a frame of a socket, unless it is known. Returns whether an event before it is missing. */
  function receive(frame: Frame): boolean {
    if (frame.type === 'hello') {
      const { seq, resume } = frame.data
      if (known.seq === null || (resume === 'gap' && known.seq !== seq)) reset(seq)
    } else if (frame.seq !== undefined) {
      if (known.seq === null || frame.seq <= known.seq) return false
      if (frame.seq > known.seq + 1) return true
      known.seq = frame.seq
    }
    onFrame(frame)
    return false
  }

  /** Opens a socket. `tell` forwards its frames and states to other tabs. */
  const connect = (tell: (note: Note) => void, take: (frame: Frame, since: number | null) => boolean) =>
    stayConnected({
      ...deps,
      since: () => known.seq,
      onFrame(frame, since) {
        tell({ say: 'frame', frame, since })
        return take(frame, since)
      },
      onState(next, reason: string | null = null) {
        const now = { state: next, reason, leads: true }
        if (isSame(now, state.get())) return
        state.set(now)
        tell({ say: 'state', state: now })
      },
      probe: () => api.GET('/api/v1/sync', { params: { query: { since: known.seq ?? 0, limit: 1 } } }),
    })

  function close() {
    running = null
    connection?.close()
    connection = null
    state.set(disconnected)
  }

  const wake = () => connection?.wake()

  return {
    close,
    wake,
    async open() {
      if (running) return wake()
      const own = (running = {})
      state.set({ ...disconnected, state: 'connecting' })
      // A page that cannot load this module opens its own socket.
      const shared = tabs && (await import('./tabs.ts').catch(() => null))
      if (own !== running) return
      connection = shared
        ? shared.shareSocket({ ...deps, tabs, tab: randomId(), known, reset, receive, connect })
        : connect(() => {}, receive)
    },
    send: (frame: object) => connection?.send(frame),
  }
}
