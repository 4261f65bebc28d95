import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page, type Worker } from 'playwright-core'
import type { Notification } from '../../src/outbox/push.ts'
import { payloadOf } from '../../src/outbox/webpush/sender.ts'
import { aMessage } from '../push-service.ts'
import { until } from '../until.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
const browserTest = test.skipIf(!executablePath)
if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})

const files = join(import.meta.dir, '../../docs/web-push')
const channels: unknown[] = []
let isTokenExpired = false
const vapidKey = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'

// The app whose files the documentation gives, and as much of the API as they use.
const app = Bun.serve({
  port: 0,
  routes: {
    '/sw.js': () => new Response(Bun.file(join(files, 'sw.js'))),
    '/page.js': () => new Response(Bun.file(join(files, 'page.js'))),
    '/api/v1/notifications/keys': () => Response.json({ webpush: vapidKey }),
    '/api/v1/me/channels': {
      async POST(request) {
        if (isTokenExpired) return Response.json({ code: 'token_expired' }, { status: 401 })
        channels.push(await request.json())
        return Response.json({ id: 'channel-1' }, { status: 201 })
      },
    },
    '/api/v1/auth/refresh': {
      async POST(request) {
        isTokenExpired = Object.keys((await request.json()) as object).length > 0
        return Response.json({})
      },
    },
  },
  fetch: () => new Response('<!doctype html><title>App</title>', { headers: { 'content-type': 'text/html' } }),
})
const origin = `http://localhost:${app.port}`

let browser: Browser
let context: BrowserContext
let page: Page
let worker: Worker
let cdp: CDPSession
let registrationId: string

beforeAll(async () => {
  if (!executablePath) return
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  browser = await chromium.launch({ executablePath, args })
})
afterAll(async () => {
  await browser?.close()
  await app.stop(true)
})

beforeEach(async () => {
  if (!executablePath) return
  channels.length = 0
  context = await browser.newContext()
  await context.grantPermissions(['notifications'], { origin })
  page = await context.newPage()
  await page.goto(origin)
  cdp = await context.newCDPSession(page)
  // A push to a worker that is not active yet is lost.
  const { promise: activated, resolve } = Promise.withResolvers<string>()
  cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    const active = versions.find(({ scriptURL, status }) => scriptURL === `${origin}/sw.js` && status === 'activated')
    if (active) resolve(active.registrationId)
  })
  await cdp.send('ServiceWorker.enable')
  const started = context.waitForEvent('serviceworker')
  await page.evaluate("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)")
  worker = await started
  registrationId = await activated
})
afterEach(() => context?.close())

/** Hands a push to the worker, as the browser does when it has decrypted one. */
const deliver = (data: string) => cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })

/** Until it is shown: Chromium sometimes drops a push that DevTools deliver. The same one again replaces the first. */
async function push(notification: Notification) {
  const isShown = async () =>
    (await shown()).some(({ tag, body }) => tag === notification.tag && body === notification.body)
  for (let attempt = 0; attempt < 5 && !(await isShown()); attempt++) {
    await deliver(new TextDecoder().decode(payloadOf(notification)))
    await until(isShown, 'the browser shows it', 3000).catch(() => {})
  }
  expect(await isShown()).toBe(true)
}

type Shown = Pick<Notification, 'title' | 'body' | 'tag'> & { lang: string; data: { chat_id: string | null } }

