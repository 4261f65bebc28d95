import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig, s3Object } from '../config.ts'
import { openByteProgress } from '../lib/progress.ts'
import { isS3Url, shownPlace } from '../s3/place.ts'
import { openBucket } from '../s3/bucket.ts'
import { openDiskFiles, syncDirectory } from '../storage/files/disk.ts'
import { refuseForeign } from '../storage/open.ts'
import { backupBytes, backupRoom, type Contents, writeBackup } from '../storage/sqlite/backup.ts'
import { version } from '../version.ts'
import { about, UsageError } from './command.ts'
import { requireDatabase, sqlitePath } from './database.ts'
import { codeOf } from '../lib/errors.ts'

export const help = `usage: convene backup FILE [--force]

Writes a backup of the database and of all photos to FILE, while the server runs and goes on writing. It is one moment's
state, examined before it is called good, and FILE appears only then: what is there under that name is whole. It needs as
much room as the database and the photos. Where photos are missing that the database knows, it fails and leaves no FILE.

  --force   replaces FILE where it exists

FILE may be in a bucket: s3://BUCKET/PREFIX/NAME?endpoint=https://HOST&region=NAME, with the keys in S3_ACCESS_KEY_ID and
S3_SECRET_ACCESS_KEY. It is made in DATA_DIR first. Photos that lie in a bucket (MEDIA_URL) stay there and are not in FILE.

FILE is a SQLite database, readable by its owner only. It holds everybody's messages: keep it as safe as the server.
Secrets are not in it. Keep DATA_DIR/location-key and DATA_DIR/jwt-secret apart from it, and DATA_DIR/erasures.log too:
that one erases again whom an older backup brings back.

For backups by the clock see BACKUP_DIR in convene serve --help.`

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { force: { type: 'boolean' } }, allowPositionals: true })
  const [file, ...more] = positionals
  if (file === undefined) throw new UsageError('where to? backup FILE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const config = readConfig()
  const { force = false } = values
  const { shown, size, contents } = isS3Url(file)
    ? await backUpIntoBucket(config, file, force)
    : await backUpOnDisk(config, resolve(file), force)
  const { users, messages, photos } = contents
  const media = config.media === null ? `${photos} photos` : `no photos, which are in ${shownPlace(config.media)},`
  console.log(`backed up ${users} users, ${messages} messages and ${media} to ${shown} (${(size / 1e6).toFixed(1)} MB)`)
}

async function backUpOnDisk(config: Config, target: string, force: boolean) {
  const databasePath = await databaseIn(config)
  if (!existsSync(dirname(target))) throw new Error(`there is no directory ${dirname(target)}`)
  const refuseExisting = () => {
    if (!existsSync(target)) return
    if (realpathSync(target) === realpathSync(databasePath)) throw new Error(`${target} is the database itself`)
    if (!force) throw exists(target)
  }
  refuseExisting()
  return whole({ ...config, databasePath }, target, async (part, contents) => {
    refuseExisting()
    renameSync(part, target)
    await syncDirectory(dirname(target))
    return { shown: target, size: statSync(target).size, contents }
  })
}

async function backUpIntoBucket(config: Config, url: string, force: boolean) {
  const { place, name } = s3Object(url)
  const bucket = openBucket(place)
  const shown = shownPlace(place) + name
  const databasePath = await databaseIn(config)
  const refuseExisting = async () => {
    if (!force && (await bucket.size(name)) !== null) throw exists(shown)
  }
  // What the store would refuse in the end is refused before the work.
  await bucket.ping()
  await refuseExisting()
  return whole({ ...config, databasePath }, join(config.dataDir, name), async (part, contents) => {
    await refuseExisting()
    await bucket.upload(name, part)
    return { shown, size: statSync(part).size, contents }
  })
}

/** The path of the database that is to be backed up. Throws where there is none, or none of ours. */
async function databaseIn(config: Config): Promise<string> {
  const databasePath = sqlitePath(config, 'back that up with pg_dump, and DATA_DIR as files')
  if (databasePath === ':memory:') throw new Error('a database in memory has no backup: leave DATABASE_URL out')
  requireDatabase(databasePath)
  await refuseForeign(config.database)
  return databasePath
}

const exists = (target: string) => new Error(`${target} exists: choose another name, or replace it with --force`)

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Makes a backup beside a path, hands it over once it is good, and leaves nothing behind under that other name. */
async function whole<T>(
  { databasePath, dataDir, media }: Pick<Config, 'dataDir' | 'media'> & { databasePath: string },
  path: string,
  handOver: (part: string, contents: Contents) => Promise<T>,
): Promise<T> {
  const part = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (error) {
    throw new Error(`nothing can be written into ${dirname(path)} (${codeOf(error)})`, { cause: error })
  }
  try {
    const files = media === null ? openDiskFiles(join(dataDir, 'media')) : null
    const needed = backupRoom(databasePath, { photos: files !== null })
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize < needed)
      throw new Error(
        `a backup needs ${megabytes(needed)} of room in ${dirname(path)}, and ${megabytes(bavail * bsize)} are free`,
      )
    const progress = await openByteProgress('backing up', backupBytes(databasePath, { photos: files !== null }))
    const contents = await writeBackup(part, {
      databasePath,
      files,
      release: version,
      at: Date.now(),
      onBytes: progress.advance,
    }).finally(progress.stop)
    if (contents.lost > 0)
      throw new Error(
        `${contents.lost} of ${contents.photos + contents.lost} photos that the database knows are missing in ${join(dataDir, 'media')}: nothing was backed up. Mount the disk, or put the files back; for what is lost for good see convene admin lost-photos`,
      )
    return await handOver(part, contents)
  } catch (error) {
    throw about(`${databasePath} cannot be backed up to ${path}`, error)
  } finally {
    for (const left of [part, `${part}-journal`]) rmSync(left, { force: true })
  }
}
