import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../../config.ts'
import type { S3Place } from '../../s3/place.ts'
import { isLogReadable } from '../../storage/sqlite/checkpoints.ts'
import { openReplica, type Replica, spoolOf } from './open.ts'
import { openPlace } from './place.ts'

/** The configured replica; null if there is none. Throws ConfigError if this system cannot have one. */
export function openReplicaOf(config: Config, log: Logger): Replica | null {
  if (config.replica === null) return null
  if (!isLogReadable()) throw new ConfigError('REPLICA_URL needs SQLite 3.51 or newer, which this system does not have')
  return openReplica({
    place: openPlace(config.replica),
    placeId: placeId(config.replica),
    spool: spoolOf(config.dataDir),
    key: config.replicaKey,
    journal: join(config.dataDir, 'erasures.log'),
    keepDays: config.replicaKeepDays,
    log,
  })
}

/** Identifies a place, without its keys. */
const placeId = (place: string | S3Place) =>
  typeof place === 'string' ? place : `${place.endpoint} ${place.bucket} ${place.prefix}`
