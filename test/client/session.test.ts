import { expect, jest, setSystemTime, test } from 'bun:test'
import { type ClientLocks, Refused } from '../../client/src/index.ts'
import { indexedDb } from '../../client/src/indexeddb.ts'
import { consents, password, testApp } from '../app.ts'
import { until } from '../until.ts'
import { clientOf, fits, newClient, sharedStorage } from './people.ts'

/** `fetch` that counts the refreshes, and loses answers to the first of them. */
function lossy(lost: number) {
  const counts = { refreshes: 0 }
  const fetch = async (url: string, init?: RequestInit) => {
    const isRefresh = url.endsWith('/auth/refresh')
    const response = await globalThis.fetch(url, init)
    if (isRefresh && counts.refreshes++ < lost) throw new TypeError('the answer is lost')
    return response
  }
  return { counts, fetch: fetch }
}

test('a client registers, signs in again and signs out; a wrong password is a Refused', async () => {
  const app = await testApp()
  const client = newClient(await app.listen())
  const { created, user } = await client.register({ email: 'ada@example.org', password, name: 'Ada', consents })
  expect([created, user.name, client.session.get().state]).toEqual([false, 'Ada', 'signed-in'])
  const token = await client.token()
  await client.signOut()
  const after = await fetch(client.url('/api/v1/me'), { headers: { authorization: `Bearer ${token}` } })
  expect(after.status).toBe(401)
  expect(client.session.get()).toEqual({ state: 'signed-out', user: null, reason: null })
  expect(await client.token()).toBeNull()
  const wrong = await client.signIn({ email: 'ada@example.org', password: 'something else' }).catch((error) => error)
  expect(wrong).toBeInstanceOf(Refused)
  expect(wrong.code).toBe('invalid_credentials')
  await client.signIn({ email: 'ada@example.org', password })
  const { data, error } = await client.api.PUT('/api/v1/me', { body: { city: 'Berlin' } })
  expect([data?.city, error]).toEqual(['Berlin', undefined])
  expect(client.session.get().user?.city).toBe('Berlin')
  const refused = await client.api.GET('/api/v1/users/{id}', { params: { path: { id: crypto.randomUUID() } } })
  expect(refused.error?.code).toBe('not_found')
})

test('a sign-in with a provider sends all that the app has from it, also Apple’s code', async () => {
  const app = await testApp()
  const sent: unknown[] = []
  const fetch = (url: string, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)))
    return globalThis.fetch(url, init)
  }
  const client = newClient(await app.listen(), { fetch })
  const refused = await client
    .signIn({ provider: 'apple', idToken: 'a.b.c', nonce: 'n', code: 'c', consents, birthDate: '1990-05-17' })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'provider_not_configured' })
  expect(sent).toEqual([
    { id_token: 'a.b.c', nonce: 'n', code: 'c', consents, birth_date: '1990-05-17', cookies: false },
  ])
})

test('twenty requests with an expired token refresh once, and a lost answer is asked again', async () => {
  const app = await testApp()
  const { counts, fetch } = lossy(1)
  const client = await clientOf(await app.listen(), await app.person('Ada'), { fetch })
  app.clock.now += 901_000
  const states: string[] = []
  client.session.subscribe(() => states.push(client.session.get().state))
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.api.GET('/api/v1/me')))
  expect(answers.map(({ response }) => response.status)).toEqual(Array(20).fill(200))
  expect(counts.refreshes).toBe(2)
  // An expired token never looks like signing out.
  expect(states).toEqual([])
})

test('clients that share a storage share one session and refresh once', async () => {
  const app = await testApp()
  const base = await app.listen()
  const ada = await app.person('Ada')
  const storage = sharedStorage()
  const { counts, fetch } = lossy(0)
  const first = await clientOf(base, ada, { storage, fetch })
  const second = newClient(base, { storage, fetch })
  expect(second.session.get().user?.name).toBe('Ada')
  app.clock.now += 901_000
  const answers = await Promise.all([first, second, first, second].map(({ api }) => api.GET('/api/v1/me')))
  expect(answers.map(({ response }) => response.status)).toEqual([200, 200, 200, 200])
  expect(counts.refreshes).toBe(1)
})

