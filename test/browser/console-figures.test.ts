import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { operator } from '../../src/features/moderation/moderators.ts'
import { days, hours } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
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

async function openConsole(app: TestApp, origin: string, role: 'moderator' | 'admin', width = 1440) {
  const person = await app.person(`The ${role}`)
  await app.services.storage.users.setRole(person.id, role, granted(person.id, app.clock.now))
  const context = await browser.newContext({ viewport: { width, height: 900 }, locale: 'en', reducedMotion: 'reduce' })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  await page.goto(`${origin}/console`)
  await page.getByLabel('E-mail or phone').fill(person.email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Queue', level: 1 }).waitFor()
  return { page, errors, person }
}

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
/** The two keys that lead to a screen. */
const go = async (page: Page, key: string, name: string) => {
  await page.keyboard.press('g')
  await page.keyboard.press(key)
  await title(page, name).waitFor()
}
const cells = (page: Page) =>
  page
    .getByRole('row')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...(row as unknown as { children: Iterable<{ textContent: string }> }).children].map(
          (cell) => cell.textContent,
        ),
      ),
    )
const saved = async (page: Page, label: string) => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: label, exact: true }).click(),
  ])
  return { name: file.suggestedFilename(), text: await Bun.file(await file.path()).text() }
}
const report = (from: Person, about: Person) =>
  from.post('reports', { user_id: about.id, reason: 'spam', details: '=cmd()' })

browserTest(
  'an admin reads numbers, the audit log, the transparency report and the settings by keyboard',
  async () => {
    // The pages ask for the last days by their own clock.
    const app = await testApp({ LEGAL_CONTACT: 'law@example.org' })
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await report(ada, bob)
    const { page, errors, person } = await openConsole(app, origin, 'admin')

    await go(page, 'n', 'Numbers')
    await page.getByRole('link', { name: '1 Open reports' }).waitFor()
    await page.getByText('storage: in order').waitFor()
    await expectAccessible(page, 'numbers')
    await page.getByText('The same as a table').press('Enter')
    const [heads, today] = await cells(page)
    expect(heads).toEqual([
      ...['Day (UTC)', 'Sign-ups', 'Active people', 'Messages', 'Chats begun', 'Reports', 'Decisions', 'Blocks'],
    ])
    // Each cell says its column too, for small screens.
    const numbers = today!.map((text, i) => text.slice(heads![i]!.length))
    expect(numbers.slice(1)).toEqual(['3', '3', '0', '0', '1', '0', '0'])
    await expectAccessible(page, 'table')
    // Each number leads to what it counts.
    await page.getByRole('row').nth(1).getByRole('link', { name: '1', exact: true }).click()
    await title(page, 'Queue').waitFor()
    await page.getByRole('link', { name: /^Spam/ }).waitFor()
    await page.getByRole('button', { name: /^Only filed .*: show all$/ }).waitFor()
    await expectAccessible(page, 'narrowed queue')
    await page.getByRole('button', { name: /^Only filed .*: show all$/ }).press('Enter')
    await page.waitForURL((url) => !url.searchParams.has('from'))

    await page.locator('body').click()
    await go(page, 'l', 'Audit log')
    await page.getByRole('link', { name: 'login', exact: true }).first().waitFor()
    await expectAccessible(page, 'audit')
    await page.keyboard.press('/')
    await page.keyboard.type('login')
    await page.keyboard.press('Enter')
    await page.waitForURL(/action=login/)
    const csv = await saved(page, 'CSV')
    expect(csv.name).toBe('audit.csv')
    expect(csv.text).toContain(person.id)
    expect(
      csv.text
        .trim()
        .split('\n')
        .slice(1)
        .every((line) => line.includes('login')),
    ).toBe(true)
    const lines = (await saved(page, 'JSON Lines')).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ action }) => action)).toContain('login')

    await page.locator('body').click()
    await go(page, 't', 'Transparency report')
    await page.getByRole('heading', { name: 'Notices by reason' }).waitFor()
    expect((await cells(page)).flat()).toContain('CategorySpam')
    await expectAccessible(page, 'transparency')
    const transparency = await saved(page, 'CSV')
    expect(transparency.text).not.toContain(bob.id)
    expect(transparency.text).not.toMatch(/^=/m)

    await go(page, 's', 'Settings')
    await page.getByText('law@example.org').waitFor()
    await expectAccessible(page, 'settings')
    await page.getByRole('radio', { name: 'All' }).check()
    await page.keyboard.press('Tab')
    await page.getByRole('searchbox').fill('jwt_secret')
    await page.getByRole('row', { name: /JWT_SECRET/ }).waitFor()
    expect(await cells(page)).toHaveLength(2)
    expect(errors).toEqual([])
    await stop()
  },
  90_000,
)

