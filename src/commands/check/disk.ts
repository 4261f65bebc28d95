import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../../config.ts'
import { fine, type Finding, gigabytes, wrong } from './finding.ts'

// SQLite itself needs space: for the write-ahead log, for sorting, for a migration that rewrites a table.
const leastFree = 512 * 2 ** 20

export function* disk({ dataDir, database }: Config): Generator<Finding> {
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
          `free some space: a backup or a migration needs as much as the database, which has ${gigabytes(size)}`,
        )
      : fine(`${gigabytes(free)} are free on the disk of ${directory}`)
  }
}