test('a reused refresh token ends the session with its reason, and nothing goes round in circles', async () => {
  const app = await testApp()
  const base = await app.listen()
  const storage = sharedStorage()
  const { counts, fetch } = lossy(0)
  const client = await clientOf(base, await app.person('Ada'), { storage, fetch })
  const { refresh_token } = JSON.parse(storage.kept.get('convene:session')!).tokens
  await app.request('POST', 'auth/refresh', { body: { refresh_token, cookies: false } })
  app.clock.now += 901_000
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.api.GET('/api/v1/me')))
  expect(answers.map(({ response }) => response.status)).toEqual(Array(5).fill(401))
  expect(client.session.get()).toMatchObject({ state: 'ended', reason: 'refresh_reused', user: { name: 'Ada' } })
  await client.api.GET('/api/v1/me')
  expect(counts.refreshes).toBe(1)
  // It is still so after a reload.
  expect(newClient(base, { storage }).session.get().state).toBe('ended')
})

test('a session that another device ends is over at once, and the socket does not come back', async () => {
  const app = await testApp()
  const base = await app.listen()
  const ada = await app.person('Ada')
  const client = await clientOf(base, ada)
  client.connect()
  await fits(client.connection, ({ state }) => state === 'online')
  const told = new Promise<{ reason: string }>((resolve) => client.on('session_ended', resolve))
  await ada.delete('me/sessions')
  expect(await told).toEqual({ reason: 'ended' })
  expect(await fits(client.session, ({ state }) => state === 'ended')).toMatchObject({ reason: 'ended' })
  await fits(client.connection, ({ state }) => state === 'disconnected')
  await client.signIn({ email: ada.email, password })
  await fits(client.connection, ({ state }) => state === 'online', 'it connects after signing in again')
})

test('of an account that is erased elsewhere nothing stays on the device', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chatId = await app.met(ada, bob)
  await bob.post(`chats/${chatId}/messages`, { text: 'a secret of Bob' })
  const storage = sharedStorage()
  const client = await clientOf(base, ada, { storage })
  await client.chats.open(chatId).load()
  await until(() => [...storage.kept.values()].join().includes('a secret'), 'it is stored')
  client.connect()
  await fits(client.connection, ({ state }) => state === 'online')
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect(await fits(client.session, ({ state, user }) => state === 'ended' && user === null)).toEqual({
    state: 'ended',
    user: null,
    reason: 'erased',
  })
  await until(() => storage.kept.size === 1, 'only the reason is left')
  expect([...storage.kept.values()].join()).not.toMatch(/Ada|secret/)
})

test('a connected socket lives on under a refreshed token', async () => {
  const app = await testApp()
  const client = await clientOf(await app.listen(), await app.person('Ada'))
  client.connect()
  const states: string[] = []
  await fits(client.connection, ({ state }) => state === 'online')
  client.connection.subscribe(() => states.push(client.connection.get().state))
  app.clock.now += 600_000
  const told = new Promise((resolve) => client.on('auth', resolve))
  await client.token((await client.token())!)
  await told
  app.clock.now += 600_000
  for (const { services } of app.nodes) services.hub.endExpired()
  const { response } = await client.api.GET('/api/v1/me')
  expect([response.status, states]).toEqual([200, []])
})

test('an answer that is cut off is a lost answer, not a refusal', async () => {
  const app = await testApp()
  let cut = 1
  const client = await clientOf(await app.listen(), await app.person('Ada'), {
    async fetch(url, init) {
      const response = await globalThis.fetch(url, init)
      if (!url.endsWith('/api/v1/me') || cut-- <= 0) return response
      const half = new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"type":'))
          controller.error(new TypeError('the connection is lost'))
        },
      })
      return new Response(half, { status: 401, headers: response.headers })
    },
  })
  const lost = await client.api.GET('/api/v1/me').catch((error: unknown) => error)
  expect(lost).toBeInstanceOf(TypeError)
  expect((await client.api.GET('/api/v1/me')).data?.name).toBe('Ada')
})

