import { and, eq, gt } from 'drizzle-orm'
import type { AgeStore } from '../../features/registration/store.ts'
import { changed, type Engine, first } from './engine.ts'

export function ageStore({ tables: { ageRefusals }, read, write }: Engine): AgeStore {
  const { origin, at } = ageRefusals
  return {
    note: (from, time) =>
      write(
        function* (db) {
          const noted = db.insert(ageRefusals).values({ origin: from, at: time })
          yield* changed(noted.onConflictDoUpdate({ target: origin, set: { at: time } }))
        },
        { keepsProfileCache: true },
      ),

    isRefused: async (from, since) =>
      (await read((db) =>
        first(
          db
            .select({ origin })
            .from(ageRefusals)
            .where(and(eq(origin, from), gt(at, since))),
        ),
      )) !== null,
  }
}
