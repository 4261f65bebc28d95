import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { RoleRefusal } from '../people/rules.ts'

export type Role = 'user' | 'moderator' | 'admin'
export type Gender = 'female' | 'male' | 'other'

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
  /** Id of an uploaded image. Or the https URL that a messenger's login has named, until somebody has fetched it. */
  photo: string | null
  role: Role
  visible: boolean
  suspended_until: number | null
  suspended_reason: string | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** What others may see of a user. `name` is null where the account is erased. */
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
}

export type ProfileChange = Partial<Pick<User, 'name' | 'city' | 'bio' | 'gender' | 'photo'>>

export type Preferences = { drinks: string[]; activities: string[]; purposes: string[]; language: string }

export type UserStore = {
  /** The account, erased ones included; null where there never was one. */
  byId(id: string): Promise<User | null>
  /** The public profile; null where there never was such a user. */
  profile(id: string): Promise<Profile | null>
  /** The public profiles of those ids, in no order; unknown ids are left out, erased users have no name. */
  profiles(ids: readonly string[]): Promise<Profile[]>
  /**
   * Changes what is given and answers the account as it is then, with the photo that this took away. Nothing changes
   * where there is no such user (or an erased one), or where the photo is an image that the user did not upload. The webhooks
   * about it go into the outbox.
   */
  update(
    id: string,
    change: ProfileChange,
    now: number,
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<{ user: User; replaced_photo: string | null } | 'no_such_user' | 'not_their_image'>
  /**
   * Shows an image of theirs in the place of a photo; false, and nothing changes, where their photo is another one by now, or
   * they are erased.
   */
  replacePhoto(id: string, from: string, to: string, now: number): Promise<boolean>
  preferences(id: string): Promise<Preferences>
  /** Changes what is given and answers the whole set; null where the account is erased. */
  savePreferences(
    id: string,
    change: Partial<Preferences>,
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<Preferences | null>
  /**
   * Brings what preferences are searched by in line with them, of up to so many people where it is not: an older release
   * has written them. Answers how many there were.
   */
  foldPreferences(limit: number): Promise<number>
  /**
   * Sets the role of an account at the time of the entry, and writes that; or neither, and why: its actor may not
   * (`people/rules.ts`), or there is no such account.
   */
  setRole(
    id: string,
    role: Role,
    audit: AuditEntry,
    webhooks?: readonly NewParcel<'webhook'>[],
  ): Promise<'changed' | 'no_such_user' | RoleRefusal>
}
