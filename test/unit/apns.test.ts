import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { constants } from 'node:http2'
import { type AddressInfo, connect, createServer } from 'node:net'
import { decodeJwt } from 'jose'
import { minutes } from '../../src/lib/time.ts'
import { readApnsKey } from '../../src/outbox/apns/key.ts'
import { apnsSender, collapseId } from '../../src/outbox/apns/sender.ts'
import { TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import { ChannelGone, type Notification } from '../../src/outbox/push.ts'
import { apnsServer, refuse } from '../apns-server.ts'
import { cable } from '../cable.ts'
import { aMessage } from '../push-service.ts'
import { certificateFor } from '../tls-server.ts'
import { until } from '../until.ts'

let server: Awaited<ReturnType<typeof apnsServer>>
beforeAll(async () => {
  server = await apnsServer()
})
afterAll(() => server.stop())

const closing: (() => unknown)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
  server.behave(null)
  server.received.length = 0
})

const device = 'ab'.repeat(32)
const target = { token: device }

type Given = { pem?: string } & Partial<Parameters<typeof apnsSender>[0]>

function senderOf({
  url = server.url,
  now = Date.now,
  timeoutMs = 20_000,
  pem = server.privateKey,
  ...more
}: Given = {}) {
  const key = readApnsKey(pem, 'key.p8')
  const topic = 'org.example.meet'
  const sender = apnsSender({ key, keyId: 'KEY1234567', teamId: 'TEAM123456', topic, url, now, timeoutMs, ...more })
  closing.push(() => sender.close?.())
  return sender
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => new Error('nothing failed'),
    (error: Error) => error,
  )
  expect(error.message).not.toMatch(/nothing failed|abab|Ada|eyJ|127\.0\.0\.1/)
  return error
}

