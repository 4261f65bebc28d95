import { and, asc, count, eq, isNull, lte, min, or, sql } from 'drizzle-orm'
import type { Kind, NewParcel, OutboxStore, Parcel } from '../../outbox/store.ts'
import { type Builders, changed, type Engine, first, rows, type Work } from './engine.ts'
import { followNow, isFirstInOrder, positionsOf, waitBehind } from './outbox-order.ts'

/** Puts parcels into the outbox, inside the unit of work that causes them. */
export function* enqueue({ tables: { outbox } }: Engine, db: Builders, parcels: readonly NewParcel[]): Work<void> {
  if (parcels.length > 0) yield* changed(db.insert(outbox).values(positionsOf(parcels)))
}

export function outboxStore(engine: Engine): OutboxStore {
  const { read, write, locked, isAmong } = engine
  const { outbox } = engine.tables
  const keepsProfileCache = { keepsProfileCache: true }
  const parcels = {
    id: outbox.id,
    kind: outbox.kind,
    user_id: outbox.user_id,
    payload: outbox.payload,
    created_at: outbox.created_at,
    due_at: outbox.due_at,
    attempts: outbox.attempts,
    last_error: outbox.last_error,
  }
  const chosen = (which: { id: string } | { kind: Kind }) =>
    'id' in which ? eq(outbox.id, which.id) : eq(outbox.kind, which.kind)

  return {
    add: (parcels) => write((db) => enqueue(engine, db, parcels), keepsProfileCache),

    lease: async <K extends Kind>(kind: K, node: string, now: number, until: number, limit: number) => {
      const isDue = and(eq(outbox.kind, kind), lte(outbox.due_at, now), isFirstInOrder(engine, kind))
      // Usually nothing is due, and then nothing is written.
      const any = await read((db) => rows(db.select({ id: outbox.id }).from(outbox).where(isDue).limit(1)))
      if (any.length === 0) return []
      return write(function* (db) {
        const due = db.select({ id: outbox.id }).from(outbox).where(isDue).orderBy(asc(outbox.due_at)).limit(limit)
        const found = yield* rows(locked(due, 'update skip locked'))
        if (found.length === 0) return []
        const ids = found.map(({ id }) => id)
        const taken = yield* rows(
          db.update(outbox).set({ due_at: until, leased_by: node }).where(isAmong(outbox.id, ids)).returning(parcels),
        )
        // The payload of a kind is what `NewParcel` of that kind put there.
        return taken.sort((a, b) => a.created_at - b.created_at) as Parcel<K>[]
      }, keepsProfileCache)
    },

    remove: (id) =>
      write(function* (db) {
        const { ordered_by } = outbox
        yield* followNow(engine, db, yield* first(db.delete(outbox).where(eq(outbox.id, id)).returning({ ordered_by })))
      }, keepsProfileCache),

    postpone: (id, node, dueAt, error) =>
      write(function* (db) {
        const put = yield* first(
          db
            .update(outbox)
            .set({ due_at: dueAt, leased_by: null, last_error: error, attempts: sql`${outbox.attempts} + 1` })
            .where(and(eq(outbox.id, id), eq(outbox.leased_by, node)))
            .returning({ id: outbox.id, ordered_by: outbox.ordered_by }),
        )
        yield* waitBehind(engine, db, put, dueAt)
      }, keepsProfileCache),

    waiting: () =>
      read(function* (db) {
        const found = yield* rows(
          db
            .select({ kind: outbox.kind, count: count(), oldest: min(outbox.created_at).mapWith(Number) })
            .from(outbox)
            .groupBy(outbox.kind),
        )
        return found.map((row) => ({ ...row, oldest: row.oldest ?? 0 }))
      }),

    ofUser: (userId) =>
      read(function* (db) {
        const own = db.select(parcels).from(outbox).where(eq(outbox.user_id, userId))
        // A handful, which an export sorts by itself.
        return ((yield* rows(own)) as Parcel[]).toSorted((a, b) => a.created_at - b.created_at)
      }),

    list: (kind, limit) =>
      read(function* (db) {
        const found = yield* rows(
          db
            .select(parcels)
            .from(outbox)
            .where(kind === null ? undefined : eq(outbox.kind, kind))
            .orderBy(asc(outbox.created_at), asc(outbox.id))
            .limit(limit),
        )
        return found as Parcel[]
      }),

    retry: (which, now) =>
      write(function* (db) {
        // What is on its way would arrive twice.
        const waits = or(isNull(outbox.leased_by), lte(outbox.due_at, now))
        const due = db.update(outbox).set({ due_at: now, leased_by: null })
        return yield* changed(due.where(and(chosen(which), waits)))
      }, keepsProfileCache),

    drop: (which) =>
      write(function* (db) {
        return yield* changed(db.delete(outbox).where(chosen(which)))
      }, keepsProfileCache),
  }
}
