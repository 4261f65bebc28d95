import type { Logger } from 'pino'
import { openReplicaOf } from '../../backup/replica/of-config.ts'
import type { Config } from '../../config.ts'
import { readSecrets } from '../../installation/secrets.ts'
import type { Ports } from '../../services/core.ts'
import { openStorage } from '../../storage/open.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Pool } from '../../workers/pool.ts'

/** Opens what the services need, and brings the schema up to date. */
export async function openPorts(
  config: Config,
  { log, metrics }: { log: Logger; metrics: Metrics },
): Promise<{ ports: Ports; pool: Pool | null }> {
  const { database } = config
  const secrets = readSecrets(config)
  const replica = openReplicaOf(config, log)
  const onFatal = (error: Error, reason: string) => {
    log.fatal({ err: error }, reason)
    process.exit(1)
  }
  const pool =
    config.workers > 0 && database.engine === 'sqlite'
      ? (await import('../../workers/pool.ts')).openPool({
          count: config.workers,
          databasePath: database.path,
          onFatal,
        })
      : null
  const shared = config.redis
    ? await (await import('../../redis/late.ts')).openShared(config.redis, { secrets, log })
    : (pool?.shared ?? null)
  const tracing = config.otlpEndpoint === null ? null : await openTracing(config.otlpEndpoint, config.otlpServiceName)
  const { storage, migrated, kept } = await openStorage(database, {
    onGroup: metrics.writeGroup,
    replica: replica?.log,
    commits: pool?.commits,
    onFatal,
    onOutage: (error) => log.error({ err: error }, 'the database is gone: requests are answered 503 until it is back'),
    onRecovery: (host) => log.info({ host }, 'the database is back'),
  })
  if (migrated.length > 0) log.info({ migrated, kept: kept ?? undefined }, 'schema brought up to date')
  const ports = {
    ...{ config, secrets, log, metrics, shared, replica },
    traces: tracing?.traces,
    storage: tracing ? tracing.traced(storage) : storage,
    peerOf: pool?.peerOf,
  }
  return { ports, pool }
}

// Loaded where it is used, because most servers do not need it.
async function openTracing(endpoint: string, serviceName: string | undefined) {
  const { openTraces, traced } = await import('../../telemetry/traces.ts')
  return { traces: await openTraces(endpoint, serviceName), traced }
}
