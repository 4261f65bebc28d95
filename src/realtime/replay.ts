import { Refusal } from '../refusal.ts'
import { iso } from '../time.ts'
import { together } from '../together.ts'
import type { EventStore, StoredEvent } from './store.ts'

export type Replay = ReturnType<typeof replay>

/** An event as it goes out, on a socket or in `GET /sync`. `at` is ISO 8601. */
export type Frame = { type: string; seq: number; at: string; data: unknown }

/** What an event refers to, and who is to see it. */
export type Shown = { viewer_id: string; ref: string }

/** Shows what events of a type refer to, as it is now: a view for each, in that order, and undefined for what is gone. */
export type EventViews = Record<string, (shown: readonly Shown[]) => Promise<unknown[]>>

/** A user's events after `since`, `limit` of them at most. */
type Missed = { user_id: string; since: number; limit: number }

// Of how many users events are read at once.
const usersAtOnce = 100

type Deps = {
  store: EventStore
  views: EventViews
  /** Whether what is asked for in one turn is read together, as when many sockets come back at once. */
  gathers: boolean
}

/** Reads back what users missed. */
export function replay({ store, views, gathers }: Deps) {
  /** As they show now: one question for all events of a type, whoever they are of. */
  async function framesOf(users: readonly Missed[]): Promise<Frame[][]> {
    const events = await store.afterEach(users)
    const wanted = new Map<string, Shown[]>()
    for (const [i, ofUser] of events.entries())
      for (const { type, ref } of ofUser) {
        if (ref === null) continue
        const shown = { viewer_id: users[i]!.user_id, ref }
        const ofType = wanted.get(type)
        if (ofType) ofType.push(shown)
        else wanted.set(type, [shown])
      }
    const shown = new Map(
      await Promise.all(
        [...wanted].map(async ([type, ofType]) => {
          const view = views[type]
          if (!view) throw new Error(`events of type ${type} have no view`)
          return [type, (await view(ofType)).values()] as const
        }),
      ),
    )
    const frameOf = ({ type, seq, at, ref, data }: StoredEvent): Frame => ({
      type,
      seq,
      at: iso(at),
      // What is gone leaves its number, so that nobody finds a gap.
      data: ref === null ? data : (shown.get(type)!.next().value ?? { id: ref, deleted: true }),
    })
    return events.map((ofUser) => ofUser.map(frameOf))
  }

  /** An error in the place of what cannot be shown to one of them. */
  async function afterEach(users: readonly Missed[]): Promise<(Frame[] | Error)[]> {
    try {
      return await framesOf(users)
    } catch (error) {
      // Storage is away, or there are no others.
      if (error instanceof Refusal || users.length === 1) throw error
      const alone = await Promise.allSettled(users.map((user) => framesOf([user])))
      return alone.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value[0]! : asError(outcome.reason)))
    }
  }

  const framesAfter = gathers ? together(afterEach, usersAtOnce) : async (user: Missed) => (await framesOf([user]))[0]!

  return {
    /** Number of the newest event, and whether everything after `since` is still there. */
    async state(userId: string, since: number | null): Promise<{ seq: number; resume: 'fresh' | 'ok' | 'gap' }> {
      const { oldest, newest } = await store.range(userId)
      if (since === null) return { seq: newest, resume: 'fresh' }
      return { seq: newest, resume: since > newest || since < oldest - 1 ? 'gap' : 'ok' }
    },

    /** Numbers of the newest event of each of these users. */
    newest: (userIds: readonly string[]) => store.newest(userIds),

    /** The events after `since`, in order, as they show now. */
    async after(userId: string, since: number, limit: number): Promise<Frame[]> {
      const frames = await framesAfter({ user_id: userId, since, limit })
      if (frames instanceof Error) throw frames
      return frames
    },

    /** The same for many users in one reading, in the order of these. */
    afterEach,
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
