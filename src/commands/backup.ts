import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { listOf, openPhotosBeside, photosBesideOf, prunePhotos, writeList } from '../backup/photos.ts'
import { type Config, placeOf, readConfig, s3Object } from '../config.ts'
import { holdBackups } from '../installation/data-directory.ts'
import { giveToOwner } from '../lib/owner.ts'
import { refuseWithoutSpace } from '../lib/disk-space.ts'
import { openByteProgress } from '../lib/progress.ts'
import { isS3Url, type S3Place, shownPlace } from '../s3/place.ts'
import { openBucket } from '../s3/bucket.ts'
import { openDiskFiles, syncDirectory } from '../storage/files/disk.ts'
import { refuseForeign } from '../storage/open.ts'
import { backupBytes, backupRoom, writeBackup } from '../storage/sqlite/backup.ts'
import { type Contents, isBackup } from '../storage/sqlite/examine-backup.ts'
import { version } from '../version.ts'
import { about, UsageError } from './command.ts'
import { requireDatabase } from './database.ts'
import { codeOf } from '../lib/errors.ts'

export const help = `usage: convene backup FILE [--force | --incremental]
       convene backup verify FILE [--photos PLACE]
       convene backup prune PLACE

Writes a backup of the database and of all photos to FILE, while the server runs and writes. It is a snapshot, and FILE appears
only after it has been examined, so a file under that name is complete. It needs as much space as the database and the photos. If
photos of the database are missing, it fails and leaves no FILE.

  --force        replaces FILE if it is a backup
  --incremental  puts the photos that are not there yet into photos/ beside FILE, and their list into FILE, whose name must end
                 in .db. Backups in one place share their photos, each of which is stored once, under its SHA-256

verify examines a backup and changes nothing: the checksums of the whole file and of each photo, the structure of the database,
and the numbers of users, messages and photos. It prints what FILE contains, and exits with 1 if anything is damaged, with the
names of damaged photos. It needs no server, and no settings except the keys of a bucket, from which it copies FILE into the
directory for temporary files first.

  --photos PLACE  where the photos of an incremental backup are, if not in photos/ beside FILE: a directory, or
                  s3://BUCKET/PREFIX

prune removes the photos in PLACE/photos that no backup in PLACE needs, for example after you have removed a backup. PLACE is a
directory or s3://BUCKET/PREFIX, and a backup in it ends in .db. If one of them cannot be read, nothing is removed.

FILE may be in a bucket: s3://BUCKET/PREFIX/NAME?endpoint=https://HOST&region=NAME, with the keys in S3_ACCESS_KEY_ID and
S3_SECRET_ACCESS_KEY. It is made in DATA_DIR first. Photos in a bucket (MEDIA_URL) stay there and are not in FILE.

FILE is an SQLite database that only its owner can read. It contains everybody's messages: keep it as safe as the server.

A backup of PostgreSQL is made beside the running nodes, in one of two forms:

  pg_dump's   if photos are in a bucket (MEDIA_URL), and pg_dump and pg_restore are on PATH and not older than the server. It
              ends with two lines with its contents and a checksum, which pg_restore ignores
  our own     otherwise, or if FILE ends in .db: the same as on SQLite, with the photos in DATA_DIR/media. It needs space for the
              database twice while it is made

A FILE that ends in .dump is refused if pg_dump cannot make it, or would omit photos.

Secrets are not in it. Keep DATA_DIR/location-key and DATA_DIR/jwt-secret apart from it, and DATA_DIR/erasures.log too, which
erases users again whom an older backup brings back.

For scheduled backups see BACKUP_DIR in convene serve --help.`

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { force: { type: 'boolean' }, incremental: { type: 'boolean' }, photos: { type: 'string' } },
    allowPositionals: true,
  })
  // Also without what they need: a script whose variable is empty must not make a backup with that name.
  if (positionals[0] === 'verify') {
    const { verify } = await import('./backup-verify.ts')
    return verify(positionals.slice(1), values)
  }
  if (positionals[0] === 'prune') return prune(positionals.slice(1), values)
  const [file, ...more] = positionals
  if (file === undefined) throw new UsageError('where to? backup FILE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const config = readConfig()
  const { force = false, incremental = false } = values
  if (values.photos !== undefined) throw new UsageError('backup takes no --photos: they go into photos/ beside FILE')
  if (incremental && force) throw new UsageError('an incremental backup replaces none: leave --force out')
  const { shown, size, contents } = isS3Url(file)
    ? await backUpIntoBucket(config, file, { force, incremental })
    : await backUpOnDisk(config, resolve(file), { force, incremental })
  const { users, messages, photos } = contents
  const media = config.media === null ? `${photos} photos` : `no photos, which are in ${shownPlace(config.media)},`
  console.log(`backed up ${users} users, ${messages} messages and ${media} to ${shown} (${(size / 1e6).toFixed(1)} MB)`)
}

export type Options = { force?: boolean; incremental?: boolean; photos?: string }

