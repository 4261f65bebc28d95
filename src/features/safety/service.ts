import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import type { Push } from '../../realtime/events.ts'
import { Refusal, unknownId } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { NewParcel } from '../../outbox/store.ts'
import type { Audit } from '../audit/service.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { holderOf } from '../../lib/rate-limits.ts'
import type { Caller } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import type { NotificationSchedule } from '../notifications/schedule.ts'
import { noSuchUser } from '../profile/service.ts'
import { actionOf, dueAt, neighbours } from './rules.ts'
import type { Hiding } from '../profile/store.ts'
import { noticeView } from '../moderation/notices.ts'
import type {
  Block,
  BlockStore,
  HidingNotice,
  NewReport as ReportToFile,
  Report,
  ReportReason,
  ReportStore,
  ReportTarget,
} from './store.ts'

export type Safety = ReturnType<typeof safetyService>

type NewReport = {
  user_id?: string | null
  message_id?: string | null
  review_id?: string | null
  reason: ReportReason
  details?: string | null
}

type Deps = {
  blocks: BlockStore
  reports: ReportStore
  push: Push
  schedule: NotificationSchedule
  webhooks: Webhooks
  /** The parcels that tell moderators about a new report. */
  moderatorParcels(): readonly NewParcel[]
  /** The target for deciding a report. */
  targetMs: number
  /** The key of the hashes of addresses that reports come from. */
  originKey: Uint8Array | Buffer
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
}

const byTime = ({ created_at, id }: { created_at: number; id: string }) => [created_at, id] as const

