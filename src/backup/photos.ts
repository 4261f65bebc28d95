import { existsSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { megabytes } from '../lib/disk-space.ts'
import { openBucket } from '../s3/bucket.ts'
import { type S3Place, shownPlace } from '../s3/place.ts'
import { openDiskFiles } from '../storage/files/disk.ts'
import { tellOperator } from '../storage/files/open.ts'
import { openS3Files } from '../storage/files/s3.ts'
import { besideName, neededBeside, type PhotosBeside } from '../storage/sqlite/backup-photos.ts'

const folder = 'photos'

/** The store of the photos of incremental backups: `photos/` in their directory or bucket. */
export function photosBesideOf(where: string): string
export function photosBesideOf(where: string | S3Place): string | S3Place
export function photosBesideOf(where: string | S3Place): string | S3Place {
  return typeof where === 'string' ? join(where, folder) : { ...where, prefix: `${where.prefix}${folder}/` }
}

/** Opens that store. Creates a missing directory. */
export function openPhotosBeside(where: string | S3Place): PhotosBeside {
  if (typeof where !== 'string')
    return { files: openS3Files(where, tellOperator), shown: shownPlace(where), refuseWithoutSpace() {} }
  return {
    files: openDiskFiles(where),
    shown: where,
    refuseWithoutSpace(bytes) {
      const { bavail, bsize } = statfsSync(where)
      if (bavail * bsize < bytes)
        throw new Error(
          `the new photos need ${megabytes(bytes)} of space in ${where}, and ${megabytes(bavail * bsize)} are free`,
        )
    },
  }
}

/** Opens that store for reading. Throws if the directory is missing. */
export function findPhotosBeside(where: string | S3Place): PhotosBeside {
  if (typeof where === 'string' && !existsSync(where))
    throw new Error(`its photos are not beside it: there is no directory ${where}. Name their place by --photos PLACE`)
  return openPhotosBeside(where)
}

/** The object that lists the photos of a backup in a bucket, so that `prunePhotos` need not download the backup. */
export const listOf = (name: string) => `${name}.photos`

/** Writes that list into a file. Its last line shows that the list is complete. */
export function writeList(file: string, backup: string) {
  const needed = neededBeside(backup)
  writeFileSync(file, [...needed, `end ${needed.length}`, ''].join('\n'), { mode: 0o600 })
}

function readList(file: string, shown: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const needed = lines.slice(0, -2)
  if (lines.at(-2) !== `end ${needed.length}`) throw new Error(`${shown} is damaged`)
  return needed
}

/**
 * Removes the photos that no backup beside them needs, and unfinished ones. Throws and removes nothing if a backup cannot be
 * read. The caller must hold the lock of backups (`holdBackups`). Returns how many files were removed.
 */
export async function prunePhotos(where: string | S3Place, dataDir: string): Promise<number> {
  const photos = photosBesideOf(where)
  if (typeof photos === 'string' && !existsSync(photos)) return 0
  const needed = typeof where === 'string' ? neededInDirectory(where) : await neededInBucket(where, dataDir)
  const { files } = openPhotosBeside(photos)
  const strays: string[] = []
  for await (const { name } of files.list()) if (!needed.has(name)) strays.push(name)
  return files.remove(strays)
}

function neededInDirectory(directory: string): Set<string> {
  const needed = new Set<string>()
  for (const entry of readdirSync(directory).filter((entry) => entry.endsWith('.db')))
    for (const sha256 of neededBeside(join(directory, entry))) needed.add(besideName(sha256))
  return needed
}

async function neededInBucket(place: S3Place, dataDir: string): Promise<Set<string>> {
  const bucket = openBucket(place)
  const objects = new Set<string>()
  for await (const { name } of bucket.list()) if (!name.includes('/')) objects.add(name)
  const needed = new Set<string>()
  const copy = join(dataDir, downloadName)
  for (const name of objects) {
    // The list of a backup that was removed or never completed.
    if (name.endsWith('.db.photos') && !objects.has(name.slice(0, -'.photos'.length))) await bucket.remove(name)
    if (!name.endsWith('.db')) continue
    rmSync(copy, { force: true })
    try {
      const listed = objects.has(listOf(name))
      const source = listed ? listOf(name) : name
      if (!(await bucket.download(source, copy))) throw new Error(`there is no ${shownPlace(place)}${source}`)
      const found = listed ? readList(copy, shownPlace(place) + source) : neededBeside(copy)
      for (const sha256 of found) needed.add(besideName(sha256))
    } finally {
      rmSync(copy, { force: true })
    }
  }
  return needed
}

/** The temporary file in the data directory for a downloaded list of photos, or a downloaded backup. */
export const downloadName = 'backup-photos.part'
