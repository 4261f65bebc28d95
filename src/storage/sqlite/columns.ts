import { blob, integer, primaryKey, real, type SQLiteColumn, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { columnsOf } from '../sql/schema/columns.ts'

export const sqlite = {
  table: sqliteTable,
  text,
  integer,
  int8: () => integer(),
  real,
  flag: () => integer({ mode: 'boolean' }),
  json: <T>() => text({ mode: 'json' }).$type<T>(),
  bytes: () => blob({ mode: 'buffer' }),
  key: (columns: Record<string, SQLiteColumn>, names: readonly string[]) =>
    primaryKey({ columns: columnsOf(columns, names) }),
  unique,
  either: <T>(ofSqlite: T, _ofPostgres: unknown): T => ofSqlite,
}
