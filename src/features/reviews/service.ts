import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import type { Push } from '../../realtime/events.ts'
import { Refusal, unknownId } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller } from '../auth/callers.ts'
import type { NotificationSchedule } from '../notifications/schedule.ts'
import type { Filter } from '../filter/service.ts'
import { noSuchUser, type Profiles } from '../profile/service.ts'
import { blocked, type Blocking } from '../safety/blocking.ts'
import { appearsAt, dayOf, shownAt } from './rules.ts'
import type { Review, ReviewStore } from './store.ts'

export type Reviews = ReturnType<typeof reviewService>

type NewReview = { chat_id: string; rating: number; anonymous?: boolean | null; text?: string | null }

type Deps = {
  store: ReviewStore
  profiles: Pick<Profiles, 'isHidden'>
  filter: Pick<Filter, 'text' | 'report' | 'reportAppeared'>
  blocking: Blocking
  push: Push
  schedule: NotificationSchedule
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
  /** A random number from 0 to below 1. */
  random: () => number
  /** The longest delay until an anonymous review appears, in milliseconds; 0 for at once. */
  anonymousDelayMs: number
}

// Each review that appears costs some writes, so other work can run between the batches.
const appearAtOnce = 100

/** A complete review, for the answer to its author and the evidence of a report. */
export const reviewView = (review: Review) => ({ ...review, created_at: iso(review.created_at) })

/** A review as others see it: an anonymous one without author and chat, and with only the day of its time. */
function listedReview(review: Review) {
  if (!review.anonymous) return reviewView(review)
  return { ...reviewView(review), chat_id: null, reviewer_id: null, created_at: iso(shownAt(review)) }
}

/** Reviews as others see them, for events; undefined for removed ones. */
export const reviewsForEvents =
  (store: Pick<ReviewStore, 'byIds'>) =>
  async (shown: readonly { ref: string }[]): Promise<(ReturnType<typeof listedReview> | undefined)[]> => {
    const reviews = await store.byIds(shown.map(({ ref }) => ref))
    const byId = new Map(reviews.map((review) => [review.id, listedReview(review)]))
    return shown.map(({ ref }) => byId.get(ref))
  }

export function reviewService({
  store,
  profiles,
  filter,
  blocking,
  push,
  schedule,
  audit,
  paging: { keyOf, pageOf },
  ids,
  now,
  random,
  anonymousDelayMs,
}: Deps) {
  /** The stats of a user. Refuses with 404 unknown, erased and hidden users, and across a block. */
  async function statsOf(viewer: Caller | null, userId: string) {
    const stats = await store.stats(userId)
    if (!stats || (viewer?.id !== userId && (await profiles.isHidden(userId))))
      throw new Refusal('not_found', noSuchUser)
    if (viewer) await blocking.hide(viewer.id, userId, noSuchUser)
    return stats
  }

  function tell(review: Review, seq: number, at: number) {
    push.event('review', at, [{ user_id: review.reviewed_id, seq }], () => listedReview(review))
    schedule.wake()
  }

  return {
    /** Reviews the other member of a chat. A chat takes one review, by whoever of the two is first. */
    async add(caller: Caller, { chat_id, rating, anonymous: asked, text }: NewReview) {
      const anonymous = asked ?? false
      const members = await store.members(chat_id)
      if (!members) throw unknownId('/chat_id', 'There is no such chat.')
      if (!members.includes(caller.id)) throw new Refusal('not_a_member', 'You are not in this chat.')
      const reviewed_id = members[0] === caller.id ? members[1] : members[0]
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
      const verdict = await filter.text('review', caller.id, review.text)
      const eventAt = shownAt(review)
      const added = await store.add(review, {
        eventAt,
        appearsAt: appearsAt(review, anonymousDelayMs, random()),
        notifyAt: schedule.dueAt(now()),
      })
      switch (added) {
        case 'blocked':
          throw blocked()
        case 'review_exists':
          throw new Refusal('review_exists', 'This chat has a review already.')
        case 'gone':
          throw new Refusal('not_found', noSuchUser)
        case 'awaiting_reply':
          throw new Refusal('awaiting_reply', 'A review needs a message from both of you in the chat.')
      }
      if (added.seq !== null) {
        tell(review, added.seq, eventAt)
        // The audit log must not reveal the author of an anonymous review.
        await audit.note('review', anonymous ? null : caller.id, review.id)
        await filter.report('review', review.id, verdict)
      }
      return reviewView(review)
    },

    /**
     * Lets due reviews appear. Returns how many. They count as written now, so that nothing stored or sent from here on reveals
     * when they were written.
     */
    async appearDue(): Promise<number> {
      let appeared = 0
      for (;;) {
        const due = await store.due(now(), appearAtOnce)
        for (const id of due) {
          const at = now()
          const eventAt = shownAt({ anonymous: true, created_at: at })
          const shown = await store.appear(
            id,
            { at, eventAt, notifyAt: schedule.dueAt(at) },
            audit.entry('review', null, id),
          )
          if (!shown) continue
          tell(shown.review, shown.seq, eventAt)
          await filter.reportAppeared(shown.review, shown.written_at)
          appeared++
        }
        if (due.length < appearAtOnce) return appeared
      }
    },

    /** Reviews of a user, newest day first. Within a day sorted by their random ids, so that the order reveals nothing. */
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
  }
}
