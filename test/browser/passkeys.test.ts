import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { password, type TestApp, testApp } from '../app.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
const browserTest = test.skipIf(!executablePath)
if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})

let browser: Browser
beforeAll(async () => {
  if (!executablePath) return
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  browser = await chromium.launch({ executablePath, args })
})
afterAll(() => browser?.close())

/** The script that the documentation gives to pages. */
async function documentedScript(): Promise<string> {
  const docs = await Bun.file(join(import.meta.dir, '../../docs/accounts.md')).text()
  const blocks = [...docs.matchAll(/```html\n(.*?)```/gs)].map(([, block]) => block!)
  return blocks.find((block) => block.includes('addPasskey'))!
}

/** A page with that script, at an origin that serves the API too; and an authenticator that the browser has. */
async function open(environment: Record<string, string> = {}, options: { hasUserVerification?: boolean } = {}) {
  const app = await testApp(environment)
  const html = `<!doctype html><title>App</title>${await documentedScript()}`
  const site = Bun.serve({
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith('/api/')) return new Response(html, { headers: { 'content-type': 'text/html' } })
      return app.app.handle(request)
    },
  })
  const context = await browser.newContext()
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...options,
    },
  })
  await page.goto(`http://localhost:${site.port}/`)
  return {
    ...{ app, page, cdp, context, authenticatorId },
    async [Symbol.asyncDispose]() {
      await context.close()
      await site.stop(true)
      await app.close()
    },
  }
}

const run = <T>(page: Page, script: string) => page.evaluate(script) as Promise<T>

/** Logs somebody in on the page, by the cookie. */
async function logIn({ app, context, page }: { app: TestApp; context: BrowserContext; page: Page }, name: string) {
  const person = await app.person(name)
  const answer = await run<{ user: { id: string } }>(
    page,
    `post('/auth/login', ${JSON.stringify({ email: person.email, password })})`,
  )
  expect(answer.user.id).toBe(person.id)
  expect((await context.cookies()).map(({ name }) => name)).toContain('app_at')
  return person
}

const credentialsOf = async (cdp: CDPSession, authenticatorId: string) =>
  (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials

browserTest('the documented script adds a passkey in Chromium, and signs in with it alone', async () => {
  await using opened = await open()
  const { app, page, cdp, context, authenticatorId } = opened
  const ada = await logIn(opened, 'Ada')
  const added = await run<{ id: string; label: string }>(page, `addPasskey('My laptop')`)
  expect(added).toMatchObject({ kind: 'passkey', label: 'My laptop', last_used_at: null })
  const [credential] = await credentialsOf(cdp, authenticatorId)
  expect(credential).toMatchObject({ rpId: 'localhost', isResidentCredential: true })

  await context.clearCookies()
  const session = await run<{ user: { id: string }; access_token: string }>(page, 'signIn()')
  expect(session.user.id).toBe(ada.id)
  expect((await app.as(session.access_token).get('me')).body.name).toBe('Ada')
  expect((await app.rows('SELECT counter FROM passkeys'))[0]!.counter).toBeGreaterThan(0)
  await run(page, 'confirm()')
  expect((await ada.get('me/identities')).body.items.at(-1)).toMatchObject({ id: added.id, label: 'My laptop' })
})

browserTest('Chromium makes no second passkey of an account on one authenticator', async () => {
  await using opened = await open()
  const { page, app } = opened
  await logIn(opened, 'Ada')
  await run(page, `addPasskey('First')`)
  expect(await run<string>(page, `addPasskey('Second').catch(({ name }) => name)`)).toBe('InvalidStateError')
  expect(await app.rows('SELECT label FROM passkeys')).toEqual([{ label: 'First' }])
})

browserTest('an authenticator that cannot verify its user is of no use', async () => {
  await using opened = await open({}, { hasUserVerification: false })
  const { page, app } = opened
  await logIn(opened, 'Ada')
  const failed = await run<string>(page, `addPasskey('Key').then(() => 'added', ({ name }) => name)`)
  expect(failed).toBe('NotAllowedError')
  expect(await app.rows('SELECT id FROM passkeys')).toEqual([])
})

browserTest('a removed passkey that the browser still has is refused', async () => {
  await using opened = await open()
  const { page } = opened
  const ada = await logIn(opened, 'Ada')
  const { id } = await run<{ id: string }>(page, `addPasskey('Phone')`)
  expect((await ada.delete(`me/identities/${id}`)).status).toBe(204)
  expect(await run<string>(page, `signIn().catch(({ message }) => message)`)).toBe('passkey_invalid')
})

browserTest('with STAFF_PASSKEY a moderator confirms a session in Chromium', async () => {
  await using opened = await open({ STAFF_PASSKEY: 'required' })
  const { page, app } = opened
  const mo = await logIn(opened, 'Mo')
  await app.rows("UPDATE users SET role = 'moderator' WHERE id = ?", mo.id)
  const reports = `fetch('/api/v1/admin/reports').then(async (answer) => (await answer.json()).code ?? answer.status)`
  expect(await run<unknown>(page, reports)).toBe('second_factor_required')
  await run(page, `addPasskey('Laptop')`)
  await run(page, 'confirm()')
  expect(await run<unknown>(page, reports)).toBe(200)
})
