import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sign } from '@tma.js/init-data-node'
import type { Browser, Page } from 'playwright-core'
import { type TestApp, testApp } from '../app.ts'
import { until } from '../until.ts'
import { button, heading, message, serveWeb, witness, write } from './app-page.ts'
import { executablePath, launch } from './client-page.ts'

const botToken = '7000000001:AAtests-only_token-of-nobody'
const browserTest = test.skipIf(!executablePath)
let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (executablePath) browser = await launch()
})
afterAll(() => browser?.close())

type User = { id: number; first_name: string; language_code: string }
const ada: User = { id: 700100, first_name: 'Ада', language_code: 'ru' }
const bob: User = { id: 700200, first_name: 'Bob', language_code: 'en' }
const themes = {
  night: { bg_color: '#17212b', text_color: '#f5f5f5', secondary_bg_color: '#0e1621', button_color: '#5288c1' },
  day: { bg_color: '#ffffff', text_color: '#000000', secondary_bg_color: '#efeff3', button_color: '#2481cc' },
}

/**
 * What Telegram's own view gives to a page: it takes the page's wishes, and answers those that want an answer. `place` is what it
 * tells of the device, null where its user refuses.
 */
const viewOfTelegram = (place: { latitude: number; longitude: number } | null) => `
  window.said = []
  const answers = {
    web_app_request_viewport: () => ['viewport_changed', { height: 640, width: 360, is_expanded: true, is_state_stable: true }],
    web_app_request_safe_area: () => ['safe_area_changed', { top: 24, bottom: 20, left: 0, right: 0 }],
    web_app_request_content_safe_area: () => ['content_safe_area_changed', { top: 46, bottom: 0, left: 0, right: 0 }],
    web_app_check_location: () => ['location_checked', { available: true, access_requested: false, access_granted: false }],
    web_app_request_location: () => ['location_requested', ${JSON.stringify(
      place === null
        ? { available: false }
        : {
            available: true,
            ...place,
            altitude: null,
            course: null,
            speed: null,
            horizontal_accuracy: 20,
            vertical_accuracy: null,
            course_accuracy: null,
            speed_accuracy: null,
          },
    )}],
  }
  window.TelegramWebviewProxy = {
    postEvent(name, data) {
      said.push([name, data === undefined ? null : JSON.parse(data)])
      const answer = answers[name]?.()
      if (answer) queueMicrotask(() => Telegram.WebView.receiveEvent(...answer))
    },
  }`

/** The fragment with which Telegram opens an app. */
function launchOf(app: TestApp, user: User, theme: object, startParam?: string): string {
  const data = sign({ user, ...(startParam && { start_param: startParam }) }, botToken, new Date(app.clock.now))
  return new URLSearchParams({
    tgWebAppData: data,
    tgWebAppVersion: '9.1',
    tgWebAppPlatform: 'android',
    tgWebAppThemeParams: JSON.stringify(theme),
  }).toString()
}

// The page's policy keeps the browser from asking again and again by itself.
const becomes = (page: Page, truth: string) => until(() => page.evaluate<boolean>(truth), truth)
const last = (name: string) => `said.filter(([name]) => name === '${name}').at(-1)?.[1]`
const berlin = { latitude: 52.5163, longitude: 13.3777 }

/** A phone of somebody in Telegram. No permission of the browser is given: what the position comes from is Telegram. */
async function openIn(url: string, place: typeof berlin | null) {
  const context = await browser.newContext({ viewport: { width: 360, height: 640 }, hasTouch: true })
  context.setDefaultTimeout(30_000)
  const told = await witness(context)
  const page = await context.newPage()
  await page.addInitScript(viewOfTelegram(place))
  await page.goto(url)
  return { context, page, told }
}

/** Agrees to all texts, by Telegram's main button. */
async function agree(page: Page) {
  await becomes(page, `${last('web_app_setup_main_button')}?.is_visible === true`)
  expect(await page.evaluate(`${last('web_app_setup_main_button')}.is_active`)).toBe(false)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await becomes(page, `${last('web_app_setup_main_button')}?.is_active === true`)
  await page.evaluate(`Telegram.WebView.receiveEvent('main_button_pressed')`)
}

