import { and, desc, eq, sql } from 'drizzle-orm'
import type { BlockStore } from '../../features/safety/store.ts'
import { type Builders, type Engine, first, one, recordEvent, rows, type Work } from './engine.ts'
import { pairOf } from '../../features/chats/rules.ts'
import { holdLiving } from './living.ts'
import { askNotifications, takeBacks } from './asked-notifications.ts'
import { enqueue } from './outbox.ts'
import { olderThan } from './pages.ts'

/** Whether one of the two has blocked the other. */
export function* isBlockedPair({ tables: { blocks } }: Engine, db: Builders, a: string, b: string): Work<boolean> {
  const { id, blocker_id, blocked_id } = blocks
  const blockOf = (blocker: string, blocked: string) =>
    db
      .select({ id })
      .from(blocks)
      .where(and(eq(blocker_id, blocker), eq(blocked_id, blocked)))
  return (yield* first(blockOf(a, b).unionAll(blockOf(b, a)))) !== null
}

/** `checks` are written per engine, because most requests run them. */
export function blockStore(engine: Engine, checks: Pick<BlockStore, 'between' | 'among'>): BlockStore {
  const { blocks, chats } = engine.tables
  return {
    ...checks,

    ensure: (block, event, webhooks = [], newId = null) =>
      engine.write(function* (db) {
        const { blocker_id, blocked_id, created_at } = block
        const living = yield* holdLiving(engine, db, [blocker_id, blocked_id])
        if (!living.has(blocker_id) || !living.has(blocked_id)) return null
        const [user_a, user_b] = pairOf(blocker_id, blocked_id)
        const chat = db
          .select({ id: chats.id })
          .from(chats)
          .where(and(eq(chats.user_a, user_a), eq(chats.user_b, user_b)))
        // A concurrent send commits before the block, or sees it.
        const held = yield* first(engine.locked(chat, 'no key update'))
        const ensured = yield* one(
          db
            .insert(blocks)
            .values(block)
            // This changes nothing, but returns the row that is there and keeps it there.
            .onConflictDoUpdate({
              target: [blocks.blocker_id, blocks.blocked_id],
              set: { created_at: sql`${blocks.created_at}` },
            })
            .returning(),
        )
        if (ensured.id !== block.id) return { block: ensured, seq: null }
        yield* enqueue(engine, db, webhooks)
        if (held !== null && newId !== null) {
          const seers = [user_a, user_b].map((user_id) => ({ chat_id: held.id, user_id }))
          yield* askNotifications(engine, db, yield* takeBacks(engine, db, seers, created_at, newId))
        }
        const seq = yield* recordEvent(engine, db, blocker_id, 'block', created_at, { data: event })
        return { block: ensured, seq }
      }),

    list: (blockerId, limit, after) =>
      engine.read((db) =>
        rows(
          db
            .select()
            .from(blocks)
            .where(and(eq(blocks.blocker_id, blockerId), olderThan(blocks.created_at, blocks.id, after)))
            .orderBy(desc(blocks.created_at), desc(blocks.id))
            .limit(limit),
        ),
      ),

    remove: (blockerId, id) =>
      engine.write(function* (db) {
        const own = and(eq(blocks.blocker_id, blockerId), eq(blocks.id, id))
        return (yield* first(db.delete(blocks).where(own).returning()))?.blocked_id ?? null
      }),
  }
}
