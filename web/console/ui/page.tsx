import type { ReactNode } from 'react'
import styles from './ui.module.css'

type Props = {
  title: string
  /** Content beside the title, such as a number or a filter. */
  beside?: ReactNode
  /** Buttons at the end of the bar. */
  actions?: ReactNode
  children: ReactNode
}

/** A screen: a bar with title and actions above a scrolling body. */
export function Page({ title, beside, actions, children }: Props) {
  return (
    <>
      <Bar title={title} beside={beside} actions={actions} />
      <div className={styles.body}>{children}</div>
    </>
  )
}

export function Bar({ title, beside, actions }: Omit<Props, 'children'>) {
  return (
    <header className={styles.bar}>
      {/* It gets the focus of what has disappeared. */}
      <h1 tabIndex={-1}>{title}</h1>
      {beside}
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  )
}

type SectionProps = { title: string; id?: string; beside?: ReactNode; children: ReactNode }

/** A part of a page with a heading. */
export function Section({ title, id, beside, children }: SectionProps) {
  return (
    <section id={id} className={styles.section}>
      <header>
        <h2>{title}</h2>
        {beside}
      </header>
      {children}
    </section>
  )
}

/** Facts in two columns: label and value. Facts without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(([label, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir={typeof value === 'string' ? 'auto' : undefined}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

export type Tone = 'plain' | 'danger' | 'notice' | 'good' | 'accent'

/** A label for a state. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>
}
