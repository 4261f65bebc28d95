import { Elysia, t } from 'elysia'
import { id, pageQuery } from '../../http/schema.ts'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { Admin } from '../moderation/moderators.ts'
import * as model from './model.ts'
import type { ImageBank } from './service.ts'

type Deps = { asAdmin: SignedInAs<Admin>; imageBank: ImageBank }

const params = t.Object({ id })
const tags = ['admin']

export const imageBankRoutes = ({ asAdmin, imageBank }: Deps) =>
  new Elysia({ name: 'image-bank' })
    .use(asAdmin)
    .get('/api/v1/admin/image-bank', ({ query }) => imageBank.list(query), {
      query: t.Object(pageQuery),
      response: { 200: model.bankList },
      detail: {
        summary: 'The hashes of banned images, newest first',
        description: 'The images themselves are not kept. For admins.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .post(
      '/api/v1/admin/image-bank',
      async ({ admitted, body, status }) => status(201, await imageBank.add(admitted, body)),
      {
        limit: 'write',
        body: model.newBankEntry,
        response: { 201: model.bankEntry },
        detail: {
          summary: 'Ban an image by its hash or id',
          description:
            'In force on every node at once, or within two seconds if Redis is away; profiles that show it lose it within minutes. Replaces an earlier entry for the same hash. Recorded in the audit log. `validation_failed` for an image with too little detail to tell it from others; `conflict` beyond 100 000. For admins.',
          tags,
          refusals: ['forbidden', 'not_found', 'conflict'],
        },
      },
    )
    .delete(
      '/api/v1/admin/image-bank/:id',
      async ({ admitted, params, status }) => status(204, await imageBank.remove(admitted, params.id)),
      {
        limit: 'write',
        params,
        response: { 204: t.Void() },
        detail: {
          summary: 'Allow a banned image again',
          description: 'Removed photos are not restored. For admins.',
          tags,
          refusals: ['forbidden', 'not_found'],
        },
      },
    )
