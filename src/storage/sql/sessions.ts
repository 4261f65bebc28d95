import { and, desc, eq, gt, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import type { Session, SessionStore, LoginMethod } from '../../features/auth/store.ts'
import { newDeviceWindow, isLoginMethodValid, tellsOfNewDevice } from '../../features/auth/rules.ts'
import type { NewParcel } from '../../outbox/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, rows, type Work } from './engine.ts'
import { noteUse } from './identities.ts'
import { dropChannelsOf } from './asked-notifications.ts'
import { enqueue } from './outbox.ts'
import { usePasskey } from './passkeys.ts'

/**
 * Written per engine as prepared statements: every token that is not cached looks up its session, the sessions of sockets are
 * looked up all the time, and a refresh must take only one round trip.
 */
export type HotSessions = Pick<SessionStore, 'byId' | 'lasting' | 'rotate'>

// These writes change no profile, and they are frequent.
const options = { keepsProfileCache: true }

/** Ends all sessions of a user, or all but one, and returns the ids of those ended. */
export function* endSessions(
  engine: Engine,
  db: Builders,
  userId: string,
  now: number,
  except?: string,
): Work<string[]> {
  const { sessions } = engine.tables
  const isOther = except === undefined ? undefined : ne(sessions.id, except)
  const ended = yield* rows(
    db
      .update(sessions)
      .set({ ended_at: now })
      .where(and(eq(sessions.user_id, userId), isNull(sessions.ended_at), isOther))
      .returning({ id: sessions.id }),
  )
  const ids = ended.map(({ id }) => id)
  yield* dropChannelsOf(engine, db, ids)
  return ids
}

/** Puts the mail about a new device into the outbox if `tellsOfNewDevice` says so. Call it before the session is stored. */
function* tellOfNewDevice(
  engine: Engine,
  db: Builders,
  { user_id, user_agent, created_at }: Session,
  mail: NewParcel<'mail'>,
): Work<void> {
  const { sessions } = engine.tables
  let isKnown = false
  let hadSessions = false
  const lately = new Set<string | null>()
  // One query for each of two partial indexes: a condition over both would read the whole table.
  for (const part of [isNull(sessions.ended_at), isNotNull(sessions.ended_at)]) {
    const own = and(eq(sessions.user_id, user_id), part)
    const sameAgent = user_agent === null ? isNull(sessions.user_agent) : eq(sessions.user_agent, user_agent)
    const find = (condition = own) => first(db.select({ id: sessions.id }).from(sessions).where(condition).limit(1))
    isKnown ||= (yield* find(and(own, sameAgent))) !== null
    if (isKnown) break
    hadSessions ||= (yield* find()) !== null
    const begun = and(own, gt(sessions.created_at, created_at - newDeviceWindow))
    const agents = yield* rows(db.selectDistinct({ user_agent: sessions.user_agent }).from(sessions).where(begun))
    for (const agent of agents) lately.add(agent.user_agent)
  }
  if (tellsOfNewDevice({ isKnown, hadSessions, agentsLately: lately.size })) yield* enqueue(engine, db, [mail])
}

/** Notes that an account was signed in to with that. False if it does not have it any more. */
function* useLoginMethod(
  engine: Engine,
  db: Builders,
  { user_id, created_at: now }: Session,
  loginMethod: LoginMethod,
  account: { password_hash: string | null; messenger_id: string | null; created_at: number },
): Work<boolean> {
  if (loginMethod.kind === 'passkey') return yield* usePasskey(engine, db, user_id, loginMethod, now)
  if (loginMethod.kind === 'oidc') {
    const { identities } = engine.tables
    const isTheirs = and(eq(identities.id, loginMethod.identity_id), eq(identities.user_id, user_id))
    return (yield* changed(db.update(identities).set({ last_used_at: now }).where(isTheirs))) > 0
  }
  const { kind } = loginMethod
  if (!isLoginMethodValid(loginMethod, account)) return false
  // An account from before has had its password or messenger as long as it exists.
  yield* noteUse(engine, db, user_id, kind, { created_at: account.created_at, last_used_at: now })
  return true
}

export function sessionStore(engine: Engine, hot: HotSessions): SessionStore {
  const { read, write, locked } = engine
  const { sessions, users } = engine.tables
  return {
    ...hot,

    create: (session, { loginMethod, audit, newDeviceMail } = {}) =>
      write(function* (db) {
        const { password_hash, messenger_id, created_at } = users
        const account = db
          .select({ password_hash, messenger_id, created_at })
          .from(users)
          .where(and(eq(users.id, session.user_id), isNull(users.deleted_at)))
        // Shared until the session is there: who erases the account, or changes its password and ends its sessions, comes
        // before and is seen, or comes after and sees the session.
        const held = yield* first(locked(account, 'share'))
        if (!held || (loginMethod && !(yield* useLoginMethod(engine, db, session, loginMethod, held)))) return false
        if (newDeviceMail) yield* tellOfNewDevice(engine, db, session, newDeviceMail)
        yield* changed(db.insert(sessions).values(session))
        if (audit) yield* recordAudit(engine, db, audit)
        return true
      }, options),

    live: (userId, { began, lastUsed }, { limit, after }) =>
      read((db) =>
        rows(
          db
            .select()
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
            .limit(limit),
        ),
      ),

    end: (userId, id, now) =>
      write(function* (db) {
        const isTheirs = and(eq(sessions.id, id), eq(sessions.user_id, userId), isNull(sessions.ended_at))
        const hasEnded = (yield* changed(db.update(sessions).set({ ended_at: now }).where(isTheirs))) > 0
        if (hasEnded) yield* dropChannelsOf(engine, db, [id])
        return hasEnded
      }, options),

    endAll: (userId, now, except) => write((db) => endSessions(engine, db, userId, now, except), options),
  }
}
