import assert from 'node:assert/strict'
import { convene } from '../convene.ts'
import { databaseOf, withSoundDatabase } from './database.ts'
import { anyValue, fitting, hostileText, type Knowledge, spoilt } from './hostile.ts'
import { codesOf, type Document, misfit, type Operation, readDocument } from './openapi.ts'
import { call, chatOf, done, dot, initData, person, type Person, upload } from './people.ts'
import type { Random } from './random.ts'
import { type Case, type Run, until } from './run.ts'
import { canary, password, type Server, startServer } from './server.ts'
import { exchange, statusOf } from './wire.ts'

export const cases: Case[] = [
  { name: 'every route, with every kind of parameter, body, header and caller', run: everyRoute },
  { name: 'frames on a socket', run: frames },
  { name: 'bytes that are hardly HTTP', run: hardlyHttp },
]

/** A server in which things have happened, and everything that is known of it. */
class World {
  people: Person[] = []
  admin = ''
  /** Ids by what they are of, links, and cursors, as answers told them. */
  private readonly known = new Map<string, string[]>()
  /** Above every number that `knowledge` makes init data for: a newcomer has no account yet. */
  private newcomers = 1000

  private constructor(
    readonly server: Server,
    readonly document: Document,
    readonly random: Random,
    private readonly dataDir: string,
  ) {}

  static async open(dataDir: string, random: Random): Promise<World> {
    const server = await startServer(dataDir, { LOG_LEVEL: 'debug' })
    const world = new World(server, await readDocument(server.url), random, dataDir)
    const base = server.url
    for (let number = 1; number <= 4; number++) world.people.push(await person(base, number))
    const consents = { terms: true, privacy: true, disclaimer: true }
    const account = { email: 'admin@example.org', password }
    const session = await done(call(base, 'POST', 'auth/register', { body: { ...account, name: 'Admin', consents } }))
    world.admin = session.access_token
    await grantAdmin(dataDir, account.email)
    for (const [i, a] of world.people.entries()) {
      world.learn('me', { id: a.id })
      for (const b of world.people.slice(i + 1)) {
        const chat = await chatOf(base, a, b)
        world.learn('chats', { id: chat })
        for (const { token } of [a, b])
          world.learn(
            'messages',
            await done(call(base, 'POST', `chats/${chat}/messages`, { token, body: { text: 'hello' } })),
          )
      }
    }
    for (const { token } of world.people) world.learn('media', await upload(base, token))
    return world
  }

  /** Somebody who has just come, for what only they can undo. */
  newcomer(): Promise<Person> {
    return person(this.server.url, ++this.newcomers)
  }

  /** Remembers what an answer of a path tells. */
  learn(path: string, answer: any) {
    const kind = kindOf(path)
    for (const item of answer.items ?? [answer]) {
      if (typeof item.id === 'string') this.note(kind, item.id)
      for (const [name, value] of Object.entries(item))
        if (name.endsWith('_id') && typeof value === 'string') this.note(kinds[name] ?? name, value)
    }
    if (typeof answer.url === 'string') this.note('url', answer.url)
    if (typeof answer.next_cursor === 'string') this.note('cursor', answer.next_cursor)
  }

  private note(kind: string, value: string) {
    const list = this.known.get(kind) ?? []
    this.known.set(kind, list)
    if (!list.includes(value)) list.push(value)
    if (list.length > 40) list.shift()
  }

  /** One of what is known of a kind, mostly; now and then of another. */
  one(kind: string): string | null {
    const list = this.random.chance(0.9) ? this.known.get(kind) : this.random.pick([...this.known.values()])
    return list ? this.random.pick(list) : null
  }

  /** What means something here in a field of that name. */
  readonly knowledge: Knowledge = (field) => {
    if (field === 'init_data') return initData(this.random.integer(1, 200), 'Somebody')
    if (field === 'email')
      return this.random.pick(['admin@example.org', `person${this.random.integer(1, 1e6)}@example.org`])
    if (field === 'phone') return `+4915${this.random.integer(10_000_000, 99_999_999)}`
    if (field.includes('password')) return password
    if (field === 'photo') return this.one('media')
    return kinds[field] || field === 'cursor' ? this.one(kinds[field] ?? field) : null
  }

