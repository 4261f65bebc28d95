import { eq } from 'drizzle-orm'
import type { CommunityStore } from '../../features/community/store.ts'
import type { Db } from './database.ts'
import { community } from './schema.ts'
import type { Writer } from './writer.ts'

export function communityStore(db: Db, writer: Writer): CommunityStore {
  const valueOf = (name: string) => db.select().from(community).where(eq(community.name, name)).get()?.value
  return {
    all: async () =>
      new Map(
        db
          .select()
          .from(community)
          .all()
          .map(({ name, value }) => [name, value]),
      ),

    // Mostly it is there, and a start writes nothing.
    keep: async (name, value) =>
      valueOf(name) ??
      (await writer.write(() => {
        db.insert(community).values({ name, value }).onConflictDoNothing().run()
        return valueOf(name)!
      })),

    set: (name, value) =>
      writer.write(() => {
        db.insert(community)
          .values({ name, value })
          .onConflictDoUpdate({ target: community.name, set: { value } })
          .run()
      }),
  }
}
