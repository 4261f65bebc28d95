import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { distance } from '../../src/features/location/sphere.ts'
import { testApp } from '../app.ts'
import { until } from '../until.ts'
import { button, expectAccessible, openAs, serveWeb, witness } from './app-page.ts'
import { executablePath } from './client-page.ts'

const browserTest = test.skipIf(!executablePath)
let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (!executablePath) return
  // The map is drawn by WebGL, here without a graphics card.
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
  ]
  browser = await chromium.launch({ executablePath, args })
})
afterAll(() => browser?.close())

const [ada, bob, cleo] = [
  { latitude: 52.5163, longitude: 13.3777 },
  { latitude: 52.5163, longitude: 13.3377 },
  { latitude: 52.5163, longitude: 13.4177 },
]

/** The operator's map: a style, and white tiles. */
async function serveMap() {
  const white = await new Bun.Image(
    Buffer.from('R0lGODlhAQABAIAAAP///////yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
  )
    .resize(256, 256, { fit: 'fill' })
    .png()
    .bytes()
  const asked: { path: string; referer: string | null }[] = []
  const headers = { 'access-control-allow-origin': '*' }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers: sent }) {
      const { pathname, search, origin } = new URL(url)
      asked.push({ path: pathname + search, referer: sent.get('referer') })
      if (pathname !== '/style.json')
        return new Response(white, { headers: { ...headers, 'content-type': 'image/png' } })
      const base = {
        type: 'raster',
        tiles: [`${origin}/{z}/{x}/{y}.png`],
        tileSize: 256,
        attribution: '<b>Tiles</b> of the test',
      }
      return Response.json(
        { version: 8, sources: { base }, layers: [{ id: 'base', type: 'raster', source: 'base' }] },
        { headers },
      )
    },
  })
  return { origin: server.url.origin, asked, stop: () => server.stop(true) }
}

/** In the columns of a picture: where something is drawn, as runs of columns, without what is narrower than a letter. */
const columnsOf = (png: string) => `(async () => {
  const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob())
  const canvas = new OffscreenCanvas(picture.width, picture.height)
  const context = canvas.getContext('2d')
  context.drawImage(picture, 0, 0)
  const { data, width, height } = context.getImageData(0, 0, picture.width, picture.height)
  const runs = []
  for (let x = 0; x < width; x++) {
    let drawn = false
    for (let y = Math.floor(height * 0.05); y < height * 0.9 && !drawn; y++) drawn = data[4 * (y * width + x)] < 245
    if (drawn && runs.at(-1)?.end === x) runs.at(-1).end = x + 1
    else if (drawn) runs.push({ start: x, end: x + 1 })
  }
  return runs.filter(({ start, end }) => end - start > 6 && start > 0 && end < width)
})()`

browserTest(
  'on the operator’s map people are circles of where they may be, at every zoom, and only its host is asked',
  async () => {
    const map = await serveMap()
    const app = await testApp({ MAP_STYLE_URL: `${map.origin}/style.json` })
    const web = await serveWeb(app)
    const people = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
    for (const [i, place] of [ada, bob, cleo].entries()) await people[i]!.put('me/location', place)
    const published = await Promise.all(people.slice(1).map(async (one) => (await one.get('me/location')).body))
    const apart = distance(published[0], published[1])
    const { page, context, errors } = await openAs(browser, web.origin, people[0]!, {
      viewport: { width: 1200, height: 760 },
    })
    const told = await witness(context)
    const scratch = await (await browser.newContext()).newPage()
    await page.goto(`${web.origin}/nearby`)
    await page.getByRole('link', { name: /^Bob/ }).waitFor()
    expect(map.asked).toEqual([])
    await button(page, 'Around me').click()
    await page.getByText('Tiles of the test').waitFor()
    const view = page.getByRole('application')
    await view.locator('canvas').waitFor()

    const look = async () => (await view.screenshot()).toString('base64')
    type Run = { start: number; end: number }
    /** Both circles, once the map stands still. */
    async function circles(): Promise<Run[]> {
      let [last, now] = ['', await look()]
      await until(async () => {
        ;[last, now] = [now, await look()]
        return last === now && (await scratch.evaluate<Run[]>(columnsOf(now))).length > 0
      }, 'the map stands still, with somebody on it')
      return scratch.evaluate<Run[]>(columnsOf(now))
    }
    const zoom = async (page: Page, by: number) => {
      const box = (await view.boundingBox())!
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
      await page.mouse.wheel(0, by)
    }
    const widths: number[] = []
    for (const by of [0, -200, -200, 500]) {
      if (by !== 0) await zoom(page, by)
      const seen = await circles()
      if (seen.length !== 2) continue
      const [one, other] = seen as [Run, Run]
      const [width, otherWidth] = [one.end - one.start, other.end - other.start]
      widths.push(width)
      expect(Math.abs(width - otherWidth)).toBeLessThan(4)
      // The scale of the picture, by how far the two are apart: both are as wide as what is not known of them.
      const metres = apart / ((other.start + other.end - one.start - one.end) / 2)
      expect(width * metres).toBeWithin(1120, 1290)
    }
    expect(widths.length).toBeGreaterThan(1)
    expect(Math.max(...widths) / Math.min(...widths)).toBeGreaterThan(1.3)

    // However long somebody turns the wheel, the view comes no nearer than zoom 13: its tiles of 256 pixels are those of 14.
    for (let i = 0; i < 15; i++) await zoom(page, -800)
    const tilesAsked = () =>
      map.asked.filter(({ path }) => path.endsWith('.png')).map(({ path }) => Number(path.split('/')[1]))
    await until(() => tilesAsked().includes(14), 'the tiles of the nearest view')
    expect(Math.max(...tilesAsked())).toBe(14)

    const hosts = new Set(told.addresses.filter((url) => /^(?:http|ws)/.test(url)).map((url) => new URL(url).host))
    expect([...hosts].toSorted()).toEqual([new URL(web.origin).host, new URL(map.origin).host].toSorted())
    for (const { path, referer } of map.asked) {
      expect(path).toMatch(/^\/style\.json$|^\/\d+\/\d+\/\d+\.png$/)
      expect(referer === null || referer === `${web.origin}/`).toBe(true)
    }
    expect(errors.filter((error) => !/WebGL|GPU/.test(error))).toEqual([])
    await context.close()
    await web.stop()
    await map.stop()
  },
  180_000,
)

