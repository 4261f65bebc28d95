import type { ChatMessage } from 'convene-client'
import { X } from 'lucide-react'
import { IconButton } from '../../shared/ui/button.tsx'
import { useDialog } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'
import styles from './chat.module.css'

/** A photo in full size. Escape, the button, or a click beside the photo closes it. */
export function PhotoDialog({ message: { photo, text }, onClose }: { message: ChatMessage; onClose: () => void }) {
  const { t } = useLanguage()
  const dialog = useDialog(onClose)
  if (!photo) return null
  return (
    <dialog {...dialog} className={styles.viewer} aria-label={t('chats.kind.photo')}>
      <IconButton label={t('app.close')} onClick={onClose} className={styles.closePhoto}>
        <X size={24} aria-hidden />
      </IconButton>
      <img
        src={photo.url}
        alt={text ?? t('chats.kind.photo')}
        width={photo.width}
        height={photo.height}
        style={{ backgroundImage: `url("${photo.placeholder}")` }}
      />
      {text && <p dir="auto">{text}</p>}
    </dialog>
  )
}
