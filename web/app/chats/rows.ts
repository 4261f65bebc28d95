import type { ChatMessage } from 'convene-client'

/** A row of a conversation: a day, or a message with its position in a group of the same sender. */
export type Row =
  | { kind: 'day'; key: string; at: Date }
  | { kind: 'message'; key: string; message: ChatMessage; isFirst: boolean; isLast: boolean }

// After a pause, the same sender begins a new group.
const pauseMs = 5 * 60_000

const dayOf = (at: Date) => `${at.getFullYear()}-${at.getMonth()}-${at.getDate()}`

/** Groups messages by sender, and adds a row for each day. */
export function rowsOf(messages: readonly ChatMessage[]): Row[] {
  const rows: Row[] = []
  let before: { sender: string; time: number; day: string } | undefined
  let open: (Row & { kind: 'message' }) | undefined
  for (const message of messages) {
    const at = new Date(message.created_at)
    const day = dayOf(at)
    const time = at.getTime()
    const isNewDay = before?.day !== day
    const isFirst = isNewDay || before?.sender !== message.sender_id || time - before.time > pauseMs
    if (isFirst && open) open.isLast = true
    if (isNewDay) rows.push({ kind: 'day', key: `day ${day} ${message.key}`, at })
    open = { kind: 'message', key: message.key, message, isFirst, isLast: false }
    rows.push(open)
    before = { sender: message.sender_id, time, day }
  }
  if (open) open.isLast = true
  return rows
}

/** The size of a photo in a bubble, which reserves its space before it loads. */
export function shownSize(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(260 / width, 320 / height, 1)
  return { width: Math.max(96, Math.round(width * scale)), height: Math.max(64, Math.round(height * scale)) }
}

/** The estimated height of a row, before it is measured. */
export function estimate(row: Row | undefined): number {
  if (row === undefined || row.kind === 'day') return 44
  const { text, photo, file, caution } = row.message
  const lines = text === null ? 0 : text.split('\n').reduce((sum, line) => sum + Math.ceil((line.length + 8) / 36), 0)
  const warning = caution ? 18 + Math.ceil(caution.length / 42) * 19 : 0
  const image = photo ? shownSize(photo.width, photo.height).height + 8 : file ? 260 : 0
  return 22 + lines * 22 + image + warning + (row.isFirst ? 8 : 0)
}
