import { Elysia, t } from 'elysia'
import { id, shortListQuery } from '../../http/schema.ts'
import { readForm } from '../../http/form-body.ts'
import { oidcCookie, oidcCookieIn } from '../../http/oidc-cookie.ts'
import type { IssuedTokens, SessionCookies } from '../../http/session-cookie.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import type { Visitor, FormVisitor } from '../../http/visitor.ts'
import type { Client } from '../auth/consents.ts'
import type { Maintenance } from '../maintenance/rules.ts'
import * as model from './model.ts'
import type { OidcLogin } from './oidc.ts'
import type { Identities } from './service.ts'

type Deps = {
  visitor: Visitor
  formVisitor: FormVisitor
  signedIn: SignedIn
  identities: Identities
  oidc: OidcLogin
  cookies: SessionCookies
  maintenance: { now(): Maintenance | null }
}

const tags = ['auth']
const needsConfirmation =
  'If neither the login nor a confirmation with a passkey is younger than 10 minutes, send the `password` (403 `forbidden` otherwise).'

export const identityRoutes = ({ visitor, formVisitor, signedIn, identities, oidc, cookies, maintenance }: Deps) =>
  new Elysia({ name: 'identities' })
    .use(nativeRoutes({ visitor, oidc, cookies }))
    .use(browserRoutes({ formVisitor, oidc, cookies, maintenance }))
    .use(signedIn)
    .get('/api/v1/me/identities', ({ caller, query }) => identities.list(caller, query), {
      query: t.Object(shortListQuery),
      response: { 200: model.identityList },
      detail: {
        summary: 'The caller’s ways to sign in, oldest first',
        description: 'All of them, unless there is a `limit`. `last_used_at` is null until the first use.',
        tags,
      },
    })
    .post(
      '/api/v1/me/identities/messenger',
      async ({ caller, body, client, status }) => {
        const { identity, isNew } = await identities.linkMessenger(caller, body, client)
        return status(isNew ? 201 : 200, identity)
      },
      {
        limit: 'write',
        body: model.messengerLink,
        response: { 200: model.identity, 201: model.identity },
        detail: {
          summary: 'Add a messenger to sign in with',
          description: `200 if the account has it already. 409 \`conflict\` if the account has another messenger. ${needsConfirmation}`,
          tags,
          refusals: [
            'wrong_password',
            'forbidden',
            'identity_taken',
            'conflict',
            'init_data_invalid',
            'init_data_expired',
            'messenger_not_configured',
          ],
        },
      },
    )
    .post(
      '/api/v1/me/identities/oidc/:provider',
      async ({ caller, params, body, client, status }) => {
        const { identity, isNew } = await oidc.link(caller, params.provider, body, client)
        return status(isNew ? 201 : 200, identity)
      },
      {
        limit: ['write', 'oidc'],
        params: model.provider,
        body: model.oidcLink,
        response: { 200: model.identity, 201: model.identity },
        detail: {
          summary: 'Add an account of an OpenID Connect provider to sign in with',
          description: `200 if the account has it already. ${needsConfirmation}`,
          tags,
          refusals: [
            'wrong_password',
            'forbidden',
            'identity_taken',
            'id_token_invalid',
            'provider_not_configured',
            'busy',
          ],
        },
      },
    )
    .post(
      '/api/v1/me/identities/oidc/:provider/start',
      async ({ caller, params: { provider }, body, client, set }) => {
        const { location, kept, isPosted } = await oidc.startLink(caller, provider, body, client)
        set.headers['set-cookie'] = oidcCookie.set(provider, kept, isPosted)
        return { url: location }
      },
      {
        limit: ['write', 'oidc'],
        params: model.provider,
        body: model.linkStart,
        response: { 200: model.providerAddress },
        detail: {
          summary: 'Send a browser to a provider, to add an account there to sign in with',
          description: `Sets a cookie and returns the address to open. The browser returns to \`return_to\`, with \`#error=<code>\` if nothing was added: \`identity_taken\`, \`unauthenticated\` if the session has ended, or an error code of the login. ${needsConfirmation}`,
          tags,
          refusals: ['validation_failed', 'wrong_password', 'forbidden', 'provider_not_configured', 'busy'],
        },
      },
    )
    .delete(
      '/api/v1/me/identities/:id',
      async ({ caller, params, status }) => status(204, await identities.remove(caller, params.id)),
      {
        limit: 'write',
        params: t.Object({ id }),
        response: { 204: t.Void() },
        detail: {
          summary: 'Remove a way to sign in',
          description:
            'Sessions continue. The last usable way cannot be removed: 409 `last_identity`. `second_factor_required` for a passkey of staff, if `STAFF_PASSKEY` requires them to confirm with one.',
          tags,
          refusals: ['not_found', 'second_factor_required', 'last_identity'],
        },
      },
    )

