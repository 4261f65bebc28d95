import { encryptNotification } from '@block65/webcrypto-web-push'
import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { createECDH } from 'node:crypto'
import { decodeJwt } from 'jose'
import { openOutbound } from '../../src/lib/outbound.ts'
import { days, hours, minutes } from '../../src/lib/time.ts'
import { TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import { laneOfEndpoint } from '../../src/outbox/lanes.ts'
import { ChannelGone, type Notification } from '../../src/outbox/push.ts'
import { retryAfterMs } from '../../src/outbox/retry-after.ts'
import { webPushSender } from '../../src/outbox/webpush/sender.ts'
import { parseSubscription } from '../../src/outbox/webpush/subscription.ts'
import { openVapid, vapidSubject } from '../../src/outbox/webpush/vapid.ts'
import { aMessage, decrypted, pushService, userAgent } from '../push-service.ts'

let service: Awaited<ReturnType<typeof pushService>>
beforeAll(async () => {
  service = await pushService()
})
afterAll(() => service.stop())
beforeEach(() => {
  service.behave(null)
  service.pushed.length = 0
})

const secrets = { jwt: new Uint8Array(32).fill(7), location: new Uint8Array(32) }
const subject = 'https://meet.example.org'

function senderOf({ addressOf = (): string => '127.0.0.1', now = Date.now, timeoutMs = 20_000, allowed = true } = {}) {
  const outbound = openOutbound({
    resolve: async () => [addressOf()],
    ca: service.ca,
    allow: allowed ? [`127.0.0.1:${service.port}`] : [],
  })
  const vapid = openVapid({ secrets, subject, now })
  return { ...webPushSender({ vapid, outbound, now, timeoutMs }), vapid, outbound }
}

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('nothing failed')
    },
    (error: Error) => error,
  )

// RFC 8291, section 5 and appendix A.
const rfc = {
  text: 'When I grow up, I want to be a watermelon',
  sender: {
    d: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
    point: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  },
  receiver: {
    d: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
    point: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  },
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

describe('the vector of RFC 8291', () => {
  test('is what the library makes of the same keys and salt', async () => {
    const point = Buffer.from(rfc.sender.point, 'base64url')
    const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
    const ecdh = { name: 'ECDH', namedCurve: 'P-256' }
    const jwk = { kty: 'EC', crv: 'P-256', x, y }
    const privateKey = await crypto.subtle.importKey('jwk', { ...jwk, d: rfc.sender.d }, ecdh, true, ['deriveBits'])
    const publicKey = await crypto.subtle.importKey('jwk', jwk, ecdh, true, [])
    // Nothing but randomness is replaced.
    const pair = spyOn(crypto.subtle, 'generateKey').mockImplementation((async () => ({
      privateKey,
      publicKey,
    })) as never)
    const salt = spyOn(crypto, 'getRandomValues').mockImplementation(((bytes: Uint8Array) => {
      bytes.set(Buffer.from(rfc.salt, 'base64url'))
      return bytes
    }) as never)
    try {
      const subscription = {
        endpoint: 'https://push.example.net/',
        expirationTime: null,
        keys: { p256dh: rfc.receiver.point, auth: rfc.auth },
      }
      const message = await encryptNotification(subscription, new TextEncoder().encode(rfc.text), { pad: false })
      expect(Buffer.from(message).toString('base64url')).toBe(rfc.message)
    } finally {
      pair.mockRestore()
      salt.mockRestore()
    }
  })

  test('is read by the push service of these tests', () => {
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey(Buffer.from(rfc.receiver.d, 'base64url'))
    const message = Buffer.from(rfc.message, 'base64url')
    expect(decrypted(message, ecdh, Buffer.from(rfc.auth, 'base64url'))).toBe(rfc.text)
  })
})

describe('a push', () => {
  test('arrives encrypted for the browser alone, with its headers and the proof of who sends', async () => {
    const browser = userAgent()
    const { show, vapid } = senderOf()
    const target = { endpoint: `${service.origin}/p/one?x=1`, keys: browser.keys }
    expect(await show(target, aMessage, null)).toBeNull()
    const [{ path, headers, claims, vapidKey, body }] = service.pushed as [(typeof service.pushed)[0]]
    expect(path).toBe('/p/one?x=1')
    expect(JSON.parse(browser.decrypt(body))).toEqual(aMessage)
    expect(body.includes('Ada')).toBe(false)
    expect(headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '86400',
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
    })
    expect(claims).toEqual({ aud: service.origin, sub: subject, exp: expect.any(Number) })
    expect(Number(claims.exp) * 1000).toBeWithin(Date.now(), Date.now() + days)
    expect(vapidKey).toBe(vapid.publicKey)
  })

  test('has the same length whatever the text, and never more than 4096 bytes', async () => {
    const browser = userAgent()
    const { show } = senderOf()
    const texts = ['', 'hi', '"\\\n'.repeat(5000), '𝒜'.repeat(5000), '\u0000'.repeat(5000), '👩‍👩‍👧‍👧'.repeat(1000)]
    for (const text of texts)
      await show({ endpoint: service.origin, keys: browser.keys }, { ...aMessage, title: text, body: text }, null)
    expect(service.pushed.map(({ body }) => body.length)).toEqual(texts.map(() => 4096))
    const bodies = service.pushed.map(({ body }): Notification => JSON.parse(browser.decrypt(body)))
    expect(bodies[1]!.body).toBe('hi')
    // Cut between characters.
    expect(bodies[3]!.body).toMatch(/^(𝒜)+…$/u)
    expect(bodies[5]!.body).toMatch(/^(👩‍👩‍👧‍👧)+…$/u)
  })

  test('has a topic by its tag, which differs between subscriptions', async () => {
    const [one, other] = [userAgent(), userAgent()]
    const { show } = senderOf()
    for (const [{ keys }, tag] of [
      [one, 'chat_a'],
      [one, 'chat_a'],
      [one, 'chat_b'],
      [other, 'chat_a'],
    ] as const)
      await show({ endpoint: service.origin, keys }, { ...aMessage, tag }, null)
    const topics = service.pushed.map(({ headers }) => headers.topic)
    expect(topics[1]).toBe(topics[0])
    expect(new Set(topics).size).toBe(3)
  })

  test('is not urgent where nobody waits for it', async () => {
    await senderOf().show({ endpoint: service.origin, keys: userAgent().keys }, { ...aMessage, kind: 'review' }, null)
    expect(service.pushed[0]!.headers.urgency).toBe('normal')
  })

  test('uses the connection of the one before', async () => {
    service.connections.clear()
    const { show, close } = senderOf()
    const target = { endpoint: service.origin, keys: userAgent().keys }
    for (let i = 0; i < 4; i++) await show(target, aMessage, null)
    expect(service.connections.size).toBe(1)
    close?.()
  })
})

