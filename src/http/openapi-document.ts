import { isRefused } from '../features/maintenance/rules.ts'
import { toOpenAPISchema } from '@elysiajs/openapi/openapi'
import type { AnyElysia, DocumentDecoration } from 'elysia'
import { STATUS_CODES } from 'node:http'
import { type LimitName, limitTable } from '../lib/rate-limits.ts'
import { seconds } from '../lib/time.ts'
import { fieldErrorCodes, Refusal, type RefusalCode } from '../lib/refusal.ts'
import { version } from '../version.ts'
import { problemCodes, problemOf, statusOf } from './errors.ts'
import { exampleOf } from './openapi-examples.ts'
import { type Components, mapValues, named, pascal, plain, type Schema } from './openapi-schema.ts'
import { beforeConsents, beforeVerification, whileSuspended } from './signed-in.ts'

declare module 'elysia' {
  interface DocumentDecoration {
    /**
     * The refusals of the route's own rules. Those of the guard, of bodies, queries and limits are added where they apply.
     */
    refusals?: RefusalCode[]
    /** The limits that count its requests; set by `limit: …` on the route. */
    limit?: LimitName | LimitName[]
  }
}

type Answer = {
  description: string
  headers?: Record<string, { schema: Schema }>
  content?: Content
}
type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }>
type Operation = {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  parameters?: { name: string; in: string; required: boolean; schema: Schema; example?: unknown }[]
  requestBody?: { required: boolean; content: Content }
  responses?: Record<string, Answer>
}
export type Route = {
  method: string
  path: string
  hooks: {
    body?: Schema
    query?: Schema
    params?: Schema
    response?: Record<string, Schema>
    detail: Pick<DocumentDecoration, 'hide' | 'refusals' | 'limit'> & Operation
  }
}

export type OpenapiDocument = ReturnType<typeof openapiDocument>

const about = `People find each other nearby, chat, and keep each other safe.

* Bodies and answers are JSON in \`snake_case\`, times are ISO 8601 in UTC, ids are UUIDs.
* Log in at \`/api/v1/auth/*\`; then send the access token as \`Authorization: Bearer\`. Browsers send the cookie \`app_at\` by themselves, and where neither can be sent the query's \`_t\` takes the token. Of several, the first valid one decides: cookie, header, query.
* Lists answer \`items\` and \`next_cursor\`; pass that one as \`cursor\` for the next page.
* Errors are problems (RFC 9457); \`code\` is what a program should look at.
* Events arrive on the WebSocket \`/ws\`, which \`/asyncapi.json\` describes.`

const tags = [
  { name: 'auth', description: 'Registration, sessions, consents' },
  { name: 'legal', description: 'The texts that users accept' },
  { name: 'profile', description: 'The caller’s own account, and what others see of it' },
  { name: 'account', description: 'Taking one’s data along, and leaving' },
  { name: 'location', description: 'Published positions and who is nearby' },
  { name: 'chats', description: 'Chats of two and their messages' },
  { name: 'notifications', description: 'What reaches people whose app is closed, and where' },
  { name: 'media', description: 'Images' },
  { name: 'safety', description: 'Blocks and reports' },
  { name: 'reviews', description: 'What people say of each other' },
  { name: 'moderation', description: 'Notices and appeals, and the work of moderators' },
  { name: 'admin', description: 'People and invites, for who runs the community' },
  { name: 'realtime', description: 'Events as they happen, and what was missed' },
  { name: 'service', description: 'For who runs the server' },
]

const securitySchemes = {
  // The only scheme: with several, generators would offer each on every operation, and put tokens into URLs.
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The `access_token` of a session' },
}

const problemCode: Schema = { title: 'ProblemCode', type: 'string', enum: problemCodes }

const problem: Schema = {
  title: 'Problem',
  type: 'object',
  description: 'RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'For people' },
    code: problemCode,
    request_id: { type: 'string', description: 'The same as `x-request-id`' },
    reason: { type: ['string', 'null'], description: 'Only of `suspended`: why' },
    until: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Only of `suspended`: its end; null where it has none',
    },
    errors: {
      type: 'array',
      description: 'The fields that were refused',
      items: {
        title: 'FieldError',
        type: 'object',
        required: ['path', 'code', 'message'],
        properties: {
          path: { type: 'string', description: 'JSON pointer' },
          code: { title: 'FieldErrorCode', type: 'string', enum: [...fieldErrorCodes] },
          message: { type: 'string', description: 'For people' },
        },
      },
    },
  },
}

/** The OpenAPI document of all routes that are not hidden. */
export function openapiDocument(app: AnyElysia) {
  const paths = toOpenAPISchema(app).paths as Record<string, Record<string, Operation>>
  const schemas: Components = {}
  named(problem, schemas, 'Problem')
  for (const route of app.routes as Route[]) {
    const operations = paths[route.path.replace(/:([^/]+)/g, '{$1}')]
    const method = route.method.toLowerCase()
    if (operations?.[method]) operations[method] = completed(operations[method], route, schemas)
  }
  return {
    openapi: '3.1.2',
    info: {
      title: 'Convene',
      version,
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Whoever runs this server' },
    },
    servers: [{ url: '/' }],
    tags,
    security: [{ bearer: [] }],
    paths,
    components: { schemas, securitySchemes },
  }
}

