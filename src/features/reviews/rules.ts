import { days } from '../../lib/time.ts'
export type ReviewRefusal = 'blocked' | 'review_exists' | 'gone' | 'awaiting_reply'

/** What the two of a chat are to each other when one of them writes a review. */
export type ReviewState = {
  blocked: boolean
  /** One that does not show yet counts too. */
  hasReview: boolean
  /** Whether the accounts of both are there. */
  bothLiving: boolean
  /** Whether both have ever written in the chat; what was deleted since counts. */
  bothWrote: boolean
}

/** Why a member of a chat may not review the other one; null if they may. */
export function reviewVerdict({ blocked, hasReview, bothLiving, bothWrote }: ReviewState): ReviewRefusal | null {
  if (blocked) return 'blocked'
  if (hasReview) return 'review_exists'
  if (!bothLiving) return 'gone'
  if (!bothWrote) return 'awaiting_reply'
  return null
}

/**
 * The average of so many ratings, to two decimals, half up; null of none. Counted in whole hundredths, as what has two
 * decimals is no binary fraction.
 */
export const averageRating = (sum: number, count: number): number | null =>
  count === 0 ? null : Math.floor((200 * sum + count) / (2 * count)) / 100

/** Of the time of an anonymous review, others see the day alone; and reviews are listed by day, so that none tells more. */
export const shownUnit = days

/** The number of the day on which a review was written. */
export const dayOf = (at: number): number => Math.floor(at / shownUnit)

/** The time of a review that others see. */
export const shownAt = ({ anonymous, created_at }: { anonymous: boolean; created_at: number }): number =>
  anonymous ? dayOf(created_at) * shownUnit : created_at

/**
 * When a review begins to show, in milliseconds; null for at once. `fraction` is a random number from 0 to below 1: an
 * anonymous review that showed when it was written would tell the reviewed user whom they had just met.
 */
export const appearsAt = (
  { anonymous, created_at }: { anonymous: boolean; created_at: number },
  delayMs: number,
  fraction: number,
): number | null => (anonymous && delayMs > 0 ? created_at + Math.floor(fraction * delayMs) : null)
