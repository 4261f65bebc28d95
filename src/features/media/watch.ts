import type { Logger } from 'pino'
import type { Ids } from '../../lib/ids.ts'
import { minutes } from '../../lib/time.ts'
import type { Files } from './files.ts'
import { type KnownFiles, lookForSome, type Presence } from './presence.ts'

type Deps = {
  store: KnownFiles
  files: Files
  /** Where the files should be, for the log. */
  place: string
  log: Pick<Logger, 'warn' | 'info'>
  ids: Ids
  now: () => number
}

const sampleOnDisk = 100
// Each image costs a billed request.
const sampleElsewhere = 10

/**
 * Notices when images are missing, for example because a disk is not mounted. It checks a sample; `convene check` and each backup
 * find a few that are missing among many.
 */
export function photoWatch({ store, files, place, log, ids, now }: Deps) {
  const everyMs = files.remote ? 10 * minutes : minutes
  let found: Presence | null = null
  let lookedAt = -Infinity
  let looking: Promise<void> | null = null

  async function look(): Promise<void> {
    lookedAt = now()
    // If the database or the bucket does not answer, which is reported elsewhere, the last result stays.
    const seen = await lookForSome({ store, files }, ids.random(), files.remote ? sampleElsewhere : sampleOnDisk).catch(
      () => null,
    )
    if (seen === null) return
    const wereMissing = (found?.missing ?? 0) > 0
    found = seen
    if (seen.missing > 0 && !wereMissing)
      log.warn(
        { ...seen, place },
        'images that the database knows are missing: run convene check to look for all of them',
      )
    if (seen.missing === 0 && wereMissing) log.info({ ...seen, place }, 'the images are back')
  }

  return {
    /** Looks now. */
    look: () => (looking ??= look().finally(() => (looking = null))),

    /** The last result; null before the first one. If it is old, starts another check and does not wait for it. */
    last(): Presence | null {
      // `Math.abs`, because the clock may be set back.
      if (Math.abs(now() - lookedAt) >= everyMs) void this.look()
      return found
    },
  }
}
