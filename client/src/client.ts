import { type Api, openApi } from './api.ts'
import type { OpenChat } from './chats.ts'
import { indexedDb } from './indexeddb.ts'
import { disconnected, neverSeen, noChats, noMessages } from './initial.ts'
import type { Live } from './live.ts'
import { openLock } from './locks.ts'
import { openSession, randomId } from './session.ts'
import { memoryStorage, openStorage } from './storage.ts'
import { call, createStore, type Retry } from './store.ts'
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
  /** The server's address, such as `https://meet.example.org`. */
  url: string
  /**
   * Keeps the session, the outbox, and the last known chats and messages. Without it, browsers keep the session and the outbox in
   * IndexedDB, other platforms keep them in memory, and no chats are kept.
   */
  storage?: ClientStorage | undefined
  fetch?: ClientFetch | undefined
  WebSocket?: ClientWebSocket | undefined
  /** Null for none, if no other program shares the storage. */
  locks?: ClientLocks | null | undefined
  /** Separates clients that share a storage: two accounts in two tabs. */
  name?: string | undefined
  /** Keeps the refresh token in the browser's cookies, where scripts cannot read it. The server must be on the same site. */
  cookies?: boolean | undefined
  /** How long to wait before trying again: at random, between `minMs` and a limit that doubles up to `maxMs`. */
  retry?: Partial<Retry>
}

type Platform = {
  requestIdleCallback?(work: () => void, options: { timeout: number }): unknown
  indexedDB?: unknown
  localStorage?: ClientStorage
  document?: object
  navigator?: { locks?: ClientLocks }
}

