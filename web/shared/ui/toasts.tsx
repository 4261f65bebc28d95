import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { leaveFocus } from './focus.ts'
import styles from './toasts.module.css'

type Toast = { id: number; text: string; action?: { label: string; run: () => void } }
type Show = (text: string, action?: Toast['action']) => void

const ToastContext = createContext<Show>(() => {})

/** Shows a short message at the bottom for six seconds, with an optional action. */
export const useToast = (): Show => useContext(ToastContext)

export function Toasts({ children }: { children: ReactNode }) {
  const [toast, setToast] = useState<Toast | null>(null)
  const last = useRef(0)
  const show = useCallback<Show>((text, action) => {
    const id = ++last.current
    setToast({ id, text, ...(action ? { action } : {}) })
    setTimeout(() => setToast((shown) => (shown?.id === id ? null : shown)), 6000)
  }, [])
  return (
    <ToastContext value={show}>
      {children}
      <div className={styles.toasts} role="status" aria-live="polite">
        {toast && (
          <div key={toast.id} className={styles.toast}>
            <span>{toast.text}</span>
            {toast.action && (
              <button
                ref={leaveFocus}
                type="button"
                onClick={() => {
                  toast.action?.run()
                  setToast(null)
                }}
              >
                {toast.action.label}
              </button>
            )}
          </div>
        )}
      </div>
    </ToastContext>
  )
}
