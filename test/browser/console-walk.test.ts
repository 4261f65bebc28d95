import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type Admin, operator } from '../../src/features/moderation/moderators.ts'
import { seconds } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'
import { connect, ofType } from '../socket-client.ts'
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

async function moderator(app: TestApp, name: string): Promise<Person> {
  const person = await app.person(name)
  await app.services.storage.users.setRole(person.id, 'moderator', granted(person.id, app.clock.now))
  return person
}

/** Decisions may be taken back for ten seconds; then the server carries them out. */
async function carryOut({ clock, nodes }: TestApp) {
  clock.now += 11 * seconds
  for (const { services } of nodes) services.delivery.wake('decision')
  await Promise.all(nodes.map(({ services }) => services.delivery.idle()))
}

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

/** The console in a browser of somebody's own, whose passkey is made here and then signs them in. */
async function signedIn(origin: string, { email }: Person) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  const devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto(`${origin}/console`)
  await page.getByLabel('E-mail or phone').focus()
  await page.keyboard.type(email)
  await press(page, 'Tab')
  await page.keyboard.type(password)
  await press(page, 'Enter')
  await title(page, 'Confirm that it is you').waitFor()
  await page.getByLabel('Name of the passkey').fill('Laptop')
  await page.getByLabel('Password').fill(password)
  await press(page, 'Enter')
  await button(page, 'Use my passkey').focus()
  await press(page, 'Enter')
  await title(page, 'Queue').waitFor()
  await button(page, 'Sign out').focus()
  await press(page, 'Enter')
  await button(page, 'Sign in with a passkey').focus()
  await press(page, 'Enter')
  await title(page, 'Queue').waitFor()
  return { context, page, errors }
}

async function upload(person: Person, change = (image: Bun.Image) => image): Promise<string> {
  const bytes = await change(new Bun.Image(pngOf(painting(1))))
    .png()
    .bytes()
  const answer = await person.post('media', uploadOf(bytes as Uint8Array<ArrayBuffer>))
  expect(answer.status).toBe(201)
  return answer.body.id
}

