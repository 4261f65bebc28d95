import type { Dialect } from '../sql/dialect.ts'
import type { Database } from './database.ts'

export const value = (n: number) => `$${n}`

export const postgresDialect = (db: Database): Dialect<readonly string[]> => ({
  value,
  isAmong: (column, n) => `${column} = ANY($${n}::text[])`,
  list: (values) => values,
  prepare<Row>(text: string) {
    return (...values) => db.read((q) => q.all<Row>(text, values))
  },
})
