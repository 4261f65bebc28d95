import { and, asc, count, desc, eq, gt, isNull, lte, or, sql } from 'drizzle-orm'
import type { BankEntry, BankProgress, ImageBankStore } from '../../features/image-bank/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, one, rows, type Work } from './engine.ts'
import { olderThan } from './pages.ts'
import { bankHasRoom } from '../../features/image-bank/rules.ts'

// These writes change no profile.
const options = { keepsProfileCache: true }

const theRow = 1
const nothingYet: BankProgress = { version: 0, checked_to: 0, checking_to: null, checked_id: null }
// Keeps statements within both engines' limits of parameters.
const batch = 500

export function imageBankStore(engine: Engine): ImageBankStore {
  const { read, write, isAmong } = engine
  const { imageBank, imageBankState, media, users } = engine.tables
  const { version: _, ...columns } = columnsOf(engine)

  /** Conditions that find what the entries replace. */
  function* replacedBy(entries: readonly BankEntry[]) {
    for (let i = 0; i < entries.length; i += batch) {
      const hashes = entries.slice(i, i + batch).map(({ hash }) => hash)
      yield and(isAmong(imageBank.hash, hashes), isNull(imageBank.report_id))
    }
  }

  return {
    progress: () =>
      read(function* (db) {
        const { id: _id, ...progress } = imageBankState
        const { version, checked_to, checking_to, checked_id } = progress
        const state = db.select({ version, checked_to, checking_to, checked_id }).from(imageBankState)
        return (yield* first(state.where(eq(imageBankState.id, theRow)))) ?? nothingYet
      }),

    hashes: (after, upTo) =>
      read((db) =>
        rows(
          db
            .select({ id: imageBank.id, hash: imageBank.hash, distance: imageBank.distance })
            .from(imageBank)
            .where(and(gt(imageBank.version, after), lte(imageBank.version, upTo))),
        ),
      ),

    list: (limit, after) =>
      read((db) =>
        rows(
          db
            .select(columns)
            .from(imageBank)
            .where(olderThan(imageBank.created_at, imageBank.id, after))
            .orderBy(desc(imageBank.created_at), desc(imageBank.id))
            .limit(limit),
        ),
      ),

    after: (id, limit) =>
      read((db) =>
        rows(db.select(columns).from(imageBank).where(gt(imageBank.id, id)).orderBy(asc(imageBank.id)).limit(limit)),
      ),

    fits: (entries, most) =>
      read(function* (db) {
        let replaced = 0
        for (const same of replacedBy(entries))
          replaced += (yield* one(db.select({ n: count() }).from(imageBank).where(same))).n
        const there = yield* one(db.select({ n: count() }).from(imageBank))
        return bankHasRoom({ there: there.n - replaced, more: entries.length, most })
      }),

    add: (entries, most, entry) =>
      write(function* (db) {
        // Locks the row, so that of two changes at once the second one counts the first.
        const version = yield* nextVersion(engine, db)
        for (const same of replacedBy(entries)) yield* changed(db.delete(imageBank).where(same))
        const there = yield* one(db.select({ n: count() }).from(imageBank))
        // Rolls back the unit of work, which restores the deleted rows.
        if (!bankHasRoom({ there: there.n, more: entries.length, most })) throw new Full()
        yield* insertBanned(engine, db, entries, version)
        yield* recordAudit(engine, db, entry)
        return 'added' as const
      }, options).catch((error: unknown) => {
        if (error instanceof Full) return 'full' as const
        throw error
      }),

    remove: (id, entry) =>
      write(function* (db) {
        if ((yield* changed(db.delete(imageBank).where(eq(imageBank.id, id)))) === 0) return false
        yield* nextVersion(engine, db)
        yield* recordAudit(engine, db, entry)
        return true
      }, options),

    photosAfter: (userId, limit) =>
      read((db) =>
        rows(
          db
            .select({ user_id: users.id, image_id: media.id })
            .from(users)
            .innerJoin(media, and(eq(media.owner_id, users.id), eq(media.id, users.photo)))
            .where(gt(users.id, userId))
            .orderBy(asc(users.id))
            .limit(limit),
        ),
      ),

    noteProgress: ({ checked_to, checking_to, checked_id }) =>
      write(function* (db) {
        // A node whose lease has expired may write late.
        const isNewer = or(
          sql`${imageBankState.checked_to} < ${checked_to}`,
          and(
            eq(imageBankState.checked_to, checked_to),
            sql`coalesce(${imageBankState.checked_id}, '') <= ${checked_id ?? ''}`,
          ),
        )
        yield* changed(
          db
            .update(imageBankState)
            .set({ checked_to, checking_to, checked_id })
            .where(and(eq(imageBankState.id, theRow), isNewer)),
        )
      }, options),
  }
}

class Full extends Error {}

function columnsOf({ tables: { imageBank } }: Pick<Engine, 'tables'>) {
  const { id, hash, distance, reason, report_id, added_by, created_at, version } = imageBank
  return { id, hash, distance, reason, report_id, added_by, created_at, version }
}

/** The number of a new change of the bank. Changes are serialised by the row lock. */
export function* nextVersion({ tables: { imageBankState } }: Engine, db: Builders): Work<number> {
  const insert = db.insert(imageBankState).values({ id: theRow, version: 1, checked_to: 0 })
  const state = yield* one(
    insert
      .onConflictDoUpdate({ target: imageBankState.id, set: { version: sql`${imageBankState.version} + 1` } })
      .returning({ version: imageBankState.version }),
  )
  return state.version
}

/** Stores the hashes that a change adds. */
export function* insertBanned(
  { tables: { imageBank } }: Engine,
  db: Builders,
  entries: readonly BankEntry[],
  version: number,
): Work<void> {
  for (let i = 0; i < entries.length; i += batch)
    yield* changed(db.insert(imageBank).values(entries.slice(i, i + batch).map((entry) => ({ ...entry, version }))))
}
