import type { Api } from './api.ts'
import type { Lock } from './locks.ts'
import { isTemporary } from './problem.ts'
import type { Kept } from './storage.ts'
import { createStore, openRetry, type Retry } from './store.ts'
import type { Message, Photo, Problem } from './types.ts'

/** Something that the user has done and the server may not have yet. */
export type Entry = {
  /** The `client_id` of a message. */
  id: string
  op: 'send' | 'edit' | 'remove'
  chat: string
  /** The message that is edited or removed: its id, or the `client_id` of one that is not sent yet. */
  target?: string
  text?: string
  /** A photo is stored beside the entry. */
  photo?: boolean
  /** The id of the photo once it is uploaded. */
  media?: string
  at: string
  problem?: Problem
}

/** A message as the server has it, or what is known to have changed. */
export type Sent = Partial<Message> & Pick<Message, 'id' | 'chat_id'>

type Deps = {
  api: Api
  storage: Kept
  lock: Lock
  key: string
  retry: Retry
  /** Whether the user is signed in. */
  isReady(): boolean
  /** The entries were changed; `sent` is a message that the server has stored. */
  changed(sent?: Sent): void
}

type Change = (entries: readonly Entry[]) => readonly Entry[]
type Outcome = { done: true; message: Sent } | { problem: Problem } | { waitMs: number }

/**
 * What is kept until the server has it. All tabs share the stored list, and one of them sends at a time; a repeated send is
 * answered with the first message because of its `client_id`.
 */
