import type { sqlite } from '../../sqlite/columns.ts'

/**
 * What tables are declared with. `integer` has four bytes in PostgreSQL, and `int8` eight; SQLite has one type for both.
 * `json` is stored as the text that `JSON.stringify` produces. `key` is the primary key, by the names of its columns.
 * `either` takes the first value in SQLite and the second in PostgreSQL. The types are those of SQLite's builders, because
 * the shared stores use them.
 */
export type SchemaBuilders = typeof sqlite

/** The columns with these names, as Drizzle takes those of a key. */
export function columnsOf<Column>(columns: Record<string, Column>, names: readonly string[]): [Column, ...Column[]] {
  const [first, ...others] = names.map((name) => columns[name])
  if (first === undefined || others.includes(undefined)) throw new Error(`not all of ${names.join()} are columns`)
  return [first, ...others.filter((column) => column !== undefined)]
}
