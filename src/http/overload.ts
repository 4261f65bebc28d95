import { Elysia } from 'elysia'
import type { Metrics } from '../telemetry/metrics.ts'
import { Refusal } from '../lib/refusal.ts'
import { problemResponse } from './errors.ts'

// How long one turn of the event loop may take. Requests that arrive meanwhile wait for its end.
const budgetMs = 10
// The interval of the timer when the loop is idle.
const lookMs = 5
// Always admitted: if a turn is long for another reason, such as a slow disk, refusing would not shorten it.
const atLeast = 64
const noLimit = 4096
// Whoever would wait longer comes back after this time and is told again.
const longestWaitS = 30

// Health and metrics must be answered above all when the server is busy.
const always = /^[a-z]+:\/\/[^/]+\/(?:health|ready|metrics)(?:\?|$)/
const opensSocket = /^[a-z]+:\/\/[^/]+\/ws(?:\?|$)/

/** How many requests are admitted in one turn. `now` is in milliseconds. */
export function openAdmission(now = () => performance.now()) {
  let room = noLimit
  let admitted = 0
  let began: number | null = null
  /** How many requests a second the last turn that took too long has done. */
  let perSecond = atLeast
  /** How many were refused and have not had the time to come back, as of `waitingAt`. */
  let waiting = 0
  let waitingAt = now()

  /** A timer that fires late if the event loop was busy: too many were admitted then. */
  function look() {
    if (began === null) return
    const took = now() - began
    began = null
    const done = admitted
    if (took > budgetMs && done >= atLeast) perSecond = Math.max(1, (done * 1000) / took)
    // In time: allow a tenth more. Late: scale down in proportion.
    if (took <= budgetMs) room = Math.min(noLimit, Math.ceil(room * 1.1))
    else if (done > atLeast) room = Math.max(atLeast, Math.floor((done * budgetMs) / took))
  }

  return {
    /**
     * Whether one more request is admitted. Sockets get half of the room: after a restart all of them come back at once, and
     * what people do in the app has to go on.
     */
    admit(isSocket = false): boolean {
      if (began === null) {
        began = now()
        admitted = 0
        setTimeout(look, lookMs)
      }
      if (admitted >= (isSocket ? room / 2 : room)) return false
      admitted++
      return true
    },

    /**
     * In how many seconds a request that was not admitted may come back. Those who are refused together get different times, as
     * many a second as can be admitted: otherwise they would all be refused together again. Sockets have
     * half of the room.
     */
    waitS(isSocket = false): number {
      const at = now()
      waiting = Math.max(0, waiting - (perSecond * (at - waitingAt)) / 1000)
      waitingAt = at
      const seconds = 1 + Math.floor(waiting / perSecond)
      waiting += isSocket ? 2 : 1
      if (seconds < longestWaitS) return seconds
      waiting = longestWaitS * perSecond
      return longestWaitS
    },
  }
}

type Deps = {
  metrics: Metrics
  /** How many requests are not answered yet. */
  pending(): number
  now?: () => number
}

/**
 * Load shedding: refuses excess requests with 503 `busy` before any work is done for them, so that under overload the server
 * keeps answering as many as it can, about as fast as before.
 */
export const overload = ({ metrics, pending, now }: Deps) => {
  const admission = openAdmission(now)
  // Elysia awaits hooks whose last expression is a call, which would delay every request.
  return new Elysia({ name: 'overload' }).onRequest(({ request, set }) => {
    let refusal
    const isSocket = opensSocket.test(request.url)
    // A few clients that send one request after the other never wait for each other.
    if (!admission.admit(isSocket) && pending() > atLeast && !always.test(request.url)) {
      metrics.refusedEarly()
      refusal = problemResponse(tooMuch(admission.waitS(isSocket)), String(set.headers['x-request-id']))
    }
    return refusal
  })
}

const tooMuch = (waitS: number) =>
  new Refusal('busy', 'The server has more to do than it can. Try again shortly.', undefined, {
    'retry-after': String(waitS),
  })
