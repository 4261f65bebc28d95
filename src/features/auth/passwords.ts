import { Refusal } from '../../lib/refusal.ts'
import { semaphore, mutexPerKey } from '../../lib/semaphore.ts'

export type Passwords = ReturnType<typeof openPasswords>

/** What one Argon2id hash costs: KiB of memory, and passes over it. */
export type HashCost = { memoryCost: number; timeCost: number }

// OWASP's first choice for Argon2id: 46 MiB, one pass.
export const recommendedCost: HashCost = { memoryCost: 47104, timeCost: 1 }
// A salt and a hash that no known password has.
const dummySaltAndHash = 'dRz8VCxu/dSuVkSiVJaEvX5BQOSr+FQIJMCgQ27g3xg$wkrtFTaoRJBD21Jg2d3Rwfv3Yk+AOVi7p50NWlUQGwY'

// Two hashes keep two cores busy and cost 92 MiB; the queue is as long as users will wait.
const atOnce = 2
const waiting = 100

const busy = () =>
  new Refusal('busy', 'Too many people are logging in at once. Try again shortly.', undefined, { 'retry-after': '2' })

/** Hashes and checks passwords with Argon2id, a few at a time; refuses with 503 `busy` when too many wait. */
export function openPasswords(cost = recommendedCost) {
  const currentPrefix = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$`
  const dummyHash = currentPrefix + dummySaltAndHash
  const limited = semaphore({ atOnce, waiting, refuse: busy })
  /** Each holder has one place in that queue at a time, so that nobody can fill it. */
  const oneAtATime = mutexPerKey({ waiting, refuse: busy })

  const inTurn = <T>(holder: string, work: () => Promise<T>) => oneAtATime(holder, () => limited(work))

  return {
    /** The hash of a new password. Makes one of a holder at a time, such as an account or a network address. */
    hash: (holder: string, password: string): Promise<string> =>
      inTurn(holder, () => Bun.password.hash(password, { algorithm: 'argon2id', ...cost })),

    /**
     * Whether the password is right. Takes as long without a hash (an unknown account, or one without a password), so that
     * the time does not reveal which accounts exist. Checks one password of a holder at a time.
     */
    async matches(holder: string, password: string, stored: string | null): Promise<boolean> {
      const isRight = await inTurn(holder, () => Bun.password.verify(password, stored ?? dummyHash))
      return isRight && stored !== null
    },

    /** Whether the hash was made with other parameters than today's. */
    isOutdated: (stored: string) => !stored.startsWith(currentPrefix),
  }
}
