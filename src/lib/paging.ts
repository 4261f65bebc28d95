import { invalid } from './refusal.ts'
import { openSeal } from './seal.ts'

/** The query of a list; 30 items by default. */
export type Page = { limit?: number; cursor?: string }

/** The sort key of a page's last item. */
type Key = readonly (number | string)[]

export type Paging = ReturnType<typeof openPaging>

// Its length would tell how many digits a number has.
const padding = 128

/**
 * The cursors of all lists. They are sealed: clients cannot start at an arbitrary position, from which some queries would be
 * slow, and do not see numbers that count what is hidden from them, such as held messages. The key comes from a secret that all
 * nodes share.
 */
export function openPaging({ secret }: { secret: string | Uint8Array }) {
  const key = new Bun.CryptoHasher('sha256', secret).update('convene cursor v2').digest()
  const { seal, open } = openSeal(key, 'cursor')

  /** `list` names the list, with an id if there are several of the kind. A cursor is valid for that list only. */
  function cursorOf(list: string, key: Key): string {
    const text = JSON.stringify([list, ...key])
    return seal(text.padEnd(Math.ceil(text.length / padding) * padding))
  }

  /** The content of a cursor; empty if we have not made it. */
  function opened(cursor: string): unknown[] {
    const text = open(cursor)
    if (text === null) return []
    const read: unknown = JSON.parse(text)
    return Array.isArray(read) ? read : []
  }

  const paging = {
    cursorOf,

    /**
     * The key in a cursor of that list, of these types; null if there is no cursor. Refuses with 422 a cursor that we have not
     * made, or that belongs to another list.
     */
    keyOf<const T extends readonly ('number' | 'string')[]>(
      list: string,
      cursor: string | undefined,
      types: T,
    ): KeyOf<T> | null {
      if (cursor === undefined) return null
      const [name, ...key] = opened(cursor)
      if (name !== list || !isOfTypes(key, types))
        throw invalid('/cursor', 'Expected the next_cursor of the page before', 'format')
      return key
    },

    /** A page of `limit` items. Pass one more row than that, which shows whether another page follows. */
    pageOf<Row, Item>(
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
    },

    /** A page of a short list, of which all rows are at hand: without a `limit`, all of them. */
    pageOfAll<Row extends { id: string }, Item>(
      list: string,
      rows: readonly Row[],
      { limit = Infinity, cursor }: Page,
      item: (row: Row) => Item,
    ) {
      const [id, position] = paging.keyOf(list, cursor, ['string', 'number']) ?? [null, 0]
      const last = rows.findIndex((row) => row.id === id)
      // If that row has gone since, the next one has its position.
      const rest = rows.slice(last < 0 ? position : last + 1)
      return paging.pageOf(list, rest, limit, (row) => [row.id, rows.indexOf(row)], item)
    },
  }
  return paging
}

type Types = readonly ('number' | 'string')[]
type KeyOf<T extends Types> = { [I in keyof T]: T[I] extends 'number' ? number : string }

const isOfTypes = <T extends Types>(key: unknown[], types: T): key is unknown[] & KeyOf<T> =>
  key.length === types.length && key.every((value, i) => typeof value === types[i])
