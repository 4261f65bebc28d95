import type { Logger } from 'pino'
import { hours, minutes, seconds } from '../lib/time.ts'
import { type Carrier, type Carriers, type NotSent, patienceOf, TryLater, Undeliverable } from './carrier.ts'
import { otherLane } from './lanes.ts'
import type { Kind, OutboxStore, Parcel } from './store.ts'
import { messageOf } from '../lib/errors.ts'
import { Refusal } from '../lib/refusal.ts'
import { keysOf } from '../lib/record.ts'

/** The state of a provider, in this process. */
type Lane = { busy: number; failures: number; closedUntil: number }

/** A way out of the server, in this process. */
type Way = {
  kind: Kind
  carrier: Carrier<Kind>
  /** The ids of the parcels in progress, up to the stored outcome. If the clock jumps ahead, their leases seem to have ended. */
  inProgress: Set<string>
  lanes: Map<string, Lane>
  /** Whether it looks for due parcels now, and whether it has to look again afterwards. */
  looks: 'no' | 'once' | 'again'
}

type Outcome = 'sent' | 'withheld' | 'failed' | 'given_up'

/** A node that does not report back within this time counts as dead, and another one delivers. */
const leaseMs = 2 * minutes
// Most parcels are announced by `wake`. Polling finds those of a dead node, and those that have become due.
const lookEveryMs = seconds
const longestPauseMs = hours
const storeAgainMs = 500
// A lane closes after this many failures in a row, for a second at first.
const failuresToClose = 5
const longestCloseMs = minutes
// Hosts of Web Push are named by clients.
const mostLanes = 1000
// Of the lanes that users have named, one with this many parcels on their way lets others go first.
const perOtherLane = 2
// How many parcels one statement postpones: some milliseconds of work.
const batch = 1000

/**
 * Delivers the parcels in the outbox. Each kind has its own loop, so that a receiver that hangs does not delay other kinds. A
 * failed parcel is retried with exponential backoff and full jitter, so that parcels that failed together are not retried
 * together.
 */
