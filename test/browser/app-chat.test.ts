import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { password, type Person, testApp } from '../app.ts'
import { granted } from '../rows.ts'
import { until } from '../until.ts'
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

const berlin = { latitude: 52.5163, longitude: 13.3777 }
const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })
const write = async (page: Page, text: string) => {
  await page.getByRole('textbox', { name: /^Message to/ }).fill(text)
  await button(page, 'Send').click()
}
const menuOf = async (page: Page, text: string) => {
  await message(page, text).hover()
  await message(page, text).getByRole('button', { name: 'More about this message' }).click()
}
/** The user signs out, and another one signs in, without a load of the page in between. */
async function handOver(page: Page, to: Person) {
  await page.getByRole('link', { name: 'Me', exact: true }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await button(page, 'Sign out').click()
  await button(page.getByRole('dialog'), 'Sign out').click()
  await page.getByRole('link', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('E-mail or phone').fill(to.email)
  await page.getByLabel('Password').fill(password)
  await button(page, 'Sign in').click()
  await page.getByRole('link', { name: /Chats$/ }).waitFor()
}
const drawPhoto = `(() => {
  const canvas = document.createElement('canvas')
  canvas.width = 600
  canvas.height = 400
  const context = canvas.getContext('2d')
  context.fillStyle = 'teal'
  context.fillRect(0, 0, 600, 400)
  return canvas.toDataURL('image/png').split(',')[1]
})()`

browserTest(
  'two people meet nearby, chat with a photo, lose the network and resume, edit, delete, review, report and block',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await ada.put('me/prefs', { drinks: ['tea'], activities: ['chess'] })
    await bob.put('me/prefs', { drinks: ['Tea', 'wine'], purposes: ['friends'] })
    const place = { geolocation: berlin, permissions: ['geolocation'] }
    const hers = await openAs(browser, web.origin, ada, place)
    const his = await openAs(browser, web.origin, bob, place)
    const [a, b] = [hers.page, his.page]

    // Nobody is asked for a position before they press the button.
    await a.goto(`${web.origin}/nearby`)
    await button(a, 'Share my rough place').waitFor()
    expect((await ada.get('me/location')).status).toBe(404)
    await expectAccessible(a, 'before the first position')
    await button(a, 'Share my rough place').click()
    await a.getByRole('heading', { name: /^Nobody within/ }).waitFor()
    await expectAccessible(a, 'nobody nearby')
    await b.goto(`${web.origin}/nearby`)
    await button(b, 'Share my rough place').click()
    await b.getByRole('link', { name: /^Ada/ }).waitFor()

    // Hidden and shown again, in one touch each.
    await button(b, 'Hide me').click()
    await b.getByText('You are hidden').waitFor()
    await expectAccessible(b, 'hidden')
    await button(b, 'Show me').click()
    await button(b, 'Hide me').waitFor()

    await button(a, 'Refresh').click()
    const found = a.getByRole('link', { name: /^Bob/ })
    await found.waitFor()
    expect(await found.innerText()).toMatch(/In common:\s+tea\s+wine/)
    await expectAccessible(a, 'people nearby')
    await button(a, 'Around me').click()
    await a.getByRole('img', { name: /^1 person within/ }).waitFor()
    await button(a, 'Next person').click()
    await a.getByRole('link', { name: /^Bob/ }).waitFor()
    await expectAccessible(a, 'radar')
    await button(a, 'Filters').click()
    await a.getByRole('dialog', { name: 'Filters' }).waitFor()
    await expectAccessible(a, 'filters')
    await a.keyboard.press('Escape')

    // A profile, and the first words.
    await a.getByRole('link', { name: /^Bob/ }).click()
    await a.getByRole('heading', { name: 'Bob', level: 1 }).waitFor()
    await a.getByText('No reviews yet.').waitFor()
    await expectAccessible(a, 'profile')
    await button(a, 'Write a message').click()
    await a.getByRole('heading', { name: 'Say hello' }).waitFor()
    await expectAccessible(a, 'empty chat')
    await write(a, 'Coffee at the river?')
    await message(a, 'Coffee at the river?').getByRole('img', { name: 'sent', exact: true }).waitFor()

    await b.getByRole('link', { name: /Chats$/ }).click()
    await b.getByText('Coffee at the river?').waitFor()
    await expectAccessible(b, 'chats')
    await b.getByRole('link', { name: /Ada/ }).click()
    await message(b, 'Coffee at the river?').waitFor()
    await message(a, 'Coffee at the river?').getByRole('img', { name: 'read', exact: true }).waitFor()

    // Typing is told, and a photo arrives in its own shape.
    await b.getByRole('textbox', { name: /^Message to/ }).fill('Tea')
    await a.getByText('typing…').waitFor()
    await write(b, 'Tea, gladly.')
    await message(a, 'Tea, gladly.').waitFor()
    const photo = {
      name: 'river.png',
      mimeType: 'image/png',
      buffer: Buffer.from(await a.evaluate<string>(drawPhoto), 'base64'),
    }
    await a.getByLabel('Choose a photo').setInputFiles(photo)
    const sheet = a.getByRole('dialog', { name: 'Send a photo' })
    await sheet.getByRole('img', { name: 'Photo' }).first().waitFor()
    await expectAccessible(a, 'photo to send')
    await sheet.getByLabel('Caption').fill('Here')
    await button(sheet, 'Send').click()
    const opened = b.getByRole('button', { name: 'Photo: Ada. Open it' })
    await opened.waitFor()
    const box = (await opened.boundingBox())!
    expect(box.width / box.height).toBeCloseTo(1.5, 1)
    await opened.click()
    await b.getByRole('dialog', { name: 'Photo' }).waitFor()
    await expectAccessible(b, 'photo')
    await b.keyboard.press('Escape')
    await expectAccessible(b, 'chat')

    // Without a network messages wait, and nothing is lost or doubled.
    await hers.context.setOffline(true)
    await write(a, 'Are you there?')
    await message(a, 'Are you there?').getByRole('img', { name: 'waiting to be sent' }).waitFor()
    await write(b, 'On my way.')
    await message(b, 'On my way.').getByRole('img', { name: 'sent', exact: true }).waitFor()
    await hers.context.setOffline(false)
    await message(a, 'On my way.').waitFor()
    await message(b, 'Are you there?').waitFor()
    expect(await message(b, 'Are you there?').count()).toBe(1)

    // An edit is marked, and a deletion leaves a line.
    await menuOf(a, 'Are you there?')
    await a.getByRole('dialog', { name: 'Your message' }).waitFor()
    await expectAccessible(a, 'own message')
    await button(a, 'Edit').click()
    await a.getByRole('textbox', { name: /^Message to/ }).fill('Where are you?')
    await button(a, 'Save').click()
    await message(b, 'Where are you?').getByText('edited').waitFor()
    await menuOf(a, 'Where are you?')
    await button(a, 'Delete for both').click()
    await button(a, 'Delete for both').click()
    await message(b, 'Message deleted').waitFor()
    expect(await b.getByText('Where are you?').count()).toBe(0)

    // A review, which the other one's profile shows.
    await button(a, 'More about this chat').click()
    await a.getByRole('dialog', { name: 'Bob' }).waitFor()
    await expectAccessible(a, 'more about the chat')
    await button(a, 'Mute for 8 hours').click()
    await a.getByRole('dialog').waitFor({ state: 'detached' })
    await button(a, 'More about this chat').click()
    await button(a, 'Notify me again').waitFor()
    await button(a, 'Review').click()
    await a.getByRole('radio', { name: '5 stars' }).check()
    await expectAccessible(a, 'review')
    const words = a.getByRole('textbox', { name: 'In a few words' })
    await words.focus()
    await a.keyboard.insertText('x'.repeat(1001))
    await a.getByText('1 character too long').waitFor()
    await words.fill('Good company.')
    await button(a, 'Publish the review').click()
    await a.getByText('Your review is published').waitFor()
    expect((await ada.get(`users/${bob.id}/reviews`)).body.items).toMatchObject([{ rating: 5, text: 'Good company.' }])
    await a.getByRole('link', { name: /^Bob/ }).click()
    const review = a.getByRole('listitem').filter({ hasText: 'Good company.' })
    await review.waitFor()
    expect(await button(review, 'Report').count()).toBe(0)
    await a.goBack()

    // A report of a message in two touches, and a block after it.
    await menuOf(a, 'On my way.')
    await a.getByRole('dialog', { name: 'Report this message' }).waitFor()
    await expectAccessible(a, 'report')
    await button(a, 'Spam or advertising').click()
    await a.getByText('Thank you. The moderators will look at it.').waitFor()
    await expectAccessible(a, 'reported')
    expect((await ada.get('reports')).body.items).toMatchObject([{ reason: 'spam', status: 'open' }])
    await button(a, 'Block Bob too').click()
    await a.getByText('Bob is blocked').waitFor()
    expect((await ada.get('blocks')).body.items).toHaveLength(1)
    await write(b, 'Hello?')
    await message(b, 'Hello?').getByText('Not sent.').waitFor()
    await expectAccessible(b, 'a message that was refused')
    await button(message(b, 'Hello?'), 'Discard').click()
    await message(b, 'Hello?').waitFor({ state: 'detached' })

    expect([...hers.errors, ...his.errors]).toEqual([])
    await Promise.all([hers.context.close(), his.context.close()])
    await web.stop()
  },
  240_000,
)

browserTest(
  'a refused position, a lost network, a stranger who waits, a text against the rules, and a long conversation',
  async () => {
    const app = await testApp({ FIRST_CONTACT: 'guarded' })
    const web = await serveWeb(app)
    const [ada, bob, cleo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
    const { context, page, errors } = await openAs(browser, web.origin, ada)

    // Nobody has allowed a position: the page says how to.
    await page.goto(`${web.origin}/nearby`)
    await button(page, 'Share my rough place').click()
    await page.getByText('Your browser does not share your location with this page.').waitFor()
    await expectAccessible(page, 'refused position')
    await page.getByRole('link', { name: /Chats$/ }).click()
    await page.getByRole('heading', { name: 'No chats yet' }).waitFor()
    await expectAccessible(page, 'no chats')

    // What cannot be read without a network can be read again when it is back.
    await context.setOffline(true)
    await page.getByRole('link', { name: /^Nearby/ }).click()
    await button(page, 'Share my rough place').waitFor()
    await context.grantPermissions(['geolocation'])
    await context.setGeolocation(berlin)
    await button(page, 'Share my rough place').click()
    await page.getByText('No connection. Try again when it is back.').waitFor()
    await context.setOffline(false)
    await button(page, 'Share my rough place').click()
    await page.getByRole('heading', { name: /^Nobody within/ }).waitFor()

    // Three texts to a stranger; the fourth waits for an answer.
    const stranger = (await ada.post('chats', { user_id: cleo.id })).body.id
    for (const text of ['One', 'Two', 'Three']) await ada.post(`chats/${stranger}/messages`, { text })
    await page.goto(`${web.origin}/chats/${stranger}`)
    await message(page, 'Three').waitFor()
    await write(page, 'Four')
    await page.getByText('Cleo has not answered yet.').waitFor()
    await message(page, 'Four').getByText('Not sent. Wait for an answer first.').waitFor()
    await expectAccessible(page, 'waiting for an answer')
    await cleo.post(`chats/${stranger}/messages`, { text: 'Hello' })
    await message(page, 'Hello').waitFor()
    await button(message(page, 'Four'), 'Try again').click()
    await message(page, 'Four').getByRole('img', { name: 'sent', exact: true }).waitFor()

    // A text that a rule of the operator refuses says why.
    await app.services.storage.users.setRole(bob.id, 'admin', granted(bob.id, app.clock.now))
    const match = { type: 'words', words: ['banana'] }
    const rule = { name: 'Bananas', on: true, applies_to: ['message'], match, action: 'refuse' }
    expect((await bob.post('admin/rules', { ...rule, public_text: 'No bananas here.' })).status).toBe(201)
    await write(page, 'A banana')
    await message(page, 'A banana').getByText('Not sent. No bananas here.').waitFor()

    // A long conversation opens at its end, and only what is near the screen exists.
    const chat = await app.met(ada, bob)
    await ada.post(`chats/${chat}/messages`, { text: 'Tell me' })
    await bob.post(`chats/${chat}/messages`, { text: 'I will' })
    await ada.post(`chats/${chat}/messages`, { text: 'Please' })
    for (let i = 1; i <= 130; i++)
      await bob.post(`chats/${chat}/messages`, { text: `No. ${i} ${'word '.repeat(i % 40)}` })
    await page.goto(`${web.origin}/chats/${chat}`)
    await message(page, 'No. 130').waitFor()
    expect(await page.getByRole('article').count()).toBeLessThan(60)

    // Older messages that cannot be loaded are requested every few seconds, and come when the network is back.
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('/messages?')) asked++
    })
    await context.setOffline(true)
    await page.getByRole('log').focus()
    await page.keyboard.press('Home')
    await page.waitForTimeout(1500)
    expect(asked).toBeLessThan(4)
    await context.setOffline(false)
    await until(async () => {
      await page.keyboard.press('Home')
      return (await message(page, 'No. 1 ').count()) > 0
    }, 'the first message is shown')

    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  240_000,
)

