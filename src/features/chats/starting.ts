import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { Refusal, unknownId } from '../../lib/refusal.ts'
import type { Push, ViewedData } from '../../realtime/events.ts'
import type { Caller } from '../auth/callers.ts'
import type { NotificationSchedule } from '../notifications/schedule.ts'
import { noSuchUser, type Profiles } from '../profile/service.ts'
import { blocked, type Blocking } from '../safety/blocking.ts'
import { pairOf } from './rules.ts'
import type { ChatStore } from './store.ts'
import type { ChatViews } from './views.ts'

export type StartingDeps = {
  store: ChatStore
  views: ChatViews
  profiles: Profiles
  blocking: Blocking
  limits: Pick<Limits, 'take'>
  push: Push
  schedule: NotificationSchedule
  ids: Ids
  now: () => number
}

export function starting({ store, views, profiles, blocking, limits, push, schedule, ids, now }: StartingDeps) {
  return {
    /** The chat with another user, created if there is none. */
    async ensure(caller: Caller, userId: string) {
      if (userId === caller.id) throw new Refusal('self_not_allowed', 'A chat takes two.')
      const [user_a, user_b] = pairOf(caller.id, userId)
      const existing = await store.ofPair(user_a, user_b)
      if (existing) return { chat: await views.chat(caller.id, existing.id), created: false }
      const other = (await profiles.byIds([userId])).get(userId)
      if (!other || other.name === null || (await profiles.isHidden(userId))) throw unknownId('/user_id', noSuchUser)
      await blocking.refuseFirstContact(caller.id, userId)
      // Counted here instead of by the route, because asking for an existing chat is free.
      await limits.take('new_chat', caller.id)
      const at = now()
      const due_at = schedule.dueAt(at)
      const notify = due_at === null ? null : { user_id: userId, due_at }
      const ensured = await store.ensure({ id: ids.next(), user_a, user_b, created_at: at }, notify)
      if (ensured === 'gone') throw new Refusal('not_found', noSuchUser)
      if (ensured === 'blocked') {
        // The block was made after the check above.
        await blocking.refuseFirstContact(caller.id, userId)
        throw blocked()
      }
      const { chat, events, created } = ensured
      const byMember = new Map<string, ViewedData['chat']>()
      for (const { user_id } of events)
        if (push.isConnected(user_id)) byMember.set(user_id, await views.chat(user_id, chat.id))
      if (created) schedule.wake()
      push.event('chat', at, events, (memberId) => byMember.get(memberId))
      return { chat: await views.chat(caller.id, chat.id), created }
    },
  }
}
