import { invalid } from './refusal.ts'

/** What a list takes; 30 items unless told. */
export type Page = { limit?: number; cursor?: string }

/** The key of a page's last item: numbers and strings that the order of the list is made of. */
type Key = readonly (number | string)[]

/** `list` names the list, with the id of what it is of where there are several: a cursor is good for that one alone. */
export const cursorOf = (list: string, key: Key) => Buffer.from(JSON.stringify([list, ...key])).toString('base64url')

/**
 * The key in a cursor of that list, of these types; null where there is no cursor. Refuses with 422 a cursor that is not
 * one of ours, or of another list.
 */
export function keyOf<const T extends readonly ('number' | 'string')[]>(
  list: string,
  cursor: string | undefined,
  types: T,
): { [I in keyof T]: T[I] extends 'number' ? number : string } | null {
  if (cursor === undefined) return null
  const [name, ...key] = parsed(cursor)
  const fits = key.length === types.length && key.every((value, i) => typeof value === types[i])
  if (name !== list || !fits) throw invalid('/cursor', 'Expected the next_cursor of a page before')
  return key as { [I in keyof T]: T[I] extends 'number' ? number : string }
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** A page of `limit` items from one more than that, so that it is known whether another follows. */
export function pageOf<Row, Item>(
  list: string,
  rows: readonly Row[],
  limit: number,
  key: (row: Row) => Key,
  item: (row: Row) => Item,
) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(item),
    next_cursor: rows.length > limit && last !== undefined ? cursorOf(list, key(last)) : null,
  }
}