browserTest('without a style of the operator’s there is a radar, and no tile is asked of anybody', async () => {
  const app = await testApp()
  const web = await serveWeb(app)
  const [mia, bo] = [await app.person('Mia'), await app.person('Bo')]
  await mia.put('me/location', ada)
  await bo.put('me/location', bob)
  const { page, context, errors } = await openAs(browser, web.origin, mia)
  const told = await witness(context)
  await page.goto(`${web.origin}/nearby`)
  await button(page, 'Around me').click()
  const radar = page.getByRole('img', { name: /^1 person within/ })
  await radar.waitFor()
  // Rings, me, and one circle as wide as what is not known.
  const scale = await radar.evaluate((svg) => {
    const circles = [...(svg as any).querySelectorAll('circle')].map((one: any) => Number(one.getAttribute('r')))
    return { ring: Math.max(...circles), circles }
  })
  const [, within = ''] = /within ([\d.]+)/.exec((await radar.getAttribute('aria-label')) ?? '') ?? []
  expect(scale.circles).toContainEqual(expect.any(Number))
  expect(scale.circles.some((r) => Math.abs((r / scale.ring) * Number(within) * 1000 - 600) < 30)).toBe(true)
  expect(told.addresses.filter((url) => !url.includes(new URL(web.origin).host))).toEqual([])
  expect(errors).toEqual([])
  await context.close()
  await web.stop()
})

browserTest('the radar begins with the nearest people, and shows the others when asked', async () => {
  const app = await testApp()
  const web = await serveWeb(app)
  const mia = await app.person('Mia')
  await mia.put('me/location', ada)
  for (let count = 0; count < 7; count++)
    await (await app.person(`Bo ${count}`)).put('me/location', { ...ada, latitude: ada.latitude + 0.02 * (count + 1) })
  const { page, context, errors } = await openAs(browser, web.origin, mia, { serviceWorkers: 'block' })
  let isAway = false
  // Two people a page, in place of fifty, and within 25 km.
  await page.route('**/api/v1/search/nearby*', (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('limit', '2')
    url.searchParams.set('radius', '25000')
    return isAway ? route.abort() : route.continue({ url: url.href })
  })
  // The list would fetch the next pages by itself.
  await page.addInitScript('globalThis.IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} }')
  await page.goto(`${web.origin}/nearby`)
  await button(page, 'Around me').click()
  await page.getByText('2 people. Touch a circle.').waitFor()
  await expectAccessible(page, 'a radar with more people')
  isAway = true
  await button(page, 'Show more people').click()
  await button(page, 'Try again').waitFor()
  isAway = false
  await button(page, 'Try again').click()
  await button(page, 'Show more people').click()
  await page.getByText('4 people. Touch a circle.').waitFor()
  // Going from one to the next reaches everybody.
  const names = new Set<string>()
  for (let count = 0; count < 7; count++) {
    await page.waitForLoadState('networkidle')
    await button(page, 'Next person').click()
    names.add(/Bo \d/.exec(await page.getByRole('link', { name: /^Bo \d/ }).innerText())?.[0] ?? '')
  }
  expect([...names].toSorted()).toEqual(Array.from({ length: 7 }, (_, at) => `Bo ${at}`))
  await page.getByRole('img', { name: /^7 people within/ }).waitFor()
  expect(await button(page, 'Show more people').count()).toBe(0)
  expect(errors).toEqual([])
  await context.close()
  await web.stop()
})
