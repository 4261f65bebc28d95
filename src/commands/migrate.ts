import { parseArgs } from 'node:util'
import { migrations } from '../../migrations/index.ts'
import { type Config, readConfig } from '../config.ts'
import { openProgress } from '../lib/progress.ts'
import type { PlannedStep } from '../storage/dropped.ts'
import { down, type MigrationState, planDown, status, type WayDown } from '../storage/migrate.ts'
import { bringUp, statusOf } from '../storage/open.ts'
import type { Migrator } from '../storage/postgres/migrate.ts'
import { keepBeforeDown } from '../storage/sqlite/before-migration.ts'
import { unusable } from '../storage/sqlite/database.ts'
import { UsageError } from './command.ts'
import { openAlone, requireDatabase } from './database.ts'

export const help = `usage: convene migrate up
       convene migrate down [--steps N | --to NUMBER] [--yes]
       convene migrate status

Changes the schema of the database (DATABASE_URL, or DATA_DIR/convene.db). Each step is a transaction of its own:
it is applied completely or not at all.

  up       applies the missing steps, and creates the database if there is none. The server does the same when it starts.
           The database as it was is kept as convene.db.before-<step>: the last two such copies, for 30 days.
           To return to the old release, restore such a copy with the old release's convene restore.
  down     reverts the newest step, or the newest N, or all that are newer than NUMBER. To go back to an earlier
           release, revert the steps that it does not know. This REMOVES THE DATA that those steps added: without --yes,
           migrate down lists the tables and the number of rows, and changes nothing. The database as it was is
           kept as convene.db.before-down-<step>: the last two such copies, for 30 days.
  status   lists the steps and when each was applied; changes nothing.

On SQLite, up and down are refused while the server runs: stop it first. On PostgreSQL, down is refused while nodes
run, and no copy is kept: make a backup with convene backup first.`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { steps: { type: 'string' }, to: { type: 'string' }, yes: { type: 'boolean' } },
    allowPositionals: true,
  })
  const [action, ...more] = positionals
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  for (const option of ['steps', 'to', 'yes'] as const)
    if (values[option] !== undefined && action !== 'down') throw new UsageError(`--${option} goes with down`)
  switch (action) {
    case 'up':
      return migrateUp()
    case 'down':
      return migrateDown(wayDown(values), { sure: values.yes ?? false })
    case 'status':
      return printStatus()
    default:
      throw new UsageError(`migrate takes up, down or status${action === undefined ? '' : `, not '${action}'`}`)
  }
}

function wayDown({ steps, to }: { steps?: string; to?: string }): WayDown {
  if (steps !== undefined && to !== undefined) throw new UsageError('--steps and --to exclude each other')
  return to === undefined ? { steps: stepsOf(steps ?? '1') } : { to: numberOf(to) }
}

function stepsOf(given: string): number {
  const steps = Number(given)
  if (!/^\d+$/.test(given) || steps < 1 || steps > migrations.length)
    throw new UsageError(`--steps must be a whole number from 1 to ${migrations.length}`)
  return steps
}

function numberOf(given: string): number {
  const number = Number(given)
  if (!/^\d+$/.test(given) || (number !== 0 && !migrations.some((step) => step.number === number)))
    throw new UsageError('--to must be the number of a step, as convene migrate status lists them, or 0 for none')
  return number
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
  } catch (error) {
    throw unusable(database.path, error)
  } finally {
    db.close()
  }
}

async function migrateDown(way: WayDown, { sure }: { sure: boolean }) {
  const { database } = readConfig()
  const { takenBack, kept } = await downIn(database, way, sure)
  report('took back', takenBack, 'nothing to take back: no such step is applied')
  if (kept !== null) console.log(`the database as it was before is kept in ${kept}`)
}

async function downIn(
  database: Config['database'],
  way: WayDown,
  sure: boolean,
): Promise<{ takenBack: string[]; kept: string | null }> {
  if (database.engine === 'postgres') {
    // A node that runs does not expect the schema of an earlier release.
    const { refuseAnyNode } = await import('../storage/postgres/copy.ts')
    await refuseAnyNode(database.url)
    return inPostgres(database.url, async (migrator) => {
      const plan = await migrator.planDown(way)
      refuseLoss(plan, sure, 'no copy is kept on PostgreSQL: make one with convene backup first')
      const takenBack = await withProgress(plan.length, (onStep) => migrator.down({ ...way, onStep }))
      return { takenBack, kept: null }
    })
  }
  const { path } = database
  requireDatabase(path)
  const db = await openAlone(path)
  try {
    const plan = planDown(db, way)
    const loses = refuseLoss(plan, sure, `a copy is kept beside as ${path}.before-down-…`)
    const [first] = plan
    const kept = loses && first ? keepBeforeDown(db, path, first.label) : null
    return { takenBack: await withProgress(plan.length, (onStep) => down(db, { ...way, onStep })), kept }
  } catch (error) {
    throw unusable(path, error)
  } finally {
    db.close()
  }
}

/** Prints what the steps remove. Throws if they remove something and `sure` is false. Returns whether they do. */
function refuseLoss(plan: readonly PlannedStep[], sure: boolean, copy: string): boolean {
  let loses = false
  for (const { label, losses } of plan) {
    const some = losses.filter(({ rows }) => rows > 0)
    if (some.length === 0) continue
    loses = true
    console.log(`${label} removes ${some.map(({ name, rows }) => `${name} (${counted(rows)})`).join(', ')}`)
  }
  if (loses && !sure) throw new UsageError(`nothing was changed: add --yes to remove that for good; ${copy}`)
  return loses
}

const counted = (rows: number) => `${rows} ${rows === 1 ? 'row' : 'rows'}`

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
