import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { sign } from '@tma.js/init-data-node'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { password, type TestApp, testApp } from '../app.ts'
import { until } from '../until.ts'
import { expectAccessible, openAs, openPage, serveWeb } from './app-page.ts'
import { enlarge } from './book-page.ts'
import { executablePath, launch } from './client-page.ts'

const botToken = '7000000001:AAtests-only_token-of-nobody'
const longPassword = 'fifteen green bottles'
const browserTest = test.skipIf(!executablePath)
let browser: Browser
const opened: { stop(): Promise<unknown> }[] = []

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (executablePath) browser = await launch()
})
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close()
  for (const web of opened.splice(0)) await web.stop()
})
afterAll(() => browser?.close())

async function serve(environment: Record<string, string> = {}) {
  const app = await testApp(environment)
  const web = await serveWeb(app)
  opened.push(web)
  return { app, origin: web.origin }
}

async function open(url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en', ...options })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  await page.goto(url)
  return { context, page, errors }
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).first()

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

/** A photo of 60 × 40 pixels, as a camera would hand it over. */
async function photo() {
  const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
  const bytes = await new Bun.Image(pixel).resize(600, 400, { fit: 'fill' }).jpeg().bytes()
  return { name: 'me.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(bytes) }
}

browserTest(
  'somebody makes an account, a profile with a photo, downloads everything and erases it',
  async () => {
    const { app, origin } = await serve()
    const { page, errors } = await open(origin)
    await page.getByRole('link', { name: 'Create account' }).click()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('E-mail or phone').fill('ada.new@example.org')
    await page.getByLabel('Password').fill('password')
    await button(page, 'Create account').click()
    // Nothing is sent without the consents, and each text can be read before.
    await page.getByText('Read and tick all three to continue.').waitFor()
    await button(page, 'Read Terms of use').click()
    await page.getByRole('dialog').getByText('Version of').waitFor()
    await page.keyboard.press('Escape')
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await button(page, 'Create account').click()
    await page.getByText('Many people use this password.').waitFor()
    await page.getByLabel('Password').fill(longPassword)
    await button(page, 'Create account').click()

    await heading(page, 'Edit profile').waitFor()
    await page.getByLabel('Choose a photo').setInputFiles(await photo())
    await button(page, 'Use photo').click()
    await page.getByRole('img', { name: 'Your photo' }).waitFor()
    await page.getByLabel('About you').fill('Chess & <b>tea</b>')
    await page.getByLabel('City').fill('Lisbon')
    await button(page, 'Save').click()
    await page.getByText('Chess & <b>tea</b>').waitFor()
    await page.getByRole('link', { name: 'What I like' }).click()
    await page.getByLabel('tea', { exact: true }).check()
    await page.getByLabel('Something else: Drinks').fill('Mate')
    await page.keyboard.press('Enter')
    await button(page, 'Save').click()
    await page.getByText('Mate', { exact: true }).waitFor()

    await page.goto(`${origin}/settings/data`)
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download everything').click()])
    const everything = await Bun.file(await file.path()).text()
    for (const known of ['ada.new@example.org', 'Lisbon', 'Mate']) expect(everything).toContain(known)
    const [ada] = await app.rows<{ id: string }>('SELECT id FROM users WHERE email = ?', 'ada.new@example.org')

    await page.goto(`${origin}/settings/erase`)
    await page.getByLabel('Password').fill('not this one')
    await page.getByRole('checkbox').check()
    await button(page, 'Erase my account').click()
    await page.getByText('This password is wrong.').waitFor()
    await page.getByLabel('Password').fill(longPassword)
    await button(page, 'Erase my account').click()
    await heading(page, 'Meet people nearby').waitFor()
    const bob = await app.person('Bob')
    expect((await bob.get(`users/${ada?.id}`)).status).toBe(404)
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest('who has no room for another photo reads how to make some', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const { page } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/me/edit`)
  await page.getByLabel('Choose a photo').setInputFiles(await photo())
  await button(page, 'Use photo').click()
  await page.getByRole('img', { name: 'Your photo' }).waitFor()
  await app.rows('UPDATE media SET bytes = 500000000 - thumb_bytes')
  await page.getByLabel('Choose a photo').setInputFiles(await photo())
  await button(page, 'Use photo').click()
  await page.getByText('Delete older messages with photos to make room.').waitFor()
  // That was about this photo, and is not said of the next one.
  await page.keyboard.press('Escape')
  await page.getByLabel('Choose a photo').setInputFiles(await photo())
  await button(page, 'Use photo').waitFor()
  expect(await page.getByText('Delete older messages with photos to make room.').count()).toBe(0)
})

browserTest('what is typed among the preferences but not added is saved too, once', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const twenty = Array.from({ length: 20 }, (_, at) => `Purpose ${at + 1}`)
  await ada.put('me/prefs', { drinks: ['Mate'], purposes: twenty })
  const { page } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/me/preferences`)
  await page.getByLabel('Something else: Drinks').fill(' mate ')
  await page.getByLabel('Something else: Things to do').fill(' Kite flying ')
  await page.getByLabel('Something else: Looking for').fill('One too many')
  await button(page, 'Save').click()
  await page.getByText('Kite flying', { exact: true }).waitFor()
  expect((await ada.get('me/prefs')).body).toMatchObject({
    drinks: ['Mate'],
    activities: ['Kite flying'],
    purposes: twenty,
  })
})

browserTest('a text is as long as its characters, of which an emoji is one', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const bio = '🍵'.repeat(300)
  expect((await ada.put('me', { bio })).status).toBe(200)
  const { page, errors } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/me/edit`)
  const about = page.getByLabel('About you')
  await about.press('ControlOrMeta+End')
  await page.keyboard.insertText(' and chess')
  await button(page, 'Save').click()
  await page.getByText('Saved').waitFor()
  expect((await ada.get('me')).body.bio).toBe(`${bio} and chess`)

  await page.goto(`${origin}/me/edit`)
  await about.fill('🍵'.repeat(502))
  await page.getByText('2 characters too long').waitFor()
  await expectAccessible(page, 'a text that is too long')
  await button(page, 'Save').click()
  await about.fill('🍵'.repeat(500))
  // The server has refused the longer one.
  await page.getByText('This is too long.').waitFor()
  await button(page, 'Save').click()
  await page.getByText('Saved').waitFor()
  expect((await ada.get('me')).body.bio).toBe('🍵'.repeat(500))
  expect(errors).toEqual([])
})

browserTest('saving a profile leaves what was changed on another device', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const { page, errors } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/me`)
  await button(page, 'Edit profile')
    .or(page.getByRole('link', { name: 'Edit profile' }))
    .waitFor()
  await ada.put('me', { bio: 'Written elsewhere' })
  await button(page, 'Edit profile')
    .or(page.getByRole('link', { name: 'Edit profile' }))
    .click()
  const about = page.getByLabel('About you')
  await until(async () => (await about.inputValue()) === 'Written elsewhere', 'the form has what is stored')
  await ada.put('me', { bio: 'Written elsewhere later' })
  await page.getByLabel('City').fill('Lisbon')
  await button(page, 'Save').click()
  await page.getByText('Saved').waitFor()
  expect((await ada.get('me')).body).toMatchObject({ bio: 'Written elsewhere later', city: 'Lisbon' })
  expect(errors).toEqual([])
})

