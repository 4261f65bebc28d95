import { rateLimited } from '../../lib/rate-limits.ts'
import { days } from '../../lib/time.ts'
import { mutexPerKey } from '../../lib/semaphore.ts'
import type { Point } from './sphere.ts'

export type SearchBudget = ReturnType<typeof searchBudget>

/** What an account's searches are limited by, per day. */
export type Counted = 'places' | 'people'

/**
 * Counts these things for an account today, on all nodes together: all of them, or none if the total would be more than `most`.
 * Returns null, or in how many milliseconds there is room again. Rejects if the shared count is not available.
 */
export type SharedBudget = (
  what: Counted,
  userId: string,
  things: readonly (string | number)[],
  most: number,
) => Promise<number | null>

const most: Record<Counted, number> = { places: 500, people: 3000 }
// Cells of 0.01°, about a kilometre: moving within one is not counted.
const cellsPerDegree = 100
// The numbers of each kind in the memory of this process, 32 MiB. An account with a used-up budget takes 8,192 of them.
const mostRemembered = 2 ** 23
/** How many searches of an account may wait for the running one. */
const waiting = 9

type Deps = {
  enabled: boolean
  now: () => number
  /** Null if this is the only node. */
  shared?: SharedBudget | null
  /** How many numbers of each kind are remembered. Beyond that, the accounts whose day began first are forgotten. */
  remembers?: number
}

/**
 * Limits an account to searches around 500 different places and 3,000 different people a day: enough for a traveller, too
 * few to map a country's people. The day starts at an account's first search; nothing finer than the cell is kept. An
 * account has one search running at a time on each node.
 */
export function searchBudget({ enabled, now, shared = null, remembers = mostRemembered }: Deps) {
  const spendInMemory = budgetInMemory(now, remembers)
  const oneAtATime = mutexPerKey({ waiting, refuse: () => refusalOf(waiting + 1, 1000) })

  /** Returns a promise only if several nodes count together. */
  function spend(what: Counted, userId: string, things: readonly (string | number)[]): void | Promise<void> {
    if (!enabled || things.length === 0) return
    const spendHere = () => spendInMemory(what, userId, things, most[what])
    const refuseWhere = (waitMs: number | null) => {
      if (waitMs !== null) throw refusalOf(most[what], waitMs)
    }
    if (!shared) return refuseWhere(spendHere())
    return shared(what, userId, things, most[what]).catch(spendHere).then(refuseWhere)
  }

  return {
    /** Refuses with 429 the 501st place of a day. */
    spend(userId: string, { latitude, longitude }: Point): void | Promise<void> {
      const row = Math.floor((latitude + 90) * cellsPerDegree)
      const cell = row * 360 * cellsPerDegree + Math.floor((longitude + 180) * cellsPerDegree)
      return spend('places', userId, [cell])
    },

    /** Refuses with 429 to show the 3,001st different person of a day. */
    show: (userId: string, people: readonly string[]): void | Promise<void> => spend('people', userId, people),

    /** Runs the work after the account's previous search. Refuses with 429 if ten are in progress. */
    oneAtATime: <T>(userId: string, work: () => Promise<T>): Promise<T> =>
      enabled ? oneAtATime(userId, work) : work(),
  }
}

/** Counts in the memory of this process, like a SharedBudget that answers at once. */
export function budgetInMemory(now: () => number, remembers = mostRemembered) {
  const counted = { places: dailyNumbers(now, remembers), people: dailyNumbers(now, remembers) }
  return (what: Counted, userId: string, things: readonly (string | number)[], most: number): number | null =>
    counted[what].add(userId, things.map(numberOf), most)
}

const refusalOf = (limit: number, waitMs: number) =>
  rateLimited({ limit, remaining: 0, resetS: Math.max(1, Math.ceil(waitMs / 1000)) })

/** For one account, one in a million collides and is not counted. */
const numberOf = (thing: string | number) => (typeof thing === 'number' ? thing : Bun.hash.xxHash32(thing))

/** Remembers numbers below 2^32 for each account, for a day after its first one. */
function dailyNumbers(now: () => number, remembers: number) {
  const accounts = new Map<string, { since: number; numbers: NumberSet }>()
  let remembered = 0

  function forget(userId: string) {
    remembered -= accounts.get(userId)!.numbers.size()
    accounts.delete(userId)
  }

  return {
    /** Returns the same as `SharedBudget`. */
    add(userId: string, numbers: readonly number[], most: number): number | null {
      const at = now()
      let account = accounts.get(userId)
      if (account && (at - account.since >= days || at < account.since)) {
        forget(userId)
        account = undefined
      }
      if (!account) {
        account = { since: at, numbers: numberSet() }
        accounts.set(userId, account)
        remembered += account.numbers.size()
      }
      const { numbers: known, since } = account
      const fresh = new Set(numbers.filter((number) => !known.has(number)))
      if (known.count() + fresh.size > most) return since + days - at
      const before = known.size()
      for (const number of fresh) known.add(number)
      remembered += known.size() - before
      // The day of the account that was added first also ends first.
      for (const oldest of accounts.keys()) {
        if (remembered <= remembers) break
        forget(oldest)
      }
      return null
    },
  }
}

type NumberSet = ReturnType<typeof numberSet>

/** A set of numbers below 2^32, by open addressing: 8 to 16 bytes each, where a Set takes some 40. */
function numberSet() {
  // 0 marks an empty slot, so the number 0 is stored as 1.
  let places = new Uint32Array(16)
  let count = 0
  const keyOf = (number: number) => number || 1

  function placeOf(key: number): number {
    let i = Math.imul(key, 0x9e3779b1) >>> 0
    for (i %= places.length; places[i] !== 0 && places[i] !== key;) i = (i + 1) % places.length
    return i
  }

  return {
    count: () => count,
    /** How many slots it has. */
    size: () => places.length,
    has: (number: number) => places[placeOf(keyOf(number))] !== 0,
    add(number: number) {
      const key = keyOf(number)
      const place = placeOf(key)
      if (places[place] !== 0) return
      places[place] = key
      if (++count * 2 <= places.length) return
      const before = places
      places = new Uint32Array(2 * before.length)
      for (const kept of before) if (kept !== 0) places[placeOf(kept)] = kept
    },
  }
}
