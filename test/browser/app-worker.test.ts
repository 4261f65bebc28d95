import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { sign } from '@tma.js/init-data-node'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { WebFiles } from '../../src/http/web-files.ts'
import { password, type Person, testApp } from '../app.ts'
import { freePort } from '../pages.ts'
import { userAgent } from '../push-service.ts'
import { botToken, telegramServer } from '../telegram.ts'
import { until } from '../until.ts'
import { builtPages, button, expectAccessible, heading, message, openAs, serveWeb, write } from './app-page.ts'
import { executablePath, launch } from './client-page.ts'

const browserTest = test.skipIf(!executablePath)
let browser: Browser
const closing: (() => unknown)[] = []

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (executablePath) browser = await launch()
})
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close()
  for (const close of closing.splice(0).toReversed()) await close()
})
afterAll(() => browser?.close())

const becomes = (page: Page, truth: string) => until(() => page.evaluate<boolean>(truth), truth)
const cacheNames = (page: Page) => page.evaluate<string[]>('caches.keys()')

/** The same pages with the service worker of another build, which keeps none of their files. */
async function nextBuild(files: WebFiles): Promise<WebFiles> {
  const dir = mkdtempSync(join(tmpdir(), 'convene-build-'))
  closing.push(() => rmSync(dir, { recursive: true }))
  const { app } = files.workers
  const text = await Bun.file(app!.encodings.identity!).text()
  const [, id] = /convene-\$\{?"?([\w-]+)/.exec(text) ?? /"?convene-([\w-]{6,})/.exec(text) ?? []
  const next = text.replaceAll(id!, 'thenextone').replace(/\["[^\]]*"\](?=\.map\()/, '[]')
  expect(next).toContain('thenextone')
  expect(next).not.toMatch(/chunk-\w+\.js/)
  const identity = join(dir, 'service-worker.js')
  await Bun.write(identity, next)
  return { ...files, workers: { app: { ...app!, hash: 'another', encodings: { identity } } } }
}

async function controlled(origin: string, person: Person, first = 'null') {
  const opened = await openAs(browser, origin, person)
  await opened.page.evaluate(first)
  await opened.page.goto(`${origin}/chats`)
  await opened.page.evaluate('navigator.serviceWorker.ready.then(() => null)')
  await opened.page.reload()
  await becomes(opened.page, 'navigator.serviceWorker.controller !== null')
  return opened
}

const notificationsOf = (page: Page) =>
  page.evaluate<{ title: string; body: string; tag: string }[]>(
    `navigator.serviceWorker.ready.then((it) => it.getNotifications())
      .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`,
  )

/** What a push service does: delivers pushes to the service worker of a page, until it shows them. */
async function pushService(context: BrowserContext, page: Page, origin: string) {
  const cdp = await context.newCDPSession(page)
  const { promise: activated, resolve } = Promise.withResolvers<string>()
  cdp.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    const active = versions.find(({ status }) => status === 'activated')
    if (active) resolve(active.registrationId)
  })
  await cdp.send('ServiceWorker.enable')
  return async (push: { tag: string; [field: string]: unknown }) => {
    const isShown = async () => (await notificationsOf(page)).some(({ tag }) => tag === push.tag)
    const registrationId = await activated
    for (let attempt = 0; attempt < 5 && !(await isShown()); attempt++) {
      await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(push) })
      await until(isShown, 'it is shown', 3000).catch(() => {})
    }
  }
}

/** Clicks on the notification with a tag. */
const clickOn = (context: BrowserContext, tag: string) =>
  context.serviceWorkers()[0]?.evaluate(async (tag) => {
    const scope: any = globalThis
    const [notification] = await scope.registration.getNotifications({ tag })
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }))
  }, tag)

