import { Refusal } from '../../lib/refusal.ts'
import { iso, seconds } from '../../lib/time.ts'
import type { Nodes } from '../../realtime/nodes.ts'
import type { Consents } from './consents.ts'
import type { ConsentKind, SessionOfUser, SessionStore } from './store.ts'
import { notSignedIn, type Tokens } from './tokens.ts'

/** Who makes a request. */
export type Caller = {
  id: string
  session_id: string
  consents_missing: ConsentKind[]
  /** Whether the account has an e-mail address that nobody has verified. */
  has_unverified_email: boolean
  /** When the session was opened, or last confirmed, with a passkey. */
  passkey_at: number | null
  token_expires_at: number
}

/** The session in which a caller acts. */
export const sessionOf = ({ id, session_id }: Pick<Caller, 'id' | 'session_id'>): SessionOfUser => ({
  id: session_id,
  user_id: id,
})

export type Callers = ReturnType<typeof callers>

type Known = {
  caller: Caller
  expires_at: number
  suspended_until: number | null
  suspended_reason: string | null
  looked_up_at: number
}

// One for all, because most callers miss none.
const none: ConsentKind[] = []

/** Callers by their tokens, and the tokens of each user: mostly one, for which a set would take some 300 bytes. */
const half = () => ({ known: new Map<string, Known>(), tokensOf: new Map<string, string | Set<string>>() })

/**
 * How long a cached caller is trusted when this process may miss a change. Other nodes invalidate entries at once. The
 * first bound applies if a node died before it could, cannot reach the others, or got no answer to a commit; the second
 * while this node does not hear the others.
 */
export const believedMs = 30 * seconds
export const believedUnheardMs = 2 * seconds

/**
 * Identifies the caller of a request and caches the result: a token is verified and its session looked up once, until
 * either ends. Anything that ends a session or changes its user's rights must call `forget`, which reaches every node.
 *
 * If another node ends a session, this node refuses its token as soon as it hears of that, and after 30 seconds at the
 * latest; while it does not hear the others, after 2 seconds at the latest.
 */
