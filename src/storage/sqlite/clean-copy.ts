import { constants, Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { giveToOwner } from '../../lib/owner.ts'

/** Copies the database in a backup, without the photos, to a new file. */
export function unpackDatabase(path: string, target: string) {
  closeSync(openSync(target, 'wx', 0o600))
  const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI } = constants
  const db = new Database(target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)
  try {
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.prepare('ATTACH ? AS backup').run(
      `${pathToFileURL(path)}?${existsSync(`${path}-wal`) ? 'mode=ro' : 'immutable=1'}`,
    )
    const made = db
      .query<{ type: string; name: string; sql: string }, []>(
        `SELECT type, name, sql FROM backup.sqlite_schema
         WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND tbl_name NOT IN ('backup', 'backup_photos')
         ORDER BY type <> 'table', rowid`,
      )
      .all()
    db.run('BEGIN')
    for (const { type, name, sql } of made) {
      db.run(sql)
      if (type !== 'table') continue
      const columns = db
        .query<{ name: string; hidden: number }, [string]>('SELECT name, hidden FROM pragma_table_xinfo(?)')
        .all(name)
      const stored = columns.filter(({ hidden }) => hidden === 0).map((column) => `"${column.name}"`)
      // Generated columns take no values. In a table without any, naming no columns lets SQLite copy whole pages, seven times as
      // fast.
      const [into, from] = stored.length === columns.length ? ['', '*'] : [`(${stored.join()})`, stored.join()]
      db.run(`INSERT INTO main."${name}" ${into} SELECT ${from} FROM backup."${name}"`)
    }
    db.run('COMMIT')
  } finally {
    db.close()
  }
}

/**
 * Copies a database to a new file, without traces of removed data, and syncs it. `userVersion` sets SQLite's `user_version` of
 * the copy.
 */
export function copyClean(db: Database, target: string, { userVersion }: { userVersion?: number } = {}) {
  closeSync(openSync(target, 'wx', 0o600))
  giveToOwner(target)
  db.prepare('VACUUM INTO ?').run(target)
  if (userVersion !== undefined) {
    const copy = new Database(target, { readwrite: true })
    copy.run('PRAGMA journal_mode = OFF')
    copy.run(`PRAGMA user_version = ${userVersion}`)
    copy.close(true)
  }
  syncFile(target)
}

function syncFile(path: string) {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}
