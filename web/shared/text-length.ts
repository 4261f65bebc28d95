// As the server has it: Hangul fillers and the empty Braille pattern are invisible too.
const visible = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]/u

/** The text without white space around it; empty if it has no visible character, which the server would refuse. */
export const trimmed = (text: string): string => (visible.test(text) ? text.trim() : '')

/**
 * By how many characters a text is longer than `limit`; 0 if it fits. The server counts the code points of the normalized text,
 * while `maxLength` of a field counts UTF-16 units, of which an emoji has two or more.
 */
export const excessOf = (text: string, limit: number): number =>
  Math.max(0, [...text.normalize('NFC').trim()].length - limit)
