import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { hours, minutes } from '../../lib/time.ts'
import { messageOf } from '../../lib/errors.ts'
import { type Failure, replicaLog } from '../../storage/sqlite/replica-log.ts'
import { learnErasures } from './erasures.ts'
import { replicaKey } from './format.ts'
import { openLoop } from './loop.ts'
import { ownMarker, readMarker } from './marker.ts'
import { manifestFile, shippedAs, snapshotPart } from './names.ts'
import type { Place } from './place.ts'
import { openPhotos } from './photos.ts'
import { openQueue } from './queue.ts'
import type { Replica } from './replica.ts'
import { removeExpired } from './retention.ts'
import { openSegments } from './segments.ts'

export type ReplicaOptions = {
  place: Place
  /** Identifies the place: see ReplicaLogOptions. */
  placeId: string
  spool: string
  key: Uint8Array | null
  journal: string
  keepDays: number
  log: Logger
  now?: () => number
  everyMs?: number
  snapshotEveryMs?: number
  segmentEveryMs?: number
  /** Bytes in a segment. */
  mostInSegment?: number
  /** How many bytes of the database may wait for an unreachable place. With more in all, further photos are not stored. */
  mostWaiting?: number
  /** How often it checks whether another server ships to the same place. */
  lookEveryMs?: number
  /** After how long an abandoned replica starts again. */
  beginAgainMs?: number
}

const photosAtOnce = 8
// A photo is shipped before the commit that names it, but delays that commit no longer than this.
const patienceForPhotosMs = 500

export const spoolOf = (dataDir: string) => join(dataDir, 'replica')

