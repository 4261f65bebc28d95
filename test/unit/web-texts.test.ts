import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { languagesOf } from '../../scripts/texts.ts'
import { type Texts, translator } from '../../web/shared/texts.ts'

/** The texts of a face by language. */
async function textsOf(face: string): Promise<Record<string, Texts>> {
  const found: Record<string, Texts> = {}
  for (const language of languagesOf(face)) {
    const file: Record<string, Texts> = await import(join(import.meta.dir, `../../web/${face}/texts/${language}.ts`))
    found[language] = file[language]!
  }
  return found
}

const faces = [
  ['app', await textsOf('app')],
  ['console', await textsOf('console')],
] as const

test('a file in the folder of texts makes a language, in English and Russian at least', () => {
  for (const [, texts] of faces) expect(Object.keys(texts)).toEqual(expect.arrayContaining(['en', 'ru']))
})

test('the least age has its grammatical form in Russian', async () => {
  const { ru = {} } = await textsOf('app')
  const t = translator('ru', ru)
  for (const [count, age] of [
    [18, 'с 18 лет'],
    [21, 'с 21 года'],
    [22, 'с 22 лет'],
  ] as const)
    expect(t('account.birthDate.hint', { count })).toContain(age)
})

/** What the code of a page names: whole keys, and templates such as `account.legal.${kind}`. */
async function codeOf(name: string) {
  const directory = join(import.meta.dir, '../../web', name)
  const paths = [...new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: directory })].filter(
    (path) => !path.startsWith('texts/'),
  )
  const sources = await Promise.all(paths.map((path) => Bun.file(join(directory, path)).text()))
  const code = sources.join('\n')
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
  return { code, named, templates }
}

for (const [name, texts] of faces) {
  const { en = {} } = texts
  const keys = Object.keys(en)

  test(`every text of the ${name} is used`, async () => {
    const { named, templates } = await codeOf(name)
    const unused = keys.filter((key) => !named.has(key) && !templates.some((template) => template.test(key)))
    expect(unused).toEqual([])
  })

  test(`every text that the code of the ${name} names is there`, async () => {
    const { code, templates } = await codeOf(name)
    const groups = new Set(keys.map((key) => key.split('.')[0]))
    const asked = [...code.matchAll(/\bt\(\s*['"]([\w.-]+)['"]/g)].map(([, key]) => key ?? '')
    expect(asked.filter((key) => !(key in en) && groups.has(key.split('.')[0]))).toEqual([])
    for (const template of templates) expect(keys.some((key) => template.test(key)) ? '' : template.source).toBe('')
  })

  test(`the languages of the ${name} have the same texts, with the same values to fill in`, () => {
    const valuesOf = (text: unknown) =>
      [...new Set([...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, value]) => value))].toSorted()
    for (const [language, own] of Object.entries(texts)) {
      expect({ language, keys: Object.keys(own).toSorted() }).toEqual({ language, keys: keys.toSorted() })
      for (const [key, text] of Object.entries(en))
        expect({ language, key, values: valuesOf(own[key]) }).toEqual({ language, key, values: valuesOf(text) })
    }
  })

  test(`no text of the ${name} shouts`, () => {
    for (const own of Object.values(texts))
      expect(Object.entries(own).filter(([, text]) => JSON.stringify(text).includes('!'))).toEqual([])
  })
}
