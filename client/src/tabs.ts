// One socket for all tabs. Loaded when a page connects that may have others beside it.
import type { LinkDeps } from './link.ts'
import type { Sent } from './outbox.ts'
import type { Connection } from './socket.ts'
import type { ClientLocks, ConnectionState, Event, Frame } from './types.ts'

/** What tabs tell each other. `from` is the tab that says it, `of` the user whose events it has. */
export type Note = { from?: string; of?: string } & (
  | { say: 'session' }
  /** The tab is no longer looked at. */
  | { say: 'hidden' }
  | { say: 'outbox'; sent?: Sent }
  /** A tab has become the leader, or answers one that has joined: events after `seq` follow. */
  | { say: 'lead'; to?: string; seq: number | null; state: ConnectionState; online: string[] }
  | { say: 'join' | 'ping' | 'pong' | 'wake' }
  | { say: 'frame'; frame: Frame; since: number | null }
  | { say: 'state'; state: ConnectionState }
  | { say: 'send'; frame: object }
)

/** What all tabs of one client share. */
export type Tabs = {
  locks: ClientLocks
  post(note: Note): void
  listen(listener: (note: Note) => void): () => void
}

type Deps = LinkDeps & {
  tabs: Tabs
  /** A name of this tab. */
  tab: string
  /** The number of the newest event that was told. */
  known: { seq: number | null }
  reset(seq: number): void
  /** Answers whether an event before this frame is missing. */
  receive(frame: Frame): boolean
  connect(tell: (note: Note) => void, take: (frame: Frame, since: number | null) => boolean): Connection
}

// Another tab leads within a second. Hidden tabs have slow timers, but answer as fast as any.
const pingEveryMs = 250
const leaderSilentMs = 450
const stoodStillMs = 2500

/**
 * The tab that holds the lock `leader` leads: it holds the socket. The others ask it for a sign of life, and take the lock
 * from one that gives none.
 */
export function shareSocket(deps: Deps): Connection {
  const { tabs, name, api, state, tab, known, reset, receive, connect, online, onFrame, onOnline } = deps
  let connection: Connection | null = null
  let leader: string | null = null
  let askedAt = 0
  let waiting: AbortController | null = null
  let release: (() => void) | null = null
  let watch: ReturnType<typeof setInterval> | undefined
  let catching = false
  let held: Event[] = []
  let running = true

  const post = (note: Note) => tabs.post({ ...note, from: tab, of: name })
  const welcome = (to?: string) => post({ say: 'lead', to, seq: known.seq, state: state.get(), online: online() })

  /** A frame of the socket, of this tab's own or of the leader's. `since` is what that socket was opened with. */
  function take(frame: Frame, since: number | null): boolean {
    if (frame.type === 'hello') {
      const { seq, resume } = frame.data
      // Another tab's socket begins later than where this tab is.
      const from = resume === 'fresh' ? seq : (since ?? 0)
      if (known.seq !== null && resume !== 'gap' && known.seq < from) void catchUp()
    }
    if (frame.seq === undefined) receive(frame)
    else if (catching) held.push(frame)
    else if (receive(frame)) {
      held.push(frame)
      void catchUp()
    }
    return false
  }

  /** Reads the events that this tab has missed, which the leader's socket does not repeat. */
  async function catchUp() {
    if (catching) return
    catching = true
    while (running) {
      const { data } = await api
        .GET('/api/v1/sync', { params: { query: { since: known.seq ?? 0, limit: 100 } } })
        .catch(() => ({ data: undefined }))
      if (!running) break
      if (!data) {
        await new Promise((resolve) => setTimeout(resolve, 1000))
        continue
      }
      if (data.resume === 'gap') reset(data.seq)
      for (const event of data.items)
        if (event.seq > (known.seq ?? 0)) {
          known.seq = event.seq
          onFrame(event)
        }
      if (data.next_cursor === null) break
    }
    catching = false
    const late = held.sort((a, b) => a.seq - b.seq)
    held = []
    if (running) for (const event of late) take(event, null)
  }

  function lead() {
    leader = tab
    clearInterval(watch)
    connection = connect(post, take)
    welcome()
  }

  function stopLeading() {
    connection?.close()
    connection = null
    release?.()
    release = null
  }

  function follow() {
    let tickedAt = Date.now()
    askedAt = 0
    post({ say: 'join' })
    watch = setInterval(() => {
      const now = Date.now()
      // After this tab itself stood still, what the leader has said meanwhile may not be read yet.
      if (now - tickedAt > stoodStillMs) askedAt = 0
      tickedAt = now
      if (askedAt && now - askedAt > leaderSilentMs) return takeOver()
      askedAt ||= now
      post({ say: 'ping' })
    }, pingEveryMs)
  }

  function takeOver() {
    waiting?.abort()
    void queue({ steal: true })
  }

  /** Waits for the lock, and leads for as long as it is held. */
  async function queue(options: { steal?: boolean } = {}) {
    const own = (waiting = new AbortController())
    clearInterval(watch)
    if (!options.steal) follow()
    const work = () =>
      new Promise<void>((resolve) => {
        if (own !== waiting || !running) return resolve()
        release = resolve
        lead()
      })
    try {
      await tabs.locks.request(`${name}leader`, options.steal ? options : { signal: own.signal }, work)
    } catch {
      // Aborted by this tab, or the lock was taken by another.
    }
    if (own !== waiting || !running) return
    stopLeading()
    void queue()
  }

  function hear(note: Note) {
    if (note.from === tab || note.of !== name) return
    if (note.say === 'lead') {
      if (connection && leader === tab && note.to) return
      leader = note.from!
      askedAt = 0
      if (connection || (note.to && note.to !== tab)) return
      state.set({ ...note.state, leads: false })
      if (note.seq !== null) {
        if (known.seq === null) reset(note.seq)
        else if (known.seq < note.seq) void catchUp()
      }
      return onOnline(note.online)
    }
    if (connection) {
      if (note.say === 'ping') post({ say: 'pong' })
      if (note.say === 'join') welcome(note.from)
      if (note.say === 'wake') connection.wake()
      if (note.say === 'send') connection.send(note.frame)
      return
    }
    if (note.from !== leader) return
    askedAt = 0
    if (note.say === 'frame') take(note.frame, note.since)
    if (note.say === 'state') state.set({ ...note.state, leads: false })
  }

  const stopListening = tabs.listen(hear)
  void queue()

  return {
    close() {
      running = false
      waiting?.abort()
      waiting = null
      clearInterval(watch)
      stopListening()
      stopLeading()
    },
    wake() {
      if (connection) connection.wake()
      else post({ say: 'wake' })
    },
    send(frame) {
      if (connection) connection.send(frame)
      else post({ say: 'send', frame })
    },
  }
}
