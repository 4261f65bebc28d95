import type { NewMessage } from '../../features/chats/store.ts'
import { Refusal } from '../../lib/refusal.ts'
import { append, appendAll, type Appended, NotAll, type Send } from './append.ts'
import { type Database, patienceMs } from './database.ts'
import { busy } from './failures.ts'

// Messages that arrive while a group is being stored wait for the next group, because a group costs the node and the database as
// much as ten messages. Another group starts beside it only if `many` wait, or if it takes longer than `lateMs`.
const groupsAtOnce = 3
const many = 32
const lateMs = 20
const groupLimit = 128
// Beyond this, the last one in the queue would wait for seconds.
const waitingLimit = 2048

type Waiting = Send & {
  done(answer: Appended): void
  fail(error: unknown): void
}

/**
 * Stores messages that arrive together in one transaction, at most one per chat: it needs as many statements as a single
 * message, and one commit. A message that cannot be stored, or whose chat is locked, is stored after its group in a transaction
 * of its own, and so fails or waits alone. If a group's commit gets no answer, all of it is refused as `busy`.
 */
export function sends(
  db: Database,
): (...given: [NewMessage, string, number | null, number | null]) => Promise<Appended> {
  let waiting: Waiting[] = []
  /** Chats with a message that is being stored: the next one waits for it. */
  const chatsUnderWay = new Set<string>()
  let groups = 0
  let lateGroups = 0
  let isSoon = false

  function goSoon() {
    if (isSoon) return
    isSoon = true
    setImmediate(go)
  }

  function go() {
    isSoon = false
    while (waiting.length > 0 && groups < groupsAtOnce && (groups === lateGroups || waiting.length >= many)) {
      const group = take()
      if (group.length === 0) return
      void sendTogether(group)
    }
  }

  function take(): Waiting[] {
    const group: Waiting[] = []
    waiting = waiting.filter((send) => {
      const { chat_id } = send.message
      if (group.length === groupLimit || chatsUnderWay.has(chat_id)) return true
      chatsUnderWay.add(chat_id)
      group.push(send)
      return false
    })
    return group
  }

  async function sendTogether(group: readonly Waiting[]) {
    const began = performance.now()
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      lateGroups++
      goSoon()
    }, lateMs)
    groups++
    try {
      const stored = await db.write((tx) => appendAll(tx, group, 'group'))
      for (const send of group) {
        const answer = stored.get(send.message.id)
        if (answer === undefined) void sendAlone(send)
        else end(send, () => send.done(answer))
      }
    } catch (error) {
      if (error instanceof Refusal) {
        for (const send of group) end(send, () => send.fail(error))
        // The database has been silent for too long: messages that still wait fail as well.
        if (performance.now() - began >= patienceMs) for (const send of waiting.splice(0)) send.fail(error)
      } else if (error instanceof NotAll) {
        // Most of the others are repeats: store each alone, so that the rest does not wait for them.
        const { true: rest = [], false: others = [] } = Object.groupBy(group, (send) =>
          error.storable.has(send.message.id) ? 'true' : 'false',
        )
        for (const send of others) void sendAlone(send)
        if (rest.length > 0) void sendTogether(rest)
      } else {
        // One message made the transaction fail: stored alone, only that one fails.
        for (const send of group) void sendAlone(send)
      }
    }
    clearTimeout(late)
    groups--
    if (isLate) lateGroups--
    goSoon()
  }

  async function sendAlone(send: Waiting) {
    try {
      const answer = await append(db, send)
      end(send, () => send.done(answer))
    } catch (error) {
      end(send, () => send.fail(error))
    }
    goSoon()
  }

  function end(send: Waiting, answer: () => void) {
    chatsUnderWay.delete(send.message.chat_id)
    answer()
  }

  return (message, otherId, untilReply, notifyAt) => {
    // These messages depend on more than the state of the chat.
    if (message.kind !== 'text' || untilReply !== null) return append(db, { message, otherId, untilReply, notifyAt })
    if (waiting.length >= waitingLimit) return Promise.reject(busy('Too many requests are waiting for the database.'))
    const { promise, resolve, reject } = Promise.withResolvers<Appended>()
    waiting.push({ message, otherId, untilReply, notifyAt, done: resolve, fail: reject })
    goSoon()
    return promise
  }
}
