import { Elysia } from 'elysia'
import type { SignedInAs } from '../../http/signed-in.ts'
import type { Moderator } from '../moderation/moderators.ts'
import * as model from './model.ts'
import type { Figuring } from './service.ts'

const tags = ['moderation']

export const figureRoutes = ({ asModerator, figures }: { asModerator: SignedInAs<Moderator>; figures: Figuring }) =>
  new Elysia({ name: 'figures' })
    .use(asModerator)
    .get('/api/v1/admin/stats', ({ admitted, query }) => figures.stats(admitted, query), {
      query: model.statsQuery,
      response: { 200: model.stats },
      detail: {
        summary: 'Figures of each day and of the queue',
        description:
          'For the days in UTC from `from` to before `to`: the last 30 days by default, 92 days at most. `time_to_action` is from report to decision. For moderators.',
        tags,
        refusals: ['forbidden'],
      },
    })
    .get(
      '/api/v1/admin/transparency',
      async ({ query: { format, ...period } }) =>
        format === 'csv'
          ? csvResponse(await figures.transparencyCsv(period))
          : Response.json(await figures.transparency(period)),
      {
        query: model.transparencyQuery,
        response: { 200: model.transparency },
        detail: {
          summary: 'What was reported, decided and appealed in a period',
          description:
            'From `from` to before `to`: the last year by default, 366 days at most. `format=csv` has the same figures in the categories of the DSA’s templates. It names nobody. For moderators.',
          tags,
          refusals: ['forbidden'],
          responses: { 200: { description: 'The report', content: { 'text/csv': { schema: { type: 'string' } } } } },
        },
      },
    )

const csvResponse = (text: string) =>
  new Response(text, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="transparency.csv"',
    },
  })