browserTest('what the server says of a lifted suspension is in the language of the app', async () => {
  const { app, origin } = await serve()
  const [ada, mo] = [await app.person('Ada'), await app.person('Mo')]
  await app.rows("UPDATE users SET role = 'admin' WHERE id = ?", mo.id)
  app.forget(mo.id)
  for (const reason of [null, 'That was my error.']) {
    expect((await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Spam' })).status).toBe(200)
    app.clock.now += 1000
    expect((await mo.post(`admin/users/${ada.id}/unsuspend`, { reason })).status).toBe(200)
    app.clock.now += 1000
  }
  const { page, errors } = await openAs(browser, origin, ada, { locale: 'ru' })
  await page.goto(`${origin}/settings/reports`)
  // What a moderator has written stays as it is.
  await page.getByText('That was my error.').waitFor()
  expect(await page.getByText('The suspension was lifted.').count()).toBe(0)
  await page.getByText('Приостановку сняли.').waitFor()
  expect(errors).toEqual([])
})

browserTest('a photo is cut by keyboard with the words of the language of the app', async () => {
  const { app, origin } = await serve()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = await app.met(ada, bob)
  const { page, errors } = await openAs(browser, origin, ada, { locale: 'ru' })
  const sheet = page.getByRole('dialog')
  const inEnglish = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('dialog [aria-label]')]
      .map((one) => one.getAttribute('aria-label')).filter((label) => /[a-z]/i.test(label))`)
  await page.goto(`${origin}/me/edit`)
  await page.getByLabel('Выбрать фото').setInputFiles(await photo())
  await sheet.locator('.ReactCrop__crop-selection').waitFor()
  expect(await inEnglish()).toEqual([])
  await sheet.getByRole('button', { name: /^Правый нижний угол/ }).waitFor()

  await page.goto(`${origin}/chats/${chat}`)
  await page.getByLabel('Выбрать фото').setInputFiles(await photo())
  const picture = sheet.getByRole('img').first()
  await picture.waitFor()
  const { x, y, width, height } = (await picture.boundingBox())!
  await page.mouse.move(x + 5, y + 5)
  await page.mouse.down()
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 })
  await page.mouse.up()
  await sheet.locator('.ReactCrop__crop-selection').waitFor()
  expect(await inEnglish()).toEqual([])
  await sheet.getByRole('button', { name: /^Левый край/ }).waitFor()
  expect(errors).toEqual([])
})

browserTest('a photo whose sheet is closed while it is uploaded is not shown to anybody', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const { page } = await openAs(browser, origin, ada)
  const uploaded = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await page.route('**/api/v1/media', async (route) => {
    const response = await route.fetch()
    uploaded.resolve()
    await answer.promise
    await route.fulfill({ response })
  })
  const changes: string[] = []
  page.on('request', (request) => void (request.method() === 'PUT' && changes.push(request.url())))
  await page.goto(`${origin}/me/edit`)
  await page.getByLabel('Choose a photo').setInputFiles(await photo())
  await button(page, 'Use photo').click()
  await uploaded.promise
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const answered = page.waitForResponse('**/api/v1/media')
  answer.resolve()
  await answered
  await page.getByLabel('City').fill('Lisbon')
  await button(page, 'Save').click()
  await page.getByText('Saved').waitFor()
  expect(changes).toHaveLength(1)
  expect((await ada.get('me')).body.photo).toBeNull()
})

browserTest('what was being written is still there after a session has ended elsewhere', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const { page } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/me/edit`)
  await page.getByLabel('About you').fill('Half a sente')
  const { body } = await ada.get('me/sessions')
  for (const session of body.items) if (!session.current) await ada.delete(`me/sessions/${session.id}`)
  await heading(page, 'Please sign in again').waitFor()
  expect(await page.getByLabel('E-mail or phone').inputValue()).toBe(ada.email)
  // Another account ends that, so the page asks first.
  await button(page, 'Use another account').click()
  await page.getByRole('dialog').getByText('including messages that are not sent yet').waitFor()
  await expectAccessible(page, 'before another account is used')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByLabel('Password').fill('twelve green bottles')
  await button(page, 'Sign in').click()
  await heading(page, 'Edit profile').waitFor()
  expect(await page.getByLabel('About you').inputValue()).toBe('Half a sente')
})