describe('a notification by APNs', () => {
  test('replaces the one before it with the same tag, and says how many are unread', async () => {
    expect(await senderOf().show(target, aMessage, null)).toBeNull()
    const [{ headers, payload, ...apn }] = server.received as [(typeof server.received)[0]]
    expect(apn.device).toBe(device)
    expect(headers).toMatchObject({
      'apns-topic': 'org.example.meet',
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-collapse-id': aMessage.tag,
    })
    expect(Number(headers['apns-expiration']) * 1000).toBeGreaterThan(Date.now())
    const { kind, tag, chat_id } = aMessage
    const alert = { title: 'Ada', body: 'sent a message' }
    const aps = { alert, badge: 3, sound: 'default', 'thread-id': tag, 'mutable-content': 1 }
    expect(payload).toEqual({ aps, kind, tag, chat_id })
  })

  test('with a long text is cut to what Apple takes, and one that nobody waits for saves power', async () => {
    const text = '"\n'.repeat(9000)
    const long: Notification = { ...aMessage, kind: 'review', title: text, body: text }
    await senderOf().show(target, long, null)
    const [{ headers, payload }] = server.received as [(typeof server.received)[0]]
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThan(4096)
    expect(headers['apns-priority']).toBe('5')
  })

  test('is taken back by a push in the background', async () => {
    await senderOf().takeBack?.(target, aMessage.tag, null)
    const [{ headers, payload }] = server.received as [(typeof server.received)[0]]
    expect(headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' })
    expect(payload).toEqual({ aps: { 'content-available': 1 }, type: 'take_back', tag: aMessage.tag })
  })

  test('has a collapse id of 64 bytes at most', () => {
    expect(collapseId('chat_1')).toBe('chat_1')
    expect(collapseId('й'.repeat(64))).toMatch(/^[\w-]{43}$/)
    expect(collapseId('x'.repeat(65))).toMatch(/^[\w-]{43}$/)
  })

  test('goes over TLS to a server that the given authority vouches for, and to no other', async () => {
    const tls = certificateFor(['localhost'])
    const secure = await apnsServer({ tls })
    closing.push(secure.stop)
    const { url, privateKey: pem } = secure
    await senderOf({ url, pem, ca: tls.cert }).show(target, aMessage, null)
    expect(secure.received).toHaveLength(1)
    expect((await failureOf(senderOf({ url, pem }).show(target, aMessage, null))).message).toMatch(/^no answer of APNs/)
    expect(secure.received).toHaveLength(1)
  })
})

describe('the connection', () => {
  test('is one, with one provider token, for 100 notifications at the same time', async () => {
    const before = server.connections()
    const { show } = senderOf()
    await Promise.all(Array.from({ length: 100 }, () => show(target, aMessage, null)))
    expect(server.received).toHaveLength(100)
    expect(server.connections() - before).toBe(1)
    expect(new Set(server.received.map(({ token }) => token)).size).toBe(1)
  })

  test('carries no more requests at once than the server takes', async () => {
    const narrow = await apnsServer({ atOnce: 2 })
    closing.push(narrow.stop)
    const { show } = senderOf({ url: narrow.url, pem: narrow.privateKey })
    // The limit is known after the first answer.
    await show(target, aMessage, null)
    await Promise.all(Array.from({ length: 10 }, () => show(target, aMessage, null)))
    expect(narrow.received).toHaveLength(11)
    expect(narrow.most()).toBeLessThanOrEqual(2)
    expect(narrow.connections()).toBe(1)
  })

  test('that the server ends by GOAWAY finishes what is on its way; the next notification opens another', async () => {
    const { show } = senderOf()
    await show(target, aMessage, null)
    const before = server.connections()
    const { promise: ended, resolve: end } = Promise.withResolvers<() => void>()
    server.behave(({ stream, session }) => {
      session.goaway(constants.NGHTTP2_NO_ERROR, stream.id, Buffer.from('{"reason":"Shutdown"}'))
      end(() => {
        stream.respond({ ':status': 200 })
        stream.end()
      })
    })
    const slow = show(target, aMessage, null)
    const finish = await ended
    server.behave(null)
    // The client may hear of it a little later.
    await until(async () => {
      await show(target, aMessage, null)
      return server.connections() > before
    }, 'another connection is used')
    finish()
    await slow
    await show(target, aMessage, null)
    expect(server.connections() - before).toBe(1)
  })

  test('that ends before a request was looked at sends it again over another, once', async () => {
    const { show } = senderOf()
    await show(target, aMessage, null)
    const before = server.connections()
    let refused = 0
    server.behave(({ stream, session }) => {
      if (refused++ > 0) return true
      session.goaway(constants.NGHTTP2_NO_ERROR, Math.max(0, (stream.id ?? 0) - 2))
    })
    await show(target, aMessage, null)
    expect(server.received).toHaveLength(2)
    expect(server.connections() - before).toBe(1)
    refused = 0
    server.behave(({ stream }) => {
      refused++
      stream.close(constants.NGHTTP2_REFUSED_STREAM)
    })
    expect(await failureOf(show(target, aMessage, null))).not.toBeInstanceOf(Undeliverable)
    expect(refused).toBeWithin(1, 3)
  })

  test('that ends with many requests hands them to another one, which takes few at once', async () => {
    const narrow = await apnsServer({ atOnce: 2 })
    closing.push(narrow.stop)
    const { show } = senderOf({ url: narrow.url, pem: narrow.privateKey })
    await show(target, aMessage, null)
    let ended: unknown = null
    narrow.behave(({ session }) => {
      if (ended === session) return
      if (ended !== null) return true
      ended = session
      // It has processed the first request only.
      session.goaway(constants.NGHTTP2_NO_ERROR, 1)
    })
    await Promise.all(Array.from({ length: 20 }, () => show(target, aMessage, null)))
    expect(narrow.received).toHaveLength(21)
    expect(narrow.connections()).toBe(2)
  })

  test('that is cut in the middle is a failure that may pass, and the next notification opens another', async () => {
    const { port, cut, unplug } = await cable(Number(new URL(server.url).port))
    closing.push(unplug)
    const { show } = senderOf({ url: `http://127.0.0.1:${port}` })
    let answers = false
    server.behave(({ stream }) => {
      if (!answers) return cut()
      stream.respond({ ':status': 503 })
      stream.write('{"rea', cut)
    })
    for (answers of [false, true]) {
      const failure = await failureOf(show(target, aMessage, null))
      expect(failure).not.toBeInstanceOf(Undeliverable)
      expect(failure).not.toBeInstanceOf(TryLater)
    }
    server.behave(null)
    await show(target, aMessage, null)
    expect(server.received).toHaveLength(1)
  })

  test('over which a request has timed out takes no other one', async () => {
    const before = server.connections()
    const { show } = senderOf({ timeoutMs: 2000 })
    server.behave(() => {})
    expect(await failureOf(show(target, aMessage, null))).toEqual(new Error('no answer of APNs (timeout)'))
    server.behave(null)
    await show(target, aMessage, null)
    expect(server.connections() - before).toBe(2)
  })

  test('that does not answer a ping is given up', async () => {
    // The other side of a network that has broken: bytes go in, and nothing comes back.
    let isSilent = false
    let connections = 0
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    const network = createServer((client) => {
      connections++
      const there = connect(Number(new URL(server.url).port), '127.0.0.1')
      client.on('data', (bytes) => void (isSilent || there.write(bytes)))
      there.on('data', (bytes) => void (isSilent || client.write(bytes)))
      there.on('error', () => {})
      client.on('error', () => {}).on('close', () => (there.destroy(), close()))
    })
    await new Promise<void>((listening) => network.listen(0, '127.0.0.1', listening))
    closing.push(() => network.close())
    const url = `http://127.0.0.1:${(network.address() as AddressInfo).port}`
    const { show } = senderOf({ url, pingEveryMs: 50, pingTimeoutMs: 1000 })
    await show(target, aMessage, null)
    isSilent = true
    await closed
    isSilent = false
    await show(target, aMessage, null)
    expect(connections).toBe(2)
  })

  test('that is refused, or leads to something else, is a failure that may pass', async () => {
    const failure = await failureOf(senderOf({ url: 'http://127.0.0.1:1' }).show(target, aMessage, null))
    expect(failure).toEqual(new Error('no answer of APNs (ECONNREFUSED)'))
    const mute = createServer((socket) => void socket.on('error', () => {}))
    await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening))
    closing.push(() => mute.close())
    const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`
    expect((await failureOf(senderOf({ url, timeoutMs: 300 }).show(target, aMessage, null))).message).toBe(
      'no answer of APNs (timeout)',
    )
  })
})

describe('the provider token', () => {
  const issuedAt = (at: number) => decodeJwt(server.received[at]!.token).iat! * 1000

  test('is kept for 40 minutes and then renewed', async () => {
    const start = Math.floor(Date.now() / 1000) * 1000
    let at = start
    const { show } = senderOf({ now: () => at })
    for (const minute of [0, 39, 41]) {
      at = start + minute * minutes
      await show(target, aMessage, null)
    }
    expect([issuedAt(0), issuedAt(1), issuedAt(2)]).toEqual([start, start, start + 41 * minutes])
  })

  test('that is too old for Apple is renewed once, also by 100 notifications at the same time', async () => {
    let at = Date.now()
    const { show } = senderOf({ now: () => at })
    await show(target, aMessage, null)
    server.endToken(server.received[0]!.token)
    at += 2000
    await Promise.all(Array.from({ length: 100 }, () => show(target, aMessage, null)))
    expect(server.received).toHaveLength(101)
    expect(new Set(server.received.map(({ token }) => token)).size).toBe(2)
  })

  test('that stays too old, or is refused, is a failure that may pass', async () => {
    let asked = 0
    for (const reason of ['ExpiredProviderToken', 'InvalidProviderToken']) {
      asked = 0
      server.behave(({ stream }) => {
        asked++
        refuse(stream, 403, reason)
      })
      const failure = await failureOf(senderOf().show(target, aMessage, null))
      expect(failure).toEqual(new Error(`APNs answered 403 (${reason})`))
      expect(failure).not.toBeInstanceOf(Undeliverable)
      expect(asked).toBe(reason === 'ExpiredProviderToken' ? 2 : 1)
    }
  })
})

describe('a refusal of APNs', () => {
  const answered = (status: number, reason: string, headers = {}) => {
    server.behave(({ stream }) => refuse(stream, status, reason, headers))
    return failureOf(senderOf().show(target, aMessage, null))
  }

  test('of the device ends its channel', async () => {
    for (const [status, reason] of [
      [410, 'Unregistered'],
      [410, 'ExpiredToken'],
      [400, 'BadDeviceToken'],
    ] as const)
      expect(await answered(status, reason)).toBeInstanceOf(ChannelGone)
  })

  test('of a device that has registered again since then leaves its channel', async () => {
    const endedAt = Date.UTC(2026, 10, 22, 12)
    server.behave(({ stream }) => refuse(stream, 410, 'Unregistered', {}, endedAt))
    const { show } = senderOf()
    const failure = await failureOf(show({ ...target, since: endedAt + 1 }, aMessage, null))
    expect([failure instanceof Undeliverable, failure instanceof ChannelGone]).toEqual([true, false])
    for (const since of [undefined, endedAt - 1, endedAt])
      expect(await failureOf(show({ ...target, since }, aMessage, null))).toBeInstanceOf(ChannelGone)
  })

  test('of a token that is no device token is not even asked for', async () => {
    for (const token of ['', '../../x', 'ab cd', 'x'.repeat(64), `${device}\r\nx: y`, 'ab'.repeat(200)])
      expect(await failureOf(senderOf().show({ token }, aMessage, null))).toBeInstanceOf(ChannelGone)
    expect(server.received).toEqual([])
  })

  test('of the notification is final, and the channel stays', async () => {
    for (const [status, reason] of [
      [413, 'PayloadTooLarge'],
      [400, 'BadCollapseId'],
      [400, 'DeviceTokenNotForTopic'],
      [400, 'PayloadEmpty'],
    ] as const) {
      const failure = await answered(status, reason)
      expect([reason, failure instanceof Undeliverable, failure instanceof ChannelGone]).toEqual([reason, true, false])
    }
  })

  test('of too many waits as long as it says, or a minute', async () => {
    // The first of these is about one device, the others about all of them.
    for (const [status, reason, headers, afterMs, isForAll] of [
      [429, 'TooManyRequests', {}, minutes, false],
      [429, 'TooManyProviderTokenUpdates', { 'retry-after': '1200' }, 20 * minutes, true],
      [503, 'ServiceUnavailable', { 'retry-after': '30' }, 30_000, true],
    ] as const) {
      const failure = (await answered(status, reason, headers)) as TryLater
      expect(failure).toBeInstanceOf(TryLater)
      expect([reason, failure.afterMs, failure.isForAll]).toEqual([reason, afterMs, isForAll])
    }
  })

  test('for another reason may pass', async () => {
    for (const [status, reason] of [
      [400, 'TopicDisallowed'],
      [403, 'BadCertificateEnvironment'],
      [404, 'BadPath'],
      [500, 'InternalServerError'],
      [503, 'Shutdown'],
      [500, 'not <a> word'],
    ] as const) {
      const failure = await answered(status, reason)
      expect([reason, failure instanceof Undeliverable, failure instanceof TryLater]).toEqual([reason, false, false])
    }
  })
})
