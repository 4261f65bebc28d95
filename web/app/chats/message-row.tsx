import type { ChatMessage, OpenChat } from 'convene-client'
import { Check, CheckCheck, Clock, MoreHorizontal, TriangleAlert } from 'lucide-react'
import { memo, useId, useLayoutEffect, useRef } from 'react'
import { timeOf } from '../../shared/dates.ts'
import { Button, IconButton } from '../../shared/ui/button.tsx'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { useLanguage } from '../language.tsx'
import { problemText } from '../people/problems.ts'
import styles from './chat.module.css'
import { MessagePhoto } from './message-photo.tsx'

type Props = {
  chat: OpenChat
  message: ChatMessage
  isMine: boolean
  isFirst: boolean
  isLast: boolean
  name: string
  onMenu: (message: ChatMessage) => void
  onPhoto: (message: ChatMessage) => void
}

/** One message as a bubble, with its time, its marks and its menu, and below it the caution of the operator's rules. */
export const MessageRow = memo(function MessageRow(props: Props) {
  const { message, isMine, isFirst, isLast, name, onMenu, onPhoto } = props
  const { t } = useLanguage()
  const { text, deleted, state, caution } = message
  const cautionId = useId()
  // A message that is deleted loses its menu, and with it the focus. The sheet that asked leaves it where it is then.
  const row = useRef<HTMLElement>(null)
  const wasDeleted = useRef(deleted)
  useLayoutEffect(() => {
    if (deleted && !wasDeleted.current && document.activeElement === document.body)
      row.current?.focus({ preventScroll: true })
    wasDeleted.current = deleted
  }, [deleted])
  const hasMenu = !deleted && state !== 'failed'
  const classes = [
    styles.message,
    isMine ? styles.mine : styles.theirs,
    isFirst && styles.first,
    isLast && styles.last,
    state === 'failed' && styles.refused,
  ]
  return (
    <article
      ref={row}
      tabIndex={deleted ? -1 : undefined}
      className={classes.filter(Boolean).join(' ')}
      aria-label={isMine ? t('chats.you') : name}
      aria-describedby={caution ? cautionId : undefined}
    >
      <div className={styles.line}>
        <div
          className={`${styles.bubble} ${deleted ? styles.tombstone : ''}`}
          onClick={({ target }) => {
            const isOfItself = target instanceof Element && target.closest('button, a') !== null
            if (hasMenu && !isOfItself && matchMedia('(hover: none)').matches) onMenu(message)
          }}
        >
          {deleted ? (
            <p>{t('chats.deleted')}</p>
          ) : (
            <>
              {message.kind === 'photo' && (
                <MessagePhoto message={message} name={isMine ? t('chats.you') : name} onOpen={() => onPhoto(message)} />
              )}
              {text && (
                <p className={styles.text} dir="auto">
                  {text}
                </p>
              )}
            </>
          )}
          <Marks message={message} isMine={isMine} />
        </div>
        {hasMenu && (
          <IconButton label={t('chats.messageMenu')} className={styles.more} onClick={() => onMenu(message)}>
            <MoreHorizontal size={18} aria-hidden />
          </IconButton>
        )}
      </div>
      {caution && (
        <p id={cautionId} className={styles.caution} role="note">
          <TriangleAlert size={16} role="img" aria-label={t('chats.caution')} />
          {/* In one element, so that the description has a space after the icon's name. */}
          <span>{caution}</span>
        </p>
      )}
      {state === 'failed' && <Failed {...props} />}
    </article>
  )
})

function Marks({ message, isMine }: { message: ChatMessage; isMine: boolean }) {
  const { t, language } = useLanguage()
  const { state, read, edited, deleted, created_at } = message
  const at = new Date(created_at)
  return (
    <span className={styles.marks}>
      {edited && !deleted && <span>{t('chats.edited')}</span>}
      <time dateTime={created_at}>{timeOf(language, at)}</time>
      {isMine &&
        !deleted &&
        (state === 'pending' ? (
          <Clock size={14} role="img" aria-label={t('chats.pending')} />
        ) : state === 'sent' ? (
          read ? (
            <CheckCheck size={16} role="img" aria-label={t('chats.read')} />
          ) : (
            <Check size={16} role="img" aria-label={t('chats.sent')} />
          )
        ) : null)}
    </span>
  )
}

/** Why a message was not sent, with buttons to retry and to discard it. */
function Failed({ chat, message }: Pick<Props, 'chat' | 'message'>) {
  const { t } = useLanguage()
  return (
    <div ref={leaveFocus} className={styles.failure} role="alert">
      <p>{t('chats.failed', { reason: problemText(t, message.problem) })}</p>
      <div>
        <Button look="quiet" onClick={() => void chat.retry(message.id)}>
          {t('app.retry')}
        </Button>
        <Button look="quiet" onClick={() => void chat.discard(message.id)}>
          {t('chats.discard')}
        </Button>
      </div>
    </div>
  )
}
