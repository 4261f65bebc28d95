import type { components } from 'convene-client'
import type { T } from '../language.tsx'
import { instants, type Period, periodOf } from '../ui/period.tsx'

export type Report = components['schemas']['ReportWithEvidence']
export type QueuedReport = components['schemas']['QueuedReport']
export type Counts = components['schemas']['QueueCounts']
export type Pending = NonNullable<Report['pending']>
export type Action = components['schemas']['ReportAction']
export type Kind = components['schemas']['ReportKind']
export type Reason = components['schemas']['ReportReason']

export const kinds = ['held', 'user', 'message', 'review', 'rule'] as const satisfies readonly Kind[]
export const reasons = [
  'spam',
  'harassment',
  'nudity',
  'hate',
  'scam',
  'underage',
  'impersonation',
  'danger',
  'other',
] as const satisfies readonly Reason[]
export const statuses = ['open', 'resolved', 'any'] as const
const targets = ['user', 'message', 'review'] as const
export type Target = (typeof targets)[number]
const sources = ['people', 'rules'] as const
const outcomes = ['dismiss', 'release', 'warn', 'remove_content', 'suspend', 'measure'] as const
const automations = ['any', 'overturned'] as const

/** The possible decisions about a report, with their keys. */
export function actionsOf({ kind }: Pick<Report, 'kind'>): readonly { action: Action; key: string }[] {
  // A held message is either delivered or removed.
  if (kind === 'held')
    return [
      { action: 'release', key: 'l' },
      { action: 'remove_content', key: 'r' },
    ]
  return [
    { action: 'dismiss', key: 'd' },
    { action: 'warn', key: 'w' },
    { action: 'remove_content', key: 'r' },
    { action: 'suspend', key: 's' },
  ]
}

/** Whether nobody is notified of this decision. */
export const isSilent = (action: Action | null): boolean => action === 'dismiss' || action === 'release'

/** The filters of the queue, from its URL: `/queue?kind=message&reason=spam`. Empty and null mean no filter. */
export type Shown = {
  status: (typeof statuses)[number]
  kind: Kind | ''
  reason: Reason | ''
  subject: string
  target: Target | ''
  by: (typeof sources)[number] | ''
  outcome: (typeof outcomes)[number] | ''
  automated: (typeof automations)[number] | ''
  overdue: 'true' | ''
  /** The periods in which the reports were filed and decided. */
  filed: Period | null
  decided: Period | null
}

export function shownOf(search: URLSearchParams): Shown {
  const oneOf = <Value extends string>(values: readonly Value[], name: string) =>
    values.find((value) => value === search.get(name))
  return {
    status: oneOf(statuses, 'status') ?? 'open',
    kind: oneOf(kinds, 'kind') ?? '',
    reason: oneOf(reasons, 'reason') ?? '',
    subject: search.get('subject') ?? '',
    target: oneOf(targets, 'target') ?? '',
    by: oneOf(sources, 'by') ?? '',
    outcome: oneOf(outcomes, 'outcome') ?? '',
    automated: oneOf(automations, 'automated') ?? '',
    overdue: oneOf(['true'], 'overdue') ?? '',
    filed: periodOf(search),
    decided: periodOf(search, 'decided_'),
  }
}

/** The URL of a filtered queue, optionally with an open report. */
export function addressOf({ filed, decided, status, ...filters }: Partial<Shown>, id?: string): string {
  const search = new URLSearchParams()
  if (status && status !== 'open') search.set('status', status)
  for (const [name, value] of Object.entries(filters)) if (value) search.set(name, value)
  for (const [name, value] of Object.entries(filed ?? {})) search.set(name, value)
  for (const [name, value] of Object.entries(decided ?? {})) search.set(`decided_${name}`, value)
  const query = search.toString()
  return `/queue${id === undefined ? '' : `/${id}`}${query && `?${query}`}`
}

/** The filters as query parameters of the API. */
export function queryOf({ status, kind, reason, subject, target, by, outcome, ...rest }: Shown) {
  const { automated, overdue, filed, decided } = rest
  const [of, when] = [filed && instants(filed), decided && instants(decided)]
  return {
    ...(status !== 'any' && { status }),
    ...(kind && { kind }),
    ...(reason && { reason }),
    ...(subject && { subject_id: subject }),
    ...(target && { target }),
    ...(by && { reported_by: by }),
    ...(outcome && { outcome }),
    ...(automated && { automated }),
    ...(overdue && { overdue }),
    ...of,
    ...(when && { decided_from: when.from, decided_to: when.to }),
  }
}

/** The active filters that have no control on the screen: the text of each, and the change that removes it. */
export function narrowedBy(t: T, shown: Shown): { without: Partial<Shown>; text: string }[] {
  const { subject, target, by, outcome, automated, overdue, filed, decided } = shown
  const found: { without: Partial<Shown>; text: string }[] = []
  if (subject) found.push({ without: { subject: '' }, text: t('queue.oneSubject') })
  if (overdue) found.push({ without: { overdue: '' }, text: t('queue.onlyOverdue') })
  if (target) found.push({ without: { target: '' }, text: t(`queue.onlyTarget.${target}`) })
  if (by) found.push({ without: { by: '' }, text: t(`queue.onlyBy.${by}`) })
  if (outcome) {
    const text = t('queue.onlyOutcome', {
      outcome: outcome === 'measure' ? t('queue.outcome.measure') : actionText(t, outcome),
    })
    found.push({ without: { outcome: '' }, text })
  }
  if (automated) found.push({ without: { automated: '' }, text: t(`queue.onlyAutomated.${automated}`) })
  if (filed) found.push({ without: { filed: null }, text: t('queue.onlyFiled', filed) })
  if (decided) found.push({ without: { decided: null }, text: t('queue.onlyDecided', decided) })
  return found
}

export const reasonText = (t: T, reason: Reason): string => t(`queue.reason.${reason}`)
export const kindText = (t: T, kind: Kind): string => t(`queue.kind.${kind}`)
export const actionText = (t: T, action: Action): string => t(`queue.action.${action}`)
