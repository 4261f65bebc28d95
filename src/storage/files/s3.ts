import { type Files, foldersOf, isFileName } from '../../features/media/files.ts'
import { Refusal, storageFull } from '../../lib/refusal.ts'
import type { S3Place } from '../../s3/place.ts'
import { BucketError, openBucket } from '../../s3/bucket.ts'

export type S3Options = {
  now: () => number
  /** Called after each bucket operation; `error` is null on success. */
  onAnswer: (operation: string, seconds: number, error: BucketError | null) => void
  patienceMs?: number
}

const type = 'image/webp'
/** The object that names the community whose images lie beside it. Lists of images omit it. */
export const ownerMark = 'convene-community'
// Each holds an image in memory until the bucket has answered.
const mostPuts = 64
const removalsAtOnce = 16
const headsAtOnce = 16
const readyForMs = 10_000
const readyWithinMs = 2000

const noRoom = new Set(['QuotaExceeded', 'StorageFull', 'XMinioStorageFull', 'InsufficientStorage', 'HTTP_507'])

/**
 * Files in a bucket, laid out as on disk, so that either can be copied into the other. If the bucket fails, `put` and `get`
 * refuse with `busy`, and `remove` leaves the remaining files to the sweep.
 */
export function openS3Files(place: S3Place, { now, onAnswer, patienceMs }: S3Options): Files {
  const bucket = openBucket(place, { patienceMs })
  const keyOf = (name: string) => `${foldersOf(name).join('/')}/${name}`
  let puts = 0
  // Failures that may have left a file behind, and their number before the last complete list.
  let failures = 0
  let failuresBeforeList = 0
  let lastPing: { at: number; answer: Promise<boolean> } | null = null

  /** Reports the outcome of a bucket operation, and turns its error into a refusal. */
  async function reported<T>(operation: string, work: Promise<T>): Promise<T> {
    const started = performance.now()
    const report = (error: BucketError | null) => onAnswer(operation, (performance.now() - started) / 1000, error)
    try {
      const outcome = await work
      report(null)
      return outcome
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      report(error)
      throw refusalOf(error)
    }
  }

  async function removeOne(name: string): Promise<boolean> {
    try {
      await reported('delete', bucket.remove(keyOf(name)))
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      failures += 1
      return false
    }
  }

  return {
    async put(name, bytes) {
      const key = keyOf(name)
      if (puts === mostPuts) throw busy()
      puts += 1
      try {
        const headers = { 'content-type': type, 'content-disposition': 'inline', 'cache-control': 'private' }
        await reported('put', bucket.put(key, bytes, headers))
      } catch (error) {
        // The file may have been stored nevertheless.
        failures += 1
        throw error
      } finally {
        puts -= 1
      }
    },

    async get(name) {
      const bytes = await reported('get', bucket.get(keyOf(name)))
      return bytes && new Blob([bytes], { type })
    },

    async missing(names) {
      const missing: string[] = []
      for (let from = 0; from < names.length; from += headsAtOnce) {
        const some = names.slice(from, from + headsAtOnce)
        const sizes = await Promise.all(some.map((name) => reported('head', bucket.size(keyOf(name)))))
        missing.push(...some.filter((_, i) => !sizes[i]))
      }
      return missing
    },

    async remove(names) {
      let removed = 0
      for (let from = 0; from < names.length; from += removalsAtOnce) {
        const outcomes = await Promise.all(names.slice(from, from + removalsAtOnce).map(removeOne))
        removed += outcomes.filter(Boolean).length
        // Each further request would wait for its timeout.
        if (outcomes.includes(false)) break
      }
      return removed
    },

    async *list() {
      const before = failures
      for await (const { name: key, modified_ms, size } of bucket.list()) {
        const name = key.slice(key.lastIndexOf('/') + 1)
        if (isFileName(name) && key === keyOf(name)) yield { name, modified_ms, size }
      }
      failuresBeforeList = before
    },

    remote: {
      link: (name, method, seconds) => bucket.link(keyOf(name), method, { seconds, type }),

      owner: async () => {
        const bytes = await reported('check', bucket.get(ownerMark))
        return bytes && Buffer.from(bytes).toString().trim()
      },

      mark: (communityId) =>
        reported('check', bucket.put(ownerMark, Buffer.from(communityId), { 'content-type': 'text/plain' })),

      leftovers: () => failures > failuresBeforeList,

      answers() {
        // The absolute difference, because a clock may be set back.
        if (lastPing === null || Math.abs(now() - lastPing.at) >= readyForMs) {
          const answer = reported('check', bucket.ping(readyWithinMs)).then(
            () => true,
            () => false,
          )
          lastPing = { at: now(), answer }
        }
        return lastPing.answer
      },
    },
  }
}

const refusalOf = ({ code }: BucketError) => (noRoom.has(code) ? storageFull() : busy())

const busy = () =>
  new Refusal('busy', 'Images cannot be stored or read at the moment. Try again in a moment.', undefined, {
    'retry-after': '5',
  })
