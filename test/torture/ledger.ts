import assert from 'node:assert/strict'
import { type Answer, allOf, call, chatOf, done, people, type Person } from './people.ts'
import type { Random } from './random.ts'
import { until } from './run.ts'
import { canary } from './server.ts'

/** Asks the server of the moment. Throws where that gives no answer, or one after which to ask again. */
export type Ask = (
  method: string,
  path: string,
  options?: { token?: string; body?: unknown; headers?: Record<string, string> },
) => Promise<Answer>

/** One message that somebody meant to send. */
export type Sending = {
  clientId: string
  chat: string
  sender: Person
  text: string
  /** How often it was sent. */
  asked: number
  /** Known once it was answered. */
  id: string | null
  /** The text that an edit asked for, and whether that was answered. */
  edit: { text: string; answered: boolean } | null
  deletion: 'asked' | 'answered' | null
  /** Whether an answered marking covers it. */
  read: boolean
}

export type Chat = {
  id: string
  members: [Person, Person]
  sendings: Sending[]
  review: { rating: number; answered: boolean } | null
}

/** What was asked of the server, and what it has answered, over all its lives. */
export type Ledger = {
  people: Person[]
  chats: Chat[]
  unanswered: Sending[]
  /** Links to the images whose upload was answered. */
  images: string[]
  answered: number
  /** Of those, what was sent more than once. */
  retried: number
  count: number
}

/** The people, and a chat of each with every other. */
export async function settle(base: URL, count: number): Promise<Ledger> {
  const everybody = await people(base, count)
  const pairs = everybody.flatMap((a, i) => everybody.slice(i + 1).map((b): [Person, Person] => [a, b]))
  const chats = await Promise.all(
    pairs.map(async (members): Promise<Chat> => ({
      id: await chatOf(base, ...members),
      members,
      sendings: [],
      review: null,
    })),
  )
  return { people: everybody, chats, unanswered: [], images: [], answered: 0, retried: 0, count: 0 }
}

/** Gives the same people new tokens. */
export async function renew(ledger: Ledger, base: URL) {
  const fresh = await people(base, ledger.people.length)
  for (const [i, person] of ledger.people.entries()) Object.assign(person, fresh[i])
}

/** Sends, edits, deletes, marks as read or reviews. Throws what `ask` throws. */
export async function act(ledger: Ledger, ask: Ask, random: Random) {
  const chat = random.pick(ledger.chats)
  const [reader, other] = random.chance(0.5) ? chat.members : (chat.members.toReversed() as [Person, Person])
  const dice = random.next()
  if (dice < 0.1) {
    const covered = chat.sendings.filter(({ sender, id }) => sender === other && id !== null)
    const answer = await ask('PUT', `chats/${chat.id}/read`, { token: reader.token })
    assert.equal(answer.status, 200)
    for (const sending of covered) sending.read = true
  } else if (dice < 0.15) {
    await review(chat, ask, reader, random.integer(1, 5))
  } else if (dice < 0.25) {
    const sending = chat.sendings.findLast(
      ({ id, edit, deletion }) => id !== null && edit === null && deletion === null,
    )
    if (sending) await change(sending, ask, random.chance(0.7))
  } else {
    await send(ledger, ask, ledger.unanswered.shift() ?? newSending(ledger, chat, reader))
  }
}

function newSending(ledger: Ledger, chat: Chat, sender: Person): Sending {
  const n = ++ledger.count
  const text = `${canary} ${n} ${'text '.repeat(n % 200)}`.trim()
  const sending: Sending = {
    clientId: `c${n}`,
    chat: chat.id,
    sender,
    text,
    asked: 0,
    id: null,
    edit: null,
    deletion: null,
    read: false,
  }
  chat.sendings.push(sending)
  return sending
}

export async function send(ledger: Ledger, ask: Ask, sending: Sending) {
  const { chat, sender, text, clientId } = sending
  sending.asked++
  try {
    const { status, body } = await ask('POST', `chats/${chat}/messages`, {
      token: sender.token,
      body: { text, client_id: clientId },
    })
    assert.ok(status === 201 || status === 200, `a send was answered with ${status} ${JSON.stringify(body)}`)
    assert.deepEqual([body.text, body.client_id, body.sender_id], [text, clientId, sender.id])
    sending.id = body.id
    ledger.answered++
    if (sending.asked > 1) ledger.retried++
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    ledger.unanswered.push(sending)
    throw error
  }
}

/** Sends again what was not answered, and fails where it is not answered now. */
export async function retryAll(ledger: Ledger, ask: Ask) {
  await Promise.all(ledger.unanswered.splice(0).map((sending) => send(ledger, ask, sending)))
}

async function change(sending: Sending, ask: Ask, toEdit: boolean) {
  const { token } = sending.sender
  if (toEdit) {
    sending.edit = { text: `${sending.text} (edited)`, answered: false }
    const answer = await ask('PUT', `messages/${sending.id}`, { token, body: { text: sending.edit.text } })
    assert.equal(answer.status, 200)
    sending.edit.answered = true
  } else {
    sending.deletion = 'asked'
    assert.equal((await ask('DELETE', `messages/${sending.id}`, { token })).status, 204)
    sending.deletion = 'answered'
  }
}

