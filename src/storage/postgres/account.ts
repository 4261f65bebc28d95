import type { Cleared, Erasure, ErasureStore, HoldingsStore, OwnImage, Place } from '../../features/account/store.ts'
import type { Consent, Session } from '../../features/auth/store.ts'
import type { Review } from '../../features/reviews/store.ts'
import { recordAudit } from './audit.ts'
import type { Database } from './database.ts'
import type { Queries } from './queries.ts'
import { recordEvents } from './events.ts'
import { holdLiving } from './living.ts'
import { reviewColumns } from './reviews.ts'
import { retrait } from './traits.ts'
import { recountUnread } from './unread.ts'

// Rows that one statement of a part looks at, and chats that a part goes through.
const budget = 500
const chatsAtOnce = 50

// Whoever stores something of this account holds its row, or a chat of theirs, and so comes before this, or finds the
// account erased.
const buryUser = `
  UPDATE users SET email = NULL, phone = NULL, messenger_id = NULL, password_hash = NULL, name = NULL, city = NULL,
    bio = NULL, gender = NULL, photo = NULL, role = 'user', suspended_until = NULL, suspended_reason = NULL,
    suspension_id = NULL, updated_at = $2, deleted_at = $2
  WHERE id = $1 AND deleted_at IS NULL`

// Before the account's row changes: without its unique names it is locked against foreign keys too, and a send that has
// the lock of the chat may have yet to make the first counter of a member.
const lockChatsOf = 'SELECT id FROM chats WHERE user_a = $1 OR user_b = $1 ORDER BY id FOR NO KEY UPDATE'

/** Changes up to `budget` rows that meet a condition on `$1`, the user; it is not met by them after. */
const change = (table: string, key: string, condition: string, how = `DELETE FROM ${table}`) =>
  `${how} WHERE ${condition} AND (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${budget})`
const update = (table: string, key: string, set: string, condition: string) =>
  change(table, key, condition, `UPDATE ${table} SET ${set}`)

const dropFindings = [
  'DELETE FROM preferences WHERE user_id = $1',
  'DELETE FROM locations WHERE user_id = $1',
  'DELETE FROM nearby_traits WHERE user_id = $1',
]
const personal = [
  ...dropFindings,
  change('location_cells', 'user_id, tag', 'user_id = $1'),
  change('sessions', 'user_id, id', 'user_id = $1'),
  update(
    'consent_log',
    'user_id, seq',
    'user_agent = NULL, address = NULL',
    'user_id = $1 AND coalesce(user_agent, address) IS NOT NULL',
  ),
  change('blocks', 'blocker_id, blocked_id', 'blocker_id = $1'),
  change('blocks', 'blocker_id, blocked_id', 'blocked_id = $1'),
  update('reviews', 'chat_id', 'reviewer_id = NULL', 'reviewer_id = $1'),
  change('reviews', 'chat_id', 'reviewed_id = $1'),
  change('appeals', 'user_id, notice_id', 'user_id = $1'),
  change('notices', 'user_id, id', 'user_id = $1'),
  // What is said in a report stays as long as its evidence, by which the others in it are protected.
  update(
    'reports',
    'id',
    'details = NULL, note = NULL',
    'subject_id = $1 AND evidence IS NULL AND coalesce(details, note) IS NOT NULL',
  ),
  update('reports', 'id', 'details = NULL', 'reporter_id = $1 AND evidence IS NULL AND details IS NOT NULL'),
  // Not while the statement before has left some.
  update('reports', 'id', 'reporter_id = NULL', 'reporter_id = $1 AND (evidence IS NOT NULL OR details IS NULL)'),
  'DELETE FROM user_stats WHERE user_id = $1',
  change('events', 'user_id, seq', 'user_id = $1'),
  'DELETE FROM event_counters WHERE user_id = $1',
]

/** The first part, and again until it finds less than it could take: everything but what they wrote in chats. */
async function clearPersonal(tx: Queries, user: string): Promise<Cleared> {
  const [counts, files] = await Promise.all([
    Promise.all(personal.map((statement) => tx.run(statement, [user]))),
    dropImages(tx, user),
  ])
  const all = [...counts, files.length]
  const isDone = all.every((rows) => rows < budget)
  return {
    rows: all.reduce((sum, rows) => sum + rows, 0),
    files,
    chats: [],
    next: isDone ? beforeAll : unfinishedPersonal,
  }
}

// No chat has these ids.
const unfinishedPersonal: Place = { chat_id: '', seq: 0 }
const beforeAll: Place = { chat_id: '', seq: 1 }

/** Locked first, and then looked at: an image that a report is just taking as evidence stays. */
async function dropImages(tx: Queries, user: string): Promise<string[]> {
  const owned = await tx.all<{ id: string }>('SELECT id FROM media WHERE owner_id = $1', [user])
  const ids = await withoutEvidence(
    tx,
    owned.map(({ id }) => id),
  )
  if (ids.length === 0) return []
  const part = ids.slice(0, budget)
  await tx.all('SELECT id FROM media WHERE owner_id = $1 AND id = ANY($2::text[]) ORDER BY id FOR UPDATE', [user, part])
  const unused = await withoutEvidence(tx, part)
  const dropped = await tx.all<{ file: string }>(
    'DELETE FROM media WHERE owner_id = $1 AND id = ANY($2::text[]) RETURNING file',
    [user, unused],
  )
  return dropped.map(({ file }) => file)
}

