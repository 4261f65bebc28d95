import { Elysia, t } from 'elysia'
import { id, pageQuery } from '../../http/schema.ts'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { Admin } from '../moderation/moderators.ts'
import * as model from './model.ts'
import type { Announcements } from './service.ts'

type Deps = {
  /** Refuses everybody else before their request is validated. */
  asAdmin: SignedInAs<Admin>
  announcements: Announcements
}

const tags = ['admin']

export const announcementRoutes = ({ asAdmin, announcements }: Deps) =>
  new Elysia({ name: 'announcements' })
    .use(asAdmin)
    .get('/api/v1/admin/announcements', ({ query }) => announcements.list(query), {
      query: t.Object(pageQuery),
      response: { 200: model.announcementList },
      detail: {
        summary: 'Announcements, newest first',
        description: 'Includes expired ones. For admins.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .post(
      '/api/v1/admin/announcements',
      async ({ admitted, body, status }) => status(201, await announcements.add(admitted, body)),
      {
        limit: 'write',
        body: model.newAnnouncement,
        response: { 201: model.announcement },
        detail: {
          summary: 'Announce something to everybody',
          description:
            'Everybody finds it among their notices until `until`, and open sockets get it at once. At most 20 are active: `conflict` beyond. Recorded in the audit log. For admins.',
          tags,
          refusals: ['forbidden', 'conflict'],
        },
      },
    )
    .delete(
      '/api/v1/admin/announcements/:id',
      async ({ admitted, params, status }) => status(204, await announcements.remove(admitted, params.id)),
      {
        limit: 'write',
        params: t.Object({ id }),
        response: { 204: t.Void() },
        detail: {
          summary: 'Delete an announcement',
          description: 'It leaves everybody’s notices, and open sockets are told at once. For admins.',
          tags,
          refusals: ['forbidden', 'not_found'],
        },
      },
    )
