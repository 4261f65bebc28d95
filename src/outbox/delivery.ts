import type { Logger } from 'pino'
import { days, hours, minutes, seconds } from '../lib/time.ts'
import type { Kind, OutboxStore, Parcel } from './store.ts'

/** The receiver refused for good: another attempt would be refused as well. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable'
}

/** The receiver asks to be left alone for a while. */
export class TryLater extends Error {
  override readonly name = 'TryLater'
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message)
  }
}

/** What became of a parcel, where that is not its delivery: nothing was to be sent (any more), or its time is to come. */
export type NotSent = 'withheld' | { dueAt: number }

/** One way out of the server. */
export type Carrier<K extends Kind> = {
  /** How many parcels are on their way at once. */
  atOnce: number
  /**
   * How many of one lane, for a kind whose provider may be down while much waits: a lane whose deliveries fail in a row is
   * left alone for a while, and then tried by a single parcel.
   */
  perLane?: number
  /** How long a parcel is tried before it is given up. */
  patienceMs: number
  /**
   * Throws Undeliverable where another attempt is useless, TryLater where the receiver named a time, and anything else for
   * a failure that may pass. The message is kept and shown to operators: it holds no address, text or token.
   */
  deliver(parcel: Parcel<K>): Promise<void | NotSent>
  /** Gives up its connections, once nothing is on its way. */
  close?(): void
}

export type Carriers = { [K in Kind]?: Carrier<K> }

/** What is known of a provider, in this process. */
type Lane = { busy: number; failures: number; closedUntil: number }

type Outcome = 'sent' | 'withheld' | 'failed' | 'given_up'

export type Delivery = ReturnType<typeof openDelivery>

/** A node that does not report back within this time is taken for dead, and another one delivers. */
const leaseMs = 2 * minutes
// Most parcels are announced by `wake`. This finds those of a node that died, and those whose time has come.
const lookEveryMs = seconds
const longestPauseMs = hours
// A lane is closed after so many failures in a row, for a second at first.
const failuresToClose = 5
const longestCloseMs = minutes
// Hosts of Web Push are named by clients.
const mostLanes = 1000
// Parcels that one statement puts off: some milliseconds of work.
const batch = 1000
export const defaultPatienceMs = days

/**
 * Delivers what waits in the outbox. Each kind has its own loop, so that a receiver that hangs holds up no other kind.
 * A failed parcel is tried again after a pause that doubles, with full jitter, so that those who failed together do not
 * come back together.
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
  const kinds = Object.keys(carriers) as Kind[]
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

  /** Whether a lane that was closed is open for one parcel, so that no other is taken with it. */
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

  /** The provider has answered, or not. What waits for one that does not is put off, so that looking for others stays cheap. */
  async function noteLane(kind: Kind, name: string, hasFailed: boolean): Promise<void> {
    const lane = lanes.get(kind)!.get(name)
    if (carriers[kind]!.perLane === undefined || !lane) return
    lane.failures = hasFailed ? lane.failures + 1 : 0
    if (lane.failures < failuresToClose || lane.closedUntil > now()) return
    const pause = Math.min(longestCloseMs, seconds * 2 ** (lane.failures - failuresToClose))
    lane.closedUntil = now() + pause
    log.warn({ kind, failures: lane.failures, pause_ms: pause }, 'a provider does not take deliveries: waiting')
    // A kind with one lane is not even looked at meanwhile.
    if (!hasOneLane(kind)) await inBatches((limit) => store.pauseLane(kind, name, now(), lane.closedUntil, limit))
    if (pause < longestCloseMs) return
    // Only some of them are tried, and all of them are too old some day.
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
      // A provider that names a time is there, and so is one that refuses.
      if (!(error instanceof TryLater)) await noteLane(kind, laneOf(parcel), !(error instanceof Undeliverable))
      const { message } = error as Error
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
    // What was withheld tells nothing of the provider.
    if (notSent === undefined) await noteLane(kind, laneOf(parcel), false)
    await store.remove(parcel.id)
    onOutcome(kind, notSent ?? 'sent')
  }

  /** Takes what is due and starts its delivery, until nothing is due or everything that may run at once does. */
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
    /** Something of that kind was committed: delivers it now. */
    wake(kind: Kind) {
      if (carriers[kind]) void look(kind)
    },

    /**
     * Looks for what is due from now on, each second. `isAlone`: nobody else delivers from this database, so what is leased was
     * left by a process that died, and need not wait for the end of its lease.
     */
    async start(isAlone = false): Promise<void> {
      if (isAlone) await store.endLeases(now())
      timer ??= setInterval(() => kinds.forEach((kind) => void look(kind)), lookEveryMs).unref()
    },

    /** Starts nothing more, and waits for what is on its way, for `patienceMs` at most. */
    async stop(patienceMs = 5000): Promise<void> {
      stopped = true
      if (timer) clearInterval(timer)
      await Promise.race([Promise.all(running), Bun.sleep(patienceMs)])
      for (const kind of kinds) carriers[kind]?.close?.()
    },

    /** Resolves once nothing is on its way: for tests and commands. */
    async idle(): Promise<void> {
      while (running.size > 0 || looking.size > 0) await (running.size > 0 ? Promise.race(running) : Bun.sleep(1))
    },
  }
}
