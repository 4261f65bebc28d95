import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { testApp } from '../app.ts'
import { button, openAs, serveWeb } from './app-page.ts'

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

// 240 × 160, as phones save photos: red at the top left, blue-green at the bottom right. Made by libheif's heif-enc.
const file = join(import.meta.dir, '../fixtures/photo.heic')

const cornersOf = (url: string) => `(async () => {
  const bitmap = await createImageBitmap(await (await fetch(${JSON.stringify(url)})).blob())
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  const context = canvas.getContext('2d')
  context.drawImage(bitmap, 0, 0)
  const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3)
  return [at(20, 20), at(bitmap.width - 20, bitmap.height - 20)]
})()`

browserTest('a HEIC photo, which Chromium cannot read, is sent and is a profile photo', async () => {
  const app = await testApp()
  const web = await serveWeb(app)
  try {
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = await app.met(ada, bob)
    const { page, errors } = await openAs(browser, web.origin, ada)
    await page.goto(`${web.origin}/chats/${chat}`)
    await page.getByLabel('Choose a photo').setInputFiles(file)
    const sheet = page.getByRole('dialog', { name: 'Send a photo' })
    await sheet.getByRole('img', { name: 'Photo' }).first().waitFor()
    await button(sheet, 'Send').click()
    await page.getByRole('button', { name: 'Photo: You. Open it' }).waitFor()
    const [sent] = (await bob.get(`chats/${chat}/messages`)).body.items
    expect([sent.kind, sent.photo.width, sent.photo.height]).toEqual(['photo', 240, 160])
    const [red, green] = await page.evaluate<number[][]>(cornersOf(new URL(sent.photo.url, web.origin).href))
    // Each has a main colour that no conversion takes from it.
    expect(red![0]! - red![1]!).toBeGreaterThan(100)
    expect(green![1]! - green![0]!).toBeGreaterThan(100)

    await page.goto(`${web.origin}/me/edit`)
    await page.getByLabel('Choose a photo').setInputFiles(file)
    await button(page, 'Use photo').click()
    await page.getByRole('img', { name: 'Your photo' }).waitFor()
    expect(errors).toEqual([])
  } finally {
    await web.stop()
  }
})
