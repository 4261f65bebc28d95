import type { SQLQueryBindings, Statement } from 'bun:sqlite'

/** The row of a statement that always has one, such as a count or a pragma. */
export function oneRow<Row, Values extends SQLQueryBindings[]>(
  statement: Statement<Row, Values>,
  ...values: Values
): Row {
  const row = statement.get(...values)
  if (row === null) throw new Error('a statement that always has a row has none')
  return row
}
