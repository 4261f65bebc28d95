// What the statements of chats have in common.

export const apart = (a: string, b: string) => `(
  EXISTS (SELECT 1 FROM blocks WHERE blocker_id = ${a} AND blocked_id = ${b})
  OR EXISTS (SELECT 1 FROM blocks WHERE blocker_id = ${b} AND blocked_id = ${a}))`
export const isErased = (...ids: string[]) =>
  `EXISTS (SELECT 1 FROM users WHERE id IN (${ids.join()}) AND deleted_at IS NOT NULL)`
export const stateOf = `SELECT ${isErased('$1')} AS a_erased, ${isErased('$2')} AS b_erased, ${apart('$1', '$2')} AS apart`

export const messageColumns = (created = 'created_at', id = 'id') => `
  m.id AS ${id}, m.chat_id, m.seq, m.sender_id, m.kind, m.text, m.photo_id, m.client_id, m.read_at, m.edited_at,
  m.deleted_at, m.created_at AS ${created},
  p.width AS photo_width, p.height AS photo_height, p.placeholder AS photo_placeholder`
export const joinPhoto = 'LEFT JOIN media p ON p.owner_id = m.sender_id AND p.id = m.photo_id'
export const messages = `SELECT ${messageColumns()} FROM messages m ${joinPhoto}`

export const hasWritten = 'SELECT 1 FROM messages WHERE chat_id = $1 AND sender_id = $2 LIMIT 1'
