import type { Cleared, Erasure, ErasureStore, HoldingsStore, OwnImage, Place } from '../../features/account/store.ts'
import type { Consent, Session } from '../../features/auth/store.ts'
import { auditRecorder } from './audit.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { Db } from './database.ts'
import { eventRecorder } from './events.ts'
import { reviewOf } from './reviews.ts'
import { traitKeeper } from './traits.ts'
import type { Writer } from './writer.ts'

type Params = { user: string; at: number; limit: number }

// Rows of one part: some milliseconds of work.
const budget = 500
const chatsAtOnce = 250

export function erasureStore(db: Db, writer: Writer, checkpoints: Pick<Checkpoints, 'emptyLog'>): ErasureStore {
  const client = db.$client
  const record = eventRecorder(db)
  const audit = auditRecorder(db)
  const retrait = traitKeeper(db)

  const bury = client.prepare<{ id: string }, [{ user: string; at: number }]>(`
    UPDATE users SET email = NULL, phone = NULL, messenger_id = NULL, password_hash = NULL, name = NULL, city = NULL,
      bio = NULL, gender = NULL, photo = NULL, role = 'user', suspended_until = NULL, suspended_reason = NULL,
      suspension_id = NULL, updated_at = $at, deleted_at = $at
    WHERE id = $user AND deleted_at IS NULL RETURNING id`)
  const note = client.prepare<null, [{ user: string; at: number }]>(
    'INSERT INTO unfinished_erasures (user_id, at) VALUES ($user, $at)',
  )
  const isUnfinished = client.prepare<unknown, [string]>('SELECT 1 FROM unfinished_erasures WHERE user_id = ?')
  const unnote = client.prepare<null, [string]>('DELETE FROM unfinished_erasures WHERE user_id = ?')
  const unfinished = client.prepare<Erasure, []>('SELECT user_id, at FROM unfinished_erasures')
  const erasedSince = client.prepare<Erasure, [number]>(
    'SELECT id AS user_id, deleted_at AS at FROM users WHERE deleted_at >= ? ORDER BY deleted_at',
  )

  const dropFrom = (table: string) => {
    const statement = client.prepare<null, [string]>(`DELETE FROM ${table} WHERE user_id = ?`)
    return (user: string) => statement.run(user).changes
  }
  const [dropPreferences, dropLocation] = [dropFrom('preferences'), dropFrom('locations')]
  const [dropStats, dropCounter] = [dropFrom('user_stats'), dropFrom('event_counters')]
  /** What people are found by; the gender in the row is such a thing too. */
  const dropFindings = (user: string) => dropPreferences(user) + dropLocation(user)

  /** Changes up to `limit` rows that meet a condition; it is not met by them after. */
  const change = (table: string, key: string, condition: string, how = `DELETE FROM ${table}`) => {
    const statement = client.prepare<null, [Params]>(
      `${how} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT +$limit)`,
    )
    return (params: Params) => statement.run(params).changes
  }
  const update = (table: string, set: string, condition: string) =>
    change(table, 'id', condition, `UPDATE ${table} SET ${set}`)
  const dropCells = change('location_cells', 'user_id, tag', 'user_id = $user')
  // One for each of two partial indexes.
  const dropSessions = [
    change('sessions', 'id', 'user_id = $user AND ended_at IS NULL'),
    change('sessions', 'id', 'user_id = $user AND ended_at IS NOT NULL'),
  ]
  const personal = [
    dropCells,
    ...dropSessions,
    update(
      'consent_log',
      'user_agent = NULL, address = NULL',
      'user_id = $user AND coalesce(user_agent, address) IS NOT NULL',
    ),
    change('blocks', 'id', 'blocker_id = $user'),
    change('blocks', 'id', 'blocked_id = $user'),
    update('reviews', 'reviewer_id = NULL', 'reviewer_id = $user'),
    change('reviews', 'id', 'reviewed_id = $user'),
    change('appeals', 'id', 'user_id = $user'),
    change('notices', 'id', 'user_id = $user'),
    // What is said in a report stays as long as its evidence, by which the others in it are protected.
    update(
      'reports',
      'details = NULL, note = NULL',
      'subject_id = $user AND evidence IS NULL AND coalesce(details, note) IS NOT NULL',
    ),
    update('reports', 'details = NULL', 'reporter_id = $user AND evidence IS NULL AND details IS NOT NULL'),
    update('reports', 'reporter_id = NULL', 'reporter_id = $user'),
    change('events', 'user_id, seq', 'user_id = $user'),
  ]
  const dropImages = client.prepare<{ file: string }, [{ user: string; limit: number }]>(`
    DELETE FROM media WHERE id IN (
      SELECT id FROM media
      WHERE owner_id = $user AND NOT EXISTS (SELECT 1 FROM evidence_photos WHERE media_id = media.id) LIMIT +$limit)
    RETURNING file`)

  // There is no index by sender: nobody else asks for it, and every message would pay for it. So each chat is walked through.
  const chatsFrom = client.prepare<
    { id: string; other: string; isThere: number },
    [{ user: string; chat: string; limit: number }]
  >(`
    SELECT c.id, c.other, u.deleted_at IS NULL AS isThere FROM (
      SELECT id, user_b AS other FROM chats WHERE user_a = $user AND id >= $chat UNION ALL
      SELECT id, user_a FROM chats WHERE user_b = $user AND id >= $chat ORDER BY id LIMIT +$limit
    ) c JOIN users u ON u.id = c.other ORDER BY c.id`)
  const stretch = client.prepare<{ rows: number; last: number | null }, [string, number, number]>(`
    SELECT count(*) AS rows, max(seq) AS last FROM (
      SELECT seq FROM messages WHERE chat_id = ? AND seq > ? ORDER BY seq LIMIT +?)`)
  // Where one side has no messages any more, the other has none of them to read.
  const readAll = client.prepare<null, [{ chat: string; other: string }]>(`
    UPDATE chats SET unread_a = iif(user_a = $other, 0, unread_a), unread_b = iif(user_b = $other, 0, unread_b)
    WHERE id = $chat`)
  type Stretch = { user: string; chat: string; from: number; to: number }
  const theirs = 'chat_id = $chat AND seq > $from AND seq <= $to AND sender_id = $user'
  const dropVersions = client.prepare<null, [Stretch]>(
    `DELETE FROM message_versions WHERE message_id IN (SELECT id FROM messages WHERE ${theirs})`,
  )
  const buryMessages = client.prepare<null, [Stretch & { at: number }]>(`
    UPDATE messages SET text = NULL, photo_id = NULL, client_id = NULL, deleted_at = coalesce(deleted_at, $at)
    WHERE ${theirs} AND (deleted_at IS NULL OR client_id IS NOT NULL)`)

  /** The messages of a chat after a number: answers how many were looked at, and how many changed. */
  function buryIn(chat: string, from: number, { user, at, limit }: Params) {
    const { rows, last } = stretch.get(chat, from, limit)!
    if (last === null) return { rows, last: from, changed: 0 }
    const part = { user, chat, from, to: last }
    return { rows, last, changed: dropVersions.run(part).changes + buryMessages.run({ ...part, at }).changes }
  }

  function clear(user: string, at: number, from: Place): Cleared {
    const done: Cleared = { rows: 0, files: [], chats: [], next: from }
    let limit = budget
    const took = (rows: number) => {
      done.rows += rows
      limit -= rows
      return limit > 0
    }
    took(retrait(user, () => dropFindings(user)))
    for (const remove of personal) if (!took(remove({ user, at, limit }))) return done
    if (!took(dropStats(user) + dropCounter(user))) return done
    done.files = dropImages.all({ user, limit }).map(({ file }) => file)
    if (!took(done.files.length)) return done
    const isTold = isUnfinished.get(user) !== null
    const [...chats] = chatsFrom.all({ user, chat: from.chat_id, limit: chatsAtOnce + 1 })
    const beyond = chats.length > chatsAtOnce ? chats.pop()! : null
    for (const { id, other, isThere } of chats) {
      if (limit <= 0) return { ...done, next: { chat_id: id, seq: 0 } }
      const { rows, last, changed } = buryIn(id, id === from.chat_id ? from.seq : 0, { user, at, limit })
      done.rows += changed
      if (rows === limit) return { ...done, next: { chat_id: id, seq: last } }
      limit -= rows + 1
      if (changed > 0 || isTold) readAll.run({ chat: id, other })
      if (isTold && isThere)
        done.chats.push({ chat_id: id, user_id: other, seq: record(other, 'chat', at, { ref: id }) })
    }
    if (beyond) return { ...done, next: { chat_id: beyond.id, seq: 0 } }
    unnote.run(user)
    return { ...done, next: null }
  }

  return {
    begin: (user, at, entry) =>
      writer.write(() => {
        const buried = retrait(user, () => {
          if (!bury.get({ user, at })) return false
          dropFindings(user)
          return true
        })
        if (!buried) return false
        note.run({ user, at })
        audit(entry)
        for (const remove of [dropCells, ...dropSessions]) remove({ user, at, limit: -1 })
        return true
      }),

    clear: (user, at, from) => writer.write(() => clear(user, at, from ?? { chat_id: '', seq: 0 })),

    unfinished: async () => unfinished.all(),

    erasedSince: async (time) => erasedSince.all(time),

    emptyLog: checkpoints.emptyLog,
  }
}

