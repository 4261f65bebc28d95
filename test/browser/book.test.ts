import { afterAll, expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import { type Browser, chromium, type Page } from 'playwright-core'
import { componentsOf, serveBook } from '../../scripts/book.ts'
import { semaphore } from '../../src/lib/semaphore.ts'
import { entriesOf } from '../../web/book/book.ts'
import { faces } from '../../web/book/faces.ts'
import {
  axeSource,
  contrast,
  enlarge,
  focusable,
  moving,
  openEntry,
  overflowing,
  resize,
  unfocused,
  violations,
  violationsButColours,
} from './book-page.ts'

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
const browserTest = test.skipIf(!executablePath)
const narrow = { width: 360, height: 740 }
const wide = { width: 1440, height: 900 }
/** `BOOK=chat/usual` looks at the states whose address contains it. */
const only = process.env.BOOK

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})

const screens = Object.entries(faces).flatMap(([name, face]) =>
  Object.entries(face.screens).map(([screen, { title }]) => ({
    title: `${face.title}, ${title}`,
    entries: entriesOf(face)
      .filter((entry) => entry.screen === screen)
      .map(({ id }) => `${name}/${id}`)
      .filter((entry) => only === undefined || entry.includes(only)),
  })),
)
const entries = screens.flatMap((screen) => screen.entries)
const drawn = new Set<string>()

type Opened = { page: Page; errors: string[] }
type Look = (opened: Opened, entry: string) => Promise<string[]>

const book = executablePath ? serveBook({ watch: false }) : null
let launched: Promise<Browser> | null = null
const idle: Opened[] = []
// Pages wait for pictures that are drawn most of the time, so that a processor has room for several.
const inTurn = semaphore({
  atOnce: 3 * Math.max(2, Math.min(4, availableParallelism())),
  waiting: Infinity,
  refuse: () => new Error('never'),
})

afterAll(async () => {
  await (await launched)?.close()
  await book?.stop(true)
})

/** The browser, and a new one where it has ended: the runner ends what a test has started that takes too long. */
async function browser(): Promise<Browser> {
  if (launched && (await launched).isConnected()) return launched
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  idle.length = 0
  launched = chromium.launch({ executablePath: executablePath!, args })
  return launched
}

async function openPage(): Promise<Opened> {
  // Pages have storage of their own: each state begins with an empty one.
  const context = await (
    await browser()
  ).newContext({
    viewport: narrow,
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(60_000)
  await context.addInitScript(axeSource)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  return { page, errors }
}

/** What is wrong with a state, looked at in one of the pages. */
async function inPage(entry: string, look: Look): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const opened = idle.pop() ?? (await openPage())
      opened.errors.length = 0
      const found = await look(opened, entry)
      idle.push(opened)
      return found
    } catch (error) {
      if (attempt === 1 && launched && !(await launched).isConnected()) continue
      return [String(error)]
    }
  }
}

/** Looks at all states, several at once. Each test waits for those of its own, so that its limit is for a part of the book. */
function lookingAt(all: readonly string[], look: Look) {
  const results = new Map<string, Promise<string[]>>()
  const begin = (entry: string) =>
    results.set(
      entry,
      inTurn(() => inPage(entry, look)),
    )
  return async (own: readonly string[]) => {
    if (results.size === 0) all.forEach(begin)
    const wrong: Record<string, string[]> = {}
    for (const entry of own) {
      // A second attempt of the test looks anew, and at once: in turn, it would wait for the rest of the book.
      const found = await (results.get(entry) ?? inPage(entry, look))
      if (found.length === 0) continue
      wrong[entry] = found
      results.delete(entry)
    }
    return wrong
  }
}

