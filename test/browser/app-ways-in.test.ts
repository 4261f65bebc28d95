import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { testApp } from '../app.ts'
import { oidcServer } from '../oidc.ts'
import { freePort } from '../pages.ts'
import { smtpServer } from '../smtp.ts'
import { button, expectAccessible, heading, openAs, openPage, serveWeb } from './app-page.ts'
import { executablePath, launch } from './client-page.ts'

const browserTest = test.skipIf(!executablePath)
const [oldPassword, newPassword] = ['twelve green bottles', 'fifteen green bottles']
let browser: Browser
const closing: (() => Promise<unknown>)[] = []

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (executablePath) browser = await launch()
})
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close()
  for (const close of closing.splice(0).toReversed()) await close()
})
afterAll(() => browser?.close())

/** The app at an address that is known before it starts: links and providers name it. */
async function serve(settingsOf: (origin: string) => Record<string, string> | Promise<Record<string, string>>) {
  const port = freePort()
  const origin = `http://localhost:${port}`
  const app = await testApp({ PUBLIC_URL: origin, ...(await settingsOf(origin)) })
  // Providers and mails have the real time.
  app.clock.now = Date.now()
  const web = await serveWeb(app, { port })
  closing.push(web.stop)
  return { app, origin }
}

async function serveWithProvider(settings: Record<string, string> = {}) {
  let provider: Awaited<ReturnType<typeof oidcServer>> | null = null
  const served = await serve(async (origin) => {
    provider = await oidcServer({ redirectUri: `${origin}/api/v1/auth/oidc/acme/callback` })
    closing.push(provider.close)
    return { ...provider.settings('ACME'), OIDC_ACME_LABEL: 'Acme', ...settings }
  })
  return { ...served, provider: provider! as Awaited<ReturnType<typeof oidcServer>> }
}

async function agree(page: Page) {
  for (const box of await page.getByRole('checkbox').all()) await box.check()
}

