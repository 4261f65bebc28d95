import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { derivedIdentityId, isIdentityUsable, removalVerdict } from '../../features/identities/rules.ts'
import type { Identity, IdentityStore, Linked, Subject } from '../../features/identities/store.ts'
import { recordAudit } from './audit.ts'
import { dropBotChannels } from './bot.ts'
import { type Builders, changed, type Engine, first, rows, type Work } from './engine.ts'
import { holdLiving, holdSession } from './living.ts'
import { enqueue } from './outbox.ts'
import { dropPasskey } from './passkeys.ts'
import { isSuspended } from '../../features/moderation/rules.ts'

type Derived = 'password' | 'messenger'

/** Records since when an account has a password or a messenger, unless that is recorded already. */
export function* noteIdentity(
  { tables: { identities } }: Engine,
  db: Builders,
  userId: string,
  kind: Derived,
  at: { created_at: number; last_used_at: number | null },
): Work<void> {
  const row = { id: derivedIdentityId(userId, kind), user_id: userId, kind, ...at }
  yield* changed(db.insert(identities).values(row).onConflictDoNothing())
}

/** Records that an account's password or messenger was used. */
export function* noteUse(
  { tables: { identities } }: Engine,
  db: Builders,
  userId: string,
  kind: Derived,
  at: { created_at: number; last_used_at: number },
): Work<void> {
  const row = { id: derivedIdentityId(userId, kind), user_id: userId, kind, ...at }
  const used = { target: identities.id, set: { last_used_at: at.last_used_at } }
  yield* changed(db.insert(identities).values(row).onConflictDoUpdate(used))
}

/** The identity that a subject is linked as, or null. */
export function* holderOf(
  { tables: { identities } }: Engine,
  db: Builders,
  { issuer, subject }: Pick<Subject, 'issuer' | 'subject'>,
) {
  const isIt = and(eq(identities.issuer, issuer), eq(identities.subject, subject))
  return yield* first(db.select().from(identities).where(isIt))
}

/** Links a subject with an account. False if it is linked already, with this account or another (unique index). */
export function* insertSubject(
  { tables: { identities } }: Engine,
  db: Builders,
  userId: string,
  { grant, ...subject }: Subject,
  created_at: number,
): Work<boolean> {
  const row = { ...subject, ...grantColumns(grant), user_id: userId, kind: 'oidc' as const, created_at }
  const id = identities.id
  return (yield* first(db.insert(identities).values(row).onConflictDoNothing().returning({ id }))) !== null
}

const grantColumns = (grant: Subject['grant']) => ({ client_id: grant?.client_id, grant_token: grant?.token })

/** Removes one identity of an account, or all. Grants are revoked at their providers later. Returns how many were removed. */
export function* dropIdentities(
  engine: Engine,
  db: Builders,
  userId: string,
  now: number,
  only?: { id: string },
): Work<number> {
  const { identities } = engine.tables
  const which = and(eq(identities.user_id, userId), only && eq(identities.id, only.id))
  const { id, provider, client_id, grant_token } = identities
  const dropped = yield* rows(db.delete(identities).where(which).returning({ id, provider, client_id, grant_token }))
  const parcels = dropped.flatMap(({ id, provider, client_id, grant_token: token }) => {
    if (provider === null || client_id === null || token === null) return []
    // The parcel outlives the account, so it does not name the user.
    return [{ id, kind: 'oidc_revoke' as const, user_id: null, payload: { provider, client_id, token }, ...due(now) }]
  })
  yield* enqueue(engine, db, parcels)
  return dropped.length
}

const due = (now: number) => ({ created_at: now, due_at: now })

