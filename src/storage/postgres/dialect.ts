import type { Dialect } from '../sql/dialect.ts'
import type { Database } from './database.ts'

export const value = (n: number) => `$${n}`

/**
 * A condition: the column is one of the texts in value `n`, an array. PostgreSQL plans a statement anew for every array that it
 * sees, which takes ten times as long as to read one profile; it does not look into a subquery, and keeps the plan.
 */
export const isAmong = (column: string, n: number) => `${column} = ANY((SELECT $${n}::text[])::text[])`

export const postgresDialect = (db: Database): Dialect<readonly string[]> => ({
  value,
  isAmong,
  list: (values) => values,
  prepare<Row>(text: string) {
    return (...values) => db.read((q) => q.all<Row>(text, values))
  },
})
