import type { TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { Elysia, ValidationError } from 'elysia'
import type { Logger } from 'pino'
import type { Room } from '../installation/room.ts'
import { formatProblem } from '../lib/formats.ts'
import { type FieldError, type FieldErrorCode, Refusal, type RefusalCode } from '../lib/refusal.ts'
import { nextRequestId } from './request-id.ts'

// The one place that knows status numbers.
const answers: Record<RefusalCode, [status: number, title: string]> = {
  malformed_body: [400, 'Malformed body'],
  bad_request: [400, 'Bad request'],
  upgrade_required: [426, 'Upgrade required'],
  range_not_satisfiable: [416, 'Range not satisfiable'],
  unauthenticated: [401, 'Not signed in'],
  token_expired: [401, 'Token expired'],
  invalid_credentials: [401, 'Invalid credentials'],
  init_data_invalid: [401, 'Invalid init data'],
  init_data_expired: [401, 'Expired init data'],
  refresh_reused: [401, 'Refresh token used before'],
  link_invalid: [401, 'Invalid link'],
  id_token_invalid: [401, 'Invalid id token'],
  passkey_invalid: [401, 'Invalid passkey'],
  email_not_verified: [403, 'E-mail not verified'],
  registration_closed: [403, 'Registration closed'],
  invite_required: [403, 'Invite required'],
  second_factor_required: [403, 'Second factor required'],
  not_a_member: [403, 'Not a member'],
  not_the_owner: [403, 'Not the owner'],
  blocked: [403, 'Blocked'],
  suspended: [403, 'Suspended'],
  wrong_password: [403, 'Wrong password'],
  awaiting_reply: [403, 'Awaiting a reply'],
  consents_gate: [403, 'Consents required'],
  forbidden: [403, 'Forbidden'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  email_taken: [409, 'E-mail taken'],
  phone_taken: [409, 'Phone taken'],
  review_exists: [409, 'Review exists'],
  message_deleted: [409, 'Message deleted'],
  identity_taken: [409, 'Identity taken'],
  last_identity: [409, 'Last identity'],
  conflict: [409, 'Conflict'],
  claimed: [409, 'Claimed'],
  payload_too_large: [413, 'Payload too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  validation_failed: [422, 'Validation failed'],
  consents_required: [422, 'Consents required'],
  too_young: [422, 'Too young'],
  self_not_allowed: [422, 'Not with yourself'],
  content_refused: [422, 'Content refused'],
  rate_limited: [429, 'Too many requests'],
  internal_error: [500, 'Internal error'],
  messenger_not_configured: [503, 'Messenger not configured'],
  mail_not_configured: [503, 'Mail not configured'],
  provider_not_configured: [503, 'Provider not configured'],
  storage_full: [503, 'Storage full'],
  busy: [503, 'Busy'],
  shutting_down: [503, 'Shutting down'],
  maintenance: [503, 'Maintenance'],
}

/**
 * Internal codes that clients see under another name. They exist because `consents_required` is 422 at registration and 403 at
 * the gate, and `bad_request` has several statuses.
 */
const publicCodes: Partial<Record<RefusalCode, RefusalCode>> = {
  consents_gate: 'consents_required',
  upgrade_required: 'bad_request',
  range_not_satisfiable: 'bad_request',
}

/** Every code that an answer may have. */
export const problemCodes = Object.keys(answers).filter((code) => !(code in publicCodes))

export const statusOf = (code: RefusalCode) => answers[code][0]

/** An RFC 9457 problem. `errors[].path` are JSON pointers. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  code: string
  request_id: string
  errors?: FieldError[]
  /** Only of `suspended`. `until` is null if the suspension has no end. */
  reason?: string | null
  until?: string | null
}

export function problemOf(refusal: Refusal, requestId: string): Problem {
  const [status, title] = answers[refusal.code]
  const code = publicCodes[refusal.code] ?? refusal.code
  const problem: Problem = {
    type: `urn:convene:problem:${code}`,
    title,
    status,
    detail: refusal.detail,
    code,
    request_id: requestId,
    ...refusal.members,
  }
  if (refusal.errors) problem.errors = refusal.errors
  return problem
}

/** The answer to an error. It repeats nothing that the client sent, and tells only the request id of an unexpected error. */
export function problemResponse(refusal: Refusal, requestId: string): Response {
  const status = statusOf(refusal.code)
  return new Response(JSON.stringify(problemOf(refusal, requestId)), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      // Required in every 401 (RFC 9110, section 11.6.1).
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...refusal.headers,
    },
  })
}

