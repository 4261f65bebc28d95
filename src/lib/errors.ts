/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whatever was thrown, as an error. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** Whether a request timed out. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

/** The code of a system, database or connection error; empty if it has none. Numbers, as `DOMException` has, do not count. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : ''
