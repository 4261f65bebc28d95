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

/** An unused upload is removed after this time. */
const unusedFor = days
/** A file without a row is removed after this time: a younger one may belong to an upload in progress. */
const strayFor = hours
const batch = 500

/** Removes unused images and files without a row. */
export function sweeping({ store, files, community, now }: Deps) {
  async function removeUnused(imageIds: readonly string[]): Promise<number> {
    // Rows are removed first: the sweep finds a file without a row, but a reader would find a row without a file.
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
      // There may be millions of images: let requests run in between.
      await setImmediate()
    }
    return removed
  }

  async function sweepFiles(): Promise<number> {
    // Listing a bucket is slow and billed, so all nodes together do it once a day.
    if (files.remote && !files.remote.leftovers() && Math.abs(now() - (await community.photosListedAt())) < days)
      return 0
    // If the bucket belonged to another community, this database would take all its photos for strays.
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
    /** Removes those of the images that are no longer in use. Call it after the message or profile that used them has changed. */
    async drop(imageIds: readonly string[]) {
      await removeUnused(imageIds)
    },

    /**
     * Removes unused images that are older than a day, and files without a row, such as those of interrupted uploads. Returns
     * how many of each.
     */
    async sweep() {
      return { images: await sweepImages(), files: await sweepFiles() }
    },

    /** Removes files that this node failed to remove before. Returns how many. */
    sweepLeftovers: async () => (files.remote?.leftovers() ? sweepFiles() : 0),
  }
}
