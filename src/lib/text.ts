import { Type as t } from '@sinclair/typebox'
import { hasFormat, setFormat } from './formats.ts'
import { withoutInvisible } from './invisible.ts'

// Control characters, and marks that change the direction of text, which make it read as something else. Prose may contain the
// isolating marks, which phone numbers copied from an address book contain.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/
const controlsButBreaks = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202d\u202e]/
const loneSurrogate = /\p{Surrogate}/u
/** Normalization takes quadratic time for runs of combining marks. Unicode's Stream-Safe Text Format allows 30 (UAX #15). */
const endlessMarks = /\p{M}{31}/u
// Besides white space, some letters are invisible too: Hangul fillers, and the empty Braille pattern.
const visible = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]/u

/** Text as stored: NFC, trimmed. Line ends of Windows and Unicode become newlines. */
export const tidy = (text: string) =>
  text
    .replaceAll(/\r\n|[\u2028\u2029]/g, '\n')
    .normalize('NFC')
    .trim()

/**
 * Text for comparison regardless of case, by Unicode: `STRASSE`, `Straße` and `straße` are equal. Lower case first, because
 * the lower case of some capitals has another upper case; lower case last, as most input is.
 */
export const foldCase = (text: string) => text.toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
/** `tidy` for names, places and keywords, without invisible characters: texts that look equal are equal. */
export const tidyLabel = (text: string) => tidy(withoutInvisible(text))

/** Limits the marks stacked on one letter to 30. */
export const withoutEndlessMarks = (text: string) => text.replace(/(\p{M}{30})\p{M}+/gu, '$1')

/** Whether the text has any visible character. */
export const isVisible = (text: string) => visible.test(text)

// The length that RFC 5646, section 4.4.1, asks implementations to support.
export const longestLanguageTag = 35

/** The canonical form of a BCP 47 language tag, such as `pt-BR` for `pt-br`; null if it is invalid. */
export function languageTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

function text(kind: 'line' | 'label' | 'prose', max: number, min: number, forbidden: RegExp) {
  const format = `${kind}-${min}-${max}`
  if (!hasFormat(format))
    setFormat(format, (value) => {
      // A code point has at most two units: this rejects huge text before the expensive checks.
      if (value.length > max * 4 + 1000) return 'too_long'
      const shown = kind === 'label' ? withoutInvisible(value) : value
      if (endlessMarks.test(shown)) return 'not_allowed'
      const tidied = tidy(shown)
      if (forbidden.test(tidied) || loneSurrogate.test(tidied)) return 'not_allowed'
      if (min > 0 && !visible.test(tidied)) return 'too_short'
      const length = tidied.length <= max ? tidied.length : [...tidied].length
      if (length > max) return 'too_long'
      return length < min ? 'too_short' : null
    })
  const breaks = kind === 'prose' ? 'newlines and tabs allowed, ' : ''
  const message = `Expected text of ${min} to ${max} characters, ${breaks}without control characters or direction overrides`
  return t.String({
    format,
    error: message,
    documented: { minLength: min, maxLength: max },
    description: `${min} to ${max} Unicode characters; normalized to NFC and trimmed.`,
  })
}

/** A schema for one line of text. The length counts Unicode code points after `tidy`. Store the result of `tidy`. */
export const line = (max: number, { min = 0 } = {}) => text('line', max, min, controls)

/** The same for names and keywords. Store the result of `tidyLabel`. */
export const label = (max: number, { min = 0 } = {}) => text('label', max, min, controls)

/** The same for text of several lines: newline and tab are allowed. */
export const prose = (max: number, { min = 0 } = {}) => text('prose', max, min, controlsButBreaks)