browserTest('a suspended user reads why and until when, and appeals', async () => {
  const { app, origin } = await serve()
  const [ada, mo] = [await app.person('Ada'), await app.person('Mo')]
  await app.rows("UPDATE users SET role = 'moderator' WHERE id = ?", mo.id)
  app.forget(mo.id)
  const { page } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/settings`)
  // The browser has the clock of the machine.
  const end = new Date(Date.now() + 6 * 3_600_000).toISOString()
  const answer = await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Adverts for crypto coins', until: end })
  expect(answer.status).toBe(200)
  await page.reload()
  await page.goto(`${origin}/settings/sessions`)
  await heading(page, 'Your account is suspended').waitFor()
  await page.getByText('Adverts for crypto coins').waitFor()
  // It ends so soon that the time matters.
  const ends = await page.evaluate<string>(
    `new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short' }).format(new Date('${end}'))`,
  )
  await page.getByText(`You cannot use the app until ${ends}.`).waitFor()
  await page.getByText(`until ${ends}`, { exact: false }).last().waitFor()
  await button(page, 'Appeal').click()
  // Nothing of it can be seen.
  await page.getByLabel('Why is this decision wrong?').fill('\u200b\u2800')
  await button(page, 'Send appeal').click()
  await page.getByText('This is too short.').waitFor()
  await page.getByLabel('Why is this decision wrong?').fill('That was my sister.')
  await button(page, 'Send appeal').click()
  await page.getByText('Appeal is being looked at').waitFor()
  await until(async () => (await focused(page)) === 'Appeal is being looked at', 'the answer has the focus')
})

