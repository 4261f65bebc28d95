import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { giveToOwner } from '../../lib/owner.ts'
import { generationOf, isFile, isSpooled, journalName, logFile, shippedAs } from './names.ts'

/** The files in the spool that wait for the place, in the order in which they were stored. */
export function openQueue(spool: string) {
  if (mkdirSync(spool, { recursive: true, mode: 0o700 }) !== undefined) giveToOwner(spool)
  const waiting = new Map<string, { bytes: number; at: number }>()
  let waitingBytes = 0
  let newestGeneration = ''

  const inSpool = () => readdirSync(spool).filter(isSpooled)
  for (const file of inSpool().sort()) {
    const { size, mtimeMs } = statSync(join(spool, file))
    add(file, size, mtimeMs)
  }

  /** `at` is the time up to which the place has all commits while this one waits. */
  function add(file: string, bytes: number, at: number) {
    waiting.set(file, { bytes, at })
    waitingBytes += bytes
    const generation = generationOf(shippedAs(file))
    if (generation !== null && generation > newestGeneration) newestGeneration = generation
  }

  function shipped(file: string) {
    waitingBytes -= waiting.get(file)?.bytes ?? 0
    waiting.delete(file)
  }

  return {
    add,

    /** It waits no longer. The file stays. */
    shipped,

    isEmpty: () => waiting.size === 0,
    has: (file: string) => waiting.has(file),
    names: () => [...waiting.keys()],
    bytes: () => waitingBytes,
    bytesOf: (file: string) => waiting.get(file)?.bytes,

    /** The newest one of which a file has ever waited; empty if there is none. */
    newestGeneration: () => newestGeneration,

    /** Up to when the place has all commits; null if no commit waits. */
    commitsWaitSince(): number | null {
      for (const [file, { at }] of waiting) if (logFile(shippedAs(file))) return at
      return null
    },

    /** Of several states of the journal only the newest is shipped: shipped at once, an older one could arrive last and stay. */
    dropFormerJournals() {
      const journals = [...waiting.keys()].filter((file) => shippedAs(file) === journalName)
      for (const file of journals.slice(0, -1)) {
        shipped(file)
        rmSync(join(spool, file), { force: true })
      }
    },

    /** Removes all that belongs to the database, and leaves photos and the journal. Throws if the spool cannot be read. */
    dropDatabase() {
      try {
        for (const file of inSpool().filter((file) => !isFile(file))) rmSync(join(spool, file), { force: true })
      } finally {
        for (const file of [...waiting.keys()].filter((file) => !isFile(file))) shipped(file)
      }
    },
  }
}
