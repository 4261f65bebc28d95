import { Elysia, t } from 'elysia'
import { id } from '../../http/schema.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import * as model from './model.ts'
import type { Identities } from './service.ts'

type Deps = { signedIn: SignedIn; identities: Identities }

const tags = ['auth']

export const identityRoutes = ({ signedIn, identities }: Deps) =>
  new Elysia({ name: 'identities' })
    .use(signedIn)
    .get('/api/v1/me/identities', ({ caller }) => identities.list(caller), {
      response: { 200: model.identityList },
      detail: {
        summary: 'The ways to sign in to one’s account, oldest first',
        description: 'Whole: an account has a few. `last_used_at` is null for one that was not used yet.',
        tags,
      },
    })
    .post(
      '/api/v1/me/identities/messenger',
      async ({ caller, body, status }) => {
        const { identity, isNew } = await identities.linkMessenger(caller, body.init_data)
        return status(isNew ? 201 : 200, identity)
      },
      {
        limit: 'write',
        body: model.messengerLink,
        response: { 200: model.identity, 201: model.identity },
        detail: {
          summary: 'Add a messenger to sign in with',
          description: '200 where it is the account’s already. 409 `conflict` where the account has another one.',
          tags,
          refusals: [
            'identity_taken',
            'conflict',
            'init_data_invalid',
            'init_data_expired',
            'messenger_not_configured',
          ],
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
            'Sessions go on. The last way that works stays: 409 `last_identity`. `second_factor_required` for a passkey of staff, where `STAFF_PASSKEY` asks them to show one.',
          tags,
          refusals: ['not_found', 'second_factor_required', 'last_identity'],
        },
      },
    )
