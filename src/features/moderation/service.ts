import type { Paging } from '../../lib/paging.ts'
import type { Audit } from '../audit/service.ts'
import type { AuditStore } from '../audit/store.ts'
import type { TemplateStore } from '../templates/store.ts'
import type { RuleReports } from '../safety/rule-reports.ts'
import type { SecondFactor } from '../passkeys/second-factor.ts'
import { appealCases } from './appeals.ts'
import { auditReading } from './audit-reading.ts'
import { reportQueue } from './queue.ts'
import { openReportViews } from './report-views.ts'
import { reportCases } from './reports.ts'
import { type DecisionDeps, openDecisions } from './decisions.ts'
import type { EvidenceDeps } from './evidence.ts'
import { bannedPhotos } from './photos.ts'
import { openModerators } from './moderators.ts'
import type { ModerationStore, QueueStore } from './store.ts'
import { suspensions } from './suspensions.ts'

export type Moderation = ReturnType<typeof moderationService>

type Deps = DecisionDeps &
  EvidenceDeps & {
    store: ModerationStore
    queue: QueueStore
    templates: Pick<TemplateStore, 'byId'>
    auditLog: AuditStore
    ruleReports: Pick<RuleReports, 'file'>
    secondFactor: SecondFactor
    audit: Audit
    paging: Paging
  }

/** The moderators' side of moderation. Every method takes the `Moderator` that `moderatorOf` has admitted. */
export function moderationService(deps: Deps) {
  const moderators = openModerators(deps)
  const decisions = openDecisions(deps)
  const shared = { ...deps, moderators, decisions, views: openReportViews(deps) }
  return {
    moderatorOf: moderators.moderatorOf,
    adminOf: moderators.adminOf,
    ...reportQueue(shared),
    ...reportCases(shared),
    ...suspensions(shared),
    ...appealCases(shared),
    ...bannedPhotos(shared),
    ...auditReading(shared),
  }
}
