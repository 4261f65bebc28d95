import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { environmentFor } from '../config.ts'
import { DataInUse, holdBackups } from '../installation/data-directory.ts'
import { s3ObjectUrl, type S3Place } from '../s3/place.ts'
import { openBucket } from '../s3/bucket.ts'
import { openDiskFiles } from '../storage/files/disk.ts'
import { erasuresIn, journalOf } from '../storage/files/erasure-journal.ts'
import { isFileName } from '../features/media/files.ts'
import { downloadName, photosBesideOf } from './photos.ts'
import { compact } from '../lib/time.ts'
import { codeOf } from '../lib/errors.ts'

const name = /^convene-\d{8}T\d{6}Z\.(db|dump)$/
const unfinishedName = /^convene-\d{8}T\d{6}Z\.(db|dump)\.[0-9a-f]{8}\.part(-journal|-copy(-wal|-shm)?|\.photos)?$/

/** Why the directory cannot be written or created; null if it can. Changes nothing. */
export function backupDirectoryProblem(directory: string): { text: string; isFinal: boolean } | null {
  const there = nearest(directory)
  try {
    if (!statSync(there).isDirectory()) return { text: `must be a directory, and ${there} is not`, isFinal: true }
    accessSync(there, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    return { text: `must be a directory that can be written, and ${there} cannot (${codeOf(error)})`, isFinal: false }
  }
}

/** The directory, or its nearest parent that exists. */
const nearest = (path: string): string => (existsSync(path) || dirname(path) === path ? path : nearest(dirname(path)))

/** The newest backup in the directory, by its completion time; null if there is none, or the directory is unreadable. */
export function newestBackup(directory: string): Made | null {
  try {
    const made = readdirSync(directory)
      .filter((entry) => name.test(entry))
      .map((entry) => statSync(join(directory, entry)))
    return newest(made.map(({ mtimeMs, size }) => ({ at: mtimeMs, bytes: size })))
  } catch {
    // The next backup creates the directory, or reports the problem.
    return null
  }
}

/** The same for a bucket. Throws if it does not answer. */
export async function newestInBucket(place: S3Place): Promise<Made | null> {
  const objects = await Array.fromAsync(openBucket(place).list('convene-'))
  const made = objects.filter((object) => name.test(object.name))
  return newest(made.map(({ modified_ms, size }) => ({ at: modified_ms, bytes: size })))
}

type Made = { at: number; bytes: number }

const newest = (made: Made[]): Made | null => made.sort((a, b) => b.at - a.at)[0] ?? null

/** A directory, or a bucket with the local directory in which the backup is made before the upload. */
type BackupPlace = string | { place: S3Place; dataDir: string }

/**
 * Makes a backup in the directory or bucket, named by its time, and removes the oldest ones beyond `keep`, and the photos that
 * no other one needs; none if the backup fails. Then writes the erasures next to it: without them, a restore on another machine
 * would bring back users who were erased since.
 */
export async function backUpInto(
  where: BackupPlace,
  {
    keep,
    at,
    erased,
    ending = 'db',
    isIncremental = true,
    backUp = (file, keys) => runBackupCommand(isIncremental ? ['--incremental', file] : [file], keys),
  }: {
    keep: number
    at: number
    /** All erasures, by user. Asked after the backup, because nodes erase people during it. */
    erased?: () => Promise<Map<string, number>>
    ending?: 'db' | 'dump'
    /** Stores each photo once, beside all backups. SQLite only. */
    isIncremental?: boolean
    backUp?: (file: string, keys: S3Place | null) => Promise<void>
  },
): Promise<void> {
  const made = `convene-${compact(at)}.${ending}`
  const place = typeof where === 'string' ? directory(where) : bucketOf(where)
  await backUp(place.pathOf(made), place.keys)
  if (erased) await addErasures(place, await erased())
  // If the clock was set back, the newest backup does not have the newest name.
  const others = (await place.names()).filter((entry) => name.test(entry) && entry !== made)
  for (const old of others
    .sort()
    .reverse()
    .slice(keep - 1))
    await place.remove(old)
  if (await place.hasPhotos()) await runBackupCommand(['prune', place.url], place.keys)
}

const journal = 'erasures.log'

/** Adds to the journal beside the backups. It may have entries that this node's journal lacks, which stay. */
async function addErasures(place: Place, erased: Map<string, number>): Promise<void> {
  const all = new Map([...erasuresIn((await place.read(journal)) ?? ''), ...erased])
  if (all.size > 0) await place.write(journal, journalOf(Array.from(all, ([user_id, at]) => ({ user_id, at }))))
}

type Place = Pick<ReturnType<typeof directory>, 'read' | 'write'>

/**
 * Removes the unfinished files of scheduled backups that were killed: of backups, and of photos beside them. Removes nothing
 * while a backup is being made. Returns the names of the removed files.
 */
export async function removeLeftovers(where: BackupPlace, dataDir: string): Promise<string[]> {
  const directory = typeof where === 'string' ? where : where.dataDir
  if (!existsSync(directory)) return []
  let release: () => void
  try {
    release = holdBackups(dataDir)
  } catch (error) {
    if (error instanceof DataInUse) return []
    throw error
  }
  try {
    const parts = readdirSync(directory).filter((entry) => unfinishedName.test(entry) || entry === downloadName)
    // The unfinished backup is removed last, because as long as it exists, the next call searches the photos again.
    const photos = typeof where === 'string' ? photosBesideOf(where) : null
    const unfinished: string[] = []
    if (parts.length > 0 && photos !== null && existsSync(photos)) {
      const files = openDiskFiles(photos)
      for await (const { name } of files.list()) if (!isFileName(name)) unfinished.push(name)
      await files.remove(unfinished)
    }
    for (const part of parts) rmSync(join(directory, part))
    return [...parts, ...unfinished]
  } finally {
    release()
  }
}

function directory(path: string) {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return {
    pathOf: (entry: string) => join(path, entry),
    url: path,
    keys: null,
    hasPhotos: async () => existsSync(photosBesideOf(path)),
    read: async (entry: string): Promise<string | null> => {
      const file = join(path, entry)
      return existsSync(file) ? readFileSync(file, 'utf8') : null
    },
    async write(entry: string, text: string) {
      const part = join(path, `${entry}.part`)
      writeFileSync(part, text, { mode: 0o600 })
      renameSync(part, join(path, entry))
    },
    names: async () => readdirSync(path),
    remove: async (entry: string) => rmSync(join(path, entry)),
  }
}

function bucketOf({ place }: Exclude<BackupPlace, string>) {
  const bucket = openBucket(place)
  return {
    pathOf: (entry: string) => s3ObjectUrl(place, entry),
    url: s3ObjectUrl(place, ''),
    keys: place,
    async hasPhotos() {
      for await (const _ of bucket.list('photos/')) return true
      return false
    },
    async read(entry: string): Promise<string | null> {
      const bytes = await bucket.get(entry)
      return bytes === null ? null : Buffer.from(bytes).toString()
    },
    write: async (entry: string, text: string) => bucket.put(entry, Buffer.from(text), {}),
    names: async () => Array.fromAsync(bucket.list('convene-'), (object) => object.name),
    remove: (entry: string) => bucket.remove(entry),
  }
}

/**
 * Runs `convene backup` in a child process, so that the server is not blocked. The keys of a bucket are passed in the
 * environment, because other users can read command lines. Throws with the command's message.
 */
async function runBackupCommand(args: readonly string[], keys: S3Place | null): Promise<void> {
  const program = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, '../main.ts')]
  const child = Bun.spawn([process.execPath, ...program, 'backup', ...args], {
    stdout: 'ignore',
    stderr: 'pipe',
    ...(keys && { env: environmentFor(keys) }),
  })
  const said = await child.stderr.text()
  if ((await child.exited) !== 0)
    throw new Error(said.trim() || `the backup ended with ${child.signalCode ?? child.exitCode}`)
}
