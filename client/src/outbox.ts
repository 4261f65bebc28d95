import type { Api } from './api.ts'
import { noContent } from './initial.ts'
import type { Lock } from './locks.ts'
import { isTemporary, retryAfterMs } from './problem.ts'
import type { ScopedStorage } from './storage.ts'
import { createStore, openRetry, type Retry } from './store.ts'
import type { Message, Photo, Problem, Sending } from './types.ts'

/** An action of the user that the server may not have yet. */
export type Entry = {
  /** The `client_id` of a message. */
  id: string
  op: 'send' | 'edit' | 'remove'
  chat: string
  /** The message that is edited or removed: its id, or the `client_id` of one that is not sent yet. */
  target?: string
  text?: string
  /** The other fields of a message. */
  more?: Omit<Sending, 'text' | 'photo'>
  /** A photo is stored beside the entry. */
  photo?: boolean
  /** The id of the photo once it is uploaded. */
  media?: string
  at: string
  problem?: Problem
}

/** A message as the server has it, or only its changed fields. */
export type Sent = Partial<Message> & Pick<Message, 'id' | 'chat_id'>

type Deps = {
  api: Api
  storage: ScopedStorage
  lock: Lock
  key: string
  retry: Retry
  /** Whether the user is signed in. */
  isReady(): boolean
  /** The entries were changed; `sent` is a message that the server has stored. */
  changed(sent?: Sent): void
  /** Loads the module for photos, which fails without a network. */
  photos?: typeof photos
}

const hangsAfterMs = 1000

/** Loads the module for photos on first use. */
export const photos = () => import('./photo.ts')

type Change = (entries: readonly Entry[]) => readonly Entry[]
type Outcome = { message: Sent } | { problem: Problem } | { waitMs: number }

/**
 * Keeps the user's actions until the server has them. All tabs share the stored list, and one of them sends at a time. A
 * message that is sent twice is stored once, because of its `client_id`.
 */