browserTest(
  'two people in Telegram meet by a link to a profile, by Telegram’s own position, buttons and colours',
  async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const web = await serveWeb(app)
    const enter = (user: User, theme: object, place: typeof berlin | null, startParam?: string) =>
      openIn(`${web.origin}/#${launchOf(app, user, theme, startParam)}`, place)
    const hers = await enter(ada, themes.night, berlin)
    const his = await enter(bob, themes.day, berlin)
    const [a, b] = [hers.page, his.page]
    // Telegram's own button stands for the screen's main action, and only once it can be pressed.
    for (const page of [a, b]) await agree(page)
    await heading(a, 'Рядом').waitFor()
    await heading(b, 'Nearby').waitFor()

    // Each in the colours of their own Telegram, clear of its header.
    const style = (name: string) => `getComputedStyle(document.documentElement).getPropertyValue('${name}').trim()`
    expect([await a.evaluate(style('--surface')), await b.evaluate(style('--surface'))]).toEqual(['#17212b', '#ffffff'])
    expect(await a.locator('html').getAttribute('data-scheme')).toBe('dark')
    expect(await b.locator('html').getAttribute('data-scheme')).toBe('light')
    await becomes(a, `getComputedStyle(document.body).paddingTop === '70px'`)
    await a.evaluate(`Telegram.WebView.receiveEvent('theme_changed', { theme_params: ${JSON.stringify(themes.day)} })`)
    await becomes(a, `document.documentElement.dataset.scheme === 'light' && ${style('--surface')} === '#ffffff'`)

    // Telegram tells where they are.
    await button(a, 'Показать примерное место').click()
    await button(a, 'Скрыть меня').waitFor()
    expect(await a.evaluate(`said.map(([name]) => name).filter((name) => name.includes('location'))`)).toEqual([
      'web_app_check_location',
      'web_app_request_location',
    ])
    await button(b, 'Share my rough place').click()
    await b.getByRole('link', { name: /^Ада/ }).waitFor()

    // A link of the bot to Ada's profile, and from there into a chat.
    const [{ id }] = (await app.rows<{ id: string }>("SELECT id FROM users WHERE messenger_id = '700100'")) as [
      { id: string },
    ]
    await b.goto('about:blank')
    await b.goto(`${web.origin}/#${launchOf(app, bob, themes.day, `user_${id}`)}`)
    await b.waitForURL(`${web.origin}/people/${id}`)
    await becomes(b, `${last('web_app_setup_back_button')}?.is_visible === true`)
    await button(b, 'Write a message').click()
    await b.getByRole('textbox', { name: /^Message to/ }).fill('Hello from Telegram')
    await button(b, 'Send').click()
    await becomes(b, `${last('web_app_trigger_haptic_feedback')}?.type === 'notification'`)
    await a.getByRole('link', { name: /Чаты$/ }).click()
    await a.getByText('Hello from Telegram').waitFor()
    await a.getByRole('link', { name: /Bob/ }).click()
    await message(a, 'Hello from Telegram').waitFor()
    await b.evaluate(`Telegram.WebView.receiveEvent('back_button_pressed')`)
    await b.waitForURL(`${web.origin}/people/${id}`)

    // Telegram keeps one storage for all of its accounts: another one does not see Bob's chats.
    await his.page.goto('about:blank')
    await his.page.goto(`${web.origin}/#${launchOf(app, { ...bob, id: 700400, first_name: 'Dan' }, themes.day)}`)
    await agree(his.page)
    await heading(his.page, 'Nearby').waitFor()
    await his.page.getByRole('link', { name: /Chats$/ }).click()
    await heading(his.page, 'No chats yet').waitFor()
    const names = await app.rows(
      "SELECT name FROM users WHERE messenger_id IN ('700200', '700400') ORDER BY messenger_id",
    )
    expect(names).toEqual([{ name: 'Bob' }, { name: 'Dan' }])

    for (const { told, context } of [hers, his]) {
      const hosts = new Set(told.addresses.filter((url) => url.startsWith('http')).map((url) => new URL(url).origin))
      expect([...hosts]).toEqual([web.origin])
      for (const url of told.addresses) expect(url.split('#')[0]).not.toMatch(/tgWebApp|hash=|token|52\.51|13\.37/)
      expect([await context.cookies(), told.errors]).toEqual([[], []])
      await context.close()
    }

    // Somebody refuses: nothing is sent, and the page says how to allow it.
    const refusing = await enter({ ...bob, id: 700300 }, themes.day, null)
    await heading(refusing.page, 'Before you begin').waitFor()
    // The first screen has no focus of its own, and no ring around its title.
    expect(await refusing.page.evaluate('document.activeElement === document.body')).toBe(true)
    await agree(refusing.page)
    await button(refusing.page, 'Share my rough place').click()
    await refusing.page.getByRole('alert').waitFor()
    expect(await app.rows('SELECT user_id FROM locations')).toHaveLength(2)
    await refusing.context.close()
    await web.stop()
  },
  240_000,
)

