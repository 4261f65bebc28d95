import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { Addressee } from '../email/store.ts'
import type { Configured } from './rules.ts'

export type IdentityKind = 'password' | 'messenger' | 'oidc' | 'passkey'

/** A way to sign in to an account. */
export type Identity = {
  id: string
  kind: IdentityKind
  /** Of OIDC, the provider's name in the settings. */
  provider: string | null
  /** The user's id at the messenger or the provider. */
  subject: string | null
  /** The name that its owner gave a passkey. */
  label?: string
  created_at: number
  /** Null if it has not been used since use is recorded. */
  last_used_at: number | null
}

/** A person that an OIDC provider vouches for. */
export type Subject = {
  /** Of the identity that is made with it. */
  id: string
  provider: string
  issuer: string
  subject: string
  /** What revokes the provider's grant when the account ends, encrypted; null if there is none. */
  grant: { client_id: string; token: string } | null
}

/** Stored together with a change. */
export type Told = { audit: AuditEntry; mails: readonly NewParcel<'mail'>[] }

/** What became of a link; null if the account is erased. `other`: the account has another one of that kind. */
export type Linked = { identity: Identity; outcome: 'linked' | 'known' } | 'taken' | 'other' | null

export type IdentityStore = {
  /** Oldest first. */
  ofUser(userId: string): Promise<Identity[]>
  /**
   * The account that a subject signs in to: the one it is linked with, or the one that has this address, verified, which it
   * is then linked with. `email` is one that the provider has verified too, or null. Null if there is no such account. A
   * suspended account is found, and not linked.
   */
  find(
    subject: Subject,
    email: string | null,
    now: number,
    told: (to: Addressee) => Told,
  ): Promise<{ user_id: string; identity_id: string } | null>
  linkSubject(userId: string, subject: Subject, now: number, told: Told): Promise<Linked>
  linkMessenger(userId: string, messengerId: string, now: number, told: Told): Promise<Linked>
  /**
   * Removes a way to sign in, unless it is the last one that works (`removalVerdict`): of two who remove the last two at
   * once, one is refused. Null if the account is erased.
   */
  remove(
    userId: string,
    id: string,
    configured: Configured,
    now: number,
    told: Told,
  ): Promise<'removed' | 'not_found' | 'last_identity' | null>
}
