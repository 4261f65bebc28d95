import { and, asc, count, eq, isNotNull, isNull, lt, lte, min, not, notLike, or, type SQL, sql } from 'drizzle-orm'
import { otherLane } from '../../outbox/lanes.ts'
import type { Except, Kind, NewParcel, OutboxStore, Parcel } from '../../outbox/store.ts'
import { type Builders, changed, type Engine, first, rows, type Work } from './engine.ts'
import { followNow, isFirstInOrder, positionsOf, waitBehind } from './outbox-order.ts'

/** Puts parcels into the outbox, inside the unit of work that causes them. */
export function* enqueue({ tables: { outbox } }: Engine, db: Builders, parcels: readonly NewParcel[]): Work<void> {
  const plain = parcels.filter(({ slot }) => slot === undefined)
  if (plain.length > 0) yield* changed(db.insert(outbox).values(positionsOf(plain)))
  // In a fixed order, which avoids deadlocks.
  const slotted = parcels
    .flatMap(({ slot, ...parcel }) => (slot === undefined ? [] : [{ ...parcel, slot }]))
    .sort((a, b) => (a.slot < b.slot ? -1 : 1))
  for (const parcel of slotted)
    yield* changed(
      db
        .insert(outbox)
        .values(parcel)
        .onConflictDoUpdate({ target: outbox.slot, targetWhere: sql`slot IS NOT NULL`, set: whenTaken }),
    )
}

// `NewParcel` ensures that the payload fits the kind.
const isOf = <K extends Kind>(parcel: Parcel, kind: K): parcel is Parcel<K> => parcel.kind === kind

// A lease is an update too, so a concurrent request for the slot is either seen by the delivery or creates a new parcel.
const isWaiting = 'outbox.leased_by IS NULL'
const dueAgain = `CASE WHEN ${isWaiting} AND outbox.attempts = 0 AND excluded.due_at < outbox.due_at THEN excluded.due_at ELSE outbox.due_at END`
const againAt = `CASE WHEN ${isWaiting} THEN NULL ELSE coalesce(outbox.again_at, excluded.due_at) END`
// Each request gets the whole patience of its kind, whatever failed for the requests before it.
const madeAgain = 'excluded.created_at'
const whenTaken = { due_at: sql.raw(dueAgain), again_at: sql.raw(againAt), created_at: sql.raw(madeAgain) }

