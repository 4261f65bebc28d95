import type { Api } from './api.ts'
import { openMessages } from './messages.ts'
import type { Outbox, Sent } from './outbox.ts'
import type { Lock } from './locks.ts'
import type { PresenceBook } from './presence.ts'
import { isTemporary, Refused } from './problem.ts'
import { randomId } from './session.ts'
import type { ScopedStorage } from './storage.ts'
import { createStore, openRetry, type Retry, type Settable } from './store.ts'
import type { Chat, ChatsState, Event, Frame, Message, Sending, Store } from './types.ts'

type Deps = {
  api: Api
  outbox: Outbox
  presence: PresenceBook
  me: string
  retry: Retry
  /** Keeps chats and messages for times without a network; null if the app has given no storage. */
  cache: ScopedStorage | null
  lock: Lock
  send(frame: object): void
  /** The list as shown. Its owner calls `wake` when the first listener subscribes. */
  list: Settable<ChatsState>
}

const pageSize = 50
const typingEveryMs = 2000
// The links to photos that an answer contains are valid for a day at least.
const linksLastMs = 12 * 3_600_000

const timeOf = ({ last_msg_at, created_at }: Chat) => last_msg_at ?? created_at
const latestFirst = (a: Chat, b: Chat) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : 0)

/** The operations and stores of one chat. */
export type OpenChat = ReturnType<ReturnType<typeof openChats>['open']>

