import { randomBytes } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Form, formOf, serverUrl, writeDump } from '../backup/dump.ts'
import type { Config } from '../config.ts'
import { refuseWithoutSpace } from '../lib/disk-space.ts'
import { codeOf } from '../lib/errors.ts'
import { openDiskFiles } from '../storage/files/disk.ts'
import { MigrationError, refuseNewer, up } from '../storage/migrate.ts'
import { statusOf } from '../storage/open.ts'
import { readSnapshotBesideNodes } from '../storage/postgres/copy.ts'
import type { Queries } from '../storage/postgres/queries.ts'
import type { Contents } from '../storage/sqlite/examine-backup.ts'
import { writeBackup } from '../storage/sqlite/backup.ts'
import { sqliteSide } from '../storage/sqlite/copy.ts'
import { openDatabase } from '../storage/sqlite/database.ts'
import { version } from '../version.ts'
import { carryOver } from './carry-over.ts'
import { photosMissing } from './backup.ts'
import { besideServer } from './database.ts'

type Where = Pick<Config, 'database' | 'dataDir' | 'media'>

/**
 * Makes a backup of PostgreSQL under a temporary name beside a path, hands it over when it is complete, and removes the temporary
 * files. The backup is a snapshot, whatever the nodes write during it.
 */
export async function wholeOfServer<T>(
  config: Where,
  path: string,
  handOver: (part: string, contents: Contents) => Promise<T>,
): Promise<T> {
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  const copy = `${part}-copy`
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (error) {
    throw new Error(`nothing can be written into ${dirname(path)} (${codeOf(error)})`, { cause: error })
  }
  try {
    await refuseOtherSchema(config)
    const at = Date.now()
    const form = await readSnapshotBesideNodes(serverUrl(config), async ({ source, q, server }) => {
      const form = await formOf(path, config, q)
      refuseWithoutSpace([{ directory: dirname(path), bytes: await roomFor(form, config, q) }], 'a backup')
      if (form === 'file') {
        const db = openDatabase(copy, { alone: true })
        try {
          // No sync, because the file that a crash leaves is never used.
          db.run('PRAGMA synchronous = OFF')
          up(db)
          await carryOver(source, sqliteSide(db))
        } finally {
          db.close()
        }
        return { contents: null }
      }
      const holds = await contentsIn(q)
      const { id } = await q.one<{ id: string }>('SELECT pg_export_snapshot() AS id')
      await writeDump(part, {
        server,
        snapshot: id,
        holds: { made_at: new Date(at).toISOString(), release: version, ...holds },
      })
      return { contents: { ...holds, photos: 0 } }
    })
    return await handOver(part, form.contents ?? (await finishFile(config, { part, copy, at })))
  } finally {
    for (const left of [part, `${part}-journal`, copy, `${copy}-wal`, `${copy}-shm`]) rmSync(left, { force: true })
  }
}

/** Turns the copy of the database into a backup like any other. */
async function finishFile(
  config: Where,
  { part, copy, at }: { part: string; copy: string; at: number },
): Promise<Contents> {
  const directory = join(config.dataDir, 'media')
  const contents = await writeBackup(part, {
    databasePath: copy,
    files: config.media === null ? openDiskFiles(directory) : null,
    release: version,
    at,
    countKnown: (names) => knownOf(config, names),
  })
  if (contents.lost > 0) throw photosMissing(contents, directory)
  return contents
}

/** How many of the files the nodes' database knows now. */
async function knownOf(config: Where, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0
  return besideServer(config, async ({ media }) => names.length - (await media.strayFiles(names)).length)
}

/** Throws if the schema is newer, which would lose data, or older, in which tables are missing. */
async function refuseOtherSchema({ database }: Where) {
  const steps = await statusOf(database)
  refuseNewer(steps)
  const missing = steps.filter(({ applied_at }) => applied_at === null)
  if (missing.length > 0)
    throw new MigrationError(
      `this database is ${missing.length} migrations behind: run convene migrate up, or start the server once`,
    )
}

const contentsIn = async (q: Queries) => ({
  users: (await q.one<{ n: number }>('SELECT count(*) AS n FROM users')).n,
  messages: (await q.one<{ n: number }>('SELECT count(*) AS n FROM messages')).n,
})

/** The space that a backup needs. A dump has no indexes. Our own form exists twice for a while, and contains photos. */
async function roomFor(form: Form, { media }: Where, q: Queries): Promise<number> {
  if (form === 'dump') {
    const { n } = await q.one<{ n: number }>(
      `SELECT coalesce(sum(pg_table_size(oid)), 0)::int8 AS n FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
    )
    return n
  }
  const { n } = await q.one<{ n: number }>('SELECT pg_database_size(current_database()) AS n')
  if (media !== null) return 2 * n
  const photos = await q.one<{ n: number }>(
    'SELECT coalesce(sum(bytes + coalesce(thumb_bytes, 0)), 0)::int8 AS n FROM media',
  )
  return 2 * n + photos.n
}
