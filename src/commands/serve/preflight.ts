import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { backupDirectoryProblem } from '../../backup/scheduled.ts'
import { type Config, ConfigError } from '../../config.ts'
import { BucketError, openBucket } from '../../s3/bucket.ts'

/** Throws ConfigError if WORKERS does not fit the other settings or the platform. */
export function refuseWorkers({ workers, database, redis, replica }: Config) {
  if (workers === 0) return
  const isFile = database.engine === 'sqlite' && database.path !== ':memory:'
  if (!isFile || redis !== null)
    throw new ConfigError(
      'WORKERS is for one server on a file of SQLite: with PostgreSQL or Redis, start several nodes',
    )
  // The replica's thread does the checkpoints. While other threads read all the time, it could not restart the write-ahead log,
  // which would grow without bound.
  if (replica !== null) throw new ConfigError('WORKERS and REPLICA_URL exclude each other: use BACKUP_DIR with WORKERS')
  // Other systems give all connections to one of the threads that listen on a port.
  if (process.platform !== 'linux') throw new ConfigError('WORKERS needs Linux, which spreads connections over threads')
}

/** Throws ConfigError if a bucket does not exist or does not accept the keys, or BACKUP_DIR is not a directory. */
export async function refusePlaces({ media, backupDir, replica }: Config, log: Logger) {
  const problem = typeof backupDir === 'string' ? backupDirectoryProblem(backupDir) : null
  if (problem?.isFinal) throw new ConfigError(`BACKUP_DIR ${problem.text}`)
  // For example a disk that is not mounted yet: users must not wait for backups.
  if (problem !== null) log.error({ reason: problem.text }, 'BACKUP_DIR cannot be written now')
  const places = {
    MEDIA_URL: media,
    BACKUP_DIR: typeof backupDir === 'string' ? null : backupDir,
    REPLICA_URL: typeof replica === 'string' ? null : replica,
  }
  const kinds = { MEDIA_URL: 'images', BACKUP_DIR: 'backups', REPLICA_URL: 'replica' }
  for (const name of ['MEDIA_URL', 'BACKUP_DIR', 'REPLICA_URL'] as const) {
    const place = places[name]
    if (place === null) continue
    try {
      await openBucket(place).probe()
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      if (error.refused) throw new ConfigError(`${name}: ${error.message}`, { cause: error })
      // As with an outage later: text works without photos, and users must not wait for backups.
      log.warn({ reason: error.message }, `the bucket of the ${kinds[name]} failed`)
    }
  }
}

type Found = {
  config: Config
  /** The secrets that this start has to make. */
  made: readonly string[]
  log: Logger
}

export function warnOfLostDatabase({ config, made, log }: Found) {
  const { database, jwtSecret, locationKey, dataDir } = config
  const isLost = database.engine === 'sqlite' && database.path !== ':memory:' && !existsSync(database.path)
  const hasSecrets = jwtSecret === null && locationKey === null && made.length === 0
  if (isLost && hasSecrets)
    log.warn({ data_dir: dataDir }, 'there are secrets but no database: the server starts with a new, empty community')
}
