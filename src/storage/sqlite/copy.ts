import type { Database } from 'bun:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Page, Row, Side, Table, Target, Value } from '../copy.ts'
import { copyMark } from '../migrate.ts'
import { openReadOnly } from './database.ts'
import { oneRow } from './one-row.ts'

type Bound = string | number | Uint8Array | null

/** Columns that SQLite stores differently or not at all: how each is read from a row `t`, and how it is written if it is. */
const derived: Record<string, Record<string, { read: string; written?: { column: string; as: string } }>> = {
  // The order in which a user's entries were written.
  consent_log: {
    seq: { read: '(SELECT count(*) FROM consent_log AS o WHERE o.user_id = t.user_id AND o.rowid <= t.rowid)' },
  },
  message_versions: { chat_id: { read: '(SELECT chat_id FROM messages WHERE id = t.message_id)' } },
  nearby_traits: {
    user_id: {
      read: '(SELECT user_id FROM locations WHERE id = t.location_id)',
      written: { column: 'location_id', as: '(SELECT id FROM locations WHERE user_id = ?)' },
    },
  },
}

/** Whether a copy into an existing file was begun and not finished. */
export function isHalfCopiedFile(path: string): boolean {
  const db = openReadOnly(path)
  try {
    return hasNotes(db)
  } finally {
    db.close()
  }
}

const hasNotes = (db: Database) =>
  db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(copyMark) !== null

// Rows per INSERT. More would save nothing.
const rowsAtOnce = 64

/** One side of a copy: a migrated database that this process alone has open. */
export function sqliteSide(db: Database): Target {
  const read = reader(db)
  const insert = inserter(db)

  return {
    ...read,

    async notes() {
      return hasNotes(db)
        ? new Map(
            db
              .query<{ name: string; note: string }, []>(`SELECT name, note FROM ${copyMark}`)
              .all()
              .map(({ name, note }) => [name, note]),
          )
        : null
    },

    begin: async (name, note) =>
      db
        .transaction(() => {
          db.run('DELETE FROM community')
          db.run(`CREATE TABLE ${copyMark} (name TEXT PRIMARY KEY NOT NULL, note TEXT NOT NULL)`)
          db.query(`INSERT INTO ${copyMark} VALUES (?, ?)`).run(name, note)
        })
        .immediate(),

    async write(table, rows, note) {
      // `verifyCopy` checks the foreign keys of all rows at the end.
      db.run('PRAGMA foreign_keys = OFF')
      db.transaction(() => {
        insert(table, rows)
        db.query(`INSERT OR REPLACE INTO ${copyMark} VALUES (?, ?)`).run(table.name, note)
      }).immediate()
    },

    async verifyCopy() {
      const orphan = db.query<{ table: string }, []>('PRAGMA foreign_key_check').get()?.table
      if (orphan !== undefined)
        throw new Error(`a row of ${orphan} refers to a missing row, in the source as in the copy`)
    },

    async finish() {
      db.run(`DROP TABLE ${copyMark}`)
      // Leaves a single file, which can be moved.
      db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }
}

function reader(db: Database): Side {
  const keys = new Map<string, string[]>()

  /** The rowid, which is the order of writing, or the primary key if the table has no rowid. */
  function keyOf({ name }: Table): string[] {
    let key = keys.get(name)
    if (key === undefined) {
      const hasRowid = db.query<{ wr: number }, [string]>('SELECT wr FROM pragma_table_list(?)').get(name)?.wr === 0
      const primary = db
        .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
        .all(name)
      key = hasRowid ? ['rowid'] : primary.map((column) => column.name)
      keys.set(name, key)
    }
    return key
  }

  /** Refuses text that is not valid UTF-8: it would arrive as replacement characters. */
  function refuseBroken(table: Table, key: readonly string[], row: Row, at: Row) {
    for (const [i, { name }] of table.columns.entries()) {
      const text = row[i]
      if (typeof text !== 'string' || !text.includes('\ufffd') || derived[table.name]?.[name]) continue
      const stored = db
        .query<{ hex: string }, Bound[]>(
          `SELECT hex(${name}) AS hex FROM ${table.name} WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`,
        )
        .get(...at.map(bound))
      if (stored?.hex !== Buffer.from(text).toString('hex').toUpperCase())
        throw new Error(`${name} of ${table.name} (${key[0]} ${at[0]}) is not UTF-8: fix that first`)
    }
  }

  return {
    count: async ({ name }) => oneRow(db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${name}`).get()).n,

    async read(table, after, limit): Promise<Page> {
      // Lets Ctrl-C through, and the other side proceed.
      await setImmediate()
      const key = keyOf(table)
      const ordered = key.map((column) => `t.${column}`).join()
      const columns = table.columns.map(({ name }) => derived[table.name]?.[name]?.read ?? `t.${name}`)
      const found = db
        .query<null, Bound[]>(
          `SELECT ${columns.join()}, ${ordered} FROM ${table.name} AS t
           ${after === null ? '' : `WHERE (${ordered}) > (${key.map(() => '?').join()})`}
           ORDER BY ${ordered} LIMIT ${limit}`,
        )
        .values(...(after ?? []).map(bound))
      const width = table.columns.length
      const flags = table.columns.flatMap(({ kind }, i) => (kind === 'boolean' ? i : []))
      const page: Page = { rows: [], keys: [] }
      for (const values of found) {
        const row = values.slice(0, width).map(stored)
        for (const i of flags) if (row[i] === 0 || row[i] === 1) row[i] = row[i] === 1
        const at = values.slice(width).map(stored)
        refuseBroken(table, key, row, at)
        page.rows.push(row)
        page.keys.push(at)
      }
      return page
    },
  }
}

function inserter(db: Database) {
  return (table: Table, rows: readonly Row[]) => {
    const here = table.columns.flatMap(({ name }, i) => {
      const other = derived[table.name]?.[name]
      if (other === undefined) return { i, column: name, as: '?' }
      return other.written ? { i, ...other.written } : []
    })
    const row = `(${here.map(({ as }) => as).join()})`
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const some = rows.slice(from, from + rowsAtOnce)
      db.query<null, Bound[]>(
        `INSERT INTO ${table.name} (${here.map(({ column }) => column).join()}) VALUES ${some.map(() => row).join()}`,
      ).run(...some.flatMap((values) => here.map(({ i }) => bound(values[i] ?? null))))
    }
  }
}

// Only the types allow bigints: Bun returns them only when asked to.
const stored = (value: Value | bigint): Value => (typeof value === 'bigint' ? Number(value) : value)

const bound = (value: Value): Bound => (typeof value === 'boolean' ? Number(value) : value)