export function callers({
  tokens,
  sessions,
  consents,
  nodes,
  mayMiss,
  most = 50_000,
  now,
}: {
  tokens: Tokens
  sessions: SessionStore
  consents: Consents
  /** Null if this is the only node. */
  nodes: Pick<Nodes, 'forget' | 'hears'> | null
  /** Whether this process may miss changes in storage. */
  mayMiss: boolean
  /** How many callers are cached at most; some 300 bytes each. */
  most?: number
  now: () => number
}) {
  // As in `lib/recent-map.ts`: the older half is forgotten at once.
  let newer = half()
  let older = half()
  // Counts invalidations: a look-up that began before one must not be cached after it.
  let epoch = 0
  let hits = 0
  let misses = 0

  function remember(token: string, entry: Known) {
    if (newer.known.size >= most / 2) {
      older = newer
      newer = half()
    }
    newer.known.set(token, entry)
    const userId = entry.caller.id
    const own = newer.tokensOf.get(userId)
    if (own === undefined) newer.tokensOf.set(userId, token)
    else if (typeof own !== 'string') own.add(token)
    else if (own !== token) newer.tokensOf.set(userId, new Set([own, token]))
  }

  function find(token: string): Known | undefined {
    const entry = newer.known.get(token)
    if (entry) return entry
    const kept = older.known.get(token)
    if (kept) remember(token, kept)
    return kept
  }

  function drop(token: string) {
    for (const { known, tokensOf } of [newer, older]) {
      const entry = known.get(token)
      if (!entry) continue
      known.delete(token)
      const own = tokensOf.get(entry.caller.id)
      if (typeof own === 'object') own.delete(token)
      if (own === token || (typeof own === 'object' && own.size === 0)) tokensOf.delete(entry.caller.id)
    }
  }

  async function lookUp(token: string): Promise<Known> {
    const began = epoch
    const looked_up_at = now()
    const { user_id, session_id, expires_at } = await tokens.readAccess(token)
    const session = await sessions.byId(session_id)
    if (!session || session.user_id !== user_id || session.ended_at !== null) throw notSignedIn()
    const { suspended_until, suspended_reason } = session
    const missing = await consents.missing(user_id)
    const caller: Caller = {
      id: user_id,
      session_id,
      consents_missing: missing.length > 0 ? missing : none,
      has_unverified_email: session.email !== null && session.email_verified_at === null,
      passkey_at: session.passkey_at,
      token_expires_at: expires_at,
    }
    const entry = { caller, expires_at, suspended_until, suspended_reason, looked_up_at }
    if (began === epoch) remember(token, entry)
    return entry
  }

  /** Whether the session or its user's rights may have changed without this process knowing. */
  function isStale({ looked_up_at }: Known): boolean {
    if (!mayMiss) return false
    const age = now() - looked_up_at
    return age < 0 || age >= (nodes?.hears() === false ? believedUnheardMs : believedMs)
  }

  function forgetHere(userId: string) {
    epoch++
    for (const { tokensOf } of [newer, older]) {
      const own = tokensOf.get(userId) ?? []
      for (const token of typeof own === 'string' ? [own] : own) drop(token)
    }
  }

  return {
    /** Refuses with 401, or with 403 `suspended` unless `evenSuspended` says that suspended users may do this. */
    async byToken(token: string, evenSuspended = () => false): Promise<Caller> {
      let entry = find(token)
      if (entry && (entry.expires_at <= now() || isStale(entry))) {
        drop(token)
        entry = undefined
      }
      if (entry) hits++
      else misses++
      entry ??= await lookUp(token)
      if (entry.suspended_until !== null && !evenSuspended()) refuseSuspended(entry, now())
      return entry.caller
    },

    /**
     * Invalidates a user whose sessions, rights, suspension or consents changed. Await it before you answer: the next
     * request may go to another node.
     */
    async forget(userId: string): Promise<void> {
      forgetHere(userId)
      await nodes?.forget(userId)
    },

    /** Invalidation by another node. */
    forgetHere,

    /** Invalidates everybody: this node may have missed changes. */
    forgetAll() {
      epoch++
      newer = half()
      older = half()
    },

    /** Which of these sessions have ended, and which belong to a suspended user. */
    async accessState(
      asked: readonly { user_id: string; session_id: string }[],
    ): Promise<Map<string, 'ended' | 'suspended'>> {
      const states = new Map<string, 'ended' | 'suspended'>(asked.map(({ session_id }) => [session_id, 'ended']))
      const lasting = await sessions.lasting(asked.map(({ user_id, session_id }) => ({ user_id, id: session_id })))
      for (const { id, suspended_until } of lasting)
        if (suspended_until !== null && suspended_until > now()) states.set(id, 'suspended')
        else states.delete(id)
      return states
    },

    /** Cache hits and misses of tokens. */
    counts: () => ({ hits, misses }),
  }
}

/** The consent gate: while it is on, users must accept the current texts before they do anything else. */
export function requireConsented({ consentGate }: { consentGate: boolean }, caller: Caller) {
  if (consentGate && caller.consents_missing.length > 0)
    throw new Refusal('consents_gate', 'Accept the terms, the privacy policy and the disclaimer first.')
}

/** EMAIL_VERIFICATION: where it is required, a user verifies their address before they do anything else. */
export function requireVerified(
  { emailVerification }: { emailVerification: 'off' | 'on' | 'required' },
  { has_unverified_email }: Caller,
) {
  if (emailVerification === 'required' && has_unverified_email)
    throw new Refusal('email_not_verified', 'Verify your e-mail address first: open the link that was sent to it.')
}

/** Refuses with 403 `suspended`, with `reason` and `until`, which is null for a suspension without end. */
export function refuseSuspended(
  user: { suspended_until: number | null; suspended_reason: string | null },
  now: number,
) {
  if (user.suspended_until === null || user.suspended_until <= now) return
  const until = user.suspended_until >= forever ? null : iso(user.suspended_until)
  const reason = user.suspended_reason
  const end = until === null ? 'without end' : `until ${until}`
  const detail = `This account is suspended ${end}: ${reason ?? 'no reason given'}`
  throw new Refusal('suspended', detail, undefined, undefined, { reason, until })
}

/** A suspension without end is stored as one until this time. */
export const forever = Date.UTC(9999, 11, 31)