test('a socket that a busy server refuses is opened again no sooner than Retry-After says', async () => {
  const app = await testApp()
  const base = await app.listen()
  const person = await app.person('Ada')
  let refusals = 1
  const busy = () =>
    Response.json(
      { type: 'about:blank', title: 'Service Unavailable', status: 503, code: 'busy', detail: 'Later.' },
      {
        status: 503,
        headers: { 'content-type': 'application/problem+json', 'retry-after': '2' },
      },
    )
  const openedAt: number[] = []
  class Refusing extends WebSocket {
    constructor(url: string, protocols: string[]) {
      openedAt.push(performance.now())
      // Nobody listens on this port, so the upgrade fails as a refused one does: without a reason.
      super(refusals > 0 ? 'ws://127.0.0.1:1/ws' : url, protocols)
    }
  }
  const client = await clientOf(base, person, {
    WebSocket: Refusing as never,
    fetch: async (url: string, init?: RequestInit) =>
      String(url).includes('/sync') && refusals-- > 0 ? busy() : globalThis.fetch(url, init),
  })
  client.connect()
  await fits(client.connection, ({ state }) => state === 'online')
  expect(openedAt).toHaveLength(2)
  expect(openedAt[1]! - openedAt[0]!).toBeGreaterThanOrEqual(2000)
})

test('signing out with an expired token ends the session on the server too', async () => {
  const app = await testApp()
  const storage = sharedStorage()
  const client = await clientOf(await app.listen(), await app.person('Ada'), { storage })
  const { refresh_token } = JSON.parse(storage.kept.get('convene:session')!).tokens
  app.clock.now += 901_000
  await client.signOut()
  const answer = await app.request('POST', 'auth/refresh', { body: { refresh_token, cookies: false } })
  expect(answer).toMatchObject({ status: 401 })
})

test('a logout that hangs keeps nobody signed in, and the data of the user goes at once', async () => {
  const app = await testApp()
  const storage = sharedStorage()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const hanging = new AbortController()
  const fetch = async (url: string, init?: RequestInit) => {
    if (!url.endsWith('/auth/logout')) return globalThis.fetch(url, init)
    resolve()
    return new Promise<Response>((_, reject) =>
      hanging.signal.addEventListener('abort', () => reject(hanging.signal.reason)),
    )
  }
  const client = await clientOf(await app.listen(), await app.person('Ada'), { storage, fetch })
  await client.chats.list.load()
  await until(() => storage.kept.size > 1, 'the chats are stored')
  const signedOut = client.signOut()
  await asked
  await until(() => storage.kept.size === 0, 'nothing is left on the device')
  expect(client.session.get().state).toBe('signed-out')
  hanging.abort()
  await signedOut
})

test('in a browser with cookies, a sign-in waits for the logout before it, whose answer clears them', async () => {
  const app = await testApp()
  const asked: string[] = []
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const fetch = async (url: string, init?: RequestInit) => {
    asked.push(url.split('/').at(-1)!)
    if (url.endsWith('/auth/logout')) await held
    return globalThis.fetch(url, init)
  }
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const client = await clientOf(await app.listen(), ada, { cookies: true, fetch })
  const signedOut = client.signOut()
  await until(() => asked.includes('logout'), 'the logout is under way')
  const signedIn = client.signIn({ email: bob.email, password })
  await Bun.sleep(20)
  expect(asked).toEqual(['login', 'logout'])
  release()
  await Promise.all([signedOut, signedIn])
  expect(asked).toEqual(['login', 'logout', 'login'])
  expect(client.session.get()).toMatchObject({ state: 'signed-in', user: { name: 'Bob' } })
})

test('a sign-in fails like one without a network if no answer comes', async () => {
  const hanging = (_url: string, { signal }: RequestInit = {}) =>
    new Promise<Response>((_, reject) => {
      if (signal?.aborted) reject(signal.reason)
      else signal?.addEventListener('abort', () => reject(signal.reason))
    })
  jest.useFakeTimers()
  try {
    const client = newClient('http://127.0.0.1:9', { fetch: hanging })
    const failures = [
      client.signIn({ email: 'ada@example.org', password }),
      client.api.GET('/api/v1/me'),
      client.api.GET('/api/v1/me', { signal: AbortSignal.abort('given up') }),
    ].map((request) => request.catch((error: unknown) => error))
    jest.advanceTimersByTime(30_000)
    const [signIn, get, own] = await Promise.all(failures)
    expect([signIn, get]).toEqual([expect.any(TypeError), expect.any(TypeError)])
    expect(own).not.toBeInstanceOf(TypeError)
  } finally {
    jest.useRealTimers()
  }
})

