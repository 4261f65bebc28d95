import { codeOf } from '../../lib/errors.ts'

/** Why `fetch` has no answer, in a word: its message may contain the URL. */
export const whyNoAnswer = (error: unknown): string =>
  error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : codeOf(error) || 'cut'
