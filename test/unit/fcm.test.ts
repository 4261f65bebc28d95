import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { hours, minutes } from '../../src/lib/time.ts'
import { TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import { readServiceAccount } from '../../src/outbox/fcm/account.ts'
import { fcmSender } from '../../src/outbox/fcm/sender.ts'
import { ChannelGone } from '../../src/outbox/push.ts'
import { fcmError, fcmServer } from '../fcm-server.ts'
import { aMessage } from '../push-service.ts'

let server: ReturnType<typeof fcmServer>
beforeAll(() => {
  server = fcmServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.replyWith(null)
  server.replyToTokenRequestsWith(null)
  server.messages.length = 0
})

const target = { token: 'secret-device' }

function senderOf({ url = server.url, now = Date.now, timeoutMs = 20_000, tokenUrl = server.account.token_uri } = {}) {
  const account = readServiceAccount(JSON.stringify({ ...server.account, token_uri: tokenUrl }), 'key.json')
  return fcmSender({ account, url, now, timeoutMs })
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => new Error('nothing failed'),
    (error: Error) => error,
  )
  expect(error.message).not.toMatch(/nothing failed|secret|ya29|Ada|127\.0\.0\.1/)
  return error
}

describe('a notification by FCM', () => {
  test('replaces the one before it with the same tag, and wakes the phone for a message', async () => {
    expect(await senderOf().show(target, aMessage, null)).toBeNull()
    expect(server.messages).toEqual([
      {
        token: 'secret-device',
        notification: { title: 'Ada', body: 'sent a message' },
        data: { kind: 'message', tag: aMessage.tag, chat_id: aMessage.chat_id!, unread: '3', language: 'en' },
        android: {
          collapse_key: aMessage.tag,
          priority: 'HIGH',
          ttl: '86400s',
          notification: { tag: aMessage.tag, notification_count: 3 },
        },
        apns: {
          headers: { 'apns-collapse-id': aMessage.tag },
          payload: { aps: { badge: 3, 'thread-id': aMessage.tag, 'mutable-content': 1, sound: 'default' } },
        },
      },
    ])
  })

  test('without a chat has no chat_id, and a long text is cut to what FCM takes', async () => {
    const long = {
      ...aMessage,
      kind: 'review' as const,
      chat_id: null,
      title: '"'.repeat(9000),
      body: '\n"'.repeat(9000),
    }
    await senderOf().show(target, long, null)
    const [{ data, android, ...message }] = server.messages as [(typeof server.messages)[0]]
    expect(data).not.toHaveProperty('chat_id')
    expect(android.priority).toBe('NORMAL')
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(4096)
  })

  test('is taken back by a message that the app sees alone', async () => {
    await senderOf().takeBack?.(target, aMessage.tag, null)
    const [message] = server.messages
    expect(message).toMatchObject({
      data: { type: 'take_back', tag: aMessage.tag },
      android: { collapse_key: aMessage.tag, priority: 'NORMAL' },
    })
    expect(message).not.toHaveProperty('notification')
  })
})

describe('the access token', () => {
  test('is asked for once by 100 notifications at the same time', async () => {
    const before = server.issued()
    const { show } = senderOf()
    await Promise.all(Array.from({ length: 100 }, () => show(target, aMessage, null)))
    expect(server.messages).toHaveLength(100)
    expect(server.issued() - before).toBe(1)
  })

  test('is renewed before it ends', async () => {
    let at = Date.now()
    const before = server.issued()
    const { show } = senderOf({ now: () => at })
    await show(target, aMessage, null)
    at += 50 * minutes
    await show(target, aMessage, null)
    expect(server.issued() - before).toBe(1)
    at += 6 * minutes
    await show(target, aMessage, null)
    expect(server.issued() - before).toBe(2)
  })

  test('that is refused is renewed once, also by 100 at the same time', async () => {
    const { show } = senderOf()
    await show(target, aMessage, null)
    const before = server.issued()
    server.endTokens()
    await Promise.all(Array.from({ length: 100 }, () => show(target, aMessage, null)))
    expect(server.messages).toHaveLength(101)
    expect(server.issued() - before).toBe(1)
  })

  test('that is refused again is a failure that may pass', async () => {
    server.replyWith(() => fcmError(401, 'UNAUTHENTICATED'))
    const failure = await failureOf(senderOf().show(target, aMessage, null))
    expect(failure).toEqual(new Error('FCM answered 401 (UNAUTHENTICATED)'))
    expect(failure).not.toBeInstanceOf(Undeliverable)
  })

  test('that Google does not give is a failure that may pass, and the next notification asks again', async () => {
    const { show } = senderOf()
    server.replyToTokenRequestsWith(() => Response.json({ error: 'invalid_grant' }, { status: 400 }))
    const failure = await failureOf(show(target, aMessage, null))
    expect(failure).toEqual(new Error('no access token: Google answered 400'))
    expect(failure).not.toBeInstanceOf(Undeliverable)
    server.replyToTokenRequestsWith(() => new Response('busy', { status: 503, headers: { 'retry-after': '30' } }))
    expect(await failureOf(show(target, aMessage, null))).toEqual(
      new TryLater('no access token: Google answered 503', 30_000, true),
    )
    server.replyToTokenRequestsWith(() => Response.json({ access_token: 7 }))
    expect((await failureOf(show(target, aMessage, null))).message).toBe('no access token: Google answered 200')
    server.replyToTokenRequestsWith(null)
    await show(target, aMessage, null)
    expect(server.messages).toHaveLength(1)
  })
})

