import type { TSchema } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'
import { Elysia, type ValidationError } from 'elysia'
import type { Logger } from 'pino'
import { type FieldError, Refusal, type RefusalCode } from '../refusal.ts'
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
  conflict: [409, 'Conflict'],
  payload_too_large: [413, 'Payload too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  validation_failed: [422, 'Validation failed'],
  consents_required: [422, 'Consents required'],
  self_not_allowed: [422, 'Not with yourself'],
  rate_limited: [429, 'Too many requests'],
  internal_error: [500, 'Internal error'],
  messenger_not_configured: [503, 'Messenger not configured'],
  storage_full: [503, 'Storage full'],
  busy: [503, 'Busy'],
  shutting_down: [503, 'Shutting down'],
}

/**
 * Codes that leave under another's name. `consents_required` is 422 at the registration and 403 at the gate, `bad_request`
 * covers several statuses of HTTP: codes of their own keep them apart inside.
 */
const leavesAs: Partial<Record<RefusalCode, RefusalCode>> = {
  consents_gate: 'consents_required',
  upgrade_required: 'bad_request',
  range_not_satisfiable: 'bad_request',
}

/** Every code that leaves: what a program may find in `code`. */
export const problemCodes = Object.keys(answers).filter((code) => !(code in leavesAs))

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
}

export function problemOf(refusal: Refusal, requestId: string): Problem {
  const [status, title] = answers[refusal.code]
  const code = leavesAs[refusal.code] ?? refusal.code
  const problem: Problem = {
    type: `urn:convene:problem:${code}`,
    title,
    status,
    detail: refusal.detail,
    code,
    request_id: requestId,
  }
  if (refusal.errors) problem.errors = refusal.errors
  return problem
}

/** The answer to a refusal. Never anything that the client sent, and of an unforeseen error nothing but the request's id. */
export function problemResponse(refusal: Refusal, requestId: string): Response {
  const status = statusOf(refusal.code)
  return new Response(JSON.stringify(problemOf(refusal, requestId)), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      // RFC 9110, section 11.6.1, asks for it in every 401.
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      ...refusal.headers,
    },
  })
}

type Deps = {
  log: Logger
  /** Told of what nobody foresaw, after it was logged. */
  storage: { failed(error: unknown): void }
  allowedMethods(path: string): string[]
}

/** Turns whatever was thrown into a problem. Registered first: Elysia's hooks reach only what comes after them. */
export const errors = ({ log, storage, allowedMethods }: Deps) =>
  new Elysia({ name: 'errors' }).onError({ as: 'global' }, ({ code, error, request, set, path, route }) => {
    const requestId = String(set.headers['x-request-id'] ?? '')
    const refusal =
      error instanceof Refusal ? error : refusalOf(String(code), error, request.method, path, allowedMethods)
    if (refusal.code === 'internal_error' || refusal.code === 'storage_full')
      log.error({ request_id: requestId, route, err: loggable(String(code), error) }, 'request failed')
    if (refusal.code === 'internal_error') storage.failed(error)
    set.status = statusOf(refusal.code)
    return problemResponse(refusal, requestId)
  })

/** An answer of ours that does not fit its schema is in its error, message and all: the log gets the fields' names only. */
function loggable(code: string, error: unknown): unknown {
  if (code !== 'VALIDATION') return error
  const fields = problemsIn(error as ValidationError).map(({ path, schema }) => `${path} ${schema.type ?? ''}`)
  return new Error(`${(error as ValidationError).type} does not fit its schema: ${fields.join(', ')}`)
}

/** Elysia's own list puts what was sent into words, and fails where that is an object with a `toString` of its own. */
function problemsIn({ validator, value }: ValidationError): ValueError[] {
  if ('~standard' in validator) throw new Error('schemas are TypeBox here')
  const problems: Iterable<ValueError> =
    'Errors' in validator ? validator.Errors(value) : Value.Errors(validator, value)
  return Iterator.from(problems).take(64).toArray()
}

/** The answer to what fails outside every route, as a file that goes while it is sent; Bun's own would show our insides. */
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
  switch (code) {
    case 'NOT_FOUND': {
      const allowed = allowedMethods(path)
      if (allowed.length === 0 || allowed.includes(method)) return new Refusal('not_found', 'There is nothing here.')
      return new Refusal('method_not_allowed', 'This path does not take that method.', undefined, {
        allow: allowed.join(', '),
      })
    }
    case 'VALIDATION':
      return refusalOfValidation(error as ValidationError)
    case 'PARSE':
      return new Refusal('bad_request', 'The request could not be read.')
    default:
      return new Refusal('internal_error', 'Something went wrong on our side.')
  }
}

function refusalOfValidation(error: ValidationError): Refusal {
  // A path parameter that is no id answers like an unknown one.
  if (error.type === 'params') return new Refusal('not_found', 'There is nothing here.')
  // What we answer ourselves did not fit its schema: a defect of ours, not the client's.
  if (error.type === 'response') return new Refusal('internal_error', 'Something went wrong on our side.')
  const fields = new Map<string, FieldError>()
  for (const { path, schema, message } of problemsIn(error)) {
    if (fields.has(path)) continue
    // A number of the query that is out of its range loses its path in Elysia: its schema's title names it.
    fields.set(path, { path: path || `/${schema.title ?? ''}`, message: messageOf(schema, message) })
  }
  return new Refusal(
    'validation_failed',
    'The request does not fit what this endpoint takes.',
    [...fields.values()].slice(0, 20),
  )
}

// A schema may say in its own words what it takes (`error`); TypeBox's messages speak of the schema, never of the value.
function messageOf(schema: TSchema, message: string): string {
  return typeof schema.error === 'string' ? schema.error : message
}
