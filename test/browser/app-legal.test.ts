import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium } from 'playwright-core'
import { testApp } from '../app.ts'
import { button, expectAccessible, openPage, serveWeb } from './app-page.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
const browserTest = test.skipIf(!executablePath)
let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (!executablePath) return
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
})
afterAll(() => browser?.close())

browserTest(
  'the child safety standards are read without an account, in the language of the reader, with the contact',
  async () => {
    const app = await testApp({ LEGAL_CONTACT: 'safety@example.org' })
    const { origin, stop } = await serveWeb(app)
    for (const [locale, link, title] of [
      ['en', 'Child safety', 'Child safety standards'],
      ['ru', 'Защита детей', 'Правила защиты детей'],
    ] as const) {
      const { context, page, errors } = await openPage(browser, origin, { locale })
      await button(page, link).click()
      const sheet = page.getByRole('dialog')
      await sheet.getByRole('heading', { name: title }).waitFor()
      await sheet.getByText('safety@example.org').waitFor()
      await expectAccessible(page, link)
      expect(errors).toEqual([])
      await context.close()
    }
    await stop()
  },
  60_000,
)
