import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'
import { outboxKinds } from '../outbox/store.ts'
import { openRequestTimes } from './request-times.ts'

export type Metrics = ReturnType<typeof openMetrics>

type CacheCounts = { hits: number; misses: number }

/** Sources that are read when the metrics are requested. */
type Watched = {
  callers: { counts(): CacheCounts }
  hub: { counts(): { sockets: number; users: number; pushed: number } }
  storage: {
    size(): Promise<{ database: number; log: number }>
    locations: { cacheCounts(): CacheCounts }
    outbox: { waiting(): Promise<{ kind: string; count: number; oldest: number }[]> }
  }
  now?: () => number
  shared?: { isUp(): boolean; queued(): number; refused(): number } | null
  photos?: { last(): { missing: number } | null }
  replica?: {
    report(): {
      complete_at: number
      lag_ms: number
      waiting_bytes: number
      shipped_at: number | null
      snapshot_at: number | null
      failures: number
    }
  } | null
}

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
 * files and event loop delay; only one instance in a process may set it.
 */
export function openMetrics({ ofProcess = false } = {}) {
  const registry = new Registry()
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
  const starts = new Gauge({
    name: 'convene_starts_recent',
    help: 'Starts of this server within the hour before this one, itself among them',
    registers,
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
    help: 'When a scheduled job last succeeded, since 1970',
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

  // Loaded on the first request, because it would slow down the start.
  let watching: Promise<void> | undefined
  async function watchProcess() {
    const { default: collectDefaultMetrics } = await import('prom-client/lib/defaultMetrics.js')
    // Sampling every 10 ms, the default, would keep an idle machine from sleeping.
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
    for (const name of meaningless) registry.removeSingleMetric(name)
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

    /** An answer with that code. Those that are the client's fault are not counted. */
    problem(code: string) {
      if (watchedProblems.has(code)) problems.inc({ code })
    },

    /** How this start came about. */
    started({ recent, wasUnclean }: { recent: number; wasUnclean: boolean }) {
      starts.set(recent)
      unclean.set(Number(wasUnclean))
    },

    logLineDropped: () => logDropped.inc(),

    writeGroup({ size, milliseconds }: { size: number; milliseconds: number }) {
      groupSize.observe(size)
      commitTime.observe(milliseconds / 1000)
    },

    /** Shows a job before its first run, so that alerts see a job that never runs, and its first failure as a rise from 0. */
    expectJob(job: string) {
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

    watch({ callers, hub, storage, shared, photos, replica, now = Date.now }: Watched) {
      const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
        new Gauge({
          name,
          help,
          registers,
          async collect() {
            this.set(await read())
          },
        })
      // If the database is down, the other metrics are still needed.
      const size = () => storage.size().catch(() => ({ database: NaN, log: NaN }))
      gauge('convene_sockets', 'Open sockets', () => hub.counts().sockets)
      gauge('convene_users_connected', 'Users with an open socket', () => hub.counts().users)
      gauge('convene_database_bytes', 'Size of the database', async () => (await size()).database)
      gauge('convene_wal_bytes', 'Size of its write-ahead log', async () => (await size()).log)
      gauge(
        'convene_photos_missing',
        'Of the images that were last looked for, a sample, how many have no file',
        () => photos?.last()?.missing ?? 0,
      )
      const waiting = () => storage.outbox.waiting().catch(() => [])
      const outboxGauge = (name: string, help: string, read: (of: { count: number; oldest: number }) => number) =>
        new Gauge({
          name,
          help,
          labelNames: ['kind'],
          registers,
          async collect() {
            this.reset()
            for (const kind of outboxKinds) this.set({ kind }, 0)
            for (const { kind, ...of } of await waiting()) this.set({ kind }, read(of))
          },
        })
      outboxGauge('convene_outbox_waiting', 'What waits to leave the server, by kind', ({ count }) => count)
      outboxGauge('convene_outbox_oldest_seconds', 'Age of the oldest of it, by kind', ({ oldest }) =>
        Math.max(0, (now() - oldest) / 1000),
      )
      for (const kind of outboxKinds)
        for (const outcome of ['sent', 'withheld', 'failed', 'given_up']) deliveries.inc({ kind, outcome }, 0)
      if (shared) {
        gauge('convene_redis_up', 'Whether Redis is there (1) or away (0)', () => Number(shared.isUp()))
        gauge('convene_redis_unsaid', 'Messages to other nodes that wait for Redis', shared.queued)
        new Counter({
          name: 'convene_redis_refused_total',
          help: 'Messages in Redis that were dropped, as no node of this service had signed them',
          registers,
          collect() {
            this.reset()
            this.inc(shared.refused())
          },
        })
      }
      if (replica) {
        gauge(
          'convene_replica_lag_seconds',
          'For how long the replica has not had what was committed. Only with REPLICA_URL',
          () => replica.report().lag_ms / 1000,
        )
        gauge(
          'convene_replica_complete_timestamp_seconds',
          'Up to when the replica has all that was committed, since 1970',
          () => replica.report().complete_at / 1000,
        )
        gauge(
          'convene_replica_waiting_bytes',
          'What waits on this disk for the place of the replica',
          () => replica.report().waiting_bytes,
        )
        gauge(
          'convene_replica_snapshot_timestamp_seconds',
          'When the newest snapshot was shipped, since 1970; 0 while there is none',
          () => (replica.report().snapshot_at ?? 0) / 1000,
        )
        new Counter({
          name: 'convene_replica_failures_total',
          help: 'How often the place of the replica failed, or commits were missed',
          registers,
          collect() {
            this.reset()
            this.inc(replica.report().failures)
          },
        })
      }
      const cache = (name: string, help: string, counts: () => CacheCounts) =>
        new Counter({
          name,
          help,
          labelNames: ['outcome'],
          registers,
          collect() {
            const { hits, misses } = counts()
            this.reset()
            this.inc({ outcome: 'hit' }, hits)
            this.inc({ outcome: 'miss' }, misses)
          },
        })
      cache(
        'convene_token_lookups_total',
        'Access tokens that were remembered (hit) or had to be verified and looked up (miss)',
        callers.counts,
      )
      cache(
        'convene_nearby_cache_lookups_total',
        'Nearby searches that knew from others how far to reach (hit) or had to try (miss)',
        storage.locations.cacheCounts,
      )
      new Counter({
        name: 'convene_events_pushed_total',
        help: 'Durable events of users who had a socket open, as they happened',
        registers,
        collect() {
          this.reset()
          this.inc(hub.counts().pushed)
        },
      })
    },

    contentType: registry.contentType,
    async text() {
      if (ofProcess) await (watching ??= watchProcess())
      return registry.metrics()
    },
  }
}
