import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { operator } from '../../src/features/moderation/moderators.ts'
import { hours, seconds } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'
import { granted } from '../rows.ts'
import { until } from '../until.ts'
import { expectAccessible, openPage, serveWeb } from './app-page.ts'

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
  return person
}

/** The console of somebody who has just signed in. */
async function openConsole(origin: string, person: Person, width = 1440) {
  const viewport = { width, height: 900 }
  const { page, errors, context } = await openPage(browser, `${origin}/console`, { viewport, reducedMotion: 'reduce' })
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  await signIn(page, person)
  await title(page, 'Queue').waitFor()
  return { page, errors, asked, context }
}

async function signIn(page: Page, { email }: Person) {
  await page.getByLabel('E-mail or phone').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const field = (page: Page | Locator, name: string) => page.getByRole('textbox', { name, exact: true })
/** The two keys that lead to a screen. */
const go = async (page: Page, key: string, name: string) => {
  await page.keyboard.press('g')
  await page.keyboard.press(key)
  await title(page, name).waitFor()
}
const rulesOf = async (person: Person): Promise<Record<string, unknown>[]> =>
  (await person.get('admin/rules')).body.items

browserTest(
  'an admin writes a rule by keyboard, tries it, sees where a pattern is wrong, and turns it off: each is in force at once',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const elder = await app.person('Eve')
    app.clock.now += 2 * hours
    const [root, ada, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const send = (text: string) => ada.post(`chats/${chat}/messages`, { text })
    const { page, errors, context } = await openConsole(web.origin, root)

    // What the server comes with is off.
    await go(page, 'r', 'Rules')
    const items = page.getByRole('region', { name: 'List' }).getByRole('listitem')
    await items.first().waitFor()
    expect(await page.getByRole('switch').count()).toBe((await rulesOf(root)).length)
    expect(await page.getByRole('switch', { checked: true }).count()).toBe(0)
    await expectAccessible(page, 'rules')

    // Without a mouse: the name, the words, what happens, what the author reads.
    await page.keyboard.press('n')
    await title(page, 'A new rule').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('This is required.').waitFor()
    await expectAccessible(page, 'a rule that lacks its name')
    await page.keyboard.type('Advance fees')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.evaluate<string>('document.activeElement.labels[0].textContent')).toBe('Words and phrases')
    await page.keyboard.type('gift card')
    await page.keyboard.press('Enter')
    await page.keyboard.type('western union')
    await page.getByRole('radio', { name: 'Report', exact: true }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Never ask for money.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Saved, and in force at once.').waitFor()
    await title(page, 'Advance fees').waitFor()
    await expectAccessible(page, 'a rule')
    expect((await rulesOf(root)).find(({ name }) => name === 'Advance fees')).toMatchObject({
      on: true,
      applies_to: ['message'],
      match: { type: 'words', words: ['gift card', 'western union'] },
      action: 'refuse',
      public_text: 'Never ask for money.',
      scope: { account_younger_than_h: null, unverified: false },
    })
    const refused = await send('Buy me a gift-card')
    expect(refused).toMatchObject({ status: 422, body: { code: 'content_refused', detail: 'Never ask for money.' } })

    // Tried, beside the rule. The heading has the focus, so letters are keys.
    await page.keyboard.press('t')
    await page.keyboard.type('A WESTERN UNION, please')
    await page.keyboard.press('Control+Enter')
    await page.getByText('It would be refused.').waitFor()
    await page.getByText('This rule matches.').waitFor()
    await expectAccessible(page, 'a text that was tried')

    // What is not saved yet is kept while another rule is looked at.
    await page.getByRole('radio', { name: 'Pattern', exact: true }).focus()
    await page.keyboard.press('Space')
    await field(page, 'Regular expression').fill('money (?=now)')
    await page.keyboard.press('Escape')
    await title(page, 'Try a text').waitFor()
    await page
      .getByRole('link', { name: /^Advance fees/ })
      .first()
      .click()
    await page.getByText('Not saved', { exact: true }).waitFor()
    expect(await field(page, 'Regular expression').inputValue()).toBe('money (?=now)')

    // The server names the place, and it is marked.
    await page.keyboard.press('Control+Enter')
    await page.getByText(/RE2 has no lookahead/).waitFor()
    await page.getByText('The server names character 7.').waitFor()
    expect(await page.locator('mark').innerText()).toBe('(')
    expect(await field(page, 'Regular expression').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page, 'a refused pattern')
    expect((await send('Buy me a gift card')).status).toBe(422)

    // Another match, for new accounts alone.
    await field(page, 'Regular expression').fill('money\\s+now')
    await field(page, 'Only accounts younger than, in hours').fill('1')
    await page.getByLabel('Only accounts without a verified e-mail address').check()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Not saved', { exact: true }).waitFor({ state: 'detached' })
    expect((await rulesOf(root)).find(({ name }) => name === 'Advance fees')).toMatchObject({
      match: { type: 'pattern', pattern: 'money\\s+now' },
      scope: { account_younger_than_h: 1, unverified: true },
    })
    expect((await send('Money   now')).status).toBe(422)
    expect((await send('Buy me a gift card')).status).toBe(201)
    const client = { address: '203.0.113.9', user_agent: 'test', language: 'en' }
    const later = app.as((await app.services.auth.begin(elder.id, client)).access_token)
    const theirs = (await later.post('chats', { user_id: bob.id })).body.id
    expect((await later.post(`chats/${theirs}/messages`, { text: 'Money now' })).status).toBe(201)

    // Off and on by one key, and by the switch of its row.
    const own = page.getByRole('switch', { name: 'Advance fees: in force' })
    await page.getByRole('heading', { name: 'Advance fees', level: 1 }).focus()
    await page.keyboard.press('x')
    await page.getByText('“Advance fees” is off.').waitFor()
    expect(await own.isChecked()).toBe(false)
    const links = page.getByRole('switch', { name: 'Links in first messages: in force' })
    await links.focus()
    await page.keyboard.press('Space')
    await page.getByText('“Links in first messages” is in force.').waitFor()
    const on = (await rulesOf(root)).filter((rule) => rule.on).map(({ name }) => name)
    expect(on).toEqual(['Links in first messages'])
    const first = (await ada.post('chats', { user_id: (await app.person('Cleo')).id })).body.id
    expect(await ada.post(`chats/${first}/messages`, { text: 'See example.com/a' })).toMatchObject({
      status: 422,
      body: { detail: 'Links are for people who have answered you.' },
    })

    // What was changed stands there; deleting asks in its place, and Escape takes the question back.
    await button(page, 'Delete the rule').click()
    await page.getByRole('group', { name: 'Delete “Advance fees”?' }).waitFor()
    await expectAccessible(page, 'asks before a rule is deleted')
    await page.keyboard.press('Escape')
    expect((await rulesOf(root)).some(({ name }) => name === 'Advance fees')).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByText('“Advance fees” is deleted.').waitFor()
    expect((await rulesOf(root)).some(({ name }) => name === 'Advance fees')).toBe(false)
    await page.getByText('deleted a rule that is deleted').waitFor()
    const changes = await page
      .getByRole('listitem')
      .filter({ hasText: /^Version/ })
      .allInnerTexts()
    expect(changes.map((text) => text.split('\n')[0])).toEqual([
      'Version 5 deleted a rule that is deleted',
      'Version 4 changed Links in first messages',
      'Version 3 changed a rule that is deleted',
      'Version 2 changed a rule that is deleted',
      'Version 1 added a rule that is deleted',
    ])
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'an admin bans an image by its id and by a hash, without seeing any, and allows it again',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [root, ada, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const upload = async (seed: number): Promise<string> =>
      (await ada.post('media', uploadOf(pngOf(painting(seed)) as Uint8Array<ArrayBuffer>))).body.id
    const photo = async (id: string) => (await ada.post(`chats/${chat}/messages`, { kind: 'photo', photo: id })).status
    const [first, second] = [await upload(1), await upload(2)]
    const hash = String((await app.rows('SELECT hashes FROM media WHERE id = ?', second))[0]!.hashes).slice(0, 64)
    const { page, errors, asked, context } = await openConsole(web.origin, root, 360)
    await button(page, 'Open the menu').click()
    await page.getByRole('link', { name: 'Image bank' }).click()
    await page.getByText('No banned images').waitFor()
    await expectAccessible(page, 'an empty image bank')

    await page.keyboard.press('n')
    await field(page, 'Hash or id of the image').waitFor()
    await expectAccessible(page, 'banning an image')
    await page.keyboard.type('no image')
    await page.keyboard.press('Tab')
    await page.keyboard.type('A scam')
    await page.keyboard.press('Enter')
    await page.getByText('This is not accepted here.').waitFor()
    for (const [image, id] of [
      [first, first],
      [hash, second],
    ] as const) {
      if ((await page.getByRole('form').count()) === 0) await page.keyboard.press('n')
      await field(page, 'Hash or id of the image').fill(image)
      await field(page, 'Reason').fill('A scam')
      await page.keyboard.press('Enter')
      await page.getByRole('form').waitFor({ state: 'detached' })
      expect(await photo(id)).toBe(422)
    }
    await page
      .getByRole('row', { name: /A scam/ })
      .nth(1)
      .waitFor()
    await expectAccessible(page, 'the image bank')
    expect((await root.get('admin/image-bank')).body.items).toMatchObject([
      { hash, reason: 'A scam', added_by: root.id },
      { reason: 'A scam', added_by: root.id },
    ])
    await button(page.getByRole('row').filter({ hasText: hash }), 'Allow again').click()
    await page.getByRole('group', { name: 'Allow this image again?' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('The image is allowed again.').waitFor()
    expect(await photo(second)).toBe(201)
    expect(await photo(first)).toBe(422)
    expect(await page.locator('main img').count()).toBe(0)
    expect(asked.filter((path) => path.includes('/media/'))).toEqual([])
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'an invitation is made and used, a template is used in the queue, and an announcement reaches everybody',
  async () => {
    const app = await testApp({ REGISTRATION: 'invite' })
    const web = await serveWeb(app)
    const [root, ada, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Ada'), await app.person('Bob')]
    const { page, errors, context } = await openConsole(web.origin, root)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: web.origin })

    await go(page, 'v', 'Invitations')
    await page.getByText('No invitations').waitFor()
    await expectAccessible(page, 'no invitations')
    await page.keyboard.press('n')
    await field(page, 'How many accounts').waitFor()
    await expectAccessible(page, 'a new invitation')
    await page.keyboard.type('0')
    await page.keyboard.press('Enter')
    await page.getByText('This number is too small or too large.').waitFor()
    await field(page, 'How many accounts').fill('2')
    await field(page, 'What it is for').fill('Winter meetup')
    await page.keyboard.press('Enter')
    await page.getByText('The code is shown only now.').waitFor()
    await expectAccessible(page, 'the code of an invitation')
    await page.keyboard.press('c')
    await page.getByText('Copied.').waitFor()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(link).toMatch(new RegExp(`^${web.origin}/sign-up#invite=[0-9A-Z-]{19}$`))
    const register = (email: string) =>
      app.request('POST', 'auth/register', {
        body: {
          ...{ email, password, name: 'New', invite: link.split('=')[1] },
          consents: { terms: true, privacy: true, disclaimer: true },
        },
      })
    expect((await register('new@example.org')).status).toBe(201)
    await page.reload()
    await page.getByRole('row', { name: /Winter meetup/ }).waitFor()
    await page.getByText('1 of 2').waitFor()
    // The code is nowhere any more.
    expect(await page.content()).not.toContain(link.split('=')[1])
    await button(page, 'Delete').click()
    await page.keyboard.press('Enter')
    await page.getByText('The invitation is deleted.').waitFor()
    expect((await register('late@example.org')).status).not.toBe(201)

    // A template, written in one language and taken in the queue.
    await go(page, 'e', 'Templates')
    await page.getByText('No templates').waitFor()
    await expectAccessible(page, 'no templates')
    await page.keyboard.press('n')
    await title(page, 'A new template').waitFor()
    await page.keyboard.type('Insults')
    await field(page, 'Text, which the person reads').fill('Insults break section 3.')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Enter')
    await title(page, 'Insults').waitFor()
    await expectAccessible(page, 'a template')
    await page.keyboard.press('n')
    await title(page, 'A new template').waitFor()
    await page.keyboard.type('Insults')
    await field(page, 'Text, which the person reads').fill('Again.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('There is a template of that name in that language already.').waitFor()
    await field(page, 'Language').fill('de')
    await page.getByText('German', { exact: true }).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'German', level: 2 }).waitFor()
    const { items: templates } = (await root.get('admin/templates')).body
    expect(templates).toHaveLength(2)
    await title(page, 'Insults').waitFor()
    await button(page, 'Delete the template').click()
    await page.keyboard.press('Enter')
    await page.getByText('The template is deleted.').waitFor()
    expect((await root.get('admin/templates')).body.items).toMatchObject([{ language: 'en' }])

    const report = (await ada.post('reports', { user_id: bob.id, reason: 'harassment' })).body.id
    await page.goto(`${web.origin}/console/queue/${report}`)
    await title(page, 'Harassment').waitFor()
    await page.keyboard.press('w')
    await page.getByRole('combobox', { name: 'Template' }).selectOption({ index: 1 })
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for you.').waitFor()
    app.clock.now += 11 * seconds
    for (const { services } of app.nodes) services.delivery.wake('decision')
    await Promise.all(app.nodes.map(({ services }) => services.delivery.idle()))
    expect((await bob.get('me/notices')).body.items).toMatchObject([
      { action: 'warn', reason: 'Insults break section 3.' },
    ])

    // An announcement, which everybody reads until it is taken back.
    await go(page, 'b', 'Announcements')
    await page.getByText('No announcements').waitFor()
    await expectAccessible(page, 'no announcements')
    await page.keyboard.press('n')
    await field(page, 'What everybody reads').waitFor()
    await expectAccessible(page, 'a new announcement')
    await page.keyboard.press('Control+Enter')
    await page.getByText('This is required.').waitFor()
    await page.keyboard.type('We meet on Sunday at noon.')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Everybody has the notice now.').waitFor()
    await expectAccessible(page, 'announcements')
    for (const person of [ada, bob])
      expect(JSON.stringify((await person.get('me/notices')).body)).toContain('We meet on Sunday at noon.')
    await button(page, 'Take back').click()
    await page.keyboard.press('Enter')
    await page.getByText('It is taken back.').waitFor()
    expect(JSON.stringify((await ada.get('me/notices')).body)).not.toContain('We meet on Sunday')
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'after a deletion, the focus is in the row beside it, in the list, or on a heading, and not lost',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [root, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Bob')]
    for (const text of ['First', 'Second', 'Third']) {
      app.clock.now++
      const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
      const made = [
        await root.post('admin/announcements', { text }),
        await root.post('admin/invites', { uses: 1, note: text }),
        await root.post('admin/image-bank', { hash, reason: text }),
        await root.post('admin/templates', { name: text, language: 'en', text }),
      ]
      expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    }
    const { page, errors, context } = await openConsole(web.origin, root)
    const focused = () =>
      page.evaluate<string>(`(() => {
        const { tagName, textContent, ariaLabel } = document.activeElement
        const row = document.activeElement.closest('#screen :is(li, tr)')
        return tagName + ' ' + (row ? /First|Second|Third/.exec(row.textContent) : (ariaLabel ?? textContent.slice(0, 20)))
      })()`)
    /** Deletes the row of that text. */
    const remove = async (label: string, text: string) => {
      const row = page.locator('#screen :is(li, tr)', { hasText: text })
      await row.getByRole('button', { name: label }).focus()
      await page.keyboard.press('Enter')
      await row.getByRole('group').getByRole('button', { name: label }).waitFor()
      await page.keyboard.press('Enter')
      await row.waitFor({ state: 'detached' })
    }
    const lists: [key: string, screen: string, label: string][] = [
      ['b', 'Announcements', 'Take back'],
      ['v', 'Invitations', 'Delete'],
      ['i', 'Image bank', 'Allow again'],
    ]
    for (const [key, screen, label] of lists) {
      await go(page, key, screen)
      await page.getByText('First', { exact: true }).waitFor()
      await remove(label, 'Second')
      expect(await focused()).toMatch(/^BUTTON (First|Third)$/)
      await remove(label, 'First')
      expect(await focused()).toBe('BUTTON Third')
      await remove(label, 'Third')
      expect(await focused()).toBe(`H1 ${screen}`)
      // Nor after a form that is cancelled.
      await page.keyboard.press('n')
      await button(page, 'Cancel').press('Enter')
      await page.getByRole('form').waitFor({ state: 'detached' })
      await until(async () => (await focused()) === `H1 ${screen}`, 'the heading has the focus')
    }

    await go(page, 'e', 'Templates')
    await page.getByRole('link', { name: /^Second/ }).click()
    await button(page, 'Delete the template').press('Enter')
    await page.getByRole('group').getByRole('button', { name: 'Delete the template' }).press('Enter')
    await page.getByText('The template is deleted.').waitFor()
    expect(await focused()).toBe('SECTION List')

    // A suspension removes its own form, and a role its button.
    await page.goto(`${web.origin}/console/people/${bob.id}`)
    await title(page, 'Bob').waitFor()
    await field(page, 'Reason, which the person reads').fill('Spam.')
    await button(page, 'Suspend').press('Enter')
    await page.getByRole('group').getByRole('button', { name: 'Suspend' }).press('Enter')
    await button(page, 'Lift the suspension').waitFor()
    await until(async () => (await focused()) === 'H1 Bob', 'the heading has the focus')
    await page.getByRole('article').getByRole('radio', { name: 'Moderator' }).check()
    await button(page, 'Change the role').press('Enter')
    await page.getByRole('group').getByRole('button', { name: 'Change the role' }).press('Enter')
    await button(page, 'Change the role').waitFor({ state: 'detached' })
    await until(async () => (await focused()) === 'H1 Bob', 'the heading has the focus')
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  120_000,
)

browserTest(
  'the menu of a small screen closes for the screen that is shown already too, and with Escape',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const { page, errors, context } = await openConsole(web.origin, await withRole(app, 'admin', 'Root'), 360)
    const open = async () => {
      await button(page, 'Open the menu').click()
      await page.getByRole('navigation').waitFor()
    }
    const closed = async (focused: string) => {
      await page.getByRole('navigation').waitFor({ state: 'hidden' })
      await button(page, 'Open the menu').waitFor()
      expect(await page.evaluate<string>('document.activeElement.ariaLabel ?? document.activeElement.id')).toBe(focused)
    }
    await open()
    await page.getByRole('link', { name: 'Queue', exact: true }).click()
    await closed('screen')
    await open()
    await page.keyboard.press('Escape')
    await closed('Open the menu')
    await open()
    await page.getByRole('combobox', { name: 'Language' }).focus()
    await page.keyboard.press('Escape')
    await closed('Open the menu')
    await open()
    await page.getByRole('link', { name: 'Numbers', exact: true }).click()
    await title(page, 'Numbers').waitFor()
    await closed('screen')
    // Escape belongs to the screen again.
    await page.goto(`${web.origin}/console/rules/new`)
    await title(page, 'A new rule').waitFor()
    await page.keyboard.press('Escape')
    await title(page, 'Rules').waitFor()
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'turning a rule on keeps what somebody else has changed meanwhile, and says if the rule is too large',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [root, ada] = [await withRole(app, 'admin', 'Root'), await withRole(app, 'admin', 'Ada')]
    const words = Array.from({ length: 3000 }, (_, number) => `a word of the list ${number.toString(36)}`)
    const fruit = {
      ...{ name: 'Fruit', on: false, applies_to: ['message' as const], action: 'flag' as const },
      match: { type: 'words' as const, words: ['banana'] },
    }
    await app.services.filter.replaceAll(operator, [
      fruit,
      { ...fruit, name: 'Many', match: { ...fruit.match, words } },
    ])
    const { page, errors, context } = await openConsole(web.origin, root)
    await go(page, 'r', 'Rules')
    const turn = (name: string) => page.getByRole('switch', { name: new RegExp(name) })
    await turn('Fruit').waitFor()
    const { id } = (await rulesOf(ada)).find(({ name }) => name === 'Fruit') ?? {}
    const edited = { ...fruit, match: { ...fruit.match, words: ['banana', 'cherry'] } }
    expect((await ada.put(`admin/rules/${id}`, edited)).status).toBe(200)
    await turn('Fruit').click()
    await page.getByText('“Fruit” is in force.').waitFor()
    expect((await rulesOf(ada)).find(({ name }) => name === 'Fruit')).toMatchObject({ ...edited, on: true })
    await turn('Many').click()
    await page.getByText(/more than the 64 KiB/).waitFor()
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'saving a rule does not turn it on again, and replaces what somebody else has changed only after saying so',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [root, ada] = [await withRole(app, 'admin', 'Root'), await withRole(app, 'admin', 'Ada')]
    const fruit = {
      ...{ name: 'Fruit', on: true, applies_to: ['message' as const], action: 'flag' as const },
      match: { type: 'words' as const, words: ['banana'] },
    }
    await app.services.filter.replaceAll(operator, [fruit])
    const { page, errors, context } = await openConsole(web.origin, root)
    await go(page, 'r', 'Rules')
    const stored = async () => (await rulesOf(ada))[0]
    const id = (await stored())?.id
    const save = () => button(page, 'Save').click()
    const words = field(page, 'Words and phrases')
    await page
      .getByRole('link', { name: /^Fruit/ })
      .first()
      .click()
    await title(page, 'Fruit').waitFor()

    // Turned off meanwhile, it stays off.
    expect((await ada.put(`admin/rules/${id}`, { ...fruit, on: false })).status).toBe(200)
    await field(page, 'Name, for admins').fill('Fruits')
    await save()
    await page.getByText('Saved. It is off.').waitFor()
    expect(await stored()).toMatchObject({ ...fruit, name: 'Fruits', on: false })

    // Edited meanwhile, it stays as it is, until the admin knows and saves again.
    const edited = { ...fruit, name: 'Fruits', match: { ...fruit.match, words: ['banana', 'cherry'] } }
    expect((await ada.put(`admin/rules/${id}`, edited)).status).toBe(200)
    await words.fill('banana\ndate')
    await save()
    const outdated = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this rule meanwhile.' })
    await outdated.waitFor()
    await expectAccessible(page, 'a rule that somebody else has changed')
    expect(await stored()).toMatchObject(edited)
    expect(await words.inputValue()).toBe('banana\ndate')
    await save()
    await page.getByText('Saved, and in force at once.').waitFor()
    await outdated.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ ...edited, match: { ...fruit.match, words: ['banana', 'date'] } })

    // Discarding shows what the other has written.
    expect((await ada.put(`admin/rules/${id}`, edited)).status).toBe(200)
    await words.fill('banana\nelderberry')
    await save()
    await outdated.waitFor()
    await button(page, 'Discard changes').click()
    await outdated.waitFor({ state: 'detached' })
    expect(await words.inputValue()).toBe('banana\ncherry')
    expect(await stored()).toMatchObject(edited)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'the verdict about a text is not shown beside another one, however late it comes',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const root = await withRole(app, 'admin', 'Root')
    await app.services.filter.replaceAll(operator, [
      {
        ...{ name: 'Fruit', on: true, applies_to: ['message'], action: 'refuse' },
        match: { type: 'words', words: ['banana'] },
      },
    ])
    const { page, errors, context } = await openConsole(web.origin, root)
    await page.goto(`${web.origin}/console/rules/try`)
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/rules/try', async (route) => void (await held, await route.continue()), { times: 1 })
    const text = field(page, 'Text')
    const run = button(page, 'Try it')
    await text.fill('A banana?')
    await text.press('Control+Enter')
    await text.fill('Hello.')
    const answered = page.waitForResponse('**/rules/try')
    answer()
    await (await answered).finished()
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    expect(await page.getByText('It would be refused.').count()).toBe(0)

    await run.click()
    await page.getByText('No rule matches.').waitFor()
    await text.fill('A banana?')
    expect(await page.getByText('No rule matches.').count()).toBe(0)
    await run.click()
    await page.getByText('It would be refused.').waitFor()
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'saving a template replaces what somebody else has changed only after saying so',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [root, ada] = [await withRole(app, 'admin', 'Root'), await withRole(app, 'admin', 'Ada')]
    const kind = { name: 'Be kind', language: 'en', text: 'Please be kind.' }
    const { id } = (await ada.post('admin/templates', kind)).body
    const stored = async () => (await ada.get('admin/templates')).body.items[0]
    const change = async (text: string) =>
      expect((await ada.put(`admin/templates/${id}`, { ...kind, text })).status).toBe(200)
    const { page, errors, context } = await openConsole(web.origin, root)
    await page.goto(`${web.origin}/console/templates/${id}`)
    const text = field(page, 'Text, which the person reads')
    await text.waitFor()
    const save = () => button(page, /^Save/).click()
    const outdated = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this template meanwhile.' })

    await change('Be kind, or leave.')
    await text.fill('Be kind, please.')
    await save()
    await outdated.waitFor()
    await expectAccessible(page, 'a template that somebody else has changed')
    expect(await stored()).toMatchObject({ text: 'Be kind, or leave.' })
    expect(await text.inputValue()).toBe('Be kind, please.')
    await save()
    await page.getByText('Saved. Moderators have it now.').first().waitFor()
    await outdated.waitFor({ state: 'detached' })
    expect(await stored()).toMatchObject({ text: 'Be kind, please.' })

    // Discarding shows what the other has written, which can be saved at once.
    await change('Kindness is a rule.')
    await text.fill('Be very kind.')
    await save()
    await outdated.waitFor()
    await button(page, 'Discard changes').click()
    await outdated.waitFor({ state: 'detached' })
    expect(await text.inputValue()).toBe('Kindness is a rule.')
    expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('H1')

    // What is the same as what is written is no change of somebody else's.
    await change('Be kind to all.')
    await text.fill('Be kind to all.')
    await save()
    await page.getByText('Saved. Moderators have it now.').first().waitFor()
    expect(await outdated.count()).toBe(0)
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'what an admin has not saved of a rule is not shown to the next one on the same page, and is still there for the first',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [root, ada] = [await withRole(app, 'admin', 'Root'), await withRole(app, 'admin', 'Ada')]
    await app.services.filter.replaceAll(operator, [
      { name: 'Fruit', on: true, applies_to: ['message'], match: { type: 'words', words: ['banana'] }, action: 'flag' },
    ])
    const { page, errors, context } = await openConsole(web.origin, root)
    await go(page, 'r', 'Rules')
    await page
      .getByRole('link', { name: /^Fruit/ })
      .first()
      .click()
    const words = field(page, 'Words and phrases')
    const unsaved = page.getByText('Not saved')
    await words.fill('cherry')
    await unsaved.first().waitFor()
    for (const [person, text] of [
      [ada, 'banana'],
      [root, 'cherry'],
    ] as const) {
      await button(page, 'Sign out').click()
      await title(page, 'Sign in').waitFor()
      await signIn(page, person)
      await title(page, 'Fruit').waitFor()
      expect(await words.inputValue()).toBe(text)
      // In the list, and beside the name.
      expect(await unsaved.count()).toBe(person === root ? 2 : 0)
    }
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  60_000,
)

browserTest(
  'a moderator sees none of the screens for admins, and the console asks for nothing of them',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const mo = await withRole(app, 'moderator', 'Mo')
    const { page, errors, asked, context } = await openConsole(web.origin, mo)
    const places = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts()
    for (const name of ['Rules', 'Image bank', 'Templates', 'Invitations', 'Announcements'])
      expect(places).not.toContain(name)
    for (const path of ['rules', 'rules/new', 'images', 'templates', 'invitations', 'announcements']) {
      await page.goto(`${web.origin}/console/${path}`)
      await page.getByRole('heading', { name: 'This is for admins' }).waitFor()
    }
    for (const key of ['r', 'i', 'e', 'v', 'b']) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
    }
    expect(new URL(page.url()).pathname).toBe('/console/announcements')
    expect(asked.filter((path) => /admin\/(rules|image-bank|templates|invites|announcements)/.test(path))).toEqual([])
    expect(errors).toEqual([])
    await context.close()
    await web.stop()
  },
  60_000,
)
