import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { granted } from '../rows.ts'
import { until } from '../until.ts'
import { button, expectAccessible, message, openAs, serveWeb, write } from './app-page.ts'
import { executablePath, launch } from './client-page.ts'

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

const grant = (app: TestApp, { id }: Person, role: 'admin' | 'moderator') =>
  app.services.storage.users.setRole(id, role, granted(id, app.clock.now))

browserTest('the caution of a rule stands under the message, for its recipient alone', async () => {
  const { app, origin } = await serve()
  const [ada, bob, root] = [await app.person('Ada'), await app.person('Bob'), await app.person('Root')]
  await grant(app, root, 'admin')
  const match = { type: 'words', words: ['banana'] }
  const rule = { name: 'Bananas', on: true, applies_to: ['message'], match, action: 'note' }
  expect((await root.post('admin/rules', { ...rule, public_text: 'Mind the peel.' })).status).toBe(201)
  const chat = await app.met(ada, bob)
  await ada.post(`chats/${chat}/messages`, { text: 'A banana' })
  await ada.post(`chats/${chat}/messages`, { text: 'An apple' })
  const [hers, his] = [await openAs(browser, origin, ada), await openAs(browser, origin, bob)]
  await his.page.goto(`${origin}/chats/${chat}`)
  const note = message(his.page, 'A banana').getByRole('note')
  await note.getByText('Mind the peel.').waitFor()
  await note.getByRole('img', { name: 'Caution' }).waitFor()
  expect(await message(his.page, 'A banana').getAttribute('aria-describedby')).toBe(await note.getAttribute('id'))
  expect(await his.page.getByRole('note').count()).toBe(1)
  await expectAccessible(his.page, 'a caution')

  await hers.page.goto(`${origin}/chats/${chat}`)
  await message(hers.page, 'An apple').waitFor()
  expect(await hers.page.getByRole('note').count()).toBe(0)
  expect([...hers.errors, ...his.errors]).toEqual([])
})

browserTest(
  'a decision has a banner, at once and at the next start, until it is read among the decisions',
  async () => {
    const { app, origin } = await serve()
    const [ada, mo] = [await app.person('Ada'), await app.person('Mo')]
    await grant(app, mo, 'moderator')
    const { page, errors } = await openAs(browser, origin, ada)
    const banner = page.getByText('There is a decision about your account.')
    const screen = (name: string) => page.getByRole('heading', { name, exact: true }).first()
    const read = async () => {
      await page.getByRole('link', { name: 'Read it' }).click()
      await screen('Reports and decisions').waitFor()
      await banner.waitFor({ state: 'detached' })
    }
    const listens = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('framereceived'))
    await page.goto(`${origin}/me`)
    await listens
    await page.getByText('Ada', { exact: true }).waitFor()
    expect(await banner.count()).toBe(0)

    // At once, while the app is open.
    expect((await mo.post(`admin/users/${ada.id}/warn`, { reason: 'Adverts for crypto coins' })).status).toBe(200)
    await banner.waitFor()
    await expectAccessible(page, 'a decision')
    await read()
    await page.getByText('Adverts for crypto coins').waitFor()
    await page.reload()
    await page.getByText('Adverts for crypto coins').waitFor()
    expect(await banner.count()).toBe(0)

    // One that was made while the page was closed. An appeal's outcome is one too.
    await page.goto('about:blank')
    const [notice] = (await ada.get('me/notices')).body.items
    await ada.post('appeals', { notice_id: notice.id, text: 'They were chocolate coins.' })
    const [appeal] = (await mo.get('admin/appeals')).body.items
    const decision = { decision: 'uphold', note: 'Chocolate is fine.' }
    expect((await mo.post(`admin/appeals/${appeal.id}/resolve`, decision)).status).toBe(200)
    await page.goto(`${origin}/nearby`)
    await banner.waitFor()
    await read()
    await page.getByText('Chocolate is fine.').waitFor()
    await page.goto(`${origin}/nearby`)
    await screen('Nearby').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await banner.count()).toBe(0)
    expect(errors).toEqual([])
  },
)

