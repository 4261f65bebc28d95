import type { Ids } from '../../lib/ids.ts'
import type { NewParcel } from '../../outbox/store.ts'
import type { Audit } from '../audit/service.ts'
import type { Asking } from '../notifications/asking.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { detailsOf, dueAt, neighbours } from './rules.ts'
import type { Filing, Report, ReportStore, ReportTarget } from './store.ts'

export type RuleReports = ReturnType<typeof openRuleReports>

type Deps = {
  store: Pick<ReportStore, 'target' | 'file'>
  asking: Asking
  webhooks: Webhooks
  /** What tells the moderators of a new report; empty where nothing does. */
  moderatorsTold(): readonly NewParcel[]
  /** Within what time reports are to be decided. */
  targetMs: number
  audit: Audit
  ids: Ids
  now: () => number
}

/** The reports that nobody files: rules of the operator ask for them. */
export function openRuleReports({ store, asking, webhooks, moderatorsTold, targetMs, audit, ids, now }: Deps) {
  function filing(
    target: ReportTarget,
    target_id: string,
    subject_id: string | null,
    ruleNames: readonly string[],
    kind: 'rule' | 'held',
  ): Filing {
    const at = now()
    const due_at = asking.dueAt(at)
    const id = ids.next()
    const reason = 'other'
    // Who wrote a review is for its evidence alone to say.
    const user_id = target === 'review' ? null : subject_id
    const told = webhooks.about('report.created', subject_id ?? id, { report_id: id, user_id, target, reason })
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
      notify: due_at === null ? null : { due_at, id: ids.next },
      parcels: [...held, ...told, ...moderatorsTold()],
      entry: audit.entry('report', null, id, { target, reason, by: 'rule' }),
    }
  }

  return {
    /** Files a report. An open one of the same by rules stays the only one. Null where there is no such thing. */
    async file(target: ReportTarget, targetId: string, ruleNames: readonly string[]): Promise<Report | null> {
      const found = await store.target(target, targetId)
      if (!found) return null
      const { report, notify, parcels, entry } = filing(target, targetId, found.subject_id, ruleNames, 'rule')
      const filed = await store.file(report, neighbours, notify, parcels)
      if (!filed?.created) return filed?.report ?? null
      asking.wake()
      await audit.note(entry.action, entry.actor_id, entry.subject_id, entry.metadata)
      return filed.report
    },

    /** The report about a message, for the step that stores it; with `held`, that holds it as well. */
    ofMessage: (
      { id, sender_id }: { id: string; sender_id: string },
      ruleNames: readonly string[],
      kind: 'rule' | 'held',
    ): Filing => filing('message', id, sender_id, ruleNames, kind),
  }
}
