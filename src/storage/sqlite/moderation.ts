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
import type { Report, ReportTarget } from '../../features/safety/store.ts'
import { auditRecorder } from './audit.ts'
import type { Db } from './database.ts'
import { eventRecorder } from './events.ts'
import { statsCounter } from './reviews.ts'
import { reportColumns } from './safety.ts'
import { traitKeeper } from './traits.ts'
import { unreadCounter } from './unread.ts'
import type { Writer } from './writer.ts'

const lastOfAll = { at: Number.MAX_SAFE_INTEGER, id: '' }
const firstOfAll = { at: Number.MIN_SAFE_INTEGER, id: '' }

const noticeColumns = `
  n.id, n.user_id, n.report_id, n.action, n.reason, n.note, n.until, n.created_at,
  r.target, r.target_id, r.reason AS ground, a.id AS appeal_id, a.status AS appeal_status`
const fromNotices = 'FROM notices n LEFT JOIN reports r ON r.id = n.report_id LEFT JOIN appeals a ON a.notice_id = n.id'
const appealColumns = 'id, notice_id, user_id, text, status, created_at, resolved_at, resolved_by, note'

export function noticeStore(db: Db, writer: Writer): NoticeStore {
  const client = db.$client
  const list = client.prepare<NoticeInContext, [string, number, string, number]>(`
    SELECT ${noticeColumns} ${fromNotices} WHERE n.user_id = ? AND (n.created_at, n.id) < (?, ?)
    ORDER BY n.created_at DESC, n.id DESC LIMIT ?`)
  const byId = client.prepare<NoticeInContext, [string]>(`SELECT ${noticeColumns} ${fromNotices} WHERE n.id = ?`)
  const insert = client.prepare<{ id: string }, [Appeal]>(`
    INSERT INTO appeals (${appealColumns})
    VALUES ($id, $notice_id, $user_id, $text, $status, $created_at, $resolved_at, $resolved_by, $note)
    ON CONFLICT (notice_id) DO NOTHING RETURNING id`)
  const appeals = client.prepare<Appeal, [string, number, string, number]>(`
    SELECT ${appealColumns} FROM appeals WHERE user_id = ? AND (created_at, id) < (?, ?)
    ORDER BY created_at DESC, id DESC LIMIT ?`)

  return {
    list: async (userId, limit, after) => {
      const { at, id } = after ?? lastOfAll
      return list.all(userId, at, id, limit)
    },
    byId: async (id) => byId.get(id),
    appeal: (appeal) => writer.write(() => insert.get(appeal) !== null),
    appeals: async (userId, limit, after) => {
      const { at, id } = after ?? lastOfAll
      return appeals.all(userId, at, id, limit)
    },
  }
}

