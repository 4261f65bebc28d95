import { iso } from '../../lib/time.ts'
import type { ChatViews } from '../chats/views.ts'
import type { Message } from '../chats/store.ts'
import type { Profiles } from '../profile/service.ts'
import type { Profile } from '../profile/store.ts'
import { reviewView } from '../reviews/service.ts'
import type { Evidence } from '../safety/store.ts'

export type EvidenceDeps = {
  profiles: Pick<Profiles, 'view'>
  chats: Pick<ChatViews, 'message'>
  photos: {
    /** URLs that serve the image as long as it is kept as evidence of the report. */
    evidencePhoto(imageId: string, reportId: string): { url: string; thumb_url: string }
    /** The same for the photo of a profile. */
    evidenceProfilePhoto(photo: string | null, reportId: string): { photo: string | null; photo_thumb: string | null }
  }
}

/** Shows evidence as it was when reported, to moderators, who are not members of the chat. */
export function evidenceViews({ profiles, chats, photos }: EvidenceDeps) {
  function messageView(message: Message, reportId: string) {
    const { photo, ...shown } = chats.message(message, '')
    return { ...shown, photo: photo && { ...photo, ...photos.evidencePhoto(photo.id, reportId) } }
  }

  const profileView = (profile: Profile, reportId: string) => ({
    ...profiles.view(profile),
    ...photos.evidenceProfilePhoto(profile.photo, reportId),
  })

  return (evidence: Evidence, reportId: string) => ({
    message: evidence.message && messageView(evidence.message, reportId),
    versions: evidence.versions.map(({ text, at }) => ({ text, at: iso(at) })),
    before: evidence.before.map((message) => messageView(message, reportId)),
    after: evidence.after.map((message) => messageView(message, reportId)),
    review: evidence.review && reviewView(evidence.review),
    user: evidence.user && profileView(evidence.user, reportId),
  })
}
