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
  /** Where to look; everybody where there are none. */
  ranges: readonly Range[]
  standing?: Standing
  role?: Role
  now: number
}

/** A place in a list: the range, the key in it, and the person with it. */
export type PlaceInList = { range: number; key: string; id: string }

export const personCounts = [
  'reports',
  'open_reports',
  'review_reports',
  'open_review_reports',
  'blocks',
  'messages',
] as const

/** What a record shows of somebody, besides the sessions. */
export type PersonRecord = PersonInList & {
  email_verified_at: number | null
  /** Of their app. */
  language: string
  suspended_reason: string | null
  hidden: Hiding | null
  /** Of decisions since then that no appeal has overturned. */
  strikes: number
  /**
   * `reports` are about them or what they wrote, `review_reports` of those the ones about reviews: without reviews of the
   * reader. `blocks` is how many people have blocked them. Each 1,000 at most; `messages` are those that they have sent among
   * 10,000 of their chats.
   */
  counts: Record<(typeof personCounts)[number], number>
  /** The newest ones, without those on a review of the reader. */
  decisions: NoticeInContext[]
}

export type PeopleStore = {
  /**
   * Living accounts, each with its place. Without a filter for the suspended or for a role, ranges come one after the other,
   * each in the order of its keys; otherwise, and where there are no ranges, newest first.
   */
  search(
    filter: PeopleFilter,
    limit: number,
    after: PlaceInList | null,
  ): Promise<(PersonInList & { place: PlaceInList })[]>
  /** Null if the account is erased or never was. `reader` is null for the operator. */
  record(id: string, reader: string | null, strikesSince: number): Promise<PersonRecord | null>
  /** Ends all sessions of a living account; answers the ids of those ended, or null if there is no such account. */
  endSessions(id: string, audit: AuditEntry): Promise<string[] | null>
}
