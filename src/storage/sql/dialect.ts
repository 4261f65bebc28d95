/**
 * How an engine writes and prepares the statements that are so frequent that Drizzle's builders would show: text that both
 * share, but for these few things.
 */
export type Dialect = {
  /** The nth value of a statement, from 1. */
  value(n: number): string
  /** Whether a column is among the values of a list, which is the nth value of the statement. */
  isAmong(column: string, n: number): string
  /** A list as one value. */
  list(values: readonly string[]): Value
  /** Prepares a statement that reads. */
  prepare<Row>(text: string): (...values: Value[]) => Promise<Row[]>
}

export type Value = string | number | null | readonly string[]
