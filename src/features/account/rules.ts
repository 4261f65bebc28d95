import { cleared } from '../chats/rules.ts'

/** What stays in the row of an account once it is erased: its id, and when it was made and erased. */
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

/** What a message of an erased account loses; it stays as a tombstone. */
export const anonymisedMessage = { ...cleared, client_id: null }

/** A chat of somebody who is being erased, with how many of its messages the next part would look at, and up to which. */
export type ChatToClear = { id: string; other: string; from: number; rows: number; last: number | null }

/**
 * How far the next part goes: as many whole chats as there is room for, or a part of the first. `to` is the number of the
 * last message that it looks at, and `next` where the part after it begins; null if it ends with these chats.
 */
export function chatsOfPart(
  chats: readonly ChatToClear[],
  budget: number,
): { walked: (ChatToClear & { to: number; isDone: boolean })[]; next: { chat_id: string; seq: number } | null } {
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
