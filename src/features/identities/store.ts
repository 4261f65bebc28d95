import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { SessionOfUser } from '../auth/store.ts'
import type { Addressee } from '../email/store.ts'
import type { Configured } from './rules.ts'

export type IdentityKind = 'password' | 'messenger' | 'oidc' | 'passkey'

/** A way to sign in to an account. */
export type Identity = {
  id: string
  kind: IdentityKind
  /** The name of an OIDC provider in the settings. */
  provider: string | null
  /** The user's id at the messenger or the provider. */
  subject: string | null
  /** The name that its owner gave a passkey. */
  label?: string
  created_at: number
  /** Null if no use has been recorded. */
  last_used_at: number | null
}

/** A user whom an OIDC provider has authenticated. */
export type Subject = {
  /** The id of the identity that is created with it. */
  id: string
  provider: string
  issuer: string
  subject: string
  /** The encrypted token that revokes the provider's grant when the account ends; null if there is none. */
  grant: { client_id: string; token: string } | null
}

/** The audit entry and the mails that are stored with a change. */
export type ChangeRecords = { audit: AuditEntry; mails: readonly NewParcel<'mail'>[] }

/** The result of linking; null if the session has ended, or its account is erased. `other`: the account has another identity of that kind. */
export type Linked = { identity: Identity; outcome: 'linked' | 'known' } | 'taken' | 'other' | null

export type IdentityStore = {
  /** Oldest first. */
  ofUser(userId: string): Promise<Identity[]>
  /** Whether `find` would find an account. Changes nothing. */
  isKnown(subject: Pick<Subject, 'issuer' | 'subject'>, email: string | null): Promise<boolean>
  /**
   * The account that a subject signs in to; null if there is none. It is the one that the subject is linked with, or else the
   * one whose verified address is `email`, with which it is linked then. The provider has verified `email` too, unless it is
   * null. A suspended account is found but not linked.
   */
  find(
    subject: Subject,
    email: string | null,
    now: number,
    records: (to: Addressee) => ChangeRecords,
  ): Promise<{ user_id: string; identity_id: string } | null>
  linkSubject(by: SessionOfUser, subject: Subject, now: number, records: ChangeRecords): Promise<Linked>
  linkMessenger(by: SessionOfUser, messengerId: string, now: number, records: ChangeRecords): Promise<Linked>
  /**
   * Removes a way to sign in, unless it is the last usable one (`removalVerdict`). Of two requests that remove the last two at
   * once, one is refused. Null if the account is erased.
   */
  remove(
    userId: string,
    id: string,
    configured: Configured,
    now: number,
    records: ChangeRecords,
  ): Promise<'removed' | 'not_found' | 'last_identity' | null>
}
