import { type ReactNode, useEffect, useId, useRef } from 'react'
import { X } from 'lucide-react'
import { IconButton } from './button.tsx'
import styles from './sheet.module.css'

type Props = { title: string; closeLabel: string; onClose: () => void; children: ReactNode }

/**
 * A dialog that comes up from below, and in the middle on wide screens. It is the browser's own modal dialog: the focus stays
 * in it, Escape closes it, and the focus returns to where it was.
 */
export function Sheet({ title, closeLabel, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    const before = document.activeElement
    if (shown && !shown.open) shown.showModal()
    return () => {
      shown?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={styles.sheet}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className={styles.content}>
        <div className={styles.header}>
          <h2 id={id}>{title}</h2>
          <IconButton label={closeLabel} onClick={onClose}>
            <X size={20} aria-hidden />
          </IconButton>
        </div>
        {children}
      </div>
    </dialog>
  )
}
