import type { Logger } from 'pino'
import { days, hours, minutes, seconds } from '../lib/time.ts'
import type { Kind, OutboxStore, Parcel } from './store.ts'
import { messageOf } from '../lib/errors.ts'
import { keysOf } from '../lib/record.ts'

/** A permanent refusal by the receiver: another attempt would fail too. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable'
}

/** The receiver asks for a later attempt. */
export class TryLater extends Error {
  override readonly name = 'TryLater'
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message)
  }
}

/** Why a parcel was not delivered: nothing is to be sent (any more), or it is not due yet. */
export type NotSent = 'withheld' | { dueAt: number }

/** One way out of the server. */
export type Carrier<K extends Kind> = {
  /** How many parcels are on their way at once. */
  atOnce: number
  /**
   * The same limit for each lane, that is each provider. After several failures in a row, a lane pauses and is then tried
   * with a single parcel (a circuit breaker).
   */
  perLane?: number
  /** How long delivery is attempted before the parcel is dropped. */
  patienceMs: number
  /**
   * Throws Undeliverable if another attempt is useless, TryLater if the receiver named a time, and anything else for a
   * transient failure. Operators see the error's message: it must hold no address, text or token.
   */
  deliver(parcel: Parcel<K>): Promise<void | NotSent>
  /** Closes its connections when nothing is being delivered. */
  close?(): void
}

export type Carriers = { [K in Kind]?: Carrier<K> }

/** What is known of a provider, in this process. */
type Lane = { busy: number; failures: number; closedUntil: number }

type Outcome = 'sent' | 'withheld' | 'failed' | 'given_up'

export type Delivery = ReturnType<typeof openDelivery>

/** A node that does not report back within this time counts as dead, and another one delivers. */
const leaseMs = 2 * minutes
// Most parcels are announced by `wake`. This finds those of a node that died, and those whose time has come.
const lookEveryMs = seconds
const longestPauseMs = hours
// A lane closes after this many failures in a row, for a second at first.
const failuresToClose = 5
const longestCloseMs = minutes
// Hosts of Web Push are named by clients.
const mostLanes = 1000
// Parcels that one statement puts off: some milliseconds of work.
const batch = 1000
export const defaultPatienceMs = days

/**
 * Delivers what waits in the outbox. Each kind has its own loop, so that a receiver that hangs holds up no other kind. A
 * failed parcel is retried with exponential backoff and full jitter, so that parcels that failed together are not retried
 * together.
 */
