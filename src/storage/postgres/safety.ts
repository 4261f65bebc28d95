import type { Message } from '../../features/chats/store.ts'
import type { Profile } from '../../features/profile/store.ts'
import type { Review } from '../../features/reviews/store.ts'
import type { After, Block, BlockStore, Evidence, NewReport, Report, ReportStore } from '../../features/safety/store.ts'
import { together } from '../../together.ts'
import type { Database } from './database.ts'
import type { Queries } from './queries.ts'
import { recordEvents } from './events.ts'
import { holdLiving } from './living.ts'
import { reviewColumns } from './reviews.ts'

const lastOfAll = { at: Number.MAX_SAFE_INTEGER, id: '' }

/** A page of rows, newest first. */
export const newestAfter = (after: After) => after ?? lastOfAll

const blockColumns = 'id, blocker_id, blocked_id, created_at'
// The pair's one block, whoever made it: an update that changes nothing reads the row that is there, and keeps it there.
const ensureBlock = `
  INSERT INTO blocks (${blockColumns}) VALUES ($1, $2, $3, $4)
  ON CONFLICT (blocker_id, blocked_id) DO UPDATE SET created_at = blocks.created_at RETURNING ${blockColumns}`

// What is being written in their chat comes before the block, or finds it.
const lockChatOfPair = 'SELECT id FROM chats WHERE user_a = $1 AND user_b = $2 FOR NO KEY UPDATE'

// Both directions of each pair stand in the arrays.
const blocksOfPairs = `
  SELECT blocker_id, blocked_id FROM blocks
  WHERE (blocker_id, blocked_id) IN (SELECT a, b FROM unnest($1::text[], $2::text[]) AS pairs (a, b))`

export function blockStore(db: Database): BlockStore {
  const between = together(async (pairs: readonly (readonly [string, string])[]) => {
    const [those, others] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
    const found = await db.read((q) =>
      q.all<Pick<Block, 'blocker_id' | 'blocked_id'>>(blocksOfPairs, [
        [...those, ...others],
        [...others, ...those],
      ]),
    )
    const blocks = new Set(found.map(({ blocker_id, blocked_id }) => `${blocker_id} ${blocked_id}`))
    return pairs.map(([a, b]) => ({ by_a: blocks.has(`${a} ${b}`), by_b: blocks.has(`${b} ${a}`) }))
  }, 100)

  return {
    among: async (userId, others) => {
      const [blocked, blockers] = await db.read((q) =>
        Promise.all([
          q.all<{ id: string }>(
            'SELECT blocked_id AS id FROM blocks WHERE blocker_id = $1 AND blocked_id = ANY($2::text[])',
            [userId, others],
          ),
          q.all<{ id: string }>(
            'SELECT blocker_id AS id FROM blocks WHERE blocked_id = $1 AND blocker_id = ANY($2::text[])',
            [userId, others],
          ),
        ]),
      )
      return new Set([...blocked, ...blockers].map(({ id }) => id))
    },

    between: (a, b) => between([a, b]),

    // A blocker who has just been erased leaves no block behind either.
    ensure: (block, event) =>
      db.write(async (tx) => {
        const { id, blocker_id, blocked_id, created_at } = block
        const living = await holdLiving(tx, [blocker_id, blocked_id])
        if (!living.has(blocker_id) || !living.has(blocked_id)) return null
        await tx.get(lockChatOfPair, [blocker_id, blocked_id].sort())
        const ensured = (await tx.get<Block>(ensureBlock, [id, blocker_id, blocked_id, created_at]))!
        if (ensured.id !== id) return { block: ensured, seq: null }
        const [recorded] = await recordEvents(tx, [blocker_id], 'block', created_at, { data: event })
        return { block: ensured, seq: recorded!.seq }
      }),

    list: (blockerId, limit, after) => {
      const { at, id } = newestAfter(after)
      return db.read((q) =>
        q.all<Block>(
          `SELECT ${blockColumns} FROM blocks WHERE blocker_id = $1 AND (created_at, id) < ($2, $3)
           ORDER BY created_at DESC, id DESC LIMIT $4`,
          [blockerId, at, id, limit],
        ),
      )
    },

    remove: async (blockerId, id) => {
      const removed = await db.statement((q) =>
        q.get<{ blocked_id: string }>('DELETE FROM blocks WHERE blocker_id = $1 AND id = $2 RETURNING blocked_id', [
          blockerId,
          id,
        ]),
      )
      return removed && removed.blocked_id
    },
  }
}

