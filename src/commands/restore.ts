import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findPhotosBeside, photosBesideOf } from '../backup/photos.ts'
import { ownershipProblem } from '../installation/ownership.ts'
import { type Config, placeOf, readConfig, s3Object } from '../config.ts'
import { foreignSecrets } from '../features/community/service.ts'
import { openByteProgress } from '../lib/progress.ts'
import { isS3Url, type S3Place, shownPlace } from '../s3/place.ts'
import { secretsAtHand } from '../installation/secrets.ts'
import { holdData } from '../installation/data-directory.ts'
import { openBucket } from '../s3/bucket.ts'
import { openDiskFiles } from '../storage/files/disk.ts'
import { erasuresIn, openErasureJournal } from '../storage/files/erasure-journal.ts'
import { tellOperator } from '../storage/files/open.ts'
import { openS3Files } from '../storage/files/s3.ts'
import { giveToOwner } from '../lib/owner.ts'
import { isDump } from '../backup/dump.ts'
import { removeWork, resolveRestore, switchTo, workOf } from '../backup/restore-switch.ts'
import { copyClean, unpackDatabase } from '../storage/sqlite/clean-copy.ts'
import { type Examined, examineBackup } from '../storage/sqlite/examine-backup.ts'
import { type OnBytes, photoBytes, type PhotosBeside, unpackPhotos } from '../storage/sqlite/backup-photos.ts'
import { openDatabase } from '../storage/sqlite/storage.ts'
import { about, UsageError } from './command.ts'
import { sqlitePath } from './database.ts'
import { bringUpToDate, missingPhotos, type Room, refuseMountedMedia, refuseWithoutRoom } from './restored.ts'
import { codeOf } from '../lib/errors.ts'

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
  const lines = isS3Url(file) ? await fromBucket(config, file, photos) : await fromFile(config, resolve(file), photos)
  for (const line of lines) console.log(line)
}

/** Throws if it is not a time with a zone. */
function timeOf(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(time)) throw new UsageError('--to takes a time such as 2026-11-22T14:03:07Z')
  return time
}

// Times the database in a backup: 2.1 was measured, and 2.2 where a backup of an older release got its indexes on the way.
export const databaseRoom = 2.25

/** `bucket` is where images are kept; null for `dataDir`. */
type Target = { databasePath: string; dataDir: string; bucket: S3Place | null; config: Config }

function targetOf(config: Config): Target {
  const databasePath = sqlitePath(config, 'restore FILE there')
  if (databasePath === ':memory:') throw new Error('a database in memory takes no backup: leave DATABASE_URL out')
  return { databasePath, dataDir: config.dataDir, bucket: config.media, config }
}

/** Where the photos of an incremental backup lie, null for beside it, and what becomes of those that are not whole. */
/** Another place of the photos of an incremental backup, and whether damaged ones are left out. */
export type PhotosFrom = { elsewhere: string | S3Place | null; skipDamaged: boolean }
export const photosLeftOut = (count: number) => `photos that were left out, as they are missing or damaged: ${count}`

type PhotosAt = { place: string | S3Place; skipDamaged: boolean }

async function fromFile(config: Config, file: string, { elsewhere, skipDamaged }: PhotosFrom): Promise<string[]> {
  const target = targetOf(config)
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  const erased = await openErasureJournal(join(dirname(file), 'erasures.log')).read()
  // A directory that is not there yet is made only for a backup that is one.
  let letGo = existsSync(target.dataDir) ? holdData(config) : null
  try {
    const photosAt = { place: elsewhere ?? photosBesideOf(dirname(file)), skipDamaged }
    return await restore(target, file, photosAt, { erased, onExamined: () => (letGo ??= holdData(config)) })
  } finally {
    letGo?.()
  }
}

async function fromBucket(config: Config, url: string, { elsewhere, skipDamaged }: PhotosFrom): Promise<string[]> {
  const { place, name } = s3Object(url)
  const target = targetOf(config)
  const bucket = openBucket(place)
  const letGo = holdData(config)
  try {
    const resolved = await resolveUnfinished(target)
    const shown = shownPlace(place) + name
    // An answer to HEAD, as for the size, does not say what is wrong with a bucket or its keys.
    await bucket.ping()
    const bytes = (await bucket.size(name)) ?? 0
    refuseWithoutRoom([{ directory: target.dataDir, bytes }], `the copy of ${shown}`)
    const { download } = workOf(target)
    if (!(await bucket.download(name, download))) throw new Error(`there is no ${shown}`)
    giveToOwner(download)
    const journal = await bucket.get('erasures.log')
    const photosAt = { place: elsewhere ?? photosBesideOf(place), skipDamaged }
    const done = await restore(target, download, photosAt, {
      erased: erasuresIn(Buffer.from(journal ?? []).toString()),
    })
    return [...resolved, ...done]
  } finally {
    removeWork(target)
    letGo()
  }
}

/** Finishes or undoes what a restore that was cut off has left. */
async function resolveUnfinished(target: Target): Promise<string[]> {
  const resolved = await resolveRestore(target)
  if (resolved === null) return []
  return [
    resolved === 'finished'
      ? 'finished a restore that was cut off'
      : 'removed what a restore that was cut off had left',
  ]
}

