import { Refusal } from '../../refusal.ts'
import type { Caller } from '../auth/callers.ts'
import { noSuchUser } from '../profile/service.ts'
import type { Role } from '../profile/store.ts'
import type { ModerationStore, Standing } from './store.ts'

export type Moderator = { id: string; role: Role }

export type Standings = ReturnType<typeof openStandings>

/** Who may judge, and who is judged. */
export function openStandings({ store }: { store: Pick<ModerationStore, 'standing'> }) {
  return {
    /**
     * The caller as a moderator, or 403 `forbidden`. The role is read at every call: who is no moderator any more is none
     * at once, also where another process says so.
     */
    async moderatorOf(caller: Caller): Promise<Moderator> {
      const standing = await store.standing(caller.id)
      if (standing?.role !== 'moderator' && standing?.role !== 'admin')
        throw new Refusal('forbidden', 'This is for moderators.')
      return standing
    },

    /** Somebody whose account is there, or 404. */
    async userOf(userId: string): Promise<Standing> {
      const user = await store.standing(userId)
      if (!user || user.deleted_at !== null) throw new Refusal('not_found', noSuchUser)
      return user
    },

    /** The same for a subject who may be unknown or erased: null then. */
    async userOrNull(userId: string | null): Promise<Standing | null> {
      const user = userId === null ? null : await store.standing(userId)
      return user && user.deleted_at === null ? user : null
    },
  }
}

export const isSuspended = (user: Standing, now: number) => user.suspended_until !== null && user.suspended_until > now

/** Nobody judges what concerns themselves. */
export function refuseOwnCase(moderator: Moderator, concernedId: string | null | undefined) {
  if (concernedId === moderator.id)
    throw new Refusal('forbidden', 'Nobody decides about themselves: ask another moderator.')
}

/** Moderators and admins are for admins to decide about. */
export function refuseRank(moderator: Moderator, user: Standing) {
  if (user.role !== 'user' && moderator.role !== 'admin')
    throw new Refusal('forbidden', 'Only an admin decides about a moderator or an admin.')
}

/** The same, and nobody suspends an admin. */
export function refuseSuspension(moderator: Moderator, user: Standing) {
  refuseRank(moderator, user)
  if (user.role === 'admin') throw new Refusal('forbidden', 'An admin cannot be suspended.')
}