test('a known push service has a lane for each of its hosts, and any other is one that users have named', () => {
  for (const host of [
    'fcm.googleapis.com',
    'updates.push.services.mozilla.com',
    'wns2-par02p.notify.windows.com',
    'web.push.apple.com',
  ])
    expect(laneOfEndpoint(`https://${host}/p/one?x=1`)).toBe(host)
  for (const host of [
    'push.example',
    'push.example:8443',
    'fcm.googleapis.com:81',
    'fcm.googleapis.com.example',
    'notify.windows.com.push.example',
    'xfcm.googleapis.com',
  ])
    expect(laneOfEndpoint(`https://${host}/p`)).toBe(`other ${host}`)
})

describe('the VAPID pair', () => {
  const vapidOf = (jwt: string) =>
    openVapid({ secrets: { ...secrets, jwt: Buffer.from(jwt) }, subject, now: Date.now }).publicKey

  test('belongs to the installation: the same at each start and on each node, another one elsewhere', () => {
    expect(vapidOf('one')).toBe(vapidOf('one'))
    expect(vapidOf('one')).not.toBe(vapidOf('other'))
    expect(Buffer.from(vapidOf('one'), 'base64url')).toHaveLength(65)
  })

  test('signs once for an origin, and anew before the token ends', async () => {
    let at = Date.now()
    const { authorization } = openVapid({ secrets, subject, now: () => at })
    const first = await authorization('https://push.example/a')
    expect(await authorization('https://push.example/b')).toBe(first)
    expect(await authorization('https://other.example/a')).not.toBe(first)
    at += 7 * hours
    expect(await authorization('https://push.example/a')).not.toBe(first)
  })

  test('signs anew after the clock was set back: a token that ends in more than a day is refused', async () => {
    let at = Date.UTC(2026, 10, 24, 12)
    const vapid = openVapid({ secrets, subject, now: () => at })
    await vapid.authorization('https://push.example/a')
    at -= 48 * hours
    const header = await vapid.authorization('https://push.example/a')
    const { exp } = decodeJwt(/^vapid t=([^,]+),/.exec(header)![1]!)
    expect(exp! * 1000 - at).toBeLessThanOrEqual(24 * hours)
  })

  test('names whom a push service may write to: this server, else the sender of mails', () => {
    const mailFrom = { name: 'Convene', address: 'hello@example.org' }
    expect(vapidSubject({ publicUrl: 'https://meet.example.org', mailFrom })).toBe('https://meet.example.org')
    expect(vapidSubject({ publicUrl: 'http://localhost:3000', mailFrom })).toBe('mailto:hello@example.org')
    expect(vapidSubject({ publicUrl: null, mailFrom: null })).toBeNull()
  })
})