async function prune([where = '', ...more]: string[], { force, incremental, photos }: Options) {
  if (where === '') throw new UsageError('where? backup prune PLACE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  if (force || incremental || photos !== undefined) throw new UsageError('prune takes no options')
  const { dataDir } = readConfig()
  const place = placeOf(where)
  const shown = typeof place === 'string' ? place : shownPlace(place)
  if (typeof place === 'string' && !existsSync(place)) throw new Error(`there is no directory ${place}`)
  const release = holdBackups(dataDir)
  try {
    const removed = await prunePhotos(place, dataDir)
    console.log(`removed ${removed} photos in ${shown} that no backup there needs`)
  } catch (error) {
    throw about(`the photos in ${shown} cannot be pruned`, error)
  } finally {
    release()
  }
}

type Way = { force: boolean; incremental: boolean }

function refuseIncremental({ database }: Config, name: string, incremental: boolean) {
  if (!incremental) return
  if (database.engine === 'postgres')
    throw new UsageError('incremental backups are for SQLite only: leave --incremental out')
  if (!name.endsWith('.db')) throw new UsageError('the name of an incremental backup must end in .db')
}

async function backUpOnDisk(config: Config, target: string, { force, incremental }: Way) {
  refuseIncremental(config, target, incremental)
  const databasePath = await databaseIn(config)
  if (!existsSync(dirname(target))) throw new Error(`there is no directory ${dirname(target)}`)
  const refuseExisting = async () => {
    if (!existsSync(target)) return
    if (databasePath !== null && realpathSync(target) === realpathSync(databasePath))
      throw new Error(`${target} is the database itself`)
    if (!force) throw exists(target, incremental)
    const { isDump } = await import('../backup/dump.ts')
    if (!isDump(target) && !isBackup(target))
      throw new Error(`${target} is not a backup of Convene, which alone --force replaces: choose another name`)
  }
  await refuseExisting()
  const photosIn = incremental ? photosBesideOf(dirname(target)) : null
  return whole(config, { databasePath, photosIn }, target, async (part, contents) => {
    await refuseExisting()
    renameSync(part, target)
    await syncDirectory(dirname(target))
    return { shown: target, size: statSync(target).size, contents }
  })
}

async function backUpIntoBucket(config: Config, url: string, { force, incremental }: Way) {
  const { place, name } = s3Object(url)
  refuseIncremental(config, name, incremental)
  const bucket = openBucket(place)
  const shown = shownPlace(place) + name
  const databasePath = await databaseIn(config)
  const refuseExisting = async () => {
    if (!force && (await bucket.size(name)) !== null) throw exists(shown, incremental)
  }
  // Finds out before the work whether the bucket refuses us.
  await bucket.ping()
  await refuseExisting()
  const photosIn = incremental ? photosBesideOf(place) : null
  return whole(config, { databasePath, photosIn }, join(config.dataDir, name), async (part, contents) => {
    await refuseExisting()
    if (incremental) {
      // First, so that every backup has its list.
      const list = listOf(part)
      try {
        writeList(list, part)
        await bucket.upload(listOf(name), list)
      } finally {
        rmSync(list, { force: true })
      }
    }
    await bucket.upload(name, part)
    return { shown, size: statSync(part).size, contents }
  })
}

/** The path of the database to back up; null for PostgreSQL. Throws if there is none, or it is not ours. */
async function databaseIn(config: Config): Promise<string | null> {
  if (config.database.engine === 'postgres') return null
  const databasePath = config.database.path
  if (databasePath === ':memory:') throw new Error('a database in memory has no backup: leave DATABASE_URL out')
  requireDatabase(databasePath)
  await refuseForeign(config.database)
  return databasePath
}

const exists = (target: string, incremental: boolean) =>
  new Error(`${target} exists: choose another name${incremental ? '' : ', or replace it with --force'}`)

/** The error for a backup of which photos are missing in their directory. */
export const photosMissing = ({ photos, lost }: { photos: number; lost: number }, directory: string) =>
  new Error(
    `${lost} of ${photos + lost} photos that the database knows are missing in ${directory}: nothing was backed up. Mount the disk, or put the files back; if they are lost for good, see convene admin lost-photos`,
  )

/**
 * Makes a backup under a temporary name beside a path, hands it over when it is complete, and always removes the temporary
 * file.
 */
async function whole<T>(
  config: Config,
  { databasePath, photosIn }: { databasePath: string | null; photosIn: string | S3Place | null },
  path: string,
  handOver: (part: string, contents: Contents) => Promise<T>,
): Promise<T> {
  if (databasePath === null) return (await import('./backup-postgres.ts')).wholeOfServer(config, path, handOver)
  const { dataDir, media } = config
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  const release = photosIn === null ? () => {} : holdBackups(dataDir)
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (error) {
    release()
    throw new Error(`nothing can be written into ${dirname(path)} (${codeOf(error)})`, { cause: error })
  }
  try {
    // The server reads it later to see which photos it needs.
    if (photosIn !== null) giveToOwner(part)
    const files = media === null ? openDiskFiles(join(dataDir, 'media')) : null
    const beside = files !== null && photosIn !== null ? openPhotosBeside(photosIn) : null
    // The space for new photos is checked later, when they are known.
    const needed = backupRoom(databasePath, { photos: files !== null && beside === null })
    refuseWithoutSpace([{ directory: dirname(path), bytes: needed }], 'a backup')
    const progress = await openByteProgress('backing up', backupBytes(databasePath, { photos: files !== null }))
    const contents = await writeBackup(part, {
      databasePath,
      files,
      beside,
      release: version,
      at: Date.now(),
      onBytes: progress.advance,
    }).finally(progress.stop)
    if (contents.lost > 0) throw photosMissing(contents, join(dataDir, 'media'))
    return await handOver(part, contents)
  } catch (error) {
    throw about(`${databasePath} cannot be backed up to ${path}`, error)
  } finally {
    for (const left of [part, `${part}-journal`]) rmSync(left, { force: true })
    release()
  }
}
