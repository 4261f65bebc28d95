import { and, eq, isNull } from 'drizzle-orm'
import { type AccountStore, consentKinds } from '../../features/auth/store.ts'
import { losesAddress } from '../../features/email/rules.ts'
import type { RegistrationRefusal } from '../../features/registration/rules.ts'
import { recordAudit } from './audit.ts'
import { addConsents, recordConsents } from './consents.ts'
import { dropLinks, freeAddress, takenName, welcome as storeWelcome } from './email.ts'
import { type Builders, changed, type Engine, first, type Work } from './engine.ts'
import { holderOf, insertSubject, noteIdentity } from './identities.ts'
import { holdSession } from './living.ts'
import { insertAccount } from './new-accounts.ts'
import { enqueue } from './outbox.ts'
import { endSessions } from './sessions.ts'

/** Rolls back the unit of work: nobody loses an address to an account that is not created. */
class Undone extends Error {
  constructor(readonly outcome: RegistrationRefusal | null) {
    super('undone')
  }
}

export function accountStore(engine: Engine): AccountStore {
  const { read, write } = engine
  const { sessions, users } = engine.tables

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
        let outcome = yield* insertAccount(engine, db, account)
        let lost_by: string | null = null
        for (let attempts = 0; outcome === 'taken'; attempts++) {
          const freed = yield* takenName(engine, db, account, begun?.told ?? (() => []))
          if (typeof freed === 'string') return freed
          lost_by = freed.lost_by ?? lost_by
          // The account that had the address has lost it. On PostgreSQL another registration may have taken it since.
          if (attempts === 2) throw new Error('an account id was used twice')
          outcome = yield* insertAccount(engine, db, account)
        }
        if (outcome !== 'created') return outcome
        yield* addConsents(engine, db, consents)
        if (begun) {
          yield* changed(db.insert(sessions).values(begun.session))
          const { id, created_at } = account
          yield* noteIdentity(engine, db, id, 'password', { created_at, last_used_at: created_at })
          yield* recordAudit(engine, db, begun.audit)
          if (begun.welcome) yield* storeWelcome(engine, db, begun.welcome)
          yield* enqueue(engine, db, begun.webhooks ?? [])
        }
        return { lost_by }
      }),

    keepsAddress: (email, now) =>
      read(function* (db) {
        const { email_verified_at, email_asked_at } = users
        const held = db.select({ email_verified_at, email_asked_at }).from(users).where(eq(users.email, email))
        const holder = yield* first(held)
        return holder !== null && !losesAddress(holder, now)
      }),

    ensureMessengerAccount: (account, webhooks = []) =>
      write(function* (db) {
        const find = () =>
          first(db.select({ id: users.id }).from(users).where(eq(users.messenger_id, account.messenger_id)))
        // A login to an existing account needs no admission. The unique index decides between first logins.
        const known = yield* find()
        if (known) return { user_id: known.id, created: false }
        const outcome = yield* insertAccount(engine, db, account)
        if (outcome === 'created') {
          yield* enqueue(engine, db, webhooks)
          return { user_id: account.id, created: true }
        }
        const existing = yield* find()
        if (existing) return { user_id: existing.id, created: false }
        if (outcome === 'taken') throw new Error('an account id was used twice')
        return outcome
      }),

    registerSubject: (account, subject, consents, webhooks = [], told = () => []) =>
      write(function* (db) {
        const { id, created_at, email } = account
        const freed = email === null ? null : yield* freeAddress(engine, db, email, created_at, told)
        const isFree = freed !== null
        let outcome = yield* insertAccount(engine, db, isFree ? account : { ...account, email: null })
        // Another account has just taken the address, so this one has none.
        const isTaken = outcome === 'taken'
        if (isTaken) outcome = yield* insertAccount(engine, db, { ...account, email: null })
        if (outcome === 'taken') throw new Error('an account id was used twice')
        if (outcome !== 'created') {
          // A concurrent request has linked the subject, with the last use of the invite: a login needs none.
          throw new Undone((yield* holderOf(engine, db, subject)) === null ? outcome : null)
        }
        if (isFree && !isTaken)
          yield* changed(db.update(users).set({ email_verified_at: created_at }).where(eq(users.id, id)))
        if (!(yield* insertSubject(engine, db, id, subject, created_at))) throw new Undone(null)
        yield* addConsents(engine, db, consents)
        yield* enqueue(engine, db, webhooks)
        return { user_id: id, identity_id: subject.id, lost_by: freed?.lost_by ?? null }
      }).catch((error: unknown) => {
        if (error instanceof Undone) return error.outcome
        throw error
      }),

    credentials: (by) => {
      const isTheirs =
        'email' in by
          ? eq(users.email, by.email)
          : 'phone' in by
            ? eq(users.phone, by.phone)
            : 'messenger_id' in by
              ? eq(users.messenger_id, by.messenger_id)
              : eq(users.id, by.user_id)
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
            .where(and(isTheirs, isNull(users.deleted_at))),
        ),
      )
    },

    replacePasswordHash: (userId, from, to) => write((db) => replaceHash(db, userId, from, to)),

    changePassword: (userId, from, to, { keep, now }, mails = []) =>
      write(function* (db) {
        if ((yield* holdSession(engine, db, { id: keep, user_id: userId })) === null) return null
        if (!(yield* replaceHash(db, userId, from, to))) return null
        if (from === null) yield* noteIdentity(engine, db, userId, 'password', { created_at: now, last_used_at: null })
        yield* enqueue(engine, db, mails)
        yield* dropLinks(engine, db, userId, ['change', 'reset'])
        return yield* endSessions(engine, db, userId, now, keep)
      }),

    recordConsents: (userId, consents) => write((db) => recordConsents(engine, db, userId, consents)),

    consents: (userId) => read(() => engine.newestConsents(userId, consentKinds)),
  }
}
