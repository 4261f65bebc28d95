import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { object, oneOf } from '../../http/schema.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import type { Tags } from './service.ts'
import { tagKinds } from './store.ts'

const tagList = object('TagList', {
  items: t.Array(object('Tag', { tag: t.String({ examples: ['tea'] }), count: Type.Integer() })),
})

export const tagRoutes = ({ signedIn, tags }: { signedIn: SignedIn; tags: Tags }) =>
  new Elysia({ name: 'tags' }).use(signedIn).get('/api/v1/tags', ({ query }) => tags.list(query), {
    query: t.Object({ kind: oneOf(tagKinds, 'TagKind'), q: t.Optional(t.String({ maxLength: 100 })) }),
    response: { 200: tagList },
    detail: {
      summary: 'Popular tags, most used first',
      description: 'The 50 most used tags that at least 5 people share; with `q`, of those that begin with it.',
      tags: ['profile'],
    },
  })
