import { and, eq, gt, gte, inArray, isNull, lte, ne } from 'drizzle-orm'
import {
  type EmailLinkKind,
  endsEarlierLinks,
  givesAddress,
  isFirstProof,
  losesAddress,
  losesAddressToUndo,
  resetsPassword,
} from '../../features/email/rules.ts'
import type {
  Addressee,
  EmailLink,
  EmailStore,
  EmailWebhooks,
  Freed,
  Used,
  Welcome,
} from '../../features/email/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Column, type Engine, first, rows, type Work } from './engine.ts'
import { holdLiving, holdSession } from './living.ts'
import { dropIdentities, noteIdentity } from './identities.ts'
import { enqueue } from './outbox.ts'
import { dropPasskeys } from './passkeys.ts'
import { endSessions } from './sessions.ts'

type Link = Pick<EmailLink, 'user_id' | 'kind' | 'email' | 'expires_at' | 'unverified_at'>

/**
 * Removes an address from its account if that account may lose it. Null: its account keeps it. The row is locked, so only
 * one of two concurrent requests gets the address.
 */
export function* freeAddress(
  engine: Engine,
  db: Builders,
  email: string,
  now: number,
  told: EmailWebhooks,
  { except = null, loses = losesAddress }: { except?: string | null; loses?: typeof losesAddress } = {},
): Work<Freed | null> {
  const { users, emailLinks } = engine.tables
  const { id, email_verified_at, email_asked_at } = users
  const held = db.select({ id, email_verified_at, email_asked_at }).from(users).where(eq(users.email, email))
  const holder = yield* first(engine.locked(held, 'no key update'))
  if (holder === null || holder.id === except) return { lost_by: null }
  if (!loses(holder, now)) return null
  const none = { email: null, email_asked_at: null, updated_at: now }
  yield* changed(db.update(users).set(none).where(eq(users.id, holder.id)))
  // The new owner of the address would receive the old owner's links.
  yield* changed(db.delete(emailLinks).where(and(eq(emailLinks.user_id, holder.id), eq(emailLinks.email, email))))
  yield* enqueue(engine, db, told(holder.id, 'email'))
  return { lost_by: holder.id }
}

/** Which of a new account's address and phone is taken. `Freed`: neither is any more, so try again. */
export function* takenName(
  engine: Engine,
  db: Builders,
  { email, phone, created_at }: { email: string | null; phone: string | null; created_at: number },
  told: EmailWebhooks,
): Work<'email_taken' | 'phone_taken' | Freed> {
  const { users } = engine.tables
  const holderOf = (column: Column, name: string) =>
    first(db.select({ id: users.id }).from(users).where(eq(column, name)))
  const isPhoneTaken = phone !== null && (yield* holderOf(users.phone, phone)) !== null
  if (!isPhoneTaken && email === null) return { lost_by: null }
  if (!isPhoneTaken && email !== null) return (yield* freeAddress(engine, db, email, created_at, told)) ?? 'email_taken'
  // The account will not be stored, so nobody may lose an address to it.
  return email !== null && (yield* holderOf(users.email, email)) !== null ? 'email_taken' : 'phone_taken'
}

/** Stores the link that goes with a registration, and its mail, if there is one. */
export function* welcome(engine: Engine, db: Builders, { link, mails, asked_at }: Welcome): Work<void> {
  const { users } = engine.tables
  yield* changed(db.update(users).set({ email_asked_at: asked_at }).where(eq(users.id, link.user_id)))
  yield* storeLink(engine, db, link)
  yield* enqueue(engine, db, mails)
}

/** Removes the queued mails and the links of an erased account. Returns how many. */
export function* dropMails({ tables: { emailLinks, outbox } }: Engine, db: Builders, userId: string): Work<number> {
  const links = yield* changed(db.delete(emailLinks).where(eq(emailLinks.user_id, userId)))
  return links + (yield* changed(db.delete(outbox).where(eq(outbox.user_id, userId))))
}

/** Removes an account's links of these kinds: after a new password, or a change of the address that was undone or taken back. */
export function* dropLinks(
  { tables: { emailLinks } }: Engine,
  db: Builders,
  userId: string,
  kinds: readonly EmailLinkKind[],
): Work<void> {
  yield* changed(db.delete(emailLinks).where(and(eq(emailLinks.user_id, userId), inArray(emailLinks.kind, [...kinds]))))
}

