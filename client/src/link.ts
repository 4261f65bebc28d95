import type { Api } from './api.ts'
import type { Sent } from './outbox.ts'
import { Refused } from './problem.ts'
import { randomId, type Session } from './session.ts'
import { stayConnected } from './socket.ts'
import { createStore, type Retry } from './store.ts'
import type { ClientLocks, ClientWebSocket, ConnectionState, Event, Frame } from './types.ts'

/** What tabs tell each other. `from` is the tab that says it, `of` the user whose events it has. */
export type Note = { from?: string; of?: string } & (
  | { say: 'session' }
  | { say: 'outbox'; sent?: Sent }
  /** A tab has become the leader, or answers one that has joined: events after `seq` follow. */
  | { say: 'lead'; to?: string; seq: number | null; state: ConnectionState; online: string[] }
  | { say: 'join' | 'ping' | 'pong' | 'wake' }
  | { say: 'frame'; frame: Frame; since: number | null }
  | { say: 'state'; state: ConnectionState }
  | { say: 'send'; frame: object }
)

/** What all tabs of one client share; null where there is one alone. */
export type Tabs = {
  locks: ClientLocks
  post(note: Note): void
  listen(listener: (note: Note) => void): () => void
}

type Deps = {
  url: string
  WebSocket: ClientWebSocket
  session: Session
  api: Api
  retry: Retry
  tabs: Tabs | null
  /** Of the locks of this user. */
  name: string
  /** Called once for every durable event, in order, and for ephemeral frames. */
  onFrame(frame: Frame): void
  /** What was read over HTTP before may be out of date: at the first connection, and after a gap, with its number. */
  onReset(gap: number | null): void
  /** Who is known to be online, for a tab that joins. */
  online(): string[]
  onOnline(users: string[]): void
}

// Another tab leads within a second. Hidden tabs have slow timers, but answer as fast as any.
const pingEveryMs = 250
const leaderSilentMs = 450
const stoodStillMs = 2500

const disconnected: ConnectionState = { state: 'disconnected', reason: null, leads: false }

/**
 * The events of one user for this tab: from a socket of its own, or from the tab that leads. The tab that holds the lock
 * `leader` leads. The others ask it for a sign of life, and take the lock from one that gives none.
 */
export function openLink(deps: Deps) {
  const { tabs, api, name, onFrame, onReset } = deps
  const tab = randomId()
  const state = createStore<ConnectionState>(disconnected)
  let connection: ReturnType<typeof stayConnected> | null = null
  let last: number | null = null
  let leader: string | null = null
  let askedAt = 0
  let waiting: AbortController | null = null
  let release: (() => void) | null = null
  let watch: ReturnType<typeof setInterval> | undefined
  let catching = false
  let held: Event[] = []
  let running = false
  let stopListening = () => {}

  const post = (note: Note) => tabs?.post({ ...note, from: tab, of: name })

  function show(next: ConnectionState['state'], reason: string | null = null) {
    const now: ConnectionState = { state: next, reason, leads: connection !== null }
    if (JSON.stringify(now) === JSON.stringify(state.get())) return
    state.set(now)
    if (connection) post({ say: 'state', state: now })
  }

  /** A frame of the socket, of this tab's own or of the leader's. `since` is what that socket was opened with. */
  function receive(frame: Frame, since: number | null) {
    if (frame.type === 'hello') {
      const { seq, resume } = frame.data
      if (last === null || (resume === 'gap' && last !== seq)) reset(seq)
      // Another tab's socket begins later than where this tab is.
      else if (last < (resume === 'fresh' ? seq : (since ?? 0))) void catchUp()
      return onFrame(frame)
    }
    if (frame.seq === undefined) return onFrame(frame)
    if (last === null || frame.seq <= last) return
    if (catching || frame.seq > last + 1) {
      held.push(frame)
      return void catchUp()
    }
    last = frame.seq
    onFrame(frame)
  }

  function reset(seq: number) {
    const gap = last === null ? null : seq
    last = seq
    onReset(gap)
  }

  /** Reads the events that this tab has missed, which the leader's socket does not repeat. */
  async function catchUp() {
    if (catching) return
    catching = true
    while (running) {
      const { data } = await api.GET('/api/v1/sync', { params: { query: { since: last!, limit: 100 } } }).catch(nothing)
      if (!running) break
      if (!data) {
        await new Promise((resolve) => setTimeout(resolve, 1000))
        continue
      }
      if (data.resume === 'gap') reset(data.seq)
      for (const event of data.items)
        if (event.seq > last!) {
          last = event.seq
          onFrame(event)
        }
      if (data.next_cursor === null) break
    }
    catching = false
    const late = held.sort((a, b) => a.seq - b.seq)
    held = []
    for (const event of late) receive(event, null)
  }

  function lead() {
    leader = tab
    clearInterval(watch)
    connection = stayConnected({
      ...deps,
      since: () => last,
      onFrame(frame, since) {
        post({ say: 'frame', frame, since })
        receive(frame, since)
      },
      onState: show,
      async probe() {
        const { error } = await api.GET('/api/v1/sync', { params: { query: { since: last ?? 0, limit: 1 } } })
        if (error) throw new Refused(error)
      },
    })
    show(state.get().state, state.get().reason)
    welcome()
  }

  const welcome = (to?: string) => post({ say: 'lead', to, seq: last, state: state.get(), online: deps.online() })

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
      await tabs!.locks.request(`${name}leader`, options.steal ? options : { signal: own.signal }, work)
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
        if (last === null) reset(note.seq)
        else if (last < note.seq) void catchUp()
      }
      return deps.onOnline(note.online)
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
    if (note.say === 'frame') receive(note.frame, note.since)
    if (note.say === 'state') state.set({ ...note.state, leads: false })
  }

  return {
    state: { get: state.get, subscribe: state.subscribe },
    open() {
      // A stopped connection is tried again.
      if (running && state.get().state !== 'stopped') return this.wake()
      if (running) this.close()
      running = true
      state.set({ ...disconnected, state: 'connecting' })
      if (!tabs) return lead()
      stopListening = tabs.listen(hear)
      void queue()
    },
    close() {
      running = false
      waiting?.abort()
      waiting = null
      clearInterval(watch)
      stopListening()
      stopLeading()
      state.set(disconnected)
    },
    wake() {
      if (connection) connection.wake()
      else post({ say: 'wake' })
    },
    send(frame: object) {
      if (connection) connection.send(frame)
      else post({ say: 'send', frame })
    },
  }
}

const nothing = () => ({ data: undefined })
