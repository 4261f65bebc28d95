import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consents, type Person, testApp, type TestApp } from '../app.ts'
import { convene, startServer } from '../convene.ts'
import { shapesIn } from '../unsaid.ts'

const folder = mkdtempSync(join(tmpdir(), 'convene-unsaid-'))
afterAll(() => rmSync(folder, { recursive: true }))

const truth = { latitude: 41.123456789, longitude: -71.987654321 }
const password = 'seven purple umbrellas'
const account = { email: 'ada@example.org', phone: '+4915112345678', password, name: 'Ada', consents }
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** Whatever people do that nobody else is to know of, done for once; and what of it a log must not hold. */
async function everythingPrivate(app: TestApp): Promise<Record<string, string>> {
  const ada = await app.person('Ada')
  const bob: Person = await app.person('Bob')
  const { body: session } = await app.request('POST', 'auth/register', { body: account })
  await app.request('POST', 'auth/login', { body: { email: account.email, password: 'wrong, but well meant' } })
  const init_data = `user=%7B%7D&auth_date=1&hash=${'ab'.repeat(32)}`
  await app.request('POST', 'auth/messenger', { body: { init_data } })
  await ada.put('me/location', truth)
  const { body: published } = await ada.put('me/location', truth)
  await ada.get(`search/nearby?lat=${truth.latitude}&lng=${truth.longitude}&_t=${ada.token}`)
  const { id } = (await ada.post('chats', { user_id: bob.id })).body
  await ada.post(`chats/${id}/messages`, { text: 'Meet me at the old lighthouse' })
  await bob.post('reports', { user_id: ada.id, reason: 'other', details: 'She knows about the lighthouse' })
  const form = new FormData()
  form.append('file', new Blob([pixel]))
  const { body: image } = await ada.post('media', form)
  return {
    'an access token': session.access_token,
    'a refresh token': session.refresh_token,
    'a token in a query': `/api/v1/me?_t=${'f00d'.repeat(8)}`,
    'init data': init_data,
    'the link of an image': image.url,
    'a search': `/api/v1/search/nearby?lat=${truth.latitude}&lng=${truth.longitude}`,
    'a true position': String(truth.latitude),
    'a published position': String(published.longitude),
    'a password': password,
    'a wrong password': 'wrong, but well meant',
    'a message': 'Meet me at the old lighthouse',
    'details of a report': 'She knows about the lighthouse',
    'an address': account.email,
    'a number': account.phone,
  }
}

test('what people do in confidence leaves lines in the log, and none that tells of it', async () => {
  const app = await testApp()
  for (const word of Object.values(await everythingPrivate(app))) expect(app.logged()).not.toContain(word)
  for (const route of ['/api/v1/auth/register', '/api/v1/search/nearby', '/api/v1/chats/:id/messages'])
    expect(app.logged()).toContain(`"route":"${route}"`)
  await app.close()
})

describe('a test fails whose server has logged', () => {
  test.each([
    'an access token',
    'a refresh token',
    'a token in a query',
    'init data',
    'the link of an image',
    'a search',
    'a true position',
    'a published position',
    'a password',
    'a wrong password',
    'a message',
    'details of a report',
    'an address',
    'a number',
  ])('%s', async (what) => {
    const app = await testApp()
    const word = (await everythingPrivate(app))[what]!
    app.services.log.info({ what: `said by mistake: ${word}` }, 'a line')
    await expect(app.close()).rejects.toThrow('said by mistake')
  })
})

test('the log itself cuts out what has a telling name', async () => {
  const app = await testApp()
  app.services.log.info({ password, email: account.email, at: truth, token: 'x'.repeat(40) }, 'a line')
  expect(JSON.parse(app.logged())).toMatchObject({ password: '[Redacted]', email: '[Redacted]', token: '[Redacted]' })
  expect(app.logged()).not.toContain('41.1234')
})

describe('a program of ours', () => {
  const token = `eyJ${'abcdefgh'.repeat(3)}.${'ijklmnop'.repeat(3)}.${'qrstuvwx'.repeat(3)}`
  const saying = (text: string) => ({ command: [process.execPath, '-e', text] })

  test('that prints a token, on whichever side, fails the test that ran it', async () => {
    for (const side of ['log', 'error'])
      await expect(convene([], {}, saying(`console.${side}('Bearer ${token}')`))).rejects.toThrow('an access token')
    expect((await convene([], {}, saying('console.log("fine")'))).out).toBe('fine\n')
  })

  test('that serves and prints a position before its end fails it too', async () => {
    const talking = (line: string) =>
      saying(`console.log('ready at http://127.0.0.1:1'); console.log('${line}'); setInterval(() => {}, 1000)`)
    const said = (line: string) =>
      startServer({}, talking(line)).then((server) => Bun.sleep(50).then(() => server.end()))
    await expect(said('{"latitude":52.5}')).rejects.toThrow('a position')
    await expect(said('GET /ws?token=abcdefghijklmnopqrst')).rejects.toThrow('a token in a query')
    await said('{"level":"info","msg":"request"}')
  })
})

test('the search of a file names the line, and ends with 1 where there is one', async () => {
  const search = async (text: string) => {
    const path = join(folder, 'log')
    writeFileSync(path, text)
    const child = Bun.spawn([process.execPath, join(import.meta.dir, '../unsaid.ts'), path], { stderr: 'pipe' })
    return { err: await child.stderr.text(), code: await child.exited }
  }
  const harmless = '(pass) a test of ?_t=TOKEN and lat=X > named so [1.23ms]\n{"level":"info","ms":52.5163}\n'
  expect(await search(harmless)).toEqual({ code: 0, err: '' })
  const found = await search(`${harmless}{"url":"/api/v1/me?_t=abcdefghijklmnopqrst"}\n${harmless}`)
  expect(found.code).toBe(1)
  expect(found.err).toContain('a token in a query: {"url":"/api/v1/me?_t=abcdefghijklmnopqrst"}')
})

test('every shape is found', () => {
  const id = '019aa5c7-0000-7000-8000-000000000000'
  for (const [what, text] of [
    ['an access token', `x eyJhbGciOiJI.eyJzdWIiOiIx.${'a'.repeat(43)}`],
    ['a refresh token', `${id}.0.${'a'.repeat(43)}`],
    ['the signature of init data', `hash%3D${'0f'.repeat(32)}`],
    ['the signature of a link', `/api/v1/media/${id}?exp=1&sig=${'a'.repeat(43)}`],
    ['the signature of a link into a bucket', `/photos/a.webp?X-Amz-Expires=300&X-Amz-Signature=${'0f'.repeat(32)}`],
    ['a token in a query', 'ws://x/ws?token=abcdefghijklmnopqrst'],
    ['a password’s hash', '$argon2id$v=19$m=47104'],
    ['a position in a query', 'nearby?radius=100&lat=-3'],
    ['a position', '"lng": -71.98'],
  ] as const)
    expect(shapesIn(`first\n${text}\nlast`)).toContain(`${what}: ${text}`)
})
