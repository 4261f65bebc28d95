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

/** One way out of the server. */
export type Carrier<K extends Kind> = {
  /** How many parcels are on their way at once. */
  atOnce: number
  /** How long a parcel is tried before it is given up. */
  patienceMs: number
  /**
   * Throws Undeliverable where another attempt is useless, TryLater where the receiver named a time, and anything else for
   * a failure that may pass. The message is kept and shown to operators: it holds no address, text or token.
   */
  deliver(parcel: Parcel<K>): Promise<void>
  /** Gives up its connections, once nothing is on its way. */
  close?(): void
}

export type Carriers = { [K in Kind]?: Carrier<K> }

type Outcome = 'sent' | 'failed' | 'given_up'

export type Delivery = ReturnType<typeof openDelivery>

/** A node that does not report back within this time is taken for dead, and another one delivers. */
const leaseMs = 2 * minutes
// Most parcels are announced by `wake`. This finds those of a node that died, and those whose time has come.
const lookEveryMs = seconds
const longestPauseMs = hours
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
  let timer: Timer | null = null
  let stopped = false

  function nextPause(attempts: number): number {
    return Math.round(random() * Math.min(longestPauseMs, 5 * seconds * 2 ** attempts)) + seconds
  }

  async function attempt(kind: Kind, parcel: Parcel): Promise<void> {
    const carrier = carriers[kind] as Carrier<Kind>
    try {
      await carrier.deliver(parcel)
    } catch (error) {
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
    await store.remove(parcel.id)
    onOutcome(kind, 'sent')
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
      const free = carriers[kind]!.atOnce - busy.get(kind)!
      const parcels = free > 0 ? await store.lease(kind, node, now(), now() + leaseMs, free) : []
      for (const parcel of parcels) {
        busy.set(kind, busy.get(kind)! + 1)
        const delivery: Promise<void> = attempt(kind, parcel)
          .catch((error) => log.error({ err: error, kind }, 'the outcome of a delivery could not be stored'))
          .finally(() => {
            running.delete(delivery)
            busy.set(kind, busy.get(kind)! - 1)
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

    /** Looks for what is due from now on, each second. */
    start() {
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
