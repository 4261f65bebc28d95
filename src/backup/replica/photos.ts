import { days } from '../../lib/time.ts'
import { originalOf } from '../../features/media/files.ts'
import type { Place } from './place.ts'

const batch = 500

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
