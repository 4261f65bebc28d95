import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { RoleRefusal } from '../people/rules.ts'
import type { Point } from '../location/sphere.ts'

export type Role = 'user' | 'moderator' | 'admin'
/**
 * The parts of a user that are hidden until reports about them are decided: `nearby` is the photo and their place in searches,
 * `profile` also the profile.
 */
export const hidings = ['nearby', 'profile'] as const
export type Hiding = (typeof hidings)[number]

export const genders = ['female', 'male', 'other'] as const
export type Gender = (typeof genders)[number]

/** An account as its owner sees it. Times are milliseconds. */
export type User = {
  id: string
  email: string | null
  email_verified_at: number | null
  phone: string | null
  messenger_id: string | null
  name: string | null
  city: string | null
  bio: string | null
  gender: Gender | null
  /** Id of an uploaded image, or the https URL from a messenger's login until it is fetched. */
  photo: string | null
  role: Role
  visible: boolean
  suspended_until: number | null
  suspended_reason: string | null
  hidden: Hiding | null
  /** Year and month of birth, `YYYY-MM`; null if they were never asked for. */
  birth_month: string | null
  /** Whether others see their age, and find them by it. */
  show_age: boolean
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** The public profile of a user. `name` is null if the account is erased. */
export type Profile = {
  id: string
  name: string | null
  city: string | null
  bio: string | null
  gender: Gender | null
  photo: string | null
  drinks: string[]
  activities: string[]
  purposes: string[]
  language: string
  rating_avg: number | null
  reviews_count: number
  created_at: number
  /** Year and month of birth, `YYYY-MM`, if the user shows their age. Absent in evidence from earlier releases. */
  shown_birth_month?: string | null
  /** The part that `shownProfile` hides from others. Absent in evidence from the previous release. */
  hidden?: Hiding | null
}

export type ProfileChange = Partial<Pick<User, 'name' | 'city' | 'bio' | 'gender' | 'photo' | 'show_age'>>

export type Preferences = { drinks: string[]; activities: string[]; purposes: string[]; language: string }

/** A user whom a search has found, and the published position at which it did. */
export type Found = Point & { user_id: string }

export type UserStore = {
  /** The account, erased ones included; null if there never was one. */
  byId(id: string): Promise<User | null>
  /** The public profile; null if there never was such a user. */
  profile(id: string): Promise<Profile | null>
  /** The public profiles of those ids, in no order; unknown ids are left out, erased users have no name. */
  profiles(ids: readonly string[]): Promise<Profile[]>
  /** The same for people whom a search has just found. */
  profilesOfFound(found: readonly Found[]): Promise<Profile[]>
  /**
   * Changes the given fields and returns the updated account, with the photo that was replaced. Changes nothing if there is
   * no such user (or an erased one), or if the photo is an image that the user did not upload. The webhooks about it go
   * into the outbox.
   */
  update(
    id: string,
    change: ProfileChange,
    now: number,
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<{ user: User; replaced_photo: string | null } | 'no_such_user' | 'not_their_image'>
  /**
   * Replaces the user's photo by an image of theirs. Returns false and changes nothing if the photo has changed since, or
   * the user is erased.
   */
  replacePhoto(
    id: string,
    from: string,
    to: string,
    now: number,
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<boolean>
  preferences(id: string): Promise<Preferences>
  /** Changes the given fields and returns the whole set; null if the account is erased. */
  savePreferences(
    id: string,
    change: Partial<Preferences>,
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<Preferences | null>
  /**
   * Updates the search index of up to `limit` people whose preferences an older release has written. Returns how many there
   * were.
   */
  foldPreferences(limit: number): Promise<number>
  /**
   * Sets the role of an account and stores the audit entry. Changes nothing and returns the reason if the actor may not
   * (`people/rules.ts`), or there is no such account.
   */
  setRole(
    id: string,
    role: Role,
    audit: AuditEntry,
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<'changed' | 'no_such_user' | RoleRefusal>
}