browserTest(
  'who has no room for another photo reads what to do, and sends it after that',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { context, page } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    const buffer = Buffer.from(await page.evaluate<string>(drawPhoto), 'base64')
    const send = async (caption: string) => {
      await page.getByLabel('Choose a photo').setInputFiles({ name: 'river.png', mimeType: 'image/png', buffer })
      const sheet = page.getByRole('dialog', { name: 'Send a photo' })
      await sheet.getByLabel('Caption').fill(caption)
      await button(sheet, 'Send').click()
    }
    await send('At the river')
    await message(page, 'At the river').getByRole('img', { name: 'sent', exact: true }).waitFor()
    await app.rows('UPDATE media SET bytes = 500000000 - thumb_bytes')

    await send('By the sea')
    await message(page, 'By the sea').getByText('Delete older messages with photos to make room.').waitFor()
    await menuOf(page, 'At the river')
    await button(page, 'Delete for both').click()
    await button(page, 'Delete for both').click()
    await until(async () => (await app.rows('SELECT id FROM media')).length === 0, 'there is room')
    await button(message(page, 'By the sea'), 'Try again').click()
    await message(page, 'By the sea').getByRole('img', { name: 'sent', exact: true }).waitFor()

    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'a photo that is empty or damaged is refused with words about photos',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { context, page } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    for (const [caption, bytes] of [
      ['Empty', []],
      ['Cut off', [0xff, 0xd8, 0xff, 0xe0]],
    ] as const) {
      const buffer = Buffer.from(bytes)
      await page.getByLabel('Choose a photo').setInputFiles({ name: 'river.jpg', mimeType: 'image/jpeg', buffer })
      const sheet = page.getByRole('dialog', { name: 'Send a photo' })
      await sheet.getByLabel('Caption').fill(caption)
      await button(sheet, 'Send').click()
      await message(page, caption).getByText('We cannot read this photo.').waitFor()
    }
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'Enter in the caption sends a photo once, and not before it is prepared',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    await context.addInitScript(`{
      const decode = createImageBitmap
      const { promise, resolve } = Promise.withResolvers()
      globalThis.goOn = resolve
      globalThis.createImageBitmap = (...given) => promise.then(() => decode(...given))
    }`)
    await page.goto(`${web.origin}/chats/${chat}`)
    const buffer = Buffer.from(await page.evaluate<string>(drawPhoto), 'base64')
    await page.getByLabel('Choose a photo').setInputFiles({ name: 'river.png', mimeType: 'image/png', buffer })
    const sheet = page.getByRole('dialog', { name: 'Send a photo' })
    await sheet.getByLabel('Caption').fill('Here')
    await sheet.getByText('The photo is being prepared.').waitFor()
    await sheet.getByLabel('Caption').press('Enter')
    await page.evaluate('goOn()')
    await sheet.getByRole('img', { name: 'Photo' }).first().waitFor()
    expect(await page.getByRole('article').count()).toBe(0)

    // Faster than a render in between.
    await page.evaluate(`(() => {
      const caption = document.querySelector('dialog[open] input')
      const enter = { key: 'Enter', bubbles: true, cancelable: true }
      for (let times = 0; times < 2; times++) caption.dispatchEvent(new KeyboardEvent('keydown', enter))
    })()`)
    await message(page, 'Here').getByRole('img', { name: 'sent', exact: true }).waitFor()
    await write(page, 'The river')
    await message(page, 'The river').getByRole('img', { name: 'sent', exact: true }).waitFor()
    const kinds = (await bob.get(`chats/${chat}/messages`)).body.items.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(['text', 'photo'])
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'a part of a photo that cannot be cut out is not sent as the whole photo',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    const buffer = Buffer.from(await page.evaluate<string>(drawPhoto), 'base64')
    await page.getByLabel('Choose a photo').setInputFiles({ name: 'river.png', mimeType: 'image/png', buffer })
    const sheet = page.getByRole('dialog', { name: 'Send a photo' })
    const image = sheet.getByRole('img', { name: 'Photo' }).first()
    await image.waitFor()
    const { x, y, width, height } = (await image.boundingBox())!
    await page.mouse.move(x + 2, y + 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 })
    await page.mouse.up()

    await page.evaluate(`{
      const { toBlob } = HTMLCanvasElement.prototype
      window.recover = () => { HTMLCanvasElement.prototype.toBlob = toBlob }
      HTMLCanvasElement.prototype.toBlob = (done) => done(null)
    }`)
    await button(sheet, 'Send').click()
    await sheet.getByText('The photo could not be cut, so it was not sent.').waitFor()
    expect(await page.getByRole('article').count()).toBe(0)

    await page.evaluate('recover()')
    await button(sheet, 'Send').click()
    await page.getByRole('article').getByRole('img', { name: 'sent', exact: true }).waitFor()
    const [{ photo }] = (await bob.get(`chats/${chat}/messages`)).body.items
    expect(photo.width).toBeLessThan(400)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'a photo that can no longer be read says so, and does not hold up the messages',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    await context.addInitScript(`{
      const decode = createImageBitmap
      const { promise, resolve } = Promise.withResolvers()
      globalThis.goOn = resolve
      globalThis.createImageBitmap = (...given) => promise.then(() => decode(...given))
    }`)
    await page.goto(`${web.origin}/chats/${chat}`)
    const directory = mkdtempSync(join(tmpdir(), 'convene-photo-'))
    const path = join(directory, 'river.jpg')
    writeFileSync(path, 'not a photo yet')
    await page.getByLabel('Choose a photo').setInputFiles(path)
    const sheet = page.getByRole('dialog', { name: 'Send a photo' })
    await sheet.getByText('The photo is being prepared.').waitFor()
    writeFileSync(path, 'another program has written to it')
    await page.evaluate('goOn()')
    await sheet.getByText('This file cannot be read.').waitFor()
    expect(await button(sheet, 'Send').isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await write(page, 'The river')
    await message(page, 'The river').getByRole('img', { name: 'sent', exact: true }).waitFor()
    expect((await bob.get(`chats/${chat}/messages`)).body.items).toHaveLength(1)

    // A file that the browser cannot show is sent as it was when it was chosen.
    await page.getByLabel('Choose a photo').setInputFiles(path)
    await sheet.getByText('This browser cannot show the photo.').waitFor()
    rmSync(directory, { recursive: true })
    await button(sheet, 'Send').click()
    await page.getByText('Not sent. We cannot read this photo.').waitFor()
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'once its socket is refused, the app says so and shows nobody as online, until Reconnect',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const his = await openAs(browser, web.origin, bob)
    await his.page.goto(`${web.origin}/nearby`)
    // The list of chats is beside the chat.
    const { context, page, errors } = await openAs(browser, web.origin, ada, { viewport: { width: 1200, height: 740 } })
    let refuse = () => {}
    await page.routeWebSocket(/\/ws/, (socket) => {
      const server = socket.connectToServer()
      refuse = () => {
        void server.close()
        void socket.close({ code: 4409, reason: 'too_many_sockets' })
      }
    })
    await page.goto(`${web.origin}/chats/${chat}`)
    const status = page.getByRole('main').getByText('online', { exact: true })
    await status.waitFor()
    const row = page.locator(`a[href="/chats/${chat}"]`).filter({ hasText: 'online' })
    await row.waitFor()

    refuse()
    await page.getByText('New messages no longer arrive by themselves.').waitFor()
    await expectAccessible(page, 'a refused socket')
    await status.waitFor({ state: 'detached' })
    expect(await row.count()).toBe(0)
    await bob.post(`chats/${chat}/messages`, { text: 'Are you there?' })

    await button(page, 'Reconnect').click()
    await message(page, 'Are you there?').waitFor()
    await status.waitFor()
    expect(await button(page, 'Reconnect').count()).toBe(0)
    expect(errors).toEqual([])
    await Promise.all([context.close(), his.context.close()])
    await web.stop()
  },
  120_000,
)

