import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { invalid, Refusal, unknownId } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Auth, Proof } from '../auth/service.ts'
import type { Caller } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { isAboutReview } from './rules.ts'
import type { Appeal, ModerationStore, NoticeAction, NoticeInContext, NoticeStore } from './store.ts'

export type Notices = ReturnType<typeof noticeService>

type Deps = {
  store: NoticeStore
  moderation: Pick<ModerationStore, 'standing'>
  auth: Pick<Auth, 'userOf'>
  webhooks: Webhooks
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
}

/** The user's side of moderation: what was decided about them and why, and their one word against each decision. */
export function noticeService({ store, moderation, auth, webhooks, audit, paging, ids, now }: Deps) {
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
    // Who wrote a review that was removed is nobody else's business.
    const about = isAboutReview(notice) ? null : userId
    const told = webhooks.about('appeal.created', userId, {
      appeal_id: filed.id,
      notice_id: noticeId,
      user_id: about,
    })
    if (!(await store.appeal(filed, told)))
      throw new Refusal('conflict', 'You have appealed against this decision already.')
    await audit.note('appeal', about, filed.id, { notice_id: noticeId })
    return ownAppealView(filed)
  }

  return {
    /** What was decided about the caller, newest first. */
    async list(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('notices', cursor, ['number', 'string'])
      const rows = await store.list(caller.id, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('notices', rows, limit, ({ created_at, id }) => [created_at, id], noticeView)
    },

    /** The same with what each counts, for the export. */
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

    /** Appeals against a decision; once for each. */
    appeal: (caller: Caller, body: { notice_id: string; text: string }) => appeal(caller.id, body.notice_id, body.text),

    /** Appeals against the suspension that keeps somebody from logging in: they prove who they are, and get no session. */
    async appealSuspension({ text, ...proof }: Proof & { text: string }, client: Client) {
      const userId = await auth.userOf(proof, client)
      const standing = await moderation.standing(userId)
      if (!standing?.suspended_until || standing.suspended_until <= now())
        throw new Refusal('conflict', 'This account is not suspended: log in.')
      if (standing.suspension_id === null) throw new Refusal('not_found', 'There is no such notice.')
      return appeal(userId, standing.suspension_id, text)
    },

    /** The caller's appeals, newest first, with what came of them. */
    async appeals(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('appeals', cursor, ['number', 'string'])
      const rows = await store.appeals(caller.id, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('appeals', rows, limit, ({ created_at, id }) => [created_at, id], ownAppealView)
    },
  }
}

const isAppealable = (action: NoticeAction) => action === 'warn' || action === 'remove_content' || action === 'suspend'

const howToAppeal =
  'Once, with POST /api/v1/appeals { notice_id, text }. Where a suspension keeps you from logging in: POST /api/v1/auth/appeals with your login.'

/** A decision as the user concerned reads it: what, on which ground, why, until when, and how to appeal. */
export const noticeView = (notice: NoticeInContext) => ({
  id: notice.id,
  action: notice.action,
  message_id: notice.target === 'message' ? notice.target_id : null,
  review_id: notice.target === 'review' ? notice.target_id : null,
  ground: notice.ground,
  reason: notice.reason,
  until: isoOrNull(notice.until),
  created_at: iso(notice.created_at),
  appeal:
    notice.appeal_id === null || notice.appeal_status === null
      ? null
      : { id: notice.appeal_id, status: notice.appeal_status },
  how_to_appeal: isAppealable(notice.action) && notice.appeal_id === null ? howToAppeal : null,
})

/** An appeal as its author sees it: without who decided. */
const ownAppealView = (appeal: Appeal) => ({
  id: appeal.id,
  notice_id: appeal.notice_id,
  text: appeal.text,
  status: appeal.status,
  created_at: iso(appeal.created_at),
  resolved_at: isoOrNull(appeal.resolved_at),
  note: appeal.note,
})
