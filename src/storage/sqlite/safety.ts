import type { Message } from '../../features/chats/store.ts'
import type { Profile } from '../../features/profile/store.ts'
import type { Block, BlockStore, Evidence, NewReport, Report, ReportStore } from '../../features/safety/store.ts'
import type { Db } from './database.ts'
import { eventRecorder } from './events.ts'
import type { Reads } from './reads.ts'
import { reviewReader } from './reviews.ts'
import type { Writer } from './writer.ts'

const lastOfAll = { at: Number.MAX_SAFE_INTEGER, id: '' }

export function blockStore(db: Db, writer: Writer, { read }: Reads): BlockStore {
  const client = db.$client
  const record = eventRecorder(db)

  const blockers = client.prepare<{ blocker_id: string }, [string, string]>(`
    SELECT blocker_id FROM blocks WHERE blocker_id = ?1 AND blocked_id = ?2
    UNION ALL SELECT blocker_id FROM blocks WHERE blocker_id = ?2 AND blocked_id = ?1`)
  const amongThem = client.prepare<{ id: string }, [{ user: string; others: string }]>(`
    SELECT value AS id FROM json_each($others)
    WHERE EXISTS (SELECT 1 FROM blocks WHERE blocker_id = $user AND blocked_id = value)
       OR EXISTS (SELECT 1 FROM blocks WHERE blocker_id = value AND blocked_id = $user)`)
  const insert = client.prepare<Block, [Block]>(`
    INSERT INTO blocks (id, blocker_id, blocked_id, created_at)
    SELECT $id, $blocker_id, $blocked_id, $created_at FROM users WHERE id = $blocked_id AND deleted_at IS NULL
    ON CONFLICT (blocker_id, blocked_id) DO NOTHING RETURNING id, blocker_id, blocked_id, created_at`)
  const ofPair = client.prepare<Block, [string, string]>(`
    SELECT b.id, blocker_id, blocked_id, b.created_at FROM blocks b JOIN users u ON u.id = blocked_id
    WHERE blocker_id = ? AND blocked_id = ? AND u.deleted_at IS NULL`)
  const list = client.prepare<Block, [string, number, string, number]>(`
    SELECT id, blocker_id, blocked_id, created_at FROM blocks WHERE blocker_id = ? AND (created_at, id) < (?, ?)
    ORDER BY created_at DESC, id DESC LIMIT ?`)
  const remove = client.prepare<{ blocked_id: string }, [string, string]>(
    'DELETE FROM blocks WHERE blocker_id = ? AND id = ? RETURNING blocked_id',
  )

  return {
    among: async (userId, others) =>
      new Set(read(() => amongThem.all({ user: userId, others: JSON.stringify(others) })).map((row) => row.id)),

    between: async (a, b) => {
      const found = read(() => blockers.all(a, b))
      return { by_a: found.some((row) => row.blocker_id === a), by_b: found.some((row) => row.blocker_id === b) }
    },

    ensure: (block, event) =>
      writer.write(() => {
        const created = insert.get(block)
        if (created)
          return { block: created, seq: record(block.blocker_id, 'block', block.created_at, { data: event }) }
        const existing = ofPair.get(block.blocker_id, block.blocked_id)
        return existing && { block: existing, seq: null }
      }),

    list: async (blockerId, limit, after) => {
      const { at, id } = after ?? lastOfAll
      return list.all(blockerId, at, id, limit)
    },

    remove: (blockerId, id) => writer.write(() => remove.get(blockerId, id)?.blocked_id ?? null),
  }
}

export const reportColumns =
  'id, reporter_id, target, target_id, subject_id, reason, details, status, created_at, resolved_at, resolved_by, action, note, until'

