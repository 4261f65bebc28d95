import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { connect } from '../socket-client.ts'
import { until } from '../until.ts'
import { executablePath, launch, online, openTab, servePage, type Setup, startIn } from './client-page.ts'

let browser: Browser
let page: Awaited<ReturnType<typeof servePage>>
const browserTest = test.skipIf(!executablePath)

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (!executablePath) return
  browser = await launch()
  page = await servePage()
})
afterAll(async () => {
  await browser?.close()
  page?.stop()
})

async function meet(setup: Partial<Setup> = {}) {
  const app = await testApp({ CORS_ORIGINS: page.origin })
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chatId = await app.met(ada, bob)
  const context = await browser.newContext()
  const settings: Setup = { url: base.origin, connect: true, ...setup }
  const tab = () => openTab(context, page.origin, settings)
  const first = await tab()
  await signIn(first, ada)
  return { app, ada, bob, chatId, context, tab, first, settings }
}

const signIn = (tab: Page, { email }: Person) =>
  tab.evaluate((how) => window.client.signIn(how).then(() => {}), { email, password })
const sockets = ({ nodes }: TestApp) => nodes.reduce((sum, { services }) => sum + services.hub.counts().sockets, 0)
const leaderOf = async (tabs: Page[]) => {
  const leads = await Promise.all(tabs.map((tab) => tab.evaluate(() => window.client.connection.get().leads)))
  expect(leads.filter(Boolean)).toHaveLength(1)
  return tabs[leads.indexOf(true)]!
}
const toldTexts = (tab: Page, count: number) =>
  tab
    .waitForFunction((n) => window.told.texts.length >= n, count, { polling: 20 })
    .then(() => tab.evaluate(() => window.told))
const close = async (context: BrowserContext) => context.close()

browserTest(
  'all tabs share one socket, and another leads within a second of the closing of the one that did',
  async () => {
    const { app, bob, chatId, context, tab, first } = await meet()
    const tabs = [first, await tab(), await tab()]
    await Promise.all(tabs.map(online))
    expect(sockets(app)).toBe(1)
    await bob.post(`chats/${chatId}/messages`, { text: 'one' })
    await Promise.all(tabs.map((one) => toldTexts(one, 1)))

    const leader = await leaderOf(tabs)
    const rest = tabs.filter((one) => one !== leader)
    const watch = rest.map((one) =>
      one.evaluate(
        () =>
          new Promise<number>((resolve) => {
            const stop = window.client.on('hello', () => {
              stop()
              resolve(performance.timeOrigin + performance.now())
            })
          }),
      ),
    )
    const closedAt = performance.timeOrigin + performance.now()
    await leader.close()
    await bob.post(`chats/${chatId}/messages`, { text: 'two' })
    const [tookOverAt] = await Promise.all(watch)
    console.log(`handed over ${Math.round(tookOverAt! - closedAt)} ms after the leader closed`)
    await until(() => sockets(app) === 1, 'one socket is left')
    await bob.post(`chats/${chatId}/messages`, { text: 'three' })
    for (const one of rest) {
      const { texts, seqs, gaps } = await toldTexts(one, 3)
      expect(texts).toEqual(['one', 'two', 'three'])
      expect(seqs).toEqual(seqs.map((_, i) => seqs[0]! + i))
      expect(gaps).toBe(0)
    }
    await leaderOf(rest)
    await close(context)
  },
)

browserTest('a tab takes over from a leader that stands still, and the old one follows when it goes on', async () => {
  const { app, bob, chatId, context, tab, first } = await meet()
  const tabs = [first, await tab()]
  await Promise.all(tabs.map(online))
  const leader = await leaderOf(tabs)
  const other = tabs.find((one) => one !== leader)!
  await bob.post(`chats/${chatId}/messages`, { text: 'one' })
  await Promise.all(tabs.map((one) => toldTexts(one, 1)))

  const session = await context.newCDPSession(leader)
  await session.send('Debugger.enable')
  const paused = new Promise((resolve) => session.once('Debugger.paused', resolve))
  await session.send('Debugger.pause')
  // Something has to run for the pause to catch it: the next heartbeat does.
  await paused
  const stoodStillAt = performance.timeOrigin + performance.now()
  await other.waitForFunction(() => window.client.connection.get().leads, null, { polling: 10 })
  await online(other)
  console.log(
    `handed over ${Math.round(performance.timeOrigin + performance.now() - stoodStillAt)} ms after the leader stood still`,
  )
  await bob.post(`chats/${chatId}/messages`, { text: 'two' })
  await toldTexts(other, 2)

  await session.send('Debugger.disable')
  await bob.post(`chats/${chatId}/messages`, { text: 'three' })
  for (const one of tabs) {
    const { texts, seqs, gaps } = await toldTexts(one, 3)
    expect(texts).toEqual(['one', 'two', 'three'])
    expect(seqs).toEqual(seqs.map((_, i) => seqs[0]! + i))
    expect(gaps).toBe(0)
  }
  await leader.waitForFunction(() => !window.client.connection.get().leads, null, { polling: 20 })
  await until(() => sockets(app) === 1, 'one socket is left')
  await close(context)
})

