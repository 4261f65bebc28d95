/** The row of a statement that always has one, such as a count or a pragma. */
export function oneRow<Row>(row: Row | null): Row {
  if (row === null) throw new Error('a statement that always returns a row has returned none')
  return row
}
