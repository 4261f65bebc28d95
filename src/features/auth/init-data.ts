import { timingSafeEqual } from 'node:crypto'
import { Refusal } from '../../lib/refusal.ts'
import { withoutInvisible } from '../../lib/invisible.ts'
import { isVisible, languageTag, longestLanguageTag, withoutEndlessMarks } from '../../lib/text.ts'

/** The user that a messenger's mini-app authenticates. */
export type InitData = {
  /** The messenger's user id, a positive integer in decimal digits. */
  messenger_id: string
  /** 1 to 80 code points, in the form that names have here: NFC, no control or bidirectional formatting characters. */
  name: string
  /** A BCP 47 tag in its canonical form. */
  language: string | null
  /** An https URL. */
  photo_url: string | null
  /** Whether the user lets the bot write to them. */
  allows_write: boolean
  /** The `startapp` parameter of the link that opened the mini-app: up to 512 letters, digits, `_` and `-`. */
  start_param: string | null
  /** When the messenger signed it, in Unix seconds. */
  auth_date: number
}

const MAX_LENGTH = 16 * 1024
const MAX_FUTURE_MS = 60_000
const NAME_MAX = 80
const PHOTO_URL_MAX = 2048

/**
 * Checks the init data of a Telegram mini-app, as "Validating data received via the Mini App" describes it
 * (https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app), and reads its user.
 *
 * @param initData the raw query string, as the messenger gave it to the mini-app.
 * @param botToken the token of the bot that the mini-app belongs to.
 * @param clock `nowMs`: the time, in Unix milliseconds; `maxAgeS`: how old the data may be, in seconds, 0 for any age.
 * @throws Refusal `init_data_invalid`, or `init_data_expired` where it is genuine but older than `maxAgeS`.
 *   Neither repeats any part of the init data.
 */
export function checkInitData(
  initData: string,
  botToken: string,
  { nowMs, maxAgeS }: { nowMs: number; maxAgeS: number },
): InitData {
  const fields = fieldsOf(initData)
  checkHash(fields, botToken)
  const authDate = authDateOf(fields)
  const ageMs = nowMs - authDate * 1000
  if (ageMs < -MAX_FUTURE_MS) throw refusal('The init data is dated in the future.')
  if (maxAgeS > 0 && ageMs > maxAgeS * 1000) throw new Refusal('init_data_expired', 'The init data is too old.')
  return { ...userOf(fields), start_param: startParamOf(fields), auth_date: authDate }
}

const refusal = (detail: string) => new Refusal('init_data_invalid', detail)

/**
 * Stricter than URLSearchParams, which repairs malformed input and keeps duplicates: with either, two programs could
 * read different fields out of one signed string.
 */
function fieldsOf(initData: string): Map<string, string> {
  if (initData.length > MAX_LENGTH) throw refusal('The init data is too long.')
  const fields = new Map<string, string>()
  for (const pair of initData.split('&')) {
    const equals = pair.indexOf('=')
    if (equals < 0) throw refusal('The init data is not a query string.')
    const name = decoded(pair.slice(0, equals))
    const value = decoded(pair.slice(equals + 1))
    // The signature covers lines of `name=value`, so an equals sign in a name, or a line break in either, would let one
    // field pass for others.
    if (!/^\w+$/.test(name) || value.includes('\n')) throw refusal('The init data has a field that is malformed.')
    if (fields.has(name)) throw refusal('The init data has a field twice.')
    fields.set(name, value)
  }
  return fields
}

function decoded(component: string): string {
  try {
    return decodeURIComponent(component.replaceAll('+', ' '))
  } catch {
    throw refusal('The init data has malformed percent-encoding.')
  }
}

function checkHash(fields: Map<string, string>, botToken: string): void {
  if (botToken === '') throw new Error('Without a bot token anybody could sign init data.')
  const hash = fields.get('hash')
  if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash)) throw refusal('The init data has no valid hash.')
  const lines = [...fields.keys()]
    .filter((name) => name !== 'hash')
    .sort()
    .map((name) => `${name}=${fields.get(name)}`)
  const expected = hmac(hmac('WebAppData', botToken), lines.join('\n'))
  if (!timingSafeEqual(Buffer.from(hash, 'hex'), expected)) throw refusal('The init data is not signed for this bot.')
}

const hmac = (key: string | Uint8Array, data: string) => new Bun.CryptoHasher('sha256', key).update(data).digest()

function authDateOf(fields: Map<string, string>): number {
  const authDate = fields.get('auth_date')
  // Twelve digits reach past the year 30000, and stay exact in milliseconds.
  if (authDate === undefined || !/^[0-9]{1,12}$/.test(authDate)) throw refusal('The init data has no valid auth_date.')
  return Number(authDate)
}

function userOf(fields: Map<string, string>): Omit<InitData, 'auth_date' | 'start_param'> {
  const user = jsonObject(fields.get('user') ?? '')
  if (user === null) throw refusal('The init data has no valid user.')
  if (!Number.isSafeInteger(user.id) || Number(user.id) <= 0) throw refusal('The init data has no valid user id.')
  return {
    messenger_id: String(user.id),
    // Without the last name: publishing it is left to the user.
    name: sanitizedName(text(user.first_name)) || sanitizedName(text(user.username)) || 'User',
    language: languageFrom(text(user.language_code)),
    photo_url: httpsUrl(text(user.photo_url)),
    allows_write: user.allows_write_to_pm === true,
  }
}

function startParamOf(fields: Map<string, string>): string | null {
  const given = fields.get('start_param') ?? ''
  return /^[A-Za-z0-9_-]{1,512}$/.test(given) ? given : null
}

function jsonObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null // the parser's own error quotes its input
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')

/** Repairs a name instead of refusing it, because the user cannot correct it while logging in. */
export function sanitizedName(given: string): string {
  const oneLine = withoutInvisible(given).replace(/\s+/g, ' ')
  const clean = withoutEndlessMarks(oneLine.replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, '')).normalize('NFC')
  const name = [...clean.trim()].slice(0, NAME_MAX).join('').trim()
  return isVisible(name) ? name : ''
}

const languageFrom = (tag: string) => (tag.length > longestLanguageTag ? null : languageTag(tag))

function httpsUrl(given: string): string | null {
  const url = given.length <= PHOTO_URL_MAX ? URL.parse(given) : null
  return url?.protocol === 'https:' ? url.href : null
}
