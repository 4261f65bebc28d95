import type { Problem } from 'convene-client'
import type { useLanguage } from '../language.tsx'

export type T = ReturnType<typeof useLanguage>['t']

/** The text of a problem: what happened, and what to do. Null means that the request got no answer. */
export function problemText(t: T, problem: Problem | null): string {
  if (problem === null) return t('people.problem.offline')
  if (problem.code === 'rate_limited') return t('people.problem.rateLimited')
  if (problem.code === 'blocked' || problem.code === 'not_found') return t('people.problem.gone')
  if (problem.code === 'consents_required') return t('people.problem.consents')
  if (problem.code === 'email_not_verified') return t('people.problem.verify')
  if (problem.code === 'awaiting_reply') return t('people.problem.awaitingReply')
  if (problem.code === 'unsupported_media_type') return t('people.problem.photoKind')
  if (problem.code === 'payload_too_large') return t('people.problem.photoSize')
  if (problem.code === 'message_deleted') return t('people.problem.messageDeleted')
  return problem.status >= 500 ? t('people.problem.server') : t('people.problem.other')
}
