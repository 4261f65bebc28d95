import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildDatabase, type Plan, planOf } from '../backup/replica/build.ts'
import { decode, ReplicaError, replicaKey, type ReplicaKey } from '../backup/replica/format.ts'
import { journalName, marker } from '../backup/replica/names.ts'
import { openPlace, type Place } from '../backup/replica/place.ts'
import { removeWork, resolveRestore, switchTo, workOf } from '../backup/restore-switch.ts'
import { type Config, placeOf } from '../config.ts'
import { foreignSecrets } from '../features/community/service.ts'
import { type Files, isFileName, thumbOf } from '../features/media/files.ts'
import { holdData } from '../installation/data-directory.ts'
import { ownershipProblem } from '../installation/ownership.ts'
import { secretsAtHand } from '../installation/secrets.ts'
import { openByteProgress } from '../lib/progress.ts'
import { iso } from '../lib/time.ts'
import { isS3Url, shownPlace } from '../s3/place.ts'
import { openDiskFiles } from '../storage/files/disk.ts'
import { erasuresIn } from '../storage/files/erasure-journal.ts'
import { tellOperator } from '../storage/files/open.ts'
import { openS3Files } from '../storage/files/s3.ts'
import { knownFiles } from '../storage/sql/media.ts'
import { rememberedIn } from '../storage/sqlite/examine-backup.ts'
import { damageIn, openReadOnly } from '../storage/sqlite/database.ts'
import { sqliteReader } from '../storage/sqlite/engine.ts'
import { withDrizzle } from '../storage/sqlite/storage.ts'
import { sqlitePath } from './database.ts'
import { refuseWithoutSpace } from '../lib/disk-space.ts'
import { bringUpToDate, erasedSince, refuseMountedMedia } from './restored.ts'
import { oneRow } from '../storage/sqlite/one-row.ts'

const photosAtOnce = 16

/** The replica that an argument of the command line names; null if it is something else, such as a backup. */
export async function replicaAt(argument: string): Promise<Place | null> {
  if (!isS3Url(argument)) return existsSync(join(argument, marker)) ? openPlace(placeOf(argument)) : null
  const place = openPlace(placeOf(argument))
  return (await place.get(marker)) === null ? null : place
}

/**
 * Restores the state of a replica at a time, or of its last commit if `to` is null, in a data directory without a database.
 * The database gets its name only when it is complete. Returns what to tell the operator.
 */
export async function restoreReplica(config: Config, place: Place, to: number | null): Promise<string[]> {
  const databasePath = sqlitePath(config, 'restore that from its own archive of the log')
  if (databasePath === ':memory:') throw new Error('a database in memory takes no replica: leave DATABASE_URL out')
  const { dataDir } = config
  const installation = { databasePath, dataDir }
  const key = config.replicaKey === null ? null : replicaKey(config.replicaKey)
  const plan = await planOf(place, { to, key })
  const release = holdData(config)
  try {
    // An interrupted restore may have left files.
    await resolveRestore(installation)
    if (existsSync(databasePath))
      throw new Error(
        `${databasePath} exists and is not replaced: set DATA_DIR to a new directory, with copies of the secrets in it`,
      )
    if (config.media === null) refuseMountedMedia(dataDir)
    mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 })
    const photos = config.media === null ? await photosIn(place) : new Map<string, number>()
    refuseWithoutSpace(spaceFor(installation, plan, photos), place.shown)
    return await build({ config, place, plan, key, photos, installation })
  } finally {
    removeWork(installation)
    release()
  }
}

async function photosIn(place: Place): Promise<Map<string, number>> {
  const photos = new Map<string, number>()
  for await (const { name, size } of place.list('media')) photos.set(name.slice('media/'.length), size)
  return photos
}

type Installation = { databasePath: string; dataDir: string }

function snapshotOf({ manifests }: Plan) {
  const [first] = manifests
  if (first === undefined) throw new Error('there is no plan without a snapshot')
  return first
}

function spaceFor({ databasePath, dataDir }: Installation, plan: Plan, photos: ReadonlyMap<string, number>) {
  const { pages, page_size } = snapshotOf(plan)
  // The log may add to the snapshot, and changes of the schema to both.
  const database = Math.ceil(1.25 * pages * page_size)
  const media = photos.values().reduce((sum, size) => sum + size + 4096, 0)
  return [
    { directory: dirname(databasePath), bytes: database },
    { directory: dataDir, bytes: database + media },
  ]
}

type Build = {
  config: Config
  place: Place
  plan: Plan
  key: ReplicaKey | null
  photos: Map<string, number>
  installation: Installation
}