browserTest(
  'a report becomes a decision, a banned image and an appeal that another moderator decides, and is counted; a held message arrives',
  async () => {
    const app = await testApp({ STAFF_PASSKEY: 'required' })
    // The transparency report asks for the last days by the page's own clock.
    app.clock.now = Date.now()
    const web = await serveWeb(app)
    // Passkeys are bound to a name, not to an address.
    const origin = web.origin.replace('127.0.0.1', 'localhost')
    const [mo, ned] = [await moderator(app, 'Mo'), await moderator(app, 'Ned')]
    const [ada, bob, eve] = [await app.person('Ada'), await app.person('Bob'), await app.person('Eve')]
    await app.services.filter.replaceAll(operator as unknown as Admin, [
      {
        name: 'Bananas',
        on: true,
        applies_to: ['message'],
        match: { type: 'words', words: ['banana'] },
        action: 'hold',
      },
    ])

    // Ada reports a message of Bob with a photo; a rule holds what Eve writes to Ada.
    const chat = await app.met(ada, bob)
    const photo = await upload(bob)
    const sent = (await bob.post(`chats/${chat}/messages`, { kind: 'photo', photo, text: 'Easy money' })).body
    const reported = await ada.post('reports', { message_id: sent.id, reason: 'scam', details: 'He wants money.' })
    const report: string = reported.body.id
    app.clock.now += seconds
    const other = await app.met(eve, ada)
    const socket = connect(await app.listen(), ada.token)
    await socket.until(ofType('hello'))
    const held = (await eve.post(`chats/${other}/messages`, { text: 'A banana for you?' })).body
    const textsOf = async (person: Person, of: string) =>
      (await person.get(`chats/${of}/messages`)).body.items.map(({ text }: any) => text)
    expect(await textsOf(ada, other)).toEqual([])

    // Mo takes the next report, which is Ada's, and looks at the photo.
    const first = await signedIn(origin, mo)
    const { page } = first
    await press(page, 'n')
    await title(page, 'Scam').waitFor()
    const opened = page.getByRole('article', { name: 'Report' })
    await opened.getByText('Yours', { exact: true }).waitFor()
    await opened.getByText('He wants money.').waitFor()
    expect(await opened.locator('img').count()).toBe(0)
    await press(page, 'i')
    await opened.getByRole('img', { name: 'Image that is part of the evidence' }).waitFor()

    // He removes it, and bans the image.
    await press(page, 'r')
    await page.getByRole('textbox', { name: 'Reason, which the person reads' }).focus()
    await page.keyboard.type('Section 4 of our rules forbids to ask for money.')
    await page.getByRole('checkbox', { name: /^Ban the images too/ }).focus()
    await press(page, 'Space')
    await press(page, 'Control+Enter')

    // The next one is the held message, which he lets through.
    await opened.getByText('A banana for you?').first().waitFor()
    await opened.getByText('Yours', { exact: true }).waitFor()
    await expectAccessible(page, 'held message')
    // Nothing has happened yet: both decisions may still be taken back.
    expect(await textsOf(ada, chat)).toEqual(['Easy money'])
    await press(page, 'l', 'Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    expect(await textsOf(ada, other)).toEqual([])
    await carryOut(app)
    const arrived = await socket.until((frame) => frame.type === 'message' && frame.data.id === held.id, 'message')
    expect(arrived.data).toMatchObject({ text: 'A banana for you?', sender_id: eve.id, created_at: held.created_at })
    expect(await textsOf(ada, other)).toEqual(['A banana for you?'])
    expect((await ada.get('chats')).body.unread_total).toBe(1)

    // The message is gone, and its image is refused elsewhere: to somebody else, in another chat and another size, and as a profile's photo.
    expect(await textsOf(ada, chat)).toEqual([null])
    const copy = await upload(eve, (image) => image.resize(90, 60))
    expectProblem(await eve.post(`chats/${other}/messages`, { kind: 'photo', photo: copy }), 422, 'content_refused')
    expectProblem(await eve.put('me', { photo: copy }), 422, 'content_refused')

    // Bob is told why, and appeals.
    const [notice] = (await bob.get('me/notices')).body.items
    expect(notice).toMatchObject({
      action: 'remove_content',
      message_id: sent.id,
      reason: 'Section 4 of our rules forbids to ask for money.',
    })
    const appealed = await bob.post('appeals', { notice_id: notice.id, text: 'I am collecting for the shelter.' })
    expect(appealed.status).toBe(201)

    // Mo, whose decision it was, cannot decide it; Ned does.
    await press(page, 'g', 'a')
    await title(page, 'Appeals').waitFor()
    await page.getByText('I am collecting for the shelter.').waitFor()
    await press(page, 'n')
    await page.getByText('Nothing is waiting for you.').waitFor()
    await press(page, 'j', 'Enter')
    const appeal = page.getByRole('article', { name: 'Appeal' })
    await appeal.getByText(/^Somebody else decides this appeal/).waitFor()
    expect(await page.getByRole('form', { name: 'Decide' }).count()).toBe(0)
    await expectAccessible(page, 'an appeal of others')
    expect((await app.rows('SELECT status FROM appeals'))[0]!.status).toBe('open')
    const second = await signedIn(origin, ned)
    await press(second.page, 'g', 'a')
    await title(second.page, 'Appeals').waitFor()
    await second.page.getByText('I am collecting for the shelter.').waitFor()
    await press(second.page, 'n')
    await second.page.getByRole('article', { name: 'Appeal' }).waitFor()
    await expectAccessible(second.page, 'appeal')
    await press(second.page, 'u')
    await second.page.keyboard.type('You are right, and we are sorry.')
    await press(second.page, 'Control+Enter')
    await second.page.getByText('The appeal is upheld. The person is told.').waitFor()
    expect((await bob.get('me/notices')).body.items.map(({ appeal }: any) => appeal?.status)).toContain('upheld')
    // What was banned with the decision is allowed again.
    expect((await eve.post(`chats/${other}/messages`, { kind: 'photo', photo: copy })).status).toBe(201)

    // The transparency report counts all of it, on its page and in its file.
    await press(second.page, 'g', 't')
    await title(second.page, 'Transparency report').waitFor()
    const shown = (name: string) =>
      second.page.locator('span', { hasText: new RegExp(`^${name}$`) }).locator('xpath=preceding-sibling::b')
    await shown('Notices').waitFor()
    const figures: [string, string][] = []
    for (const name of ['Notices', 'Decisions', 'Appeals', 'Appeals upheld', 'Appeals rejected', 'Appeals open'])
      figures.push([name, await shown(name).innerText()])
    // What a rule has held was noticed by nobody.
    expect(figures).toEqual([
      ['Notices', '1'],
      ['Decisions', '2'],
      ['Appeals', '1'],
      ['Appeals upheld', '1'],
      ['Appeals rejected', '0'],
      ['Appeals open', '0'],
    ])
    const [file] = await Promise.all([second.page.waitForEvent('download'), button(second.page, 'CSV').press('Enter')])
    const sheet = await Bun.file(await file.path()).text()
    expect(sheet).toContain('actions_taken,STATEMENT_CATEGORY_SCAMS_AND_FRAUD,scam,message,remove_content,1\r\n')
    expect(sheet).toContain('7_appeals_and_recidivism,complaints_upheld,,,,,1\r\n')
    for (const { id } of [mo, ned, ada, bob, eve]) expect(sheet).not.toContain(id)
    expect(sheet).not.toContain(report)

    expect([first.errors, second.errors]).toEqual([[], []])
    for (const { context } of [first, second]) await context.close()
    socket.socket.close()
    await web.stop()
  },
  60_000,
)