test('attempts to refresh that are still under way when one was answered are given up', async () => {
  const app = await testApp()
  const held: (() => void)[] = []
  let refreshes = 0
  const fetch = async (url: string, init?: RequestInit) => {
    if (url.endsWith('/auth/refresh') && refreshes++ === 0) {
      await new Promise<void>((resolve) => held.push(resolve))
      // A browser, too, drops an aborted request that is still waiting to be sent.
      init?.signal?.throwIfAborted()
    }
    return globalThis.fetch(url, init)
  }
  const client = await clientOf(await app.listen(), await app.person('Ada'), { fetch })
  app.clock.now += 901_000
  expect((await client.api.GET('/api/v1/me')).response.status).toBe(200)
  app.clock.now += 11_000
  for (const release of held) release()
  await Bun.sleep(50)
  expect((await client.api.GET('/api/v1/me')).response.status).toBe(200)
  expect(refreshes).toBe(2)
})

test('a storage that cannot be read for a moment signs nobody out', async () => {
  const app = await testApp()
  const storage = sharedStorage()
  let isBroken = false
  const failing = {
    ...storage,
    getItem: async (key: string) => {
      if (isBroken) throw new Error('the connection is lost')
      return storage.getItem(key)
    },
  }
  const client = await clientOf(await app.listen(), await app.person('Ada'), { storage: failing })
  app.clock.now += 901_000
  isBroken = true
  expect((await client.api.GET('/api/v1/me')).response.status).toBe(200)
  expect(client.session.get().state).toBe('signed-in')
})

test('a browser whose IndexedDB cannot be opened keeps the session from one page to the next', async () => {
  const app = await testApp()
  const base = await app.listen()
  const localStorage = sharedStorage()
  const open = () => {
    throw new Error('Internal error opening backing store')
  }
  const { indexedDB, localStorage: own } = globalThis as { indexedDB?: unknown; localStorage?: unknown }
  Object.assign(globalThis, { indexedDB: { open }, localStorage })
  try {
    const first = await clientOf(base, await app.person('Ada'))
    first.close()
    const second = newClient(base)
    await second.ready
    expect(second.session.get().state).toBe('signed-in')
    expect((await second.api.GET('/api/v1/me')).data?.name).toBe('Ada')
  } finally {
    Object.assign(globalThis, { indexedDB, localStorage: own })
  }
})

test('a session whose stored form is damaged is no session, and one can sign in', async () => {
  const app = await testApp()
  const base = await app.listen()
  const storage = sharedStorage()
  storage.setItem('convene:session', '{"id":"a1","us')
  const client = newClient(base, { storage })
  await client.ready
  expect(client.session.get().state).toBe('signed-out')
  const { email } = await app.person('Ada')
  await client.signIn({ email, password })
  expect((await client.api.GET('/api/v1/me')).data?.name).toBe('Ada')
})

/** Web Locks of one page: in order, and taken from the holder by whoever steals. */
function fakeLocks(): ClientLocks {
  const queues = new Map<string, Promise<unknown>>()
  return {
    request(name, { steal, signal }, work) {
      const before = steal ? Promise.resolve() : (queues.get(name) ?? Promise.resolve())
      const { promise: aborted, reject } = Promise.withResolvers<never>()
      signal?.addEventListener('abort', () => reject(signal.reason))
      const mine = Promise.race([before, aborted]).then(work)
      const done = mine.catch(() => {})
      queues.set(name, steal ? done : Promise.all([before, done]))
      return mine
    },
  }
}

