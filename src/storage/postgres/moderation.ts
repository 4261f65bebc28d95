import type { Message } from '../../features/chats/store.ts'
import type {
  Appeal,
  Decided,
  Decision,
  ModerationStore,
  Notice,
  NoticeInContext,
  NoticeStore,
  Standing,
} from '../../features/moderation/store.ts'
import type { Report } from '../../features/safety/store.ts'
import { recordAudit } from './audit.ts'
import type { Database } from './database.ts'
import type { Queries, Value } from './queries.ts'
import { recordEvents } from './events.ts'
import { holdLiving } from './living.ts'
import { recount } from './reviews.ts'
import { newestAfter, reportColumns, reviewedIn } from './safety.ts'
import { retrait } from './traits.ts'
import { recountUnread } from './unread.ts'

const firstOfAll = { at: Number.MIN_SAFE_INTEGER, id: '' }

const noticesWithAppeals = `
  SELECT n.id, n.user_id, n.report_id, n.action, n.reason, n.note, n.until, n.created_at,
    a.id AS appeal_id, a.status AS appeal_status
  FROM notices n LEFT JOIN appeals a ON a.user_id = n.user_id AND a.notice_id = n.id`
const appealColumns = 'id, notice_id, user_id, text, status, created_at, resolved_at, resolved_by, note'

type NoticeRow = Omit<NoticeInContext, 'target' | 'target_id' | 'ground'>
type About = Pick<Report, 'id' | 'target' | 'target_id'> & { ground: Report['reason'] }

/** Adds what their reports were about. A look-up of its own: reports and notices are not in one place. */
async function inContext(q: Queries, notices: NoticeRow[]): Promise<NoticeInContext[]> {
  const ids = notices.flatMap(({ report_id }) => (report_id === null ? [] : [report_id]))
  const reports =
    ids.length === 0
      ? []
      : await q.all<About>('SELECT id, target, target_id, reason AS ground FROM reports WHERE id = ANY($1::text[])', [
          ids,
        ])
  const aboutOf = new Map(reports.map(({ id, ...about }) => [id, about]))
  return notices.map((notice) => ({ ...notice, ...(aboutOf.get(notice.report_id ?? '') ?? nothingKnown) }))
}

const nothingKnown = { target: null, target_id: null, ground: null }

export function noticeStore(db: Database): NoticeStore {
  return {
    list: (userId, limit, after) => {
      const { at, id } = newestAfter(after)
      return db.read(async (q) =>
        inContext(
          q,
          await q.all<NoticeRow>(
            `${noticesWithAppeals} WHERE n.user_id = $1 AND (n.created_at, n.id) < ($2, $3)
             ORDER BY n.created_at DESC, n.id DESC LIMIT $4`,
            [userId, at, id, limit],
          ),
        ),
      )
    },

    byId: (id) =>
      db.read(async (q) => {
        const [notice] = await inContext(q, await q.all<NoticeRow>(`${noticesWithAppeals} WHERE n.id = $1`, [id]))
        return notice ?? null
      }),

    appeal: (appeal) =>
      db.write(async (tx) => {
        const { id, notice_id, user_id, text, status, created_at, resolved_at, resolved_by, note } = appeal
        if (!(await holdLiving(tx, [user_id])).has(user_id)) return false
        const inserted = await tx.run(
          `INSERT INTO appeals (${appealColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT (user_id, notice_id) DO NOTHING`,
          [id, notice_id, user_id, text, status, created_at, resolved_at, resolved_by, note],
        )
        return inserted > 0
      }),

    appeals: (userId, limit, after) => {
      const { at, id } = newestAfter(after)
      return db.read((q) =>
        q.all<Appeal>(
          `SELECT ${appealColumns} FROM appeals WHERE user_id = $1 AND (created_at, id) < ($2, $3)
           ORDER BY created_at DESC, id DESC LIMIT $4`,
          [userId, at, id, limit],
        ),
      )
    },
  }
}

/** Appends a value, and answers the name that it has in the statement. */
const naming = (values: Value[]) => (value: Value) => `$${values.push(value)}`

