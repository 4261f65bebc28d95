/**
 * `bun run demo`: two people talk through a real server, and what each of them sees is printed. `bun run demo notifications`:
 * their apps are closed, and what their devices show is printed.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from './convene.ts'
import { demoNotifications } from './demo-notifications.ts'

const patienceMs = 10_000
const consents = { terms: true, privacy: true, disclaimer: true }

const colors = process.stdout.isTTY ? { Ada: '\x1b[36m', Bob: '\x1b[33m', title: '\x1b[1m', end: '\x1b[0m' } : null

let chapters = 0
const chapter = (title: string) => console.log(`\n${colors?.title ?? ''}${++chapters}. ${title}${colors?.end ?? ''}`)

type Json = Record<string, any>

/** Somebody with a phone: requests go out by HTTP, events come in on a socket. */
class Person {
  #token = ''
  #socket: WebSocket | null = null
  #inbox: Json[] = []
  #arrived: (() => void) | null = null
  /** Number of the last event seen: where to go on after an interruption. */
  seen = 0
  id = ''

  constructor(
    readonly name: 'Ada' | 'Bob',
    readonly base: string,
  ) {}

  print(arrow: '→' | '←' | '·', text: string) {
    console.log(`   ${colors?.[this.name] ?? ''}${this.name} ${arrow} ${text}${colors?.end ?? ''}`)
  }

