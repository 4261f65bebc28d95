import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import controls from './controls.module.css'
import styles from './ui.module.css'

type Props = {
  /** The label of the button, and the question that it asks before it acts. */
  label: string
  question: string
  busy?: boolean
  /** For a button in every row of a table: unobtrusive, and in line with the text. */
  inRow?: boolean
  icon?: ReactNode
  onConfirm: () => void
}

/** A button for an action that cannot be undone. It asks for confirmation in place, without a dialog. */
export function AskFirst({ label, question, busy = false, inRow = false, icon, onConfirm }: Props) {
  const { t } = useLanguage()
  const [isAsking, setIsAsking] = useState(false)
  const yes = useRef<HTMLButtonElement>(null)
  const first = useRef<HTMLButtonElement>(null)
  const wasAsking = useRef(false)
  useEffect(() => {
    if (isAsking) yes.current?.focus()
    else if (wasAsking.current) first.current?.focus()
    wasAsking.current = isAsking
  }, [isAsking])
  if (!isAsking)
    return (
      <Button
        ref={first}
        look={inRow ? 'quiet' : 'danger'}
        className={inRow ? controls.inRow : undefined}
        busy={busy}
        icon={icon}
        onClick={() => setIsAsking(true)}
      >
        {label}
      </Button>
    )
  return (
    <span
      className={styles.asking}
      role="group"
      aria-label={question}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        setIsAsking(false)
      }}
    >
      <span>{question}</span>
      <Button
        ref={yes}
        look="danger"
        onClick={() => {
          setIsAsking(false)
          onConfirm()
        }}
      >
        {label}
      </Button>
      <Button look="quiet" onClick={() => setIsAsking(false)}>
        {t('console.cancel')}
      </Button>
    </span>
  )
}
