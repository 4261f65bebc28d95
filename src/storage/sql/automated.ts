import { sql } from 'drizzle-orm'

/** Whether no person decided the measure of a row of `notices`. The SQL form of `isAutomated`. */
export const isAutomatedNotice = sql.raw(`(notices.kind = 'hide'
  OR (notices.kind IS NULL AND notices.action = 'remove_content' AND notices.decided_by IS NULL))`)

/** Whether a person overturned it. Needs the notice's appeal and report joined. */
export const isOverturned = sql.raw(`(appeals.status = 'upheld' OR reports.action = 'dismiss')`)
