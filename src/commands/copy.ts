import { existsSync, realpathSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ConfigError, databaseOf, readConfig } from '../config.ts'
import { type DatabaseConfig, shownDatabase } from '../storage/database-url.ts'
import { type Side, tables, type Target } from '../storage/copy.ts'
import { MigrationError, refuseNewer } from '../storage/migrate.ts'
import { bringUp, statusOf } from '../storage/open.ts'
import { readSnapshot } from '../storage/postgres/copy.ts'
import { isHalfCopiedFile, sqliteSide } from '../storage/sqlite/copy.ts'
import { openDatabase } from '../storage/sqlite/database.ts'
import { carryOver, inServer } from './carry-over.ts'
import { UsageError } from './command.ts'
import { openAlone, requireDatabase } from './database.ts'
import { messageOf } from '../lib/errors.ts'

export const help = `usage: convene copy --from URL --to URL

Copies a community from one database into another, empty one: from a file to a cluster, or back. Each URL is
sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE. One of the two may be left out; it is then the database of the
settings (DATABASE_URL, or DATA_DIR/convene.db), and its password does not appear in the list of processes.

Stop the server and all nodes first: the copy lacks what is written while it runs. A file that a server uses is refused,
and so is a PostgreSQL database with running nodes. The source is not changed.

  1. reads all of the source, to hash it and to find values that the other engine would refuse
  2. creates the schema in the target, and adds the rows in batches
  3. reads the target, and compares the number of rows and the hash of each table with those of the source

If it is interrupted, run the same command again: it continues. No server starts on a target that is not complete. If the
source has changed in the meantime, the copy is refused: empty the target and copy again. Exit code 1 if anything differs.

Some data is not in the database. Copy these files from the old DATA_DIR to the new one:

  media/                    the photos: as a directory, or for MEDIA_URL with aws s3 sync DATA_DIR/media s3://BUCKET/PREFIX
  jwt-secret, location-key  the same on all nodes, or in JWT_SECRET and LOCATION_KEY: with others no node starts
  erasures.log              who was erased: it erases them again if an older backup is restored`

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { from: { type: 'string' }, to: { type: 'string' } } })
  if (values.from === undefined && values.to === undefined)
    throw new UsageError('copy takes --from URL or --to URL, or both')
  const from = databaseAt('--from', values.from)
  const to = databaseAt('--to', values.to)
  if (isSame(from, to)) throw new UsageError('--from and --to name the same database')
  await copy(from, to)
}

function databaseAt(option: string, url: string | undefined): DatabaseConfig {
  const database = url === undefined ? readConfig().database : given(option, url)
  if (database.engine === 'sqlite' && database.path === ':memory:')
    throw new UsageError(`${option} names a database in memory, which ends with its process`)
  return database
}

function given(option: string, url: string): DatabaseConfig {
  try {
    return databaseOf(url, option)
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error
  }
}

function isSame(from: DatabaseConfig, to: DatabaseConfig): boolean {
  if (from.engine === 'sqlite' && to.engine === 'sqlite')
    return existsSync(from.path) && existsSync(to.path) && realpathSync(from.path) === realpathSync(to.path)
  return shownDatabase(from) === shownDatabase(to)
}

async function copy(from: DatabaseConfig, to: DatabaseConfig) {
  const started = performance.now()
  const digests = await inSource(from, (source) => inTarget(to, (target) => carryOver(source, target)))
  const width = Math.max(...tables.map(({ name }) => name.length)) + 2
  let rows = 0
  for (const [name, digest] of digests) {
    console.log(`equal  ${name.padEnd(width)}${String(digest.rows).padStart(12)} rows  ${digest.hash}`)
    rows += digest.rows
  }
  const seconds = (performance.now() - started) / 1000
  console.log(
    `copied ${rows} rows from ${shownDatabase(from)} to ${shownDatabase(to)} in ${seconds.toFixed(1)} s ` +
      `(${Math.round(rows / seconds)} rows/s). Carry over the files too: see convene copy --help`,
  )
}

async function inSource<T>(database: DatabaseConfig, work: (source: Side) => Promise<T>): Promise<T> {
  if (database.engine === 'sqlite') requireDatabase(database.path)
  const steps = await called('--from', statusOf(database))
  // A copy would lose what this release does not know.
  refuseNewer(steps)
  const missing = steps.filter(({ applied_at }) => applied_at === null)
  if (missing.length > 0)
    throw new MigrationError(
      `the database of --from is ${missing.length} migrations behind: run convene migrate up on it first`,
    )
  if (database.engine === 'postgres') return readSnapshot(database.url, work)
  const db = await called('--from', openAlone(database.path))
  try {
    return await work(sqliteSide(db))
  } finally {
    db.close()
  }
}

async function inTarget<T>(database: DatabaseConfig, work: (target: Target) => Promise<T>): Promise<T> {
  if (database.engine === 'sqlite') return inFile(database.path, work)
  return inServer(database.url, work, (opening) => called('--to', opening))
}

async function inFile<T>(path: string, work: (target: Target) => Promise<T>): Promise<T> {
  const isBegun = existsSync(path) && isHalfCopiedFile(path)
  const db = isBegun ? openDatabase(path, { alone: true }) : await called('--to', openAlone(path))
  try {
    if (!isBegun) bringUp(db, path)
    return await work(sqliteSide(db))
  } finally {
    db.close()
  }
}

/** Adds to an error which of the two options it is about. */
async function called<T>(option: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening
  } catch (error) {
    const message = messageOf(error).replaceAll('DATABASE_URL', option)
    throw new Error(`${option}: ${message}`, { cause: error })
  }
}