browserTest(
  'under an old page the server is updated: the page goes on, offers the new version, and loads it when told to',
  async () => {
    const app = await testApp()
    const files = await builtPages()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const port = freePort()
    const first = await serveWeb(app, { port, files })
    const { page, errors } = await controlled(first.origin, ada, `caches.open('convene-anearlierone').then(() => null)`)
    const [earlier, before, ...more] = await cacheNames(page)
    expect([earlier, more]).toEqual(['convene-anearlierone', []])

    // While the next build is served, screens that this page has not shown yet come from what it keeps.
    const other = await page.context().newPage()
    await other.goto(`${first.origin}/chats`)
    await heading(other, 'Chats').waitFor()
    await first.stop()
    const pagesOnly = await nextBuild(files)
    const second = await serveWeb(app, { port, files: pagesOnly })
    await page.getByRole('link', { name: /^Me/ }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page
      .getByRole('link', { name: /^Notifications/ })
      .first()
      .click()
    await page.getByLabel('What they show').waitFor()

    // The page asks when it is looked at again.
    await page.evaluate('navigator.serviceWorker.getRegistration().then((it) => it.update()).then(() => null)')
    await page.getByText('A new version is ready.').waitFor()
    await expectAccessible(page, 'a new version')
    expect(await cacheNames(page)).toEqual([earlier!, before!, 'convene-thenextone'])
    await page.goto(`${second.origin}/chats/${chat}`)
    const offer = other.getByText('A new version is ready.')
    await offer.waitFor({ state: 'detached' })
    await button(page, 'Load it').waitFor()
    await Promise.all([page.waitForEvent('load'), button(page, 'Load it').click()])
    await write(page, 'After the update')
    await message(page, 'After the update').getByRole('img', { name: 'sent', exact: true }).waitFor()

    // The other tab still runs the old version. It goes on without the server's files, and offers the new version too.
    await offer.waitFor()
    expect(await cacheNames(page)).toEqual([before!, 'convene-thenextone'])
    await second.stop()
    const third = await serveWeb(app, { port, files: { ...pagesOnly, assets: [] } })
    closing.push(third.stop)
    await other.getByRole('link', { name: /^Me/ }).click()
    await other.getByRole('link', { name: 'Settings' }).click()
    await heading(other, 'Settings').waitFor()
    await offer.waitFor({ state: 'detached' })
    await other.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await Promise.all([other.waitForEvent('load'), button(other, 'Load it').click()])
    await heading(other, 'Settings').waitFor()
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'what is half written is still there after the page is loaded again, and gone after a sign-out',
  async () => {
    const app = await testApp()
    const port = freePort()
    const files = await builtPages()
    const first = await serveWeb(app, { port, files })
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const sent = await ada.post(`chats/${chat}/messages`, { text: 'Tee?' })
    expect(sent.status).toBe(201)
    const { page, context } = await openAs(browser, first.origin, ada)
    // As in Telegram, where the app has no service worker.
    await context.addInitScript(
      `ServiceWorkerContainer.prototype.register = async () => { throw new TypeError('Failed to fetch') }`,
    )
    const box = page.getByRole('textbox', { name: /^Message to/ })
    await page.goto(`${first.origin}/chats`)
    await page.getByRole('link', { name: /Bob/ }).click()
    await box.fill('Half a message')

    // The next build has none of the files that this page has not fetched yet.
    await first.stop()
    const second = await serveWeb(app, { port, files: { ...files, assets: [] } })
    await page.getByRole('link', { name: 'Back' }).click()
    await page.getByRole('link', { name: 'Me', exact: true }).click()
    await heading(page, 'This part could not be shown').waitFor()
    await expectAccessible(page, 'a screen that cannot be fetched')
    await page.getByRole('link', { name: /^Chats/ }).click()
    await page.getByRole('link', { name: /Bob/ }).click()
    expect(await box.inputValue()).toBe('Half a message')
    await page.getByRole('link', { name: 'Back' }).click()
    await page.getByRole('link', { name: 'Me', exact: true }).click()
    await second.stop()
    const third = await serveWeb(app, { port, files })
    closing.push(third.stop)
    await button(page, 'Load again').click()
    await heading(page, 'Me').waitFor()
    await page.goto(`${third.origin}/chats/${chat}`)
    expect(await box.inputValue()).toBe('Half a message')

    // What is sent does not come back, and a change of a message stays a change.
    await button(page, 'Send').click()
    await message(page, 'Half a message').waitFor()
    await page.reload()
    await message(page, 'Half a message').waitFor()
    expect(await box.inputValue()).toBe('')
    await box.fill('For Ada alone')
    await page.goto(`${third.origin}/settings`)
    await button(page, 'Sign out').click()
    await button(page.getByRole('dialog'), 'Sign out').click()
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    await page.goto(`${third.origin}/health`)
    expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage })')).not.toContain('For Ada alone')
  },
  120_000,
)

