import type { Database } from 'bun:sqlite'
import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { legalDirExists } from '../features/legal/service.ts'
import { shownPlace } from '../s3-place.ts'
import { openBucket } from '../storage/files/bucket.ts'
import { status } from '../storage/migrate.ts'
import { openReadOnly } from '../storage/sqlite/database.ts'
import { iso, minutes } from '../time.ts'

export const help = `usage: convene check

Examines an installation and changes nothing. Works beside a running server, and reads the whole database: some ten
seconds for each gigabyte. Run it with the same environment, and as the same user, as the server.

It looks at the settings and which of them are unsafe in production, who else can read the data directory and the
secrets, the buckets of images and backups, the schema and the integrity of the database, the room left on the disk, and
the clock. For each thing that is wrong it says how to mend it.

Exit code: 0 where all is well, 1 where something is wrong.`

/** What was looked at; where something is wrong with it, how to mend that. */
type Finding = { text: string; mend?: string }

const wrong = (text: string, mend: string): Finding => ({ text, mend })
const fine = (text: string): Finding => ({ text })

export async function run(args: string[]): Promise<void> {
  parseArgs({ args })
  let problems = 0
  for await (const { text, mend } of examine()) {
    console.log(mend === undefined ? `ok     ${text}` : `WRONG  ${text}\n       to mend it: ${mend}`)
    if (mend !== undefined) problems++
  }
  console.log(problems === 0 ? 'All is well.' : `${problems} ${problems === 1 ? 'thing is' : 'things are'} wrong.`)
  if (problems > 0) process.exitCode = 1
}

async function* examine(): AsyncGenerator<Finding> {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return yield wrong(error.message, 'set it right, or leave it out: convene serve --help lists the settings')
  }
  yield* settings(config)
  yield* buckets(config)
  const { dataDir } = config
  if (!existsSync(dataDir))
    return yield wrong(`DATA_DIR is not there: ${dataDir}`, 'set DATA_DIR right, or start the server once to make it')
  if (!statSync(dataDir).isDirectory())
    return yield wrong(`DATA_DIR is no directory: ${dataDir}`, 'set DATA_DIR to a directory')
  yield dataDirectory(dataDir)
  yield* secrets(config)
  yield* database(config)
  yield* disk(config)
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

function* settings({ host, corsOrigins, rateLimit, metricsToken, legalDir, databasePath }: Config): Generator<Finding> {
  const problems: Finding[] = []
  if (!rateLimit)
    problems.push(wrong('RATE_LIMIT is off: passwords can be guessed without end', 'leave RATE_LIMIT out'))
  if (legalDir !== null && !legalDirExists(legalDir))
    problems.push(wrong(`LEGAL_DIR is no directory: ${legalDir}`, 'make it, or leave LEGAL_DIR out'))
  if (databasePath === ':memory:')
    problems.push(wrong('DATABASE_URL keeps everything in memory: it ends with the process', 'leave DATABASE_URL out'))
  if (!isLoopback(host)) {
    if (corsOrigins.length === 0)
      problems.push(
        wrong(
          `HOST is ${host}, where others reach it, and no CORS_ORIGINS are listed: no web page but its own can use it`,
          'list the pages of your app, such as CORS_ORIGINS=https://app.example.org',
        ),
      )
    if (metricsToken === null)
      problems.push(
        wrong(
          `HOST is ${host}, where others reach it, and there is no METRICS_TOKEN: whoever comes through a proxy on this machine reads /metrics`,
          'set METRICS_TOKEN to 16 random characters or more, such as the output of: openssl rand -hex 16',
        ),
      )
  }
  yield* problems.length === 0 ? [fine('the settings are fit for production')] : problems
}

async function* buckets({ dataDir, media, backupDir }: Config): AsyncGenerator<Finding> {
  const places = { MEDIA_URL: media, BACKUP_DIR: typeof backupDir === 'string' ? null : backupDir }
  for (const [name, place] of Object.entries(places)) {
    if (place === null) continue
    try {
      await openBucket(place).probe()
      yield fine(`${shownPlace(place)} takes what ${name} brings`)
    } catch (error) {
      yield wrong(`${name}: ${(error as Error).message}`, 'look at the bucket, its keys, the endpoint and the region')
    }
  }
  const left = join(dataDir, 'media')
  if (media !== null && existsSync(left) && readdirSync(left).length > 0)
    yield wrong(
      `images lie in ${left}, where nobody looks for them while there is a MEDIA_URL`,
      `copy them into ${shownPlace(media)}, then remove that directory`,
    )
}

/** Whom the mode lets in besides the owner; null where nobody, or where modes mean nothing. */
function openTo(path: string): string | null {
  const mode = statSync(path).mode & 0o777
  return process.platform === 'win32' || (mode & 0o077) === 0 ? null : mode.toString(8)
}

