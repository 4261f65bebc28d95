import { parseArgs } from 'node:util'
import { placeOf, readConfig } from '../config.ts'
import { isS3Url } from '../s3/place.ts'
import { UsageError } from './command.ts'
import type { PhotosFrom } from './restored.ts'

export const help = `usage: convene restore FILE [--photos PLACE] [--skip-damaged]
       convene restore REPLICA_URL [--to TIME]

Puts the database and the photos of a backup in the place of those that are there. Stop the server first.

FILE is examined before anything is changed: one that is damaged, not Convene's, or of a newer release is refused. What is
there is kept beside, as convene.db.before-restore-<time> and media.before-restore-<time>; the server removes them after 30
days, and you may before.
One that is killed leaves either the old state or the new one: the next start, or the next restore, finishes or undoes it.
It needs room for 2.25 times the database in FILE, or for its database and photos where that is more. Run as root, it leaves
all of it to the owner of DATA_DIR.
Whoever erased their account after the backup was made is erased again, by DATA_DIR/erasures.log and by the erasures.log
that scheduled backups leave beside FILE: what is new in that one is added to the other.

Without photos in it, as a bare copy of convene.db is, FILE brings the database alone, and the photos stay. Where photos
lie in a bucket (MEDIA_URL), those in FILE are added to what is there.

  --photos PLACE  where the photos of an incremental backup lie, if not in photos/ beside FILE: a directory, or
                  s3://BUCKET/PREFIX
  --skip-damaged  leaves out those of them that are missing or damaged, and says how many; without it they are named, and
                  nothing is changed

FILE may be in a bucket: s3://BUCKET/PREFIX/NAME?endpoint=https://HOST&region=NAME, with the keys in S3_ACCESS_KEY_ID and
S3_SECRET_ACCESS_KEY. It is copied into DATA_DIR first.

Where DATABASE_URL names PostgreSQL, FILE comes into an empty database there, which you make before (createdb), while no node
runs. One that pg_dump wrote needs pg_restore on PATH; one of our own form, of SQLite too, needs nothing, and brings its photos
into MEDIA_URL or DATA_DIR. Until all is done no node starts on that database. After a kill, a dump goes on with the same
command; otherwise empty the database, and restore anew.

REPLICA_URL is a replica: a directory, or s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME. All of it comes into a DATA_DIR
without a database; nothing is restored over one. REPLICA_KEY has to be the one that it was written with.

  --to TIME  as of that time instead of the last commit, such as 2026-11-22T14:03:07Z

The secrets stay as they are: on another machine, put your copies into DATA_DIR before. Where they are not those of FILE it
says so, and the server does not start.`

export async function run(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    options: { to: { type: 'string' }, photos: { type: 'string' }, 'skip-damaged': { type: 'boolean' } },
    allowPositionals: true,
  })
  const [file, ...more] = positionals
  if (file === undefined) throw new UsageError('which one? restore FILE, or restore REPLICA_URL')
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

/** Throws if it is not a time with a zone. */
function timeOf(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(time)) throw new UsageError('--to takes a time such as 2026-11-22T14:03:07Z')
  return time
}
