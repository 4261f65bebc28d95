import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { serveBook } from '../../scripts/book.ts'
import { password, testApp } from '../app.ts'
import { openAs, serveWeb } from './app-page.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
const browserTest = test.skipIf(!executablePath)
/** The most of gzipped script that the first screen may take, in bytes. */
const budget = 120_000
/** The most of script files that it may take: each costs a request, and work before the first of it runs. */
const mostFiles = 18
let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (!executablePath) return
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  browser = await chromium.launch({ executablePath, args })
})
afterAll(() => browser?.close())

/** How large a file is when it is sent in gzip, in bytes. */
async function gzipped(url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' }, decompress: false })
  return (await response.arrayBuffer()).byteLength
}

/** The scripts that a page fetches from now on. */
function scriptsOf(page: Page): Set<string> {
  const scripts = new Set<string>()
  page.on('response', (response) => {
    if (/\.m?js$/.test(new URL(response.url()).pathname)) scripts.add(response.url())
  })
  return scripts
}

browserTest(
  'the first screen takes at most 120 kB of script, and neither the map nor the camera',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const ada = await app.person('Ada')
    await ada.put('me/location', { latitude: 52.5163, longitude: 13.3777 })
    // The service worker fetches the rest for times without a network, later.
    const context = await browser.newContext({ serviceWorkers: 'block', locale: 'en' })
    const page = await context.newPage()
    const first = scriptsOf(page)
    await page.goto(web.origin)
    await page.getByRole('link', { name: 'Create account' }).waitFor()
    await context.close()
    const hers = await openAs(browser, web.origin, ada, { serviceWorkers: 'block' })
    const nearby = scriptsOf(hers.page)
    await hers.page.goto(`${web.origin}/nearby`)
    await hers.page.getByRole('button', { name: 'Hide me' }).waitFor()
    await hers.context.close()

    for (const [screen, scripts] of Object.entries({ welcome: first, nearby })) {
      const sizes = await Promise.all([...scripts].map(gzipped))
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      expect({ screen, bytes, isWithin: bytes <= budget }).toEqual({ screen, bytes, isWithin: true })
      expect(scripts.size).toBeGreaterThan(0)
      expect(scripts.size).toBeLessThanOrEqual(mostFiles)
      const texts = await Promise.all([...scripts].map(async (url) => (await fetch(url)).text()))
      expect(
        texts.filter((text) => /maplibregl-map|ReactCrop__|getUserMedia/.test(text)).map((text) => text.slice(0, 80)),
      ).toEqual([])
    }
    await web.stop()
  },
  60_000,
)

/** What the root of the page has held, from the first picture on. */
const watchRoot = `addEventListener('DOMContentLoaded', () => {
  const root = document.getElementById('root')
  globalThis.rootHeld = []
  new MutationObserver(() => rootHeld.push(root.innerHTML)).observe(root, { childList: true, subtree: true })
})`

