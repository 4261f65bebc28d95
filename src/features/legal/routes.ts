import { Elysia, t } from 'elysia'
import { oneOf } from '../../http/schema.ts'
import type { Visitor } from '../../http/visitor.ts'
import { type Legal, legalKinds, type LegalText, mostWantedFirst } from './service.ts'

const kind = oneOf(legalKinds, 'LegalKind')

const fields = {
  version: t.String({ description: 'Changes whenever the text changes in any language' }),
  language: t.String(),
  text: t.String({ description: 'Markdown' }),
  updated_at: t.String({ format: 'date-time' }),
}
const example = { version: '3f6c0a5d9b12', language: 'en', updated_at: '2026-11-21T00:00:00.000Z' }

const text = t.Object(
  { kind, ...fields },
  { title: 'LegalText', examples: [{ kind: 'terms', text: '# Terms of use …', ...example }] },
)
const childSafety = t.Object(
  { kind: t.Literal('child-safety'), ...fields },
  { title: 'ChildSafetyText', examples: [{ kind: 'child-safety', text: '# Child safety standards …', ...example }] },
)

const prefersMarkdown = (accept = '') =>
  mostWantedFirst(accept).find((type) => type === 'text/markdown' || type === 'application/json') === 'text/markdown'

const query = t.Object({
  lang: t.Optional(t.String({ maxLength: 35, description: 'Language tag; else Accept-Language decides' })),
})
const markdown = {
  200: { description: 'The text', content: { 'text/markdown': { schema: { type: 'string' } } } },
} as const

type Asked = { headers: Record<string, string | undefined>; set: { headers: { vary?: string } } }

/** JSON, or Markdown if the client prefers it. */
function answerIn<Text extends LegalText>({ headers, set }: Asked, answer: Text): Text | Response {
  set.headers.vary = [set.headers.vary, 'Accept, Accept-Language'].filter(Boolean).join(', ')
  if (!prefersMarkdown(headers.accept)) return answer
  return new Response(answer.text, {
    headers: { 'content-type': 'text/markdown; charset=utf-8', 'content-language': answer.language },
  })
}

const languagesOf = (lang: string | undefined, headers: Asked['headers']) => lang ?? headers['accept-language'] ?? null

export const legalRoutes = ({ visitor, legal }: { visitor: Visitor; legal: Legal }) =>
  new Elysia({ name: 'legal' })
    .use(visitor)
    .get(
      '/api/v1/legal/child-safety',
      ({ query, headers, set }) =>
        answerIn({ headers, set }, legal.text('child-safety', languagesOf(query.lang, headers))),
      {
        limit: 'read',
        query,
        response: { 200: childSafety },
        detail: {
          summary: 'Child safety standards, with the contact of the operator',
          description: 'JSON, or plain Markdown for `Accept: text/markdown`. Contains `LEGAL_CONTACT`.',
          tags: ['legal'],
          security: [],
          responses: markdown,
        },
      },
    )
    .get(
      '/api/v1/legal/:kind',
      ({ params, query, headers, set }) =>
        answerIn({ headers, set }, legal.text(params.kind, languagesOf(query.lang, headers))),
      {
        limit: 'read',
        params: t.Object({ kind }),
        query,
        response: { 200: text },
        detail: {
          summary: 'Terms, privacy policy or disclaimer',
          description: 'JSON, or plain Markdown for `Accept: text/markdown`.',
          tags: ['legal'],
          refusals: ['not_found'],
          security: [],
          responses: markdown,
        },
      },
    )
