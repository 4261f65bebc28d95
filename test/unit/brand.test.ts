import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { readBrand } from '../../src/lib/brand.ts'

const made: string[] = []
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true })
})

function directoryOf(brand: unknown, files: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'convene-brand-'))
  made.push(directory)
  const text = typeof brand === 'string' ? brand : JSON.stringify(brand)
  for (const [name, content] of Object.entries({ 'brand.json': text, ...files }))
    writeFileSync(join(directory, name), content)
  return directory
}

test('a brand has a name, colours that can be read, texts, pictures and styles', () => {
  const directory = directoryOf(
    {
      name: ' Tea & Chess ',
      colors: { light: '#7c2d12', dark: '#fdba74' },
      texts: { en: { 'account.welcome.title': 'Tea?' } },
      logo: 'logo.svg',
      stylesheet: 'extra.css',
    },
    { 'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>', 'extra.css': ':root { --radius: 4px }' },
  )
  const brand = readBrand(directory)
  expect(brand).toMatchObject({
    name: 'Tea & Chess',
    light: { accent: '#7c2d12', onAccent: '#ffffff' },
    dark: { accent: '#fdba74', onAccent: '#111010' },
    texts: { en: { 'account.welcome.title': 'Tea?' } },
    logo: { type: 'image/svg+xml' },
    icon: null,
    stylesheet: ':root { --radius: 4px }',
  })
})

const bad: [string, unknown, string][] = [
  ['no JSON', '{', 'is not a JSON object'],
  ['no name', {}, '"name" must be'],
  ['a misspelt field', { name: 'A', colour: '#000000' }, '"colour" is unknown'],
  ['a colour by name', { name: 'A', colors: { light: 'red' } }, '"colors.light" must be a colour'],
  ['a colour too light to read', { name: 'A', colors: { light: '#ffd400' } }, '"colors.light" must be darker'],
  ['a colour too dark to read', { name: 'A', colors: { dark: '#101080' } }, '"colors.dark" must be lighter'],
  ['a file elsewhere', { name: 'A', logo: '../../etc/passwd.png' }, '"logo" must be the name of a file beside it'],
  ['a file that is missing', { name: 'A', logo: 'logo.svg' }, 'logo.svg, which cannot be read (ENOENT)'],
  ['a file of another kind', { name: 'A', icon: 'icon.svg' }, '"icon" must end in .png'],
  ['texts of no language', { name: 'A', texts: { English: {} } }, '"texts.English" must be a language'],
  ['a text that is none', { name: 'A', texts: { en: { 'app.name': 1 } } }, '"texts.en" has "app.name"'],
]

for (const [what, brand, message] of bad)
  test(`the server does not start with a brand that has ${what}`, () => {
    const start = () => readConfig({ BRAND_DIR: directoryOf(brand) })
    expect(start).toThrow(message)
    expect(start).toThrow(/^BRAND_DIR .*[^\n]$/)
  })

test('the server does not start with a brand directory that is not there', () => {
  expect(() => readConfig({ BRAND_DIR: '/nowhere/at/all' })).toThrow(
    'BRAND_DIR must be a directory with a file brand.json',
  )
})
