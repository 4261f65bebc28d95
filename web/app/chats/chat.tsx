import {
  useChat,
  useConnection,
  useConvene,
  useMessages,
  usePresence,
  useSession,
  useStore,
  useTyping,
} from 'convene-client/react'
import { MoreVertical, WifiOff } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import type { Chat as ChatInfo, ChatMessage } from 'convene-client'
import { Avatar } from '../../shared/ui/avatar.tsx'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { problemText } from '../people/problems.ts'
import { useHeading } from '../../shared/ui/focus.ts'
import { BackLink, useTitle } from '../people/screen.tsx'
import { useSeenText } from '../people/seen.ts'
import styles from './chat.module.css'
import { ChatSheet } from './chat-sheet.tsx'
import { Composer } from './composer.tsx'
import { draftKey, edits } from './drafts.ts'
import { MessageList } from './message-list.tsx'
import { MessageSheet } from './message-sheet.tsx'
import { PhotoDialog } from './photo-dialog.tsx'

/** One conversation, on a screen of its own or beside the list of chats. */
export default function Chat({ isBeside = false }: { isBeside?: boolean }) {
  const { id = '' } = useParams()
  return <ChatOf key={id} id={id} isBeside={isBeside} />
}

function ChatOf({ id, isBeside }: { id: string; isBeside: boolean }) {
  const { t } = useLanguage()
  const chat = useChat(id)
  const info = useStore(chat.info)
  const problem = useMessages(id, ({ problem }) => problem)
  const isEmpty = useMessages(id, ({ items }) => items.length === 0)
  const me = useSession(({ user }) => user?.id)
  const [editing, setEditing] = useState<ChatMessage | null>(() => edits.get(draftKey(me, id))?.message ?? null)
  // An edit takes its field, and the focus in it, away at its end: the field for the next message takes the focus over.
  const [hasEdited, setHasEdited] = useState(false)
  const [open, setOpen] = useState<ChatMessage | 'chat' | null>(null)
  const [photo, setPhoto] = useState<ChatMessage | null>(null)
  const name = info ? (info.user.name ?? t('people.nameless')) : t('chats.chat')
  useTitle(name)

  function edit(message: ChatMessage | null) {
    setHasEdited(true)
    setEditing(message)
  }

  return (
    <section className={`${styles.chat} ${isBeside ? styles.isBeside : ''}`}>
      <Header id={id} info={info} name={name} isBeside={isBeside} onMenu={() => setOpen('chat')} />
      {problem && isEmpty ? (
        <div className={styles.failed}>
          <State
            icon={<WifiOff size={32} />}
            title={problemText(t, problem)}
            action={
              problem.code === 'not_found' || problem.code === 'not_a_member' ? (
                <Link href="/chats">{t('places.chats')}</Link>
              ) : (
                <Button onClick={() => void chat.load()}>{t('app.retry')}</Button>
              )
            }
          />
        </div>
      ) : (
        <MessageList chatId={id} name={name} onMenu={setOpen} onPhoto={setPhoto} />
      )}
      <Waiting id={id} name={name} />
      <Composer
        key={editing?.key ?? 'new'}
        chatId={id}
        name={name}
        editing={editing}
        takesFocus={hasEdited}
        onDone={() => edit(null)}
      />
      {open === 'chat' && info && <ChatSheet chat={info} name={name} onClose={() => setOpen(null)} />}
      {open !== null && open !== 'chat' && (
        <MessageSheet
          chatId={id}
          message={open}
          name={name}
          userId={info?.user.id ?? ''}
          onEdit={() => edit(open)}
          onClose={() => setOpen(null)}
        />
      )}
      {photo && <PhotoDialog message={photo} onClose={() => setPhoto(null)} />}
    </section>
  )
}

type HeaderProps = { id: string; info: ChatInfo | null; name: string; isBeside: boolean; onMenu: () => void }

function Header({ id, info, name, isBeside, onMenu }: HeaderProps) {
  const { t } = useLanguage()
  // The list beside it has the page's h1.
  const Name = isBeside ? 'h2' : 'h1'
  const heading = useHeading()
  return (
    <header className={styles.header}>
      {!isBeside && <BackLink to="/chats" />}
      {info ? (
        <Link href={`/people/${info.user.id}`} className={styles.who}>
          <Avatar name={name} photo={info.user.photo_thumb} size={40} />
          <span className={styles.whoText}>
            <Name ref={heading} tabIndex={-1} dir="auto">
              {name}
            </Name>
            <Status chatId={id} userId={info.user.id} />
          </span>
        </Link>
      ) : (
        <span className={styles.who}>
          <Name ref={heading} tabIndex={-1} dir="auto">
            {name}
          </Name>
        </span>
      )}
      {info && (
        <IconButton label={t('chats.menu')} onClick={onMenu}>
          <MoreVertical size={22} aria-hidden />
        </IconButton>
      )}
    </header>
  )
}

/** The other member's state: typing, online, or when they were last seen. */
function Status({ chatId, userId }: { chatId: string; userId: string }) {
  const { t } = useLanguage()
  const isTyping = useTyping(chatId)
  const presence = usePresence(userId)
  const seen = useSeenText(presence)
  const isConnecting = useConnection(({ state }) => state === 'connecting')
  const text = isConnecting ? t('chats.connecting') : isTyping ? t('chats.typing') : seen
  return (
    <span className={`${styles.status} ${isTyping || presence.online ? styles.live : ''}`} role="status">
      {text}
    </span>
  )
}

/** Explains that a stranger may write only a few messages until the other member answers, after one was refused for that. */
function Waiting({ id, name }: { id: string; name: string }) {
  const { t } = useLanguage()
  const { session } = useConvene()
  const me = useStore(session, ({ user }) => user?.id)
  const isWaiting = useMessages(
    id,
    ({ items }) =>
      items.some(({ problem }) => problem?.code === 'awaiting_reply') &&
      items.every(({ sender_id }) => sender_id === me),
  )
  if (!isWaiting) return null
  return (
    <p className={styles.waiting} role="status">
      {t('chats.awaitingReply', { name })}
    </p>
  )
}
