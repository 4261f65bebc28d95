import { setImmediate } from 'node:timers/promises'
import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { type FieldErrorCode, Refusal } from '../../lib/refusal.ts'
import { days, hours } from '../../lib/time.ts'
import type { Community } from '../community/service.ts'
import { notSignedIn } from '../auth/tokens.ts'
import { type Files, originalOf, thumbOf, withThumbs } from './files.ts'
import type { ImageCheck } from './image-check.ts'
import { telling } from './rules.ts'
import { pdqOfThumb, reencode, thumbnailOf } from './image.ts'
import { checkMediaUrl, signMediaUrl, signThumbUrl, thumbSize } from './signed-url.ts'
import type { MediaStore } from './store.ts'
import { batches } from '../../lib/batches.ts'

export type Media = ReturnType<typeof mediaService>

/** The query of a signed URL, as it came. */
export type Grant = { for?: string; exp?: string; sig?: string; size?: string }

type Deps = {
  store: MediaStore
  limits: Pick<Limits, 'check' | 'take'>
  files: Files
  community: Pick<Community, 'claimPhotos' | 'photosListedAt' | 'notePhotosListed'>
  key: Uint8Array
  ids: Ids
  /** Null where none is set. */
  check: ImageCheck | null
  /** Told of an image that had to wait for its answer, once the checker allows it. */
  allowed(imageId: string): Promise<void>
  /** Told of an image that the checker did not answer about, without the image. */
  unanswered(error: unknown): void
  now: () => number
}

/** What all images of one user may take, thumbnails included, in bytes. */
export const MAX_BYTES_OF_USER = 500_000_000
/** An upload that nothing uses goes after this time. */
const unusedFor = days
/** A file without an image goes after this time: a younger one may belong to an upload that is just being stored. */
const strayFor = hours
const batch = 500
/** How many thumbnails one round of the job makes: some ten seconds of work. */
const thumbsOfRound = 200
/** How many hashes: some seconds of work. */
const hashesOfRound = 1000
/** How many images one round asks the checker about again. */
const checksOfRound = 100
export const pendingCheck = 'pending'
/** For how long the image itself is shown where its thumbnail is still to be made. */
const untilThumb_s = 60
/**
 * A link into a store elsewhere asks nobody any more who may see the image, so it ends soon; who is answered it may keep
 * it until a little before, so that the link which a cache follows is never over.
 */
const linkLife_s = 300
const linkMargin_s = 60

