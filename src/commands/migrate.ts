import { parseArgs } from 'node:util'
import { migrations } from '../../migrations/index.ts'
import { readConfig } from '../config.ts'
import { openProgress } from '../progress.ts'
import { down, status } from '../storage/migrate.ts'
import { bringUp, refuseForeign } from '../storage/open.ts'
import { openReadOnly } from '../storage/sqlite/database.ts'
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

up and down refuse while the server runs: stop it first.`

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

async function migrateUp() {
  const config = readConfig()
  const db = openAlone(config)
  try {
    const missing = status(db).filter(({ applied_at }) => applied_at === null)
    let kept: string | null = null
    const applied = await withProgress(missing.length, (onStep) => {
      const done = bringUp(db, config.databasePath, { onStep })
      kept = done.kept
      return done.migrated
    })
    report('applied', applied, 'nothing to do: the schema is up to date')
    if (kept !== null) console.log(`the database as it was before is kept in ${kept}`)
  } finally {
    db.close()
  }
}

async function migrateDown(steps: number) {
  const config = readConfig()
  requireDatabase(config)
  const db = openAlone(config)
  try {
    report(
      'took back',
      await withProgress(steps, (onStep) => down(db, { steps, onStep })),
      'nothing to take back: no step is applied',
    )
  } finally {
    db.close()
  }
}

async function withProgress(total: number, work: (onStep: () => void) => string[]): Promise<string[]> {
  const progress = await openProgress('migrating', total, 'steps')
  try {
    return work(() => progress.advance(1))
  } finally {
    progress.stop()
  }
}

function report(done: string, steps: string[], nothing: string) {
  console.log(steps.length === 0 ? nothing : steps.map((step) => `${done} ${step}`).join('\n'))
}

function printStatus() {
  const config = readConfig()
  requireDatabase(config)
  refuseForeign(config.databasePath)
  const db = openReadOnly(config.databasePath)
  try {
    for (const { number, name, applied_at } of status(db))
      console.log(`${String(number).padStart(4, '0')}  ${name.padEnd(32)}${applied_at ?? 'not applied'}`)
  } finally {
    db.close()
  }
}
