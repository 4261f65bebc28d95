import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

const kinds = ['terms', 'privacy', 'disclaimer']

describe('the built-in texts', () => {
  test.each(kinds)('%s is available to everybody, in English and Russian, with one version', async (kind) => {
    const { request } = await testApp()
    const english = await request('GET', `legal/${kind}`)
    expect(english.status).toBe(200)
    expect(english.body).toEqual({
      kind,
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
      language: 'en',
      text: expect.stringMatching(/^# [A-Z][^]{2000,}$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const russian = (await request('GET', `legal/${kind}?lang=ru`)).body
    expect(russian).toEqual({ ...english.body, language: 'ru', text: expect.stringMatching(/^# [А-Я]/) })
  })

  test('have different versions, which stay the same after a restart', async () => {
    const versions = async () => {
      const { request } = await testApp()
      return Promise.all(kinds.map(async (kind) => (await request('GET', `legal/${kind}`)).body.version))
    }
    const first = await versions()
    expect(new Set(first).size).toBe(3)
    expect(await versions()).toEqual(first)
  })

  test('there are no others', async () => {
    const { request } = await testApp()
    for (const kind of ['cookies', 'Terms', 'terms.en', '__proto__', 'constructor', '..%2f..%2fetc%2fpasswd'])
      expectProblem(await request('GET', `legal/${kind}`), 404, 'not_found')
  })
})

describe('the child safety standards', () => {
  test('are available to everybody, with the contact of the operator', async () => {
    const { request } = await testApp({ LEGAL_CONTACT: 'safety@example.org' })
    const { status, body } = await request('GET', 'legal/child-safety')
    expect(status).toBe(200)
    expect(body).toMatchObject({ kind: 'child-safety', language: 'en' })
    expect(body.text).toMatch(/^# Child safety[^]+safety@example\.org/)
    const markdown = await request('GET', 'legal/child-safety?lang=ru', { headers: { accept: 'text/markdown' } })
    expect(markdown.text).toMatch(/^# Правила защиты детей[^]+safety@example\.org/)
    expect(markdown.text).not.toContain('{{')
  })

  test('tell where to ask without a contact, and need no consent', async () => {
    const { request } = await testApp()
    expect((await request('GET', 'legal/child-safety')).body.text).toContain('given in the app')
    const account = { email: 'ada@example.org', password: 'thirteen green bottles', name: 'Ada' }
    const consents = { terms: true, privacy: true, disclaimer: true }
    const refused = await request('POST', 'auth/register', { body: { ...account, consents: {} } })
    expect(refused.text).not.toContain('child-safety')
    expect((await request('POST', 'auth/register', { body: { ...account, consents } })).status).toBe(201)
  })

  test('have a valid contact', () => {
    for (const LEGAL_CONTACT of ['nobody', 'http://example.org', 'a b@example.org', '<x>@example.org'])
      expect(() => readConfig({ LEGAL_CONTACT })).toThrow('LEGAL_CONTACT must be an e-mail address or an https URL')
    expect(readConfig({ LEGAL_CONTACT: 'https://example.org/safety' }).legalContact).toBe('https://example.org/safety')
  })
})

describe('the language', () => {
  test.each([
    ['ru', 'ru'],
    ['RU-ru', 'ru'],
    ['de', 'en'],
    ['ru-RU,ru;q=0.9,en;q=0.8', 'ru'],
    ['de, ru;q=0.5, en;q=0.1', 'ru'],
    ['en;q=0.1, ru;q=0.9', 'ru'],
    ['ru;q=0.1, en;q=0.9', 'en'],
    ['ru;q=0', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [';;,,q=', 'en'],
  ])('is what Accept-Language %p wants most', async (wanted, language) => {
    const { request } = await testApp()
    const { body, headers } = await request('GET', 'legal/terms', { headers: { 'accept-language': wanted } })
    expect(body.language).toBe(language)
    expect(headers.get('vary')).toMatch(/Accept-Language/i)
  })

  test('is that of the query if there is one', async () => {
    const { request } = await testApp()
    const headers = { 'accept-language': 'en' }
    expect((await request('GET', 'legal/terms?lang=ru', { headers })).body.language).toBe('ru')
    expect((await request('GET', 'legal/terms?lang=xx', { headers })).body.language).toBe('en')
    expect(expectProblem(await request('GET', `legal/terms?lang=${'x'.repeat(36)}`), 422, 'validation_failed')).toEqual(
      ['/lang'],
    )
  })
})

test('a client that asks for Markdown gets only that', async () => {
  const { request } = await testApp()
  const { text } = (await request('GET', 'legal/privacy?lang=ru')).body
  const answer = await request('GET', 'legal/privacy?lang=ru', { headers: { accept: 'text/markdown' } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(answer.headers.get('content-language')).toBe('ru')
  expect(answer.headers.get('vary')).toMatch(/Accept\b/)
  expect(answer.text).toBe(text)
  for (const accept of [
    '*/*',
    'application/json',
    'text/html',
    'application/json, text/markdown;q=0.5',
    'text/markdown;q=0, */*',
  ])
    expect((await request('GET', 'legal/privacy', { headers: { accept } })).body?.kind).toBe('privacy')
  for (const accept of ['text/html, text/markdown;q=0.9, */*;q=0.1', 'application/json;q=0.2, text/markdown'])
    expect((await request('GET', 'legal/privacy?lang=ru', { headers: { accept } })).text).toBe(text)
})

describe('with LEGAL_DIR', () => {
  let directory: string
  const own = (file: string, text: string) => {
    writeFileSync(join(directory, file), text)
    utimesSync(join(directory, file), new Date('2026-03-01T00:00:00Z'), new Date('2026-03-01T10:20:30.400Z'))
  }
  const open = async () => {
    const { request } = await testApp({ LEGAL_DIR: directory })
    return async (kind: string, query = '') => (await request('GET', `legal/${kind}${query}`)).body
  }
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'convene-legal-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  test('the operator’s own texts replace those of their kind in all languages, and of no other kind', async () => {
    const builtIn = await open()
    const [terms, privacy] = [await builtIn('terms'), await builtIn('privacy')]
    own('terms.pt-BR.md', '# Termos')
    own('terms.de.md', '# Bedingungen')
    const get = await open()
    expect(await get('terms', '?lang=pt-BR')).toEqual({
      kind: 'terms',
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
      language: 'pt-br',
      text: '# Termos',
      updated_at: '2026-03-01T10:20:30.400Z',
    })
    expect((await get('terms')).version).not.toBe(terms.version)
    expect((await get('terms', '?lang=pt')).text).toBe('# Termos')
    expect((await get('terms', '?lang=de-AT')).text).toBe('# Bedingungen')
    // No built-in text is left in any language.
    for (const lang of ['en', 'ru', 'fr']) expect((await get('terms', `?lang=${lang}`)).text).toBe('# Bedingungen')
    expect(await get('privacy')).toEqual(privacy)
  })

  test('any change in any language makes a new version, and unchanged texts keep theirs', async () => {
    own('terms.en.md', '# Terms')
    own('terms.de.md', '# Bedingungen')
    const version = async () => (await (await open())('terms')).version
    const first = await version()
    expect(await version()).toBe(first)
    own('terms.de.md', '# Bedingungen!')
    const second = await version()
    rmSync(join(directory, 'terms.de.md'))
    expect(new Set([first, second, await version()]).size).toBe(3)
  })

  test('a change of any one of the languages makes a new version', async () => {
    const version = async () => (await (await open())('terms')).version
    const texts = { de: '# Bedingungen', en: '# Terms', ru: '# Условия' }
    for (const [language, text] of Object.entries(texts)) own(`terms.${language}.md`, text)
    const versions = new Set([await version()])
    for (const [language, text] of Object.entries(texts)) {
      own(`terms.${language}.md`, `${text}!`)
      versions.add(await version())
    }
    expect(versions.size).toBe(4)
  })

  test('files with other names are ignored', async () => {
    const builtIn = (await (await open())('terms')).version
    for (const file of ['terms.md', 'terms.en.old.md', 'terms.en.md~', 'myterms.en.md', 'terms.en.txt', 'terms.123.md'])
      own(file, '# Not these')
    expect((await (await open())('terms')).version).toBe(builtIn)
  })
})
