import { isDeepStrictEqual } from 'node:util'
import { type FieldErrorCode, invalid, Refusal } from '../../lib/refusal.ts'
import { languageTag, tidy, tidyLabel } from '../../lib/text.ts'
import { iso } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller } from '../auth/callers.ts'
import type { Consents } from '../auth/consents.ts'
import type { ConsentKind } from '../auth/store.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { Filter } from '../filter/service.ts'
import type { Blocking } from '../safety/blocking.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { shownAge, shownProfile } from './rules.ts'
import type { Found, Preferences, Profile, ProfileChange, User, UserStore } from './store.ts'

export type Profiles = ReturnType<typeof profileService>

type Photos = {
  /** The URLs of a profile's photo, from its stored form. */
  profilePhoto(photo: string | null): { photo: string | null; photo_thumb: string | null }
  /** The same for its owner only, even if it is hidden from others. */
  ownProfilePhoto(photo: string | null): { photo: string | null; photo_thumb: string | null }
  /** Why a user may not show an image that is not theirs. */
  problemOf(imageId: string): Promise<FieldErrorCode>
  /** Removes those of the images that nothing shows any longer. */
  drop(imageIds: readonly string[]): Promise<void>
}

type Deps = {
  store: UserStore
  filter: Pick<Filter, 'text' | 'photo' | 'report'>
  consents: Consents
  photos: Photos
  blocking: Blocking
  webhooks: Webhooks
  audit: Audit
  now: () => number
}

export function profileService({ store, filter, consents, photos, blocking, webhooks, audit, now }: Deps) {
  const updated = (id: string, fields: string[]) => webhooks.about('user.updated', id, { user_id: id, fields })

  const meOf = (user: User, consents_missing: ConsentKind[]) => ({
    id: user.id,
    name: user.name,
    city: user.city,
    bio: user.bio,
    gender: user.gender,
    ...(user.hidden === null ? photos.profilePhoto(user.photo) : photos.ownProfilePhoto(user.photo)),
    email: user.email,
    email_verified: user.email !== null && user.email_verified_at !== null,
    phone: user.phone,
    messenger_id: user.messenger_id,
    role: user.role,
    visible: user.visible,
    hidden: user.hidden,
    birth_month: user.birth_month,
    show_age: user.show_age,
    consents_missing,
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
  })

  const view = ({ hidden: _, shown_birth_month, ...profile }: Profile) => ({
    ...profile,
    age: shownAge(shown_birth_month, now()),
    ...photos.profilePhoto(profile.photo),
    created_at: iso(profile.created_at),
  })

  const shownById = (profiles: readonly Profile[]) =>
    new Map(profiles.map((profile) => [profile.id, view(shownProfile(profile))]))

  return {
    /** The account as its owner sees it. Looks up the missing consents unless they are given. */
    async me(userId: string, consentsMissing?: ConsentKind[]) {
      const user = await store.byId(userId)
      if (!user || user.deleted_at !== null) throw new Refusal('not_found', noSuchUser)
      return meOf(user, consentsMissing ?? (await consents.missing(userId)))
    },

    /** Changes the given fields; null clears a field. */
    async change(caller: Caller, change: ProfileChange) {
      const tidied = tidyProfile(change)
      if (typeof tidied.photo === 'string') tidied.photo = photoOf(tidied.photo)
      const before = await store.byId(caller.id)
      if (tidied.show_age && before?.birth_month === null)
        throw invalid('/show_age', 'Your date of birth is not known', 'not_allowed')
      const changed = before === null ? tidied : changedFields(before, tidied)
      if (before && Object.keys(changed).length === 0) return meOf(before, caller.consents_missing)
      const verdicts = [
        await filter.text('name', caller.id, changed.name),
        await filter.text('bio', caller.id, changed.bio),
        ...(changed.photo == null ? [] : [await filter.photo(caller.id, changed.photo)]),
      ]
      const outcome = await store.update(caller.id, changed, now(), updated(caller.id, Object.keys(changed)))
      if (outcome === 'no_such_user') throw new Refusal('not_found', noSuchUser)
      if (outcome === 'not_their_image') throw wrongPhoto(await photos.problemOf(tidied.photo!))
      const { user, replaced_photo } = outcome
      if (replaced_photo !== null && isImageId(replaced_photo)) await photos.drop([replaced_photo])
      await audit.fold('profile', caller.id, caller.id, { fields: Object.keys(changed) })
      await filter.report('user', caller.id, { flags: verdicts.flatMap(({ flags }) => flags) })
      return meOf(user, caller.consents_missing)
    },

    preferences: (caller: Caller) => store.preferences(caller.id),

    async savePreferences(caller: Caller, change: Partial<Preferences>) {
      const before = await store.preferences(caller.id)
      const changed = changedFields(before, tidyPreferences(change))
      if (Object.keys(changed).length === 0) return before
      const saved = await store.savePreferences(caller.id, changed, updated(caller.id, Object.keys(changed)))
      if (!saved) throw notSignedIn()
      await audit.fold('preferences', caller.id, caller.id, { fields: Object.keys(changed) })
      return saved
    },

    /** Updates the search index of preferences that an older release has written. Returns how many people had such. */
    async foldPreferences(): Promise<number> {
      let folded = 0
      for (;;) {
        const found = await store.foldPreferences(foldedAtOnce)
        folded += found
        if (found < foldedAtOnce) return folded
      }
    },

    /** A user's profile as others may see it. Refuses with 404 across a block. */
    async byId(caller: Caller, userId: string) {
      const profile = await store.profile(userId)
      if (!profile || profile.name === null) throw new Refusal('not_found', noSuchUser)
      if (profile.hidden && caller.id === userId) return { ...view(profile), ...photos.ownProfilePhoto(profile.photo) }
      if (profile.hidden === 'profile') throw new Refusal('not_found', noSuchUser)
      await blocking.hide(caller.id, userId, noSuchUser)
      return view(shownProfile(profile))
    },

    /** Whether a user's profile is hidden until a report about them is decided. */
    isHidden: async (userId: string) => (await store.profile(userId))?.hidden === 'profile',

    /** A complete profile, including hidden parts, for moderators. */
    view,

    /** The public profiles of many users in one query, by id. Unknown ids are left out. */
    byIds: async (userIds: readonly string[]) => shownById(await store.profiles(userIds)),

    /** The same for people whom a search has just found. */
    ofFound: async (found: readonly Found[]) => shownById(await store.profilesOfFound(found)),
  }
}

