import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { en } from '../../web/app/texts/en.ts'
import { ru } from '../../web/app/texts/ru.ts'

const directory = join(import.meta.dir, '../../web/app')
const paths = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: directory })].filter(
  (path) => !path.startsWith('texts/'),
)
const sources = await Promise.all(paths.map((path) => Bun.file(join(directory, path)).text()))
const code = sources.join('\n')
const keys = Object.keys(en)

/** What the code names: whole keys, and templates such as `account.legal.${kind}`. */
const named = new Set([...code.matchAll(/['"`]([a-z]+\.[\w.-]+)['"`]/gi)].map(([, key]) => key ?? ''))
const templates = [...code.matchAll(/`([a-z]+\.[^`\n]*\$\{[^`\n]*)`/gi)].map(
  ([, template = '']) =>
    new RegExp(
      `^${template
        .split(/\$\{[^}]*\}/)
        .map((part) => part.replaceAll('.', '\\.'))
        .join('\\w+')}$`,
    ),
)

test('every text is used', () => {
  const unused = keys.filter((key) => !named.has(key) && !templates.some((template) => template.test(key)))
  expect(unused).toEqual([])
})

test('every text that the code names is there', () => {
  const groups = new Set(keys.map((key) => key.split('.')[0]))
  const asked = [...code.matchAll(/\bt\(\s*['"]([\w.-]+)['"]/g)].map(([, key]) => key ?? '')
  expect(asked.filter((key) => !(key in en) && groups.has(key.split('.')[0]))).toEqual([])
  for (const template of templates) expect(keys.some((key) => template.test(key)) ? '' : template.source).toBe('')
})

test('the languages have the same texts, with the same values to fill in', () => {
  expect(Object.keys(ru).toSorted()).toEqual(keys.toSorted())
  const valuesOf = (text: unknown) =>
    [...new Set([...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].toSorted()
  for (const [key, text] of Object.entries(en)) {
    const other: unknown = Object.entries(ru).find(([name]) => name === key)?.[1]
    expect({ key, values: valuesOf(other) }).toEqual({ key, values: valuesOf(text) })
  }
})

test('no text shouts', () => {
  expect(Object.entries({ ...en }).filter(([, text]) => JSON.stringify(text).includes('!'))).toEqual([])
  expect(Object.entries({ ...ru }).filter(([, text]) => JSON.stringify(text).includes('!'))).toEqual([])
})