async function review(chat: Chat, ask: Ask, reviewer: Person, rating: number) {
  const wrote = new Set(chat.sendings.filter(({ id }) => id !== null).map(({ sender }) => sender))
  if (chat.review || wrote.size < 2) return
  chat.review = { rating, answered: false }
  const answer = await ask('POST', 'reviews', { token: reviewer.token, body: { chat_id: chat.id, rating } })
  assert.equal(answer.status, 201)
  chat.review.answered = true
}

/** What the server answers, beside what it has answered before. */
export async function compareWithAnswers(ledger: Ledger, base: URL, ears: readonly Ear[]) {
  for (const person of ledger.people) {
    const { token } = person
    const { items } = await done(call(base, 'GET', 'chats?limit=100', { token }))
    assert.equal(items.length, ledger.people.length - 1)
    for (const { id, unread_count } of items) {
      const messages = await allOf(base, `chats/${id}/messages`, token)
      const unread = messages.filter((message) => message.sender_id !== person.id && !message.read && !message.deleted)
      assert.equal(unread_count, unread.length, 'a chat counts as unread what its messages say is')
    }
    const { seq } = await done(call(base, 'GET', 'sync?since=0&limit=1', { token }))
    const events = await allOf(base, 'sync?since=0', token)
    assert.deepEqual(
      events.map((event) => event.seq),
      Array.from({ length: seq }, (_, i) => i + 1),
      '/sync has a gap',
    )
    for (const ear of ears.filter(({ owner }) => owner === person)) {
      await until(`events to ${seq} on the socket, which is at ${ear.heard.length}`, () => ear.heard.length === seq)
      assert.deepEqual(ear.heard, events.map(nameOf), 'a socket was told otherwise than /sync tells')
    }
  }
  for (const ear of ears) assert.equal(ear.wrong, null)
  for (const url of ledger.images) assert.equal((await fetch(new URL(url, base))).status, 200, 'an image is lost')
}

/** What of an event stays as it is, whatever is changed later. */
const nameOf = ({ type, data }: { type: string; data: any }) => `${type} ${data.id ?? data.last_read_message_id}`

type Row = {
  id: string
  client_id: string
  chat_id: string
  sender_id: string
  text: string | null
  read_at: number | null
  deleted_at: number | null
}

export const selectMessages = 'SELECT id, client_id, chat_id, sender_id, text, read_at, deleted_at FROM messages'
export const selectReviews = 'SELECT chat_id, rating FROM reviews'

/** What is stored, beside what was answered: the rows of `selectMessages` and `selectReviews`. */
export function compareWithRows(ledger: Ledger, rows: Row[], reviews: { chat_id: string; rating: number }[]) {
  const byClientId = new Map(rows.map((row) => [row.client_id, row]))
  assert.equal(byClientId.size, rows.length, 'messages that came twice')
  assert.equal(rows.length, ledger.count, 'messages that nobody sent, or that are missing')
  const ratings = new Map(reviews.map(({ chat_id, rating }) => [chat_id, rating]))
  for (const chat of ledger.chats) {
    for (const { clientId, sender, text, id, edit, deletion, read } of chat.sendings) {
      const row = byClientId.get(clientId)!
      assert.deepEqual([row.id, row.chat_id, row.sender_id], [id, chat.id, sender.id])
      if (deletion === 'answered') assert.notEqual(row.deleted_at, null, 'a deletion that was answered is lost')
      if (deletion === null) assert.equal(row.deleted_at, null)
      if (row.deleted_at !== null) assert.equal(row.text, null)
      else if (edit?.answered) assert.equal(row.text, edit.text, 'an edit that was answered is lost')
      else assert.ok(row.text === text || (edit && row.text === edit.text), 'a text that nobody wrote')
      if (read && row.deleted_at === null)
        assert.notEqual(row.read_at, null, 'a mark as read that was answered is lost')
    }
    if (chat.review?.answered)
      assert.equal(ratings.get(chat.id), chat.review.rating, 'a review that was answered is lost')
    if (!chat.review) assert.ok(!ratings.has(chat.id))
  }
}

/** A device that connects again after every death, from the last event it has heard. */
export class Ear {
  /** The names of all events that it was told of; their numbers are 1, 2, 3 … */
  readonly heard: string[] = []
  wrong: string | null = null
  /** How often it was let in. */
  connected = 0
  isOpen = false
  private socket: WebSocket | null = null
  private closed = Promise.resolve()

  constructor(readonly owner: Person) {}

  /** Resolves once the socket has ended, or there came to be none. */
  listen(base: URL): Promise<void> {
    const since = this.heard.length
    const url = new URL(`/ws?token=${this.owner.token}&since=${since}`, base)
    url.protocol = 'ws:'
    const socket = new WebSocket(url)
    this.socket = socket
    this.closed = new Promise((resolve) =>
      socket.addEventListener('close', () => {
        this.isOpen = false
        resolve()
      }),
    )
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data as string)
      if (frame.type === 'hello') {
        this.isOpen = true
        this.connected++
        if (frame.data.resume !== 'ok') this.wrong ??= `since=${since} is answered with ${frame.data.resume}`
      } else if (frame.seq !== undefined) {
        if (frame.seq !== this.heard.length + 1) this.wrong ??= `event ${frame.seq} after event ${this.heard.length}`
        this.heard.push(nameOf(frame))
      }
    }
    return this.closed
  }

  async over() {
    this.socket?.close()
    await this.closed
  }
}
