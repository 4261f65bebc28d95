import type { Mail } from './mail/mails.ts'
import type { GrantToRevoke } from './oidc/carrier.ts'
import { type ChannelKind, channelKinds } from './push.ts'
import type { BotMessage } from './telegram/messages.ts'
import type { Webhook } from './webhook/webhooks.ts'

/** What somebody may have to be told of, by ids alone: what is shown is read when it is sent. */
export type Occasion =
  | { about: 'message' | 'chat'; chat_id: string }
  | { about: 'review'; review_id: string }
  | { about: 'notice'; notice_id: string }
  | { about: 'report' }

/** The ways out of the server, with what a parcel of each holds. */
export type Payloads = {
  mail: Mail
  webhook: Webhook
  bot: BotMessage
  /** A decision of moderation that could be taken back until now. */
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
/** Those whose parcels may have an order. */
export const orderedKinds: ReadonlySet<Kind> = new Set<Kind>(['webhook'])

/** Something that leaves the server later. */
export type NewParcel<K extends Kind = Kind> = {
  id: string
  kind: K
  /** Whom it concerns; their erasure removes it. Null if it outlives the account. */
  user_id: string | null
  payload: Payloads[K]
  created_at: number
  /** Not before. */
  due_at: number
  /**
   * One parcel at most waits for a slot. Adding another one changes the first: it is due when the earlier of the two is,
   * or, if it is being delivered now, once more afterwards.
   */
  slot?: string
  /** The provider, of a kind with several. One that is down holds up no other lane. */
  lane?: string | null
  /** Of an ordered kind: parcels with the same key are delivered one after another, in the order of their commits. */
  ordered_by?: string
}

export type Parcel<K extends Kind = Kind> = Omit<NewParcel<K>, 'slot' | 'lane'> & {
  lane?: string | null
  /** How many deliveries have failed. */
  attempts: number
  last_error: string | null
}

/** What waits, by kind. Times are milliseconds. */
export type Waiting = { kind: Kind; count: number; oldest: number }

/** One durable queue for everything that leaves the server. Rows are written in the transaction that causes them. */
export type OutboxStore = {
  add(parcels: readonly NewParcel[]): Promise<void>
  /**
   * Takes up to `limit` due parcels of a kind for a node, oldest first, of any lane but those; of those with the same
   * `ordered_by` only the first. Until `until` no other node takes them; a node that dies meanwhile loses them then, which is
   * how a parcel can be delivered twice.
   */
  lease<K extends Kind>(
    kind: K,
    node: string,
    now: number,
    until: number,
    limit: number,
    exceptLanes?: readonly string[],
  ): Promise<Parcel<K>[]>
  /** Makes due what any node has leased: for a server that starts as the only one over its database. Returns how many. */
  endLeases(now: number): Promise<number>
  /** Removes a parcel that was delivered or given up, unless its slot was asked for again meanwhile: then it is due again. */
  remove(id: string): Promise<void>
  /**
   * Removes a parcel that this node has leased and adds what follows from it, in one step. False, and nothing, if another
   * node has taken it meanwhile.
   */
  replace(id: string, node: string, parcels: readonly NewParcel[]): Promise<boolean>
  /** Puts a parcel back after a failure, or until its time comes (`error` null), unless another node has taken it meanwhile. */
  postpone(id: string, node: string, dueAt: number, error: string | null): Promise<void>
  /** Lets up to `limit` due parcels of a lane wait until then, without a failure of their own. Returns how many. */
  pauseLane(kind: Kind, lane: string, now: number, until: number, limit: number): Promise<number>
  /** Removes up to `limit` parcels of a kind that nobody delivers and that were made before then. Returns how many. */
  removeOld(kind: Kind, before: number, now: number, limit: number): Promise<number>
  waiting(): Promise<Waiting[]>
  /** What concerns a user, oldest first. */
  ofUser(userId: string): Promise<Parcel[]>
  /** A page for operators, oldest first. */
  list(kind: Kind | null, limit: number): Promise<Parcel[]>
  /** Makes parcels due now that no node is delivering: one, or all of a kind. Returns how many. */
  retry(which: { id: string; kind?: Kind } | { kind: Kind }, now: number): Promise<number>
  /** Removes parcels undelivered: one, or all of a kind. Returns how many. */
  drop(which: { id: string } | { kind: Kind }): Promise<number>
}
