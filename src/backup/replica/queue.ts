import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { giveToOwner } from '../../lib/owner.ts'
import {
  generationOf,
  isFile,
  isSpooled,
  journalName,
  logFile,
  manifestFile,
  shippedAs,
  snapshotPart,
} from './names.ts'

/** `at` is the time up to which the place has all commits while this file waits. */
type Waiting = { bytes: number; at: number; addedAt: number }

/**
 * The files in the spool that wait for the place, in the order in which they were stored. Open it before the thread that
 * stores them.
 */
export function openQueue(spool: string) {
  if (mkdirSync(spool, { recursive: true, mode: 0o700 }) !== undefined) giveToOwner(spool)
  const waiting = new Map<string, Waiting>()
  let waitingBytes = 0
  /** How many of those are of photos. */
  let photoBytes = 0
  let newestGeneration = ''

  const inSpool = () => readdirSync(spool).filter(isSpooled)
  const remove = (file: string) => rmSync(join(spool, file), { force: true })

  /** Holds the name of the last shipped log file. Without it, all log files are shipped again. */
  const lastShipped = join(spool, 'shipped')
  const last = logFile(readIfThere(lastShipped))
  const isShipped = (file: string) => {
    const log = logFile(shippedAs(file))
    return log !== null && log.generation === last?.generation && log.to <= last.to
  }

  const sent: { file: string; bytes: number }[] = []
  const found = inSpool().sort()
  const whole = new Set(found.map((file) => manifestFile(shippedAs(file))?.id))
  for (const file of found) {
    const part = snapshotPart(shippedAs(file))
    // An interrupted snapshot starts again.
    if (part !== null && !whole.has(part.id)) remove(file)
    else {
      const { size, mtimeMs } = statSync(join(spool, file))
      add(file, { bytes: size, at: mtimeMs, addedAt: mtimeMs })
      if (isShipped(file)) {
        sent.push({ file, bytes: size })
        shipped(file)
      }
    }
  }

  function add(file: string, of: Waiting) {
    waiting.set(file, of)
    count(file, of.bytes)
    const generation = generationOf(shippedAs(file))
    if (generation !== null && generation > newestGeneration) newestGeneration = generation
  }

  function shipped(file: string) {
    count(file, -(waiting.get(file)?.bytes ?? 0))
    waiting.delete(file)
  }

  function count(file: string, bytes: number) {
    waitingBytes += bytes
    if (isPhoto(file)) photoBytes += bytes
  }

  const names = () => [...waiting.keys()]
  const ofKind = (isOf: (file: string) => boolean) =>
    Array.from(waiting, ([file, of]) => ({ file, ...of })).filter(({ file }) => isOf(file))
  const photos = () => ofKind(isPhoto)
  const logs = () => ofKind(isLog)

  return {
    add,

    /** Takes a file off the queue, and keeps it on disk. */
    shipped,

    async logShipped(file: string) {
      shipped(file)
      await writeFile(lastShipped, shippedAs(file), { mode: 0o600 }).catch(() => {})
    },

    /** The log files that an earlier run has shipped but not merged. */
    sent,

    isEmpty: () => waiting.size === 0,
    has: (file: string) => waiting.has(file),
    bytes: () => waitingBytes,
    bytesWithoutPhotos: () => waitingBytes - photoBytes,

    photos,
    logs,

    /** The next of all other files. A manifest asserts that all files stored before it are in the place, except photos. */
    nextOther(): string | undefined {
      const next = names().find((file) => !isPhoto(file) && !isLog(file))
      if (next === undefined || manifestFile(shippedAs(next)) === null) return next
      return logs().some(({ file }) => file < next) ? undefined : next
    },

    /** The newest generation that has ever had a file here; empty if there is none. */
    newestGeneration: () => newestGeneration,

    /** The time up to which the place has all commits; null if no commit waits. */
    commitsWaitSince: () => logs()[0]?.at ?? null,

    /** When the oldest waiting photo was added; null if none waits. */
    photosWaitSince: () => photos()[0]?.addedAt ?? null,

    /** Keeps only the newest of several versions of the journal. */
    dropFormerJournals() {
      const journals = names().filter((file) => shippedAs(file) === journalName)
      for (const file of journals.slice(0, -1)) {
        shipped(file)
        remove(file)
      }
    },

    /** Removes all files of the database, but not photos and the journal. Throws if the spool cannot be read. */
    dropDatabase() {
      try {
        for (const file of inSpool().filter((file) => !isFile(file))) remove(file)
      } finally {
        for (const file of names().filter((file) => !isFile(file))) shipped(file)
      }
    },
  }
}

/** Removes the spool of a server that has no replica any more. Returns how many files it had. */
export function removeSpool(spool: string): number {
  if (!existsSync(spool)) return 0
  // By their names, because somebody may keep other files in this directory, such as a replica.
  const files = readdirSync(spool).filter((file) => /^(\d{12} [^ ]+|shipped|state\.json(\.part)?)$/.test(file))
  for (const file of files) rmSync(join(spool, file), { force: true })
  if (readdirSync(spool).length === 0) rmdirSync(spool)
  return files.length
}

const isLog = (file: string) => logFile(shippedAs(file)) !== null
const isPhoto = (file: string) => isFile(file) && shippedAs(file) !== journalName

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
