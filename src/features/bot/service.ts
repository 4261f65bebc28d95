import type { Ids } from '../../lib/ids.ts'
import type { NewParcel } from '../../outbox/store.ts'
import type { BotText, Telegram } from '../../outbox/telegram/api.ts'
import { TelegramError } from '../../outbox/telegram/error.ts'
import { appLink } from '../../outbox/telegram/links.ts'
import { isGone } from '../../outbox/telegram/sender.ts'
import { shownAge, texts } from '../../outbox/telegram/texts.ts'
import type { BotPermissions } from './permissions.ts'
import { type BotUpdate, readUpdate, reminderDueIn } from './rules.ts'
import type { BotStore, ReachableModerator } from './store.ts'

export type Bot = ReturnType<typeof botService>

type Deps = {
  store: BotStore
  telegram: Pick<Telegram, 'name' | 'send'>
  permissions: Pick<BotPermissions, 'refused'>
  /** The short name of the mini-app; null for the bot's main one. */
  app: string | null
  /** Called when a reply cannot be sent. */
  failed(error: unknown): void
  ids: Ids
  now: () => number
}

/** The bot's own messages: answers to `/start` and `/stop`, and reminders of open reports for moderators. */
export function botService({ store, telegram, permissions, app, failed, ids, now }: Deps) {
  const replies = new Map<string, Promise<void>>()

  async function say(
    chat: string,
    message: Pick<BotText, 'text'>,
    button: { text: string; start: string | null } | null,
  ) {
    const link = button && { text: button.text, url: appLink(await telegram.name(), app, button.start) }
    try {
      await telegram.send(chat, { title: null, ...message, button: link })
    } catch (error) {
      if (error instanceof TelegramError && isGone(error)) await permissions.refused(chat)
      throw error
    }
  }

  /** One at a time for each chat: a user who writes faster than the bot may answer gets one answer. */
  function reply(update: BotUpdate, account: boolean) {
    const { messenger_id: chat, language, cause, start_param } = update
    if (cause === 'forbidden' || cause === 'write_access' || replies.has(chat)) return
    const { greeting, stopped, open } = texts[language]
    const text = cause === 'stop' ? stopped : account ? greeting.account : greeting.noAccount
    const button = cause === 'start' ? { text: open, start: start_param } : null
    const work = say(chat, { text }, button)
      .catch(failed)
      .finally(() => replies.delete(chat))
    replies.set(chat, work)
  }

  /** Reminds one moderator, if there are new reports. Returns in how many milliseconds to try again, or null. */
  async function remind({
    user_id,
    messenger_id,
    language,
    told_at,
    told_until,
  }: ReachableModerator): Promise<number | null> {
    const { count, oldest, newest } = await store.openReports(user_id)
    const at = now()
    const wait = reminderDueIn({ newest, told_at, told_until, now: at })
    if (wait === null || newest === null || oldest === null) return null
    if (wait > 0) return wait
    // Of several nodes that get here at once, one sends the reminder.
    if (!(await store.claimReminder(user_id, told_at, at))) return null
    const { reports, open } = texts[language]
    await say(messenger_id, { text: reports(count, shownAge(at - oldest, language)) }, { text: open, start: null })
    await store.remindedUntil(user_id, newest)
    return null
  }

  return {
    /** Acts on an update once. Throws if it could not be stored, so that the messenger sends it again. */
    async receive(given: unknown): Promise<'done' | 'repeated' | 'ignored'> {
      const update = readUpdate(given)
      if (update === null) return 'ignored'
      const applied = await store.apply(update, now())
      if (applied === 'repeated') return 'repeated'
      reply(update, applied.account)
      return 'done'
    },

    /** The parcel that reminds the moderators of a new report, for the transaction that files it. */
    reminderParcels(): NewParcel<'bot'>[] {
      const at = now()
      const payload = { about: 'open_reports' } as const
      return [{ id: ids.next(), kind: 'bot', user_id: null, payload, created_at: at, due_at: at }]
    },

    /**
     * Reminds each moderator of new open reports. Returns in how many milliseconds to do it again, because somebody was
     * reminded a short time ago; null if nobody has to be reminded.
     */
    async remindModerators(): Promise<number | null> {
      const waits: number[] = []
      let failure: unknown = null
      for (const moderator of await store.moderators(now())) {
        try {
          const wait = await remind(moderator)
          if (wait !== null) waits.push(wait)
        } catch (error) {
          // A moderator who has blocked the bot must not stop the reminders to the others.
          if (!(error instanceof TelegramError && isGone(error))) failure = error
        }
      }
      if (failure !== null) throw failure
      return waits.length === 0 ? null : Math.min(...waits)
    },

    /** Resolves once every reply is sent. */
    async settled(): Promise<void> {
      await Promise.all(replies.values())
    },
  }
}