  async request(method: string, path: string, body?: Json | FormData): Promise<Json> {
    const isForm = body instanceof FormData
    const answer = await fetch(`${this.base}/api/v1/${path}`, {
      method,
      headers: {
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : body && JSON.stringify(body),
    })
    const shown = path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    this.print('→', `${method} /api/v1/${shown}  ${answer.status}`)
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text === '' ? {} : JSON.parse(text)
  }

  async register() {
    const email = `${this.name.toLowerCase()}@example.org`
    const session = await this.request('POST', 'auth/register', {
      email,
      password: 'twelve green bottles',
      name: this.name,
      consents,
    })
    this.#token = session.access_token
    this.id = session.user.id
  }

  /** Opens the socket, going on after the last event seen. */
  async connect() {
    const query = this.seen > 0 ? `&since=${this.seen}` : ''
    const socket = new WebSocket(`${this.base.replace('http', 'ws')}/ws?token=${this.#token}${query}`)
    socket.onmessage = ({ data }) => {
      this.#inbox.push(JSON.parse(data as string))
      this.#arrived?.()
    }
    this.#socket = socket
    const { data } = await this.#next('hello')
    const since = this.seen > 0 ? ` since #${this.seen}` : ''
    this.print('·', `connected${since}; the newest event is #${data.seq}, resume: ${data.resume}`)
  }

  /** The phone loses its network: no goodbye. */
  async loseConnection() {
    const socket = this.#socket!
    const closed = new Promise((resolve) => (socket.onclose = resolve))
    socket.terminate()
    await closed
    this.print('·', 'loses the connection')
  }

  disconnect() {
    this.#socket?.close()
  }

  typing(chatId: string) {
    this.#socket!.send(JSON.stringify({ type: 'typing', data: { chat_id: chatId } }))
    this.print('→', 'types …')
  }

  /** Waits for the next event, which must be of that type, and prints it. Presence comes and goes in between. */
  async sees(type: string): Promise<Json> {
    const frame = await this.#next(type)
    if (frame.seq !== undefined) {
      if (frame.seq !== this.seen + 1) throw new Error(`${this.name} saw #${frame.seq} after #${this.seen}`)
      this.seen = frame.seq
    }
    this.print('←', `${frame.seq === undefined ? '' : `#${frame.seq} `}${described(frame)}`)
    return frame.data
  }

  async #next(type: string): Promise<Json> {
    const timeout = AbortSignal.timeout(patienceMs)
    for (;;) {
      const frame = this.#inbox.shift()
      if (frame?.type === 'presence') continue
      if (frame && frame.type !== type) throw new Error(`${this.name} saw ${JSON.stringify(frame)} instead of ${type}`)
      if (frame) return frame
      await new Promise<void>((resolve, reject) => {
        this.#arrived = resolve
        timeout.onabort = () => reject(new Error(`${this.name} waited for ${type}`))
      })
    }
  }
}

const quoted = (text: string | null) => (text === null ? '' : `“${text}”`)

function described({ type, data }: Json): string {
  switch (type) {
    case 'chat':
      return `a new chat with ${data.user.name}`
    case 'typing':
      return 'the other one types …'
    case 'message':
      return data.kind === 'photo'
        ? `a photo of ${data.photo.width} × ${data.photo.height}, ${quoted(data.text)}`
        : `a message: ${quoted(data.text)}`
    case 'message_read':
      return `${data.count} ${data.count === 1 ? 'message' : 'messages'} read`
    case 'message_edited':
      return `a message edited: ${quoted(data.text)}`
    case 'message_deleted':
      return 'a message deleted; a tombstone stays'
    default:
      return type
  }
}

/** A photo, as a phone would send it. */
async function photo(): Promise<Blob> {
  const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
  return new Blob([await new Bun.Image(pixel).resize(640, 480, { fit: 'fill' }).jpeg().bytes()])
}

async function talk(base: string) {
  const ada = new Person('Ada', base)
  const bob = new Person('Bob', base)

  chapter('Two people register and connect')
  for (const person of [ada, bob]) {
    await person.register()
    await person.connect()
  }

  chapter('Ada opens a chat and writes')
  const chat = await ada.request('POST', 'chats', { user_id: bob.id })
  for (const person of [ada, bob]) await person.sees('chat')
  ada.typing(chat.id)
  await bob.sees('typing')
  const messages = `chats/${chat.id}/messages`
  const hello = await ada.request('POST', messages, { text: 'Hi Bob! Coffee at the rivr?', client_id: 'a-1' })
  for (const person of [ada, bob]) await person.sees('message')

  chapter('Bob reads it')
  await bob.request('PUT', `chats/${chat.id}/read`)
  for (const person of [ada, bob]) await person.sees('message_read')

  chapter('Bob answers with a photo')
  const form = new FormData()
  form.append('file', await photo(), 'river.jpg')
  const image = await bob.request('POST', 'media', form)
  await bob.request('POST', messages, { kind: 'photo', photo: image.id, text: 'This river?' })
  await bob.sees('message')
  const { photo: seen } = await ada.sees('message')
  const fetched = await fetch(new URL(seen.url, base))
  ada.print(
    '·',
    `fetches it: ${fetched.headers.get('content-type')}, ${(await fetched.arrayBuffer()).byteLength} bytes`,
  )

  chapter('Ada mends a typing mistake')
  await ada.request('PUT', `messages/${hello.id}`, { text: 'Hi Bob! Coffee at the river?' })
  for (const person of [ada, bob]) await person.sees('message_edited')

  chapter('Bob is in a tunnel, and Ada writes on')
  await bob.loseConnection()
  await ada.request('PUT', `chats/${chat.id}/read`)
  await ada.sees('message_read')
  await ada.request('POST', messages, { text: 'Yes, that one.' })
  await ada.sees('message')
  const oops = await ada.request('POST', messages, { text: 'My PIN is 1234' })
  await ada.sees('message')

  chapter('Bob comes back and misses nothing')
  await bob.connect()
  await bob.sees('message_read')
  await bob.sees('message')
  await bob.sees('message')

  chapter('Ada takes a message back')
  await ada.request('DELETE', `messages/${oops.id}`)
  for (const person of [ada, bob]) await person.sees('message_deleted')

  chapter('What is left of it')
  const { items } = await bob.request('GET', messages)
  for (const { sender_id, text, deleted, photo, edited } of items.toReversed())
    console.log(
      `   ${sender_id === ada.id ? 'Ada' : 'Bob'}: ${deleted ? '(deleted)' : `${photo ? '[photo] ' : ''}${text}${edited ? ' (edited)' : ''}`}`,
    )
  console.log(`\nAda and Bob saw the same ${ada.seen} events, each once and in order.`)
  if (ada.seen !== bob.seen) throw new Error(`Ada saw ${ada.seen} events and Bob ${bob.seen}`)
  for (const person of [ada, bob]) person.disconnect()
}

async function demoChat() {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-demo-'))
  try {
    const server = await startServer({ DATA_DIR: dataDir })
    try {
      console.log(`A server runs at ${server.base.origin}, over an empty directory, ${dataDir}.`)
      await talk(server.base.origin)
    } finally {
      await server.end()
    }
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

if (process.argv[2] === 'notifications') await demoNotifications()
else await demoChat()