browserTest('an announcement is shown until its end, whatever the clock of the device says', async () => {
  const { app, origin } = await serve()
  const [ada, root] = [await app.person('Ada'), await app.person('Root')]
  await grant(app, root, 'admin')
  const until = new Date(Math.max(Date.now(), app.clock.now) + 3_600_000).toISOString()
  expect((await root.post('admin/announcements', { text: 'Picnic on Sunday', until })).status).toBe(201)
  const { page } = await openAs(browser, origin, ada, { serviceWorkers: 'block' })
  await page.clock.setFixedTime(Date.now() + 5 * 3_600_000)
  await page.goto(`${origin}/me`)
  await page.getByText('Picnic on Sunday').waitFor()
})

browserTest(
  'after lost connections, the banners are those of the server, which each page asks once in a minute at most',
  async () => {
    const { app, origin } = await serve()
    const [ada, root] = [await app.person('Ada'), await app.person('Root')]
    await grant(app, root, 'admin')
    const maintain = async (text: string | null) => {
      await app.services.maintenance.set(text === null ? null : { text, since: app.clock.now, retryAfterS: 90 })
      await app.services.maintenance.look()
    }
    const { page, errors } = await openAs(browser, origin, ada)
    await page.clock.install()
    const greeting = async () => {
      const socket = await page.waitForEvent('websocket')
      await socket.waitForEvent('framereceived')
    }
    const listens = greeting()
    await page.goto(`${origin}/me`)
    await listens
    const first = (await root.post('admin/announcements', { text: 'Picnic on Sunday' })).body
    await page.getByText('Picnic on Sunday').waitFor()
    await maintain('We move until noon.')
    await page.getByText('We move until noon.').waitFor()
    await page.waitForLoadState('networkidle')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const reads = () => asked.filter((path) => path === '/app.json' || path === '/api/v1/me/notices').toSorted()

    // What cannot be read again stays as it was.
    const start = async () => opened.push(await serveWeb(app, { port: Number(new URL(origin).port) }))
    await page.route('**/me/notices*', (route) => route.fulfill({ status: 502 }))
    await opened.pop()?.stop()
    const again = greeting()
    await start()
    await again
    expect(reads()).toEqual([])
    const failed = page.waitForResponse(/me\/notices/)
    await page.clock.fastForward(70_000)
    await (await failed).finished()
    await page.clock.runFor(100)
    expect(await page.getByText('Picnic on Sunday').count()).toBe(1)
    await page.unroute('**/me/notices*')
    expect(reads()).toEqual(['/api/v1/me/notices', '/app.json'])

    await opened.pop()?.stop()
    await maintain(null)
    expect((await root.delete(`admin/announcements/${first.id}`)).status).toBe(204)
    expect((await root.post('admin/announcements', { text: 'Picnic on Monday' })).status).toBe(201)
    const onceMore = greeting()
    await start()
    await onceMore
    await page.clock.fastForward(70_000)
    await page.getByText('Picnic on Monday').waitFor()
    await page.getByText('We move until noon.').waitFor({ state: 'detached' })
    await page.getByText('Picnic on Sunday').waitFor({ state: 'detached' })
    expect(reads()).toHaveLength(4)
    expect(errors.filter((error) => !error.includes('WebSocket'))).toEqual([])
  },
  60_000,
)

