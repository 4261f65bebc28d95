import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readSync, statfsSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ownershipProblem } from '../installation/ownership.ts'
import { type Config, readConfig, s3Object } from '../config.ts'
import { openErasures } from '../features/account/erasures.ts'
import { foreignSecrets } from '../features/community/service.ts'
import { auditService } from '../features/audit/service.ts'
import { webhookService } from '../features/webhooks/service.ts'
import type { Files } from '../features/media/files.ts'
import { lookForAll } from '../features/media/presence.ts'
import { ids } from '../lib/ids.ts'
import { openByteProgress } from '../lib/progress.ts'
import { isS3Url, type S3Place, shownPlace } from '../s3/place.ts'
import { secretsAtHand } from '../installation/secrets.ts'
import { holdData } from '../installation/data-directory.ts'
import { openBucket } from '../s3/bucket.ts'
import { openDiskFiles } from '../storage/files/disk.ts'
import { erasuresIn, openErasureJournal } from '../storage/files/erasure-journal.ts'
import { tellOperator } from '../storage/files/open.ts'
import { openS3Files } from '../storage/files/s3.ts'
import { up } from '../storage/migrate.ts'
import { giveToOwner } from '../lib/owner.ts'
import { removeWork, settleRestore, switchTo, workOf } from '../backup/restore-switch.ts'
import {
  copyClean,
  type Examined,
  examineBackup,
  type OnBytes,
  photoBytes,
  unpackDatabase,
  unpackPhotos,
} from '../storage/sqlite/backup.ts'
import { openReadOnly } from '../storage/sqlite/database.ts'
import { knownFiles } from '../storage/sql/media.ts'
import { sqliteReader } from '../storage/sqlite/engine.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../storage/sqlite/storage.ts'
import { beginNumbersAnew } from '../storage/sqlite/events.ts'
import { rebuildTraits } from '../storage/sqlite/traits.ts'
import { about, thrown, UsageError } from './command.ts'
import { sqlitePath } from './database.ts'
import { codeOf } from '../lib/errors.ts'

export const help = `usage: convene restore FILE

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

FILE may be in a bucket: s3://BUCKET/PREFIX/NAME?endpoint=https://HOST&region=NAME, with the keys in S3_ACCESS_KEY_ID and
S3_SECRET_ACCESS_KEY. It is copied into DATA_DIR first.

The secrets stay as they are: on another machine, put your copies into DATA_DIR before. Where they are not those of FILE it
says so, and the server does not start.`

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true })
  const [file, ...more] = positionals
  if (file === undefined) throw new UsageError('which one? restore FILE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const config = readConfig()
  const lines = isS3Url(file) ? await fromBucket(config, file) : await fromFile(config, resolve(file))
  for (const line of lines) console.log(line)
}

// Times the database in a backup: 2.1 was measured, and 2.2 where a backup of an older release got its indexes on the way.
const databaseRoom = 2.25

/** `bucket` is where images are kept; null for `dataDir`. */
type Target = { databasePath: string; dataDir: string; bucket: S3Place | null; config: Config }

function targetOf(config: Config): Target {
  const databasePath = sqlitePath(config, 'restore that with pg_restore or psql')
  if (databasePath === ':memory:') throw new Error('a database in memory takes no backup: leave DATABASE_URL out')
  return { databasePath, dataDir: config.dataDir, bucket: config.media, config }
}

async function fromFile(config: Config, file: string): Promise<string[]> {
  const target = targetOf(config)
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  const erased = await openErasureJournal(join(dirname(file), 'erasures.log')).read()
  // A directory that is not there yet is made only for a backup that is one.
  let letGo = existsSync(target.dataDir) ? holdData(config) : null
  try {
    return await restore(target, file, { erased, onExamined: () => (letGo ??= holdData(config)) })
  } finally {
    letGo?.()
  }
}

async function fromBucket(config: Config, url: string): Promise<string[]> {
  const { place, name } = s3Object(url)
  const target = targetOf(config)
  const bucket = openBucket(place)
  const letGo = holdData(config)
  try {
    const settled = await settle(target)
    const shown = shownPlace(place) + name
    // An answer to HEAD, as for the size, does not say what is wrong with a bucket or its keys.
    await bucket.ping()
    const bytes = (await bucket.size(name)) ?? 0
    refuseWithoutRoom([{ directory: target.dataDir, bytes }], `the copy of ${shown}`)
    const { download } = workOf(target)
    if (!(await bucket.download(name, download))) throw new Error(`there is no ${shown}`)
    giveToOwner(download)
    const journal = await bucket.get('erasures.log')
    const done = await restore(target, download, { erased: erasuresIn(Buffer.from(journal ?? []).toString()) })
    return [...settled, ...done]
  } finally {
    removeWork(target)
    letGo()
  }
}

/** Finishes or undoes what a restore that was cut off has left. */
async function settle(target: Target): Promise<string[]> {
  const settled = await settleRestore(target)
  if (settled === null) return []
  return [
    settled === 'finished' ? 'finished a restore that was cut off' : 'removed what a restore that was cut off had left',
  ]
}

/** `erased`: who was erased by the journal beside the backup, whatever that in the data directory says. */
async function restore(
  target: Target,
  file: string,
  { erased, onExamined }: { erased: Map<string, number>; onExamined?: () => void },
): Promise<string[]> {
  const { size } = statSync(file)
  // Examined, unpacked, and copied clean into its place.
  const progress = await openByteProgress('restoring', 3 * size)
  try {
    const examined = examineBackup(file)
    progress.advance(size)
    onExamined?.()
    return await putInPlace(target, { file, size, ...examined }, { erased, at: Date.now(), onBytes: progress.advance })
  } catch (error) {
    throw about(`${file} cannot be restored into ${target.databasePath}`, error)
  } finally {
    progress.stop()
  }
}