export function moderationStore(db: Database): ModerationStore {
  async function withNotices(q: Queries, appeals: Appeal[]) {
    const rows = await q.all<NoticeRow>(
      `${noticesWithAppeals} WHERE n.user_id = ANY($1::text[]) AND n.id = ANY($2::text[])`,
      [appeals.map(({ user_id }) => user_id), appeals.map(({ notice_id }) => notice_id)],
    )
    const notices = new Map((await inContext(q, rows)).map((notice) => [notice.id, notice]))
    return appeals.map((appeal) => ({ ...appeal, notice: notices.get(appeal.notice_id)! }))
  }

  return {
    standing: (userId) =>
      db.read((q) =>
        q.get<Standing>('SELECT id, role, suspended_until, suspension_id, deleted_at FROM users WHERE id = $1', [
          userId,
        ]),
      ),

    reports: ({ reader, status, reason }, limit, after) => {
      const { at, id } = after ?? firstOfAll
      const values: Value[] = [at, id, reader, reviewedIn(reader)]
      const named = naming(values)
      return db.read((q) =>
        q.all<Report>(
          `SELECT ${reportColumns} FROM reports
           WHERE (created_at, id) > ($1, $2) AND subject_id IS DISTINCT FROM $3::text
             AND NOT (target = 'review' AND strpos(coalesce(evidence, ''), $4) > 0)
             ${status === undefined ? '' : `AND status = ${named(status)}`}
             ${reason === undefined ? '' : `AND reason = ${named(reason)}`}
           ORDER BY created_at, id LIMIT ${named(limit)}`,
          values,
        ),
      )
    },

    report: async (id) => {
      const found = await db.read((q) =>
        q.get<Report & { evidence: string | null }>(`SELECT ${reportColumns}, evidence FROM reports WHERE id = $1`, [
          id,
        ]),
      )
      return found && { ...found, evidence: found.evidence === null ? null : JSON.parse(found.evidence) }
    },

    appeals: ({ reader, status }, limit, after) => {
      const { at, id } = after ?? firstOfAll
      const values: Value[] = [at, id, reader, reviewedIn(reader)]
      const named = naming(values)
      return db.read(async (q) =>
        withNotices(
          q,
          await q.all<Appeal>(
            `SELECT ${appealColumns} FROM appeals
             WHERE (created_at, id) > ($1, $2) AND user_id <> $3 AND NOT EXISTS (
               SELECT 1 FROM notices JOIN reports ON reports.id = notices.report_id
               WHERE notices.user_id = appeals.user_id AND notices.id = appeals.notice_id
                 AND reports.target = 'review' AND strpos(coalesce(reports.evidence, ''), $4) > 0)
               ${status === undefined ? '' : `AND status = ${named(status)}`}
             ORDER BY created_at, id LIMIT ${named(limit)}`,
            values,
          ),
        ),
      )
    },

    appeal: (id) =>
      db.read(async (q) => {
        const [appeal] = await withNotices(
          q,
          await q.all<Appeal>(`SELECT ${appealColumns} FROM appeals WHERE id = $1`, [id]),
        )
        return appeal ?? null
      }),

    decide: (decision) => db.write((tx) => decide(tx, decision)),
  }
}

type AppealKey = Pick<Appeal, 'user_id' | 'notice_id'>
type StandingMessage = Omit<Message, 'photo_width' | 'photo_height' | 'photo_placeholder'>
/** Content to remove, with where it is and whom it concerns. What has gone already is null. */
type Content =
  | { of: 'message'; chat_id: string; seq: number; members: readonly [string, string] }
  | { of: 'review'; chat_id: string; reviewed_id: string }
  | { of: 'user'; id: string; name: string }
  | null