browserTest(
  'every screen says the same about who finds the user, in every tab, and says why nobody does',
  async () => {
    const { app, origin } = await serve({ TRUST_PROXY: '1' })
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { context, page, errors } = await openAs(browser, origin, ada)
    const here = (name: 'Nearby' | 'Me') => page.getByRole('link', { name, exact: true }).click()
    const found = async () => (await bob.get('search/nearby?lat=52.5&lng=13.4')).body.items.length
    const [canFind, cannotFind] = ['Others can find you nearby, within a circle', 'Nobody can find you nearby.']

    // Nobody finds who has never shared a place.
    await page.goto(`${origin}/me`)
    await page.getByText('Nobody can find you nearby until you share your rough place.').waitFor()
    await ada.put('me/location', { latitude: 52.5, longitude: 13.4 })
    await page.goto(`${origin}/nearby`)
    await page.getByText('People nearby can find you').waitFor()
    const other = await context.newPage()
    await other.goto(`${origin}/me`)
    await other.getByText(canFind).waitFor()

    await button(page, 'Hide me').click()
    await other.getByText(cannotFind).waitFor()
    expect(await found()).toBe(0)
    await here('Me')
    await page.getByText(cannotFind).waitFor()
    // As somebody does on another device.
    await ada.put('me/visibility', { visible: true })
    await here('Nearby')
    await here('Me')
    await page.getByText(canFind).waitFor()
    await other.getByText(canFind).waitFor()
    expect(await found()).toBe(1)

    // Reports that hide them.
    await here('Nearby')
    const reporters = await Promise.all(Array.from({ length: 3 }, () => app.person()))
    await app.rows('UPDATE users SET created_at = created_at - ?', 2 * 86_400_000)
    for (const [at, reporter] of reporters.entries())
      await reporter.post('reports', { user_id: ada.id, reason: 'scam' }, { 'x-forwarded-for': `198.51.100.${at}` })
    expect(await found()).toBe(0)
    await page.getByText('Nobody can find you nearby until a moderator has decided about reports.').waitFor()
    expect(await page.getByText('People nearby can find you').count()).toBe(0)
    await expectAccessible(page, 'hidden by reports')
    await here('Me')
    await page.getByText('Nobody can find you nearby until a moderator has decided about reports.').waitFor()
    expect(errors).toEqual([])

    // A consent that somebody has withdrawn.
    await bob.put('me/location', { latitude: 52.5, longitude: 13.4 })
    await bob.post('auth/consents', { consents: { terms: false } })
    const his = await openAs(browser, origin, bob)
    await his.page.goto(`${origin}/nearby`)
    await button(his.page, 'Later').click()
    await his.page.getByText('Others may be unable to find you until you agree to the texts.').nth(1).waitFor()
    expect(await his.page.getByText('People nearby can find you').count()).toBe(0)
    await expectAccessible(his.page, 'without a consent')
    expect(his.errors).toEqual([])
  },
  120_000,
)

browserTest('text that is selected beyond the edge of a sheet stays, and a click there closes the sheet', async () => {
  const { app, origin } = await serve()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5, longitude: 13.4 })
  const { page, errors } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/nearby`)
  await page.getByRole('link', { name: /^Bob/ }).click()
  await button(page, 'Report').click()
  await page.getByText('Add details first').click()
  const field = page.getByLabel('In your words')
  await field.fill('He asked for money')
  const box = (await field.boundingBox())!
  await page.mouse.move(box.x + 20, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(5, 5, { steps: 4 })
  await page.mouse.up()
  expect(await field.inputValue()).toBe('He asked for money')

  await page.mouse.click(5, 5)
  await field.waitFor({ state: 'detached' })
  expect(errors).toEqual([])
})

browserTest(
  'after a block is lifted, by Undo, in the chat or in the settings, the other one is back at once',
  async () => {
    const { app, origin } = await serve()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5, longitude: 13.4 })
    const { page, errors } = await openAs(browser, origin, ada)
    const his = await openAs(browser, origin, bob)
    await his.page.goto(`${origin}/chats/${chat}`)
    const inList = page.getByRole('link', { name: /^Bob/ })
    const to = (path: string) => page.locator(`nav a[href="${path}"]`).click()
    const block = async () => {
      await to('/nearby')
      await inList.click()
      await button(page, 'Block').click()
      await button(page.getByRole('dialog'), 'Block').click()
      await page.getByText('Bob is blocked').waitFor()
    }

    await page.goto(`${origin}/nearby`)
    await inList.waitFor()
    await block()
    await button(page, 'Undo').click()
    await page.getByText('Bob is no longer blocked').waitFor()
    await to('/nearby')
    await inList.waitFor()

    // Both read the same when they write, and the chat of the one who has blocked offers to end it.
    await block()
    await to('/nearby')
    await page.getByRole('heading', { name: /^Nobody within/ }).waitFor()
    await to('/chats')
    await inList.click()
    const both: [Page, string][] = [
      [page, 'From Ada'],
      [his.page, 'From Bob'],
    ]
    for (const [one, text] of both) {
      await write(one, text)
      await message(one, text).getByText('Not sent. You cannot write to each other now.').waitFor()
    }
    await button(his.page, 'More about this chat').click()
    await his.page.waitForLoadState('networkidle')
    expect(await button(his.page, 'Unblock').count()).toBe(0)
    await button(page, 'More about this chat').click()
    await button(page, 'Unblock').click()
    await page.getByText('Bob is no longer blocked').last().waitFor()
    await button(message(page, 'From Ada'), 'Try again').click()
    await message(page, 'From Ada').getByRole('img', { name: 'sent', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Back' }).click()
    await to('/nearby')
    await inList.waitFor()

    await block()
    await to('/me')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Blocked people' }).click()
    await button(page, 'Unblock Bob').click()
    await page.getByRole('heading', { name: 'You have blocked nobody' }).waitFor()
    await to('/nearby')
    await inList.waitFor()
    expect([...errors, ...his.errors]).toEqual([])
  },
  120_000,
)

browserTest('the list of blocked people has the names of all chats, and reads no further than it needs', async () => {
  const { app, origin } = await serve()
  const ada = await app.person('Ada')
  const [dan, cleo, bob] = [await app.person('Dan'), await app.person('Cleo'), await app.person('Bob')]
  const stranger = await app.person('Eve')
  for (const person of [dan, cleo, bob]) {
    app.clock.now += 1000
    await app.met(ada, person)
  }
  const { page, errors } = await openAs(browser, origin, ada)
  const pages: string[] = []
  // One chat a page, in place of a hundred.
  await page.route('**/api/v1/chats?limit=100*', (route) => {
    pages.push(route.request().url())
    return route.continue({ url: route.request().url().replace('limit=100', 'limit=1') })
  })
  const names = () => page.getByRole('article').getByRole('heading').allInnerTexts()
  await ada.post('blocks', { user_id: cleo.id })
  await page.goto(`${origin}/settings/blocked`)
  await page.getByRole('heading', { name: 'Cleo' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(pages).toHaveLength(2)

  // A block hides the profile of somebody without a chat.
  await ada.post('blocks', { user_id: stranger.id })
  await ada.post('blocks', { user_id: dan.id })
  await page.reload()
  await page.getByRole('heading', { name: 'Dan' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await names()).toEqual(['Dan', 'Somebody', 'Cleo'])
  expect(pages).toHaveLength(5)
  expect(errors).toEqual([])
})

const focused = (page: Page, what: string) =>
  until(
    () => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(what)})`),
    `the focus is at ${what}`,
  )

