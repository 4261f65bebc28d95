import { setImmediate } from 'node:timers/promises'
import type { Ids } from '../../ids.ts'
import { Refusal } from '../../refusal.ts'
import { days, hours } from '../../time.ts'
import type { Caller } from '../auth/callers.ts'
import type { Community } from '../community/service.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { Files } from './files.ts'
import { reencode } from './image.ts'
import { checkMediaUrl, signMediaUrl } from './signed-url.ts'
import type { MediaStore } from './store.ts'

export type Media = ReturnType<typeof mediaService>

/** The query of a signed URL, as it came. */
export type Grant = { for?: string; exp?: string; sig?: string }

type Deps = {
  store: MediaStore
  files: Files
  community: Pick<Community, 'claimPhotos' | 'photosListedAt' | 'notePhotosListed'>
  key: Uint8Array
  ids: Ids
  now: () => number
}

/** An upload that nothing uses goes after this time. */
const unusedFor = days
/** A file without an image goes after this time: a younger one may belong to an upload that is just being stored. */
const strayFor = hours
const batch = 500
/**
 * A link into a store elsewhere asks nobody any more who may see the image, so it ends soon; who is answered it may keep
 * it until a little before, so that the link which a cache follows is never over.
 */
const linkLife_s = 300
const linkMargin_s = 60

export function mediaService({ store, files, community, key, ids, now }: Deps) {
  const urlFor = (id: string, scope: string) => signMediaUrl({ key, id, scope, nowMs: now() })

  async function removeUnused(imageIds: readonly string[]): Promise<number> {
    // Rows first: a file whose row is gone is found by the sweep, a row whose file is gone would be found by a reader.
    const names = await store.removeUnused(imageIds)
    await files.remove(names)
    return names.length
  }

  async function sweepImages(): Promise<number> {
    let removed = 0
    let last: { id: string; created_at: number } | null = null
    for (;;) {
      const page = await store.before(now() - unusedFor, last, batch)
      const unused = page.filter(({ used }) => !used).map(({ id }) => id)
      if (unused.length > 0) removed += await removeUnused(unused)
      if (page.length < batch) return removed
      last = page.at(-1)!
      // There may be millions of them: requests come first.
      await setImmediate()
    }
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
      removed += await files.remove(await store.strayFiles(old))
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
    /** Stores an uploaded file as an image of the caller's. Refusals: those of `reencode`, and `storage_full`. */
    async upload(caller: Caller, bytes: Uint8Array) {
      const { bytes: encoded, width, height, placeholder } = await reencode(bytes)
      const id = ids.next()
      const file = `${ids.random()}.webp`
      // The file first, so that no row ever names one that is not there.
      await files.put(file, encoded)
      const owner_id = caller.id
      const image = { id, owner_id, file, width, height, placeholder, bytes: encoded.length, created_at: now() }
      if (!(await store.add(image))) {
        await files.remove([file])
        throw notSignedIn()
      }
      return { id, url: urlFor(id, 'upload'), width, height, placeholder }
    },

    /**
     * The file that a signed URL stands for, or where it can be fetched, and for how long its holder may keep that answer.
     * Refuses with 404 what is altered, expired, or no longer to be seen.
     */
    async open(
      id: string,
      { for: scope = '', exp = '', sig = '' }: Grant,
      method: 'GET' | 'HEAD',
    ): Promise<{ image: Blob | URL; max_age_s: number }> {
      const file = checkMediaUrl({ key, id, scope, exp, sig, nowMs: now() }) ? await store.fileFor(id, scope) : null
      if (file === null) throw noSuchImage()
      const left_s = Math.floor(Number(exp) - now() / 1000)
      if (files.remote) {
        const link_s = Math.min(linkLife_s, Math.max(left_s, 1))
        const image = new URL(files.remote.link(file, method, link_s))
        return { image, max_age_s: Math.max(link_s - linkMargin_s, 0) }
      }
      const stored = await files.get(file)
      if (!stored) throw noSuchImage()
      return { image: stored, max_age_s: left_s }
    },

    /** The URL of a profile's photo, which is an image's id or an https URL. */
    urlOf: (photo: string | null) => (photo === null || photo.startsWith('https:') ? photo : urlFor(photo, 'profile')),

    /** A URL that serves the image as long as the message shows it. For the two members of its chat only. */
    messagePhotoUrl: (imageId: string, messageId: string) => urlFor(imageId, messageId),

    /** A URL that serves the image as long as it is kept as evidence of the report. For moderators only. */
    evidencePhotoUrl: (imageId: string, reportId: string) => urlFor(imageId, reportId),

    /** A URL that serves the image as long as it is there, and not as evidence alone. For who uploaded it. */
    ownUrl: (imageId: string) => urlFor(imageId, 'upload'),

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

const noSuchImage = () => new Refusal('not_found', 'There is no such image.')