export const noSuchUser = 'There is no such user.'

export type PublicProfile = Awaited<ReturnType<Profiles['byId']>>

// Few at once, because other writes wait meanwhile.
const foldedAtOnce = 100
const wrongPhoto = (code: FieldErrorCode) => invalid('/photo', 'Expected the id of an image that you uploaded', code)

function photoOf(photo: string): string {
  // A signed URL from our answers also names the image, so that a client can send a profile back unchanged.
  const imageId = (ourUrl.exec(photo)?.[1] ?? photo).toLowerCase()
  // Any other URL is refused, because its host would learn who views the profile.
  if (!isImageId(imageId)) throw wrongPhoto('not_yours')
  return imageId
}

// Matches any host and any signature, even an expired one: only the id counts.
const ourUrl = /^(?:(?:https?:)?\/\/[^/?#]+)?\/+api\/v1\/media\/([0-9a-f-]{36})\?(?=.*\bsig=)/i
const isImageId = (photo: string) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(photo)

/** The fields of a change whose values differ from before. Storing and announcing the others would be a waste. */
function changedFields<T extends object>(before: T, change: Partial<T>): Partial<T> {
  const changed: Partial<T> = {}
  for (const name in change)
    if (change[name] !== undefined && !isDeepStrictEqual(change[name], before[name])) changed[name] = change[name]
  return changed
}

/** Normalizes the texts of a profile; an empty city or bio becomes null. */
export function tidyProfile<T extends ProfileChange>(change: T): T {
  const tidied = { ...change }
  if (typeof tidied.name === 'string') tidied.name = tidyLabel(tidied.name)
  if (typeof tidied.city === 'string') tidied.city = tidyLabel(tidied.city) || null
  if (typeof tidied.bio === 'string') tidied.bio = tidy(tidied.bio) || null
  return tidied
}

function tidyPreferences(change: Partial<Preferences>): Partial<Preferences> {
  const tidied: Partial<Preferences> = {}
  for (const kind of ['drinks', 'activities', 'purposes'] as const) {
    const entries = change[kind]?.map(tidyLabel)
    if (!entries) continue
    const repeated = entries.findIndex((entry, index) => entries.indexOf(entry) < index)
    if (repeated >= 0) throw invalid(`/${kind}/${repeated}`, 'Expected no duplicates', 'duplicate')
    tidied[kind] = entries
  }
  if (change.language !== undefined) {
    const tag = languageTag(change.language)
    if (tag === null) throw invalid('/language', 'Expected a BCP 47 language tag, such as en or pt-BR', 'format')
    tidied.language = tag
  }
  return tidied
}