/** The end of an insert with a slot, as text for prepared statements: what `enqueue` does if the slot is taken. */
export const onTakenSlot = `ON CONFLICT (slot) WHERE slot IS NOT NULL DO UPDATE
  SET due_at = ${dueAgain}, again_at = ${againAt}, created_at = ${madeAgain}`

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
    lane: outbox.lane,
    attempts: outbox.attempts,
    last_error: outbox.last_error,
  }
  const laneOf = sql<string>`coalesce(${outbox.lane}, '')`

  const isLeased = (id: string, node: string) => and(eq(outbox.id, id), eq(outbox.leased_by, node))

  /** Makes a parcel due again whose slot was requested while it was delivered. */
  const dueOnceMore = (db: Builders, condition: SQL | undefined) =>
    changed(
      db
        .update(outbox)
        .set({
          ...{ due_at: sql`${outbox.again_at}`, again_at: null, leased_by: null },
          ...{ attempts: 0, last_error: null },
        })
        .where(and(condition, isNotNull(outbox.again_at))),
    )

  const chosen = (which: { id?: string; kind?: Kind }) =>
    and(
      which.id === undefined ? undefined : eq(outbox.id, which.id),
      which.kind === undefined ? undefined : eq(outbox.kind, which.kind),
    )

  return {
    add: (parcels) => write((db) => enqueue(engine, db, parcels), keepsProfileCache),

    lease: async <K extends Kind>(
      kind: K,
      node: string,
      now: number,
      until: number,
      limit: number,
      except: Except = { ids: [], lanes: [], others: false },
    ) => {
      const isOpen = and(
        except.ids.length === 0 ? undefined : not(isAmong(outbox.id, except.ids)),
        except.lanes.length === 0 ? undefined : not(isAmong(laneOf, except.lanes)),
        except.others ? notLike(laneOf, `${otherLane}%`) : undefined,
      )
      const isDue = and(eq(outbox.kind, kind), lte(outbox.due_at, now), isOpen, isFirstInOrder(engine, kind))
      // Usually nothing is due, and then nothing is written.
      const any = await read((db) => rows(db.select({ id: outbox.id }).from(outbox).where(isDue).limit(1)))
      if (any.length === 0) return []
      return write(function* (db) {
        const due = db.select({ id: outbox.id }).from(outbox).where(isDue).orderBy(asc(outbox.due_at)).limit(limit)
        const found = yield* rows(locked(due, 'update skip locked'))
        if (found.length === 0) return []
        const ids = found.map(({ id }) => id)
        const taken = yield* rows(
          db
            .update(outbox)
            .set({ due_at: until, leased_by: node, again_at: null })
            .where(isAmong(outbox.id, ids))
            .returning(parcels),
        )
        return taken.filter((parcel) => isOf(parcel, kind)).sort((a, b) => a.created_at - b.created_at)
      }, keepsProfileCache)
    },

    endLeases: (now) =>
      write(function* (db) {
        return yield* changed(
          db.update(outbox).set({ due_at: now, leased_by: null }).where(isNotNull(outbox.leased_by)),
        )
      }, keepsProfileCache),

    remove: (id, node) =>
      write(function* (db) {
        const isOurs = isLeased(id, node)
        const isRequestedOnce = and(isOurs, isNull(outbox.again_at))
        const gone = yield* first(db.delete(outbox).where(isRequestedOnce).returning({ ordered_by: outbox.ordered_by }))
        if (gone === null) yield* dueOnceMore(db, isOurs)
        else yield* followNow(engine, db, gone)
      }, keepsProfileCache),

    replace: (id, node, next) =>
      write(function* (db) {
        const isOurs = isLeased(id, node)
        const gone = yield* changed(db.delete(outbox).where(and(isOurs, isNull(outbox.again_at))))
        if (gone === 0 && (yield* dueOnceMore(db, isOurs)) === 0) return false
        yield* enqueue(engine, db, next)
        return true
      }, keepsProfileCache),

    postpone: (id, node, dueAt, error) =>
      write(function* (db) {
        const postponed = yield* first(
          db
            .update(outbox)
            .set({
              due_at: dueAt,
              leased_by: null,
              again_at: null,
              ...(error !== null && { last_error: error, attempts: sql`${outbox.attempts} + 1` }),
            })
            .where(isLeased(id, node))
            .returning({ id: outbox.id, ordered_by: outbox.ordered_by }),
        )
        yield* waitBehind(engine, db, postponed, dueAt)
      }, keepsProfileCache),

    pauseLane: (kind, lane, now, until, limit) =>
      write(function* (db) {
        const isDue = and(eq(outbox.kind, kind), eq(laneOf, lane), lte(outbox.due_at, now))
        const due = yield* rows(
          locked(db.select({ id: outbox.id }).from(outbox).where(isDue).limit(limit), 'update skip locked'),
        )
        if (due.length === 0) return 0
        const ids = due.map(({ id }) => id)
        return yield* changed(db.update(outbox).set({ due_at: until, leased_by: null }).where(isAmong(outbox.id, ids)))
      }, keepsProfileCache),

    removeOld: (kind, before, now, limit) =>
      write(function* (db) {
        const isFree = or(isNull(outbox.leased_by), lte(outbox.due_at, now))
        const isOld = and(eq(outbox.kind, kind), lt(outbox.created_at, before), isFree)
        const old = db.select({ id: outbox.id }).from(outbox).where(isOld).limit(limit)
        const ids = (yield* rows(locked(old, 'update skip locked'))).map(({ id }) => id)
        return ids.length === 0 ? 0 : yield* changed(db.delete(outbox).where(isAmong(outbox.id, ids)))
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
        return (yield* rows(own)).toSorted((a, b) => a.created_at - b.created_at)
      }),

    list: (kind, limit) =>
      read(function* (db) {
        return yield* rows(
          db
            .select(parcels)
            .from(outbox)
            .where(kind === null ? undefined : eq(outbox.kind, kind))
            .orderBy(asc(outbox.created_at), asc(outbox.id))
            .limit(limit),
        )
      }),

    retry: (which, now) =>
      write(function* (db) {
        // A parcel in delivery would arrive twice.
        const waits = or(isNull(outbox.leased_by), lte(outbox.due_at, now))
        const due = db.update(outbox).set({ due_at: now, leased_by: null })
        return yield* changed(due.where(and(chosen(which), waits)))
      }, keepsProfileCache),

    drop: (which) =>
      write(function* (db) {
        const gone = db.delete(outbox).where(chosen(which))
        if ('kind' in which) return yield* changed(gone)
        const left = yield* first(gone.returning({ ordered_by: outbox.ordered_by }))
        yield* followNow(engine, db, left)
        return left === null ? 0 : 1
      }, keepsProfileCache),
  }
}