export function openDelivery({
  store,
  carriers,
  node,
  log,
  onOutcome = () => {},
  now,
  random = Math.random,
}: {
  store: OutboxStore
  carriers: Carriers
  /** The id of this process. */
  node: string
  log: Logger
  onOutcome?: (kind: Kind, outcome: Outcome) => void
  now: () => number
  random?: () => number
}) {
  const kinds = keysOf(carriers)
  const running = new Set<Promise<void>>()
  const busy = new Map<Kind, number>(kinds.map((kind) => [kind, 0]))
  const looking = new Map<Kind, 'once' | 'again'>()
  const lanes = new Map<Kind, Map<string, Lane>>(kinds.map((kind) => [kind, new Map()]))
  let timer: Timer | null = null
  let stopped = false

  function nextPause(attempts: number): number {
    return Math.round(random() * Math.min(longestPauseMs, 5 * seconds * 2 ** attempts)) + seconds
  }

  const laneOf = (parcel: Parcel) => parcel.lane ?? ''

  /** The lanes of a kind that take no other parcel now. */
  function closedLanes(kind: Kind): string[] {
    const { perLane } = carriers[kind]!
    if (perLane === undefined) return []
    return [...lanes.get(kind)!].flatMap(([name, { busy, failures, closedUntil }]) => {
      const isSuspect = failures >= failuresToClose
      return closedUntil > now() || busy >= (isSuspect ? 1 : perLane) ? [name] : []
    })
  }

  /** Whether a closed lane is now open for one trial parcel (half-open). */
  const isTryingAgain = (kind: Kind, closed: readonly string[]) =>
    [...lanes.get(kind)!].some(([name, { failures }]) => failures >= failuresToClose && !closed.includes(name))

  const hasOneLane = (kind: Kind) => carriers[kind]!.perLane === carriers[kind]!.atOnce

  function takeLane(kind: Kind, name: string) {
    const ofKind = lanes.get(kind)!
    const lane = ofKind.get(name) ?? { busy: 0, failures: 0, closedUntil: 0 }
    ofKind.set(name, lane)
    lane.busy++
    return lane
  }

  /**
   * Records whether the provider answered. Parcels for one that does not are postponed in storage, so that finding others
   * stays cheap.
   */
  async function noteLane(kind: Kind, name: string, hasFailed: boolean): Promise<void> {
    const lane = lanes.get(kind)!.get(name)
    if (carriers[kind]!.perLane === undefined || !lane) return
    lane.failures = hasFailed ? lane.failures + 1 : 0
    if (lane.failures < failuresToClose || lane.closedUntil > now()) return
    const pause = Math.min(longestCloseMs, seconds * 2 ** (lane.failures - failuresToClose))
    lane.closedUntil = now() + pause
    log.warn({ kind, failures: lane.failures, pause_ms: pause }, 'a provider does not take deliveries: waiting')
    // A kind with one lane is not polled while that lane is closed.
    if (!hasOneLane(kind)) await inBatches((limit) => store.pauseLane(kind, name, now(), lane.closedUntil, limit))
    if (pause < longestCloseMs) return
    // Only some of them are retried meanwhile, so expired ones are removed here.
    await inBatches(async (limit) => {
      const old = await store.removeOld(kind, now() - carriers[kind]!.patienceMs, now(), limit)
      for (let i = 0; i < old; i++) onOutcome(kind, 'given_up')
      return old
    })
  }

  async function inBatches(work: (limit: number) => Promise<number>) {
    while ((await work(batch)) === batch);
  }

  async function attempt(kind: Kind, parcel: Parcel): Promise<void> {
    const carrier = carriers[kind] as Carrier<Kind>
    let notSent: void | NotSent
    try {
      notSent = await carrier.deliver(parcel)
    } catch (error) {
      // A provider that names a time or refuses is reachable.
      if (!(error instanceof TryLater)) await noteLane(kind, laneOf(parcel), !(error instanceof Undeliverable))
      const message = messageOf(error)
      const pause = error instanceof TryLater ? error.afterMs : nextPause(parcel.attempts)
      const isOver = error instanceof Undeliverable || now() + pause > parcel.created_at + carrier.patienceMs
      if (!isOver) {
        await store.postpone(parcel.id, node, now() + pause, message)
        onOutcome(kind, 'failed')
        return
      }
      log.warn({ kind, parcel: parcel.id, attempts: parcel.attempts + 1, reason: message }, 'a delivery was given up')
      await store.remove(parcel.id)
      onOutcome(kind, 'given_up')
      return
    }
    if (typeof notSent === 'object') return store.postpone(parcel.id, node, notSent.dueAt, null)
    // A withheld parcel says nothing about the provider.
    if (notSent === undefined) await noteLane(kind, laneOf(parcel), false)
    await store.remove(parcel.id)
    onOutcome(kind, notSent ?? 'sent')
  }

  /** Starts delivery of due parcels until none is due or the concurrency limit is reached. */
  async function look(kind: Kind): Promise<void> {
    if (stopped) return
    if (looking.has(kind)) {
      looking.set(kind, 'again')
      return
    }
    looking.set(kind, 'once')
    try {
      const { atOnce, perLane } = carriers[kind]!
      const free = atOnce - busy.get(kind)!
      const closed = closedLanes(kind)
      if (closed.length > 0 && hasOneLane(kind)) return
      const limit = Math.min(free, isTryingAgain(kind, closed) ? 1 : (perLane ?? free))
      const parcels = limit > 0 ? await store.lease(kind, node, now(), now() + leaseMs, limit, closed) : []
      if (parcels.length === limit && limit < free) looking.set(kind, 'again')
      for (const parcel of parcels) {
        const lane = takeLane(kind, laneOf(parcel))
        busy.set(kind, busy.get(kind)! + 1)
        const delivery: Promise<void> = attempt(kind, parcel)
          .catch((error) => log.error({ err: error, kind }, 'the outcome of a delivery could not be stored'))
          .finally(() => {
            running.delete(delivery)
            busy.set(kind, busy.get(kind)! - 1)
            lane.busy--
            if (lane.busy === 0 && (lane.failures === 0 || lanes.get(kind)!.size > mostLanes))
              lanes.get(kind)!.delete(laneOf(parcel))
            void look(kind)
          })
        running.add(delivery)
      }
    } catch (error) {
      log.error({ err: error, kind }, 'the outbox could not be read')
    } finally {
      const again = looking.get(kind) === 'again'
      looking.delete(kind)
      if (again) void look(kind)
    }
  }

  return {
    /** Call after a parcel of that kind is committed: delivers it now. */
    wake(kind: Kind) {
      if (carriers[kind]) void look(kind)
    },

    /**
     * Starts polling for due parcels every second. `isAlone`: no other process delivers from this database, so existing
     * leases are left over from a dead process and end at once.
     */
    async start(isAlone = false): Promise<void> {
      if (isAlone) await store.endLeases(now())
      timer ??= setInterval(() => kinds.forEach((kind) => void look(kind)), lookEveryMs).unref()
    },

    /** Starts no more deliveries, and waits up to `patienceMs` for those in progress. */
    async stop(patienceMs = 5000): Promise<void> {
      stopped = true
      if (timer) clearInterval(timer)
      await Promise.race([Promise.all(running), Bun.sleep(patienceMs)])
      for (const kind of kinds) carriers[kind]?.close?.()
    },

    /** Resolves when no delivery is in progress. For tests and commands. */
    async idle(): Promise<void> {
      while (running.size > 0 || looking.size > 0) await (running.size > 0 ? Promise.race(running) : Bun.sleep(1))
    },
  }
}
