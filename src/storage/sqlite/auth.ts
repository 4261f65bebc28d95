import { and, desc, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  type AccountStore,
  type Consent,
  type ConsentKind,
  consentKinds,
  type NewAccount,
  type SessionStore,
} from '../../features/auth/store.ts'
import type { Db } from './database.ts'
import { livingIn } from './living.ts'
import type { Reads } from './reads.ts'
import { consentLog, preferences, sessions, users } from './schema.ts'
import type { Writer } from './writer.ts'

/** Ends all sessions of a user, or all but one; answers the ids of those ended. For use inside a write. */
const endSessions = (db: Db, userId: string, now: number, except?: string): string[] =>
  db
    .update(sessions)
    .set({ ended_at: now })
    .where(
      and(
        eq(sessions.user_id, userId),
        isNull(sessions.ended_at),
        except === undefined ? undefined : ne(sessions.id, except),
      ),
    )
    .returning({ id: sessions.id })
    .all()
    .map((row) => row.id)

export function accountStore(db: Db, writer: Writer, { read }: Reads): AccountStore {
  const isLiving = livingIn(db)
  const credentialColumns = {
    user_id: users.id,
    password_hash: users.password_hash,
    suspended_until: users.suspended_until,
    suspended_reason: users.suspended_reason,
  }
  const credentialsBy = (column: SQLiteColumn) =>
    db
      .select(credentialColumns)
      .from(users)
      .where(and(eq(column, sql.placeholder('value')), isNull(users.deleted_at)))
      .prepare()
  const [byEmail, byPhone] = [credentialsBy(users.email), credentialsBy(users.phone)]
  const [byMessengerId, byUserId] = [credentialsBy(users.messenger_id), credentialsBy(users.id)]
  const idByMessenger = db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.messenger_id, sql.placeholder('messenger_id')))
    .prepare()
  // By the order of writing, which a clock that was set back does not change.
  const newestConsent = db.$client.prepare<Omit<Consent, 'accepted'> & { accepted: number }, [string, ConsentKind]>(`
    SELECT id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address
    FROM consent_log WHERE user_id = +? AND kind = +? ORDER BY rowid DESC LIMIT 1`)

  function insertAccount({ language, ...account }: NewAccount): boolean {
    const inserted = db
      .insert(users)
      .values({ ...account, updated_at: account.created_at })
      .onConflictDoNothing()
      .returning({ id: users.id })
      .all()
    if (inserted.length === 0) return false
    db.insert(preferences).values({ user_id: account.id, language }).run()
    return true
  }

  const replaceHash = (userId: string, from: string | null, to: string): boolean =>
    db
      .update(users)
      .set({ password_hash: to })
      .where(and(eq(users.id, userId), isNull(users.deleted_at), sql`${users.password_hash} IS ${from}`))
      .returning({ id: users.id })
      .all().length > 0

  return {
    register: (account, consents) =>
      writer.write(() => {
        if (!insertAccount(account)) {
          const emailTaken =
            account.email !== null &&
            db.select({ id: users.id }).from(users).where(eq(users.email, account.email)).get() !== undefined
          return emailTaken ? 'email_taken' : 'phone_taken'
        }
        db.insert(consentLog)
          .values([...consents])
          .run()
        return 'created'
      }),

    ensureMessengerAccount: (account) =>
      writer.write(() => {
        const created = insertAccount(account)
        const existing = idByMessenger.get({ messenger_id: account.messenger_id })
        if (!existing) throw new Error('an account id was used twice')
        return { user_id: existing.id, created }
      }),

    credentials: async (by) => {
      if ('email' in by) return byEmail.get({ value: by.email }) ?? null
      if ('phone' in by) return byPhone.get({ value: by.phone }) ?? null
      if ('messenger_id' in by) return byMessengerId.get({ value: by.messenger_id }) ?? null
      return byUserId.get({ value: by.user_id }) ?? null
    },

    replacePasswordHash: (userId, from, to) => writer.write(() => replaceHash(userId, from, to)),

    changePassword: (userId, from, to, { keep, now }) =>
      writer.write(() => (replaceHash(userId, from, to) ? endSessions(db, userId, now, keep) : null)),

    recordConsents: (userId, consents) =>
      writer.write(() => {
        if (!isLiving(userId)) return false
        db.insert(consentLog)
          .values([...consents])
          .run()
        return true
      }),

    consents: async (userId) =>
      consentKinds.flatMap((kind) => {
        const newest = read(() => newestConsent.get(userId, kind))
        return newest ? { ...newest, accepted: newest.accepted !== 0 } : []
      }),
  }
}