export function moderationStore(db: Db, writer: Writer): ModerationStore {
  const client = db.$client
  const record = eventRecorder(db)
  const audit = auditRecorder(db)
  const remove = contentRemover(db)

  const standing = client.prepare<Standing, [string]>(
    'SELECT id, role, suspended_until, suspension_id, deleted_at FROM users WHERE id = ?',
  )
  const report = client.prepare<Report & { evidence: string | null }, [string]>(
    `SELECT ${reportColumns}, evidence FROM reports WHERE id = ?`,
  )
  const noticeById = client.prepare<NoticeInContext, [string]>(`SELECT ${noticeColumns} ${fromNotices} WHERE n.id = ?`)
  const appealById = client.prepare<Appeal, [string]>(`SELECT ${appealColumns} FROM appeals WHERE id = ?`)

  const isOpenReport = client.prepare<unknown, [string]>("SELECT 1 FROM reports WHERE id = ? AND status = 'open'")
  const isOpenAppeal = client.prepare<unknown, [string]>("SELECT 1 FROM appeals WHERE id = ? AND status = 'open'")
  const isSuspendedBy = client.prepare<unknown, [{ user_id: string; suspension_id: string | null }]>(
    'SELECT 1 FROM users WHERE id = $user_id AND suspension_id IS $suspension_id AND suspended_until IS NOT NULL',
  )
  const settleReport = client.prepare<null, [NonNullable<Decision['report']> & { at: number }]>(`
    UPDATE reports SET status = 'resolved', resolved_at = $at, resolved_by = $resolved_by, action = $action,
      note = $note, until = $until
    WHERE id = $id`)
  const settleAppeal = client.prepare<null, [NonNullable<Decision['appeal']> & { at: number }]>(
    'UPDATE appeals SET status = $status, resolved_at = $at, resolved_by = $resolved_by, note = $note WHERE id = $id',
  )
  const suspend = client.prepare<null, [NonNullable<Decision['suspend']>]>(`
    UPDATE users SET suspended_until = $until, suspended_reason = $reason, suspension_id = $notice_id
    WHERE id = $user_id AND deleted_at IS NULL`)
  const lift = client.prepare<null, [string]>(
    'UPDATE users SET suspended_until = NULL, suspended_reason = NULL, suspension_id = NULL WHERE id = ?',
  )
  const insertNotice = client.prepare<{ id: string }, [Notice]>(`
    INSERT INTO notices (id, user_id, report_id, action, reason, note, until, created_at)
    SELECT $id, $user_id, $report_id, $action, $reason, $note, $until, $created_at
    FROM users WHERE id = $user_id AND deleted_at IS NULL RETURNING id`)

  const withNotice = (appeal: Appeal) => ({ ...appeal, notice: noticeById.get(appeal.notice_id)! })

  return {
    standing: async (userId) => standing.get(userId),

    reports: async ({ reader, status, reason }, limit, after) => {
      const { at, id } = after ?? firstOfAll
      return client
        .query<Report, Record<string, string | number>[]>(
          `SELECT ${reportColumns} FROM reports
           WHERE (created_at, id) > ($at, $id)
             AND subject_id IS NOT $reader AND evidence ->> '$.review.reviewed_id' IS NOT $reader
             ${status === undefined ? '' : 'AND status = $status'} ${reason === undefined ? '' : 'AND reason = $reason'}
           ORDER BY created_at, id LIMIT $limit`,
        )
        .all({ at, id, limit, reader, ...(status && { status }), ...(reason && { reason }) })
    },

    report: async (id) => {
      const found = report.get(id)
      return found && { ...found, evidence: found.evidence === null ? null : JSON.parse(found.evidence) }
    },

    appeals: async ({ reader, status }, limit, after) => {
      const { at, id } = after ?? firstOfAll
      return client
        .query<Appeal, Record<string, string | number>[]>(
          `SELECT ${appealColumns} FROM appeals
           WHERE (created_at, id) > ($at, $id) AND user_id <> $reader AND NOT EXISTS (
             SELECT 1 FROM notices JOIN reports ON reports.id = notices.report_id
             WHERE notices.id = appeals.notice_id AND reports.evidence ->> '$.review.reviewed_id' = $reader)
             ${status === undefined ? '' : 'AND status = $status'}
           ORDER BY created_at, id LIMIT $limit`,
        )
        .all({ at, id, limit, reader, ...(status && { status }) })
        .map(withNotice)
    },

    appeal: async (id) => {
      const found = appealById.get(id)
      return found && withNotice(found)
    },

    decide: (decision) =>
      writer.write((): Decided | null => {
        const stands =
          (!decision.report || isOpenReport.get(decision.report.id)) &&
          (!decision.appeal || isOpenAppeal.get(decision.appeal.id)) &&
          (!decision.lift || isSuspendedBy.get(decision.lift))
        if (!stands) return null
        const { at } = decision
        if (decision.report) settleReport.run({ ...decision.report, at })
        if (decision.appeal) settleAppeal.run({ ...decision.appeal, at })
        if (decision.suspend) suspend.run(decision.suspend)
        if (decision.lift) lift.run(decision.lift.user_id)
        const removed = decision.remove ? remove[decision.remove.target](decision.remove, at) : nothing
        audit(decision.audit)
        return { ...removed, notice_seq: tell(decision) }
      }),
  }

  function tell({ notice, at }: Decision): number | null {
    if (!notice || !insertNotice.get(notice.notice)) return null
    return record(notice.notice.user_id, 'notice', at, { data: notice.event })
  }
}

