import { asc, gt } from 'drizzle-orm'
import type { TagStore } from '../../features/tags/store.ts'
import { type Engine, rows } from './engine.ts'

export function tagStore({ read, tables: { preferences } }: Engine): TagStore {
  return {
    page: (kind, after, limit) =>
      read((db) =>
        rows(
          db
            .select({ user_id: preferences.user_id, tags: preferences[kind] })
            .from(preferences)
            .where(after === null ? undefined : gt(preferences.user_id, after))
            .orderBy(asc(preferences.user_id))
            .limit(limit),
        ),
      ),
  }
}