/**
 * What the evidence of a report holds where it is about a review of that user, as JSON.stringify writes it. Within a text that
 * somebody has written, the quotes have backslashes.
 */
export const reviewedIn = (userId: string) => `"reviewed_id":${JSON.stringify(userId)}`

export const reportColumns =
  'id, reporter_id, target, target_id, subject_id, reason, details, status, created_at, resolved_at, resolved_by, action, note, until'

// The reporter's one open report of a thing, in the same way.
const ensureReport = `
  INSERT INTO reports (id, reporter_id, target, target_id, subject_id, reason, details, evidence, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (reporter_id, target, target_id) WHERE status = 'open' DO UPDATE SET reason = reports.reason
  RETURNING ${reportColumns}`
const keepPhoto = 'INSERT INTO evidence_photos (report_id, media_id) VALUES ($1, $2)'

const userExists = 'SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL'
const membersOfMessage = `
  SELECT m.sender_id, c.user_a, c.user_b FROM messages m JOIN chats c ON c.id = m.chat_id WHERE m.id = $1`
const authorOfReview = 'SELECT reviewer_id FROM reviews WHERE id = $1'

export function reportStore(db: Database): ReportStore {
  return {
    target: (target, id) =>
      db.read(async (q) => {
        switch (target) {
          case 'user':
            return (await q.get(userExists, [id])) === null ? null : { subject_id: id, seen_by: null }
          case 'message': {
            const found = await q.get<{ sender_id: string; user_a: string; user_b: string }>(membersOfMessage, [id])
            return found && { subject_id: found.sender_id, seen_by: [found.user_a, found.user_b] }
          }
          case 'review': {
            const found = await q.get<{ reviewer_id: string | null }>(authorOfReview, [id])
            return found && { subject_id: found.reviewer_id, seen_by: null }
          }
        }
      }),

    file: (report, neighbours) =>
      db.write(async (tx) => {
        const living = await holdLiving(tx, [report.reporter_id, report.subject_id])
        if (!living.has(report.reporter_id)) return null
        const { evidence, photos } = await evidenceOf(tx, report, neighbours)
        const isThere = { user: evidence.user, message: evidence.message, review: evidence.review }[report.target]
        if (isThere === null) return null
        const { id, reporter_id, target, target_id, subject_id, reason, details, created_at } = report
        const filed = (await tx.get<Report>(ensureReport, [
          id,
          reporter_id,
          target,
          target_id,
          subject_id,
          reason,
          details,
          JSON.stringify(evidence),
          created_at,
        ]))!
        if (filed.id !== id) return { report: filed, created: false }
        await Promise.all(photos.map((photo) => tx.run(keepPhoto, [id, photo])))
        return { report: filed, created: true }
      }),

    list: (reporterId, limit, after) => {
      const { at, id } = newestAfter(after)
      return db.read((q) =>
        q.all<Report>(
          `SELECT ${reportColumns} FROM reports WHERE reporter_id = $1 AND (created_at, id) < ($2, $3)
           ORDER BY created_at DESC, id DESC LIMIT $4`,
          [reporterId, at, id, limit],
        ),
      )
    },
  }
}

// Whoever reads evidence has no business with the sender's own `client_id`.
const messageColumns = `
  id, chat_id, seq, sender_id, kind, text, photo_id, NULL AS client_id, read_at, edited_at, deleted_at, created_at`
