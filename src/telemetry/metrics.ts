import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'
import type { Run } from '../installation/runs.ts'
import { outboxKinds } from '../outbox/store.ts'
import { openRequestTimes } from './request-times.ts'
import { type Watched, watchServer, watchThread } from './watched.ts'

export type Metrics = ReturnType<typeof openMetrics>

/** The metrics of one thread. */
type MetricsAsJson = object[]

// 429 and 5xx, whose cause an operator has to look for.
const watchedProblems: ReadonlySet<string> = new Set([
  'rate_limited',
  'internal_error',
  'storage_full',
  'busy',
  'shutting_down',
  'maintenance',
  'mail_not_configured',
  'messenger_not_configured',
  'provider_not_configured',
])

// Metrics of Node that are zero or wrong on Bun.
const meaningless = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_gc_duration_seconds',
  'nodejs_heap_space_size_available_bytes',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_version_info',
  'process_heap_bytes',
]

/**
 * Metrics for Prometheus. No label contains a person, an address or a place. `ofProcess` adds processor time, memory, open
 * files and event loop delay; only one instance in a process may set it. `ofWorker` adds the delay of its own event loop, and
 * leaves out what the main thread tells.
 */
export function openMetrics({ ofProcess = false, ofWorker = false } = {}) {
  const registry = new Registry()
  let ofWorkers: (() => Promise<MetricsAsJson[]>) | null = null
  const registers = [registry]

  const request = openRequestTimes(registry)
  const refused = new Counter({
    name: 'convene_requests_refused_early_total',
    help: 'Requests that were refused before anything was done for them, as there were too many at once',
    registers,
  })
  const problems = new Counter({
    name: 'convene_problems_total',
    help: 'Requests answered with a problem of the server or its load (429 and 5xx), by its code',
    labelNames: ['code'],
    registers,
  })
  for (const code of watchedProblems) problems.inc({ code }, 0)
  let startsRecent = () => 0
  new Gauge({
    name: 'convene_starts_recent',
    help: 'Starts of this server within the last hour',
    registers,
    // Read each time, so that a crash loop is over an hour after its last start.
    collect() {
      this.set(startsRecent())
    },
  })
  const unclean = new Gauge({
    name: 'convene_last_exit_unclean',
    help: 'Whether the run before this one ended without being stopped (1), as by a crash, or in order (0)',
    registers,
  })
  const logDropped = new Counter({
    name: 'convene_log_lines_dropped_total',
    help: 'Lines of the log that are lost, as standard output did not take them',
    registers,
  })
  const groupSize = new Histogram({
    name: 'convene_write_group_size',
    help: 'Writes that shared one commit',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096],
    registers,
  })
  const commitTime = new Histogram({
    name: 'convene_write_commit_seconds',
    help: 'Time of a group of writes from begin to commit on disk',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  })
  const jobTime = new Histogram({
    name: 'convene_job_duration_seconds',
    help: 'Runs of scheduled jobs, by outcome',
    labelNames: ['job', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers,
  })
  const jobDone = new Gauge({
    name: 'convene_job_last_success_timestamp_seconds',
    help: 'When a scheduled job last succeeded, since 1970; when this server started, if it has not succeeded since',
    labelNames: ['job'],
    registers,
  })
  const deliveries = new Counter({
    name: 'convene_outbox_deliveries_total',
    help: 'What has left the server (sent), was not to be sent any more (withheld), is to be tried again (failed), or was given up, by kind',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  const botUpdates = new Counter({
    name: 'convene_bot_updates_total',
    help: 'Updates of the messenger’s bot: acted on (done), come twice (repeated), or not for the bot (ignored)',
    labelNames: ['outcome'],
    registers,
  })
  const s3Time = new Histogram({
    name: 'convene_s3_request_duration_seconds',
    help: 'What the bucket of the images was asked for, by operation and outcome',
    labelNames: ['operation', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })

  /** All metrics, as another thread can receive them. */
  async function asJson() {
    if (ofWorker) await (watching ??= watchEventLoop())
    return (await registry.getMetricsAsJSON()).map(({ name, help, type, aggregator, values }) => ({
      ...{ name, help, type, values },
      // One thread that is late makes its users wait, however quick the others are.
      aggregator: name.startsWith('nodejs_eventloop_lag') ? 'max' : aggregator === 'omit' ? 'first' : aggregator,
    }))
  }

  // Loaded on the first request, because it would slow down the start.
  let watching: Promise<void> | undefined
  // Sampling every 10 ms, the default, would keep an idle machine from sleeping.
  const sampling = { eventLoopMonitoringPrecision: 100 }
  async function watchProcess() {
    const { default: collectDefaultMetrics } = await import('prom-client/lib/defaultMetrics.js')
    collectDefaultMetrics({ register: registry, ...sampling })
    for (const name of meaningless) registry.removeSingleMetric(name)
  }
  async function watchEventLoop() {
    const { default: collectEventLoopLag } = await import('prom-client/lib/metrics/eventLoopLag.js')
    collectEventLoopLag(registry, sampling)
  }
  const backupGauges = () => ({
    at: new Gauge({
      name: 'convene_backup_last_success_timestamp_seconds',
      help: 'When the newest scheduled backup was finished, since 1970; 0 while there is none. Only with BACKUP_DIR',
      registers,
    }),
    bytes: new Gauge({
      name: 'convene_backup_last_size_bytes',
      help: 'Size of the newest scheduled backup. Only with BACKUP_DIR',
      registers,
    }),
  })
  let backups: ReturnType<typeof backupGauges> | null = null

  return {
    request,

    refusedEarly() {
      refused.inc()
      problems.inc({ code: 'busy' })
    },

    /** Counts a response with that code, unless it is the client's fault. */
    problem(code: string) {
      if (watchedProblems.has(code)) problems.inc({ code })
    },

    /** Takes over the recent starts and the end of the previous run. */
    started({ recent, wasUnclean }: Pick<Run, 'recent' | 'wasUnclean'>) {
      startsRecent = () => recent(Date.now())
      unclean.set(Number(wasUnclean))
    },

    logLineDropped: () => logDropped.inc(),

    writeGroup({ size, milliseconds }: { size: number; milliseconds: number }) {
      groupSize.observe(size)
      commitTime.observe(milliseconds / 1000)
    },

    /**
     * Shows a job before its first run, so that alerts see a job that never runs, and its first failure as a rise from 0. `at`
     * is in milliseconds: from then on, the job is awaited.
     */
    expectJob(job: string, at: number) {
      jobDone.set({ job }, at / 1000)
      for (const outcome of ['done', 'failed']) jobTime.zero({ job, outcome })
    },

    /** The newest scheduled backup, or null before the first one. Not called without BACKUP_DIR. */
    backup(newest: { at: number; bytes: number } | null) {
      backups ??= backupGauges()
      backups.at.set((newest?.at ?? 0) / 1000)
      backups.bytes.set(newest?.bytes ?? 0)
    },

    /** Another node has run the job. `at` is in seconds since 1970. */
    jobDoneElsewhere(job: string, at: number) {
      jobDone.set({ job }, at)
    },

    job(job: string, outcome: 'done' | 'failed', seconds: number, at: number) {
      jobTime.observe({ job, outcome }, seconds)
      if (outcome === 'done') jobDone.set({ job }, at / 1000)
    },

    delivery(kind: string, outcome: 'sent' | 'withheld' | 'failed' | 'given_up') {
      deliveries.inc({ kind, outcome })
    },

    botUpdate(outcome: 'done' | 'repeated' | 'ignored') {
      botUpdates.inc({ outcome })
    },

    s3Request(operation: string, outcome: 'done' | 'failed', seconds: number) {
      s3Time.observe({ operation, outcome }, seconds)
    },

    /** Reads these sources whenever the metrics are requested. Call it once. */
    watch(sources: Watched) {
      for (const kind of outboxKinds)
        for (const outcome of ['sent', 'withheld', 'failed', 'given_up']) deliveries.inc({ kind, outcome }, 0)
      watchThread(registers, sources)
      if (!ofWorker) watchServer(registers, sources)
    },

    /** Adds the metrics of the other threads to those of this one. */
    addWorkers(read: () => Promise<MetricsAsJson[]>) {
      ofWorkers = read
    },

    asJson,

    contentType: registry.contentType,
    async text() {
      if (ofProcess) await (watching ??= watchProcess())
      if (ofWorkers === null) return registry.metrics()
      const { default: AggregatorRegistry } = await import('prom-client/lib/cluster.js')
      return AggregatorRegistry.aggregate([await asJson(), ...(await ofWorkers())]).metrics()
    },
  }
}
