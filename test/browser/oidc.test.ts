import { afterAll, beforeAll, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { type Browser, chromium } from 'playwright-core'
import { testApp } from '../app.ts'
import { oidcServer } from '../oidc.ts'

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

/** A page at an origin that serves the API too. To a browser the provider, at 127.0.0.1, is another site. */
async function open(name: string, apple?: { privateKey: string }) {
  let handle: (request: Request) => Response | Promise<Response> = () => new Response()
  const link = `<a href="/api/v1/auth/oidc/${name}/start?return_to=/welcome">Sign in</a>`
  const site = Bun.serve({
    port: 0,
    fetch(request) {
      if (new URL(request.url).pathname.startsWith('/api/')) return handle(request)
      return new Response(`<!doctype html><title>App</title>${link}`, { headers: { 'content-type': 'text/html' } })
    },
  })
  const origin = `http://localhost:${site.port}`
  const provider = await oidcServer({
    redirectUri: `${origin}/api/v1/auth/oidc/${name}/callback`,
    ...(apple && { apple: { verify: (secret: string) => secret.split('.').length === 3 } }),
  })
  const NAME = name.toUpperCase()
  const { [`OIDC_${NAME}_CLIENT_SECRET`]: secret, ...settings } = provider.settings(NAME)
  const credentials: Record<string, string> = apple
    ? { OIDC_APPLE_TEAM_ID: 'TEAM', OIDC_APPLE_KEY_ID: 'KEY', OIDC_APPLE_PRIVATE_KEY: apple.privateKey }
    : { [`OIDC_${NAME}_CLIENT_SECRET`]: secret! }
  const app = await testApp({ PUBLIC_URL: origin, ...settings, ...credentials })
  app.clock.now = Date.now()
  handle = (request) => app.app.handle(request)
  const context = await browser.newContext()
  const page = await context.newPage()
  return {
    ...{ app, origin, provider, context, page },
    async signIn() {
      await page.goto(`${origin}/`)
      await page.getByText('Sign in').click()
      await page.waitForURL(`${origin}/welcome**`)
    },
    /** The account that the page's cookies are of. */
    me: () => page.evaluate<{ id: string; name: string; code?: string }>('fetch("/api/v1/me").then((r) => r.json())'),
    async [Symbol.asyncDispose]() {
      await context.close()
      await site.stop(true)
      await app.close()
      await provider.close()
    },
  }
}

browserTest('a link signs in at a provider, and the page is signed in by cookies that it cannot read', async () => {
  await using opened = await open('acme')
  const { page, provider, context, origin, me, signIn } = opened
  provider.signedIn.as = { sub: 'mia', given_name: 'Mia' }
  await signIn()
  expect(page.url()).toBe(`${origin}/welcome`)
  const first = await me()
  expect(first.name).toBe('Mia')
  expect(
    (await context.cookies())
      .filter(({ name }) => name.startsWith('app_'))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['app_at', 'app_rt'])
  expect(await page.evaluate('document.cookie')).toBe('')
  await context.clearCookies()
  expect((await me()).code).toBe('unauthenticated')
  await signIn()
  expect((await me()).id).toBe(first.id)
})

browserTest(
  'a provider that posts a form, as Apple does, finds the cookie of the browser that it sends back',
  async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await using opened = await open('apple', {
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    })
    const { page, provider, origin, me, signIn, app } = opened
    provider.signedIn.as = { sub: '001.mia', email: 'mia@example.org', email_verified: 'true' }
    await signIn()
    expect(page.url()).toBe(`${origin}/welcome`)
    expect(await me()).toMatchObject({ email: 'mia@example.org' })
    expect(await app.rows('SELECT id FROM identities WHERE grant_token IS NOT NULL')).toHaveLength(1)
  },
)

browserTest('a provider that is away sends the page back with the reason', async () => {
  await using opened = await open('acme')
  const { page, provider, origin, me, signIn } = opened
  provider.state.behaviour = 'fail'
  await signIn()
  expect(page.url()).toBe(`${origin}/welcome#error=busy`)
  expect((await me()).code).toBe('unauthenticated')
})