async function build({ config, place, plan, key, photos, installation }: Build): Promise<string[]> {
  const { dataDir, databasePath } = installation
  const work = workOf(installation)
  const first = snapshotOf(plan)
  const progress = await openByteProgress('restoring', first.pages * first.page_size)
  try {
    const built = await buildDatabase(place, work.database, { plan, key, onBytes: progress.advance })
    refuseDamage(work.database, place)
    const files = config.media === null ? openDiskFiles(work.media) : openS3Files(config.media, tellOperator)
    const erased = erasuresIn(await journalIn(place, key))
    const at = Date.now()
    const erasedAgain = await bringUpToDate(work.database, { files, dataDir, erased, at })
    const { users, messages, remembered } = contentOf(work.database)
    const { restored, missing, damaged } =
      config.media === null
        ? await restorePhotos(place, { databasePath: work.database, files, photos, key })
        : { restored: 0, missing: 0, damaged: [] }
    removeEmptyLog(work.database)
    await switchTo(installation, { withMedia: config.media === null, at })
    const foreign = foreignSecrets(remembered, secretsAtHand(config)).map((name) => ownershipProblem(name, config))
    return [
      `restored ${users} users, ${messages} messages and ${restored} photos, as they were at ${iso(built.at)}, into ${databasePath}`,
      ...(built.isOlderAs === null
        ? []
        : [`this is older than requested, because a newer snapshot is incomplete: ${built.isOlderAs}`]),
      ...(erasedAgain === 0 ? [] : [erasedSince(erasedAgain)]),
      ...(damaged.length === 0
        ? []
        : [`photos left out because they cannot be read: ${damaged.length}; the first: ${damaged[0]}`]),
      ...(missing === 0 ? [] : [`photos that are in the database but not in the replica: ${missing}`]),
      ...(config.media === null ? [] : [`photos stay where they are: ${shownPlace(config.media)}`]),
      ...foreign.map(({ text, fix }) => `before the next start: ${text}: ${fix}`),
    ]
  } finally {
    progress.stop()
  }
}

/** Removes the files of the empty log: after a kill they would stay beside the database, which gets another name. */
function removeEmptyLog(path: string) {
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0)
    throw new Error(`${path}-wal could not be written into the database: another process has it open`)
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
}

function refuseDamage(path: string, place: Place) {
  const db = openReadOnly(path)
  try {
    const damage = damageIn(db)
    if (damage !== null)
      throw new Error(`the database in ${place.shown} is damaged (${damage}): restore an earlier time with --to`)
  } finally {
    db.close()
  }
}

async function journalIn(place: Place, key: ReplicaKey | null): Promise<string> {
  const bytes = await place.get(journalName)
  return bytes === null ? '' : decode('file', bytes, journalName, key).content().toString('utf8')
}

function contentOf(path: string) {
  const db = openReadOnly(path)
  try {
    const count = (table: string) => oneRow(db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()).n
    return { users: count('users'), messages: count('messages'), remembered: rememberedIn(db) }
  } finally {
    db.close()
  }
}

type Photos = { databasePath: string; files: Files; photos: ReadonlyMap<string, number>; key: ReplicaKey | null }

/**
 * Copies the photos that the database lists. `photos` may lack new ones, so each image is requested, listed or not. An unreadable
 * one does not stop the restore.
 */
async function restorePhotos(place: Place, { databasePath, files, photos, key }: Photos) {
  const db = openReadOnly(databasePath)
  let [restored, missing] = [0, 0]
  const damaged: string[] = []
  const copy = async (name: string) => {
    const bytes = await place.get(`media/${name}`)
    if (bytes === null) return false
    let content: Buffer
    try {
      content = decode('file', bytes, `media/${name}`, key).content()
    } catch (error) {
      if (!(error instanceof ReplicaError)) throw error
      damaged.push(error.message)
      return null
    }
    await files.put(name, content)
    return true
  }
  try {
    const known = knownFiles(sqliteReader(withDrizzle(db)))
    for (let after = ''; ;) {
      const names = await known.filesAfter(after, 500)
      const next = names.values()
      await Promise.all(
        Array.from({ length: photosAtOnce }, async () => {
          for (const name of next) {
            if (!isFileName(name)) continue
            const isThere = await copy(name)
            if (isThere) restored++
            else if (isThere === false) missing++
            if (photos.has(thumbOf(name))) await copy(thumbOf(name))
          }
        }),
      )
      const last = names.at(-1)
      if (last === undefined || names.length < 500) return { restored, missing, damaged }
      after = last
    }
  } finally {
    db.close()
  }
}
