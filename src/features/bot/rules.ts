/** Languages that the bot speaks. */
export type BotLanguage = 'en' | 'ru'

export const botLanguageOf = (code: unknown): BotLanguage =>
  typeof code === 'string' && /^ru(?:$|[-_])/i.test(code) ? 'ru' : 'en'

/** `stopped` by the user's `/stop`, `refused` by the messenger: the user has blocked the bot. */
export type PermissionState = 'granted' | 'stopped' | 'refused'

export type PermissionCause =
  /** They wrote `/start`, or let the mini-app's bot write when it asked. */
  | 'start'
  | 'write_access'
  /** Init data says that they let the bot write, now or long ago. */
  | 'init_data'
  | 'stop'
  /** The messenger refuses messages to them. */
  | 'forbidden'

/** Whether the bot may write to a user after this cause. Null: nothing is known, and it may not. */
function permissionAfter(before: PermissionState | null, cause: PermissionCause): PermissionState | null {
  switch (cause) {
    case 'start':
    case 'write_access':
      return 'granted'
    case 'init_data':
      // The messenger does not know our `/stop`: its init data still says that the bot may write.
      return before === 'stopped' ? 'stopped' : 'granted'
    case 'stop':
      return 'stopped'
    case 'forbidden':
      return before === 'granted' ? 'refused' : before
  }
}

type Permission = { messenger_id: string; state: PermissionState; changed_at: number }

/** The permission of an account after this cause; null if there is none to store. One for another chat does not count. */
export function changedPermission(
  before: Permission | null,
  { messenger_id }: { messenger_id: string },
  cause: PermissionCause,
  at: number,
): Omit<Permission, 'messenger_id'> | null {
  const known = before?.messenger_id === messenger_id ? before : null
  const state = permissionAfter(known?.state ?? null, cause)
  return state && { state, changed_at: known?.state === state ? known.changed_at : at }
}

/** Whether the bot may write to the user. Its channels end when it may not. */
export const mayWrite = (state: PermissionState): boolean => state === 'granted'

/** An update of the messenger that the bot acts on. */
export type BotUpdate = {
  update_id: number
  /** The user, and the chat with them: in a private chat both have the same id. */
  messenger_id: string
  language: BotLanguage
  cause: Exclude<PermissionCause, 'init_data'>
  /** The `start` parameter of the link to the bot. */
  start_param: string | null
}

type Fields = Record<string, unknown>
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

/**
 * Reads an update of the Telegram Bot API (https://core.telegram.org/bots/api#update). Null if the bot does not act on it.
 */
export function readUpdate(update: unknown): BotUpdate | null {
  const { update_id, message, my_chat_member } = fieldsOf(update)
  if (!Number.isSafeInteger(update_id) || Number(update_id) < 0) return null
  const content = message === undefined ? fieldsOf(my_chat_member) : fieldsOf(message)
  const [chat, from] = [fieldsOf(content.chat), fieldsOf(content.from)]
  const isOurs = chat.type === 'private' && Number.isSafeInteger(from.id) && Number(from.id) > 0 && chat.id === from.id
  if (!isOurs || from.is_bot === true) return null
  const cause = message === undefined ? causeOfMembership(content) : causeOfMessage(content)
  if (cause === null) return null
  return {
    update_id: Number(update_id),
    messenger_id: String(from.id),
    language: botLanguageOf(from.language_code),
    ...cause,
  }
}

type Cause = Pick<BotUpdate, 'cause' | 'start_param'>

function causeOfMessage(message: Fields): Cause | null {
  if (message.write_access_allowed !== undefined) return { cause: 'write_access', start_param: null }
  const text = typeof message.text === 'string' ? message.text : ''
  const [, command, param] = /^\/(start|stop)(?:@\w{1,64})?(?:\s+([A-Za-z0-9_-]{1,64})\s*|\s.*)?$/s.exec(text) ?? []
  if (command === 'stop') return { cause: 'stop', start_param: null }
  return command === 'start' ? { cause: 'start', start_param: param ?? null } : null
}

/** A change of the membership in the chat with the bot: `kicked` means that the user has blocked it. */
function causeOfMembership(change: Fields): Cause | null {
  return fieldsOf(change.new_chat_member).status === 'kicked' ? { cause: 'forbidden', start_param: null } : null
}

/** The shortest time between two reminders of open reports to one moderator. */
const reminderPause = 5 * 60_000

/** A moderator's newest open report, and the last reminder: when it was sent, and the newest report that it covered. */
type ReminderState = { newest: number | null; told_at: number | null; told_until: number | null; now: number }

/** In how many milliseconds to remind a moderator of open reports; null if they know of all of them. */
export function reminderDueIn({ newest, told_at, told_until, now }: ReminderState): number | null {
  if (newest === null || (told_until !== null && newest <= told_until)) return null
  // A `told_at` in the future means that the clock was set back: do not wait for it.
  return told_at === null || told_at > now ? 0 : Math.max(0, told_at + reminderPause - now)
}