async function putInPlace(
  target: Target,
  { file, size, users, messages, photos, made_at, has_photos, remembered }: Examined & { file: string; size: number },
  { erased, at, onBytes }: { erased: Map<string, number>; at: number; onBytes: OnBytes },
): Promise<string[]> {
  const { databasePath, dataDir, bucket, config } = target
  if (bucket) await refuseOthersPhotos(bucket, remembered.get('id'))
  const withMedia = has_photos && !bucket
  if (withMedia) refuseMountedMedia(dataDir)
  const work = workOf(target)
  // That of a bucket has been settled before its download.
  const settled = file === work.download ? [] : await settle(target)
  mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 })
  const inPhotos = photoBytes(file)
  refuseWithoutRoom(roomFor(target, { database: size - inPhotos.bytes, photos: withMedia ? inPhotos.room : 0 }), file)
  settleLog(databasePath)
  try {
    unpackDatabase(file, work.unpacked)
    onBytes(size - inPhotos.bytes)
    const files = bucket ? openS3Files(bucket, tellOperator) : openDiskFiles(has_photos ? work.media : mediaOf(dataDir))
    const erasedAgain = await bringUpToDate(work.unpacked, work.database, { files, dataDir, erased, at })
    onBytes(size)
    if (has_photos) await unpackPhotos(file, { databasePath: work.database, files, onBytes })
    const missing = bucket ? 0 : await missingPhotos(work.database, files)
    const kept = await switchTo(target, { withMedia, at })
    const foreign = foreignSecrets(remembered, secretsAtHand(config)).map((name) => ownershipProblem(name, config))
    const state = made_at === null ? '' : `, as they were at ${made_at}`
    return [
      ...settled,
      `restored ${users} users, ${messages} messages and ${photos} photos${state}`,
      ...(erasedAgain === 0 ? [] : [`erased again who had erased their accounts since: ${erasedAgain}`]),
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

async function missingPhotos(databasePath: string, files: Files): Promise<number> {
  const db = openReadOnly(databasePath)
  try {
    return (await lookForAll({ store: knownFiles(sqliteReader(withDrizzle(db))), files })).missing
  } finally {
    db.close()
  }
}

/** Throws where the photos lie on a disk of their own: no directory of another disk can be put in that place. */
function refuseMountedMedia(dataDir: string) {
  const media = mediaOf(dataDir)
  if (!existsSync(media) || lstatSync(media).dev === lstatSync(dataDir).dev) return
  throw new Error(
    `${media} is a disk of its own, and a restore puts another directory in its place: unmount it first, and copy the photos onto it afterwards`,
  )
}

type Room = { directory: string; bytes: number }

/**
 * How much a restore needs where. The database is there twice for a while, as it is unpacked and as it is copied clean; its
 * photos come after that. What is there before it stays.
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

function refuseWithoutRoom(rooms: readonly Room[], what: string) {
  for (const { directory, bytes } of rooms) {
    const { bavail, bsize } = statfsSync(directory)
    const free = bavail * bsize
    if (free < bytes)
      throw new Error(`${what} needs ${megabytes(bytes)} of room in ${directory}, and ${megabytes(free)} are free`)
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Throws where the bucket is marked as another community's: its server would remove what is put there. */
async function refuseOthersPhotos(bucket: S3Place, id: string | undefined) {
  const owner = await openS3Files(bucket, tellOperator).remote!.owner()
  if (owner === null || id === undefined || owner === id) return
  throw new Error(
    `MEDIA_URL names photos of another community: ${shownPlace(bucket)}. Restore with a prefix of its own`,
  )
}

/** Brings a database to this release's schema and the present, erases again who was erased since, and copies it clean. Answers how many. */
async function bringUpToDate(
  unpacked: string,
  target: string,
  { files, dataDir, erased, at }: { files: Files; dataDir: string; erased: Map<string, number>; at: number },
): Promise<number> {
  const db = openDatabase(unpacked)
  up(db)
  rebuildTraits(db)
  beginNumbersAnew(db, at)
  const storage = sqliteStorage(withDrizzle(db), { onFatal: thrown })
  try {
    const now = () => at
    const journal = openErasureJournal(join(dataDir, 'erasures.log'))
    const known = await journal.read()
    const unknown = Array.from(erased, ([user_id, at]) => ({ user_id, at })).filter(
      ({ user_id }) => !known.has(user_id),
    )
    if (unknown.length > 0) await journal.add(unknown)
    const audit = auditService({ store: storage.audit, ids, now, failed: thrown })
    const webhooks = webhookService({ isOn: readConfig().webhookUrl !== null, ids, now })
    const erasedAgain = await openErasures({
      store: storage.erasures,
      journal,
      files,
      audit,
      webhooks,
      ids,
      now,
    }).replay()
    // The reads of one turn of the event loop share a transaction, which would keep the log.
    await setImmediate()
    // The log would be a third copy of what was changed.
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    copyClean(db, target)
    return erasedAgain
  } finally {
    await storage.close()
  }
}

/** Takes the log of the present database into it. Throws where somebody uses it; one that is broken stays as it is. */
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
