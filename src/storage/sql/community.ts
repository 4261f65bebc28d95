import { eq } from 'drizzle-orm'
import type { CommunityStore } from '../../features/community/store.ts'
import { type Builders, changed, type Engine, first, rows } from './engine.ts'

export function communityStore({ tables: { community }, read, write }: Engine): CommunityStore {
  function* valueOf(db: Builders, name: string) {
    return (yield* first(db.select().from(community).where(eq(community.name, name))))?.value
  }
  return {
    all: () =>
      read(function* (db) {
        return new Map((yield* rows(db.select().from(community))).map(({ name, value }) => [name, value]))
      }),

    // Usually the value is there already, so a start writes nothing.
    keep: async (name, value) =>
      (await read((db) => valueOf(db, name))) ??
      (await write(function* (db) {
        yield* changed(db.insert(community).values({ name, value }).onConflictDoNothing())
        return (yield* valueOf(db, name)) ?? value
      })),

    set: (name, value) =>
      write(function* (db) {
        yield* changed(
          db.insert(community).values({ name, value }).onConflictDoUpdate({ target: community.name, set: { value } }),
        )
      }),
  }
}
