import type { Database } from 'bun:sqlite'
import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Config,
  ConfigError,
  type DatabaseConfig,
  readConfig,
  type RedisAddress,
  shownDatabase,
} from '../config.ts'
import { strangeness } from '../belongings.ts'
import { strangeSecrets } from '../features/community/service.ts'
import { legalFiles } from '../features/legal/service.ts'
import { backupDirectoryProblem, newestBackup, newestInBucket } from '../scheduled-backup.ts'
import { shownPlace } from '../s3-place.ts'
import { isSecret, secretsAtHand } from '../secrets.ts'
import { openBucket } from '../storage/files/bucket.ts'
import { ownerMark } from '../storage/files/s3.ts'
import { type MigrationState, status } from '../storage/migrate.ts'
import { statusOf } from '../storage/open.ts'
import type { Database as Postgres } from '../storage/postgres/database.ts'
import { damageIn, openReadOnly } from '../storage/sqlite/database.ts'
import { strayTraits } from '../storage/sqlite/traits.ts'
import { days, iso, minutes } from '../time.ts'

export const help = `usage: convene check

Examines an installation and changes nothing. Works beside a running server, and reads the whole database: some ten
seconds for each gigabyte. Run it with the same environment, and as the same user, as the server.

It looks at the settings and which of them are unsafe in production, whether the Redis that they name answers, who else
can read the data directory and the secrets, the buckets of images and backups, the schema, the integrity of the database
and its search index, the room left on the disk, the clock, and how old the newest backup in BACKUP_DIR is. For each thing
that is wrong it says how to mend it.

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
  if (config.redis !== null) yield redis(config.redis)
  yield* buckets(config)
  const { dataDir } = config
  if (!existsSync(dataDir))
    return yield wrong(`DATA_DIR is not there: ${dataDir}`, 'set DATA_DIR right, or start the server once to make it')
  if (!statSync(dataDir).isDirectory())
    return yield wrong(`DATA_DIR is no directory: ${dataDir}`, 'set DATA_DIR to a directory')
  const denied = deniedTo(dataDir)
  // What is in it would seem to be missing.
  if (denied) return yield denied
  yield dataDirectory(dataDir)
  yield* secrets(config)
  if (config.database.engine === 'sqlite') yield* file(config, config.database.path)
  else yield* server(config, config.database)
  yield* disk(config)
  yield* backups(config, Date.now())
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

function* settings(config: Config): Generator<Finding> {
  const { host, corsOrigins, rateLimit, metricsToken, messengerBotToken, initDataMaxAgeS, legalDir, database } = config
  const problems: Finding[] = []
  if (!rateLimit)
    problems.push(wrong('RATE_LIMIT is off: passwords can be guessed without end', 'leave RATE_LIMIT out'))
  if (messengerBotToken !== null && initDataMaxAgeS === 0)
    problems.push(
      wrong('INIT_DATA_MAX_AGE_S is 0: whoever finds init data of any age is in', 'leave INIT_DATA_MAX_AGE_S out'),
    )
  if (legalDir !== null) problems.push(...legalTexts(legalDir))
  if (database.engine === 'sqlite' && database.path === ':memory:')
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
          `HOST is ${host}, where others reach it, and there is no METRICS_TOKEN: whoever comes through a proxy on this machine that sends no X-Forwarded-For reads /metrics`,
          'set METRICS_TOKEN to 16 random characters or more, such as the output of: openssl rand -hex 16',
        ),
      )
  }
  yield* problems.length === 0 ? [fine('the settings are fit for production')] : problems
}

function legalTexts(directory: string): Finding[] {
  try {
    const { empty, misnamed } = legalFiles(directory)
    return [
      ...empty.map((file) => wrong(`${file} in LEGAL_DIR has no content`, 'write it, or remove it')),
      ...misnamed.map((file) => wrong(`${file} in LEGAL_DIR is not used`, 'name it like terms.en.md, or remove it')),
    ]
  } catch {
    return [wrong(`LEGAL_DIR is no directory that can be read: ${directory}`, 'make it, or leave LEGAL_DIR out')]
  }
}

async function redis(address: RedisAddress): Promise<Finding> {
  try {
    const { commands } = await (await import('../redis/connect.ts')).connect(address)
    commands.disconnect()
    return fine(`Redis answers: ${address.host}:${address.port}`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return wrong(error.message, 'set REDIS_URL right, or start Redis: the server does not start without it')
  }
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
  if (media === null && existsSync(left) && !isWritable(left))
    yield wrong(
      `images cannot be stored in ${left}`,
      `chown -R it to the user that runs the server, and chmod 700 ${left}`,
    )
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

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function deniedTo(dataDir: string): Finding | null {
  if (isWritable(dataDir)) return null
  const mend = `run this as the user that runs the server, or chown -R ${process.getuid?.() ?? 'USER'} ${dataDir}`
  return wrong(`DATA_DIR is not for this user: ${dataDir}`, mend)
}

function dataDirectory(dataDir: string): Finding {
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
        `restore it from your copy of ${dataDir}; where that is lost, convene admin adopt --yes makes a new one, which ${loss}`,
      )
    else yield secretFile(path, name)
  }
}

function secretFile(path: string, name: string): Finding {
  const mode = openTo(path)
  if (mode !== null) return wrong(`others can read ${name} (mode ${mode})`, `chmod 600 ${path}`)
  try {
    if (isSecret(readFileSync(path, 'utf8').trim())) return fine(`${name} is for its owner only`)
    return wrong(`${name} does not hold 64 hexadecimal digits`, `restore ${path} from your copy`)
  } catch (error) {
    return wrong(`${name} cannot be read: ${(error as Error).message}`, `look at who owns ${path}`)
  }
}

async function* file(config: Config, databasePath: string): AsyncGenerator<Finding> {
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
    yield progressOf(steps)
    yield integrity(db)
    if (!isUpToDate(steps)) return
    yield searchIndex(db)
    yield* belongings(config, db.query<Remembered, []>(remembered).all())
    yield clock(db.query<{ at: number | null }, []>(newestTime).get()!.at, Date.now())
  } catch (error) {
    yield wrong((error as Error).message, 'set DATA_DIR or DATABASE_URL right, or restore a backup')
  } finally {
    db?.close()
  }
}

async function* server(config: Config, database: DatabaseConfig & { engine: 'postgres' }): AsyncGenerator<Finding> {
  let db: Postgres | null = null
  try {
    const steps = await statusOf(database)
    yield progressOf(steps)
    const { openDatabase } = await import('../storage/postgres/database.ts')
    db = await openDatabase(database.url)
    yield fine(`the database takes writes: ${shownDatabase(database)}`)
    if (!isUpToDate(steps)) return
    yield* belongings(config, await db.read((q) => q.all<Remembered>(remembered)))
    const newest = await db.read((q) => q.get<{ at: number | null }>(newestTime))
    yield clock(newest!.at, Date.now())
  } catch (error) {
    yield wrong((error as Error).message, 'look at the server, and set DATABASE_URL right')
  } finally {
    await db?.close()
  }
}

type Remembered = { name: string; value: string }
const remembered = 'SELECT name, value FROM community'

/** Whether secrets and photos are those of the community that the database is of. */
async function* belongings(config: Config, rows: readonly Remembered[]): AsyncGenerator<Finding> {
  const known = new Map(rows.map(({ name, value }) => [name, value]))
  const atHand = secretsAtHand(config)
  const isAtHand = { jwt_secret: atHand.jwt !== null, location_key: atHand.location !== null, photos: true }
  // Of those that are missing, or cannot be read, it was told before, and how to mend that.
  const strange = strangeSecrets(known, atHand).filter((name) => isAtHand[name])
  // A bucket that does not answer was told of before.
  const owner =
    config.media &&
    (await openBucket(config.media)
      .get(ownerMark)
      .catch(() => null))
  const isOthers = owner !== null && known.has('id') && Buffer.from(owner).toString().trim() !== known.get('id')
  for (const belonging of [...strange, ...(isOthers ? (['photos'] as const) : [])]) {
    const { text, mend } = strangeness(belonging, config)
    yield wrong(text, mend)
  }
  if (strange.length === 0 && atHand.jwt !== null && atHand.location !== null && known.has('location_key'))
    yield fine('the secrets are those of the database')
}

const missingOf = (steps: readonly MigrationState[]) => steps.filter(({ applied_at }) => applied_at === null).length
const isUpToDate = (steps: readonly MigrationState[]) => missingOf(steps) === 0

const progressOf = (steps: readonly MigrationState[]) =>
  fine(
    isUpToDate(steps)
      ? `the schema is up to date: ${steps.length} steps`
      : `the schema is ${missingOf(steps)} steps behind: the next start of the server brings it up to date`,
  )

function integrity(db: Database): Finding {
  const damage = damageIn(db)
  return damage === null
    ? fine('the database is whole')
    : wrong(`the database is damaged: ${damage}`, 'stop the server and restore the last good backup')
}

/** Whether the search by what people like finds whom it should: its index beside what it is made of. */
function searchIndex(db: Database): Finding {
  const stray = strayTraits(db)
  return stray === 0
    ? fine('the index of the nearby search says what the profiles say')
    : wrong(
        `the index of the nearby search differs from the profiles in ${stray} ${stray === 1 ? 'entry' : 'entries'}`,
        'stop the server, then: convene backup FILE, and convene restore FILE, which makes it anew',
      )
}

// Clocks of different machines differ by seconds at most.
const tolerance = minutes

const newestTime = `
  SELECT max(at) AS at FROM (
    SELECT max(created_at) AS at FROM users UNION ALL
    SELECT max(last_used_at) FROM sessions UNION ALL
    SELECT max(last_msg_at) FROM chats UNION ALL
    SELECT max(at) FROM audit_log) AS newest`

function clock(newest: number | null, now: number): Finding {
  const set = 'set the clock, and let a time service such as systemd-timesyncd keep it'
  if (new Date(now).getUTCFullYear() < 2026) return wrong(`the clock is wrong: it says ${iso(now)}`, set)
  if (newest !== null && newest > now + tolerance)
    return wrong(`the clock says ${iso(now)}, but something was stored at ${iso(newest)}`, set)
  return fine(`the clock says ${iso(now)}`)
}

// Below this SQLite's own work gets tight: the log before a checkpoint, sorting, a migration that rewrites a table.
const leastFree = 512 * 2 ** 20

function* disk({ dataDir, database }: Config): Generator<Finding> {
  const path = database.engine === 'sqlite' && existsSync(database.path) ? database.path : null
  const size = path === null ? 0 : statSync(path).size
  const directories = path === null ? [dataDir] : [dataDir, dirname(path)]
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

// A backup of a large community takes its time, and a machine may be down for a while.
const grace = days

async function* backups(config: Config, now: number): AsyncGenerator<Finding> {
  const { backupDir, backupCron } = config
  if (backupDir === null) return
  const problem = typeof backupDir === 'string' ? backupDirectoryProblem(backupDir) : null
  if (problem !== null) return yield wrong(`BACKUP_DIR ${problem.text}`, 'set BACKUP_DIR right, or look at who owns it')
  const isBucket = typeof backupDir !== 'string'
  // Of one that does not answer it was told before.
  const newest = isBucket ? await newestInBucket(backupDir).catch(() => undefined) : newestBackup(backupDir)
  if (newest === undefined) return
  const shown = isBucket ? shownPlace(backupDir) : backupDir
  const mend = `look for the job backup in the server's log; one by hand is made by convene backup FILE`
  const dueAfter = (at: number) => Bun.cron.parse(backupCron, at, { tz: 'UTC' })!.getTime()
  if (!newest) {
    const first = dueAfter(firstStart(config))
    if (now <= first + grace) return yield fine(`the first backup in ${shown} is due at ${iso(first)}`)
    return yield wrong(`there is no backup in BACKUP_DIR: ${shown}`, mend)
  }
  const next = dueAfter(newest.at)
  yield now > next + grace
    ? wrong(`the newest backup in ${shown} is of ${iso(newest.at)}`, mend)
    : fine(`the newest backup is of ${iso(newest.at)}, with ${gigabytes(newest.bytes)}`)
}

/** When the first start was, by the first step of the schema; long ago where that cannot be told. */
function firstStart({ database }: Config): number {
  if (database.engine !== 'sqlite' || !existsSync(database.path)) return 0
  try {
    const db = openReadOnly(database.path)
    const at = status(db).at(0)?.applied_at
    db.close()
    return at ? Date.parse(at) : 0
  } catch {
    return 0
  }
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