browserTest(
  'without a socket, what came meanwhile is loaded and read, and no message is marked twice',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    await bob.post(`chats/${chat}/messages`, { text: 'One' })
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    await page.routeWebSocket(/\/ws/, (socket) => void socket.close({ code: 4409, reason: 'too_many_sockets' }))
    let marks = 0
    await page.route(`**/api/v1/chats/${chat}/read`, async (route) => {
      if (++marks === 1) await bob.post(`chats/${chat}/messages`, { text: 'Two' })
      await route.continue()
    })
    await page.goto(`${web.origin}/chats/${chat}`)
    await message(page, 'Two').waitFor()
    const unread = async () => (await ada.get(`chats/${chat}`)).body.unread_count
    await until(async () => (await unread()) === 0, 'both are read')
    await page.waitForTimeout(1000)
    expect(marks).toBe(2)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'the next user of a page does not read what the one before has not sent',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await app.met(ada, bob)
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    const field = page.getByRole('textbox', { name: /^Message to/ })
    await page.goto(`${web.origin}/chats`)
    await page.getByRole('link', { name: /Bob/ }).click()
    await field.fill('Dear Bob, I')
    await page.getByRole('link', { name: 'Back' }).click()
    await page.getByRole('link', { name: /Bob/ }).click()
    expect(await field.inputValue()).toBe('Dear Bob, I')
    await page.getByRole('link', { name: 'Back' }).click()
    await page.getByRole('link', { name: 'Me', exact: true }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await button(page, 'Sign out').click()
    await button(page.getByRole('dialog'), 'Sign out').click()

    // The page is not loaded again in between.
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await page.getByLabel('E-mail or phone').fill(bob.email)
    await page.getByLabel('Password').fill(password)
    await button(page, 'Sign in').click()
    await page.getByRole('link', { name: /Chats$/ }).click()
    await page.getByRole('link', { name: /Ada/ }).click()
    expect(await field.inputValue()).toBe('')
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'a position that the device gives after a sign-out is not published for the next user',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    await context.addInitScript(`
      navigator.geolocation.getCurrentPosition = (found) => {
        window.give = () => found({ coords: ${JSON.stringify(berlin)} })
      }`)
    await page.goto(`${web.origin}/nearby`)
    await button(page, 'Share my rough place').click()
    await handOver(page, bob)
    await page.evaluate('give()')
    await page.waitForTimeout(500)
    expect((await bob.get('me/location')).status).toBe(404)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'an export that arrives after a sign-out is not given to the next user',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    const held = Promise.withResolvers<void>()
    await page.route('**/api/v1/me/export', async (route) => {
      const response = await route.fetch()
      await held.promise
      await route.fulfill({ response })
    })
    let downloads = 0
    page.on('download', () => void downloads++)
    await page.goto(`${web.origin}/settings/data`)
    const answered = page.waitForResponse('**/api/v1/me/export')
    await button(page, 'Download everything').click()
    await page.waitForTimeout(300)
    await handOver(page, bob)
    held.resolve()
    await (await answered).finished()
    await page.waitForTimeout(500)
    expect(downloads).toBe(0)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'after a change of the preferences, the people nearby show what is in common now',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    for (const one of [ada, bob]) await one.put('me/location', berlin)
    await bob.put('me/prefs', { drinks: ['tea'] })
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/nearby`)
    const row = page.getByRole('link', { name: /^Bob/ })
    await row.waitFor()
    expect(await row.innerText()).not.toContain('In common')
    await page.getByRole('link', { name: 'Me', exact: true }).click()
    await page.getByRole('link', { name: 'What I like' }).click()
    await page.getByRole('checkbox', { name: 'tea', exact: true }).check()
    await button(page, 'Save').click()
    await page.getByText('Saved').waitFor()
    await page.getByRole('link', { name: /^Nearby/ }).click()
    await row.filter({ hasText: 'In common' }).waitFor()
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'a block after a report is asked for once, however often it is pressed',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    let blocks = 0
    await page.route('**/api/v1/blocks', async (route) => {
      blocks++
      await Bun.sleep(300)
      await route.continue()
    })
    await page.goto(`${web.origin}/people/${bob.id}`)
    await button(page, 'Report').click()
    await button(page, 'Spam or advertising').click()
    await button(page, 'Block Bob too').dblclick()
    await page.getByText('Bob is blocked').first().waitFor()
    expect(blocks).toBe(1)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'at midnight, what was written today becomes what was written yesterday',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    await bob.post(`chats/${chat}/messages`, { text: 'Good night' })
    // The list of chats is beside the chat.
    const wide = { viewport: { width: 1200, height: 740 }, timezoneId: 'UTC' }
    const { context, page, errors } = await openAs(browser, web.origin, ada, wide)
    await page.clock.install({ time: new Date(app.clock.now).setUTCHours(23, 59, 30) })
    await context.addInitScript(`
      window.watching = 0
      const [add, remove] = [document.addEventListener, document.removeEventListener]
      const isWatch = (type) => type === 'visibilitychange'
      document.addEventListener = function (type, ...rest) {
        if (isWatch(type)) watching++
        return add.call(this, type, ...rest)
      }
      document.removeEventListener = function (type, ...rest) {
        if (isWatch(type)) watching--
        return remove.call(this, type, ...rest)
      }`)
    await page.goto(`${web.origin}/chats/${chat}`)
    const time = page.getByRole('link', { name: /Bob/ }).getByRole('time')
    await page.getByRole('log').getByText('today').waitFor()
    expect(await time.first().innerText()).toMatch(/^12:00\sPM$/)
    // Further rows do not watch the day each on its own. What the app does after its start comes first.
    await page.clock.fastForward(6000)
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)')
    const before = await page.evaluate<number>('watching')
    for (const name of ['Cleo', 'Dan']) {
      await app.met(ada, await app.person(name))
      await page.getByRole('link', { name: new RegExp(name) }).waitFor()
    }
    expect(await page.evaluate<number>('watching')).toBe(before)
    await page.clock.fastForward(31_000)
    await page.getByRole('log').getByText('yesterday').waitFor()
    expect(await time.first().innerText()).toBe('Sat')
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'by keyboard, a new screen has the focus at its heading, and an edit ends where messages are written',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    await bob.post(`chats/${chat}/messages`, { text: 'Hello' })
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    const focused = (name: string) =>
      until(
        () =>
          page.evaluate<boolean>(
            `document.activeElement.matches('h1') && document.activeElement.textContent === '${name}'`,
          ),
        `the heading ${name} has the focus`,
      )
    await page.goto(`${web.origin}/settings`)
    await page.getByRole('link', { name: 'Ways to sign in' }).focus()
    await page.keyboard.press('Enter')
    await focused('Ways to sign in')
    await page.goto(`${web.origin}/chats`)
    await page.getByRole('link', { name: /Bob/ }).focus()
    await page.keyboard.press('Enter')
    await focused('Bob')
    // After an edit, it is where the next message is written.
    const isWriting = () =>
      page.evaluate<boolean>(`document.activeElement.matches('textarea') && document.activeElement.value === ''`)
    await write(page, 'Helo')
    for (const end of ['Escape', 'Enter']) {
      await menuOf(page, 'Helo')
      await button(page, 'Edit').click()
      const field = page.getByRole('textbox', { name: /^Message to/ })
      await until(async () => (await field.inputValue()) === 'Helo', 'it is edited')
      if (end === 'Enter') await field.fill('Hello, Bob')
      await field.press(end)
      await until(isWriting, `the next message is written after ${end}`)
    }
    await page.getByRole('link', { name: 'Back' }).focus()
    await page.keyboard.press('Enter')
    await focused('Chats')
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'an unsaved change of a message is kept while other screens are shown, until a sign-out',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    await ada.post(`chats/${chat}/messages`, { text: 'Half pst two' })
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    const field = page.getByRole('textbox', { name: /^Message to/ })
    const away = async () => {
      await page.getByRole('link', { name: 'Back' }).click()
      await page.getByRole('link', { name: /Bob/ }).waitFor()
    }
    const again = async () => {
      await away()
      await page.getByRole('link', { name: /Bob/ }).click()
      await field.waitFor()
    }
    await page.goto(`${web.origin}/chats`)
    await page.getByRole('link', { name: /Bob/ }).click()
    await field.fill('See you')
    await menuOf(page, 'Half pst two')
    await button(page, 'Edit').click()
    await field.fill('Half past two')
    await again()
    expect(await field.inputValue()).toBe('Half past two')
    await button(page, 'Save').click()
    await message(page, 'Half past two').waitFor()
    expect(await field.inputValue()).toBe('See you')

    // What was given up is gone.
    await menuOf(page, 'Half past two')
    await button(page, 'Edit').click()
    await field.fill('Three')
    await button(page, 'Cancel').click()
    await again()
    expect(await field.inputValue()).toBe('See you')

    // Nobody else reads it on this device, nor what the user has not saved before the sign-out.
    await menuOf(page, 'Half past two')
    await button(page, 'Edit').click()
    await field.fill('Four')
    await away()
    await handOver(page, ada)
    await page.getByRole('link', { name: /Chats$/ }).click()
    await page.getByRole('link', { name: /Bob/ }).click()
    await message(page, 'Half past two').waitFor()
    expect(await field.inputValue()).toBe('')
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'a message is deleted for both only after a question, and the keyboard continues at its place',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    await ada.post(`chats/${chat}/messages`, { text: 'Wrong chat' })
    const { context, page, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    const ask = async () => {
      await menuOf(page, 'Wrong chat')
      await button(page, 'Delete for both').press('Enter')
      await page.getByRole('dialog', { name: 'Delete this message?' }).waitFor()
    }
    await ask()
    await expectAccessible(page, 'before a message is deleted')
    await button(page, 'Cancel').press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await bob.get(`chats/${chat}/messages`)).body.items[0].text).toBe('Wrong chat')
    await ask()
    await button(page, 'Delete for both').press('Enter')
    await message(page, 'Message deleted').waitFor()
    await until(
      () => page.evaluate<boolean>(`document.activeElement.textContent.startsWith('Message deleted')`),
      'the deleted message has the focus',
    )
    await until(
      async () => (await bob.get(`chats/${chat}/messages`)).body.items[0].deleted,
      'it is deleted for the other one too',
    )
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'a chat is muted for eight hours by the clock of the server, whatever that of the device says',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { context, page, errors } = await openAs(browser, web.origin, ada, { serviceWorkers: 'block' })
    await page.clock.setFixedTime(Date.now() - 10 * 3_600_000)
    await page.goto(`${web.origin}/chats/${chat}`)
    const known = page.waitForResponse(/\/blocks/)
    await button(page, 'More about this chat').click()
    await (await known).finished()
    await button(page, 'Mute for 8 hours').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const until = Date.parse((await ada.get(`chats/${chat}`)).body.muted_until)
    expect(Math.abs(until - Date.now() - 8 * 3_600_000)).toBeLessThan(120_000)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'what cannot be seen is no message and no text of a review',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    for (const one of [ada, bob]) await one.post(`chats/${chat}/messages`, { text: 'Hello' })
    const { page, context, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    // A zero-width space, the empty Braille pattern and a Hangul filler.
    const unseen = '\u200b \u2800\u3164'
    const field = page.getByRole('textbox', { name: /^Message to/ })
    await field.fill(unseen)
    expect(await button(page, 'Send').getAttribute('aria-disabled')).toBe('true')
    await field.press('Enter')
    expect(await field.inputValue()).toBe(unseen)
    await write(page, `${unseen}See you`)
    await message(page, 'See you').getByRole('img', { name: 'sent', exact: true }).waitFor()
    expect((await bob.get(`chats/${chat}/messages`)).body.items).toHaveLength(3)

    await button(page, 'More about this chat').click()
    await button(page, 'Review').click()
    await page.getByRole('radio', { name: '5 stars' }).check()
    await page.getByLabel('In a few words').fill(unseen)
    await button(page, 'Publish the review').click()
    await page.getByText('Your review is published').waitFor()
    expect((await bob.get(`users/${bob.id}/reviews`)).body.items).toMatchObject([{ rating: 5, text: null }])
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'a high photo is shown whole, with the button that sends it, and is cut where it is marked',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { page, context, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
    const bytes = await new Bun.Image(pixel).resize(200, 800, { fit: 'fill' }).png().bytes()
    const high = { name: 'tower.png', mimeType: 'image/png', buffer: Buffer.from(bytes) }
    await page.getByLabel('Choose a photo').setInputFiles(high)
    const sheet = page.getByRole('dialog', { name: 'Send a photo' })
    await sheet.getByRole('img', { name: 'Photo' }).waitFor()
    // Once the sheet has come up.
    await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))')
    const sends = (await button(sheet, 'Send').boundingBox())!
    expect(sends.y + sends.height).toBeLessThanOrEqual(740)

    // The left half.
    const { x, y, width, height } = (await sheet.getByRole('img', { name: 'Photo' }).boundingBox())!
    expect(height / width).toBeCloseTo(4, 1)
    await page.mouse.move(x + 1, y + 1)
    await page.mouse.down()
    await page.mouse.move(x + width / 2, y + height - 1, { steps: 4 })
    await page.mouse.up()
    await button(sheet, 'Send').click()
    await page.getByRole('img', { name: 'sent', exact: true }).waitFor()
    const { photo } = (await bob.get(`chats/${chat}/messages`)).body.items[0]
    expect(photo.height / photo.width).toBeCloseTo(8, 0)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'who comes back from a profile is where they were in the chat, and at its end after an answer',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const told = (n: number) => `Message ${n}${' and more'.repeat(n % 30)}`
    for (let n = 1; n <= 120; n++) await (n % 3 ? bob : ada).post(`chats/${chat}/messages`, { text: told(n) })
    const { page, context, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    await page.getByText(told(120), { exact: true }).waitFor()
    const log = page.getByRole('log')
    // Far enough that older messages are loaded above.
    const seen = page.getByText(told(40), { exact: true })
    await until(async () => {
      await log.evaluate((list: { scrollTop: number }) => void (list.scrollTop -= 400))
      return (await seen.count()) === 1
    }, 'the message is there')
    const top = async () => Math.round((await seen.boundingBox())!.y)
    const restsAt = async () => {
      let before = Number.NaN
      await until(async () => before === (before = await top()), 'the list stands still')
      return before
    }
    const before = await restsAt()
    await page.getByRole('link', { name: /Bob/ }).first().click()
    await page.getByRole('heading', { name: 'Bob', level: 1 }).waitFor()
    await button(page, 'Block').waitFor()
    await page.goBack()
    await seen.waitFor()
    expect(Math.abs((await restsAt()) - before)).toBeLessThanOrEqual(2)

    await write(page, 'Back again')
    await message(page, 'Back again').waitFor()
    await bob.post(`chats/${chat}/messages`, { text: 'The newest' })
    await message(page, 'The newest').waitFor()
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)
