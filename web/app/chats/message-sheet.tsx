import type { ChatMessage } from 'convene-client'
import { useChat, useSession } from 'convene-client/react'
import { Copy, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { useLanguage } from '../language.tsx'
import { ReportForm } from '../people/report-sheet.tsx'
import styles from './chat.module.css'

type Props = {
  chatId: string
  message: ChatMessage
  name: string
  userId: string
  onEdit: () => void
  onClose: () => void
}

/** The actions for a message: edit and delete one's own, report another person's. */
export function MessageSheet({ chatId, message, name, userId, onEdit, onClose }: Props) {
  const { t } = useLanguage()
  const toast = useToast()
  const isMine = useSession(({ user }) => user?.id === message.sender_id)
  const { text } = message
  const [isDeleting, setIsDeleting] = useState(false)

  async function copy() {
    onClose()
    try {
      await navigator.clipboard.writeText(text ?? '')
      toast(t('chats.copied'))
    } catch {
      toast(t('app.failed'))
    }
  }

  if (isDeleting) return <DeleteSheet chatId={chatId} messageId={message.id} onClose={onClose} />
  return (
    <Sheet
      title={t(isMine ? 'chats.yourMessage' : 'people.reportMessage')}
      closeLabel={t('app.close')}
      onClose={onClose}
    >
      <div className={styles.actions}>
        {text && (
          <button type="button" className={styles.action} onClick={() => void copy()}>
            <Copy size={20} aria-hidden /> {t('chats.copy')}
          </button>
        )}
        {isMine && (
          <>
            <button
              type="button"
              className={styles.action}
              onClick={() => {
                onClose()
                onEdit()
              }}
            >
              <Pencil size={20} aria-hidden /> {t('chats.edit')}
            </button>
            <button
              type="button"
              className={`${styles.action} ${styles.dangerous}`}
              onClick={() => setIsDeleting(true)}
            >
              <Trash2 size={20} aria-hidden /> {t('chats.delete')}
            </button>
          </>
        )}
      </div>
      {!isMine && <ReportForm about={{ message_id: message.id }} userId={userId} name={name} onClose={onClose} />}
    </Sheet>
  )
}

/** Asks before a message is deleted, because that cannot be undone. */
function DeleteSheet({ chatId, messageId, onClose }: { chatId: string; messageId: string; onClose: () => void }) {
  const { t } = useLanguage()
  const chat = useChat(chatId)
  return (
    <Sheet title={t('chats.deleteTitle')} closeLabel={t('app.close')} onClose={onClose}>
      <div className={styles.form}>
        <p>{t('chats.deleteHint')}</p>
        <Button
          look="danger"
          wide
          onClick={() => {
            void chat.remove(messageId)
            onClose()
          }}
        >
          {t('chats.delete')}
        </Button>
        <Button look="quiet" wide onClick={onClose}>
          {t('people.cancel')}
        </Button>
      </div>
    </Sheet>
  )
}