const nativeRoutes = ({ visitor, oidc, cookies }: Pick<Deps, 'visitor' | 'oidc' | 'cookies'>) =>
  new Elysia({ name: 'oidc-native' })
    .use(visitor)
    .post(
      '/api/v1/auth/oidc/:provider',
      async ({ params, body, client, set, status }) => {
        const { refresh_expires_in, ...session } = await oidc.native(params.provider, body, client)
        if (body.cookies !== false) cookies.set(set.headers, { ...session, refresh_expires_in })
        return status(session.created ? 201 : 200, session)
      },
      {
        limit: 'oidc',
        params: model.provider,
        body: model.oidcLogin,
        response: { 200: model.oidcSession, 201: model.oidcSession },
        detail: {
          summary: 'Sign in with an id token',
          description:
            'For apps that get one from the provider themselves. The first login creates the account, needs `consents` and answers 201. An address that is verified both at the provider and here signs in to its account.',
          tags,
          refusals: [
            'id_token_invalid',
            'consents_required',
            'registration_closed',
            'invite_required',
            'too_young',
            'suspended',
            'provider_not_configured',
            'busy',
          ],
          security: [],
        },
      },
    )
    .post(
      '/api/v1/auth/oidc/:provider/start',
      async ({ params: { provider }, body, set }) => {
        const { location, kept, isPosted } = await oidc.startBySignUp(provider, body)
        set.headers['set-cookie'] = oidcCookie.set(provider, kept, isPosted)
        return { url: location }
      },
      {
        limit: 'oidc',
        params: model.provider,
        body: model.signInStart,
        response: { 200: model.providerAddress },
        detail: {
          summary: 'Send a browser to a provider, to sign in or up',
          description:
            'Sets a cookie and returns the address to open; `GET` of the same path redirects to it. The browser returns to `return_to`, with `#error=<code>` if it was not signed in.',
          tags,
          refusals: ['validation_failed', 'provider_not_configured', 'busy'],
          security: [],
        },
      },
    )

type Browser = Pick<Deps, 'formVisitor' | 'oidc' | 'cookies' | 'maintenance'>

const browserRoutes = ({ formVisitor, oidc, cookies, maintenance }: Browser) => {
  async function callback(provider: string, answer: URLSearchParams, request: Request, client: Client) {
    const kept = oidcCookieIn(request.headers.get('cookie'))
    const { location, session, isPosted } = await oidc.callback(provider, answer, kept, client, maintenance.now())
    return redirect(location, [oidcCookie.clear(provider, isPosted), ...cookiesOf(cookies, session)])
  }

  return new Elysia({ name: 'oidc-browser' })
    .use(formVisitor)
    .get(
      '/api/v1/auth/oidc/:provider/start',
      async ({ params: { provider }, query }) => {
        const { location, kept, isPosted } = await oidc.start(provider, query, maintenance.now())
        return redirect(location, kept === null ? [] : [oidcCookie.set(provider, kept, isPosted)])
      },
      {
        limit: 'oidc',
        params: model.provider,
        query: model.start,
        response: { 302: t.Void() },
        // Browsers are sent here, programs do not call it: docs/accounts.md describes it.
        detail: { hide: true },
      },
    )
    .get(
      '/api/v1/auth/oidc/:provider/callback',
      ({ params, request, client }) => callback(params.provider, new URL(request.url).searchParams, request, client),
      {
        limit: 'oidc',
        params: model.provider,
        response: { 302: t.Void() },
        detail: { hide: true },
      },
    )
    .post(
      '/api/v1/auth/oidc/:provider/callback',
      async ({ params, request, client }) => callback(params.provider, await readForm(request), request, client),
      {
        limit: 'oidc',
        params: model.provider,
        response: { 302: t.Void() },
        detail: { hide: true },
      },
    )
}

function cookiesOf(cookies: SessionCookies, session: IssuedTokens | null): string[] {
  if (session === null) return []
  const headers: Record<string, string[]> = {}
  cookies.set(headers, session)
  return headers['set-cookie'] ?? []
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}
