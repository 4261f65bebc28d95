import { FormatRegistry } from '@sinclair/typebox'
import { Type as t } from '@sinclair/typebox'

// Control characters, and the marks that turn the direction of text so that it reads as something else. Prose may have those that
// only set a part of it apart, as a phone number copied from an address book brings them along.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/
const controlsButBreaks = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202d\u202e]/
const loneSurrogate = /\p{Surrogate}/u
/** Normalizing takes time that grows with the square of such a run. 30 are the limit of Unicode's own Stream-Safe Text (UAX #15). */
const endlessMarks = /\p{M}{31}/u
// Letters and signs that show nothing stand beside white space: fillers of Hangul, and Braille without a dot.
const visible = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]/u

/** Text as it is stored: NFC, without white space at its ends. Windows' and Unicode's line ends become newlines. */
export const tidy = (text: string) =>
  text
    .replaceAll(/\r\n|[\u2028\u2029]/g, '\n')
    .normalize('NFC')
    .trim()

/** What is left of marks that were stacked on one letter, of which there may be 30. */
export const withoutEndlessMarks = (text: string) => text.replace(/(\p{M}{30})\p{M}+/gu, '$1')

/** Whether there is anything to see in it, rather than white space and formatting alone. */
export const isVisible = (text: string) => visible.test(text)

/** The canonical form of a BCP 47 language tag, as `pt-BR` of `pt-br`; null for what is none. */
export function languageTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

function text(kind: 'line' | 'prose', max: number, min: number, forbidden: RegExp) {
  const format = `${kind}-${min}-${max}`
  if (!FormatRegistry.Has(format)) {
    FormatRegistry.Set(format, (value) => {
      // A code point has two units at the most; this spares the rest its work on something huge.
      if (value.length > max * 4 + 1000 || endlessMarks.test(value)) return false
      const tidied = tidy(value)
      if (forbidden.test(tidied) || loneSurrogate.test(tidied)) return false
      if (min > 0 && !visible.test(tidied)) return false
      const length = tidied.length <= max ? tidied.length : [...tidied].length
      return length <= max && length >= min
    })
  }
  const breaks = kind === 'prose' ? 'newlines and tabs allowed, ' : ''
  const message = `Expected text of ${min} to ${max} characters, ${breaks}without control characters or direction overrides`
  return t.String({
    format,
    error: message,
    documented: { minLength: min, maxLength: max },
    description: `${min} to ${max} Unicode characters; normalized to NFC and trimmed.`,
  })
}

/** A schema for one line of text, its length counted in Unicode code points after `tidy`. Store what `tidy` makes of it. */
export const line = (max: number, { min = 0 } = {}) => text('line', max, min, controls)

/** The same for text of several lines: newline and tab are allowed. */
export const prose = (max: number, { min = 0 } = {}) => text('prose', max, min, controlsButBreaks)
