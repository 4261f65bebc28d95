import { type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from 'react'
import styles from './field.module.css'

type NotesProps = { hint?: ReactNode; error?: string | null }
type Common = NotesProps & { label: string }

/** `aria-describedby` of a field with notes. */
export const describedBy = (id: string, { hint, error }: NotesProps) =>
  [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined

/** The hint and the error of a field, which refers to them by `describedBy`. */
export function Notes({ id, hint, error }: NotesProps & { id: string }) {
  return (
    <>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </>
  )
}

function Frame({ id, label, hint, error, children }: Common & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children}
      <Notes id={id} hint={hint} error={error} />
    </div>
  )
}

/** A line of text with its label, a hint and an error below it. */
export function Field({
  label,
  hint,
  error,
  ...input
}: Common & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <input
        dir="auto"
        {...input}
        id={id}
        className={styles.input}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { hint, error })}
      />
    </Frame>
  )
}

/** Several lines of text. The box grows with them. */
export function TextArea({
  label,
  hint,
  error,
  ...input
}: Common & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint} error={error}>
      <textarea
        rows={3}
        dir="auto"
        {...input}
        id={id}
        className={`${styles.input} ${styles.area}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { hint, error })}
      />
    </Frame>
  )
}

type Option = { value: string; label: string }

export function Select({
  label,
  hint,
  options,
  value,
  onChange,
}: Common & { options: readonly Option[]; value: string; onChange: (value: string) => void }) {
  const id = useId()
  return (
    <Frame id={id} label={label} hint={hint}>
      <select id={id} className={styles.input} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  )
}

type Checked = { checked: boolean; onChange: (checked: boolean) => void; disabled?: boolean; name?: string }

export function Checkbox({ children, checked, onChange, ...rest }: Checked & { children: ReactNode }) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} {...rest} />
      <span>{children}</span>
    </label>
  )
}

/** A setting that applies at once. */
export function Switch({ label, hint, checked, onChange, ...rest }: Checked & { label: string; hint?: string }) {
  const id = useId()
  return (
    <div className={styles.row}>
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className={styles.hint}>
            {hint}
          </p>
        )}
      </div>
      <input
        {...rest}
        id={id}
        type="checkbox"
        role="switch"
        className={styles.switch}
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  )
}
