/**
 * `bun run demo:accounts`: somebody keeps an account through all that mail, a provider, a passkey and a messenger are for. A
 * real server, a real mail server, a real OpenID Connect provider and Chromium; what happens is printed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { startServer } from './convene.ts'
import { oidcServer } from './oidc.ts'
import { freePort } from './pages.ts'
import { smtpServer } from './smtp.ts'
import { initData } from './torture/people.ts'
import { botToken } from './torture/server.ts'

const consents = { terms: true, privacy: true, disclaimer: true }
const [password, newPassword] = ['twelve green bottles', 'thirteen green bottles']
const [email, newEmail] = ['ada@example.org', 'ada.lovelace@example.org']
const messengerId = 4711

type Json = Record<string, any>

let chapters = 0
const chapter = (title: string) => console.log(`\n${++chapters}. ${title}`)
const say = (text: string) => console.log(`   ${text}`)

function expectSame(what: string, is: unknown, expected: unknown) {
  if (is !== expected) throw new Error(`${what} is ${String(is)} instead of ${String(expected)}`)
  say(`${what}: ${String(is)}`)
}

type Mail = Awaited<ReturnType<typeof smtpServer>>

/** What the walk needs, at an origin that is known before the server starts: links and the provider name it. */
async function walk(origin: string, smtp: Mail, provider: Awaited<ReturnType<typeof oidcServer>>, page: Page) {
  let token = ''

  async function request(method: string, path: string, body?: Json, expected = 200): Promise<Json> {
    const headers = { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' }
    const answer = await fetch(`${origin}/api/v1/${path}`, { method, headers, body: body && JSON.stringify(body) })
    const text = await answer.text()
    const shown = path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    say(`${method} /api/v1/${shown}  ${answer.status}`)
    if (answer.status !== expected) throw new Error(text)
    return text === '' ? {} : JSON.parse(text)
  }

  async function logIn(secret: string, as = email, expected = 200) {
    token = ''
    const session = await request('POST', 'auth/login', { email: as, password: secret }, expected)
    token = session.access_token ?? ''
    return session
  }

  /** Waits for a mail to somebody that has a link to this page, and opens the link in the browser. */
  async function openLink(to: string, path: string) {
    const pattern = new RegExp(`${origin}${path}#token=[\\w-]{43}`)
    for (let count = 1; ; count++) {
      const mail = await smtp.received(count)
      const [link] = pattern.exec(mail.text ?? '') ?? []
      if (link === undefined || mail.recipients[0] !== to || used.has(link)) continue
      used.add(link)
      say(`a mail to ${to}: “${mail.subject}”`)
      await page.goto('about:blank')
      await page.goto(link)
      return
    }
  }
  const used = new Set<string>()

  async function press() {
    await page.getByRole('button').click()
    await page.locator('form').waitFor({ state: 'hidden' })
    say(`the page ${new URL(page.url()).pathname} says: “${await page.getByRole('status').textContent()}”`)
  }

  const inPage = (method: string, path: string, body?: Json) =>
    page.evaluate(
      async ([method, path, body]) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`/api/v1/${path}`, { method: method!, headers, body })
        const text = await answer.text()
        if (!answer.ok) throw new Error(text)
        return text === '' ? {} : JSON.parse(text)
      },
      [method, path, body && JSON.stringify(body)] as const,
    ) as Promise<Json>

  /** Has the browser ask its authenticator, as JSON. */
  const inBrowser = (method: 'create' | 'get', parse: string, options: Json) =>
    page.evaluate<Json>(
      `navigator.credentials.${method}({ publicKey: PublicKeyCredential.${parse}(${JSON.stringify(options)}) }).then((it) => it.toJSON())`,
    )

  chapter('Ada registers, and verifies her address')
  const { user, access_token } = await request('POST', 'auth/register', { email, password, name: 'Ada', consents }, 201)
  token = access_token
  expectSame('email_verified', user.email_verified, false)
  await openLink(email, '/verify')
  expectSame('email_verified, with the page open', (await request('GET', 'me')).email_verified, false)
  await press()
  expectSame('email_verified', (await request('GET', 'me')).email_verified, true)

  chapter('She forgets her password, and sets a new one')
  await request('POST', 'auth/password/forgot', { email }, 202)
  await openLink(email, '/reset')
  await page.locator('#password').fill(newPassword)
  await press()
  await request('GET', 'me', undefined, 401)
  await logIn(password, email, 401)
  await logIn(newPassword)

  chapter('Her address changes, and is changed back by the old mailbox')
  await request('PUT', 'me/email', { email: newEmail, password: newPassword }, 202)
  expectSame('email', (await request('GET', 'me')).email, email)
  await openLink(newEmail, '/verify')
  await press()
  expectSame('email', (await request('GET', 'me')).email, newEmail)
  await openLink(email, '/email-undo')
  await press()
  await request('GET', 'me', undefined, 401)
  await logIn(newPassword)
  expectSame('email', (await request('GET', 'me')).email, email)

  chapter('She signs in by a provider, in Chromium')
  provider.signedIn.as = { sub: 'ada', email, email_verified: true, given_name: 'Ada' }
  await page.goto(`${origin}/api/v1/auth/oidc/acme/start?return_to=/verify`)
  await page.waitForURL(`${origin}/verify`)
  expectSame('it is the same account', (await inPage('GET', 'me')).id === user.id, true)

  chapter('She adds a passkey, and signs in with it alone')
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const creation = await inPage('POST', 'me/passkeys/options', {})
  const made = await inBrowser('create', 'parseCreationOptionsFromJSON', creation.options)
  const { label } = await inPage('POST', 'me/passkeys', { label: 'Laptop', credential: made })
  say(`the passkey “${label}” is hers`)
  await page.context().clearCookies()
  const wanted = await inPage('POST', 'auth/passkey/options', {})
  const shown = await inBrowser('get', 'parseRequestOptionsFromJSON', wanted.options)
  const byPasskey = await inPage('POST', 'auth/passkey', { credential: shown })
  expectSame('it is the same account', byPasskey.user.id === user.id, true)

  chapter('She links her messenger, and comes in by both')
  await request('POST', 'me/identities/messenger', { init_data: initData(messengerId, 'Ada') }, 201)
  token = ''
  const byMessenger = await request('POST', 'auth/messenger', { init_data: initData(messengerId, 'Ada') })
  expectSame('it is the same account', byMessenger.user.id === user.id, true)
  const byPassword = await logIn(newPassword)
  expectSame('it is the same account', byPassword.user.id === user.id, true)
  const { items } = await request('GET', 'me/identities')
  say(`her ways in: ${items.map((one: Json) => `${one.kind} (${one.label})`).join(', ')}`)

  chapter('What she was told')
  // The last of them is that of the newest way in.
  for (let count = 1, isLast = false; !isLast; count++) {
    const { subject, recipients, text } = await smtp.received(count)
    say(`${recipients[0]}: ${subject}`)
    isLast = text?.includes('Telegram') ?? false
  }
  console.log('\nOne account, and four ways in.')
}

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
if (!executablePath) throw new Error('this needs Chromium: install it, for example with apt-get install chromium')

const dataDir = mkdtempSync(join(tmpdir(), 'convene-demo-'))
const port = freePort()
const origin = `http://localhost:${port}`
const smtp = await smtpServer()
const provider = await oidcServer({ redirectUri: `${origin}/api/v1/auth/oidc/acme/callback` })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const server = await startServer({
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: origin,
    // The plain pages of links, which are there without the app too.
    WEB_APP: 'off',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Convene <hello@example.org>',
    MESSENGER_BOT_TOKEN: botToken,
    ...provider.settings('ACME'),
  })
  try {
    console.log(`A server runs at ${origin}, over an empty directory, ${dataDir}.`)
    await walk(origin, smtp, provider, await browser.newPage())
  } finally {
    await server.end()
  }
} finally {
  await browser.close()
  await provider.close()
  await smtp.close()
  rmSync(dataDir, { recursive: true })
}
