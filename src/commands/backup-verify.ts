import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { examineDump, isDump } from '../backup/dump.ts'
import { findPhotosBeside, photosBesideOf } from '../backup/photos.ts'
import { placeOf, s3Object } from '../config.ts'
import { megabytes, refuseWithoutSpace } from '../lib/disk-space.ts'
import { isS3Url, type S3Place, shownPlace } from '../s3/place.ts'
import { openBucket } from '../s3/bucket.ts'
import { examineBackup } from '../storage/sqlite/examine-backup.ts'
import { examinePhotos } from '../storage/sqlite/backup-photos.ts'
import { UsageError } from './command.ts'
import { messageOf } from '../lib/errors.ts'
import type { Options } from './backup.ts'

/** Examines a backup and describes its contents. Throws if a part is damaged. */
export async function verify([file = '', ...more]: string[], { force, incremental, photos }: Options) {
  if (file === '') throw new UsageError('which one? backup verify FILE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  if (force || incremental) throw new UsageError(`verify takes no --${force ? 'force' : 'incremental'}`)
  const elsewhere = photos === undefined ? null : placeOf(photos)
  if (!isS3Url(file)) {
    if (!existsSync(file)) throw new Error(`there is no file ${file}`)
    return describe(file, resolve(file), elsewhere ?? photosBesideOf(dirname(resolve(file))))
  }
  const { place, name } = s3Object(file)
  const shown = shownPlace(place) + name
  const directory = mkdtempSync(join(tmpdir(), 'convene-verify-'))
  try {
    const copy = join(directory, 'backup.db')
    const bucket = openBucket(place)
    await bucket.ping()
    const size = (await bucket.size(name)) ?? 0
    refuseWithoutSpace([{ directory, bytes: size }], `the copy of ${shown}`)
    if (!(await bucket.download(name, copy))) throw new Error(`there is no ${shown}`)
    try {
      await describe(shown, copy, elsewhere ?? photosBesideOf(place))
    } catch (error) {
      // The temporary name of the copy would mean nothing to the operator.
      throw new Error(messageOf(error).replaceAll(copy, shown), { cause: error })
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function describe(shown: string, path: string, photosIn: string | S3Place) {
  if (isDump(path)) {
    const { users, messages, made_at } = examineDump(path)
    console.log(
      `${shown} is whole: a dump of ${made_at}, by pg_dump, with ${users} users, ${messages} messages and no photos (${megabytes(statSync(path).size)})`,
    )
    return
  }
  const { users, messages, photos, made_at, has_photos, photos_beside } = examineBackup(path)
  let beside = null
  try {
    beside = photos_beside ? findPhotosBeside(photosIn) : null
    if (beside) await examinePhotos(path, beside)
  } catch (error) {
    throw new Error(`${path} is not whole: ${messageOf(error)}`, { cause: error })
  }
  const of = made_at === null ? 'a copy of a database, without a checksum,' : `a backup of ${made_at}`
  const media = (has_photos ? `${photos} photos` : 'no photos') + (beside ? ` in ${beside.shown}` : '')
  console.log(
    `${shown} is whole: ${of} with ${users} users, ${messages} messages and ${media} (${megabytes(statSync(path).size)})`,
  )
}