export function openOutbox({ api, storage, lock, key, retry, isReady, changed, photos: load = photos }: Deps) {
  const store = createStore<readonly Entry[]>([])
  let stored: readonly Entry[] = []
  /** Changes that are shown but not stored yet. Applying a change twice has no further effect. */
  let pending: Change[] = []
  /** Those that could not be stored, because the storage could not be read or written: they are stored with the next one. */
  let late: Change[] = []
  const files = new Map<string, Photo>()
  const retries = openRetry(retry, () => drain())
  /** The request that is under way. */
  let running = { at: 0, abort: new AbortController() }
  let draining = false
  let drainAgain = false
  let closed = false

  const apply = (changes: Change[], entries: readonly Entry[]) => changes.reduce((now, change) => change(now), entries)
  const show = () => store.set(apply(pending, stored))

  /** Null where the storage cannot be read for a moment. */
  const read = (): Promise<readonly Entry[] | null> =>
    storage
      .read(key)
      .then((text) => JSON.parse(text ?? '[]'))
      .catch(() => null)

  /** Under the lock, because what was read during a change is older than the change. */
  const reread = () =>
    lock('outbox', async () => {
      const now = await read()
      if (now) stored = apply(late, now)
      show()
    })

  async function mutate(change: Change, first?: () => Promise<unknown>) {
    pending.push(change)
    show()
    await first?.().catch(() => {})
    await lock('outbox', async () => {
      const before = await read()
      late.push(change)
      if (!before) return
      const done = late
      stored = apply(done, before)
      // A refused change is applied again to what another tab may store meanwhile.
      if (closed || (await storage.set(key, JSON.stringify(stored)))) late = []
      pending = pending.filter((one) => !done.includes(one))
      show()
    })
    changed()
  }

  const replace =
    (id: string, make: (entry: Entry) => Entry): Change =>
    (entries) =>
      entries.map((entry) => (entry.id === id ? make(entry) : entry))

  async function add(entry: Entry, file?: Photo) {
    if (file) {
      files.set(entry.id, file)
      entry.photo = true
    }
    await mutate(
      (entries) => (entries.some(({ id }) => id === entry.id) ? entries : [...entries, entry]),
      // A photo that cannot be stored is still sent while the program runs.
      file && (async () => (await load()).keep(storage, entry.id, file)),
    )
    void drain()
  }

  async function forget(id: string) {
    files.delete(id)
    await storage.set(`photo:${id}`, null)
  }

  /** Removes the entry of a message that the server has stored. Edits that wait for it get its id. */
  const finish = async (entry: Entry, message: Sent) => {
    // Before the entry is removed, so that the message is shown without a break.
    changed(message)
    await mutate((entries) =>
      entries
        .filter(({ id }) => id !== entry.id)
        .map((other) => (other.target === entry.id ? { ...other, target: message.id } : other)),
    )
    if (entry.photo) await forget(entry.id)
  }

  /** Marks an entry as refused. A waiting edit of the message becomes its text, and a waiting deletion removes it. */
  async function refuse(entry: Entry, problem: Problem) {
    await mutate((entries) => {
      // A newer change of the same message takes the place of a refused edit.
      const at = entries.findIndex(({ id }) => id === entry.id)
      if (entry.op === 'edit' && entries.some(({ target }, i) => i > at && target === entry.target))
        return entries.filter(({ id }) => id !== entry.id)
      const after = entries.filter(({ target, id }) => target === entry.id && id !== entry.id)
      const edit = after.findLast(({ op }) => op === 'edit')
      return entries.flatMap((other) => {
        if (after.includes(other)) return []
        if (other.id !== entry.id) return other
        if (after.some(({ op }) => op === 'remove')) return []
        return { ...other, ...(edit && { text: edit.text }), problem }
      })
    })
    if (entry.photo && !store.get().some(({ id }) => id === entry.id)) await forget(entry.id)
  }

  async function deliver(entry: Entry): Promise<Outcome> {
    const { id, op, chat, target, text, more } = entry
    let { media } = entry
    try {
      if (entry.photo && !media) {
        const photo = await load().catch(() => null)
        // Messages of other chats may need no module.
        if (!photo) return { waitMs: 1000 }
        const { data, error, response } = await photo.upload(api, storage, id, files.get(id))
        if (!data) return outcomeOf(error, response)
        media = data.id
        await mutate(replace(id, (now) => ({ ...now, media })))
        // Somebody else may have signed in meanwhile.
        if (closed) return { waitMs: 0 }
      }
      running = { at: Date.now(), abort: new AbortController() }
      const request = { params: { path: { id: target ?? chat } }, signal: running.abort.signal }
      const { data, error, response } =
        op === 'remove'
          ? { data: undefined, ...(await api.DELETE('/api/v1/messages/{id}', request)) }
          : op === 'edit'
            ? await api.PUT('/api/v1/messages/{id}', { ...request, body: { text: text! } })
            : await api.POST('/api/v1/chats/{id}/messages', {
                ...request,
                body: {
                  ...(media && { kind: 'photo', photo: media }),
                  ...more,
                  text: text || undefined,
                  client_id: id,
                },
              })
      if (op === 'remove' && (!error || error.code === 'not_found'))
        return { message: { id: target!, chat_id: chat, deleted: true, ...noContent } }
      if (data) {
        // An edited message has its place already, or is not loaded.
        const { created_at: _, ...change } = data
        return { message: op === 'edit' ? change : data }
      }
      // The server removes unused uploads after a day: upload the photo again.
      const isGone = media && error?.errors?.some(({ path }) => path === '/photo')
      if (!isGone) return outcomeOf(error, response)
      await mutate(replace(id, ({ media: _, ...now }) => now))
      return { waitMs: 1000 }
    } catch {
      return { waitMs: 0 }
    }
  }

  /** Sends waiting entries, in order for each chat, until none is left or a failed one has to wait. */
  async function sendWaiting() {
    await reread()
    /** The chats that have to wait, and for how long. */
    const waits = new Map<string, number>()
    for (;;) {
      const entry = store.get().find(({ problem, chat }) => !problem && !waits.has(chat))
      if (!entry || closed || !isReady()) break
      const outcome = await deliver(entry)
      if (closed) return
      if ('message' in outcome) await finish(entry, outcome.message)
      else if ('problem' in outcome) await refuse(entry, outcome.problem)
      else {
        waits.set(entry.chat, outcome.waitMs)
        // The server did not answer, so entries of other chats would fail too.
        if (outcome.waitMs === 0) break
      }
    }
    if (waits.size) retries.failed(Math.min(...waits.values()))
    else retries.done()
  }

  async function drain() {
    drainAgain = true
    if (draining) return
    draining = true
    while (drainAgain && !closed) {
      drainAgain = false
      await lock('send', sendWaiting).catch(() => {})
    }
    draining = false
  }

  return {
    entries: store,
    add,
    reread,
    drain,
    /** The network may be back: sends at once, and repeats a request that hangs, which is safe. Uploads are left alone. */
    wake() {
      if (Date.now() - running.at > hangsAfterMs) running.abort.abort()
      void drain()
    },
    file: (id: string) => files.get(id),
    /** Sends a refused entry again, optionally with another text. */
    async retry(id: string, text?: string) {
      await mutate((entries) => {
        const entry = entries.find((one) => one.id === id && one.problem)
        if (!entry) return entries
        const { problem: _, ...fresh } = entry
        return [...entries.filter((one) => one !== entry), text === undefined ? fresh : { ...fresh, text }]
      })
      void drain()
    },
    async discard(id: string) {
      await mutate((entries) => entries.filter((one) => one.id !== id && one.target !== id))
      await forget(id)
    },
    close() {
      closed = true
      retries.close()
    },
    /** Removes everything, when the user signs out. */
    async clear() {
      for (const { id, photo } of (await read()) ?? stored) if (photo) await forget(id)
      await storage.set(key, null)
    },
  }
}

export type Outbox = ReturnType<typeof openOutbox>

function outcomeOf(problem: Problem | undefined, response: Response): Outcome {
  // The entry is sent when the user signs in again.
  if (response.status === 401) return { waitMs: 1000 }
  if (problem && !isTemporary(problem)) return { problem }
  return { waitMs: retryAfterMs(response) }
}
