import assert from 'node:assert/strict'
import { allOf, call, chatOf, done, people, type Person, upload } from './people.ts'
import { databaseOf, withSoundCopy, withSoundDatabase } from './database.ts'
import type { Random } from './random.ts'
import { type Case, type Run, until } from './run.ts'
import { canary, killedStart, type Server, startServer } from './server.ts'
import { inject } from './strace.ts'

const peopleCount = 16
const workers = 24
const listeners = 4

/** One message that somebody meant to send. */
type Sending = {
  clientId: string
  chat: string
  sender: Person
  text: string
  /** Known once it was answered. */
  id: string | null
  /** The text that an edit asked for, and whether that was answered. */
  edit: { text: string; answered: boolean } | null
  deletion: 'asked' | 'answered' | null
  /** Whether an answered marking covers it. */
  read: boolean
}

type Chat = {
  id: string
  members: [Person, Person]
  sendings: Sending[]
  review: { rating: number; answered: boolean } | null
}

/** What was asked of the server, and what it has answered, over all its lives. */
type Ledger = {
  people: Person[]
  chats: Chat[]
  unanswered: Sending[]
  /** Links to the images whose upload was answered. */
  images: string[]
  answered: number
  retried: number
  count: number
}

export const cases: Case[] = [
  {
    name: 'kill -9 under load: nothing answered is lost, nothing is there twice, events count without a gap',
    run: (run) =>
      deaths(run, run.long ? 300 : 10, async (server) => {
        await Bun.sleep(run.random.integer(20, 250))
        server.signal('SIGKILL')
      }),
  },
  {
    name: 'the same, where death comes at a write to the disk or at an fsync',
    run: (run) =>
      deaths(run, run.long ? 100 : 5, async (server) => {
        const calls = run.random.pick(['pwrite64', 'fsync,fdatasync', 'ftruncate,pwrite64,fsync,fdatasync'])
        await inject(server, `${calls}:signal=KILL:when=${run.random.integer(1, 120)}`)
      }),
  },
]

/** Lives and deaths of a server over one data directory. After each the files are examined, and at last everything. */
async function deaths({ random, directory, measured }: Run, cycles: number, kill: (server: Server) => Promise<void>) {
  const dataDir = `${directory}/data`
  const ledger: Ledger = { people: [], chats: [], unanswered: [], images: [], answered: 0, retried: 0, count: 0 }
  const ears: Ear[] = []
  let recoveries = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    // Death in the middle of a start, while it recovers what the last death left.
    if (cycle > 0 && random.chance(0.2)) {
      await killedStart(dataDir, random.integer(20, 300))
      recoveries++
    }
    const server = await startServer(dataDir)
    if (cycle === 0) await settle(ledger, server.url)
    // Tokens end after a quarter of an hour.
    else if (cycle % 50 === 0) Object.assign(ledger, { people: await renewed(ledger, server.url) })
    if (ears.length === 0) ears.push(...ledger.people.slice(0, listeners).map((owner) => new Ear(owner)))
    for (const ear of ears) ear.listen(server.url)
    const dead = { yet: false }
    const working = Array.from({ length: workers }, () => work(ledger, server.url, random, dead))
    await kill(server)
    assert.equal(await server.ended(), 'SIGKILL', server.output())
    dead.yet = true
    await Promise.all(working)
    await Promise.all(ears.map((ear) => ear.over()))
    withSoundCopy(dataDir, directory, () => {})
  }

  const server = await startServer(dataDir)
  await renewed(ledger, server.url)
  await Promise.all(ledger.unanswered.splice(0).map((sending) => send(ledger, server.url, sending)))
  assert.deepEqual(ledger.unanswered, [])
  for (const ear of ears) ear.listen(server.url)
  await compareWithAnswers(ledger, server.url, ears)
  await Promise.all([server.stop(), ...ears.map((ear) => ear.over())])
  withSoundDatabase(databaseOf(dataDir), (db) => compareWithRows(ledger, db))
  measured(
    `${cycles} deaths, ${recoveries} more while recovering: ${ledger.answered} sends answered, ${ledger.retried} of them ` +
      `as retries of what a death left unanswered; 0 lost, 0 twice`,
  )
}

/** The people, and a chat of each with every other. */
async function settle(ledger: Ledger, base: URL) {
  ledger.people = await people(base, peopleCount)
  const pairs = ledger.people.flatMap((a, i) => ledger.people.slice(i + 1).map((b): [Person, Person] => [a, b]))
  ledger.chats = await Promise.all(
    pairs.map(async ([a, b]) => ({ id: await chatOf(base, a, b), members: [a, b], sendings: [], review: null })),
  )
}

/** The same people with new tokens. */
async function renewed(ledger: Ledger, base: URL): Promise<Person[]> {
  const fresh = await people(base, peopleCount)
  for (const [i, person] of ledger.people.entries()) Object.assign(person, fresh[i])
  return ledger.people
}

async function work(ledger: Ledger, base: URL, random: Random, dead: { yet: boolean }) {
  while (!dead.yet) {
    try {
      await act(ledger, base, random)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // A broken connection is what death looks like from here.
      await until(`the death that explains ${error}`, () => dead.yet)
    }
  }
}