async function withoutEvidence(q: Queries, imageIds: readonly string[]): Promise<string[]> {
  if (imageIds.length === 0) return []
  const evidence = await evidenceAmong(q, imageIds)
  return imageIds.filter((id) => !evidence.has(id))
}

async function evidenceAmong(q: Queries, imageIds: readonly string[]): Promise<Set<string>> {
  const rows = await q.all<{ media_id: string }>(
    'SELECT DISTINCT media_id FROM evidence_photos WHERE media_id = ANY($1::text[])',
    [imageIds],
  )
  return new Set(rows.map(({ media_id }) => media_id))
}

const noteOf = 'SELECT user_id FROM unfinished_erasures WHERE user_id = $1 FOR UPDATE'
const chatsFrom = `
  SELECT id, user_b AS other FROM chats WHERE user_a = $1 AND id >= $2
  UNION ALL SELECT id, user_a FROM chats WHERE user_b = $1 AND id >= $2 ORDER BY id LIMIT $3`
const lockChats = 'SELECT id FROM chats WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE'
const stretch = `
  SELECT count(*) AS rows, max(seq) AS last FROM (
    SELECT seq FROM messages WHERE chat_id = $1 AND seq > $2 ORDER BY seq LIMIT ${budget}) AS s`
const theirs = 'chat_id = $1 AND seq > $2 AND seq <= $3 AND sender_id = $4'
const buryMessages = `
  UPDATE messages SET text = NULL, photo_id = NULL, client_id = NULL, deleted_at = coalesce(deleted_at, $5)
  WHERE ${theirs} AND (deleted_at IS NULL OR client_id IS NOT NULL)`
const dropVersions = `
  DELETE FROM message_versions
  WHERE chat_id = $1 AND message_id IN (SELECT id FROM messages WHERE ${theirs})`

/**
 * A part of what they wrote. There is no index by sender: nobody else asks for it, and every message would pay for it. So
 * each chat is walked through; nothing of theirs comes to it any more.
 */
async function clearChats(tx: Queries, user: string, at: number, from: Place): Promise<Cleared> {
  // Two nodes at once take turns.
  const isTold = (await tx.get(noteOf, [user])) !== null
  const found = await tx.all<{ id: string; other: string }>(chatsFrom, [user, from.chat_id, chatsAtOnce + 1])
  const chats = found.slice(0, chatsAtOnce)
  const after = (chat: { id: string }) => (chat.id === from.chat_id ? from.seq : 0)
  const stretches = await Promise.all(
    chats.map((chat) => tx.get<{ rows: number; last: number | null }>(stretch, [chat.id, after(chat)])),
  )
  // As many whole chats as the budget has room for, or one stretch of the first.
  const walked: { id: string; other: string; from: number; to: number }[] = []
  let next: Place | null = null
  let looked = 0
  for (const [i, chat] of chats.entries()) {
    const { rows, last } = stretches[i]!
    looked += rows
    if (i > 0 && looked >= budget) {
      next = { chat_id: chat.id, seq: 0 }
      break
    }
    walked.push({ ...chat, from: after(chat), to: last ?? 0 })
    if (rows < budget) continue
    next = { chat_id: chat.id, seq: last! }
    break
  }
  if (next === null && found.length > chats.length) next = { chat_id: found.at(-1)!.id, seq: 0 }

  const finished = isTold ? walked.filter(({ id, to }) => next?.chat_id !== id || next.seq !== to) : []
  const living = await holdLiving(
    tx,
    finished.map(({ other }) => other),
  )
  await tx.all(lockChats, [walked.map(({ id }) => id)])
  const counts = await Promise.all(
    walked
      .filter(({ from: after, to }) => to > after)
      .flatMap(({ id, from: after, to }) => [
        tx.run(buryMessages, [id, after, to, user, at]),
        tx.run(dropVersions, [id, after, to, user]),
      ]),
  )
  await Promise.all(walked.map(({ id }) => tx.run(recountUnread, [id])))
  if (next === null) await tx.run('DELETE FROM unfinished_erasures WHERE user_id = $1', [user])
  const told = finished.filter(({ other }) => living.has(other)).sort((a, b) => (a.other < b.other ? -1 : 1))
  const events = await Promise.all(told.map(({ id, other }) => recordEvents(tx, [other], 'chat', at, { ref: id })))
  return {
    rows: counts.reduce((sum, rows) => sum + rows, 0),
    files: [],
    chats: events.flatMap((recorded, i) => recorded.map((event) => ({ chat_id: told[i]!.id, ...event }))),
    next,
  }
}

