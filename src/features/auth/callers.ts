import { Refusal } from '../../refusal.ts'
import { iso } from '../../time.ts'
import type { Role } from '../profile/store.ts'
import type { Consents } from './consents.ts'
import type { ConsentKind, SessionStore } from './store.ts'
import { notSignedIn, type Tokens } from './tokens.ts'

/** Who makes a request. */
export type Caller = {
  id: string
  session_id: string
  role: Role
  consents_missing: ConsentKind[]
  token_expires_at: number
}

export type Callers = ReturnType<typeof callers>

type Known = { caller: Caller; expires_at: number; suspended_until: number | null; suspended_reason: string | null }

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
  const known = new Map<string, Known>()
  const tokensOf = new Map<string, Set<string>>()
  // Counts the times that something was forgotten: a look-up that began before must not be remembered after.
  let epoch = 0
  let hits = 0
  let misses = 0

  function remember(token: string, entry: Known) {
    if (known.size >= remembered) drop(known.keys().next().value!)
    known.set(token, entry)
    const own = tokensOf.get(entry.caller.id)
    if (own) own.add(token)
    else tokensOf.set(entry.caller.id, new Set([token]))
  }

  function drop(token: string) {
    const entry = known.get(token)
    if (!entry) return
    known.delete(token)
    const own = tokensOf.get(entry.caller.id)
    own?.delete(token)
    if (own?.size === 0) tokensOf.delete(entry.caller.id)
  }

  async function lookUp(token: string): Promise<Known> {
    const began = epoch
    const { user_id, session_id, expires_at } = await tokens.readAccess(token)
    const session = await sessions.byId(session_id)
    if (!session || session.user_id !== user_id || session.ended_at !== null) throw notSignedIn()
    const { suspended_until, suspended_reason, role } = session
    const consents_missing = await consents.missing(user_id)
    const caller: Caller = { id: user_id, session_id, role, consents_missing, token_expires_at: expires_at }
    const entry = { caller, expires_at, suspended_until, suspended_reason }
    if (began === epoch) remember(token, entry)
    return entry
  }

  return {
    /** Refuses with 401, or 403 `suspended`: not, where it is for one of the few things that a suspended user may do. */
    async byToken(token: string, evenSuspended = () => false): Promise<Caller> {
      let entry = known.get(token)
      if (entry && entry.expires_at <= now()) {
        drop(token)
        entry = undefined
      }
      if (entry) hits++
      else misses++
      entry ??= await lookUp(token)
      if (entry.suspended_until !== null && !evenSuspended()) refuseSuspended(entry, now())
      return entry.caller
    },

    /** The user's sessions, rights, suspension or consents changed: look again at the next request. */
    forget(userId: string) {
      epoch++
      for (const token of tokensOf.get(userId) ?? []) drop(token)
    },

    /** How often a token was one that is remembered, and how often not. */
    counts: () => ({ hits, misses }),
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
