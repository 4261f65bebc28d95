import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { type FieldErrorCode, Refusal } from '../../lib/refusal.ts'
import type { Community } from '../community/service.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { ImageChecks } from './checks.ts'
import { type Files, thumbOf, withThumbs } from './files.ts'
import { telling } from './rules.ts'
import { noneOfDamaged, reencode, thumbnailOf } from './image.ts'
import { checkMediaUrl, signMediaUrl, signThumbUrl, thumbSize } from './signed-url.ts'
import type { MediaStore } from './store.ts'
import { sweeping } from './sweep.ts'

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
  checks: Pick<ImageChecks, 'ask'>
  /** Told of an image that was stored, if its hashes tell something. */
  uploaded(imageId: string, hashes: string): void
  now: () => number
}

/** What all images of one user may take, thumbnails included, in bytes. */
export const MAX_BYTES_OF_USER = 500_000_000
/** How many thumbnails one round of the job makes: some ten seconds of work. */
const thumbsOfRound = 200
/** For how long the image itself is shown where its thumbnail is still to be made. */
const untilThumb_s = 60
/**
 * A link into a store elsewhere asks nobody any more who may see the image, so it ends soon; who is answered it may keep
 * it until a little before, so that the link which a cache follows is never over.
 */
const linkLife_s = 300
const linkMargin_s = 60

export function mediaService({ store, limits, files, community, key, ids, checks, uploaded, now }: Deps) {
  const urlFor = (id: string, scope: string) => signMediaUrl({ key, id, scope, nowMs: now() })
  const thumbUrlFor = (id: string, scope: string) => signThumbUrl({ key, id, scope, nowMs: now() })

  const photoUrls = (photo: string | null, scope: string) =>
    photo === null || photo.startsWith('https:')
      ? { photo: null, photo_thumb: null }
      : { photo: urlFor(photo, scope), photo_thumb: thumbUrlFor(photo, scope) }

  return {
    ...sweeping({ store, files, community, now }),

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
      const checked = await checks.ask(id, encoded)
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
      const hashes = telling(image)
      if (hashes !== null) uploaded(id, hashes)
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
  }
}

const noRoom = () =>
  new Refusal('conflict', 'Your images take up 500 MB: delete messages with photos to make room for others.')

const notAllowedHere = () => new Refusal('content_refused', 'This image is not allowed here.')

const noSuchImage = () => new Refusal('not_found', 'There is no such image.')
