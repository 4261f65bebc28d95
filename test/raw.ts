import { SQL } from 'bun'
import { up } from '../src/storage/migrate.ts'
import { type Database, openDatabase as openPostgres } from '../src/storage/postgres/database.ts'
import { postgresStorage } from '../src/storage/postgres/storage.ts'
import { openDatabase as openSqlite, sqliteStorage, withDrizzle } from '../src/storage/sqlite/storage.ts'
import type { Storage } from '../src/storage/storage.ts'
import { type Engine, migratedPostgres } from './engines.ts'

export type Raw = {
  storage: Storage
  /** Runs SQL beside the ports: what both engines understand, values and all. */
  run(sql: string): Promise<void>
  /** The rows of a query, each an array. */
  rows(sql: string): Promise<unknown[][]>
  close(): Promise<void>
}

/** A migrated, empty database of the engine, whose tables a test can fill and look at by itself. Closing removes it. */
export async function openRaw(engine: Engine, wrap: (db: Database) => Database = (db) => db): Promise<Raw> {
  if (engine.name === 'SQLite') {
    const client = openSqlite(':memory:')
    up(client)
    const storage = sqliteStorage(withDrizzle(client), {
      onFatal(error) {
        throw error
      },
    })
    return {
      storage,
      run: async (sql) => void client.run(sql),
      rows: async (sql) => client.query(sql).values(),
      close: storage.close,
    }
  }
  const database = await migratedPostgres()
  const storage = postgresStorage(wrap(await openPostgres(database.url))) as Storage
  const sql = new SQL(database.url, { max: 1 })
  return {
    storage,
    run: async (text) => void (await sql.unsafe(text).simple()),
    rows: async (text) => await sql.unsafe(text).values(),
    async close() {
      await sql.close()
      await storage.close()
      await database.drop()
    },
  }
}

/** A text as SQL has it. */
export const quoted = (text: string | null) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`)