/** A number that a page shows: where its link leads, if it is one, and what names it. */
type Shown = { text: string; href: string | null; of: string }

// What runs in the page is text: the types here are those of Bun.
const numbersOfPage = `[...document.querySelectorAll('main b, main td, main dd, main dd a')].flatMap((element) => {
  const value = element.querySelector('span:last-child') ?? element
  const text = element.tagName === 'TD' ? value.textContent.trim() : element.textContent.trim()
  if (!/^[\\d,]+$/.test(text) || text === '0') return []
  if (element.tagName === 'DD' && element.querySelector('a')) return []
  const link = element.closest('a') ?? element.querySelector('a')
  const column = element.tagName === 'TD' ? element.querySelector('span') : null
  const of = column ?? element.closest('figcaption, dl > div') ?? element.parentElement
  return [{ text: text.replaceAll(',', ''), href: link?.href ?? null, of: of.textContent.replace(text, '').trim() }]
})`

browserTest(
  'every number is a link to a list of as many, but for what no moderator may read',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const [ada, bob, eve] = [await app.person('Ada'), await app.person('Bob'), await app.person('Eve')]
    const { page, errors, person: admin } = await openConsole(app, origin, 'admin')
    await report(eve, bob)
    await ada.post('blocks', { user_id: bob.id })
    await bob.post('blocks', { user_id: ada.id })
    await bob.post('blocks', { user_id: eve.id })
    // Three decisions and three appeals, each of which ends in another way.
    const notices = await Promise.all([
      ...[ada, bob].map(async (by) => {
        const { id } = (await by.post('reports', { user_id: eve.id, reason: 'hate' })).body
        await admin.post(`admin/reports/${id}/resolve`, { action: 'warn', note: 'No.', strikes: 1 })
      }),
      admin.post(`admin/users/${eve.id}/warn`, { reason: 'No.' }),
    ]).then(async () => (await eve.get('me/notices')).body.items as { id: string }[])
    expect(notices).toHaveLength(3)
    const appeals: string[] = []
    for (const { id } of notices) appeals.push((await eve.post('appeals', { notice_id: id, text: 'Why?' })).body.id)
    for (const [i, decision] of ['uphold', 'reject'].entries()) {
      const settled = await admin.post(`admin/appeals/${appeals[i]}/resolve`, { decision, note: 'Looked again.' })
      expect(settled.status).toBe(200)
    }
    // What rules hold and report, what hides somebody, and a measure without a report.
    await app.services.filter.replaceAll(operator, [
      { name: 'Hold', on: true, applies_to: ['message'], match: { type: 'words', words: ['holdme'] }, action: 'hold' },
      { name: 'Flag', on: true, applies_to: ['message'], match: { type: 'words', words: ['flagme'] }, action: 'flag' },
    ])
    const [cleo, dan] = [await app.person('Cleo'), await app.person('Dan')]
    const chat = await app.met(cleo, dan)
    for (const text of ['holdme one', 'holdme two', 'flagme']) await cleo.post(`chats/${chat}/messages`, { text })
    for (const by of [cleo, dan, cleo]) await by.post(`chats/${chat}/messages`, { text: 'Tea' })
    const review = (await eve.post('chats', { user_id: dan.id })).body.id
    for (const by of [eve, dan, eve]) await by.post(`chats/${review}/messages`, { text: 'Tea' })
    const ofEve = (await eve.post('reviews', { chat_id: review, rating: 1, text: 'Rude.' })).body.id
    expect((await cleo.post('reports', { review_id: ofEve, reason: 'other' })).status).toBe(201)
    expect((await cleo.post('reports', { user_id: dan.id, reason: 'underage' })).status).toBe(201)
    const held = (await admin.get('admin/reports?kind=held')).body.items as { id: string }[]
    for (const [i, action] of ['release', 'remove_content'].entries())
      await admin.post(`admin/reports/${held[i]!.id}/resolve`, { action, note: 'Looked at.' })
    expect((await admin.post(`admin/users/${cleo.id}/suspend`, { reason: 'Spam.' })).status).toBe(200)
    const reviewed = (await admin.get('admin/reports?kind=review')).body.items[0].id
    await admin.post(`admin/reports/${reviewed}/resolve`, { action: 'warn', note: 'No.' })
    // Some wait too long.
    await app.rows("UPDATE reports SET due_at = ? WHERE status = 'open' AND target = 'user'", app.clock.now - 1000)
    // An appeal of long ago is in no number of the period, nor in its lists.
    await app.rows('UPDATE appeals SET created_at = ? WHERE id = ?', 1_500_000_000_000, appeals[0]!)

    const linked: Record<string, string[]> = {}
    const unlinked = new Set<string>()
    for (const [path, name] of [
      ['numbers', 'Numbers'],
      ['transparency', 'Transparency report'],
      [`people/${eve.id}`, 'Eve'],
    ] as const) {
      await page.goto(`${origin}/console/${path}`)
      await title(page, name).waitFor()
      await page.waitForLoadState('networkidle')
      for (const { text, href, of } of await page.evaluate<Shown[]>(numbersOfPage)) {
        if (href === null) unlinked.add(of)
        else if (!href.includes('#')) (linked[href] ??= []).push(text)
      }
    }
    // Who was active, wrote to whom or blocked somebody is no list, nor who wrote a review.
    expect([...unlinked].toSorted()).toEqual([
      ...['Active people', 'Blocked by', 'Blocks', 'Chats begun', 'Messages', 'Reports of their reviews'],
    ])
    // The people of tests are made beside the route that writes an entry.
    for (const href of Object.keys(linked)) if (href.includes('action=register')) delete linked[href]
    const lists = Object.keys(linked)
    expect(lists.filter((href) => href.includes('block'))).toEqual([])
    for (const part of [
      ...['/queue?overdue=true', 'decided_from=', 'by=people', 'reason=hate', 'target=message', 'outcome=release'],
      ...['outcome=measure', 'automated=any', 'automated=overturned', 'action=suspend', 'action=warn', 'subject='],
      ...['/appeals?status=any', 'status=rejected'],
    ])
      expect([part, lists.some((href) => href.includes(part))]).toEqual([part, true])
    for (const [href, numbers] of Object.entries(linked)) {
      await page.goto(href)
      const rows = page.locator('tbody tr, [data-row]')
      // An empty list is found out below.
      await rows
        .first()
        .waitFor({ timeout: 10_000 })
        .catch(() => {})
      const count = await rows.count()
      expect([href, ...numbers]).toEqual([href, ...numbers.map(() => `${count}`)])
    }
    expect(errors).toEqual([])
    await stop()
  },
  120_000,
)

