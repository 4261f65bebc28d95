import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { days, hours, minutes, seconds } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { granted } from '../rows.ts'
import { until } from '../until.ts'
import { button, serveWeb } from './app-page.ts'

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

/** The console of an admin in a browser whose clock is wrong by `aheadMs`. */
async function openConsole(app: TestApp, origin: string, aheadMs: number) {
  const admin = await app.person('Root')
  await app.services.storage.users.setRole(admin.id, 'admin', granted(admin.id, app.clock.now))
  app.forget(admin.id)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  await page.clock.install({ time: Date.now() + aheadMs })
  await page.goto(`${origin}/console`)
  await page.getByLabel('E-mail or phone').fill(admin.email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await title(page, 'Queue').waitFor()
  return { page, admin, close: () => context.close() }
}

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
/** Waits until the console has renewed a claim for the last use of it. */
async function renewalDue(page: Page) {
  const renewal = page.waitForResponse(/\/claim$/)
  await page.clock.fastForward(13 * minutes)
  await page.clock.fastForward(2 * seconds)
  await (await renewal).finished()
}
const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason, which the person reads' })

browserTest(
  'a suspension is as long as the console says, even if the clock of its browser is wrong',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { page, close } = await openConsole(app, origin, 26 * hours)
    await ada.post('reports', { user_id: bob.id, reason: 'scam' })
    await page.keyboard.press('n')
    await page.getByRole('article', { name: 'Report' }).getByText('Yours', { exact: true }).waitFor()
    await page
      .getByText(/^due in 2\d hr/)
      .first()
      .waitFor()
    await page.keyboard.press('s')
    await reason(page).fill('Asked for money.')
    await page.getByRole('radio', { name: '1 day', exact: true }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('radio', { name: '1 day', exact: true, checked: true }).waitFor()
    // What the server says about the end is shown below it.
    const message = 'Expected a time in the future'
    await page.route(
      '**/resolve',
      (route) =>
        route.fulfill({
          status: 422,
          json: {
            ...{ type: 'about:blank', title: 'Invalid', status: 422, detail: 'Invalid', request_id: '' },
            ...{ code: 'validation_failed', errors: [{ path: '/until', code: 'out_of_range', message }] },
          },
        }),
      { times: 1 },
    )
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').getByText('This has to be in the future.').waitFor()
    expect(await page.getByRole('alert').filter({ visible: true }).count()).toBe(1)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    const [row] = await app.rows('SELECT pending FROM reports')
    const pending = JSON.parse(String(row?.pending))
    expect(Math.abs(pending.until - (Date.now() + days))).toBeLessThan(2 * minutes)

    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'an appeal that somebody else decides leaves the list without being asked for',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const { page, admin, close } = await openConsole(app, origin, 0)
    const [mo, bob] = [await app.person('Mo'), await app.person('Bob')]
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    app.forget(mo.id)
    await admin.post(`admin/users/${bob.id}/warn`, { reason: 'Be kind.' })
    const [notice] = (await bob.get('me/notices')).body.items
    const { id } = (await bob.post('appeals', { notice_id: notice.id, text: 'Why me?' })).body
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await title(page, 'Appeals').waitFor()
    await page.locator('[data-row]').waitFor()
    const decision = { decision: 'uphold', note: 'We are sorry.' }
    expect((await mo.post(`admin/appeals/${id}/resolve`, decision)).status).toBe(200)
    await page.clock.fastForward(31 * seconds)
    await page.locator('[data-row]').waitFor({ state: 'detached' })
    await close()
    await stop()
  },
  60_000,
)

browserTest(
  'further pages of the queue are refreshed too, and show a decision until it is taken back',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const { page, admin, close } = await openConsole(app, origin, 0)
    const people: Person[] = []
    for (let i = 0; i < 11; i++) people.push(await app.person(`Person ${i}`))
    const filed: string[] = []
    for (const person of people)
      for (const other of people.slice(0, 6)) {
        if (other === person) continue
        app.clock.now++
        filed.push((await person.post('reports', { user_id: other.id, reason: 'spam' })).body.id)
      }
    expect(filed).toHaveLength(60)
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await title(page, 'Appeals').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('q')
    const rows = page.locator('[data-row]')
    const row = (at: number) => page.locator(`[data-row][href*="${filed[at]}"]`)
    await row(49).waitFor()
    await button(page, 'Show more').click()
    await row(59).waitFor()

    // Somebody else decides one of the second page.
    const decision = { action: 'dismiss', note: 'Nothing wrong.' }
    expect((await admin.post(`admin/reports/${filed[57]}/resolve`, decision)).status).toBe(200)
    await page.clock.fastForward(31 * seconds)
    await row(57).waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(59)

    await row(55).click()
    await page.getByRole('form', { name: 'Decide' }).waitFor()
    await page.keyboard.press('d')
    const refreshed = page.waitForResponse((response) => response.url().includes('&cursor='))
    await button(page.getByRole('form', { name: 'Decide' }), 'Decide').click()
    const outcome = row(55).getByText('Dismiss')
    await outcome.waitFor()
    await refreshed
    expect([await outcome.count(), await rows.count()]).toEqual([1, 59])
    await page.keyboard.press('z')
    await outcome.waitFor({ state: 'detached' })
    expect([await row(55).count(), await rows.count()]).toEqual([1, 59])
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'a decision can be taken back on another screen too, for ten seconds, and the focus stays in the screen after them',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { page, close } = await openConsole(app, origin, 0)
    await ada.post('reports', { user_id: bob.id, reason: 'scam' })
    const dismiss = async () => {
      await page.keyboard.press('d')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Dismiss: Scam', { exact: true }).waitFor()
    }
    const go = async (key: string, name: string) => {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await title(page, name).waitFor()
    }
    await page.keyboard.press('n')
    await page.getByRole('article', { name: 'Report' }).getByText('Yours', { exact: true }).waitFor()
    await dismiss()
    await title(page, 'Queue').waitFor()
    await go('n', 'Numbers')
    await button(page, /^Undo/).waitFor()
    await page.keyboard.press('z')
    await title(page, 'Scam').waitFor()
    await button(page, /^Undo/).waitFor({ state: 'detached' })
    const pending = () => app.rows('SELECT id FROM reports WHERE pending IS NOT NULL')
    expect(await pending()).toEqual([])

    await dismiss()
    await go('l', 'Audit log')
    await button(page, /^Undo/).focus()
    await page.clock.fastForward(11 * seconds)
    await button(page, /^Undo/).waitFor({ state: 'detached' })
    await until(() => page.evaluate<boolean>(`document.activeElement.textContent === 'Audit log'`), 'it has the focus')
    expect(await pending()).toHaveLength(1)
    await close()
    await stop()
  },
  60_000,
)

