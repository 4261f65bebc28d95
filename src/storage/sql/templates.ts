import { and, asc, count, eq, ne } from 'drizzle-orm'
import type { Template, TemplateStore } from '../../features/templates/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, one, rows, type Work } from './engine.ts'
import { hasRoomForTemplate } from '../../features/templates/rules.ts'

// These writes change no profile.
const options = { keepsProfileCache: true }

export function templateStore(engine: Engine): TemplateStore {
  const { read, write } = engine
  const { templates } = engine.tables

  return {
    list: (language) =>
      read((db) =>
        rows(
          db
            .select()
            .from(templates)
            .where(language === undefined ? undefined : eq(templates.language, language))
            .orderBy(asc(templates.name), asc(templates.language)),
        ),
      ),

    byId: (id) => read((db) => first(db.select().from(templates).where(eq(templates.id, id)))),

    add: (template, most, entry) =>
      write(function* (db) {
        // All additions lock the same row, so that each counts those before it.
        const oldest = db.select({ id: templates.id }).from(templates).orderBy(asc(templates.id)).limit(1)
        yield* engine.lock(oldest, 'update')
        const there = yield* one(db.select({ count: count() }).from(templates))
        if (!hasRoomForTemplate({ there: there.count, most })) return 'full'
        // The unique index decides between concurrent additions.
        const insert = db.insert(templates).values(template).onConflictDoNothing()
        if ((yield* first(insert.returning({ id: templates.id }))) === null) return 'taken'
        yield* recordAudit(engine, db, entry)
        return 'added'
      }, options),

    change: async (id, change, entry) => {
      try {
        return await write((db) => changeOne(db, id, change, entry), options)
      } catch (error) {
        // A concurrent change took the name.
        if (engine.isDuplicate(error)) return 'taken'
        throw error
      }
    },

    remove: (id, entry) =>
      write(function* (db) {
        if ((yield* changed(db.delete(templates).where(eq(templates.id, id)))) === 0) return false
        yield* recordAudit(engine, db, entry)
        return true
      }, options),
  }

  function* changeOne(
    db: Builders,
    id: string,
    change: Pick<Template, 'name' | 'language' | 'text'>,
    entry: Parameters<TemplateStore['change']>[2],
  ): Work<Template | 'taken' | null> {
    const { name, language } = change
    const isSame = and(eq(templates.name, name), eq(templates.language, language), ne(templates.id, id))
    if ((yield* first(db.select({ id: templates.id }).from(templates).where(isSame))) !== null) return 'taken'
    const changedTo = yield* first(db.update(templates).set(change).where(eq(templates.id, id)).returning())
    if (changedTo === null) return null
    yield* recordAudit(engine, db, entry)
    return changedTo
  }
}
