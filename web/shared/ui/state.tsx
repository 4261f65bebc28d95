import type { ReactNode } from 'react'
import { leaveFocus } from './focus.ts'
import styles from './state.module.css'

type Props = {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  /** `h1` where nothing else on the page has a title. */
  heading?: 'h1' | 'h2'
}

/** A screen or list without content: why it is empty or failed, and what to do. */
export function State({ icon, title, children, action, heading: Heading = 'h2' }: Props) {
  return (
    <div ref={leaveFocus} className={styles.state}>
      {icon && (
        <span className={styles.icon} aria-hidden>
          {icon}
        </span>
      )}
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {action}
    </div>
  )
}

/** Grey rows in the shape of a list that is loading. `label` is read by screen readers. */
export function SkeletonRows({ label, count = 6 }: { label: string; count?: number }) {
  return (
    <div role="status" aria-label={label}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={styles.row} aria-hidden>
          <span className={styles.round} />
          <span className={styles.lines}>
            <span className={styles.line} />
            <span className={`${styles.line} ${styles.short}`} />
          </span>
        </div>
      ))}
    </div>
  )
}