function dataDirectory(dataDir: string): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return wrong(`DATA_DIR is not for this user: ${dataDir}`, `chown -R ${process.getuid?.() ?? 'USER'} ${dataDir}`)
  }
  const mode = openTo(dataDir)
  return mode === null
    ? fine(`the data directory is for its owner only: ${dataDir}`)
    : wrong(`others can look into the data directory (mode ${mode})`, `chmod 700 ${dataDir}`)
}

function* secrets({ dataDir, jwtSecret, locationKey }: Config): Generator<Finding> {
  const files = [
    { name: 'jwt-secret', given: jwtSecret, loss: 'ends every session' },
    { name: 'location-key', given: locationKey, loss: 'draws the noise of every position anew' },
  ]
  for (const { name, given, loss } of files) {
    const path = join(dataDir, name)
    if (given !== null) yield fine(`${name} comes from the environment`)
    else if (!existsSync(path))
      yield wrong(
        `${name} is missing`,
        `restore it from your copy of ${dataDir}; without one the next start makes a new one, which ${loss}`,
      )
    else yield secretFile(path, name)
  }
}

function secretFile(path: string, name: string): Finding {
  const mode = openTo(path)
  if (mode !== null) return wrong(`others can read ${name} (mode ${mode})`, `chmod 600 ${path}`)
  try {
    if (/^[0-9a-f]{64}$/.test(readFileSync(path, 'utf8').trim())) return fine(`${name} is for its owner only`)
    return wrong(`${name} does not hold 64 hexadecimal digits`, `restore ${path} from your copy`)
  } catch (error) {
    return wrong(`${name} cannot be read: ${(error as Error).message}`, `look at who owns ${path}`)
  }
}

function* database({ databasePath }: Config): Generator<Finding> {
  if (databasePath === ':memory:') return
  if (!existsSync(databasePath))
    return yield wrong(`there is no database: ${databasePath}`, 'start the server once to make it, or restore a backup')
  const mode = openTo(databasePath)
  if (mode !== null) yield wrong(`others can read the database (mode ${mode})`, `chmod 600 ${databasePath}`)
  let db: Database | null = null
  try {
    db = openReadOnly(databasePath)
    // All of it is read, once: a copy of each page would be wasted.
    db.run('PRAGMA mmap_size = 2147418112')
    const steps = status(db)
    const missing = steps.filter(({ applied_at }) => applied_at === null).length
    yield fine(
      missing === 0
        ? `the schema is up to date: ${steps.length} steps`
        : `the schema is ${missing} steps behind: the next start of the server brings it up to date`,
    )
    yield* integrity(db)
    if (missing === 0) yield* clock(db, Date.now())
  } catch (error) {
    yield wrong((error as Error).message, 'set DATA_DIR or DATABASE_URL right, or restore a backup')
  } finally {
    db?.close()
  }
}

function* integrity(db: Database): Generator<Finding> {
  const damage = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get()?.integrity_check
  const orphan = db.query<{ table: string }, []>('PRAGMA foreign_key_check').get()?.table
  const found = damage !== 'ok' ? damage : orphan && `a row of ${orphan} points at nothing`
  yield found
    ? wrong(
        `the database is damaged: ${found.replaceAll(/\s+/g, ' ')}`,
        'stop the server and restore the last good backup',
      )
    : fine('the database is whole')
}

// Clocks of different machines differ by seconds at most.
const tolerance = minutes

function* clock(db: Database, now: number): Generator<Finding> {
  const newest = db
    .query<{ at: number | null }, []>(
      `SELECT max(at) AS at FROM (
        SELECT max(created_at) AS at FROM users UNION ALL
        SELECT max(last_used_at) FROM sessions UNION ALL
        SELECT max(last_msg_at) FROM chats UNION ALL
        SELECT max(at) FROM audit_log)`,
    )
    .get()!.at
  const set = 'set the clock, and let a time service such as systemd-timesyncd keep it'
  if (new Date(now).getUTCFullYear() < 2026) yield wrong(`the clock is wrong: it says ${iso(now)}`, set)
  else if (newest !== null && newest > now + tolerance)
    yield wrong(`the clock says ${iso(now)}, but something was stored at ${iso(newest)}`, set)
  else yield fine(`the clock says ${iso(now)}`)
}

// Below this SQLite's own work gets tight: the log before a checkpoint, sorting, a migration that rewrites a table.
const leastFree = 512 * 2 ** 20

function* disk({ dataDir, databasePath }: Config): Generator<Finding> {
  const size = existsSync(databasePath) ? statSync(databasePath).size : 0
  const directories = size > 0 ? [dataDir, dirname(databasePath)] : [dataDir]
  const byDisk = new Map(directories.map((directory) => [statSync(directory).dev, directory]))
  for (const directory of byDisk.values()) {
    const { bavail, bsize } = statfsSync(directory)
    const free = bavail * bsize
    yield free < Math.max(leastFree, size)
      ? wrong(
          `only ${gigabytes(free)} are free on the disk of ${directory}`,
          `make room: the database of ${gigabytes(size)} needs as much again for a backup or a migration`,
        )
      : fine(`${gigabytes(free)} are free on the disk of ${directory}`)
  }
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