browserTest('by keyboard, a report is sent once, and its answer has the focus', async () => {
  const { app, origin } = await serve()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const { page, errors } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/people/${bob.id}`)
  await button(page, 'Report').press('Enter')
  const answered = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/api/v1/reports', async (route) => {
    sent++
    await answered.promise
    await route.continue()
  })
  await button(page, 'Spam or advertising').press('Enter')
  await focused(page, 'dialog button[aria-disabled]')
  await page.keyboard.press('Enter')
  answered.resolve()
  await page.getByText('Thank you. The moderators will look at it.').waitFor()
  await focused(page, 'dialog [role=status]')
  expect(sent).toBe(1)
  expect(errors).toEqual([])
})

browserTest('when a block or a session is over that had the focus, the keyboard continues at the heading', async () => {
  const { app, origin } = await serve()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const body = { email: ada.email, password }
  for (let count = 0; count < 2; count++) expect((await app.request('POST', 'auth/login', { body })).status).toBe(200)
  await ada.post('blocks', { user_id: bob.id })
  const { page, errors } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/settings/blocked`)
  await button(page, /^Unblock/).press('Enter')
  await page.getByRole('heading', { name: 'You have blocked nobody' }).waitFor()
  await focused(page, 'h1')

  await page.goto(`${origin}/settings/sessions`)
  await button(page, 'End').first().press('Enter')
  await until(async () => (await button(page, 'End').count()) === 2, 'one session fewer')
  await focused(page, 'h1')
  await button(page, 'End all others').press('Enter')
  await button(page, 'End all others').waitFor({ state: 'detached' })
  await focused(page, 'h1')
  expect(errors).toEqual([])
})