test('a refresh that is refused after the user has signed out brings nobody back', async () => {
  const app = await testApp()
  const storage = sharedStorage()
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const fetch = async (url: string, init?: RequestInit) => {
    if (!url.endsWith('/auth/refresh')) return globalThis.fetch(url, init)
    resolve()
    await refused
    return Response.json(
      { code: 'unauthenticated', status: 401, title: '', detail: '', type: '', request_id: '' },
      { status: 401 },
    )
  }
  const client = await clientOf(await app.listen(), await app.person('Ada'), { storage, fetch, locks: fakeLocks() })
  app.clock.now += 901_000
  const answer = client.api.GET('/api/v1/me')
  await asked
  const signedOut = client.signOut()
  await until(() => client.session.get().state === 'signed-out', 'nobody is signed in')
  refuse()
  expect((await answer).response.status).toBe(401)
  await signedOut
  expect(client.session.get()).toEqual({ state: 'signed-out', user: null, reason: null })
  expect([...storage.kept.keys()]).toEqual([])
})

test('a request of one user that is under way is not sent for another who signs in meanwhile', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const fetch = async (url: string, init?: RequestInit) => {
    if (url.endsWith('/messages')) {
      resolve()
      await held
    }
    return globalThis.fetch(url, init)
  }
  const client = await clientOf(await app.listen(), ada, { fetch })
  const answer = client.api.POST('/api/v1/chats/{id}/messages', {
    params: { path: { id } },
    body: { text: 'Dear Bob' },
  })
  await asked
  await client.signOut()
  await client.signIn({ email: bob.email, password })
  release()
  expect((await answer).response.status).toBe(401)
  expect((await bob.get(`chats/${id}/messages`)).body.items).toEqual([])
})

test.each(['with a valid token', 'with an expired one'])(
  'a tab that shows one user sends nothing for another who has signed in elsewhere: %s',
  async (how) => {
    const app = await testApp()
    const base = await app.listen()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const id = await app.met(ada, bob)
    const storage = sharedStorage()
    const first = await clientOf(base, ada, { storage })
    const second = newClient(base, { storage })
    await second.signOut()
    try {
      if (how === 'with an expired one') setSystemTime(Date.now() + 901_000)
      await second.signIn({ email: bob.email, password })
      const request = { params: { path: { id } }, body: { text: 'Dear Bob' } }
      await first.api.POST('/api/v1/chats/{id}/messages', request).catch(() => {})
    } finally {
      setSystemTime()
    }
    expect((await bob.get(`chats/${id}/messages`)).body.items).toEqual([])
    expect(first.session.get().user?.name).toBe('Bob')
  },
)

test('a write of the session that is confirmed too late hides no newer token of another tab', async () => {
  const app = await testApp()
  const base = await app.listen()
  const storage = sharedStorage()
  let isLate = false
  const late = {
    ...storage,
    setItem(key: string, value: string) {
      storage.setItem(key, value)
      if (isLate) throw new Error('The storage does not answer.')
    },
  }
  const first = await clientOf(base, await app.person('Ada'), { storage: late })
  const second = newClient(base, { storage })
  try {
    for (const client of [first, second, first, second]) {
      app.clock.now += 901_000
      setSystemTime(Date.now() + 901_000)
      isLate = client === first
      expect((await client.api.GET('/api/v1/me')).response.status).toBe(200)
    }
  } finally {
    setSystemTime()
  }
  expect(first.session.get().state).toBe('signed-in')
})

test('a write of the session that fails once is repeated, so that no other tab refreshes with an old token', async () => {
  const app = await testApp()
  const base = await app.listen()
  const storage = sharedStorage()
  let failures = 0
  const failing = {
    ...storage,
    setItem(key: string, value: string) {
      if (failures-- > 0) throw new Error('the connection is lost')
      storage.setItem(key, value)
    },
  }
  const first = await clientOf(base, await app.person('Ada'), { storage: failing })
  const second = newClient(base, { storage })
  app.clock.now += 901_000
  failures = 1
  expect((await first.api.GET('/api/v1/chats')).response.status).toBe(200)
  app.clock.now += 20_000
  expect((await second.api.GET('/api/v1/chats')).response.status).toBe(200)
})

