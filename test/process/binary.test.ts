import { afterAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { passkeyOf } from '../authenticator.ts'
import { command, convene, startServer } from '../convene.ts'
import { readPage, startsServer } from '../pages.ts'
import { connect, ofType } from '../socket-client.ts'

const consents = { terms: true, privacy: true, disclaimer: true }
const password = 'twelve green bottles'
const checkout = join(import.meta.dir, '../..')

type Json = Record<string, any>

/** Requests to one server, of nobody or of whoever holds the token. */
const caller =
  (base: URL, token = '') =>
  async (method: string, path: string, body?: Json | FormData): Promise<Json> => {
    const isForm = body instanceof FormData
    const response = await fetch(new URL(`/api/v1/${path}`, base), {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : body && JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return text === '' ? {} : (JSON.parse(text) as Json)
  }

describe('the binary, alone in an empty directory', () => {
  if (!process.env.CONVENE_BIN) {
    test.skip('SKIPPED: CONVENE_BIN names no binary; bun run test:process makes one and tries it', () => {})
    return
  }

  const root = mkdtempSync(join(tmpdir(), 'convene-binary-'))
  const running: { end(signal: 'SIGKILL'): Promise<number> }[] = []
  afterAll(async () => {
    for (const server of running) await server.end('SIGKILL')
    rmSync(root, { recursive: true })
  })

  /** A directory with nothing in it but the binary, which is run there as anybody would: `./convene …`. */
  function install(name: string) {
    const cwd = join(root, name)
    mkdirSync(cwd)
    copyFileSync(command[0]!, join(cwd, 'convene'))
    // Not even a PATH: no Bun, no Node, no shell.
    const where = { cwd, command: ['./convene'], env: {} }
    return {
      data: join(cwd, 'data'),
      path: (file: string) => join(cwd, file),
      files: () => readdirSync(cwd).sort(),
      convene: (...args: string[]) => convene(args, {}, where),
      async start() {
        const server = await startServer({}, where)
        running.push(server)
        return server
      },
    }
  }

  test('carries no path of the machine that compiled it', () => {
    const bytes = readFileSync(command[0]!)
    for (const path of ['node_modules', 'src', 'migrations'])
      expect([path, bytes.includes(join(checkout, path))]).toEqual([path, false])
  })

  test('adds a passkey and signs in with it, by a library that is loaded late', async () => {
    const { base, end } = await install('passkeys').start()
    const ask = caller(base)
    const ada = await ask('POST', 'auth/register', { email: 'ada@example.org', password, name: 'Ada', consents })
    const asAda = caller(base, ada.access_token)
    const passkey = passkeyOf((await asAda('POST', 'me/passkeys/options', {})).options)
    await asAda('POST', 'me/passkeys', { label: 'Phone', credential: passkey.registration })
    const { options } = await ask('POST', 'auth/passkey/options', {})
    expect((await ask('POST', 'auth/passkey', { credential: passkey.answer(options) })).user.id).toBe(ada.user.id)
    expect(await end()).toBe(0)
  })

  test('runs a community, survives kill -9, and moves to another place by a backup', async () => {
    const home = install('home')
    expect(home.files()).toEqual(['convene'])
    const first = await home.start()
    expect(home.files()).toEqual(['convene', 'data'])

    const ask = caller(first.base)
    const register = (name: string) =>
      ask('POST', 'auth/register', { email: `${name}@example.org`, password, name, consents })
    const [ada, bob] = [await register('ada'), await register('bob')]
    const adasPhone = connect(first.base, ada.access_token)
    await adasPhone.until(ofType('hello'))
    const asBob = caller(first.base, bob.access_token)
    const chat = await asBob('POST', 'chats', { user_id: ada.user.id })
    const form = new FormData()
    const gif = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
    form.append('file', new Blob([await new Bun.Image(gif).resize(40, 30, { fit: 'fill' }).jpeg().bytes()]), 'a.jpg')
    const photo = await asBob('POST', 'media', form)
    await asBob('POST', `chats/${chat.id}/messages`, { kind: 'photo', photo: photo.id, text: 'before the backup' })
    const { data: seen } = await adasPhone.until(ofType('message'))
    expect(seen).toMatchObject({ text: 'before the backup', sender_id: bob.user.id })

    const backup = await home.convene('backup', 'community.backup')
    expect([backup.code, backup.err]).toEqual([0, ''])
    expect(backup.out).toMatch(/^backed up 2 users, 1 messages and 1 photos to /)

    await asBob('POST', `chats/${chat.id}/messages`, { text: 'after the backup' })
    await first.end('SIGKILL')
    await adasPhone.closed

    const textsOf = async (base: URL, token: string) => {
      const { items } = await caller(base, token)('GET', `chats/${chat.id}/messages`)
      return (items as Json[]).map(({ text }) => text as string).reverse()
    }
    const again = await home.start()
    expect(await textsOf(again.base, ada.access_token)).toEqual(['before the backup', 'after the backup'])
    const picture = await (await fetch(new URL(seen.photo.url, again.base))).bytes()
    expect(await again.end()).toBe(0)

    const elsewhere = install('elsewhere')
    mkdirSync(elsewhere.data, { mode: 0o700 })
    for (const secret of ['jwt-secret', 'location-key'])
      copyFileSync(join(home.data, secret), join(elsewhere.data, secret))
    const restored = await elsewhere.convene('restore', home.path('community.backup'))
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(restored.out).toMatch(/^restored 2 users, 1 messages and 1 photos/)

    const moved = await elsewhere.start()
    const login = await caller(moved.base)('POST', 'auth/login', { email: 'ada@example.org', password })
    expect(login.user.id).toBe(ada.user.id)
    const chats = await caller(moved.base, ada.access_token)('GET', 'chats')
    expect(chats.items).toMatchObject([{ id: chat.id, user: { id: bob.user.id, name: 'bob' } }])
    // The session of before and the URL of before go on; what came after the backup is not there.
    expect(await textsOf(moved.base, ada.access_token)).toEqual(['before the backup'])
    const sameUrl = await fetch(new URL(seen.photo.url, moved.base))
    expect([sameUrl.status, await sameUrl.bytes()]).toEqual([200, picture])
    expect(await moved.end()).toBe(0)

    const check = await elsewhere.convene('check')
    expect([check.code, check.out]).toEqual([0, expect.stringMatching(/All is well\.\n$/)])
  }, 30_000)

  test('goes through the first session of the documentation, with curl and the tools of a shell alone', async () => {
    const tools = join(root, 'tools')
    mkdirSync(tools)
    const used = ['curl', 'grep', 'head', 'cut', 'tee', 'cat']
    for (const tool of used) symlinkSync(Bun.which(tool)!, join(tools, tool))
    const session = async (place: ReturnType<typeof install>, base: URL, script: string) => {
      const child = Bun.spawn(['/bin/bash', '-eo', 'pipefail', '-c', script.replaceAll('127.0.0.1:3000', base.host)], {
        cwd: place.path(''),
        env: { PATH: tools },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
      return { code: await child.exited, out, err }
    }

    const home = install('first-session')
    const first = await home.start()
    const blocks = (await readPage('docs/getting-started.md')).blocks.filter(
      (block) => block.language === 'sh' && !startsServer(block) && !/\bbun\b/.test(block.code),
    )
    const script = blocks.map(({ code }) => code).join('\n')
    for (const step of ['auth/register', 'me/location', 'search/nearby', 'chats', 'sync'])
      expect(script).toContain(step)
    const nothingElse = 'for tool in bun node npx python3; do if command -v $tool; then exit 9; fi; done\n'
    const { code, out, err } = await session(home, first.base, nothingElse + script)
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('"text":"Coffee at the river?"')

    expect((await home.convene('backup', 'convene-backup.db')).code).toBe(0)
    expect(await first.end('SIGKILL')).not.toBe(0)

    const elsewhere = install('another-machine')
    mkdirSync(elsewhere.data, { mode: 0o700 })
    for (const file of ['jwt-secret', 'location-key']) copyFileSync(join(home.data, file), join(elsewhere.data, file))
    copyFileSync(home.path('convene-backup.db'), elsewhere.path('convene-backup.db'))
    expect((await elsewhere.convene('restore', 'convene-backup.db')).code).toBe(0)
    const moved = await elsewhere.start()
    const ask = caller(moved.base)
    const before = (name: string) => JSON.parse(readFileSync(home.path(`${name}.json`), 'utf8')).user as Json
    const logIn = (name: string, password: string) => ask('POST', 'auth/login', { email: before(name).email, password })
    const [ada, bob] = [await logIn('ada', 'twelve green bottles'), await logIn('bob', 'eleven green bottles')]
    expect([ada.user.id, bob.user.id]).toEqual([before('ada').id, before('bob').id])
    const search = /search\/nearby\?[^" ]+/.exec(script)![0]
    const nearby = await caller(moved.base, ada.access_token)('GET', search)
    expect(nearby.items).toMatchObject([{ user: { id: bob.user.id } }])
    const { items } = await caller(moved.base, bob.access_token)('GET', 'chats')
    expect(items).toMatchObject([{ user: { id: ada.user.id }, last_message: { text: 'Coffee at the river?' } }])
    expect(await moved.end()).toBe(0)
  }, 60_000)

  test('serves the API’s page, with what it loads, and the legal texts from within', async () => {
    const { base, end } = await install('page').start()
    const page = await (await fetch(new URL('/openapi', base))).text()
    const loaded = [...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, url]) => new URL(url!, base))
    expect(loaded.length).toBeGreaterThan(1)
    for (const url of loaded) {
      const { status } = await fetch(url)
      expect([url.href, url.origin, status]).toEqual([url.href, base.origin, 200])
    }
    for (const kind of ['terms', 'privacy', 'disclaimer'])
      for (const language of ['en', 'ru'])
        expect((await fetch(new URL(`/api/v1/legal/${kind}?lang=${language}`, base))).status).toBe(200)
    expect(await end()).toBe(0)
  })

  test('is not changed by files that lie about beside it', async () => {
    const place = install('beside')
    writeFileSync(place.path('.env'), 'DATA_DIR=stray\n')
    writeFileSync(place.path('bunfig.toml'), 'preload = ["./stray.js"]\n')
    writeFileSync(place.path('stray.js'), 'console.log("stray")\n')
    const { code, out, err } = await place.convene('migrate', 'status')
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(`there is no database at ${join(place.data, 'convene.db')}`)
  })
})