async function contentOf(tx: Queries, { target, id, name }: NonNullable<Decision['remove']>): Promise<Content> {
  switch (target) {
    case 'message': {
      const found = await tx.get<{ chat_id: string; seq: number; user_a: string; user_b: string }>(
        'SELECT m.chat_id, m.seq, c.user_a, c.user_b FROM messages m JOIN chats c ON c.id = m.chat_id WHERE m.id = $1',
        [id],
      )
      return found && { of: target, chat_id: found.chat_id, seq: found.seq, members: [found.user_a, found.user_b] }
    }
    case 'review': {
      const found = await tx.get<{ chat_id: string; reviewed_id: string }>(
        'SELECT chat_id, reviewed_id FROM reviews WHERE id = $1',
        [id],
      )
      return found && { of: target, ...found }
    }
    case 'user':
      return { of: target, id, name }
  }
}

/**
 * First everything that the decision stands on is found, then locked, and looked at under the lock; then all of it is
 * written, or nothing.
 */
async function decide(tx: Queries, decision: Decision): Promise<Decided | null> {
  const { at, report, appeal, remove, suspend, lift, notice } = decision
  const [content, appealKey] = await Promise.all([
    remove ? contentOf(tx, remove) : null,
    appeal ? tx.get<AppealKey>('SELECT user_id, notice_id FROM appeals WHERE id = $1', [appeal.id]) : null,
  ])
  if (appeal && !appealKey) return null

  const concerned: string[] = []
  const changed: string[] = []
  if (notice) concerned.push(notice.notice.user_id)
  if (content?.of === 'message') concerned.push(...content.members)
  if (content?.of === 'review') concerned.push(content.reviewed_id)
  if (content?.of === 'user') changed.push(content.id)
  if (suspend) changed.push(suspend.user_id)
  if (lift) changed.push(lift.user_id)
  const living = await holdLiving(tx, concerned, changed)

  const [, message] =
    content?.of === 'message'
      ? await Promise.all([
          tx.get(lockChat, [content.chat_id]),
          tx.get<StandingMessage>(standingMessage, [content.chat_id, content.seq]),
        ])
      : [null, null]
  const [isOpenReport, isOpenAppeal, isSuspended] = await Promise.all([
    report ? tx.get(openReport, [report.id]) : null,
    appeal ? tx.get(openAppeal, [appealKey!.user_id, appealKey!.notice_id]) : null,
    lift ? tx.get(suspendedBy, [lift.user_id, lift.suspension_id]) : null,
  ])
  if ((report && !isOpenReport) || (appeal && !isOpenAppeal) || (lift && !isSuspended)) return null

  let photos: string[] = []
  if (content?.of === 'user' && living.has(content.id)) photos = await clearProfile(tx, content, at)
  const writes: Promise<unknown>[] = []
  if (suspend) writes.push(tx.run(setSuspension, [suspend.user_id, suspend.until, suspend.reason, suspend.notice_id]))
  if (lift) writes.push(tx.run(setSuspension, [lift.user_id, null, null, null]))
  if (message) {
    writes.push(
      tx.run(keepVersion, [message.chat_id, message.seq, at]),
      tx.run(bury, [message.chat_id, message.seq, at]),
      tx.run(recountUnread, [message.chat_id]),
    )
    if (message.photo_id !== null) photos = [message.photo_id]
  }
  if (report)
    writes.push(tx.run(settleReport, [report.id, at, report.resolved_by, report.action, report.note, report.until]))
  if (appeal) {
    const { user_id, notice_id } = appealKey!
    writes.push(tx.run(settleAppeal, [user_id, notice_id, appeal.status, at, appeal.resolved_by, appeal.note]))
  }
  const told = notice && living.has(notice.notice.user_id) ? notice : null
  if (told) writes.push(insertNotice(tx, told.notice))
  writes.push(recordAudit(tx, decision.audit))
  await Promise.all(writes)
  if (content?.of === 'review' && living.has(content.reviewed_id)) {
    const removed = await tx.run('DELETE FROM reviews WHERE chat_id = $1 AND id = $2', [content.chat_id, remove!.id])
    if (removed > 0) await recount(tx, content.reviewed_id)
  }

  const members = message && content?.of === 'message' ? content.members.filter((id) => living.has(id)) : []
  const events = [
    ...members.map((user_id) => ({ user_id, type: 'message_deleted', event: { ref: message!.id } })),
    ...(told ? [{ user_id: told.notice.user_id, type: 'notice', event: { data: told.event } }] : []),
  ].sort((a, b) => (a.user_id < b.user_id ? -1 : a.user_id > b.user_id ? 1 : 0))
  const numbers = await Promise.all(
    events.map(({ user_id, type, event }) => recordEvents(tx, [user_id], type, at, event)),
  )
  const seqOf = (userId: string, type: string) =>
    numbers[events.findIndex((event) => event.user_id === userId && event.type === type)]![0]!.seq
  const gone = { text: null, photo_id: null, photo_width: null, photo_height: null, photo_placeholder: null }
  return {
    notice_seq: told ? seqOf(told.notice.user_id, 'notice') : null,
    tombstone: message && {
      message: { ...message, ...gone, deleted_at: at },
      events: members.map((user_id) => ({ user_id, seq: seqOf(user_id, 'message_deleted') })),
    },
    photos,
  }
}

