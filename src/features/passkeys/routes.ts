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
            'Get options from `POST /auth/passkey/options`. The passkey must be the caller’s. The confirmation counts for 12 hours if `STAFF_PASSKEY` requires one, and for 10 minutes as a recent login.',
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
        summary: 'Options to create a passkey',
        description:
          'For `navigator.credentials.create()`. The challenge works once, in this session, for 5 minutes. If neither the login nor a confirmation with a passkey is younger than 10 minutes, send the `password` (403 `forbidden` otherwise). `conflict` if the account has 16 passkeys. `second_factor_required` for staff who have a passkey, if `STAFF_PASSKEY` requires them to confirm with it.',
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
          'It must be discoverable and verify its user. `identity_taken` if it was added before, to this or another account; `conflict` if the account has 16.',
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
        summary: 'Options to show a passkey',
        description:
          'For `navigator.credentials.get()`, the same for everybody: the authenticator offers the passkeys that it has. The challenge works once, for 5 minutes, to sign in or to confirm a session.',
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
          description: 'The answer does not tell an unknown passkey from one that is not accepted.',
          tags,
          refusals: ['passkey_invalid', 'suspended'],
          security: [],
        },
      },
    )
