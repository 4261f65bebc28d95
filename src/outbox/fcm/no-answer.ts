import { codeOf, isTimeout } from '../../lib/errors.ts'

/** Why `fetch` has no answer, in a word: its message may contain the URL. */
export const whyNoAnswer = (error: unknown): string => (isTimeout(error) ? 'timeout' : codeOf(error) || 'cut')
