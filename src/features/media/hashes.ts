import { type Files, thumbOf } from './files.ts'
import { noneOfDamaged, pdqOfThumb } from './image.ts'
import { telling } from './rules.ts'
import type { MediaStore } from './store.ts'

export type ImageHashes = ReturnType<typeof openImageHashes>

type Deps = { store: Pick<MediaStore, 'withoutHash' | 'noteHash' | 'hashesOf'>; files: Pick<Files, 'get'> }

/** How many hashes one round of the job makes: some seconds of work. */
const hashesOfRound = 1000

/** The hashes by which images are told from others. An upload stores them; those of an earlier release are made here. */
export function openImageHashes({ store, files }: Deps) {
  /** An image that is damaged or gone is noted as one without, and not looked at again. */
  async function make(limit: number, imageIds?: readonly string[]): Promise<number> {
    if (limit === 0) return 0
    const images = await store.withoutHash(limit, imageIds)
    for (const { id, file, thumb_bytes } of images) {
      const stored = (thumb_bytes ? await files.get(thumbOf(file)) : null) ?? (await files.get(file))
      const pdq = stored && (await pdqOfThumb(await stored.bytes()).catch(noneOfDamaged))
      await store.noteHash(id, { hashes: pdq?.hashes ?? null, hash_quality: pdq?.quality ?? 0 })
    }
    return images.length
  }

  return {
    /** Makes some of the hashes that images of an earlier release lack. Answers how many. */
    makeSome: () => make(hashesOfRound),

    /** Makes the hashes of these images, if they lack them. */
    makeNow: (imageIds: readonly string[]) => make(imageIds.length, imageIds),

    /** The hashes of an image, made where they are still to be. Null where they tell nothing. */
    async of(imageId: string): Promise<string | null | 'no_such_image'> {
      let found = await store.hashesOf(imageId)
      if (found !== null && found.hash_quality == null) {
        await make(1, [imageId])
        found = await store.hashesOf(imageId)
      }
      return found === null ? 'no_such_image' : telling(found)
    },
  }
}
