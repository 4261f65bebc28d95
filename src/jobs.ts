import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { removeOldCopies } from './backup/old-copies.ts'
import type { S3Place } from './s3/place.ts'
import { backUpInto, newestBackup, newestInBucket, removeLeftovers } from './backup/scheduled.ts'
import type { Services } from './services.ts'
import { minutes } from './lib/time.ts'
import type { TakeOutcome } from './lib/job-leases.ts'

/** Scheduled work. `schedule` is a cron expression in UTC; `run` returns how many things it did. */
export type Job = {
  name: string
  schedule: string
  /** Runs on every node, because it concerns what that node alone holds. Other jobs concern the database and run on one node. */
  onEach?: boolean
  run(): Promise<number>
}

/** All scheduled work. */
export const jobs = ({
  config,
  now,
  delivery,
  media,
  imageHashes,
  pendingChecks,
  retention,
  reviews,
  account,
  erasures,
  profiles,
  digest,
  metrics,
  log,
  people,
  figures,
  files,
  replica,
  storage,
  profilePhotos,
}: Services): Job[] => [
  {
    name: 'media-sweep',
    schedule: '17 * * * *',
    onEach: config.media === null,
    async run() {
      const { images, files } = await media.sweep()
      return images + files
    },
  },
  ...(config.media === null
    ? []
    : [{ name: 'media-leftovers', schedule: '37 * * * *', onEach: true, run: media.sweepLeftovers }]),
  { name: 'media-thumbnails', schedule: '* * * * *', run: media.makeThumbs },
  { name: 'image-hashes', schedule: '* * * * *', run: imageHashes.makeSome },
  { name: 'banned-profile-photos', schedule: '* * * * *', run: profilePhotos.check },
  { name: 'image-checks', schedule: '* * * * *', run: pendingChecks.askAgain },
  { name: 'due-reviews', schedule: '* * * * *', run: reviews.appearDue },
  { name: 'unfinished-erasures', schedule: '* * * * *', run: account.finishErasures },
  { name: 'unfolded-preferences', schedule: '* * * * *', run: profiles.foldPreferences },
  { name: 'operator-commands', schedule: '* * * * *', onEach: true, run: people.applyOperatorCommands },
  { name: 'erasures', schedule: '*/10 * * * *', run: erasures.sweepRecent },
  { name: 'old-events', schedule: '5 2 * * *', run: retention.events },
  { name: 'old-positions', schedule: '25 2 * * *', run: retention.positions },
  { name: 'old-audit-entries', schedule: '45 2 * * *', run: retention.auditEntries },
  { name: 'old-bot-updates', schedule: '55 2 * * *', run: retention.botUpdates },
  { name: 'old-email-links', schedule: '13 * * * *', run: retention.emailLinks },
  { name: 'undeliverable-parcels', schedule: '48 * * * *', run: delivery.giveUpUndeliverable },
  { name: 'daily-figures', schedule: '*/10 * * * *', run: figures.keepDays },
  { name: 'digests', schedule: '*/10 * * * *', run: digest.send },
  { name: 'old-openers', schedule: '28 * * * *', run: retention.openers },
  { name: 'old-age-refusals', schedule: '31 * * * *', run: retention.ageRefusals },
  { name: 'old-report-origins', schedule: '29 * * * *', run: retention.reportOrigins },
  { name: 'old-channels', schedule: '18 * * * *', run: retention.channels },
  { name: 'used-challenges', schedule: '3 * * * *', run: retention.usedChallenges },
  { name: 'old-sessions', schedule: '23 * * * *', run: retention.sessions },
  { name: 'old-consent-origins', schedule: '33 * * * *', run: retention.consentOrigins },
  { name: 'old-evidence', schedule: '43 * * * *', run: retention.evidence },
  { name: 'old-message-versions', schedule: '53 * * * *', run: retention.messageVersions },
  { name: 'old-copies', schedule: '35 2 * * *', onEach: true, run: async () => removeOldCopies(config, now()) },
  ...(config.replica === null || replica === null || files.remote
    ? []
    : [
        {
          name: 'replica-photos',
          schedule: '47 2 * * *',
          onEach: true,
          async run() {
            const removed = await replica.expirePhotos((names) => storage.media.strayFiles(names))
            return removed + (await replica.catchUp(files))
          },
        },
      ]),
  ...(config.backupDir === null ? [] : backups(config.backupDir, config, { now, metrics, log, erasures })),
]