  /** Undoes what would shut most doors: suspensions, blocks, sessions that were ended, a role that was taken. */
  async reconcile() {
    const { url } = this.server
    const body = { email: 'admin@example.org', password }
    this.admin = (await done(call(url, 'POST', 'auth/login', { body }))).access_token
    const { status } = await call(url, 'GET', 'admin/reports', { token: this.admin })
    if (status === 403) await grantAdmin(this.dataDir, 'admin@example.org')
    for (const [i, { id, number }] of this.people.entries()) {
      await call(url, 'POST', `admin/users/${id}/unsuspend`, { token: this.admin, body: { note: 'fuzz' } })
      const again = await person(url, number)
      this.people[i] = again
      const { items } = await done(call(url, 'GET', 'blocks?limit=100', { token: again.token }))
      for (const block of items) await call(url, 'DELETE', `blocks/${block.id}`, { token: again.token })
    }
  }
}

/** What the ids in fields of these names are of. */
const kinds: Record<string, string> = {
  user_id: 'users',
  sender_id: 'users',
  reviewer_id: 'users',
  reviewed_id: 'users',
  reporter_id: 'users',
  actor_id: 'users',
  subject_id: 'users',
  chat_id: 'chats',
  message_id: 'messages',
  after: 'messages',
  review_id: 'reviews',
  notice_id: 'notices',
  report_id: 'reports',
}

/** What the ids in the answers of a path, and in the path itself, are of. */
function kindOf(path: string): string {
  const noun = path
    .replace(/\/(resolve|suspend|unsuspend|read|stats|reviews)$/, '')
    .replace(/\/\{id\}$/, '')
    .split('/')
    .at(-1)!
  if (path.endsWith('/{id}/reviews')) return 'reviews'
  return noun === 'me' || noun === 'nearby' ? 'users' : noun
}

/** As an operator does it, beside the running server. */
async function grantAdmin(dataDir: string, email: string) {
  const { code, err } = await convene(['admin', 'grant', email, 'admin'], { DATA_DIR: dataDir })
  assert.equal(code, 0, err)
}

type Asked = {
  operation: Operation
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
}

