import type { AuditEntry } from '../audit/store.ts'
import type { ContactKind } from './contacts.ts'

/**
 * What a rule applies to. `first_message` are the messages to somebody who has not written in the chat yet, `photo` is the photo
 * of a profile.
 */
export const ruleSubjects = ['message', 'first_message', 'name', 'bio', 'review', 'photo'] as const
export type RuleSubject = (typeof ruleSubjects)[number]

export const ruleActions = ['refuse', 'hold', 'flag', 'note'] as const
export type RuleAction = (typeof ruleActions)[number]

export type Match =
  | { type: 'words'; words: string[] }
  | { type: 'pattern'; pattern: string }
  /** Any link, or those to these domains and their subdomains. */
  | { type: 'link'; domains?: string[] | null }
  | { type: 'contact'; kinds?: ContactKind[] | null }
  /** The same text to that many people who have not answered, within that time. */
  | { type: 'repeated'; people: number; within_h: number }
  /** An image within this distance of a banned one. The default is `usualDistance`. */
  | { type: 'image'; distance?: number | null }

export type Rule = {
  id: string
  /** Shown to admins and moderators. */
  name: string
  on: boolean
  applies_to: RuleSubject[]
  match: Match
  action: RuleAction
  /** Shown to the sender on refusal and, with `note`, to the recipient of the message. */
  public_text: string | null
  /** The rule applies only to accounts that meet all of these conditions. */
  scope: { account_younger_than_h?: number | null; unverified?: boolean | null }
}

export const ruleChanges = ['created', 'changed', 'deleted', 'imported'] as const

export type RuleVersion = {
  version: number
  change: (typeof ruleChanges)[number]
  /** The rule that was changed; null for an import. */
  rule_id: string | null
  rule_count: number
  /** Null for the command line. */
  actor_id: string | null
  at: number
}

export type FilterStore = {
  /** The newest version's number; 0 if there is none. */
  newest(): Promise<number>
  /** The newest version and its rules; null if there is none. */
  rules(): Promise<{ version: number; rules: Rule[] } | null>
  /**
   * Adds a version with its audit entry, and removes all but the newest `keep`. False if another change has taken its number.
   */
  add(version: RuleVersion, rules: readonly Rule[], entry: AuditEntry, keep: number): Promise<boolean>
  /** Newest first, from below that number. */
  versions(below: number, limit: number): Promise<RuleVersion[]>
  /** Records that a user has opened a chat with this text. Returns in how many chats they have done so since that time. */
  noteOpener(
    opener: { user_id: string; text_hash: string; chat_id: string; at: number },
    since: number,
  ): Promise<number>
}
