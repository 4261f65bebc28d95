import { type Files, thumbOf } from './files.ts'
import { nullIfDamaged, pdqOfThumb } from './image.ts'
import { distinctiveHashes } from './rules.ts'
import type { MediaStore } from './store.ts'

type Deps = { store: Pick<MediaStore, 'withoutHash' | 'noteHash' | 'hashesOf'>; files: Pick<Files, 'get'> }

/** How many hashes one round of the job computes: some seconds of work. */
const hashesOfRound = 1000

/** The perceptual hashes of images. An upload stores them; this computes those of images from an earlier release. */
export function openImageHashes({ store, files }: Deps) {
  /** A damaged or missing image is recorded as one without a hash, and not read again. */
  async function make(limit: number, imageIds?: readonly string[]): Promise<number> {
    if (limit === 0) return 0
    const images = await store.withoutHash(limit, imageIds)
    for (const { id, file, thumb_bytes } of images) {
      const stored = (thumb_bytes ? await files.get(thumbOf(file)) : null) ?? (await files.get(file))
      const pdq = stored && (await pdqOfThumb(await stored.bytes()).catch(nullIfDamaged))
      await store.noteHash(id, { hashes: pdq?.hashes ?? null, hash_quality: pdq?.quality ?? 0 })
    }
    return images.length
  }

  return {
    /** Computes some of the missing hashes. Returns how many. */
    makeSome: () => make(hashesOfRound),

    /** Computes the hashes of these images, if they are missing. */
    makeNow: (imageIds: readonly string[]) => make(imageIds.length, imageIds),

    /** The hashes of an image, computed if they are missing. Null if they are not distinctive. */
    async of(imageId: string): Promise<string | null | 'no_such_image'> {
      let found = await store.hashesOf(imageId)
      if (found !== null && found.hash_quality == null) {
        await make(1, [imageId])
        found = await store.hashesOf(imageId)
      }
      return found === null ? 'no_such_image' : distinctiveHashes(found)
    },
  }
}
