import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium } from 'playwright-core'
import { testApp } from '../app.ts'
import { expectAccessible, openAs, serveWeb } from './app-page.ts'

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

browserTest(
  'somebody shows their age, and is found by it',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await app.rows("UPDATE users SET birth_month = '1990-05' WHERE id = ?", ada.id)
    app.forget(ada.id)
    for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5163, longitude: 13.3777 })

    const hers = await openAs(browser, web.origin, ada, { locale: 'en' })
    await hers.page.goto(`${web.origin}/me/edit`)
    await hers.page.getByLabel('Show my age').check()
    await expectAccessible(hers.page, 'profile with the age')
    await hers.page.getByRole('button', { name: 'Save' }).click()
    await hers.page.waitForURL('**/me')
    expect((await ada.get('me')).body.show_age).toBe(true)

    const his = await openAs(browser, web.origin, bob, { locale: 'en' })
    await his.page.goto(`${web.origin}/nearby`)
    await his.page.getByRole('link', { name: /Ada, \d\d/ }).waitFor()
    await his.page.getByRole('button', { name: 'Filters' }).click()
    await his.page.getByRole('radio', { name: '18–25' }).check()
    await expectAccessible(his.page, 'filters with ages')
    await his.page.getByRole('button', { name: 'Show people' }).click()
    await his.page.getByText('Nobody within').waitFor()
    await his.page.getByRole('button', { name: 'Without filters' }).click()
    await his.page.getByRole('link', { name: /Ada, \d\d/ }).click()
    await his.page.getByRole('heading', { name: /Ada, \d\d/ }).waitFor()
    // Of somebody whose date of birth is not known, nobody asks.
    await his.page.goto(`${web.origin}/me/edit`)
    await his.page.getByRole('button', { name: 'Save' }).waitFor()
    expect(await his.page.getByLabel('Show my age').count()).toBe(0)
    await web.stop()
  },
  60_000,
)
