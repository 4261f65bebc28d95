import { iso } from '../time.ts'
import type { EventStore, StoredEvent } from './store.ts'

export type Replay = ReturnType<typeof replay>

/** An event as it goes out, on a socket or in `GET /sync`. `at` is ISO 8601. */
export type Frame = { type: string; seq: number; at: string; data: unknown }

/** Shows what events refer to as it is now, for one viewer: ids to views. An id may be missing where it is gone. */
export type EventViews = Record<string, (viewerId: string, ids: string[]) => Promise<Map<string, unknown>>>

/** Reads back what a user missed. */
export function replay({ store, views }: { store: EventStore; views: EventViews }) {
  async function frames(userId: string, events: readonly StoredEvent[]): Promise<Frame[]> {
    const refs = Map.groupBy(
      events.filter((event) => event.ref !== null),
      (event) => event.type,
    )
    const shown = new Map<string, Map<string, unknown>>()
    for (const [type, ofType] of refs) {
      const view = views[type]
      if (!view) throw new Error(`events of type ${type} have no view`)
      shown.set(type, await view(userId, [...new Set(ofType.map((event) => event.ref!))]))
    }
    return events.map(({ type, seq, at, ref, data }) => ({
      type,
      seq,
      at: iso(at),
      // What is gone leaves its number, so that nobody finds a gap.
      data: ref === null ? data : (shown.get(type)!.get(ref) ?? { id: ref, deleted: true }),
    }))
  }

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
    after: async (userId: string, since: number, limit: number) =>
      frames(userId, await store.after(userId, since, limit)),
  }
}