browserTest(
  'without room on the device the app goes on: it reads, writes and sends',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { page, context, errors } = await openAs(browser, web.origin, ada)
    const cdp = await context.newCDPSession(page)
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: web.origin, quotaSize: 1 })
    await page.goto(`${web.origin}/chats/${chat}`)
    for (let i = 0; i < 20; i++) await bob.post(`chats/${chat}/messages`, { text: `Long ${i} ${'word '.repeat(700)}` })
    await message(page, 'Long 19').waitFor()
    await write(page, 'No room here')
    await message(page, 'No room here').getByRole('img', { name: 'sent', exact: true }).waitFor()
    await until(
      async () => (await bob.get(`chats/${chat}/messages?limit=1`)).body.items[0].text === 'No room here',
      'it has arrived',
    )
    await page.goto(`${web.origin}/settings`)
    await heading(page, 'Settings').waitFor()
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'while the server restarts behind its proxy, the app starts with what it keeps',
  async () => {
    const app = await testApp()
    const port = freePort()
    const web = await serveWeb(app, { port })
    const { page } = await controlled(web.origin, await app.person('Ada'))
    await web.stop()
    const problem = { status: 503, code: 'busy', title: 'Service Unavailable' }
    const proxy = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => Response.json(problem, { status: 503 }) })
    closing.push(() => proxy.stop(true))
    await page.goto(`${web.origin}/chats`)
    await heading(page, 'Chats').waitFor()
  },
  60_000,
)

/** Chromium subscribes only at a server of Google, so this answers in its place. */
function subscriptions() {
  const subscription = { endpoint: 'https://push.example/ada', keys: userAgent().keys }
  return `
    let current = null
    window.unsubscribed = 0
    PushManager.prototype.getSubscription = async () => current
    PushManager.prototype.subscribe = async (options) => {
      if (!options.userVisibleOnly || !options.applicationServerKey) throw new TypeError('not asked as it should be')
      const unsubscribe = async () => {
        current = null
        unsubscribed++
      }
      return (current = { options, unsubscribe, toJSON: () => (${JSON.stringify(subscription)}) })
    }`
}

browserTest(
  'a press in the settings registers this device, and a push shows what its user has chosen',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { page, context, errors } = await openAs(browser, web.origin, ada, { permissions: ['notifications'] })
    await context.addInitScript(subscriptions())
    const deliver = await pushService(context, page, web.origin)
    await page.goto(`${web.origin}/settings/devices`)
    await button(page, 'Notify me on this device').click()
    await button(page, 'Send a test').waitFor()
    await expectAccessible(page, 'a device that is notified')
    const channels = (await ada.get('me/channels')).body.items
    expect(channels).toMatchObject([{ kind: 'webpush' }])

    // As the server sends it where previews are off: nothing of the message is in it.
    const tag = `chat_${chat}`
    const words = { title: 'Convene', body: 'You have a new message' }
    await deliver({ ...words, kind: 'message', tag, chat_id: chat, unread: 1, language: 'en' })
    expect(await notificationsOf(page)).toEqual([{ ...words, tag }])

    // A touch leads to the chat, in the window that is open.
    await clickOn(context, tag)
    await page.waitForURL(`${web.origin}/chats/${chat}`)
    // Another device of hers is removed: this one goes on.
    const phone = { endpoint: 'https://push.example/phone', keys: userAgent().keys }
    await ada.post('me/channels', { kind: 'webpush', subscription: phone })
    await page.goto(`${web.origin}/settings/devices`)
    const isThisDevice = page.getByRole('article').filter({ hasText: 'This device' })
    await isThisDevice.waitFor()
    await expectAccessible(page, 'this device and another one')
    const another = page.getByRole('article').filter({ hasNotText: 'This device' })
    await button(another, 'Remove').click()
    await another.waitFor({ state: 'detached' })
    expect((await ada.get('me/channels')).body.items).toEqual(channels)
    expect(await page.evaluate<number>('unsubscribed')).toBe(0)
    await page.reload()
    await isThisDevice.waitFor()

    await button(page, 'Remove').click()
    await button(page, 'Send a test').waitFor({ state: 'detached' })
    expect((await ada.get('me/channels')).body.items).toEqual([])
    await becomes(page, 'unsubscribed === 1')
    // It stays so: the next start of the app does not register it again.
    await page.reload()
    await button(page, 'Notify me on this device').waitFor()
    expect((await ada.get('me/channels')).body.items).toEqual([])
    expect(errors.filter((error) => !error.includes('incognito'))).toEqual([])
  },
  120_000,
)

