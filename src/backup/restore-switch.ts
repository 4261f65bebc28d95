import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { compact, seconds } from '../lib/time.ts'
import { syncDirectory } from '../storage/files/disk.ts'
import { giveAllToOwner } from '../lib/owner.ts'
import { messageOf } from '../lib/errors.ts'

/** An SQLite database, and the data directory with its photos. */
type Installation = { databasePath: string; dataDir: string }

/**
 * Database and photos cannot be replaced with a single rename. A restore therefore prepares everything under temporary names,
 * and commits by creating one file, the plan. A restore that was interrupted before its commit is undone, and one after it is
 * finished. Each step can be repeated.
 */
type Plan = { data_dir: string; stamp: string; with_media: boolean }

/** The temporary paths of a restore. The lock on the data directory ensures that only one restore uses them. */
export const workOf = ({ databasePath, dataDir }: Installation) => ({
  unpacked: `${databasePath}.unpacked`,
  database: `${databasePath}.restored`,
  media: join(dataDir, 'media.restored'),
  download: join(dataDir, 'restore.download'),
})

const planOf = (databasePath: string) => `${databasePath}.restoring`

/** Whether a restore was interrupted after its commit: the database or the photos may still be the former ones. */
export const isHalfRestored = (databasePath: string) => existsSync(planOf(databasePath))

/**
 * Removes the files of a restore that was not committed. Returns whether there were any. A committed but unfinished restore
 * keeps its files, which the next start or restore needs.
 */
export function removeWork(installation: Installation): boolean {
  if (isHalfRestored(installation.databasePath)) return false
  const { unpacked, database, media, download } = workOf(installation)
  const files = [unpacked, database, download].flatMap((path) => [
    path,
    `${path}-wal`,
    `${path}-shm`,
    `${path}-journal`,
  ])
  const left = [...files, media, `${planOf(installation.databasePath)}.part`].filter((path) => existsSync(path))
  for (const path of left) rmSync(path, { recursive: true })
  return left.length > 0
}

/** The temporary paths of a restore into PostgreSQL. */
export const serverWorkOf = (dataDir: string) => ({
  unpacked: join(dataDir, 'restore.unpacked'),
  download: join(dataDir, 'restore.download'),
})

/** Removes the files of a restore into PostgreSQL. Returns whether there were any. Call it with the data locked. */
export function removeServerWork(dataDir: string): boolean {
  const { unpacked, download } = serverWorkOf(dataDir)
  const files = [download, ...['', '-wal', '-shm', '-journal'].map((end) => unpacked + end)]
  const left = files.filter((path) => existsSync(path))
  for (const path of left) rmSync(path)
  return left.length > 0
}

/**
 * Finishes or undoes an interrupted restore. Call it with the data locked, before anything else reads it. Returns what it did;
 * null if there was nothing to do.
 */
export async function resolveRestore(installation: Installation): Promise<'finished' | 'undone' | null> {
  if (isHalfRestored(installation.databasePath)) {
    await finish(installation, readPlan(installation))
    removeWork(installation)
    return 'finished'
  }
  return removeWork(installation) ? 'undone' : null
}

/**
 * Replaces the present data with that at `workOf`, wholly or not at all. Returns the new names of the present data.
 * `withMedia`: the photos too.
 */
export async function switchTo(
  installation: Installation,
  { withMedia, at }: { withMedia: boolean; at: number },
): Promise<string[]> {
  const { databasePath, dataDir } = installation
  const { database, media } = workOf(installation)
  giveAllToOwner(database, dataDir)
  if (withMedia) giveAllToOwner(media, dataDir)
  const plan = {
    data_dir: relative(dirname(databasePath), dataDir),
    stamp: freeStamp(installation, at),
    with_media: withMedia,
  }
  await writeSynced(planOf(databasePath), JSON.stringify(plan))
  return finish(installation, plan)
}

async function finish(installation: Installation, { stamp, with_media }: Plan): Promise<string[]> {
  const { databasePath, dataDir } = installation
  const { database, media } = workOf(installation)
  const mediaPath = join(dataDir, 'media')
  const aside = (path: string) => `${path}.before-restore-${stamp}`
  // While this file exists, the present database is the former one.
  if (existsSync(database)) {
    if (existsSync(databasePath) && !existsSync(aside(databasePath))) keepAs(databasePath, aside(databasePath))
    // SQLite would apply the former database's write-ahead log to the new one.
    for (const log of ['-wal', '-journal'])
      if (existsSync(databasePath + log)) renameSync(databasePath + log, aside(databasePath) + log)
    // The index of the log, which SQLite rebuilds.
    rmSync(`${databasePath}-shm`, { force: true })
  }
  if (with_media && existsSync(media)) {
    if (existsSync(mediaPath) && !existsSync(aside(mediaPath))) renameSync(mediaPath, aside(mediaPath))
    renameSync(media, mediaPath)
  }
  if (existsSync(database)) renameSync(database, databasePath)
  const directories = new Set([dirname(databasePath), dataDir])
  for (const directory of directories) await syncDirectory(directory)
  rmSync(planOf(databasePath))
  await syncDirectory(dirname(databasePath))
  return [aside(databasePath), aside(mediaPath)].filter((path) => existsSync(path))
}

/** Uses a hard link if possible, so that an older release, which does not know the plan, finds a database. */
function keepAs(path: string, name: string) {
  try {
    linkSync(path, name)
  } catch {
    renameSync(path, name)
  }
}

function readPlan({ databasePath, dataDir }: Installation): Plan {
  const path = planOf(databasePath)
  let plan: Plan
  try {
    plan = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
  if (plan.data_dir === relative(dirname(databasePath), dataDir)) return plan
  throw new Error(
    `a restore of ${databasePath} was interrupted with another DATA_DIR: set that one again (${join(dirname(databasePath), plan.data_dir)}), not ${dataDir}`,
  )
}

/** A time whose name is not taken yet: names have a resolution of seconds, and two restores may run within one. */
function freeStamp({ databasePath, dataDir }: Installation, at: number): string {
  const isTaken = (stamp: string) => {
    const database = `${databasePath}.before-restore-${stamp}`
    const names = [database, `${database}-wal`, `${database}-journal`, join(dataDir, `media.before-restore-${stamp}`)]
    return names.some((name) => existsSync(name))
  }
  let time = at
  while (isTaken(compact(time))) time += seconds
  return compact(time)
}

async function writeSynced(path: string, text: string): Promise<void> {
  const part = `${path}.part`
  const file = openSync(part, 'w', 0o600)
  writeSync(file, text)
  fsyncSync(file)
  closeSync(file)
  renameSync(part, path)
  await syncDirectory(dirname(path))
}
