import type { components } from 'convene-client'
import type { T } from '../language.tsx'

export type Report = components['schemas']['ReportWithEvidence']
export type QueuedReport = components['schemas']['QueuedReport']
export type Counts = components['schemas']['QueueCounts']
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
export const statuses = ['open', 'resolved'] as const

/** What can be decided about a report, with the key of each. */
export function actionsOf({ kind }: Pick<Report, 'kind'>): readonly { action: Action; key: string }[] {
  // A held message arrives or does not.
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

/** Nobody is told the words of these decisions. */
export const isSilent = (action: Action | null): boolean => action === 'dismiss' || action === 'release'

/** What the queue shows, as its address says: `/queue?kind=message&reason=spam`. */
export type Shown = { status: (typeof statuses)[number]; kind: Kind | ''; reason: Reason | ''; subject: string }

export function shownOf(search: URLSearchParams): Shown {
  const oneOf = <Value extends string>(values: readonly Value[], name: string) =>
    values.find((value) => value === search.get(name))
  return {
    status: oneOf(statuses, 'status') ?? 'open',
    kind: oneOf(kinds, 'kind') ?? '',
    reason: oneOf(reasons, 'reason') ?? '',
    subject: search.get('subject') ?? '',
  }
}

/** The address of what is shown, with or without one report open. */
export function addressOf({ status, kind, reason, subject }: Shown, id?: string): string {
  const search = new URLSearchParams()
  if (status !== 'open') search.set('status', status)
  if (kind) search.set('kind', kind)
  if (reason) search.set('reason', reason)
  if (subject) search.set('subject', subject)
  const query = search.toString()
  return `/queue${id === undefined ? '' : `/${id}`}${query && `?${query}`}`
}

export const reasonText = (t: T, reason: Reason): string => t(`queue.reason.${reason}`)
export const kindText = (t: T, kind: Kind): string => t(`queue.kind.${kind}`)
export const actionText = (t: T, action: Action): string => t(`queue.action.${action}`)
