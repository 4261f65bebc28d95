import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import type Registry from 'prom-client/lib/registry.js'
import { outboxKinds } from '../outbox/store.ts'

type CacheCounts = { hits: number; misses: number }

/** Sources that are read when the metrics are requested. */
export type Watched = {
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

/** Registers the metrics that are read from their sources on each request. */
export function watchSources(
  registers: Registry[],
  { callers, hub, storage, shared, photos, replica, now = Date.now }: Watched,
): void {
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
}
