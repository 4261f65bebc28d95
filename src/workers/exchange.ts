import type { SharedBudget } from '../features/location/search-budget.ts'
import { type Counter, inMemory } from '../lib/rate-limits.ts'
import type { Listener } from '../realtime/nodes.ts'
import type { Remote } from './link.ts'

/** What a thread can be told by the others. */
export type Told = Pick<Listener, 'stored' | 'relayed' | 'close' | 'forget' | 'rulesChanged' | 'announced'>

/** Those that nobody waits for. */
export const toldAtOnce = ['stored', 'relayed'] as const satisfies (keyof Told)[]

/** A thread, as the exchange sees it. */
type Member = Remote<Told>

export type Exchange = ReturnType<typeof openExchange>
/** What the exchange offers each thread. */
export type Desk = ReturnType<Exchange['join']>
/** Those that nobody waits for. */
export const deskToldAtOnce = ['stored', 'relay', 'close'] as const satisfies (keyof Desk)[]

// Claims are forgotten, oldest first, beyond this number. They last a second.
const mostClaims = 10_000

/**
 * What the threads of one server tell each other and count together, kept in the memory of the main thread. It does for
 * threads what Redis does for nodes: see `Nodes`.
 */
export function openExchange({ budget }: { budget: (...spent: Parameters<SharedBudget>) => number | null }) {
  const members = new Set<Member>()
  /** The threads where a user has sockets, and whether one of these is in the foreground. */
  const online = new Map<string, Map<Member, boolean>>()
  const counters = new Map<string, ReturnType<Counter>>()
  const claimedAt = new Map<string, number>()

  function counterOf(name: string, points: number, duration: number) {
    const key = `${name} ${points}/${duration}`
    const counter = counters.get(key) ?? inMemory({ name, points, duration })
    counters.set(key, counter)
    return counter
  }

  return {
    /** Adds a thread. */
    join(member: Member) {
      members.add(member)
      const without = (some: Iterable<Member>) => [...some].filter((one) => one !== member)
      const withSocketsOf = (userId: string) => without(online.get(userId)?.keys() ?? [])
      /** Resolves when all others have been told. */
      const tellOthers = async (tell: (other: Member) => Promise<void>) => {
        await Promise.all(without(members).map(tell))
      }

      return {
        stored(events: readonly { user_id: string; seq: number }[]) {
          for (const { user_id, seq } of events)
            for (const other of withSocketsOf(user_id)) void other.stored(user_id, seq)
        },

        relay(userId: string, frame: string) {
          for (const other of withSocketsOf(userId)) void other.relayed(userId, frame)
        },

        close: (userId: string, sessionId: string | null, reason: string) =>
          tellOthers((other) => other.close(userId, sessionId, reason)),
        forget: (userId: string) => tellOthers((other) => other.forget(userId)),
        rulesChanged: () => tellOthers((other) => other.rulesChanged()),
        announced: () => tellOthers((other) => other.announced()),

        /**
         * Whether the thread has sockets of a user now. Answers whether that is a change, and whether the user has come
         * online or gone offline by it.
         */
        presence(userId: string, isHere: boolean, isForeground: boolean) {
          const threads = online.get(userId) ?? new Map<Member, boolean>()
          const isChange = threads.has(member) !== isHere
          if (isHere) threads.set(member, isForeground)
          else threads.delete(member)
          if (threads.size > 0) online.set(userId, threads)
          else online.delete(userId)
          return { isChange, cameOrWent: isChange && withSocketsOf(userId).length === 0 }
        },

        onlineElsewhere: (userIds: readonly string[]) => userIds.filter((userId) => withSocketsOf(userId).length > 0),

        foregroundElsewhere: (userId: string) =>
          withSocketsOf(userId).some((other) => online.get(userId)?.get(other) === true),

        isFirst(name: string, at: number, everyMs: number): boolean {
          const last = claimedAt.get(name)
          if (last !== undefined && at >= last && at - last < everyMs) return false
          claimedAt.delete(name)
          claimedAt.set(name, at)
          const [oldest] = claimedAt.keys()
          if (claimedAt.size > mostClaims && oldest !== undefined) claimedAt.delete(oldest)
          return true
        },

        /** Answers what is left of a limit, and whether this one is over it. */
        async consume(name: string, points: number, duration: number, key: string) {
          const state = await counterOf(name, points, duration)
            .consume(key)
            .catch((over: Awaited<ReturnType<ReturnType<Counter>['consume']>>) => over)
          return countedIn(state)
        },

        async consumed(name: string, points: number, duration: number, key: string) {
          const state = await counterOf(name, points, duration).get(key)
          return state === null ? null : countedIn(state)
        },

        reset: (name: string, points: number, duration: number, key: string) =>
          counterOf(name, points, duration).delete(key),

        budget,
      }
    },
  }
}

/** What is counted of a limit. */
export type Counted = { remainingPoints: number; msBeforeNext: number; consumedPoints: number }

/** As plain data: an instance of the library's class loses its getters on the way to another thread. */
const countedIn = ({ remainingPoints, msBeforeNext, consumedPoints }: Counted): Counted => ({
  remainingPoints,
  msBeforeNext,
  consumedPoints,
})
