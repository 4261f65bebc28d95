import { Undo2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Keys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { actionText, type Report, reasonText } from './reports.ts'
import styles from './queue.module.css'

export type Decided = { report: Report; at: number }

/** How long a decision can be undone, in seconds. Then the server carries it out, even if this page is closed. */
export const undoS = 10

type Props = { decided: Decided; busy: boolean; onUndo: () => void; onOver: () => void }

/** The last decision, with the seconds left to undo it. */
export function UndoBar({ decided: { report, at }, busy, onUndo, onOver }: Props) {
  const { t } = useLanguage()
  const [left, setLeft] = useState(undoS)
  useEffect(() => {
    const update = () => {
      const seconds = Math.ceil((at + undoS * 1000 - Date.now()) / 1000)
      setLeft(seconds)
      if (seconds <= 0) onOver()
    }
    update()
    const timer = setInterval(update, 250)
    return () => clearInterval(timer)
  }, [at, onOver])
  const action = report.pending?.action ?? report.resolution?.action ?? 'dismiss'
  return (
    <div className={styles.undo}>
      <p role="status">{t('queue.decided', { action: actionText(t, action), reason: reasonText(t, report.reason) })}</p>
      <Button busy={busy} icon={<Undo2 size={14} aria-hidden />} onClick={onUndo}>
        {t('queue.undo')}
        <Keys keys="z" />
        <span className={styles.left} aria-hidden>
          {left}
        </span>
      </Button>
    </div>
  )
}
