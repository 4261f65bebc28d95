import { Elysia, t } from 'elysia'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { Admin, Moderator } from '../moderation/moderators.ts'
import * as model from './model.ts'
import type { People } from './service.ts'

type Deps = {
  /** Both refuse everybody else before their request is validated. */
  asModerator: SignedInAs<Moderator>
  asAdmin: SignedInAs<Admin>
  people: People
}

const { params } = model
const tags = ['admin']

export const peopleRoutes = ({ asModerator, asAdmin, people }: Deps) =>
  new Elysia({ name: 'people' })
    .use(recordRoutes({ asModerator, people }))
    .use(asAdmin)
    .get('/api/v1/admin/users', ({ admitted, query }) => people.search(admitted, query), {
      query: model.peopleQuery,
      response: { 200: model.peopleList },
      detail: {
        summary: 'Find accounts',
        description:
          'By id, or by the beginning of an e-mail address, a phone number or a name. Without `q`, all accounts, newest first. Erased accounts are left out. Recorded in the audit log. For admins.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .post(
      '/api/v1/admin/users/:id/sessions/end',
      async ({ admitted, params, set }) => {
        await people.endSessions(admitted, params.id)
        set.status = 204
      },
      {
        limit: 'write',
        params,
        response: { 204: t.Void() },
        detail: {
          summary: 'End all sessions of a user',
          description: 'Tokens and sockets stop working at once. For admins.',
          tags,
          refusals: ['forbidden', 'not_found'],
        },
      },
    )
    .post(
      '/api/v1/admin/users/:id/password-reset',
      async ({ admitted, params, set }) => {
        await people.sendPasswordLink(admitted, params.id)
        set.status = 202
      },
      {
        limit: 'write',
        params,
        response: { 202: t.Void() },
        detail: {
          summary: 'Mail a user a link for a new password',
          description:
            'To the address of the account, 3 an hour; `conflict` if it has none. If the server sends no mail, `convene admin reset-password` prints a link. For admins.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict', 'rate_limited', 'mail_not_configured'],
        },
      },
    )
    .post(
      '/api/v1/admin/users/:id/role',
      ({ admitted, params, body }) => people.changeRole(admitted, params.id, body.role),
      {
        limit: 'write',
        params,
        body: model.roleChange,
        response: { 200: model.roleState },
        detail: {
          summary: 'Change the role of a user',
          description:
            'Takes effect with their next request; `user` withdraws a role. `conflict` for withdrawing the role of the last admin. For admins.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict'],
        },
      },
    )

const recordRoutes = ({ asModerator, people }: Pick<Deps, 'asModerator' | 'people'>) =>
  new Elysia({ name: 'people-records' })
    .use(asModerator)
    .get('/api/v1/admin/users/:id', ({ admitted, params }) => people.record(admitted, params.id), {
      params,
      response: { 200: model.person },
      detail: {
        summary: 'One account',
        description:
          'Standing, decisions and counts, but not who has reported or blocked the user. Admins also see e-mail, phone, ways to sign in and sessions. Recorded in the audit log. For moderators: `forbidden` for others, for your own account, and for one of a moderator or an admin unless you are an admin.',
        tags,
        refusals: ['forbidden', 'not_found'],
      },
    })
