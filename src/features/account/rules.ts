import { cleared } from '../chats/rules.ts'

/** What an erasure sets in an account's row: only its id and the times of creation and erasure remain. */
export const anonymised = (at: number) => ({
  email: null,
  email_verified_at: null,
  email_asked_at: null,
  phone: null,
  messenger_id: null,
  password_hash: null,
  name: null,
  city: null,
  bio: null,
  gender: null,
  photo: null,
  role: 'user' as const,
  suspended_until: null,
  suspended_reason: null,
  suspension_id: null,
  hidden: null,
  hidden_by: null,
  birth_month: null,
  show_age: false,
  updated_at: at,
  deleted_at: at,
})

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
