import { cleared } from '../chats/rules.ts'

/**
 * What an erasure sets in an account's row. Only its id and the times of creation and erasure remain: every other column
 * gets its default value.
 */
export function anonymised(defaults: Readonly<Record<string, unknown>>, at: number) {
  const { id: _, created_at: __, ...cleared } = defaults
  return { ...cleared, updated_at: at, deleted_at: at }
}

/** What an erasure sets in a message, which remains as a tombstone. */
export const anonymisedMessage = { ...cleared, client_id: null }

/** A chat of a user who is being erased. The next part would visit `rows` of its messages, up to the number `last`. */
export type ChatToClear = { id: string; other: string; from: number; rows: number; last: number | null }

/**
 * How far the next part goes: as many whole chats as the budget allows, or a part of the first. `to` is the number of the
 * last message that it visits. `next` is where the part after it begins, or null if nothing is left of these chats.
 */
export function chatsOfPart(chats: readonly ChatToClear[], budget: number) {
  const walked: (ChatToClear & { to: number; isDone: boolean })[] = []
  let left = budget
  for (const chat of chats) {
    left -= chat.rows
    if (walked.length > 0 && left <= 0) return { walked, next: { chat_id: chat.id, seq: 0 } }
    const to = chat.last ?? chat.from
    const isDone = chat.rows < budget
    walked.push({ ...chat, to, isDone })
    if (!isDone) return { walked, next: { chat_id: chat.id, seq: to } }
  }
  return { walked, next: null }
}
