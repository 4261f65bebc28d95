import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { isHalfRestored } from '../../backup/restore-switch.ts'
import type { Config } from '../../config.ts'
import { tryDatabase } from '../../installation/room.ts'
import { Refusal } from '../../lib/refusal.ts'
import { communityStore } from '../../storage/sql/community.ts'
import type { Engine } from '../../storage/sql/engine.ts'
import { iso, minutes } from '../../lib/time.ts'
import { demoEmails, demoPassword } from '../../seed/demo-account.ts'
import { type DatabaseConfig, shownDatabase } from '../../storage/database-url.ts'
import { type MigrationState, status } from '../../storage/migrate.ts'
import { statusOf } from '../../storage/open.ts'
import type { Database as Postgres } from '../../storage/postgres/database.ts'
import { knownFiles } from '../../storage/sql/media.ts'
import { countNearbyErrors, rebuildNearby } from '../../storage/sql/nearby-people.ts'
import { damageIn, openReadOnly, withDrizzle } from '../../storage/sqlite/database.ts'
import { sqliteReader } from '../../storage/sqlite/engine.ts'
import { countNearbyPeopleErrors } from '../../storage/sqlite/nearby-people.ts'
import { countTraitErrors } from '../../storage/sqlite/traits.ts'
import { namingDatabase } from '../database.ts'
import { openTo } from './data-directory.ts'
import { fine, type Finding, wrong } from './finding.ts'
import { ownedAssets, type Remembered, remembered, sharedSettings } from './ownership.ts'
import { photos } from './photos.ts'
import { messageOf } from '../../lib/errors.ts'
import { oneRow } from '../../storage/sqlite/one-row.ts'

/** The database, and what can only be examined with it: photos, secrets, seeded accounts, the clock. */
export const database = (config: Config): AsyncGenerator<Finding> =>
  config.database.engine === 'sqlite' ? file(config, config.database.path) : server(config, config.database)

async function* file(config: Config, databasePath: string): AsyncGenerator<Finding> {
  if (databasePath === ':memory:') return
  if (!existsSync(databasePath))
    return yield wrong(
      `there is no database: ${databasePath}`,
      'start the server once to create it, or restore a backup',
    )
  const mode = openTo(databasePath)
  if (mode !== null) yield wrong(`others can read the database (mode ${mode})`, `chmod 600 ${databasePath}`)
  let db: Database | null = null
  try {
    if (isHalfRestored(databasePath))
      return yield wrong('a restore was interrupted', 'start the server, or run convene restore, which finishes it')
    db = openReadOnly(databasePath)
    // The whole file is read once, so copying its pages into a cache would be a waste.
    db.run('PRAGMA mmap_size = 2147418112')
    const steps = status(db)
    yield progressOf(steps)
    yield integrity(db)
    if (!isUpToDate(steps)) return
    yield searchIndex(db)
    yield shownBySearches(
      countNearbyPeopleErrors(db),
      'stop the server, then: convene backup FILE, and convene restore FILE, which rebuilds that',
    )
    yield* photos(config, knownFiles(sqliteReader(withDrizzle(db))))
    yield* ownedAssets(config, db.query<Remembered, []>(remembered).all())
    yield* seededAccounts(db.query<PasswordInUse, []>(demoPasswords).all())
    yield clock(oneRow(db.query<{ at: number | null }, []>(newestTime).get()).at, Date.now())
  } catch (error) {
    const message = messageOf(namingDatabase(config.database, error))
    yield wrong(message, 'correct DATA_DIR or DATABASE_URL, or restore a backup')
  } finally {
    db?.close()
  }
}

async function* server(config: Config, database: DatabaseConfig & { engine: 'postgres' }): AsyncGenerator<Finding> {
  let db: Postgres | null = null
  try {
    const steps = await statusOf(database)
    yield progressOf(steps)
    const { openDatabase } = await import('../../storage/postgres/database.ts')
    db = await openDatabase(database.url)
    if (!isUpToDate(steps)) return
    const engine = (await import('../../storage/postgres/engine.ts')).postgresEngine(db)
    yield await takesWrites(engine, shownDatabase(database))
    const shown = await db.read((q) => q.get<{ n: number }>(countNearbyErrors))
    yield shownBySearches(
      shown!.n,
      `stop all nodes, then: psql -1 DATABASE_URL ${rebuildNearby.map((statement) => `-c '${statement}'`).join(' ')}`,
    )
    yield* photos(config, knownFiles(engine))
    const community = await db.read((q) => q.all<Remembered>(remembered))
    yield* ownedAssets(config, community)
    yield* sharedSettings(config, community)
    yield* seededAccounts(await db.read((q) => q.all<PasswordInUse>(demoPasswords)))
    const newest = await db.read((q) => q.one<{ at: number | null }>(newestTime))
    yield clock(newest.at, Date.now())
  } catch (error) {
    const message = messageOf(namingDatabase(database, error))
    yield wrong(message, 'check the database server and DATABASE_URL')
  } finally {
    await db?.close()
  }
}

/** Whether the database stores a test write: a full disk refuses it, and does not show from here otherwise. */
async function takesWrites(engine: Engine, shown: string): Promise<Finding> {
  try {
    await tryDatabase(communityStore(engine))
    return fine(`the database takes writes: ${shown}`)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const why = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    return wrong(`the database takes no writes: ${error.detail}${why}`, 'look at the database server and its disk')
  }
}

type PasswordInUse = { password_hash: string; accounts: number; email: string }

// All accounts of one seed share a hash, until one changes its password.
const demoPasswords = `
  SELECT password_hash, CAST(count(*) AS integer) AS accounts, min(email) AS email FROM users
  WHERE email LIKE '${demoEmails}' AND password_hash IS NOT NULL
  GROUP BY password_hash ORDER BY 2 DESC, 3 LIMIT 3`

/** Accounts made by the seed, whose password is public. */
async function* seededAccounts(found: readonly PasswordInUse[]): AsyncGenerator<Finding> {
  for (const { password_hash, accounts, email } of found) {
    if (!(await Bun.password.verify(demoPassword, password_hash))) continue
    const whose = accounts === 1 ? `the account ${email} has` : `${accounts} accounts, such as ${email}, have`
    yield wrong(
      `${whose} the password that convene seed prints, which everybody knows`,
      'keep this server unreachable for others, and start with an empty database; for a single account: convene admin erase EMAIL --yes',
    )
  }
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

/** Whether the index of the nearby search agrees with the profiles that it is built from. */
function searchIndex(db: Database): Finding {
  const stray = countTraitErrors(db)
  return stray === 0
    ? fine('the index of the nearby search says what the profiles say')
    : wrong(
        `the index of the nearby search differs from the profiles in ${stray} ${stray === 1 ? 'entry' : 'entries'}`,
        'stop the server, then: convene backup FILE, and convene restore FILE, which rebuilds it',
      )
}

/** Whether the nearby search shows people as their profiles are. */
function shownBySearches(wrongly: number, fix: string): Finding {
  return wrongly === 0
    ? fine('the nearby search shows people as their profiles are')
    : wrong(`the nearby search shows ${wrongly} ${wrongly === 1 ? 'person' : 'people'} not as their profiles are`, fix)
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
