import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { invalid, Refusal, unknownId } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { Announcements } from '../announcements/service.ts'
import type { Announcement } from '../announcements/store.ts'
import type { Audit } from '../audit/service.ts'
import type { Proof } from '../auth/proofs.ts'
import type { Auth } from '../auth/service.ts'
import type { Caller } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { isAboutReview } from './rules.ts'
import type { Appeal, ModerationStore, Notice, NoticeAction, NoticeInContext, NoticeStore } from './store.ts'

export type Notices = ReturnType<typeof noticeService>

type Deps = {
  store: NoticeStore
  announcements: Pick<Announcements, 'active'>
  moderation: Pick<ModerationStore, 'moderationStatus'>
  auth: Pick<Auth, 'userOf'>
  webhooks: Webhooks
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
}

/** The user's side of moderation: notices of decisions about them, and one appeal against each. */
export function noticeService({ store, announcements, moderation, auth, webhooks, audit, paging, ids, now }: Deps) {
  const { keyOf, pageOf } = paging

  async function appeal(userId: string, noticeId: string, text: string) {
    const notice = await store.byId(noticeId)
    if (!notice || notice.user_id !== userId) throw unknownId('/notice_id', 'There is no such notice.')
    if (!isAppealable(notice.action)) throw invalid('/notice_id', 'Expected a decision against you', 'not_allowed')
    const filed: Appeal = {
      id: ids.next(),
      notice_id: noticeId,
      user_id: userId,
      text: tidy(text),
      status: 'open',
      created_at: now(),
      resolved_at: null,
      resolved_by: null,
      note: null,
    }
    // The author of a removed review stays anonymous.
    const about = isAboutReview(notice) ? null : userId
    const parcels = webhooks.about('appeal.created', userId, {
      appeal_id: filed.id,
      notice_id: noticeId,
      user_id: about,
    })
    if (!(await store.appeal(filed, parcels)))
      throw new Refusal('conflict', 'You have appealed against this decision already.')
    await audit.note('appeal', about, filed.id, { notice_id: noticeId })
    return ownAppealView(filed)
  }

  return {
    /** Decisions about the caller and announcements to everybody, newest first. */
    async list(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('notices', cursor, ['number', 'string'])
      const after = key && { at: key[0], id: key[1] }
      const [own, active] = await Promise.all([store.list(caller.id, limit + 1, after), announcements.active()])
      const entries = [
        ...own.map((notice) => ({ key: keyOfNotice(notice), view: noticeView(notice) })),
        ...active
          .filter((one) => after === null || isBefore(keyOfNotice(one), [after.at, after.id]))
          .map((one) => ({ key: keyOfNotice(one), view: announcedView(one) })),
      ].sort((a, b) => (isBefore(a.key, b.key) ? 1 : -1))
      return pageOf(
        'notices',
        entries.slice(0, limit + 1),
        limit,
        ({ key }) => key,
        ({ view }) => view,
      )
    },

    /** Decisions about the caller with their strikes, for the export. */
    async withStrikes(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('notices-with-strikes', cursor, ['number', 'string'])
      const rows = await store.list(caller.id, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf(
        'notices-with-strikes',
        rows,
        limit,
        ({ created_at, id }) => [created_at, id],
        (notice) => ({ ...noticeView(notice), strikes: notice.strikes ?? 0 }),
      )
    },

    /** Appeals against a decision, once for each. */
    appeal: (caller: Caller, body: { notice_id: string; text: string }) => appeal(caller.id, body.notice_id, body.text),

    /** Appeals against the suspension of a user who cannot log in. It takes the proof of a login, but begins no session. */
    async appealSuspension({ text, ...proof }: Proof & { text: string }, client: Client) {
      const userId = await auth.userOf(proof, client)
      const status = await moderation.moderationStatus(userId)
      if (!status?.suspended_until || status.suspended_until <= now())
        throw new Refusal('conflict', 'This account is not suspended: log in.')
      if (status.suspension_id === null) throw new Refusal('not_found', 'There is no such notice.')
      return appeal(userId, status.suspension_id, text)
    },

    /** The caller's appeals with their outcomes, newest first. */
    async appeals(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('appeals', cursor, ['number', 'string'])
      const rows = await store.appeals(caller.id, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('appeals', rows, limit, ({ created_at, id }) => [created_at, id], ownAppealView)
    },
  }
}

const isAppealable = (action: NoticeAction) =>
  action === 'warn' || action === 'remove_content' || action === 'suspend' || action === 'hide'

const howToAppeal =
  'Once, with POST /api/v1/appeals { notice_id, text }. If a suspension keeps you from logging in: POST /api/v1/auth/appeals with your login.'

type NoticeKey = readonly [at: number, id: string]
const keyOfNotice = ({ created_at, id }: { created_at: number; id: string }): NoticeKey => [created_at, id]
const isBefore = ([at, id]: NoticeKey, [otherAt, otherId]: NoticeKey) => (at === otherAt ? id < otherId : at < otherAt)

/** Whether no person decided: a user was hidden by several reports, or a banned photo was taken down. */
const isAutomated = ({ action, decided_by }: Pick<Notice, 'action' | 'decided_by'>) =>
  action === 'hide' || (action === 'remove_content' && decided_by === null)

/** An announcement in the form of a notice. */
const announcedView = ({ id, text, until, created_at }: Announcement) => ({
  id,
  action: 'announce' as const,
  message_id: null,
  review_id: null,
  ground: null,
  reason: text,
  until: isoOrNull(until),
  created_at: iso(created_at),
  automated: false,
  appeal: null,
  how_to_appeal: null,
})

/** A decision as the user concerned sees it. */
export const noticeView = (notice: NoticeInContext) => ({
  id: notice.id,
  action: notice.action,
  // Not for `hide`: a hidden user would learn from which of their chats the report came.
  message_id: notice.target === 'message' && notice.action !== 'hide' ? notice.target_id : null,
  review_id: notice.target === 'review' ? notice.target_id : null,
  ground: notice.ground,
  reason: notice.reason,
  until: isoOrNull(notice.until),
  created_at: iso(notice.created_at),
  automated: isAutomated(notice),
  appeal:
    notice.appeal_id === null || notice.appeal_status === null
      ? null
      : { id: notice.appeal_id, status: notice.appeal_status },
  how_to_appeal: isAppealable(notice.action) && notice.appeal_id === null ? howToAppeal : null,
})

/** An appeal as its author sees it, without the moderator. */
const ownAppealView = (appeal: Appeal) => ({
  id: appeal.id,
  notice_id: appeal.notice_id,
  text: appeal.text,
  status: appeal.status,
  created_at: iso(appeal.created_at),
  resolved_at: isoOrNull(appeal.resolved_at),
  note: appeal.note,
})
