import { parseArgs } from 'node:util'
import { migrations } from '../../migrations/index.ts'
import { type Config, readConfig } from '../config.ts'
import { openProgress } from '../progress.ts'
import { down, type MigrationState, status } from '../storage/migrate.ts'
import { bringUp, statusOf } from '../storage/open.ts'
import type { Migrator } from '../storage/postgres/migrate.ts'
import { UsageError } from './command.ts'
import { openAlone, requireDatabase } from './database.ts'

export const help = `usage: convene migrate up
       convene migrate down [--steps N]
       convene migrate status

Changes the schema of the database (DATABASE_URL, or DATA_DIR/convene.db). Each step is a transaction of its own:
it is carried out whole or not at all.

  up       applies what is missing; makes the database where there is none. A start of the server does this too.
           What was there before is kept beside, as convene.db.before-<step>: the last two such copies, for 30 days.
           Where the new release does not do, convene restore puts one back in place, under the old one.
  down     takes the newest step back, or the newest N, WITH THE DATA that only it holds. To go back to an earlier
           release, take back the steps it does not know. Make a backup first.
  status   lists the steps and when each was applied; changes nothing.

On SQLite, up and down refuse while the server runs: stop it first. On PostgreSQL nothing is kept beside.`

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { steps: { type: 'string' } }, allowPositionals: true })
  const [action, ...more] = positionals
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  if (values.steps !== undefined && action !== 'down') throw new UsageError('--steps goes with down')
  switch (action) {
    case 'up':
      return migrateUp()
    case 'down':
      return migrateDown(stepsOf(values.steps ?? '1'))
    case 'status':
      return printStatus()
    default:
      throw new UsageError(`migrate takes up, down or status${action === undefined ? '' : `, not '${action}'`}`)
  }
}

function stepsOf(given: string): number {
  const steps = Number(given)
  if (!/^\d+$/.test(given) || steps < 1 || steps > migrations.length)
    throw new UsageError(`--steps must be a whole number from 1 to ${migrations.length}`)
  return steps
}

const pending = (states: readonly MigrationState[]) => states.filter(({ applied_at }) => applied_at === null).length

async function migrateUp() {
  const config = readConfig()
  const { applied, kept } = await upIn(config.database)
  report('applied', applied, 'nothing to do: the schema is up to date')
  if (kept !== null) console.log(`the database as it was before is kept in ${kept}`)
}

async function upIn(database: Config['database']): Promise<{ applied: string[]; kept: string | null }> {
  if (database.engine === 'postgres')
    return inPostgres(database.url, async (migrator) => {
      const missing = pending(await migrator.status())
      return { applied: await withProgress(missing, (onStep) => migrator.up({ onStep })), kept: null }
    })
  const db = await openAlone(database.path)
  try {
    let kept: string | null = null
    const applied = await withProgress(pending(status(db)), (onStep) => {
      const done = bringUp(db, database.path, { onStep })
      kept = done.kept
      return done.migrated
    })
    return { applied, kept }
  } finally {
    db.close()
  }
}

async function migrateDown(steps: number) {
  const { database } = readConfig()
  report('took back', await downIn(database, steps), 'nothing to take back: no step is applied')
}

async function downIn(database: Config['database'], steps: number): Promise<string[]> {
  if (database.engine === 'postgres')
    return inPostgres(database.url, (migrator) => withProgress(steps, (onStep) => migrator.down({ steps, onStep })))
  requireDatabase(database.path)
  const db = await openAlone(database.path)
  try {
    return await withProgress(steps, (onStep) => down(db, { steps, onStep }))
  } finally {
    db.close()
  }
}

async function inPostgres<T>(url: string, work: (migrator: Migrator) => Promise<T>): Promise<T> {
  const { openMigrator } = await import('../storage/postgres/migrate.ts')
  const migrator = await openMigrator(url)
  try {
    return await work(migrator)
  } finally {
    await migrator.close()
  }
}

async function withProgress(
  total: number,
  work: (onStep: () => void) => string[] | Promise<string[]>,
): Promise<string[]> {
  const progress = await openProgress('migrating', total, 'steps')
  try {
    return await work(() => progress.advance(1))
  } finally {
    progress.stop()
  }
}

function report(done: string, steps: string[], nothing: string) {
  console.log(steps.length === 0 ? nothing : steps.map((step) => `${done} ${step}`).join('\n'))
}

async function printStatus() {
  const { database } = readConfig()
  if (database.engine === 'sqlite') requireDatabase(database.path)
  for (const { number, name, applied_at } of await statusOf(database))
    console.log(`${String(number).padStart(4, '0')}  ${name.padEnd(32)}${applied_at ?? 'not applied'}`)
}
