import { Elysia } from 'elysia'
import type { Metrics } from '../telemetry/metrics.ts'
import { Refusal } from '../lib/refusal.ts'
import { problemResponse } from './errors.ts'

// How long one turn of the event loop may take. Requests that arrive meanwhile wait for its end.
const budgetMs = 10
// The interval of the timer when the loop is idle.
const measureEveryMs = 5
const requests = { atLeast: 64, atMost: 4096 }
const sockets = { atLeast: 4, atMost: 256 }
// The longest `Retry-After`. A client that would have to wait longer may be refused again.
const longestWaitS = 30

// Health and metrics matter most when the server is busy.
const neverShed = /^[a-z]+:\/\/[^/]+\/(?:health|ready|metrics)(?:\?|$)/
const opensSocket = /^[a-z]+:\/\/[^/]+\/ws(?:\?|$)/

type Bounds = {
  /** Always admitted: if a turn is long for another reason, such as a slow disk, refusing would not shorten it. */
  atLeast: number
  atMost: number
}

/** Decides how many requests of a kind are admitted in one turn, and when refused clients may retry. */
function openLane({ atLeast, atMost }: Bounds, now: () => number) {
  let room = atMost
  let admitted = 0
  /**
   * How many a second can be admitted: what the last turn that took too long has done, or a full one since then. Before
   * any: the least that is admitted in each turn of the longest time.
   */
  let perSecond = (atLeast * 1000) / budgetMs
  /** How many were refused and have not had the time to come back, as of `waitingAt`. */
  let waiting = 0
  let waitingAt = now()
  /** Those who wait here for a later turn. */
  const queue: (() => void)[] = []

  function admit(): boolean {
    if (admitted >= room) return false
    admitted++
    return true
  }

  return {
    begin: () => void (admitted = 0),

    /** After a turn. In time: allow a tenth more. Late: scale down in proportion. */
    end(tookMs: number) {
      const rate = (admitted * 1000) / Math.max(tookMs, measureEveryMs)
      if (tookMs > budgetMs && admitted > atLeast) perSecond = Math.max(1, rate)
      else if (admitted >= room) perSecond = Math.max(perSecond, rate)
      if (tookMs <= budgetMs) room = Math.min(atMost, Math.ceil(room * 1.1))
      else if (admitted > atLeast) room = Math.max(atLeast, Math.floor((admitted * budgetMs) / tookMs))
    },

    admit,

    /** Resolves in the turn that has room, in the order of the calls. */
    async turn(): Promise<void> {
      if (queue.length === 0 && admit()) return
      const { promise, resolve } = Promise.withResolvers<void>()
      queue.push(resolve)
      await promise
    },

    /** Admits those who wait, at the beginning of a turn. */
    admitWaiting() {
      while (queue.length > 0 && admit()) queue.shift()?.()
    },

    isWaitedFor: () => queue.length > 0,

    /** Whether those who wait here will take a second. */
    isFull: () => queue.length >= perSecond,

    waitS(): number {
      const at = now()
      waiting = Math.max(0, waiting - (perSecond * (at - waitingAt)) / 1000)
      waitingAt = at
      const seconds = 1 + Math.floor(waiting++ / perSecond)
      if (seconds < longestWaitS) return seconds
      waiting = longestWaitS * perSecond
      return longestWaitS
    },
  }
}

type Kind = 'request' | 'socket'

/** How much is admitted in one turn. `now` is in milliseconds. */
export function openAdmission(now = () => performance.now()) {
  // After a restart all sockets come back at once, and opening one takes as long as some ten sends: a lane of their own
  // admits few at a time, so that other requests are still answered. Those who were told to return in the same second arrive
  // together: they wait here rather than be refused again.
  const lanes = { request: openLane(requests, now), socket: openLane(sockets, now) }
  let began: number | null = null

  /** A timer that fires late if the event loop was busy: too many were admitted then. */
  function measureTurn() {
    if (began === null) return
    const took = now() - began
    began = null
    for (const lane of Object.values(lanes)) lane.end(took)
    if (!lanes.socket.isWaitedFor()) return
    beginTurn()
    lanes.socket.admitWaiting()
  }

  function beginTurn() {
    if (began !== null) return
    began = now()
    for (const lane of Object.values(lanes)) lane.begin()
    setTimeout(measureTurn, measureEveryMs)
  }

  return {
    /** Whether one more is admitted. */
    admit(kind: Kind = 'request'): boolean {
      beginTurn()
      return lanes[kind].admit()
    },

    /** Whether one more socket may wait for its turn. */
    hasRoomForSocket: () => !lanes.socket.isFull(),

    /** Resolves when a socket may be opened. */
    socketTurn() {
      beginTurn()
      return lanes.socket.turn()
    },

    /**
     * In how many seconds a refused client may retry. Clients refused together get different times, spread by the rate that can
     * be admitted; otherwise they would all be refused again.
     */
    waitS: (kind: Kind = 'request') => lanes[kind].waitS(),
  }
}

type Admission = ReturnType<typeof openAdmission>

type Deps = {
  metrics: Metrics
  admission: Admission
  /** How many requests are not answered yet. */
  pending(): number
}

/**
 * Load shedding: refuses excess requests with 503 `busy` before any work is done for them, so that under overload the server
 * keeps answering as many as it can, about as fast as before.
 */
export const overload = ({ metrics, admission, pending }: Deps) =>
  // Elysia awaits hooks whose last expression is a call, which would delay every request.
  new Elysia({ name: 'overload' }).onRequest(({ request, set }) => {
    let refusal
    const kind = opensSocket.test(request.url) ? 'socket' : 'request'
    const hasRoom = kind === 'socket' ? admission.hasRoomForSocket() : admission.admit()
    // A few clients that send one request after the other never wait for each other.
    if (!hasRoom && pending() > requests.atLeast && !neverShed.test(request.url)) {
      metrics.refusedEarly()
      refusal = problemResponse(overloaded(admission.waitS(kind)), String(set.headers['x-request-id']))
    }
    return refusal
  })

const overloaded = (waitS: number) =>
  new Refusal('busy', 'The server is overloaded. Try again shortly.', undefined, {
    'retry-after': String(waitS),
  })
