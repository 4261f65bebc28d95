import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../../config.ts'
import { messageOf } from '../../lib/errors.ts'
import type { S3Place } from '../../s3/place.ts'
import { isLogReadable } from '../../storage/sqlite/checkpoints.ts'
import { openReplica, spoolOf } from './open.ts'
import type { Replica } from './replica.ts'
import { openPlace } from './place.ts'
import { removeSpool } from './queue.ts'

/** The configured replica; null if there is none, and then the spool of a former one is removed. Throws ConfigError if this system cannot have one. */
export function openReplicaOf(config: Config, log: Logger): Replica | null {
  if (config.replica === null) {
    removeFormerSpool(spoolOf(config.dataDir), log)
    return null
  }
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

/** An erasure does not reach these files, so they must not stay once nothing ships them. */
function removeFormerSpool(spool: string, log: Logger) {
  try {
    const count = removeSpool(spool)
    if (count > 0)
      log.info({ count }, 'REPLICA_URL is not set: the files of the former replica on this machine are removed')
  } catch (error) {
    log.error({ reason: messageOf(error) }, `the files of the former replica in ${spool} cannot be removed`)
  }
}

/** Identifies a place, without its keys. */
const placeId = (place: string | S3Place) =>
  typeof place === 'string' ? place : `${place.endpoint} ${place.bucket} ${place.prefix}`
