import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { testApp } from '../app.ts'
import { refuseSecrets } from '../unsaid.ts'
import { button, message, openAs, serveWeb, witness, write } from './app-page.ts'
import { executablePath, launch } from './client-page.ts'

const browserTest = test.skipIf(!executablePath)
let browser: Browser

if (!executablePath) test.skip('SKIPPED: this machine has no Chromium', () => {})
beforeAll(async () => {
  if (executablePath) browser = await launch()
})
afterAll(() => browser?.close())

const berlin = { latitude: 52.51634, longitude: 13.37772 }
const texts = {
  first: 'Shall we meet at the pink fountain?',
  answer: 'Gladly, at a quarter to nine.',
  rude: 'You are a perfect nuisance.',
  offline: 'Written in the tunnel.',
  meanwhile: 'Sent while you were away.',
  third: 'Cleo here, may I join?',
}

/** A connection as on a train: half a second until anything comes, and 50 kB a second. */
async function throttle(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  const conditions = { offline: false, latency: 500, downloadThroughput: 50_000, uploadThroughput: 20_000 }
  await cdp.send('Network.emulateNetworkConditions', conditions)
  return () =>
    cdp.send('Network.emulateNetworkConditions', {
      ...conditions,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    })
}

browserTest(
  'three people meet, chat, lose the network, resume, review, report and block; the decision closes it; and nobody else hears of any of it',
  async () => {
    const app = await testApp()
    const web = await serveWeb(app)
    const [ada, bob, cleo, mo] = [
      await app.person('Ada'),
      await app.person('Bob'),
      await app.person('Cleo'),
      await app.person('Mo'),
    ]
    await app.rows("UPDATE users SET role = 'moderator' WHERE id = ?", mo.id)
    app.forget(mo.id)
    const place = { geolocation: berlin, permissions: ['geolocation'] }
    const open = async (person: typeof ada) => {
      const opened = await openAs(browser, web.origin, person, place)
      return { ...opened, told: await witness(opened.context) }
    }
    const [hers, his, third] = [await open(ada), await open(bob), await open(cleo)]
    const [a, b, c] = [hers.page, his.page, third.page]

    // Everybody is found, Cleo over a slow network.
    const unthrottle = await throttle(c)
    for (const page of [a, b, c]) {
      await page.goto(`${web.origin}/nearby`)
      await button(page, 'Share my rough place').click()
      await button(page, 'Hide me').waitFor()
    }
    await c.getByRole('link', { name: /^Ada/ }).waitFor()
    await button(a, 'Refresh').click()
    await a.getByRole('link', { name: /^Cleo/ }).waitFor()
    await a.getByRole('link', { name: /^Bob/ }).click()
    await button(a, 'Write a message').click()
    await write(a, texts.first)
    await b.getByRole('link', { name: /Chats$/ }).click()
    // Until the list of chats is there, Ada is a link to her profile.
    await b.getByText(texts.first).waitFor()
    await b.getByRole('link', { name: /Ada/ }).click()
    await message(b, texts.first).waitFor()
    await write(b, texts.answer)
    await message(a, texts.answer).waitFor()

    // Cleo writes on the slow network: the message is there at once, and marked once it arrived.
    await c.getByRole('link', { name: /^Ada/ }).click()
    await button(c, 'Write a message').click()
    await c.getByRole('textbox', { name: /^Message to/ }).fill(texts.third)
    await button(c, 'Send').click()
    await message(c, texts.third).getByRole('img', { name: 'sent', exact: true }).waitFor()
    await a
      .getByRole('link', { name: /Chats, 1/ })
      .or(a.getByText('1 unread'))
      .first()
      .waitFor({ state: 'attached' })
    await unthrottle()

    // The tunnel: what was written waits, and what others wrote arrives after it, once.
    await hers.context.setOffline(true)
    await write(a, texts.offline)
    await message(a, texts.offline).getByRole('img', { name: 'waiting to be sent' }).waitFor()
    await write(b, texts.meanwhile)
    await hers.context.setOffline(false)
    await message(a, texts.meanwhile).waitFor()
    await message(b, texts.offline).waitFor()
    expect([await message(b, texts.offline).count(), await message(a, texts.meanwhile).count()]).toEqual([1, 1])

    await button(a, 'More about this chat').click()
    await button(a, 'Review').click()
    await a.getByRole('radio', { name: '4 stars' }).check()
    await a.getByRole('textbox', { name: 'In a few words' }).fill('Punctual.')
    await button(a, 'Publish the review').click()
    await a.getByText('Your review is published').waitFor()

    await write(b, texts.rude)
    await message(a, texts.rude).hover()
    await message(a, texts.rude).getByRole('button', { name: 'More about this message' }).click()
    await button(a, 'Harassment or threats').click()
    await a.getByText('Thank you. The moderators will look at it.').waitFor()
    await button(a, 'Block Bob too').click()
    await a.getByText('Bob is blocked').waitFor()

    // The moderator decides. Both learn what concerns them, while their pages are open.
    const [report] = (await mo.get('admin/reports')).body.items
    const decision = { action: 'warn', note: 'Be kind to each other.' }
    expect((await mo.post(`admin/reports/${report.id}/resolve`, decision)).status).toBe(200)
    await a.goto(`${web.origin}/settings/reports`)
    await a
      .getByText('The user was warned')
      .or(a.getByText(/warned/i))
      .first()
      .waitFor()
    await b.goto(`${web.origin}/settings/reports`)
    await b.getByText('Be kind to each other.').waitFor()
    expect(await b.getByText('Ada').count()).toBe(0)
    // Bob is not found by Ada any more, and Cleo still is.
    await a.goto(`${web.origin}/nearby`)
    await a.getByRole('link', { name: /^Cleo/ }).waitFor()
    expect(await a.getByRole('link', { name: /^Bob/ }).count()).toBe(0)

    // What was told to anybody.
    const points = await app.rows<{ latitude: number; longitude: number }>('SELECT latitude, longitude FROM locations')
    const secrets = [
      ...[ada, bob, cleo].flatMap(({ email, token, refresh }) => [email, token, refresh]),
      ...Object.values(texts),
      ...['Be kind', 'Punctual'],
      ...[berlin, ...points].flatMap(({ latitude, longitude }) => [latitude.toFixed(3), longitude.toFixed(3)]),
    ]
    for (const { told, page } of [hers, his, third]) {
      expect(told.addresses.length).toBeGreaterThan(30)
      expect(told.titles.length).toBeGreaterThan(0)
      // Nothing of it goes anywhere else.
      const hosts = new Set(
        told.addresses.filter((url) => !/^(?:blob|data):/.test(url)).map((url) => new URL(url).host),
      )
      expect([...hosts]).toEqual([new URL(web.origin).host])
      const tokens = await page.evaluate<string>(
        `new Promise((done) => { const opening = indexedDB.open('convene', 1); opening.onsuccess = () => {
          const reading = opening.result.transaction('items').objectStore('items').get('convene:session')
          reading.onsuccess = () => done(JSON.parse(reading.result).tokens.access_token) } })`,
      )
      expect(tokens.length).toBeGreaterThan(50)
      for (const [where, all] of Object.entries({
        addresses: told.addresses.map((url) => decodeURIComponent(url)),
        titles: told.titles,
        console: told.console,
        // The seconds of a time may equal the digits of a position.
        logged: [app.logged().replaceAll(/"time":"[^"]*"/g, '')],
      }))
        for (const secret of [...secrets, tokens])
          expect({ where, secret, found: all.filter((text) => text.includes(secret)).slice(0, 3) }).toEqual({
            where,
            secret,
            found: [],
          })
    }
    refuseSecrets(app.logged(), secrets)
    expect([...hers.errors, ...his.errors, ...third.errors]).toEqual([])
    for (const { context } of [hers, his, third]) await context.close()
    await web.stop()
  },
  240_000,
)
