import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { SessionOfUser } from '../auth/store.ts'

export type Passkey = {
  id: string
  user_id: string
  /** The authenticator's id of the credential, as base64url. */
  credential_id: string
  /** A COSE key, as base64url. */
  public_key: string
  /** The authenticator's signature counter; always 0 for those that do not count. */
  counter: number
  /** How browsers reach the authenticator. */
  transports: string[]
  label: string
  created_at: number
  last_used_at: number | null
}

/** A challenge that is stored as used. */
export type UsedChallenge = { id: string; expires_at: number }

/** A verified use of a passkey, to store together with the session that it opens or confirms. */
export type PasskeyUse = { passkey_id: string; counter: number; challenge: UsedChallenge }

export type PasskeyStore = {
  byCredential(credentialId: string): Promise<Passkey | null>
  /** Oldest first. */
  ofUser(userId: string): Promise<Passkey[]>
  /**
   * Adds a passkey with its audit entry and mails, and marks the challenge as used. Returns null and does nothing if that
   * session has ended, or the account is erased.
   */
  add(
    passkey: Passkey,
    with_: { session_id: string; challenge: UsedChallenge; audit: AuditEntry; mails: readonly NewParcel<'mail'>[] },
  ): Promise<'added' | 'challenge_used' | 'taken' | 'too_many' | null>
  /**
   * Records in a session that a passkey has confirmed it. False if the challenge was used before, the counter did not rise,
   * the passkey is gone, or the session is over.
   */
  confirm(session: SessionOfUser, use: PasskeyUse, now: number, audit: AuditEntry): Promise<boolean>
  /** Removes up to `limit` challenges that would have expired by now. Returns how many. */
  removeOldChallenges(now: number, limit: number): Promise<number>
}
