import { useId } from 'react'
import styles from './ui.module.css'

type Option<Value extends string> = { value: Value; label: string; count?: number | null }
type Props<Value extends string> = {
  label: string
  options: readonly Option<Value>[]
  value: Value
  onChange: (value: Value) => void
}

/** Chooses one of a few options, all of which are visible. Arrow keys move among them. */
export function Choice<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  const name = useId()
  return (
    <fieldset className={styles.choice}>
      <legend className="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {option.count != null && <b>{option.count}</b>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Chooses one of many options in a compact list. The first option means no filter. */
export function Filter<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  return (
    <select
      className={`${styles.filter} ${value === options[0]?.value ? '' : styles.chosen}`}
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = options.find((option) => option.value === event.target.value)
        if (chosen) onChange(chosen.value)
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
