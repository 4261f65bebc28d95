import assert from 'node:assert/strict'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { listen } from '../../src/listen.ts'
import { openLog } from '../../src/telemetry/log.ts'
import { readSecrets } from '../../src/installation/secrets.ts'
import { buildServices } from '../../src/services.ts'
import { openStorage } from '../../src/storage/open.ts'
import { withSoundCopy } from './database.ts'
import { allOf, call, chatOf, done, person, type Person, upload } from './people.ts'
import type { Random } from './random.ts'
import { type Case, type Run, until } from './run.ts'
import { botToken } from './server.ts'

const day = 86_400_000

export const cases: Case[] = [
  { name: 'order, numbers and paging hold while the clock jumps a day back and forth', run: jumps },
  { name: 'tokens and links end by the clock, and a clock set back locks nobody out', run: expiry },
]

/** The server in this process, over a real file and a real port, with ids and times from a clock that can be set. */
async function serverByClock(dataDir: string) {
  const clock = { now: Date.UTC(2026, 10, 21, 12) }
  const now = () => clock.now
  const config = readConfig({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    RATE_LIMIT: 'off',
    MESSENGER_BOT_TOKEN: botToken,
    INIT_DATA_MAX_AGE_S: '0',
  })
  const { storage } = await openStorage(config.database, {
    onFatal(error) {
      throw error
    },
  })
  const ids = { next: () => Bun.randomUUIDv7('hex', clock.now), random: () => crypto.randomUUID() }
  const services = buildServices({ config, secrets: readSecrets(config), storage, log: openLog(config), ids, now })
  const app = buildApp(services)
  const base = listen(app, services, { host: '127.0.0.1', port: 0 })
  const close = async () => {
    await app.server!.stop(true)
    await storage.close()
  }
  return { base, clock, services, close }
}

/** Mostly up to a minute on; now and then a day back or forth, or any part of it, never far from the beginning. */
function tick(clock: { now: number }, began: number, random: Random) {
  const jump = random.pick([day, random.integer(0, day)])
  const back = clock.now > began + 3 * day || (clock.now > began - 3 * day && random.chance(0.5))
  clock.now += random.chance(0.15) ? (back ? -jump : jump) : random.integer(0, 60_000)
}

