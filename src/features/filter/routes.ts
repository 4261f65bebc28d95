import { Elysia, t } from 'elysia'
import { id, pageQuery, shortListQuery } from '../../http/schema.ts'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { Admin } from '../moderation/moderators.ts'
import * as model from './model.ts'
import type { Filter } from './service.ts'

type Deps = {
  /** Refuses everybody else before their request is validated. */
  asAdmin: SignedInAs<Admin>
  filter: Filter
}

const params = t.Object({ id })
const tags = ['admin']

export const filterRoutes = ({ asAdmin, filter }: Deps) =>
  new Elysia({ name: 'filter' })
    .use(asAdmin)
    .get('/api/v1/admin/rules', ({ query }) => filter.list(query), {
      query: t.Object(shortListQuery),
      response: { 200: model.ruleList },
      detail: {
        summary: 'The rules about what people write',
        description: 'In the order in which they are applied; without a `limit`, all of them. For admins.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .post('/api/v1/admin/rules', async ({ admitted, body, status }) => status(201, await filter.add(admitted, body)), {
      limit: 'write',
      body: model.newRule,
      response: { 201: model.rule },
      detail: {
        summary: 'Add a rule',
        description:
          'In force on every node at once, or within two seconds if Redis is away. Recorded in the audit log. `conflict` if others change the rules at the same time. For admins.',
        tags,
        refusals: ['forbidden', 'conflict'],
      },
    })
    .put('/api/v1/admin/rules/:id', ({ admitted, params, body }) => filter.replace(admitted, params.id, body), {
      limit: 'write',
      params,
      body: model.newRule,
      response: { 200: model.rule },
      detail: {
        summary: 'Replace a rule',
        description: 'Takes effect like a new one. For admins.',
        tags,
        refusals: ['forbidden', 'not_found', 'conflict'],
      },
    })
    .delete(
      '/api/v1/admin/rules/:id',
      async ({ admitted, params, status }) => status(204, await filter.remove(admitted, params.id)),
      {
        limit: 'write',
        params,
        response: { 204: t.Void() },
        detail: {
          summary: 'Delete a rule',
          description: 'For admins.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict'],
        },
      },
    )
    .get('/api/v1/admin/rules/versions', ({ query }) => filter.versions(query), {
      query: t.Object(pageQuery),
      response: { 200: model.ruleVersionList },
      detail: {
        summary: 'Changes of the rules, newest first',
        description: 'The newest 50. For admins.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .post('/api/v1/admin/rules/try', ({ body }) => filter.trial(body), {
      limit: 'write',
      body: model.ruleTrial,
      response: { 200: model.ruleTrialResult },
      detail: {
        summary: 'Try which rules a text matches',
        description:
          'Tries all rules, on or off, of any scope, except those about repeated texts. Stores nothing. For admins.',
        tags,
        refusals: ['forbidden'],
      },
    })
