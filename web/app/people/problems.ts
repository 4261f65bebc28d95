import type { Problem } from 'convene-client'
import type { T } from '../language.tsx'
import { failureText } from '../requests.ts'

/** The text of a problem with a person or a chat. Null means that the request got no answer. */
export function problemText(t: T, problem: Problem | null): string {
  switch (problem?.code) {
    // Both members of the chat read it, and it must not say who has blocked the other.
    case 'blocked':
      return t('people.problem.blocked')
    case 'not_found':
      return t('people.problem.gone')
    case 'awaiting_reply':
      return t('people.problem.awaitingReply')
    case 'message_deleted':
      return t('people.problem.messageDeleted')
  }
  return failureText(t, problem ?? 'offline')
}
