import { afterAll, beforeAll, expect, jest, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, testApp } from '../app.ts'
import { oneSqliteNodeTest, sqliteTest } from '../engines.ts'
import { fileNameOf, readPage } from '../pages.ts'
import { expectProblem } from '../problem.ts'

type Token = (refused?: string) => Promise<string | null>

/** What the tabs of one browser share: storage, and locks that one tab holds at a time. */
function openBrowser() {
  const stored = new Map<string, string>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    },
    navigator: {
      locks: { request: (_: string, work: () => Promise<unknown>) => (last = last.then(work, work)) },
    },
  }
}

/** Saves the files of that app's pages. Returns their directory. */
async function save(app: TestApp, pages: Record<string, string[]>): Promise<{ directory: string; host: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'convene-client-'))
  const { host } = await app.listen()
  for (const [path, names] of Object.entries(pages)) {
    const { blocks } = await readPage(path)
    for (const name of names) {
      const { code } = blocks.find((block) => fileNameOf(block) === name)!
      await Bun.write(join(directory, name), code.replaceAll('127.0.0.1:3000', host))
    }
  }
  return { directory, host }
}

test('tabs that refresh as docs/api.md shows share one session, and one that does not ends it for all', async () => {
  const app = await testApp()
  const { directory } = await save(app, { 'docs/api.md': ['convene.ts', 'tabs.ts'] })
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator')!
  try {
    const { localStorage, navigator } = openBrowser()
    Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true })
    Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
    const openTab = async (n: number): Promise<Token> => (await import(`${directory}/tabs.ts?tab=${n}`)).token
    const tabs = await Promise.all([1, 2, 3].map(openTab))

    const ada = await app.person('Ada')
    const session = { access_token: ada.token, refresh_token: ada.refresh, good_until: Date.now() + 900_000 }
    localStorage.setItem('convene-session', JSON.stringify(session))
    expect(await tabs[0]!()).toBe(ada.token)
    // Within one second the token would be the same.
    app.clock.now += 1000
    const renewed = await Promise.all(tabs.map((token) => token(ada.token)))
    expect(new Set(renewed).size).toBe(1)
    expect(renewed[0]).not.toBe(ada.token)
    // A tab that was suspended during all of this.
    app.clock.now += 60_000
    expect(await tabs[2]!(ada.token)).toBe(renewed[0]!)
    const third = await tabs[1]!(renewed[0]!)
    expect((await app.as(third!).get('me')).body.name).toBe('Ada')

    const reused = await app.request('POST', 'auth/refresh', { body: { refresh_token: ada.refresh } })
    expectProblem(reused, 401, 'refresh_reused')
    expect(reused.body.detail).toContain('another tab')
    expect(await tabs[0]!(third!)).toBeNull()
    expect(localStorage.getItem('convene-session')).toBeNull()
    expect(await tabs[1]!()).toBeNull()
  } finally {
    Object.defineProperty(globalThis, 'navigator', before)
    Reflect.deleteProperty(globalThis, 'localStorage')
    rmSync(directory, { recursive: true, force: true })
  }
})

test('the client of websocket.md continues after an expired token, and stops when the session is over', async () => {
  const app = await testApp()
  const { directory, host } = await save(app, { 'docs/websocket.md': ['connect.ts'], 'docs/mini-app.md': ['enter.ts'] })
  const { random } = Math
  // It reconnects at a random moment of the next second.
  Math.random = () => 0
  try {
    const { connect } = await import(`${directory}/connect.ts`)
    const { keep } = await import(`${directory}/enter.ts`)
    const ada = await app.person('Ada')
    const token: Token = keep({ access_token: ada.token, refresh_token: ada.refresh })
    const given: (string | null)[] = []
    const over = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    app.clock.now += 900_000
    connect({
      url: `ws://${host}/ws`,
      token: async (refused?: string) => {
        given.push(await token(refused))
        return given.at(-1)
      },
      onFrame() {},
      onGap: opened.resolve,
      onEnd: () => over.resolve(),
    })
    await opened.promise
    // By its own clock, the first token still seemed valid.
    expect(given).toEqual([ada.token, expect.not.stringContaining(ada.token)])
    await app.as(given[1]!).post('auth/logout')
    await over.promise
    // The socket tells the end of the session, so no other token is requested.
    expect(given).toHaveLength(2)
  } finally {
    Math.random = random
    rmSync(directory, { recursive: true, force: true })
  }
})

