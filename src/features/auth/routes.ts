import { Elysia, t } from 'elysia'
import { id, pageQuery } from '../../http/schema.ts'
import { refreshTokenIn, type SessionCookies } from '../../http/session-cookie.ts'
import { type Origins, refuseForeignPage } from '../../http/origins.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import type { Config } from '../../config.ts'
import * as model from './model.ts'
import type { OidcLogin } from '../identities/oidc.ts'
import type { Auth } from './service.ts'

type Deps = {
  visitor: Visitor
  signedIn: SignedIn
  auth: Auth
  oidc: Pick<OidcLogin, 'list'>
  cookies: SessionCookies
  origins: Origins
  config: Pick<Config, 'messengerBotToken' | 'smtpUrl' | 'registration' | 'minAge'>
  /** The messenger's bot; null if its name is not known. */
  botName(): string | null
}

export const authRoutes = ({ visitor, signedIn, auth, oidc, cookies, origins, config, botName }: Deps) =>
  new Elysia({ name: 'auth' })
    .use(publicRoutes({ visitor, auth, oidc, cookies, origins, config, botName }))
    .use(signedIn)
    .post(
      '/api/v1/auth/logout',
      async ({ caller, set }) => {
        await auth.logout(caller)
        cookies.clear(set.headers)
        set.status = 204
      },
      { response: { 204: t.Void() }, detail: { summary: 'End this session', tags: ['auth'] } },
    )
    .post(
      '/api/v1/auth/consents',
      async ({ caller, body, client, status }) => status(201, await auth.recordConsents(caller, body.consents, client)),
      {
        limit: 'write',
        body: model.consents,
        response: { 201: model.recordedConsents },
        detail: {
          summary: 'Give or withdraw consents',
          description: '`false` records a withdrawal.',
          tags: ['auth'],
        },
      },
    )
    .get('/api/v1/me/sessions', ({ caller, query }) => auth.sessions(caller, query), {
      query: t.Object(pageQuery),
      response: { 200: model.sessionList },
      detail: {
        summary: 'The caller’s sessions, newest first',
        tags: ['auth'],
      },
    })
    .delete(
      '/api/v1/me/sessions/:id',
      async ({ caller, params, status }) => status(204, await auth.endSession(caller, params.id)),
      {
        limit: 'write',
        params: t.Object({ id }),
        response: { 204: t.Void() },
        detail: { summary: 'End one session', tags: ['auth'], refusals: ['not_found'] },
      },
    )
    .delete('/api/v1/me/sessions', async ({ caller, status }) => status(204, await auth.endOtherSessions(caller)), {
      limit: 'write',
      response: { 204: t.Void() },
      detail: { summary: 'End all sessions but this one', tags: ['auth'] },
    })
    .put(
      '/api/v1/me/password',
      async ({ caller, body, client, status }) => status(204, await auth.changePassword(caller, body, client)),
      {
        limit: 'write',
        body: model.passwordChange,
        response: { 204: t.Void() },
        detail: {
          summary: 'Change the password',
          description:
            'Ends every other session. An account without a password sets its first one without `current_password`, within 10 minutes of the login (403 `forbidden`).',
          tags: ['auth'],
          refusals: ['wrong_password', 'rate_limited'],
        },
      },
    )

const publicRoutes = ({ visitor, auth, oidc, cookies, origins, config, botName }: Omit<Deps, 'signedIn'>) => {
  const withCookies = cookies.issue

  /** The refresh token of the cookie; null if there is none, or the client uses no cookies. */
  function tokenOfCookie(headers: Headers, { cookies: wanted }: { cookies?: boolean | null }): string | null {
    const token = wanted === false ? null : refreshTokenIn(headers.get('cookie'))
    if (token !== null) refuseForeignPage(origins, headers)
    return token
  }

  const providers = () => ({
    password: true as const,
    messenger: config.messengerBotToken === null ? null : { bot: botName() },
    oidc: oidc.list(),
    passkey: true,
    registration: config.registration,
    min_age: config.minAge,
    mail: config.smtpUrl !== null,
  })

  return new Elysia({ name: 'auth-public' })
    .use(visitor)
    .get('/api/v1/auth/providers', () => providers(), {
      limit: 'read',
      response: { 200: model.providers },
      detail: { summary: 'The ways to sign in to this server', tags: ['auth'], security: [] },
    })
    .post(
      '/api/v1/auth/register',
      async ({ body, client, set, status }) => status(201, withCookies(set, body, await auth.register(body, client))),
      {
        limit: 'register',
        body: model.registration,
        response: { 201: model.session },
        detail: {
          summary: 'Register',
          description: 'Give an e-mail address, a phone number or both. `errors` names missing consents.',
          tags: ['auth'],
          refusals: [
            'too_young',
            'registration_closed',
            'invite_required',
            'email_taken',
            'phone_taken',
            'consents_required',
            'content_refused',
          ],
          security: [],
        },
      },
    )
    .post(
      '/api/v1/auth/login',
      async ({ body, client, set }) => withCookies(set, body, await auth.login(body, client)),
      {
        limit: 'login',
        body: model.login,
        response: { 200: model.session },
        detail: {
          summary: 'Log in with a password',
          description: 'The answer does not tell a wrong password from an unknown account.',
          tags: ['auth'],
          refusals: ['invalid_credentials', 'suspended'],
          security: [],
        },
      },
    )
    .post(
      '/api/v1/auth/messenger',
      async ({ body, client, set, status }) => {
        const session = withCookies(set, body, await auth.messenger(body.init_data, body, client))
        return status(session.created ? 201 : 200, session)
      },
      {
        limit: 'messenger',
        body: model.messengerLogin,
        response: { 200: model.messengerSession, 201: model.messengerSession },
        detail: {
          summary: 'Log in from a messenger’s mini-app',
          description: 'The first login creates the account and answers 201.',
          tags: ['auth'],
          refusals: [
            'init_data_invalid',
            'init_data_expired',
            'suspended',
            'registration_closed',
            'invite_required',
            'too_young',
            'messenger_not_configured',
          ],
          security: [],
        },
      },
    )
    .post(
      '/api/v1/auth/refresh',
      async ({ body, request, set }) =>
        withCookies(set, body, await auth.refresh(body.refresh_token ?? tokenOfCookie(request.headers, body))),
      {
        limit: 'refresh',
        body: model.refresh,
        response: { 200: model.session },
        detail: {
          summary: 'Get a new access token',
          description:
            'The refresh token rotates. For 10 s its predecessor still returns the same successor; used later, it ends the session. Without `refresh_token` in the body, the cookie `app_rt` is used, unless `cookies` is false.',
          tags: ['auth'],
          refusals: ['unauthenticated', 'token_expired', 'refresh_reused', 'suspended', 'forbidden'],
          security: [],
        },
      },
    )
}
