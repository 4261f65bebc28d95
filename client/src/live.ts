// Chats, the outbox and the socket. Loaded after the session, which is enough for a page to show itself.
import type { Api } from './api.ts'
import { openChats } from './chats.ts'
import { noChats } from './initial.ts'
import { openLink } from './link.ts'
import type { Lock } from './locks.ts'
import { openOutbox, photos } from './outbox.ts'
import { openPresence } from './presence.ts'
import type { Session } from './session.ts'
import type { ScopedStorage } from './storage.ts'
import type { Retry, Settable } from './store.ts'
import type { Tabs } from './tabs.ts'
import type { ChatsState, ClientWebSocket, ConnectionState, Frame } from './types.ts'

type LiveDeps = {
  url: string
  WebSocket: ClientWebSocket
  session: Session
  api: Api
  retry: Retry
  tabs: Tabs | null
  name: string
  storage: ScopedStorage
  /** Keeps chats and messages for times without a network; null if the app has given no storage. */
  cache: ScopedStorage | null
  lock: Lock
  sendLock: Lock
  list: Settable<ChatsState>
  connection: Settable<ConnectionState>
  /** Calls the listeners of a type of event. */
  tell(type: string, data: unknown, frame?: Frame): void
}

type Platform = Partial<Listenable> & { document?: { visibilityState: string } & Listenable }
type Listenable = { addEventListener(type: string, listener: () => void, options: { signal: AbortSignal }): void }

export type Live = ReturnType<typeof openLive>

export function openLive(deps: LiveDeps) {
  const { session, api, retry, tabs, name, storage, cache, lock, sendLock, list, connection, tell } = deps
  const { document, addEventListener } = globalThis as unknown as Platform
  const presence = openPresence(connection)
  let isConnected = false
  let mine = openFor('')

  /** Opens everything that belongs to one user. */
  function openFor(me: string) {
    const outbox = openOutbox({
      api,
      storage,
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
      cache,
      lock,
      send: (frame) => link.send(frame),
      list,
    })
    const link = openLink({
      ...deps,
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
        sendFocus(true)
        // Load the module now, so that a photo can be stored without a network later.
        photos().catch(() => {})
      },
      onReset(gap) {
        chats.onReset()
        if (gap !== null) tell('gap', { seq: gap })
      },
    })
    function wakeUp() {
      chats.wake()
      outbox.wake()
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

  /** Returns a function that removes all stored data of a user, even after their session has ended. */
  function forgetter(me: string) {
    const own = me === mine.me ? mine : openFor(me)
    return async () => {
      own.close()
      await own.outbox.clear()
      await own.chats.forget()
    }
  }

  /** Opens the data of the user who is signed in now. A listener of the session may need it before `follow` is called. */
  function current() {
    const me = session.store.get().user?.id ?? ''
    if (me !== mine.me) {
      mine.close()
      mine = openFor(me)
      list.set(noChats)
      mine.chats.wake()
    }
    return mine
  }

  /** Connects whoever is signed in now, if the app has called `connect`. */
  function follow() {
    const { state, user, reason } = session.store.get()
    if (reason === 'erased' && user) void forgetter(user.id)().then(session.dropErased)
    current()
    if (state === 'signed-in') {
      if (isConnected) mine.link.open()
      void mine.outbox.drain()
    } else mine.link.close()
  }
  const stopFollowing = session.store.subscribe(follow)
  follow()

  const stopListening = tabs?.listen((note) => {
    if (note.say === 'session') void session.reread()
    if (note.say === 'hidden' && document?.visibilityState === 'visible') sendFocus()
    if (note.say !== 'outbox') return
    if (note.sent) mine.chats.onSent(note.sent)
    void mine.outbox.reread().then(mine.outbox.drain)
  })

  const wake = () => {
    if (document?.visibilityState === 'hidden') return
    if (isConnected) mine.link.wake()
    mine.wakeUp()
  }

  /**
   * Tells the server whether the app is visible, because it sends no notifications meanwhile. The shared socket is in the
   * foreground while one of the tabs is. The server assumes that a new socket is in the foreground.
   */
  function sendFocus(isNew = false) {
    const foreground = document?.visibilityState !== 'hidden'
    // For a new socket, only a hidden leader and visible followers have something to correct.
    if (isNew && foreground === connection.get().leads) return
    mine.link.send({ type: 'focus', data: { foreground } })
    if (!foreground) tabs?.post({ say: 'hidden' })
  }
  const seen = () => sendFocus()
  const closing = new AbortController()
  const untilClosed = { signal: closing.signal }
  addEventListener?.('online', wake, untilClosed)
  // Browsers do not close the socket then.
  addEventListener?.('offline', () => isConnected && mine.link.wake(), untilClosed)
  addEventListener?.('pageshow', wake, untilClosed)
  document?.addEventListener('visibilitychange', wake, untilClosed)
  document?.addEventListener('visibilitychange', seen, untilClosed)

  return {
    connect() {
      isConnected = true
      if (session.store.get().state === 'signed-in') current().link.open()
    },
    disconnect() {
      isConnected = false
      mine.link.close()
    },
    wake,
    wakeChats: () => mine.chats.wake(),
    load: () => current().chats.load(),
    loadMore: () => current().chats.loadMore(),
    open: (id: string) => current().chats.open(id),
    start: (userId: string) => current().chats.start(userId),
    presence: presence.user,
    forgetter,
    close() {
      mine.close()
      presence.close()
      stopFollowing()
      stopListening?.()
      closing.abort()
    },
  }
}
