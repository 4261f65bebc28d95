import { isFileName, originalOf } from '../../features/media/files.ts'
import { days } from '../../lib/time.ts'
import type { ReplicaLog } from '../../storage/sqlite/replica-log.ts'
import type { ownMarker } from './marker.ts'
import type { Place } from './place.ts'
import type { openQueue } from './queue.ts'
import type { Replica } from './replica.ts'

const batch = 500

const nameInPlace = (name: string) => `media/${name}`

type Deps = {
  place: Place
  queue: Pick<ReturnType<typeof openQueue>, 'bytes'>
  spool: Pick<ReplicaLog, 'file'>
  marker: Pick<ReturnType<typeof ownMarker>, 'photosHaveOtherKey' | 'photosHaveOurKey'>
  keepDays: number
  /** With more bytes waiting for the place, a new photo is left to the next catch-up. */
  mostWaiting: number
  now: () => number
  isClosed: () => boolean
  onFailure: () => void
}

/** Puts photos into the spool of a replica: new ones at once, and later those that the place lacks. */
export function openPhotos(deps: Deps): Pick<Replica, 'follow' | 'catchUp' | 'expirePhotos'> {
  const { place, queue, spool, marker, keepDays, mostWaiting, now, isClosed, onFailure } = deps
  return {
    follow: (files) => ({
      ...files,
      async put(name, bytes) {
        await files.put(name, bytes)
        if (queue.bytes() + bytes.length > mostWaiting) onFailure()
        else await spool.file(nameInPlace(name), bytes).catch(onFailure)
      },
    }),

    async catchUp(files) {
      const haveOtherKey = await marker.photosHaveOtherKey()
      const there = new Set<string>()
      for await (const { name } of place.list('media')) there.add(name)
      let count = 0
      for await (const { name } of files.list()) {
        if (!isFileName(name) || (!haveOtherKey && there.has(nameInPlace(name)))) continue
        const bytes = await (await files.get(name))?.bytes().catch(() => null)
        if (!bytes || bytes.length === 0) continue
        while (queue.bytes() > mostWaiting / 8 && !isClosed()) await Bun.sleep(100)
        if (isClosed()) return count
        try {
          await spool.file(nameInPlace(name), bytes)
        } catch (error) {
          // The next start ships it.
          if (isClosed()) return count
          throw error
        }
        count++
      }
      await marker.photosHaveOurKey()
      return count
    },

    expirePhotos: (unknown) => removeExpiredPhotos(place, { unknown, keepDays, now: now() }),
  }
}

/**
 * Removes photos from a replica that were removed from the community more than `keepDays` ago. A removed photo gets a mark with
 * the time, and loses it if the photo comes back. `unknown` returns which of the images have no row. Returns how many photos were
 * removed.
 */
export async function removeExpiredPhotos(
  place: Place,
  { unknown, keepDays, now }: { unknown(names: readonly string[]): Promise<string[]>; keepDays: number; now: number },
): Promise<number> {
  const marked = new Map<string, number>()
  for await (const { name, modified_ms } of place.list('gone')) marked.set(name.slice('gone/'.length), modified_ms)
  let removed = 0

  async function look(names: readonly string[]) {
    const gone = new Set(await unknown([...new Set(names.map(originalOf))]))
    for (const name of names) {
      const markedAt = marked.get(name)
      if (!gone.has(originalOf(name))) {
        if (markedAt !== undefined) await place.remove(`gone/${name}`)
      } else if (markedAt === undefined) await place.put(`gone/${name}`, Buffer.from('gone\n'))
      // A day less, because a removal is noticed within a day.
      else if (markedAt < now - (keepDays - 1) * days) {
        await place.remove(`media/${name}`)
        await place.remove(`gone/${name}`)
        removed++
      }
    }
  }

  let names: string[] = []
  for await (const { name } of place.list('media')) {
    if (!name.endsWith('.webp')) continue
    names.push(name.slice('media/'.length))
    if (names.length < batch) continue
    await look(names)
    names = []
  }
  await look(names)
  return removed
}
