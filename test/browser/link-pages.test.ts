import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { testApp } from '../app.ts'
import { smtpServer } from '../smtp.ts'
import { button, expectAccessible, openPage } from './app-page.ts'
import { executablePath, launch } from './client-page.ts'

let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (executablePath) browser = await launch()
})
afterAll(() => browser?.close())

test.skipIf(!executablePath)(
  'without the app, a password is set by a page that keeps the focus where its reader is',
  async () => {
    const smtp = await smtpServer()
    const app = await testApp({
      PUBLIC_URL: 'https://meet.example.org',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Convene <hello@example.org>',
    })
    const { origin } = await app.listen()
    const ada = await app.person('Ada')
    await app.rows('UPDATE users SET email_verified_at = 1 WHERE id = ?', ada.id)
    expect((await app.request('POST', 'auth/password/forgot', { body: { email: ada.email } })).status).toBe(202)
    const [token] = /(?<=#token=)[\w-]{43}/.exec((await smtp.received(1)).text ?? '') ?? []
    const { page, context, errors } = await openPage(browser, `${origin}/reset#token=${token}`)
    const focused = () =>
      page.evaluate<string>('document.activeElement.matches("body") ? "body" : document.activeElement.outerHTML')
    const status = page.getByRole('status')
    const set = button(page, 'Set password')
    expect(page.url()).toBe(`${origin}/reset`)
    await expectAccessible(page, 'a page without the app')

    await page.getByLabel('New password').fill('password')
    await page.keyboard.press('Enter')
    await status.filter({ hasText: 'none of the most common' }).waitFor()
    expect(await focused()).toContain('type="password"')

    await page.getByLabel('New password').fill('fifteen green bottles')
    await context.setOffline(true)
    await set.press('Enter')
    await status.filter({ hasText: 'Try again' }).waitFor()
    expect(await focused()).toContain('<button')

    await context.setOffline(false)
    await set.press('Enter')
    await status.filter({ hasText: 'Your new password is set' }).waitFor()
    expect(await focused()).toContain('role="status"')
    expect(await set.isVisible()).toBe(false)
    expect(errors).toEqual([])
    await context.close()
    await smtp.close()
  },
  60_000,
)