/** Ships each commit of a database, and photos, to a place. Nothing here makes a request to the server wait or fail. */
export function openReplica(options: ReplicaOptions): Replica {
  const { place, spool, keepDays, log, now = Date.now } = options
  const key = options.key === null ? null : replicaKey(options.key)
  const { segmentEveryMs = 5 * minutes, mostWaiting = 2 ** 30, everyMs = 250, beginAgainMs = minutes } = options
  const queue = openQueue(spool)
  const segments = openSegments({ place, spool, everyMs: segmentEveryMs, most: options.mostInSegment, now })
  for (const { file, bytes } of queue.sent) segments.shipped(file, bytes)
  const marker = ownMarker(place, { key, everyMs: options.lookEveryMs })
  const openedAt = now()
  let shippedAt: number | null = null
  let snapshotAt: number | null = null
  let failures = 0
  let isMarked = false
  let goesOn = false
  /** While later commits cannot be restored: since when, and after which generation the place needs a snapshot. */
  let incomplete: { since: number; after: string } | null = null
  let isAbandoned = false
  let closed = false
  let expireAt = now()

  const replicated = replicaLog({
    ...options,
    place: options.placeId,
    everyMs,
    onStored({ file, bytes, capturedAt }) {
      queue.add(file, { bytes, at: capturedAt || openedAt, addedAt: now() })
      wake()
    },
    onFailure: (failure) => void afterFailure(failure),
  })

  // A failure of one kind of file delays no other kind.
  const logs = openLoop(shipNextLog, onPlaceFailure)
  const photos = openLoop(shipPhotos, onPlaceFailure)
  const others = openLoop(shipNextOther, onPlaceFailure)
  const merges = openLoop(mergeNext, onPlaceFailure)
  const loops = [logs, photos, others, merges]

  function wake() {
    for (const loop of loops) void loop.wake()
  }

  /** The time up to which the place is known to have all commits. */
  function shippedUpTo(): number {
    if (incomplete !== null) return incomplete.since
    const waitSince = queue.commitsWaitSince()
    // Until the place is marked, it may lack the start of this generation.
    if (!isMarked) return Math.min(openedAt, waitSince ?? openedAt)
    return waitSince ?? (replicated.capturedAt() || openedAt)
  }

  /** Call it when commits from now on cannot be restored until a snapshot of a generation later than `after` is shipped. */
  function lacksSnapshot(after = queue.newestGeneration()) {
    incomplete = { since: shippedUpTo(), after }
  }

  async function afterFailure({ gap, message }: Failure) {
    failures++
    isAbandoned = true
    lacksSnapshot()
    log.error({ reason: message }, 'the replica has missed commits: it starts again with a snapshot')
    // Any error other than a gap may be a full disk: waiting files must not keep users from writing.
    if (!gap) dropSpool()
    await beginAgain(gap ? 0 : beginAgainMs)
  }

  async function beginAgain(afterMs: number) {
    await new Promise((resolve) => setTimeout(resolve, afterMs).unref())
    if (closed) return
    try {
      await replicated.begin()
      isAbandoned = false
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the replica cannot start')
      void beginAgain(beginAgainMs)
    }
  }

  function dropSpool() {
    try {
      queue.dropDatabase()
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'the files that wait for the replica cannot be removed')
    }
    segments.forget()
  }

  async function onPlaceFailure(error: unknown) {
    failures++
    log.warn({ reason: messageOf(error), place: place.shown }, 'the place of the replica failed')
    if (isAbandoned || queue.bytesWithoutPhotos() + segments.waitingBytes() <= mostWaiting) return
    // First what is only unmerged, because the place has it.
    segments.skip()
    if (queue.bytesWithoutPhotos() > mostWaiting) await giveUp()
  }

  async function giveUp() {
    isAbandoned = true
    lacksSnapshot()
    log.error(
      { waiting_bytes: queue.bytes() },
      'too many bytes wait for the place of the replica: it starts again later',
    )
    await replicated.abandon().catch(() => {})
    dropSpool()
    void beginAgain(beginAgainMs)
  }

  /** One at a time, because a restore refuses a log with a gap. */
  async function shipNextLog(): Promise<boolean> {
    if (await isNotOurs()) return false
    const waitMs = patienceForPhotosMs - (now() - (queue.photosWaitSince() ?? 0))
    if (waitMs > 0) await Promise.race([photos.wake(), Bun.sleep(Math.min(waitMs, patienceForPhotosMs))])
    const next = queue.logs()[0]
    if (next === undefined) return false
    if (await shipOne(next.file)) {
      segments.shipped(next.file, next.bytes)
      await queue.logShipped(next.file)
    }
    void merges.wake()
    // A manifest may have waited for this file.
    if (queue.logs().length === 0) void others.wake()
    return true
  }

  const isNotOurs = async () => ['gone', 'taken'].includes(await marker.look(now()))

  async function shipPhotos(): Promise<boolean> {
    if (await isNotOurs()) return false
    const files = queue.photos().slice(0, photosAtOnce)
    const shipped = await Promise.allSettled(files.map(({ file }) => shipAndRemove(file)))
    const [failed, ...more] = shipped.filter((one) => one.status === 'rejected')
    if (failed && more.length + 1 === files.length) throw failed.reason
    return files.length > 0
  }

  /** The journal of erasures, a part of a snapshot, or a manifest: one at a time, because commits come first. */
  async function shipNextOther(): Promise<boolean> {
    const state = await marker.look(now())
    if (state === 'taken')
      throw new Error(
        'another server ships to the same place: give each one a place of its own, and start this one again',
      )
    if (state === 'gone') goesOn = true
    if (state !== 'ours' || !isMarked) await mark()
    queue.dropFormerJournals()
    const file = queue.nextOther()
    if (file === undefined) await expire()
    else if (await shipAndRemove(file)) onOtherShipped(shippedAs(file))
    return file !== undefined
  }

  async function mergeNext(): Promise<boolean> {
    if (!isMarked || (await isNotOurs())) return false
    return segments.make()
  }

  function onOtherShipped(name: string) {
    const manifest = manifestFile(name)
    if (manifest) {
      snapshotAt = now()
      if (incomplete !== null && manifest.generation > incomplete.after) incomplete = null
      log.info({ generation: manifest.generation }, 'a snapshot of the database is in the replica')
    } else if (snapshotPart(name)) replicated.partShipped()
  }

  async function shipAndRemove(file: string): Promise<boolean> {
    const isShipped = await shipOne(file)
    if (isShipped) rmSync(join(spool, file), { force: true })
    return isShipped
  }

  /** False if the file has been dropped. */
  async function shipOne(file: string): Promise<boolean> {
    try {
      await place.put(shippedAs(file), await readFile(join(spool, file)))
    } catch (error) {
      if (queue.has(file)) throw error
    }
    if (!queue.has(file)) return false
    queue.shipped(file)
    shippedAt = now()
    return true
  }

  async function mark() {
    const found = await readMarker(place)
    await learnErasures(place, options.journal, key, log)
    let newest: string | undefined
    for await (const { name, modified_ms } of place.list('manifest')) {
      const manifest = manifestFile(name)
      if (manifest === null) continue
      snapshotAt = Math.max(snapshotAt ?? 0, modified_ms)
      if (newest === undefined || manifest.generation > newest) newest = manifest.generation
    }
    // This machine's clock may be behind the previous one's.
    if (newest === undefined && found === null && goesOn) await beginInEmptyPlace()
    else if (newest !== undefined && (await replicated.begin(newest))) lacksSnapshot(newest)
    else if ((newest ?? '') < queue.newestGeneration()) lacksSnapshot(newest ?? '')
    // Last, so that a failure above repeats all of this.
    await marker.put(found, now())
    isMarked = true
    wake()
  }

  /** Starts again after somebody has emptied the place, or mounted another disk there. */
  async function beginInEmptyPlace() {
    log.error({ place: place.shown }, 'the place of the replica is empty: it starts again with a snapshot')
    lacksSnapshot()
    await replicated.abandon()
    dropSpool()
    await replicated.begin()
    goesOn = false
  }

  /** Ships all waiting files, unless the place accepts nothing three times in a row. */
  async function shipRest() {
    for (let attemptsInVain = 0; attemptsInVain < 3;) {
      const before = queue.bytes()
      await Promise.all(loops.map((loop) => loop.retry()))
      if (queue.isEmpty()) return
      attemptsInVain = queue.bytes() < before ? 0 : attemptsInVain + 1
    }
  }

  async function expire() {
    if (now() < expireAt) return
    expireAt = now() + hours
    const removed = await removeExpired(place, { keepDays, now: now() })
    if (removed > 0) log.info({ count: removed }, 'files of the replica that have expired are removed')
  }

  return {
    log: {
      ...replicated,
      async open(path) {
        goesOn = await replicated.open(path)
        if (!goesOn) lacksSnapshot()
        // Ship the files that the previous run has left.
        void logs.wake()
        return goesOn
      },
      async run() {
        await replicated.run()
        wake()
      },
      close() {
        closed = true
        return replicated.close()
      },
    },

    ...openPhotos({
      place,
      queue,
      spool: replicated,
      marker,
      keepDays,
      mostWaiting,
      now,
      isClosed: () => closed,
      onFailure: () => void failures++,
    }),

    report: () => ({
      complete_at: shippedUpTo(),
      lag_ms: Math.max(0, now() - shippedUpTo() - 2 * everyMs),
      waiting_bytes: queue.bytes() + segments.waitingBytes(),
      shipped_at: shippedAt,
      snapshot_at: snapshotAt,
      failures,
    }),

    async close(withinMs) {
      await Promise.race([shipRest(), Bun.sleep(withinMs)])
      for (const loop of loops) loop.close()
    },
  }
}
