import { Elysia, t } from 'elysia'
import { id } from '../../http/schema.ts'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { Admin, Moderator } from '../moderation/moderators.ts'
import * as model from './model.ts'
import type { Templates } from './service.ts'

type Deps = { asModerator: SignedInAs<Moderator>; asAdmin: SignedInAs<Admin>; templates: Templates }

const params = t.Object({ id })
const tags = ['moderation']

export const templateRoutes = ({ asModerator, asAdmin, templates }: Deps) =>
  new Elysia({ name: 'templates' })
    .use(readRoutes({ asModerator, templates }))
    .use(asAdmin)
    .post(
      '/api/v1/admin/templates',
      async ({ admitted, body, status }) => status(201, await templates.add(admitted, body)),
      {
        limit: 'write',
        body: model.newTemplate,
        response: { 201: model.template },
        detail: {
          summary: 'Add a text for statements of reasons',
          description: '`conflict` if there is one with that name in that language, or there are 500. For admins.',
          tags,
          refusals: ['forbidden', 'conflict'],
        },
      },
    )
    .put('/api/v1/admin/templates/:id', ({ admitted, params, body }) => templates.change(admitted, params.id, body), {
      limit: 'write',
      params,
      body: model.newTemplate,
      response: { 200: model.template },
      detail: {
        summary: 'Change a template',
        description: 'Decisions that were made with it keep their texts. For admins.',
        tags,
        refusals: ['forbidden', 'not_found', 'conflict'],
      },
    })
    .delete(
      '/api/v1/admin/templates/:id',
      async ({ admitted, params, status }) => status(204, await templates.remove(admitted, params.id)),
      {
        limit: 'write',
        params,
        response: { 204: t.Void() },
        detail: {
          summary: 'Delete a template',
          description: 'Decisions that were made with it keep their texts. For admins.',
          tags,
          refusals: ['forbidden', 'not_found'],
        },
      },
    )

const readRoutes = ({ asModerator, templates }: Pick<Deps, 'asModerator' | 'templates'>) =>
  new Elysia({ name: 'templates-read' })
    .use(asModerator)
    .get('/api/v1/admin/templates', ({ query }) => templates.list(query), {
      query: model.templateQuery,
      response: { 200: model.templateList },
      detail: {
        summary: 'Texts for statements of reasons, sorted by name and language',
        description: 'With `language`, only those in that language; without a `limit`, all of them. For moderators.',
        tags,
        refusals: ['forbidden'],
      },
    })