async function jumps({ long, random, directory, measured }: Run) {
  const { base, clock, services, close } = await serverByClock(`${directory}/data`)
  const began = clock.now
  const [ada, bob, eve] = await Promise.all([signIn(1), signIn(2), signIn(3)])
  const chats = [await chatOf(base, ada, bob), await chatOf(base, ada, eve)]
  const { heard, leave } = listenTo(base, ada)

  function signIn(number: number): Promise<Person> {
    return person(base, number, clock.now)
  }
  // A token lasts a quarter of an hour, and here a day may pass between any two requests.
  async function as(who: Person, method: string, path: string, body?: unknown) {
    const session = await services.auth.refresh(who.refresh)
    Object.assign(who, { token: session.access_token, refresh: session.refresh_token })
    return done(call(base, method, path, { token: who.token, body }))
  }

  const sent: string[][] = [[], []]
  const texts = new Map<string, string | null>()
  let sessions = 1
  let hasConsented = true
  const deeds: Record<string, (chat: string, own: string[], other: Person, step: number) => Promise<void>> = {
    async send(chat, own, _, step) {
      const body = { text: `${step}`, client_id: `c${step}` }
      const { id } = await as(ada, 'POST', `chats/${chat}/messages`, body)
      tick(clock, began, random)
      assert.equal((await as(ada, 'POST', `chats/${chat}/messages`, body)).id, id, 'a retry sent twice')
      own.push(id)
      texts.set(id, body.text)
    },
    async edit(_, own, __, step) {
      const id = own.findLast((one) => texts.get(one) !== null)
      if (id === undefined) return
      await as(ada, 'PUT', `messages/${id}`, { text: `edited at ${step}` })
      texts.set(id, `edited at ${step}`)
    },
    async remove(_, own) {
      if (own.length === 0) return
      const id = random.pick(own)
      await as(ada, 'DELETE', `messages/${id}`)
      texts.set(id, null)
    },
    async read(chat, _, other) {
      await as(other, 'PUT', `chats/${chat}/read`)
      assert.equal((await as(other, 'GET', `chats/${chat}`)).unread_count, 0)
    },
    async consent() {
      const terms = random.chance(0.5)
      await as(ada, 'POST', 'auth/consents', { consents: { terms, privacy: true, disclaimer: true } })
      const { consents_missing } = await as(ada, 'GET', 'me')
      assert.deepEqual(consents_missing, terms ? [] : ['terms'], 'the last word on a consent counts')
      hasConsented = terms
    },
    async publish() {
      await as(ada, 'PUT', 'me/location', { latitude: 48.85, longitude: 2.35 })
      const { items } = await as(bob, 'GET', 'search/nearby?lat=48.85&lng=2.35&radius=2000')
      assert.deepEqual(
        items.map((item: any) => item.user.id),
        hasConsented ? [ada.id] : [],
        'who has published a position just now is found, unless they have withdrawn a consent',
      )
    },
    async logIn() {
      await signIn(ada.number)
      sessions++
    },
  }
  const names = [...Object.keys(deeds), 'send', 'send', 'send', 'send', 'read']
  const steps = long ? 3000 : 300
  for (let step = 0; step < steps; step++) {
    tick(clock, began, random)
    // As the server does by the clock on the wall, which here stands still.
    if (step % 50 === 0) services.hub.endExpired()
    const which = random.integer(0, 1)
    await deeds[random.pick(names)]!(chats[which]!, sent[which]!, [bob, eve][which]!, step)
  }

  for (const [which, chat] of chats.entries()) {
    const idsOf = (messages: any[]) => messages.map(({ id }) => id)
    const [first, ...later] = sent[which]!
    await as(ada, 'GET', 'me')
    const backwards = await allOf(base, `chats/${chat}/messages?limit=7`, ada.token)
    assert.deepEqual(idsOf(backwards), sent[which]!.toReversed(), 'the order of a conversation')
    for (const { id, text } of backwards) assert.equal(text, texts.get(id), 'the last text counts')
    const after = await allOf(base, `chats/${chat}/messages?limit=7&after=${first}`, ada.token)
    assert.deepEqual(idsOf(after), later, 'what came after a message')
  }
  const list = await allOf(base, 'chats?limit=1', ada.token)
  assert.deepEqual(list.map(({ id }) => id).sort(), chats.toSorted(), 'each chat is listed once')
  const listed = (await allOf(base, 'me/sessions?limit=3', ada.token)).map(({ id }) => id)
  assert.deepEqual([listed.length, new Set(listed).size], [sessions, sessions], 'each session is listed once')

  const { seq } = await as(ada, 'GET', 'sync?since=0')
  const numbers = Array.from({ length: seq }, (_, i) => i + 1)
  const synced = await allOf(base, 'sync?since=0&limit=90', ada.token)
  assert.deepEqual(
    synced.map((event) => event.seq),
    numbers,
    'events of /sync',
  )
  await until(`${seq} events on the socket`, () => heard.length >= seq)
  assert.deepEqual(heard, numbers, 'events on a socket')
  leave()
  withSoundCopy(`${directory}/data`, directory, () => {})

  // What is removed by its age leaves no hole in the numbers.
  const times = (await services.storage.events.after(ada.id, 0, seq)).map(({ at }) => at)
  const newest = times.indexOf(Math.max(...times))
  clock.now = times[newest]! + services.config.eventRetentionDays * day
  await services.retention.events()
  const kept = (await services.storage.events.after(ada.id, 0, seq)).map((event) => event.seq)
  assert.ok(newest > 0, 'this seed removes nothing')
  assert.deepEqual(kept, numbers.slice(newest))
  assert.equal((await as(ada, 'GET', `sync?since=${kept[0]! - 2}`)).resume, 'gap')
  assert.equal((await as(ada, 'GET', `sync?since=${kept[0]! - 1}`)).resume, 'ok')
  await close()
  measured(
    `${steps} steps: ${sent.flat().length} messages, ${seq} events of one user, ${sessions} sessions, all in order`,
  )
}