browserTest(
  'the page of an ended suspension says that it has ended when it is seen again, and offers to sign in',
  async () => {
    const { app, origin } = await serve()
    const [ada, mo] = [await app.person('Ada'), await app.person('Mo')]
    await app.rows("UPDATE users SET role = 'admin' WHERE id = ?", mo.id)
    app.forget(mo.id)
    const { page } = await openAs(browser, origin, ada)
    await page.goto(`${origin}/settings`)
    await heading(page, 'Settings').waitFor()
    const suspend = () => mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Adverts for crypto coins' })
    const seeAgain = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect((await suspend()).status).toBe(200)
    await heading(page, 'Your account is suspended').waitFor()
    await page.getByText('Adverts for crypto coins').waitFor()

    // Whoever does not trust the page can try to sign in.
    await button(page, 'Sign in again').click()
    expect(await page.getByLabel('E-mail or phone').inputValue()).toBe(ada.email)
    await expectAccessible(page, 'a suspended user who signs in again')

    await button(page, 'Appeal').click()
    await page.getByLabel('Why is this decision wrong?').fill('That was my sister.')
    await button(page, 'Send appeal').click()
    await page.getByText('Appeal is being looked at').waitFor()
    const [appeal] = await app.rows<{ id: string }>('SELECT id FROM appeals')
    await seeAgain()
    await heading(page, 'Your account is suspended').waitFor()
    expect(
      (await mo.post(`admin/appeals/${appeal?.id}/resolve`, { decision: 'uphold', note: 'A mistake.' })).status,
    ).toBe(200)
    await seeAgain()
    await heading(page, 'Your account is open again').waitFor()
    expect(await page.getByText('Others do not see you').count()).toBe(0)
    await page.getByLabel('Password').fill(password)
    await button(page, 'Sign in').click()
    await heading(page, 'Settings').waitFor()

    app.clock.now += 1000
    expect((await suspend()).status).toBe(200)
    await heading(page, 'Your account is suspended').waitFor()
    app.clock.now += 1000
    expect((await mo.post(`admin/users/${ada.id}/unsuspend`, {})).status).toBe(200)
    await seeAgain()
    await heading(page, 'Your account is open again').waitFor()
  },
)

