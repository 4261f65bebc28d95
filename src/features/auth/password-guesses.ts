import { holderOf, type Limits, networkHolderOf } from '../../lib/rate-limits.ts'

/**
 * Counts the wrong passwords that one address, and loosely the network around it, has tried for an account; `account` is its
 * id, or what it was called by where there is none. Never by account alone: a stranger could lock it.
 */
export function passwordGuesses(limits: Limits, account: string, address: string) {
  const holder = `${account} ${holderOf(address)}`
  const network = `${account} ${networkHolderOf(address)}`
  return {
    /** Refuses with 429 where too many have failed. */
    async check(): Promise<void> {
      await Promise.all([limits.check('password', holder), limits.check('password_network', network)])
    },
    /** Refuses with 429 where this one was too many. */
    async countFailure(): Promise<void> {
      await Promise.all([limits.take('password', holder), limits.take('password_network', network)])
    },
    /** The right password forgets what this address failed, but not the network: others in it may be guessing. */
    forgive: () => limits.reset('password', holder),
  }
}
