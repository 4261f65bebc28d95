import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { examineDump, isDump, serverUrl, unpackDump } from '../backup/dump.ts'
import { findPhotosBeside, photosBesideOf } from '../backup/photos.ts'
import { removeServerWork, serverWorkOf } from '../backup/restore-switch.ts'
import { type Config, s3Object } from '../config.ts'
import { foreignSecrets } from '../features/community/service.ts'
import type { Files } from '../features/media/files.ts'
import { holdData } from '../installation/data-directory.ts'
import { ownershipProblem } from '../installation/ownership.ts'
import { secretsAtHand } from '../installation/secrets.ts'
import { messageOf } from '../lib/errors.ts'
import { openBucket } from '../s3/bucket.ts'
import { isS3Url, type S3Place, shownPlace } from '../s3/place.ts'
import { shownDatabase } from '../storage/database-url.ts'
import { openDiskFiles } from '../storage/files/disk.ts'
import { erasuresIn, openErasureJournal } from '../storage/files/erasure-journal.ts'
import { tellOperator } from '../storage/files/open.ts'
import { openS3Files } from '../storage/files/s3.ts'
import { copyMark } from '../storage/migrate.ts'
import { onIdleServer } from '../storage/postgres/copy.ts'
import { beginNumbersAnew } from '../storage/postgres/events.ts'
import { openPostgres } from '../storage/postgres/open.ts'
import { type Queries, queriesOn } from '../storage/postgres/queries.ts'
import { examineBackup } from '../storage/sqlite/examine-backup.ts'
import { photoBytes, unpackPhotos } from '../storage/sqlite/backup-photos.ts'
import { unpackDatabase } from '../storage/sqlite/clean-copy.ts'
import { sqliteSide } from '../storage/sqlite/copy.ts'
import { openDatabase } from '../storage/sqlite/database.ts'
import { carryOver, inServer } from './carry-over.ts'
import {
  bringUpToDate,
  databaseRoom,
  eraseAgain,
  erasedSince,
  photosLeftOut,
  type PhotosFrom,
  refuseOthersPhotos,
} from './restored.ts'
import { refuseWithoutSpace } from '../lib/disk-space.ts'

/** Restores a backup or a dump into an empty PostgreSQL database. Returns what to tell the operator. */
export async function restoreIntoServer(config: Config, file: string, photos: PhotosFrom): Promise<string[]> {
  const release = holdData(config)
  const { download } = serverWorkOf(config.dataDir)
  try {
    removeServerWork(config.dataDir)
    const found = isS3Url(file) ? await fetched(config, file, download) : await onDisk(resolve(file))
    const restore = isDump(found.path) ? restoreDump : restoreFile
    const lines = await restore(config, found, photos).catch((error: unknown) => {
      throw new Error(
        `${file.split('?')[0]} cannot be restored into ${shownDatabase(config.database)}: ${messageOf(error)}`,
        {
          cause: error,
        },
      )
    })
    return [...lines, ...(await afterwards(config))]
  } finally {
    removeServerWork(config.dataDir)
    release()
  }
}

/** `photosIn` is where the photos of an incremental backup are, unless the operator names another place. */
type Found = { path: string; erased: Map<string, number>; photosIn: string | S3Place }

async function onDisk(path: string): Promise<Found> {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  const erased = await openErasureJournal(join(dirname(path), 'erasures.log')).read()
  return { path, erased, photosIn: photosBesideOf(dirname(path)) }
}

async function fetched({ dataDir }: Config, url: string, path: string): Promise<Found> {
  const { place, name } = s3Object(url)
  const shown = shownPlace(place) + name
  const bucket = openBucket(place)
  await bucket.ping()
  refuseWithoutSpace([{ directory: dataDir, bytes: (await bucket.size(name)) ?? 0 }], `the copy of ${shown}`)
  if (!(await bucket.download(name, path))) throw new Error(`there is no ${shown}`)
  const journal = await bucket.get('erasures.log')
  return { path, erased: erasuresIn(Buffer.from(journal ?? []).toString()), photosIn: photosBesideOf(place) }
}

const filesOf = ({ media, dataDir }: Config): Files =>
  media === null ? openDiskFiles(join(dataDir, 'media')) : openS3Files(media, tellOperator)

/** Restores a backup of Convene's own format: prepares an SQLite file, then copies it into the server. */
async function restoreFile(
  config: Config,
  { path, erased, photosIn }: Found,
  { elsewhere, skipDamaged }: PhotosFrom,
): Promise<string[]> {
  const { dataDir, media } = config
  const { users, messages, photos, made_at, has_photos, photos_beside, remembered } = examineBackup(path)
  const beside = photos_beside ? findPhotosBeside(elsewhere ?? photosIn) : null
  if (media) await refuseOthersPhotos(media, remembered.get('id'))
  const inPhotos = photoBytes(path)
  const room = Math.ceil(databaseRoom * (statSync(path).size - inPhotos.bytes)) + (media ? 0 : inPhotos.room)
  refuseWithoutSpace([{ directory: dataDir, bytes: room }], path)
  await onIdleServer(serverUrl(config), async (client) => refuseRows(queriesOn(client)))
  const work = serverWorkOf(dataDir).unpacked
  unpackDatabase(path, work)
  const files = filesOf(config)
  const erasedAgain = await bringUpToDate(work, { files, dataDir, erased, at: Date.now() })
  const skipped = has_photos ? await unpackPhotos(path, { databasePath: work, files, beside, skipDamaged }) : 0
  const db = openDatabase(work)
  try {
    await inServer(serverUrl(config), (target) => carryOver(sqliteSide(db), target))
  } finally {
    db.close()
  }
  return [
    ...report({ users, messages, photos: has_photos ? photos - skipped : null, made_at, erasedAgain }),
    ...(skipped === 0 ? [] : [photosLeftOut(skipped)]),
  ]
}