browserTest(
  'a new user goes the whole way in Telegram: is found, chats, loses the network, changes the language, downloads and erases',
  async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const web = await serveWeb(app)
    const neighbour = await app.person('Cleo')
    await neighbour.put('me/location', berlin)
    const { page, context, told } = await openIn(`${web.origin}/#${launchOf(app, bob, themes.night)}`, berlin)
    await agree(page)
    await heading(page, 'Nearby').waitFor()
    await page.getByRole('link', { name: 'Me', exact: true }).click()
    await button(page, 'Edit profile')
      .or(page.getByRole('link', { name: 'Edit profile' }))
      .click()
    await page.getByLabel('About you').fill('Looking for a game of chess.')
    await button(page, 'Save').click()
    await page.getByRole('article').getByText('a game of chess').waitFor()
    await page.getByRole('link', { name: /^Nearby/ }).click()
    await button(page, 'Share my rough place').click()
    await page.getByRole('link', { name: /^Cleo/ }).waitFor()

    // The neighbour finds the new user and writes.
    const found = await neighbour.get(`search/nearby?lat=${berlin.latitude}&lng=${berlin.longitude}&radius=5000`)
    const [{ id }] = (await app.rows<{ id: string }>("SELECT id FROM users WHERE messenger_id = '700200'")) as [
      { id: string },
    ]
    expect(JSON.stringify(found.body)).toContain(id)
    const chat = (await neighbour.post('chats', { user_id: id })).body.id
    await neighbour.post(`chats/${chat}/messages`, { text: 'Welcome.' })
    await page.getByRole('link', { name: /Chats/ }).click()
    await page.getByText('Welcome.').waitFor()
    await page.getByRole('link', { name: /^Cleo/ }).click()
    await message(page, 'Welcome.').waitFor()
    await context.setOffline(true)
    await write(page, 'Written in the tunnel.')
    await message(page, 'Written in the tunnel.').getByRole('img', { name: 'waiting to be sent' }).waitFor()
    await neighbour.post(`chats/${chat}/messages`, { text: 'Meanwhile.' })
    await context.setOffline(false)
    await message(page, 'Meanwhile.').waitFor()
    await message(page, 'Written in the tunnel.')
      .getByRole('img', { name: /^(?:sent|read)$/ })
      .waitFor()
    const sent = (await neighbour.get(`chats/${chat}/messages`)).body.items.map(({ text }: { text: string }) => text)
    expect(sent.toSorted()).toEqual(['Meanwhile.', 'Welcome.', 'Written in the tunnel.'])

    await page.goto(`${web.origin}/settings/language`)
    await page.getByLabel('Русский').check()
    await heading(page, 'Язык').waitFor()
    await page.getByLabel('English').check()
    await heading(page, 'Language').waitFor()

    await page.goto(`${web.origin}/settings/data`)
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download everything').click()])
    const everything = await Bun.file(await file.path()).text()
    for (const known of ['a game of chess', 'Written in the tunnel.']) expect(everything).toContain(known)

    // Telegram's word for who it is stands in for a password.
    await page.goto(`${web.origin}/settings/erase`)
    await page.getByRole('checkbox').check()
    expect(await page.getByLabel('Password').count()).toBe(0)
    await button(page, 'Erase my account').click()
    // If the socket tells of it first, a screen says so too for a moment.
    await page.getByText('Your account is erased').first().waitFor()
    expect((await neighbour.get(`users/${id}`)).status).toBe(404)

    const hosts = new Set(told.addresses.filter((url) => url.startsWith('http')).map((url) => new URL(url).origin))
    expect([...hosts]).toEqual([web.origin])
    expect(told.errors).toEqual([])
    await context.close()
    await web.stop()
  },
  240_000,
)

