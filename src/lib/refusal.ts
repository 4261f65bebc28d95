/** Every error code. `http/errors.ts` has the HTTP status of each. */
export type RefusalCode =
  | 'malformed_body'
  | 'bad_request'
  | 'upgrade_required'
  | 'range_not_satisfiable'
  | 'unauthenticated'
  | 'token_expired'
  | 'invalid_credentials'
  | 'init_data_invalid'
  | 'init_data_expired'
  | 'refresh_reused'
  | 'link_invalid'
  | 'id_token_invalid'
  | 'passkey_invalid'
  | 'email_not_verified'
  | 'registration_closed'
  | 'invite_required'
  | 'second_factor_required'
  | 'not_a_member'
  | 'not_the_owner'
  | 'blocked'
  | 'suspended'
  | 'wrong_password'
  | 'awaiting_reply'
  | 'consents_required'
  | 'too_young'
  | 'consents_gate'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'email_taken'
  | 'phone_taken'
  | 'review_exists'
  | 'message_deleted'
  | 'identity_taken'
  | 'last_identity'
  | 'conflict'
  | 'claimed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'self_not_allowed'
  | 'content_refused'
  | 'rate_limited'
  | 'internal_error'
  | 'messenger_not_configured'
  | 'mail_not_configured'
  | 'provider_not_configured'
  | 'storage_full'
  | 'busy'
  | 'shutting_down'
  | 'maintenance'

/** The error codes of a single field. */
export const fieldErrorCodes = [
  'required',
  'type',
  'format',
  'too_short',
  'too_long',
  'out_of_range',
  'not_allowed',
  'duplicate',
  'too_common',
  'not_yours',
  'unknown',
] as const
export type FieldErrorCode = (typeof fieldErrorCodes)[number]

/** One field that was refused: `path` is a JSON pointer into the body, query or parameters. */
export type FieldError = { path: string; code: FieldErrorCode; message: string }

/** A request was refused by a rule. Clients see `detail`: it must not repeat their input or reveal internals. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: RefusalCode,
    readonly detail: string,
    readonly errors?: FieldError[],
    /** Extra response headers, such as `Retry-After`. */
    readonly headers?: Record<string, string>,
    /** Extra members of the problem, such as the end of a suspension. */
    readonly members?: Readonly<Record<string, string | null>>,
  ) {
    super(`${code}: ${detail}`)
  }
}

const transient: ReadonlySet<RefusalCode> = new Set(['busy', 'storage_full', 'shutting_down', 'internal_error'])

/** Whether the same attempt may succeed later, so that work in the background is tried again and not given up. */
export const isTransient = ({ code }: Refusal): boolean => transient.has(code)

/** A refusal of one field: 422 `validation_failed` naming it. */
export const invalid = (path: string, message: string, code: FieldErrorCode) => unfit([{ path, code, message }])

/** The same for fields that are missing. */
export const required = (paths: readonly string[], message: string) =>
  unfit(paths.map((path) => ({ path, code: 'required', message })))

const unfit = (errors: FieldError[]) =>
  new Refusal('validation_failed', 'The request does not fit what this endpoint takes.', errors)

/** An id in a body that does not exist, or that the caller may not see: 404 `not_found`, naming the field. */
export const unknownId = (path: string, detail: string) =>
  new Refusal('not_found', detail, [{ path, code: 'unknown', message: detail }])

/** There is no space left, on the disk or in a quota. `cause` is for the log. */
export const storageFull = (cause?: unknown) =>
  Object.assign(
    new Refusal('storage_full', 'The server has no room to store this.', undefined, { 'retry-after': '60' }),
    cause === undefined ? {} : { cause },
  )
