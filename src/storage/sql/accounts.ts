import { and, eq, isNull } from 'drizzle-orm'
import { type AccountStore, consentKinds, type NewAccount } from '../../features/auth/store.ts'
import { recordAudit } from './audit.ts'
import { addConsents, recordConsents } from './consents.ts'
import { dropChangeLinks, freeAddress, takenName, welcome as storeWelcome } from './email.ts'
import { type Builders, changed, type Engine, first, type Work } from './engine.ts'
import { insertSubject, noteIdentity } from './identities.ts'
import { enqueue } from './outbox.ts'
import { endSessions } from './sessions.ts'

/** Undoes the unit of work that it is thrown in. */
class Linked extends Error {}

export function accountStore(engine: Engine): AccountStore {
  const { read, write } = engine
  const { preferences, sessions, users } = engine.tables
  const columns = { user_id: users.id, email: users.email, phone: users.phone, messenger_id: users.messenger_id }

  /** False where one of its names is taken: the unique indexes say so. */
  function* insertAccount(db: Builders, { language, ...account }: NewAccount): Work<boolean> {
    const inserted = yield* first(
      db
        .insert(users)
        .values({ ...account, updated_at: account.created_at })
        .onConflictDoNothing()
        .returning({ id: users.id }),
    )
    if (inserted === null) return false
    yield* changed(db.insert(preferences).values({ user_id: account.id, language }))
    return true
  }

  function* replaceHash(db: Builders, userId: string, from: string | null, to: string): Work<boolean> {
    const isFrom = from === null ? isNull(users.password_hash) : eq(users.password_hash, from)
    const count = yield* changed(
      db
        .update(users)
        .set({ password_hash: to })
        .where(and(eq(users.id, userId), isNull(users.deleted_at), isFrom)),
    )
    return count > 0
  }

  return {
    register: (account, consents, begun) =>
      write(function* (db) {
        for (let attempts = 0; !(yield* insertAccount(db, account)); attempts++) {
          const taken = yield* takenName(engine, db, account)
          if (taken !== null) return taken
          // The account that had the address has lost it. On PostgreSQL another registration may have taken it since.
          if (attempts === 2) throw new Error('an account id was used twice')
        }
        yield* addConsents(engine, db, consents)
        if (begun) {
          yield* changed(db.insert(sessions).values(begun.session))
          const { id, created_at } = account
          yield* noteIdentity(engine, db, id, 'password', { created_at, last_used_at: created_at })
          yield* recordAudit(engine, db, begun.audit)
          if (begun.welcome) yield* storeWelcome(engine, db, begun.welcome)
        }
        return 'created'
      }),

    ensureMessengerAccount: (account) =>
      write(function* (db) {
        const created = yield* insertAccount(db, account)
        const existing = yield* first(
          db.select({ id: users.id }).from(users).where(eq(users.messenger_id, account.messenger_id)),
        )
        if (!existing) throw new Error('an account id was used twice')
        return { user_id: existing.id, created }
      }),

    registerSubject: (account, subject, consents) =>
      write(function* (db) {
        const { id, created_at, email } = account
        const isFree = email !== null && (yield* freeAddress(engine, db, email, created_at))
        // Where somebody has just taken the address, the account does without.
        const withAddress = isFree && (yield* insertAccount(db, account))
        if (withAddress) yield* changed(db.update(users).set({ email_verified_at: created_at }).where(eq(users.id, id)))
        else if (!(yield* insertAccount(db, { ...account, email: null })))
          throw new Error('an account id was used twice')
        if (!(yield* insertSubject(engine, db, id, subject, created_at))) throw new Linked()
        yield* addConsents(engine, db, consents)
        return { user_id: id, identity_id: subject.id }
      }).catch((error: unknown) => {
        if (error instanceof Linked) return null
        throw error
      }),

    credentials: (by) => {
      const [[name, value]] = Object.entries(by) as [[keyof typeof columns, string]]
      return read((db) =>
        first(
          db
            .select({
              user_id: users.id,
              messenger_id: users.messenger_id,
              password_hash: users.password_hash,
              suspended_until: users.suspended_until,
              suspended_reason: users.suspended_reason,
            })
            .from(users)
            .where(and(eq(columns[name], value), isNull(users.deleted_at))),
        ),
      )
    },

    replacePasswordHash: (userId, from, to) => write((db) => replaceHash(db, userId, from, to)),

    changePassword: (userId, from, to, { keep, now }, mails = []) =>
      write(function* (db) {
        if (!(yield* replaceHash(db, userId, from, to))) return null
        if (from === null) yield* noteIdentity(engine, db, userId, 'password', { created_at: now, last_used_at: null })
        yield* enqueue(engine, db, mails)
        yield* dropChangeLinks(engine, db, userId)
        return yield* endSessions(engine, db, userId, now, keep)
      }),

    recordConsents: (userId, consents) => write((db) => recordConsents(engine, db, userId, consents)),

    consents: (userId) => read(() => engine.newestConsents(userId, consentKinds)),
  }
}
