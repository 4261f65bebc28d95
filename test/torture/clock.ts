import assert from 'node:assert/strict'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { jobs } from '../../src/jobs.ts'
import { listen } from '../../src/listen.ts'
import { openLog } from '../../src/log.ts'
import { readSecrets } from '../../src/secrets.ts'
import { buildServices } from '../../src/services.ts'
import { openStorage } from '../../src/storage/open.ts'
import { databaseOf, withSoundDatabase } from './database.ts'
import { allOf, call, chatOf, done, person, type Person } from './people.ts'
import type { Random } from './random.ts'
import { type Case, type Run, until } from './run.ts'
import { botToken } from './server.ts'

const hour = 3_600_000
const day = 24 * hour

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
  const { storage } = openStorage(config.databasePath, {
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

/** Mostly a step of up to a minute; now and then a day back or forth, or any part of it. */
function tick(clock: { now: number }, random: Random) {
  const jump = random.pick([day, -day, random.integer(-day, day)])
  clock.now += random.chance(0.15) ? jump : random.integer(0, 60_000)
}

async function jumps({ long, random, directory, measured }: Run) {
  const { base, clock, services, close } = await serverByClock(directory)
  const [ada, bob, eve] = (await Promise.all([1, 2, 3].map((n) => person(base, n, clock.now)))) as [Person, Person, Person]
  const chats = [await chatOf(base, ada, bob), await chatOf(base, ada, eve)]
  const as = (who: Person) => (method: string, path: string, body?: unknown) =>
    done(call(base, method, path, { token: who.token, body }))

  const socket = new WebSocket(new URL(`/ws?token=${ada.token}&since=0`, base).href.replace('http', 'ws'))
  const heard: number[] = []
  socket.onmessage = ({ data }) => {
    const { type, seq } = JSON.parse(data as string)
    if (type !== 'hello' && seq !== undefined) heard.push(seq)
  }

  const sent: [string[], string[]] = [[], []]
  const texts = new Map<string, string | null>()
  let sessions = 1
  const steps = long ? 3000 : 300
  const began = clock.now
  let [earliest, latest] = [began, began]
  for (let step = 0; step < steps; step++) {
    tick(clock, random)
    earliest = Math.min(earliest, clock.now)
    latest = Math.max(latest, clock.now)
    // Ada's token lasts a quarter of an hour by a clock that jumps.
    ada.token = (await services.auth.refresh(ada.refresh)).access_token
    const current = await services.auth.refresh(ada.refresh)
    Object.assign(ada, { token: current.access_token, refresh: current.refresh_token })
    const which = random.integer(0, 1)
    const path = `chats/${chats[which]!}/messages`
    const dice = random.next()
    if (dice < 0.5) {
      const body = { text: `${step}`, client_id: `c${step}` }
      const { id } = await as(ada)('POST', path, body)
      tick(clock, random)
      await refreshed(ada, services)
      assert.equal((await as(ada)('POST', path, body)).id, id, 'a retry sent twice')
      sent[which].push(id)
      texts.set(id, body.text)
    } else if (dice < 0.6 && sent[which].length > 0) {
      const id = random.pick(sent[which])
      if (texts.get(id) === null) continue
      await as(ada)('PUT', `messages/${id}`, { text: `edited at ${step}` })
      texts.set(id, `edited at ${step}`)
    } else if (dice < 0.65 && sent[which].length > 0) {
      const id = random.pick(sent[which])
      await as(ada)('DELETE', `messages/${id}`)
      texts.set(id, null)
    } else if (dice < 0.75) {
      const accepted = random.chance(0.5)
      await as(ada)('POST', 'auth/consents', { consents: { terms: accepted, privacy: true, disclaimer: true } })
      const { consents_missing } = await as(ada)('GET', 'me')
      assert.deepEqual(consents_missing, accepted ? [] : ['terms'], 'the last word on a consent counts')
    } else if (dice < 0.85) {
      const reader = [bob, eve][which]!
      Object.assign(reader, await person(base, reader.number, clock.now))
      await as(reader)('PUT', `chats/${chats[which]!}/read`)
      const entry = await as(reader)('GET', `chats/${chats[which]!}`)
      assert.equal(entry.unread_count, 0)
    } else if (dice < 0.9) {
      await person(base, 1, clock.now)
      sessions++
    } else {
      // Positions and the chat's place in lists never go back in time.
      await as(ada)('PUT', 'me/location', { latitude: 48.85, longitude: 2.35 })
      const searcher = await person(base, 4, clock.now)
      const { items } = await as(searcher)('GET', 'search/nearby?lat=48.85&lng=2.35&radius=2000')
      assert.deepEqual(items.map((item: any) => item.user.id), [ada.id], 'a position of now is found')
    }
  }
  await refreshed(ada, services)

  for (const [which, chat] of chats.entries()) {
    const backwards = await allOf(base, `chats/${chat}/messages?limit=7`, ada.token)
    assert.deepEqual(backwards.map(({ id }) => id), sent[which]!.toReversed(), 'the order of a conversation')
    for (const { id, text } of backwards) assert.equal(text, texts.get(id), 'the last text counts')
    const after = await allOf(base, `chats/${chat}/messages?limit=7&after=${sent[which]![0]}`, ada.token)
    assert.deepEqual(after.map(({ id }) => id), sent[which]!.slice(1), 'what came after a message')
  }
  const list = await allOf(base, 'chats?limit=1', ada.token)
  assert.deepEqual(list.map(({ id }) => id).sort(), chats.toSorted(), 'each chat is listed once')
  assert.ok(list[0].last_msg_at >= list[1].last_msg_at)

  const { seq } = await as(ada)('GET', 'sync?since=0')
  const numbers = Array.from({ length: seq }, (_, i) => i + 1)
  assert.deepEqual((await allOf(base, 'sync?since=0&limit=9', ada.token)).map((event) => event.seq), numbers)
  await until(`${seq} events on the socket`, () => heard.length >= seq)
  assert.deepEqual(heard, numbers, 'events on a socket')

  const listed = (await allOf(base, 'me/sessions?limit=3', ada.token)).map(({ id }) => id)
  assert.equal(new Set(listed).size, listed.length, 'a session is listed twice')
  assert.equal(listed.length, sessions)

  // What is removed by age leaves no hole in the numbers.
  clock.now = latest + 6.5 * day
  await refreshed(ada, services)
  for (const { run } of jobs(services)) await run()
  const kept = (await services.storage.events.after(ada.id, 0, 100_000)).map((event) => event.seq)
  assert.ok(kept.length > 0 && kept.length < seq, `of ${seq} events ${kept.length} are kept`)
  assert.deepEqual(kept, numbers.slice(-kept.length))
  assert.equal((await as(ada)('GET', `sync?since=${kept[0]! - 2}`)).resume, 'gap')
  assert.equal((await as(ada)('GET', `sync?since=${kept[0]! - 1}`)).resume, 'ok')

  socket.close()
  await close()
  withSoundDatabase(databaseOf(directory), () => {}, { except: ['events of a user'] })
  const span = ((latest - earliest) / day).toFixed(1)
  measured(`${steps} steps over ${span} days, ${sent.flat().length} messages, ${seq} events, in order`)
}

type Refreshing = { auth: { refresh(token: string): Promise<{ access_token: string; refresh_token: string }> } }

async function refreshed(who: Person, { auth }: Refreshing) {
  const session = await auth.refresh(who.refresh)
  Object.assign(who, { token: session.access_token, refresh: session.refresh_token })
}