function backups(
  to: string | S3Place,
  config: Config,
  { now, metrics, log, erasures }: Pick<Services, 'now' | 'metrics' | 'log' | 'erasures'>,
): Job[] {
  const { dataDir, backupCron, database } = config
  const isOfNodes = database.engine === 'postgres'
  const where = typeof to === 'string' ? to : { place: to, dataDir }
  const reportNewest = async () => metrics.backup(typeof to === 'string' ? newestBackup(to) : await newestInBucket(to))
  // The newest backup before this start. If the bucket cannot be reached, nothing is reported, as "no backup" would be wrong.
  reportNewest().catch(() => {})
  const backup: Job = {
    name: 'backup',
    schedule: backupCron,
    onEach: !isOfNodes,
    async run() {
      const ending = isOfNodes ? await (await import('./backup/dump.ts')).endingOf(config) : 'db'
      logLeftovers(await removeLeftovers(where, dataDir), log)
      await backUpInto(where, {
        keep: config.backupKeep,
        at: now(),
        erased: erasures.completeJournal,
        ending,
        isIncremental: !isOfNodes,
      })
      // The backup has succeeded, even if its directory cannot be listed now.
      await reportNewest().catch(() => {})
      return 1
    },
  }
  if (!isOfNodes) return [backup]
  // One node makes the backup, and each node reports its age.
  const reporting: Job = {
    name: 'newest-backup',
    schedule: '7 * * * *',
    onEach: true,
    async run() {
      await reportNewest()
      return 0
    },
  }
  return [backup, reporting]
}

/** Logs which unfinished files of killed backups were removed. */
export function logLeftovers(removed: readonly string[], log: Logger) {
  if (removed.length > 0)
    log.warn({ removed: removed.slice(0, 20), count: removed.length }, 'removed what an interrupted backup had left')
}

/**
 * Runs the jobs in this process on their schedule, never the same job twice at once. Of several nodes, the one that takes the
 * lease runs the job, and another takes over if that one dies. A failed run is logged, and the next one is scheduled as
 * usual. Returns a function that stops the jobs; it resolves when none is running any more.
 */
export function startJobs(services: Services, list: readonly Job[] = jobs(services)): () => Promise<void> {
  for (const { name } of list) services.metrics.expectJob(name, services.now())
  const running = new Set<Promise<void>>()
  const stopped = new AbortController()
  const crons = list.map((job) =>
    Bun.cron(
      job.schedule,
      async () => {
        const run = runJob(job, services, stopped.signal)
        running.add(run)
        await run
        running.delete(run)
      },
      { tz: 'UTC' },
    ),
  )
  return async () => {
    for (const cron of crons) cron.stop()
    stopped.abort()
    await Promise.all(running)
  }
}

async function runJob(job: Job, { log, storage, metrics, jobLeases, now }: Services, stopped: AbortSignal) {
  const { name } = job
  let started = performance.now()
  try {
    // Rounded to the scheduled minute: timers fire slightly late or early.
    const lease = job.onEach ? null : await jobLeases.take(name, Math.round(now() / minutes) * minutes, stopped)
    if (lease?.isMine === false) {
      if (lease.succeededAt !== null) metrics.jobDoneElsewhere(name, lease.succeededAt / 1000)
      return
    }
    started = performance.now()
    const count = await runUnderLease(job, lease)
    const ms = Math.round(performance.now() - started)
    metrics.job(name, 'done', ms / 1000, now())
    // Some jobs run every minute and mostly find nothing to do.
    log[count > 0 ? 'info' : 'debug']({ job: name, count, ms }, 'job done')
  } catch (error) {
    const ms = Math.round(performance.now() - started)
    metrics.job(name, 'failed', ms / 1000, now())
    log.error({ job: name, err: error, ms }, 'job failed')
    storage.failed(error)
  }
}

async function runUnderLease({ run }: Job, lease: (TakeOutcome & { isMine: true }) | null): Promise<number> {
  let succeeded = false
  try {
    const count = await run()
    succeeded = true
    return count
  } finally {
    await lease?.over(succeeded)
  }
}
