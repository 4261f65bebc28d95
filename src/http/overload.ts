import { Elysia } from 'elysia'
import type { Metrics } from '../metrics.ts'
import { Refusal } from '../refusal.ts'
import { problemResponse } from './errors.ts'

// How long the event loop may be busy before it looks at what else has come. Who arrives meanwhile waits for the end of it.
const budgetMs = 10
// The time of a look, where it is not busy.
const lookMs = 5
// So many are always let in: where a turn is long for another reason, such as a slow disk, refusing would not shorten it.
const atLeast = 64
const noLimit = 4096

// What tells an operator how the server is has to be answered above all when it is busy.
const always = /^[a-z]+:\/\/[^/]+\/(?:health|ready|metrics)(?:\?|$)/

/** How many requests are taken in between two looks. `now` is in milliseconds. */
export function openAdmission(now = () => performance.now()) {
  let room = noLimit
  let admitted = 0
  let began: number | null = null

  /** Comes late where the event loop was busy: by that, as many were too many. */
  function look() {
    const took = now() - began!
    began = null
    const done = Math.min(admitted, room)
    // Where all fitted, a tenth more; otherwise as many as would have, by rule of three.
    if (took <= budgetMs) room = Math.min(noLimit, Math.ceil(room * 1.1))
    else if (done > atLeast) room = Math.max(atLeast, Math.floor((done * budgetMs) / took))
  }

  return {
    /** Whether one more is taken in. */
    admit(): boolean {
      if (began === null) {
        began = now()
        admitted = 0
        setTimeout(look, lookMs)
      }
      return admitted++ < room
    },
  }
}

type Deps = {
  metrics: Metrics
  /** How many requests have come and are not answered yet. */
  pending(): number
  now?: () => number
}

/**
 * Refuses early what would make everybody wait: 503 `busy`, before anything else is done for it. Beyond what it can carry the
 * server goes on answering as many as it can, each about as fast as before.
 */
export const overload = ({ metrics, pending, now }: Deps) => {
  const admission = openAdmission(now)
  // Elysia waits for a hook that ends with a call of something; for this one, every request would.
  return new Elysia({ name: 'overload' }).onRequest(({ request, set }) => {
    let refusal
    // A few clients that ask one thing after the other do not wait for each other, however often they ask.
    if (!admission.admit() && pending() > atLeast && !always.test(request.url)) {
      metrics.refusedEarly()
      refusal = problemResponse(tooMuch, String(set.headers['x-request-id']))
    }
    return refusal
  })
}

const tooMuch = new Refusal('busy', 'The server has more to do than it can. Try again shortly.', undefined, {
  'retry-after': '1',
})
