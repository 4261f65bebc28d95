import { asc, count, desc, eq, gt, isNull, or } from 'drizzle-orm'
import type { AnnouncementStore } from '../../features/announcements/store.ts'
import { recordAudit } from './audit.ts'
import { changed, type Engine, one, rows } from './engine.ts'
import { olderThan } from './pages.ts'
import { hasRoomForAnnouncement } from '../../features/announcements/rules.ts'

// These writes change no profile.
const options = { keepsProfileCache: true }

export function announcementStore(engine: Engine): AnnouncementStore {
  const { read, write } = engine
  const { announcements } = engine.tables
  const { created_at, id, until } = announcements
  const isActive = (now: number) => or(isNull(until), gt(until, now))

  return {
    list: (limit, after) =>
      read((db) =>
        rows(
          db
            .select()
            .from(announcements)
            .where(olderThan(created_at, id, after))
            .orderBy(desc(created_at), desc(id))
            .limit(limit),
        ),
      ),

    active: (now, limit) =>
      read((db) =>
        rows(db.select().from(announcements).where(isActive(now)).orderBy(desc(created_at), desc(id)).limit(limit)),
      ),

    add: (announcement, most, entry) =>
      write(function* (db) {
        const isThere = isActive(announcement.created_at)
        // All additions lock the same row, so that each counts those before it.
        yield* engine.lock(db.select({ id }).from(announcements).where(isThere).orderBy(asc(id)).limit(1), 'update')
        const there = yield* one(db.select({ count: count() }).from(announcements).where(isThere))
        if (!hasRoomForAnnouncement({ active: there.count, most })) return 'full'
        yield* changed(db.insert(announcements).values(announcement))
        yield* recordAudit(engine, db, entry)
        return 'added'
      }, options),

    remove: (announcementId, entry) =>
      write(function* (db) {
        if ((yield* changed(db.delete(announcements).where(eq(id, announcementId)))) === 0) return false
        yield* recordAudit(engine, db, entry)
        return true
      }, options),
  }
}
