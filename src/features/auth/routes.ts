import { Elysia, t } from 'elysia'
import { clearedSessionCookie, sessionCookie } from '../../http/session-cookie.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import { pageQuery } from '../../http/page.ts'
import { id } from '../profile/model.ts'
import * as model from './model.ts'
import type { Auth } from './service.ts'

type Headers = Record<string, string | number | string[] | undefined>

/** The session's access token as a cookie too, so that browsers call without a preflight. */
function withCookie<T extends { access_token: string; expires_in: number }>(headers: Headers, session: T): T {
  headers['set-cookie'] = sessionCookie(session.access_token, session.expires_in)
  return session
}

export const authRoutes = ({ visitor, signedIn, auth }: { visitor: Visitor; signedIn: SignedIn; auth: Auth }) =>
  new Elysia({ name: 'auth' })
    .use(publicRoutes({ visitor, auth }))
    .use(signedIn)
    .post(
      '/api/v1/auth/logout',
      async ({ caller, set }) => {
        await auth.logout(caller)
        set.headers['set-cookie'] = clearedSessionCookie
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
          description: 'Every other session ends.',
          tags: ['auth'],
          refusals: ['wrong_password', 'rate_limited'],
        },
      },
    )

const publicRoutes = ({ visitor, auth }: { visitor: Visitor; auth: Auth }) =>
  new Elysia({ name: 'auth-public' })
    .use(visitor)
    .post(
      '/api/v1/auth/register',
      async ({ body, client, set, status }) => status(201, withCookie(set.headers, await auth.register(body, client))),
      {
        limit: 'register',
        body: model.registration,
        response: { 201: model.session },
        detail: {
          summary: 'Register',
          description: 'E-mail or phone, or both. `errors` names the consents that are missing.',
          tags: ['auth'],
          refusals: ['email_taken', 'phone_taken', 'consents_required'],
          security: [],
        },
      },
    )
    .post(
      '/api/v1/auth/login',
      async ({ body, client, set }) => withCookie(set.headers, await auth.login(body, client)),
      {
        limit: 'login',
        body: model.login,
        response: { 200: model.session },
        detail: {
          summary: 'Log in with a password',
          description: 'A wrong password and an unknown account answer alike.',
          tags: ['auth'],
          refusals: ['invalid_credentials', 'suspended'],
          security: [],
        },
      },
    )
    .post(
      '/api/v1/auth/messenger',
      async ({ body, client, set, status }) => {
        const session = withCookie(set.headers, await auth.messenger(body.init_data, client))
        return status(session.created ? 201 : 200, session)
      },
      {
        limit: 'messenger',
        body: model.messengerLogin,
        response: { 200: model.messengerSession, 201: model.messengerSession },
        detail: {
          summary: 'Log in from a messenger’s mini-app',
          description: '201 at the first login, which makes the account.',
          tags: ['auth'],
          refusals: ['init_data_invalid', 'init_data_expired', 'suspended', 'messenger_not_configured'],
          security: [],
        },
      },
    )
    .post(
      '/api/v1/auth/refresh',
      async ({ body, set }) => withCookie(set.headers, await auth.refresh(body.refresh_token)),
      {
        limit: 'refresh',
        body: model.refresh,
        response: { 200: model.session },
        detail: {
          summary: 'Get a new access token',
          description:
            'The refresh token rotates. Its predecessor answers the same successor for 10 s; used later it ends the session.',
          tags: ['auth'],
          refusals: ['unauthenticated', 'token_expired', 'refresh_reused', 'suspended'],
          security: [],
        },
      },
    )