export type Convene = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const url = options.url.replace(/\/+$/, '')
  const platform = globalThis as unknown as Platform
  const storage = options.storage ?? storageOf(platform)
  const isShared = !!storage
  const name = `${options.name ?? 'convene'}:${isShared ? '' : `${randomId()}:`}`
  const retry: Retry = { minMs: 500, maxMs: 30_000, ...options.retry }
  const fetch: ClientFetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const locks = options.locks === undefined ? (isShared && platform.navigator?.locks) || null : options.locks
  const WebSocket = options.WebSocket ?? globalThis.WebSocket
  const kept = openStorage(storage ?? memoryStorage(), name)
  const lock = openLock(locks, name)
  const tabs = isShared && locks ? openTabs(name, locks) : null
  const listeners = new Map<string, Set<(data: never, frame: Frame) => void>>()
  const connection = createStore<ConnectionState>(disconnected)
  const list = createStore<ChatsState>(noChats, () => live?.wakeChats())

  const session = openSession({
    url,
    fetch,
    storage: kept,
    copy: storage?.copy && openStorage(storage.copy, name),
    lock,
    cookies: options.cookies ?? false,
    changed: () => tabs?.post({ say: 'session' }),
  })
  const api: Api = openApi(url, session.authorized)

  /**
   * Chats, the outbox and the socket. A browser loads them when the page is idle, or when they are first used.
   */
  let live: Live | null = null
  let isClosed = false
  let begin = () => {}
  const loading = new Promise<void>((resolve) => (begin = resolve)).then(load)
  if (platform.requestIdleCallback) platform.requestIdleCallback(begin, { timeout: 1000 })
  else begin()
  async function load(): Promise<Live> {
    for (let wait = retry.minMs; ; wait = Math.min(retry.maxMs, wait * 2)) {
      const loaded = await import('./live.ts').catch(() => null)
      if (!loaded) {
        await new Promise((resolve) => setTimeout(resolve, wait))
        continue
      }
      // In an asynchronous storage, the session is not known before this.
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
          for (const key of frame ? [type, '*'] : [type])
            for (const listener of [...(listeners.get(key) ?? [])]) call(() => listener(data as never, frame as Frame))
        },
      })
      if (isClosed) live.close()
      return live
    }
  }
  /** Runs synchronously once loaded, so that the user's action is shown before the call returns. */
  const runWhenLoaded = <T>(action: (live: Live) => T): T | Promise<Awaited<T>> =>
    live ? action(live) : (loading.then(action) as Promise<Awaited<T>>)
  const loadAndRun: typeof runWhenLoaded = (action) => {
    begin()
    return runWhenLoaded(action)
  }

  /** A store of the part that loads later. If it is urgent, the first listener starts the load. */
  function deferredStore<T>(value: T, find: (live: Live) => Store<T>, isUrgent = false): Store<T> {
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
  function deferredChat(id: string): OpenChat {
    const method =
      <N extends (typeof methods)[number]>(name: N) =>
      (...args: Parameters<OpenChat[N]>) =>
        loadAndRun((live) => (live.open(id)[name] as (...args: unknown[]) => unknown)(...args))
    return {
      id,
      messages: deferredStore(noMessages, (live) => live.open(id).messages, true),
      info: deferredStore(null, (live) => live.open(id).info, true),
      isTyping: deferredStore(false, (live) => live.open(id).isTyping),
      ...Object.fromEntries(methods.map((name) => [name, method(name)])),
    } as OpenChat
  }
  /** Objects handed out before the load, so that later calls return the same ones. */
  const memo = new Map<string, unknown>()
  function memoized<T>(key: string, make: () => T, find: (live: Live) => T): T {
    const known = memo.get(key) as T | undefined
    if (known) return known
    if (live) return find(live)
    const made = make()
    memo.set(key, made)
    return made
  }

  return {
    /** Every route of the server, typed: `api.GET('/api/v1/me')` answers `{ data }` or `{ error }`, and throws without a network. */
    api,
    /** The full URL of a path in an answer, such as a photo's `url`. */
    url: (path: string): string => (path.startsWith('/') ? url + path : path),
    /** Resolves once a session in an asynchronous storage is read: with false if the storage cannot be read. */
    ready: session.ready,
    session: session.store,
    /** Whether events arrive. */
    connection: connection as Store<ConnectionState>,
    /** Creates an account and signs in. Throws Refused. */
    register: session.register,
    /** Throws Refused if the server refuses the sign-in. */
    signIn: session.signIn,
    /** Signs out in all tabs, and removes the user's data from this device, including the outbox. */
    async signOut() {
      await session.ready
      const me = session.store.get().user?.id ?? ''
      const forget = loadAndRun((live) => live.forgetter(me))
      const logOut = await session.signOut()
      // At the same time: without a network, the data goes at once.
      await Promise.all([logOut(), (async () => (await forget)())()])
    },
    /** A valid access token, refreshed if needed, for requests of your own; null if nobody is signed in. */
    token: session.token,
    /** Receives events from now on, whenever somebody is signed in. Calling it again tries at once. */
    connect() {
      if (!WebSocket) throw new Error('There is no WebSocket here: pass one, such as that of the package ws.')
      void runWhenLoaded((live) => isClosed || live.connect())
    },
    /** Stops receiving events. The outbox continues to send. */
    disconnect: () => void runWhenLoaded((live) => live.disconnect()),
    /** Call it when the network or the app is back, as from React Native's AppState and NetInfo. Browsers need no call. */
    wake: () => live?.wake(),
    chats: {
      /** The chats of the user, the latest first. The first listener loads them. */
      list: {
        get: list.get,
        subscribe: list.subscribe,
        /** Reads the list from the beginning. */
        load: async () => loadAndRun((live) => live.load()),
        /** Reads the next page, if there is one. */
        loadMore: async () => loadAndRun((live) => live.loadMore()),
      },
      /** One chat. It is the same object until somebody else signs in. */
      open: (id: string): OpenChat =>
        memoized(
          `${session.store.get().user?.id}:${id}`,
          () => deferredChat(id),
          (live) => live.open(id),
        ),
      /** Opens the chat with a user, and creates it if there is none. Throws Refused. */
      start: async (userId: string): Promise<OpenChat> => loadAndRun((live) => live.start(userId)),
    },
    /** Whether somebody is online. Known only for members of the user's chats. */
    presence: (userId: string): Store<Presence> =>
      memoized(
        userId,
        () => deferredStore(neverSeen, (live) => live.presence(userId)),
        (live) => live.presence(userId),
      ),
    /** Calls the listener for each event of a type, or for every frame with `*`, once and in order. Returns a function that stops it. */
    on<T extends (keyof EventMap & string) | '*'>(
      type: T,
      listener: (
        data: T extends keyof EventMap ? EventMap[T] : unknown,
        frame: T extends 'gap' ? undefined : Frame,
      ) => void,
    ): () => void {
      const own = listeners.get(type) ?? new Set()
      // A new function, so that one listener can be passed twice.
      const one = (...told: Parameters<typeof listener>) => listener(...told)
      listeners.set(type, own.add(one as never))
      return () => void own.delete(one as never)
    },
    /** Closes the socket and stops all timers. Requests under way finish, so that no token is lost. Stored data stays. */
    close() {
      isClosed = true
      live?.close()
    },
  }
}

// The methods of a chat, by name, so that they can be called before it is loaded.
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

/** The storage of a browser. */
function storageOf(platform: Platform): ClientStorage | undefined {
  try {
    const { indexedDB, document } = platform
    // Node warns when somebody reads `localStorage`.
    return indexedDB ? indexedDb() : document && platform.localStorage
  } catch {
    // A browser with storage disabled throws on any access to `localStorage`.
  }
}

function openTabs(name: string, locks: ClientLocks): Tabs | null {
  let channel: BroadcastChannel
  try {
    channel = new BroadcastChannel(name)
  } catch {
    // There is none here, or Firefox blocks the page's storage: then tabs share nothing that they could tell each other of.
    return null
  }
  // On Node, an open channel would keep the process running.
  ;(channel as { unref?(): void }).unref?.()
  return {
    locks,
    post: (note) => channel.postMessage(note),
    // A channel without a listener costs a page nothing, so `close` does not have to close it.
    listen(listener) {
      const take = ({ data }: MessageEvent<Note>) => listener(data)
      channel.addEventListener('message', take)
      return () => channel.removeEventListener('message', take)
    },
  }
}