test('whoever signs out where the storage removes nothing stays signed out after a reload', async () => {
  const app = await testApp()
  const base = await app.listen()
  const storage = sharedStorage()
  const removeItem = () => {
    throw new Error('locked')
  }
  const client = await clientOf(base, await app.person('Ada'), { storage: { ...storage, removeItem } })
  await client.signOut()
  expect(newClient(base, { storage }).session.get().state).toBe('signed-out')
  expect([...storage.kept.values()].filter(Boolean)).toEqual([])
})

/** An IndexedDB that can be made to fail, and a `localStorage`, in place of those of a browser. */
function browserStorages() {
  const kept = new Map<string, string>()
  const at = { refusesReads: false, refusesWrites: false }
  const database = {
    createObjectStore() {},
    transaction(_: string, mode: string) {
      const transaction = { error: null as unknown, oncomplete() {}, onabort() {}, objectStore: () => items }
      const run = (work: () => unknown) => {
        const request = { result: undefined as unknown }
        queueMicrotask(() => {
          if (mode === 'readonly' ? at.refusesReads : at.refusesWrites) {
            transaction.error = new Error('QuotaExceededError')
            return transaction.onabort()
          }
          request.result = work()
          transaction.oncomplete()
        })
        return request
      }
      const items = {
        get: (key: string) => run(() => kept.get(key)),
        put: (value: string, key: string) => run(() => kept.set(key, value)),
        delete: (key: string) => run(() => kept.delete(key)),
      }
      return transaction
    },
  }
  const open = () => {
    const request = { result: database, onupgradeneeded() {}, onsuccess() {} }
    queueMicrotask(() => request.onsuccess())
    return request
  }
  const before = globalThis as { indexedDB?: unknown; localStorage?: unknown }
  const { indexedDB, localStorage } = before
  Object.assign(globalThis, { indexedDB: { open }, localStorage: sharedStorage() })
  return { at, restore: () => Object.assign(globalThis, { indexedDB, localStorage }) }
}

test('after a reload, a session that IndexedDB has refused is there, and an older one does not come back', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const { at, restore } = browserStorages()
  const reload = async () => {
    at.refusesWrites = false
    const client = newClient(base)
    await client.ready
    return client
  }
  try {
    const first = await clientOf(base, ada)
    at.refusesWrites = true
    app.clock.now += 901_000
    expect((await first.api.GET('/api/v1/chats')).response.status).toBe(200)
    first.close()
    app.clock.now += 60_000
    const second = await reload()
    expect((await second.api.GET('/api/v1/chats')).response.status).toBe(200)
    at.refusesWrites = true
    await second.signOut()
    await second.signIn({ email: bob.email, password })
    second.close()
    const third = await reload()
    expect(third.session.get().user?.name).toBe('Bob')
    at.refusesWrites = true
    await third.signOut()
    third.close()
    expect((await reload()).session.get()).toEqual({ state: 'signed-out', user: null, reason: null })
  } finally {
    restore()
  }
})

test('an IndexedDB that cannot be read at the start of a page signs nobody out, also where the app passes it', async () => {
  const app = await testApp()
  const base = await app.listen()
  const { at, restore } = browserStorages()
  try {
    const first = await clientOf(base, await app.person('Ada'), { storage: indexedDb() })
    first.close()
    at.refusesReads = true
    const second = newClient(base, { storage: indexedDb() })
    expect(second.session.get().user?.name).toBe('Ada')
    expect(await second.ready).toBe(false)
    expect((await second.api.GET('/api/v1/me')).data?.name).toBe('Ada')
  } finally {
    restore()
  }
})

test('a storage without a copy that cannot be read at the start is read again, and the client says if it never can', async () => {
  const app = await testApp()
  const base = await app.listen()
  const storage = sharedStorage()
  const first = await clientOf(base, await app.person('Ada'), { storage })
  first.close()
  let failures = 2
  const failing = {
    ...storage,
    async getItem(key: string) {
      if (failures-- > 0) throw new Error('the connection is lost')
      return storage.getItem(key)
    },
  }
  const second = newClient(base, { storage: failing })
  expect([await second.ready, second.session.get().state]).toEqual([true, 'signed-in'])
  failures = Infinity
  const third = newClient(base, { storage: failing })
  expect([await third.ready, third.session.get().state]).toEqual([false, 'signed-out'])
})

