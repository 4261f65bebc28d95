import {
  type AccountStore,
  type Consent,
  consentKinds,
  type Credentials,
  type NewAccount,
  type Session,
  type SessionStore,
  type SessionWithUser,
} from '../../features/auth/store.ts'
import type { Database } from './database.ts'
import type { Queries, Value } from './queries.ts'
import { lockLiving } from './living.ts'

// One of these names may belong to somebody already; the unique index says so. An id that was used twice is a defect.
const insertUser = `
  INSERT INTO users (id, email, phone, messenger_id, password_hash, name, city, bio, gender, photo, created_at, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
  ON CONFLICT DO NOTHING RETURNING id`

const credentialsBy = (column: 'id' | 'email' | 'phone' | 'messenger_id') => `
  SELECT id AS user_id, password_hash, suspended_until, suspended_reason FROM users
  WHERE ${column} = $1 AND deleted_at IS NULL`

const replaceHash = `
  UPDATE users SET password_hash = $3
  WHERE id = $1 AND deleted_at IS NULL AND password_hash IS NOT DISTINCT FROM $2::text`

// The numbers go on from the newest: whoever calls it has locked the account, or has just made it.
const insertConsent = `
  INSERT INTO consent_log (user_id, seq, id, kind, accepted, version, text_hash, recorded_at, user_agent, address)
  VALUES ($1, (SELECT coalesce(max(seq), 0) + 1 FROM consent_log WHERE user_id = $1), $2, $3, $4, $5, $6, $7, $8, $9)`

const newestConsents = `
  SELECT id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address FROM consent_log AS c
  WHERE user_id = $1
    AND NOT EXISTS (SELECT 1 FROM consent_log AS d WHERE d.user_id = c.user_id AND d.kind = c.kind AND d.seq > c.seq)`

async function insertAccount(tx: Queries, { language, ...account }: NewAccount): Promise<boolean> {
  const { id, email, phone, messenger_id, password_hash, name, city, bio, gender, photo, created_at } = account
  const values = [id, email, phone, messenger_id, password_hash, name, city, bio, gender, photo, created_at]
  if ((await tx.get(insertUser, values)) === null) return false
  await tx.run('INSERT INTO preferences (user_id, language) VALUES ($1, $2)', [id, language])
  return true
}

async function insertConsents(tx: Queries, consents: readonly Consent[]): Promise<void> {
  await Promise.all(
    consents.map(({ user_id, id, kind, accepted, version, text_hash, recorded_at, user_agent, address }) =>
      tx.run(insertConsent, [user_id, id, kind, accepted, version, text_hash, recorded_at, user_agent, address]),
    ),
  )
}

/** Ends all sessions of a user, or all but one; answers the ids of those ended. */
async function endSessions(db: Queries, userId: string, now: number, except?: string): Promise<string[]> {
  const ended = await db.all<{ id: string }>(
    'UPDATE sessions SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL AND id IS DISTINCT FROM $3::text RETURNING id',
    [userId, now, except ?? null],
  )
  return ended.map(({ id }) => id)
}

export function accountStore(db: Database): AccountStore {
  return {
    register: (account, consents) =>
      db.write(async (tx) => {
        if (!(await insertAccount(tx, account))) {
          const emailTaken =
            account.email !== null && (await tx.get('SELECT id FROM users WHERE email = $1', [account.email])) !== null
          return emailTaken ? 'email_taken' : 'phone_taken'
        }
        await insertConsents(tx, consents)
        return 'created'
      }),

    ensureMessengerAccount: (account) =>
      db.write(async (tx) => {
        const created = await insertAccount(tx, account)
        const existing = await tx.get<{ id: string }>('SELECT id FROM users WHERE messenger_id = $1', [
          account.messenger_id,
        ])
        if (!existing) throw new Error('an account id was used twice')
        return { user_id: existing.id, created }
      }),

    credentials: (by) => {
      const [column, value] = Object.entries(by)[0] as ['email' | 'phone' | 'messenger_id' | 'user_id', string]
      return db.read((q) => q.get<Credentials>(credentialsBy(column === 'user_id' ? 'id' : column), [value]))
    },

    replacePasswordHash: async (userId, from, to) =>
      (await db.statement((q) => q.run(replaceHash, [userId, from, to]))) > 0,

    changePassword: (userId, from, to, { keep, now }) =>
      db.write(async (tx) =>
        (await tx.run(replaceHash, [userId, from, to])) > 0 ? endSessions(tx, userId, now, keep) : null,
      ),

    recordConsents: (userId, consents) =>
      db.write(async (tx) => {
        if (!(await lockLiving(tx, userId))) return false
        await insertConsents(tx, consents)
        return true
      }),

    async consents(userId) {
      const newest = await db.read((q) => q.all<Consent>(newestConsents, [userId]))
      return consentKinds.flatMap((kind) => newest.filter((consent) => consent.kind === kind))
    },
  }
}