browserTest(
  'in Telegram’s full screen nothing is behind its buttons, behind those of the device, or off the screen',
  async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const web = await serveWeb(app)
    const { page, context, told } = await openIn(`${web.origin}/#${launchOf(app, bob, themes.day)}`, berlin)
    await agree(page)
    await heading(page, 'Nearby').waitFor()
    // The device covers 24 pixels above and 20 below, and Telegram's buttons another 46 above.
    await becomes(page, `document.querySelector('h1').getBoundingClientRect().top >= 70`)
    await becomes(page, `document.documentElement.scrollHeight === innerHeight`)
    const bottomOf = (selector: string) => `(() => {
      const box = document.querySelector('${selector}')
      return [innerHeight - box.getBoundingClientRect().bottom, getComputedStyle(box).paddingBottom]
    })()`
    expect(await page.evaluate<unknown>(bottomOf('nav'))).toEqual([0, '20px'])

    const cleo = await app.person('Cleo')
    const [{ id }] = (await app.rows<{ id: string }>("SELECT id FROM users WHERE messenger_id = '700200'")) as [
      { id: string },
    ]
    const chat = (await cleo.post('chats', { user_id: id })).body.id
    await page.goto(`${web.origin}/chats/${chat}`)
    await page.getByRole('textbox', { name: /^Message to/ }).waitFor()
    await becomes(page, `document.documentElement.scrollHeight === innerHeight`)
    expect(await page.evaluate<unknown>(bottomOf('form'))).toEqual([0, '26px'])
    await button(page, 'More about this chat').click()
    await becomes(page, `document.querySelector('dialog[open]').getBoundingClientRect().top >= 70`)
    expect(told.errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'in Telegram a link is followed after the date of birth was asked for, and who signs in again begins at the start',
  async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken, MIN_AGE: '18' })
    const web = await serveWeb(app)
    const cleo = await app.person('Cleo')
    const url = `${web.origin}/#${launchOf(app, bob, themes.day, `user_${cleo.id}`)}`
    const { page, context, told } = await openIn(url, null)
    await page.getByLabel('Date of birth').fill('1990-05-01')
    await button(page, 'Continue with Telegram').click()
    await agree(page)
    await button(page, 'Write a message').waitFor()
    expect(page.url()).toBe(`${web.origin}/people/${cleo.id}`)

    await page.getByRole('link', { name: /^Me$/ }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await button(page, 'Sign out').click()
    await button(page.getByRole('dialog'), 'Sign out').click()
    await button(page, 'Continue with Telegram').click()
    await heading(page, 'Nearby').waitFor()

    await page.goto(`${web.origin}/settings/erase`)
    await page.getByRole('checkbox').check()
    await button(page, 'Erase my account').click()
    await button(page, 'Continue with Telegram').click()
    await page.getByLabel('Date of birth').fill('1990-05-01')
    await button(page, 'Continue with Telegram').click()
    await agree(page)
    await heading(page, 'Nearby').waitFor()
    expect(told.errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'Telegram’s back button closes a sheet first, and leads to the people nearby where nothing of the app was before',
  async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const web = await serveWeb(app)
    const cleo = await app.person('Cleo')
    const { page, context, told } = await openIn(`${web.origin}/health`, berlin)
    const back = () => page.evaluate(`Telegram.WebView.receiveEvent('back_button_pressed')`)
    // In a frame, the page of the messenger is part of the same history.
    await page.goto('about:blank')
    await page.goto(`${web.origin}/#${launchOf(app, bob, themes.day, `user_${cleo.id}`)}`)
    await agree(page)
    await button(page, 'Report').click()
    await page.getByRole('dialog').waitFor()
    await back()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${web.origin}/people/${cleo.id}`)
    await back()
    await heading(page, 'Nearby').waitFor()

    // On a main place, Telegram's own Close would end the app, also while a sheet is open.
    await becomes(page, `${last('web_app_setup_back_button')}?.is_visible === false`)
    await button(page, 'Share my rough place').click()
    await button(page, 'Filters').click()
    await becomes(page, `${last('web_app_setup_back_button')}?.is_visible === true`)
    await back()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await becomes(page, `${last('web_app_setup_back_button')}?.is_visible === false`)
    expect(page.url()).toBe(`${web.origin}/nearby`)
    expect(told.errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'who comes with data of Telegram’s that are too old is asked to open the app again, and for nothing that cannot help',
  async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const web = await serveWeb(app)
    const launch = launchOf(app, bob, themes.day)
    app.clock.now += 7 * 86_400_000
    const { page, context, told } = await openIn(`${web.origin}/#${launch}`, null)
    await page.getByText('Close the app and open it in Telegram again.').waitFor()
    expect(await button(page, 'Continue with Telegram').count()).toBe(0)
    expect(told.errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'in Telegram the link to the bot is opened by Telegram, and the app stays as it is',
  async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const web = await serveWeb(app)
    const { page, context, told } = await openIn(`${web.origin}/#${launchOf(app, bob, themes.day)}`, null)
    // The name of the bot comes from Telegram.
    const keys = { webpush: null, fcm: false, apns: false, telegram: 'convene_bot' }
    await page.route('**/notifications/keys', (route) => route.fulfill({ json: keys }))
    await agree(page)
    await heading(page, 'Nearby').waitFor()
    await page.goto(`${web.origin}/settings/devices`)
    await page.getByRole('link', { name: '@convene_bot' }).click()
    await becomes(page, `${last('web_app_open_tg_link')}?.path_full === '/convene_bot?start=notify'`)
    expect(page.url()).toBe(`${web.origin}/settings/devices`)
    expect(told.errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)
