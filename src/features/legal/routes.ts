import { Elysia, t } from 'elysia'
import { oneOf } from '../../http/schema.ts'
import type { Visitor } from '../../http/visitor.ts'
import { type Legal, legalKinds, mostWantedFirst } from './service.ts'

const kind = oneOf(legalKinds, 'LegalKind')

const text = t.Object(
  {
    kind,
    version: t.String({ description: 'Changes whenever the text of this kind does, in any language' }),
    language: t.String(),
    text: t.String({ description: 'Markdown' }),
    updated_at: t.String({ format: 'date-time' }),
  },
  {
    title: 'LegalText',
    examples: [
      {
        kind: 'terms',
        version: '3f6c0a5d9b12',
        language: 'en',
        text: '# Terms of use …',
        updated_at: '2026-11-21T00:00:00.000Z',
      },
    ],
  },
)

const prefersMarkdown = (accept = '') =>
  mostWantedFirst(accept).find((type) => type === 'text/markdown' || type === 'application/json') === 'text/markdown'

export const legalRoutes = ({ visitor, legal }: { visitor: Visitor; legal: Legal }) =>
  new Elysia({ name: 'legal' }).use(visitor).get(
    '/api/v1/legal/:kind',
    ({ params, query, headers, set }) => {
      const answer = legal.text(params.kind, query.lang ?? headers['accept-language'] ?? null)
      set.headers.vary = [set.headers.vary, 'Accept, Accept-Language'].filter(Boolean).join(', ')
      if (!prefersMarkdown(headers.accept)) return answer
      return new Response(answer.text, {
        headers: { 'content-type': 'text/markdown; charset=utf-8', 'content-language': answer.language },
      })
    },
    {
      limit: 'read',
      params: t.Object({ kind }),
      query: t.Object({
        lang: t.Optional(t.String({ maxLength: 35, description: 'Language tag; else Accept-Language decides' })),
      }),
      response: { 200: text },
      detail: {
        summary: 'Terms, privacy policy or disclaimer',
        description: 'JSON, or plain Markdown for `Accept: text/markdown`.',
        tags: ['legal'],
        refusals: ['not_found'],
        security: [],
        responses: { 200: { description: 'The text', content: { 'text/markdown': { schema: { type: 'string' } } } } },
      },
    },
  )
