import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { strangeness } from '../belongings.ts'
import { type Config, readConfig, s3Object } from '../config.ts'
import { openErasures } from '../features/account/erasures.ts'
import { strangeSecrets } from '../features/community/service.ts'
import { auditService } from '../features/audit/service.ts'
import type { Files } from '../features/media/files.ts'
import { ids } from '../ids.ts'
import { openByteProgress } from '../progress.ts'
import { isS3Url, type S3Place, shownPlace } from '../s3-place.ts'
import { secretsAtHand } from '../secrets.ts'
import { holdData } from '../storage/data-dir.ts'
import { openBucket } from '../storage/files/bucket.ts'
import { openDiskFiles, syncDirectory } from '../storage/files/disk.ts'
import { erasuresIn, openErasureJournal } from '../storage/files/erasure-journal.ts'
import { tellOperator } from '../storage/files/open.ts'
import { openS3Files } from '../storage/files/s3.ts'
import { up } from '../storage/migrate.ts'
import {
  copyClean,
  type Examined,
  examineBackup,
  type OnBytes,
  photoBytes,
  unpackDatabase,
  unpackPhotos,
} from '../storage/sqlite/backup.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../storage/sqlite/storage.ts'
import { beginNumbersAnew } from '../storage/sqlite/events.ts'
import { remakeTraits } from '../storage/sqlite/traits.ts'
import { compact, seconds } from '../time.ts'
import { thrown, UsageError } from './command.ts'
import { sqlitePath } from './database.ts'

export const help = `usage: convene restore FILE

Puts the database and the photos of a backup in the place of those that are there. Stop the server first.

FILE is examined before anything is changed: one that is damaged, not Convene's, or of a newer release is refused. What is
there is kept beside, as convene.db.before-restore-<time> and media.before-restore-<time>; the server removes them after 30
days, and you may before.
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
  const copy = join(target.dataDir, `${name}.${randomBytes(4).toString('hex')}.part`)
  try {
    if (!(await bucket.download(name, copy))) throw new Error(`there is no ${shownPlace(place)}${name}`)
    const journal = await bucket.get('erasures.log')
    return await restore(target, copy, { erased: erasuresIn(Buffer.from(journal ?? []).toString()) })
  } finally {
    for (const path of [copy, `${copy}-wal`, `${copy}-shm`]) rmSync(path, { force: true })
    letGo()
  }
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
  } finally {
    progress.stop()
  }
}

async function putInPlace(
  { databasePath, dataDir, bucket, config }: Target,
  { file, size, users, messages, photos, made_at, has_photos, remembered }: Examined & { file: string; size: number },
  { erased, at, onBytes }: { erased: Map<string, number>; at: number; onBytes: OnBytes },
): Promise<string[]> {
  if (bucket) await refuseOthersPhotos(bucket, remembered.get('id'))
  settleLog(databasePath)
  const media = join(dataDir, 'media')
  const unpacked = `${databasePath}.unpacked`
  const restored = { database: `${databasePath}.restored`, media: `${media}.restored` }
  const removeUnfinished = () => {
    for (const path of [unpacked, `${unpacked}-wal`, `${unpacked}-shm`, restored.database, restored.media])
      rmSync(path, { recursive: true, force: true })
  }
  // What a restore that was cut off has left.
  removeUnfinished()
  try {
    mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 })
    unpackDatabase(file, unpacked)
    onBytes(size - photoBytes(file))
    const files = bucket ? openS3Files(bucket, tellOperator) : openDiskFiles(has_photos ? restored.media : media)
    if (has_photos) await unpackPhotos(file, files, onBytes)
    const erasedAgain = await bringUpToDate(unpacked, restored.database, { files, dataDir, erased, at })
    onBytes(size)
    const kept = exchange({ database: databasePath, media }, restored, { with_media: has_photos && !bucket, at })
    for (const directory of new Set([dirname(databasePath), dataDir])) await syncDirectory(directory)
    const strange = strangeSecrets(remembered, secretsAtHand(config)).map((name) => strangeness(name, config))
    const state = made_at === null ? '' : `, as they were at ${made_at}`
    return [
      `restored ${users} users, ${messages} messages and ${photos} photos${state}`,
      ...(erasedAgain === 0 ? [] : [`erased again who had erased their accounts since: ${erasedAgain}`]),
      ...(kept.length === 0 ? [] : [`what was there before is kept for 30 days: ${kept.join(', ')}`]),
      ...(bucket
        ? [`from its start on, the server removes photos that this database does not know: ${shownPlace(bucket)}`]
        : []),
      ...strange.map(({ text, mend }) => `before the next start: ${text}: ${mend}`),
    ]
  } finally {
    removeUnfinished()
  }
}

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
  remakeTraits(db)
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
    const erasedAgain = await openErasures({ store: storage.erasures, journal, files, audit, now }).replay()
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
    if (String(((error as Error).cause as { code?: string } | undefined)?.code).startsWith('SQLITE_BUSY')) throw error
  }
}

function looksLikeDatabase(path: string): boolean {
  const header = Buffer.alloc(16)
  const file = openSync(path, 'r')
  readSync(file, header)
  closeSync(file)
  return header.toString('latin1') === 'SQLite format 3\0'
}

type Place = { database: string; media: string }

/** Puts what was restored in the place of what is there, which gets other names: these are answered. */
function exchange(present: Place, restored: Place, { with_media, at }: { with_media: boolean; at: number }): string[] {
  const named = (path: string, time: number) => `${path}.before-restore-${compact(time)}`
  const isTaken = (time: number) =>
    [present.database, `${present.database}-wal`, present.media].some((path) => existsSync(named(path, time)))
  // Names tell seconds, and two restores may be done within one.
  let stamp = at
  while (isTaken(stamp)) stamp += seconds
  const aside = (path: string) => named(path, stamp)
  const kept: string[] = []
  // Two names for a moment, so that a crash in between leaves no place without a database.
  if (existsSync(present.database)) {
    keepAlso(present.database, aside(present.database))
    if (existsSync(`${present.database}-wal`)) renameSync(`${present.database}-wal`, `${aside(present.database)}-wal`)
    // An index of the log, made anew from it.
    rmSync(`${present.database}-shm`, { force: true })
    kept.push(aside(present.database))
  }
  if (with_media) {
    if (existsSync(present.media)) {
      renameSync(present.media, aside(present.media))
      kept.push(aside(present.media))
    }
    renameSync(restored.media, present.media)
  }
  renameSync(restored.database, present.database)
  return kept
}

function keepAlso(path: string, name: string) {
  try {
    linkSync(path, name)
  } catch {
    // Not every file system knows two names for one file.
    copyFileSync(path, name, constants.COPYFILE_EXCL)
  }
}
