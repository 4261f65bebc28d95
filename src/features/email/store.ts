import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { EmailLinkKind } from './rules.ts'

/** A one-time link. Its token is not stored, only the hash. */
export type EmailLink = {
  hash: string
  user_id: string
  kind: EmailLinkKind
  /** The address that the link verifies or restores; null if an operator hands it over, which verifies none. */
  email: string | null
  expires_at: number
  /** When a link was made that undoes the change of an address, if nobody had verified that address then; else null. */
  unverified_at: number | null
}

/** The recipient of a mail about an account. */
export type Addressee = { user_id: string; email: string; email_verified_at: number | null; language: string }

/** The link and the mail that go with a registration. */
export type Welcome = { link: EmailLink; mails: NewParcel<'mail'>[]; asked_at: number }

/** Makes the webhooks about a change. */
export type EmailWebhooks = (userId: string, field: 'email' | 'email_verified') => readonly NewParcel<'webhook'>[]

/**
 * An address is free. `lost_by` is the account that has lost it just now; null if nobody had it. Forget its callers, because
 * it has no address to verify any more.
 */
export type Freed = { lost_by: string | null }

/** The result of using a link. `ended` are the sessions that it ended. */
export type Used = { user_id: string; email: string; ended: string[] } & Freed

export type EmailStore = {
  /** The account with that address; null if there is none, or an erased one. */
  byEmail(email: string): Promise<Addressee | null>
  /** Null if the account is erased or has no address. */
  ofUser(userId: string): Promise<Addressee | null>
  /** The language of an account, which may have no address. */
  languageOf(userId: string): Promise<string>
  /**
   * Stores links and puts their mails into the outbox. A link replaces an older one of its kind, except `undo`. Returns false
   * and does nothing if the account is erased, or `session_id` is given and has ended.
   */
  issue(
    userId: string,
    links: readonly EmailLink[],
    mails: readonly NewParcel<'mail'>[],
    session_id?: string,
  ): Promise<boolean>
  /** Ends the link of a change of the address that was asked for and has not happened. */
  cancelChange(userId: string): Promise<void>
  /** Whether there is such a link, of that kind if one is given, and it has not expired. */
  isGood(hash: string, now: number, kind?: EmailLinkKind): Promise<boolean>
  /** Uses a `verify` or `change` link: the address is the account's, verified. Null: no such link. */
  verify(hash: string, now: number, audit: AuditEntry, webhooks?: EmailWebhooks): Promise<Used | 'email_taken' | null>
  /** Uses a `reset` link: the password is set, the link's address counts as verified, and every session ends. */
  reset(
    hash: string,
    passwordHash: string,
    now: number,
    audit: AuditEntry,
    mails: MailsTo,
    webhooks?: EmailWebhooks,
  ): Promise<Pick<Used, 'user_id' | 'ended'> | null>
  /** Uses an `undo` link: the old address is the account's again, and every session ends. */
  undo(hash: string, now: number, audit: AuditEntry, webhooks?: EmailWebhooks): Promise<Used | 'email_taken' | null>
  /** The links of a user, without their hashes. */
  linksOf(userId: string): Promise<Pick<EmailLink, 'kind' | 'email' | 'expires_at'>[]>
  /** Removes up to `limit` links that have expired. Returns how many. */
  removeExpired(now: number, limit: number): Promise<number>
}

/** Makes the mails that go with a change, once their addressee is known. */
type MailsTo = (to: Addressee) => NewParcel<'mail'>[]
