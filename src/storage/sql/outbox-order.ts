import { and, eq, gt, isNull, lt, ne, type SQL, sql } from 'drizzle-orm'
import { type Kind, type NewParcel, orderedKinds } from '../../outbox/store.ts'
import { type Builders, changed, type Engine, type Work } from './engine.ts'

// Parcels with the same key in `ordered_by` leave one after another, by position and then by id. Parcels of unordered kinds
// have neither, and cost nothing extra.

/** Parcels ready for insertion: each ordered one comes after all waiting parcels with its key. */
export function positionsOf(parcels: readonly NewParcel[]) {
  const before = new Map<string, number>()
  return parcels.map((parcel) => {
    const { ordered_by } = parcel
    if (ordered_by === undefined) return parcel
    const ahead = (before.get(ordered_by) ?? 0) + 1
    before.set(ordered_by, ahead)
    // A unit of work that changes an account holds its row lock, so parcels about it get the order of the commits.
    const last = sql`SELECT max(o.position) FROM outbox AS o WHERE o.ordered_by = ${ordered_by}`
    return { ...parcel, position: sql<number>`coalesce((${last}), 0) + ${sql.raw(String(ahead))}` }
  })
}

/** Whether no parcel waits before one with the same key. */
export function isFirstInOrder({ tables: { outbox } }: Engine, kind: Kind): SQL | undefined {
  if (!orderedKinds.has(kind)) return undefined
  return sql`NOT EXISTS (SELECT 1 FROM outbox AS o WHERE o.ordered_by = ${outbox.ordered_by}
    AND (o.position, o.id) < (${outbox.position}, ${outbox.id}))`
}

type Left = { ordered_by: string | null } | null

/** A parcel has left: those behind it become due. */
export function* followNow({ tables: { outbox } }: Engine, db: Builders, left: Left): Work<void> {
  if (left === null || left.ordered_by === null) return
  const behind = and(eq(outbox.ordered_by, left.ordered_by), isNull(outbox.leased_by))
  const due = db.update(outbox).set({ due_at: sql`${outbox.created_at}` })
  yield* changed(due.where(and(behind, gt(outbox.due_at, outbox.created_at))))
}

/** A parcel waits for a retry: those behind it wait too, otherwise every poll of the outbox would find them. */
export function* waitBehind(
  { tables: { outbox } }: Engine,
  db: Builders,
  postponed: ({ id: string } & NonNullable<Left>) | null,
  dueAt: number,
): Work<void> {
  if (postponed === null || postponed.ordered_by === null) return
  const isSameOrder = eq(outbox.ordered_by, postponed.ordered_by)
  const behind = and(isSameOrder, ne(outbox.id, postponed.id), isNull(outbox.leased_by))
  yield* changed(
    db
      .update(outbox)
      .set({ due_at: dueAt })
      .where(and(behind, lt(outbox.due_at, dueAt))),
  )
}
