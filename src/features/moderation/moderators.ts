import { Refusal } from '../../lib/refusal.ts'
import type { Caller } from '../auth/callers.ts'
import type { SecondFactor } from '../passkeys/second-factor.ts'
import { noSuchUser } from '../profile/service.ts'
import type { Role } from '../profile/store.ts'
import type { CaseRefusal } from './rules.ts'
import type { ModerationStore, ModerationStatus } from './store.ts'

export type Moderator = ModerationStatus & { role: Exclude<Role, 'user'> }

export type Admin = Moderator & { role: 'admin' }

/** The operator at the command line, who has no account and the rights of an admin. */
export const operator = { id: null, role: 'admin' } as const

export type Moderators = ReturnType<typeof openModerators>

type Deps = { store: Pick<ModerationStore, 'moderationStatus'>; secondFactor: SecondFactor }

/** Finds and checks moderators, and the users whom decisions concern. */
export function openModerators({ store, secondFactor }: Deps) {
  /** The user as a moderator, without a check of the second factor. Refuses anybody else with 403 `forbidden`. */
  async function moderatorById(id: string): Promise<Moderator> {
    const status = await store.moderationStatus(id)
    if (status?.role !== 'moderator' && status?.role !== 'admin') throw notAllowed('no_moderator')
    return { ...status, role: status.role }
  }

  async function moderatorOf(caller: Caller): Promise<Moderator> {
    const moderator = await moderatorById(caller.id)
    secondFactor.require(caller, moderator.role)
    return moderator
  }

  return {
    moderatorById,

    /**
     * The caller as a moderator. Refuses with 403 `forbidden`, or `second_factor_required` if STAFF_PASSKEY requires a passkey.
     * The guard reads the role for each request, so that withdrawing it on any node takes effect at once. A decision reads it
     * again in its own transaction.
     */
    moderatorOf,

    /** The same for admins: moderators are refused with 403 `forbidden` too. */
    async adminOf(caller: Caller): Promise<Admin> {
      const moderator = await moderatorOf(caller)
      if (moderator.role !== 'admin') throw new Refusal('forbidden', 'This is for admins.')
      return { ...moderator, role: moderator.role }
    },

    /** A user who is not erased, or 404. */
    async userOf(userId: string): Promise<ModerationStatus> {
      const user = await store.moderationStatus(userId)
      if (!user || user.deleted_at !== null) throw new Refusal('not_found', noSuchUser)
      return user
    },

    /** The same, but null for an unknown or erased user. */
    async userOrNull(userId: string | null): Promise<ModerationStatus | null> {
      const user = userId === null ? null : await store.moderationStatus(userId)
      return user && user.deleted_at === null ? user : null
    },
  }
}

const reasons: Record<CaseRefusal, string> = {
  no_moderator: 'This is for moderators.',
  own_case: 'Nobody decides about themselves or what they have reported: ask another moderator.',
  for_admins: 'Only an admin decides about a moderator or an admin.',
  suspends_admin: 'An admin cannot be suspended.',
  decided_before: 'You made the decision that this appeal is against: another moderator has to decide it.',
}

export const notAllowed = (why: CaseRefusal) => new Refusal('forbidden', reasons[why])

/** Nobody reads or decides a case that concerns themselves. */
export function refuseOwnCase(moderator: Moderator, concernedId: string | null | undefined) {
  if (concernedId === moderator.id) throw notAllowed('own_case')
}
