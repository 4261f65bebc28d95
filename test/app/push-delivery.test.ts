import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { openProviders } from '../../src/features/notifications/providers.ts'
import { openOutbound } from '../../src/lib/outbound.ts'
import { seconds } from '../../src/lib/time.ts'
import { openPushSenders } from '../../src/outbox/senders.ts'
import { readConfig } from '../../src/config.ts'
import { testApp } from '../app.ts'
import { deliver } from '../devices.ts'
import { pushService, userAgent } from '../push-service.ts'

let service: Awaited<ReturnType<typeof pushService>>
beforeAll(async () => {
  service = await pushService()
})
afterAll(() => service.stop())
beforeEach(() => {
  service.behave(null)
  service.pushed.length = 0
})

async function open() {
  const allow = [`127.0.0.1:${service.port}`]
  const outbound = openOutbound({ allow, resolve: async () => ['127.0.0.1'], ca: service.ca })
  const secrets = { jwt: new Uint8Array(32), location: new Uint8Array(32) }
  const config = readConfig({ PUBLIC_URL: 'https://meet.example.org' })
  const push = openPushSenders({ config, secrets, outbound, now: Date.now })
  const bot = { sender: null, name: () => null, permissions: { targetOf: async () => null } }
  return testApp({}, { providers: openProviders({ push, bot }) })
}

test('a message reaches the browser of a user whose app is closed, encrypted, and an ended subscription is removed', async () => {
  const app = await open()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = await app.met(ada, bob)
  const browser = userAgent()
  const { webpush } = (await app.request('GET', '/api/v1/notifications/keys')).body
  const subscription = { endpoint: `${service.origin}/p/bob`, expirationTime: null, keys: browser.keys }
  expect((await bob.post('me/channels', { kind: 'webpush', subscription })).status).toBe(201)
  expect((await bob.post('me/channels', { kind: 'webpush', subscription })).status).toBe(200)

  await ada.post(`chats/${chat}/messages`, { text: 'a text for nobody else' })
  app.clock.now += 15 * seconds
  await deliver(app)
  expect(service.pushed).toHaveLength(1)
  const [{ body, vapidKey, path }] = service.pushed as [(typeof service.pushed)[0]]
  expect([path, vapidKey]).toEqual(['/p/bob', webpush])
  expect(JSON.parse(browser.decrypt(body))).toMatchObject({
    body: 'Ada sent a message',
    chat_id: chat,
    unread: 1,
  })
  expect(browser.decrypt(body)).not.toContain('nobody else')

  service.behave((request, response) => void request.resume().on('end', () => response.writeHead(410).end()))
  await ada.post(`chats/${chat}/messages`, { text: 'another one' })
  app.clock.now += 15 * seconds
  await deliver(app)
  expect((await bob.get('me/channels')).body.items).toEqual([])
})

test('a subscription of no known push service, or with broken keys, is refused', async () => {
  const bob = await (await open()).person('Bob')
  const { keys } = userAgent()
  const endpoint = `${service.origin}/p`
  for (const subscription of [
    { endpoint: 'https://127.0.0.1:1/p', keys },
    { endpoint: 'https://10.0.0.1/p', keys },
    { endpoint: 'https://meet.example.org/p', keys },
    { endpoint: 'http://push.example/p', keys },
    { endpoint: `https://ada:x@push.example/p`, keys },
    { endpoint, keys: { ...keys, p256dh: keys.p256dh.replace(/.{20}$/, 'A'.repeat(20)) } },
    { endpoint, keys: { ...keys, auth: 'AAAA' } },
  ])
    expect([subscription, (await bob.post('me/channels', { kind: 'webpush', subscription })).status]).toEqual([
      subscription,
      422,
    ])
  expect((await bob.get('me/channels')).body.items).toEqual([])
})
