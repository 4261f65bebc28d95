import { holderOf, type Limits, networkHolderOf } from '../../lib/rate-limits.ts'

/**
 * Counts the wrong passwords for an account per address and, with a higher limit, per network around it. `account` is its
 * id, or the name that was given if there is no such account. Nothing counts by account alone: a stranger could lock it.
 */
export function passwordGuesses(limits: Limits, account: string, address: string) {
  const holder = `${account} ${holderOf(address)}`
  const network = `${account} ${networkHolderOf(address)}`
  return {
    /** Refuses with 429 after too many failures. */
    async check(): Promise<void> {
      await Promise.all([limits.check('password', holder), limits.check('password_network', network)])
    },
    /** Refuses with 429 if this failure was one too many. */
    async countFailure(): Promise<void> {
      await Promise.all([limits.take('password', holder), limits.take('password_network', network)])
    },
    /** Resets the count of this address, but not of its network, in which others may be guessing. */
    forgive: () => limits.reset('password', holder),
  }
}
