import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { granted } from '../rows.ts'
import { expectAccessible, serveWeb } from './app-page.ts'

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

type Role = 'user' | 'moderator' | 'admin'

async function setRole(app: TestApp, { id }: Person, role: Role) {
  await app.services.storage.users.setRole(id, role, granted(id, app.clock.now))
  app.forget(id)
}

async function openConsole(app: TestApp, origin: string, role: Role) {
  const person = await app.person(`The ${role}`)
  await setRole(app, person, role)
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  await page.goto(`${origin}/console`)
  await page.getByLabel('E-mail or phone').fill(person.email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await title(page, 'Queue').waitFor()
  const show = async (path: string, name: string) => {
    await page.goto(`${origin}/console${path}`)
    await title(page, name).waitFor()
  }
  return { page, person, show, close: () => context.close() }
}

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const alerts = (page: Page) => page.locator('[role=alert]:visible')

browserTest(
  'a moderator whose role is taken while the console is open reads so, whatever they do next',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const report = (await ada.post('reports', { user_id: bob.id, reason: 'spam' })).body.id
    const next = {
      'take a report': async (page: Page) => page.keyboard.press('n'),
      'open another screen': async (page: Page) => {
        await page.keyboard.press('g')
        await page.keyboard.press('a')
      },
      decide: async (page: Page) => {
        await page.keyboard.press('d')
        await page.keyboard.press('Control+Enter')
      },
      'save a file': async (page: Page) => button(page, 'CSV').click(),
    }
    for (const [what, act] of Object.entries(next)) {
      const { page, person, show, close } = await openConsole(app, origin, 'moderator')
      if (what === 'decide') await show(`/queue/${report}`, 'Spam')
      if (what === 'save a file') await show('/audit', 'Audit log')
      await setRole(app, person, 'user')
      await act(page)
      await title(page, 'This is for moderators').waitFor()
      expect([what, await alerts(page).allInnerTexts()]).toEqual([
        what,
        ['You are no longer a moderator here. If you think that is a mistake, ask an admin.'],
      ])
      if (what === 'decide') await expectAccessible(page, 'lost role')
      await close()
    }
    expect((await app.rows('SELECT status, pending FROM reports'))[0]).toMatchObject({ status: 'open', pending: null })
    await stop()
  },
  120_000,
)

browserTest(
  'an admin who is a moderator now reads so, and that a screen is for admins',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [bob, root] = [await app.person('Bob'), await app.person('Root')]
    // The last admin stays one.
    await setRole(app, root, 'admin')
    const { page, person, show, close } = await openConsole(app, origin, 'admin')
    await show(`/people/${bob.id}`, 'Bob')
    await setRole(app, person, 'moderator')
    await button(page, 'Send a link for a new password').click()
    await page.getByText('You are no longer an admin. You can continue as a moderator.').waitFor()
    // What admins alone may do is gone, and the rest goes on.
    expect(await button(page, 'Send a link for a new password').count()).toBe(0)
    await button(page, 'Warn').waitFor()
    await show('/rules', 'Rules')
    await page.getByRole('heading', { name: 'This is for admins' }).waitFor()
    await expectAccessible(page, 'for admins')
    await close()
    await stop()
  },
  60_000,
)

browserTest(
  'a moderator who has to agree to texts or to confirm an address first reads so, with a link to the app',
  async () => {
    const app = await testApp({ CONSENT_GATE: 'on' })
    const { origin, stop } = await serveWeb(app)
    const { page, person, show, close } = await openConsole(app, origin, 'moderator')
    const agree = async (terms: boolean) =>
      expect((await person.post('auth/consents', { consents: { terms } })).status).toBe(201)
    const failed = (text: string) => alerts(page).filter({ hasText: text })
    const consents = failed('Agree to the texts of this community in the app first.')
    await agree(false)
    await show('/queue', 'Queue')
    await consents.waitFor()
    expect(await consents.getByRole('link', { name: 'To the app' }).getAttribute('href')).toBe('/')
    await expectAccessible(page, 'consents are missing')
    await page.keyboard.press('n')
    await consents.nth(1).waitFor()
    expect(await alerts(page).getByRole('link', { name: 'To the app' }).count()).toBe(2)

    const problem = { type: 'about:blank', title: 'E-mail not verified', detail: '', request_id: '' }
    await page.route(
      '**/api/v1/admin/reports?*',
      (route) => route.fulfill({ status: 403, json: { ...problem, status: 403, code: 'email_not_verified' } }),
      { times: 1 },
    )
    await button(page, 'Try again').click()
    await failed('Confirm your e-mail address first').getByRole('link', { name: 'To the app' }).waitFor()
    await agree(true)
    await button(page, 'Try again').click()
    await page.getByRole('heading', { name: 'Nothing is waiting', exact: true }).waitFor()
    await close()
    await stop()
  },
  60_000,
)

browserTest(
  'what is refused twice for one reason is said once, beside what was tried last',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const bob = await app.person('Bob')
    const { page, person, show, close } = await openConsole(app, origin, 'moderator')
    const own = (await person.post('reports', { user_id: bob.id, reason: 'hate' })).body.id
    await show(`/queue/${own}`, 'Hate')
    const decision = page.getByRole('form', { name: 'Decide' })
    const refused = /Nobody decides about themselves, about what they have reported/
    const claim = async () => {
      await page.keyboard.press('c')
      await alerts(page).waitFor()
      expect(await alerts(page).innerText()).toMatch(refused)
    }
    await claim()
    expect(await decision.getByRole('alert').count()).toBe(0)
    await page.keyboard.press('d')
    await page.keyboard.press('Control+Enter')
    await decision.getByRole('alert').waitFor()
    expect(await alerts(page).count()).toBe(1)
    expect(await decision.getByRole('alert').innerText()).toMatch(refused)
    await title(page, 'Hate').click()
    await page.keyboard.press('c')
    await decision.getByRole('alert').waitFor({ state: 'hidden' })
    await claim()
    expect(await alerts(page).count()).toBe(1)
    await close()
    await stop()
  },
  60_000,
)