type Deps = {
  log: Logger
  /** Called with each unexpected error, after it was logged. */
  storage: { failed(error: unknown): void }
  room: Pick<Room, 'refused'>
  metrics?: { problem(code: string): void }
  allowedMethods(path: string): string[]
  /** The page to show for an address that does not exist; null where it is a problem as any other. */
  notFoundPage(given: { request: Request; path: string }): Response | null
}

/** Turns whatever was thrown into a problem. Registered first, as Elysia's hooks apply only to later routes. */
export const errors = ({ log, storage, room, metrics, allowedMethods, notFoundPage }: Deps) =>
  new Elysia({ name: 'errors' }).onError({ as: 'global' }, ({ code, error, request, set, path, route }) => {
    const requestId = String(set.headers['x-request-id'] ?? '')
    const refusal =
      error instanceof Refusal ? error : refusalOf(String(code), error, request.method, path, allowedMethods)
    if (refusal.code === 'internal_error' || refusal.code === 'storage_full')
      log.error({ request_id: requestId, route, err: loggable(error) }, 'request failed')
    if (refusal.code === 'internal_error') storage.failed(error)
    if (refusal.code === 'storage_full') room.refused()
    metrics?.problem(refusal.code)
    set.status = statusOf(refusal.code)
    const page = code === 'NOT_FOUND' && refusal.code === 'not_found' ? notFoundPage({ request, path }) : null
    return page ?? problemResponse(refusal, requestId)
  })

/** The error of an answer that does not match its schema contains the whole answer: only the names of fields are logged. */
function loggable(error: unknown): unknown {
  if (!(error instanceof ValidationError)) return error
  const fields = problemsIn(error).map(({ path, schema }) => `${path} ${schema.type ?? ''}`)
  return new Error(`${error.type} does not fit its schema: ${fields.join(', ')}`)
}

/** Elysia's own list repeats what was sent, and fails if that is an object with its own `toString`. */
function problemsIn({ validator, value }: ValidationError): ValueError[] {
  if ('~standard' in validator) throw new Error('schemas are TypeBox here')
  const problems: Iterable<ValueError> =
    'Errors' in validator ? validator.Errors(value) : Value.Errors(validator, value)
  return someOf(problems)
}

// A long list may be wrong in every entry.
const someOf = (problems: Iterable<ValueError>): ValueError[] => Iterator.from(problems).take(64).toArray()

/** The answer to an error outside every route, such as a file removed while it is sent. Bun's own would show internals. */
export const serverError = (log: Logger) => (error: Error) => {
  const requestId = nextRequestId()
  log.error({ request_id: requestId, err: error }, 'request failed')
  return problemResponse(new Refusal('internal_error', 'Something went wrong on our side.'), requestId)
}

function refusalOf(
  code: string,
  error: unknown,
  method: string,
  path: string,
  allowedMethods: (path: string) => string[],
) {
  if (error instanceof ValidationError) return refusalOfValidation(error)
  switch (code) {
    case 'NOT_FOUND': {
      const allowed = allowedMethods(path)
      if (allowed.length === 0 || allowed.includes(method)) return new Refusal('not_found', 'There is nothing here.')
      return new Refusal('method_not_allowed', 'This path does not take that method.', undefined, {
        allow: allowed.join(', '),
      })
    }
    case 'PARSE':
      return new Refusal('bad_request', 'The request could not be read.')
    default:
      return new Refusal('internal_error', 'Something went wrong on our side.')
  }
}

