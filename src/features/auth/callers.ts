import { Refusal } from '../../refusal.ts'
import { iso } from '../../time.ts'
import type { Role } from '../profile/store.ts'
import type { Consents } from './consents.ts'
import type { SessionStore } from './store.ts'
import { notSignedIn, type Tokens } from './tokens.ts'

/** Who makes a request. */
export type Caller = { id: string; session_id: string; role: Role; consents_missing: boolean }

export type Callers = ReturnType<typeof callers>

// Some 300 bytes each.
const remembered = 50_000

/**
 * Finds out who calls, and remembers it: a token is verified, and its session looked up, once, until one of the two
 * ends. Whatever ends a session or changes what its user may do has to `forget`.
 */
export function callers({
  tokens,
  sessions,
  consents,
  now,
}: {
  tokens: Tokens
  sessions: SessionStore
  consents: Consents
  now: () => number
}) {
  const known = new Map<string, { caller: Caller; expires_at: number }>()
  const tokensOf = new Map<string, Set<string>>()
  // Counts the times that something was forgotten: a look-up that began before must not be remembered after.
  let epoch = 0

  function remember(token: string, caller: Caller, expiresAt: number) {
    if (known.size >= remembered) drop(known.keys().next().value!)
    known.set(token, { caller, expires_at: expiresAt })
    const own = tokensOf.get(caller.id)
    if (own) own.add(token)
    else tokensOf.set(caller.id, new Set([token]))
  }

  function drop(token: string) {
    const entry = known.get(token)
    if (!entry) return
    known.delete(token)
    const own = tokensOf.get(entry.caller.id)
    own?.delete(token)
    if (own?.size === 0) tokensOf.delete(entry.caller.id)
  }

  return {
    /** Refuses with 401, or 403 `suspended`. */
    async byToken(token: string): Promise<Caller> {
      const entry = known.get(token)
      if (entry && entry.expires_at > now()) return entry.caller
      if (entry) drop(token)
      const began = epoch
      const { user_id, session_id, expires_at } = await tokens.readAccess(token)
      const session = await sessions.byId(session_id)
      if (!session || session.user_id !== user_id || session.ended_at !== null) throw notSignedIn()
      refuseSuspended(session, now())
      const consents_missing = (await consents.missing(user_id)).length > 0
      const caller: Caller = { id: user_id, session_id, role: session.role, consents_missing }
      if (began === epoch) remember(token, caller, expires_at)
      return caller
    },

    /** The user's sessions, rights, suspension or consents changed: look again at the next request. */
    forget(userId: string) {
      epoch++
      for (const token of [...(tokensOf.get(userId) ?? [])]) drop(token)
    },
  }
}

/** Refuses with 403 `suspended`, telling why and until when. */
export function refuseSuspended(
  user: { suspended_until: number | null; suspended_reason: string | null },
  now: number,
) {
  if (user.suspended_until === null || user.suspended_until <= now) return
  const end = user.suspended_until >= forever ? 'without end' : `until ${iso(user.suspended_until)}`
  throw new Refusal('suspended', `This account is suspended ${end}: ${user.suspended_reason ?? 'no reason given'}`)
}

/** A suspension without end is one until then. */
export const forever = Date.UTC(9999, 11, 31)
