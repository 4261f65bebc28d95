import { Elysia, t } from 'elysia'
import type { SessionCookies } from '../../http/session-cookie.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import type { Visitor } from '../../http/visitor.ts'
import * as model from './model.ts'
import type { Passkeys } from './service.ts'

type Deps = { visitor: Visitor; signedIn: SignedIn; passkeys: Passkeys; cookies: SessionCookies }

const tags = ['auth']

export const passkeyRoutes = ({ visitor, signedIn, passkeys, cookies }: Deps) =>
  new Elysia({ name: 'passkeys' })
    .use(publicRoutes({ visitor, passkeys, cookies }))
    .use(signedIn)
    .post(
      '/api/v1/auth/passkey/confirm',
      async ({ caller, body, status }) => status(204, await passkeys.confirm(caller, body.credential)),
      {
        limit: 'write',
        body: model.confirmation,
        response: { 204: t.Void() },
        detail: {
          summary: 'Confirm this session with a passkey',
          description:
            'Get options from `POST /auth/passkey/options`. The passkey must be the caller’s. It counts for 12 hours where `STAFF_PASSKEY` asks for one, and for 10 minutes where a login just now is asked for.',
          tags,
          refusals: ['passkey_invalid'],
        },
      },
    )
    .post('/api/v1/me/passkeys/options', ({ caller, body, client }) => passkeys.creationOptions(caller, body, client), {
      limit: 'write',
      body: model.beginning,
      response: { 200: model.creationOptions },
      detail: {
        summary: 'Options to make a passkey with',
        description:
          'For `navigator.credentials.create()`. The challenge is good once, in this session, for 5 minutes. In a session that is older than 10 minutes and was not confirmed with a passkey since, send the `password` (403 `forbidden` otherwise). `conflict` where the account has 16 passkeys. `second_factor_required` for staff who have a passkey, where `STAFF_PASSKEY` asks them to show it.',
        tags,
        refusals: ['wrong_password', 'forbidden', 'second_factor_required', 'conflict'],
      },
    })
    .post('/api/v1/me/passkeys', async ({ caller, body, status }) => status(201, await passkeys.add(caller, body)), {
      limit: 'write',
      body: model.addition,
      response: { 201: model.passkey },
      detail: {
        summary: 'Add a passkey',
        description:
          'It must be discoverable and verify its user. `identity_taken` where it was added before, to whichever account; `conflict` where the account has 16.',
        tags,
        refusals: ['passkey_invalid', 'identity_taken', 'conflict'],
      },
    })

const publicRoutes = ({ visitor, passkeys, cookies }: Omit<Deps, 'signedIn'>) =>
  new Elysia({ name: 'passkeys-public' })
    .use(visitor)
    .post('/api/v1/auth/passkey/options', () => passkeys.options(), {
      limit: 'passkey',
      response: { 200: model.requestOptions },
      detail: {
        summary: 'Options to show a passkey with',
        description:
          'For `navigator.credentials.get()`, the same for everybody: the authenticator offers the passkeys that it has. The challenge is good once, for 5 minutes, to sign in or to confirm a session.',
        tags,
        security: [],
      },
    })
    .post(
      '/api/v1/auth/passkey',
      async ({ body, client, set }) => cookies.issue(set, body, await passkeys.signIn(body.credential, client)),
      {
        limit: 'passkey',
        body: model.signIn,
        response: { 200: model.session },
        detail: {
          summary: 'Sign in with a passkey',
          description: 'An unknown passkey and one that is not accepted answer alike.',
          tags,
          refusals: ['passkey_invalid', 'suspended'],
          security: [],
        },
      },
    )