browserTest(
  'a moderator sees no settings; on a small screen in the dark the figures are accessible too',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const { page, errors } = await openConsole(app, origin, 'moderator', 360)
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    for (const [path, name] of [
      ['numbers', 'Numbers'],
      ['audit', 'Audit log'],
      ['transparency', 'Transparency report'],
    ] as const) {
      await page.goto(`${origin}/console/${path}`)
      await title(page, name).waitFor()
      await page.waitForLoadState('networkidle')
      await expectAccessible(page, path)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    }
    await page.goto(`${origin}/console/settings`)
    await page.getByRole('heading', { name: 'This is for admins' }).waitFor()
    await page.getByRole('button', { name: 'Open the menu' }).click()
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    expect(errors).toEqual([])
    await stop()
  },
  90_000,
)

browserTest(
  'a period is typed, and the time within which half are decided is not rounded down',
  async () => {
    const app = await testApp()
    const now = Date.now()
    app.clock.now = now - 47 * hours
    const { origin, stop } = await serveWeb(app)
    const filed = (await report(await app.person('Ada'), await app.person('Bob'))).body.id
    app.clock.now = now
    const { page, errors, person } = await openConsole(app, origin, 'moderator')
    await person.post(`admin/reports/${filed}/resolve`, { action: 'dismiss', note: 'Nothing.' })
    await go(page, 'n', 'Numbers')
    await page.getByRole('link', { name: '47 hr Half are decided within' }).waitFor()
    await page.getByText('24 hr').waitFor()

    const from = new Date(now - 40 * days).toISOString().slice(0, 10)
    const [year, month, day] = from.split('-')
    await page.getByLabel('From').focus()
    await page.keyboard.type(`${month}${day}${year}`)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('from') === from)
    expect(await page.getByLabel('From').inputValue()).toBe(from)
    // A date that the period cannot have is not kept in the field.
    await page.getByLabel('To').focus()
    await page.keyboard.type('01019999')
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('To').inputValue()).toBe(new Date(now).toISOString().slice(0, 10))
    expect(errors).toEqual([])
    await page.context().close()
    await stop()
  },
  60_000,
)
