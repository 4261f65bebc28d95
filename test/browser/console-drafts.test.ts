import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { operator } from '../../src/features/moderation/moderators.ts'
import { seconds } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { granted } from '../rows.ts'
import { until } from '../until.ts'
import { freePort } from '../pages.ts'
import { builtPages, expectAccessible, serveWeb } from './app-page.ts'

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

async function withRole(app: TestApp, role: 'moderator' | 'admin', name: string): Promise<Person> {
  const person = await app.person(name)
  await app.services.storage.users.setRole(person.id, role, granted(person.id, app.clock.now))
  app.forget(person.id)
  return person
}

async function openConsole(origin: string, person: Person) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${origin}/console`)
  await page.getByLabel('E-mail or phone').fill(person.email)
  await signIn(page)
  await title(page, 'Queue').waitFor()
  return { page, errors, close: () => context.close() }
}

async function signIn(page: Page) {
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason, which the person reads' })
const opened = (page: Page) => page.getByRole('article', { name: 'Report' })
const yours = (page: Page) => opened(page).getByText('Yours', { exact: true })

browserTest(
  'a message that is edited while a moderator looks at it is shown as it is now, and can be decided',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [mo, ada, eve] = [await withRole(app, 'moderator', 'Mo'), await app.person('Ada'), await app.person('Eve')]
    await app.services.filter.replaceAll(operator, [
      { name: 'Fruit', on: true, applies_to: ['message'], match: { type: 'words', words: ['banana'] }, action: 'hold' },
    ])
    const chat = await app.met(eve, ada)
    const { id } = (await eve.post(`chats/${chat}/messages`, { text: 'A banana?' })).body
    const { page, errors, close } = await openConsole(origin, mo)
    await page.keyboard.press('n')
    await opened(page).getByText('A banana?', { exact: true }).first().waitFor()

    // Opened again, it is read again.
    await page.keyboard.press('Escape')
    app.clock.now += seconds
    expect((await eve.put(`messages/${id}`, { text: 'Two bananas and a banana?' })).status).toBe(200)
    await page.getByRole('link', { name: /Held/ }).click()
    await opened(page).getByText('Two bananas and a banana?', { exact: true }).first().waitFor()

    // Edited once more, its decision is refused, and what is decided then is shown.
    app.clock.now += seconds
    expect((await eve.put(`messages/${id}`, { text: 'Just a banana.' })).status).toBe(200)
    await page.keyboard.press('l')
    await page.keyboard.press('Control+Enter')
    await opened(page).getByRole('alert').waitFor()
    await opened(page).getByText('Just a banana.', { exact: true }).first().waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    expect(errors).toEqual([])
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'what a moderator writes survives another report, an account, undoing, and the end of the session',
  async () => {
    const app = await testApp()
    // The end of a suspension is one by the server's real clock.
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [root, ada, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Ada'), await app.person('Bob')]
    const { id: report } = (await ada.post('reports', { user_id: bob.id, reason: 'scam' })).body
    app.clock.now += seconds
    await ada.post('reports', { user_id: (await app.person('Cleo')).id, reason: 'spam' })
    const { page, errors, close } = await openConsole(origin, root)
    await page.keyboard.press('n')
    await title(page, 'Scam').waitFor()
    await page.keyboard.press('s')
    await reason(page).fill('Asked for money.')
    await page.getByRole('radio', { name: '30 days' }).focus()
    await page.keyboard.press('Space')

    // An account and back, then the next report and back.
    await opened(page).getByRole('link', { name: 'Bob' }).click()
    await title(page, 'Bob').waitFor()
    await page.goBack()
    await until(async () => (await reason(page).inputValue()) === 'Asked for money.', 'the text is there')
    await title(page, 'Scam').click()
    await page.keyboard.press('n')
    await title(page, 'Spam').waitFor()
    expect(await reason(page).count()).toBe(0)
    await page.goBack()
    await title(page, 'Scam').waitFor()
    expect(await reason(page).inputValue()).toBe('Asked for money.')
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true)

    // The decision is taken back by somebody who has opened the report anew.
    await page.keyboard.press('Control+Enter')
    await until(async () => (await root.get(`admin/reports/${report}`)).body.pending !== null, 'it is decided')
    await page.goto(`${origin}/console/queue/${report}`)
    await button(page, /^Undo/).waitFor()
    expect(await button(page, /^Undo/).count()).toBe(1)
    await page.keyboard.press('z')
    await until(async () => (await root.get(`admin/reports/${report}`)).body.pending === null, 'it is taken back')
    await reason(page).waitFor()
    expect(await reason(page).inputValue()).toBe('Asked for money.')
    expect(await page.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true)

    // The session ends on the page of an account.
    await page.goto(`${origin}/console/people/${bob.id}`)
    await reason(page).fill('Be kind.')
    await app.services.storage.sessions.endAll(root.id, app.clock.now)
    app.forget(root.id)
    await button(page, 'Warn').click()
    await page.getByText('Your session is over. What you were writing is kept.').waitFor()
    await signIn(page)
    await title(page, 'Bob').waitFor()
    expect(await reason(page).inputValue()).toBe('Be kind.')
    expect(errors).toEqual([])
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'Escape leaves the fields of a new announcement before it closes the form, and its end has a year of four digits',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const { page, errors, close } = await openConsole(origin, await withRole(app, 'admin', 'Root'))
    await page.goto(`${origin}/console/announcements`)
    await button(page, 'New announcement').click()
    const text = page.getByRole('textbox', { name: 'What everybody reads' })
    await text.fill('We move on Sunday.')
    await page.keyboard.press('Escape')
    expect(await text.inputValue()).toBe('We move on Sunday.')
    await page.getByLabel('Until').focus()
    await page.keyboard.type('0101120301200AM')
    expect(await page.getByLabel('Until').inputValue()).toMatch(/^(\d{4}-.*)?$/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await text.waitFor({ state: 'detached' })
    expect(errors).toEqual([])
    await close()
    await stop()
  },
  60_000,
)

browserTest(
  'what an admin writes of something new survives another screen, until it is made or cancelled',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const root = await withRole(app, 'admin', 'Root')
    const { page, errors, close } = await openConsole(origin, root)
    const go = async (key: string, name: string) => {
      await page.locator('body').click({ position: { x: 2, y: 2 } })
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await title(page, name).waitFor()
    }
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    const forms: [key: string, screen: string, label: string, text: string][] = [
      ['b', 'Announcements', 'What everybody reads', 'We meet on Sunday.'],
      ['i', 'Image bank', 'Reason', 'A scam'],
      ['v', 'Invitations', 'What it is for', 'Winter meetup'],
    ]
    for (const [key, screen, label, text] of forms) {
      await go(key, screen)
      await page.keyboard.press('n')
      await field(label).fill(text)
      await go('q', 'Queue')
      await go(key, screen)
      await field(label).waitFor()
      expect([screen, await field(label).inputValue()]).toEqual([screen, text])
      // What is cancelled does not come back.
      await button(page, 'Cancel').click()
      await go('q', 'Queue')
      await go(key, screen)
      expect([screen, await field(label).count()]).toEqual([screen, 0])
      await page.keyboard.press('n')
      expect([screen, await field(label).inputValue()]).toEqual([screen, ''])
    }

    await go('e', 'Templates')
    await page.keyboard.press('n')
    await field('Name').fill('Scam')
    await field('Text, which the person reads').fill('You asked for money.')
    await go('q', 'Queue')
    await go('e', 'Templates')
    await page.keyboard.press('n')
    await until(async () => (await field('Name').inputValue()) === 'Scam', 'the name is there')
    expect(await field('Text, which the person reads').inputValue()).toBe('You asked for money.')
    await page.keyboard.press('Control+Enter')
    await title(page, 'Scam').waitFor()
    expect(await page.getByText('Not saved', { exact: true }).count()).toBe(0)

    // The changes of one that is there too, and the next new one is empty.
    await field('Name').fill('Scams')
    await page.getByText('Not saved', { exact: true }).waitFor()
    await button(page, 'New template').click()
    await title(page, 'A new template').waitFor()
    expect(await field('Name').inputValue()).toBe('')
    await page.getByRole('link', { name: /^Scam/ }).click()
    await title(page, 'Scam').waitFor()
    expect(await field('Name').inputValue()).toBe('Scams')
    await button(page, 'Discard changes').click()
    expect(await field('Name').inputValue()).toBe('Scam')
    expect(await page.getByText('Not saved', { exact: true }).count()).toBe(0)
    expect(errors).toEqual([])
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'claiming keeps the loaded pages of the queue, and an appeal of a later page can be opened',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [mo, root] = [await withRole(app, 'moderator', 'Mo'), await withRole(app, 'admin', 'Root')]
    const people: Person[] = []
    for (let i = 0; i < 11; i++) people.push(await app.person(`Person ${i}`))
    for (const person of people)
      for (const other of people.slice(0, 6))
        if (other !== person) await person.post('reports', { user_id: other.id, reason: 'spam' })
    // Warnings, and an appeal against each.
    let last = ''
    for (let i = 0; i < 33; i++) {
      const person = people[i % people.length]!
      await root.post(`admin/users/${person.id}/warn`, { reason: 'Be kind.' })
      const [notice] = (await person.get('me/notices')).body.items
      app.clock.now += 1
      const appeal = await person.post('appeals', { notice_id: notice.id, text: `Why, ${i}?` })
      expect(appeal.status).toBe(201)
      last = appeal.body.id
    }
    const { page, errors, close } = await openConsole(origin, mo)
    const rows = page.locator('[data-row]')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(50)
    await button(page, 'Show more').click()
    await until(async () => (await rows.count()) === 60, 'there are more')
    await rows.nth(55).click()
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    await yours(page).waitFor()
    await rows.nth(55).getByText('Yours', { exact: true }).waitFor()
    expect(await rows.count()).toBe(60)

    await page.goto(`${origin}/console/appeals/${last}`)
    await page.getByRole('article', { name: 'Appeal' }).getByText('Why, 32?').waitFor()
    expect(errors).toEqual([])
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'a text may have as many characters as the server takes, of which an emoji is one, and says how many are too many',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [root, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Bob')]
    const { page, errors, close } = await openConsole(origin, root)
    const fields: [path: string, open: string | null, label: string, most: number][] = [
      ['announcements', 'New announcement', 'What everybody reads', 1000],
      ['invitations', 'New invitation', 'What it is for', 500],
      ['images', 'Ban an image', 'Reason', 500],
      ['templates', 'New template', 'Name', 80],
      ['rules/new', null, 'Name, for admins', 80],
      ['rules/new', null, 'Text', 4000],
      [`people/${bob.id}`, null, 'Reason, which the person reads', 1000],
      [`people/${bob.id}`, null, 'Remark, for moderators', 2000],
    ]
    for (const [path, open, label, most] of fields) {
      await page.goto(`${origin}/console/${path}`)
      if (open !== null) await button(page, open).first().click()
      const field = page.getByRole('textbox', { name: label, exact: true })
      await field.focus()
      await page.keyboard.insertText('😀'.repeat(most + 1))
      await page.getByText('1 character too long').waitFor()
      await page.keyboard.press('Backspace')
      await page.getByText('1 character too long').waitFor({ state: 'detached' })
      expect([path, await field.inputValue()]).toEqual([path, '😀'.repeat(most)])
    }

    // The server counts like that: composed letters, without space around them.
    const ada = await app.person('Ada')
    await ada.post('reports', { user_id: bob.id, reason: 'scam' })
    await page.goto(`${origin}/console/queue`)
    await title(page, 'Queue').waitFor()
    await page.keyboard.press('n')
    await yours(page).waitFor()
    await page.keyboard.press('w')
    await reason(page).focus()
    await page.keyboard.insertText(` ${'😀'.repeat(1000)}${'и\u0306'.repeat(1001)} `)
    await page.getByText('1 character too long').waitFor()
    await page.keyboard.press('Control+Enter')
    expect(await app.rows('SELECT pending FROM reports WHERE pending IS NOT NULL')).toEqual([])
    await reason(page).fill(` ${'😀'.repeat(1000)}${'и\u0306'.repeat(1000)} `)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    expect(errors).toEqual([])
    await close()
    await stop()
  },
  120_000,
)

browserTest(
  'under an open console the server is updated: what is written stays, whether one goes back or loads the page again',
  async () => {
    const app = await testApp()
    const port = freePort()
    const files = await builtPages()
    const first = await serveWeb(app, { port, files })
    const [root, ada, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Ada'), await app.person('Bob')]
    await ada.post('reports', { user_id: bob.id, reason: 'scam' })
    const { page, close } = await openConsole(first.origin, root)
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'New rule' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Half a rule')
    await page.goto(`${first.origin}/console/queue`)
    await title(page, 'Queue').waitFor()
    await page.keyboard.press('n')
    await title(page, 'Scam').waitFor()
    await page.keyboard.press('w')
    await reason(page).fill('Half a reason')

    // The next build has none of the files that this page has not fetched yet.
    await first.stop()
    const second = await serveWeb(app, { port, files: { ...files, assets: [] } })
    await page.getByRole('link', { name: 'Numbers' }).click()
    await title(page, 'Something is broken here').waitFor()
    await expectAccessible(page, 'a screen that cannot be fetched')
    await page.getByRole('link', { name: 'Queue', exact: true }).click()
    await page.getByRole('link', { name: /Scam/ }).first().click()
    await title(page, 'Scam').waitFor()
    expect(await reason(page).inputValue()).toBe('Half a reason')
    await page.getByRole('link', { name: 'Numbers' }).click()
    await second.stop()
    const third = await serveWeb(app, { port, files })
    await button(page, 'Load the page again').click()
    await title(page, 'Numbers').waitFor()
    await page.getByRole('link', { name: 'Queue', exact: true }).click()
    await page.getByRole('link', { name: /Scam/ }).first().click()
    await title(page, 'Scam').waitFor()
    expect(await reason(page).inputValue()).toBe('Half a reason')
    expect(await page.getByRole('radio', { name: 'Warn' }).isChecked()).toBe(true)
    await page.keyboard.press('Control+Enter')
    await until(
      async () => (await root.get('admin/reports?status=open')).body.items[0]?.pending != null,
      'it is decided',
    )
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByRole('button', { name: 'New rule' }).click()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half a rule')

    // Nothing of it stays on the device after a sign-out.
    const kept = () => page.evaluate<string | null>("sessionStorage.getItem('convene:drafts')")
    await page.goto(`${third.origin}/health`)
    expect(await kept()).toContain('Half a rule')
    await page.goto(`${third.origin}/console/queue`)
    await button(page, 'Sign out').click()
    await page.getByLabel('E-mail or phone').waitFor()
    await page.goto(`${third.origin}/health`)
    expect(await kept()).toBeNull()
    await close()
    await third.stop()
  },
  120_000,
)
