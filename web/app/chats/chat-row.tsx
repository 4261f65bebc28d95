import type { Chat } from 'convene-client'
import { usePresence, useSession, useTyping } from 'convene-client/react'
import { BellOff } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { shortTime } from '../../shared/dates.ts'
import { Avatar } from '../../shared/ui/avatar.tsx'
import { type T, useLanguage } from '../language.tsx'
import { useToday } from '../today.ts'
import styles from './chats.module.css'

/** One chat in the list: the other member, the last message and its time, and the unread count. */
export const ChatRow = memo(function ChatRow({ chat, isOpen }: { chat: Chat; isOpen: boolean }) {
  const { t, language } = useLanguage()
  const me = useSession(({ user }) => user?.id)
  const { online } = usePresence(chat.user.id)
  const isTyping = useTyping(chat.id)
  const now = useToday()
  const name = chat.user.name ?? t('people.nameless')
  const at = new Date(chat.last_msg_at ?? chat.created_at)
  return (
    <Link href={`/chats/${chat.id}`} className={styles.chat} aria-current={isOpen ? 'page' : undefined}>
      <Avatar name={name} photo={chat.user.photo_thumb} size={52} online={online} />
      <span className={styles.words}>
        <span className={styles.top}>
          <bdi className={styles.name}>{name}</bdi>
          {online && <span className="unseen">, {t('people.online')}</span>}
          {chat.muted_until !== null && (
            <>
              <BellOff size={14} aria-hidden />
              <span className="unseen">, {t('chats.muted')}</span>
            </>
          )}
          <time dateTime={at.toISOString()} className={styles.time}>
            {shortTime(language, at, now)}
          </time>
        </span>
        <span className={styles.bottom}>
          <span className={`${styles.last} ${isTyping ? styles.typing : ''}`} dir="auto">
            {isTyping ? t('chats.typing') : lastText(t, chat, me)}
          </span>
          {chat.unread_count > 0 && (
            <span className={`${styles.unread} ${chat.muted_until === null ? '' : styles.calm}`}>
              <span aria-hidden>{chat.unread_count > 99 ? '99+' : chat.unread_count}</span>
              <span className="unseen">{t('places.unread', { count: chat.unread_count })}</span>
            </span>
          )}
        </span>
      </span>
    </Link>
  )
})

function lastText(t: T, { last_message }: Chat, me: string | undefined): string {
  if (last_message === null) return t('chats.noMessage')
  const text = last_message.deleted
    ? t('chats.deleted')
    : (last_message.text ?? (last_message.kind === 'text' ? '' : t(`chats.kind.${last_message.kind}`)))
  return last_message.sender_id === me ? t('chats.mine', { text }) : text
}
