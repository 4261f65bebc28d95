import { Refusal, unknownId } from '../../lib/refusal.ts'
import type { BlockStore } from './store.ts'

export type Blocking = ReturnType<typeof blocking>

/** The one rule of blocks: it works both ways, at once. Every path that brings two people together asks here. */
export function blocking({ store }: { store: Pick<BlockStore, 'between' | 'among'> }) {
  return {
    /** Whether either has blocked the other. */
    async between(a: string, b: string): Promise<boolean> {
      if (a === b) return false
      const { by_a, by_b } = await store.between(a, b)
      return by_a || by_b
    },

    /** Those of the others with whom there is a block, either way. */
    among: (userId: string, others: readonly string[]) => store.among(userId, others),

    /** Refuses as if the other one did not exist: 404. */
    async hide(callerId: string, userId: string, detail: string) {
      if (await this.between(callerId, userId)) throw new Refusal('not_found', detail)
    },

    /** Refuses what goes into an existing chat: 403 `blocked`, whoever blocked whom. */
    async refuseContact(callerId: string, userId: string) {
      if (await this.between(callerId, userId)) throw blocked()
    },

    /** For a first contact: 404 for whom the other one has blocked, 403 `blocked` for who blocked the other one. */
    async refuseFirstContact(callerId: string, userId: string) {
      const { by_a, by_b } = await store.between(callerId, userId)
      if (by_b) throw unknownId('/user_id', 'There is no such user.')
      if (by_a) throw new Refusal('blocked', 'You have blocked this user.')
    },
  }
}

export const blocked = () => new Refusal('blocked', 'One of you has blocked the other.')
