import { domainToASCII } from 'node:url'
import { plain } from '../../lib/invisible.ts'

const raw = String.raw

// All repetitions are bounded, so that no text takes more than linear time.
const email = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,4}/u
// A date or a time within a longer chain of numbers is part of a phone number, as in 06.12.34.56.78. The years of the Persian
// and the Islamic calendar count too.
const year = raw`(?:1[349]|20)\d\d`
const dateWith = (sign: string) =>
  raw`(?<!\d${sign}?)(?:${year}${sign}\d{1,2}${sign}\d{1,2}|\d{1,2}${sign}\d{1,2}${sign}(?:${year}|\d\d))(?!${sign}?\d)`
const years = raw`(?<![\d-])${year} ?- ?${year}(?![\d-])`
const date = new RegExp([...['-', raw`\.`, '/'].map(dateWith), years].join('|'), 'g')
const clock = /(?<!\d[.:]?)\d{1,2}[:.]\d{2}(?::\d{2})?(?![.:]?\d)/g
const digitRun = /(?:\+|\(?\d)[\d\s()./-]{5,24}\d/g
const paymentPage = /(?:paypal\.me|revolut\.me|cash\.app|venmo\.com|monzo\.me|ko-fi\.com)\/[a-z0-9$]/i
const cashtag = /(?<![\p{L}\p{N}$])\$[a-z][a-z0-9_]{2,19}(?![\p{L}\p{N}])/iu
const wallet = /(?<![a-z0-9])(?:0x[0-9a-f]{40}|bc1[a-z0-9]{20,60})(?![a-z0-9])/i
const iban = /(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Z0-9])/gi

export const contactKinds = ['phone', 'email', 'payment'] as const
export type ContactKind = (typeof contactKinds)[number]

/** Whether a text has contact or payment details for use outside the app. */
export function hasContact(text: string, kinds: readonly ContactKind[]): boolean {
  const written = plain(text)
  return kinds.some((kind) => {
    switch (kind) {
      case 'phone':
        return hasPhone(written)
      case 'email':
        return email.test(written)
      case 'payment':
        return paymentPage.test(written) || cashtag.test(written) || wallet.test(written) || hasIban(written)
    }
  })
}

function hasPhone(text: string): boolean {
  const numbers = text
    // Such as those of emoji of digits.
    .replace(/\p{M}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[\p{Nd}--[0-9]]/gv, asciiDigit)
  const runs = numbers.replace(date, ' ; ').replace(clock, ' ; ').match(digitRun) ?? []
  return runs.some((run) => {
    const digits = run.replace(/\D/g, '').length
    return digits >= (run.startsWith('+') ? 7 : 8) && digits <= 15
  })
}

const isDigit = (point: number) => /\p{Nd}/u.test(String.fromCodePoint(point))

/** The digits of every script are ten code points in a row. */
function asciiDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && isDigit(point - value - 1)) value++
  return String(value)
}

const hasIban = (text: string) => (text.match(iban) ?? []).some((found) => isIban(found.replaceAll(' ', '')))

/** ISO 13616: the number modulo 97 is 1. */
function isIban(text: string): boolean {
  let rest = 0
  for (const sign of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(sign, 36)
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
  }
  return rest === 1
}

// A host has 127 labels at most.
const host = /(?<![\p{L}\p{M}\p{N}-])(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,126}(?:xn--[a-z\d-]{1,59}|[\p{L}\p{M}]{2,63})/giu
const isAscii = /^[\0-\x7f]*$/

/** The form in which domains are compared: `xn--e1afmkfd.xn--p1ai` for `Пример.рф`. */
export const asciiDomain = (domain: string): string =>
  isAscii.test(domain) ? domain.toLowerCase() : domainToASCII(domain) || domain.toLowerCase()

/** The hosts in a text, each with its parent domains, in the form of `asciiDomain`. */
export function domainsIn(text: string): Set<string> {
  const found = new Set<string>()
  for (const written of plain(text).match(host) ?? []) {
    const named = asciiDomain(written)
    for (let at = 0; at >= 0; at = named.indexOf('.', at) + 1 || -1) found.add(named.slice(at))
  }
  return found
}
