import type { Mail } from './mail/mails.ts'
import type { GrantToRevoke } from './oidc/carrier.ts'
import { type ChannelKind, channelKinds } from './push.ts'
import type { BotMessage } from './telegram/messages.ts'
import type { Webhook } from './webhook/webhooks.ts'

/** An event that may cause a notification. It contains ids only; the content is read when it is sent. */
export type Occasion =
  | { about: 'message' | 'chat'; chat_id: string }
  | { about: 'review'; review_id: string }
  | { about: 'notice'; notice_id: string }
  | { about: 'report' }

/** The kinds of deliveries, with what a parcel of each kind contains. */
export type Payloads = {
  mail: Mail
  webhook: Webhook
  bot: BotMessage
  /** A decision of moderation that takes effect when the parcel is due; until then it can be taken back. */
  decision: { about: 'decision'; report_id: string; pending_id: string }
  oidc_revoke: GrantToRevoke
  /** Decided when it is due: whether anything is shown, and where. */
  notification: Occasion
} & { [K in ChannelKind]: (Occasion | { about: 'test' }) & { channel_id: string } }
export type Kind = keyof Payloads
export const outboxKinds = [
  'mail',
  'webhook',
  'bot',
  'decision',
  'oidc_revoke',
  'notification',
  ...channelKinds,
] as const satisfies readonly Kind[]
/** The kinds whose parcels may have an order. */
export const orderedKinds: ReadonlySet<Kind> = new Set<Kind>(['webhook'])

/** Something that leaves the server later. */
export type NewParcel<K extends Kind = Kind> = {
  id: string
  kind: K
  /** The user it concerns, whose erasure removes it. Null if it outlives the account. */
  user_id: string | null
  payload: Payloads[K]
  created_at: number
  /** The earliest time of delivery. */
  due_at: number
  /**
   * At most one parcel waits for a slot. Adding another one changes the first: it counts as made now, and is due at the earlier
   * of both times or, if it is being delivered now, again afterwards. After a failure it is due when it was to be retried.
   */
  slot?: string
  /** The provider, for a kind with several. One that is down does not delay other lanes. */
  lane?: string | null
  /** For an ordered kind: parcels with the same key are delivered one after another, in the order of their commits. */
  ordered_by?: string
}

export type Parcel<K extends Kind = Kind> = Omit<NewParcel<K>, 'slot' | 'lane'> & {
  lane?: string | null
  /** How many deliveries have failed. */
  attempts: number
  last_error: string | null
}

/** The number of waiting parcels of a kind, and when the oldest was made, or last asked for by its slot. */
export type Waiting = { kind: Kind; count: number; oldest: number }

/** Parcels that are not leased now. */
export type Except = { ids: readonly string[]; lanes: readonly string[]; others: boolean }

/** One durable queue for everything that leaves the server. Rows are written in the transaction that causes them. */
export type OutboxStore = {
  add(parcels: readonly NewParcel[]): Promise<void>
  /**
   * Leases up to `limit` due parcels of a kind to a node, oldest first, except those named in `ids`, of all lanes except those
   * named and, with `others`, except all that begin with `otherLane`; of parcels with the same `ordered_by` only the first. No
   * other node can lease them until `until`. If the node dies, its leases end then, so a parcel can be delivered twice.
   */
  lease<K extends Kind>(
    kind: K,
    node: string,
    now: number,
    until: number,
    limit: number,
    except?: Except,
  ): Promise<Parcel<K>[]>
  /** Ends all leases: for a server that starts as the only one on its database. Returns how many. */
  endLeases(now: number): Promise<number>
  /**
   * Removes a parcel that this node has leased and delivered or given up. If its slot was used again meanwhile, it becomes due
   * again instead. Changes nothing if another node has leased it meanwhile: that one decides.
   */
  remove(id: string, node: string): Promise<void>
  /**
   * Removes a parcel that this node has leased and adds those that follow from it, atomically. Returns false and changes
   * nothing if another node has leased it meanwhile.
   */
  replace(id: string, node: string, parcels: readonly NewParcel[]): Promise<boolean>
  /** Postpones a parcel after a failure, or without one (`error` null), unless another node has leased it meanwhile. */
  postpone(id: string, node: string, dueAt: number, error: string | null): Promise<void>
  /** Postpones up to `limit` due parcels of a lane to `until`, without counting a failure. Returns how many. */
  pauseLane(kind: Kind, lane: string, now: number, until: number, limit: number): Promise<number>
  /** Removes up to `limit` parcels of a kind that were made before `before` and are not leased. Returns how many. */
  removeOld(kind: Kind, before: number, now: number, limit: number): Promise<number>
  waiting(): Promise<Waiting[]>
  /** The parcels that concern a user, oldest first. */
  ofUser(userId: string): Promise<Parcel[]>
  /** A page for operators, oldest first. */
  list(kind: Kind | null, limit: number): Promise<Parcel[]>
  /** Makes parcels due now that no node is delivering: one, or all of a kind. Returns how many. */
  retry(which: { id: string; kind?: Kind } | { kind: Kind }, now: number): Promise<number>
  /** Removes parcels undelivered: one, or all of a kind. Returns how many. */
  drop(which: { id: string } | { kind: Kind }): Promise<number>
}
