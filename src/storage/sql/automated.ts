import { sql } from 'drizzle-orm'

/** Whether a row of `notices` is about a measure that no person decided, as `isAutomated` says. */
export const isAutomatedNotice = sql.raw(`(notices.kind = 'hide'
  OR (notices.kind IS NULL AND notices.action = 'remove_content' AND notices.decided_by IS NULL))`)

/** Whether a person overturned it: beside its appeal and its report, if there are any. */
export const isOverturned = sql.raw(`(appeals.status = 'upheld' OR reports.action = 'dismiss')`)