browserTest(
  'a report whose decision takes effect offers no longer to take it back, and shows its outcome',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { page, admin, close } = await openConsole(app, origin, 0)
    const { id } = (await ada.post('reports', { user_id: bob.id, reason: 'scam' })).body
    app.clock.now = Date.now()
    const decision = { action: 'dismiss', note: 'All in order.', undo_s: 10 }
    expect((await admin.post(`admin/reports/${id}/resolve`, decision)).status).toBe(200)
    await page.goto(`${origin}/console/queue/${id}`)
    const opened = page.getByRole('article', { name: 'Report' })
    await button(opened, /^Undo/).focus()
    await page.clock.fastForward(10.5 * seconds)
    await button(opened, /^Undo/).waitFor({ state: 'detached' })
    await opened.getByText('A decision about it takes effect in a moment.').waitFor()
    await until(() => page.evaluate<boolean>(`document.activeElement.tagName === 'H1'`), 'the heading has the focus')
    const read = page.waitForResponse((response) => response.url().endsWith(`/admin/reports/${id}`))
    await page.clock.fastForward(3 * seconds)
    // A busy server carries it out later.
    expect((await (await read).json()).pending).not.toBeNull()

    app.clock.now += 11 * seconds
    app.services.delivery.wake('decision')
    await app.services.delivery.idle()
    await page.clock.fastForward(5 * seconds)
    await opened.getByText('All in order.').waitFor()
    expect(await button(opened, /^Undo/).count()).toBe(0)
    await close()
    await stop()
  },
  60_000,
)