export function safetyService({
  blocks,
  reports,
  push,
  schedule,
  webhooks,
  moderatorParcels,
  targetMs,
  originKey,
  audit,
  paging,
  ids,
  now,
}: Deps) {
  const { keyOf, pageOf } = paging

  /** A hash of the address that a report comes from, which is kept for a day. */
  const originOf = ({ address }: Client) =>
    new Bun.CryptoHasher('sha256', originKey).update(holderOf(address)).digest('base64url').slice(0, 22)

  /** Makes the notice that a report hides the user. It reveals neither the reported message nor the reporter. */
  const hidingNotice =
    ({ reason, created_at }: Pick<ReportToFile, 'reason' | 'created_at'>) =>
    (id: string, hidden: Hiding, subjectId: string): HidingNotice => {
      const notice = {
        id: ids.next(),
        user_id: subjectId,
        report_id: id,
        action: 'hide' as const,
        reason: hidingReasons[hidden],
        note: null,
        until: null,
        created_at,
        decided_by: null,
      }
      const context = { target: null, target_id: null, ground: reason, appeal_id: null, appeal_status: null }
      return {
        notice,
        event: noticeView({ ...notice, ...context }),
        audit: audit.entry('person_hidden', null, subjectId, { report_id: id, hidden }),
      }
    }

  /** Sends the event of the notice, if the report has hidden a user. */
  function tellHidden(hid: (HidingNotice & { seq: number }) | null) {
    if (!hid) return
    const { user_id, created_at } = hid.notice
    push.event('notice', created_at, [{ user_id, seq: hid.seq }], () => hid.event)
  }

  return {
    /** Blocks a user. Repeating it returns the same block, with `created` false. */
    async block(caller: Caller, userId: string) {
      if (userId === caller.id) throw new Refusal('self_not_allowed', 'You cannot block yourself.')
      const asked = { id: ids.next(), blocker_id: caller.id, blocked_id: userId, created_at: now() }
      const parcels = webhooks.about('block.created', userId, { block_id: asked.id, user_id: userId })
      const ensured = await blocks.ensure(asked, blockView(asked), parcels, schedule.takeBackIds)
      if (!ensured) throw unknownId('/user_id', noSuchUser)
      const { block, seq } = ensured
      if (seq !== null) {
        schedule.wake()
        push.event('block', block.created_at, [{ user_id: caller.id, seq }], () => blockView(block))
        await audit.note('block', caller.id, userId, { block_id: block.id })
      }
      return { block: blockView(block), created: seq !== null }
    },

    /** The caller's blocks, newest first. */
    async blocks(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('blocks', cursor, ['number', 'string'])
      const rows = await blocks.list(caller.id, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('blocks', rows, limit, byTime, blockView)
    },

    async unblock(caller: Caller, blockId: string) {
      const userId = await blocks.remove(caller.id, blockId)
      if (userId === null) throw new Refusal('not_found', 'There is no such block.')
      await audit.note('unblock', caller.id, userId, { block_id: blockId })
    },

    /**
     * Reports a user, a message of one of the caller's chats, or a review, and stores it as evidence. An open report of the caller
     * about the same target is returned again, with what is new in it and `created` false. Works across a block.
     */
    async report(caller: Caller, body: NewReport, client: Client) {
      const [target, targetId] = targetOf(body)
      const found = await reports.target(target, targetId)
      if (!found || (found.held && found.subject_id !== caller.id)) throw noSuchTarget(target)
      if (found.seen_by && !found.seen_by.includes(caller.id))
        throw new Refusal('not_a_member', 'You are not in the chat of this message.')
      if (found.subject_id === caller.id) throw new Refusal('self_not_allowed', 'You cannot report yourself.')
      const at = now()
      const due_at = schedule.dueAt(at)
      const id = ids.next()
      // Only the evidence may name the author of a review.
      const about = target === 'review' ? null : found.subject_id
      const parcelsOf = (report_id: string) => [
        ...webhooks.about('report.created', found.subject_id ?? report_id, {
          report_id,
          user_id: about,
          target,
          reason: body.reason,
        }),
        ...moderatorParcels(),
      ]
      const filed = await reports.file(
        {
          id,
          reporter_id: caller.id,
          target,
          target_id: targetId,
          subject_id: found.subject_id,
          reason: body.reason,
          details: tidy(body.details ?? '') || null,
          created_at: at,
          due_at: dueAt(body.reason, at, targetMs),
          origin: originOf(client),
        },
        neighbours,
        due_at,
        parcelsOf,
        hidingNotice({ reason: body.reason, created_at: at }),
      )
      if (!filed) throw noSuchTarget(target)
      const { report, created, raised, hid } = filed
      tellHidden(hid)
      if (created || raised) {
        schedule.wake()
        await audit.note('report', caller.id, report.id, { target, reason: report.reason })
      }
      return { report: { id: report.id, status: report.status, created_at: iso(report.created_at) }, created }
    },

    /** The caller's reports with their outcomes, newest first. */
    async reports(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('reports', cursor, ['number', 'string'])
      const rows = await reports.list(caller.id, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('reports', rows, limit, byTime, (report) => ({
        ...reportView(report),
        action: actionOf(report),
        resolved_at: isoOrNull(report.resolved_at),
      }))
    },
  }
}

const hidingReasons: Record<Hiding, string> = {
  nearby:
    'Several people have reported you within a day. Others see neither your photo nor you nearby until a moderator has decided. This was decided automatically.',
  profile:
    'Somebody has reported that you are under the age for this community. Others do not see your profile until a moderator has decided. This was decided automatically.',
}

const blockView = ({ id, blocked_id, created_at }: Block) => ({ id, user_id: blocked_id, created_at: iso(created_at) })

/** The part of a report that both its reporter and moderators see. */
export const reportView = ({ id, target, target_id, reason, details, status, created_at }: Report) => ({
  id,
  user_id: target === 'user' ? target_id : null,
  message_id: target === 'message' ? target_id : null,
  review_id: target === 'review' ? target_id : null,
  reason,
  details,
  status,
  created_at: iso(created_at),
})

function targetOf({ user_id, message_id, review_id }: NewReport): [ReportTarget, string] {
  const given = Object.entries({ user: user_id, message: message_id, review: review_id }).filter(
    (entry): entry is [ReportTarget, string] => entry[1] != null,
  )
  const [target] = given
  if (given.length === 1 && target) return target
  const message = 'Expected exactly one of user_id, message_id and review_id'
  throw new Refusal(
    'validation_failed',
    'A report has exactly one target.',
    (given.length === 0 ? (['user'] as const) : given.map(([kind]) => kind)).map((kind) => ({
      path: `/${kind}_id`,
      code: given.length === 0 ? ('required' as const) : ('not_allowed' as const),
      message,
    })),
  )
}

const noSuchTarget = (target: ReportTarget) =>
  unknownId(`/${target}_id`, target === 'user' ? noSuchUser : `There is no such ${target}.`)
