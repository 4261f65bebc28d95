import type { Mail } from './mail/mails.ts'
import type { GrantToRevoke } from './oidc/carrier.ts'

/** The ways out of the server, with what a parcel of each holds. */
export type Payloads = { mail: Mail; oidc_revoke: GrantToRevoke }
export type Kind = keyof Payloads
export const outboxKinds: readonly Kind[] = ['mail', 'oidc_revoke']

/** Something that leaves the server later. */
export type NewParcel<K extends Kind = Kind> = {
  id: string
  kind: K
  /** Whom it concerns; their erasure removes it. Null where it outlives the account. */
  user_id: string | null
  payload: Payloads[K]
  created_at: number
  /** Not before. */
  due_at: number
}

export type Parcel<K extends Kind = Kind> = NewParcel<K> & {
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
   * Takes up to `limit` due parcels of a kind for a node, oldest first. Until `until` no other node takes them; a node that
   * dies meanwhile loses them then, which is how a parcel can be delivered twice.
   */
  lease<K extends Kind>(kind: K, node: string, now: number, until: number, limit: number): Promise<Parcel<K>[]>
  /** Removes a parcel that was delivered or given up. */
  remove(id: string): Promise<void>
  /** Puts a parcel back after a failure, unless another node has taken it meanwhile. */
  postpone(id: string, node: string, dueAt: number, error: string): Promise<void>
  waiting(): Promise<Waiting[]>
  /** What concerns a user, oldest first. */
  ofUser(userId: string): Promise<Parcel[]>
  /** A page for operators, oldest first. */
  list(kind: Kind | null, limit: number): Promise<Parcel[]>
  /** Makes parcels due now that no node is delivering: one, or all of a kind. Returns how many. */
  retry(which: { id: string } | { kind: Kind }, now: number): Promise<number>
  /** Removes parcels undelivered: one, or all of a kind. Returns how many. */
  drop(which: { id: string } | { kind: Kind }): Promise<number>
}
