import type { AuditEntry } from '../audit/store.ts'
import type { NoticeInContext } from '../moderation/store.ts'
import type { Hiding, Role } from '../profile/store.ts'
import type { Range, Standing } from './rules.ts'

/** An account as admins see it in lists. */
export type PersonInList = {
  id: string
  name: string | null
  email: string | null
  phone: string | null
  role: Role
  suspended_until: number | null
  created_at: number
}

export type PeopleFilter = {
  /** Where to look; without any, everywhere. */
  ranges: readonly Range[]
  standing?: Standing
  role?: Role
  now: number
}

/** A position in a list: the range, the key in it, and the person's id. */
export type PlaceInList = { range: number; key: string; id: string }

export const personCounts = [
  'reports',
  'open_reports',
  'review_reports',
  'open_review_reports',
  'blocks',
  'messages',
] as const

/** The record of a person, without the sessions. */
export type PersonRecord = PersonInList & {
  email_verified_at: number | null
  /** The language of their app. */
  language: string
  suspended_reason: string | null
  hidden: Hiding | null
  /** Strikes of decisions since `strikesSince` that no appeal has overturned. */
  strikes: number
  /**
   * `reports` are about them or what they wrote, `review_reports` those of them about reviews, without reviews of the reader.
   * `blocks` is how many people have blocked them. Each is at most 1,000. `messages` are those that they have sent, among at
   * most 10,000 messages of their chats.
   */
  counts: Record<(typeof personCounts)[number], number>
  /** The newest ones, without those about a review of the reader. */
  decisions: NoticeInContext[]
}

export type PeopleStore = {
  /**
   * Accounts that are not erased, each with its place. Sorted by range and key, but newest first without ranges, or with a filter
   * for suspended accounts or a role.
   */
  search(
    filter: PeopleFilter,
    limit: number,
    after: PlaceInList | null,
  ): Promise<(PersonInList & { place: PlaceInList })[]>
  /** Null if the account is erased or never was. `reader` is null for the operator. */
  record(id: string, reader: string | null, strikesSince: number): Promise<PersonRecord | null>
  /** Ends all sessions of an account. Returns their ids, or null if the account is erased or never was. */
  endSessions(id: string, audit: AuditEntry): Promise<string[] | null>
}
