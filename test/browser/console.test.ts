import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { seconds } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { granted } from '../rows.ts'
import { until } from '../until.ts'
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

const setRole = (app: TestApp, { id }: Person, role: 'moderator' | 'admin') =>
  app.services.storage.users.setRole(id, role, granted(id, app.clock.now))

async function withRole(app: TestApp, role: 'moderator' | 'admin', name: string): Promise<Person> {
  const person = await app.person(name)
  await setRole(app, person, role)
  return person
}

/** What is due is carried out, as the server does by itself once its time has come. */
async function carryOutDue({ nodes }: TestApp) {
  for (const { services } of nodes) services.delivery.wake('decision')
  await Promise.all(nodes.map(({ services }) => services.delivery.idle()))
}

async function openConsole(origin: string, viewport = { width: 1440, height: 900 }) {
  const context = await browser.newContext({ viewport, locale: 'en', reducedMotion: 'reduce' })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const errors: string[] = []
  const images: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    // What the server refuses is part of the tests; what the policy refuses is not.
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  page.on('request', (request) => {
    if (/\/media\//.test(request.url())) images.push(request.url())
  })
  await page.goto(`${origin}/console`)
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  return { context, page, errors, images }
}

/** Signs in without a mouse. */
async function signIn(page: Page, { email }: Person) {
  await page.getByLabel('E-mail or phone').focus()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}

const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const opened = (page: Page) => page.getByRole('article', { name: 'Report' })

/** Presses keys that open another report, and waits until it is there. */
async function toNext(page: Page, ...keys: string[]) {
  const before = new URL(page.url()).pathname
  for (const key of keys) await page.keyboard.press(key)
  await page.waitForURL((url) => url.pathname !== before && url.pathname !== '/console/queue')
  await opened(page).getByText('Yours', { exact: true }).waitFor()
}

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

async function photoForm(): Promise<FormData> {
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(60, 40, { fit: 'fill' }).png().bytes()]), 'photo.png')
  return form
}