export function openOutbox({ api, storage, lock, key, retry, isReady, changed }: Deps) {
  const store = createStore<readonly Entry[]>([])
  let stored: readonly Entry[] = []
  /** Changes that are shown and not stored yet. Applying one twice changes nothing more. */
  let pending: Change[] = []
  const files = new Map<string, Photo>()
  const later = openRetry(retry, () => drain())
  let draining = false
  let again = false
  let closed = false

  const show = () => store.set(pending.reduce((entries, change) => change(entries), stored))

  async function reread() {
    stored = JSON.parse((await storage.get(key)) ?? '[]')
    show()
  }

  async function mutate(change: Change, sent?: Sent, first?: () => Promise<unknown>) {
    pending.push(change)
    show()
    await first?.()
    await lock('outbox', async () => {
      const before: readonly Entry[] = JSON.parse((await storage.get(key)) ?? '[]')
      if (!closed) await storage.set(key, JSON.stringify((stored = change(before))))
      pending = pending.filter((one) => one !== change)
      show()
    })
    changed(sent)
  }

  const replace =
    (id: string, make: (entry: Entry) => Entry | null): Change =>
    (entries) =>
      entries.flatMap((entry) => (entry.id === id ? (make(entry) ?? []) : entry))

  async function add(entry: Entry, file?: Photo) {
    if (file) {
      files.set(entry.id, file)
      entry.photo = true
    }
    await mutate(
      (entries) => (entries.some(({ id }) => id === entry.id) ? entries : [...entries, entry]),
      undefined,
      file && (async () => storage.set(`photo:${entry.id}`, await toText(file))),
    )
    void drain()
  }

  async function forget(id: string) {
    files.delete(id)
    await storage.remove(`photo:${id}`)
  }

  /** Takes a message out that the server has stored. Edits that wait for it get its id. */
  const finish = async (entry: Entry, message: Sent) => {
    await mutate(
      (entries) =>
        entries
          .filter(({ id }) => id !== entry.id)

          .map((other) => (other.target === entry.id ? { ...other, target: message.id } : other)),
      message,
    )
    if (entry.photo) await forget(entry.id)
  }

  /** Marks an entry as refused. An edit that waited for the message becomes its text, and a deletion its end. */
  const refuse = (entry: Entry, problem: Problem) =>
    mutate((entries) => {
      const after = entries.filter(({ target, id }) => target === entry.id && id !== entry.id)
      const edit = after.findLast(({ op }) => op === 'edit')
      return entries.flatMap((other) => {
        if (after.includes(other)) return []
        if (other.id !== entry.id) return other
        if (after.some(({ op }) => op === 'remove')) return []
        return { ...other, ...(edit && { text: edit.text }), problem }
      })
    })

  async function deliver(entry: Entry): Promise<Outcome> {
    try {
      if (entry.photo && !entry.media) {
        const file = files.get(entry.id) ?? fromText(await storage.get(`photo:${entry.id}`))
        if (!file) return { problem: lostPhoto }
        const form = new FormData()
        form.append('file', file as Blob, 'photo')
        const { data, error, response } = await api.POST('/api/v1/media', {
          // The document describes the form; here is a ready one.
          body: form as unknown as { file: string },
        })
        if (!data) return outcomeOf(error, response)
        entry = { ...entry, media: data.id }
        const { media } = entry
        await mutate(replace(entry.id, (now) => ({ ...now, media })))
      }
      const params = { path: { id: entry.target ?? entry.chat } }
      if (entry.op === 'remove') {
        const { error, response } = await api.DELETE('/api/v1/messages/{id}', { params })
        const message = { id: entry.target!, chat_id: entry.chat, deleted: true, text: null, photo: null }
        return response.ok || error?.code === 'not_found' ? { done: true, message } : outcomeOf(error, response)
      }
      if (entry.op === 'edit') {
        const { data, error, response } = await api.PUT('/api/v1/messages/{id}', {
          params,
          body: { text: entry.text! },
        })
        return data ? { done: true, message: data } : outcomeOf(error, response)
      }
      const { data, error, response } = await api.POST('/api/v1/chats/{id}/messages', {
        params,
        body: entry.media
          ? { kind: 'photo', photo: entry.media, text: entry.text || undefined, client_id: entry.id }
          : { text: entry.text, client_id: entry.id },
      })
      if (data) return { done: true, message: data }
      // An upload that waited for longer than a day is gone: it is uploaded again.
      const isGone = entry.media && (error as Problem).errors?.some(({ path }) => path === '/photo')
      if (!isGone) return outcomeOf(error, response)
      await mutate(replace(entry.id, ({ media: _, ...now }) => now))
      return { waitMs: 1000 }
    } catch {
      return { waitMs: 0 }
    }
  }

  /** Sends what waits, in order for each chat, until nothing waits or something has to be tried again. */
  async function pass() {
    await reread()
    const unready = new Set<string>()
    for (;;) {
      const entry = store.get().find(({ problem, chat }) => !problem && !unready.has(chat))
      if (!entry || closed || !isReady()) return
      const outcome = await deliver(entry)
      if (closed) return
      if ('done' in outcome) {
        later.done()
        await finish(entry, outcome.message)
      } else if ('problem' in outcome) await refuse(entry, outcome.problem)
      else {
        unready.add(entry.chat)
        later.failed(0, outcome.waitMs)
        // Without an answer other chats would get none either.
        if (outcome.waitMs === 0) return
      }
    }
  }

  async function drain() {
    again = true
    if (draining) return
    draining = true
    while (again && !closed) {
      again = false
      await lock('send', pass).catch(() => {})
    }
    draining = false
  }

  return {
    entries: store,
    add,
    reread,
    drain,
    file: (id: string) => files.get(id),
    async retry(id: string) {
      await mutate((entries) => {
        const entry = entries.find((one) => one.id === id && one.problem)
        if (!entry) return entries
        const { problem: _, ...fresh } = entry
        return [...entries.filter((one) => one !== entry), fresh]
      })
      void drain()
    },
    async discard(id: string) {
      await mutate((entries) => entries.filter((one) => one.id !== id && one.target !== id))
      await forget(id)
    },
    /** Changes the text of a refused message or edit, and sends it again. */
    async revise(id: string, text: string) {
      await mutate(replace(id, (entry) => ({ ...entry, text })))
      await this.retry(id)
    },
    close() {
      closed = true
      later.stop()
    },
    /** Removes everything, as for somebody who signs out. */
    async clear() {
      for (const { id, photo } of store.get()) if (photo) await forget(id)
      await storage.remove(key)
    },
  }
}

export type Outbox = ReturnType<typeof openOutbox>

function outcomeOf(error: unknown, response: Response): Outcome {
  const problem = error as Problem
  // Whoever signs in again sends it then.
  if (response.status === 401) return { waitMs: 1000 }
  if (!isTemporary({ ...problem, status: response.status })) return { problem }
  return { waitMs: 1000 * Number(response.headers.get('retry-after') ?? 0) }
}

const lostPhoto: Problem = {
  type: 'about:blank',
  title: 'Photo lost',
  status: 422,
  detail: 'The photo is no longer on this device.',
  code: 'validation_failed',
  request_id: '',
}

async function toText(file: Photo): Promise<string> {
  if ('uri' in file) return JSON.stringify(file)
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return `${file.type},${btoa(text)}`
}

function fromText(text: string | null): Photo | null {
  if (!text) return null
  if (text.startsWith('{')) return JSON.parse(text)
  const [type, data] = text.split(',') as [string, string]
  return new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type })
}
