import { Elysia } from 'elysia'
import type { Config } from '../config.ts'
import type { Caller, Callers } from '../features/auth/callers.ts'
import { notSignedIn } from '../features/auth/tokens.ts'
import type { Limits } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import { client } from './client.ts'
import { jsonBody } from './json-body.ts'
import type { Origins } from './origins.ts'
import { rateLimit } from './rate-limit.ts'
import { tokenOfCookie } from './session-cookie.ts'

export type SignedIn = ReturnType<typeof signedIn>

// What a user may do who has not accepted the texts yet, where CONSENT_GATE is on.
const beforeConsents = new Set(['/api/v1/me', '/api/v1/auth/consents', '/api/v1/auth/logout'])

/**
 * The guard. A feature that uses it before its routes gets `caller` and `client` in each of them, `limit: …`, and its
 * bodies read as JSON, after the guard. The token is looked for in the cookie `app_at`, then in `Authorization: Bearer`, then in the query's `_t`; the
 * first that is there decides.
 *
 * Refusals: 401 `unauthenticated` and `token_expired`, 403 `suspended`, `forbidden` (a cookie from a foreign page) and
 * `consents_required` (the gate).
 */
type Deps = { config: Config; callers: Callers; origins: Origins; limits: Limits }

export const signedIn = ({ config, callers, origins, limits }: Deps) =>
  new Elysia({ name: 'signed-in' })
    .use(client(config))
    .use(rateLimit({ limits, enabled: config.rateLimit }))
    // A derive runs before validation, so that a stranger learns nothing but that they are one.
    .derive(async ({ headers, query, request, route }): Promise<{ caller: Caller }> => {
      const fromCookie = tokenOfCookie(headers.cookie)
      const token = fromCookie ?? bearer(headers.authorization) ?? (query as Record<string, string | undefined>)._t
      if (!token) throw notSignedIn()
      const caller = await callers.byToken(token)
      // A browser sends the cookie along whoever asks it to.
      if (fromCookie !== null && changesState(request.method) && !origins.allows(headers))
        throw new Refusal('forbidden', 'This page may not act for you here.')
      if (config.consentGate && caller.consents_missing && !beforeConsents.has(route))
        throw new Refusal('consents_gate', 'Accept the terms, the privacy policy and the disclaimer first.')
      return { caller }
    })
    .use(jsonBody)
    .as('scoped')

function bearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header)?.[1] ?? '')
}

const changesState = (method: string) => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'
