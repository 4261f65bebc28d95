import type { components } from 'convene-client'
import type { Failure } from './requests.ts'

type FieldError = components['schemas']['FieldError']

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
