// One socket for all tabs. Loaded when a page connects that may share its storage with other tabs.
import type { LinkDeps } from './link.ts'
import { retryAfterMs } from './problem.ts'
import { openRetry } from './store.ts'
import type { Sent } from './outbox.ts'
import type { Connection } from './socket.ts'
import type { ClientLocks, ConnectionState, Event, Frame } from './types.ts'

/** A message between tabs. `from` is the tab that sends it, `of` the user whose events it has. */
export type Note = { from?: string; of?: string } & (
  | { say: 'session' }
  /** The tab is no longer visible. */
  | { say: 'hidden' }
  | { say: 'outbox'; sent?: Sent }
  /** Sent by a new leader, and by the leader to a tab that joins: events after `seq` follow. */
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
  /** The number of the newest event that this tab has published. */
  known: { seq: number | null }
  reset(seq: number): void
  /** Returns whether an event before this frame is missing. */
  receive(frame: Frame): boolean
  connect(tell: (note: Note) => void, take: (frame: Frame, since: number | null) => boolean): Connection
}

// With these, another tab takes over within a second. Hidden tabs have slow timers, but answer messages without delay.
const pingEveryMs = 250
const leaderTimeoutMs = 450
const frozenMs = 2500

/**
 * The tab that holds the lock `leader` holds the socket. The others ping it, and steal the lock when it does not answer.
 */
export function shareSocket(deps: Deps): Connection {
  const { tabs, name, api, state, tab, known, reset, receive, connect, online, onFrame, onOnline } = deps
  let connection: Connection | null = null
  let leader: string | null = null
  let askedAt = 0
  let waiting: AbortController | null = null
  let release: (() => void) | null = null
  let watch: ReturnType<typeof setInterval> | undefined
  let isCatchingUp = false
  let isReading = false
  let queued: Event[] = []
  let running = true

  const retries = openRetry(deps.retry, catchUp)
  const post = (note: Note) => tabs.post({ ...note, from: tab, of: name })
  const welcome = (to?: string) => post({ say: 'lead', to, seq: known.seq, state: state.get(), online: online() })

  /** Takes a frame of this tab's own socket or of the leader's. `since` is the number with which that socket was opened. */
  function take(frame: Frame, since: number | null): boolean {
    if (frame.type === 'hello') {
      const { seq, resume } = frame.data
      // The leader's socket begins after the newest event of this tab.
      const from = resume === 'fresh' ? seq : (since ?? 0)
      if (known.seq !== null && resume !== 'gap' && known.seq < from) void catchUp()
    }
    if (frame.seq === undefined) receive(frame)
    else if (isCatchingUp) queued.push(frame)
    else if (receive(frame)) {
      queued.push(frame)
      void catchUp()
    }
    return false
  }

  /** Reads the events that this tab has missed, which the leader's socket does not repeat. Tries again until it has them. */
  async function catchUp() {
    if (isReading) return
    isReading = isCatchingUp = true
    for (;;) {
      const { data, response } = await api
        .GET('/api/v1/sync', { params: { query: { since: known.seq ?? 0, limit: 100 } } })
        .catch(() => ({ data: undefined, response: undefined }))
      if (!running) return
      if (!data) {
        isReading = false
        return retries.failed(response && retryAfterMs(response))
      }
      retries.done()
      if (data.resume === 'gap') reset(data.seq)
      for (const event of data.items)
        if (event.seq > (known.seq ?? 0)) {
          known.seq = event.seq
          onFrame(event)
        }
      if (data.next_cursor === null) break
    }
    isReading = isCatchingUp = false
    const late = queued.sort((a, b) => a.seq - b.seq)
    queued = []
    for (const event of late) take(event, null)
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
      // After this tab itself was frozen, messages of the leader may still wait to be read.
      if (now - tickedAt > frozenMs) askedAt = 0
      tickedAt = now
      if (askedAt && now - askedAt > leaderTimeoutMs) return takeOver()
      askedAt ||= now
      post({ say: 'ping' })
    }, pingEveryMs)
  }

  function takeOver() {
    waiting?.abort()
    void queue({ steal: true })
  }

  /** Waits for the lock, and leads while it holds it. */
  async function queue(options: { steal?: boolean } = {}) {
    const own = (waiting = new AbortController())
    clearInterval(watch)
    if (!options.steal) follow()
    let isHeld = false
    const work = () =>
      new Promise<void>((resolve) => {
        isHeld = true
        if (own !== waiting || !running) return resolve()
        release = resolve
        lead()
      })
    try {
      await tabs.locks.request(`${name}leader`, options.steal ? options : { signal: own.signal }, work)
    } catch {
      // This tab has aborted the request, or another tab has stolen the lock, or pages may not use locks here.
    }
    if (own !== waiting || !running) return
    // Without locks, this tab opens its own socket.
    if (!isHeld) return lead()
    stopLeading()
    void queue()
  }

  function onNote(note: Note) {
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
      // Another tab connects: what has stopped the socket may be solved.
      if (note.say === 'wake' || (note.say === 'join' && state.get().state === 'stopped')) connection.wake()
      if (note.say === 'join') welcome(note.from)
      if (note.say === 'send') connection.send(note.frame)
      return
    }
    if (note.from !== leader) return
    askedAt = 0
    if (note.say === 'frame') take(note.frame, note.since)
    if (note.say === 'state') state.set({ ...note.state, leads: false })
  }

  const stopListening = tabs.listen(onNote)
  void queue()

  return {
    close() {
      running = false
      waiting?.abort()
      waiting = null
      clearInterval(watch)
      retries.close()
      stopListening()
      stopLeading()
    },
    wake() {
      if (isCatchingUp) void catchUp()
      if (connection) connection.wake()
      else post({ say: 'wake' })
    },
    send(frame) {
      if (connection) connection.send(frame)
      else post({ say: 'send', frame })
    },
  }
}
