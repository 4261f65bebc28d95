import type { Erasure, ErasureStore, HoldingsStore, OwnImage } from '../../features/account/store.ts'
import type { Consent, Session } from '../../features/auth/store.ts'
import { auditRecorder } from './audit.ts'
import type { Db } from './database.ts'
import { eventRecorder } from './events.ts'
import { reviewOf } from './reviews.ts'
import { traitKeeper } from './traits.ts'
import type { Reads } from './reads.ts'
import type { Writer } from './writer.ts'

type Params = { user: string; at: number }

const chatsOf = 'SELECT id FROM chats WHERE user_a = $user UNION ALL SELECT id FROM chats WHERE user_b = $user'
// There is no index by sender: nobody else asks for it, and every message would pay for it.
const theirMessages = `sender_id = $user AND chat_id IN (${chatsOf})`

export function erasureStore(db: Db, writer: Writer, reads: Reads): ErasureStore {
  const client = db.$client
  const record = eventRecorder(db)
  const audit = auditRecorder(db)
  const retrait = traitKeeper(db)
  const change = (sql: string) => {
    const statement = client.prepare<null, [Params]>(sql)
    return (params: Params) => statement.run(params).changes
  }

  const bury = client.prepare<{ id: string }, [Params]>(`
    UPDATE users SET email = NULL, phone = NULL, messenger_id = NULL, password_hash = NULL, name = NULL, city = NULL,
      bio = NULL, gender = NULL, photo = NULL, role = 'user', suspended_until = NULL, suspended_reason = NULL,
      suspension_id = NULL, updated_at = $at, deleted_at = $at
    WHERE id = $user AND deleted_at IS NULL RETURNING id`)
  const othersInChats = client.prepare<{ chat_id: string; user_id: string }, [{ user: string }]>(`
    SELECT c.id AS chat_id, u.id AS user_id FROM (
      SELECT id, user_b AS other FROM chats WHERE user_a = $user UNION ALL
      SELECT id, user_a FROM chats WHERE user_b = $user
    ) c JOIN users u ON u.id = c.other WHERE u.deleted_at IS NULL`)

  const found = [
    change('DELETE FROM preferences WHERE user_id = $user'),
    change('DELETE FROM locations WHERE user_id = $user'),
  ]
  const personal = [
    change('DELETE FROM location_cells WHERE user_id = $user'),
    change(`UPDATE consent_log SET user_agent = NULL, address = NULL
      WHERE user_id = $user AND (user_agent IS NOT NULL OR address IS NOT NULL)`),
    change('DELETE FROM blocks WHERE blocker_id = $user'),
    change('DELETE FROM blocks WHERE blocked_id = $user'),
    change('UPDATE reviews SET reviewer_id = NULL WHERE reviewer_id = $user'),
    change('DELETE FROM reviews WHERE reviewed_id = $user'),
    change('DELETE FROM user_stats WHERE user_id = $user'),
    change('DELETE FROM appeals WHERE user_id = $user'),
    change('DELETE FROM notices WHERE user_id = $user'),
    // What is said in a report stays as long as its evidence, by which the others in it are protected.
    change('UPDATE reports SET details = NULL, note = NULL WHERE subject_id = $user AND evidence IS NULL'),
    change('UPDATE reports SET details = NULL WHERE reporter_id = $user AND evidence IS NULL'),
    change('UPDATE reports SET reporter_id = NULL WHERE reporter_id = $user'),
    change('DELETE FROM events WHERE user_id = $user'),
    change('DELETE FROM event_counters WHERE user_id = $user'),
  ]
  const written = [
    change(`DELETE FROM message_versions WHERE message_id IN (SELECT id FROM messages WHERE ${theirMessages})`),
    change(`UPDATE messages SET text = NULL, photo_id = NULL, client_id = NULL, deleted_at = coalesce(deleted_at, $at)
      WHERE ${theirMessages} AND (deleted_at IS NULL OR client_id IS NOT NULL)`),
  ]
  const endSessions = ['NULL', 'NOT NULL'].map((ended) =>
    client.prepare<{ id: string }, [{ user: string }]>(
      `DELETE FROM sessions WHERE user_id = $user AND ended_at IS ${ended} RETURNING id`,
    ),
  )
  const dropImages = client.prepare<{ file: string }, [{ user: string }]>(`
    DELETE FROM media WHERE owner_id = $user AND NOT EXISTS (SELECT 1 FROM evidence_photos WHERE media_id = media.id)
    RETURNING file`)
  const erasedSince = client.prepare<Erasure, [number]>(
    'SELECT id AS user_id, deleted_at AS at FROM users WHERE deleted_at >= ? ORDER BY deleted_at',
  )

  /** Messages come last: once a savepoint has changed thousands of pages, each small statement in it takes milliseconds. */
  function clear(user: string, at: number) {
    const all = (changes: typeof personal) => changes.reduce((sum, run) => sum + run({ user, at }), 0)
    const session_ids = endSessions.flatMap((statement) => statement.all({ user }).map(({ id }) => id))
    const files = dropImages.all({ user }).map(({ file }) => file)
    const rows = retrait(user, () => all(found)) + all(personal) + all(written)
    return { rows: rows + session_ids.length + files.length, session_ids, files }
  }

  return {
    erase: (userId, at, entry) =>
      writer.write(() => {
        // The gender is one of the things that people are found by.
        if (!retrait(userId, () => bury.get({ user: userId, at }))) return null
        audit(entry)
        const chats = othersInChats.all({ user: userId }).map(({ chat_id, user_id }) => ({
          chat_id,
          user_id,
          seq: record(user_id, 'chat', at, { ref: chat_id }),
        }))
        return { ...clear(userId, at), chats }
      }),

    clear: (userId, at) =>
      writer.write(() => {
        const { rows, files } = clear(userId, at)
        return { rows, files }
      }),

    erasedSince: async (time) => erasedSince.all(time),

    emptyLog: async () => {
      reads.end()
      client.run('PRAGMA wal_checkpoint(TRUNCATE)')
    },
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
