import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Caller, Callers } from '../features/auth/callers.ts'
import type { Client } from '../features/auth/consents.ts'
import { notSignedIn } from '../features/auth/tokens.ts'
import type { Limits } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import type { ClientOf } from './client.ts'
import { readJson } from './json-body.ts'
import type { Origins } from './origins.ts'
import { rateLimit } from './rate-limit.ts'
import { tokenOfCookie } from './session-cookie.ts'

export type Guard = ReturnType<typeof guard>
export type SignedIn = ReturnType<typeof signedIn>

/**
 * What a user may do who has not accepted the texts yet, where CONSENT_GATE is on: paths. Who does not agree can still
 * hide, take along or erase what is stored of them, and answer what was decided about them.
 */
export const beforeConsents: ReadonlySet<string> = new Set([
  '/api/v1/me',
  '/api/v1/me/export',
  '/api/v1/me/visibility',
  '/api/v1/me/notices',
  '/api/v1/appeals',
  '/api/v1/auth/consents',
  '/api/v1/auth/logout',
])

/** What a suspended user may do: read why, and appeal. Methods and paths. */
export const whileSuspended: ReadonlySet<string> = new Set([
  'GET /api/v1/me/notices',
  'GET /api/v1/appeals',
  'POST /api/v1/appeals',
  'POST /api/v1/auth/logout',
])

type Deps = { config: Config; callers: Callers; origins: Origins; limits: Limits; clientOf: ClientOf }

/**
 * The guard. A feature that uses it before its routes gets `caller` and `client` in each of them, and `limit: …`. Bodies
 * are left to the routes, which `lookAgain` after them. The token is looked for in the cookie `app_at`, then in
 * `Authorization: Bearer`, then in the query's `_t`; the first that is there decides.
 *
 * Refusals: 401 `unauthenticated` and `token_expired`, 403 `suspended`, `forbidden` (a cookie from a foreign page) and
 * `consents_required` (the gate).
 */
export const guard = (deps: Deps) =>
  new Elysia({ name: 'guard' }).use(limitOf(deps)).derive(whoCalls(deps)).as('scoped')

/** The guard, and bodies read as JSON after it: what nearly every feature uses. */
export const signedIn = (deps: Deps) => withJson('signed-in', deps)

/** The same for those alone whom `admit` does not refuse: what the others send is neither read nor validated. */
export const signedInAs = (deps: Deps, name: string, admit: Admit): SignedIn => withJson(name, deps, admit)

type Admit = (caller: Caller) => Promise<unknown>

const withJson = (name: string, deps: Deps, admit?: Admit) =>
  new Elysia({ name })
    .use(limitOf(deps))
    // A stranger learns only that they are one, and nothing of theirs is read: Elysia would do it before any guard.
    .onParse(() => null)
    .derive(whoCalls(deps, readJson, admit))
    .as('scoped')

const limitOf = ({ config, limits }: Deps) => rateLimit({ limits, enabled: config.rateLimit })

/**
 * The guard's look at a request, with the body where one is to be read. It is a derive, which runs before validation, so
 * that a stranger learns nothing but that they are one; and a single one, as each costs every request.
 */
const whoCalls =
  ({ config, callers, origins, clientOf }: Deps, read?: (request: Request) => Promise<unknown>, admit?: Admit) =>
  async ({ query, request, route }: { query: unknown; request: Request; route: string }): Promise<Called> => {
    const { token, fromCookie } = tokenOf(request.headers, query)
    if (!token) throw notSignedIn()
    const standing = () => callers.byToken(token, () => whileSuspended.has(`${request.method} ${route}`))
    const caller = await standing()
    const client = clientOf(request)
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    // A browser sends the cookie along whoever asks it to.
    if (fromCookie && !isReading && request.method !== 'OPTIONS' && !origins.allows(request.headers))
      throw new Refusal('forbidden', 'This page may not act for you here.')
    if (!beforeConsents.has(route)) requireConsented(config, caller)
    if (admit) await admit(caller)
    if (!read || isReading) return { caller, client, lookAgain: standing }
    const body = await read(request)
    // A body may take its time: whoever was suspended or signed out while it came does nothing with it any more.
    await standing()
    return { caller, client, lookAgain: standing, body }
  }

type Called = {
  caller: Caller
  client: Client
  /** For routes that read a body themselves: refuses who was suspended or signed out while it came. */
  lookAgain: () => Promise<Caller>
  body?: unknown
}

/** The token of a request: the first one of the three that is there. */
export function tokenOf(headers: Headers, query: unknown) {
  const cookie = tokenOfCookie(headers.get('cookie'))
  const token = cookie ?? bearer(headers.get('authorization')) ?? (query as Record<string, string | undefined>)._t
  return { token, fromCookie: cookie !== null }
}

/** The token of `Authorization: Bearer`, empty where that is malformed; undefined where the header is of another scheme. */
function bearer(header: string | null): string | undefined {
  if (header === null) return undefined
  // As nearly everyone writes it. What is no token is found out like any that is none of ours.
  if (header.startsWith('Bearer ') && header[7] !== ' ') return header.slice(7)
  return /^Bearer\b/i.test(header) ? (/^Bearer +(\S+)$/i.exec(header)?.[1] ?? '') : undefined
}

/** The gate: where it is on, a user who has not accepted the texts as they stand does nothing else first. */
export function requireConsented({ consentGate }: Pick<Config, 'consentGate'>, caller: Caller) {
  if (consentGate && caller.consents_missing.length > 0)
    throw new Refusal('consents_gate', 'Accept the terms, the privacy policy and the disclaimer first.')
}