async function act(ledger: Ledger, base: URL, random: Random) {
  const chat = random.pick(ledger.chats)
  const [reader, other] = random.chance(0.5) ? chat.members : (chat.members.toReversed() as [Person, Person])
  const dice = random.next()
  if (dice < 0.1) {
    const covered = chat.sendings.filter(({ sender, id }) => sender === other && id !== null)
    const answer = await call(base, 'PUT', `chats/${chat.id}/read`, { token: reader.token })
    assert.equal(answer.status, 200)
    for (const sending of covered) sending.read = true
  } else if (dice < 0.15) {
    await review(chat, base, reader, random.integer(1, 5))
  } else if (dice < 0.25) {
    const sending = chat.sendings.findLast(
      ({ id, edit, deletion }) => id !== null && edit === null && deletion === null,
    )
    if (sending) await change(sending, base, random.chance(0.7))
  } else if (dice < 0.28) {
    ledger.images.push((await upload(base, reader.token)).url)
  } else {
    const retry = ledger.unanswered.shift()
    if (retry) ledger.retried++
    await send(ledger, base, retry ?? newSending(ledger, chat, reader))
  }
}

function newSending(ledger: Ledger, chat: Chat, sender: Person): Sending {
  const n = ++ledger.count
  const text = `${canary} ${n} ${'text '.repeat(n % 200)}`.trim()
  const sending = { clientId: `c${n}`, chat: chat.id, sender, text, id: null, edit: null, deletion: null, read: false }
  chat.sendings.push(sending)
  return sending
}

async function send(ledger: Ledger, base: URL, sending: Sending) {
  const { chat, sender, text, clientId } = sending
  try {
    const { status, body } = await call(base, 'POST', `chats/${chat}/messages`, {
      token: sender.token,
      body: { text, client_id: clientId },
    })
    assert.ok(status === 201 || status === 200, `a send was answered with ${status} ${JSON.stringify(body)}`)
    assert.deepEqual([body.text, body.client_id, body.sender_id], [text, clientId, sender.id])
    sending.id = body.id
    ledger.answered++
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    ledger.unanswered.push(sending)
    throw error
  }
}

async function change(sending: Sending, base: URL, toEdit: boolean) {
  const { token } = sending.sender
  if (toEdit) {
    sending.edit = { text: `${sending.text} (edited)`, answered: false }
    const answer = await call(base, 'PUT', `messages/${sending.id}`, { token, body: { text: sending.edit.text } })
    assert.equal(answer.status, 200)
    sending.edit.answered = true
  } else {
    sending.deletion = 'asked'
    assert.equal((await call(base, 'DELETE', `messages/${sending.id}`, { token })).status, 204)
    sending.deletion = 'answered'
  }
}

async function review(chat: Chat, base: URL, reviewer: Person, rating: number) {
  if (chat.review) return
  chat.review = { rating, answered: false }
  const answer = await call(base, 'POST', 'reviews', { token: reviewer.token, body: { chat_id: chat.id, rating } })
  assert.equal(answer.status, 201)
  chat.review.answered = true
}

/** What the server answers, beside what it has answered before. */
async function compareWithAnswers(ledger: Ledger, base: URL, ears: Ear[]) {
  for (const person of ledger.people) {
    const { token } = person
    const { items } = await done(call(base, 'GET', 'chats?limit=100', { token }))
    assert.equal(items.length, peopleCount - 1)
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
    const ear = ears.find(({ owner }) => owner === person)
    if (ear) await until(`events to ${seq} on the socket, which is at ${ear.heard}`, () => ear.heard === seq)
  }
  for (const ear of ears) assert.equal(ear.wrong, null)
  for (const url of ledger.images) assert.equal((await fetch(new URL(url, base))).status, 200, 'an image is lost')
}

type Row = {
  id: string
  client_id: string
  chat_id: string
  sender_id: string
  text: string | null
  read_at: number | null
  deleted_at: number | null
}

/** What is stored, beside what was answered. */
function compareWithRows(ledger: Ledger, db: import('bun:sqlite').Database) {
  const rows = db
    .query<Row, []>('SELECT id, client_id, chat_id, sender_id, text, read_at, deleted_at FROM messages')
    .all()
  const byClientId = new Map(rows.map((row) => [row.client_id, row]))
  assert.equal(byClientId.size, rows.length, 'messages that came twice')
  assert.equal(rows.length, ledger.count, 'messages that nobody sent, or that are missing')
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
    const stored = db.query<{ rating: number }, [string]>('SELECT rating FROM reviews WHERE chat_id = ?').get(chat.id)
    if (chat.review?.answered) assert.equal(stored?.rating, chat.review.rating, 'a review that was answered is lost')
    if (!chat.review) assert.equal(stored, null)
  }
}

/** A device that connects again after every death, from the last event it has heard. */
class Ear {
  heard = 0
  wrong: string | null = null
  private socket: WebSocket | null = null
  private closed = Promise.resolve()

  constructor(readonly owner: Person) {}

  listen(base: URL) {
    const url = new URL(`/ws?token=${this.owner.token}&since=${this.heard}`, base)
    url.protocol = 'ws:'
    const socket = new WebSocket(url)
    this.socket = socket
    this.closed = new Promise((resolve) => socket.addEventListener('close', () => resolve()))
    socket.onmessage = ({ data }) => {
      const { type, seq, data: content } = JSON.parse(data as string)
      if (type === 'hello') {
        if (content.resume !== 'ok') this.wrong ??= `since=${this.heard} is answered with ${content.resume}`
      } else if (seq !== undefined) {
        if (seq !== this.heard + 1) this.wrong ??= `event ${seq} after event ${this.heard}`
        this.heard = seq
      }
    }
  }

  async over() {
    this.socket?.close()
    await this.closed
  }
}
