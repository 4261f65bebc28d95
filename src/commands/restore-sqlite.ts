import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { findPhotosBeside, photosBesideOf } from '../backup/photos.ts'
import { ownershipProblem } from '../installation/ownership.ts'
import { type Config, s3Object } from '../config.ts'
import { foreignSecrets } from '../features/community/service.ts'
import { refuseWithoutSpace, type SpaceNeeded } from '../lib/disk-space.ts'
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
import { about } from './command.ts'
import { sqlitePath } from './database.ts'
import {
  bringUpToDate,
  erasedSince,
  databaseRoom,
  missingPhotos,
  photosLeftOut,
  type PhotosFrom,
  refuseMountedMedia,
  refuseOthersPhotos,
} from './restored.ts'
import { codeOf } from '../lib/errors.ts'

/** `bucket` is where images are stored; null if that is `dataDir`. */
type Target = { databasePath: string; dataDir: string; bucket: S3Place | null; config: Config }

function targetOf(config: Config): Target {
  const databasePath = sqlitePath(config, 'restore FILE there')
  if (databasePath === ':memory:') throw new Error('a database in memory takes no backup: leave DATABASE_URL out')
  return { databasePath, dataDir: config.dataDir, bucket: config.media, config }
}

type PhotosAt = { place: string | S3Place; skipDamaged: boolean }

/** Replaces the database and the photos by those of a backup, from this disk or a bucket. Returns what to tell the operator. */
export const restoreIntoFile = (config: Config, file: string, photos: PhotosFrom): Promise<string[]> =>
  isS3Url(file) ? fromBucket(config, file, photos) : fromFile(config, resolve(file), photos)

async function fromFile(config: Config, file: string, { elsewhere, skipDamaged }: PhotosFrom): Promise<string[]> {
  const target = targetOf(config)
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  const erased = await openErasureJournal(join(dirname(file), 'erasures.log')).read()
  // The directory is created only after the backup has proved to be valid.
  let release = existsSync(target.dataDir) ? holdData(config) : null
  try {
    const photosAt = { place: elsewhere ?? photosBesideOf(dirname(file)), skipDamaged }
    return await restore(target, file, photosAt, { erased, onExamined: () => (release ??= holdData(config)) })
  } finally {
    release?.()
  }
}

async function fromBucket(config: Config, url: string, { elsewhere, skipDamaged }: PhotosFrom): Promise<string[]> {
  const { place, name } = s3Object(url)
  const target = targetOf(config)
  const bucket = openBucket(place)
  const release = holdData(config)
  try {
    const resolved = await resolveUnfinished(target)
    const shown = shownPlace(place) + name
    // The answer to HEAD, which asks for the size, does not say what is wrong with a bucket or its keys.
    await bucket.ping()
    const bytes = (await bucket.size(name)) ?? 0
    refuseWithoutSpace([{ directory: target.dataDir, bytes }], `the copy of ${shown}`)
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
    release()
  }
}

/** Finishes or undoes an interrupted restore. Returns what to tell the operator. */
async function resolveUnfinished(target: Target): Promise<string[]> {
  const resolved = await resolveRestore(target)
  if (resolved === null) return []
  return [
    resolved === 'finished'
      ? 'finished a restore that was interrupted'
      : 'removed the files of a restore that was interrupted',
  ]
}

/** `erased`: users in the journal beside the backup, by id, with the time of their erasure. */
async function restore(
  target: Target,
  file: string,
  photosAt: PhotosAt,
  { erased, onExamined }: { erased: Map<string, number>; onExamined?: () => void },
): Promise<string[]> {
  const { size } = statSync(file)
  // The file is read three times: to examine, to unpack, and to copy it without free pages.
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
  refuseWithoutSpace(spaceFor(target, { database: size - inPhotos.bytes, photos: withMedia ? inPhotos.room : 0 }), file)
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
    const missing = bucket ? 0 : (await missingPhotos(work.database, files)) - skipped
    const kept = await switchTo(target, { withMedia, at })
    const foreign = foreignSecrets(remembered, secretsAtHand(config)).map((name) => ownershipProblem(name, config))
    const state = made_at === null ? '' : `, as they were at ${made_at}`
    return [
      ...resolved,
      `restored ${users} users, ${messages} messages and ${photos - skipped} photos${state}`,
      ...(erasedAgain === 0 ? [] : [erasedSince(erasedAgain)]),
      ...(skipped === 0 ? [] : [photosLeftOut(skipped)]),
      ...(missing === 0 ? [] : [`photos that are in the database but not in ${mediaOf(dataDir)}: ${missing}`]),
      ...(kept.length === 0 ? [] : [`the replaced files are kept for 30 days: ${kept.join(', ')}`]),
      ...(bucket
        ? [`once started, the server removes photos that are not in this database from ${shownPlace(bucket)}`]
        : []),
      ...foreign.map(({ text, fix }) => `before the next start: ${text}: ${fix}`),
    ]
  } finally {
    if (file !== work.download) removeWork(target)
  }
}

const mediaOf = (dataDir: string) => join(dataDir, 'media')

/**
 * How much space a restore needs, by directory. For a while the database exists twice: as unpacked, and as the copy without free
 * pages. The photos are unpacked after that. The present database and photos stay.
 */
function spaceFor(
  { databasePath, dataDir }: Target,
  { database, photos }: { database: number; photos: number },
): SpaceNeeded[] {
  const directory = dirname(databasePath)
  const ofDatabase = Math.ceil(databaseRoom * database)
  if (statSync(directory).dev === statSync(dataDir).dev)
    return [{ directory, bytes: Math.max(ofDatabase, database + photos) }]
  return [
    { directory, bytes: ofDatabase },
    { directory: dataDir, bytes: photos },
  ]
}

/** Checkpoints the present database. Throws if another process uses it; a damaged one stays unchanged. */
function settleLog(databasePath: string) {
  // SQLite would remove the log of a file that it considers empty.
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
