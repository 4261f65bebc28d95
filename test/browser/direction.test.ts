import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Locator } from 'playwright-core'
import { password, testApp } from '../app.ts'
import { granted } from '../rows.ts'
import { openAs, serveWeb } from './app-page.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
const browserTest = test.skipIf(!executablePath)
let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (!executablePath) return
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  browser = await chromium.launch({ executablePath, args })
})
afterAll(() => browser?.close())

// What runs in the page needs a little of the DOM, and the types here are those of Bun.
type Range = {
  setStart(node: unknown, at: number): void
  setEnd(node: unknown, at: number): void
  getBoundingClientRect(): { left: number }
}
type Dom = {
  document: {
    createRange(): Range
    createTreeWalker(of: unknown, what: number): { nextNode(): { data: string } | null }
  }
  getComputedStyle(of: unknown): { direction: string }
}

/** Whether the last character of a text is drawn left of its first one. */
const isFromRight = (text: Locator) =>
  text.evaluate((element) => {
    const { document } = globalThis as unknown as Dom
    const texts = 4
    const node = document.createTreeWalker(element, texts).nextNode()
    const leftOf = (at: number) => {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      return range.getBoundingClientRect().left
    }
    return node !== null && leftOf(node.data.length - 1) < leftOf(0)
  })
const directionOf = (field: Locator) =>
  field.evaluate((element) => (globalThis as unknown as Dom).getComputedStyle(element).direction)

browserTest(
  'what people write from right to left is shown so in the app and the console, in both languages of the interface',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    app.forget(mo.id)
    const chat = await app.met(ada, bob)
    const [hebrew, english, details] = ['שלום, מה שלומך (Ada)?', 'Hello, how are you?', 'הוא כתב: "spam"!']
    await bob.post(`chats/${chat}/messages`, { text: english })
    const { id } = (await bob.post(`chats/${chat}/messages`, { text: hebrew })).body
    const report = (await ada.post('reports', { message_id: id, reason: 'spam', details })).body.id
    for (const locale of ['en', 'ru']) {
      const { page, context } = await openAs(browser, origin, ada, { locale, viewport: { width: 1440, height: 900 } })
      await page.goto(`${origin}/chats/${chat}`)
      const message = (text: string) => page.getByRole('article').getByText(text, { exact: true })
      expect(await isFromRight(message(hebrew))).toBe(true)
      expect(await isFromRight(message(english))).toBe(false)
      const field = page.getByRole('textbox')
      await field.fill(hebrew)
      expect(await directionOf(field)).toBe('rtl')
      await field.fill(english)
      expect(await directionOf(field)).toBe('ltr')
      await context.close()

      const staff = await browser.newContext({ locale, viewport: { width: 1440, height: 900 } })
      const console = await staff.newPage()
      await console.goto(`${origin}/console/queue/${report}`)
      await console.locator('input[name=username]').fill(mo.email)
      await console.locator('input[type=password]').fill(password)
      await console.keyboard.press('Enter')
      const shown = console.getByRole('article')
      expect(await isFromRight(shown.getByText(hebrew, { exact: true }))).toBe(true)
      expect(await isFromRight(shown.getByText(english, { exact: true }))).toBe(false)
      expect(await isFromRight(shown.getByText(details, { exact: true }))).toBe(true)
      await staff.close()
    }
    await stop()
  },
  120_000,
)
