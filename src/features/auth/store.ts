import type { NewParcel } from '../../outbox/store.ts'
import type { EmailWebhooks, Freed, Welcome } from '../email/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { Subject } from '../identities/store.ts'
import type { PasskeyUse } from '../passkeys/store.ts'
import type { Gender } from '../profile/store.ts'
import type { Admission, RegistrationRefusal } from '../registration/rules.ts'

export const consentKinds = ['terms', 'privacy', 'disclaimer', 'marketing'] as const
export type ConsentKind = (typeof consentKinds)[number]

export type Consent = {
  id: string
  user_id: string
  kind: ConsentKind
  accepted: boolean
  /** The version and SHA-256 of the text that the user agreed to. */
  version: string
  text_hash: string
  recorded_at: number
  user_agent: string | null
  /** Truncated network address. */
  address: string | null
}

export type NewAccount = {
  id: string
  email: string | null
  phone: string | null
  messenger_id: string | null
  password_hash: string | null
  name: string
  city: string | null
  bio: string | null
  gender: Gender | null
  photo: string | null
  language: string
  created_at: number
  /** Decides, in the transaction that creates the account, whether it may be created, and counts the use of its invite. */
  admission: Admission
}

/** What a login reads of an account. */
export type Credentials = {
  user_id: string
  messenger_id: string | null
  password_hash: string | null
  suspended_until: number | null
  suspended_reason: string | null
}

export type AccountStore = {
  /**
   * Stores account, preferences and consents in one step, with the first session, the audit entry, the link and mail that
   * verify the address, and the webhooks if they are given. Stores nothing if an address or number is taken. An account
   * that may lose its address (`email/rules.ts`) loses it to this one; `told` makes the webhooks about that account.
   */
  register(
    account: NewAccount,
    consents: readonly Consent[],
    begun?: {
      session: Session
      audit: AuditEntry
      welcome: Welcome | null
      webhooks?: readonly NewParcel<'webhook'>[]
      told?: EmailWebhooks
    },
  ): Promise<Freed | 'email_taken' | 'phone_taken' | RegistrationRefusal>
  /** Whether an account has that address and keeps it (`email/rules.ts`), so that no other can register it. */
  keepsAddress(email: string, now: number): Promise<boolean>
  /**
   * The account with that messenger id: an existing one, or else this new one, if it is admitted, with the webhooks about
   * it.
   */
  ensureMessengerAccount(
    account: NewAccount & { messenger_id: string },
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<{ user_id: string; created: boolean } | RegistrationRefusal>
  /**
   * Creates an account that signs in with a subject of an OIDC provider, and its consents, if it is admitted. It gets that
   * address, verified, unless another account has and keeps it. Returns null and stores nothing if the subject is linked
   * already.
   */
  registerSubject(
    account: NewAccount,
    subject: Subject,
    consents: readonly Consent[],
    webhooks?: readonly NewParcel<'webhook'>[],
    told?: EmailWebhooks,
  ): Promise<({ user_id: string; identity_id: string } & Freed) | RegistrationRefusal | null>
  /** Null for erased accounts. */
  credentials(
    by: { email: string } | { phone: string } | { messenger_id: string } | { user_id: string },
  ): Promise<Credentials | null>
  /** Replaces one hash by another; false if it is no longer the one that the password was checked against. */
  replacePasswordHash(userId: string, from: string, to: string): Promise<boolean>
  /**
   * The same, and ends all sessions but one. Returns the ids of the ended sessions, or null if that one has ended or the
   * stored hash is no longer `from` (null for an account without a password). The mails go into the outbox; a pending change
   * of address is cancelled, and links for a new password end.
   */
  changePassword(
    userId: string,
    from: string | null,
    to: string,
    sessions: { keep: string; now: number },
    mails?: readonly NewParcel<'mail'>[],
  ): Promise<string[] | null>
  /**
   * Adds the entries that change something (`repeats`), and shows or hides the position by the rules of `auth/rules.ts`
   * and `location/rules.ts`. Returns the added entries. Returns null and records nothing if the account is erased.
   */
  recordConsents(userId: string, consents: readonly Consent[]): Promise<Consent[] | null>
  /** The newest entry of each kind. */
  consents(userId: string): Promise<Consent[]>
}

export type Session = {
  id: string
  user_id: string
  /** How often the refresh token was rotated; the token of each generation is derived, so none is stored. */
  generation: number
  /** When this generation began. */
  rotated_at: number
  created_at: number
  last_used_at: number
  user_agent: string | null
  ended_at: number | null
  /** When the session was opened, or last confirmed, with a passkey. */
  passkey_at: number | null
}

/** Names a session of a user. */
export type SessionOfUser = Pick<Session, 'id' | 'user_id'>

/** A session with the facts that decide whether its user may act. */
export type SessionWithUser = Session & {
  suspended_until: number | null
  suspended_reason: string | null
  email: string | null
  email_verified_at: number | null
}

/** How a user has proven their identity: checked again when the session is stored. */
export type LoginMethod =
  | { kind: 'password'; password_hash: string }
  | { kind: 'messenger'; messenger_id: string }
  | { kind: 'oidc'; identity_id: string }
  | ({ kind: 'passkey' } & PasskeyUse)

/** The data that are checked and stored together with a session. */
export type WithSession = { loginMethod?: LoginMethod; audit?: AuditEntry; newDeviceMail?: NewParcel<'mail'> }

export type SessionStore = {
  /**
   * Stores a session and its audit entry, and records the use of the credential. Returns false and stores nothing if the
   * account is erased or no longer has the credential, because the password or identity changed while it was checked. A
   * passkey is refused if its challenge was used before or its counter did not rise; this marks the challenge as used.
   */
  create(session: Session, with_?: WithSession): Promise<boolean>
  /** Null for an unknown session, or if its user is erased. */
  byId(id: string): Promise<SessionWithUser | null>
  /** Which of these sessions (a few hundred at most) have not ended and belong to a user who is not erased. */
  lasting(
    sessions: readonly Pick<Session, 'id' | 'user_id'>[],
  ): Promise<Pick<SessionWithUser, 'id' | 'suspended_until'>[]>
  /**
   * Moves a live session from one generation to another. False if a concurrent request did so first, or the session has
   * ended.
   */
  rotate(id: string, from: number, to: number, now: number): Promise<boolean>
  /** A user's live sessions that began and were last used after these times, newest first. */
  live(
    userId: string,
    after: { began: number; lastUsed: number },
    page: { limit: number; after: { created_at: number; id: string } | null },
  ): Promise<Session[]>
  /** Ends one session. False if it belongs to another user or has already ended. */
  end(userId: string, id: string, now: number): Promise<boolean>
  /** Ends all sessions of a user but one; returns their ids. */
  endAll(userId: string, now: number, except?: string): Promise<string[]>
}