export function holdingsStore(db: Db): HoldingsStore {
  const client = db.$client
  const consents = client.prepare<
    Omit<Consent, 'accepted'> & { accepted: number },
    [string, string, number, string, number]
  >(`
    SELECT id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address FROM consent_log
    WHERE user_id = ? AND (kind, recorded_at, id) > (?, ?, ?) ORDER BY kind, recorded_at, id LIMIT ?`)
  const sessionsWhere = (ended: string) => `
    SELECT * FROM (
      SELECT id, user_id, generation, rotated_at, created_at, last_used_at, user_agent, ended_at FROM sessions
      WHERE user_id = $user AND ended_at IS ${ended} AND (created_at, id) > ($at, $id)
      ORDER BY created_at, id LIMIT $limit)`
  const sessions = client.prepare<Session, [{ user: string; at: number; id: string; limit: number }]>(
    `${sessionsWhere('NULL')} UNION ALL ${sessionsWhere('NOT NULL')} ORDER BY created_at, id LIMIT $limit`,
  )
  const images = client.prepare<OwnImage, [string, number, string, number]>(`
    SELECT id, width, height, bytes, created_at FROM media
    WHERE owner_id = ? AND (created_at, id) > (?, ?)
      -- What is kept as evidence alone would tell that somebody reported it.
      AND (NOT EXISTS (SELECT 1 FROM evidence_photos WHERE media_id = media.id)
        OR EXISTS (SELECT 1 FROM users WHERE users.photo = media.id)
        OR EXISTS (SELECT 1 FROM messages WHERE photo_id = media.id AND deleted_at IS NULL))
    ORDER BY created_at, id LIMIT ?`)
  const reviewsBy = client.prepare<Parameters<typeof reviewOf>[0], [string]>(
    'SELECT * FROM reviews WHERE reviewer_id = ?',
  )
  const chats = client.prepare<{ id: string; other_id: string; created_at: number }, [{ user: string }]>(`
    SELECT id, user_b AS other_id, created_at FROM chats WHERE user_a = $user UNION ALL
    SELECT id, user_a, created_at FROM chats WHERE user_b = $user ORDER BY id`)
  const versions = client.prepare<{ message_id: string; text: string; at: number }, [string]>(`
    SELECT message_id, text, at FROM message_versions WHERE message_id IN (SELECT value FROM json_each(?))
    ORDER BY message_id, at`)
  const places = client.prepare<{ n: number }, [string]>('SELECT count(*) AS n FROM location_cells WHERE user_id = ?')

  const fromStart = Number.MIN_SAFE_INTEGER
  return {
    consents: async (userId, limit, after) =>
      consents
        .all(userId, after?.kind ?? '', after?.recorded_at ?? fromStart, after?.id ?? '', limit)
        .map((row) => ({ ...row, accepted: row.accepted === 1 })),
    sessions: async (userId, limit, after) =>
      sessions.all({ user: userId, at: after?.created_at ?? fromStart, id: after?.id ?? '', limit }),
    images: async (userId, limit, after) => images.all(userId, after?.created_at ?? fromStart, after?.id ?? '', limit),
    reviewsBy: async (userId) => reviewsBy.all(userId).map(reviewOf),
    chats: async (userId) => chats.all({ user: userId }),
    versions: async (messageIds) => versions.all(JSON.stringify(messageIds)),
    places: async (userId) => places.get(userId)!.n,
  }
}
