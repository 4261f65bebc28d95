import type { Audit } from '../audit/service.ts'
import type { AuditStore } from '../audit/store.ts'
import { appealCases } from './appeals.ts'
import { auditReading } from './audit-reading.ts'
import { reportCases } from './reports.ts'
import { type DecisionDeps, openDecisions } from './decisions.ts'
import type { EvidenceDeps } from './evidence.ts'
import { openStandings } from './standing.ts'
import type { ModerationStore } from './store.ts'
import { suspensions } from './suspensions.ts'

export type Moderation = ReturnType<typeof moderationService>

type Deps = DecisionDeps & EvidenceDeps & { store: ModerationStore; auditLog: AuditStore; audit: Audit }

/** The operators' side of moderation. Every method opens with the role: 403 `forbidden` for everybody else. */
export function moderationService(deps: Deps) {
  const standings = openStandings(deps)
  const decisions = openDecisions(deps)
  const shared = { ...deps, standings, decisions }
  const { moderatorOf } = standings
  return {
    moderatorOf,
    ...reportCases(shared),
    ...suspensions(shared),
    ...appealCases(shared),
    ...auditReading(shared),
  }
}