browserTest(
  'a claim is renewed before it ends, even if the clock of the browser is behind',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { page, close } = await openConsole(app, origin, -20 * minutes)
    await ada.post('reports', { user_id: bob.id, reason: 'scam' })
    await page.keyboard.press('n')
    await page.getByRole('article', { name: 'Report' }).getByText('Yours', { exact: true }).waitFor()
    let renewed = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/claim')) renewed++
    })
    await page.clock.fastForward(13.5 * minutes)
    await until(() => renewed === 1, 'the claim is renewed')
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'a claim is not renewed while nobody uses the console, and whoever comes back sees that somebody else has the report',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [mo, ada, bob] = [await app.person('Mo'), await app.person('Ada'), await app.person('Bob')]
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    app.forget(mo.id)
    const { page, admin, close } = await openConsole(app, origin, 0)
    const { id } = (await ada.post('reports', { user_id: bob.id, reason: 'scam' })).body
    await page.keyboard.press('n')
    const opened = page.getByRole('article', { name: 'Report' })
    await opened.getByText('Yours', { exact: true }).waitFor()
    let renewed = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/claim')) renewed++
    })
    const leave = async () => {
      for (let minute = 0; minute < 60; minute++) await page.clock.fastForward(minutes)
    }
    // The report was opened by a key, so it is renewed once.
    app.clock.now += 10 * minutes
    await renewalDue(page)
    await leave()
    expect(renewed).toBe(1)

    // Whoever comes back claims it soon.
    app.clock.now += seconds
    await page.keyboard.press('Shift')
    await page.clock.fastForward(2 * seconds)
    await until(() => renewed === 2, 'the claim is renewed')
    await leave()
    expect(renewed).toBe(2)
    expect((await admin.delete(`admin/reports/${id}/claim`)).status).toBe(204)
    expect((await mo.post(`admin/reports/${id}/claim`)).status).toBe(200)
    await opened.getByText('Yours', { exact: true }).waitFor()
    await page.keyboard.press('Shift')
    await page.clock.fastForward(2 * seconds)
    await opened.getByText('Taken', { exact: true }).waitFor()
    await opened.getByRole('alert').getByText('Somebody else is working on it.').waitFor()
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'whoever comes back with the key of an action does only that, as the renewal of their claim would race with it',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { page, admin, close } = await openConsole(app, origin, 0)
    const { id } = (await ada.post('reports', { user_id: bob.id, reason: 'scam' })).body
    const opened = page.getByRole('article', { name: 'Report' })
    const asked: string[] = []
    page.on('request', (request) => {
      if (/\/(claim|resolve)$/.test(request.url())) asked.push(`${request.method()} ${request.url().split('/').at(-1)}`)
    })
    /** Leaves until the claim has been renewed for the last use, and is due again. */
    const leave = async () => {
      app.clock.now += seconds
      await renewalDue(page)
      await opened.getByText('Yours', { exact: true }).waitFor()
      await page.clock.fastForward(14 * minutes)
      expect(asked.splice(0)).toEqual(['POST claim'])
    }
    await page.keyboard.press('n')
    await opened.getByText('Yours', { exact: true }).waitFor()
    await leave()
    await page.keyboard.press('x')
    await button(opened, 'Claim').waitFor()
    await page.clock.fastForward(10 * seconds)
    expect(asked.splice(0)).toEqual(['DELETE claim'])
    expect((await admin.get(`admin/reports/${id}`)).body.claimed_by).toBeNull()

    await page.keyboard.press('c')
    await opened.getByText('Yours', { exact: true }).waitFor()
    await page.keyboard.press('d')
    expect(asked.splice(0)).toEqual(['POST claim'])
    await leave()
    // A decision that fails keeps the claim: the next key renews it.
    await page.route('**/resolve', (route) => route.abort(), { times: 1 })
    // The first attempt may fail before it is sent, for example if the jump of the clock has ended a request for a new token.
    await until(async () => {
      if (asked.includes('POST resolve')) return true
      await page.keyboard.press('Control+Enter')
      await opened.getByRole('alert').waitFor()
      return false
    }, 'the decision is sent')
    await page.clock.fastForward(10 * seconds)
    expect(asked.splice(0)).toEqual(['POST resolve'])
    await page.keyboard.press('Shift')
    await page.clock.fastForward(2 * seconds)
    await until(() => asked.splice(0).join() === 'POST claim', 'the claim is renewed')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    expect(asked).toEqual(['POST resolve'])
    await close()
    await stop()
  },
  120_000,
)
