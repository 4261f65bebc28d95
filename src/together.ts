import type { ChatStore } from './features/chats/store.ts'
import type { EventStore } from './realtime/store.ts'

/**
 * Lets what is asked for in one turn of the event loop go out as one question, of `most` keys at once. `lookUp` answers in
 * the order of the keys.
 */
export function together<Key, Found>(
  lookUp: (keys: readonly Key[]) => Promise<readonly Found[]>,
  most: number,
): (key: Key) => Promise<Found> {
  let asked: { key: Key; resolve(found: Found): void; reject(error: unknown): void }[] = []

  async function answer(some: typeof asked) {
    try {
      const found = await lookUp(some.map(({ key }) => key))
      for (const [i, { resolve }] of some.entries()) resolve(found[i]!)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }

  function answerAll() {
    const all = asked
    asked = []
    for (let i = 0; i < all.length; i += most) void answer(all.slice(i, i + most))
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (asked.length === 0) setImmediate(answerAll)
      asked.push({ key, resolve, reject })
    })
}

/** Reads the events of many users in one query: with other nodes, much is told of many at a time. */
export function eventsTogether(store: EventStore): EventStore {
  const after = together((each: Parameters<EventStore['afterEach']>[0]) => store.afterEach(each), 100)
  return { ...store, after: (user_id, since, limit) => after({ user_id, since, limit }) }
}

/** The same for the messages that these events show. */
export function messagesTogether(store: ChatStore): ChatStore {
  const messages = together(async (lists: readonly (readonly string[])[]) => {
    const found = new Map((await store.messages([...new Set(lists.flat())])).map((message) => [message.id, message]))
    return lists.map((ids) => ids.flatMap((id) => found.get(id) ?? []))
  }, 100)
  return { ...store, messages }
}
