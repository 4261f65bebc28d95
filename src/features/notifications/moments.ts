import type { ChannelKind, Notification } from '../../outbox/push.ts'
import type { Occasion } from '../../outbox/store.ts'
import { mailLanguageOf } from '../../outbox/mail/mails.ts'
import type { Consents } from '../auth/consents.ts'
import type { ChatStore } from '../chats/store.ts'
import { notificationVerdict, tagOf, type ChatMoment, type Moment, type Recipient, type Verdict } from './rules.ts'
import type { Account, ChatState, NotificationStore } from './store.ts'
import { type NotificationContent, wordsOf } from './texts.ts'

/** The verdict on a notification as of now. `ref` is the id of the newest thing that it is about. */
type CurrentNotification = { verdict: Verdict; ref: string; render(): Promise<Notification> }

type Deps = {
  store: NotificationStore
  chats: Pick<ChatStore, 'unreadTotal'>
  consents: Pick<Consents, 'missing'>
  /** Whether a socket of a user is in the foreground, on any node. */
  isForeground(userId: string): Promise<boolean>
  consentGate: boolean
  emailRequired: boolean
  community: string
  now: () => number
}

export type Moments = ReturnType<typeof openMoments>

/** Loads the current state that a notification depends on, and asks the rule. */
export function openMoments(deps: Deps) {
  const { store, chats, consents, isForeground, consentGate, emailRequired, community, now } = deps
  const isSuspended = (until: number | null) => until !== null && until > now()

  async function recipientOf(userId: string, account: Account): Promise<Recipient> {
    const gate =
      emailRequired && account.has_unverified_email
        ? ('email' as const)
        : consentGate && (await consents.missing(userId)).length > 0
          ? ('consents' as const)
          : null
    return {
      erased: account.erased,
      suspended: isSuspended(account.suspended_until),
      gate,
      preferences: account.preferences,
      foreground: await isForeground(userId),
    }
  }

  const chatMoment = (chat: ChatState | null): ChatMoment =>
    chat && {
      blocked: chat.blocked,
      otherErased: chat.other.erased,
      otherSuspended: isSuspended(chat.other.suspended_until),
      mutedUntil: chat.muted_until,
      newest: chat.newest,
      isEmpty: chat.is_empty,
    }

  /** The state for the rule, and the content of the notification. */
  async function stateOf(
    userId: string,
    account: Account,
    occasion: Occasion,
  ): Promise<{
    moment: Moment
    ref: string
    content(show: Occasion['about']): NotificationContent
    chatId: string | null
  }> {
    const base = { now: now(), recipient: await recipientOf(userId, account) }
    switch (occasion.about) {
      case 'message':
      case 'chat': {
        const { about, chat_id } = occasion
        const chat = await store.chat(chat_id, userId)
        const name = chat?.other.name ?? '…'
        return {
          moment: { ...base, about, chat: chatMoment(chat) },
          ref: chat?.newest?.id ?? chat_id,
          chatId: chat_id,
          content: (show) =>
            show === 'message'
              ? { about: show, name, kind: chat?.newest?.kind ?? 'text', text: chat?.newest?.text ?? null }
              : { about: 'chat', name },
        }
      }
      case 'review': {
        const exists = await store.hasReview(occasion.review_id, userId)
        const content = () => ({ about: 'review' as const })
        return { moment: { ...base, about: 'review', exists }, ref: occasion.review_id, content, chatId: null }
      }
      case 'notice': {
        const exists = await store.hasNotice(occasion.notice_id, userId)
        const content = () => ({ about: 'notice' as const })
        return { moment: { ...base, about: 'notice', exists }, ref: occasion.notice_id, content, chatId: null }
      }
      case 'report': {
        const isModerator = account.role !== 'user'
        const { count, oldest } = isModerator ? await store.openReports(userId) : { count: 0, oldest: null }
        return {
          moment: { ...base, about: 'report', open: count, isModerator },
          // Every reminder is new.
          ref: String(base.now),
          content: () => ({ about: 'report', open: count, oldestMs: base.now - (oldest ?? base.now) }),
          chatId: null,
        }
      }
    }
  }

  const notificationOf = async (
    userId: string,
    account: Account,
    content: NotificationContent,
    { tag, chatId }: { tag: string; chatId: string | null },
  ): Promise<Notification> => {
    const language = mailLanguageOf(account.language)
    return {
      kind: content.about,
      tag,
      ...wordsOf(content, account.preferences.preview, language, community),
      chat_id: chatId,
      unread: await chats.unreadTotal(userId),
      language,
    }
  }

  return {
    /** Null if there is no such account. */
    async of(userId: string, occasion: Occasion): Promise<CurrentNotification | null> {
      const account = await store.account(userId)
      if (account === null) return null
      const { moment, ref, content, chatId } = await stateOf(userId, account, occasion)
      const verdict = notificationVerdict(moment)
      return {
        verdict,
        ref,
        render() {
          const show = typeof verdict === 'object' ? verdict.show : occasion.about
          return notificationOf(userId, account, content(show), { tag: tagOf(occasion), chatId })
        },
      }
    },

    /** A test notification; null if the account may get none. */
    async test(userId: string): Promise<Notification | null> {
      const account = await store.account(userId)
      if (account === null || account.erased || isSuspended(account.suspended_until)) return null
      return notificationOf(userId, account, { about: 'test' }, { tag: 'test', chatId: null })
    },

    /** Whether a channel of the bot still belongs to the account. */
    async isOwnMessenger(userId: string, kind: ChannelKind, target: object): Promise<boolean> {
      if (kind !== 'telegram') return true
      const account = await store.account(userId)
      return 'messenger_id' in target && account?.messenger_id === target.messenger_id
    },
  }
}