function* storeLink({ tables: { emailLinks } }: Engine, db: Builders, link: EmailLink): Work<void> {
  const { user_id, kind } = link
  if (endsEarlierLinks(kind))
    yield* changed(db.delete(emailLinks).where(and(eq(emailLinks.user_id, user_id), eq(emailLinks.kind, kind))))
  yield* changed(db.insert(emailLinks).values(link))
}

export function emailStore(engine: Engine): EmailStore {
  const { read, write } = engine
  const { emailLinks, preferences, users } = engine.tables

  function* addresseeBy(db: Builders, column: Column, value: string): Work<Addressee | null> {
    const { id: user_id, email, email_verified_at } = users
    const found = yield* first(
      db
        .select({ user_id, email, email_verified_at, language: preferences.language })
        .from(users)
        .leftJoin(preferences, eq(preferences.user_id, users.id))
        .where(and(eq(column, value), isNull(users.deleted_at))),
    )
    if (found === null || found.email === null) return null
    return { ...found, email: found.email, language: found.language ?? 'en' }
  }

  const isLive = (hash: string, now: number) => and(eq(emailLinks.hash, hash), gt(emailLinks.expires_at, now))
  const isLink = (hash: string, kinds: readonly EmailLinkKind[], now: number) =>
    and(isLive(hash, now), inArray(emailLinks.kind, [...kinds]))

  /** Locks a link's account and consumes the link: only one of several concurrent requests succeeds. Null: no such link. */
  function* use(db: Builders, hash: string, kinds: readonly EmailLinkKind[], now: number): Work<Link | null> {
    const { user_id, kind, email, expires_at, unverified_at } = emailLinks
    const found = yield* first(
      db
        .select({ user_id })
        .from(emailLinks)
        .where(isLink(hash, kinds, now)),
    )
    if (found === null) return null
    const living = yield* holdLiving(engine, db, [], [found.user_id])
    if (!living.has(found.user_id)) return null
    return yield* first(
      db
        .delete(emailLinks)
        .where(isLink(hash, kinds, now))
        .returning({ user_id, kind, email, expires_at, unverified_at }),
    )
  }

  /** Rolls back the unit of work, so that a link whose address is taken is not consumed. */
  class Taken extends Error {}
  const orTaken = <T>(work: Promise<T>) =>
    work.catch((error: unknown) => {
      // On PostgreSQL, the unique index decides between two concurrent requests for a free address.
      if (error instanceof Taken || engine.isDuplicate(error)) return 'email_taken' as const
      throw error
    })

  /** Gives an account the address of a link, verified, and ends the links that were sent to another one. */
  function* giveAddress(
    db: Builders,
    { user_id, kind, email, unverified_at }: Link,
    now: number,
    told: EmailWebhooks,
  ): Work<Pick<Used, 'email' | 'lost_by'>> {
    if (email === null) throw new Error('a link of the operator has no address')
    const loses = kind === 'undo' && unverified_at === null ? losesAddressToUndo : losesAddress
    const freed = yield* freeAddress(engine, db, email, now, told, { except: user_id, loses })
    if (freed === null) throw new Taken()
    yield* changed(db.update(users).set({ email, email_verified_at: now }).where(eq(users.id, user_id)))
    const elsewhere = and(inArray(emailLinks.kind, ['verify', 'reset']), ne(emailLinks.email, email))
    yield* changed(db.delete(emailLinks).where(and(eq(emailLinks.user_id, user_id), elsewhere)))
    return { email, ...freed }
  }

  /** Removes all that signs in to an account, because it may be another person's than the owner of its address. */
  function* dropWaysIn(db: Builders, userId: string, now: number): Work<void> {
    yield* dropIdentities(engine, db, userId, now)
    yield* dropPasskeys(engine, db, userId)
    const none = { password_hash: null, messenger_id: null, updated_at: now }
    yield* changed(db.update(users).set(none).where(eq(users.id, userId)))
  }

  return {
    byEmail: (email) => read((db) => addresseeBy(db, users.email, email)),
    ofUser: (userId) => read((db) => addresseeBy(db, users.id, userId)),

    languageOf: (userId) =>
      read(function* (db) {
        const own = db.select().from(preferences).where(eq(preferences.user_id, userId))
        return (yield* first(own))?.language ?? 'en'
      }),

    issue: (userId, links, mails, session_id) =>
      write(
        function* (db) {
          const isHeld =
            session_id === undefined
              ? (yield* holdLiving(engine, db, [], [userId])).size > 0
              : (yield* holdSession(engine, db, { id: session_id, user_id: userId })) !== null
          if (!isHeld) return false
          for (const link of links) yield* storeLink(engine, db, link)
          yield* enqueue(engine, db, mails)
          return true
        },
        { keepsProfileCache: true },
      ),

    cancelChange: (userId) => write((db) => dropLinks(engine, db, userId, ['change']), { keepsProfileCache: true }),

    isGood: (hash, now, kind) =>
      read(function* (db) {
        const found = db
          .select({ hash: emailLinks.hash })
          .from(emailLinks)
          .where(kind === undefined ? isLive(hash, now) : isLink(hash, [kind], now))
        return (yield* first(found)) !== null
      }),

    verify: (hash, now, audit, told = () => []) =>
      orTaken(
        write(function* (db) {
          const link = yield* use(db, hash, ['verify', 'change'], now)
          if (link === null) return null
          const present = yield* addresseeBy(db, users.id, link.user_id)
          if (!givesAddress(link, present?.email ?? null)) return null
          const given = yield* giveAddress(db, link, now, told)
          yield* enqueue(engine, db, told(link.user_id, link.kind === 'change' ? 'email' : 'email_verified'))
          yield* recordAudit(engine, db, { ...audit, actor_id: link.user_id, subject_id: link.user_id })
          return { user_id: link.user_id, ...given, ended: [] }
        }),
      ),

    reset: (hash, passwordHash, now, audit, mail, told = () => []) =>
      write(function* (db) {
        const link = yield* use(db, hash, ['reset'], now)
        if (link === null) return null
        const { user_id } = link
        const { email: present, email_verified_at, password_hash } = users
        const account = yield* first(
          db.select({ email: present, email_verified_at, password_hash }).from(users).where(eq(users.id, user_id)),
        )
        if (account === null || !resetsPassword(link, account.email)) return null
        const isFirst = isFirstProof(link, account)
        if (isFirst) {
          yield* dropWaysIn(db, user_id, now)
          yield* changed(db.update(users).set({ email_verified_at: now }).where(eq(users.id, user_id)))
          yield* enqueue(engine, db, told(user_id, 'email_verified'))
        }
        if (isFirst || account.password_hash === null)
          yield* noteIdentity(engine, db, user_id, 'password', { created_at: now, last_used_at: null })
        yield* changed(db.update(users).set({ password_hash: passwordHash }).where(eq(users.id, user_id)))
        yield* dropLinks(engine, db, user_id, ['change'])
        const ended = yield* endSessions(engine, db, user_id, now)
        const to = yield* addresseeBy(db, users.id, user_id)
        if (to !== null) yield* enqueue(engine, db, mail(to))
        yield* recordAudit(engine, db, { ...audit, actor_id: user_id, subject_id: user_id })
        return { user_id, ended }
      }),

    undo: (hash, now, audit, told = () => []) =>
      orTaken(
        write(function* (db) {
          const link = yield* use(db, hash, ['undo'], now)
          if (link === null) return null
          const { email, email_verified_at } = users
          const account = yield* first(
            db.select({ email, email_verified_at }).from(users).where(eq(users.id, link.user_id)),
          )
          if (account === null) return null
          if (isFirstProof(link, account)) yield* dropWaysIn(db, link.user_id, now)
          const given = yield* giveAddress(db, link, now, told)
          yield* enqueue(engine, db, told(link.user_id, 'email'))
          // Later changes are undone too, and their undo links stop working.
          const later = and(
            eq(emailLinks.user_id, link.user_id),
            eq(emailLinks.kind, 'undo'),
            gte(emailLinks.expires_at, link.expires_at),
          )
          yield* changed(db.delete(emailLinks).where(later))
          yield* dropLinks(engine, db, link.user_id, ['change'])
          const ended = yield* endSessions(engine, db, link.user_id, now)
          yield* recordAudit(engine, db, { ...audit, actor_id: link.user_id, subject_id: link.user_id })
          return { user_id: link.user_id, ...given, ended }
        }),
      ),

    linksOf: (userId) =>
      read((db) => {
        const { kind, email, expires_at } = emailLinks
        const own = db.select({ kind, email, expires_at }).from(emailLinks).where(eq(emailLinks.user_id, userId))
        return rows(own)
      }),

    removeExpired: (now, limit) =>
      write(
        function* (db) {
          const expired = lte(emailLinks.expires_at, now)
          const old = yield* rows(db.select({ hash: emailLinks.hash }).from(emailLinks).where(expired).limit(limit))
          if (old.length === 0) return 0
          const hashes = old.map(({ hash }) => hash)
          return yield* changed(db.delete(emailLinks).where(and(engine.isAmong(emailLinks.hash, hashes), expired)))
        },
        { keepsProfileCache: true },
      ),
  }
}
