import { and, count, desc, eq, getTableColumns, gte, lt, lte } from 'drizzle-orm'
import type { FilterStore } from '../../features/filter/store.ts'
import { recordAudit } from './audit.ts'
import { changed, type Engine, first, rows } from './engine.ts'
import { holdLiving } from './living.ts'

// These writes change no profile.
const options = { keepsProfileCache: true }

export function filterStore(engine: Engine): FilterStore {
  const { read, write } = engine
  const { openers, ruleVersions } = engine.tables
  const { rules: _, ...columns } = getTableColumns(ruleVersions)
  // A condition on the primary key makes the planner search it.
  const isAny = gte(ruleVersions.version, 1)
  return {
    newest: async () => {
      const version = await read((db) =>
        first(
          db
            .select({ version: ruleVersions.version })
            .from(ruleVersions)
            .where(isAny)
            .orderBy(desc(ruleVersions.version))
            .limit(1),
        ),
      )
      return version?.version ?? 0
    },

    rules: async () => {
      return read((db) =>
        first(
          db
            .select({ version: ruleVersions.version, rules: ruleVersions.rules })
            .from(ruleVersions)
            .where(isAny)
            .orderBy(desc(ruleVersions.version))
            .limit(1),
        ),
      )
    },

    add: (version, rules, entry, keep) =>
      write(function* (db) {
        const added = yield* changed(
          db
            .insert(ruleVersions)
            .values({ ...version, rules: [...rules] })
            .onConflictDoNothing(),
        )
        if (added === 0) return false
        yield* changed(db.delete(ruleVersions).where(lte(ruleVersions.version, version.version - keep)))
        yield* recordAudit(engine, db, entry)
        return true
      }, options),

    versions: (below, limit) =>
      read((db) =>
        rows(
          db
            .select(columns)
            .from(ruleVersions)
            .where(lt(ruleVersions.version, below))
            .orderBy(desc(ruleVersions.version))
            .limit(limit),
        ),
      ),

    noteOpener: (opener, since) =>
      write(function* (db) {
        const { user_id, text_hash, at } = opener
        // Locked, so that no row is added after the account's erasure, and of texts sent at once each counts those before it.
        if (!(yield* holdLiving(engine, db, [], [user_id])).has(user_id)) return 0
        yield* changed(
          db
            .insert(openers)
            .values(opener)
            .onConflictDoUpdate({ target: [openers.user_id, openers.text_hash, openers.chat_id], set: { at } }),
        )
        const counted = yield* first(
          db
            .select({ n: count(openers.chat_id) })
            .from(openers)
            .where(and(eq(openers.user_id, user_id), eq(openers.text_hash, text_hash), gte(openers.at, since))),
        )
        return counted?.n ?? 0
      }, options),
  }
}
