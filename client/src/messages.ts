import type { Api } from './api.ts'
import { noContent, noMessages } from './initial.ts'
import type { Entry, Outbox, Sent } from './outbox.ts'
import { createStore, isSame, openRetry, type Retry } from './store.ts'
import type { ChatMessage, Event, Message, MessagesState, Problem, Store } from './types.ts'

type Deps = {
  api: Api
  outbox: Outbox
  chatId: string
  me: string
  retry: Retry
  /** Reads and writes the stored messages of this chat. */
  cached(): Promise<Message[]>
  keep(messages: readonly Message[]): void
}

const pageSize = 50
const keptMessages = 100
// The clocks of a server's nodes may differ by this much. Within it, trust the order of the events instead of the times.
const maxClockSkewMs = 2000

const stateOf = (problem: Problem | null) => ({ state: problem ? ('failed' as const) : ('pending' as const), problem })
const view = (message: Message): ChatMessage => ({
  ...message,
  key: message.client_id ?? message.id,
  state: 'sent',
  problem: null,
})

/**
 * The messages of one chat: those read from the server, in its order; then those that the server has stored but whose event
 * has not arrived; then those that wait in the outbox.
 */
export function openMessages({ api, outbox, chatId, me, retry, cached, keep }: Deps) {
  let confirmed: readonly ChatMessage[] = []
  /** Messages that this device has sent. Their place is known when their events arrive. */
  let unplaced: readonly ChatMessage[] = []
  let cursor: string | null = null
  let loading: Promise<void> | null = null
  /** Events that arrived while a page was being read. The page may be older than they are. */
  let meanwhile: Event[] | null = null
  let isStale = true
  const retries = openRetry(retry, wake)
  const overlays = new WeakMap<ChatMessage, { entry: Entry; shown: ChatMessage }>()
  const pendingViews = new WeakMap<Entry, ChatMessage>()

  const store = createStore<MessagesState>(noMessages, wake)

  function show(change: Partial<MessagesState> = {}) {
    const entries = outbox.entries.get().filter(({ chat }) => chat === chatId)
    let items = unplaced.length > 0 ? [...confirmed, ...unplaced] : confirmed
    if (entries.length > 0) {
      const changes = new Map(
        entries.flatMap((entry) => (entry.op === 'send' ? [] : [[entry.target!, entry] as const])),
      )
      const sent = new Set(items.map(({ client_id }) => client_id))
      const waiting = entries.filter(({ op, id }) => op === 'send' && !sent.has(id)).map(pendingView)
      items = [...items, ...waiting].map((item) => {
        const entry = changes.get(item.id)
        return entry ? overlaid(item, entry) : item
      })
    }
    store.set({ ...store.get(), items, ...change })
  }

  function overlaid(item: ChatMessage, entry: Entry): ChatMessage {
    const before = overlays.get(item)
    if (before?.entry === entry) return before.shown
    const { problem = null, text = null } = entry
    const content = entry.op === 'edit' ? { text, edited: true } : { deleted: true, ...noContent }
    // A refused deletion shows the message again, a refused edit keeps its text.
    const isShown = entry.op === 'edit' || !problem
    const shown: ChatMessage = { ...item, ...(isShown && content), ...stateOf(problem) }
    overlays.set(item, { entry, shown })
    return shown
  }

  function pendingView(entry: Entry): ChatMessage {
    const before = pendingViews.get(entry)
    if (before) return before
    const { id, text = null, more, photo, at, problem = null } = entry
    const message: Message = {
      id,
      chat_id: chatId,
      sender_id: me,
      ...noContent,
      kind: photo ? 'photo' : 'text',
      ...more,
      text,
      read: false,
      read_at: null,
      edited: false,
      edited_at: null,
      caution: null,
      deleted: false,
      created_at: at,
      client_id: id,
    }
    const shown: ChatMessage = { ...view(message), ...stateOf(problem), file: outbox.file(id) }
    pendingViews.set(entry, shown)
    return shown
  }

  const indexOf = (id: string | null) => confirmed.findLastIndex((one) => one.id === id)

  /** Updates a message. Returns whether it already has its place. */
  function update(message: Pick<Message, 'id'> & Partial<Message>): boolean {
    const at = indexOf(message.id)
    const change = (one: ChatMessage) => view({ ...one, ...message })
    if (at >= 0) confirmed = confirmed.with(at, change(confirmed[at]!))
    unplaced = unplaced.map((one) => (one.id === message.id ? change(one) : one))
    return at >= 0
  }

  /** Puts a message in its place: after the others, or among them if moderators had held it. */
  function place(message: Message) {
    unplaced = unplaced.filter(({ id }) => id !== message.id)
    if (update(message)) return
    const sentAt = Date.parse(message.created_at)
    const isLate = Date.parse(confirmed.at(-1)?.created_at ?? '') > sentAt + maxClockSkewMs
    const before = isLate
      ? confirmed.findLastIndex((one) => Date.parse(one.created_at) <= sentAt) + 1
      : confirmed.length
    confirmed = confirmed.toSpliced(before, 0, view(message))
  }

  function apply({ type, data }: Event) {
    if (type === 'message' && 'sender_id' in data) {
      // A message older than the loaded pages arrives with its own page.
      const first = store.get().hasOlder ? confirmed[0] : undefined
      if (!first || data.id >= first.id) place(data)
    } else if (type === 'message_edited' || type === 'message_deleted')
      update('sender_id' in data ? data : { id: data.id, deleted: true, ...noContent })
    else if (type === 'message_read') {
      const { reader_id, read_at, last_read_message_id } = data
      const upTo = indexOf(last_read_message_id)
      confirmed = confirmed.map((one, i) =>
        i <= upTo && one.sender_id !== reader_id && !one.read ? { ...one, read: true, read_at } : one,
      )
    }
  }

  /** Reads a page, then applies the events that arrived meanwhile: they are as new as the page or newer. */
  function read(query: { cursor?: string; after?: string }, take: (items: Message[], next: string | null) => void) {
    return (loading ??= (async () => {
      show({ loading: true, problem: null })
      meanwhile = []
      // Without a network, the stored messages stay.
      const { data, problem } = await retries.answerOf(
        api.GET('/api/v1/chats/{id}/messages', {
          params: { path: { id: chatId }, query: { limit: pageSize, ...query } },
        }),
      )
      const late = meanwhile
      meanwhile = loading = null
      if (data) {
        take(data.items, data.next_cursor)
        late.forEach(apply)
        keepNewest()
      }
      show({ loading: false, problem, loaded: !isStale, hasOlder: cursor !== null })
    })())
  }

  const keepNewest = () => keep(confirmed.slice(-keptMessages))

  /** Reads the newest messages, and shows the stored ones until they arrive. */
  async function load(): Promise<void> {
    if (loading) await loading
    if (confirmed.length === 0) {
      const kept = await cached()
      if (confirmed.length === 0 && kept.length > 0) {
        confirmed = kept.map(view)
        show()
      }
    }
    return read({}, (items, next) => {
      const known = new Map(confirmed.map((one) => [one.id, one]))
      confirmed = items.toReversed().map((one) => reuseIfSame(known.get(one.id), one))
      unplaced = unplaced.filter(({ id }) => indexOf(id) < 0)
      cursor = next
      isStale = false
    })
  }

  /** Loads the messages if somebody is signed in and listens, and they are not up to date. */
  function wake() {
    if (me && isStale && store.isWatched()) void load()
  }

  return {
    store: store as Store<MessagesState>,
    isWatched: store.isWatched,
    load,
    show,
    async loadOlder(): Promise<void> {
      if (isStale) return load()
      if (cursor === null) return
      await read({ cursor }, (items, next) => {
        confirmed = [...items.toReversed().map(view), ...confirmed]
        cursor = next
      })
    },
    /** Reads the messages after the newest one, for an app that is not connected. */
    async loadNewer(): Promise<void> {
      const newest = confirmed.at(-1)
      if (isStale || !newest) return load()
      let isLast = false
      while (!isLast) {
        const before = confirmed.length
        await read({ after: confirmed.at(-1)!.id }, (items, next) => {
          for (const message of items) place(message)
          isLast = next === null
        })
        isLast ||= confirmed.length === before
      }
    },
    onEvent(event: Event) {
      meanwhile?.push(event)
      if (isStale && confirmed.length === 0) return
      apply(event)
      if (!meanwhile) keepNewest()
      show()
    },
    /** The server has stored a message of this device. */
    onSent(message: Sent) {
      const isKnown = update(message) || unplaced.some(({ id }) => id === message.id)
      if (!isKnown && message.created_at) unplaced = [...unplaced, view(message as Message)]
      show()
    },
    /** The messages may have changed on the server without an event. */
    stale() {
      isStale = true
      wake()
    },
    wake,
    close: retries.close,
    newestId: () => confirmed.at(-1)?.id,
    /** The ids of the other member's unread messages. */
    unread: () =>
      confirmed.flatMap(({ id, sender_id, read, deleted }) => (sender_id !== me && !read && !deleted ? id : [])),
    hasUnread: () => confirmed.findLast(({ sender_id, deleted }) => sender_id !== me && !deleted)?.read === false,
  }
}

/** Keeps the object of an unchanged message, so that its row is not rendered again. */
const reuseIfSame = (known: ChatMessage | undefined, message: Message): ChatMessage => {
  const next = view(message)
  return known && isSame(known, next) ? known : next
}