browserTest(
  'a subscription that the browser changes goes to the server, even long after the last visit',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const { page, context } = await controlled(web.origin, await app.person('Ada'))
    await page.goto('about:blank')
    app.clock.now += 901_000
    const subscription = { endpoint: 'https://push.example/renewed', keys: userAgent().keys }
    await context.serviceWorkers()[0]?.evaluate((subscription) => {
      const scope: any = globalThis
      scope.PushManager.prototype.subscribe = async () => ({ toJSON: () => subscription })
      scope.dispatchEvent(new scope.ExtendableEvent('pushsubscriptionchange'))
    }, subscription)
    await until(async () => (await app.rows('SELECT id FROM channels')).length === 1, 'it is registered')
  },
  60_000,
)

browserTest(
  'who has too many devices reads that one has to go first',
  async () => {
    const telegram = telegramServer()
    closing.push(telegram.close)
    const bot = { MESSENGER_BOT_TOKEN: botToken, MESSENGER_BOT: 'on', MESSENGER_API_URL: telegram.url }
    const app = await testApp(bot)
    const web = await serveWeb(app)
    closing.push(web.stop)
    const ada = await app.person('Ada')
    for (let device = 0; device < 10; device++) {
      const subscription = { endpoint: `https://push.example/${device}`, keys: userAgent().keys }
      expect((await ada.post('me/channels', { kind: 'webpush', subscription })).status).toBe(201)
    }
    const { page, context } = await openAs(browser, web.origin, ada, { permissions: ['notifications'] })
    await context.addInitScript(subscriptions())
    await page.goto(`${web.origin}/settings/devices`)
    await button(page, 'Notify me on this device').click()
    await page.getByText('Remove one first.').waitFor()

    // In Telegram too, which has a conflict of its own.
    const { id } = (await ada.get('me/channels')).body.items[0]
    const user = { id: 700_300, first_name: 'Ada', allows_write_to_pm: true }
    const init_data = sign({ user } as never, botToken, new Date(app.clock.now))
    app.services.bot.intake!.start()
    await until(async () => (await ada.get('notifications/keys')).body.telegram !== null, 'the bot has its name')
    const linked = await ada.post('me/identities/messenger', { init_data, password })
    expect(linked.status).toBe(201)
    await page.reload()
    await page.getByRole('article').nth(9).waitFor()
    await button(page, 'Notify me in Telegram').click()
    await page.getByText('Remove one first.').waitFor()
    await ada.delete(`me/channels/${id}`)
    await button(page, 'Notify me in Telegram').click()
    await page.getByRole('heading', { name: 'Telegram' }).waitFor()
    await page.getByText('Remove one first.').waitFor({ state: 'detached' })
  },
  60_000,
)

browserTest(
  'without a service worker, the button that registers this device says so',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const ada = await app.person('Ada')
    const { page, context } = await openAs(browser, web.origin, ada, { permissions: ['notifications'] })
    await context.addInitScript(subscriptions())
    // As when its script cannot be fetched.
    await context.addInitScript(
      `ServiceWorkerContainer.prototype.register = async () => { throw new TypeError('Failed to fetch') }`,
    )
    await page.clock.install()
    await page.goto(`${web.origin}/settings/devices`)
    const notify = button(page, 'Notify me on this device')
    await notify.click()
    await page.locator('button[aria-busy=true]').waitFor()
    await page.clock.fastForward(10_000)
    await page.getByText('No connection. Try again when it is back.').waitFor()
    expect(await notify.getAttribute('aria-disabled')).toBeNull()
    expect((await ada.get('me/channels')).body.items).toEqual([])
  },
  60_000,
)

