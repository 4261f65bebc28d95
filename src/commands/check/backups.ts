import { existsSync } from 'node:fs'
import { backupDirectoryProblem, newestBackup, newestInBucket } from '../../backup/scheduled.ts'
import type { Config } from '../../config.ts'
import { days, iso } from '../../lib/time.ts'
import { shownPlace } from '../../s3/place.ts'
import { statusOf } from '../../storage/open.ts'
import { fine, type Finding, gigabytes, wrong } from './finding.ts'

// A large backup takes long, and a machine may be down for a while.
const grace = days

export async function* backups(config: Config, now: number): AsyncGenerator<Finding> {
  const { backupDir, backupCron } = config
  if (backupDir === null) return
  const problem = typeof backupDir === 'string' ? backupDirectoryProblem(backupDir) : null
  if (problem !== null)
    return yield wrong(`BACKUP_DIR ${problem.text}`, 'correct BACKUP_DIR, or check who owns that directory')
  const isBucket = typeof backupDir !== 'string'
  // `buckets` has reported a bucket that does not answer.
  const newest = isBucket ? await newestInBucket(backupDir).catch(() => undefined) : newestBackup(backupDir)
  if (newest === undefined) return
  const shown = isBucket ? shownPlace(backupDir) : backupDir
  const fix = `look for the job backup in the server's log; to make a backup now: convene backup FILE`
  const dueAfter = (at: number) => Bun.cron.parse(backupCron, at, { tz: 'UTC' })?.getTime() ?? Infinity
  if (!newest) {
    const first = dueAfter(await firstStart(config))
    if (now <= first + grace) return yield fine(`the first backup in ${shown} is due at ${iso(first)}`)
    return yield wrong(`there is no backup in BACKUP_DIR: ${shown}`, fix)
  }
  const next = dueAfter(newest.at)
  yield now > next + grace
    ? wrong(`the newest backup in ${shown} is of ${iso(newest.at)}`, fix)
    : fine(`the newest backup is of ${iso(newest.at)}, with ${gigabytes(newest.bytes)}`)
}

/** When the server first started, from the first migration; 0 if that is unknown. */
async function firstStart({ database }: Config): Promise<number> {
  if (database.engine === 'sqlite' && !existsSync(database.path)) return 0
  const first = await statusOf(database).then(
    (steps) => steps[0]?.applied_at,
    () => null,
  )
  return first ? Date.parse(first) : 0
}
