import { Elysia, t } from 'elysia'
import { id, pageQuery } from '../../http/schema.ts'
import type { MaybeSignedIn } from '../../http/maybe-signed-in.ts'
import type { SignedIn } from '../../http/signed-in.ts'
import { newReview, review, reviewList, stats } from './model.ts'
import type { Reviews } from './service.ts'

type Deps = { maybeSignedIn: MaybeSignedIn; signedIn: SignedIn; reviews: Reviews }

const tags = ['reviews']

export const reviewRoutes = ({ maybeSignedIn, signedIn, reviews }: Deps) =>
  new Elysia({ name: 'reviews' })
    .use(publicRoutes({ maybeSignedIn, reviews }))
    .use(signedIn)
    .post('/api/v1/reviews', async ({ caller, body, status }) => status(201, await reviews.add(caller, body)), {
      limit: 'write',
      body: newReview,
      response: { 201: review },
      detail: {
        summary: 'Review the other member of a chat',
        description:
          'A chat takes one review, by whoever of the two is first, once both have written in it. An anonymous one shows others neither its author nor the chat, and only the day of its time. It appears at a random moment of the next hours (`ANONYMOUS_REVIEW_DELAY_H`, 24 by default). This answer shows you everything at once.',
        tags,
        refusals: ['not_a_member', 'blocked', 'awaiting_reply', 'not_found', 'review_exists', 'content_refused'],
      },
    })

const forVisitors =
  'Needs no token, and ignores an invalid one (expired, ended, suspended). With a token, a block between the two hides the user. `not_found` also for erased accounts.'

const publicRoutes = ({ maybeSignedIn, reviews }: Omit<Deps, 'signedIn'>) =>
  new Elysia({ name: 'reviews-public' })
    .use(maybeSignedIn)
    .get('/api/v1/users/:id/reviews', ({ viewer, params, query }) => reviews.ofUser(viewer, params.id, query), {
      limit: 'read',
      params: t.Object({ id }),
      query: t.Object(pageQuery),
      response: { 200: reviewList },
      detail: {
        summary: 'Reviews of a user',
        description: `The newest day first, in random order within a day. ${forVisitors}`,
        tags,
        refusals: ['not_found'],
        security: [],
      },
    })
    .get('/api/v1/users/:id/stats', ({ viewer, params }) => reviews.stats(viewer, params.id), {
      limit: 'read',
      params: t.Object({ id }),
      response: { 200: stats },
      detail: {
        summary: 'The average rating and the number of reviews of a user',
        description: forVisitors,
        tags,
        refusals: ['not_found'],
        security: [],
      },
    })
