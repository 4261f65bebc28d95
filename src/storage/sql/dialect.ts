/**
 * How an engine writes and prepares the statements that are too frequent for Drizzle's builders. Both engines share their text,
 * except for these differences.
 */
export type Dialect<List = unknown> = {
  /** The nth value of a statement, from 1. */
  value(n: number): string
  /** Whether a column is among the values of a list, which is the nth value of the statement. */
  isAmong(column: string, n: number): string
  /** A list as one value. */
  list(values: readonly string[]): List
  /** Prepares a statement that reads. */
  prepare<Row>(text: string): (...values: (string | number | null | List)[]) => Promise<Row[]>
}