browserTest(
  'what is read on another device is no longer shown on this one, and nothing is after the sign-out',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const [ada, bob, cleo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
    const [withBob, withCleo] = [await app.met(ada, bob), await app.met(ada, cleo)]
    await cleo.post(`chats/${withCleo}/messages`, { text: 'Hello' })
    await ada.put(`chats/${withCleo}/read`, {})
    const { page, context, errors } = await openAs(browser, web.origin, ada, { permissions: ['notifications'] })
    await context.addInitScript(subscriptions())
    await context.addInitScript(`
      navigator.setAppBadge = async (count) => { window.badge = count }
      window.look = (visibilityState) => {
        Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }`)
    const deliver = await pushService(context, page, web.origin)
    await page.goto(`${web.origin}/nearby`)
    await becomes(page, 'window.badge === 0')
    await page.evaluate('look("hidden")')
    await bob.post(`chats/${withBob}/messages`, { text: 'Coffee?' })
    await becomes(page, 'badge === 1')
    const words = { title: 'Convene', body: 'You have a new message', language: 'en' }
    for (const chat_id of [withBob, withCleo])
      await deliver({ ...words, kind: 'message', tag: `chat_${chat_id}`, chat_id, unread: 1 })
    await deliver({ ...words, kind: 'review', tag: 'review_1', chat_id: null, unread: 1 })
    const shown = async () => (await notificationsOf(page)).map(({ tag }) => tag).toSorted()
    const [bobs, cleos] = [`chat_${withBob}`, `chat_${withCleo}`]
    expect(await shown()).toEqual([bobs, cleos, 'review_1'].toSorted())

    // Read on her phone. Cleo's message may be so new that the page in the background does not know it.
    await ada.put(`chats/${withBob}/read`, {})
    await becomes(page, 'badge === 0')
    await until(async () => !(await shown()).includes(bobs), 'it is closed')
    expect(await shown()).toEqual([cleos, 'review_1'].toSorted())
    await page.evaluate('look("visible")')
    await until(async () => (await shown()).join() === 'review_1', 'what was read before is closed too')

    await page.goto(`${web.origin}/settings`)
    await button(page, 'Sign out').click()
    await page.evaluate('window.badge = null')
    expect((await ada.get('me/channels')).body.items).toHaveLength(1)
    const subscribed =
      'navigator.serviceWorker.ready.then((it) => it.pushManager.getSubscription()).then((it) => it !== null)'
    await until(() => page.evaluate<boolean>(subscribed), 'this page has subscribed')
    // Without a network, the server does not hear of it.
    await context.setOffline(true)
    await button(page.getByRole('dialog'), 'Sign out').click()
    await becomes(page, 'badge === 0')
    await until(async () => (await shown()).length === 0, 'nothing is shown')
    await becomes(page, 'unsubscribed === 1')
    expect(errors.filter((error) => !error.includes('incognito'))).toEqual([])
  },
  120_000,
)

browserTest(
  'only a sign-out ends the subscription of a device, and the next start repeats what failed',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const ada = await app.person('Ada')
    const { page, context } = await openAs(browser, web.origin, ada, { permissions: ['notifications'] })
    await context.addInitScript(subscriptions())
    await context.addInitScript(`{
      const unsubscribe = async () => {
        if (sessionStorage.fails) throw new DOMException('', 'AbortError')
        unsubscribed++
      }
      PushManager.prototype.getSubscription = async () =>
        ({ options: {}, unsubscribe, toJSON: () => ({}) })
      if (sessionStorage.unreadable) IDBFactory.prototype.open = () => { throw new DOMException('', 'UnknownError') }
    }`)
    await page.goto(`${web.origin}/settings`)
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)')

    // The stored session cannot be read for a moment.
    await page.evaluate(`sessionStorage.unreadable = 1; localStorage.removeItem('convene:session')`)
    await page.reload()
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    await page.waitForTimeout(500)
    expect(await page.evaluate<number>('unsubscribed')).toBe(0)

    await page.evaluate('delete sessionStorage.unreadable; sessionStorage.fails = 1')
    await page.goto(`${web.origin}/settings`)
    await button(page, 'Sign out').click()
    await button(page.getByRole('dialog'), 'Sign out').click()
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    await page.evaluate('delete sessionStorage.fails')
    await page.reload()
    await becomes(page, 'window.unsubscribed === 1')
  },
  120_000,
)

browserTest(
  'a notification opens what it is about in a window of the app, or in the console',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const ada = await app.person('Ada')
    const { page, context, errors } = await openAs(browser, web.origin, ada, { permissions: ['notifications'] })
    await page.goto(`${web.origin}/nearby`)
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
    await page.reload()
    await becomes(page, 'navigator.serviceWorker.controller !== null')
    const console = await context.newPage()
    await console.goto(`${web.origin}/console/queue`)
    await becomes(console, 'navigator.serviceWorker.controller !== null')
    const deliver = await pushService(context, console, web.origin)
    const [worker] = context.serviceWorkers()
    await worker?.evaluate(() => {
      const scope: any = globalThis
      scope.opened = []
      scope.Clients.prototype.openWindow = async (path: string) => void scope.opened.push(path)
    })
    const opened = () =>
      worker?.evaluate<string>(() => {
        const scope: any = globalThis
        return scope.opened.join()
      })
    const click = async (kind: string) => {
      await deliver({ kind, title: 'Convene', body: kind, tag: kind, chat_id: null, unread: 0, language: 'en' })
      await clickOn(context, kind)
    }
    await click('notice')
    await page.waitForURL(`${web.origin}/settings/reports`)
    await click('review')
    await page.waitForURL(`${web.origin}/me`)
    await click('report')
    await until(async () => (await opened()) === '/console/queue', 'the queue is opened')
    expect(page.url()).toBe(`${web.origin}/me`)
    // A window of the console does not count as one of the app.
    await page.close()
    await click('notice')
    await until(async () => (await opened()) === '/console/queue,/settings/reports', 'a window of the app is opened')
    expect(errors.filter((error) => !error.includes('incognito'))).toEqual([])
  },
  120_000,
)

