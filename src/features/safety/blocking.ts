import { Refusal, unknownId } from '../../lib/refusal.ts'
import type { BlockStore } from './store.ts'

export type Blocking = ReturnType<typeof blocking>

/** The rule of blocks: a block works both ways and at once. Every path that brings two people together must check it here. */
export function blocking({ store }: { store: Pick<BlockStore, 'between' | 'among'> }) {
  return {
    /** Whether either has blocked the other. */
    async between(a: string, b: string): Promise<boolean> {
      if (a === b) return false
      const { by_a, by_b } = await store.between(a, b)
      return by_a || by_b
    },

    /** Those of the others who have blocked the user or are blocked by them. */
    among: (userId: string, others: readonly string[]) => store.among(userId, others),

    /** Refuses with 404, as if the other user did not exist. */
    async hide(callerId: string, userId: string, detail: string) {
      if (await this.between(callerId, userId)) throw new Refusal('not_found', detail)
    },

    /** Refuses a message in an existing chat with 403 `blocked`, whoever blocked whom. */
    async refuseContact(callerId: string, userId: string) {
      if (await this.between(callerId, userId)) throw blocked()
    },

    /** Refuses a first contact: with 404 if the other user has blocked the caller, with 403 `blocked` if the caller has. */
    async refuseFirstContact(callerId: string, userId: string) {
      const { by_a, by_b } = await store.between(callerId, userId)
      if (by_b) throw unknownId('/user_id', 'There is no such user.')
      if (by_a) throw new Refusal('blocked', 'You have blocked this user.')
    },
  }
}

export const blocked = () => new Refusal('blocked', 'One of you has blocked the other.')
