import type { BotLanguage, BotUpdate, PermissionCause, PermissionState } from './rules.ts'

/** The bot's chat with a user. */
export type BotChat = { messenger_id: string; language: BotLanguage }

/** A moderator whom the bot may write to. Times are milliseconds. */
export type ReachableModerator = BotChat & { user_id: string; told_at: number | null; told_until: number | null }

export type BotStore = {
  /**
   * Remembers an update and applies it to the permission of the account with that messenger id, in one step. `repeated`: it
   * was remembered before, and nothing changes. `account`: whether there is such an account.
   */
  apply(update: BotUpdate, at: number): Promise<'repeated' | { account: boolean }>
  /** Changes the permission of an account after its own login; does nothing if it is erased. */
  note(userId: string, chat: BotChat, cause: PermissionCause, at: number): Promise<void>
  /** Records that the messenger refuses messages to this chat. */
  refused(messengerId: string, at: number): Promise<void>
  /** Where the bot may write to a user. Null if it may not. */
  chatOf(userId: string): Promise<BotChat | null>
  /** What is stored about a user. */
  ofUser(userId: string): Promise<{ state: PermissionState; language: BotLanguage; changed_at: number } | null>
  /** The moderators and admins whom the bot may write to, without suspended ones. */
  moderators(now: number): Promise<ReachableModerator[]>
  /** The open reports that do not concern the reader; times are when they were filed. */
  openReports(reader: string): Promise<{ count: number; oldest: number | null; newest: number | null }>
  /** Records that a moderator is reminded at this time; false if `before` is no longer the time of their last reminder. */
  claimReminder(userId: string, before: number | null, at: number): Promise<boolean>
  /** Records the time of the newest report that a moderator was reminded of. */
  remindedUntil(userId: string, until: number): Promise<void>
  /** Removes up to `limit` updates that were remembered before that time. Returns how many. */
  removeUpdates(before: number, limit: number): Promise<number>
}
