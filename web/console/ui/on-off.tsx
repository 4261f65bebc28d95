import styles from './controls.module.css'

type Props = {
  /** The name of the switch for screen readers. */
  label: string
  checked: boolean
  busy?: boolean
  onChange: (checked: boolean) => void
}

/** A switch without a visible label, which acts at once. */
export function OnOff({ label, checked, busy = false, onChange }: Props) {
  return (
    <input
      type="checkbox"
      role="switch"
      className={styles.switch}
      aria-label={label}
      aria-busy={busy || undefined}
      title={label}
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}
