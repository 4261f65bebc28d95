import type { Database } from 'bun:sqlite'
import { existsSync, lstatSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { join } from 'node:path'
import { readConfig } from '../config.ts'
import { openErasures } from '../features/account/erasures.ts'
import { auditService } from '../features/audit/service.ts'
import type { Files } from '../features/media/files.ts'
import { lookForAll } from '../features/media/presence.ts'
import { webhookService } from '../features/webhooks/service.ts'
import { ids } from '../lib/ids.ts'
import { type S3Place, shownPlace } from '../s3/place.ts'
import { openErasureJournal } from '../storage/files/erasure-journal.ts'
import { tellOperator } from '../storage/files/open.ts'
import { openS3Files } from '../storage/files/s3.ts'
import { up } from '../storage/migrate.ts'
import { knownFiles } from '../storage/sql/media.ts'
import { openReadOnly } from '../storage/sqlite/database.ts'
import { sqliteReader } from '../storage/sqlite/engine.ts'
import { beginNumbersAnew } from '../storage/sqlite/events.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../storage/sqlite/storage.ts'
import { rebuildNearbyPeople } from '../storage/sqlite/nearby-people.ts'
import { rebuildTraits } from '../storage/sqlite/traits.ts'
import type { Storage } from '../storage/storage.ts'
import { thrown } from './command.ts'

// The disk space needed, as a multiple of the database in the backup: 2.1 was measured, and 2.2 if an older release's backup gets
// new indexes.
export const databaseRoom = 2.25

/** `elsewhere` is where the photos of an incremental backup are, if not beside it. `skipDamaged` leaves out damaged ones. */
export type PhotosFrom = { elsewhere: string | S3Place | null; skipDamaged: boolean }

export const photosLeftOut = (count: number) => `photos left out because they are missing or damaged: ${count}`

export const erasedSince = (count: number) => `users erased again, because they were erased since: ${count}`

/** `erased`: users in a journal other than that of the data directory, by id, with the time of their erasure. */
type Present = { files: Files; dataDir: string; erased: Map<string, number>; at: number }

/**
 * Migrates a restored database to this release's schema, rebuilds what is derived, and erases again the users who were erased
 * since the backup. Then calls `finish` with it, when all of that is in its file. Returns how many users were erased.
 */
export async function bringUpToDate(
  path: string,
  { files, dataDir, erased, at }: Present,
  finish: (db: Database) => void = () => {},
): Promise<number> {
  const db = openDatabase(path)
  up(db)
  rebuildTraits(db)
  rebuildNearbyPeople(db)
  beginNumbersAnew(db, at)
  const storage = sqliteStorage(withDrizzle(db), { onFatal: thrown })
  try {
    const erasedAgain = await eraseAgain(storage, { files, dataDir, erased, at })
    // The reads of one turn of the event loop share a transaction, which would keep the log.
    await setImmediate()
    // The log would be a third copy of what was changed.
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    finish(db)
    return erasedAgain
  } finally {
    await storage.close()
  }
}

/** Adds the entries that the journal of the data directory lacks. */
async function addToJournal(dataDir: string, erased: Map<string, number>): Promise<void> {
  const journal = openErasureJournal(join(dataDir, 'erasures.log'))
  const known = await journal.read()
  const unknown = Array.from(erased, ([user_id, at]) => ({ user_id, at })).filter(({ user_id }) => !known.has(user_id))
  if (unknown.length > 0) await journal.add(unknown)
}

/** As `addToJournal`, then erases all users of the journal from the database. Returns how many were in it. */
export async function eraseAgain(storage: Storage, { files, dataDir, erased, at }: Present): Promise<number> {
  await addToJournal(dataDir, erased)
  const now = () => at
  const journal = openErasureJournal(join(dataDir, 'erasures.log'))
  const audit = auditService({ store: storage.audit, ids, now, failed: thrown })
  const webhooks = webhookService({ isOn: readConfig().webhookUrl !== null, ids, now })
  return openErasures({ store: storage.erasures, journal, files, audit, webhooks, ids, now }).replay()
}

export async function missingPhotos(databasePath: string, files: Files): Promise<number> {
  const db = openReadOnly(databasePath)
  try {
    return (await lookForAll({ store: knownFiles(sqliteReader(withDrizzle(db))), files })).missing
  } finally {
    db.close()
  }
}

/** Throws if the directory of photos is a mount point, because a restore replaces it by renaming another directory. */
export function refuseMountedMedia(dataDir: string) {
  const media = join(dataDir, 'media')
  if (!existsSync(media) || lstatSync(media).dev === lstatSync(dataDir).dev) return
  throw new Error(
    `${media} is a disk of its own, but a restore replaces that directory: unmount it first, and copy the photos onto it afterwards`,
  )
}

/** Throws if the bucket is marked as another community's: that community's server would remove the photos. */
export async function refuseOthersPhotos(bucket: S3Place, id: string | undefined) {
  const owner = await openS3Files(bucket, tellOperator).remote?.owner()
  if (owner == null || id === undefined || owner === id) return
  throw new Error(
    `MEDIA_URL names photos of another community: ${shownPlace(bucket)}. Restore with a prefix of its own`,
  )
}
