import { setTimeout } from 'node:timers/promises'
import { minutes, seconds } from './time.ts'

/** The newest run of a scheduled job. Times are in milliseconds. */
export type JobLease = {
  /** The time it was scheduled for. */
  at: number
  /** The node that runs it; null when the run has ended. */
  holder: string | null
  /** When the lease expires, unless its holder renews it. */
  until: number
  /** When a run of this job last succeeded, on any node. */
  succeeded_at: number | null
}

/** The leases of all nodes of one database. */
export type JobLeaseStore = {
  last(job: string): Promise<JobLease | null>
  /**
   * Replaces the lease as it was read, null if there was none (compare and swap). Of several nodes that try at once, one
   * succeeds; the others get false.
   */
  replace(job: string, before: JobLease | null, after: JobLease): Promise<boolean>
}

export type TakeOutcome =
  { isMine: true; over(succeeded: boolean): Promise<void> } | { isMine: false; succeededAt: number | null }

/** A node that has not renewed its lease for `leaseMs` counts as dead. Waiting nodes check again every `lookMs`. */
type Pace = { leaseMs: number; lookMs: number }

// The tolerated difference between clocks. A lease further in the future comes from a wrong clock and is ignored.
const tolerance = 5 * minutes

/**
 * Makes each scheduled job run on one node, and on another if that one dies. If clocks differ by more than a lease, or a node
 * was paused for that long, two nodes may run a job at once: jobs must tolerate that.
 */
export function openJobLeases({
  store,
  node,
  now,
  pace: { leaseMs, lookMs } = { leaseMs: 30 * seconds, lookMs: 5 * seconds },
}: {
  store: JobLeaseStore
  /** Unique to this process. */
  node: string
  now: () => number
  pace?: Pace
}) {
  const isOver = (lease: JobLease, at: number) => lease.holder === null && lease.at >= at && lease.at <= at + tolerance
  const isHeld = (lease: JobLease) =>
    lease.holder !== null && lease.until > now() && lease.until <= now() + leaseMs + tolerance

  /** Renews the lease until the run has ended. */
  function hold(job: string, taken: JobLease) {
    let lease = taken
    let renewing = Promise.resolve()
    const renew = async () => {
      const renewed = { ...lease, until: now() + leaseMs }
      if (await store.replace(job, lease, renewed)) lease = renewed
    }
    const timer = setInterval(() => {
      // If the database is down, the next renewal may succeed.
      renewing = renewing.then(renew).catch(() => {})
    }, leaseMs / 3)
    return async (succeeded: boolean) => {
      clearInterval(timer)
      await renewing
      const succeeded_at = succeeded ? now() : lease.succeeded_at
      await store.replace(job, lease, { ...lease, holder: null, until: now(), succeeded_at })
    }
  }

  return {
    /**
     * Takes the lease of a scheduled run when no living node holds it, or reports that another node has done the run. `stopped`
     * ends the wait without a lease.
     */
    async take(job: string, at: number, stopped: AbortSignal): Promise<TakeOutcome> {
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
