import { iso } from '../../time.ts'
import type { Chats } from '../chats/service.ts'
import type { Message } from '../chats/store.ts'
import type { Profiles } from '../profile/service.ts'
import type { Profile } from '../profile/store.ts'
import { reviewView } from '../reviews/service.ts'
import type { Evidence } from '../safety/store.ts'

export type EvidenceDeps = {
  profiles: Pick<Profiles, 'view'>
  chats: Pick<Chats, 'view'>
  photos: {
    /** A URL that serves the image as long as it is kept as evidence of the report. */
    evidencePhotoUrl(imageId: string, reportId: string): string
  }
}

/** How evidence is shown: as things were when reported, to somebody who is no member of the chat. */
export function evidenceViews({ profiles, chats, photos }: EvidenceDeps) {
  const photoUrl = (photo: string | null, reportId: string) =>
    photo === null || photo.startsWith('https:') ? photo : photos.evidencePhotoUrl(photo, reportId)

  function messageView(message: Message, reportId: string) {
    const { photo, ...shown } = chats.view(message, '')
    return { ...shown, photo: photo && { ...photo, url: photos.evidencePhotoUrl(photo.id, reportId) } }
  }

  const profileView = (profile: Profile, reportId: string) => ({
    ...profiles.view({ ...profile, photo: null }),
    photo: photoUrl(profile.photo, reportId),
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
