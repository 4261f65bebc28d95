import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { serveBook } from '../scripts/book.ts'
import { median } from './load.ts'
import { dataDir, newPerson, openServices, startOurs } from './ours.ts'
import { markdown, number, options, publish } from './report.ts'

/** How many times slower than this machine the browser's processor is made. */
const slower = 4
/** Frames that are later than this were seen to be missed, at 60 a second. */
const lateMs = 25
const few = 1000
const many = 5000

const phone = { width: 360, height: 740 }

// What runs in a page is text: the types here are those of Bun.
const onceShown = (selector: string) => `globalThis.shownAfter = new Promise((done) => {
  const look = () => {
    if (!document.querySelector(${JSON.stringify(selector)})) return requestAnimationFrame(look)
    // In the frame after it was drawn, a touch would be answered.
    requestAnimationFrame(() => setTimeout(() => done(performance.now())))
  }
  look()
})`

/** Presses what a selector finds, and answers when an expression is true and drawn, in milliseconds. */
const pressAndWait = (press: string, until: string) => `new Promise((done) => {
  const pressed = performance.now()
  const look = () => {
    if (${until}) return requestAnimationFrame(() => setTimeout(() => done(performance.now() - pressed)))
    requestAnimationFrame(look)
  }
  document.querySelector(${JSON.stringify(press)}).click()
  look()
})`

/** Scrolls a list as a thumb does, and answers how long each frame took. */
const scrolled = (selector: string, seconds: number) => `new Promise((done) => {
  const list = [...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.scrollHeight > one.clientHeight + 100)
  const back = list.scrollTop > list.scrollHeight / 2 ? -1 : 1
  const frames = []
  const end = performance.now() + ${seconds * 1000}
  let before
  const step = (now) => {
    if (before !== undefined) frames.push(now - before)
    before = now
    list.scrollTop += back * 40
    if (now < end) requestAnimationFrame(step)
    else done(frames)
  }
  requestAnimationFrame(step)
})`

const tellMessages = (from: number, count: number) => `(async () => {
  for (let at = 0; at < ${count}; at++) {
    globalThis.book.tellMessage(${from} + at)
    if (at % 20 === 0) await new Promise((drawn) => requestAnimationFrame(drawn))
  }
})()`

async function slowDown(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower })
  return session
}

/** From the beginning of a visit until the screen answers, in milliseconds. Nothing is cached. */
async function interactive(browser: Browser, url: string, selector: string, prepare?: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ viewport: phone, locale: 'en', serviceWorkers: 'block' })
  const page = await context.newPage()
  await prepare?.(page)
  await slowDown(page)
  await page.addInitScript(onceShown(selector))
  await page.goto(url)
  const ms = await page.evaluate<number>('globalThis.shownAfter')
  return { ms, page, context }
}

/** Puts a session in the place where the app looks for one. */
const keepSession = (session: object) => `new Promise((done) => {
  const opening = indexedDB.open('convene', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore('items')
  opening.onsuccess = () => {
    const writing = opening.result.transaction('items', 'readwrite')
    writing.objectStore('items').put(${JSON.stringify(JSON.stringify(session))}, 'convene:session')
    writing.oncomplete = () => done(opening.result.close())
  }
})`

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

