import type { Ids } from '../../ids.ts'
import { keyOf, type Page, pageOf } from '../../paging.ts'
import type { Push } from '../../realtime/events.ts'
import { Refusal } from '../../refusal.ts'
import { tidy } from '../../text.ts'
import { days, iso } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller } from '../auth/callers.ts'
import { noSuchUser } from '../profile/service.ts'
import type { Blocking } from '../safety/blocking.ts'
import type { Review, ReviewStore } from './store.ts'

export type Reviews = ReturnType<typeof reviewService>

export type NewReview = { chat_id: string; rating: number; anonymous?: boolean | null; text?: string | null }

type Deps = { store: ReviewStore; blocking: Blocking; push: Push; audit: Audit; ids: Ids; now: () => number }

const dayOf = (ms: number) => Math.floor(ms / days)

/** A review as it is written down: for its author's own answer, and for the evidence of a report. */
export const reviewView = (review: Review) => ({ ...review, created_at: iso(review.created_at) })

/** A review as others see it. Of an anonymous one neither author nor chat, and of its time only the day. */
export function listedReview(review: Review) {
  if (!review.anonymous) return reviewView(review)
  return { ...reviewView(review), chat_id: null, reviewer_id: null, created_at: iso(shownAt(review)) }
}

const shownAt = ({ anonymous, created_at }: Pick<Review, 'anonymous' | 'created_at'>) =>
  anonymous ? dayOf(created_at) * days : created_at

export function reviewService({ store, blocking, push, audit, ids, now }: Deps) {
  /** The stats of somebody whom the viewer may see: 404 for unknown and erased users, and where there is a block. */
  async function statsOf(viewer: Caller | null, userId: string) {
    const stats = await store.stats(userId)
    if (!stats) throw new Refusal('not_found', noSuchUser)
    if (viewer) await blocking.hide(viewer.id, userId, noSuchUser)
    return stats
  }

  return {
    /** Reviews the other one of a chat. One review for each chat: whoever of the two is first. */
    async add(caller: Caller, { chat_id, rating, anonymous: asked, text }: NewReview) {
      const anonymous = asked ?? false
      const members = await store.members(chat_id)
      if (!members) throw new Refusal('not_found', 'There is no such chat.')
      if (!members.includes(caller.id)) throw new Refusal('not_a_member', 'You are not in this chat.')
      const reviewed_id = members[0] === caller.id ? members[1] : members[0]
      await blocking.refuseContact(caller.id, reviewed_id)
      const review = {
        id: ids.random(),
        chat_id,
        reviewer_id: caller.id,
        reviewed_id,
        rating,
        anonymous,
        text: tidy(text ?? '') || null,
        created_at: now(),
      }
      const at = shownAt(review)
      const added = await store.add(review, at)
      if (added === 'exists') throw new Refusal('review_exists', 'This chat has a review already.')
      if (added === 'gone') throw new Refusal('not_found', noSuchUser)
      push.events([{ user_id: reviewed_id, seq: added.seq, type: 'review', at, data: listedReview(review) }])
      // Whoever reads the log is not to find in it what the review does not show.
      await audit.note('review', anonymous ? null : caller.id, review.id)
      return reviewView(review)
    },

    /** Reviews of a user, newest day first; within a day by their random ids, so that the order tells nothing. */
    async ofUser(viewer: Caller | null, userId: string, { limit = 30, cursor }: Page) {
      await statsOf(viewer, userId)
      const list = `reviews:${userId}`
      const key = keyOf(list, cursor, ['number', 'string'])
      const rows = await store.ofUser(userId, limit + 1, key && { day: key[0], id: key[1] })
      return pageOf(list, rows, limit, ({ created_at, id }) => [dayOf(created_at), id], listedReview)
    },

    async stats(viewer: Caller | null, userId: string) {
      return { user_id: userId, ...(await statsOf(viewer, userId)) }
    },

    /** Reviews as others see them, for a replay of events: undefined for those that were removed. */
    async forEvents(shown: readonly { ref: string }[]) {
      const reviews = await store.byIds(shown.map(({ ref }) => ref))
      const byId = new Map(reviews.map((review) => [review.id, listedReview(review)]))
      return shown.map(({ ref }) => byId.get(ref))
    },
  }
}