/**
 * The numbers of the events that reach somebody's socket, as they come. A socket ends with its token, which may be any
 * moment here: then there is another one, from the last event on, as soon as they have a token that is good.
 */
function listenTo(base: URL, who: Person): { heard: number[]; leave(): void } {
  const heard: number[] = []
  let socket: WebSocket
  let over = false
  const connect = () => {
    const path = `/ws?token=${who.token}&since=${heard.at(-1) ?? 0}`
    socket = new WebSocket(new URL(path, base).href.replace('http', 'ws'))
    socket.onmessage = ({ data }) => {
      const { type, seq } = JSON.parse(data as string)
      if (type !== 'hello' && seq !== undefined) heard.push(seq)
    }
    socket.onclose = () => over || setTimeout(connect, 20)
  }
  connect()
  return {
    heard,
    leave() {
      over = true
      socket.close()
    },
  }
}

async function expiry({ directory }: Run) {
  const { base, clock, services, close } = await serverByClock(directory)
  const ada = await person(base, 1, clock.now)
  const get = async (path: string) => {
    const { status, body } = await call(base, 'GET', path, { token: ada.token })
    return status < 300 ? status : `${status} ${body.code}`
  }
  const began = clock.now
  const image = await upload(base, ada.token)
  const fetchImage = async () => (await fetch(new URL(image.url, base))).status

  assert.deepEqual([await get('me'), await fetchImage()], [200, 200])
  clock.now = began + 899_000
  assert.equal(await get('me'), 200)
  clock.now = began + 900_000
  assert.equal(await get('me'), '401 token_expired')
  clock.now = began + 2 * day
  assert.equal(await get('me'), '401 token_expired')
  assert.notEqual(await fetchImage(), 200, 'a link outlives its end')

  // The clock is set right again, two days back: who signed in meanwhile stays so, and may refresh.
  const bob = await person(base, 2, clock.now)
  clock.now = began
  assert.equal((await call(base, 'GET', 'me', { token: bob.token })).status, 200)
  const next = await done(call(base, 'POST', 'auth/refresh', { body: { refresh_token: bob.refresh } }))
  assert.equal((await call(base, 'GET', 'me', { token: next.access_token })).status, 200)
  const { items } = await done(call(base, 'GET', 'me/sessions', { token: next.access_token }))
  assert.equal(items.length, 1)
  assert.deepEqual([await get('me'), await fetchImage()], [200, 200])

  // A session is over after 30 days without use, and not a day before.
  clock.now = began + 29 * day
  const later = await done(call(base, 'POST', 'auth/refresh', { body: { refresh_token: ada.refresh } }))
  clock.now += 30 * day
  const over = await call(base, 'POST', 'auth/refresh', { body: { refresh_token: later.refresh_token } })
  assert.deepEqual([over.status, over.body.code], [401, 'token_expired'])

  // A socket ends with its token.
  const eve = await person(base, 3, clock.now)
  const socket = new WebSocket(new URL(`/ws?token=${eve.token}`, base).href.replace('http', 'ws'))
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  await until('a socket', () => socket.readyState === WebSocket.OPEN)
  clock.now -= day
  services.hub.endExpired()
  await Bun.sleep(50)
  assert.equal(socket.readyState, WebSocket.OPEN, 'a clock set back closed a socket')
  clock.now += day + 900_000
  services.hub.endExpired()
  assert.equal(await closed, 4401)
  await close()
}