browserTest('by keyboard, what makes way for what it was asked for leaves the focus to the heading', async () => {
  const { app, origin } = await serve()
  const place = { latitude: 52.5163, longitude: 13.3777 }
  const options = { geolocation: place, permissions: ['geolocation'] }
  const { page, errors } = await openAs(browser, origin, await app.person('Ada'), options)
  await page.goto(`${origin}/nearby`)
  await button(page, 'Share my rough place').press('Enter')
  await button(page, 'Hide me').waitFor()
  await focused(page, 'h1')
  // Nobody is there, and nobody farther away.
  await button(page, /^Look within /).press('Enter')
  await page.getByText('Nobody within 10 km').waitFor()
  await focused(page, 'h1')

  await page.route('**/me/sessions*', (route) => route.fulfill({ status: 503 }))
  await page.goto(`${origin}/settings/sessions`)
  await button(page, 'Try again').waitFor()
  await page.unroute('**/me/sessions*')
  await button(page, 'Try again').press('Enter')
  await page.getByText('This device').waitFor()
  await focused(page, 'h1')
  expect(errors).toEqual([])
})

browserTest(
  'by keyboard, what goes once it is pressed leaves the focus to the heading or the conversation',
  async () => {
    const { app, origin } = await serve()
    const [ada, bob, root] = [await app.person('Ada'), await app.person('Bob'), await app.person('Root')]
    await grant(app, root, 'admin')
    expect((await root.post('admin/announcements', { text: 'A picnic on Sunday' })).status).toBe(201)
    const chat = await app.met(ada, bob)
    const { page, errors } = await openAs(browser, origin, ada, { viewport: { width: 1200, height: 740 } })
    // While the screen is loading, there is no heading: the focus goes there once it appears.
    const pressed = Promise.withResolvers<void>()
    await page.route('**/assets/chunk-*.js', async (route) => {
      const response = await route.fetch()
      if ((await response.text()).includes('show_age')) await pressed.promise
      await route.fulfill({ response })
    })
    await page.goto(`${origin}/me/edit`, { waitUntil: 'commit' })
    await button(page, 'Got it').press('Enter')
    await page.getByText('A picnic on Sunday').waitFor({ state: 'detached' })
    expect(await page.locator('h1').count()).toBe(0)
    pressed.resolve()
    await focused(page, 'h1')
    const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
    await page.getByLabel('Choose a photo').setInputFiles({ name: 'me.gif', mimeType: 'image/gif', buffer: pixel })
    await page.locator('dialog button[type=button]:enabled', { hasText: 'Use photo' }).press('Enter')
    await button(page, 'Remove').press('Enter')
    await button(page, 'Add photo').waitFor()
    await focused(page, 'h1')

    await page.goto(`${origin}/chats/${chat}`)
    await button(page, 'More about this chat').waitFor()
    await bob.post('blocks', { user_id: ada.id })
    await write(page, 'Are you there?')
    const refused = message(page, 'Are you there?')
    await button(refused, 'Try again').press('Enter')
    await focused(page, '[role=log]')
    await button(refused, 'Discard').press('Enter')
    await refused.waitFor({ state: 'detached' })
    await focused(page, '[role=log]')
    // Beside the list of chats, the chat alone goes.
    await button(page, 'More about this chat').press('Enter')
    await button(page.getByRole('dialog'), 'Block').press('Enter')
    await page.getByText('Bob is blocked').waitFor()
    await focused(page, 'h1')
    expect(errors).toEqual([])
  },
)

browserTest('in a chat, somebody is blocked or reported in two touches, and a block can be undone', async () => {
  const { app, origin } = await serve()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = await app.met(ada, bob)
  const { page, errors } = await openAs(browser, origin, ada)
  await page.goto(`${origin}/chats/${chat}`)
  await button(page, 'More about this chat').click()
  await page.getByRole('dialog', { name: 'Bob' }).getByText('You can no longer find each other').waitFor()
  await expectAccessible(page, 'the menu of a chat')
  await button(page, 'Spam or advertising').click()
  await page.getByText('Thank you. The moderators will look at it.').waitFor()
  expect((await ada.get('reports')).body.items).toMatchObject([{ user_id: bob.id, reason: 'spam' }])
  await button(page.getByRole('dialog'), 'Close').last().click()

  await button(page, 'More about this chat').click()
  await button(page, 'Block').click()
  await page.getByText('Bob is blocked').waitFor()
  expect((await ada.get('blocks')).body.items).toHaveLength(1)
  await page.getByRole('heading', { name: 'Chats', level: 1 }).waitFor()
  await button(page, 'Undo').press('Enter')
  await page.getByText('Bob is no longer blocked').waitFor()
  await focused(page, 'h1')
  expect((await ada.get('blocks')).body.items).toEqual([])
  expect(errors).toEqual([])
})
