/** Every code an error answer may carry. The HTTP status of each stands in `http/errors.ts`. */
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
  | 'not_a_member'
  | 'not_the_owner'
  | 'blocked'
  | 'suspended'
  | 'wrong_password'
  | 'awaiting_reply'
  | 'consents_required'
  | 'consents_gate'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'email_taken'
  | 'phone_taken'
  | 'review_exists'
  | 'message_deleted'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'self_not_allowed'
  | 'rate_limited'
  | 'internal_error'
  | 'messenger_not_configured'
  | 'storage_full'
  | 'busy'
  | 'shutting_down'

/** One field that was refused: `path` is a JSON pointer into the body, query or parameters. */
export type FieldError = { path: string; message: string }

/** A rule said no. `detail` reaches the client: it never repeats what the client sent, and nothing internal. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: RefusalCode,
    readonly detail: string,
    readonly errors?: FieldError[],
    /** Extra response headers, such as `Retry-After`. */
    readonly headers?: Record<string, string>,
  ) {
    super(`${code}: ${detail}`)
  }
}

/** A refusal of one field: 422 `validation_failed` naming it. */
export const invalid = (path: string, message: string) =>
  new Refusal('validation_failed', 'The request does not fit what this endpoint takes.', [{ path, message }])

/** There is no room, as of a disk or a quota. `cause` is for the log. */
export const storageFull = (cause?: unknown) =>
  Object.assign(
    new Refusal('storage_full', 'The server has no room to store this.', undefined, { 'retry-after': '60' }),
    cause === undefined ? {} : { cause },
  )
