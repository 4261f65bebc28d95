import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium } from 'playwright-core'
import { screens } from '../../web/console/screens.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { granted } from '../rows.ts'
import { serveWeb } from './app-page.ts'

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

/** What the console of somebody shows and is told, from every screen and the files that it saves. */
async function everythingToldTo({ origin, person, paths }: { origin: string; person: Person; paths: string[] }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const answers: { path: string; text: Promise<string> }[] = []
  page.on('response', (response) => {
    const { pathname, search } = new URL(response.url())
    if (pathname.startsWith('/api/')) answers.push({ path: pathname + search, text: response.text().catch(() => '') })
  })
  const shown: string[] = []
  await page.goto(`${origin}/console`)
  await page.getByLabel('E-mail or phone').fill(person.email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Queue', level: 1 }).waitFor()
  for (const path of paths) {
    await page.goto(`${origin}/console${path}`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    shown.push(await page.content())
  }
  const told = await Promise.all(answers.map(async ({ path, text }) => ({ path, text: await text })))
  await context.close()
  return { told, shown }
}

for (const role of ['moderator', 'admin'] as const)
  browserTest(
    `no screen tells ${role === 'admin' ? 'an admin' : 'a moderator'} who reported, blocked or reviewed them`,
    async () => {
      const app = await testApp()
      app.clock.now = Date.now()
      const { origin, stop } = await serveWeb(app)
      const mo = await app.person('Mo')
      const [reporter, blocker, reviewer, bystander] = [
        await app.person('Reporter'),
        await app.person('Blocker'),
        await app.person('Reviewer'),
        await app.person('Bystander'),
      ]
      const chat = await app.met(reviewer, mo)
      const said = (await mo.post(`chats/${chat}/messages`, { text: 'Hello' })).body.id
      for (const by of [reviewer, mo, reviewer]) await by.post(`chats/${chat}/messages`, { text: 'Tea' })
      const review = (await reviewer.post('reviews', { chat_id: chat, rating: 1, anonymous: true, text: 'Rude.' })).body
      const own = [
        (await reporter.post('reports', { user_id: mo.id, reason: 'spam', details: 'Secret words' })).body.id,
        (await reviewer.post('reports', { message_id: said, reason: 'hate', details: 'Secret words' })).body.id,
        (await bystander.post('reports', { review_id: review.id, reason: 'other', details: 'Secret words' })).body.id,
        (await mo.post('reports', { review_id: review.id, reason: 'spam' })).body.id,
      ] as string[]
      for (const id of own) expect(id).toBeString()
      expect((await blocker.post('blocks', { user_id: mo.id })).status).toBeLessThan(300)
      // Somebody else's case is there to be seen, so that an empty console proves nothing.
      const others = (await blocker.post('reports', { user_id: bystander.id, reason: 'scam' })).body.id
      const ned = await app.person('Ned')
      await setRole(app, ned, 'admin')
      // A decision about the review, and an appeal against it.
      const decided = own.at(-1)!
      const resolved = await ned.post(`admin/reports/${decided}/resolve`, {
        action: 'remove_content',
        note: 'Rude.',
        strikes: 2,
      })
      expect(resolved.status).toBe(200)
      const notice = (await reviewer.get('me/notices')).body.items[0].id
      const appeal = (await reviewer.post('appeals', { notice_id: notice, text: 'It was true.' })).body.id
      await setRole(app, mo, role)
      app.forget(mo.id)

      const lists = screens.map(({ href }) => href as string)
      const more = [
        '/queue?status=resolved',
        '/queue?kind=review',
        `/queue?subject=${mo.id}`,
        // Each filter alone, of the reports that no other one leaves out.
        ...['target=review', 'target=message', 'outcome=measure', 'automated=any', 'by=people'].map(
          (filter) => `/queue?status=any&${filter}`,
        ),
        `/queue?status=any&subject=${reviewer.id}`,
        ...own.map((id) => `/queue/${id}`),
        `/queue/${others}`,
        `/appeals/${appeal}`,
        '/appeals?status=any',
        `/people/${mo.id}`,
        `/people/${reviewer.id}`,
        `/audit?subject_id=${mo.id}`,
        ...['report', 'block', 'review', 'report_resolved', 'appeal'].map((action) => `/audit?action=${action}`),
        ...own.map((id) => `/audit?subject_id=${id}`),
      ]
      const { told, shown } = await everythingToldTo({ origin, person: mo, paths: [...lists, ...more] })

      // The console did ask, and somebody else's case is told.
      for (const route of ['reports', 'appeals', 'audit', 'stats', 'transparency'])
        expect(told.some(({ path }) => path.startsWith(`/api/v1/admin/${route}`))).toBe(true)
      expect(told.some(({ text }) => text.includes(others) && text.includes(blocker.id))).toBe(true)
      // Nor do counts: whoever reports a review of themselves sees nobody's rise.
      const record = told.find(({ path }) => path === `/api/v1/admin/users/${reviewer.id}`)!
      expect(JSON.parse(record.text).counts).toMatchObject({ reports: 0, review_reports: 0 })
      // Nothing says a word of the cases about the reader.
      const hidden = [...own, appeal]
      for (const { path, text } of told) expect([path, ...hidden.filter((id) => text.includes(id))]).toEqual([path])
      for (const { path, text } of told) expect([path, text.includes('Secret words')]).toEqual([path, false])
      // Nor puts the one who did it beside what was done to the reader.
      const entries = told
        .filter(({ path }) => path.startsWith('/api/v1/admin/audit'))
        .flatMap(({ text }) => JSON.parse(text).items as { action: string; actor_id: string; subject_id: string }[])
      expect(entries.length).toBeGreaterThan(0)
      expect(entries.filter(({ action, subject_id }) => action === 'block' && subject_id === mo.id)).toEqual([])
      expect(entries.filter(({ action, actor_id }) => action === 'review' && actor_id === reviewer.id)).toEqual([])
      expect(entries.filter(({ actor_id }) => actor_id === reporter.id).map(({ action }) => action)).not.toContain(
        'report',
      )
      for (const html of shown) expect(html.includes('Secret words')).toBe(false)
      await stop()
    },
    120_000,
  )
