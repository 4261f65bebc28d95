import { Check } from 'lucide-react'
import { useId } from 'react'
import { describedBy, Notes } from '../../shared/ui/field.tsx'
import styles from './controls.module.css'

type Option<Value extends string> = { value: Value; label: string }
type Props<Value extends string> = {
  label: string
  hint?: string
  error?: string | null
  options: readonly Option<Value>[]
  values: readonly Value[]
  onChange: (values: Value[]) => void
}

/** Chooses several of a few options, all of which are visible. */
export function Checks<Value extends string>({ label, hint, error, options, values, onChange }: Props<Value>) {
  const id = useId()
  return (
    <fieldset className={styles.checks} aria-describedby={describedBy(id, { hint, error })}>
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="checkbox"
              checked={values.includes(option.value)}
              onChange={(event) =>
                onChange(
                  options
                    .map(({ value }) => value)
                    .filter((value) => (value === option.value ? event.target.checked : values.includes(value))),
                )
              }
            />
            <span>
              <Check size={14} aria-hidden />
              {option.label}
            </span>
          </label>
        ))}
      </div>
      <Notes id={id} hint={hint} error={error} />
    </fieldset>
  )
}