describe('an answer of the push service', () => {
  const answered = async (status: number, headers: Record<string, string> = {}, now = Date.now) => {
    service.behave(
      (request, response) => void request.resume().on('end', () => response.writeHead(status, headers).end('x')),
    )
    const target = { endpoint: `${service.origin}/secret-path`, keys: userAgent().keys }
    const failure = await failureOf(senderOf({ now }).show(target, aMessage, null))
    expect(failure.message).not.toMatch(/secret|push\.example|Ada/)
    return failure
  }

  test('404 and 410 mean that the subscription has ended', async () => {
    for (const status of [404, 410]) expect(await answered(status)).toBeInstanceOf(ChannelGone)
  })

  test('400, 413, and a refused key are final for this push, and the subscription stays', async () => {
    for (const status of [400, 401, 403, 413]) {
      const failure = await answered(status)
      expect([status, failure instanceof Undeliverable, failure instanceof ChannelGone]).toEqual([status, true, false])
    }
  })

  test('a redirect is not followed', async () => {
    expect(await answered(307, { location: 'https://169.254.169.254/' })).toEqual(
      new Undeliverable('no answer of the push service (redirect)'),
    )
  })

  test('429 and 5xx wait as long as Retry-After says, or as usual', async () => {
    const at = Date.UTC(2026, 10, 22, 12)
    for (const [status, header, afterMs] of [
      [429, '120', 2 * minutes],
      [503, 'Sun, 22 Nov 2026 12:05:00 GMT', 5 * minutes],
      [500, '999999999', hours],
      [429, '0', 1000],
    ] as const) {
      const failure = await answered(status, { 'retry-after': header }, () => at)
      // A limit is that of one subscription, a fault that of the whole service.
      expect(failure).toEqual(new TryLater(failure.message, afterMs, status >= 500))
    }
    // Microsoft answers 406 to too many requests.
    for (const status of [406, 429, 500, 502]) {
      const failure = await answered(status, { 'retry-after': 'soon' })
      expect(failure).not.toBeInstanceOf(Undeliverable)
      expect(failure).not.toBeInstanceOf(TryLater)
    }
  })

  test('that never comes, breaks off or has no end is a failure that may pass', async () => {
    const target = { endpoint: service.origin, keys: userAgent().keys }
    const cases: [string, number, Parameters<typeof service.behave>[0]][] = [
      ['timeout', 300, () => {}],
      ['connection', 20_000, (request) => void request.socket.destroy()],
      [
        'connection',
        20_000,
        (_, response) =>
          void (response.writeHead(201, { 'content-length': '9' }).write('x'),
          setTimeout(() => response.destroy(), 20)),
      ],
      ['too_large', 20_000, (_, response) => void response.writeHead(201).end('x'.repeat(100_000))],
    ]
    for (const [reason, timeoutMs, behaviour] of cases) {
      service.behave(behaviour)
      const failure = await failureOf(senderOf({ timeoutMs }).show(target, aMessage, null))
      expect(failure).toEqual(new Error(`no answer of the push service (${reason})`))
      expect(failure).not.toBeInstanceOf(Undeliverable)
    }
  })
})

describe('a subscription that leads elsewhere', () => {
  test('to a private address is never connected to, whatever its name says first', async () => {
    service.connections.clear()
    const { show } = senderOf({ allowed: false })
    const failure = await failureOf(show({ endpoint: service.origin, keys: userAgent().keys }, aMessage, null))
    expect(failure).toEqual(new Undeliverable('no answer of the push service (address)'))
    expect(service.connections.size).toBe(0)
  })

  test('to a private address at the second look-up is not called again, not even over the connection that is open', async () => {
    const addresses = ['127.0.0.1', '10.0.0.1']
    const { show, close } = senderOf({ addressOf: () => addresses.shift() ?? '' })
    const target = { endpoint: service.origin, keys: userAgent().keys }
    await show(target, aMessage, null)
    expect((await failureOf(show(target, aMessage, null))).message).toContain('(address)')
    expect(service.pushed).toHaveLength(1)
    close?.()
  })

  test('to this machine by its public address is never connected to', async () => {
    const outbound = openOutbound({ resolve: async () => ['8.8.8.8'], ownAddresses: () => ['8.8.8.8'] })
    const vapid = openVapid({ secrets, subject, now: Date.now })
    const { show } = webPushSender({ vapid, outbound, now: Date.now })
    const failure = await failureOf(show({ endpoint: 'https://push.example/', keys: userAgent().keys }, aMessage, null))
    expect(failure.message).toContain('(address)')
    expect(outbound.isPrivate(new URL('https://8.8.8.8/'))).toBe(true)
  })

  test('with keys that are broken has ended', async () => {
    const { keys } = userAgent()
    for (const broken of [
      { ...keys, p256dh: 'AAAA' },
      { ...keys, auth: 'AAAA' },
      { ...keys, p256dh: `B${'A'.repeat(86)}` },
    ]) {
      const failure = await failureOf(senderOf().show({ endpoint: service.origin, keys: broken }, aMessage, null))
      expect(failure).toBeInstanceOf(ChannelGone)
    }
    expect(service.pushed).toEqual([])
  })
})

