import { type ReactNode, useEffect, useRef } from 'react'
import { useLanguage } from '../language.tsx'
import styles from './split.module.css'

/** A list and its selected item: side by side, and on a small screen one of the two. */
export function Split({ list, detail, isOpen }: { list: ReactNode; detail: ReactNode; isOpen: boolean }) {
  const { t } = useLanguage()
  const pane = useRef<HTMLElement>(null)
  const before = useRef(isOpen)
  // When the item is closed, the focus returns to the list.
  useEffect(() => {
    if (before.current && !isOpen) pane.current?.focus()
    before.current = isOpen
  }, [isOpen])
  return (
    <div className={`${styles.split} ${isOpen ? styles.open : ''}`}>
      <section ref={pane} className={styles.list} aria-label={t('console.list')} tabIndex={-1}>
        {list}
      </section>
      <div className={styles.detail}>{detail}</div>
    </div>
  )
}

/** Moves the focus among the rows of the list, which have `data-row`. Returns false if there are none. */
export function focusRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent !== null)
  const focused = rows.indexOf(document.activeElement as HTMLElement)
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent === 'true')
  const row = rows[from < 0 ? 0 : Math.min(Math.max(from + step, 0), rows.length - 1)]
  row?.focus()
  row?.scrollIntoView({ block: 'nearest' })
  return row !== undefined
}
