import { and, count, eq, isNotNull, isNull, lte } from 'drizzle-orm'
import { counterMayFollow, hasRoomForPasskey } from '../../features/passkeys/rules.ts'
import type { PasskeyStore, PasskeyUse, UsedChallenge } from '../../features/passkeys/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, one, rows, type Work } from './engine.ts'
import { holdLiving, holdSession } from './living.ts'
import { enqueue } from './outbox.ts'

/** Consumes a challenge: only one of several concurrent requests succeeds. */
function* useChallenge({ tables: { usedChallenges } }: Engine, db: Builders, challenge: UsedChallenge): Work<boolean> {
  const noted = db.insert(usedChallenges).values(challenge).onConflictDoNothing().returning({ id: usedChallenges.id })
  return (yield* first(noted)) !== null
}

/**
 * Records the use of a passkey. Returns false, and stores only the challenge, if that was used before, the counter did not
 * rise, or the passkey is gone. The account must be locked.
 */
export function* usePasskey(
  engine: Engine,
  db: Builders,
  userId: string,
  { passkey_id, counter, challenge }: PasskeyUse,
  now: number,
): Work<boolean> {
  const { passkeys } = engine.tables
  if (!(yield* useChallenge(engine, db, challenge))) return false
  const isTheirs = and(eq(passkeys.id, passkey_id), eq(passkeys.user_id, userId))
  const own = db.select({ counter: passkeys.counter }).from(passkeys).where(isTheirs)
  const stored = yield* first(engine.locked(own, 'no key update'))
  if (stored === null || !counterMayFollow(stored.counter, counter)) return false
  yield* changed(db.update(passkeys).set({ counter, last_used_at: now }).where(isTheirs))
  return true
}

/** Removes all passkeys of an account whose sessions end too. Returns how many. */
export const dropPasskeys = ({ tables: { passkeys } }: Engine, db: Builders, userId: string): Work<number> =>
  changed(db.delete(passkeys).where(eq(passkeys.user_id, userId)))

/**
 * Removes one passkey. All confirmed sessions must be confirmed again, because it is not stored which passkey confirmed them,
 * and this one may have been stolen.
 */
export function* dropPasskey(engine: Engine, db: Builders, userId: string, id: string): Work<void> {
  const { passkeys, sessions } = engine.tables
  yield* changed(db.delete(passkeys).where(and(eq(passkeys.id, id), eq(passkeys.user_id, userId))))
  const isConfirmed = and(eq(sessions.user_id, userId), isNull(sessions.ended_at), isNotNull(sessions.passkey_at))
  yield* changed(db.update(sessions).set({ passkey_at: null }).where(isConfirmed))
}

export function passkeyStore(engine: Engine): PasskeyStore {
  const { read, write } = engine
  const { passkeys, sessions, usedChallenges } = engine.tables
  const options = { keepsProfileCache: true }

  return {
    byCredential: (credentialId) =>
      read((db) => first(db.select().from(passkeys).where(eq(passkeys.credential_id, credentialId)))),

    ofUser: (userId) =>
      read(function* (db) {
        const own = yield* rows(db.select().from(passkeys).where(eq(passkeys.user_id, userId)))
        return own.toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
      }),

    add: (passkey, { session_id, challenge, audit, mails }) =>
      write(function* (db) {
        // Locked, so that two concurrent additions cannot exceed the limit.
        if ((yield* holdSession(engine, db, { id: session_id, user_id: passkey.user_id })) === null) return null
        if (!(yield* useChallenge(engine, db, challenge))) return 'challenge_used'
        const own = db.select({ n: count() }).from(passkeys).where(eq(passkeys.user_id, passkey.user_id))
        if (!hasRoomForPasskey((yield* one(own)).n)) return 'too_many'
        const added = db.insert(passkeys).values(passkey).onConflictDoNothing().returning({ id: passkeys.id })
        if ((yield* first(added)) === null) return 'taken'
        yield* enqueue(engine, db, mails)
        yield* recordAudit(engine, db, audit)
        return 'added'
      }, options),

    confirm: ({ id, user_id }, use, now, audit) =>
      write(function* (db) {
        if ((yield* holdLiving(engine, db, [user_id])).size === 0) return false
        if (!(yield* usePasskey(engine, db, user_id, use, now))) return false
        const isTheirs = and(eq(sessions.id, id), eq(sessions.user_id, user_id), isNull(sessions.ended_at))
        if ((yield* changed(db.update(sessions).set({ passkey_at: now }).where(isTheirs))) === 0) return false
        yield* recordAudit(engine, db, audit)
        return true
      }, options),

    removeOldChallenges: (now, limit) =>
      write(function* (db) {
        const isOld = lte(usedChallenges.expires_at, now)
        const old = yield* rows(db.select({ id: usedChallenges.id }).from(usedChallenges).where(isOld).limit(limit))
        if (old.length === 0) return 0
        const ids = old.map(({ id }) => id)
        return yield* changed(db.delete(usedChallenges).where(engine.isAmong(usedChallenges.id, ids)))
      }, options),
  }
}
