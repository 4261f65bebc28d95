import { type Api, openApi } from './api.ts'
import { empty, openChats } from './chats.ts'
import { indexedDb } from './indexeddb.ts'
import { disconnected, openLink } from './link.ts'
import { openLock } from './locks.ts'
import { openOutbox, photos } from './outbox.ts'
import { openPresence } from './presence.ts'
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
  indexedDB?: unknown
  localStorage?: ClientStorage
  navigator?: { locks?: ClientLocks }
  document?: { visibilityState: string } & Listenable
} & Partial<Listenable>
type Listenable = { addEventListener(type: string, listener: () => void, options: { signal: AbortSignal }): void }

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
  const sendLock = openLock(locks, name, 60_000)
  const tabs = isShared && locks ? openTabs(name, locks) : null
  const listeners = new Map<string, Set<(data: never, frame: Frame) => void>>()
  const presence = openPresence()
  const connection = createStore<ConnectionState>(disconnected)
  const list = createStore<ChatsState>(empty, () => mine.chats.wake())

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

  let isConnected = false
  let mine = openFor('')

  /** All that belongs to one user. */
  function openFor(me: string) {
    const outbox = openOutbox({
      api,
      storage: kept,
      lock: (name, work) => (name === 'send' ? sendLock : lock)(`${me}:${name}`, work),
      key: `outbox:${me}`,
      retry,
      isReady: () => session.store.get().state === 'signed-in',
      changed(sent) {
        tabs?.post({ say: 'outbox', sent })
        if (sent) chats.onSent(sent)
      },
    })
    const chats = openChats({
      api,
      outbox,
      presence,
      me,
      retry,
      cache: options.storage ? kept : null,
      send: (frame) => link.send(frame),
      list,
    })
    const link = openLink({
      url,
      WebSocket,
      session,
      api,
      retry,
      tabs,
      name: `${name}${me}:`,
      state: connection,
      online: presence.online,
      onOnline: (users) => users.forEach((id) => presence.note(id, true, presence.user(id).get().lastSeenAt)),
      onFrame(frame) {
        presence.onFrame(frame, me)
        chats.onFrame(frame)
        tell(frame.type, frame.data, frame)
        if (frame.type !== 'hello') return
        wakeUp()
        tellFocus(true)
        // Now, so that a photo can be kept without a network.
        photos().catch(() => {})
      },
      onReset(gap) {
        chats.onReset()
        if (gap !== null) tell('gap', { seq: gap })
      },
    })
    function wakeUp() {
      chats.wake()
      void outbox.drain()
    }
    if (me) void outbox.reread().then(outbox.drain)
    return {
      me,
      outbox,
      chats,
      link,
      wakeUp,
      close() {
        link.close()
        outbox.close()
        chats.close()
        presence.clear()
      },
    }
  }

  function tell(type: string, data: unknown, frame?: Frame) {
    for (const key of [type, '*'])
      for (const listener of [...(listeners.get(key) ?? [])]) listener(data as never, frame as Frame)
  }

  /** Whoever is signed in now has what is theirs opened, and connected if the app wants that. */
  function follow() {
    const { state, user } = session.store.get()
    const me = user?.id ?? ''
    if (me !== mine.me) {
      mine.close()
      mine = openFor(me)
      list.set(empty)
      mine.chats.wake()
    }
    if (state === 'signed-in') {
      if (isConnected) mine.link.open()
      void mine.outbox.drain()
    } else mine.link.close()
  }
  session.store.subscribe(follow)
  follow()

  const stopListening = tabs?.listen((note) => {
    if (note.say === 'session') void session.reread()
    if (note.say === 'hidden' && found.document?.visibilityState === 'visible') tellFocus()
    if (note.say !== 'outbox') return
    if (note.sent) mine.chats.onSent(note.sent)
    void mine.outbox.reread().then(mine.outbox.drain)
  })

  const wake = () => {
    if (found.document?.visibilityState === 'hidden') return
    if (isConnected) mine.link.wake()
    mine.wakeUp()
  }

  /**
   * Tells the server whether the app is looked at, as nothing is notified meanwhile. The tabs share a socket, which is in the
   * foreground while one of them is. The server takes a new one for that.
   */
  function tellFocus(isNew = false) {
    const foreground = found.document?.visibilityState !== 'hidden'
    // Of a new socket, the tab that leads says that it is hidden, and the others that they are seen.
    if (isNew && foreground === mine.link.state.get().leads) return
    mine.link.send({ type: 'focus', data: { foreground } })
    if (!foreground) tabs?.post({ say: 'hidden' })
  }
  const seen = () => tellFocus()
  const closing = new AbortController()
  const untilClosed = { signal: closing.signal }
  found.addEventListener?.('online', wake, untilClosed)
  found.addEventListener?.('pageshow', wake, untilClosed)
  found.document?.addEventListener('visibilitychange', wake, untilClosed)
  found.document?.addEventListener('visibilitychange', seen, untilClosed)

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
      const { chats, outbox } = mine
      await session.signOut()
      await outbox.clear()
      await chats.forget()
    },
    /** A valid access token, refreshed where needed, for requests of your own; null where nobody is signed in. */
    token: session.token,
    /** Receives events from now on, whenever somebody is signed in. Calling it again tries at once. */
    connect() {
      if (!WebSocket) throw new Error('There is no WebSocket here: pass one, such as that of the package ws.')
      isConnected = true
      if (session.store.get().state === 'signed-in') mine.link.open()
    },
    /** Receives no more events. The outbox goes on. */
    disconnect() {
      isConnected = false
      mine.link.close()
    },
    /** The network or the app is back: for React Native's AppState and NetInfo. Browsers are listened to. */
    wake,
    chats: {
      /** The chats of the user, the latest first. The first listener loads them. */
      list: {
        get: list.get,
        subscribe: list.subscribe,
        /** Reads the list from the beginning. */
        load: () => mine.chats.load(),
        /** Reads the next page, if there is one. */
        loadMore: () => mine.chats.loadMore(),
      },
      /** One chat. It is the same object until somebody else signs in. */
      open: (id: string) => mine.chats.open(id),
      /** The chat with a user, which begins with this where there is none. Throws Refused. */
      start: (userId: string) => mine.chats.start(userId),
    },
    /** Whether somebody is online, as far as the chats tell. */
    presence: (userId: string) => presence.user(userId),
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
      mine.close()
      stopListening?.()
      closing.abort()
    },
  }
}

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