export function identityStore(engine: Engine): IdentityStore {
  const { read, write } = engine
  const { identities, passkeys, preferences, users } = engine.tables
  // Writes that change no profile. A messenger is part of the profile that its owner sees.
  const options = { keepsProfileCache: true }

  /** Every way to sign in to an account. Whether there is a password or a messenger is stored in `users`. */
  function* waysOf(db: Builders, userId: string) {
    const { email, phone, messenger_id, password_hash, created_at } = users
    const account = yield* first(
      db
        .select({ email, phone, messenger_id, password_hash, created_at })
        .from(users)
        .where(and(eq(users.id, userId), isNull(users.deleted_at))),
    )
    if (account === null) return null
    const stored = yield* rows(db.select().from(identities).where(eq(identities.user_id, userId)))
    const { id, user_id, label, last_used_at } = passkeys
    const made = yield* rows(
      db
        .select({ id, user_id, label, created_at: passkeys.created_at, last_used_at })
        .from(passkeys)
        .where(eq(user_id, userId)),
    )
    const derived = (kind: Derived, subject: string | null) => {
      const id = derivedIdentityId(userId, kind)
      const noted = stored.find((row) => row.id === id)
      return {
        ...(noted ?? { ...unnoted, id, user_id: userId, kind, created_at: account.created_at }),
        subject,
      }
    }
    return {
      account,
      ways: [
        ...(account.password_hash === null ? [] : [derived('password', null)]),
        ...(account.messenger_id === null ? [] : [derived('messenger', account.messenger_id)]),
        ...stored.filter(({ kind }) => kind === 'oidc'),
        ...made.map((passkey) => ({ ...unnoted, ...passkey, kind: 'passkey' as const })),
      ],
    }
  }

  /** The account whose verified address this is. */
  const ownerOf = (db: Builders, email: string) =>
    db
      .select({
        user_id: users.id,
        email_verified_at: users.email_verified_at,
        suspended_until: users.suspended_until,
      })
      .from(users)
      .where(and(eq(users.email, email), isNotNull(users.email_verified_at), isNull(users.deleted_at)))

  /** The newest grant is the one to revoke. */
  function* keepGrant(db: Builders, id: string, { grant }: Pick<Subject, 'grant'>): Work<void> {
    if (grant !== null) yield* changed(db.update(identities).set(grantColumns(grant)).where(eq(identities.id, id)))
  }

  /** Gives an account a messenger, unless it has one. */
  function* setMessenger(db: Builders, userId: string, messengerId: string, now: number) {
    const has = and(eq(users.id, userId), isNull(users.messenger_id))
    yield* changed(db.update(users).set({ messenger_id: messengerId, updated_at: now }).where(has))
    const id = users.messenger_id
    return (yield* first(db.select({ id }).from(users).where(eq(users.id, userId))))?.id === messengerId
  }

  return {
    ofUser: (userId) =>
      read(function* (db) {
        const found = yield* waysOf(db, userId)
        return (found?.ways ?? []).map(identityOf).toSorted((a, b) => a.created_at - b.created_at)
      }),

    isKnown: (subject, email) =>
      read(function* (db) {
        if ((yield* holderOf(engine, db, subject)) !== null) return true
        return email !== null && (yield* first(ownerOf(db, email))) !== null
      }),

    find: (subject, email, now, told) =>
      write(function* (db) {
        const linked = yield* holderOf(engine, db, subject)
        if (linked !== null) {
          yield* keepGrant(db, linked.id, subject)
          return { user_id: linked.user_id, identity_id: linked.id }
        }
        if (email === null) return null
        // Locked, so that the account keeps its address and is not suspended before the commit.
        const account = yield* first(engine.locked(ownerOf(db, email), 'no key update'))
        if (account === null) return null
        const { user_id, email_verified_at, suspended_until } = account
        const found = { user_id, identity_id: subject.id }
        if (isSuspended({ suspended_until }, now)) return found
        // Null: a concurrent request has linked the subject; `holderOf` returns its account.
        if (!(yield* insertSubject(engine, db, user_id, subject, now))) {
          const other = yield* holderOf(engine, db, subject)
          return other && { user_id: other.user_id, identity_id: other.id }
        }
        const { language } = preferences
        const of = yield* first(db.select({ language }).from(preferences).where(eq(preferences.user_id, user_id)))
        const { audit, mails } = told({ user_id, email, email_verified_at, language: of?.language ?? 'en' })
        yield* recordAudit(engine, db, audit)
        yield* enqueue(engine, db, mails)
        return found
      }, options),

    linkSubject: (by, subject, now, { audit, mails }) =>
      write(function* (db): Work<Linked> {
        const userId = by.user_id
        if ((yield* holdSession(engine, db, by)) === null) return null
        if (!(yield* insertSubject(engine, db, userId, subject, now))) {
          const holder = yield* holderOf(engine, db, subject)
          if (holder?.user_id !== userId) return 'taken'
          yield* keepGrant(db, holder.id, subject)
          return { identity: identityOf(holder), outcome: 'known' }
        }
        yield* recordAudit(engine, db, audit)
        yield* enqueue(engine, db, mails)
        const { id, provider, subject: who } = subject
        const identity = { id, kind: 'oidc', provider, subject: who, created_at: now, last_used_at: null } as const
        return { identity, outcome: 'linked' }
      }, options),

    linkMessenger: (by, messengerId, now, { audit, mails }) =>
      write(function* (db): Work<Linked> {
        const userId = by.user_id
        if ((yield* holdSession(engine, db, by)) === null) return null
        const before = yield* waysOf(db, userId)
        const known = before?.ways.find(({ kind }) => kind === 'messenger')
        if (known && before?.account.messenger_id === messengerId)
          return { identity: identityOf(known), outcome: 'known' }
        if (!(yield* setMessenger(db, userId, messengerId, now))) {
          const holder = db.select({ id: users.id }).from(users).where(eq(users.messenger_id, messengerId))
          return (yield* first(holder)) === null ? 'other' : 'taken'
        }
        const at = { created_at: now, last_used_at: null }
        yield* noteIdentity(engine, db, userId, 'messenger', at)
        yield* recordAudit(engine, db, audit)
        yield* enqueue(engine, db, mails)
        const id = derivedIdentityId(userId, 'messenger')
        return {
          identity: { id, kind: 'messenger', provider: null, subject: messengerId, ...at },
          outcome: 'linked',
        }
      }).catch((error: unknown) => {
        // The unique index of messenger ids: it is another account's.
        if (engine.isDuplicate(error)) return 'taken' as const
        throw error
      }),

    remove: (userId, id, configured, now, { audit, mails }) =>
      write(function* (db) {
        // Locked, so that no way to sign in is added or removed while they are counted.
        if (!(yield* holdLiving(engine, db, [], [userId])).has(userId)) return null
        const found = yield* waysOf(db, userId)
        if (found === null) return null
        const ways = found.ways.map((way) => ({ ...way, isUsable: isIdentityUsable(way, found.account, configured) }))
        const verdict = removalVerdict(ways, id)
        if (verdict !== 'removed') return verdict
        const kind = ways.find((way) => way.id === id)?.kind
        if (kind === 'passkey') yield* dropPasskey(engine, db, userId, id)
        if (kind === 'password' || kind === 'messenger') {
          const none = kind === 'password' ? { password_hash: null } : { messenger_id: null }
          yield* changed(
            db
              .update(users)
              .set({ ...none, updated_at: now })
              .where(eq(users.id, userId)),
          )
        }
        if (kind === 'messenger') yield* dropBotChannels(engine, db, userId)
        yield* dropIdentities(engine, db, userId, now, { id })
        yield* recordAudit(engine, db, audit)
        yield* enqueue(engine, db, mails)
        return verdict
      }),
  }
}

const unnoted = {
  provider: null,
  issuer: null,
  subject: null,
  client_id: null,
  grant_token: null,
  last_used_at: null,
}

const identityOf = ({ id, kind, provider, subject, label, created_at, last_used_at }: Identity): Identity => ({
  id,
  kind,
  provider,
  subject,
  label,
  created_at,
  last_used_at,
})