export function sessionStore(db: Db, writer: Writer, { read }: Reads): SessionStore {
  const sessionColumns = {
    id: sessions.id,
    user_id: sessions.user_id,
    generation: sessions.generation,
    rotated_at: sessions.rotated_at,
    created_at: sessions.created_at,
    last_used_at: sessions.last_used_at,
    user_agent: sessions.user_agent,
    ended_at: sessions.ended_at,
  }
  const byId = db
    .select({
      ...sessionColumns,
      suspended_until: users.suspended_until,
      suspended_reason: users.suspended_reason,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(eq(sessions.id, sql.placeholder('id')), isNull(users.deleted_at)))
    .prepare()
  const lasting = db.$client.prepare<{ id: string; suspended_until: number | null }, [string]>(`
    SELECT s.id, u.suspended_until FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.id IN (SELECT value FROM json_each(?)) AND s.ended_at IS NULL AND u.deleted_at IS NULL`)
  const passwordHash = db
    .select({ password_hash: users.password_hash })
    .from(users)
    .where(and(eq(users.id, sql.placeholder('user_id')), isNull(users.deleted_at)))
    .prepare()

  return {
    create: (session, provenBy) =>
      writer.write(() => {
        const user = passwordHash.get({ user_id: session.user_id })
        if (!user || (provenBy !== undefined && user.password_hash !== provenBy)) return false
        db.insert(sessions).values(session).run()
        return true
      }, leavesPeople),

    byId: async (id) => read(() => byId.get({ id })) ?? null,

    lasting: async (asked) => read(() => lasting.all(JSON.stringify(asked.map(({ id }) => id)))),

    rotate: (id, from, to, now) =>
      writer.write(
        () =>
          db
            .update(sessions)
            .set({ generation: to, rotated_at: now, last_used_at: now })
            .where(and(eq(sessions.id, id), eq(sessions.generation, from), isNull(sessions.ended_at)))
            .returning({ id: sessions.id })
            .all().length > 0,
        leavesPeople,
      ),

    live: async (userId, { began, lastUsed }, { limit, after }) =>
      db
        .select(sessionColumns)
        .from(sessions)
        .where(
          and(
            eq(sessions.user_id, userId),
            isNull(sessions.ended_at),
            gt(sessions.created_at, began),
            gt(sessions.last_used_at, lastUsed),
            after === null
              ? undefined
              : sql`(${sessions.created_at}, ${sessions.id}) < (${after.created_at}, ${after.id})`,
          ),
        )
        .orderBy(desc(sessions.created_at), desc(sessions.id))
        .limit(limit)
        .all(),

    end: (userId, id, now) =>
      writer.write(
        () =>
          db
            .update(sessions)
            .set({ ended_at: now })
            .where(and(eq(sessions.id, id), eq(sessions.user_id, userId), isNull(sessions.ended_at)))
            .returning({ id: sessions.id })
            .all().length > 0,
        leavesPeople,
      ),

    endAll: (userId, now, except) => writer.write(() => endSessions(db, userId, now, except), leavesPeople),
  }
}

// Sessions are no part of what is shown of people, and they change all the time.
const leavesPeople = { leavesPeople: true }