const placeOf = 'SELECT chat_id, seq FROM messages WHERE id = $1'
// Whoever changes a message locks its chat: no text goes between the reading of it and of its versions.
const holdChat = 'SELECT id FROM chats WHERE id = $1 FOR SHARE'
const messageAt = `SELECT ${messageColumns} FROM messages WHERE chat_id = $1 AND seq = $2`
const before = `SELECT ${messageColumns} FROM messages WHERE chat_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3`
const after = `SELECT ${messageColumns} FROM messages WHERE chat_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`
const versionsOf = 'SELECT text, at FROM message_versions WHERE chat_id = $1 AND message_id = $2 ORDER BY at'
const reviewById = `SELECT ${reviewColumns} FROM reviews WHERE id = $1`
const profileOf = `
  SELECT u.id, name, city, bio, gender, photo, drinks, activities, purposes, coalesce(language, 'en') AS language,
    rating_avg, coalesce(s.count, 0) AS reviews_count, created_at
  FROM users u LEFT JOIN preferences p ON p.user_id = u.id LEFT JOIN user_stats s ON s.user_id = u.id
  WHERE u.id = $1 AND deleted_at IS NULL`
// Locked, so that none is removed before it is noted as evidence.
const imageOf = 'SELECT id, width, height, placeholder FROM media WHERE owner_id = $1 AND id = $2 FOR SHARE'

type MessageRow = Omit<Message, 'photo_width' | 'photo_height' | 'photo_placeholder'>
type Place = Pick<Message, 'chat_id' | 'seq'>
type Image = { id: string; width: number; height: number; placeholder: string }

/** What a report is about, and the images that it shows and that are there, locked until the write is over. */
async function evidenceOf(tx: Queries, report: NewReport, neighbours: number) {
  const place = report.target === 'message' ? await tx.get<Place>(placeOf, [report.target_id]) : null
  const around = place && [place.chat_id, place.seq]
  const [, earlier, message, later, versions, review, user] = await Promise.all([
    place && tx.get(holdChat, [place.chat_id]),
    around ? tx.all<MessageRow>(before, [...around, neighbours]) : [],
    around ? tx.get<MessageRow>(messageAt, around) : null,
    around ? tx.all<MessageRow>(after, [...around, neighbours]) : [],
    place ? tx.all<{ text: string; at: number }>(versionsOf, [place.chat_id, report.target_id]) : [],
    report.target === 'review' ? tx.get<Review>(reviewById, [report.target_id]) : null,
    report.subject_id === null ? null : tx.get<Profile & Lists>(profileOf, [report.subject_id]),
  ])
  const owned = [...earlier, message, ...later]
    .map((shown) => shown && { owner: shown.sender_id, photo: shown.photo_id })
    .concat(user && { owner: user.id, photo: user.photo })
    .flatMap((shown) => (shown === null || shown.photo === null ? [] : [[shown.owner, shown.photo] as const]))
  const inOrder = [...new Map(owned.map((pair) => [pair.join(), pair])).entries()].sort(([a], [b]) => (a < b ? -1 : 1))
  const found = await Promise.all(inOrder.map(([, pair]) => tx.get<Image>(imageOf, [...pair])))
  const images = new Map(found.flatMap((image) => (image === null ? [] : [[image.id, image] as const])))

  const shown = (row: MessageRow): Message => {
    const image = row.photo_id === null ? undefined : images.get(row.photo_id)
    return {
      ...row,
      photo_width: image?.width ?? null,
      photo_height: image?.height ?? null,
      photo_placeholder: image?.placeholder ?? null,
    }
  }
  const evidence: Evidence = {
    message: message && shown(message),
    versions,
    before: earlier.map(shown).reverse(),
    after: later.map(shown),
    review,
    user: user && {
      ...user,
      drinks: JSON.parse(user.drinks ?? '[]'),
      activities: JSON.parse(user.activities ?? '[]'),
      purposes: JSON.parse(user.purposes ?? '[]'),
    },
  }
  return { evidence, photos: [...images.keys()] }
}

type Lists = Record<'drinks' | 'activities' | 'purposes', string | null>
