import { type SQL, sql } from 'drizzle-orm'
import type { Column } from './engine.ts'

type Key = { at: number; id: string } | null

/** What comes after a key in a list that begins with the newest; everything where there is no key. */
export const olderThan = (at: Column, id: Column, key: Key): SQL | undefined =>
  key === null ? undefined : sql`(${at}, ${id}) < (${key.at}, ${key.id})`

/** What comes after a key in a list that begins with the oldest; everything where there is no key. */
export const newerThan = (at: Column, id: Column, key: Key): SQL | undefined =>
  key === null ? undefined : sql`(${at}, ${id}) > (${key.at}, ${key.id})`
