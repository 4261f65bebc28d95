import type { ReactNode } from 'react'
import styles from './chips.module.css'

/** A named group of chips. */
export function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      <div className={styles.chips}>{children}</div>
    </fieldset>
  )
}

type Props = {
  type: 'radio' | 'checkbox'
  name?: string
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}

/** A radio button or checkbox in the shape of a pill. It is a native control, so keys and screen readers work. */
export function Chip({ children, onChange, ...input }: Props) {
  return (
    <label className={styles.chip}>
      <input {...input} onChange={(event) => onChange(event.target.checked)} />
      <span>{children}</span>
    </label>
  )
}