browserTest(
  'where the browser can install the app, it is offered, and the offer ends with the installation',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const { page, errors } = await openAs(browser, web.origin, await app.person('Ada'))
    await page.goto(`${web.origin}/settings`)
    await heading(page, 'Settings').waitFor()
    expect(await button(page, 'Install').count()).toBe(0)
    // Only a browser with a window gives this event: it is the one that Chromium sends.
    await page.evaluate(`window.asked = 0; dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }),
      { prompt: async () => void asked++ }))`)
    await button(page, 'Install').click()
    expect(await page.evaluate<number>('asked')).toBe(1)
    await expectAccessible(page, 'the offer to install')
    await page.evaluate(`dispatchEvent(new Event('appinstalled'))`)
    await button(page, 'Install').waitFor({ state: 'detached' })
    const manifest = (await fetch(`${web.origin}/manifest.webmanifest`).then((it) => it.json())) as {
      icons: { src: string }[]
    }
    for (const { src } of manifest.icons) expect((await fetch(web.origin + src)).status).toBe(200)
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'whoever leaves a form while it is being saved stays where they went',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const ada = await app.person('Ada')
    const { page, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/me/edit`)
    await page.getByLabel('About you').fill('In a hurry')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v1/me', async (route) => {
      if (route.request().method() === 'PUT') await held.promise
      await route.continue()
    })
    await button(page, 'Save').click()
    await page.getByRole('link', { name: /^Nearby/ }).click()
    await heading(page, 'Nearby').waitFor()
    held.resolve()
    await page.getByText('Saved').waitFor()
    expect(page.url()).toBe(`${web.origin}/nearby`)
    expect((await ada.get('me')).body.bio).toBe('In a hurry')
    expect(errors).toEqual([])
  },
  60_000,
)

browserTest(
  'whoever leaves a profile while a chat is opened or a block is made stays where they went',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { page, errors } = await openAs(browser, web.origin, ada)
    for (const [path, begin] of [
      ['chats', () => button(page, 'Write a message').click()],
      [
        'blocks',
        async () => {
          await button(page, 'Block').click()
          await button(page.getByRole('dialog'), 'Block').click()
          await page.keyboard.press('Escape')
        },
      ],
    ] as const) {
      await page.goto(`${web.origin}/people/${bob.id}`)
      await heading(page, 'Bob').waitFor()
      const held = Promise.withResolvers<void>()
      await page.route(`**/api/v1/${path}`, async (route) => {
        if (route.request().method() === 'POST') await held.promise
        await route.continue()
      })
      const answered = page.waitForResponse(
        (response) => response.request().method() === 'POST' && response.url().endsWith(`/${path}`),
      )
      await begin()
      await page.getByRole('link', { name: 'Me', exact: true }).click()
      await heading(page, 'Me').waitFor()
      held.resolve()
      await (await answered).finished()
      await page.waitForTimeout(300)
      expect(page.url()).toBe(`${web.origin}/me`)
    }
    expect(errors).toEqual([])
  },
  60_000,
)

browserTest(
  'a late answer does not bring back what a newer one no longer has',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    closing.push(web.stop)
    const ada = await app.person('Ada')
    const subscription = { endpoint: 'https://push.example/phone', keys: userAgent().keys }
    const { body } = await ada.post('me/channels', { kind: 'webpush', subscription })
    const { page, errors } = await openAs(browser, web.origin, ada)
    const held = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/api/v1/me/channels', async (route) => {
      const isFirst = ++asked === 1
      const response = await route.fetch()
      if (isFirst) await held.promise
      await route.fulfill({ response })
    })
    await page.goto(`${web.origin}/settings/devices`)
    await until(() => asked === 1, 'it is asked')
    await page.waitForTimeout(300)
    await ada.delete(`me/channels/${body.id}`)
    await page.evaluate(`dispatchEvent(new Event('online'))`)
    const empty = heading(page, 'No devices yet')
    await empty.waitFor()
    held.resolve()
    await page.waitForTimeout(500)
    expect(await empty.count()).toBe(1)
    expect(errors).toEqual([])
  },
  60_000,
)
