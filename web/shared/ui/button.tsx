import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import styles from './button.module.css'

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** `primary` is the main action of a screen; `danger` cannot be undone; `quiet` has no background. */
  look?: 'primary' | 'secondary' | 'quiet' | 'danger'
  /** The action runs: the button stays where it is and cannot be pressed again. */
  busy?: boolean
  wide?: boolean
  icon?: ReactNode
  ref?: Ref<HTMLButtonElement>
}

export function Button({ look = 'secondary', busy = false, wide = false, icon, children, className, ...rest }: Props) {
  const classes = [styles.button, styles[look], wide && styles.wide, className].filter(Boolean).join(' ')
  return (
    <button
      type="button"
      {...rest}
      className={classes}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled'] || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {icon}
      {children}
    </button>
  )
}

type IconProps = ButtonHTMLAttributes<HTMLButtonElement> & { label: string; ref?: Ref<HTMLButtonElement> }

/** A round button with an icon alone. Its label is read by screen readers and shown as a tooltip. */
export function IconButton({ label, children, className, ...rest }: IconProps) {
  return (
    <button
      type="button"
      {...rest}
      className={[styles.icon, className].filter(Boolean).join(' ')}
      aria-label={label}
      title={label}
    >
      {children}
    </button>
  )
}