const sessionColumns = 's.id, s.user_id, generation, rotated_at, s.created_at, last_used_at, user_agent, ended_at'

// The account stays locked, shared, until the session is there: who erases it, or changes its password and ends its
// sessions, comes before and is seen, or comes after and sees the session.
const holdAccount = 'SELECT password_hash FROM users WHERE id = $1 AND deleted_at IS NULL FOR SHARE'

export function sessionStore(db: Database): SessionStore {
  return {
    create: (session, provenBy) =>
      db.write(async (tx) => {
        const account = await tx.get<{ password_hash: string | null }>(holdAccount, [session.user_id])
        if (!account || (provenBy !== undefined && account.password_hash !== provenBy)) return false
        const { id, user_id, generation, rotated_at, created_at, last_used_at, user_agent, ended_at } = session
        await tx.run(
          `INSERT INTO sessions (id, user_id, generation, rotated_at, created_at, last_used_at, user_agent, ended_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [id, user_id, generation, rotated_at, created_at, last_used_at, user_agent, ended_at],
        )
        return true
      }),

    byId: (id) =>
      db.read((q) =>
        q.get<SessionWithUser>(
          `SELECT ${sessionColumns}, suspended_until, suspended_reason FROM sessions s
           JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND u.deleted_at IS NULL`,
          [id],
        ),
      ),

    lasting: (asked) =>
      db.read((q) =>
        q.all<{ id: string; suspended_until: number | null }>(
          `SELECT s.id, u.suspended_until FROM sessions s JOIN users u ON u.id = s.user_id
           WHERE (s.user_id, s.id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
             AND s.ended_at IS NULL AND u.deleted_at IS NULL`,
          [asked.map(({ user_id }) => user_id), asked.map(({ id }) => id)],
        ),
      ),

    rotate: async (id, from, to, now) =>
      (await db.statement((q) =>
        q.run(
          `UPDATE sessions SET generation = $3, rotated_at = $4, last_used_at = $4
           WHERE id = $1 AND generation = $2 AND ended_at IS NULL`,
          [id, from, to, now],
        ),
      )) > 0,

    live: (userId, { began, lastUsed }, { limit, after }) => {
      const values: Value[] = [userId, began, lastUsed, limit]
      if (after !== null) values.push(after.created_at, after.id)
      return db.read((q) =>
        q.all<Session>(
          `SELECT ${sessionColumns} FROM sessions s
           WHERE user_id = $1 AND ended_at IS NULL AND s.created_at > $2 AND last_used_at > $3
             ${after === null ? '' : 'AND (s.created_at, s.id) < ($5, $6)'}
           ORDER BY s.created_at DESC, s.id DESC LIMIT $4`,
          values,
        ),
      )
    },

    end: async (userId, id, now) =>
      (await db.statement((q) =>
        q.run('UPDATE sessions SET ended_at = $3 WHERE user_id = $1 AND id = $2 AND ended_at IS NULL', [
          userId,
          id,
          now,
        ]),
      )) > 0,

    endAll: (userId, now, except) => db.statement((q) => endSessions(q, userId, now, except)),
  }
}