const shown = () =>
  page.evaluate<Shown[]>(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((all) => all.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, data })))`)
const shows = (isSo: (all: Shown[]) => boolean) => until(async () => isSo(await shown()), 'the browser shows it')

browserTest('a push shows a notification, and the next one of the same chat replaces it', async () => {
  await push(aMessage)
  await shows((all) => all.length === 1)
  const data = { chat_id: aMessage.chat_id }
  expect(await shown()).toEqual([{ title: 'Ada', body: 'sent a message', tag: aMessage.tag, lang: 'en', data }])
  await push({ ...aMessage, body: 'sent 2 messages', unread: 4 })
  await shows(([first]) => first?.body === 'sent 2 messages')
  expect(await shown()).toHaveLength(1)
  await push({ ...aMessage, tag: 'chat_other', title: 'Боб', language: 'ru' })
  await shows((all) => all.length === 2)
})

browserTest('a push that cannot be read shows a notification too, as browsers demand', async () => {
  for (let attempt = 0; attempt < 5 && (await shown()).length === 0; attempt++) {
    await deliver('not JSON')
    await until(async () => (await shown()).length === 1, 'the browser shows it', 3000).catch(() => {})
  }
  expect((await shown())[0]).toMatchObject({ title: 'New message', data: { chat_id: null } })
})

browserTest('reading a chat takes its notification back, and no other one', async () => {
  await push(aMessage)
  await push({ ...aMessage, tag: 'chat_other' })
  await shows((all) => all.length === 2)
  await page.evaluate(`import('/page.js').then(({ takeBack }) => takeBack('${aMessage.chat_id}', 0))`)
  await shows((all) => all.length === 1)
  expect((await shown())[0]!.tag).toBe('chat_other')
})

browserTest('a touch closes the notification, and tells the open window which chat to show', async () => {
  await push(aMessage)
  await shows((all) => all.length === 1)
  await page.evaluate("navigator.serviceWorker.addEventListener('message', ({ data }) => (globalThis.told = data))")
  // Only a person can touch one: this is the event that it causes.
  await worker.evaluate(async () => {
    const scope: any = globalThis
    const [notification] = await scope.registration.getNotifications()
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }))
  })
  await until(() => page.evaluate<boolean>("'told' in globalThis"), 'the window hears of it')
  expect(await page.evaluate<unknown>('told')).toEqual({ type: 'open_chat', chat_id: aMessage.chat_id })
  await shows((all) => all.length === 0)
})

browserTest(
  'a subscription that the browser changes goes to the server, even after the access token has expired',
  async () => {
    isTokenExpired = true
    // Chromium subscribes at a server of Google alone, so the answer of that one is made up.
    const subscription = { endpoint: 'https://push.example/2', keys: { p256dh: 'B', auth: 'A' } }
    await worker.evaluate((subscription) => {
      const scope: any = globalThis
      scope.asked = []
      scope.PushManager.prototype.subscribe = async (options: unknown) => {
        scope.asked.push(options)
        return { toJSON: () => subscription }
      }
      scope.dispatchEvent(new scope.ExtendableEvent('pushsubscriptionchange'))
    }, subscription)
    await until(() => channels.length === 1, 'the worker has sent the subscription')
    expect(channels).toEqual([{ kind: 'webpush', subscription }])
    const asked = await worker.evaluate(() => (globalThis as any).asked)
    expect(asked).toEqual([{ userVisibleOnly: true, applicationServerKey: vapidKey }])
  },
)

browserTest('the page subscribes with the key of the server, once, and anew when that key has changed', async () => {
  const kept = await page.evaluate(async (wanted) => {
    const scope: any = globalThis
    const bytes = (text: string) =>
      Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0)).buffer
    let current: any = null
    let ended = 0
    const made: unknown[] = []
    scope.PushManager.prototype.getSubscription = async () => current
    scope.PushManager.prototype.subscribe = async (options: any) => {
      made.push(options)
      const applicationServerKey = bytes(options.applicationServerKey)
      current = {
        options: { applicationServerKey },
        toJSON: () => ({ endpoint: `https://push.example/${made.length}` }),
        unsubscribe: async () => void ended++,
      }
      return current
    }
    const { subscribe, renew } = await import(scope.location.origin + '/page.js')
    const call = (path: string, options: any) => fetch(path, options)
    const first = await subscribe(call)
    await renew(call)
    current.options.applicationServerKey = bytes(`${wanted.slice(0, -4)}AAAA`)
    await renew(call)
    return { first, made, ended }
  }, vapidKey)
  const options = { userVisibleOnly: true, applicationServerKey: vapidKey }
  expect(kept).toEqual({ first: { id: 'channel-1' }, made: [options, options], ended: 1 })
  const endpoints = channels.map((channel: any) => channel.subscription.endpoint)
  expect(endpoints).toEqual(['https://push.example/1', 'https://push.example/1', 'https://push.example/2'])
})
