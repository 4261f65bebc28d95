import { $ } from 'bun'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { password, testApp } from '../app.ts'
import { executablePath, launch } from './client-page.ts'

const client = join(import.meta.dir, '../../client')
const project = mkdtempSync(join(tmpdir(), 'convene-tabs-'))
const browserTest = test.skipIf(!executablePath)
let browser: Browser
let site: Bun.Server<undefined>

// What a newcomer writes: each tab signs in with the session of the browser, or anew, and shows the chat.
const program = `import { createClient } from 'convene-client'

const { url, email, password, partner } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
const convene = createClient({ url })
await convene.ready
if (convene.session.get().state !== 'signed-in') await convene.signIn({ email, password })
convene.connect()
const chat = await convene.chats.start(partner)
const show = () => {
  document.body.replaceChildren(
    ...chat.messages.get().items.map(({ text, state }) => {
      const row = document.createElement('p')
      row.textContent = text + (state === 'sent' ? '' : ' …')
      return row
    }),
  )
  document.title = convene.connection.get().leads ? 'leads' : convene.connection.get().state
}
chat.messages.subscribe(show)
convene.connection.subscribe(show)
Object.assign(globalThis, { say: (text) => chat.send({ text }) })
`

beforeAll(async () => {
  if (!executablePath) return
  browser = await launch()
  await $`bun scripts/build.ts`.cwd(client).quiet()
  const packed = await $`bun pm pack --destination ${project} --ignore-scripts --quiet`.cwd(client).text()
  await Bun.write(join(project, 'package.json'), JSON.stringify({ name: 'tabs', type: 'module', private: true }))
  await $`bun add ${packed.trim().split('\n').at(-1)!}`.cwd(project).quiet()
  await Bun.write(join(project, 'page.js'), program)
  await $`bun build page.js --splitting --outdir site`.cwd(project).quiet()
  site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      const name = basename(new URL(url).pathname)
      if (name.endsWith('.js')) return new Response(Bun.file(join(project, 'site', name)))
      return new Response(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body></body><script type="module" src="/page.js"></script>',
        { headers: { 'content-type': 'text/html' } },
      )
    },
  })
}, 60_000)
afterAll(async () => {
  await browser?.close()
  await site?.stop(true)
  rmSync(project, { recursive: true })
})

browserTest(
  'with the packed package two people chat in two tabs, of which one is closed while it leads',
  async () => {
    const app = await testApp({ CORS_ORIGINS: site.url.origin })
    const { origin } = await app.listen()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await app.met(ada, bob)
    const errors: string[] = []
    const open = async (context: Awaited<ReturnType<Browser['newContext']>>, email: string, partner: string) => {
      const page = await context.newPage()
      page.on('pageerror', (error) => errors.push(error.message))
      await page.goto(`${site.url.origin}/#${new URLSearchParams({ url: origin, email, password, partner })}`)
      await page.waitForFunction(`['leads', 'online'].includes(document.title)`)
      return page
    }
    const shows = (page: Page, texts: string[]) =>
      page.waitForFunction(
        `[...document.querySelectorAll('p')].map((row) => row.textContent).join('|') === ${JSON.stringify(texts.join('|'))}`,
      )
    const hers = await browser.newContext()
    const first = await open(hers, ada.email, bob.id)
    const second = await open(hers, ada.email, bob.id)
    const his = await open(await browser.newContext(), bob.email, ada.id)
    expect(await first.title()).toBe('leads')
    const say = (page: Page, text: string) => page.evaluate((words) => (globalThis as any).say(words), text)
    await say(second, 'Coffee?')
    await shows(his, ['Coffee?'])
    await first.close()
    await say(his, 'Tea!')
    await shows(second, ['Coffee?', 'Tea!'])
    await second.waitForFunction(`document.title === 'leads'`)
    await say(second, 'At four')
    for (const page of [second, his]) await shows(page, ['Coffee?', 'Tea!', 'At four'])
    expect(errors).toEqual([])
  },
  60_000,
)