const portal = (status: number) =>
  new Response('<h1>Please accept the terms of this network</h1>', { status, headers: { 'content-type': 'text/html' } })

test('a page that a network shows instead of the server’s answer neither ends the session nor stops the socket', async () => {
  const app = await testApp()
  const base = await app.listen()
  let pages = 0
  let isAway = false
  const fetch = async (url: string, init?: RequestInit) => {
    if (url.includes('/sync') && isAway) return portal(403)
    return url.endsWith('/auth/refresh') && pages-- > 0 ? portal(401) : globalThis.fetch(url, init)
  }
  const sockets: WebSocket[] = []
  class Away extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(isAway ? 'ws://127.0.0.1:1/ws' : url, protocols)
      sockets.push(this)
    }
  }
  const client = await clientOf(base, await app.person('Ada'), { fetch, WebSocket: Away as never })
  app.clock.now += 901_000
  pages = 1
  expect((await client.api.GET('/api/v1/me')).response.status).toBe(200)
  client.connect()
  await fits(client.connection, ({ state }) => state === 'online')
  isAway = true
  sockets[0]!.close()
  await until(() => sockets.length > 2, 'it tries again')
  isAway = false
  await fits(client.connection, ({ state }) => state === 'online')
})

test('a stopped connection is opened again by a call of connect or wake, in any of the tabs', async () => {
  const app = await testApp()
  const base = await app.listen()
  const storage = sharedStorage()
  const locks = fakeLocks()
  const sockets: WebSocket[] = []
  class Spy extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols)
      sockets.push(this)
    }
  }
  const shared = { storage, locks, WebSocket: Spy as never }
  const leader = await clientOf(base, await app.person('Ada'), shared)
  leader.connect()
  await fits(leader.connection, ({ state }) => state === 'online')
  const follower = newClient(base, shared)
  follower.connect()
  await fits(follower.connection, ({ state }) => state === 'online')
  const third = newClient(base, shared)
  for (const again of [leader.connect, follower.connect, leader.wake, follower.wake, third.connect]) {
    // What the server says to a user with too many sockets.
    sockets.at(-1)!.onclose!({ code: 4409, reason: '' } as CloseEvent)
    for (const { connection } of [leader, follower]) await fits(connection, ({ state }) => state === 'stopped')
    again()
    for (const { connection } of [leader, follower]) await fits(connection, ({ state }) => state === 'online')
  }
  await fits(third.connection, ({ state }) => state === 'online')
  expect([leader.connection.get().leads, sockets.length]).toEqual([true, 6])
})

test('a client that is closed listens to other tabs no longer', async () => {
  const app = await testApp()
  const listeners = new Set<unknown>()
  const { BroadcastChannel } = globalThis
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    override addEventListener(...[type, listener]: Parameters<EventTarget['addEventListener']>) {
      listeners.add(listener)
      super.addEventListener(type, listener)
    }
    override removeEventListener(...[type, listener]: Parameters<EventTarget['removeEventListener']>) {
      listeners.delete(listener)
      super.removeEventListener(type, listener)
    }
  }
  try {
    const shared = { storage: sharedStorage(), locks: fakeLocks() }
    const client = await clientOf(await app.listen(), await app.person('Ada'), shared)
    client.connect()
    await fits(client.connection, ({ state }) => state === 'online')
    expect(listeners.size).toBeGreaterThan(0)
    client.close()
    expect(listeners.size).toBe(0)
    // What it writes afterwards is told to the others without an error.
    await client.signOut()
  } finally {
    globalThis.BroadcastChannel = BroadcastChannel
  }
})

test('where pages may not use Web Locks, each opens its own socket', async () => {
  const app = await testApp()
  const locks = {
    async request() {
      throw new DOMException('access denied', 'SecurityError')
    },
  }
  const client = await clientOf(await app.listen(), await app.person('Ada'), { storage: sharedStorage(), locks })
  client.connect()
  await fits(client.connection, ({ state }) => state === 'online')
})
