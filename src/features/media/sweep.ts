import { setImmediate } from 'node:timers/promises'
import { batches } from '../../lib/batches.ts'
import { days, hours } from '../../lib/time.ts'
import type { Community } from '../community/service.ts'
import { type Files, originalOf, withThumbs } from './files.ts'
import type { MediaStore } from './store.ts'

type Deps = {
  store: Pick<MediaStore, 'removeUnused' | 'before' | 'strayFiles'>
  files: Files
  community: Pick<Community, 'claimPhotos' | 'photosListedAt' | 'notePhotosListed'>
  now: () => number
}

/** An upload that nothing uses goes after this time. */
const unusedFor = days
/** A file without an image goes after this time: a younger one may belong to an upload that is just being stored. */
const strayFor = hours
const batch = 500

/** The removal of images that nothing uses, and of files that no image has. */
export function sweeping({ store, files, community, now }: Deps) {
  async function removeUnused(imageIds: readonly string[]): Promise<number> {
    // Rows first: a file whose row is gone is found by the sweep, a row whose file is gone would be found by a reader.
    const names = await store.removeUnused(imageIds)
    await files.remove(withThumbs(names))
    return names.length
  }

  async function sweepImages(): Promise<number> {
    let removed = 0
    type Place = { id: string; created_at: number; used: boolean }
    for await (const page of batches<Place>(batch, (last) => store.before(now() - unusedFor, last, batch))) {
      const unused = page.filter(({ used }) => !used).map(({ id }) => id)
      if (unused.length > 0) removed += await removeUnused(unused)
      // There may be millions of them: requests come first.
      await setImmediate()
    }
    return removed
  }

  async function sweepFiles(): Promise<number> {
    // A store elsewhere wants time and money for its list, however little is to be removed: one a day, whoever asks for it.
    if (files.remote && !files.remote.leftovers() && Math.abs(now() - (await community.photosListedAt())) < days)
      return 0
    // To a database that does not know them, all photos there would be strays.
    if (!(await community.claimPhotos())) throw new Error('the bucket of the images is marked as another community’s')
    const startedAt = now()
    let removed = 0
    let old: string[] = []
    const removeStray = async () => {
      const strays = new Set(await store.strayFiles([...new Set(old.map(originalOf))]))
      removed += await files.remove(old.filter((name) => strays.has(originalOf(name))))
      old = []
    }
    for await (const { name, modified_ms } of files.list()) {
      if (modified_ms >= now() - strayFor) continue
      if (old.push(name) === batch) await removeStray()
    }
    await removeStray()
    if (files.remote) await community.notePhotosListed(startedAt)
    return removed
  }

  return {
    /** Removes those of the images that nothing uses any more. To be called once what used them is gone. */
    async drop(imageIds: readonly string[]) {
      await removeUnused(imageIds)
    },

    /**
     * Removes images that nothing has used for their first day or uses no more, and files without an image, among them
     * what interrupted uploads left. Answers how many of each.
     */
    async sweep() {
      return { images: await sweepImages(), files: await sweepFiles() }
    },

    /** Removes what this node could not remove when it should have. Answers how many files. */
    sweepLeftovers: async () => (files.remote?.leftovers() ? sweepFiles() : 0),
  }
}
