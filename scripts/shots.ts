// Takes the pictures of docs/screens.md from the component book: `bun run web:shots`, or of one face: `bun run web:shots console`.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { entriesOf } from '../web/book/book.ts'
import { faces } from '../web/book/faces.ts'
import { serveBook } from './book.ts'

const root = join(import.meta.dir, '..')
const folder = join(root, 'docs/screens')
const narrow = { width: 360, height: 740 }
const wide = { width: 1440, height: 900 }
/** The screens that have a layout of their own in a wide window. */
const alsoWide = ['app/nearby/usual', 'app/chat/usual', 'app/person/usual']

type Shot = { entry: string; caption: string; face: string }

const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
if (!executablePath) throw new Error('install Chromium, in which the pictures are taken')

const shots: Shot[] = Object.entries(faces).flatMap(([face, { pictures }]) =>
  Object.entries(pictures).map(([id, caption]) => ({ entry: `${face}/${id}`, caption, face })),
)
for (const [name, face] of Object.entries(faces)) {
  const known = new Set(entriesOf(face).map(({ id }) => id))
  const missing = Object.keys(face.pictures).filter((id) => !known.has(id))
  if (missing.length > 0) throw new Error(`the book has no ${name}/${missing.join(', ')}`)
}

const book = serveBook({ watch: false })
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
const browser = await chromium.launch({ executablePath, args })

async function take(entry: string, colorScheme: 'light' | 'dark', viewport: typeof narrow): Promise<Uint8Array> {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: viewport === narrow ? 1.5 : 1,
    timezoneId: 'Europe/Berlin',
    locale: 'en',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(`${book.url}book/${entry}?lang=en`)
  await page.waitForFunction('document.documentElement.dataset.book')
  const state = await page.evaluate<string>('document.documentElement.dataset.book')
  if (state !== 'ready') throw new Error(`${entry}: ${state}`)
  await page.evaluate('document.activeElement?.blur?.()')
  const png = await page.screenshot()
  await context.close()
  return new Uint8Array(await new Bun.Image(png).webp({ quality: 82 }).bytes())
}

const [only] = process.argv.slice(2)
if (only !== undefined && !(only in faces)) throw new Error(`the book has no face ${only}`)
const isTaken = (face: string) => only === undefined || face === only
mkdirSync(folder, { recursive: true })
for (const name of readdirSync(folder))
  if (only === undefined || name.startsWith(`${only}-`)) rmSync(join(folder, name))
const nameOf = (entry: string, more: string) => `${entry.replaceAll(/[^a-z]+/g, '-')}${more}.webp`
const lines = [
  '# Screens',
  '',
  'Taken from the component book by `bun run web:shots`, with people who do not exist. `bun run web:book` shows all states of each screen.',
  '',
]
for (const [face, { title }] of Object.entries(faces)) {
  lines.push(`## ${title}`, '')
  for (const { entry, caption } of shots.filter((shot) => shot.face === face)) {
    const pictures = [
      { more: '', scheme: 'light' as const, viewport: narrow, label: caption },
      { more: '-dark', scheme: 'dark' as const, viewport: narrow, label: `${caption}, dark` },
      ...(alsoWide.includes(entry) || face === 'console'
        ? [{ more: '-wide', scheme: 'light' as const, viewport: wide, label: `${caption}, on a wide screen` }]
        : []),
    ]
    lines.push(`### ${caption}`, '')
    const tags = await Promise.all(
      pictures.map(async ({ more, scheme, viewport, label }) => {
        const name = nameOf(entry, more)
        if (isTaken(face)) await Bun.write(join(folder, name), await take(entry, scheme, viewport))
        return `<img src="screens/${name}" alt="${label}" width="${viewport === wide ? 720 : 260}">`
      }),
    )
    lines.push(tags.join('\n'), '')
  }
}
await Bun.write(join(root, 'docs/screens.md'), lines.join('\n'))
await browser.close()
await book.stop(true)
