import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Files } from '../../features/media/files.ts'
import { isFileName } from '../../features/media/files.ts'
import { hours, minutes, seconds } from '../../lib/time.ts'
import { messageOf } from '../../lib/errors.ts'
import { type Failure, type ReplicaLog, replicaLog } from '../../storage/sqlite/replica-log.ts'
import { learnErasures } from './erasures.ts'
import { replicaKey } from './format.ts'
import { putMarker, readMarker } from './marker.ts'
import { isFile, logFile, manifestFile, shippedAs } from './names.ts'
import type { Place } from './place.ts'
import { removeExpiredPhotos } from './photos.ts'
import { openQueue } from './queue.ts'
import { removeExpired } from './retention.ts'
import { openSegments } from './segments.ts'

/** How a replica stands. Times in milliseconds since 1970, null if there was none. */
export type ReplicaReport = {
  /** Up to when a restore from the place gives all commits. */
  complete_at: number
  /** How far it is behind; 0 if less than the longest interval of its thread. */
  lag_ms: number
  /** Bytes of files that wait to be shipped. */
  waiting_bytes: number
  shipped_at: number | null
  /** When the newest snapshot was shipped. Without one, nothing of the generation can be restored. */
  snapshot_at: number | null
  failures: number
}

export type Replica = {
  log: ReplicaLog
  /** Ships files that are put from now on. */
  follow(files: Files): Files
  /** Ships the photos that the place does not have. Returns how many. */
  catchUp(files: Files): Promise<number>
  /** Removes expired photos; `unknown` returns which of the images have no row. Returns how many. */
  expirePhotos(unknown: (names: readonly string[]) => Promise<string[]>): Promise<number>
  report(): ReplicaReport
  /** Ships what still waits, for at most that long. Close the database first. */
  close(withinMs: number): Promise<void>
}

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
  /** How many bytes may wait for an unreachable place. */
  mostWaiting?: number
  /** How often it looks whether another server ships to the same place. */
  lookEveryMs?: number
  /** After how long an abandoned replica starts again. */
  beginAgainMs?: number
}

// Retries of a failing place: the first one comes soon, because most failures are short.
const retryMs = [0.2, 1, 2, 5, 10, 30].map((s) => s * seconds)
const photosAtOnce = 8
// A photo is shipped before the commit that names it, but delays that commit no longer than this.
const patienceForPhotosMs = 500
const lookEveryMs = minutes

export const spoolOf = (dataDir: string) => join(dataDir, 'replica')

