/**
 * By how many characters a text is longer than `limit`; 0 if it fits. The server counts the code points of the normalized text,
 * while `maxLength` of a field counts UTF-16 units, of which an emoji has two or more.
 */
export const excessOf = (text: string, limit: number): number =>
  Math.max(0, [...text.normalize('NFC').trim()].length - limit)