export function openDelivery({
  store,
  carriers,
  node,
  log,
  onOutcome = () => {},
  around = (_, deliver) => deliver(),
  now,
  random = Math.random,
}: {
  store: OutboxStore
  carriers: Carriers
  /** The id of this process. */
  node: string
  log: Logger
  onOutcome?: (kind: Kind, outcome: Outcome) => void
  /** Runs each delivery: for traces. */
  around?: <T>(kind: Kind, deliver: () => Promise<T>) => Promise<T>
  now: () => number
  random?: () => number
}) {
  const ways = new Map<Kind, Way>()
  for (const kind of keysOf(carriers)) {
    const carrier = carriers[kind]
    if (carrier) ways.set(kind, { kind, carrier, inProgress: new Set(), lanes: new Map(), looks: 'no' })
  }
  const running = new Set<Promise<void>>()
  let timer: Timer | null = null
  let stopped = false

  function nextPause(attempts: number): number {
    return Math.round(random() * Math.min(longestPauseMs, 5 * seconds * 2 ** attempts)) + seconds
  }

  const laneOf = (parcel: Parcel) => parcel.lane ?? ''
  const isOther = (lane: string) => lane.startsWith(otherLane)

  /** The lanes that take no other parcel now, and how many parcels may leave, whichever of the others they belong to. */
  function roomOf({ carrier: { atOnce, perLane }, inProgress, lanes }: Way) {
    const closed: string[] = []
    const ids = [...inProgress]
    let room = atOnce - ids.length
    if (perLane === undefined) {
      for (const [name, { closedUntil }] of lanes) if (closedUntil > now()) closed.push(name)
      return { room, except: { ids, lanes: closed, others: false } }
    }
    const busyOthers = [...lanes].reduce((sum, [name, { busy }]) => sum + (isOther(name) ? busy : 0), 0)
    const others = busyOthers >= perLane
    room = Math.min(room, others ? perLane : perLane - busyOthers)
    for (const [name, { busy, failures, closedUntil }] of lanes) {
      if (others && isOther(name)) continue
      const isSuspect = failures >= failuresToClose
      const most = isSuspect ? 1 : isOther(name) ? perOtherLane : perLane
      if (closedUntil > now() || busy >= most) closed.push(name)
      // A suspect lane is now open for one trial parcel (half-open).
      else if (isSuspect) room = Math.min(room, 1)
      else if (!isOther(name)) room = Math.min(room, perLane - busy)
    }
    return { room, except: { ids, lanes: closed, others } }
  }

  const hasOneLane = ({ carrier: { perLane, atOnce } }: Way) => perLane === undefined || perLane === atOnce

  function takeLane({ lanes }: Way, name: string) {
    const lane = lanes.get(name) ?? { busy: 0, failures: 0, closedUntil: 0 }
    lanes.set(name, lane)
    lane.busy++
    return lane
  }

  /** Sends nothing over a lane for a time. Its parcels are postponed in storage, so that finding others stays cheap. */
  async function closeLane(way: Way, name: string, pause: number): Promise<void> {
    const { kind } = way
    const lane = way.lanes.get(name)
    if (!lane) return
    const { failures } = lane
    if (lane.closedUntil <= now())
      log.warn({ kind, failures, pause_ms: pause }, 'a provider does not accept deliveries: waiting')
    lane.closedUntil = Math.max(lane.closedUntil, now() + pause)
    // A kind with one lane is not polled while that lane is closed.
    if (!hasOneLane(way)) await inBatches((limit) => store.pauseLane(kind, name, now(), lane.closedUntil, limit))
  }

  /** Records whether the provider answered. */
  async function noteLane(way: Way, name: string, hasFailed: boolean): Promise<void> {
    const { kind, carrier } = way
    const lane = way.lanes.get(name)
    if (carrier.perLane === undefined || !lane) return
    lane.failures = hasFailed ? lane.failures + 1 : 0
    if (lane.failures < failuresToClose || lane.closedUntil > now()) return
    const pause = Math.min(longestCloseMs, seconds * 2 ** (lane.failures - failuresToClose))
    await closeLane(way, name, pause)
    if (pause < longestCloseMs) return
    // Only some of them are retried meanwhile, so expired ones are removed here.
    await giveUpOlderThan(kind, carrier.patienceMs)
  }

  /** Returns how many parcels were given up. */
  async function giveUpOlderThan(kind: Kind, patienceMs: number): Promise<number> {
    let count = 0
    await inBatches(async (limit) => {
      const old = await store.removeOld(kind, now() - patienceMs, now(), limit)
      for (let i = 0; i < old; i++) onOutcome(kind, 'given_up')
      count += old
      return old
    })
    return count
  }

  async function inBatches(work: (limit: number) => Promise<number>) {
    while ((await work(batch)) === batch);
  }

  /** Stores an outcome, and tries again while the database is away: otherwise the parcel would be delivered once more. */
  async function stored(store: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await store()
      } catch (error) {
        if (stopped || !(error instanceof Refusal)) throw error
        await Bun.sleep(storeAgainMs)
      }
    }
  }

  async function attempt(way: Way, parcel: Parcel): Promise<void> {
    const { kind, carrier } = way
    let notSent: void | NotSent | 'replaced'
    try {
      notSent = await around(kind, () => carrier.deliver(parcel))
    } catch (error) {
      // A provider that names a time or refuses is reachable.
      if (!(error instanceof TryLater)) await noteLane(way, laneOf(parcel), !(error instanceof Undeliverable))
      else if (error.isForAll) await closeLane(way, laneOf(parcel), error.afterMs)
      const message = messageOf(error)
      const pause = error instanceof TryLater ? error.afterMs : nextPause(parcel.attempts)
      const isOver = error instanceof Undeliverable || now() + pause > parcel.created_at + carrier.patienceMs
      if (!isOver) {
        const dueAt = now() + pause
        await stored(() => store.postpone(parcel.id, node, dueAt, message))
        onOutcome(kind, 'failed')
        return
      }
      log.warn({ kind, parcel: parcel.id, attempts: parcel.attempts + 1, reason: message }, 'a delivery was given up')
      await stored(() => store.remove(parcel.id, node))
      onOutcome(kind, 'given_up')
      return
    }
    if (typeof notSent === 'object') return stored(() => store.postpone(parcel.id, node, notSent.dueAt, null))
    // A withheld parcel says nothing about the provider.
    if (notSent === undefined) await noteLane(way, laneOf(parcel), false)
    if (notSent !== 'replaced') await stored(() => store.remove(parcel.id, node))
    onOutcome(kind, notSent === 'withheld' ? 'withheld' : 'sent')
  }

  /** Starts delivery of due parcels until none is due or the concurrency limit is reached. */
  async function look(way: Way): Promise<void> {
    if (stopped) return
    if (way.looks !== 'no') {
      way.looks = 'again'
      return
    }
    way.looks = 'once'
    const { kind, carrier, lanes } = way
    try {
      const free = carrier.atOnce - way.inProgress.size
      const { room, except } = roomOf(way)
      if (except.lanes.length > 0 && hasOneLane(way)) return
      const parcels = room > 0 ? await store.lease(kind, node, now(), now() + leaseMs, room, except) : []
      if (parcels.length === room && room < free) way.looks = 'again'
      for (const parcel of parcels) {
        const lane = takeLane(way, laneOf(parcel))
        way.inProgress.add(parcel.id)
        const delivery: Promise<void> = attempt(way, parcel)
          .catch((error) => log.error({ err: error, kind }, 'the outcome of a delivery could not be stored'))
          .finally(() => {
            running.delete(delivery)
            way.inProgress.delete(parcel.id)
            lane.busy--
            const isFit = lane.failures === 0 && lane.closedUntil <= now()
            if (lane.busy === 0 && (isFit || lanes.size > mostLanes)) lanes.delete(laneOf(parcel))
            void look(way)
          })
        running.add(delivery)
      }
    } catch (error) {
      log.error({ err: error, kind }, 'the outbox could not be read')
    } finally {
      const again = way.looks === 'again'
      way.looks = 'no'
      if (again) void look(way)
    }
  }

  return {
    /** Call after a parcel of that kind is committed: delivers it now. */
    wake(kind: Kind) {
      const way = ways.get(kind)
      if (way) void look(way)
    },

    /**
     * Starts polling for due parcels every second. `isAlone`: no other process delivers from this database, so existing
     * leases are left over from a dead process and end at once.
     */
    async start(isAlone = false): Promise<void> {
      if (isAlone) await store.endLeases(now())
      timer ??= setInterval(() => ways.forEach((way) => void look(way)), lookEveryMs).unref()
    },

    /** Gives up expired parcels that nothing delivers, because the setting of their kind was removed. Returns how many. */
    async giveUpUndeliverable(): Promise<number> {
      let sum = 0
      for (const kind of keysOf(patienceOf)) {
        if (ways.has(kind) || patienceOf[kind] === Infinity) continue
        const count = await giveUpOlderThan(kind, patienceOf[kind])
        if (count > 0) log.warn({ kind, count }, 'deliveries were given up: the settings that they need are missing')
        sum += count
      }
      return sum
    },

    /** Starts no more deliveries, and waits up to `patienceMs` for those in progress. */
    async stop(patienceMs = 5000): Promise<void> {
      stopped = true
      if (timer) clearInterval(timer)
      await Promise.race([Promise.all(running), Bun.sleep(patienceMs)])
      for (const { carrier } of ways.values()) carrier.close?.()
    },

    /** Resolves when no delivery is in progress. For tests and commands. */
    async idle(): Promise<void> {
      const isLooking = () => ways.values().some(({ looks }) => looks !== 'no')
      while (running.size > 0 || isLooking()) await (running.size > 0 ? Promise.race(running) : Bun.sleep(1))
    },
  }
}
