import type { Ids } from '../../lib/ids.ts'
import type { NewParcel } from '../../outbox/store.ts'
import type { Audit } from '../audit/service.ts'
import type { NotificationSchedule } from '../notifications/schedule.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { detailsOf, dueAt, neighbours } from './rules.ts'
import type { Filing, Report, ReportStore, ReportTarget } from './store.ts'

export type RuleReports = ReturnType<typeof openRuleReports>

type Deps = {
  store: Pick<ReportStore, 'target' | 'file'>
  schedule: NotificationSchedule
  webhooks: Webhooks
  /** The parcels that tell moderators about a new report. */
  moderatorParcels(): readonly NewParcel[]
  /** The target for deciding a report. */
  targetMs: number
  audit: Audit
  ids: Ids
  now: () => number
}

/** Files the reports that rules of the operator ask for. */
export function openRuleReports({ store, schedule, webhooks, moderatorParcels, targetMs, audit, ids, now }: Deps) {
  function filing(
    target: ReportTarget,
    target_id: string,
    subject_id: string | null,
    ruleNames: readonly string[],
    kind: 'rule' | 'held',
  ): Filing {
    const at = now()
    const due_at = schedule.dueAt(at)
    const id = ids.next()
    const reason = 'other'
    // Only the evidence may name the author of a review.
    const user_id = target === 'review' ? null : subject_id
    const created = webhooks.about('report.created', subject_id ?? id, { report_id: id, user_id, target, reason })
    const held =
      kind === 'held' && subject_id !== null
        ? webhooks.about('message.held', subject_id, { message_id: target_id, user_id: subject_id })
        : []
    return {
      report: {
        ...{ id, reporter_id: null, kind, target, target_id, subject_id, reason },
        details: detailsOf(ruleNames),
        created_at: at,
        due_at: dueAt(reason, at, targetMs),
      },
      neighbours,
      notifyAt: due_at,
      parcels: [...held, ...created, ...moderatorParcels()],
      entry: audit.entry('report', null, id, { target, reason, by: 'rule' }),
    }
  }

  return {
    /** Files a report, or returns an open one by rules about the same target. Null if there is no such target. */
    async file(target: ReportTarget, targetId: string, ruleNames: readonly string[]): Promise<Report | null> {
      const found = await store.target(target, targetId)
      if (!found) return null
      const { report, notifyAt, parcels, entry } = filing(target, targetId, found.subject_id, ruleNames, 'rule')
      const filed = await store.file(report, neighbours, notifyAt, () => parcels)
      if (!filed?.created) return filed?.report ?? null
      schedule.wake()
      await audit.note(entry.action, entry.actor_id, entry.subject_id, entry.metadata)
      return filed.report
    },

    /** The report about a message, for the transaction that stores it. With `held`, the message is also held. */
    ofMessage: (
      { id, sender_id }: { id: string; sender_id: string },
      ruleNames: readonly string[],
      kind: 'rule' | 'held',
    ): Filing => filing('message', id, sender_id, ruleNames, kind),
  }
}