async function everyRoute({ long, random, directory, measured }: Run) {
  const world = await World.open(directory, random)
  const { server, document } = world
  const { operations } = document
  // Hashing passwords takes as long as a hundred others.
  const costly = /auth\/(register|login|appeals)|password|me\/export/
  const statuses = new Map<number, number>()
  const seen = new Set<string>()
  const count = long ? 40_000 : 2000
  for (let i = 0; i < count; i++) {
    if (i % 100 === 99) await world.reconcile()
    let picked = random.pick(operations)
    if (costly.test(picked.path) && random.chance(0.8)) picked = random.pick(operations)
    const seldom = i % 500 === 499 ? seldomOpen[Math.floor(i / 500) % seldomOpen.length]! : null
    const request = seldom ? await seldom(world) : await made(picked, world, random.chance(0.4))
    const { operation } = request
    const response = await sent(server.url, request)
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    seen.add(`${operation.method} ${operation.path} ${response.status}`)
    const found = flaw(request, response, document)
    if (found) {
      const { status, text } = response
      const logged = server.output().match(/.*"level":"(error|fatal)".*/g) ?? []
      assert.fail(
        `request ${i}: ${found}\n${described(request)}\nanswered with ${status} ${text.slice(0, 600)}\n${logged}`,
      )
    }
    if (response.status < 300 && response.body !== null) world.learn(operation.path, response.body)
  }
  assert.equal((await fetch(new URL('/health', server.url))).status, 200)
  const untouched = operations.filter(({ method, path, responses }) =>
    Object.keys(responses).every((status) => Number(status) >= 400 || !seen.has(`${method} ${path} ${status}`)),
  )
  await endsQuietly(world)
  withSoundDatabase(databaseOf(directory), () => {})
  const summary = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${n} × ${status}`)
  measured(`${count} requests over ${operations.length} operations: ${summary.join(', ')}`)
  const never = untouched.map(({ method, path }) => `${method} ${path}`)
  if (never.length > 0) measured(`never succeeded: ${never.join(', ')}`)
  // So much finds every other door open once.
  if (long)
    assert.deepEqual(
      never.filter((one) => !beyondChance.includes(one.replace('/api/v1/', ''))),
      [],
    )
}

/** What needs a provider, a mail and its link, an authenticator, or what was made a moment before. */
const beyondChance = [
  ...['POST auth/password/forgot', 'POST auth/password/reset', 'POST auth/email/verify', 'POST auth/email/undo'],
  ...['POST me/email/verify', 'PUT me/email', 'POST admin/users/{id}/password-reset', 'POST notifications/unsubscribe'],
  ...['POST auth/oidc/{provider}', 'POST auth/oidc/{provider}/start', 'DELETE me/identities/{id}'],
  ...['POST me/identities/oidc/{provider}', 'POST me/identities/oidc/{provider}/start'],
  ...['POST auth/passkey', 'POST auth/passkey/confirm', 'POST me/passkeys', 'DELETE me'],
  ...['POST me/channels/{id}/test', 'DELETE me/channels/{id}', 'DELETE admin/reports/{id}/resolve'],
  ...['PUT admin/templates/{id}', 'POST admin/image-bank', 'DELETE admin/image-bank/{id}'],
]

/** No line of the log is an error, or names somebody: that it holds nothing secret is looked at in the end of every server. */
async function endsQuietly({ server, people }: World) {
  await server.stop()
  const output = server.output()
  assert.deepEqual(output.match(/.*"level":"(error|fatal)".*/g), null)
  for (const { id, name } of people)
    assert.ok(!output.includes(id) && !output.includes(name), 'the log says who did something')
}

/** A request of an operation: all as it should be, or spoilt in one way or several. */
async function made(operation: Operation, world: World, fair: boolean): Promise<Asked> {
  const { document, random } = world
  const bad = () => !fair && random.chance(0.25)
  const text = () => (random.chance(0.5) ? hostileText(random) : JSON.stringify(anyValue(random)).slice(0, 1000))
  const query: [string, string][] = []
  let path = operation.path
  for (const { name, in: place, schema } of operation.parameters) {
    if (place === 'path') {
      const good =
        name === 'kind'
          ? random.pick(['terms', 'privacy', 'disclaimer'])
          : world.one(kindOf(path.slice(0, path.indexOf('}') + 1)))
      const value = good === null || bad() ? text() : good
      // Dots alone are resolved by every client.
      path = path.replace(`{${name}}`, /^\.*$/.test(value) ? 'x' : encoded(value))
    } else if (fair ? schema.minimum !== undefined || random.chance(0.3) : random.chance(0.7)) {
      const good = String(fitting(schema, world.knowledge, random, document.schemas, name))
      query.push([name, bad() ? text() : good])
      if (bad()) query.push([name, text()])
    }
  }
  if (!fair && random.chance(0.05)) query.push([random.pick(['__proto__', 'constructor', '_t', 'limit[]', '']), text()])
  const headers: Record<string, string> = {}
  await signed(operation, world, fair, headers, query)
  if (!fair && random.chance(0.1)) headers[random.pick(oddHeaders)] = headerText(text())
  const method =
    !fair && random.chance(0.02) ? random.pick(['PATCH', 'PUT', 'POST', 'DELETE', 'GET']) : operation.method
  const takesBody = method !== 'GET' && (operation.body !== null || (!fair && random.chance(0.1)))
  let body: Asked['body'] = takesBody ? await bodyOf(operation, world, fair, headers) : null
  if (operation.path === '/api/v1/media' && method === 'POST') body = await formOf(random, fair, headers)
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  const link = operation.path === '/api/v1/media/{id}' && random.chance(0.7) ? world.one('url') : null
  return { operation, method, path: link ?? (search ? `${path}?${search}` : path), headers, body }
}

/** Requests that succeed only after something that chance seldom brings about. */
const seldomOpen: ((world: World) => Promise<Asked>)[] = [
  async ({ server: { url }, document, people }) => {
    const [{ token }, { id }] = people as [Person, Person]
    const block = await done(call(url, 'POST', 'blocks', { token, body: { user_id: id } }))
    return {
      operation: operationOf(document, 'DELETE', '/api/v1/blocks/{id}'),
      method: 'DELETE',
      path: `/api/v1/blocks/${block.id}`,
      headers: { authorization: `Bearer ${token}` },
      body: null,
    }
  },
  async (world) => {
    const { id, number } = await world.newcomer()
    const body = { reason: 'fuzz', note: 'fuzz' }
    await done(call(world.server.url, 'POST', `admin/users/${id}/suspend`, { token: world.admin, body }))
    return {
      operation: operationOf(world.document, 'POST', '/api/v1/auth/appeals'),
      method: 'POST',
      path: '/api/v1/auth/appeals',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ init_data: initData(number, 'Somebody'), text: 'Not me.' }),
    }
  },
]

const operationOf = ({ operations }: Document, method: string, path: string): Operation =>
  operations.find((one) => one.method === method && one.path === path)!

const oddHeaders = [
  ...['x-forwarded-for', 'x-forwarded-proto', 'origin', 'accept', 'accept-language', 'user-agent', 'range', 'referer'],
  ...['if-none-match', 'content-language', 'x-http-method-override', 'cookie', 'accept-encoding'],
]

// What a header cannot carry is left out.
const headerText = (text: string) =>
  text
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 500)

// A lone surrogate has no encoding, and what makes a head larger than Bun takes never reaches the server.
const encoded = (text: string) => encodeURIComponent(text.toWellFormed().slice(0, 600).toWellFormed())

const endsSessions = new Set(['POST logout', 'DELETE sessions', 'DELETE me', 'PUT password'])

/** Whoever asks: mostly one of the people, or the admin where only they may. */
async function signed(
  operation: Operation,
  world: World,
  fair: boolean,
  headers: Record<string, string>,
  query: [string, string][],
) {
  const { random } = world
  const ends = endsSessions.has(`${operation.method} ${operation.path.split('/').at(-1)}`)
  const member = ends ? await world.newcomer() : random.pick(world.people)
  const good = operation.path.includes('/admin/') && random.chance(0.9) ? world.admin : member.token
  const bad = [member.refresh, 'x', `${member.token}x`, member.token.replace(/\..*\./, '.e30.')]
  const token = fair || random.chance(0.95) ? good : random.pick(bad)
  const way = fair ? 0 : random.next()
  if (way < 0.85) headers.authorization = `Bearer ${token}`
  else if (way < 0.9) headers.cookie = `app_at=${token}`
  else if (way < 0.93) query.push(['_t', token])
  else if (way < 0.96) headers.authorization = headerText(hostileText(random))
}

async function bodyOf(operation: Operation, world: World, fair: boolean, headers: Record<string, string>) {
  const { random, document } = world
  headers['content-type'] = 'application/json'
  const good: any = operation.body ? fitting(operation.body, world.knowledge, random, document.schemas) : {}
  if (operation.path.endsWith('/refresh')) good.refresh_token = (await world.newcomer()).refresh
  const dice = fair ? 0 : random.next()
  if (dice < 0.2) return JSON.stringify(good)
  if (dice < 0.8) return JSON.stringify(spoilt(good, random))
  if (dice < 0.9) return JSON.stringify(anyValue(random))
  if (dice < 0.92) return ''
  if (dice < 0.94) return JSON.stringify(good).slice(0, -1 - random.integer(0, 5))
  if (dice < 0.95) return `{"text":"${canary.repeat(8000)}"}`
  if (dice < 0.96) return Uint8Array.from({ length: random.integer(1, 300) }, () => random.integer(0, 255))
  if (dice < 0.97) return new Uint8Array(Buffer.from(JSON.stringify(good), 'utf16le'))
  if (dice < 0.98) headers['content-encoding'] = random.pick(['gzip', 'br', 'deflate', 'identity', 'x'])
  else headers['content-type'] = random.pick(oddTypes)
  return JSON.stringify(good)
}

const oddTypes = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/xml', 'x'],
  ...['application/json; charset=utf-16', 'APPLICATION/JSON'],
]

/** A form with an image, whole or damaged. */
async function formOf(
  random: Random,
  fair: boolean,
  headers: Record<string, string>,
): Promise<Uint8Array<ArrayBuffer>> {
  const image = Buffer.from(dot, 'base64')
  const form = new FormData()
  const file = fair || random.chance(0.3) ? image : mutated(image, random)
  form.append(
    fair || random.chance(0.8) ? 'file' : hostileText(random),
    new Blob([new Uint8Array(file)]),
    fair ? 'x.png' : hostileText(random),
  )
  if (!fair && random.chance(0.2)) form.append('file', hostileText(random))
  const request = new Request('http://localhost', { method: 'POST', body: form })
  headers['content-type'] = request.headers.get('content-type')!
  const bytes = new Uint8Array(await request.arrayBuffer())
  return fair || random.chance(0.7) ? bytes : new Uint8Array(mutated(Buffer.from(bytes), random))
}

type Reply = { status: number; headers: Headers; text: string; body: any }

async function sent(base: URL, { method, path, headers, body }: Asked): Promise<Reply> {
  const response = await fetch(new URL(path, base), {
    method,
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  const isJson = /^application\/(\S+\+)?json\b/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : null }
}

const inside =
  /\bat \S+ \(|\.(ts|js|mjs):\d+|node_modules|SQLITE|sqlite|SELECT |INSERT |UPDATE |bun:|TypeError|RangeError|undefined is not|\/src\/|convene\.db/

/** What is wrong with an answer; null where nothing is. */
function flaw(
  { operation, method, headers: asked }: Asked,
  { status, headers, text, body }: Reply,
  { schemas }: Document,
): string | null {
  if (!headers.get('x-request-id')) return 'no x-request-id'
  if (headers.get('x-content-type-options') !== 'nosniff' && status < 400) return 'no nosniff'
  const documented = method === operation.method
  if (status >= 400) {
    if (headers.get('content-type') !== 'application/problem+json')
      return `an error of type ${headers.get('content-type')}`
    if (headers.get('cache-control') !== 'no-store') return 'an error that may be kept'
    const wrong = misfit(schemas.Problem!, body, schemas)
    if (wrong) return `a problem in which ${wrong}`
    if (body.status !== status || body.type !== `urn:convene:problem:${body.code}`)
      return 'a problem that contradicts itself'
    if (body.request_id !== headers.get('x-request-id')) return 'a problem of another request'
    if (status >= 500 && !(status === 503 && /^(busy|\w+_not_configured)$/.test(body.code))) return 'a failure'
    if (inside.test(text)) return `our insides: ${inside.exec(text)![0]}`
    // Whoever is suspended is told why, in a moderator's own words, and this one writes anything: nowhere but there.
    const said = body.code === 'suspended' ? JSON.stringify({ ...body, detail: '', reason: '' }) : text
    if (said.includes(canary)) return 'what was sent comes back'
    for (const token of [asked.authorization?.split(' ')[1], asked.cookie])
      if (token && token.length > 20 && text.includes(token)) return 'a token comes back'
    if (!documented) return null
    if (!codesOf(operation, status).includes(body.code)) return `${status} ${body.code} is not in the document`
    return null
  }
  if (!documented) return null
  const response = operation.responses[status]
  if (!response) return `${status} is not in the document`
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const content = response.content?.[type]
  if (text !== '' && !content) return `an answer of type ${type}, which is not in the document`
  const wrong = body === null || !content?.schema ? null : misfit(content.schema, body, schemas)
  return wrong && `an answer in which ${wrong}`
}

function described({ method, path, headers, body }: Asked): string {
  const shown = body === null ? '' : typeof body === 'string' ? body : Buffer.from(body).toString('hex')
  return `${method} ${path.slice(0, 500)}\n${JSON.stringify(headers).slice(0, 600)}\n${shown.slice(0, 1000)}`
}

async function frames({ long, random, directory, measured }: Run) {
  const world = await World.open(directory, random)
  const { server, people } = world
  const sockets = long ? 300 : 30
  const codes = new Map<number, number>()
  const types = new Map<string, number>()
  let sentFrames = 0
  for (let i = 0; i < sockets; i++) {
    const { token } = random.pick(people)
    const since = random.chance(0.5) ? `&since=${random.pick(['0', '1', '3', '999999999999999'])}` : ''
    const socket = new WebSocket(new URL(`/ws?token=${token}${since}`, server.url).href.replace('http', 'ws'))
    const wrong: string[] = []
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data as string)
      types.set(frame.type, (types.get(frame.type) ?? 0) + 1)
      if (typeof frame.at !== 'string' || typeof frame.data !== 'object') wrong.push(`a frame without form: ${data}`)
      if (frame.type === 'error' && (inside.test(data) || frame.data.detail.includes(canary)))
        wrong.push(`said too much: ${data}`)
    }
    const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
    await until('a socket', () => socket.readyState === WebSocket.OPEN)
    const count = random.pick([1, 20, 90, 150])
    for (let j = 0; j < count && socket.readyState === WebSocket.OPEN; j++) {
      socket.send(frameOf(world))
      sentFrames++
      if (j % 10 === 0) await Bun.sleep(1)
    }
    if (socket.readyState === WebSocket.OPEN && count < 90) {
      // Whatever came before: a socket that is open is served.
      socket.send('{"type":"ping","cid":"last"}')
      const pongs = types.get('pong') ?? 0
      await until(
        'a pong, or the close',
        () => (types.get('pong') ?? 0) > pongs || socket.readyState !== WebSocket.OPEN,
      )
    }
    if (socket.readyState === WebSocket.OPEN) socket.close(1000)
    const code = await closed
    codes.set(code, (codes.get(code) ?? 0) + 1)
    assert.deepEqual(wrong, [])
  }
  const usual = [1000, 1006, 1009, 4413, 4429]
  for (const code of codes.keys()) assert.ok(usual.includes(code), `closed with ${code}`)
  for (const type of types.keys())
    assert.ok(
      ['hello', 'pong', 'error', 'typing', 'presence', 'message', 'chat'].includes(type),
      `a frame of type ${type}`,
    )
  assert.equal((await fetch(new URL('/health', server.url))).status, 200)
  await endsQuietly(world)
  measured(
    `${sentFrames} frames on ${sockets} sockets; closed with ${[...codes].map(([code, n]) => `${n} × ${code}`).join(', ')}; ` +
      `answered with ${[...types].map(([type, n]) => `${n} × ${type}`).join(', ')}`,
  )
}

function frameOf(world: World): string | Uint8Array<ArrayBuffer> {
  const { random } = world
  const typing = { type: 'typing', cid: 'c', data: { chat_id: world.one('chats') } }
  const dice = random.next()
  if (dice < 0.3) return JSON.stringify(spoilt(typing, random))
  if (dice < 0.5) return JSON.stringify(spoilt({ type: 'ping', cid: hostileText(random) }, random))
  if (dice < 0.6) return JSON.stringify(typing)
  if (dice < 0.8) return JSON.stringify(anyValue(random)) ?? ''
  if (dice < 0.9) return hostileText(random)
  if (dice < 0.93) return `{"type":"ping","cid":"${'x'.repeat(random.pick([15_000, 20_000, 70_000]))}"}`
  if (dice < 0.95) return '['.repeat(16_000)
  return Uint8Array.from({ length: random.integer(0, 300) }, () => random.integer(0, 255))
}

async function hardlyHttp({ long, random, directory, measured }: Run) {
  const server = await startServer(directory)
  const { token } = await person(server.url, 1)
  const host = `Host: ${server.url.host}\r\n`
  const json = `POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
  const me = `GET /api/v1/me HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n`
  const seeds = [
    `${me}\r\n`,
    `${me}Connection: close\r\n\r\n`,
    `${json}Content-Length: 2\r\n\r\n{}`,
    `${json}Content-Length: 5\r\nContent-Length: 2\r\n\r\n{}`,
    `${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${json}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
    `${json}Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
    `${json}Content-Length: -1\r\n\r\n{}`,
    `${json}Content-Length: 99999999999999999999\r\n\r\n{}`,
    `${json}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}`,
    `${me}Cookie: ${'a=b; '.repeat(2000)}\r\n\r\n`,
    `${me}${'X-A: b\r\n'.repeat(300)}\r\n`,
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/%ff%fe HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/users/%E0%A4%A HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/users/%00 HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/../../etc/passwd HTTP/1.1\r\n${host}\r\n`,
    `GET //api//v1//me HTTP/1.1\r\n${host}\r\n`,
    `GET http://evil.example/api/v1/me HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/me?_t=%&_t=%zz HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/me HTTP/1.1\r\n\r\n`,
    `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
    `GET /api/v1/me HTTP/0.9\r\n\r\n`,
    `GET /api/v1/me HTTP/2.0\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
    `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
    `TRACE /api/v1/me HTTP/1.1\r\n${host}\r\n`,
    `BREW /api/v1/me HTTP/1.1\r\n${host}\r\n`,
    `GET /ws?token=${token} HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    `GET /ws?token=${token} HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: x\r\n\r\n`,
    `${me}Range: bytes=0-0,-1,5-1\r\n\r\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '\r\n\r\n\r\n',
    '',
  ]
  const statuses = new Map<number | null, number>()
  const rounds = long ? 3000 : 100
  for (let i = 0; i < rounds + seeds.length; i++) {
    const seed = seeds[i] ?? random.pick(seeds)
    const bytes = Buffer.from(seed, 'latin1')
    // Each as it stands first, then with some bytes changed, cut off, or twice.
    const changed = i < seeds.length ? bytes : mutated(bytes, random)
    const answer = await exchange(server.url, changed, i < seeds.length ? 80 : 20)
    const status = statusOf(answer)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const body = answer.slice(answer.indexOf('\r\n\r\n'))
    const shown = `${JSON.stringify(changed.toString('latin1').slice(0, 500))} was answered with\n${answer.slice(0, 1000)}`
    // 505: an HTTP of another age.
    assert.ok(status === null || status < 500 || status === 505, shown)
    assert.ok(!inside.test(body), shown)
  }
  assert.equal((await fetch(new URL('/health', server.url))).status, 200)
  assert.ok(!/"level":"(error|fatal)"/.test(server.output()), server.output().slice(0, 3000))
  await server.stop()
  measured(
    `${rounds + seeds.length} requests: ${[...statuses].map(([status, n]) => `${n} × ${status ?? 'closed'}`).join(', ')}`,
  )
}

function mutated(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes)
  const changes = random.integer(1, 4)
  for (let i = 0; i < changes && copy.length > 0; i++)
    copy[random.integer(0, Math.min(copy.length - 1, 300))] = random.pick([
      0,
      10,
      13,
      32,
      37,
      58,
      128,
      255,
      random.integer(0, 255),
    ])
  if (random.chance(0.2)) return copy.subarray(0, random.integer(0, copy.length))
  return random.chance(0.1) ? Buffer.concat([copy, copy]) : copy
}
