import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { checkMediaUrl, signMediaUrl } from '../../src/features/media/signed-url.ts'

const key = Buffer.from('a signing key of thirty-two byte')
const id = '0b5f7a52-6c0f-4f0e-9d6a-0a3c5b1f2e7d'
const otherId = '0b5f7a52-6c0f-4f0e-9d6a-0a3c5b1f2e7e'
const message = '019a0000-0000-7000-8000-000000000001'
const hour = 3_600_000
const midnight = Date.UTC(2026, 10, 21)
const noon = midnight + 12 * hour

/** What a request for this URL brings, as the route reads it. */
function partsOf(path: string) {
  const url = new URL(path, 'http://convene.test')
  const query = (name: string) => url.searchParams.get(name) ?? ''
  return { id: url.pathname.split('/').at(-1)!, scope: query('for'), exp: query('exp'), sig: query('sig') }
}

const check = (parts: Partial<ReturnType<typeof partsOf>>, nowMs = noon) =>
  checkMediaUrl({ key, ...partsOf(signMediaUrl({ key, id, scope: 'profile', nowMs: noon })), ...parts, nowMs })

test('the URL is a path with scope, expiry and an HMAC-SHA256 over what stands before it', () => {
  const url = signMediaUrl({ key, id, scope: 'profile', nowMs: noon })
  const exp = Date.UTC(2026, 10, 23) / 1000
  const signed = `/api/v1/media/${id}?for=profile&exp=${exp}`
  expect(url).toBe(`${signed}&sig=${createHmac('sha256', key).update(signed).digest('base64url')}`)
})

test('a signed URL is good for its image and scope', () => {
  for (const scope of ['profile', 'upload', message]) {
    const parts = partsOf(signMediaUrl({ key, id, scope, nowMs: noon }))
    expect(parts).toMatchObject({ id, scope })
    expect(checkMediaUrl({ key, ...parts, nowMs: noon })).toBe(true)
  }
})

test('all day long the answer is one and the same URL, and the next day another', () => {
  const at = (nowMs: number) => signMediaUrl({ key, id, scope: 'profile', nowMs })
  expect(at(midnight)).toBe(at(midnight + 24 * hour - 1))
  expect(at(midnight + 24 * hour)).not.toBe(at(midnight))
})

test('a URL is good for 24 hours at least and 48 at most, and not a millisecond longer', () => {
  const early = partsOf(signMediaUrl({ key, id, scope: 'profile', nowMs: midnight }))
  const late = partsOf(signMediaUrl({ key, id, scope: 'profile', nowMs: midnight + 24 * hour - 1 }))
  expect(checkMediaUrl({ key, ...early, nowMs: midnight + 48 * hour - 1 })).toBe(true)
  expect(checkMediaUrl({ key, ...early, nowMs: midnight + 48 * hour })).toBe(false)
  expect(checkMediaUrl({ key, ...late, nowMs: midnight + 48 * hour - 1 })).toBe(true)
  expect(checkMediaUrl({ key, ...late, nowMs: midnight + 48 * hour })).toBe(false)
})

test('a URL is refused for another image, scope or expiry than it was signed for', () => {
  expect(check({})).toBe(true)
  expect(check({ id: otherId })).toBe(false)
  expect(check({ scope: 'upload' })).toBe(false)
  expect(check({ scope: message })).toBe(false)
  expect(check({ exp: String(Date.UTC(2036, 0, 1) / 1000) })).toBe(false)
})

test('a URL is refused under another key', () => {
  const parts = partsOf(
    signMediaUrl({ key: Buffer.from('another key of thirty-two bytes!'), id, scope: 'profile', nowMs: noon }),
  )
  expect(checkMediaUrl({ key, ...parts, nowMs: noon })).toBe(false)
})

test('a URL is refused where its signature is altered, shortened, lengthened, spelled otherwise or missing', () => {
  const { sig } = partsOf(signMediaUrl({ key, id, scope: 'profile', nowMs: noon }))
  // the last character carries two bits that decoding drops
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const sibling = sig.slice(0, -1) + last[last.indexOf(sig.at(-1)!) ^ 1]
  expect(Buffer.from(sibling, 'base64url')).toEqual(Buffer.from(sig, 'base64url'))
  const wrong = [
    sibling,
    (sig[0] === 'A' ? 'B' : 'A') + sig.slice(1),
    sig.slice(0, -1),
    `${sig}A`,
    `${sig}=`,
    sig.toLowerCase(),
    '',
    'é'.repeat(43),
    '\u0000'.repeat(43),
    '\ud800',
  ]
  for (const altered of wrong) expect(check({ sig: altered })).toBe(false)
})

test('a URL is refused where the expiry is no number of ours', () => {
  const { exp } = partsOf(signMediaUrl({ key, id, scope: 'profile', nowMs: noon }))
  for (const altered of ['', 'NaN', 'Infinity', '-1', ` ${exp}`, `${exp}.0`, `0${exp}`, `${exp}e0`, '9'.repeat(400)]) {
    expect(check({ exp: altered })).toBe(false)
  }
})

test('a URL is refused where its parts are shifted into one another', () => {
  const { exp, sig } = partsOf(signMediaUrl({ key, id, scope: 'profile', nowMs: noon }))
  expect(check({ id: `${id}?for=profile&exp=${exp}&sig=${sig}`, scope: '', exp: '' })).toBe(false)
  expect(check({ scope: `profile&exp=${exp}`, exp: '' })).toBe(false)
  expect(check({ id: `${id}?for=profile`, scope: '', exp })).toBe(false)
})
