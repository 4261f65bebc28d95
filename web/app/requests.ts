import type { Problem } from 'convene-client'
import type { Failure } from '../shared/requests.ts'
import { excessOf } from '../shared/text-length.ts'
import type { T } from './language.tsx'

export * from '../shared/requests.ts'

/** Only an upload names its file. */
const isUpload = ({ errors }: Problem) => errors?.some(({ path }) => path === '/file')

/** The text of a failure: what happened, and what to do. */
export function failureText(t: T, failure: Failure): string {
  if (failure === 'offline') return t('app.failure.offline')
  switch (failure.code) {
    case 'rate_limited':
      return t('app.failure.rateLimited')
    case 'wrong_password':
      return t('app.failure.wrongPassword')
    case 'forbidden':
      return t('app.failure.signInAgain')
    case 'link_invalid':
      return t('account.link.invalid')
    case 'email_taken':
      return t('app.failure.emailTaken')
    case 'phone_taken':
      return t('app.failure.phoneTaken')
    case 'invalid_credentials':
      return t('account.signIn.wrong')
    case 'passkey_invalid':
      return t('app.failure.passkey')
    case 'too_young':
      return t('account.birthDate.tooYoung')
    case 'invite_required':
      return t('account.signUp.inviteWrong')
    case 'registration_closed':
      return t('account.closed.text')
    case 'init_data_invalid':
    case 'init_data_expired':
      return t('account.telegram.reopen')
    case 'email_not_verified':
      return t('account.verify.needed')
    case 'consents_required':
      return t('account.consents.needed')
    case 'mail_not_configured':
      return t('app.failure.noMail')
    case 'payload_too_large':
      return t('app.failure.photoSize')
    case 'unsupported_media_type':
      return t('app.failure.photoKind')
    case 'suspended':
      return t('account.ended.suspended')
    case 'maintenance':
    case 'content_refused':
      // The operator has written this text.
      return failure.detail
    case 'validation_failed':
      return t(isUpload(failure) ? 'app.failure.photoKind' : 'app.failure.fields')
    case 'conflict':
      // The account has no room for it.
      if (isUpload(failure)) return t('app.failure.photosFull')
  }
  return failure.status >= 500 ? t('app.failure.server') : t('app.failed')
}

/** The text for a field of which the server takes `limit` characters at most; null if what is written fits. */
export function excessText(t: T, text: string, limit: number): string | null {
  const excess = excessOf(text, limit)
  return excess > 0 ? t('app.field.tooLongBy', { count: excess }) : null
}

/** The text for a field that the server refused, such as `/email`; null if nothing is wrong with it. */
export function fieldText(t: T, failure: Failure | null, path: string): string | null {
  if (failure === null || failure === 'offline') return null
  const error = failure.errors?.find((each) => each.path === path || each.path.startsWith(`${path}/`))
  if (!error) return null
  switch (error.code) {
    case 'required':
      return t('app.field.required')
    case 'too_short':
      return t('app.field.tooShort')
    case 'too_long':
      return t('app.field.tooLong')
    case 'too_common':
      return t('app.field.tooCommon')
    case 'duplicate':
      return t('app.field.duplicate')
    case 'format':
      return t('app.field.format')
    default:
      return t('app.field.notAllowed')
  }
}
