/**
 * `bun run demo:app`: a new user's way through the app of a fresh server with a seeded community, in Chromium. One line is printed
 * for each step; anything that the pages complain about ends it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { demoEmail, demoPassword } from '../src/seed/demo-account.ts'
import { convene, startServer } from './convene.ts'

const place = { latitude: 52.5163, longitude: 13.3777 }
const [email, password] = ['mia.new@example.org', 'fifteen green bottles']

let steps = 0
const begun = performance.now()
const say = (text: string) =>
  console.log(`${String(++steps).padStart(2)}. ${text}  (${((performance.now() - begun) / 1000).toFixed(1)} s)`)

function ensure(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(`${what}: this does not hold`)
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, exact: true }).first()
const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })
async function write(page: Page, text: string) {
  await page.getByRole('textbox', { name: /^Message to/ }).fill(text)
  await button(page, 'Send').click()
}

/** A phone of somebody. Whatever its pages complain about is kept, but for the network that the walk itself takes away. */
async function phone(browser: Browser, complaints: string[]) {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    locale: 'en',
    geolocation: place,
    permissions: ['geolocation'],
  })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (line) => {
    // Not yet published positions and profiles that are gone answer 404, and an account that is being erased answers 401.
    if (line.type() === 'error' && !/net::ERR_INTERNET_DISCONNECTED|status of 40[14]/.test(line.text()))
      complaints.push(line.text())
  })
  return { context, page }
}

async function walk(origin: string, browser: Browser) {
  const complaints: string[] = []
  const { context, page } = await phone(browser, complaints)
  const neighbour = await phone(browser, complaints)

  await page.goto(origin)
  await heading(page, 'Meet people nearby').waitFor()
  say(`${origin} shows the app`)

  await page.getByRole('link', { name: 'Create account' }).click()
  await page.getByLabel('First name').fill('Mia')
  await page.getByLabel('E-mail or phone').fill(email)
  await page.getByLabel('Password').fill(password)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await button(page, 'Create account').click()
  await heading(page, 'Edit profile').waitFor()
  await page.getByLabel('About you').fill('New in town, and looking for a game of chess.')
  await button(page, 'Save').click()
  await page.getByRole('article').getByText('looking for a game of chess').waitFor()
  say('Mia has signed up and says who she is')

  await page.getByRole('link', { name: /^Nearby/ }).click()
  await button(page, 'Share my rough place').click()
  await button(page, 'Hide me').waitFor()
  const people = page.getByRole('main').getByRole('link')
  await people.first().waitFor()
  const faces = await page.getByRole('main').locator('img').count()
  ensure(faces > 0, 'people nearby have faces')
  say(`she finds people nearby, ${faces} of those on the screen with a portrait`)

  const them = neighbour.page
  await them.goto(`${origin}/sign-in`)
  await them.getByLabel('E-mail or phone').fill(demoEmail(1))
  await them.getByLabel('Password').fill(demoPassword)
  await button(them, 'Sign in').click()
  await heading(them, 'Nearby').waitFor()
  await button(them, 'Share my rough place').or(button(them, 'Hide me')).first().waitFor()
  await them.getByRole('link', { name: /^Mia/ }).first().click()
  await heading(them, 'Mia').waitFor()
  say('somebody of the community finds her')

  await button(them, 'Write a message').click()
  await write(them, 'Welcome! I play chess on Sundays.')
  await page.getByRole('link', { name: /Chats$/ }).click()
  await page.getByText('Welcome! I play chess on Sundays.').click()
  await write(page, 'This Sunday?')
  await message(them, 'This Sunday?').waitFor()
  say('they write to each other')

  await page.evaluate('navigator.serviceWorker.ready')
  await context.setOffline(true)
  await write(page, 'Written in the tunnel.')
  await message(page, 'Written in the tunnel.').getByRole('img', { name: 'waiting to be sent' }).waitFor()
  await write(them, 'At three, by the river.')
  await message(them, 'At three, by the river.').getByRole('img', { name: 'sent', exact: true }).waitFor()
  say('Mia loses the network and writes on')

  await context.setOffline(false)
  await message(page, 'At three, by the river.').waitFor()
  await message(them, 'Written in the tunnel.').waitFor()
  ensure((await message(them, 'Written in the tunnel.').count()) === 1, 'nothing is doubled')
  say('it comes back: what both wrote is there, once')

  const cdp = await context.newCDPSession(page)
  const manifest = await cdp.send('Page.getAppManifest')
  ensure(manifest.errors.length === 0, 'the manifest has no errors')
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
  const obstacles = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')
  ensure(obstacles.length === 0, `nothing keeps the browser from installing it, but ${obstacles.join(', ')}`)
  const { name } = JSON.parse(manifest.data ?? '{}')
  await page.reload()
  await page.waitForFunction('navigator.serviceWorker.controller !== null')
  await context.setOffline(true)
  await page.goto(`${origin}/chats`)
  // Who one has chatted with is kept on the device.
  await page.getByRole('main').getByRole('link').first().waitFor()
  await context.setOffline(false)
  say(`the app can be installed as “${name}”, and opens without a network`)

  await page.goto(`${origin}/settings/language`)
  await page.getByLabel('Русский').check()
  await heading(page, 'Язык').waitFor()
  await page.goto(`${origin}/nearby`)
  await heading(page, 'Рядом').waitFor()
  await page.goto(`${origin}/settings/language`)
  await page.getByLabel('English').check()
  await heading(page, 'Language').waitFor()
  say('it speaks Russian, and English again')

  await page.goto(`${origin}/settings/data`)
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download everything').click()])
  const everything = await Bun.file(await file.path()).text()
  for (const known of [email, 'a game of chess', 'Written in the tunnel.'])
    ensure(everything.includes(known), `“${known}” is in the export`)
  say(`she downloads all that is known of her, ${everything.length} bytes`)

  await page.goto(`${origin}/settings/erase`)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('checkbox').check()
  await button(page, 'Erase my account').click()
  await heading(page, 'Meet people nearby').waitFor()
  await them.goto(`${origin}/nearby`)
  await button(them, 'Hide me').waitFor()
  await button(them, 'Refresh').click()
  await them.getByRole('main').getByRole('link').first().waitFor()
  ensure((await them.getByRole('link', { name: /^Mia/ }).count()) === 0, 'she is gone')
  say('she erases her account, and nobody finds her any more')

  ensure(complaints.length === 0, `the pages complain about nothing, but ${complaints.join('; ')}`)
  say('no page has complained about anything')
}

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
if (!executablePath) throw new Error('this needs Chromium: install it, for example with apt-get install chromium')

const dataDir = mkdtempSync(join(tmpdir(), 'convene-demo-'))
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  const near = `${place.latitude},${place.longitude}`
  const seeded = await convene(['seed', '--users', '60', '--near', near, '--photos', '--messages', '400'], {
    DATA_DIR: dataDir,
  })
  if (seeded.code !== 0) throw new Error(seeded.err)
  say('one command has made a community of 60 people, with portraits and chats')
  const server = await startServer({ DATA_DIR: dataDir })
  try {
    say(`one command has started the server, over ${dataDir}`)
    await walk(server.base.origin, browser)
  } finally {
    await server.end()
  }
} finally {
  await browser.close()
  rmSync(dataDir, { recursive: true })
}