describe('an error of FCM', () => {
  const answered = (response: () => Response) => {
    server.replyWith(response)
    return failureOf(senderOf().show(target, aMessage, null))
  }
  const malformed = () =>
    Response.json(
      {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'The registration token is not a valid FCM registration token',
          details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'INVALID_ARGUMENT' }],
        },
      },
      { status: 400 },
    )
  const violation = () =>
    Response.json(
      {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'Request contains an invalid argument.',
          details: [
            { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'INVALID_ARGUMENT' },
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ field: 'message.token', description: 'bad' }],
            },
          ],
        },
      },
      { status: 400 },
    )

  test('about the device ends its channel', async () => {
    for (const response of [
      () => fcmError(404, 'NOT_FOUND', 'UNREGISTERED'),
      () => fcmError(404, 'NOT_FOUND'),
      () => fcmError(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'),
      violation,
      malformed,
    ])
      expect(await answered(response)).toBeInstanceOf(ChannelGone)
  })

  test('about the notification is final, and the channel stays', async () => {
    const failure = await answered(() => fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'))
    expect(failure).toEqual(new Undeliverable('FCM answered 400 (INVALID_ARGUMENT)'))
    expect(failure).not.toBeInstanceOf(ChannelGone)
  })

  test('about the quota or the load waits as long as it says; a quota for a minute', async () => {
    for (const [response, afterMs] of [
      [() => fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', { 'retry-after': '90' }), 90_000],
      [() => fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'), minutes],
      [() => fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE', { 'retry-after': '86400' }), hours],
    ] as const) {
      const failure = await answered(response)
      expect(failure).toEqual(new TryLater(failure.message, afterMs, true))
    }
  })

  test('about the quota of one device holds up no other', async () => {
    const details = [
      { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'QUOTA_EXCEEDED' },
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ subject: 'device:secret-device', description: 'Device message rate exceeded' }],
      },
    ]
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded.', details }
    const failure = await answered(() => Response.json({ error }, { status: 429 }))
    expect(failure).toEqual(new TryLater('FCM answered 429 (QUOTA_EXCEEDED)', minutes))
  })

  test('about the settings, or that nobody knows, may pass and ends no channel', async () => {
    for (const response of [
      () => fcmError(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'),
      () => fcmError(403, 'PERMISSION_DENIED'),
      () => fcmError(500, 'INTERNAL', 'INTERNAL'),
      () => fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE'),
      () => new Response('<h1>Not Found</h1>', { status: 404 }),
      () => new Response(null, { status: 302, headers: { location: 'https://example.org/' } }),
    ]) {
      const failure = await answered(response)
      expect([failure.message, failure instanceof Undeliverable, failure instanceof TryLater]).toEqual([
        expect.stringMatching(/^FCM answered \d+ \([A-Z_a-z]+\)$/),
        false,
        false,
      ])
    }
  })
})

describe('no answer of FCM', () => {
  test('in time, whole or at all is a failure that may pass', async () => {
    server.replyWith(() => 'hang')
    // On a busy machine already the access token may come too late.
    expect((await failureOf(senderOf({ timeoutMs: 500 }).show(target, aMessage, null))).message).toMatch(
      /^no (answer of FCM|access token: no answer) \(timeout\)$/,
    )
    server.replyToTokenRequestsWith(() => 'hang')
    const failure = await failureOf(senderOf({ timeoutMs: 300 }).show(target, aMessage, null))
    expect(failure.message).toBe('no access token: no answer (timeout)')
    server.replyToTokenRequestsWith(null)
    // One that cuts the connection in the middle of its answer.
    const cut = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{', () => socket.destroy()))
    })
    await new Promise<void>((listening) => cut.listen(0, '127.0.0.1', listening))
    const { port } = cut.address() as AddressInfo
    try {
      for (const url of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1']) {
        const failure = await failureOf(senderOf({ url }).show(target, aMessage, null))
        expect(failure.message).toMatch(/^no answer of FCM \(\w+\)$/)
        expect(failure).not.toBeInstanceOf(Undeliverable)
      }
      const failure = await failureOf(
        senderOf({ tokenUrl: `http://127.0.0.1:${port}/token` }).show(target, aMessage, null),
      )
      expect(failure).not.toBeInstanceOf(Undeliverable)
    } finally {
      cut.close()
    }
  })
})
