import { type ClientOptions, type Convene, createClient } from '../../client/src/index.ts'
import { endWithTest, password, type Person, type TestApp } from '../app.ts'

/** A client that ends with the test, and tries again sooner than one of an app. */
export function newClient(url: URL | string, options: Partial<ClientOptions> = {}): Convene {
  const client = createClient({ url: String(url), retry: { minMs: 5, maxMs: 100 }, ...options })
  endWithTest(() => client.close())
  return client
}

/** The client of somebody whom the app has registered. */
export async function clientOf(url: URL | string, { email }: Person, options: Partial<ClientOptions> = {}) {
  const client = newClient(url, options)
  await client.signIn({ email, password })
  return client
}

/** Two people with a chat, each with a connected client. */
export async function pair(app: TestApp, urls: { ada?: URL; bob?: URL } = {}, options: Partial<ClientOptions> = {}) {
  const base = urls.ada ?? (await app.listen())
  const people = { ada: await app.person('Ada'), bob: await app.person('Bob') }
  const ada = await clientOf(urls.ada ?? base, people.ada, options)
  const bob = await clientOf(urls.bob ?? base, people.bob, options)
  const chatId = await app.met(people.ada, people.bob)
  return { base, people, ada, bob, chatId }
}

/** A storage as a browser has it, which outlasts the clients that use it. */
export function sharedStorage() {
  const kept = new Map<string, string>()
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
}

/** Waits until a store's value fits. */
export function fits<T>(
  store: { get(): T; subscribe(listener: () => void): () => void },
  isSo: (value: T) => boolean,
  what = 'the store fits',
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop()
      reject(new Error(`waited in vain until ${what}: ${JSON.stringify(store.get())?.slice(0, 2000)}`))
    }, 20_000)
    const look = () => {
      const value = store.get()
      if (!isSo(value)) return
      clearTimeout(timer)
      queueMicrotask(() => stop())
      resolve(value)
    }
    const stop = store.subscribe(look)
    look()
  })
}

export const textsOf = ({ items }: { items: readonly { text: string | null }[] }) => items.map(({ text }) => text)
