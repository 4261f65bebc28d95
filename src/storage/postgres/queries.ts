import type { SQL } from 'bun'

export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null)[]

/**
 * Runs statements. The text holds `$1`, `$2` …, never a value, so that each is prepared once on a connection. Statements
 * that are started together (`Promise.all`) go out together, in that order: a pipeline costs one round trip.
 *
 * int8 and numeric arrive as numbers, bytea as Buffer, boolean as boolean, JSON as the text that it is stored as.
 */
export type Queries = {
  all<Row>(text: string, values?: readonly Value[]): Promise<Row[]>
  get<Row>(text: string, values?: readonly Value[]): Promise<Row | null>
  /** The row of a statement that always has one, such as a count. */
  one<Row>(text: string, values?: readonly Value[]): Promise<Row>
  /** Returns how many rows were written. */
  run(text: string, values?: readonly Value[]): Promise<number>
  /** The rows as arrays, in the order of the columns; int8 and numeric as text. */
  values(text: string, values?: readonly Value[]): Promise<unknown[][]>
  /** The rows, with how many were written as `changes`. */
  result(text: string, values?: readonly Value[]): Promise<unknown[] & { changes: number }>
}

/** `isOver` is set when nobody waits for the statements any more. */
export type Turn = { isOver: boolean }

/** The statements of one client, or of one transaction. Keeps their failures in order. */
export function queriesOn(client: SQL, turn: Turn = { isOver: false }, failures: unknown[] = []): Queries {
  async function rows(text: string, values: readonly Value[] = [], asArrays = false) {
    if (turn.isOver) throw new Error('the caller no longer waits for this')
    try {
      const sent = client.unsafe(text, values.map(sendable))
      return await (asArrays ? sent.values() : sent)
    } catch (error) {
      failures.push(error)
      throw error
    }
  }
  return {
    all: async (text, values) => asNumbers(await rows(text, values)),
    get: async (text, values) => asNumbers(await rows(text, values))[0] ?? null,
    one: async (text, values) => {
      const [row] = asNumbers(await rows(text, values))
      if (row === undefined) throw new Error('a statement that always returns a row has returned none')
      return row
    },
    run: async (text, values) => (await rows(text, values)).affectedRows,
    values: (text, values) => rows(text, values, true),
    result: async (text, values) => {
      const result = await rows(text, values)
      return Object.assign(asNumbers(result), { changes: Number(result.affectedRows) })
    },
  }
}

/**
 * A value that PostgreSQL accepts. It refuses NUL in texts, which our rules never let in but a search term may contain: NUL
 * becomes U+FFFD, as a lone surrogate does in UTF-8. Such a search finds nothing instead of failing.
 */
function sendable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value
  return Array.isArray(value) ? arrayLiteral(value) : value
}

/** An array in PostgreSQL's syntax, which equals JSON where nothing is escaped. Faster than Bun's own conversion. */
function arrayLiteral(values: readonly unknown[]): unknown {
  const json = JSON.stringify(values)
  return json.includes('\\') ? values.map(sendable) : `{${json.slice(1, -1)}}`
}

const int8 = 20
const numeric = 1700
const numbersOf = new WeakMap<object, string[]>()

/** The rows, with numbers that arrive as text converted: all of ours are below 2^53. */
// oxlint-disable-next-line no-explicit-any -- a row is what the statement asks for
function asNumbers(result: any): any[] {
  const { statement } = result
  let names = numbersOf.get(statement)
  if (names === undefined) {
    const columns: { name: string; type: number }[] = result.columns
    names = columns.filter(({ type }) => type === int8 || type === numeric).map(({ name }) => name)
    numbersOf.set(statement, names)
  }
  for (const name of names) for (const row of result) if (row[name] !== null) row[name] = Number(row[name])
  return Array.from(result)
}