function refusalOfValidation(error: ValidationError): Refusal {
  // A path parameter that is not an id is answered like an unknown id.
  if (error.type === 'params') return new Refusal('not_found', 'There is nothing here.')
  // An answer that does not match its schema is our defect, not the client's.
  if (error.type === 'response') return new Refusal('internal_error', 'Something went wrong on our side.')
  const fields = new Map<string, FieldError>()
  for (const problem of problemsIn(error).flatMap(insideUnion)) {
    const { path, schema } = problem
    if (fields.has(path)) continue
    const closest = closestOf(problem)
    fields.set(path, {
      // Elysia drops the path of a query number that is out of range: the schema's title names the field.
      path: path || `/${schema.type === 'object' || 'anyOf' in schema ? '' : (schema.title ?? '')}`,
      code: fieldCodeOf(closest),
      message: fieldMessageOf(typeof schema.error === 'string' ? problem : closest),
    })
  }
  return new Refusal(
    'validation_failed',
    'The request does not fit what this endpoint takes.',
    [...fields.values()].slice(0, 20),
  )
}

/**
 * The problems of the variant that was meant, if a list or an object fits none of a union: that whose `kind` or `type` the
 * object has. Without such a variant, the problem is that field.
 */
function insideUnion(problem: ValueError): ValueError[] {
  const { type, schema, value, errors, path } = problem
  if (type !== ValueErrorType.Union || typeof value !== 'object' || value === null) return [problem]
  const kind = Array.isArray(value) ? 'array' : 'object'
  const all: TSchema[] = schema.anyOf
  const variants = all.flatMap((variant, i) =>
    variant.type === kind ? [{ variant, problems: someOf(errors[i] ?? []) }] : [],
  )
  const [first, ...others] = variants
  if (first === undefined) return [problem]
  const name = Object.entries<TSchema>(first.variant.properties ?? {}).find(([, field]) => 'const' in field)?.[0]
  const named = others.length === 0 ? first : variants.find(({ variant }) => isNamed(variant, name, value))
  if (named !== undefined) return named.problems.flatMap(insideUnion)
  const literal = first.problems.find((inner) => inner.path === `${path}/${name}`)
  return literal === undefined ? [problem] : [{ ...literal, schema: { ...literal.schema, error: schema.error } }]
}

const isNamed = ({ properties }: TSchema, name: string | undefined, value: object): boolean =>
  name !== undefined && properties?.[name]?.const === Reflect.get(value, name)

/** Of a union, such as a nullable text, the problem of the variant that comes closest. Can be asked once for each problem. */
function closestOf(problem: ValueError): ValueError {
  if (problem.type !== ValueErrorType.Union) return problem
  const inner = problem.errors.flatMap((variant) => variant.First() ?? []).map(closestOf)
  return inner.find((variant) => fieldCodeOf(variant) !== 'type') ?? problem
}

function fieldCodeOf({ type, schema, value }: ValueError): FieldErrorCode {
  // JSON has no undefined, so the field is missing.
  if (value === undefined) return 'required'
  switch (type) {
    case ValueErrorType.StringFormat:
      // Elysia's type for a number in a query.
      return schema.format === 'integer' ? 'type' : formatProblem(schema.format, value)
    case ValueErrorType.StringPattern:
      return 'format'
    case ValueErrorType.StringMinLength:
    case ValueErrorType.ArrayMinItems:
      return 'too_short'
    case ValueErrorType.StringMaxLength:
    case ValueErrorType.ArrayMaxItems:
      return 'too_long'
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
      return 'out_of_range'
    case ValueErrorType.Literal:
      return typeof value === typeof schema.const ? 'not_allowed' : 'type'
    default:
      return 'type'
  }
}

// A schema may have its own message (`error`). TypeBox's messages describe the schema and never repeat the value.
function fieldMessageOf({ type, schema, value, message }: ValueError): string {
  if (typeof schema.error === 'string') return schema.error
  if (value === undefined) return 'This field is required'
  if (type !== ValueErrorType.Union) return message
  const variants: TSchema[] = schema.anyOf
  const names = variants.map(({ type, const: only }) => (only === undefined ? (type ?? 'value') : JSON.stringify(only)))
  return `Expected ${[...new Set(names)].join(' or ')}`
}
