import { Refusal } from '../../lib/refusal.ts'
import type { Caller } from '../auth/callers.ts'
import type { SecondFactor } from '../passkeys/second-factor.ts'
import { noSuchUser } from '../profile/service.ts'
import type { Role } from '../profile/store.ts'
import type { CaseRefusal } from './rules.ts'
import type { ModerationStore, Standing } from './store.ts'

export type Moderator = Standing & { role: Exclude<Role, 'user'> }

export type Admin = Moderator & { role: 'admin' }

/** Who works at the command line: no account, and everything that an admin may. */
export const operator = { id: null, role: 'admin' } as const

export type Moderators = ReturnType<typeof openModerators>

type Deps = { store: Pick<ModerationStore, 'standing'>; secondFactor: SecondFactor }

/** Who may moderate, and whom a decision concerns. */
export function openModerators({ store, secondFactor }: Deps) {
  /** Somebody as a moderator, or 403 `forbidden`, whatever they signed in with. */
  async function moderatorById(id: string): Promise<Moderator> {
    const status = await store.standing(id)
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
     * The caller as a moderator, or 403 `forbidden`, or `second_factor_required` where STAFF_PASSKEY asks for one. The guard reads the role once for each request, so that a role that is
     * withdrawn, on any node, ends at once. A decision reads it again in its own transaction.
     */
    moderatorOf,

    /** The same for what ends in a role, a person's data or a setting: 403 `forbidden` for moderators too. */
    async adminOf(caller: Caller): Promise<Admin> {
      const moderator = await moderatorOf(caller)
      if (moderator.role !== 'admin') throw new Refusal('forbidden', 'This is for admins.')
      return { ...moderator, role: moderator.role }
    },

    /** A user who is not erased, or 404. */
    async userOf(userId: string): Promise<Standing> {
      const user = await store.standing(userId)
      if (!user || user.deleted_at !== null) throw new Refusal('not_found', noSuchUser)
      return user
    },

    /** The same, but null for a subject who is unknown or erased. */
    async userOrNull(userId: string | null): Promise<Standing | null> {
      const user = userId === null ? null : await store.standing(userId)
      return user && user.deleted_at === null ? user : null
    },
  }
}

const reasons: Record<CaseRefusal, string> = {
  no_moderator: 'This is for moderators.',
  own_case: 'Nobody decides about themselves or what they have reported: ask another moderator.',
  for_admins: 'Only an admin decides about a moderator or an admin.',
  suspends_admin: 'An admin cannot be suspended.',
  decided_before: 'You made the decision that this appeal is against: it is for another moderator.',
}

export const notAllowed = (why: CaseRefusal) => new Refusal('forbidden', reasons[why])

/** Nobody reads or decides a case that concerns themselves. */
export function refuseOwnCase(moderator: Moderator, concernedId: string | null | undefined) {
  if (concernedId === moderator.id) throw notAllowed('own_case')
}
