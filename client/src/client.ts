import { type Api, openApi } from './api.ts'
import type { OpenChat } from './chats.ts'
import { indexedDb } from './indexeddb.ts'
import { disconnected, neverSeen, noChats, noMessages } from './initial.ts'
import type { Live } from './live.ts'
import { openLock } from './locks.ts'
import { openSession, randomId } from './session.ts'
import { memoryStorage, openStorage } from './storage.ts'
import { createStore, type Retry } from './store.ts'
import type { Note, Tabs } from './tabs.ts'
import type {
  ChatsState,
  ClientFetch,
  ClientLocks,
  ClientStorage,
  ClientWebSocket,
  ConnectionState,
  EventMap,
  Frame,
  Presence,
  Store,
} from './types.ts'

export type ClientOptions = {
  /** Where the server is, as `https://meet.example.org`. */
  url: string
  /**
   * Keeps the session, the outbox and, where it is given, the last known chats and messages. Without it browsers keep the session
   * and the outbox in IndexedDB, and everything else keeps them in memory.
   */
  storage?: ClientStorage
  fetch?: ClientFetch
  WebSocket?: ClientWebSocket
  /** Null for none, as where several programs do not share the storage. */
  locks?: ClientLocks | null
  /** Separates clients that share a storage: two accounts in two tabs. */
  name?: string
  /** Leaves the refresh token to the browser's cookies, where scripts cannot read it. The server must be of the same site. */
  cookies?: boolean
  /** How long to wait before trying again: at random, between `minMs` and a limit that doubles up to `maxMs`. */
  retry?: Partial<Retry>
}

type Found = {
  requestIdleCallback?(work: () => void, options: { timeout: number }): unknown
  indexedDB?: unknown
  localStorage?: ClientStorage
  document?: object
  navigator?: { locks?: ClientLocks }
}