const look: Look = async ({ page, errors }, entry) => {
  const found: string[] = []
  const note = (what: string, list: string[]) => found.push(...list.map((one) => `${what}: ${one}`))
  const open = async (language: string) => {
    await page.setViewportSize(narrow)
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    const { book: state, drawn: parts, unknown } = await openEntry(page, book!.url, entry, `lang=${language}`)
    const face = entry.slice(0, entry.indexOf('/'))
    for (const part of parts) drawn.add(`${face}/${part}`)
    note(`${language}, no answer for`, unknown)
    if (state !== 'ready') note(language, [state])
  }

  await open('en')
  note('light, 360', await violations(page))
  note('focus', await unfocused(page))
  note('reduced motion', await moving(page))
  note('360', await overflowing(page))
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  note('dark, 360', await contrast(page))
  await resize(page, wide)
  note('dark, 1440', await violations(page))
  note('1440', await overflowing(page))
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  note('light, 1440', await contrast(page))
  await resize(page, narrow)
  await enlarge(page)
  note('200 % text', await overflowing(page))

  await open('ru')
  note('ru, 360', await violationsButColours(page))
  note('ru, 360', await overflowing(page))
  await resize(page, wide)
  note('ru, 1440', await overflowing(page))
  await resize(page, narrow)
  await enlarge(page)
  note('ru, 200 % text', await overflowing(page))
  // The state that is made to fail says so.
  if (!entry.endsWith('/whole/error')) note('the page failed', errors)
  return found
}

const looked = lookingAt(entries, look)

for (const { title, entries } of screens) {
  if (entries.length === 0) continue
  browserTest(
    `${title}: axe finds nothing, light and dark, narrow and wide, in English and Russian`,
    async () => expect(await looked(entries)).toEqual({}),
    180_000,
  )
}

browserTest('what waits pulses, and stands still for whoever wants no motion', async () => {
  const { page } = await openPage()
  await openEntry(page, book!.url, 'app/chats/slow', 'lang=en')
  expect(await moving(page)).toEqual([])
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  expect((await moving(page)).join()).toContain('pulse')
  await page.context().close()
})

browserTest('the list of the book has every state', async () => {
  const { page } = await openPage()
  await page.goto(book!.url.href)
  await page.waitForSelector('[data-entry]')
  const listed = await page.$$eval('[data-entry]', (links) =>
    links.map((link) => link.getAttribute('data-entry') ?? ''),
  )
  await page.context().close()
  expect(listed).toEqual(expect.arrayContaining(entries))
  if (only === undefined) expect(listed.length).toBeGreaterThan(200)
})

for (const [face, { title }] of Object.entries(faces)) {
  browserTest(
    `${title}: every component is drawn by a state of the book`,
    async () => {
      if (only !== undefined && only !== `${face}/`) return
      await looked(entries.filter((entry) => entry.startsWith(`${face}/`)))
      const all = (await componentsOf(face)).map((one) => `${face}/${one}`)
      expect(all.length).toBeGreaterThan(60)
      expect(all.filter((one) => !drawn.has(one))).toEqual([])
    },
    180_000,
  )
}

const walked = entries.filter((entry) => /\/(usual|report|block|menu|photo|review|crop)$/.test(entry))
const walkedBy = lookingAt(walked, async ({ page }, entry) => {
  await page.setViewportSize(narrow)
  await openEntry(page, book!.url, entry, 'lang=en')
  const count = await page.evaluate<number>(focusable)
  await page.evaluate('document.activeElement?.blur?.()')
  const reached = new Set<number>()
  // A field for a time takes the key several times.
  for (let key = 0; key < count * 3 + 3 && reached.size < count; key++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate<number>(`(() => {
      const all = (globalThis.walked ??= [])
      const one = document.activeElement
      if (one === document.body || one === null) return -1
      if (!all.includes(one)) all.push(one)
      return all.indexOf(one)
    })()`)
    if (at >= 0) reached.add(at)
  }
  return reached.size >= count ? [] : [`${reached.size} of ${count} were reached`]
})

browserTest(
  'the keys reach everything, in dialogs too, and leave again',
  async () => {
    if (only === undefined) expect(walked.length).toBeGreaterThan(25)
    expect(await walkedBy(walked)).toEqual({})
  },
  180_000,
)
