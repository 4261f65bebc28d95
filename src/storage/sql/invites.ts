import { desc, eq, getTableColumns } from 'drizzle-orm'
import type { InviteStore } from '../../features/registration/store.ts'
import { recordAudit } from './audit.ts'
import { changed, type Engine, first, rows } from './engine.ts'
import { olderThan } from './pages.ts'

// These writes change no profile.
const options = { keepsProfileCache: true }

export function inviteStore(engine: Engine): InviteStore {
  const { read, write } = engine
  const { invites } = engine.tables
  const { code_hash: _, ...columns } = getTableColumns(invites)
  return {
    add: (invite, codeHash, entry) =>
      write(function* (db) {
        yield* changed(db.insert(invites).values({ ...invite, code_hash: codeHash }))
        yield* recordAudit(engine, db, entry)
      }, options),

    byCode: (codeHash) => read((db) => first(db.select(columns).from(invites).where(eq(invites.code_hash, codeHash)))),

    list: (limit, after) =>
      read((db) =>
        rows(
          db
            .select(columns)
            .from(invites)
            .where(olderThan(invites.created_at, invites.id, after))
            .orderBy(desc(invites.created_at), desc(invites.id))
            .limit(limit),
        ),
      ),

    remove: (id, entry) =>
      write(function* (db) {
        if ((yield* changed(db.delete(invites).where(eq(invites.id, id)))) === 0) return false
        yield* recordAudit(engine, db, entry)
        return true
      }, options),
  }
}
