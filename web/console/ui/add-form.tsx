import { type ReactNode, useId } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import styles from './add-form.module.css'
import { useFocusAfter } from './focus.ts'

type Props = {
  title: string
  /** The label of the button. */
  submit: string
  busy: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

/** A form for a new entry, above the list. Escape closes it, outside its fields. */
export function AddForm({ title, submit, busy, onSubmit, onClose, children }: Props) {
  const { t } = useLanguage()
  const id = useId()
  useFocusAfter()
  useKeys(title, [
    { keys: 'Mod+Enter', label: submit, inFields: true, inLine: true, run: onSubmit },
    { keys: 'Escape', label: t('console.cancel'), inLine: true, run: onClose },
  ])
  return (
    <form
      className={styles.form}
      aria-labelledby={id}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <div className={styles.buttons}>
        <Button type="submit" look="primary" busy={busy}>
          {submit}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {t('console.cancel')}
        </Button>
      </div>
    </form>
  )
}
