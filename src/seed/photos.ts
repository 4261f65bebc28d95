import { type Files, thumbOf, withThumbs } from '../features/media/files.ts'
import { reencode } from '../features/media/image.ts'
import type { Image } from '../features/media/store.ts'
import type { Resident } from './community.ts'
import { openRandom } from './random.ts'

/** The first people, as whom testers log in, always have a photo. */
const HOSTS = 5
const WITH_PHOTO = 0.85

/** Draws people's photos, and stores the files as if they had uploaded them. */
export function openPhotos(files: Files, seed: string, now: number) {
  const stored: string[] = []
  return {
    /** The photo of the resident with that number, from 0; null if they have none. */
    async of({ id, gender, created_at }: Resident, number: number): Promise<Image | null> {
      const random = openRandom(`${seed} photo ${number}`)
      if (!random.chance(WITH_PHOTO) && number >= HOSTS) return null
      // The drawing program is large, and nothing else of Convene needs it.
      const { drawPortrait } = await import('./portrait.ts')
      const { bytes, thumb, width, height, placeholder } = await reencode(await drawPortrait(random, gender), id)
      const file = `${crypto.randomUUID()}.webp`
      stored.push(file)
      await files.put(file, bytes)
      await files.put(thumbOf(file), thumb)
      return {
        ...{ id: Bun.randomUUIDv7('hex', now), owner_id: id, file, width, height, placeholder, created_at },
        ...{ bytes: bytes.length, thumb_bytes: thumb.length },
      }
    },

    count: () => stored.length,

    /** Removes what was stored. */
    abandon: () => files.remove(withThumbs(stored)),
  }
}
