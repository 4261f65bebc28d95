import { days } from '../../lib/time.ts'

export type ReviewRefusal = 'blocked' | 'review_exists' | 'gone' | 'awaiting_reply'

/** The state between the two members of a chat when one of them writes a review. */
type ReviewState = {
  blocked: boolean
  /** Includes one that has not appeared yet. */
  hasReview: boolean
  /** Whether neither account is erased. */
  bothLiving: boolean
  /** Whether both have ever written in the chat, including messages that were deleted since. */
  bothWrote: boolean
}

/** Why a member of a chat may not review the other; null if they may. */
export function reviewVerdict({ blocked, hasReview, bothLiving, bothWrote }: ReviewState): ReviewRefusal | null {
  if (blocked) return 'blocked'
  if (hasReview) return 'review_exists'
  if (!bothLiving) return 'gone'
  if (!bothWrote) return 'awaiting_reply'
  return null
}

/**
 * The average rating, rounded half up to two decimals; null without ratings. Computed in integers, because decimals are not exact
 * in binary.
 */
export const averageRating = (sum: number, count: number): number | null =>
  count === 0 ? null : Math.floor((200 * sum + count) / (2 * count)) / 100

/** Others see only the day of an anonymous review. Lists are sorted by day too, so that the order reveals no more. */
export const shownUnit = days

/** The number of the day on which a review was written. */
export const dayOf = (at: number): number => Math.floor(at / shownUnit)

/** The time of a review that others see. */
export const shownAt = ({ anonymous, created_at }: { anonymous: boolean; created_at: number }): number =>
  anonymous ? dayOf(created_at) * shownUnit : created_at

/**
 * When a review appears, in milliseconds; null for at once. `fraction` is a random number from 0 to below 1. An anonymous review
 * that appeared at once would tell the reviewed user that its author is somebody they have just met.
 */
export const appearsAt = (
  { anonymous, created_at }: { anonymous: boolean; created_at: number },
  delayMs: number,
  fraction: number,
): number | null => (anonymous && delayMs > 0 ? created_at + Math.floor(fraction * delayMs) : null)
