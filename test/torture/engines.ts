import assert from 'node:assert/strict'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { convene } from '../convene.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'
import { type Answer, call } from './people.ts'
import type { Random } from './random.ts'
import type { Case, Run } from './run.ts'
import { password, type Server, servicePassword, startServer } from './server.ts'
import { databaseName, owner, requirePrograms, startPostgres } from './services.ts'

export const cases: Case[] = [
  { name: 'random requests, one after another, are answered alike by SQLite, SQLite with workers and PostgreSQL', run },
]

async function run({ long, random, directory, measured }: Run) {
  requirePrograms()
  // PostgreSQL may run as another user.
  chmodSync(directory, 0o711)
  const postgres = await startPostgres(join(directory, 'postgres'))
  const url = `postgres://${owner}:${servicePassword}@127.0.0.1:${postgres.port}/${databaseName}`
  const others = [{ WORKERS: '2' }, { DATABASE_URL: url }]
  const servers = await Promise.all([{}, ...others].map((more, i) => Twin.start(join(directory, `${i}`), more)))
  const world = new World(random, servers)
  await world.settle()
  const steps = long ? 10_000 : 700
  while (world.asked < steps) await world.step()
  const statuses = [...world.statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} of ${status}`)
  measured(`${world.asked} requests to each of ${servers.length}: ${statuses.join(', ')}`)
  for (const { server } of servers) await server.stop()
  await postgres.stop('fast')
}

const idPattern = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g
const timePattern = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
/** What differs between two servers that have done the same. */
const ownFields = /token|cursor|request_id|latitude|longitude|distance|recognised_places|_s$/
/** Signed parts of the link of an image. */
const signature = /\b(exp|sig)=[^&"]*/g

/** One of the servers. */
class Twin {
  tokens = new Map<string, string>()
  /** This server's id for each id of the first server. */
  private readonly ids = new Map<string, string>()

  private constructor(
    readonly name: string,
    readonly dataDir: string,
    readonly server: Server,
    private readonly more: Record<string, string>,
  ) {}

  static async start(dataDir: string, more: Record<string, string>): Promise<Twin> {
    mkdirSync(dataDir, { recursive: true })
    return new Twin(Object.keys(more)[0] ?? 'SQLite', dataDir, await startServer(dataDir, more), more)
  }

  async command(...args: string[]) {
    const { code, err } = await convene(args, { DATA_DIR: this.dataDir, ...this.more })
    assert.equal(code, 0, err)
  }

  ask({ method, path, who, body, image }: Request): Promise<Answer> {
    const token = who === null ? undefined : this.tokens.get(who)
    if (image !== undefined) return this.upload(path, token, image)
    const own: unknown = body === undefined ? undefined : JSON.parse(this.translated(JSON.stringify(body)))
    return call(this.server.url, method, this.translated(path), { token, body: own })
  }

  private async upload(path: string, token: string | undefined, image: Uint8Array<ArrayBuffer>): Promise<Answer> {
    const response = await fetch(new URL(`/api/v1/${path}`, this.server.url), {
      method: 'POST',
      body: uploadOf(image),
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  private translated(text: string): string {
    return text.replaceAll(idPattern, (id) => this.ids.get(id) ?? id)
  }

  /** Where an answer of this server differs from the first server's; null if nowhere. Learns the ids of what is new. */
  unlike(first: unknown, own: unknown, at = ''): string | null {
    const differs = `${at}: ${JSON.stringify(first)} and ${JSON.stringify(own)}`
    if (typeof first === 'string' && typeof own === 'string') return this.isLikeText(first, own) ? null : differs
    if (typeof first !== 'object' || typeof own !== 'object' || first === null || own === null)
      return first === own ? null : differs
    const [one, other] = [first, own] as Record<string, unknown>[]
    const keys = Object.keys(one!).toSorted()
    if (keys.join() !== Object.keys(other!).toSorted().join()) return differs
    for (const key of keys) {
      if (ownFields.test(key)) continue
      const found = this.unlike(one![key], other![key], `${at}/${key}`)
      if (found !== null) return found
    }
    return null
  }

  private isLikeText(first: string, own: string): boolean {
    const [one, other] = [first, own].map((text) => text.replaceAll(timePattern, 'time').replaceAll(signature, ''))
    const ownIds = [...own.matchAll(idPattern)].map(([id]) => id)
    for (const [i, [id]] of [...first.matchAll(idPattern)].entries()) {
      if (!this.ids.has(id) && ownIds[i] !== undefined) this.ids.set(id, ownIds[i])
      if (this.ids.get(id) !== ownIds[i]) return false
    }
    return one!.replaceAll(idPattern, 'id') === other!.replaceAll(idPattern, 'id')
  }

  /** The people of an answer in the order in which the first server has them. */
  ordered(first: Answer, own: Answer): Answer {
    if (!own.body.items) return own
    const places = new Map<string | undefined, number>()
    for (const [i, { user }] of (first.body.items ?? []).entries()) places.set(this.ids.get(user.id), i)
    const place = ({ user }: { user: Item }) => places.get(user.id) ?? 0
    const items = own.body.items.toSorted((a: { user: Item }, b: { user: Item }) => place(a) - place(b))
    return { ...own, body: { ...own.body, items } }
  }
}

type Item = { id: string }

type Request = {
  method: string
  path: string
  who: string | null
  body?: unknown
  image?: Uint8Array<ArrayBuffer>
  /** People nearby are in the order of their published positions, whose noise each server draws itself. */
  inAnyOrder?: boolean
}

const consents = { terms: true, privacy: true, disclaimer: true }
const [admin, moderator] = ['P1', 'P2']
const staff = [admin, moderator]
const someTime = '2099-01-01T00:00:00Z'
const texts = ['hello', 'see https://example.com', '+371 20000000', 'gift card', 'gіft cаrd', 'a'.repeat(300), '👍', '']

/** What has happened, by the ids of the first server, and the requests that may come next. */
class World {
  asked = 0
  statuses = new Map<number, number>()
  private accounts = 0
  private people: { name: string; id: string; email: string }[] = []
  private members = new Map<string, string[]>()
  private senders = new Map<string, string>()
  private photos = new Map<string, string[]>()
  private found = new Map<string, string[]>()
  private readonly images = [1, 2].map((seed) => pngOf(painting(seed), 120, 90))
  private readonly total: number

  constructor(
    private readonly random: Random,
    private readonly servers: Twin[],
  ) {
    this.total = this.requests.reduce((sum, [weight]) => sum + weight, 0)
  }

  async settle() {
    for (let i = 0; i < 8; i++) await this.register()
    for (const server of this.servers) await server.command('admin', 'grant', this.people[0]!.email, 'admin')
    await this.ask('POST', `admin/users/${this.people[1]!.id}/role`, admin, { role: 'moderator' })
  }

  async step() {
    let at = this.random.next() * this.total
    await this.requests.find(([weight]) => (at -= weight) < 0)![1]()
  }

  private async ask(method: string, path: string, who: string | null, body?: unknown, more: Partial<Request> = {}) {
    const request = { method, path, who, body, ...more }
    const [answer, ...others] = await Promise.all(this.servers.map((server) => server.ask(request)))
    this.asked++
    this.statuses.set(answer!.status, (this.statuses.get(answer!.status) ?? 0) + 1)
    for (const [i, other] of others.entries()) {
      const server = this.servers[i + 1]!
      const own = more.inAnyOrder ? server.ordered(answer!, other) : other
      const shown = ({ status, body, headers }: Answer) => ({ status, body, type: headers.get('content-type') })
      const difference = server.unlike(shown(answer!), shown(own))
      const what = `${method} ${path} by ${who} ${JSON.stringify(body)}, request ${this.asked}`
      assert.equal(difference, null, `SQLite and ${server.name} differ after ${what}`)
    }
    assert.ok(answer!.status < 500, `${method} ${path}: ${answer!.status}`)
    return { answers: [answer!, ...others], ...answer! }
  }

  private some = () => this.random.pick(this.people)
  private any = (list: readonly string[] = []) =>
    list.length === 0 || this.random.chance(0.03) ? Bun.randomUUIDv7() : this.random.pick(list)
  private one = (kind: string) => this.any(this.found.get(kind))
  private member = (chat: string) =>
    this.random.chance(0.08) ? this.some().name : this.random.pick(this.members.get(chat) ?? [this.some().name])
  private sender = (message: string) =>
    this.random.chance(0.08) ? this.some().name : (this.senders.get(message) ?? this.some().name)

  private learn(kind: string, ...items: Item[]) {
    const known = this.found.get(kind) ?? []
    this.found.set(kind, [...known, ...items.map(({ id }) => id).filter((id) => !known.includes(id))])
  }

  private async register() {
    const name = `P${++this.accounts}`
    const email = `${name.toLowerCase()}@example.org`
    const body = { email, password, name, consents, ...(this.random.chance(0.3) && { gender: 'female', city: 'Riga' }) }
    const { answers } = await this.ask('POST', 'auth/register', null, body)
    for (const [i, { body }] of answers.entries()) this.servers[i]!.tokens.set(name, body.access_token)
    this.people.push({ name, id: answers[0]!.body.user.id, email })
  }

  private async logIn() {
    const { name, email } = this.some()
    const body = { email, password: this.random.chance(0.8) ? password : 'wrong' }
    const { status, answers } = await this.ask('POST', 'auth/login', null, body)
    if (status === 200)
      for (const [i, { body }] of answers.entries()) this.servers[i]!.tokens.set(name, body.access_token)
  }

  private async erase() {
    if (this.people.length < 7) return
    const person = this.random.pick(this.people.slice(2))
    const { status } = await this.ask('DELETE', 'me', person.name, { password })
    if (status === 204) this.people = this.people.filter((one) => one !== person)
  }

  private async openChat() {
    const [one, other] = [this.some(), this.some()]
    const { status, body } = await this.ask('POST', 'chats', one.name, { user_id: other.id })
    if (status > 201) return
    this.learn('chat', body)
    this.members.set(body.id, [one.name, other.name])
  }

  private async send() {
    const chat = this.one('chat')
    const who = this.member(chat)
    const text = { text: this.random.pick(texts) }
    const { status, body } = await this.ask(
      'POST',
      `chats/${chat}/messages`,
      who,
      this.random.pick([
        text,
        text,
        text,
        { text: 'the same', client_id: `c${this.random.integer(1, 5)}` },
        { photo: this.any(this.photos.get(who)) },
        { photo: this.one('photo') },
        {},
      ]),
    )
    if (status !== 201) return
    this.learn('message', body)
    this.senders.set(body.id, who)
  }

  private async upload() {
    const who = this.some().name
    const { status, body } = await this.ask('POST', 'media', who, undefined, { image: this.random.pick(this.images) })
    if (status !== 201) return
    this.learn('photo', body)
    this.photos.set(who, [...(this.photos.get(who) ?? []), body.id])
  }

  private async create(kind: string, path: string, who: string, body: unknown) {
    const answer = await this.ask('POST', path, who, body)
    if (answer.status < 300 && answer.body?.id) this.learn(kind, answer.body)
  }

  private async list(kind: string, path: string, who: string) {
    const { status, body } = await this.ask('GET', path, who)
    if (status === 200) this.learn(kind, ...body.items)
  }

  /** A moderator mostly takes an open report, and decides as its kind allows. */
  private async decide() {
    const who = this.random.pick(staff)
    const { body } = await this.ask('GET', 'admin/reports?status=open&limit=100', who)
    const items: { id: string; kind: string }[] = body?.items ?? []
    const report = items.length > 0 ? this.random.pick(items) : { id: this.one('report'), kind: 'user' }
    if (this.random.chance(0.8)) await this.ask('POST', `admin/reports/${report.id}/claim`, who)
    await this.ask('GET', `admin/reports/${report.id}`, who)
    const action = this.random.pick([
      ...(report.kind === 'held' ? ['release'] : ['warn']),
      'dismiss',
      'remove_content',
      'suspend',
    ])
    await this.ask('POST', `admin/reports/${report.id}/resolve`, who, {
      action,
      note: action === 'dismiss' && this.random.chance(0.5) ? null : 'A reason',
      undo_s: 0,
      ...(action !== 'dismiss' && this.random.chance(0.3) && { strikes: 1 }),
      ...(action === 'suspend' && this.random.chance(0.7) && { until: someTime }),
    })
  }

  private report() {
    const { random } = this
    const target = random.pick([
      { user_id: this.some().id },
      { message_id: this.one('message') },
      { review_id: this.one('review') },
    ])
    const reason = random.pick(['spam', 'harassment', 'underage', 'other'])
    return this.create('report', 'reports', this.some().name, {
      ...target,
      reason,
      details: random.pick([null, 'Look']),
    })
  }

  private review() {
    const { random } = this
    const chat = this.one('chat')
    const more = { anonymous: random.chance(0.5), text: random.pick([null, 'nice', 'gift card']) }
    return this.create('review', 'reviews', this.member(chat), { chat_id: chat, rating: random.integer(0, 5), ...more })
  }

  private rule() {
    const { random } = this
    const match = random.pick<unknown>([
      { type: 'words', words: ['gift card'] },
      { type: 'link' },
      { type: 'contact' },
      { type: 'pattern', pattern: 'l{2,}' },
      { type: 'repeated', people: 2, within_h: 1 },
    ])
    const applies_to = random.pick([['message'], ['first_message'], ['bio', 'name'], ['review', 'message']])
    const action = random.pick(['refuse', 'hold', 'flag', 'note'])
    return this.create('rule', 'admin/rules', admin, { name: 'A rule', on: true, applies_to, match, action })
  }

  /** Each with how often it is chosen beside the others. */
  private readonly requests: [number, () => Promise<unknown>][] = [
    [2, () => this.register()],
    [1, () => this.logIn()],
    [0.5, () => this.erase()],
    [3, () => this.ask('GET', this.random.pick(['me', 'me/prefs', 'me/location', 'me/sessions']), this.some().name)],
    [
      3,
      () =>
        this.ask(
          'PUT',
          'me',
          this.some().name,
          this.random.pick<unknown>([
            { bio: this.random.pick(texts) },
            { city: 'Berlin', name: 'New' },
            { gender: null, photo: null },
            { name: '' },
          ]),
        ),
    ],
    [
      3,
      () => {
        const who = this.some().name
        return this.ask('PUT', 'me', who, { photo: this.any(this.photos.get(who)) })
      },
    ],
    [
      2,
      () =>
        this.ask(
          'PUT',
          'me/prefs',
          this.some().name,
          this.random.pick<unknown>([
            { drinks: ['tea'], language: 'ru' },
            { activities: ['walks', 'Board games', 'walks'] },
            { purposes: ['chat'], drinks: [] },
            { language: 'xx' },
          ]),
        ),
    ],
    [
      4,
      () =>
        this.ask(
          'PUT',
          'me/location',
          this.some().name,
          this.random.pick([
            { latitude: 56.95, longitude: 24.1 },
            { latitude: 10, longitude: 179.9999 },
            { latitude: 91, longitude: 0 },
          ]),
        ),
    ],
    [2, () => this.ask('PUT', 'me/visibility', this.some().name, { visible: this.random.chance(0.7) })],
    [
      4,
      () => {
        const filter = this.random.pick(['', '&gender=female', '&drinks=tea', '&language=ru'])
        const path = `search/nearby?lat=56.95&lng=24.1&radius=20000&limit=100${filter}`
        return this.ask('GET', path, this.some().name, undefined, { inAnyOrder: true })
      },
    ],
    [3, () => this.ask('GET', `users/${this.some().id}`, this.some().name)],
    [4, () => this.ask('GET', `users/${this.some().id}/${this.random.pick(['reviews', 'stats'])}`, null)],
    [5, () => this.openChat()],
    [4, () => this.ask('GET', `chats?limit=${this.random.pick([3, 50])}`, this.some().name)],
    [18, () => this.send()],
    [
      8,
      () => {
        const chat = this.one('chat')
        const path = this.random.pick([`chats/${chat}`, `chats/${chat}/messages?limit=2`, `chats/${chat}/messages`])
        return this.ask('GET', path, this.member(chat))
      },
    ],
    [
      4,
      () => {
        const chat = this.one('chat')
        const body = this.random.chance(0.3) ? { up_to: this.one('message') } : undefined
        return this.ask('PUT', `chats/${chat}/read`, this.member(chat), body)
      },
    ],
    [
      2,
      () => {
        const chat = this.one('chat')
        const until = this.random.pick([null, 'forever', someTime, '2020-01-01T00:00:00Z'])
        return this.ask('PUT', `chats/${chat}/mute`, this.member(chat), { until })
      },
    ],
    [
      4,
      () => {
        const message = this.one('message')
        return this.ask('PUT', `messages/${message}`, this.sender(message), { text: this.random.pick(texts) })
      },
    ],
    [
      3,
      () => {
        const message = this.one('message')
        return this.ask('DELETE', `messages/${message}`, this.sender(message))
      },
    ],
    [3, () => this.upload()],
    [2, () => this.create('block', 'blocks', this.some().name, { user_id: this.some().id })],
    [2, () => this.ask('DELETE', `blocks/${this.one('block')}`, this.some().name)],
    [3, () => this.ask('GET', this.random.pick(['blocks', 'reports', 'appeals']), this.some().name)],
    [5, () => this.report()],
    [4, () => this.review()],
    [6, () => this.ask('GET', `sync?since=0&limit=${this.random.pick([5, 100])}`, this.some().name)],
    [2, () => this.list('notice', 'me/notices', this.some().name)],
    [2, () => this.create('appeal', 'appeals', this.some().name, { notice_id: this.one('notice'), text: 'Unfair' })],
    [1, () => this.ask('GET', 'me/notifications', this.some().name)],
    [
      1,
      () =>
        this.ask(
          'PUT',
          'me/notifications',
          this.some().name,
          this.random.pick<unknown>([
            { messages: false },
            { digest: 'daily', preview: 'full' },
            { quiet: { from: '22:00', to: '08:00', time_zone: 'Europe/Riga' } },
            { quiet: null },
          ]),
        ),
    ],
    [1, () => this.ask('GET', 'tags?kind=activities&q=wa', this.some().name)],
    [1, () => this.ask('GET', 'me/export', this.some().name)],
    [5, () => this.decide()],
    [2, () => this.create('report', 'admin/reports/next', this.random.pick([...staff, 'P3']), {})],
    [
      3,
      () => {
        const filter = this.random.pick(['', '&kind=held', '&reason=spam', '&outcome=dismiss'])
        return this.list('report', `admin/reports?limit=100${filter}`, this.random.pick([...staff, 'P3']))
      },
    ],
    [1, () => this.ask('DELETE', `admin/reports/${this.one('report')}/claim`, this.random.pick(staff))],
    [1, () => this.ask('POST', `admin/users/${this.some().id}/warn`, moderator, { reason: 'Careful', strikes: 1 })],
    [0.4, () => this.ask('POST', `admin/users/${this.some().id}/suspend`, moderator, { reason: 'Bad' })],
    [3, () => this.ask('POST', `admin/users/${this.some().id}/unsuspend`, moderator, { reason: 'Good' })],
    [2, () => this.ask('GET', `admin/users/${this.some().id}`, this.random.pick(staff))],
    [1, () => this.ask('GET', `admin/users?limit=100${this.random.pick(['', '&q=p', '&standing=suspended'])}`, admin)],
    [1, () => this.list('appeal', 'admin/appeals?limit=100', moderator)],
    [
      2,
      () => {
        const decision = this.random.pick(['uphold', 'reject'])
        return this.ask('POST', `admin/appeals/${this.one('appeal')}/resolve`, admin, {
          decision,
          note: 'Looked again',
        })
      },
    ],
    [1, () => this.ask('GET', 'admin/transparency', admin)],
    [1, () => this.ask('GET', 'admin/stats', admin)],
    [1, () => this.rule()],
    [1, () => this.ask('DELETE', `admin/rules/${this.one('rule')}`, admin)],
    [1, () => this.ask('POST', 'admin/rules/try', admin, { text: this.random.pick(texts), applies_to: 'message' })],
    [1, () => this.create('announcement', 'admin/announcements', admin, { text: 'A picnic', until: null })],
    [1, () => this.ask('DELETE', `admin/announcements/${this.one('announcement')}`, admin)],
  ]
}
