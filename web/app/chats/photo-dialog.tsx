import type { ChatMessage } from 'convene-client'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { IconButton } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import styles from './chat.module.css'

/** A photo as large as the screen. Escape, the button, or a touch beside it closes it. */
export function PhotoDialog({ message: { photo, text }, onClose }: { message: ChatMessage; onClose: () => void }) {
  const { t } = useLanguage()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const shown = dialog.current
    const before = document.activeElement
    if (shown && !shown.open) shown.showModal()
    return () => {
      shown?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  if (!photo) return null
  return (
    <dialog
      ref={dialog}
      className={styles.viewer}
      aria-label={t('chats.kind.photo')}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
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
      {text && <p>{text}</p>}
    </dialog>
  )
}
