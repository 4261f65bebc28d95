import { Elysia } from 'elysia'
import type { Metrics } from '../metrics.ts'
import { Refusal } from '../refusal.ts'
import { problemResponse } from './errors.ts'

// How long one turn of the event loop may take. Who arrives within one waits for its end, and then for the next.
const budgetMs = 15
// So many are always let in: where a turn is long for another reason, such as a slow disk, refusing would not shorten it.
const atLeast = 64
const noLimit = 4096

// What tells an operator how the server is has to be answered above all when it is busy.
const always = /^[a-z]+:\/\/[^/]+\/(?:health|ready|metrics)(?:\?|$)/

/** How many requests a turn of the event loop takes in. `now` is in milliseconds. */
export function openAdmission(now = () => performance.now()) {
  let room = noLimit
  let admitted = 0
  let began = 0
  let state: 'idle' | 'taking' | 'working' = 'idle'

  function close() {
    const took = now() - began
    state = 'idle'
    const done = Math.min(admitted, room)
    // Where all fitted, half as many again; otherwise as many as would have, by rule of three.
    if (took <= budgetMs) room = Math.min(noLimit, Math.ceil(room * 1.5))
    else if (done > atLeast) room = Math.max(atLeast, Math.floor((done * budgetMs) / took))
  }

  return {
    /** Whether one more is taken in. */
    admit(): boolean {
      if (state === 'working') close()
      if (state === 'idle') {
        state = 'taking'
        began = now()
        admitted = 0
        // The first comes when all that was waiting is taken in; the second when that is done, answers and all, unless
        // a request of the next turn comes before.
        setImmediate(() => {
          state = 'working'
          setImmediate(() => {
            if (state === 'working') close()
          })
        })
      }
      return admitted++ < room
    },
  }
}

/**
 * Refuses early what would make everybody wait: 503 `busy`, before anything else is done for it. Beyond what it can carry the
 * server goes on answering as many as it can, each about as fast as before.
 */
export const overload = ({ metrics, now }: { metrics: Metrics; now?: () => number }) => {
  const admission = openAdmission(now)
  return new Elysia({ name: 'overload' }).onRequest(({ request, set }) => {
    if (admission.admit() || always.test(request.url)) return
    metrics.refusedEarly()
    return problemResponse(tooMuch, String(set.headers['x-request-id']))
  })
}

const tooMuch = new Refusal('busy', 'The server has more to do than it can. Try again shortly.', undefined, {
  'retry-after': '1',
})
