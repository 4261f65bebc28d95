import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { type FieldErrorCode, Refusal } from '../../lib/refusal.ts'
import type { Community } from '../community/service.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { ImageChecks } from './checks.ts'
import { type Files, thumbOf, withThumbs } from './files.ts'
import { distinctiveHashes, isUnfetched } from './rules.ts'
import { nullIfDamaged, reencode, thumbnailOf } from './image.ts'
import { checkMediaUrl, signMediaUrl, signThumbUrl, thumbSize } from './signed-url.ts'
import type { MediaStore } from './store.ts'
import { sweeping } from './sweep.ts'

export type Media = ReturnType<typeof mediaService>

/** The query of a signed URL, as it came. */
type Grant = { for?: string; exp?: string; sig?: string; size?: string }

type Deps = {
  store: MediaStore
  limits: Pick<Limits, 'check' | 'take'>
  files: Files
  community: Pick<Community, 'claimPhotos' | 'photosListedAt' | 'notePhotosListed'>
  key: Uint8Array
  ids: Ids
  checks: Pick<ImageChecks, 'ask'>
  /** Called when an image was stored, if its hashes are distinctive. */
  uploaded(imageId: string, hashes: string): void
  now: () => number
}

/** The limit for all images of one user, thumbnails included, in bytes. */
const MAX_BYTES_OF_USER = 500_000_000
/** How many thumbnails one round of the job makes: some ten seconds of work. */
const thumbsOfRound = 200
/** For how long the image itself is shown while it has no thumbnail. */
const untilThumb_s = 60
/**
 * A link into the bucket works without asking this server who may see the image, so it expires soon. Caches may keep it until
 * a little before, so that they never use an expired link.
 */
const linkLife_s = 300
const linkMargin_s = 60

export function mediaService({ store, limits, files, community, key, ids, checks, uploaded, now }: Deps) {
  const urlFor = (id: string, scope: string) => signMediaUrl({ key, id, scope, nowMs: now() })
  const thumbUrlFor = (id: string, scope: string) => signThumbUrl({ key, id, scope, nowMs: now() })

  const photoUrls = (photo: string | null, scope: string) =>
    photo === null || isUnfetched(photo)
      ? { photo: null, photo_thumb: null }
      : { photo: urlFor(photo, scope), photo_thumb: thumbUrlFor(photo, scope) }

  return {
    ...sweeping({ store, files, community, now }),

    /** Refuses with 429 an account that has used up its images of a day. Call it before the body is read. */
    refuseTooMany: (owner: { id: string }) => limits.check('photos', owner.id),

    /**
     * Stores an uploaded file as an image of the user. Refuses like `reencode`, with `storage_full`, with `rate_limited` after
     * 300 a day, and with `conflict` if the user's limit has no room.
     */
    async upload(owner: { id: string }, bytes: Uint8Array) {
      const { bytes: encoded, thumb, width, height, placeholder, pdq } = await reencode(bytes, owner.id)
      await limits.take('photos', owner.id)
      const id = ids.next()
      const checked = await checks.ask(id, encoded)
      if (checked?.check_action === 'refuse') throw notAllowedHere()
      const file = `${ids.random()}.webp`
      // Files are stored before the row, so that no row ever names a missing file.
      try {
        await files.put(file, encoded)
        await files.put(thumbOf(file), thumb)
      } catch (error) {
        // A remote store that does not answer would be waited for twice. Its sweep removes what it has stored.
        if (files.remote === null) await files.remove(withThumbs([file]))
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
      const hashes = distinctiveHashes(image)
      if (hashes !== null) uploaded(id, hashes)
      return { id, url: urlFor(id, 'upload'), thumb_url: thumbUrlFor(id, 'upload'), width, height, placeholder }
    },

    /**
     * The file of a signed URL, or where it can be fetched, and how long the client may cache the answer. Refuses with 404 a URL
     * that is altered or expired, or whose image may no longer be seen.
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
      // An image without a thumbnail is shown itself.
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
     * URLs of a profile's photo, from its stored image id. A stored https URL comes from a messenger's login and has not been
     * fetched yet: it is shown to nobody, because its host would learn who views the profile.
     */
    profilePhoto: (photo: string | null) => photoUrls(photo, 'profile'),

    /** The same for its owner only, who sees it even while it is hidden from others. */
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

    /** The same for the photo of a profile. */
    evidenceProfilePhoto: (photo: string | null, reportId: string) => photoUrls(photo, reportId),

    /** URLs that serve the image as long as it is kept, and not only as evidence. For its owner. */
    ownImage: (imageId: string) => ({ url: urlFor(imageId, 'upload'), thumb_url: thumbUrlFor(imageId, 'upload') }),

    /** Why a user may not show an image of somebody else. An image that is kept only as evidence counts as missing. */
    problemOf: async (imageId: string): Promise<FieldErrorCode> =>
      (await store.fileFor(imageId, 'upload')) === null ? 'unknown' : 'not_yours',

    /**
     * Makes some of the thumbnails that images of an earlier release lack. Returns how many. A damaged or missing image is
     * recorded as one without a thumbnail, and not read again.
     */
    async makeThumbs() {
      const images = await store.withoutThumb(thumbsOfRound)
      for (const image of images) {
        const stored = await files.get(image.file)
        const thumb = stored && (await thumbnailOf(await stored.bytes()).catch(nullIfDamaged))
        if (thumb) await files.put(thumbOf(image.file), thumb)
        // The image was removed while its thumbnail was made.
        if (!(await store.noteThumb(image, thumb?.length ?? 0)) && thumb) await files.remove([thumbOf(image.file)])
      }
      return images.length
    },
  }
}

/** It names the file, because a message with a photo may meet other conflicts. */
function noRoom() {
  const detail = 'Your images take up 500 MB: delete messages with photos to make room for others.'
  return new Refusal('conflict', detail, [{ path: '/file', code: 'too_long', message: detail }])
}

const notAllowedHere = () => new Refusal('content_refused', 'This image is not allowed here.')

const noSuchImage = () => new Refusal('not_found', 'There is no such image.')
