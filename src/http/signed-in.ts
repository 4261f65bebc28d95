import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import { type Caller, type Callers, requireConsented, requireVerified } from '../features/auth/callers.ts'
import type { Client } from '../features/auth/consents.ts'
import { notSignedIn } from '../features/auth/tokens.ts'
import type { Limits } from '../lib/rate-limits.ts'
import { Refusal } from '../lib/refusal.ts'
import type { ClientOf } from './client.ts'
import { readJson } from './json-body.ts'
import { type Origins, refuseForeignPage } from './origins.ts'
import { rateLimit } from './rate-limit.ts'
import { accessTokensIn } from './session-cookie.ts'
import { isRecord } from '../lib/record.ts'

export type Guard = ReturnType<typeof guard>
export type SignedIn = ReturnType<typeof signedIn>

/**
 * With CONSENT_GATE on, what a user may do before accepting the texts: methods and paths. They can still hide (the service
 * refuses to show them), export or erase their data, and appeal against decisions.
 */
export const beforeConsents: ReadonlySet<string> = new Set([
  'GET /api/v1/me',
  'DELETE /api/v1/me',
  'GET /api/v1/me/export',
  'PUT /api/v1/me/visibility',
  'GET /api/v1/me/notices',
  'GET /api/v1/appeals',
  'POST /api/v1/appeals',
  'POST /api/v1/auth/consents',
  'POST /api/v1/auth/logout',
])

/** With EMAIL_VERIFICATION `required`, what a user may do before verifying their address. Methods and paths. */
export const beforeVerification: ReadonlySet<string> = new Set([
  'GET /api/v1/me',
  'PUT /api/v1/me',
  'DELETE /api/v1/me',
  'GET /api/v1/me/export',
  'PUT /api/v1/me/email',
  'POST /api/v1/me/email/verify',
  // With both gates on, each would otherwise block the other.
  'POST /api/v1/auth/consents',
  'POST /api/v1/auth/logout',
])

/** What a suspended user may do: read the reason, and appeal. Methods and paths. */
export const whileSuspended: ReadonlySet<string> = new Set([
  'GET /api/v1/me/notices',
  'GET /api/v1/appeals',
  'POST /api/v1/appeals',
  'POST /api/v1/auth/logout',
])

type Deps = { config: Config; callers: Callers; origins: Origins; limits: Limits; clientOf: ClientOf }

/**
 * The guard. Routes after it get `caller` and `client`, and can use `limit: …`. They read bodies themselves, and call
 * `lookAgain` afterwards. Tokens are tried in this order: the cookie `app_at`, `Authorization: Bearer`, the query's `_t`. The
 * first valid one counts; if none is valid, the first one decides how the request is refused.
 *
 * Refusals: 401 `unauthenticated` and `token_expired`, 403 `suspended`, `forbidden` (a cookie from a foreign page) and
 * `consents_required` and `email_not_verified` (the gates), 429 `rate_limited`.
 */
export const guard = (deps: Deps) =>
  new Elysia({ name: 'guard' }).use(limitOf(deps)).derive(authenticate(deps, admitAnyone)).as('scoped')

/** The guard, and bodies read as JSON after it: what nearly every feature uses. */
export const signedIn = (deps: Deps) => withJson('signed-in', deps, admitAnyone)

/** The same, with what `admit` returns as `admitted`. If it refuses, the body is neither read nor validated. */
export const signedInAs = <A>(deps: Deps, name: string, admit: Admit<A>) => withJson(name, deps, admit)
export type SignedInAs<A> = ReturnType<typeof signedInAs<A>>

type Admit<A> = (caller: Caller) => Promise<A>
const admitAnyone: Admit<null> = async () => null

const withJson = <A>(name: string, deps: Deps, admit: Admit<A>) =>
  new Elysia({ name })
    .use(limitOf(deps))
    // Otherwise Elysia would read the body before the guard has refused a stranger.
    .onParse(() => null)
    .derive(authenticate(deps, admit, readJson))
    .as('scoped')

const limitOf = ({ config, limits }: Deps) => rateLimit({ limits, enabled: config.rateLimit !== null })

/**
 * Checks a request, and reads its body if `read` is given. It is a derive, which runs before validation, so that strangers
 * learn nothing about the route; and a single one, because each derive costs every request.
 */
const authenticate =
  <A>(
    { config, callers, origins, limits, clientOf }: Deps,
    admit: Admit<A>,
    read?: (request: Request) => Promise<unknown>,
  ) =>
  async ({ query, request, route }: { query: unknown; request: Request; route: string }): Promise<Called<A>> => {
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    const operation = `${isReading ? 'GET' : request.method} ${route}`
    const evenSuspended = () => whileSuspended.has(operation)
    const { caller, token, fromCookie } = await callerOf(callers, request.headers, query, evenSuspended)
    // Counted in this process: a read must not wait for Redis.
    limits.takeHere('request', caller.id)
    const lookAgain = () => callers.byToken(token, evenSuspended)
    const client = clientOf(request)
    if (fromCookie && !isReading && request.method !== 'OPTIONS') refuseForeignPage(origins, request.headers)
    if (!beforeConsents.has(operation)) requireConsented(config, caller)
    if (!beforeVerification.has(operation)) requireVerified(config, caller)
    const admitted = await admit(caller)
    if (!read || isReading) return { caller, admitted, client, lookAgain }
    const body = await read(request)
    // A body may arrive slowly: the user may have been suspended or signed out meanwhile.
    if (request.body !== null) await lookAgain()
    return { caller, admitted, client, lookAgain, body }
  }

type Called<A> = {
  caller: Caller
  /** What `admit` of this route returned. */
  admitted: A
  client: Client
  /** Checks the token again. Routes that read a body themselves call it when the body is complete. */
  lookAgain: () => Promise<Caller>
  body?: unknown
}

type Found = { caller: Caller; token: string; fromCookie: boolean }

/** The caller, from the first valid token of a request. Refuses with 401, or 403 `suspended`. */
export async function callerOf(
  callers: Pick<Callers, 'byToken'>,
  headers: Headers,
  query: unknown,
  evenSuspended?: () => boolean,
): Promise<Found> {
  let refusal: Refusal | null = null
  for (const { token, fromCookie } of tokensOf(headers, query)) {
    try {
      return { caller: await callers.byToken(token, evenSuspended), token, fromCookie }
    } catch (error) {
      // A suspended user's token is valid.
      if (!(error instanceof Refusal) || !isInvalid(error)) throw error
      refusal ??= error
    }
  }
  throw refusal ?? notSignedIn()
}

const isInvalid = ({ code }: Refusal) => code === 'unauthenticated' || code === 'token_expired'

/** The tokens of a request, in the order in which they are tried. */
function* tokensOf(headers: Headers, query: unknown): Generator<{ token: string; fromCookie: boolean }> {
  for (const token of accessTokensIn(headers.get('cookie'))) yield { token, fromCookie: true }
  const header = bearer(headers.get('authorization'))
  if (header !== undefined) yield { token: header, fromCookie: false }
  if (isRecord(query) && typeof query._t === 'string') yield { token: query._t, fromCookie: false }
}

/** The token of `Authorization: Bearer`: empty if it is malformed, undefined if the header has another scheme. */
function bearer(header: string | null): string | undefined {
  if (header === null) return undefined
  // The usual form. A malformed token fails verification.
  if (header.startsWith('Bearer ') && header[7] !== ' ') return header.slice(7)
  return /^Bearer\b/i.test(header) ? (/^Bearer +(\S+)$/i.exec(header)?.[1] ?? '') : undefined
}
