import type { Logger } from 'pino'
import type { Ids } from '../../lib/ids.ts'
import { minutes } from '../../lib/time.ts'
import type { Files } from './files.ts'
import { type KnownFiles, lookForSome, type Presence } from './presence.ts'

type Deps = {
  store: KnownFiles
  files: Files
  /** Where the files should be, for the operator. */
  place: string
  log: Pick<Logger, 'warn' | 'info'>
  ids: Ids
  now: () => number
}

const sampleOnDisk = 100
// Each is a request that is billed.
const sampleElsewhere = 10

/**
 * Notices when images that the database knows are gone, as those of a disk that is not mounted are. It looks for a sample:
 * a few that are missing among many are found by `convene check` and by each backup.
 */
export function photoWatch({ store, files, place, log, ids, now }: Deps) {
  const everyMs = files.remote ? 10 * minutes : minutes
  let found: Presence | null = null
  let lookedAt = -Infinity
  let looking: Promise<void> | null = null

  async function look(): Promise<void> {
    lookedAt = now()
    // A database or a bucket that does not answer is told of elsewhere; what was found last stays.
    const seen = await lookForSome({ store, files }, ids.random(), files.remote ? sampleElsewhere : sampleOnDisk).catch(
      () => null,
    )
    if (seen === null) return
    const wereMissing = (found?.missing ?? 0) > 0
    found = seen
    if (seen.missing > 0 && !wereMissing)
      log.warn({ ...seen, place }, 'images that the database knows are missing: convene check looks for all of them')
    if (seen.missing === 0 && wereMissing) log.info({ ...seen, place }, 'the images are back')
  }

  return {
    /** Looks now. */
    look: () => (looking ??= look().finally(() => (looking = null))),

    /** What was found last; null before the first look. Looks again where that was long ago, and does not wait for it. */
    last(): Presence | null {
      // Either way, as a clock may be set back.
      if (Math.abs(now() - lookedAt) >= everyMs) void this.look()
      return found
    },
  }
}