/** Ships each commit of a database, and photos, to a place. Nothing here makes a request to the server wait or fail. */
export function openReplica(options: ReplicaOptions): Replica {
  const { place, spool, keepDays, log, now = Date.now } = options
  const key = options.key === null ? null : replicaKey(options.key)
  const { segmentEveryMs = 5 * minutes, mostWaiting = 2 ** 30, everyMs = 250, beginAgainMs = minutes } = options
  const queue = openQueue(spool)
  const segments = openSegments({ place, spool, everyMs: segmentEveryMs, now })
  const openedAt = now()
  let shippedAt: number | null = null
  let snapshotAt: number | null = null
  let failures = 0
  let failedInARow = 0
  let isMarked = false
  /** Of this run, so that another server is told from this one even where it has a copy of all files. */
  const server = randomUUID()
  let lookedAt = 0
  let photosKey: string | undefined
  let goesOn = false
  /** Since when the place lacks the snapshot without which later commits cannot be restored, and of a generation after which. */
  let incomplete: { since: number; after: string } | null = null
  let isAbandoned = false
  let closed = false
  let running: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let expireAt = now()

  const replicated = replicaLog({
    ...options,
    place: options.placeId,
    everyMs,
    onStored({ file, bytes, capturedAt }) {
      queue.add(file, bytes, capturedAt || openedAt)
      void wake()
    },
    onFailure: (failure) => void afterFailure(failure),
  })

  /** The time up to which the place is known to have all commits. */
  function shippedUpTo(): number {
    if (incomplete !== null) return incomplete.since
    return queue.commitsWaitSince() ?? (replicated.capturedAt() || openedAt)
  }

  /** What is committed from now on cannot be restored before a snapshot of a later generation is shipped. */
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
      log.error({ reason: messageOf(error) }, 'the replica cannot begin')
      void beginAgain(beginAgainMs)
    }
  }

  function dropSpool() {
    try {
      queue.dropDatabase()
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'what waits for the replica cannot be removed')
    }
    segments.forget()
  }

  /** Wakes the loop that ships. Resolves when it has nothing more to do, or has failed. */
  function wake(): Promise<void> {
    if (timer !== null) return Promise.resolve()
    running ??= ship().finally(() => {
      running = null
      // Files that arrived while old ones were being removed did not wake the loop.
      if (!queue.isEmpty() && !closed) void wake()
    })
    return running
  }

  async function ship() {
    try {
      while (!queue.isEmpty() && !closed) await shipRound()
      await segments.make()
      await expire()
    } catch (error) {
      failures++
      const afterMs = retryMs[Math.min(failedInARow++, retryMs.length - 1)]!
      log.warn({ reason: messageOf(error), place: place.shown }, 'the place of the replica failed')
      if (queue.bytes() > mostWaiting && !isAbandoned) await giveUp()
      timer = setTimeout(() => {
        timer = null
        void wake()
      }, afterMs)
      timer.unref()
    }
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

  async function shipRound() {
    if (!isMarked) await mark()
    else await lookAround()
    queue.dropFormerJournals()
    const files = queue.names()
    const photos = files.filter(isFile)
    const logs = files.filter((file) => logFile(shippedAs(file)))
    const late = photos.length > 0 ? shipAll(photos) : null
    if (late && logs.length > 0) await Promise.race([late.catch(() => {}), Bun.sleep(patienceForPhotosMs)])
    for (const file of logs) await shipLog(file)
    if (late) await late
    // Snapshot parts one at a time: commits come first.
    const rest = files.find((file) => !isFile(file) && !logFile(shippedAs(file)))
    if (rest !== undefined) await shipSnapshot(rest, files)
  }

  async function shipLog(file: string) {
    const bytes = queue.bytesOf(file)
    // The replica was abandoned meanwhile.
    if (bytes === undefined) return
    await shipOne(file)
    segments.shipped(file, bytes)
    await segments.make()
  }

  async function shipSnapshot(file: string, before: readonly string[]) {
    const manifest = manifestFile(shippedAs(file))
    // A manifest asserts that all earlier files are there.
    if (manifest && before.some((other) => other < file && queue.has(other) && !isFile(other))) return
    if (!queue.has(file)) return
    await shipOne(file)
    rmSync(join(spool, file), { force: true })
    if (manifest) {
      snapshotAt = now()
      if (incomplete !== null && manifest.generation > incomplete.after) incomplete = null
      log.info({ generation: manifest.generation }, 'a snapshot of the database is in the replica')
    } else replicated.partShipped()
  }

  async function shipAll(files: readonly string[]) {
    const next = files.values()
    await Promise.all(
      Array.from({ length: photosAtOnce }, async () => {
        for (const file of next) {
          await shipOne(file)
          rmSync(join(spool, file), { force: true })
        }
      }),
    )
  }

  async function shipOne(file: string) {
    await place.put(shippedAs(file), await readFile(join(spool, file)))
    queue.shipped(file)
    shippedAt = now()
    // After a success, retries start short again.
    failedInARow = 0
  }

  async function mark() {
    const found = await readMarker(place)
    await learnErasures(place, options.journal, key, log)
    photosKey ??= found?.photos_key
    await putOurMarker()
    lookedAt = now()
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
    isMarked = true
  }

  /** Somebody has removed what this generation began with, or another disk is mounted there. */
  async function beginInEmptyPlace() {
    log.error({ place: place.shown }, 'the place of the replica is empty: it starts again with a snapshot')
    lacksSnapshot()
    await replicated.abandon()
    dropSpool()
    await replicated.begin()
    goesOn = false
  }

  async function putOurMarker() {
    await putMarker(place, { format: 1, key: key?.id ?? null, server, photos_key: photosKey })
  }

  /** Of two servers that ship to one place, the one that began last has it. */
  async function lookAround() {
    if (Math.abs(now() - lookedAt) < (options.lookEveryMs ?? lookEveryMs)) return
    const found = await readMarker(place)
    if (found === null) {
      goesOn = true
      await mark()
    } else if (found.server !== server)
      throw new Error(
        'another server ships to the same place: give each one a place of its own, and start this one again',
      )
    lookedAt = now()
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
        return goesOn
      },
    },

    follow: (files) => ({
      ...files,
      async put(name, bytes) {
        await files.put(name, bytes)
        // The next catch-up ships a photo that cannot be spooled.
        await replicated.file(photoName(name), bytes).catch(() => void failures++)
      },
    }),

    async catchUp(files) {
      const keyId = key?.id ?? 'none'
      photosKey ??= (await readMarker(place))?.photos_key
      const isOfOtherKey = photosKey !== keyId
      const there = new Set<string>()
      for await (const { name } of place.list('media')) there.add(name)
      let count = 0
      for await (const { name } of files.list()) {
        if (!isFileName(name) || (!isOfOtherKey && there.has(photoName(name)))) continue
        const bytes = await (await files.get(name))?.bytes().catch(() => null)
        if (!bytes || bytes.length === 0) continue
        while (queue.bytes() > mostWaiting / 8 && !closed) await Bun.sleep(100)
        if (closed) return count
        await replicated.file(photoName(name), bytes)
        count++
      }
      photosKey = keyId
      if (isOfOtherKey && isMarked) await putOurMarker()
      return count
    },

    expirePhotos: (unknown) => removeExpiredPhotos(place, { unknown, keepDays, now: now() }),

    report: () => ({
      complete_at: shippedUpTo(),
      lag_ms: Math.max(0, now() - shippedUpTo() - 2 * everyMs),
      waiting_bytes: queue.bytes(),
      shipped_at: shippedAt,
      snapshot_at: snapshotAt,
      failures,
    }),

    async close(withinMs) {
      if (timer !== null) clearTimeout(timer)
      timer = null
      await Promise.race([wake().then(() => (queue.isEmpty() ? undefined : wake())), Bun.sleep(withinMs)])
      closed = true
      if (timer !== null) clearTimeout(timer)
    },
  }
}

const photoName = (name: string) => `media/${name}`