/** The plugin's description of a route, with standard schemas, examples and refusals. */
function completed(operation: Operation, route: Route, schemas: Components): Operation {
  const { body, params, query, response = {}, detail } = route.hooks
  const operationId = operation.operationId?.replace('ApiV1', '') ?? ''
  const place = pascal(operationId)
  const content = (schema: Schema, place: string): Content => {
    const shown = plain(schema)
    const type = shown.type === 'string' ? 'text/plain' : 'application/json'
    return { [type]: { schema: named(shown, schemas, place), ...examplesOf(shown) } }
  }
  const withNames = (content: Content = {}, place: string): Content =>
    mapValues(content, ({ schema, ...media }) => ({ schema: named(plain(schema), schemas, place), ...media }))
  const parameters = operation.parameters?.map((parameter) => {
    // The plugin drops the title of a list of words.
    const declared = (parameter.in === 'path' ? params : query)?.properties?.[parameter.name]
    const { description, ...schema } = plain(declared ?? parameter.schema)
    return {
      description,
      ...parameter,
      schema: named(schema, schemas, place + pascal(parameter.name)),
      example: parameter.required ? exampleOf(schema, parameter.name) : undefined,
    }
  })
  const answers: Record<string, Answer> = {}
  for (const [status, answer] of Object.entries(detail.responses ?? {}))
    answers[status] = { ...answer, ...(answer.content && { content: withNames(answer.content, `${place}Response`) }) }
  for (const [status, schema] of Object.entries(response)) {
    const description = schema.description ?? STATUS_CODES[status] ?? status
    // Formats that the route documents by hand are kept.
    const shown = schema.type === 'void' ? {} : content(schema, `${place}Response`)
    const all = { ...shown, ...answers[status]?.content }
    answers[status] = { description, ...(Object.keys(all).length > 0 && { content: all }) }
  }
  const refusals = problems(refusalsOf(route), limitsOf(route), answers)
  return {
    operationId,
    summary: detail.summary,
    description: detail.description ?? detail.summary,
    tags: detail.tags,
    security: detail.security,
    parameters,
    requestBody: body
      ? { required: requiresBody(plain(body)), content: content(body, `${place}Body`) }
      : detail.requestBody && {
          ...detail.requestBody,
          content: withNames(detail.requestBody.content, `${place}Body`),
        },
    responses: {
      ...answers,
      ...refusals,
      // Linters require a 4XX response on every operation.
      ...(!Object.keys(refusals).some((status) => status.startsWith('4')) && { '4XX': anyProblem }),
    },
  }
}

/** Whether a request without a body, which counts as `{}`, is refused. */
const requiresBody = ({ required, minProperties, anyOf }: Schema): boolean =>
  Boolean(required) || Number(minProperties ?? 0) > 0 || (anyOf?.every(requiresBody) ?? false)

/** One example as `example`, several under their numbers. */
function examplesOf(schema: Schema) {
  const { examples = [] } = schema
  if (examples.length < 2) return { example: exampleOf(schema) }
  return { examples: Object.fromEntries(examples.map((value, i) => [String(i + 1), { value }])) }
}

/** Every code that a route may answer with: its own, and those of the checks before it. */
export function refusalsOf(route: Route): RefusalCode[] {
  const { method, path } = route
  const { query, detail } = route.hooks
  const codes: RefusalCode[] = [...(detail.refusals ?? [])]
  const changes = method !== 'GET'
  if (!detail.security) {
    codes.push('unauthenticated', 'token_expired')
    if (!whileSuspended.has(`${method} ${path}`)) codes.push('suspended')
    if (!beforeConsents.has(`${method} ${path}`)) codes.push('consents_gate')
    if (!beforeVerification.has(`${method} ${path}`)) codes.push('email_not_verified')
    if (changes) codes.push('forbidden')
  }
  if (path.startsWith('/api/v1/admin/')) codes.push('second_factor_required')
  // Also on routes without a body: a body that is sent is read before the route runs.
  const readsJson = changes && !detail.requestBody
  if (readsJson) codes.push('malformed_body', 'payload_too_large', 'unsupported_media_type')
  if (readsJson || query) codes.push('validation_failed')
  if (limitsOf(route).length > 0) codes.push('rate_limited')
  if (changes) codes.push('storage_full')
  if (isRefused(method, path)) codes.push('maintenance')
  // Health endpoints bypass load shedding.
  if (!detail.tags?.includes('service')) codes.push('busy')
  return [...codes, 'internal_error']
}

/** Every limit that counts the route's requests: its own, and that of the guard. */
const limitsOf = ({ hooks: { detail } }: Route): LimitName[] => [
  ...(detail.limit === undefined ? [] : [detail.limit].flat()),
  ...(detail.security ? [] : ['request' as const]),
]

const problemRef = { $ref: '#/components/schemas/Problem' }
const anyProblem: Answer = {
  description: 'The request is malformed',
  content: { 'application/problem+json': { schema: problemRef } },
}

/** Problem responses by status, an example for each code. */
function problems(
  codes: RefusalCode[],
  limits: readonly LimitName[],
  others: Record<string, Answer>,
): Record<string, Answer> {
  const all = codes.map((code) => problemOf(new Refusal(code, 'A sentence that says what was wrong.'), 'mf2k1c0a-7'))
  const answers: Record<string, Answer> = {}
  for (const [status, refused] of Map.groupBy(all, (problem) => problem.status)) {
    const examples = Object.fromEntries(refused.map((problem) => [problem.code, { value: problem }]))
    answers[status] = {
      description: Object.keys(examples)
        .map((code) => `\`${code}\``)
        .join(', '),
      content: { ...others[status]?.content, 'application/problem+json': { schema: problemRef, examples } },
    }
  }
  const tooMany = answers[statusOf('rate_limited')]
  if (tooMany && limits.length > 0) {
    const each = limits.map((name) => {
      const { points, per, by } = limitTable[name]
      return `over ${points} in ${per / seconds} seconds from one ${by}`
    })
    tooMany.description += `: by default ${each.join(', or ')}`
    tooMany.headers = { 'retry-after': { schema: { type: 'integer', description: 'Seconds' } } }
  }
  return answers
}
