import type { Ids } from '../../lib/ids.ts'
import type { Push, SocketControl, StoredData } from '../../realtime/events.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { iso, seconds } from '../../lib/time.ts'
import { type Callers, forever } from '../auth/callers.ts'
import type { ChatViews } from '../chats/views.ts'
import type { NotificationSchedule } from '../notifications/schedule.ts'
import type { Webhooks } from '../webhooks/service.ts'
import type { Report } from '../safety/store.ts'
import { noticeView } from './notices.ts'
import { type Case, emptiedFields } from './rules.ts'
import { notAllowed } from './moderators.ts'
import type { Decision, ModerationStore, Notice } from './store.ts'

export type Decisions = ReturnType<typeof openDecisions>

/** A notice and the data of its event. */
type PreparedNotice = { notice: Notice; event: StoredData['notice'] }

export type DecisionDeps = {
  store: Pick<ModerationStore, 'decide'>
  chats: Pick<ChatViews, 'message'>
  photos: {
    /** Removes those of the images that nothing shows any longer. */
    drop(imageIds: readonly string[]): Promise<void>
  }
  imageHashes: {
    /** Computes the hashes of these images, if they are missing. */
    makeNow(imageIds: readonly string[]): Promise<number>
  }
  imageBank: {
    /** Makes every node read the bank again. */
    changed(): Promise<void>
  }
  callers: Pick<Callers, 'forget'>
  sockets: Pick<SocketControl, 'suspend'>
  push: Push
  schedule: NotificationSchedule
  webhooks: Webhooks
  ids: Ids
  now: () => number
}

/** Carries out decisions of all kinds, and makes their notices. */
export function openDecisions({
  store,
  chats,
  photos,
  imageHashes,
  imageBank,
  callers,
  sockets,
  push,
  schedule,
  webhooks,
  ids,
  now,
}: DecisionDeps) {
  const webhooksOf = ({ case: { subject_id }, report, remove, takeDown, suspend, lift }: Decision & { case: Case }) => [
    ...(report
      ? webhooks.about('report.resolved', subject_id ?? report.id, { report_id: report.id, action: report.action })
      : []),
    ...(remove?.target === 'user'
      ? webhooks.about('user.updated', remove.id, { user_id: remove.id, fields: emptiedFields })
      : []),
    ...(takeDown
      ? webhooks.about('user.updated', takeDown.user_id, { user_id: takeDown.user_id, fields: ['photo'] })
      : []),
    ...(suspend
      ? webhooks.about('user.suspended', suspend.user_id, {
          user_id: suspend.user_id,
          until: suspend.until >= forever ? null : iso(suspend.until),
        })
      : []),
    ...(lift ? webhooks.about('user.unsuspended', lift.user_id, { user_id: lift.user_id }) : []),
  ]

  function noticeOf(
    fields: Pick<Notice, 'user_id' | 'action' | 'reason' | 'decided_by'> &
      Partial<Pick<Notice, 'note' | 'until' | 'strikes'>>,
    at: number,
    about: Pick<Report, 'id' | 'target' | 'target_id' | 'reason'> | null = null,
  ): PreparedNotice {
    const notice: Notice = {
      note: null,
      until: null,
      strikes: null,
      ...fields,
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
  }

  return {
    /**
     * Carries out a decision: the stored part in one transaction, then sessions, sockets and events. Refuses with 409 and
     * `takenMessage` if somebody else has decided first, likewise if the message to release has another text than they have
     * read, or the report another reason; with 409 `claimed` if somebody else works on it, and with 403 if the moderator may not
     * decide it.
     */
    async carryOut(
      decision: Decision & {
        case: Case
        notice?: PreparedNotice
        shown?: PreparedNotice & { appealed: string | null }
      },
      takenMessage: string,
    ) {
      if (decision.ban) await imageHashes.makeNow(decision.ban.images)
      const decided = await store.decide({
        ...decision,
        notify_at: schedule.dueAt(decision.at),
        takeBackIds: schedule.takeBackIds,
        webhooks: webhooksOf(decision),
      })
      if (!decided) throw new Refusal('conflict', takenMessage)
      if (decided === 'claimed') throw claimedByOther()
      if (decided === 'edited') throw editedSince()
      if (decided === 'raised') throw raisedSince()
      if (typeof decided === 'string') throw notAllowed(decided)
      const { at, notice, shown, suspend, lift } = decision
      if (decided.bank_changed) await imageBank.changed()
      const changed = suspend ?? lift
      if (changed) await callers.forget(changed.user_id)
      for (const { user_id, seq, notice_id } of decided.noted) {
        const stored = [notice, shown].find((one) => one?.notice.id === notice_id)
        if (stored) push.event('notice', at, [{ user_id, seq }], () => stored.event)
      }
      schedule.wake()
      if (suspend) sockets.suspend(suspend.user_id)
      if (decided.tombstone) {
        const { message, events } = decided.tombstone
        push.event('message_deleted', at, events, (userId) => chats.message(message, userId))
      }
      if (decided.released) {
        const { message, events } = decided.released
        push.event('message', at, events, (userId) => chats.message(message, userId))
      }
      if (decided.photos.length > 0) await photos.drop(decided.photos)
    },

    noticeOf,

    /** The notice that tells a user that reports no longer hide them. A suspension or a removal may still do so. */
    shownNotice: (user_id: string, decided_by: string | null, at: number) =>
      noticeOf({ user_id, action: 'show', reason: shownAgain, decided_by }, at),

    /** The end of a suspension from the request; null for one without end. Refuses a time in the past. */
    endOf(until: string | null | undefined): number | null {
      if (until === undefined || until === null) return null
      const end = Date.parse(until)
      if (!(end > now())) throw invalid('/until', 'Expected a time in the future', 'out_of_range')
      return end >= forever ? null : end
    },
  }
}

const shownAgain = 'A moderator has decided: reports no longer hide you from others.'

/** How long a report or appeal has waited, or waited until its decision, in whole seconds. */
export const waitingS = (
  { created_at, resolved_at }: { created_at: number; resolved_at: number | null },
  now: number,
) => Math.max(0, Math.floor(((resolved_at ?? now) - created_at) / seconds))

export const editedSince = () =>
  new Refusal('conflict', 'Its sender has edited this message since you read it: read the report again.')

export const raisedSince = () =>
  new Refusal('conflict', 'Since you read this report, it says that somebody is underage: read it again.')

export const claimedByOther = () => new Refusal('claimed', 'Somebody else works on this report.')
