import type { components } from 'convene-client'
import type { T } from './language.tsx'
import type { Failure } from './requests.ts'

export type FieldError = components['schemas']['FieldError']

const errorsOf = (failure: Failure | null): readonly FieldError[] =>
  failure === null || failure === 'offline' ? [] : (failure.errors ?? [])

const isAt = (path: string, { path: of }: FieldError) => of === path || of.startsWith(`${path}/`)

/** The server's error for the field at `path`, a JSON pointer into the body, or for a part of that field. */
export const errorAt = (failure: Failure | null, path: string): FieldError | null =>
  errorsOf(failure).find((error) => isAt(path, error)) ?? null

/** The failure; null if all of its errors are shown beside the fields at these paths. */
export function failureBeside(failure: Failure | null, paths: readonly string[]): Failure | null {
  const errors = errorsOf(failure)
  return errors.length > 0 && errors.every((error) => paths.some((path) => isAt(path, error))) ? null : failure
}

/** What is wrong with a field. The server's own message is in English. */
export function fieldText(t: T, { path, code }: FieldError): string {
  // The path of an entry of a list ends in its index.
  switch (`${path.replace(/\/\d+$/, '')} ${code}`) {
    case '/until out_of_range':
    case '/expires_at out_of_range':
      return t('console.field.future')
    case '/image_id not_allowed':
      return t('images.tooPlain')
    case '/match/words too_short':
      return t('rules.field.word')
    case '/match/words too_long':
      return t('rules.field.phrase')
    case '/match/domains format':
      return t('rules.field.domain')
    case '/match out_of_range':
      return t('rules.field.all')
    case '/action not_allowed':
    case '/applies_to not_allowed':
      return t('rules.field.unfit')
  }
  switch (code) {
    case 'required':
      return t('console.needed')
    case 'too_short':
      return t('console.field.tooShort')
    case 'too_long':
      return t('console.field.tooLong')
    case 'out_of_range':
      return t('console.field.outOfRange')
    case 'duplicate':
      return t('console.field.duplicate')
    case 'unknown':
      return t('console.field.unknown')
    default:
      return t('console.field.notAllowed')
  }
}
