import { Refusal } from '../lib/refusal.ts'
import { iso } from '../lib/time.ts'
import { batched } from '../lib/batched.ts'
import type { Event, ViewedData, ViewedType } from './events.ts'
import type { EventStore, StoredEvent } from './store.ts'
import { asError } from '../lib/errors.ts'

export type Replay = ReturnType<typeof replay>

/** The id that an event refers to, and the user who receives it. */
export type Shown = { viewer_id: string; ref: string }

/** For each type of event that stores only an id: what it shows now, in that order, and undefined if it no longer exists. */
type EventViews = { [T in ViewedType]: (shown: readonly Shown[]) => Promise<(ViewedData[T] | undefined)[]> }

/** A user's events after `since`, `limit` of them at most. */
type Missed = { user_id: string; since: number; limit: number }

// Users whose events are read in one query.
const usersAtOnce = 100

type Deps = {
  store: EventStore
  views: EventViews
  /** Whether reads of one turn of the event loop are batched, which helps when many sockets reconnect at once. */
  gathers: boolean
}

/** Reads the events that users missed. */
export function replay({ store, views, gathers }: Deps) {
  /** The events as they show now, with one call of a view for all events of its type. */
  async function eventsOf(users: readonly Missed[]): Promise<Event[][]> {
    const events = await store.afterEach(users)
    const wanted = new Map<ViewedType, Shown[]>()
    for (const [i, { user_id: viewer_id }] of users.entries())
      for (const { type, ref } of events[i] ?? []) {
        if (ref === null) continue
        const shown = { viewer_id, ref }
        const ofType = wanted.get(type)
        if (ofType) ofType.push(shown)
        else wanted.set(type, [shown])
      }
    const shown = new Map(
      await Promise.all(
        [...wanted].map(async ([type, ofType]) => {
          // Undefined for a type that a newer release has stored.
          const view: EventViews[ViewedType] | undefined = views[type]
          if (!view) throw new Error(`events of type ${type} have no view`)
          return [type, (await view(ofType)).values()] as const
        }),
      ),
    )
    const eventOf = ({ type, seq, at, ref, data }: StoredEvent) => {
      const now = ref === null ? data : (shown.get(type)?.next().value ?? { id: ref, deleted: true })
      // The compiler does not know that the view of a type returns the data of that type.
      return { type, seq, at: iso(at), data: now } as Event
    }
    return events.map((ofUser) => ofUser.map(eventOf))
  }

  /** For each user the events, or the error if they cannot be shown. */
  async function afterEach(users: readonly Missed[]): Promise<(Event[] | Error)[]> {
    try {
      return await eventsOf(users)
    } catch (error) {
      // Retrying one by one helps neither if storage is down nor for a single user.
      if (error instanceof Refusal || users.length === 1) throw error
      const alone = await Promise.allSettled(users.map((user) => eventsOf([user])))
      return alone.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.flat() : asError(outcome.reason)))
    }
  }

  const eventsAfter = gathers
    ? batched(afterEach, usersAtOnce)
    : async (user: Missed) => (await eventsOf([user])).flat()

  return {
    /** Number of the newest event, and whether everything after `since` is still there. */
    async state(userId: string, since: number | null): Promise<{ seq: number; resume: 'fresh' | 'ok' | 'gap' }> {
      const { oldest, newest } = await store.range(userId)
      if (since === null) return { seq: newest, resume: 'fresh' }
      return { seq: newest, resume: since > newest || since < oldest - 1 ? 'gap' : 'ok' }
    },

    /** The number of each user's newest event. */
    newest: (userIds: readonly string[]) => store.newest(userIds),

    /** The events after `since`, in order, as they show now. */
    async after(userId: string, since: number, limit: number): Promise<Event[]> {
      const events = await eventsAfter({ user_id: userId, since, limit })
      if (events instanceof Error) throw events
      return events
    },

    /** The same for many users in one read, in their order. */
    afterEach,
  }
}