export function openChats({ api, outbox, presence, me, retry, cache, lock, send, list }: Deps) {
  const open = new Map<string, ReturnType<typeof openChat>>()
  /** Chats that were read one by one, because they are not in the loaded part of the list. */
  const single = new Map<string, Chat>()
  const infos = createStore({})
  let cursor: string | null = null
  let loading: Promise<void> | null = null
  let isStale = true
  let freshUntil = Date.now() + linksLastMs
  let isClosed = false
  /** Chats for which an event arrived while the list or the chat itself was being read. */
  let touched = new Set<string>()
  const reading = new Map<string, Promise<void>>()

  const listRetry = openRetry(retry, wake)
  const stopFollowing = outbox.entries.subscribe(() => {
    for (const { messages } of open.values()) messages.show()
  })

  function show(change: Partial<ChatsState>) {
    if (isClosed) return
    list.set({ ...list.get(), ...change })
    infos.set({})
    if (change.items) save('chats', change.items.slice(0, pageSize))
  }

  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  /** By key, what the timer will store. */
  const unsaved = new Map<string, unknown>()
  function save(key: string, value: unknown) {
    if (!cache) return
    unsaved.set(key, value)
    if (timers.has(key)) return
    timers.set(
      key,
      setTimeout(() => {
        timers.delete(key)
        void cache.set(`${me}:${key}`, JSON.stringify(unsaved.get(key)))
        unsaved.delete(key)
      }, 300),
    )
  }
  /** The ids of all chats whose messages are in the storage, including those that earlier pages and other tabs have stored. */
  const keptChats = () => cached<string>('kept')
  /** Those that this page has added. */
  const noted = new Set<string>()
  function saveMessages(id: string, items: readonly Message[]) {
    if (!cache || isClosed) return
    save(`chat:${id}`, items)
    if (noted.has(id)) return
    noted.add(id)
    void lock(`${me}:kept`, async () =>
      cache.set(`${me}:kept`, JSON.stringify([...new Set([...(await keptChats()), id])])),
    )
  }
  /** Empty if nothing is stored, or it cannot be read. */
  async function cached<T>(key: string): Promise<T[]> {
    try {
      return JSON.parse((await cache?.get(`${me}:${key}`)) ?? '[]')
    } catch {
      return []
    }
  }

  const known = (id: string) => list.get().items.find((chat) => chat.id === id) ?? single.get(id) ?? null

  /** Reads a page of the list: the first one, or the one at the cursor. */
  function readPage(at: string | null) {
    return (loading ??= (async () => {
      show({ loading: true, problem: null })
      if (!list.get().loaded && list.get().items.length === 0) {
        const items = await cached<Chat>('chats')
        if (items.length > 0) show({ items, unreadTotal: items.reduce((sum, chat) => sum + chat.unread_count, 0) })
      }
      touched = new Set()
      const asked = presence.frames()
      const { data, problem } = await listRetry.answerOf(
        api.GET('/api/v1/chats', { params: { query: { limit: pageSize, ...(at !== null && { cursor: at }) } } }),
      )
      loading = null
      if (!data) return show({ loading: false, problem })
      const items = data.items.map((chat) => presence.told(chat, asked))
      const ids = new Set(items.map(({ id }) => id))
      const end = items.at(-1)
      const shown = list.get().items
      // Later pages stay, unless events may have been missed.
      const isLater = (chat: Chat) => !isStale && data.next_cursor !== null && end && timeOf(chat) <= timeOf(end)
      const before = shown.filter((chat) => !ids.has(chat.id) && (at !== null || isLater(chat)))
      if (at !== null || before.length === 0) cursor = data.next_cursor
      isStale = false
      show({
        items: [...before, ...items].sort(latestFirst),
        unreadTotal: data.unread_total,
        loading: false,
        loaded: true,
        hasMore: cursor !== null,
      })
      // A chat that is looked at stays known, whether it is in this page or not.
      for (const [id, { messages }] of open) {
        if (at !== null || ids.has(id) || !messages.isWatched()) continue
        const chat = shown.find((one) => one.id === id)
        if (chat && !known(id)) single.set(id, chat)
        touched.add(id)
      }
      for (const id of touched) void readOne(id)
    })())
  }

  const load = async () => {
    if (loading) await loading
    return readPage(null)
  }

  /** Reads one chat again, where an event does not contain everything about it. */
  function readOne(id: string): Promise<void> {
    const running = reading.get(id)
    if (running) {
      touched.add(id)
      return running
    }
    touched.delete(id)
    const asked = presence.frames()
    const run = api
      .GET('/api/v1/chats/{id}', { params: { path: { id } } })
      .then(({ data }) => {
        if (data) take(data, asked)
      })
      .catch(() => {})
      .finally(() => {
        reading.delete(id)
        if (touched.has(id)) void readOne(id)
      })
    reading.set(id, run)
    return run
  }

  /** Stores what the server has just said about a chat. */
  const take = (chat: Chat, asked?: number) => put(presence.told(chat, asked))

  /** Stores a chat in the list, or beside it. Whether its member is online may be known better than it says. */
  function put(chat: Chat) {
    const { items, unreadTotal, loaded } = list.get()
    const { id, unread_count } = chat
    const before = known(id)
    const others = items.filter((one) => one.id !== id)
    const last = items.at(-1)
    // A chat that sorts after the last loaded one arrives with a later page.
    const belongs =
      others.length < items.length || (loaded && (cursor === null || !last || timeOf(chat) >= timeOf(last)))
    if (belongs) single.delete(id)
    else single.set(id, chat)
    show({
      ...(belongs && { items: [...others, chat].sort(latestFirst) }),
      // The total includes all chats that the server had when it was read.
      unreadTotal: Math.max(0, unreadTotal + unread_count - (before?.unread_count ?? (belongs ? 0 : unread_count))),
    })
  }

  /** Updates the list for an event about a message. */
  function onMessage(event: Event, message: Message) {
    const chat = known(message.chat_id)
    if (!chat) return reload()
    const last = chat.last_message
    if (event.type !== 'message') {
      if (last?.id === message.id) put({ ...chat, last_message: message })
      if (message.deleted && message.sender_id !== me && chat.unread_count > 0) void readOne(chat.id)
      return
    }
    const isMine = message.sender_id === me
    // The message is counted already, or the answer over HTTP is newer than this event: read the chat instead of counting twice.
    if (last && message.id <= last.id) return last.id === message.id && isMine ? undefined : void readOne(chat.id)
    put({
      ...chat,
      last_message: message,
      last_msg_at: message.created_at,
      unread_count: chat.unread_count + (isMine || message.read ? 0 : 1),
    })
    // The server sends nothing when the second member writes for the first time, from when on both see who is online.
    if (last?.sender_id !== message.sender_id && !presence.user(chat.user.id).get().online) void readOne(chat.id)
  }

  /** Call it after an event of a chat that is not loaded: its place and the number of unread messages may have changed. */
  const reload = () => {
    if (list.get().loaded) void load()
  }

  function onFrame(frame: Frame) {
    if (frame.type === 'presence') {
      const { user_id, online, last_seen_at } = frame.data
      const items = list.get().items
      if (!items.some(({ user, online: was }) => user.id === user_id && was !== online)) return
      return show({ items: items.map((chat) => (chat.user.id === user_id ? { ...chat, online, last_seen_at } : chat)) })
    }
    if (frame.type === 'chat' && 'user' in frame.data) {
      touch(frame.data.id)
      return take(frame.data)
    }
    if (frame.type === 'block') {
      // Somebody who is blocked is shown by name only, on all devices of whoever has blocked them.
      for (const { id, user } of [...list.get().items, ...single.values()])
        if (user.id === frame.data.user_id) void readOne(id)
      return
    }
    if (frame.type === 'message_read') {
      const { chat_id, reader_id, last_read_message_id } = frame.data
      touch(chat_id)
      open.get(chat_id)?.messages.onEvent(frame)
      const chat = known(chat_id)
      if (reader_id !== me) return
      if (!chat) return reload()
      if (chat.last_message?.id === last_read_message_id) put({ ...chat, unread_count: 0 })
      else if (chat.unread_count > 0) void readOne(chat_id)
      return
    }
    if (frame.type === 'message' || frame.type === 'message_edited' || frame.type === 'message_deleted') {
      if (!('chat_id' in frame.data)) {
        for (const { messages } of open.values()) messages.onEvent(frame)
        return
      }
      touch(frame.data.chat_id)
      onMessage(frame, frame.data)
      open.get(frame.data.chat_id)?.messages.onEvent(frame)
    }
  }

  const touch = (id: string) => {
    if (loading || reading.has(id)) touched.add(id)
  }

  function openChat(id: string) {
    const messages = openMessages({
      api,
      outbox,
      chatId: id,
      me,
      retry,
      cached: () => cached<Message>(`chat:${id}`),
      keep: (items) => saveMessages(id, items),
    })
    /** The listeners of `info`. */
    const watching = new Set<() => void>()
    let typedAt = 0
    /** A read mark that the server does not have yet. */
    let unmarked: { upTo?: string } | null = null
    /** The newest message of the last answered mark. */
    let marked: string | undefined
    /** The messages that were unread when a mark was made. */
    const asked = new Set<string>()
    let isMarking = false
    const markRetry = openRetry(retry, mark)
    messages.show()

    /** Sends the read mark to the server, and retries later if that fails. */
    async function mark() {
      if (isMarking) return
      isMarking = true
      while (unmarked && !isClosed) {
        const now = unmarked
        const { data, problem } = await markRetry.answerOf(
          api.PUT('/api/v1/chats/{id}/read', { params: { path: { id } }, body: { up_to: now.upTo } }),
        )
        if (!data && (!problem || isTemporary(problem))) break
        // There is no newer mark.
        if (unmarked === now) unmarked = null
        marked = now.upTo
        await readOne(id)
        await loadUnread()
      }
      isMarking = false
    }
    /** The newest message of the chat when messages were loaded that are still unread after a mark. */
    let sought: string | undefined
    /** Loads the messages that are unread after a mark, because no event has told of them. Once for each newest message. */
    async function loadUnread() {
      const chat = known(id)
      const last = chat?.last_message?.id
      if (!chat?.unread_count || last === sought) return
      sought = last
      await messages.loadNewer()
    }

    const entry = () => ({ chat: id, at: new Date().toISOString() })
    /** The id of a message that may have been sent since the caller has seen it: its `key` stays the same. */
    const idOf = (messageId: string) =>
      messages.store.get().items.find(({ id, key }) => id === messageId || key === messageId)?.id ?? messageId
    const change = async (op: 'edit' | 'remove', messageId: string, text?: string) => {
      const { add, discard, entries, retry } = outbox
      const target = idOf(messageId)
      const before = entries.get().filter((one) => one.id === target || one.target === target)
      const unsent = before.find((one) => one.id === target)
      // The server does not have a message that it has refused.
      if (unsent?.problem) return op === 'edit' ? retry(target, text) : discard(target)
      // A newer change replaces one that was refused.
      for (const one of before) if (one.problem && one.id !== target) await discard(one.id)
      await add({ ...entry(), id: randomId(), op, target, text })
    }
    /** The id of the refused entry behind a message of the list. */
    const entryOf = (messageId: string) => {
      const target = idOf(messageId)
      return (
        outbox.entries.get().find((one) => one.problem && (one.id === target || one.target === target))?.id ?? target
      )
    }

    const chat = {
      id,
      /** The messages, with those that wait in the outbox. The first listener loads them. */
      messages: messages.store,
      /** The chat itself: the other member, unread count and so on. Null until it is read. */
      info: {
        get: () => known(id),
        subscribe(listener) {
          if (me && !known(id)) void readOne(id)
          const stop = infos.subscribe(listener)
          watching.add(stop)
          return () => {
            watching.delete(stop)
            stop()
          }
        },
      } as Store<Chat | null>,
      /** Whether the other member is typing. */
      isTyping: presence.typing(id),
      /** Reads the newest messages again. */
      load: messages.load,
      loadOlder: messages.loadOlder,
      /** Reads the messages after the newest one; only needed without `connect`. */
      loadNewer: messages.loadNewer,
      /**
       * Sends a text, a photo with an optional caption, or the fields of another `kind`. The message is shown at once. The promise
       * resolves with its `client_id` once it is in the outbox, which sends in order and retries after every failure.
       */
      async send({ text, photo, ...more }: Sending): Promise<string> {
        const clientId = randomId()
        await outbox.add({ ...entry(), id: clientId, op: 'send', text, more }, photo)
        return clientId
      },
      /** Changes the text of the user's own message. A refused edit keeps its text, marked as failed. */
      edit: (messageId: string, text: string): Promise<void> => change('edit', messageId, text),
      /** Deletes the user's own message. */
      remove: (messageId: string): Promise<void> => change('remove', messageId),
      /** Sends a refused message or change again. */
      retry: (messageId: string): Promise<void> => outbox.retry(entryOf(messageId)),
      /** Discards a refused message or change: the message disappears, an edited one shows its old text. */
      discard: (messageId: string): Promise<void> => outbox.discard(entryOf(messageId)),
      /** Marks the other member's loaded messages as read. Does nothing if none is unread. */
      async markRead(): Promise<void> {
        const chat = known(id)
        // The count of a chat that is being read may be older than its messages.
        if (chat?.unread_count === 0 && !messages.hasUnread()) return
        const upTo = messages.newestId()
        const unread = messages.unread()
        // Without a socket, marked messages stay unread here. A message that was held back comes among older ones.
        if (upTo && upTo === marked && unread.every((one) => asked.has(one))) return loadUnread()
        for (const one of unread) asked.add(one)
        if (chat) put({ ...chat, unread_count: 0 })
        if (!upTo || unmarked?.upTo !== upTo) unmarked = { upTo }
        await mark()
      },
      /** Tells the other member that the user is typing; call it on every key, it sends one frame in two seconds. */
      typing() {
        const now = Date.now()
        // The clock may be set back.
        if (Math.abs(now - typedAt) < typingEveryMs) return
        typedAt = now
        send({ type: 'typing', data: { chat_id: id } })
      },
    }
    return {
      chat,
      messages,
      wake() {
        messages.wake()
        if (watching.size > 0 && !known(id)) void readOne(id)
        sought = undefined
        void mark()
      },
      close() {
        messages.close()
        markRetry.close()
      },
    }
  }

  /** Reads again what has listeners, and could not be read before or has links that may have expired. */
  function wake() {
    if (Date.now() > freshUntil) becomeStale()
    // Nobody is signed in: the server would refuse everything.
    if (!me) return
    if (isStale && list.isWatched()) void load()
    for (const { wake } of open.values()) wake()
  }

  function becomeStale() {
    isStale = true
    freshUntil = Date.now() + linksLastMs
    for (const id of single.keys()) void readOne(id)
    for (const { messages } of open.values()) messages.stale()
  }

  function openById(id: string) {
    const opened = open.get(id) ?? openChat(id)
    open.set(id, opened)
    return opened.chat
  }

  return {
    /** Reads the list from the beginning. */
    load,
    /** Reads the next page, if there is one. */
    async loadMore(): Promise<void> {
      if (isStale) return load()
      if (cursor !== null) await readPage(cursor)
    },
    open: openById,
    /** Opens the chat with a user, and creates it if there is none. Throws Refused. */
    async start(userId: string) {
      const { data, error } = await api.POST('/api/v1/chats', { body: { user_id: userId } })
      if (!data) throw new Refused(error)
      take(data)
      return openById(data.id)
    },
    onFrame,
    onSent: (message: Sent) => open.get(message.chat_id)?.messages.onSent(message),
    /** Reads everything that has listeners again, after events were missed. */
    onReset() {
      becomeStale()
      wake()
    },
    wake,
    close() {
      isClosed = true
      stopFollowing()
      listRetry.close()
      for (const { close } of open.values()) close()
      for (const timer of timers.values()) clearTimeout(timer)
    },
    /** Removes the stored chats of this user. */
    forget: () =>
      lock(`${me}:kept`, async () => {
        const ids = new Set([...open.keys(), ...(await keptChats())])
        for (const key of ['chats', ...[...ids].map((id) => `chat:${id}`), 'kept'])
          await cache?.set(`${me}:${key}`, null)
      }),
  }
}
