import type { Ids } from '../../ids.ts'
import type { Push, SocketControl } from '../../realtime/events.ts'
import { invalid, Refusal } from '../../refusal.ts'
import { seconds } from '../../time.ts'
import { type Callers, forever } from '../auth/callers.ts'
import type { Chats } from '../chats/service.ts'
import type { Report } from '../safety/store.ts'
import { noticeView } from './notices.ts'
import type { Decision, ModerationStore, Notice } from './store.ts'

export type Decisions = ReturnType<typeof openDecisions>

export type DecisionDeps = {
  store: Pick<ModerationStore, 'decide'>
  chats: Pick<Chats, 'view'>
  photos: {
    /** Removes those of the images that nothing shows any more. */
    drop(imageIds: readonly string[]): Promise<void>
  }
  callers: Pick<Callers, 'forget'>
  sockets: Pick<SocketControl, 'suspend'>
  push: Push
  ids: Ids
  now: () => number
}

/** What every decision is made of, whoever it is about. */
export function openDecisions({ store, chats, photos, callers, sockets, push, ids, now }: DecisionDeps) {
  return {
    /**
     * Carries a decision out: the stored part in one step, then sessions, sockets and those concerned. Refuses with 409
     * and `settled` where somebody else was faster.
     */
    async carryOut(decision: Decision, settled: string) {
      const decided = await store.decide(decision)
      if (!decided) throw new Refusal('conflict', settled)
      const { at, notice, suspend, lift } = decision
      const sealed = suspend ?? lift
      if (sealed) await callers.forget(sealed.user_id)
      if (notice && decided.notice_seq !== null)
        push.events([
          { user_id: notice.notice.user_id, seq: decided.notice_seq, type: 'notice', at, data: notice.event },
        ])
      if (suspend) sockets.suspend(suspend.user_id)
      if (decided.tombstone) {
        const { message, events } = decided.tombstone
        push.events(
          events.map(({ user_id, seq }) => ({
            user_id,
            seq,
            type: 'message_deleted',
            at,
            data: chats.view(message, user_id),
          })),
        )
      }
      if (decided.photos.length > 0) await photos.drop(decided.photos)
    },

    /** The notice and what its event shows. */
    tell(
      told: Pick<Notice, 'user_id' | 'action' | 'reason'> & Partial<Pick<Notice, 'note' | 'until'>>,
      at: number,
      about: Pick<Report, 'id' | 'target' | 'target_id' | 'reason'> | null = null,
    ): NonNullable<Decision['notice']> {
      const notice: Notice = {
        note: null,
        until: null,
        ...told,
        id: ids.next(),
        report_id: about?.id ?? null,
        created_at: at,
      }
      const context = {
        target: about?.target ?? null,
        target_id: about?.target_id ?? null,
        ground: about?.reason ?? null,
        appeal_id: null,
        appeal_status: null,
      }
      return { notice, event: noticeView({ ...notice, ...context }) }
    },

    /** End of a suspension, from what was asked for; null where it has none. */
    endOf(until: string | null | undefined): number | null {
      if (until === undefined || until === null) return null
      const end = Date.parse(until)
      if (!(end > now())) throw invalid('/until', 'Expected a time in the future')
      return end >= forever ? null : end
    },
  }
}

/** How long something has waited for its decision, or did wait, in whole seconds. */
export const waitingS = (
  { created_at, resolved_at }: { created_at: number; resolved_at: number | null },
  now: number,
) => Math.max(0, Math.floor(((resolved_at ?? now) - created_at) / seconds))