type Removed = Pick<Decided, 'tombstone' | 'photos'>
type Remove = (content: { id: string; name: string }, at: number) => Removed

const nothing: Removed = { tombstone: null, photos: [] }

/** Removes content, within the write that decides it. */
function contentRemover(db: Db): Record<ReportTarget, Remove> {
  const client = db.$client
  const record = eventRecorder(db)
  const recount = statsCounter(db)
  const recountUnread = unreadCounter(db)

  const standingMessage = client.prepare<
    Omit<Message, 'photo_width' | 'photo_height' | 'photo_placeholder'> & { user_a: string; user_b: string },
    [string]
  >(`
    SELECT m.id, m.chat_id, m.seq, m.sender_id, m.kind, m.text, m.photo_id, m.client_id, m.read_at, m.edited_at,
      m.deleted_at, m.created_at, c.user_a, c.user_b
    FROM messages m JOIN chats c ON c.id = m.chat_id WHERE m.id = ? AND m.deleted_at IS NULL`)
  const isThere = client.prepare<unknown, [string]>('SELECT 1 FROM users WHERE id = ? AND deleted_at IS NULL')
  const keepVersion = client.prepare<null, [number, string]>(`
    INSERT INTO message_versions (message_id, at, text)
    SELECT id, max(?1, coalesce((SELECT max(at) + 1 FROM message_versions WHERE message_id = id), 0)), text
    FROM messages WHERE id = ?2 AND text IS NOT NULL`)
  const bury = client.prepare<null, [number, string]>(
    'UPDATE messages SET text = NULL, photo_id = NULL, deleted_at = ? WHERE id = ?',
  )
  const removeReview = client.prepare<{ reviewed_id: string }, [string]>(
    'DELETE FROM reviews WHERE id = ? RETURNING reviewed_id',
  )
  const photoOf = client.prepare<{ photo: string | null }, [string]>('SELECT photo FROM users WHERE id = ?')
  const clearProfile = client.prepare<null, [{ id: string; name: string; at: number }]>(`
    UPDATE users SET name = $name, city = NULL, bio = NULL, photo = NULL, updated_at = $at
    WHERE id = $id AND deleted_at IS NULL`)
  const retrait = traitKeeper(db)
  const clearPreferences = client.prepare<null, [string]>(
    "UPDATE preferences SET drinks = '[]', activities = '[]', purposes = '[]' WHERE user_id = ?",
  )

  return {
    message: ({ id }, at) => {
      const found = standingMessage.get(id)
      if (!found) return nothing
      const { user_a, user_b, ...message } = found
      keepVersion.run(at, id)
      bury.run(at, id)
      if (message.read_at === null) recountUnread(message.chat_id)
      const gone = { text: null, photo_id: null, photo_width: null, photo_height: null, photo_placeholder: null }
      return {
        tombstone: {
          message: { ...message, ...gone, deleted_at: at },
          // Nothing is kept for one whose account is erased.
          events: [user_a, user_b]
            .filter((user_id) => isThere.get(user_id))
            .map((user_id) => ({ user_id, seq: record(user_id, 'message_deleted', at, { ref: id }) })),
        },
        photos: message.photo_id === null ? [] : [message.photo_id],
      }
    },

    review: ({ id }) => {
      const removed = removeReview.get(id)
      if (removed) recount(removed.reviewed_id)
      return nothing
    },

    user: ({ id, name }, at) => {
      const photo = photoOf.get(id)?.photo ?? null
      clearProfile.run({ id, name, at })
      retrait(id, () => clearPreferences.run(id))
      return { tombstone: null, photos: photo === null ? [] : [photo] }
    },
  }
}
