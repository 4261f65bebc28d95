import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { days } from '../lib/time.ts'

/** How long files replaced by a migration or a restore are kept. Limited, because they contain users who were erased since. */
export const copiesKeptFor = 30 * days

// `.part` is left by a killed process.
const copyName =
  /\.before-(?:(?:down-)?\d{4}_[a-z0-9_]+(?:\.part)?|restore-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-wal|-journal)?)$/

/** Removes expired copies of migrations and restores. Returns how many. */
export function removeOldCopies({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>, now: number) {
  const isFile = database.engine === 'sqlite' && database.path !== ':memory:'
  const copies = isFile ? [...copiesOf(database.path), ...copiesOf(join(dataDir, 'media'))] : []
  const old = copies.filter((path) => madeAt(path) < now - copiesKeptFor)
  for (const path of old) rmSync(path, { recursive: true })
  return old.length
}

function copiesOf(path: string): string[] {
  const directory = dirname(path)
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .filter((name) => name.startsWith(`${basename(path)}.before-`) && copyName.test(name))
    .map((name) => join(directory, name))
}

/** A restore moves older files and has its time in their names; a migration creates a new file. */
function madeAt(path: string): number {
  const [, year, month, day, hour, minute, second] = copyName.exec(path) ?? []
  if (year === undefined) return statSync(path).mtimeMs
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
}
