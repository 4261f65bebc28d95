import { type Context, setting, textOf, wholeNumber } from '../lib/settings.ts'
import type { S3Place } from '../s3/place.ts'
import { isPostgresUrl } from '../storage/database-url.ts'
import { key32 } from './readers.ts'
import { dataDirectory, directoryOrBucket } from './places.ts'

const everyNight = '0 3 * * *'

/** Backups and the replica. */
export const backupSettings = {
  /** Where scheduled backups go, a directory or a bucket; null if there are none. */
  backupDir: setting({
    name: 'BACKUP_DIR',
    type: 'directory or URL',
    default: null,
    help: 'Where scheduled backups go: a directory, or `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`.',
    secret: true,
    read: backupDir,
  }),
  backupCron: setting({
    name: 'BACKUP_CRON',
    type: 'cron expression, in UTC',
    default: everyNight,
    help: 'Schedule of the backups: a cron expression, in UTC.',
    read: cronExpression,
  }),
  backupKeep: setting({
    name: 'BACKUP_KEEP',
    reload: true,
    default: '7',
    help: 'How many scheduled backups to keep.',
    ...wholeNumber(1, 1000),
  }),
  /** Where each commit is shipped, a directory or a bucket; null if none is. */
  replica: setting({
    name: 'REPLICA_URL',
    type: 'directory or URL',
    default: null,
    help: 'Where [a replica](docs/operations.md#replica) of database and photos is kept, at most a second behind: a directory, or `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`.',
    secret: true,
    read: replicaUrl,
  }),
  replicaKey: setting({
    name: 'REPLICA_KEY',
    type: '32 bytes in hex or base64',
    default: null,
    help: 'Encrypts the replica. Keep a copy elsewhere: without it, nothing can be restored.',
    secret: true,
    read: key32,
  }),
  replicaKeepDays: setting({
    name: 'REPLICA_KEEP_DAYS',
    unit: 'days',
    default: '7',
    help: 'After how many days removed and erased data is gone from the replica too. `convene restore --to` goes back one day less.',
    ...wholeNumber(2, 365),
  }),
}

function backupDir(value: string, { env }: Context): string | S3Place {
  const place = directoryOrBucket(value, env)
  // A backup in DATA_DIR would be lost together with it.
  if (place === dataDirectory(env)) throw new Error('must be another directory than DATA_DIR')
  return place
}

function replicaUrl(value: string, { env }: Context): string | S3Place {
  const database = textOf(env, 'DATABASE_URL') ?? ''
  if (isPostgresUrl(database))
    throw new Error('is for an SQLite database: leave it out, and let PostgreSQL archive its own log')
  if (database.endsWith(':memory:')) throw new Error('is for a database in a file: leave it out')
  const place = directoryOrBucket(value, env)
  if (typeof place === 'string' && `${place}/`.startsWith(`${dataDirectory(env)}/`))
    throw new Error('must be another directory than DATA_DIR, and not within it')
  return place
}

function cronExpression(value: string): string {
  // Parsing the first expression takes Bun 5 ms, which a start with the default saves.
  if (value === everyNight) return value
  const wrong = new Error('must be a cron expression of five fields, in UTC, such as 0 3 * * *')
  let next: unknown
  try {
    next = Bun.cron.parse(value, Date.now(), { tz: 'UTC' })
  } catch {
    throw wrong
  }
  // Null: the day does not exist in any month.
  if (next === null) throw wrong
  return value
}