export function mediaService({ store, limits, files, community, key, ids, check, allowed, unanswered, now }: Deps) {
  const urlFor = (id: string, scope: string) => signMediaUrl({ key, id, scope, nowMs: now() })
  const thumbUrlFor = (id: string, scope: string) => signThumbUrl({ key, id, scope, nowMs: now() })

  const photoUrls = (photo: string | null, scope: string) =>
    photo === null || photo.startsWith('https:')
      ? { photo: null, photo_thumb: null }
      : { photo: urlFor(photo, scope), photo_thumb: thumbUrlFor(photo, scope) }

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

  /** What the checker says of an image; null where there is none, or where it may be left unchecked. */
  async function askCheck(
    id: string,
    picture: Uint8Array,
  ): Promise<{ check_action: string; check_label: string } | null> {
    if (check === null) return null
    try {
      const { action, label } = await check.ask(id, picture)
      return { check_action: action, check_label: label }
    } catch (error) {
      unanswered(error)
      return check.isRequired ? { check_action: pendingCheck, check_label: '' } : null
    }
  }

  /** An image that is damaged or gone is noted as one without, and not looked at again. */
  async function makeHashes(limit: number, imageIds?: readonly string[]): Promise<number> {
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
    /** Refuses with 429 who has uploaded as many images as one day allows: to be asked before a body is read. */
    refuseTooMany: (owner: { id: string }) => limits.check('photos', owner.id),

    /**
     * Stores an uploaded file as an image of that user's. Refusals: those of `reencode`, `storage_full`, `rate_limited` after
     * 300 in a day, and `conflict` where their images take up all their room.
     */
    async upload(owner: { id: string }, bytes: Uint8Array) {
      const { bytes: encoded, thumb, width, height, placeholder, pdq } = await reencode(bytes, owner.id)
      await limits.take('photos', owner.id)
      const id = ids.next()
      const checked = await askCheck(id, encoded)
      if (checked?.check_action === 'refuse') throw notAllowedHere()
      const file = `${ids.random()}.webp`
      // The files first, so that no row ever names one that is not there.
      try {
        await files.put(file, encoded)
        await files.put(thumbOf(file), thumb)
      } catch (error) {
        await files.remove(withThumbs([file]))
        throw error
      }
      const image = {
        id,
        owner_id: owner.id,
        file,
        width,
        height,
        placeholder,
        bytes: encoded.length,
        thumb_bytes: thumb.length,
        hashes: pdq.hashes,
        hash_quality: pdq.quality,
        ...checked,
        created_at: now(),
      }
      const outcome = await store.add(image, MAX_BYTES_OF_USER)
      if (outcome !== 'added') await files.remove(withThumbs([file]))
      if (outcome === 'no_such_owner') throw notSignedIn()
      if (outcome === 'no_room') throw noRoom()
      return { id, url: urlFor(id, 'upload'), thumb_url: thumbUrlFor(id, 'upload'), width, height, placeholder }
    },

    /**
     * The file that a signed URL stands for, or where it can be fetched, and for how long its holder may keep that answer.
     * Refuses with 404 what is altered, expired, or no longer to be seen.
     */
    async open(
      id: string,
      { for: scope = '', exp = '', sig = '', size }: Grant,
      method: 'GET' | 'HEAD',
    ): Promise<{ image: Blob | URL; isThumb: boolean; max_age_s: number }> {
      const found = checkMediaUrl({ key, id, scope, exp, sig, nowMs: now() }) ? await store.fileFor(id, scope) : null
      if (found === null) throw noSuchImage()
      const isAsked = size === thumbSize
      const isThumb = isAsked && !!found.thumb_bytes
      const untilExpiry_s = Math.floor(Number(exp) - now() / 1000)
      // Until it has a thumbnail, the image itself stands for it.
      const left_s = isAsked && found.thumb_bytes === null ? Math.min(untilExpiry_s, untilThumb_s) : untilExpiry_s
      if (files.remote) {
        const link_s = Math.min(linkLife_s, Math.max(left_s, 1))
        const image = new URL(files.remote.link(isThumb ? thumbOf(found.file) : found.file, method, link_s))
        return { image, isThumb, max_age_s: Math.max(link_s - linkMargin_s, 0) }
      }
      const thumb = isThumb ? await files.get(thumbOf(found.file)) : null
      const stored = thumb ?? (await files.get(found.file))
      if (!stored) throw noSuchImage()
      return { image: stored, isThumb: thumb !== null, max_age_s: left_s }
    },

    /**
     * How a profile shows its photo, of which an image's id is stored. An https URL is what a messenger's login has named and
     * nobody has fetched yet: it is shown to nobody, as its host would learn who looks.
     */
    profilePhoto: (photo: string | null) => photoUrls(photo, 'profile'),

    /** The same for its owner alone, who sees it also while it is hidden from others. */
    ownProfilePhoto: (photo: string | null) => photoUrls(photo, 'upload'),

    /** URLs that serve the image as long as the message shows it. For the two members of its chat only. */
    messagePhoto: (imageId: string, messageId: string) => ({
      url: urlFor(imageId, messageId),
      thumb_url: thumbUrlFor(imageId, messageId),
    }),

    /** URLs that serve the image as long as it is kept as evidence of the report. For moderators only. */
    evidencePhoto: (imageId: string, reportId: string) => ({
      url: urlFor(imageId, reportId),
      thumb_url: thumbUrlFor(imageId, reportId),
    }),

    /** The same, of the photo of a profile. */
    evidenceProfilePhoto: (photo: string | null, reportId: string) => photoUrls(photo, reportId),

    /** URLs that serve the image as long as it is there, and not as evidence alone. For who uploaded it. */
    ownImage: (imageId: string) => ({ url: urlFor(imageId, 'upload'), thumb_url: thumbUrlFor(imageId, 'upload') }),

    /** Why somebody whose image it is not may not show it. What is kept as evidence alone counts as not there. */
    problemOf: async (imageId: string): Promise<FieldErrorCode> =>
      (await store.fileFor(imageId, 'upload')) === null ? 'unknown' : 'not_yours',

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

    /**
     * Makes some of the thumbnails that images of an earlier release lack. Answers how many. An image that is damaged or
     * gone is noted as one without, and not looked at again.
     */
    async makeThumbs() {
      const images = await store.withoutThumb(thumbsOfRound)
      for (const image of images) {
        const stored = await files.get(image.file)
        const thumb = stored && (await thumbnailOf(await stored.bytes()).catch(noneOfDamaged))
        if (thumb) await files.put(thumbOf(image.file), thumb)
        // The image went while its thumbnail was made.
        if (!(await store.noteThumb(image, thumb?.length ?? 0)) && thumb) await files.remove([thumbOf(image.file)])
      }
      return images.length
    },

    /** Makes some of the hashes that images of an earlier release lack. Answers how many. */
    makeHashes: () => makeHashes(hashesOfRound),

    /** Makes the hashes of these images, if they lack them. */
    hashNow: (imageIds: readonly string[]) => makeHashes(imageIds.length, imageIds),

    /** The hashes of an image, made where they are still to be. Null where they tell nothing. */
    async hashesOf(imageId: string): Promise<string | null | 'no_such_image'> {
      let found = await store.hashesOf(imageId)
      if (found !== null && found.hash_quality == null) {
        await makeHashes(1, [imageId])
        found = await store.hashesOf(imageId)
      }
      return found === null ? 'no_such_image' : telling(found)
    },

    /** What the checker says of an image; null where it has said nothing, and need not. */
    async checkOf(imageId: string): Promise<{ action: string; label: string } | null> {
      // Also without a checker now: what one has said counts.
      const found = await store.checkOf(imageId)
      return found?.check_action == null ? null : { action: found.check_action, label: found.check_label ?? '' }
    },

    /** Asks again about images of which the checker has said nothing. Answers about how many it has said something now. */
    async checkPending(): Promise<number> {
      if (check === null) return 0
      let answered = 0
      for (const { id, file } of await store.unchecked(checksOfRound)) {
        const stored = await files.get(file)
        if (stored === null) continue
        const checked = await askCheck(id, await stored.bytes())
        // It is away: the others wait for the next round.
        if (checked === null || checked.check_action === pendingCheck) return answered
        await store.noteCheck(id, checked)
        if (checked.check_action === 'allow') await allowed(id)
        answered++
      }
      return answered
    },

    /** Removes what this node could not remove when it should have. Answers how many files. */
    sweepLeftovers: async () => (files.remote?.leftovers() ? sweepFiles() : 0),
  }
}

function noneOfDamaged(error: unknown): null {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_IMAGE_')) return null
  throw error
}

const noRoom = () =>
  new Refusal('conflict', 'Your images take up 500 MB: delete messages with photos to make room for others.')

const notAllowedHere = () => new Refusal('content_refused', 'This image is not allowed here.')

const noSuchImage = () => new Refusal('not_found', 'There is no such image.')
