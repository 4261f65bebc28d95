import { type DialogHTMLAttributes, type ReactNode, type Ref, useEffect, useId, useRef } from 'react'
import { X } from 'lucide-react'
import { IconButton } from './button.tsx'
import styles from './sheet.module.css'

type Props = { title: string; closeLabel: string; onClose: () => void; children: ReactNode }

/** Opens the browser's modal dialog: Escape and a click beside the content close it, and the focus returns to where it was. */
export function useDialog(
  onClose: () => void,
): DialogHTMLAttributes<HTMLDialogElement> & { ref: Ref<HTMLDialogElement> } {
  const dialog = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget | null>(null)
  useEffect(() => {
    const shown = dialog.current
    const before = document.activeElement
    if (shown && !shown.open) shown.showModal()
    return () => {
      shown?.close()
      // What opened it may be gone too, as in a chat that is left by a block.
      const isLost = !before?.isConnected && document.activeElement === document.body
      const next = isLost ? document.querySelector('h1') : before
      if (next instanceof HTMLElement) next.focus()
    }
  }, [])
  return {
    ref: dialog,
    onCancel: (event) => {
      event.preventDefault()
      onClose()
    },
    onPointerDown: (event) => {
      pressed.current = event.target
    },
    onClick: (event) => {
      // Selecting text in a field with the mouse may end beside the content: the press counts too.
      if (event.target === event.currentTarget && pressed.current === event.currentTarget) onClose()
    },
  }
}

/** A modal dialog that comes up from below, and in the middle on wide screens. */
export function Sheet({ title, closeLabel, onClose, children }: Props) {
  const id = useId()
  return (
    <dialog {...useDialog(onClose)} className={styles.sheet} aria-labelledby={id}>
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
