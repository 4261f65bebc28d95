import { expect } from 'bun:test'
import axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { buildApp } from '../../src/app.ts'
import { openWebFiles, type WebFiles } from '../../src/http/web-files.ts'
import { listen } from '../../src/listen.ts'
import { password, type Person, type TestApp } from '../app.ts'

/** The web pages, as they were built. */
export async function builtPages(): Promise<WebFiles> {
  const files = await openWebFiles()
  if (files === null) throw new Error('the web pages have not been built: run `bun run build:web`')
  return files
}

/** The web app of a test's server, at a port of its own or a given one, and with the pages of another build where they are given. */
export async function serveWeb({ services }: TestApp, { port = 0, files }: { port?: number; files?: WebFiles } = {}) {
  const app = buildApp(services, files ?? (await builtPages()))
  const base = listen(app, services, { host: '127.0.0.1', port })
  return { origin: base.origin, stop: () => app.stop(true) }
}

/** A page in a browser of its own, of somebody whom the server does not know yet. `errors` is what it complained about. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en', ...options })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  await page.goto(url)
  return { context, page, errors }
}

export const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, exact: true }).first()
export const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })
export const write = async (page: Page, text: string, of = /^Message to/, send = 'Send') => {
  await page.getByRole('textbox', { name: of }).fill(text)
  await button(page, send).click()
}

// What runs in the page is text: the types here are those of Bun.
const signInPage = (login: { email: string; password: string }) => `(async () => {
  const response = await fetch('/api/v1/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(${JSON.stringify(login)}),
  })
  const { user, access_token, expires_in } = await response.json()
  const good_until = Date.now() + expires_in * 1000
  const session = { id: 'test', user, tokens: { access_token, refresh_token: '', good_until }, reason: null }
  await new Promise((done, failed) => {
    const opening = indexedDB.open('convene', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore('items')
    opening.onerror = () => failed(opening.error)
    opening.onsuccess = () => {
      const writing = opening.result.transaction('items', 'readwrite')
      writing.objectStore('items').put(JSON.stringify(session), 'convene:session')
      writing.oncomplete = () => done(opening.result.close())
    }
  })
})()`

const checkPage = `(async () => {
  // What comes after a picture in the new colours: parts that are off the screen get theirs only then.
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))
  const { violations } = await axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  })
  return violations.map(({ id, nodes }) =>
    id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary).join(' | '))
})()`

/** A page of somebody who has signed in, in a browser of their own. `errors` is what the page complained about. */
export async function openAs(browser: Browser, origin: string, person: Person, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'en', ...options })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    // What the server refuses is part of the tests; what the policy refuses is not.
    if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
      errors.push(message.text())
  })
  await page.goto(`${origin}/health`)
  await page.evaluate(signInPage({ email: person.email, password }))
  return { context, page, errors }
}

/**
 * Writes down what a browser could tell to others: the addresses that it asks for, the titles of its pages, and their consoles.
 * To be called before anything is opened.
 */
export async function witness(context: BrowserContext) {
  const told = { addresses: [] as string[], titles: [] as string[], console: [] as string[], errors: [] as string[] }
  context.on('request', (request) => void told.addresses.push(request.url()))
  const listen = (page: Page) => {
    page.on('websocket', (socket) => void told.addresses.push(socket.url()))
    page.on('console', (message) => void told.console.push(message.text()))
    page.on('pageerror', (error) => void told.errors.push(String(error)))
  }
  context.on('page', listen)
  for (const page of context.pages()) listen(page)
  await context.exposeBinding('tellTitle', (_, title: string) => void told.titles.push(title))
  await context.addInitScript(`addEventListener('DOMContentLoaded', () => {
    tellTitle(document.title)
    new MutationObserver(() => tellTitle(document.title)).observe(document.head, { childList: true, subtree: true, characterData: true })
  })`)
  return told
}

/** Nothing that axe finds wrong, in the light and in the dark. */
export async function expectAccessible(page: Page, what: string) {
  // Evaluated by the browser's own tools, so that the policy of the page stays as it is.
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const found = await page.evaluate<string[]>(checkPage)
    expect({ what, colorScheme, found }).toEqual({ what, colorScheme, found: [] })
  }
}
