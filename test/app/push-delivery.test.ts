import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { openProviders } from '../../src/features/notifications/providers.ts'
import { openOutbound } from '../../src/lib/outbound.ts'
import { seconds } from '../../src/lib/time.ts'
import { openPushSenders } from '../../src/outbox/senders.ts'
import { readConfig } from '../../src/config.ts'
import { type Person, testApp } from '../app.ts'
import { deliver } from '../devices.ts'
import { pushService, userAgent } from '../push-service.ts'
import { until } from '../until.ts'

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
  const outside = openOutbound({ allow, resolve: async () => ['127.0.0.1'], ca: service.ca })
  const outbound: typeof outside = {
    ...outside,
    // The service of this test stands for Google's.
    fetch: (url, wanted) => outside.fetch(url.replace('https://fcm.googleapis.com', service.origin), wanted),
  }
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

test('subscriptions at many hosts that never answer do not hold up those of a known push service', async () => {
  const app = await open()
  const hung: ServerResponse[] = []
  const arrived: string[] = []
  service.behave((request, response) => {
    if (request.url === '/hangs') return void hung.push(response)
    arrived.push(request.url ?? '')
    request.resume().on('end', () => response.writeHead(201).end())
  })
  const send = async (person: Person, endpoint: string) => {
    const subscription = { endpoint, keys: userAgent().keys }
    const { body } = await person.post('me/channels', { kind: 'webpush', subscription })
    expect((await person.post(`me/channels/${body.id}/test`)).status).toBe(202)
  }
  for (let i = 0; i < 3; i++) {
    const person = await app.person()
    for (let j = 0; j < 10; j++) await send(person, `https://h${i}-${j}.push.example:${service.port}/hangs`)
  }
  await until(() => hung.length >= 10, 'as many are on their way as may be')
  await send(await app.person(), 'https://fcm.googleapis.com/fcm/send/bob')
  await until(() => arrived.length > 0, 'the push has arrived')
  expect(arrived).toEqual(['/fcm/send/bob'])
  expect(hung.length).toBeLessThanOrEqual(10 * app.nodes.length)
  // A push service of one's own gets its turn too.
  await send(await app.person(), `https://own.push.example:${service.port}/own`)
  await until(() => {
    for (const response of hung.splice(0)) response.writeHead(201).end()
    return arrived.includes('/own')
  }, 'the push to the service of its own has arrived')
  for (const response of hung) response.destroy()
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