type Options = {
  url: string
  token(refused?: string): Promise<string | null>
  onFrame(frame: any): void
  onGap(): void
  onEnd(reason: string): void
}
const saved = mkdtempSync(join(tmpdir(), 'convene-client-'))
let connect: (options: Options) => { close(): void }
beforeAll(async () => {
  const { blocks } = await readPage('docs/websocket.md')
  const path = join(saved, 'connect.ts')
  await Bun.write(path, blocks.find((block) => fileNameOf(block) === 'connect.ts')!.code)
  connect = (await import(path)).connect
})
afterAll(() => rmSync(saved, { recursive: true }))

const turn = () => new Promise(setImmediate)

async function follow(base: URL, nextToken: () => Promise<string | null>) {
  const told = { frames: [] as any[], asked: [] as boolean[], ends: [] as string[], gaps: 0 }
  const url = new URL('/ws', base)
  url.protocol = 'ws:'
  const client = connect({
    url: url.href,
    async token(refused) {
      told.asked.push(refused !== undefined)
      return nextToken()
    },
    onFrame: (frame) => void told.frames.push(frame),
    onGap: () => void told.gaps++,
    onEnd: (reason) => void told.ends.push(reason),
  })
  while (told.gaps === 0) await turn()
  return { told, client }
}

sqliteTest('the documented client ends where its session does, and does not come back', async () => {
  const app = await testApp()
  const base = await app.listen()
  const ada = await app.person('Ada')
  jest.useFakeTimers()
  try {
    const { told } = await follow(base, async () => ada.token)
    await ada.post('auth/logout')
    while (app.app.server!.pendingWebSockets > 0) await turn()
    for (let i = 0; i < 20; i++) await turn()
    jest.advanceTimersByTime(60_000)
    for (let i = 0; i < 20; i++) await turn()
    expect([told.ends, told.asked]).toEqual([['logout'], [false]])
  } finally {
    jest.useRealTimers()
  }
})

test('the documented client reconnects with a new token after its own has expired, and stops if there is none', async () => {
  const app = await testApp()
  const base = await app.listen()
  const ada = await app.person('Ada')
  const tokens: (string | null)[] = [ada.token]
  const { told } = await follow(base, async () => tokens.at(-1)!)
  app.clock.now += 15 * 60_000
  tokens.push((await app.request('POST', 'auth/refresh', { body: { refresh_token: ada.refresh } })).body.access_token)
  for (const { services } of app.nodes) services.hub.endExpired()
  const sockets = () => app.nodes.reduce((sum, { services }) => sum + services.hub.counts().sockets, 0)
  while (told.asked.length < 2 || sockets() === 0) await Bun.sleep(5)
  expect(told.asked).toEqual([false, true])
  app.clock.now += 15 * 60_000
  tokens.push(null)
  for (const { services } of app.nodes) services.hub.endExpired()
  while (told.ends.length === 0) await Bun.sleep(5)
  expect([told.ends, sockets()]).toEqual([['signed_out'], 0])
})

sqliteTest(
  'the documented client tries again what fails by chance, and ends where its refresh is refused',
  async () => {
    jest.useFakeTimers()
    try {
      const told = { asked: 0, ends: [] as string[] }
      connect({
        url: 'ws://127.0.0.1:1/ws',
        async token() {
          if (++told.asked < 3) throw new TypeError('fetch failed')
          throw Object.assign(new Error('refresh_reused'), { problem: { status: 401 } })
        },
        onFrame() {},
        onGap() {},
        onEnd: (reason) => void told.ends.push(reason),
      })
      for (let i = 0; i < 10; i++) {
        await turn()
        jest.advanceTimersByTime(30_000)
      }
      expect(told).toEqual({ asked: 3, ends: ['signed_out'] })
    } finally {
      jest.useRealTimers()
    }
  },
)

oneSqliteNodeTest('the documented client keeps its socket by a new token', async () => {
  const app = await testApp()
  const base = await app.listen()
  const ada = await app.person('Ada')
  let token = ada.token
  jest.useFakeTimers()
  try {
    const { told, client } = await follow(base, async () => token)
    app.clock.now += 14 * 60_000
    token = (await app.request('POST', 'auth/refresh', { body: { refresh_token: ada.refresh } })).body.access_token
    const { hub } = app.services
    const renewed = Promise.withResolvers<void>()
    const { renew } = hub
    hub.renew = (...parameters) => {
      renewed.resolve()
      return renew(...parameters)
    }
    jest.advanceTimersByTime(30_000)
    await renewed.promise
    app.clock.now += 14 * 60_000
    hub.endExpired()
    expect([hub.counts().sockets, told.gaps, told.ends]).toEqual([1, 1, []])
    client.close()
  } finally {
    jest.useRealTimers()
  }
})
