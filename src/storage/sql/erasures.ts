import { and, asc, eq, getTableColumns, gt, gte, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { anonymised, anonymisedMessage, chatsOfPart, type ChatToClear } from '../../features/account/rules.ts'
import type { Cleared, ErasureStore, Place } from '../../features/account/store.ts'
import { isEvidence } from '../image-use.ts'
import { recordAudit } from './audit.ts'
import { dropMails } from './email.ts'
import { type Builders, changed, changedEach, type Engine, first, query, rows, type Work } from './engine.ts'
import { dropIdentities } from './identities.ts'
import { askNotifications, dropNotifications, takeBacks } from './asked-notifications.ts'
import { enqueue } from './outbox.ts'
import { dropPasskeys } from './passkeys.ts'
import { holdLiving } from './living.ts'

// Rows that one part looks at, and chats that it goes through: some milliseconds of work.
const budget = 250
const chatsAtOnce = 50

// No chat has these ids.
const personalData: Place = { chat_id: '', seq: 0 }
const firstChat: Place = { chat_id: '', seq: 1 }

export function erasureStore(engine: Engine, emptyLog: ErasureStore['emptyLog']): ErasureStore {
  const { read, write, locked, lock, isAmong } = engine
  const { appeals, blocks, botPermissions, chats, consentLog, eventCounters, events, heldMessages, lastSeen } =
    engine.tables
  const { locationCells, locations, media, messages, messageVersions, notices, openers, pendingReviews } = engine.tables
  const { preferences, reports, reviews, sessions, unfinishedErasures, users, userStats } = engine.tables
  const columnsOfUsers = Object.entries(getTableColumns(users))
  const defaults = Object.fromEntries(columnsOfUsers.map(([name, column]) => [name, column.default ?? null]))

  /** Removes the search index of a user, except the gender in their row. */
  function* dropTraits(db: Builders, user: string): Work<number> {
    const preferencesCount = yield* changed(db.delete(preferences).where(eq(preferences.user_id, user)))
    return preferencesCount + (yield* changed(db.delete(locations).where(eq(locations.user_id, user))))
  }

  /** The changes of a user's personal data, in order. Each changes up to `limit` rows that still need it. */
  function changesOf(db: Builders, user: string): ((limit: number) => PromiseLike<unknown>)[] {
    const someOf = (table: SQLiteTable, key: SQLiteColumn, condition: SQL | undefined, limit: number) =>
      and(condition, inArray(key, db.select({ key }).from(table).where(condition).limit(limit)))
    const drop = (table: SQLiteTable, key: SQLiteColumn, owner: SQLiteColumn, condition?: SQL) => (limit: number) =>
      db.delete(table).where(someOf(table, key, and(eq(owner, user), condition), limit))
    const dropRow = (table: SQLiteTable, owner: SQLiteColumn) => () => db.delete(table).where(eq(owner, user))
    const aboutThem = eq(reports.subject_id, user)
    const byThem = eq(reports.reporter_id, user)
    return [
      drop(locationCells, locationCells.tag, locationCells.user_id),
      // Two statements, because there are two partial indexes.
      drop(sessions, sessions.id, sessions.user_id, isNull(sessions.ended_at)),
      drop(sessions, sessions.id, sessions.user_id, isNotNull(sessions.ended_at)),
      (limit) => {
        const hasOrigin = or(isNotNull(consentLog.user_agent), isNotNull(consentLog.address))
        const some = someOf(consentLog, consentLog.id, and(eq(consentLog.user_id, user), hasOrigin), limit)
        return db.update(consentLog).set({ user_agent: null, address: null }).where(some)
      },
      drop(blocks, blocks.blocked_id, blocks.blocker_id),
      drop(blocks, blocks.blocker_id, blocks.blocked_id),
      (limit) => {
        const some = someOf(reviews, reviews.chat_id, eq(reviews.reviewer_id, user), limit)
        return db.update(reviews).set({ reviewer_id: null }).where(some)
      },
      drop(reviews, reviews.chat_id, reviews.reviewed_id),
      (limit) => {
        const some = someOf(pendingReviews, pendingReviews.chat_id, eq(pendingReviews.reviewer_id, user), limit)
        return db.update(pendingReviews).set({ reviewer_id: null }).where(some)
      },
      drop(pendingReviews, pendingReviews.chat_id, pendingReviews.reviewed_id),
      drop(appeals, appeals.notice_id, appeals.user_id),
      drop(notices, notices.id, notices.user_id),
      // A report keeps its texts as long as its evidence, which protects the other people in it.
      (limit) => {
        const isSaid = and(isNull(reports.evidence), or(isNotNull(reports.details), isNotNull(reports.note)))
        const some = someOf(reports, reports.id, and(aboutThem, isSaid), limit)
        return db.update(reports).set({ details: null, note: null }).where(some)
      },
      (limit) => {
        const isSaid = and(isNull(reports.evidence), isNotNull(reports.details))
        return db
          .update(reports)
          .set({ details: null })
          .where(someOf(reports, reports.id, and(byThem, isSaid), limit))
      },
      (limit) =>
        db
          .update(reports)
          .set({ reporter_id: null, origin: null })
          .where(someOf(reports, reports.id, byThem, limit)),
      dropRow(userStats, userStats.user_id),
      dropRow(lastSeen, lastSeen.user_id),
      dropRow(botPermissions, botPermissions.user_id),
      drop(openers, openers.chat_id, openers.user_id),
      drop(heldMessages, heldMessages.id, heldMessages.sender_id),
      drop(events, events.seq, events.user_id),
      dropRow(eventCounters, eventCounters.user_id),
    ]
  }

  /** Removes images that are not kept as evidence, and returns the names of their files. */
  function* dropImages(db: Builders, user: string, limit: number): Work<string[]> {
    const isFree = and(eq(media.owner_id, user), sql.raw(`NOT ${isEvidence}`))
    const found = yield* rows(db.select({ id: media.id }).from(media).where(isFree).limit(limit))
    if (found.length === 0) return []
    const some = isAmong(
      media.id,
      found.map(({ id }) => id),
    )
    // Checked again under the lock: an image that a concurrent report takes as evidence stays.
    yield* lock(db.select({ id: media.id }).from(media).where(some).orderBy(asc(media.id)), 'update')
    const dropped = yield* rows(db.delete(media).where(and(some, isFree)).returning({ file: media.file }))
    return dropped.map(({ file }) => file)
  }

  /** Removes everything but the user's messages. Called until nothing is left. */
  function* clearPersonalData(db: Builders, user: string, at: number): Work<Cleared> {
    const done: Cleared = { rows: 0, files: [], chats: [], next: personalData }
    done.rows += yield* engine.reindexTraits(user, () => dropTraits(db, user))
    done.files = yield* dropImages(db, user, budget)
    done.rows += done.files.length
    done.rows += yield* dropMails(engine, db, user)
    done.rows += yield* dropIdentities(engine, db, user, at)
    done.rows += yield* dropNotifications(engine, db, user)
    done.rows += yield* dropPasskeys(engine, db, user)
    for (const change of changesOf(db, user)) {
      if (done.rows >= budget) return done
      done.rows += yield* changed(change(budget - done.rows))
    }
    return done.rows >= budget ? done : { ...done, next: firstChat }
  }

  /**
   * The chats of a user from a place on, in the order of chat lists, which have an index for each side. The order is stable,
   * because these chats get no messages any more. Each chat is read in turn: messages have no index by sender, because only
   * erasures would use it and every insert would pay for it.
   */
  function chatsFrom(user: string, from: Place): SQL {
    const at = sql.raw('coalesce(last_msg_at, created_at)')
    const start = sql`coalesce((SELECT ${at} FROM chats WHERE id = ${from.chat_id}), ${sql.raw(`${Number.MIN_SAFE_INTEGER}`)})`
    // SQLite uses the first condition on the time to search the index.
    const side = (mine: string, other: string) => sql`SELECT * FROM (
      SELECT id, ${sql.raw(other)} AS other, ${at} AS at FROM chats
      WHERE ${sql.raw(mine)} = ${user} AND ${at} >= ${start} AND (${at}, id) >= (${start}, ${from.chat_id})
      ORDER BY ${at}, id LIMIT ${chatsAtOnce + 1}) AS ${sql.raw(mine)}`
    const after = sql`CASE WHEN c.id = ${from.chat_id} THEN ${from.seq} ELSE 0 END`
    const next = sql`SELECT seq FROM messages AS m WHERE m.chat_id = c.id AND m.seq > ${after} ORDER BY seq LIMIT ${budget}`
    return sql`
      SELECT c.id, c.other, ${after} AS "from", (SELECT count(*) FROM (${next}) AS n) AS rows,
        (SELECT max(seq) FROM (${next}) AS n) AS last
      FROM (${side('user_a', 'user_b')} UNION ALL ${side('user_b', 'user_a')} ORDER BY at, id LIMIT ${chatsAtOnce + 1}) AS c
      ORDER BY c.at, c.id`
  }

  function* clearChats(db: Builders, user: string, at: number, from: Place, newId?: () => string): Work<Cleared> {
    const isUnfinished = eq(unfinishedErasures.user_id, user)
    // Two concurrent nodes are serialised here.
    const isTold = (yield* first(locked(db.select().from(unfinishedErasures).where(isUnfinished), 'update'))) !== null
    const found = yield* query<ChatToClear>(chatsFrom(user, from))
    const beyond = found.length > chatsAtOnce ? (found.pop() ?? null) : null
    const { walked, next: within } = chatsOfPart(found, budget)
    const next = within ?? (beyond && { chat_id: beyond.id, seq: 0 })

    const finished = walked.filter(({ isDone }) => isDone)
    const others = isTold ? finished.map(({ other }) => other) : []
    const isPresent = and(isAmong(users.id, others), isNull(users.deleted_at))
    const present = db.select({ id: users.id }).from(users).where(isPresent).orderBy(asc(users.id))
    const living = new Set((yield* rows(locked(present, 'share'))).map(({ id }) => id))
    const idsOf = (some: readonly { id: string }[]) => some.map(({ id }) => id)
    yield* lock(
      db
        .select({ id: chats.id })
        .from(chats)
        .where(isAmong(chats.id, idsOf(walked)))
        .orderBy(asc(chats.id)),
      'no key update',
    )
    // Only the first chat can be processed in part.
    const [start, ...whole] = walked
    const { chat_id, seq, sender_id, deleted_at, client_id } = messages
    const counts = yield* changedEach(
      [
        start && and(eq(chat_id, start.id), gt(seq, start.from), lte(seq, start.to)),
        whole.length > 0 ? isAmong(chat_id, idsOf(whole)) : undefined,
      ].flatMap((isWalked) => {
        if (!isWalked) return []
        const theirs = and(isWalked, eq(sender_id, user))
        const ofTheirs = inArray(
          messageVersions.message_id,
          db.select({ id: messages.id }).from(messages).where(theirs),
        )
        return [
          db.delete(messageVersions).where(ofTheirs),
          db
            .update(messages)
            .set({ ...anonymisedMessage, deleted_at: sql`coalesce(${deleted_at}, ${at})` })
            .where(and(theirs, or(isNull(deleted_at), isNotNull(client_id)))),
        ]
      }),
    )
    // If one side has no messages left, the other has nothing unread.
    yield* changed(
      db
        .update(chats)
        .set({
          unread_a: sql`CASE WHEN ${chats.user_b} = ${user} THEN 0 ELSE ${chats.unread_a} END`,
          unread_b: sql`CASE WHEN ${chats.user_a} = ${user} THEN 0 ELSE ${chats.unread_b} END`,
          muted_a: sql`CASE WHEN ${chats.user_a} = ${user} THEN NULL ELSE ${chats.muted_a} END`,
          muted_b: sql`CASE WHEN ${chats.user_b} = ${user} THEN NULL ELSE ${chats.muted_b} END`,
        })
        .where(isAmong(chats.id, idsOf(finished))),
    )
    if (next === null) yield* changed(db.delete(unfinishedErasures).where(isUnfinished))
    if (newId) {
      const seers = finished.flatMap(({ id, other }) => (living.has(other) ? [{ chat_id: id, user_id: other }] : []))
      yield* askNotifications(engine, db, yield* takeBacks(engine, db, seers, at, newId))
    }
    const told: Cleared['chats'] = []
    for (const { id, other } of finished
      .filter((chat) => living.has(chat.other))
      .sort((a, b) => (a.other < b.other ? -1 : 1)))
      for (const event of yield* engine.recordEvents(db, [other], 'chat', at, { ref: id }))
        told.push({ chat_id: id, ...event })
    return { rows: counts.reduce((sum, count) => sum + count, 0), files: [], chats: told, next }
  }

  return {
    begin: (user, at, entry, parcels = []) =>
      write(function* (db) {
        // Every write for this account locks its row or one of its chats, so it either commits before this or sees the erased
        // account.
        if (!(yield* holdLiving(engine, db, [], [user])).has(user)) return false
        // Runs before the account's row changes. Clearing its unique names also blocks foreign key checks, and a send that
        // holds the chat's lock may still have to insert a member's first counter.
        const chatsWhere = (condition: SQL | undefined) => db.select({ id: chats.id }).from(chats).where(condition)
        const theirs = chatsWhere(eq(chats.user_a, user)).unionAll(chatsWhere(eq(chats.user_b, user)))
        yield* lock(chatsWhere(inArray(chats.id, theirs)).orderBy(asc(chats.id)), 'no key update')
        yield* engine.reindexTraits(user, function* () {
          yield* changed(db.update(users).set(anonymised(defaults, at)).where(eq(users.id, user)))
          yield* dropTraits(db, user)
        })
        yield* changedEach([
          db.delete(locationCells).where(eq(locationCells.user_id, user)),
          ...[isNull, isNotNull].map((has) =>
            db.delete(sessions).where(and(eq(sessions.user_id, user), has(sessions.ended_at))),
          ),
          db.delete(lastSeen).where(eq(lastSeen.user_id, user)),
          db.insert(unfinishedErasures).values({ user_id: user, at }),
        ])
        yield* dropMails(engine, db, user)
        yield* dropIdentities(engine, db, user, at)
        yield* dropPasskeys(engine, db, user)
        yield* dropNotifications(engine, db, user)
        yield* changed(db.delete(botPermissions).where(eq(botPermissions.user_id, user)))
        yield* enqueue(engine, db, parcels)
        yield* recordAudit(engine, db, entry)
        return true
      }),

    clear: (user, at, from, newId) =>
      write((db) =>
        from === null || (from.chat_id === '' && from.seq === personalData.seq)
          ? clearPersonalData(db, user, at)
          : clearChats(db, user, at, from, newId),
      ),

    unfinished: () => read((db) => rows(db.select().from(unfinishedErasures))),

    erasedSince: (time) =>
      read(function* (db) {
        const select = db
          .select({ user_id: users.id, at: users.deleted_at })
          .from(users)
          .where(gte(users.deleted_at, time))
        return (yield* rows(select.orderBy(asc(users.deleted_at)))).flatMap(({ user_id, at }) =>
          at === null ? [] : [{ user_id, at }],
        )
      }),

    emptyLog,
  }
}
