import type { Services } from './services.ts'

/** Work that comes round by the clock. `schedule` is a cron expression in UTC; `run` answers how many things it did. */
export type Job = { name: string; schedule: string; run(): Promise<number> }

/** All scheduled work. */
export const jobs = ({ media }: Services): Job[] => [
  {
    name: 'media-sweep',
    schedule: '17 * * * *',
    async run() {
      const { images, files } = await media.sweep()
      return images + files
    },
  },
]

/**
 * Runs the jobs in this process when their time comes, no job twice at once. One that fails is logged and comes round
 * again. The answer stops them, and resolves once none is running any more.
 */
export function startJobs(services: Services, list: readonly Job[] = jobs(services)): () => Promise<void> {
  const running = new Set<Promise<void>>()
  const crons = list.map((job) =>
    Bun.cron(
      job.schedule,
      async () => {
        const run = runJob(job, services)
        running.add(run)
        await run
        running.delete(run)
      },
      { tz: 'UTC' },
    ),
  )
  return async () => {
    for (const cron of crons) cron.stop()
    await Promise.all(running)
  }
}

async function runJob({ name, run }: Job, { log, storage, metrics }: Pick<Services, 'log' | 'storage' | 'metrics'>) {
  const started = performance.now()
  try {
    const count = await run()
    const ms = Math.round(performance.now() - started)
    metrics.job(name, 'done', ms / 1000)
    log.info({ job: name, count, ms }, 'job done')
  } catch (error) {
    const ms = Math.round(performance.now() - started)
    metrics.job(name, 'failed', ms / 1000)
    log.error({ job: name, err: error, ms }, 'job failed')
    storage.failed(error)
  }
}
