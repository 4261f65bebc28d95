import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { environmentFor } from '../config.ts'
import { s3ObjectUrl, type S3Place } from '../s3/place.ts'
import { openBucket } from '../s3/bucket.ts'
import { compact } from '../lib/time.ts'
import { codeOf } from '../lib/errors.ts'

const name = /^convene-\d{8}T\d{6}Z\.db$/
const unfinishedName = /^convene-\d{8}T\d{6}Z\.db\.[0-9a-f]{8}\.part(-journal)?$/

/** Why the directory cannot be written or created; null if it can. Changes nothing. */
export function backupDirectoryProblem(directory: string): { text: string; isFinal: boolean } | null {
  const there = nearest(directory)
  try {
    if (!statSync(there).isDirectory()) return { text: `must be a directory, and ${there} is none`, isFinal: true }
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
export type BackupPlace = string | { place: S3Place; dataDir: string }

/**
 * Makes a backup in the directory or bucket, named by its time, and removes the oldest ones beyond `keep`; none if the backup
 * fails. Copies the erasure journal next to it: without it, a restore on another machine would bring back users who were
 * erased since.
 */
export async function backUpInto(
  where: BackupPlace,
  {
    keep,
    at,
    journal,
    backUp = inProcessOfItsOwn,
  }: { keep: number; at: number; journal?: string; backUp?: typeof inProcessOfItsOwn },
): Promise<void> {
  const made = `convene-${compact(at)}.db`
  const place = typeof where === 'string' ? directory(where) : bucketOf(where)
  place.clean()
  await backUp(place.pathOf(made), place.keys)
  if (journal !== undefined && existsSync(journal)) await place.copy(journal)
  // If the clock was set back, the newest backup does not have the newest name.
  const others = (await place.names()).filter((entry) => name.test(entry) && entry !== made)
  for (const old of others
    .sort()
    .reverse()
    .slice(keep - 1))
    await place.remove(old)
}

function directory(path: string) {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return {
    clean: () => removeUnfinished(path),
    pathOf: (entry: string) => join(path, entry),
    keys: null,
    async copy(file: string) {
      const part = join(path, `${basename(file)}.part`)
      copyFileSync(file, part)
      renameSync(part, join(path, basename(file)))
    },
    names: async () => readdirSync(path),
    remove: async (entry: string) => rmSync(join(path, entry)),
  }
}

function bucketOf({ place, dataDir }: Exclude<BackupPlace, string>) {
  const bucket = openBucket(place)
  return {
    clean: () => removeUnfinished(dataDir),
    pathOf: (entry: string) => s3ObjectUrl(place, entry),
    keys: place,
    // Read first, as it may grow meanwhile.
    copy: async (file: string) => bucket.put(basename(file), await Bun.file(file).bytes(), {}),
    names: async () => Array.fromAsync(bucket.list('convene-'), (object) => object.name),
    remove: (entry: string) => bucket.remove(entry),
  }
}

function removeUnfinished(path: string) {
  for (const left of readdirSync(path).filter((entry) => unfinishedName.test(entry))) rmSync(join(path, left))
}

/**
 * Runs `convene backup FILE` in a child process, so that the server is not blocked. The keys of a bucket are passed in the
 * environment, because other users can read command lines. Throws with the command's message.
 */
async function inProcessOfItsOwn(file: string, keys: S3Place | null): Promise<void> {
  const program = Bun.isStandaloneExecutable ? [] : [join(import.meta.dir, '../main.ts')]
  const child = Bun.spawn([process.execPath, ...program, 'backup', file], {
    stdout: 'ignore',
    stderr: 'pipe',
    ...(keys && { env: environmentFor(keys) }),
  })
  const said = await child.stderr.text()
  if ((await child.exited) !== 0)
    throw new Error(said.trim() || `the backup ended with ${child.signalCode ?? child.exitCode}`)
}
