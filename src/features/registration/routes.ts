import { Elysia, t } from 'elysia'
import { id, pageQuery } from '../../http/schema.ts'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { Admin } from '../moderation/moderators.ts'
import * as model from './model.ts'
import type { Registration } from './service.ts'

type Deps = {
  /** Refuses everybody else before their request is validated. */
  asAdmin: SignedInAs<Admin>
  registration: Registration
}

const tags = ['admin']

export const inviteRoutes = ({ asAdmin, registration }: Deps) =>
  new Elysia({ name: 'invites' })
    .use(asAdmin)
    .post(
      '/api/v1/admin/invites',
      async ({ admitted, body, status }) => status(201, await registration.invite(admitted, body)),
      {
        limit: 'write',
        body: model.newInvite,
        response: { 201: model.invite },
        detail: {
          summary: 'Create an invite',
          description:
            'Anybody with its code can register while `REGISTRATION` is `invite`. Only this answer shows the code. For admins.',
          tags,
          refusals: ['forbidden'],
        },
      },
    )
    .get('/api/v1/admin/invites', ({ query }) => registration.invites(query), {
      query: t.Object(pageQuery),
      response: { 200: model.inviteList },
      detail: {
        summary: 'Invites, newest first, without codes',
        description: 'For admins.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .delete(
      '/api/v1/admin/invites/:id',
      async ({ admitted, params, status }) => status(204, await registration.removeInvite(admitted, params.id)),
      {
        limit: 'write',
        params: t.Object({ id }),
        response: { 204: t.Void() },
        detail: {
          summary: 'Delete an invite',
          description: 'Nobody can register with it any longer; accounts created with it stay. For admins.',
          tags,
          refusals: ['forbidden', 'not_found'],
        },
      },
    )
