import type { Dialect } from '../sql/dialect.ts'
import type { Db } from './database.ts'
import type { Reads } from './reads.ts'

export const value = (n: number) => `+?${n}`

export const sqliteDialect = (db: Db, { read }: Pick<Reads, 'read'>): Dialect<string> => ({
  value,
  isAmong: (column, n) => `${column} IN (SELECT value FROM json_each(?${n}))`,
  list: (values) => JSON.stringify(values),
  prepare<Row>(text: string) {
    const statement = db.$client.prepare<Row, (string | number | null)[]>(text)
    return async (...values) => read(() => statement.all(...values))
  },
})