export function erasureStore(db: Database): ErasureStore {
  return {
    begin: (user, at, entry) =>
      db.write(async (tx) => {
        const [living] = await Promise.all([holdLiving(tx, [], [user]), tx.all(lockChatsOf, [user])])
        if (!living.has(user)) return false
        await Promise.all([
          tx.run(buryUser, [user, at]),
          ...dropFindings.map((statement) => tx.run(statement, [user])),
          retrait(tx, user),
          tx.run('DELETE FROM location_cells WHERE user_id = $1', [user]),
          tx.run('DELETE FROM sessions WHERE user_id = $1', [user]),
          tx.run('INSERT INTO unfinished_erasures (user_id, at) VALUES ($1, $2)', [user, at]),
          recordAudit(tx, entry),
        ])
        return true
      }),

    clear: (user, at, from) =>
      db.write((tx) =>
        from === null || (from.chat_id === '' && from.seq === 0)
          ? clearPersonal(tx, user)
          : clearChats(tx, user, at, from),
      ),

    unfinished: () => db.read((q) => q.all<Erasure>('SELECT user_id, at FROM unfinished_erasures')),

    erasedSince: (time) =>
      db.read((q) =>
        q.all<Erasure>('SELECT id AS user_id, deleted_at AS at FROM users WHERE deleted_at >= $1 ORDER BY deleted_at', [
          time,
        ]),
      ),

    // The log, and the pages' older rows, are the server's: it vacuums them, and its operator says how long its archive keeps.
    emptyLog: async () => {},
  }
}

export function holdingsStore(db: Database): HoldingsStore {
  const fromStart = Number.MIN_SAFE_INTEGER
  return {
    consents: (userId, limit, after) =>
      db.read((q) =>
        q.all<Consent>(
          `SELECT id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address FROM consent_log
           WHERE user_id = $1 AND (kind, recorded_at, id) > ($2, $3, $4)
           ORDER BY kind, recorded_at, id LIMIT $5`,
          [userId, after?.kind ?? '', after?.recorded_at ?? fromStart, after?.id ?? '', limit],
        ),
      ),

    sessions: (userId, limit, after) =>
      db.read((q) =>
        q.all<Session>(
          `SELECT id, user_id, generation, rotated_at, created_at, last_used_at, user_agent, ended_at FROM sessions
           WHERE user_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4`,
          [userId, after?.created_at ?? fromStart, after?.id ?? '', limit],
        ),
      ),

    images: (userId, limit, after) =>
      db.read(async (q) => {
        const images: OwnImage[] = []
        for (let last: OwnImage | null = after; images.length < limit;) {
          const page: OwnImage[] = await q.all<OwnImage>(
            `SELECT id, width, height, bytes, created_at FROM media
             WHERE owner_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4`,
            [userId, last?.created_at ?? fromStart, last?.id ?? '', limit],
          )
          const hidden = await evidenceAlone(
            q,
            page.map(({ id }) => id),
          )
          images.push(...page.filter(({ id }) => !hidden.has(id)))
          if (page.length < limit) break
          last = page.at(-1)!
        }
        return images.slice(0, limit)
      }),

    reviewsBy: (userId) =>
      db.read((q) => q.all<Review>(`SELECT ${reviewColumns} FROM reviews WHERE reviewer_id = $1`, [userId])),

    chats: (userId) =>
      db.read((q) =>
        q.all<{ id: string; other_id: string; created_at: number }>(
          `SELECT id, user_b AS other_id, created_at FROM chats WHERE user_a = $1
           UNION ALL SELECT id, user_a, created_at FROM chats WHERE user_b = $1 ORDER BY id`,
          [userId],
        ),
      ),

    versions: (messageIds) =>
      db.read((q) =>
        q.all<{ message_id: string; text: string; at: number }>(
          `SELECT v.message_id, v.text, v.at FROM messages m
           JOIN message_versions v ON v.chat_id = m.chat_id AND v.message_id = m.id
           WHERE m.id = ANY($1::text[]) ORDER BY v.message_id, v.at`,
          [messageIds],
        ),
      ),

    places: async (userId) => {
      const row = await db.read((q) =>
        q.get<{ n: number }>('SELECT count(*) AS n FROM location_cells WHERE user_id = $1', [userId]),
      )
      return row!.n
    },
  }
}

/** Those of the images that are kept as evidence and shown nowhere: they would tell that somebody reported them. */
async function evidenceAlone(q: Queries, imageIds: readonly string[]): Promise<Set<string>> {
  if (imageIds.length === 0) return new Set()
  const evidence = [...(await evidenceAmong(q, imageIds))]
  if (evidence.length === 0) return new Set()
  const shown = await Promise.all([
    q.all<{ id: string }>('SELECT photo AS id FROM users WHERE photo = ANY($1::text[])', [evidence]),
    q.all<{ id: string }>(
      'SELECT photo_id AS id FROM messages WHERE photo_id = ANY($1::text[]) AND deleted_at IS NULL',
      [evidence],
    ),
  ])
  const elsewhere = new Set(shown.flat().map(({ id }) => id))
  return new Set(evidence.filter((id) => !elsewhere.has(id)))
}
