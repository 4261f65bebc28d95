import { setTimeout } from 'node:timers/promises'
import { minutes, seconds } from './time.ts'

/** The newest turn at a scheduled job. Times are milliseconds. */
export type Turn = {
  /** For when it was scheduled. */
  at: number
  /** The node whose turn it is; null once its run is over. */
  holder: string | null
  /** When another node may take the turn over, unless the holder has renewed it. */
  until: number
  /** When a run of this job, at whoever's turn, last did what it should. */
  succeeded_at: number | null
}

/** The turns of all nodes that have a database in common. */
export type TurnStore = {
  last(job: string): Promise<Turn | null>
  /**
   * Puts a turn in the place of the newest one as it was read, null where there was none. Of those who do so at once it is
   * one; false for all others.
   */
  replace(job: string, before: Turn | null, after: Turn): Promise<boolean>
}

export type Taken =
  { isMine: true; over(succeeded: boolean): Promise<void> } | { isMine: false; succeededAt: number | null }

/** A node that is not heard of for `leaseMs` is taken for dead; whoever waits for one looks again after `lookMs`. */
type Pace = { leaseMs: number; lookMs: number }

// What clocks of nodes may differ by. A turn farther ahead than that is of a clock that was wrong, and counts for nothing.
const tolerance = 5 * minutes

/**
 * Has each turn at a job taken by one node, and by the next where that one dies. Two at once are possible where clocks
 * differ by more than a lease, or a node stood still for so long: jobs have to bear that.
 */
export function openTurns({
  store,
  node,
  now,
  pace: { leaseMs, lookMs } = { leaseMs: 30 * seconds, lookMs: 5 * seconds },
}: {
  store: TurnStore
  /** Unlike that of any other process. */
  node: string
  now: () => number
  pace?: Pace
}) {
  const isOver = (turn: Turn, at: number) => turn.holder === null && turn.at >= at && turn.at <= at + tolerance
  const isHeld = (turn: Turn) => turn.holder !== null && turn.until > now() && turn.until <= now() + leaseMs + tolerance

  /** Renews the turn until its run is over. */
  function hold(job: string, taken: Turn) {
    let turn = taken
    let renewing = Promise.resolve()
    const renew = async () => {
      const renewed = { ...turn, until: now() + leaseMs }
      if (await store.replace(job, turn, renewed)) turn = renewed
    }
    const timer = setInterval(() => {
      // Where the database is away, the next time may do.
      renewing = renewing.then(renew).catch(() => {})
    }, leaseMs / 3)
    return async (succeeded: boolean) => {
      clearInterval(timer)
      await renewing
      const succeeded_at = succeeded ? now() : turn.succeeded_at
      await store.replace(job, turn, { ...turn, holder: null, until: now(), succeeded_at })
    }
  }

  return {
    /**
     * Takes the turn that was scheduled for a time, once nobody has it who lives; answers that it is over where another node
     * was first. `stopped` ends the waiting, and then it is nobody's.
     */
    async take(job: string, at: number, stopped: AbortSignal): Promise<Taken> {
      for (;;) {
        const last = await store.last(job)
        if (stopped.aborted || (last && isOver(last, at)))
          return { isMine: false, succeededAt: last?.succeeded_at ?? null }
        if (last && isHeld(last)) {
          const ms = Math.min(last.until - now(), lookMs)
          await setTimeout(ms, undefined, { signal: stopped }).catch(() => {})
          continue
        }
        const mine = { at, holder: node, until: now() + leaseMs, succeeded_at: last?.succeeded_at ?? null }
        if (await store.replace(job, last, mine)) return { isMine: true, over: hold(job, mine) }
      }
    },
  }
}