browserTest(
  'a user who was suspended while the app was closed reads why at the sign-in, and appeals there',
  async () => {
    const { app, origin } = await serve()
    const [ada, mo] = [await app.person('Ada'), await app.person('Mo')]
    await app.rows("UPDATE users SET role = 'moderator' WHERE id = ?", mo.id)
    app.forget(mo.id)
    const { page } = await openAs(browser, origin, ada)
    const { page: elsewhere } = await openPage(browser, `${origin}/sign-in`)
    await page.goto(`${origin}/settings`)
    await page.goto('about:blank')
    expect((await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Adverts for crypto coins' })).status).toBe(200)
    app.clock.now += 901_000
    await page.goto(`${origin}/settings/sessions`)
    await heading(page, 'Your account is suspended').waitFor()
    expect(await page.getByLabel('E-mail or phone').inputValue()).toBe(ada.email)
    await page.getByLabel('Password').fill(password)
    await button(page, 'Sign in').click()
    await page.getByText('Adverts for crypto coins').waitFor()
    // By keyboard: the field has the focus then, and the answer after it.
    await button(page, 'Appeal').press('Enter')
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.type('That was my sister.')
    await expectAccessible(page, 'an appeal at the sign-in')
    await button(page, 'Send appeal').press('Enter')
    await page.getByText('Your appeal is with the moderators.').waitFor()
    const isAnswered = async () => (await focused(page)).startsWith('Your appeal is with the moderators.')
    await until(isAnswered, 'the answer has the focus')
    const appeals = () => app.rows('SELECT text FROM appeals')
    expect(await appeals()).toEqual([{ text: 'That was my sister.' }])

    // On another device, too, and there is one appeal only.
    await elsewhere.getByLabel('E-mail or phone').fill(ada.email)
    await elsewhere.getByLabel('Password').fill(password)
    await button(elsewhere, 'Sign in').click()
    await elsewhere.getByText('Adverts for crypto coins').waitFor()
    await button(elsewhere, 'Appeal').click()
    await elsewhere.getByLabel('Why is this decision wrong?').fill('Once more.')
    await button(elsewhere, 'Send appeal').click()
    await elsewhere.getByText('Your appeal is with the moderators.').waitFor()
    expect(await appeals()).toHaveLength(1)
  },
)

browserTest('settings are kept: notifications, sessions, password, language', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const { page, errors } = await openAs(browser, origin, ada, { timezoneId: 'Europe/Lisbon', serviceWorkers: 'block' })
  await page.goto(`${origin}/settings/notifications`)
  await page.getByLabel('Quiet time').check()
  await page.getByLabel('From').waitFor()
  await page.getByLabel('What they show').selectOption('none')
  await until(async () => (await ada.get('me/notifications')).body.preview === 'none', 'the server keeps it')
  expect((await ada.get('me/notifications')).body.quiet).toEqual({
    from: '22:00',
    to: '08:00',
    time_zone: 'Europe/Lisbon',
  })
  // One change while another is still on its way.
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/me/notifications', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByLabel('New chats').uncheck()
  await page.getByLabel('Reviews of me').uncheck()
  held.resolve()
  await until(async () => (await ada.get('me/notifications')).body.reviews === false, 'the server keeps both')
  expect((await ada.get('me/notifications')).body).toMatchObject({ chats: false, preview: 'none' })
  for (const label of ['New chats', 'Reviews of me']) expect(await page.getByLabel(label).isChecked()).toBe(false)

  await page.goto(`${origin}/settings/sessions`)
  await page.getByText('This device').waitFor()
  await button(page, 'End all others').click()
  await button(page, 'End all others').waitFor({ state: 'detached' })
  expect((await ada.get('me')).status).toBe(401)

  await page.goto(`${origin}/settings/sign-in`)
  await page.getByLabel('Current password').fill('twelve green bottles')
  await page.getByLabel('New password').fill(longPassword)
  await button(page, 'Save').click()
  await page.getByText('The password is changed.').waitFor()

  await page.goto(`${origin}/settings/language`)
  // Its texts are slow to come; the choice is shown at once.
  await page.route('**/*.js', async (route) => {
    await Bun.sleep(500)
    await route.continue()
  })
  await page.getByLabel('Русский').check()
  await heading(page, 'Язык').waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('ru')
  expect(errors).toEqual([])
})

browserTest('what is longer than the screen can be scrolled by keyboard, with large text too', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const { page, errors } = await openAs(browser, origin, ada, { viewport: { width: 360, height: 480 } })
  for (const [path, title] of [
    ['email', 'E-mail'],
    ['blocked', 'Blocked people'],
    ['reports', 'Reports and decisions'],
    ['devices', 'Devices'],
  ] as const) {
    await page.goto(`${origin}/settings/${path}`)
    await heading(page, title).waitFor()
    await page.waitForLoadState('networkidle')
    await enlarge(page)
    await expectAccessible(page, `${path}, 200 % text`)
  }
  expect(errors).toEqual([])
})

