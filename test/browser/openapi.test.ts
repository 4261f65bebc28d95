import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium } from 'playwright-core'
import { testApp } from '../app.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})

beforeAll(async () => {
  if (!executablePath) return
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  browser = await chromium.launch({ executablePath, args })
})
afterAll(() => browser?.close())

test.skipIf(!executablePath)(
  'the page has one box for a token, keeps it over a reload, sends it as Bearer, and filters by subject',
  async () => {
    const app = await testApp()
    const base = await app.listen()
    const ada = await app.person('Ada')
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
    await page.goto(new URL('/openapi', base).href)

    await page.locator('.auth-wrapper button.authorize').click()
    const dialog = page.locator('.dialog-ux')
    await dialog.waitFor()
    expect(await dialog.locator('.auth-container').count()).toBe(1)
    expect(await dialog.locator('input').count()).toBe(1)
    await dialog.locator('input').fill(ada.token)
    await dialog.locator('button.authorize').click()
    await dialog.locator('button.btn-done').click()

    await page.reload()
    await page.locator('.auth-wrapper button.authorize.locked').waitFor()
    const filter = page.locator('.operation-filter-input')
    await filter.fill('profile')
    await page.locator('#operations-tag-auth').waitFor({ state: 'detached' })
    expect(await page.locator('.opblock-tag').count()).toBe(1)

    const operation = page.locator('#operations-profile-getMe')
    await operation.locator('.opblock-summary-control').click()
    const asked = page.waitForRequest((request) => request.url().endsWith('/api/v1/me'))
    await operation.locator('button.execute').click()
    const request = await asked
    expect(new URL(request.url()).search).toBe('')
    expect(await request.headerValue('authorization')).toBe(`Bearer ${ada.token}`)
    const answer = operation.locator('.live-responses-table .response .highlight-code').first()
    expect(await answer.innerText()).toContain(ada.email)
    await filter.fill('auth')
    const registration = page.locator('#operations-auth-postAuthRegister')
    await registration.locator('.opblock-summary-control').click()
    const registered = page.waitForResponse((response) => response.url().endsWith('/auth/register'))
    await registration.locator('button.execute').click()
    expect((await registered).status()).toBe(201)
    // The box alone says who one is: what one registers or logs in with beside it changes nothing.
    expect(await page.context().cookies()).toEqual([])
    expect(errors).toEqual([])
    await page.close()
  },
)
