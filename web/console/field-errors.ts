import type { components } from 'convene-client'
import type { Failure } from './requests.ts'

type FieldError = components['schemas']['FieldError']

const errorsOf = (failure: Failure | null): readonly FieldError[] =>
  failure === null || failure === 'offline' ? [] : (failure.errors ?? [])

const isAt = (path: string, { path: of }: FieldError) => of === path || of.startsWith(`${path}/`)

/** What the server says against the field at `path`, a JSON pointer into the body, or against a part of it. */
export const errorAt = (failure: Failure | null, path: string): FieldError | null =>
  errorsOf(failure).find((error) => isAt(path, error)) ?? null

/** The failure, unless everything that it is about stands beside the fields at these paths. */
export function failureBeside(failure: Failure | null, paths: readonly string[]): Failure | null {
  const errors = errorsOf(failure)
  return errors.length > 0 && errors.every((error) => paths.some((path) => isAt(path, error))) ? null : failure
}