browserTest(
  'the last of several languages that are chosen quickly is the one of the app and of its mails',
  async () => {
    const { app, origin } = await serve()
    const ada = await app.person('Ada')
    const { page, errors } = await openAs(browser, origin, ada, { serviceWorkers: 'block' })
    await page.goto(`${origin}/settings/language`)
    const held = Promise.withResolvers<void>()
    let sent = 0
    await page.route('**/api/v1/me/prefs', async (route) => {
      if (sent++ === 0) await held.promise
      await route.continue()
    })
    await page.getByLabel('Русский').check()
    await heading(page, 'Язык').waitFor()
    await until(() => sent === 1, 'the first choice is on its way')
    await page.getByLabel('English').check()
    await heading(page, 'Language').waitFor()
    await page.getByLabel('Русский').check()
    await page.getByLabel('English').check()
    held.resolve()
    await page.getByText('Saved.').waitFor()
    expect((await ada.get('me/prefs')).body.language).toBe('en')
    expect(await page.getByLabel('English').isChecked()).toBe(true)
    expect(sent).toBe(2)
    expect(errors).toEqual([])
  },
)

browserTest('the next user of a browser is not asked whether to erase the account, in no tab', async () => {
  const { app, origin } = await serve()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const { page, context } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/settings/erase`)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('checkbox').check()
  await button(page, 'Erase my account').click()
  await heading(page, 'Meet people nearby').waitFor()
  const tab = await context.newPage()
  await tab.goto(`${origin}/sign-in`)
  await tab.getByLabel('E-mail or phone').fill(bob.email)
  await tab.getByLabel('Password').fill(password)
  await button(tab, 'Sign in').click()
  for (const each of [tab, page]) await heading(each, 'Nearby').waitFor()
})

browserTest('who comes back to the settings is where they left them', async () => {
  const { app, origin } = await serve()
  const { page } = await openAs(browser, origin, await app.person('Ada'), { viewport: { width: 360, height: 480 } })
  await page.goto(`${origin}/settings`)
  const list = page.getByRole('group', { name: 'Settings' })
  const row = page.getByRole('link', { name: 'My data' })
  await row.scrollIntoViewIfNeeded()
  const left = await list.evaluate((element) => (element as unknown as { scrollTop: number }).scrollTop)
  expect(left).toBeGreaterThan(0)
  await row.click()
  await heading(page, 'My data').waitFor()
  await page.getByRole('link', { name: 'Back' }).click()
  await row.waitFor()
  expect(await list.evaluate((element) => (element as unknown as { scrollTop: number }).scrollTop)).toBe(left)
})

browserTest('all sessions of somebody are listed, however many there are', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const body = { email: ada.email, password }
  for (let count = 0; count < 31; count++) expect((await app.request('POST', 'auth/login', { body })).status).toBe(200)
  const { page, errors } = await openAs(browser, origin, ada, { serviceWorkers: 'block' })
  // Several pages, as of more than 100 sessions.
  await page.route('**/api/v1/me/sessions?limit=100*', (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=10') }),
  )
  await page.goto(`${origin}/settings/sessions`)
  await page.getByText('This device').waitFor()
  // With the first one, and that of the page.
  expect(await page.getByRole('article').count()).toBe(33)
  expect(errors).toEqual([])
})

browserTest('a link of a mail changes nothing until its button is pressed, and leaves the address bar', async () => {
  const { origin } = await serve()
  const asked: string[] = []
  const { page, context } = await open('about:blank')
  context.on('request', (request) => void asked.push(`${request.method()} ${request.url()}`))
  await page.goto(`${origin}/reset#token=a-secret-of-a-link`)
  await heading(page, 'Set a new password').waitFor()
  expect(page.url()).toBe(`${origin}/reset`)
  expect(asked.some((each) => each.startsWith('POST') || each.includes('a-secret'))).toBe(false)
  await page.getByLabel('New password').fill(longPassword)
  await button(page, 'Set password').click()
  await page.getByText('This link was used already').waitFor()
})