browserTest(
  'the first picture is the screen itself: no skeleton stands before it, and what chats need comes later',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const context = await browser.newContext({ serviceWorkers: 'block', locale: 'en' })
    const page = await context.newPage()
    await page.addInitScript(watchRoot)
    await page.goto(web.origin)
    await page.getByRole('link', { name: 'Create account' }).waitFor()
    const held = await page.evaluate<string[]>('rootHeld')
    expect(held.length).toBeGreaterThan(0)
    expect(held.filter((html) => !html.includes('href="/sign-up"'))).toEqual([])
    await context.close()

    const ada = await app.person('Ada')
    await ada.put('me/location', { latitude: 52.5163, longitude: 13.3777 })
    const hers = await openAs(browser, web.origin, ada, { serviceWorkers: 'block' })
    const asked: string[] = []
    hers.page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
    await hers.page.goto(`${web.origin}/nearby`)
    await hers.page.getByRole('button', { name: 'Hide me' }).waitFor()
    // What the screen shows is asked for before it is drawn, and before what is above and beside it.
    const at = (path: string) => asked.indexOf(`/api/v1/${path}`)
    while (at('chats') < 0 || at('me/notices') < 0) await Bun.sleep(10)
    expect(Math.max(at('me/location'), at('search/nearby'))).toBeLessThan(Math.min(at('me/notices'), at('chats')))
    expect(at('me/location')).toBeGreaterThan(0)
    await hers.context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'a browser that lets a page store nothing shows the app all the same, in the language of the device',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const { email } = await app.person('Ada')
    const context = await browser.newContext({ serviceWorkers: 'block', locale: 'ru' })
    await context.addInitScript(`{
      const deny = () => { throw new DOMException('denied', 'SecurityError') }
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) Object.defineProperty(globalThis, name, { get: deny })
      globalThis.BroadcastChannel = class { constructor() { deny() } }
      LockManager.prototype.request = async () => deny()
    }`)
    const page = await context.newPage()
    await page.goto(web.origin)
    await page.getByRole('link', { name: 'Войти' }).click()
    await page.getByRole('textbox', { name: 'Почта или телефон' }).fill(email)
    await page.getByRole('textbox', { name: 'Пароль' }).fill(password)
    await page.getByRole('button', { name: 'Войти', exact: true }).click()
    await page.getByRole('button', { name: 'Показать примерное место' }).waitFor()
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'Enter that confirms a word of an input method sends and adds nothing, in Safari neither',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chatId = await app.met(ada, bob)
    const { context, page } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chatId}`)
    const field = page.getByRole('textbox')
    await field.fill('こんにちは')
    const enter = { key: 'Enter', bubbles: true, cancelable: true }
    await field.dispatchEvent('keydown', { ...enter, isComposing: true, keyCode: 229 })
    await field.dispatchEvent('keydown', { ...enter, keyCode: 229 })
    expect(await field.inputValue()).toBe('こんにちは')
    await field.press('Enter')
    await page.getByRole('article').getByText('こんにちは').waitFor()
    expect(await page.getByRole('article').getByText('こんにちは').count()).toBe(1)
    expect(await field.inputValue()).toBe('')

    await page.goto(`${web.origin}/me/preferences`)
    const drink = page.getByLabel('Something else: Drinks')
    await drink.fill('お茶')
    await drink.dispatchEvent('keydown', { ...enter, isComposing: true, keyCode: 229 })
    await drink.dispatchEvent('keydown', { ...enter, keyCode: 229 })
    expect(await drink.inputValue()).toBe('お茶')
    await drink.press('Enter')
    await page.getByLabel('お茶', { exact: true }).waitFor()
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'a database of the browser that stops answering delays a chat, but hides nothing of it',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chatId = await app.met(ada, bob)
    await bob.post(`chats/${chatId}/messages`, { text: 'Is Saturday fine?' })
    const { context, page } = await openAs(browser, web.origin, ada)
    // As WebKit does after a page was left during a write. The session has been read by then.
    await context.addInitScript(`{
      const { transaction } = IDBDatabase.prototype
      const silent = { objectStore: () => ({ get: () => ({}), put: () => ({}), delete: () => ({}) }) }
      let count = 0
      IDBDatabase.prototype.transaction = function (...given) {
        return count++ === 0 ? transaction.apply(this, given) : silent
      }
    }`)
    await page.goto(`${web.origin}/chats/${chatId}`)
    await page.getByText('Is Saturday fine?').waitFor()
    await page.getByRole('textbox').fill('Yes, at four.')
    await page.keyboard.press('Enter')
    while ((await app.rows('SELECT id FROM messages WHERE text = ?', 'Yes, at four.')).length === 0) await Bun.sleep(20)
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'in a long conversation only the rows near the screen exist, no other one is measured anew, and it stays so as messages arrive',
  async () => {
    const book = serveBook({ watch: false })
    const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en' })
    const page = await context.newPage()
    await page.goto(`${book.url}book/app/chat/many?lang=en`)
    await page.waitForFunction(`document.documentElement.dataset.book === 'ready'`)
    const session = await context.newCDPSession(page)
    await session.send('Profiler.enable')
    await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const articles = await page.evaluate<number[]>(`(async () => {
      const list = document.querySelector('[role=log]')
      const counts = []
      for (let frame = 0; frame < 60; frame++) {
        list.scrollTop -= 40
        await new Promise((drawn) => requestAnimationFrame(drawn))
        counts.push(list.querySelectorAll('article').length)
      }
      return counts
    })()`)
    const { result } = await session.send('Profiler.takePreciseCoverage')
    const calls = result
      .flatMap(({ functions }) => functions)
      .filter(({ functionName }) => functionName === 'estimate')
      .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
    expect(Math.max(...articles)).toBeLessThan(60)
    expect(Math.min(...articles)).toBeGreaterThan(5)
    // There are ten thousand.
    expect(calls).toBeLessThan(10_000)

    const elements = () => page.evaluate<number>('document.querySelectorAll("*").length')
    const before = await elements()
    await page.evaluate(`(async () => {
      document.querySelector('[role=log]').scrollTop = 1e9
      for (let at = 0; at < 300; at++) {
        globalThis.book.tellMessage(at)
        if (at % 20 === 0) await new Promise((drawn) => requestAnimationFrame(drawn))
      }
      await globalThis.book.settled()
    })()`)
    expect(await elements()).toBeLessThan(before * 1.5)
    await context.close()
    await book.stop(true)
  },
  60_000,
)

browserTest(
  'a part that cannot be fetched says so, and loading again helps',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const ada = await app.person('Ada')
    const { context, page } = await openAs(browser, web.origin, ada, { serviceWorkers: 'block' })
    const scripts = scriptsOf(page)
    await page.goto(`${web.origin}/nearby`)
    await page.getByRole('button', { name: 'Share my rough place' }).waitFor()
    const texts = new Set<string>()
    for (const url of scripts) if ((await (await fetch(url)).text()).includes('"places.nearby"')) texts.add(url)
    expect(texts.size).toBeGreaterThan(0)

    // After a new version the old parts are gone.
    await page.route('**/assets/chunk-*.js', (route) => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('link', { name: 'Me', exact: true }).click()
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: /part of the app|could not|load/i })
      .waitFor()
    await page.unroute('**/assets/chunk-*.js')
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByRole('heading', { name: 'Me', level: 1 }).waitFor()

    // Not even the texts come: the page itself says what to do, at once.
    const isText = (url: URL) => texts.has(url.href)
    await page.route(isText, (route) => route.abort())
    await page.reload()
    await page.getByText('The app could not be loaded. Check your connection.').waitFor()
    await page.unroute(isText)
    await page.getByRole('link', { name: /^Load again/ }).click()
    await page.getByRole('heading', { name: 'Me', level: 1 }).waitFor()

    // The script itself does not come: the page says so after a while, without any script.
    await page.route('**/assets/app-*.js', (route) => route.abort())
    await page.reload()
    await page.getByText('The app could not be loaded. Check your connection.').waitFor()
    await context.close()
    await web.stop()
  },
  60_000,
)

const firstShown = `(() => {
  const list = document.querySelector('[role=log]')
  const top = list.getBoundingClientRect().top
  const first = [...list.querySelectorAll('article')]
    .map((one) => ({ text: one.textContent, y: one.getBoundingClientRect().top }))
    .filter(({ y }) => y >= top)
    .toSorted((a, b) => a.y - b.y)[0]
  return first
})()`

/** How far a message is from a place, in each picture until the older ones are there and measured. */
const drift = (text: string, y: number) => `(async () => {
  const list = document.querySelector('[role=log]')
  const height = list.scrollHeight
  let most = 0
  for (let quiet = 0; quiet < 12; ) {
    await new Promise((drawn) => requestAnimationFrame(drawn))
    const one = [...list.querySelectorAll('article')].find(({ textContent }) => textContent === ${JSON.stringify(text)})
    most = Math.max(most, one ? Math.abs(one.getBoundingClientRect().top - ${y}) : Infinity)
    quiet = list.scrollHeight > height && list.getAttribute('aria-busy') === 'false' ? quiet + 1 : 0
  }
  return most
})()`

browserTest(
  'older messages come in above, and what is read stays where it is',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    for (let i = 1; i <= 130; i++)
      await (i % 3 ? bob : ada).post(`chats/${chat}/messages`, { text: `No. ${i}. ${'word '.repeat((i * 7) % 40)}` })
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    // The answers with older messages are held until the test has seen where the first one stands.
    const gates = Array.from({ length: 2 }, () => ({
      asked: Promise.withResolvers<void>(),
      opened: Promise.withResolvers<void>(),
    }))
    let held = 0
    await page.route('**/messages?*cursor=*', async (route) => {
      const gate = gates[held++]
      gate?.asked.resolve()
      await gate?.opened.promise
      await route.continue()
    })
    await page.goto(`${web.origin}/chats/${chat}`)
    await page.getByText('No. 130.').waitFor()
    for (const { asked, opened } of gates) {
      // To the beginning of what is there, where the older ones are asked for.
      await page.evaluate(`document.querySelector('[role=log]').scrollTop = 60`)
      await asked.promise
      // Until the rows have been measured where they are now.
      await page.evaluate(
        `new Promise((done) => { let left = 10; const next = () => left-- ? requestAnimationFrame(next) : done(); next() })`,
      )
      const first = await page.evaluate<{ text: string; y: number }>(firstShown)
      expect(first.text).toStartWith('No. ')
      const moved = page.evaluate<number>(drift(first.text, first.y))
      opened.resolve()
      expect(await moved).toBeLessThanOrEqual(1)
    }
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)
