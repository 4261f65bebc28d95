import type { ReactNode } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import type { List } from '../requests.ts'
import { Failed, Skeleton } from './loaded.tsx'
import styles from './ui.module.css'

export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  /** Aligns the column as numbers. */
  isNumber?: boolean
  /** The cell that names the row. */
  isHead?: boolean
}

type Props<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/** A table. On a small screen, each row is a card whose lines are the columns. `caption` is for screen readers. */
export function Table<Row>({ caption, columns, rows, keyOf }: Props<Row>) {
  return (
    <div className={styles.tableFrame}>
      {/* The roles are explicit because the styles of the cards remove the implicit ones. */}
      <table className={styles.table} role="table">
        <caption className="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" role="columnheader" className={isNumber ? styles.number : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.title} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell<Row>({ column: { title, cell, isNumber, isHead }, row }: { column: Column<Row>; row: Row }) {
  const content = (
    <>
      <span className={styles.cellTitle} aria-hidden>
        {title}
      </span>
      <span className={styles.cellContent}>{cell(row)}</span>
    </>
  )
  const className = isNumber ? styles.number : undefined
  return isHead ? (
    <th scope="row" role="rowheader" className={className}>
      {content}
    </th>
  ) : (
    <td role="cell" className={className}>
      {content}
    </td>
  )
}

/** Shows a paged list with a button for more, a skeleton while it loads, or `empty`. */
export function Listed<Item>({
  list,
  empty,
  children,
}: {
  list: List<Item>
  empty: ReactNode
  children: (items: Item[]) => ReactNode
}) {
  const { items, failure, reload } = list
  if (items === null) return failure ? <Failed failure={failure} onRetry={reload} /> : <Skeleton />
  if (items.length === 0) return <>{empty}</>
  return (
    <>
      {children(items)}
      <More list={list} />
    </>
  )
}

export function More<Item>({ list: { hasMore, loading, failure, loadMore } }: { list: List<Item> }) {
  const { t } = useLanguage()
  if (!hasMore) return null
  return (
    <div className={styles.more}>
      {failure && <span role="alert">{t('console.failure.more')}</span>}
      <Button look="quiet" busy={loading} onClick={loadMore}>
        {t('console.more')}
      </Button>
    </div>
  )
}