/** What the app is like on a slow phone: its start, its answer to a touch, its lists, and its memory. */
export async function main() {
  const chosen = options({ seconds: 4, rounds: 5 })
  const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
  if (!executablePath) throw new Error('this is measured in Chromium, which this machine does not have')
  const dir = dataDir()
  const services = await openServices(dir)
  const ada = await newPerson(services, 'Ada')
  await services.storage.close()
  const server = await startOurs(dir)
  const origin = server.url.origin
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const place = JSON.stringify({ latitude: 52.5163, longitude: 13.3777 })
  await fetch(`${origin}/api/v1/me/location`, { method: 'PUT', headers, body: place })
  const user: unknown = await (await fetch(`${origin}/api/v1/me`, { headers })).json()
  const tokens = { access_token: ada.token, refresh_token: '', good_until: Date.now() + 600_000 }

  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath, args })
  const [welcome, nearby, touch]: number[][] = [[], [], []]
  for (let round = 0; round < chosen.rounds; round++) {
    const first = await interactive(browser, origin, 'a[href="/sign-up"]')
    welcome!.push(first.ms)
    await first.context.close()
    const second = await interactive(browser, `${origin}/nearby`, 'section p[role=status] + button', async (page) => {
      await page.goto(`${origin}/health`)
      await page.evaluate(keepSession({ id: 'bench', user, tokens, reason: null }))
    })
    nearby!.push(second.ms)
    // "Hide me" is answered at once, and the server later.
    touch!.push(
      await second.page.evaluate<number>(
        pressAndWait('section p[role=status] + button', `document.body.textContent.includes('You are hidden')`),
      ),
    )
    await second.context.close()
  }

  const book = serveBook({ watch: false })
  const lists: { name: string; frames: number[] }[] = []
  for (const [name, entry, selector] of [
    ['10,000 messages', 'app/chat/many', '[role=log]'],
    ['1,000 chats', 'app/chats/many', 'main section > div'],
    ['100 people nearby', 'app/nearby/many', 'main section > div'],
  ] as const) {
    const context = await browser.newContext({ viewport: phone, locale: 'en' })
    const page = await context.newPage()
    await page.goto(`${book.url}book/${entry}?lang=en`)
    await page.waitForFunction('document.documentElement.dataset.book')
    await slowDown(page)
    lists.push({ name, frames: await page.evaluate<number[]>(scrolled(selector, chosen.seconds)) })
    await context.close()
  }

  const context = await browser.newContext({ viewport: phone, locale: 'en' })
  const page = await context.newPage()
  await page.goto(`${book.url}book/app/chat/usual?lang=en`)
  await page.waitForFunction('document.documentElement.dataset.book')
  const session = await page.context().newCDPSession(page)
  const elements = () => page.evaluate<number>('document.querySelectorAll("*").length')
  await page.evaluate(tellMessages(0, few))
  const before = { heap: await heapOf(session), elements: await elements() }
  await page.evaluate(tellMessages(few, many))
  const after = { heap: await heapOf(session), elements: await elements() }
  await browser.close()
  await book.stop(true)
  await server.stop()

  const lateOf = (frames: number[]) => frames.filter((ms) => ms > lateMs).length / frames.length
  const perMessage = (after.heap - before.heap) / many
  await publish(
    {
      title: 'The app on a slow phone',
      tables: [
        markdown(
          [`processor ${slower} × slower`, 'ms'],
          [
            ['welcome, from nothing to a touch', number(median(welcome!))],
            ['nearby, signed in', number(median(nearby!))],
            ['a touch on “Hide me” until it is drawn', number(median(touch!))],
          ],
        ),
        markdown(
          ['scrolling', 'frames a second', 'late frames'],
          lists.map(({ name, frames }) => [name, number(1000 / median(frames)), `${number(lateOf(frames) * 100)} %`]),
        ),
        markdown(
          ['after messages', 'heap, MiB', 'elements'],
          [
            [number(few), number(before.heap / 2 ** 20), number(before.elements)],
            [number(few + many), number(after.heap / 2 ** 20), number(after.elements)],
          ],
        ),
      ],
      findings: [
        { name: 'welcome answers, ms', value: median(welcome!), bound: { atMost: 1000 } },
        { name: 'nearby answers, ms', value: median(nearby!), bound: { atMost: 1000 } },
        { name: 'a touch is answered, ms', value: median(touch!), bound: { atMost: 100 } },
        ...lists.map(({ name, frames }) => ({
          name: `${name}: frames a second`,
          value: 1000 / median(frames),
          bound: { atLeast: 59 },
        })),
        ...lists.map(({ name, frames }) => ({
          name: `${name}: late frames`,
          value: lateOf(frames),
          bound: { atMost: 0.05 },
        })),
        { name: 'heap for each arriving message, bytes', value: perMessage, bound: { atMost: 2000 } },
        {
          name: `elements after ${number(few + many)} ÷ after ${number(few)}`,
          value: after.elements / before.elements,
          bound: { atMost: 1.1 },
        },
      ],
      pairs: [],
      figures: { welcome, nearby, touch, lists, before, after },
    },
    chosen,
  )
}

if (import.meta.main) await main()
