import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Notice, NoticeAction, NoticeStore } from '../../features/moderation/store.ts'
import { type Builders, type Engine, first, rows } from './engine.ts'
import { holdLiving } from './living.ts'
import { enqueue } from './outbox.ts'
import { olderThan } from './pages.ts'

/**
 * A notice in its stored form. The column `action` holds only the actions of its first release, because earlier releases read
 * it too; newer actions are in `kind`.
 */
export function storedNotice({ action, ...notice }: Notice) {
  if (action === 'hide') return { ...notice, action: 'remove_content' as const, kind: action }
  return action === 'show' ? { ...notice, action: 'unsuspend' as const, kind: action } : { ...notice, action }
}

/** The columns of a notice, with its real action. */
export function noticeColumns({ tables: { notices } }: Engine) {
  const { kind, action, ...columns } = getTableColumns(notices)
  return { ...columns, action: sql<NoticeAction>`coalesce(${kind}, ${action})` }
}

/** The columns of a notice with its report's target and its appeal. The select has to join the three tables. */
export const noticeInContext = (engine: Engine) => {
  const { appeals, reports } = engine.tables
  return {
    ...noticeColumns(engine),
    target: reports.target,
    target_id: reports.target_id,
    ground: reports.reason,
    appeal_id: appeals.id,
    appeal_status: appeals.status,
  }
}

/** Selects notices with their reports and appeals. */
export function noticesOf(engine: Engine, db: Builders) {
  const { appeals, notices, reports } = engine.tables
  return db
    .select(noticeInContext(engine))
    .from(notices)
    .leftJoin(reports, eq(reports.id, notices.report_id))
    .leftJoin(appeals, eq(appeals.notice_id, notices.id))
}

/** Whether a row of `notices` is a measure against somebody that names no report. */
const namesNoReport = sql.raw(`(notices.report_id IS NULL AND notices.kind IS NULL
  AND notices.action IN ('warn', 'remove_content', 'suspend'))`)

/** Whether a row of `notices` is in the audit log as a measure without a report. */
function isAuditedWithoutReport({ tables: { auditLog }, jsonText }: Engine): SQL {
  return sql`EXISTS (SELECT 1 FROM ${auditLog}
    WHERE ${auditLog.subject_id} = notices.user_id AND ${auditLog.action} IN ('warn', 'suspend')
      AND ${jsonText(auditLog.metadata, 'notice_id')} = notices.id)`
}

/** Whether a row of `notices` is a measure that never had a report. */
export const isWithoutReport = (engine: Engine): SQL => sql`(${namesNoReport} AND ${isAuditedWithoutReport(engine)})`

/**
 * Whether a row of `notices` is about a review whose evidence is removed: it names its report no longer, so that nobody can tell
 * whom the review was about.
 */
export const isAboutForgottenReview = (engine: Engine): SQL =>
  sql`(${namesNoReport} AND NOT ${isAuditedWithoutReport(engine)})`

export function noticeStore(engine: Engine): NoticeStore {
  const { appeals, notices } = engine.tables

  return {
    list: (userId, limit, after) =>
      engine.read((db) =>
        rows(
          noticesOf(engine, db)
            .where(and(eq(notices.user_id, userId), olderThan(notices.created_at, notices.id, after)))
            .orderBy(desc(notices.created_at), desc(notices.id))
            .limit(limit),
        ),
      ),

    byId: (id) => engine.read((db) => first(noticesOf(engine, db).where(eq(notices.id, id)))),

    appeal: (appeal, webhooks = []) =>
      engine.write(function* (db) {
        const living = yield* holdLiving(engine, db, [appeal.user_id])
        if (!living.has(appeal.user_id)) return false
        // Without a conflict target: PostgreSQL has two unique keys, and a race on one that is not named would be an error.
        const insert = db.insert(appeals).values(appeal).onConflictDoNothing()
        if ((yield* first(insert.returning({ id: appeals.id }))) === null) return false
        yield* enqueue(engine, db, webhooks)
        return true
      }),

    appeals: (userId, limit, after) =>
      engine.read((db) =>
        rows(
          db
            .select()
            .from(appeals)
            .where(and(eq(appeals.user_id, userId), olderThan(appeals.created_at, appeals.id, after)))
            .orderBy(desc(appeals.created_at), desc(appeals.id))
            .limit(limit),
        ),
      ),
  }
}
