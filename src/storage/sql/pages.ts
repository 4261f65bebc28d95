import { type SQL, sql } from 'drizzle-orm'
import type { Column } from './engine.ts'

type Key = { at: number; id: string } | null

/** The condition for the rows after a key in a list that starts with the newest; all rows without a key. */
export const olderThan = (at: Column, id: Column, key: Key): SQL | undefined =>
  key === null ? undefined : sql`(${at}, ${id}) < (${key.at}, ${key.id})`

/** The condition for the rows after a key in a list that starts with the oldest; all rows without a key. */
export const newerThan = (at: Column, id: Column, key: Key): SQL | undefined =>
  key === null ? undefined : sql`(${at}, ${id}) > (${key.at}, ${key.id})`
