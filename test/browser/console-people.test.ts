import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { seconds } from '../../src/lib/time.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { granted } from '../rows.ts'
import { smtpServer } from '../smtp.ts'
import { button, expectAccessible, openAs, openPage, serveWeb } from './app-page.ts'

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

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const reason = (page: Page) => page.getByRole('textbox', { name: 'Reason, which the person reads' })

async function openConsole(origin: string, { email }: Person) {
  const opened = await openPage(browser, `${origin}/console`, {
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  const { page } = opened
  await page.getByLabel('E-mail or phone').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await title(page, 'Queue').waitFor()
  return opened
}

browserTest(
  'the filters of the queue show what they say, by address too, and the next one is of the kind that is shown',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const mo = await withRole(app, 'moderator', 'Mo')
    const [ada, bob, cleo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
    const said = (await bob.post(`chats/${await app.met(ada, bob)}/messages`, { text: 'You toad.' })).body.id
    const file = async (body: object) => (await ada.post('reports', body)).body.id as string
    const ofMessage = await file({ message_id: said, reason: 'harassment' })
    const ofBob = await file({ user_id: bob.id, reason: 'spam' })
    const ofCleo = await file({ user_id: cleo.id, reason: 'spam' })
    const decided = (await bob.post('reports', { user_id: cleo.id, reason: 'scam' })).body.id
    await mo.post(`admin/reports/${decided}/resolve`, { action: 'dismiss', note: 'No.' })
    const { page, context, errors } = await openConsole(origin, mo)
    const shown = async (...ids: string[]) => {
      const found = () =>
        page
          .locator('[data-row]')
          .evaluateAll((rows) =>
            (rows as unknown as { href: string }[]).map(({ href }) => /[0-9a-f-]{36}/.exec(href)?.[0] ?? ''),
          )
      for (let left = 100; left > 0 && !Bun.deepEquals((await found()).toSorted(), ids.toSorted()); left--)
        await Bun.sleep(50)
      expect((await found()).toSorted()).toEqual(ids.toSorted())
    }
    const filter = (name: string) => page.getByRole('combobox', { name })

    await shown(ofMessage, ofBob, ofCleo)
    await filter('Kind').selectOption('user')
    await shown(ofBob, ofCleo)
    expect(await filter('Kind').locator('option:checked').innerText()).toMatch(/· 2$/)
    await filter('Kind').selectOption('message')
    await shown(ofMessage)
    await filter('Reason').selectOption('spam')
    await page.getByText('Nothing is waiting', { exact: true }).waitFor()
    await shown()
    await filter('Kind').selectOption('')
    await shown(ofBob, ofCleo)
    expect(new URL(page.url()).search).toBe('?reason=spam')
    await page.reload()
    await shown(ofBob, ofCleo)
    await page.goBack()
    await page.goto(`${origin}/console/queue?subject=${bob.id}`)
    await shown(ofMessage, ofBob)
    await page.getByRole('radio', { name: 'Resolved' }).check()
    await shown()
    await page.goto(`${origin}/console/queue?status=resolved`)
    await shown(decided)

    await page.goto(`${origin}/console/queue?kind=message`)
    await shown(ofMessage)
    await page.keyboard.press('n')
    await page.waitForURL((url) => url.pathname.endsWith(ofMessage) && url.search === '?kind=message')
    await title(page, 'Harassment').waitFor()
    expect((await mo.get(`admin/reports/${ofMessage}`)).body.claimed_by).toBe(mo.id)
    expect((await mo.get(`admin/reports/${ofBob}`)).body.claimed_by).toBeNull()
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  90_000,
)

browserTest(
  'an admin sends a reset link and suspends for a day; nothing is done that was not confirmed, or that they may not do',
  async () => {
    const smtp = await smtpServer()
    const app = await testApp({
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Convene <hello@example.org>',
      PUBLIC_URL: 'https://meet.example.org',
    })
    const { origin, stop } = await serveWeb(app)
    const root = await withRole(app, 'admin', 'Root')
    const other = await withRole(app, 'admin', 'Other')
    const bob = await app.person('Bob')
    const { page, context, errors } = await openConsole(origin, root)
    await page.goto(`${origin}/console/people/${bob.id}`)
    await title(page, 'Bob').waitFor()

    await button(page, 'Send a link for a new password').click()
    await page.getByText('The link is on its way.').waitFor()
    // The first one tells the admin of the new device.
    const mail = await smtp.received(2)
    expect(mail.recipients).toEqual([bob.email])
    expect(mail.text).toContain('https://meet.example.org/reset#token=')
    expect((await root.get('admin/audit?action=password_link_sent')).body.items).toMatchObject([
      { actor_id: root.id, subject_id: bob.id },
    ])

    // Without a reason nothing is asked for; what is not confirmed is not done.
    await button(page, 'Suspend').click({ force: true })
    expect(await page.getByRole('group', { name: 'Suspend Bob?' }).count()).toBe(0)
    await reason(page).fill('Spam.')
    await page.getByRole('radio', { name: '1 day' }).check()
    await button(page, 'Suspend').click()
    await page.getByRole('group', { name: 'Suspend Bob?' }).waitFor()
    await page.keyboard.press('Escape')
    await button(page, 'Suspend').waitFor()
    expect((await bob.get('me')).status).toBe(200)
    await button(page, 'Suspend').click()
    await page.getByRole('group', { name: 'Suspend Bob?' }).getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('Suspended. They are told why.').waitFor()
    const { suspended_until } = (await root.get(`admin/users/${bob.id}`)).body
    const left = Date.parse(suspended_until) - Date.now()
    expect(left > 0 && left <= 86_400_000).toBe(true)

    // Nobody suspends an admin, and an admin who has lost the role is told so.
    await page.goto(`${origin}/console/people/${other.id}`)
    await title(page, 'Other').waitFor()
    expect(await button(page, 'Suspend').count()).toBe(0)
    await app.services.storage.users.setRole(root.id, 'moderator', granted(root.id, app.clock.now))
    app.forget(root.id)
    const access = page.getByRole('article', { name: 'Account' })
    await button(access, 'Sign out everywhere').click()
    const [refused] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/sessions/end')),
      access.getByRole('group').getByRole('button', { name: 'Sign out everywhere' }).click(),
    ])
    expect(refused.status()).toBe(403)
    expect((await other.get('me')).status).toBe(200)
    expect(errors).toEqual([])
    await context.close()
    await stop()
    await smtp.close()
  },
  90_000,
)

browserTest(
  'the Russian console says in Russian what the server refuses, and so does the transparency report',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [root, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Bob')]
    const report = (await root.post('reports', { user_id: bob.id, reason: 'scam' })).body.id
    const { page, context, errors } = await openAs(browser, origin, root, {
      viewport: { width: 1440, height: 900 },
      locale: 'ru',
    })
    const alert = page.getByRole('alert').filter({ visible: true })
    const problem = (code: string, status: number) => ({
      ...{ type: 'about:blank', title: 'Conflict', status, detail: 'This is the only admin.', request_id: '', code },
    })
    const refused = async (text: RegExp) => {
      await alert.first().waitFor()
      expect(await alert.innerText()).toMatch(text)
      expect(await alert.innerText()).not.toMatch(/[a-z]/i)
    }
    await page.goto(`${origin}/console/queue/${report}`)
    await title(page, 'Мошенничество').waitFor()
    await page.keyboard.press('c')
    await refused(/Никто не решает о себе, о том, на что пожаловался сам/)

    // Somebody else has taken the role from the other admins meanwhile.
    await page.route('**/role', (route) => route.fulfill({ status: 409, json: problem('conflict', 409) }))
    await page.goto(`${origin}/console/people/${bob.id}`)
    await title(page, 'Bob').waitFor()
    await page.getByRole('article').getByRole('radio', { name: 'Модератор', exact: true }).check()
    await button(page, 'Сменить роль').click()
    await page.getByRole('group').getByRole('button', { name: 'Сменить роль' }).click()
    await refused(/единственный администратор/)

    await page.goto(`${origin}/console/invitations`)
    await title(page, 'Приглашения').waitFor()
    await page.keyboard.press('n')
    await page.keyboard.type('0')
    await page.keyboard.press('Enter')
    await page.getByText('Это число слишком мало или слишком велико.').waitFor()

    await page.goto(`${origin}/console/transparency`)
    const reasons = page.getByRole('table', { name: 'Уведомления по причинам' })
    await reasons.getByRole('rowheader', { name: 'Мошенничество' }).waitFor()
    expect(await page.getByRole('rowheader').allInnerTexts()).not.toContain('scam')
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  90_000,
)

browserTest(
  'the arrow that chooses a word of an input method does not leave a search, in Safari neither',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const { page, context, errors } = await openConsole(origin, await withRole(app, 'admin', 'Root'))
    for (const path of ['people', 'rules']) {
      await page.goto(`${origin}/console/${path}`)
      await page.locator('[data-row]').first().waitFor()
      const search = page.getByRole('searchbox')
      const isFocused = () => page.evaluate<boolean>(`document.activeElement.type === 'search'`)
      const arrow = { key: 'ArrowDown', bubbles: true, cancelable: true }
      await search.focus()
      await search.dispatchEvent('keydown', { ...arrow, isComposing: true, keyCode: 229 })
      await search.dispatchEvent('keydown', { ...arrow, keyCode: 229 })
      expect([path, await isFocused()]).toEqual([path, true])
      await search.press('ArrowDown')
      expect([path, await isFocused()]).toEqual([path, false])
    }
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'a search that is left for another address does not come back, and the list shows a suspension at once',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const root = await withRole(app, 'admin', 'Root')
    await app.person('Ada')
    const bob = await app.person('Bob')
    const { page, context, errors } = await openConsole(origin, root)
    const search = page.getByRole('searchbox')
    const row = (name: string) => page.locator('[data-row]', { hasText: name })
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await search.fill('Bob')
    await page.waitForURL(/q=Bob/)
    await row('Ada').waitFor({ state: 'detached' })
    await row('Bob').click()
    await title(page, 'Bob').waitFor()

    await reason(page).fill('Spam.')
    await button(page, 'Suspend').click()
    const looks = async () => (await root.get('admin/audit?action=people_searched')).body.items.length
    const before = await looks()
    expect(before).toBeGreaterThan(0)
    await page.getByRole('group').getByRole('button', { name: 'Suspend' }).click()
    await row('Bob').getByText('Suspended', { exact: true }).waitFor()
    await button(page, 'Lift the suspension').click()
    await row('Bob').getByText('Suspended', { exact: true }).waitFor({ state: 'detached' })
    expect(await looks()).toBe(before)
    expect((await root.get(`admin/users/${bob.id}`)).body.standing).toBe('active')

    await page.getByRole('link', { name: 'People', exact: true }).click()
    await row('Ada').waitFor()
    expect(await search.inputValue()).toBe('')
    await Bun.sleep(700)
    expect(new URL(page.url()).search).toBe('')
    await page.goBack()
    await page.waitForURL(/q=Bob/)
    await row('Ada').waitFor({ state: 'detached' })
    expect(await search.inputValue()).toBe('Bob')
    await Bun.sleep(700)
    expect(new URL(page.url()).search).toBe('?q=Bob')
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'a decision is carried out though the browser is closed, and once',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [mo, ada, bob] = [await withRole(app, 'moderator', 'Mo'), await app.person('Ada'), await app.person('Bob')]
    const report = (await ada.post('reports', { user_id: bob.id, reason: 'scam' })).body.id
    const { page, context, errors } = await openConsole(origin, mo)
    await page.keyboard.press('n')
    await page.waitForURL((url) => url.pathname.endsWith(report))
    await page.getByRole('article', { name: 'Report' }).getByText('Yours', { exact: true }).waitFor()
    await page.keyboard.press('w')
    await reason(page).fill('Asked for money.')
    await page.keyboard.press('Control+Enter')
    await button(page, /^Undo/).waitFor()
    const carryOut = async () => {
      for (const { services } of app.nodes) services.delivery.wake('decision')
      await Promise.all(app.nodes.map(({ services }) => services.delivery.idle()))
    }
    expect(errors).toEqual([])
    await page.close()
    await context.close()

    app.clock.now += 9 * seconds
    await carryOut()
    expect((await bob.get('me/notices')).body.items).toEqual([])
    app.clock.now += 2 * seconds
    await carryOut()
    await carryOut()
    expect((await bob.get('me/notices')).body.items).toMatchObject([{ action: 'warn', reason: 'Asked for money.' }])
    expect((await mo.get(`admin/reports/${report}`)).body).toMatchObject({ status: 'resolved', pending: null })
    expect((await mo.delete(`admin/reports/${report}/resolve`)).body.code).toBe('conflict')
    await stop()
  },
  60_000,
)

browserTest(
  'an appeal that somebody else has decided closes, whatever the moderator decides, and is decided once',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [mo, ann] = [await withRole(app, 'moderator', 'Mo'), await withRole(app, 'moderator', 'Ann')]
    const [root, bob] = [await withRole(app, 'admin', 'Root'), await app.person('Bob')]
    await root.post(`admin/users/${bob.id}/warn`, { reason: 'Be kind.' })
    const [notice] = (await bob.get('me/notices')).body.items
    const { id } = (await bob.post('appeals', { notice_id: notice.id, text: 'Why me?' })).body
    const { page, context, errors } = await openConsole(origin, mo)
    await page.goto(`${origin}/console/appeals/${id}`)
    const opened = page.getByRole('article', { name: 'Appeal' })
    await opened.getByText('Why me?').waitFor()
    await page.keyboard.press('r')
    await reason(page).fill('You were not kind.')
    const theirs = { decision: 'uphold', note: 'We are sorry.' }
    expect((await ann.post(`admin/appeals/${id}/resolve`, theirs)).status).toBe(200)
    await page.keyboard.press('Control+Enter')
    await page.getByText('This appeal was decided already.').waitFor()
    await opened.waitFor({ state: 'detached' })
    await page.getByText('Nothing is waiting', { exact: true }).waitFor()
    expect(await page.locator('[data-row]').count()).toBe(0)
    await page.getByRole('radio', { name: 'All', exact: true }).check()
    await page.locator('[data-row]').click()
    await opened.getByText('We are sorry.').waitFor()
    expect(await opened.getByText('You were not kind.').count()).toBe(0)
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'a moderator whose decision comes too late reads so, whatever the other one did, and what they wrote is kept',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [mo, root] = [await withRole(app, 'moderator', 'Mo'), await withRole(app, 'admin', 'Root')]
    const ada = await app.person('Ada')
    const reported = async (why: string): Promise<string> =>
      (await ada.post('reports', { user_id: (await app.person('Bob')).id, reason: why })).body.id
    const { page, context, errors } = await openConsole(origin, mo)
    const opened = page.getByRole('article', { name: 'Report' })
    const tooLate = opened.getByRole('alert').getByText('Your decision was not taken: somebody else was faster.')
    const decision = { action: 'dismiss', note: 'Nothing wrong.' }
    const others = [
      ['spam', 'resolve', { ...decision, undo_s: 10 }, 'Somebody else’s decision about it takes effect in a moment.'],
      ['scam', 'claim', undefined, 'Taken'],
      ['hate', 'resolve', decision, 'Nothing wrong.'],
    ] as const
    for (const [why, path, body, shown] of others) {
      const id = await reported(why)
      await page.goto(`${origin}/console/queue/${id}`)
      await page.getByRole('form', { name: 'Decide' }).waitFor()
      await page.keyboard.press('w')
      await reason(page).fill('Please be kind.')
      expect((await root.post(`admin/reports/${id}/${path}`, body)).status).toBe(200)
      await page.keyboard.press('Control+Enter')
      await tooLate.waitFor()
      await opened.getByText(shown, { exact: true }).waitFor()
      expect(await opened.getByRole('alert').count()).toBe(1)
      expect(await reason(page).count()).toBe(0)
      expect(await page.evaluate<string>('document.activeElement.tagName')).toBe('H1')
    }

    // Free again, it has what was written. The page has not been loaded anew meanwhile.
    const id = await reported('underage')
    await page.goto(`${origin}/console/queue/${id}`)
    await page.getByRole('form', { name: 'Decide' }).waitFor()
    await page.keyboard.press('w')
    await reason(page).fill('Please be older.')
    expect((await root.post(`admin/reports/${id}/claim`)).status).toBe(200)
    await page.keyboard.press('Control+Enter')
    await tooLate.waitFor()
    expect((await root.delete(`admin/reports/${id}/claim`)).status).toBe(204)
    await page.keyboard.press('Escape')
    await opened.waitFor({ state: 'detached' })
    await page.goBack()
    await reason(page).waitFor()
    expect(await reason(page).inputValue()).toBe('Please be older.')
    expect(await opened.getByRole('alert').count()).toBe(0)

    // A moderator whose own decision was stored, but not answered, is not told that it was somebody else's.
    await page.route('**/resolve', async (route) => void (await route.fetch(), await route.abort()), { times: 1 })
    await page.keyboard.press('Control+Enter')
    await opened.getByRole('alert').waitFor()
    await page.keyboard.press('Control+Enter')
    await opened.getByText('A decision about it takes effect in a moment.').waitFor()
    expect(await tooLate.count()).toBe(0)
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'a decision that is refused because of what happened to the person shows what that is',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const mo = await withRole(app, 'moderator', 'Mo')
    const [ada, bob, cleo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
    const report = async (user: Person, why: string): Promise<string> =>
      (await ada.post('reports', { user_id: user.id, reason: why })).body.id
    const { page, context, errors } = await openConsole(origin, mo)
    const refused = page.getByText('Something has changed meanwhile. Look at it again.')
    const whom = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Whom it is about' }) })
      .last()
    const open = async (id: string, name: string) => {
      await page.goto(`${origin}/console/queue/${id}`)
      await whom.getByRole('link', { name }).waitFor()
      await page.keyboard.press('w')
      await reason(page).fill('Please be kind.')
    }

    await open(await report(bob, 'spam'), 'Bob')
    expect(await whom.getByText('Hidden until a decision').count()).toBe(0)
    await report(bob, 'underage')
    await page.keyboard.press('Control+Enter')
    await refused.waitFor()
    await whom.getByText('Hidden until a decision').waitFor()

    await open(await report(cleo, 'spam'), 'Cleo')
    expect((await cleo.delete('me', { password })).status).toBe(204)
    await page.keyboard.press('Control+Enter')
    await refused.waitFor()
    await whom.getByText('The account concerned is erased.').waitFor()
    expect(await page.getByRole('link', { name: 'Cleo' }).count()).toBe(0)
    expect(await whom.getByRole('alert').count()).toBe(0)
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'the person reads the text of a template that the moderator has read, even if it was changed or deleted meanwhile',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [mo, root] = [await withRole(app, 'moderator', 'Mo'), await withRole(app, 'admin', 'Root')]
    const ada = await app.person('Ada')
    const insults = { name: 'Insults', language: 'en', text: 'Insults break section 3.' }
    const template = (await root.post('admin/templates', insults)).body.id
    const { page, context, errors } = await openConsole(origin, mo)
    const meanwhile = [
      ['hate', () => root.put(`admin/templates/${template}`, { ...insults, text: 'Call us.' })],
      ['spam', () => root.delete(`admin/templates/${template}`)],
    ] as const
    for (const [why, change] of meanwhile) {
      const about = await app.person()
      const id = (await ada.post('reports', { user_id: about.id, reason: why })).body.id
      await page.goto(`${origin}/console/queue/${id}`)
      await page.getByRole('form', { name: 'Decide' }).waitFor()
      await page.keyboard.press('w')
      await page.getByLabel('Template').selectOption({ label: 'Insults (en)' })
      const read = await reason(page).inputValue()
      expect((await change()).status).toBeLessThan(300)
      await page.keyboard.press('Control+Enter')
      await page.getByRole('status').getByText('Warn').waitFor()
      const { pending } = (await root.get(`admin/reports/${id}`)).body
      expect(pending).toMatchObject({ action: 'warn', note: read })
    }
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'a key that is held down acts once, but goes on moving in a list',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const [mo, root] = [await withRole(app, 'moderator', 'Mo'), await withRole(app, 'admin', 'Root')]
    const ada = await app.person('Ada')
    for (const why of ['spam', 'scam', 'hate', 'danger']) {
      await ada.post('reports', { user_id: (await app.person()).id, reason: why })
      app.clock.now += seconds
    }
    const reports = async (): Promise<any[]> => (await root.get('admin/reports')).body.items
    const { page, context, errors } = await openConsole(origin, mo)
    const rows = page.locator('[data-row]')
    await rows.nth(3).waitFor()
    const hold = async (key: string, times = 3) => {
      for (let i = 0; i < times; i++) {
        await page.keyboard.down(key)
        await page.waitForTimeout(300)
      }
    }
    await hold('j')
    const focused = '[...document.querySelectorAll("[data-row]")].indexOf(document.activeElement)'
    expect(await page.evaluate<number>(focused)).toBe(2)
    await page.keyboard.up('j')

    await hold('n')
    await page.keyboard.up('n')
    expect((await reports()).map(({ claimed_by }) => claimed_by)).toEqual([mo.id, null, null, null])

    // The next report has a draft, which the same stroke must not turn into a decision about it.
    const [first, next] = (await reports()).map(({ id }) => id)
    await page.goto(`${origin}/console/queue/${next}`)
    const dismiss = page.getByRole('radio', { name: /^Dismiss/ })
    for (const href of [`/console/queue/${next}`, `/console/queue/${first}`]) {
      await page.locator(`a[data-row][href="${href}"]`).click()
      await page.waitForURL((url) => url.pathname === href)
      await dismiss.waitFor()
      await page.keyboard.press('d')
      expect(await dismiss.isChecked()).toBe(true)
    }
    await page.keyboard.down('Control')
    await hold('Enter', 4)
    await page.keyboard.up('Enter')
    await page.keyboard.up('Control')
    await page.waitForURL((url) => url.pathname === `/console/queue/${next}`)
    expect((await reports()).map(({ pending }) => pending?.action ?? null)).toEqual(['dismiss', null, null, null])
    await page.keyboard.press('Control+Enter')
    await page.waitForURL((url) => url.pathname !== `/console/queue/${next}`)
    expect((await reports()).map(({ pending }) => pending?.action ?? null)).toEqual(['dismiss', 'dismiss', null, null])
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'an account that is erased while it is open is shown no longer than until the next action on it',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const root = await withRole(app, 'admin', 'Root')
    const { page, context, errors } = await openConsole(origin, root)
    const actions = {
      warn: async () => {
        await reason(page).fill('Please be kind.')
        await button(page, 'Warn').click()
      },
      'end sessions': async () => {
        await button(page, 'Sign out everywhere').click()
        await page.keyboard.press('Enter')
      },
    }
    for (const [what, act] of Object.entries(actions)) {
      const gone = await app.person('Gone')
      await page.goto(`${origin}/console/people/${gone.id}`)
      const account = page.getByRole('article', { name: 'Account' })
      await account.getByText(gone.email).waitFor()
      expect([what, (await gone.delete('me', { password })).status]).toEqual([what, 204])
      await act()
      await page.getByText('It does not exist, or no longer exists.').waitFor()
      expect([what, await account.getByText(gone.email).count()]).toEqual([what, 0])
    }
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'the other reports about somebody that cannot be read say so, and are read again',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const mo = await withRole(app, 'moderator', 'Mo')
    const [ada, bob, cleo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
    await ada.post('reports', { user_id: bob.id, reason: 'scam' })
    const { id } = (await cleo.post('reports', { user_id: bob.id, reason: 'spam' })).body
    const { page, context, errors } = await openConsole(origin, mo)
    const lost = /admin\/reports\?.*subject_id/
    for (const [path, name] of [
      [`queue/${id}`, 'Other reports'],
      [`people/${bob.id}`, 'Reports about them'],
    ] as const) {
      await page.route(lost, (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
      await page.goto(`${origin}/console/${path}`)
      const theirs = page
        .locator('section')
        .filter({ has: page.getByRole('heading', { name, exact: true }) })
        .last()
      await theirs.getByRole('alert').getByText('The server has a problem. Try again in a moment.').waitFor()
      await page.unroute(lost)
      await button(theirs, 'Try again').click()
      await theirs.getByRole('link', { name: 'Scam' }).waitFor()
      expect(await theirs.getByRole('alert').count()).toBe(0)
    }
    expect(errors.filter((error) => !error.includes('502'))).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'the newest reports about somebody are shown, with a link to the others',
  async () => {
    const app = await testApp()
    const { origin, stop } = await serveWeb(app)
    const mo = await withRole(app, 'moderator', 'Mo')
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    for (let i = 0; i < 101; i++) {
      const { id } = (await bob.post(`chats/${chat}/messages`, { text: `Toad ${i}.` })).body
      app.clock.now += 1
      await ada.post('reports', { message_id: id, reason: i === 0 ? 'hate' : i === 100 ? 'scam' : 'spam' })
    }
    const { page, context, errors } = await openConsole(origin, mo)
    await page.goto(`${origin}/console/people/${bob.id}`)
    const theirs = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Reports about them' }) })
      .last()
    await theirs.getByRole('listitem').first().getByRole('link', { name: 'Scam' }).waitFor()
    expect(await theirs.getByRole('link', { name: 'Hate' }).count()).toBe(0)
    await theirs.getByRole('link', { name: 'All reports, in the queue' }).click()
    await page.waitForURL((url) => url.searchParams.get('subject') === bob.id)
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  60_000,
)

browserTest(
  'without a report, a moderator warns with strikes, suspends, changes the suspension and lifts it',
  async () => {
    const app = await testApp()
    app.clock.now = Date.now()
    const { origin, stop } = await serveWeb(app)
    const mo = await withRole(app, 'moderator', 'Mo')
    const bob = await app.person('Bob')
    const { page, context, errors } = await openConsole(origin, mo)
    const record = async () => (await mo.get(`admin/users/${bob.id}`)).body
    const leftDays = async () =>
      Math.round((Date.parse((await record()).suspended_until) - app.clock.now) / (24 * 3_600_000))
    await page.goto(`${origin}/console/people/${bob.id}`)
    await title(page, 'Bob').waitFor()

    await reason(page).fill('Advertising.')
    await page.getByRole('group', { name: 'Strikes' }).getByRole('radio', { name: '4' }).check()
    await button(page, 'Warn').click()
    await page.getByText('Warned. They are told why.').waitFor()
    expect(await record()).toMatchObject({ strikes: 4, decisions: [{ action: 'warn', strikes: 4 }] })
    await page.getByText('Their strikes suggest a suspension of 7 days.').waitFor()

    await reason(page).fill('More advertising.')
    await page.getByRole('radio', { name: '7 days' }).check()
    await button(page, 'Suspend').click()
    await page.getByRole('group', { name: 'Suspend Bob?' }).getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('Suspended. They are told why.').waitFor()
    expect(await leftDays()).toBe(7)

    // A change has a reason of its own.
    const changing = button(page, 'Change the suspension')
    await changing.waitFor()
    expect(await changing.getAttribute('aria-disabled')).toBe('true')
    expect(await button(page, 'Warn').count()).toBe(0)
    await expectAccessible(page, 'the account of somebody suspended')
    await reason(page).fill('And he threatened Ada.')
    await page.getByRole('textbox', { name: 'Remark, for moderators' }).fill('See the mail of today.')
    await page.getByRole('radio', { name: '30 days' }).check()
    await changing.click()
    await page
      .getByRole('group', { name: 'Replace its end' })
      .getByRole('button', { name: 'Change the suspension' })
      .click()
    await page.getByText('The suspension is changed.').waitFor()
    expect(await leftDays()).toBe(30)
    expect(await record()).toMatchObject({
      suspended_reason: 'And he threatened Ada.',
      decisions: [{ action: 'suspend', note: 'See the mail of today.' }, { action: 'suspend' }, { action: 'warn' }],
    })
    expect(await reason(page).inputValue()).toBe('')
    await button(page, 'Lift the suspension').click()
    await page.getByText('The suspension is lifted.').waitFor()
    await button(page, 'Warn').waitFor()
    expect(errors).toEqual([])
    await context.close()
    await stop()
  },
  90_000,
)