export function reportStore(db: Db, writer: Writer): ReportStore {
  const client = db.$client
  const evidenceOf = evidenceReader(db)

  const userExists = client.prepare<{ id: string }, [string]>(
    'SELECT id FROM users WHERE id = ? AND deleted_at IS NULL',
  )
  const membersOfMessage = client.prepare<{ sender_id: string; user_a: string; user_b: string }, [string]>(
    'SELECT m.sender_id, c.user_a, c.user_b FROM messages m JOIN chats c ON c.id = m.chat_id WHERE m.id = ?',
  )
  const authorOfReview = client.prepare<{ reviewer_id: string | null }, [string]>(
    'SELECT reviewer_id FROM reviews WHERE id = ?',
  )
  const insert = client.prepare<Report, [NewReport & { evidence: string }]>(`
    INSERT INTO reports (id, reporter_id, target, target_id, subject_id, reason, details, evidence, created_at)
    VALUES ($id, $reporter_id, $target, $target_id, $subject_id, $reason, $details, $evidence, $created_at)
    ON CONFLICT (reporter_id, target, target_id) WHERE status = 'open' DO NOTHING RETURNING ${reportColumns}`)
  const openOne = client.prepare<Report, [string, string, string]>(
    `SELECT ${reportColumns} FROM reports WHERE reporter_id = ? AND target = ? AND target_id = ? AND status = 'open'`,
  )
  const keepPhotos = client.prepare<null, [{ report: string; photos: string }]>(`
    INSERT INTO evidence_photos (media_id, report_id)
    SELECT DISTINCT id, $report FROM media WHERE id IN (SELECT value FROM json_each($photos))`)
  const list = client.prepare<Report, [string, number, string, number]>(`
    SELECT ${reportColumns} FROM reports WHERE reporter_id = ? AND (created_at, id) < (?, ?)
    ORDER BY created_at DESC, id DESC LIMIT ?`)

  return {
    target: async (target, id) => {
      switch (target) {
        case 'user':
          return userExists.get(id) && { subject_id: id, seen_by: null }
        case 'message': {
          const found = membersOfMessage.get(id)
          return found && { subject_id: found.sender_id, seen_by: [found.user_a, found.user_b] }
        }
        case 'review': {
          const found = authorOfReview.get(id)
          return found && { subject_id: found.reviewer_id, seen_by: null }
        }
      }
    },

    file: (report, neighbours) =>
      writer.write(() => {
        const evidence = evidenceOf(report, neighbours)
        const isThere = { user: evidence.user, message: evidence.message, review: evidence.review }[report.target]
        if (isThere === null) return null
        const filed = insert.get({ ...report, evidence: JSON.stringify(evidence) })
        if (!filed) return { report: openOne.get(report.reporter_id, report.target, report.target_id)!, created: false }
        keepPhotos.run({ report: report.id, photos: JSON.stringify(photosOf(evidence)) })
        return { report: filed, created: true }
      }),

    list: async (reporterId, limit, after) => {
      const { at, id } = after ?? lastOfAll
      return list.all(reporterId, at, id, limit)
    },
  }
}

/** Reads what a report is about, within the write that files it. */
function evidenceReader(db: Db) {
  const client = db.$client
  const reviewById = reviewReader(db)

  // Whoever reads evidence has no business with the sender's own `client_id`.
  const message = `
    SELECT m.id, m.chat_id, m.seq, m.sender_id, m.kind, m.text, m.photo_id, p.width AS photo_width,
      p.height AS photo_height, p.placeholder AS photo_placeholder, NULL AS client_id, m.read_at, m.edited_at,
      m.deleted_at, m.created_at
    FROM messages m LEFT JOIN media p ON p.id = m.photo_id`
  const messageById = client.prepare<Message, [string]>(`${message} WHERE m.id = ?`)
  const before = client.prepare<Message, [string, number, number]>(
    `${message} WHERE m.chat_id = ? AND m.seq < ? ORDER BY m.seq DESC LIMIT ?`,
  )
  const after = client.prepare<Message, [string, number, number]>(
    `${message} WHERE m.chat_id = ? AND m.seq > ? ORDER BY m.seq LIMIT ?`,
  )
  const versions = client.prepare<{ text: string; at: number }, [string]>(
    'SELECT text, at FROM message_versions WHERE message_id = ? ORDER BY at',
  )
  const profile = client.prepare<{ profile: string }, [string]>(`
    SELECT json_object(
      'id', u.id, 'name', name, 'city', city, 'bio', bio, 'gender', gender, 'photo', photo,
      'drinks', json(coalesce(drinks, '[]')), 'activities', json(coalesce(activities, '[]')),
      'purposes', json(coalesce(purposes, '[]')), 'language', coalesce(language, 'en'),
      'rating_avg', rating_avg, 'reviews_count', coalesce(s.count, 0), 'created_at', created_at) AS profile
    FROM users u LEFT JOIN preferences p ON p.user_id = u.id LEFT JOIN user_stats s ON s.user_id = u.id
    WHERE u.id = ? AND deleted_at IS NULL`)

  return (report: NewReport, neighbours: number): Evidence => {
    const reported = report.target === 'message' ? messageById.get(report.target_id) : null
    const found = report.subject_id === null ? null : profile.get(report.subject_id)
    return {
      message: reported,
      versions: reported ? versions.all(reported.id) : [],
      before: reported ? before.all(reported.chat_id, reported.seq, neighbours).reverse() : [],
      after: reported ? after.all(reported.chat_id, reported.seq, neighbours) : [],
      review: report.target === 'review' ? reviewById(report.target_id) : null,
      user: found && (JSON.parse(found.profile) as Profile),
    }
  }
}

const photosOf = ({ message, before, after, user }: Evidence) =>
  [...before, message, ...after]
    .map((shown) => shown?.photo_id)
    .concat(user?.photo)
    .filter((photo) => photo != null)
