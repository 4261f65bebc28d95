import { join } from 'node:path'
import type { Config } from './config.ts'
import { removeOldCopies } from './backup/old-copies.ts'
import type { S3Place } from './s3/place.ts'
import { backUpInto, newestBackup, newestInBucket } from './backup/scheduled.ts'
import type { Services } from './services.ts'
import { minutes } from './lib/time.ts'
import type { Taken } from './lib/job-leases.ts'

/** Work that comes round by the clock. `schedule` is a cron expression in UTC; `run` answers how many things it did. */
export type Job = {
  name: string
  schedule: string
  /** Done by every node, as what it is about is its own. All other work is about the database, and done by one node. */
  onEach?: boolean
  run(): Promise<number>
}

/** All scheduled work. */
export const jobs = ({
  config,
  now,
  media,
  retention,
  reviews,
  account,
  erasures,
  profiles,
  digest,
  metrics,
  people,
  figures,
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
  { name: 'due-reviews', schedule: '* * * * *', run: reviews.appearDue },
  { name: 'unfinished-erasures', schedule: '* * * * *', run: account.finishErasures },
  { name: 'unfolded-preferences', schedule: '* * * * *', run: profiles.foldPreferences },
  { name: 'operator-commands', schedule: '* * * * *', onEach: true, run: people.noticeOperators },
  { name: 'erasures', schedule: '*/10 * * * *', run: erasures.settle },
  { name: 'old-events', schedule: '5 2 * * *', run: retention.events },
  { name: 'old-positions', schedule: '25 2 * * *', run: retention.positions },
  { name: 'old-audit-entries', schedule: '45 2 * * *', run: retention.auditEntries },
  { name: 'old-bot-updates', schedule: '55 2 * * *', run: retention.botUpdates },
  { name: 'old-email-links', schedule: '13 * * * *', run: retention.emailLinks },
  { name: 'daily-figures', schedule: '*/10 * * * *', run: figures.keepDays },
  { name: 'digests', schedule: '*/10 * * * *', run: digest.send },
  { name: 'old-openers', schedule: '28 * * * *', run: retention.openers },
  { name: 'old-channels', schedule: '18 * * * *', run: retention.channels },
  { name: 'used-challenges', schedule: '3 * * * *', run: retention.usedChallenges },
  { name: 'old-sessions', schedule: '23 * * * *', run: retention.sessions },
  { name: 'old-consent-origins', schedule: '33 * * * *', run: retention.consentOrigins },
  { name: 'old-evidence', schedule: '43 * * * *', run: retention.evidence },
  { name: 'old-message-versions', schedule: '53 * * * *', run: retention.messageVersions },
  { name: 'old-copies', schedule: '35 2 * * *', onEach: true, run: async () => removeOldCopies(config, now()) },
  ...(config.backupDir === null ? [] : [backup(config.backupDir, config, { now, metrics })]),
]

function backup(
  to: string | S3Place,
  { dataDir, backupCron, backupKeep }: Config,
  { now, metrics }: Pick<Services, 'now' | 'metrics'>,
): Job {
  const where = typeof to === 'string' ? to : { place: to, dataDir }
  const tell = async () => metrics.backup(typeof to === 'string' ? newestBackup(to) : await newestInBucket(to))
  // Of before this start. A bucket that is away is not to look like one without backups.
  tell().catch(() => {})
  return {
    name: 'backup',
    schedule: backupCron,
    onEach: true,
    async run() {
      await backUpInto(where, { keep: backupKeep, at: now(), journal: join(dataDir, 'erasures.log') })
      // The backup is made, whether its directory can be listed now or not.
      await tell().catch(() => {})
      return 1
    },
  }
}

/**
 * Runs the jobs in this process when their time comes, no job twice at once: of several nodes one has the turn, and the
 * others see to it that one ends it. One that fails is logged and comes round again. The answer stops them, and resolves once
 * none is running any more.
 */
export function startJobs(services: Services, list: readonly Job[] = jobs(services)): () => Promise<void> {
  for (const { name } of list) services.metrics.expectJob(name)
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

type Here = Pick<Services, 'log' | 'storage' | 'metrics' | 'turns' | 'now'>

async function runJob(job: Job, { log, storage, metrics, turns, now }: Here, stopped: AbortSignal) {
  const { name } = job
  let started = performance.now()
  try {
    // The minute that it was scheduled for: timers are late by moments, or early.
    const turn = job.onEach ? null : await turns.take(name, Math.round(now() / minutes) * minutes, stopped)
    if (turn?.isMine === false) {
      if (turn.succeededAt !== null) metrics.jobDoneElsewhere(name, turn.succeededAt / 1000)
      return
    }
    started = performance.now()
    const count = await inTurn(job, turn)
    const ms = Math.round(performance.now() - started)
    metrics.job(name, 'done', ms / 1000, now())
    // Some run every minute, and mostly find nothing.
    log[count > 0 ? 'info' : 'debug']({ job: name, count, ms }, 'job done')
  } catch (error) {
    const ms = Math.round(performance.now() - started)
    metrics.job(name, 'failed', ms / 1000, now())
    log.error({ job: name, err: error, ms }, 'job failed')
    storage.failed(error)
  }
}

async function inTurn({ run }: Job, turn: (Taken & { isMine: true }) | null): Promise<number> {
  let succeeded = false
  try {
    const count = await run()
    succeeded = true
    return count
  } finally {
    await turn?.over(succeeded)
  }
}