export type Convene = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const url = options.url.replace(/\/+$/, '')
  const found = globalThis as unknown as Found
  const { storage, copy }: Storages = options.storage ? options : storageOf(found)
  const isShared = !!storage
  const name = `${options.name ?? 'convene'}:${isShared ? '' : `${randomId()}:`}`
  const retry: Retry = { minMs: 500, maxMs: 30_000, ...options.retry }
  const fetch: ClientFetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const locks = options.locks === undefined ? (isShared && found.navigator?.locks) || null : options.locks
  const WebSocket = options.WebSocket ?? globalThis.WebSocket
  const kept = openStorage(storage ?? memoryStorage(), name)
  const copied = copy && openStorage(copy, name)
  const lock = openLock(locks, name)
  const tabs = isShared && locks ? openTabs(name, locks) : null
  const listeners = new Map<string, Set<(data: never, frame: Frame) => void>>()
  const connection = createStore<ConnectionState>(disconnected)
  const list = createStore<ChatsState>(noChats, () => live?.wakeChats())

  const session = openSession({
    url,
    fetch,
    storage: kept,
    copy: copied,
    lock,
    cookies: options.cookies ?? false,
    changed: () => tabs?.post({ say: 'session' }),
  })
  const api: Api = openApi(url, session.authorized)

  /**
   * Chats, the outbox and the socket. A browser loads them once the page has shown itself, or as soon as something of them is
   * asked for.
   */
  let live: Live | null = null
  let isClosed = false
  let begin = () => {}
  const loading = new Promise<void>((resolve) => (begin = resolve)).then(load)
  if (found.requestIdleCallback) found.requestIdleCallback(begin, { timeout: 1000 })
  else begin()
  async function load(): Promise<Live> {
    for (let wait = retry.minMs; ; wait = Math.min(retry.maxMs, wait * 2)) {
      const loaded = await import('./live.ts').catch(() => null)
      if (!loaded) {
        await new Promise((resolve) => setTimeout(resolve, wait))
        continue
      }
      // A session in an asynchronous storage says whose chats they are.
      await session.ready
      live = loaded.openLive({
        url,
        WebSocket,
        session,
        api,
        retry,
        tabs,
        name,
        storage: kept,
        cache: options.storage ? kept : null,
        lock,
        sendLock: openLock(locks, name, 60_000),
        list,
        connection,
        tell(type, data, frame) {
          for (const key of [type, '*'])
            for (const listener of [...(listeners.get(key) ?? [])]) listener(data as never, frame as Frame)
        },
      })
      if (isClosed) live.close()
      return live
    }
  }
  /** At once where it is loaded, so that what the user has done is shown before the call returns. */
  const whenLoaded = <T>(action: (live: Live) => T): T | Promise<Awaited<T>> =>
    live ? action(live) : (loading.then(action) as Promise<Awaited<T>>)
  const act: typeof whenLoaded = (action) => {
    begin()
    return whenLoaded(action)
  }

  /** A store of what is loaded later: at once where somebody listens to it, if it is urgent. */
  function later<T>(value: T, find: (live: Live) => Store<T>, isUrgent = false): Store<T> {
    return {
      get: () => (live ? find(live).get() : value),
      subscribe(listener) {
        if (live) return find(live).subscribe(listener)
        let stop: (() => void) | null = () => {}
        if (isUrgent) begin()
        void loading.then((live) => {
          if (!stop) return
          stop = find(live).subscribe(listener)
          listener()
        })
        return () => {
          stop?.()
          stop = null
        }
      },
    }
  }
  function chatLater(id: string): OpenChat {
    const method =
      <N extends (typeof methods)[number]>(name: N) =>
      (...args: Parameters<OpenChat[N]>) =>
        act((live) => (live.open(id)[name] as (...args: unknown[]) => unknown)(...args))
    return {
      id,
      messages: later(noMessages, (live) => live.open(id).messages, true),
      info: later(null, (live) => live.open(id).info, true),
      isTyping: later(false, (live) => live.open(id).isTyping),
      ...Object.fromEntries(methods.map((name) => [name, method(name)])),
    } as OpenChat
  }
  /** What was asked for before it was loaded stays the same object. */
  const early = new Map<string, unknown>()
  function earlier<T>(key: string, make: () => T, find: (live: Live) => T): T {
    const known = early.get(key) as T | undefined
    if (known) return known
    if (live) return find(live)
    const made = make()
    early.set(key, made)
    return made
  }

  return {
    /** Every route of the server, typed: `api.GET('/api/v1/me')` answers `{ data }` or `{ error }`, and throws without a network. */
    api,
    /** The whole address of a path in an answer, such as a photo's `url`. */
    url: (path: string): string => (path.startsWith('/') ? url + path : path),
    /** Resolves once a session in an asynchronous storage is read. */
    ready: session.ready,
    session: session.store,
    /** Whether events arrive. */
    connection: connection as Store<ConnectionState>,
    /** Creates an account and signs in. Throws Refused. */
    register: session.register,
    /** Throws Refused where the server does not let them in. */
    signIn: session.signIn,
    /** Signs out, in all tabs, and removes what is kept of the user on this device, the outbox too. */
    async signOut() {
      await session.ready
      const me = session.store.get().user?.id ?? ''
      const forget = act((live) => live.forgetter(me))
      await session.signOut()
      early.clear()
      await (
        await forget
      )()
    },
    /** A valid access token, refreshed where needed, for requests of your own; null where nobody is signed in. */
    token: session.token,
    /** Receives events from now on, whenever somebody is signed in. Calling it again tries at once. */
    connect() {
      if (!WebSocket) throw new Error('There is no WebSocket here: pass one, such as that of the package ws.')
      void whenLoaded((live) => live.connect())
    },
    /** Receives no more events. The outbox goes on. */
    disconnect: () => void whenLoaded((live) => live.disconnect()),
    /** The network or the app is back: for React Native's AppState and NetInfo. Browsers are listened to. */
    wake: () => live?.wake(),
    chats: {
      /** The chats of the user, the latest first. The first listener loads them. */
      list: {
        get: list.get,
        subscribe: list.subscribe,
        /** Reads the list from the beginning. */
        load: async () => act((live) => live.load()),
        /** Reads the next page, if there is one. */
        loadMore: async () => act((live) => live.loadMore()),
      },
      /** One chat. It is the same object until somebody else signs in. */
      open: (id: string): OpenChat =>
        earlier(
          `chat:${id}`,
          () => chatLater(id),
          (live) => live.open(id),
        ),
      /** The chat with a user, which begins with this where there is none. Throws Refused. */
      start: async (userId: string): Promise<OpenChat> => act((live) => live.start(userId)),
    },
    /** Whether somebody is online, as far as the chats tell. */
    presence: (userId: string): Store<Presence> =>
      earlier(
        userId,
        () => later(neverSeen, (live) => live.presence(userId)),
        (live) => live.presence(userId),
      ),
    /** Calls the listener for each event of a type, once and in order, or for all with `*`. Answers how to stop. */
    on<T extends (keyof EventMap & string) | '*'>(
      type: T,
      listener: (data: T extends keyof EventMap ? EventMap[T] : unknown, frame: Frame) => void,
    ): () => void {
      const own = listeners.get(type) ?? new Set()
      listeners.set(type, own.add(listener as never))
      return () => void own.delete(listener as never)
    },
    /** Ends everything that runs. What is stored stays. */
    close() {
      isClosed = true
      live?.close()
    },
  }
}

// What a chat can do, by name, so that it can be asked before it is loaded.
const methods = [
  'load',
  'loadOlder',
  'loadNewer',
  'send',
  'edit',
  'remove',
  'retry',
  'discard',
  'markRead',
  'typing',
] as const

type Storages = { storage?: ClientStorage; copy?: ClientStorage }

/**
 * What a browser has. Its tabs see each other's changes in IndexedDB at once, in `localStorage` only after a while: there is
 * only a copy of the session, so that a page knows it from the beginning.
 */
function storageOf(found: Found): Storages {
  try {
    const { indexedDB, document, localStorage } = found
    if (indexedDB) return { storage: indexedDb(), copy: localStorage }
    return { storage: document && localStorage }
  } catch {
    // A browser that is told to store nothing throws at the mention of `localStorage`.
    return {}
  }
}

function openTabs(name: string, locks: ClientLocks): Tabs | null {
  if (typeof BroadcastChannel === 'undefined') return null
  const channel = new BroadcastChannel(name)
  const listeners = new Set<(note: Note) => void>()
  channel.onmessage = ({ data }) => {
    for (const listener of [...listeners]) listener(data)
  }
  // A program on Node ends when nothing else is left to do.
  ;(channel as { unref?(): void }).unref?.()
  return {
    locks,
    post: (note) => channel.postMessage(note),
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