/** `erased`: who was erased by the journal beside the backup, whatever that in the data directory says. */
async function restore(
  target: Target,
  file: string,
  photosAt: PhotosAt,
  { erased, onExamined }: { erased: Map<string, number>; onExamined?: () => void },
): Promise<string[]> {
  const { size } = statSync(file)
  // Examined, unpacked, and copied clean into its place.
  const progress = await openByteProgress('restoring', 3 * size)
  try {
    if (isDump(file))
      throw new Error(
        `${file} is a dump of PostgreSQL: set DATABASE_URL=postgres://… to an empty database, restore it there, and bring it into a file with convene copy`,
      )
    const examined = examineBackup(file)
    const beside = examined.photos_beside ? findPhotosBeside(photosAt.place) : null
    progress.advance(size)
    onExamined?.()
    const backup = { file, size, beside, skipDamaged: photosAt.skipDamaged, ...examined }
    return await putInPlace(target, backup, { erased, at: Date.now(), onBytes: progress.advance })
  } catch (error) {
    throw about(`${file} cannot be restored into ${target.databasePath}`, error)
  } finally {
    progress.stop()
  }
}

async function putInPlace(
  target: Target,
  {
    file,
    size,
    beside,
    skipDamaged,
    users,
    messages,
    photos,
    made_at,
    has_photos,
    remembered,
  }: Examined & { file: string; size: number; beside: PhotosBeside | null; skipDamaged: boolean },
  { erased, at, onBytes }: { erased: Map<string, number>; at: number; onBytes: OnBytes },
): Promise<string[]> {
  const { databasePath, dataDir, bucket, config } = target
  if (bucket) await refuseOthersPhotos(bucket, remembered.get('id'))
  const withMedia = has_photos && !bucket
  if (withMedia) refuseMountedMedia(dataDir)
  const work = workOf(target)
  // A restore from a bucket has resolved this before its download.
  const resolved = file === work.download ? [] : await resolveUnfinished(target)
  mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 })
  const inPhotos = photoBytes(file)
  refuseWithoutRoom(roomFor(target, { database: size - inPhotos.bytes, photos: withMedia ? inPhotos.room : 0 }), file)
  settleLog(databasePath)
  try {
    unpackDatabase(file, work.unpacked)
    onBytes(size - inPhotos.bytes)
    const files = bucket ? openS3Files(bucket, tellOperator) : openDiskFiles(has_photos ? work.media : mediaOf(dataDir))
    const erasedAgain = await bringUpToDate(work.unpacked, { files, dataDir, erased, at }, (db) =>
      copyClean(db, work.database),
    )
    onBytes(size)
    const skipped = has_photos
      ? await unpackPhotos(file, { databasePath: work.database, files, beside, skipDamaged, onBytes })
      : 0
    const missing = bucket ? 0 : await missingPhotos(work.database, files)
    const kept = await switchTo(target, { withMedia, at })
    const foreign = foreignSecrets(remembered, secretsAtHand(config)).map((name) => ownershipProblem(name, config))
    const state = made_at === null ? '' : `, as they were at ${made_at}`
    return [
      ...resolved,
      `restored ${users} users, ${messages} messages and ${photos} photos${state}`,
      ...(erasedAgain === 0 ? [] : [`erased again who had erased their accounts since: ${erasedAgain}`]),
      ...(skipped === 0 ? [] : [photosLeftOut(skipped)]),
      ...(missing === 0 ? [] : [`photos that the database knows and that are not in ${mediaOf(dataDir)}: ${missing}`]),
      ...(kept.length === 0 ? [] : [`what was there before is kept for 30 days: ${kept.join(', ')}`]),
      ...(bucket
        ? [`from its start on, the server removes photos that this database does not know: ${shownPlace(bucket)}`]
        : []),
      ...foreign.map(({ text, mend }) => `before the next start: ${text}: ${mend}`),
    ]
  } finally {
    if (file !== work.download) removeWork(target)
  }
}

const mediaOf = (dataDir: string) => join(dataDir, 'media')

/**
 * How much space a restore needs, by directory. The database exists twice for a while, as it is unpacked and as it is
 * copied clean; its photos come after that. What is there before it stays.
 */
function roomFor(
  { databasePath, dataDir }: Target,
  { database, photos }: { database: number; photos: number },
): Room[] {
  const directory = dirname(databasePath)
  const ofDatabase = Math.ceil(databaseRoom * database)
  if (statSync(directory).dev === statSync(dataDir).dev)
    return [{ directory, bytes: Math.max(ofDatabase, database + photos) }]
  return [
    { directory, bytes: ofDatabase },
    { directory: dataDir, bytes: photos },
  ]
}

/** Throws if the bucket is marked as another community's: its server would remove what is put there. */
export async function refuseOthersPhotos(bucket: S3Place, id: string | undefined) {
  const owner = await openS3Files(bucket, tellOperator).remote?.owner()
  if (owner == null || id === undefined || owner === id) return
  throw new Error(
    `MEDIA_URL names photos of another community: ${shownPlace(bucket)}. Restore with a prefix of its own`,
  )
}

/** Checkpoints the present database. Throws if another process uses it; a damaged one stays unchanged. */
function settleLog(databasePath: string) {
  // SQLite would remove the log of a file that it takes for an empty one.
  if (!existsSync(databasePath) || !looksLikeDatabase(databasePath)) return
  try {
    openDatabase(databasePath, { alone: true }).close()
  } catch (error) {
    if (error instanceof Error && codeOf(error.cause).startsWith('SQLITE_BUSY')) throw error
  }
}

function looksLikeDatabase(path: string): boolean {
  const header = Buffer.alloc(16)
  const file = openSync(path, 'r')
  readSync(file, header)
  closeSync(file)
  return header.toString('latin1') === 'SQLite format 3\0'
}
