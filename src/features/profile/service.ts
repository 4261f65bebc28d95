import { invalid, Refusal } from '../../refusal.ts'
import { languageTag, tidy } from '../../text.ts'
import { iso } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller } from '../auth/callers.ts'
import type { Consents } from '../auth/consents.ts'
import type { ConsentKind } from '../auth/store.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { Blocking } from '../safety/blocking.ts'
import type { Preferences, Profile, ProfileChange, User, UserStore } from './store.ts'

export type Profiles = ReturnType<typeof profileService>

/** How photos come to their URL, and what becomes of old ones. */
export type Photos = {
  /** The URL of a profile's photo as stored: an image's id, or an https URL. */
  urlOf(photo: string | null): string | null
  /** Removes those of the images that nothing shows any more. */
  drop(imageIds: readonly string[]): Promise<void>
}

type Deps = {
  store: UserStore
  consents: Consents
  photos: Photos
  blocking: Blocking
  audit: Audit
  now: () => number
}

export function profileService({ store, consents, photos, blocking, audit, now }: Deps) {
  const meOf = (user: User, consents_missing: ConsentKind[]) => ({
    id: user.id,
    name: user.name,
    city: user.city,
    bio: user.bio,
    gender: user.gender,
    photo: photos.urlOf(user.photo),
    email: user.email,
    phone: user.phone,
    messenger_id: user.messenger_id,
    role: user.role,
    visible: user.visible,
    consents_missing,
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
  })

  /** A profile as others see it. */
  const view = (profile: Profile) => ({
    ...profile,
    photo: photos.urlOf(profile.photo),
    created_at: iso(profile.created_at),
  })

  return {
    /** The account as its owner sees it. The consents that are missing are looked up where the caller's are not known. */
    async me(userId: string, consentsMissing?: ConsentKind[]) {
      const user = await store.byId(userId)
      if (!user || user.deleted_at !== null) throw new Refusal('not_found', noSuchUser)
      return meOf(user, consentsMissing ?? (await consents.missing(userId)))
    },

    /** Changes what is given; null clears. */
    async change(caller: Caller, change: ProfileChange) {
      const tidied = tidyProfile(change)
      if (typeof tidied.photo === 'string') tidied.photo = photoOf(tidied.photo)
      const updated = await store.update(caller.id, tidied, now())
      if (updated === 'no_such_user') throw new Refusal('not_found', noSuchUser)
      if (updated === 'not_their_image') throw wrongPhoto()
      const { user, replaced_photo } = updated
      if (replaced_photo !== null && isImageId(replaced_photo)) await photos.drop([replaced_photo])
      await audit.note('profile', caller.id, caller.id, { fields: Object.keys(change) })
      return meOf(user, await consents.missing(user.id))
    },

    preferences: (caller: Caller) => store.preferences(caller.id),

    async savePreferences(caller: Caller, change: Partial<Preferences>) {
      const saved = await store.savePreferences(caller.id, tidyPreferences(change))
      if (!saved) throw notSignedIn()
      await audit.note('preferences', caller.id, caller.id, { fields: Object.keys(change) })
      return saved
    },

    /** What others may see of a user. Either side of a block finds nothing. */
    async byId(caller: Caller, userId: string) {
      const profile = await store.profile(userId)
      if (!profile || profile.name === null) throw new Refusal('not_found', noSuchUser)
      await blocking.hide(caller.id, userId, noSuchUser)
      return view(profile)
    },

    view,

    /** The public profiles of many users in one query, by id. Unknown ids are left out. */
    async byIds(userIds: readonly string[]) {
      const profiles = await store.profiles(userIds)
      return new Map(profiles.map((profile) => [profile.id, view(profile)]))
    },
  }
}

export const noSuchUser = 'There is no such user.'

export type PublicProfile = Awaited<ReturnType<Profiles['byId']>>

const wrongPhoto = () => invalid('/photo', 'Expected the id of an image that you uploaded, or an https URL')

function photoOf(photo: string): string {
  // What an answer gave as its URL is that image still: who sends a profile back as it was changes nothing.
  const imageId = (ourUrl.exec(photo)?.[1] ?? photo).toLowerCase()
  if (isImageId(imageId)) return imageId
  if (!URL.canParse(photo) || new URL(photo).protocol !== 'https:' || /\s/.test(photo)) throw wrongPhoto()
  return new URL(photo).href
}

// By whatever address, and with whatever is signed: such a URL ends within days, and an image is named by its id alone.
const ourUrl = /^(?:(?:https?:)?\/\/[^/?#]+)?\/+api\/v1\/media\/([0-9a-f-]{36})\?(?=.*\bsig=)/i
const isImageId = (photo: string) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(photo)

/** Text normalized as it is stored; an empty city or bio is none. */
export function tidyProfile<T extends ProfileChange>(change: T): T {
  const tidied = { ...change }
  if (typeof tidied.name === 'string') tidied.name = tidy(tidied.name)
  if (typeof tidied.city === 'string') tidied.city = tidy(tidied.city) || null
  if (typeof tidied.bio === 'string') tidied.bio = tidy(tidied.bio) || null
  return tidied
}

function tidyPreferences(change: Partial<Preferences>): Partial<Preferences> {
  const tidied: Partial<Preferences> = {}
  for (const kind of ['drinks', 'activities', 'purposes'] as const) {
    const entries = change[kind]?.map(tidy)
    if (!entries) continue
    const repeated = entries.findIndex((entry, index) => entries.indexOf(entry) < index)
    if (repeated >= 0) throw invalid(`/${kind}/${repeated}`, 'Expected no duplicates')
    tidied[kind] = entries
  }
  if (change.language !== undefined) {
    const tag = languageTag(change.language)
    if (tag === null) throw invalid('/language', 'Expected a BCP 47 language tag, such as en or pt-BR')
    tidied.language = tag
  }
  return tidied
}