browserTest(
  'a moderator reviews a hundred reports by keyboard alone, sees no image before asking for it, and takes back a decision',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [mo, ada, bob] = [await withRole(app, 'moderator', 'Mo'), await app.person('Ada'), await app.person('Bob')]
    const { context, page, errors, images } = await openConsole(web.origin)
    await expectAccessible(page, 'sign-in')

    // The first report is about a message with a photo, which was edited, among its neighbours.
    const chat = await app.met(ada, bob)
    await ada.post(`chats/${chat}/messages`, { text: 'Tea?' })
    const photo = (await bob.post('media', await photoForm())).body.id
    await bob.post(`chats/${chat}/messages`, { kind: 'photo', photo })
    const { id: message } = (await bob.post(`chats/${chat}/messages`, { text: 'You toad.' })).body
    await bob.put(`messages/${message}`, { text: 'You miserable toad.' })
    await ada.post(`chats/${chat}/messages`, { text: 'Please stop.' })
    await ada.post('reports', { message_id: message, reason: 'harassment', details: 'Out of nowhere.' })
    await ada.post('blocks', { user_id: bob.id })
    const admin = await withRole(app, 'admin', 'Root')
    for (const [name, language] of [
      ['Beleidigung', 'de'],
      ['Insults', 'en'],
    ])
      await admin.post('admin/templates', { name, language, text: `${name} break section 3 of our rules.` })
    const targets = await Promise.all(Array.from({ length: 9 }, () => app.person()))
    app.clock.now += seconds
    for (let i = 0; i < 11; i++) {
      const reporter = await app.person()
      for (const { id } of targets) await reporter.post('reports', { user_id: id, reason: 'spam' })
    }

    await signIn(page, mo)
    await title(page, 'Queue').waitFor()
    await page.getByText('100', { exact: true }).waitFor()
    await expectAccessible(page, 'queue')
    await page.keyboard.press('Shift+?')
    await page.getByRole('complementary', { name: 'Keys' }).waitFor()
    await expectAccessible(page, 'all keys')
    await page.keyboard.press('Escape')

    // The list by keyboard: what is opened is not claimed by that.
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await title(page, 'Harassment').waitFor()
    expect((await mo.get('admin/reports?limit=1')).body.items[0].claimed_by).toBeNull()
    await page.keyboard.press('Escape')
    await page.getByText('Open a report, or take the next one.').waitFor()

    // The most urgent one, with its evidence and what is known of the person.
    await toNext(page, 'n')
    const report = opened(page)
    await report.getByText('You miserable toad.').first().waitFor()
    for (const text of ['You toad.', 'Tea?', 'Please stop.', 'Out of nowhere.'])
      await report.getByText(text, { exact: true }).waitFor()
    await report.getByRole('link', { name: 'Bob' }).waitFor()
    expect(await report.getByText('Blocked by').locator('..').innerText()).toMatch(/1$/)
    await expectAccessible(page, 'report')

    // No image is fetched before somebody asks, and the first answer is blurred.
    expect(images).toEqual([])
    expect(await report.locator('img').count()).toBe(0)
    await page.keyboard.press('i')
    const shown = report.getByRole('img', { name: 'Image that is part of the evidence' })
    await shown.waitFor()
    expect(String(await shown.evaluate((image) => (globalThis as any).getComputedStyle(image).filter))).toMatch(
      /blur.*grayscale/,
    )
    await page.keyboard.press('i')
    await button(report, 'Hide images').waitFor()
    expect(String(await shown.evaluate((image) => (globalThis as any).getComputedStyle(image).filter))).toBe('none')
    expect(images.length).toBeGreaterThan(0)

    // A warning with a template in the person's language, and two strikes.
    await page.keyboard.press('w')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('textbox', { name: 'Reason, which the person reads' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Reason, which the person reads' }).inputValue()).toMatch(/^Insults/)
    await page.getByRole('radio', { name: '2', exact: true }).focus()
    await page.keyboard.press('Space')
    await expectAccessible(page, 'warning')
    const first = new URL(page.url()).pathname.split('/').at(-1)!
    await toNext(page, 'Control+Enter')
    expect((await mo.get(`admin/reports/${first}`)).body).toMatchObject({
      status: 'open',
      pending: { action: 'warn', strikes: 2, note: 'Insults break section 3 of our rules.' },
    })

    // It is taken back, and made again.
    await button(page, /^Undo/).waitFor()
    await expectAccessible(page, 'undo')
    const second = new URL(page.url()).pathname
    await page.keyboard.press('z')
    await page.waitForURL((url) => url.pathname.endsWith(first))
    await title(page, 'Harassment').waitFor()
    expect((await mo.get(`admin/reports/${first}`)).body.pending).toBeNull()
    await page.keyboard.press('w')
    await page.keyboard.press('ArrowDown')
    await toNext(page, 'Control+Enter')
    expect(new URL(page.url()).pathname).not.toBe(second)

    // The second one is still claimed, so the other 98 come first.
    const seen = new Set<string>()
    for (let left = 98; left > 0; left--) {
      seen.add(page.url())
      await page.keyboard.press('d')
      if (left > 1) await toNext(page, 'Control+Enter')
    }
    expect(seen.size).toBe(98)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    app.clock.now += 11 * seconds
    await carryOutDue(app)
    await page.goto(`${web.origin}${second}`)
    await opened(page).getByText('Yours', { exact: true }).waitFor()
    await page.keyboard.press('d')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    app.clock.now += 11 * seconds
    await carryOutDue(app)
    await page.reload()
    await page.getByText('Nothing is waiting', { exact: true }).waitFor()
    await expectAccessible(page, 'empty queue')
    const { counts } = (await admin.get('admin/reports')).body
    expect(counts.open).toBe(0)
    expect((await bob.get('me/notices')).body.items).toMatchObject([{ action: 'warn' }])

    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  240_000,
)

browserTest(
  'a moderator adds a passkey, signs in with it, takes the next report, decides, and takes it back',
  async () => {
    const app = await testApp({ STAFF_PASSKEY: 'required' })
    const web = await serveWeb(app)
    const [mo, ada, bob] = [await withRole(app, 'moderator', 'Mo'), await app.person('Ada'), await app.person('Bob')]
    const report = (await ada.post('reports', { user_id: bob.id, reason: 'scam' })).body.id
    // Passkeys are bound to a name, not to an address.
    const { context, page, errors } = await openConsole(web.origin.replace('127.0.0.1', 'localhost'))
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await signIn(page, mo)
    await title(page, 'Confirm that it is you').waitFor()
    await page.getByText('Moderators here need a passkey.').waitFor()
    await expectAccessible(page, 'no passkey yet')
    await page.getByLabel('Name of the passkey').fill('Laptop')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await button(page, 'Use my passkey').click()
    await title(page, 'Queue').waitFor()
    await page.getByRole('link', { name: /^Scam/ }).waitFor()

    await button(page, 'Sign out').click()
    await button(page, 'Sign in with a passkey').click()
    await title(page, 'Queue').waitFor()
    await toNext(page, 'n')
    await page.keyboard.press('s')
    await page.getByRole('textbox', { name: 'Reason, which the person reads' }).fill('Asked for money.')
    await expectAccessible(page, 'suspension')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    const shown = async () => (await app.rows('SELECT status, pending FROM reports WHERE id = ?', report))[0]!
    expect(String((await shown()).pending)).toContain('suspend')
    await page.keyboard.press('z')
    await opened(page).waitFor()
    expect(await shown()).toMatchObject({ status: 'open', pending: null })
    expect((await bob.get('me')).status).toBe(200)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'Escape leaves a field and keeps what is written, and a decision can be taken back after an attempt without a network',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [mo, ada, bob] = [await withRole(app, 'moderator', 'Mo'), await app.person('Ada'), await app.person('Bob')]
    const report = (await ada.post('reports', { user_id: bob.id, reason: 'scam' })).body.id
    const { context, page, errors } = await openConsole(web.origin)
    await signIn(page, mo)
    await title(page, 'Queue').waitFor()
    await toNext(page, 'n')
    await page.keyboard.press('w')
    const reason = page.getByRole('textbox', { name: 'Reason, which the person reads' })
    await reason.fill('Asked for money.')
    await page.keyboard.press('Escape')
    await until(() => page.evaluate<boolean>('document.activeElement === document.body'), 'the field is left')
    expect(await reason.inputValue()).toBe('Asked for money.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()

    const pending = async () => (await app.rows('SELECT pending FROM reports WHERE id = ?', report))[0]?.pending
    expect(String(await pending())).toContain('Asked for money.')
    await context.setOffline(true)
    await page.keyboard.press('z')
    await page.getByText('The server cannot be reached.').first().waitFor()
    await context.setOffline(false)
    await page.keyboard.press('z')
    await opened(page).waitFor()
    expect(await pending()).toBeNull()

    // Without a field to leave, it leads back to the list.
    await page.keyboard.press('Escape')
    await page.getByText('Open a report, or take the next one.').waitFor()
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'the console opens for people with a role alone; admins find people, moderators do not; an appeal is decided',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [mo, ada, bob] = [await withRole(app, 'moderator', 'Mo'), await app.person('Ada'), await app.person('Bob')]
    const phone = { width: 360, height: 740 }
    const { context, page, errors } = await openConsole(web.origin, phone)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/admin/')) asked.push(request.url())
    })
    await signIn(page, ada)
    await title(page, 'This is for moderators').waitFor()
    await expectAccessible(page, 'no moderator')
    expect(asked).toEqual([])

    // The role counts from the next look on.
    await setRole(app, ada, 'admin')
    app.forget(ada.id)
    await page.reload()
    await title(page, 'Queue').waitFor()

    // A warning by Mo, against which Bob appeals: Ada decides about it.
    const cleo = await app.person('Cleo')
    const report = (await cleo.post('reports', { user_id: bob.id, reason: 'hate' })).body.id
    await mo.post(`admin/reports/${report}/resolve`, { action: 'suspend', note: 'Slurs.' })
    const [notice] = (await bob.get('me/notices')).body.items
    await bob.post('appeals', { notice_id: notice.id, text: 'I was quoting somebody.' })
    await button(page, 'Open the menu').click()
    await expectAccessible(page, 'menu')
    await page.getByRole('link', { name: 'Appeals' }).click()
    await page.getByRole('link', { name: /^Suspension/ }).click()
    await page.getByText('Slurs.').waitFor()
    await page.keyboard.press('u')
    await page.keyboard.type('You are right.')
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'appeal')
    await page.keyboard.press('Control+Enter')
    await page.getByText('The appeal is upheld. The person is told.').waitFor()
    expect((await bob.get('me')).status).toBe(200)
    await expectAccessible(page, 'no appeals')

    // An admin finds somebody, suspends them, lifts it, ends their sessions, and gives a role.
    await page.goto(`${web.origin}/console/people`)
    await page.keyboard.press('/')
    await page.keyboard.type('Bob')
    await page.getByRole('link', { name: /^Bob/ }).click()
    await title(page, 'Bob').waitFor()
    await page.getByRole('article', { name: 'Account' }).getByText(bob.email).waitFor()
    await expectAccessible(page, 'person')
    await page.getByRole('textbox', { name: 'Reason, which the person reads' }).fill('Be kind.')
    await button(page, 'Warn').click()
    await page.getByText('Warned. They are told why.').waitFor()
    expect((await bob.get('me/notices')).body.items[0]).toMatchObject({ action: 'warn', reason: 'Be kind.' })
    await page.getByRole('textbox', { name: 'Reason, which the person reads' }).fill('Again.')
    await button(page, 'Suspend').click()
    await page.getByRole('group', { name: 'Suspend Bob?' }).waitFor()
    await expectAccessible(page, 'asks first')
    await page.keyboard.press('Enter')
    await page.getByText('Suspended. They are told why.').waitFor()
    expect((await bob.get('me')).body.code).toBe('suspended')
    await button(page, 'Lift the suspension').click()
    await page.getByText('The suspension is lifted.').waitFor()
    await button(page, 'Sign out everywhere').last().click()
    await page.keyboard.press('Enter')
    await page.getByText('All sessions have ended.').waitFor()
    expect((await bob.get('me')).status).toBe(401)
    await page.getByRole('radio', { name: 'User' }).focus()
    await page.keyboard.press('ArrowRight')
    await button(page, 'Change the role').click()
    await page.keyboard.press('Enter')
    await page.getByText('The role is changed.').waitFor()
    expect((await ada.get(`admin/users/${bob.id}`)).body.role).toBe('moderator')

    // A moderator opens people from reports, and searches for nobody.
    await button(page, 'Open the menu').click()
    await button(page, 'Sign out').click()
    await title(page, 'Sign in').waitFor()
    await signIn(page, mo)
    await page.getByText(/What concerns moderators is for admins/).waitFor()
    await expectAccessible(page, 'not for moderators')
    await page.getByRole('link', { name: 'Back to the list' }).click()
    await page.getByText('Only admins can search').waitFor()
    await expectAccessible(page, 'people of a moderator')
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)
