import { sql } from 'drizzle-orm'

/** Whether no person decided the measure of a row of `notices`. The SQL form of `isAutomated`. */
export const isAutomatedNotice = sql.raw(`(notices.kind = 'hide'
  OR (notices.kind IS NULL AND notices.action = 'remove_content' AND notices.decided_by IS NULL))`)

/** Whether a person has decided a row of `reports`: the image check also releases messages that were held for it. */
export const isDecided = sql.raw('reports.resolved_by IS NOT NULL')

/** Whether a report is about a message that a rule holds, and not only until its image was checked. */
export const isAutomatedHold = sql`(reports.kind = 'held' AND (reports.status = 'open' OR ${isDecided}))`

/** Whether a person released it. */
export const isReleased = sql`(reports.action = 'dismiss' AND ${isDecided})`

/** Whether a person overturned the measure of a notice. Needs its appeal and report joined. */
export const isOverturned = sql`(appeals.status = 'upheld' OR ${isReleased})`
