/**
 * What a step down removes for good: a table (or rows of it), or a column. `empty` is the default, as SQL, that the step up
 * gave the column, and that the next step up would restore.
 */
type Dropped = { table: string; column: string | null; empty?: string }

/** How many rows of a table, or values of a column that are neither null nor the default, a step down removes. */
export type Loss = { name: string; rows: number }

/** A step that is about to be undone, with what that would remove. */
export type PlannedStep = { label: string; losses: Loss[] }

const statementsOf = (sql: string) =>
  sql
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .map((statement) => statement.trim())

/** Finds in the SQL of a step down what it removes. A table that is recreated under its name does not count. */
export function droppedBy({ up, down }: { up: string; down: string }): Dropped[] {
  const statements = statementsOf(down)
  const defaults = new Map(
    statementsOf(up).flatMap((statement) => {
      const table = /^ALTER TABLE (\w+)/i.exec(statement)?.[1]
      const added = statement.matchAll(/\bADD COLUMN (\w+)[^,]*? DEFAULT ('[^']*'|[\w.-]+)/gi)
      return [...added].map(([, column, value = '']) => [`${table}.${column}`, value] as const)
    }),
  )
  const renamed = new Set(statements.flatMap((statement) => /\bRENAME TO (\w+)$/i.exec(statement)?.[1] ?? []))
  return statements.flatMap((statement): Dropped[] => {
    const table = /^(?:DROP TABLE(?: IF EXISTS)?|DELETE FROM) (\w+)/i.exec(statement)?.[1]
    if (table !== undefined) return renamed.has(table) ? [] : [{ table, column: null }]
    const altered = /^ALTER TABLE(?: IF EXISTS)? (\w+)/i.exec(statement)?.[1]
    if (altered === undefined) return []
    return [...statement.matchAll(/\bDROP COLUMN(?: IF EXISTS)? (\w+)/gi)].map(([, column = '']) => ({
      table: altered,
      column,
      empty: defaults.get(`${altered}.${column}`),
    }))
  })
}

export const nameOf = ({ table, column }: Dropped) => (column === null ? table : `${table}.${column}`)
export const countOf = ({ table, column, empty }: Dropped) =>
  `SELECT count(${column ?? '*'}) AS n FROM ${table}` + (empty === undefined ? '' : ` WHERE ${column} <> ${empty}`)