const lockChat = 'SELECT id FROM chats WHERE id = $1 FOR NO KEY UPDATE'
const openReport = "SELECT id FROM reports WHERE id = $1 AND status = 'open' FOR UPDATE"
const openAppeal = "SELECT id FROM appeals WHERE user_id = $1 AND notice_id = $2 AND status = 'open' FOR UPDATE"
const suspendedBy = `
  SELECT id FROM users
  WHERE id = $1 AND suspension_id IS NOT DISTINCT FROM $2::text AND suspended_until IS NOT NULL`
const standingMessage = `
  SELECT id, chat_id, seq, sender_id, kind, text, photo_id, client_id, read_at, edited_at, deleted_at, created_at
  FROM messages WHERE chat_id = $1 AND seq = $2 AND deleted_at IS NULL`

const settleReport = `
  UPDATE reports SET status = 'resolved', resolved_at = $2, resolved_by = $3, action = $4, note = $5, until = $6
  WHERE id = $1`
const settleAppeal = `
  UPDATE appeals SET status = $3, resolved_at = $4, resolved_by = $5, note = $6 WHERE user_id = $1 AND notice_id = $2`
const setSuspension = `
  UPDATE users SET suspended_until = $2, suspended_reason = $3, suspension_id = $4
  WHERE id = $1 AND deleted_at IS NULL`
// Two changes within a millisecond: the later text takes the next free one.
const keepVersion = `
  INSERT INTO message_versions (chat_id, message_id, at, text)
  SELECT m.chat_id, m.id, greatest($3::bigint, coalesce((
    SELECT max(v.at) + 1 FROM message_versions v WHERE v.chat_id = m.chat_id AND v.message_id = m.id), 0)), m.text
  FROM messages m WHERE m.chat_id = $1 AND m.seq = $2 AND m.text IS NOT NULL`
const bury = 'UPDATE messages SET text = NULL, photo_id = NULL, deleted_at = $3 WHERE chat_id = $1 AND seq = $2'

const insertNotice = (tx: Queries, { id, user_id, report_id, action, reason, note, until, created_at }: Notice) =>
  tx.run(
    `INSERT INTO notices (id, user_id, report_id, action, reason, note, until, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, user_id, report_id, action, reason, note, until, created_at],
  )

/** Empties what its owner wrote into a profile; answers the image that it showed. The account is locked. */
async function clearProfile(tx: Queries, { id, name }: { id: string; name: string }, at: number): Promise<string[]> {
  const [user] = await Promise.all([
    tx.get<{ photo: string | null }>('SELECT photo FROM users WHERE id = $1', [id]),
    tx.run(
      `UPDATE users SET name = $2, city = NULL, bio = NULL, photo = NULL, updated_at = $3
       WHERE id = $1 AND deleted_at IS NULL`,
      [id, name, at],
    ),
    tx.run("UPDATE preferences SET drinks = '[]', activities = '[]', purposes = '[]' WHERE user_id = $1", [id]),
    retrait(tx, id),
  ])
  return user === null || user.photo === null ? [] : [user.photo]
}
