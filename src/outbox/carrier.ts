import { days } from '../lib/time.ts'
import type { Kind, Parcel } from './store.ts'

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
    /** Whether nothing else of its lane may be sent before that time either. */
    readonly isForAll = false,
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
   * The same limit for each lane, that is each provider, and for all lanes together that users have named. After several
   * failures in a row, a lane pauses and is then tried with a single parcel (a circuit breaker).
   */
  perLane?: number
  /** How long delivery is attempted before the parcel is dropped. */
  patienceMs: number
  /**
   * Throws Undeliverable if another attempt is useless, TryLater if the receiver named a time, and anything else for a
   * transient failure. Operators see the error's message: it must hold no address, text or token. Resolves to `replaced` if it
   * has called `OutboxStore.replace`, after which the row, if there is one, belongs to a later delivery.
   */
  deliver(parcel: Parcel<K>): Promise<void | NotSent | 'replaced'>
  /** Closes its connections when nothing is being delivered. */
  close?(): void
}

export type Carriers = { [K in Kind]?: Carrier<K> }

/** How long delivery of each kind is attempted before a parcel is dropped. A decision waits until it takes effect. */
export const patienceOf: Readonly<Record<Kind, number>> = {
  ...{ mail: days, webhook: 3 * days, bot: days, decision: Infinity, oidc_revoke: 7 * days },
  ...{ notification: days, webpush: days, fcm: days, apns: days, telegram: days },
}
