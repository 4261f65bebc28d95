// Chats, the outbox and the socket. Loaded after the session, which a page can show itself with.
import type { Api } from './api.ts'
import { openChats } from './chats.ts'
import { noChats } from './initial.ts'
import { openLink } from './link.ts'
import type { Lock } from './locks.ts'
import { openOutbox, photos } from './outbox.ts'
import { openPresence } from './presence.ts'
import type { Session } from './session.ts'
import type { Kept } from './storage.ts'
import type { Retry, Settable } from './store.ts'
import type { Tabs } from './tabs.ts'
import type { ChatsState, ClientWebSocket, ConnectionState, Frame } from './types.ts'

type Core = {
  url: string
  WebSocket: ClientWebSocket
  session: Session
  api: Api
  retry: Retry
  tabs: Tabs | null
  name: string
  storage: Kept
  /** Keeps what was read, for times without a network; null where nothing outlasts the program. */
  cache: Kept | null
  lock: Lock
  sendLock: Lock
  list: Settable<ChatsState>
  connection: Settable<ConnectionState>
  /** Calls those who listen to a type of event. */
  tell(type: string, data: unknown, frame?: Frame): void
}

type Found = Partial<Listenable> & { document?: { visibilityState: string } & Listenable }
type Listenable = { addEventListener(type: string, listener: () => void, options: { signal: AbortSignal }): void }

export type Live = ReturnType<typeof openLive>

export function openLive(core: Core) {
  const { session, api, retry, tabs, name, storage, cache, lock, sendLock, list, connection, tell } = core
  const { document, addEventListener } = globalThis as unknown as Found
  const presence = openPresence()
  let isConnected = false
  let mine = openFor('')

  /** All that belongs to one user. */
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
      send: (frame) => link.send(frame),
      list,
    })
    const link = openLink({
      ...core,
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

  /** Whoever is signed in now has what is theirs opened, and connected if the app wants that. */
  function follow() {
    const { state, user } = session.store.get()
    const me = user?.id ?? ''
    if (me !== mine.me) {
      mine.close()
      mine = openFor(me)
      list.set(noChats)
      mine.chats.wake()
    }
    if (state === 'signed-in') {
      if (isConnected) mine.link.open()
      void mine.outbox.drain()
    } else mine.link.close()
  }
  const stopFollowing = session.store.subscribe(follow)
  follow()

  const stopListening = tabs?.listen((note) => {
    if (note.say === 'session') void session.reread()
    if (note.say === 'hidden' && document?.visibilityState === 'visible') tellFocus()
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
   * Tells the server whether the app is looked at, as nothing is notified meanwhile. The tabs share a socket, which is in the
   * foreground while one of them is. The server takes a new one for that.
   */
  function tellFocus(isNew = false) {
    const foreground = document?.visibilityState !== 'hidden'
    // Of a new socket, the tab that leads says that it is hidden, and the others that they are seen.
    if (isNew && foreground === connection.get().leads) return
    mine.link.send({ type: 'focus', data: { foreground } })
    if (!foreground) tabs?.post({ say: 'hidden' })
  }
  const seen = () => tellFocus()
  const closing = new AbortController()
  const untilClosed = { signal: closing.signal }
  addEventListener?.('online', wake, untilClosed)
  addEventListener?.('pageshow', wake, untilClosed)
  document?.addEventListener('visibilitychange', wake, untilClosed)
  document?.addEventListener('visibilitychange', seen, untilClosed)

  return {
    connect() {
      isConnected = true
      if (session.store.get().state === 'signed-in') mine.link.open()
    },
    disconnect() {
      isConnected = false
      mine.link.close()
    },
    wake,
    wakeChats: () => mine.chats.wake(),
    load: () => mine.chats.load(),
    loadMore: () => mine.chats.loadMore(),
    open: (id: string) => mine.chats.open(id),
    start: (userId: string) => mine.chats.start(userId),
    presence: presence.user,
    /** Answers what removes all that is kept of a user, whose session may be over by then. */
    forgetter(me: string) {
      const own = me === mine.me ? mine : openFor(me)
      return async () => {
        own.close()
        await own.outbox.clear()
        await own.chats.forget()
      }
    },
    close() {
      mine.close()
      stopFollowing()
      stopListening?.()
      closing.abort()
    },
  }
}