browserTest(
  'somebody signs in with a provider, agrees, and is the same person the next time',
  async () => {
    const { app, origin, provider } = await serveWithProvider()
    provider.signedIn.as = { sub: 'mia', given_name: 'Mia', email: 'mia@example.org', email_verified: true }
    const { page, errors, context } = await openPage(browser, `${origin}/sign-in`)
    await page.getByRole('link', { name: 'Continue with Acme' }).click()
    await heading(page, 'Before you begin').waitFor()
    await expectAccessible(page, 'consents after a provider')
    await agree(page)
    await button(page, 'Agree').click()
    await heading(page, 'Nearby').waitFor()
    expect(page.url()).not.toContain('code=')
    await context.clearCookies()
    await page.evaluate(
      `localStorage.removeItem('convene:session')
       indexedDB.databases().then((all) => all.forEach(({ name }) => indexedDB.deleteDatabase(name)))`,
    )
    // It leads to the page that was opened, here too.
    await page.goto(`${origin}/settings?a=b`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Continue with Acme' }).click()
    await page.waitForURL(`${origin}/settings?a=b`)
    await page.goto(`${origin}/signed-in?page=${encodeURIComponent('//elsewhere.example')}`)
    await page.waitForURL(`${origin}/nearby`)
    expect(await app.rows('SELECT name FROM users')).toEqual([{ name: 'Mia' }])
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'an account of a provider is linked and unlinked in the settings, and not where it is somebody else’s',
  async () => {
    const { app, origin, provider } = await serveWithProvider()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { page, errors } = await openAs(browser, origin, ada)
    provider.signedIn.as = { sub: 'ada-there' }
    // The login was not recent, so the password is asked for.
    await app.rows('UPDATE sessions SET created_at = created_at - 600000')
    await page.goto(`${origin}/settings/sign-in`)
    await button(page, 'Link with Acme').click()
    const sheet = page.getByRole('dialog', { name: 'Link with Acme' })
    await sheet.getByLabel('Password').fill('not my password')
    await button(sheet, 'Link with Acme').click()
    await sheet.getByText('This password is wrong.').waitFor()
    await expectAccessible(page, 'a confirmation')
    await sheet.getByLabel('Password').fill(oldPassword)
    await button(sheet, 'Link with Acme').click()
    await page.getByRole('heading', { name: 'Other service' }).waitFor()
    await page.getByText('Acme', { exact: true }).waitFor()
    expect(page.url()).toBe(`${origin}/settings/sign-in`)
    expect(await button(page, 'Link with Acme').count()).toBe(0)
    expect(await app.rows("SELECT user_id, subject FROM identities WHERE kind = 'oidc'")).toEqual([
      { user_id: ada.id, subject: 'ada-there' },
    ])

    // Bob chooses Ada's account there.
    const his = await openAs(browser, origin, bob)
    await his.page.goto(`${origin}/settings/sign-in`)
    await button(his.page, 'Link with Acme').click()
    await his.page.getByText('already linked with somebody else here').waitFor()
    expect(his.page.url()).toBe(`${origin}/settings/sign-in`)
    await expectAccessible(his.page, 'a refused link')

    await page.getByRole('article').filter({ hasText: 'Acme' }).getByRole('button', { name: 'Remove' }).click()
    await button(page, 'Link with Acme').waitFor()
    expect(await app.rows("SELECT user_id FROM identities WHERE kind = 'oidc'")).toEqual([])
    // The password is the last way in, and stays.
    await page.getByRole('article').filter({ hasText: 'Password' }).getByRole('button', { name: 'Remove' }).click()
    await page.getByText('This is the only way into your account.').waitFor()
    expect([...errors, ...his.errors]).toEqual([])
  },
  120_000,
)

browserTest(
  'a passkey is added in the settings and signs in by itself',
  async () => {
    const { app, origin } = await serve(() => ({}))
    const ada = await app.person('Ada')
    const { page, context, errors } = await openAs(browser, origin, ada)
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const options = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true, ...options },
    })
    await page.goto(`${origin}/settings/sign-in`)
    await button(page, 'Add passkey').click()
    await page.getByLabel('Name of this passkey').fill('My laptop')
    await expectAccessible(page, 'adding a passkey')
    await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
    await page.getByText('My laptop').waitFor()
    expect((await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials).toHaveLength(1)

    await page.goto(`${origin}/settings`)
    await button(page, 'Sign out').click()
    await button(page.getByRole('dialog'), 'Sign out').click()
    await heading(page, 'Meet people nearby').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await button(page, 'Use a passkey').click()
    await heading(page, 'Nearby').waitFor()
    expect((await ada.get('me/identities')).body.items.at(-1).last_used_at).not.toBeNull()
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'an invitation opens an account, and without one the refusal says so',
  async () => {
    const { app, origin } = await serve(() => ({ REGISTRATION: 'invite' }))
    const { code } = await app.services.registration.invite({ id: null }, { uses: 1 })
    const { page, errors } = await openPage(browser, `${origin}/sign-up`)
    await page.getByLabel('First name').fill('Eve')
    await page.getByLabel('E-mail or phone').fill('eve@example.org')
    await page.getByLabel('Password').fill(newPassword)
    await page.getByLabel('Invitation code').fill('made-up')
    await agree(page)
    await expectAccessible(page, 'signing up with an invite')
    await button(page, 'Create account').click()
    await page.getByText('This code is wrong or used up').waitFor()
    expect(await app.rows('SELECT id FROM users')).toEqual([])
    await page.getByLabel('Invitation code').fill(code)
    await button(page, 'Create account').click()
    await heading(page, 'Edit profile').waitFor()
    expect(await app.rows('SELECT used FROM invites')).toEqual([{ used: 1 }])
    expect(page.url()).not.toContain(code)
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'an invitation also works for an account by a provider, and without one the refusal says so',
  async () => {
    const { app, origin, provider } = await serveWithProvider({ REGISTRATION: 'invite' })
    const { code } = await app.services.registration.invite({ id: null }, { uses: 1 })
    provider.signedIn.as = { sub: 'mia', given_name: 'Mia' }
    const { page, context, errors } = await openPage(browser, `${origin}/sign-in`)
    const asked: string[] = []
    context.on('request', (request) => void asked.push(new URL(request.url()).pathname + new URL(request.url()).search))
    await page.getByRole('link', { name: 'Continue with Acme' }).click()
    await page.getByText('needs an invitation that is still valid').waitFor()
    await expectAccessible(page, 'a provider without an invitation')
    expect(await app.rows('SELECT id FROM users')).toEqual([])
    await page.getByRole('link', { name: 'Create account' }).click()
    await page.getByLabel('Invitation code').waitFor()
    expect(await button(page, 'Continue with Acme').isDisabled()).toBe(true)

    await page.goto('about:blank')
    await page.goto(`${origin}/sign-up#invite=${code}`)
    await button(page, 'Continue with Acme').click()
    await heading(page, 'Before you begin').waitFor()
    expect(await app.rows('SELECT used FROM invites')).toEqual([{ used: 1 }])
    expect(asked.filter((address) => address.includes(code))).toEqual([])
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'somebody whom a provider sends back reads why',
  async () => {
    const { app, origin, provider } = await serveWithProvider()
    const { page, errors } = await openPage(browser, `${origin}/sign-in`)
    const signIn = async (text: string) => {
      await page.goto(`${origin}/sign-in`)
      await page.getByRole('link', { name: 'Continue with Acme' }).click()
      await page.getByText(text).waitFor()
    }
    provider.state.behaviour = 'fail'
    await signIn('The other service does not answer')
    provider.state.behaviour = 'ok'
    // The server does not ask it again at once.
    app.clock.now += 3000
    provider.signedIn.as = { sub: 'mia', given_name: 'Mia' }
    await signIn('Before you begin')
    await app.rows('UPDATE users SET suspended_until = ?', app.clock.now + 86_400_000)
    await page.context().clearCookies()
    await page.evaluate(
      `localStorage.removeItem('convene:session')
       indexedDB.databases().then((all) => all.forEach(({ name }) => indexedDB.deleteDatabase(name)))`,
    )
    await signIn('You cannot use the app for now')
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'whoever comes back from a provider too late reads that, and signs in again',
  async () => {
    const { origin } = await serveWithProvider()
    const { page, errors } = await openPage(browser, `${origin}/api/v1/auth/oidc/acme/callback?state=x&code=y`)
    await heading(page, 'Signing in did not work').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail or phone').waitFor()
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'without mail, a forgotten password leads to the operator’s contact',
  async () => {
    const { origin } = await serve(() => ({ LEGAL_CONTACT: 'safety@example.org' }))
    const { page, errors } = await openPage(browser, `${origin}/sign-in`)
    await page.getByRole('link', { name: 'Forgot password' }).click()
    await page.getByText('This community sends no mails.').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    await expectAccessible(page, 'a forgotten password without mail')
    await button(page, 'Child safety').click()
    await page.getByText('safety@example.org').first().waitFor()
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'a forgotten password is set anew by the link of a mail',
  async () => {
    const smtp = await smtpServer()
    closing.push(smtp.close)
    const { app, origin } = await serve(() => ({ SMTP_URL: smtp.url, MAIL_FROM: 'Convene <hello@example.org>' }))
    const ada = await app.person('Ada')
    await app.rows('UPDATE users SET email_verified_at = 1 WHERE id = ?', ada.id)
    app.forget(ada.id)
    const asked: string[] = []
    const { page, context, errors } = await openPage(browser, `${origin}/sign-in`)
    context.on('request', (request) => void asked.push(request.url()))
    await page.getByRole('link', { name: 'Forgot password' }).click()
    await page.getByLabel('E-mail').fill(ada.email)
    await button(page, 'Send the mail').click()
    await expectAccessible(page, 'a link was sent')
    const mail = await smtp.received(1)
    const [link = '', token = ''] = /http:\/\/localhost:\d+\/reset#token=([\w-]{43})/.exec(mail.text ?? '') ?? []
    expect(link).toStartWith(origin)
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByLabel('New password').fill(newPassword)
    await button(page, 'Set password').click()
    await page.getByRole('link', { name: 'Open the app' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail or phone').fill(ada.email)
    await page.getByLabel('Password').fill(oldPassword)
    await button(page, 'Sign in').click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Password').fill(newPassword)
    await button(page, 'Sign in').click()
    await heading(page, 'Nearby').waitFor()
    // The secret of the link is in no address that is asked for.
    for (const url of asked.filter((url) => url.startsWith('http'))) {
      expect(new URL(url).pathname + new URL(url).search).not.toContain(token)
      expect(url).not.toContain(ada.email)
    }
    expect(errors).toEqual([])
  },
  120_000,
)

browserTest(
  'who opens a page signed out lands on it after signing in, and after signing out begins at the start again',
  async () => {
    const { app, origin } = await serve(() => ({}))
    const [ada, bob] = [await app.person('Ada'), await app.person('محمد عبد الرحمن بن عبد العزيز بن سعيد')]
    const { id } = (await ada.post('chats', { user_id: bob.id })).body
    for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5163, longitude: 13.3777 })
    const { page, errors } = await openPage(browser, `${origin}/chats/${id}?from=mail`)
    await page.setViewportSize({ width: 360, height: 740 })
    const signIn = async () => {
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByLabel('E-mail or phone').fill(ada.email)
      await page.getByLabel('Password').fill(oldPassword)
      await button(page, 'Sign in').click()
    }
    await signIn()
    await page.waitForURL(`${origin}/chats/${id}?from=mail`)
    await heading(page, bob.name).waitFor()
    expect(await showsBeginning(page, 'h1')).toBe(true)

    await page.goto(`${origin}/chats`)
    await page.getByRole('link', { name: bob.name }).waitFor()
    expect(await showsBeginning(page, 'a bdi')).toBe(true)
    // Nothing has been touched yet.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')

    await page.goto(`${origin}/settings`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await signIn()
    await page.waitForURL(`${origin}/nearby`)
    await page.getByRole('link', { name: bob.name }).waitFor()
    expect(await showsBeginning(page, 'a span[dir=auto]')).toBe(true)
    expect(errors).toEqual([])
  },
  60_000,
)

/** Whether the first letter lies inside of the box, which cuts the text off. */
const showsBeginning = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const box = document.querySelector('${selector}')
    const range = document.createRange()
    const text = document.createTreeWalker(box, NodeFilter.SHOW_TEXT).nextNode()
    range.setStart(text, 0)
    range.setEnd(text, 1)
    const [first, { left, right }] = [range.getBoundingClientRect(), box.getBoundingClientRect()]
    return box.scrollWidth > box.clientWidth && first.left >= left - 1 && first.right <= right + 1
  })()`)