browserTest('many requests in many tabs refresh once', async () => {
  const { app, context, tab, first } = await meet({ connect: false })
  const tabs = [first, await tab(), await tab()]
  let refreshes = 0
  context.on(
    'request',
    (request) => void (request.url().endsWith('/auth/refresh') && request.method() === 'POST' && refreshes++),
  )
  app.clock.now += 901_000
  const statuses = await Promise.all(
    tabs.map((one) =>
      one.evaluate(() =>
        Promise.all(
          Array.from({ length: 5 }, () => window.client.api.GET('/api/v1/me').then(({ response }) => response.status)),
        ),
      ),
    ),
  )
  expect(statuses.flat()).toEqual(Array(15).fill(200))
  expect(refreshes).toBe(1)

  // Signing out in one tab is signing out in all.
  await first.evaluate(() => window.client.signOut())
  for (const one of tabs)
    await one.waitForFunction(() => window.client.session.get().state === 'signed-out', null, { polling: 20 })
  await close(context)
})

browserTest('a page that is closed at any moment after a send leaves exactly one message', async () => {
  const { ada, chatId, context, first, settings } = await meet()
  const sent: string[] = []
  for (let i = 0; i < 12; i++) {
    const text = `message ${i}`
    sent.push(text)
    await first.evaluate(
      ({ id, text }) =>
        window.client.chats
          .open(id)
          .send({ text })
          .then(() => {}),
      { id: chatId, text },
    )
    await Bun.sleep(i * 3)
    await startIn(first, page.origin, settings)
  }
  const texts = async () =>
    (await ada.get(`chats/${chatId}/messages?limit=100`)).body.items
      .map(({ text }: { text: string }) => text)
      .toReversed()
  await until(async () => (await texts()).length >= sent.length, 'all are sent')
  expect(await texts()).toEqual(sent)
  await close(context)
})

browserTest('without a network the chats that were read are there, and what is sent waits for it', async () => {
  const { bob, chatId, context, first, settings } = await meet({ storage: 'indexeddb' })
  await bob.post(`chats/${chatId}/messages`, { text: 'Coffee?' })
  await online(first)
  const look = (id: string) =>
    first.evaluate(async (id) => {
      window.client.chats.list.subscribe(() => {})
      window.client.chats.open(id).messages.subscribe(() => {})
    }, id)
  const shown = (count: number) =>
    first.waitForFunction(
      ([id, count]) =>
        window.client.chats.open(id as string).messages.get().items.length === count &&
        window.client.chats.list.get().items.length === 1,
      [chatId, count] as const,
    )
  await look(chatId)
  await shown(1)
  // Until it is stored.
  await Bun.sleep(1000)
  await context.route('**/api/**', (route) => route.abort())
  await context.routeWebSocket('**/ws*', (socket) => socket.close())
  await startIn(first, page.origin, settings)
  await look(chatId)
  await shown(1)
  expect(await first.evaluate(() => window.client.session.get().state)).toBe('signed-in')

  await first.evaluate(
    (id) =>
      window.client.chats
        .open(id)
        .send({ text: 'Tea!' })
        .then(() => {}),
    chatId,
  )
  await shown(2)
  expect((await bob.get(`chats/${chatId}/messages`)).body.items).toHaveLength(1)
  await context.unrouteAll()
  await startIn(first, page.origin, settings)
  await until(async () => (await bob.get(`chats/${chatId}/messages`)).body.items.length === 2, 'it is sent')
  await close(context)
})

browserTest('the state follows navigator.onLine, and the network’s return is used at once', async () => {
  const { context, first } = await meet()
  await online(first)
  await context.setOffline(true)
  await first.evaluate(() => window.client.disconnect())
  await first.evaluate(() => window.client.connect())
  await first.waitForFunction(() => window.client.connection.get().state === 'offline')
  await context.setOffline(false)
  await online(first)
  await close(context)
})

browserTest(
  'when the browser says that the network is gone, the tabs find out at once, and a socket that works goes on',
  async () => {
    const { bob, chatId, context, tab, first } = await meet()
    const tabs = [first, await tab()]
    await Promise.all(tabs.map(online))
    const states = `window.states = []; window.client.connection.subscribe(() => window.states.push(window.client.connection.get().state))`
    for (const one of tabs) await one.evaluate(states)
    for (const one of tabs) await one.evaluate(`dispatchEvent(new Event('offline'))`)
    await bob.post(`chats/${chatId}/messages`, { text: 'one' })
    for (const one of tabs) expect((await toldTexts(one, 1)).texts).toEqual(['one'])
    for (const one of tabs) expect(await one.evaluate<string[]>('window.states')).toEqual([])

    // Chromium leaves the socket open, but nothing comes through. The next heartbeat would be half a minute later.
    await context.setOffline(true)
    for (const one of tabs) await one.waitForFunction(() => window.client.connection.get().state === 'offline')
    await bob.post(`chats/${chatId}/messages`, { text: 'two' })
    await context.setOffline(false)
    await Promise.all(tabs.map(online))
    for (const one of tabs) expect((await toldTexts(one, 2)).texts).toEqual(['one', 'two'])
    await close(context)
  },
)

