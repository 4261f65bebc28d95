import { openProgress } from '../lib/progress.ts'
import { copyRows, type Digest, digestOf, type Side, type Table, tables, type Target } from '../storage/copy.ts'
import { newest } from '../storage/migrate.ts'
import { isHalfCopied, openTarget } from '../storage/postgres/copy.ts'
import { openMigrator } from '../storage/postgres/migrate.ts'

/** Creates the schema in a PostgreSQL database and has `work` fill it. `opening` may say what an error is about. */
export async function inServer<T>(
  url: string,
  work: (target: Target) => Promise<T>,
  opening: <U>(step: Promise<U>) => Promise<U> = (step) => step,
): Promise<T> {
  if (!(await opening(isHalfCopied(url)))) {
    const migrator = await opening(openMigrator(url))
    try {
      await opening(migrator.up())
    } finally {
      await migrator.close()
    }
  }
  const target = await opening(openTarget(url))
  try {
    return await work(target)
  } finally {
    await target.close()
  }
}

/** The name of the note that identifies the state of the source, and its release. */
const origin = 'source'

/**
 * Copies all tables from one database into another, empty one, and compares the hashes of both. Continues a copy that was
 * interrupted. Throws if anything differs.
 */
export async function carryOver(source: Side, target: Target): Promise<Map<string, Digest>> {
  const notes = await target.notes()
  if (notes === null) await refuseFilled(target)
  let total = 0
  for (const table of tables) total += await source.count(table)

  const expected = await eachTable('reading the source', total, (table, onRows) => digestOf(source, table, onRows))
  const identity = JSON.stringify({ schema: newest, tables: [...expected] })
  if (notes === null) await target.begin(origin, identity)
  else if (notes.get(origin) !== identity)
    throw new Error(
      'the target is half copied from another source, or the source has changed since: empty the target and copy again',
    )

  await eachTable('copying', total, (table, onRows) =>
    copyRows(source, target, table, notes?.get(table.name), onRows),
  ).catch((error: Error) => {
    throw new Error(`interrupted: ${error.message}. Run the same command again to continue`, { cause: error })
  })
  await target.verifyCopy(tables)
  const found = await eachTable('checking', total, (table, onRows) => digestOf(target, table, onRows))
  const differing = tables.filter(({ name }) => !Bun.deepEquals(found.get(name), expected.get(name)))
  if (differing.length > 0) {
    const shown = differing.map(
      ({ name }) => `${name} (${expected.get(name)?.rows} rows, ${found.get(name)?.rows} there)`,
    )
    throw new Error(`the copy differs from its source in ${shown.join(', ')}: empty the target and copy again`)
  }
  await target.finish()
  return expected
}

async function refuseFilled(target: Side) {
  // A server that was started on it has filled this table only.
  for (const table of tables.filter(({ name }) => name !== 'community'))
    if ((await target.read(table, null, 1)).rows.length > 0)
      throw new Error(`the target has rows in ${table.name} already: choose an empty database`)
}

async function eachTable<T>(
  title: string,
  total: number,
  work: (table: Table, onRows: (rows: number) => void) => Promise<T>,
): Promise<Map<string, T>> {
  const done = new Map<string, T>()
  const progress = await openProgress(title, total, 'rows')
  try {
    for (const table of tables) done.set(table.name, await work(table, progress.advance))
  } finally {
    progress.stop()
  }
  return done
}