/**
 * Restores a dump made by pg_dump. Nothing else opens the database until `copyMark` is removed, as the last step. Each step can
 * be repeated, so the same command continues after an interruption.
 */
async function restoreDump(config: Config, { path, erased }: Found): Promise<string[]> {
  const { users, messages, made_at } = examineDump(path)
  const url = serverUrl(config)
  const at = Date.now()
  await onIdleServer(url, async (client, server) => {
    const q = queriesOn(client)
    const note = JSON.stringify({ dump: made_at, size: statSync(path).size })
    if (!(await isUnpacked(q, note))) await unpack(q, note, () => unpackDump(path, server))
    await client.begin(async (transaction) => {
      const tx = queriesOn(transaction)
      // An erasure that an interrupted restore has repeated removes none of these rows.
      const found = await tx.get<{ users: number; messages: number }>(
        'SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM messages) AS messages',
      )
      if (found?.users !== users || found.messages !== messages)
        throw new Error(`it should hold ${users} users and ${messages} messages: ${JSON.stringify(found)} arrived`)
      await beginNumbersAnew(tx, at)
    })
    // Without statistics the planner would treat the tables as empty until the server's own ANALYZE.
    await q.run('ANALYZE')
  })
  const { storage } = await openPostgres(url, { marked: true })
  let erasedAgain: number
  try {
    erasedAgain = await eraseAgain(storage, { files: filesOf(config), dataDir: config.dataDir, erased, at })
  } finally {
    await storage.close()
  }
  await onIdleServer(url, async (client) => queriesOn(client).run(`DROP TABLE ${copyMark}`))
  return report({ users, messages, photos: null, made_at, erasedAgain })
}

const tablesOf = async (q: Queries) =>
  (
    await q.all<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
    )
  ).map(({ name }) => name)

/** Whether an interrupted restore of the same dump had already unpacked it. Throws if the database holds anything else. */
async function isUnpacked(q: Queries, note: string): Promise<boolean> {
  const tables = await tablesOf(q)
  if (tables.length === 0) return false
  const notes = tables.includes(copyMark)
    ? await q.all<{ name: string; note: string }>(`SELECT name, note FROM ${copyMark}`)
    : []
  // pg_restore runs in one transaction, so either everything is there or nothing.
  if (notes[0]?.name === 'dump' && (tables.length === 1 || notes[0].note === note)) return tables.length > 1
  throw new Error('the database is not empty. Make another one, such as with createdb, and name it in DATABASE_URL')
}

async function unpack(q: Queries, note: string, restore: () => Promise<void>) {
  await q.run(`DROP TABLE IF EXISTS ${copyMark}`)
  await q.run(`CREATE TABLE ${copyMark} (name text PRIMARY KEY, note text NOT NULL)`)
  await q.run(`INSERT INTO ${copyMark} (name, note) VALUES ('dump', $1)`, [note])
  // After a failure the mark stays, because the pg_restore of a command that was killed before may still commit.
  await restore()
}

/** Throws if the database is not empty. Called before unpacking; the copy itself checks again. */
async function refuseRows(q: Queries) {
  const tables = await tablesOf(q)
  if (tables.includes(copyMark))
    throw new Error(
      'a restore or a copy into the database was interrupted: empty it (dropdb, createdb), and restore again',
    )
  if (tables.includes('users') && (await q.get('SELECT 1 FROM users LIMIT 1')) !== null)
    throw new Error('the database is not empty. Make another one, such as with createdb, and name it in DATABASE_URL')
}

type Restored = { users: number; messages: number; photos: number | null; made_at: string | null; erasedAgain: number }

const report = ({ users, messages, photos, made_at, erasedAgain }: Restored): string[] => [
  `restored ${users} users, ${messages} messages and ${photos === null ? 'no photos, which are not in it' : `${photos} photos`}${made_at === null ? '' : `, as they were at ${made_at}`}`,
  ...(erasedAgain === 0 ? [] : [erasedSince(erasedAgain)]),
]

/** What the operator has to know or do before the first node starts. */
async function afterwards(config: Config): Promise<string[]> {
  const { media } = config
  const remembered = await onIdleServer(serverUrl(config), async (client) =>
    queriesOn(client).all<{ name: string; value: string }>('SELECT name, value FROM community'),
  )
  const known = new Map(remembered.map(({ name, value }) => [name, value]))
  const foreign = foreignSecrets(known, secretsAtHand(config)).map((name) => ownershipProblem(name, config))
  return [
    ...(media ? [`once started, nodes remove photos that are not in this database from ${shownPlace(media)}`] : []),
    ...foreign.map(({ text, fix }) => `before the next start: ${text}: ${fix}`),
  ]
}
