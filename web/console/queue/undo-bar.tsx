import { useConvene } from 'convene-client/react'
import { Undo2 } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { Keys, useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { failureText, outcomeOf, useAction } from '../requests.ts'
import { useFocusAfter } from '../ui/focus.ts'
import { actionText, type Report, reasonText } from './reports.ts'
import styles from './queue.module.css'

/** A decision that was made at `at`. Whoever takes it back sees its report at `href`. */
type Decided = { report: Report; href: string; at: number }

/** How long a decision can be undone, in seconds. Then the server carries it out, even if this page is closed. */
export const undoS = 10

type Undo = {
  /** Offers to undo a decision that has just been made. */
  offer: (report: Report, href: string) => void
  /** How many decisions have been undone. */
  undone: number
}
const UndoContext = createContext<Undo | null>(null)

export function useUndo(): Undo {
  const undo = useContext(UndoContext)
  if (!undo) throw new Error('There is no UndoProvider around this component.')
  return undo
}

/** Offers to undo the last decision on whatever screen is shown next. */
export function UndoProvider({ children }: { children: ReactNode }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [, navigate] = useLocation()
  const [decided, setDecided] = useState<Decided | null>(null)
  const [undone, setUndone] = useState(0)
  const offer = useCallback<Undo['offer']>((report, href) => setDecided({ report, href, at: Date.now() }), [])
  const undo = useAction(async () => {
    if (!decided) return null
    const { report, href } = decided
    const { failure } = await outcomeOf(
      api.DELETE('/api/v1/admin/reports/{id}/resolve', { params: { path: { id: report.id } } }),
    )
    // The next decision may have been made meanwhile.
    const endUndo = () => setDecided((latest) => (latest === decided ? null : latest))
    if (failure) {
      toast(failureText(t, failure))
      // Otherwise another attempt may succeed while the seconds last.
      if (failure !== 'offline' && failure.status < 500) endUndo()
      return null
    }
    endUndo()
    setUndone((before) => before + 1)
    navigate(href)
    return null
  })
  useKeys(
    t('queue.title'),
    decided ? [{ keys: 'z', label: t('queue.undo'), inLine: true, run: () => void undo.run() }] : [],
  )
  const context = useMemo(() => ({ offer, undone }), [offer, undone])
  const onOver = useCallback(() => setDecided(null), [])
  return (
    <UndoContext value={context}>
      {children}
      {decided && <UndoBar decided={decided} busy={undo.busy} onUndo={undo.run} onOver={onOver} />}
    </UndoContext>
  )
}

type Props = { decided: Decided; busy: boolean; onUndo: () => void; onOver: () => void }

/** The last decision, with the seconds left to undo it. */
function UndoBar({ decided: { report, at }, busy, onUndo, onOver }: Props) {
  const { t } = useLanguage()
  const [left, setLeft] = useState(undoS)
  useFocusAfter()
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