describe('a subscription that a client brings', () => {
  const outbound = openOutbound({ allow: ['127.0.0.1:9000'] })
  const parse = (input: unknown) => parseSubscription(input, { outbound, publicUrl: 'https://meet.example.org' })
  const { keys } = userAgent()
  const endpoint = 'https://push.example/send/abc?x=1'

  test('is taken without what is not needed', () => {
    const expirationTime = null
    expect(parse({ endpoint, expirationTime, keys: { ...keys, more: 1 } })).toEqual({ endpoint, keys })
    expect(parse({ endpoint: `${endpoint}#x`, keys: { ...keys, auth: `${keys.auth}==` } })).toEqual({ endpoint, keys })
    const local = 'https://localhost:9000/x'
    expect(parse({ endpoint: local, keys })).toEqual({ endpoint: local, keys })
  })

  test('may lead to a listed push service at the address of the server itself, and to no other port there', () => {
    const parseAt = (address: string) =>
      parseSubscription({ endpoint: address, keys }, { outbound, publicUrl: 'http://127.0.0.1:3000' })
    expect(parseAt('https://127.0.0.1:9000/x')).toEqual({ endpoint: 'https://127.0.0.1:9000/x', keys })
    for (const bad of ['https://127.0.0.1:9001/x', 'https://127.0.0.1:3000/x', 'https://127.0.0.1/x'])
      expect(parseAt(bad)).toEqual({ problem: 'endpoint must be that of a push service' })
  })

  test('is refused where it leads to no push service', () => {
    for (const bad of [
      'http://push.example/x',
      'push.example',
      '',
      'https://',
      'file:///etc/passwd',
      'https://ada@push.example/x',
      'https://ada:x@push.example/x',
      'https://127.0.0.1/x',
      'https://127.1:9001/x',
      'https://localhost/x',
      'https://a.localhost./x',
      'https://10.0.0.1/x',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/x',
      'https://[::ffff:10.0.0.1]/x',
      'https://meet.example.org/x',
      'https://MEET.example.org.:444/x',
      `https://push.example/${'x'.repeat(2048)}`,
      7,
      null,
    ])
      expect([bad, parse({ endpoint: bad, keys })]).toEqual([bad, { problem: expect.stringContaining('endpoint') }])
  })

  test('is refused where its keys are broken', () => {
    const point = Buffer.from(keys.p256dh, 'base64url')
    const off = Buffer.from(point).fill(1, 60)
    const bad: [string, unknown][] = [
      ...[off, point.subarray(1), Buffer.concat([point, point]), Buffer.alloc(65), Buffer.alloc(65, 4)].map(
        (bytes): [string, unknown] => ['p256dh', bytes.toString('base64url')],
      ),
      ['p256dh', ''],
      ['p256dh', null],
      ['p256dh', 'x'.repeat(100_000)],
      ['p256dh', `${keys.p256dh.slice(0, -1)}!`],
      ['auth', 'AAAA'],
      ['auth', `${keys.auth}AAAA`],
      ['auth', 16],
      ['auth', undefined],
    ]
    for (const [name, value] of bad)
      expect([name, value, parse({ endpoint, keys: { ...keys, [name]: value } })]).toEqual([
        name,
        value,
        { problem: expect.stringContaining(`keys.${name}`) },
      ])
    for (const input of [null, 'x', [], {}, { endpoint }, { endpoint, keys: null }, { endpoint, keys: [] }])
      expect(parse(input)).toEqual({ problem: expect.any(String) })
  })
})

test('Retry-After is seconds or an HTTP date, from a second to an hour', () => {
  const now = Date.UTC(2026, 10, 22, 12)
  for (const [header, ms] of [
    ['5', 5000],
    [' 5 ', 5000],
    ['0', 1000],
    ['99999999999999999999', hours],
    ['Sun, 22 Nov 2026 12:00:30 GMT', 30_000],
    ['Sun, 22 Nov 2020 12:00:30 GMT', 1000],
    ['-5', null],
    ['1e3', null],
    ['2026', 2_026_000],
    ['tomorrow', null],
    ['Xxx, nonsense', null],
    ['', null],
    [undefined, null],
  ] as const)
    expect([header, retryAfterMs(header, now)]).toEqual([header, ms])
})