browserTest('the app starts without a network, once it has been there', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const { page, context } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/settings`)
  await page.evaluate('navigator.serviceWorker.ready')
  await page.reload()
  await page.waitForFunction('navigator.serviceWorker.controller !== null')
  await context.setOffline(true)
  await page.goto(`${origin}/settings/sessions`)
  await heading(page, 'Sessions').waitFor()
  await page.getByText('No connection. Try again when it is back.').waitFor()
  await context.setOffline(false)
  await page.getByText('This device').waitFor()
})

browserTest('in Telegram its user is signed in, has its colours, agrees, and comes to the linked chat', async () => {
  const { app, origin } = await serve({ MESSENGER_BOT_TOKEN: botToken })
  const url = `${origin}/#${launchOf(app)}`
  const { page, context, errors } = await open('about:blank')
  const hosts = new Set<string>()
  context.on('request', (request) => void hosts.add(new URL(request.url()).origin))
  // What Telegram's own view gives to the page.
  await page.addInitScript(
    `window.said = []
    window.TelegramWebviewProxy = { postEvent: (name, data) => void said.push([name, data === undefined ? null : JSON.parse(data)]) }`,
  )
  await page.goto(url)
  await heading(page, 'Прежде чем начать').waitFor()
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  // The screen's main action is Telegram's own button.
  const last = `said.filter(([name]) => name === 'web_app_setup_main_button').at(-1)?.[1]`
  await page.waitForFunction(`${last}?.is_visible === true && ${last}?.is_active === true`)
  await page.evaluate(`Telegram.WebView.receiveEvent('main_button_pressed')`)
  await heading(page, 'Рядом').waitFor()
  expect(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--surface').trim()`)).toBe(
    '#17212b',
  )
  expect(await page.locator('html').getAttribute('data-scheme')).toBe('dark')
  expect(page.url()).not.toContain('tgWebApp')
  await page.getByRole('link', { name: 'Я', exact: true }).click()
  await page.getByRole('link', { name: 'Настройки' }).click()
  await page.waitForFunction(
    `said.filter(([name]) => name === 'web_app_setup_back_button').at(-1)?.[1].is_visible === true`,
  )
  await page.evaluate(`Telegram.WebView.receiveEvent('back_button_pressed')`)
  await page.waitForURL(`${origin}/me`)
  expect([...hosts].filter((host) => host !== 'null')).toEqual([origin])

  // A link of the bot opens the app at a chat.
  const [mine] = await app.rows<{ id: string }>('SELECT id FROM users WHERE messenger_id = ?', '700100')
  const chat = (await (await app.person('Bob')).post('chats', { user_id: mine?.id })).body.id
  await page.goto('about:blank')
  await page.goto(`${origin}/#${launchOf(app, `chat_${chat}`)}`)
  await page.waitForURL(`${origin}/chats/${chat}`)
  // No cookies: the frame of another site would not keep them.
  expect(await context.cookies()).toEqual([])
  expect(errors).toEqual([])
})

/** The fragment with which Telegram opens an app. */
function launchOf(app: TestApp, startParam?: string): string {
  const user = { id: 700100, first_name: 'Ада', language_code: 'ru' }
  const data = sign({ user, ...(startParam && { start_param: startParam }) }, botToken, new Date(app.clock.now))
  return new URLSearchParams({
    tgWebAppData: data,
    tgWebAppVersion: '9.1',
    tgWebAppPlatform: 'android',
    tgWebAppThemeParams: JSON.stringify({ bg_color: '#17212b', text_color: '#f5f5f5', secondary_bg_color: '#0e1621' }),
  }).toString()
}

const screens = ['/', '/sign-in', '/sign-up', '/forgot-password', '/reset#token=x']
const own = [
  '/me',
  '/me/edit',
  '/me/preferences',
  '/settings',
  ...[
    'notifications',
    'devices',
    'sessions',
    'sign-in',
    'email',
    'language',
    'data',
    'erase',
    'reports',
    'blocked',
  ].map((part) => `/settings/${part}`),
]

for (const locale of ['en', 'ru'])
  browserTest(
    `every screen can be used by everybody, and fits 360 px (${locale})`,
    async () => {
      const { app, origin } = await serve()
      const ada = await app.person('Ada')
      const stranger = await open('about:blank', { locale })
      const member = await openAs(browser, origin, ada, { locale })
      for (const [{ page }, paths] of [[stranger, screens] as const, [member, own] as const])
        for (const path of paths) {
          await page.goto(origin + path)
          await page.locator('h1').waitFor()
          await page.locator('[role=status][aria-label]').first().waitFor({ state: 'detached' })
          await expectAccessible(page, `${path} ${locale}`)
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        }
      expect([...stranger.errors, ...member.errors]).toEqual([])
    },
    300_000,
  )