browserTest('hooks mount twice without harm, and an arriving message draws one row', async () => {
  const { bob, chatId, context, first } = await meet()
  for (let n = 0; n < 40; n++) await bob.post(`chats/${chatId}/messages`, { text: `${n}` })
  await online(first)
  await first.evaluate((id) => {
    window.drawn = window.kit.render(window.client, id)
  }, chatId)
  const rows = () => first.locator('li').allTextContents()
  await until(async () => (await rows()).length === 40, 'all are drawn')
  await until(async () => (await first.locator('b').textContent()) === '40', 'the badge is drawn')
  const before = await first.evaluate(() => ({ ...window.drawn }))
  await bob.post(`chats/${chatId}/messages`, { text: 'new' })
  await until(async () => (await rows()).at(-1) === 'new', 'it is drawn')
  await until(async () => (await first.locator('b').textContent()) === '41', 'the badge is drawn again')
  const after = await first.evaluate(() => window.drawn)
  const changed = Object.keys(after).filter((name) => after[name] !== before[name])
  expect(changed.toSorted()).toEqual(['badge', 'row new'])
  expect(await rows()).toEqual([...Array.from({ length: 40 }, (_, n) => `${n}`), 'new'])
  await close(context)
})

browserTest(
  'hooks show who is online and who is near, and nobody near once there is no place or no session',
  async () => {
    const { app, ada, bob, chatId, context, first, settings } = await meet()
    for (const one of [ada, bob]) await one.put('me/location', { latitude: 52.52, longitude: 13.405 })
    await online(first)
    await first.evaluate((id) => {
      window.drawn = window.kit.render(window.client, id)
    }, chatId)
    const shows = (tag: string, text: string) =>
      until(async () => (await first.locator(tag).textContent()) === text, `${tag} shows ${text}`)
    await shows('em', 'false')
    const { socket } = connect(new URL(settings.url), bob.token)
    await shows('em', 'true')
    socket.close()
    await shows('a', 'near: ')
    // In strict mode, an effect runs twice at first.
    expect(await first.evaluate(() => window.drawn.search)).toBe(2)
    await context.setOffline(true)
    await first.locator('a').click()
    await shows('a', 'not known')
    await first.locator('a').click()
    await context.setOffline(false)
    await first.locator('a').click()
    await shows('a', 'near: Bob')
    await first.locator('a').click()
    await shows('a', 'near: ')
    await first.locator('a').click()
    await shows('a', 'near: Bob')
    const carol = await app.person('Carol')
    await carol.put('me/location', { latitude: 52.52, longitude: 13.405 })
    for (let n = 0; n < 2; n++) await first.locator('a').click()
    await until(async () => /near: \w+$/.test((await first.locator('a').textContent())!), 'one is near')
    let pages = 0
    context.on('request', (request) => void (request.url().includes('cursor=') && pages++))
    await first.locator('u').click()
    await until(async () => (await first.locator('a').textContent())!.includes(','), 'more are near')
    expect(pages).toBe(1)
    await carol.delete('me', { password })
    await first.locator('button').click()
    await until(async () => (await first.locator('li').allTextContents()).join() === 'from a button', 'it is sent')
    await first.evaluate(() => window.client.signOut())
    await shows('a', 'not known')
    await signIn(first, ada)
    await shows('a', 'near: Bob')
    await shows('s', 'Bob')
    await context.route('**/search/nearby?*', (route) => route.abort())
    await signIn(first, bob)
    await shows('a', 'not known')
    // What Ada has found is not shown to Bob, in no picture.
    await shows('s', '')
    const pictures = await first.evaluate(() => Object.keys(window.drawn).filter((name) => name.startsWith('near ')))
    expect(pictures).toContain('near Ada: Bob')
    expect(pictures.filter((name) => name.startsWith('near Bob: '))).toEqual(['near Bob: '])
    await close(context)
  },
)

browserTest(
  'with cookies no script can read the refresh token, and a session that is in them is taken over',
  async () => {
    const { app, context, first, tab } = await meet({ cookies: true })
    await online(first)
    const { cookies } = await context.storageState()
    const refreshToken = cookies.find(({ name }) => name === 'app_rt')!.value
    const state = JSON.stringify(await context.storageState({ indexedDB: true }).then(({ origins }) => origins))
    expect(state).toContain('access_token')
    expect(state).not.toContain(refreshToken)
    app.clock.now += 901_000
    expect(
      await first.evaluate(() => window.client.api.GET('/api/v1/me').then(({ response }) => response.status)),
    ).toBe(200)

    // As after a provider has sent the browser back: the cookies are all there is.
    const other = await tab()
    const name = await other.evaluate(async () => {
      const fresh = window.kit.createClient({ url: window.url, name: 'other', cookies: true })
      await fresh.signIn({ cookies: true })
      return fresh.session.get().user?.name
    })
    expect(name).toBe('Ada')
    await close(context)
  },
)
