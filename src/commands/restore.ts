import { parseArgs } from 'node:util'
import { placeOf, readConfig } from '../config.ts'
import { isS3Url } from '../s3/place.ts'
import { UsageError } from './command.ts'
import type { PhotosFrom } from './restored.ts'

export const help = `usage: convene restore FILE [--photos PLACE] [--skip-damaged]
       convene restore REPLICA_URL [--to TIME]

Replaces the database and the photos by those of a backup. Stop the server first.

FILE is examined before anything is changed: one that is damaged, not Convene's, or of a newer release is refused. The
replaced database and photos are kept as convene.db.before-restore-<time> and media.before-restore-<time>. The server removes
them after 30 days; you may remove them earlier.
A restore that is interrupted leaves either the old state or the new one: the next start, or the next restore, finishes or
undoes it. It needs disk space for 2.25 times the database in FILE, or for its database and photos if that is more. Run as
root, it gives all files to the owner of DATA_DIR.
Accounts that were erased after the backup was made are erased again. They are listed in DATA_DIR/erasures.log, and in the
erasures.log that scheduled backups write beside FILE; entries missing in the first are added from the second.

If FILE has no photos, such as a bare copy of convene.db, only the database is restored, and the photos stay. If photos
are kept in a bucket (MEDIA_URL), those in FILE are added to it.

  --photos PLACE  where the photos of an incremental backup are, if not in photos/ beside FILE: a directory, or
                  s3://BUCKET/PREFIX
  --skip-damaged  leaves out missing and damaged photos, and says how many; without it they are listed, and nothing is
                  changed

FILE may be in a bucket: s3://BUCKET/PREFIX/NAME?endpoint=https://HOST&region=NAME, with the keys in S3_ACCESS_KEY_ID and
S3_SECRET_ACCESS_KEY. It is copied into DATA_DIR first.

If DATABASE_URL names PostgreSQL, FILE is restored into an empty database, which you create first (createdb), while no node
runs. A dump that pg_dump wrote needs pg_restore on PATH. Convene's own format, also a backup of SQLite, needs nothing else,
and its photos go to MEDIA_URL or DATA_DIR. No node starts on that database until all is done. After an interruption, a dump
continues with the same command; otherwise empty the database and restore again.

REPLICA_URL is a replica: a directory, or s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME. It is restored into a DATA_DIR
without a database; an existing one is never replaced. REPLICA_KEY has to be the one that it was written with.

  --to TIME  restores the state at that time, such as 2026-11-22T14:03:07Z, instead of the last commit

The secrets are not replaced: on another machine, copy yours into DATA_DIR first. If they do not belong to FILE, the command
says so, and the server does not start.`

export async function run(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    options: { to: { type: 'string' }, photos: { type: 'string' }, 'skip-damaged': { type: 'boolean' } },
    allowPositionals: true,
  })
  const [file, ...more] = positionals
  if (file === undefined) throw new UsageError('restore takes FILE or REPLICA_URL')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const to = values.to === undefined ? null : timeOf(values.to)
  const config = readConfig()
  const { replicaAt, restoreReplica } = await import('./restore-replica.ts')
  const replica = await replicaAt(file)
  const photos: PhotosFrom = {
    elsewhere: values.photos === undefined ? null : placeOf(values.photos),
    skipDamaged: values['skip-damaged'] ?? false,
  }
  if (replica !== null) {
    if (photos.elsewhere !== null || photos.skipDamaged)
      throw new UsageError('--photos and --skip-damaged are for backups, and that is a replica')
    for (const line of await restoreReplica(config, replica, to)) console.log(line)
    return
  }
  if (to !== null) throw new UsageError(`--to needs a replica, and ${isS3Url(file) ? 'that URL' : file} is not one`)
  if (config.database.engine === 'postgres') {
    const { restoreIntoServer } = await import('./restore-postgres.ts')
    for (const line of await restoreIntoServer(config, file, photos)) console.log(line)
    return
  }
  const { restoreIntoFile } = await import('./restore-sqlite.ts')
  for (const line of await restoreIntoFile(config, file, photos)) console.log(line)
}

/** Throws UsageError if it is not a time with a zone. */
function timeOf(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(time)) throw new UsageError('--to takes a time such as 2026-11-22T14:03:07Z')
  return time
}
