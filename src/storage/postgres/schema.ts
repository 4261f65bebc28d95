import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  integer,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { type SchemaBuilders, columnsOf } from '../sql/schema/columns.ts'
import { tablesOf } from '../sql/schema/index.ts'

const int8 = () => bigint({ mode: 'number' })

const postgres = {
  table: pgTable,
  text,
  integer,
  int8,
  real: doublePrecision,
  flag: boolean,
  json: customType<{ data: unknown; driverData: string }>({
    dataType: () => 'text',
    toDriver: JSON.stringify,
    fromDriver: (text) => JSON.parse(text),
  }),
  bytes: customType<{ data: Uint8Array }>({ dataType: () => 'bytea' }),
  key: (columns: Record<string, PgColumn>, names: readonly string[]) =>
    primaryKey({ columns: columnsOf(columns, names) }),
  unique,
  either: <T>(_ofSqlite: unknown, ofPostgres: T): T => ofPostgres,
}

export const tables = {
  // The shared declarations are typed by SQLite's builders; these have the same methods.
  ...tablesOf(postgres as unknown as SchemaBuilders),

  jobTurns: pgTable('job_turns', {
    job: text().primaryKey(),
    at: int8().notNull(),
    holder: text(),
    until: int8().notNull(),
    succeeded_at: int8(),
  }),

  nodes: pgTable('nodes', {
    id: text().primaryKey(),
    place: text().notNull(),
    host: text().notNull(),
    lacks: text().notNull(),
    seen_at: int8().notNull(),
  }),
}
