import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { databaseOf, withSoundDatabase } from './database.ts'
import { call, chatOf, people, person } from './people.ts'
import { type Case, type Run, until } from './run.ts'
import { canary, password, startServer } from './server.ts'
import { openWire, statusOf, upgradeRequest } from './wire.ts'

export const cases: Case[] = [
  {
    name: 'SIGTERM under load: what was answered is stored, sockets are told to come back, no log is left',
    run: underLoad,
  },
  { name: 'what was asked before SIGTERM is answered, what comes later is refused', run: finishes },
  { name: 'connections that hang keep nothing from ending', run: hanging },
]

/** How long an end may take, in milliseconds. */
const mostMs = 10_000

async function underLoad({ long, random, directory, measured, inTime }: Run) {
  const rounds = long ? 30 : 3
  const answered = new Set<string>()
  let slowest = 0
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(directory)
    const everybody = await people(server.url, 16)
    const chats = await Promise.all(everybody.map((one, i) => chatOf(server.url, one, everybody[(i + 1) % 16]!)))
    const codes = everybody.map(({ token }) => {
      const socket = new WebSocket(new URL(`/ws?token=${token}`, server.url).href.replace('http', 'ws'))
      return new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
    })
    let ending = false
    const refusals = new Set<string>()
    const load = Promise.all(
      everybody.map(async ({ token }, sender) => {
        for (let i = 0; ; i++) {
          const client_id = `r${round}s${sender}n${i}`
          const body = { text: `${canary} ${client_id}`, client_id }
          const answer = await call(server.url, 'POST', `chats/${chats[sender]!}/messages`, { token, body }).catch(
            () => null,
          )
          if (answer?.status === 201) answered.add(client_id)
          else if (!answer) return assert.ok(ending, 'a connection broke before SIGTERM')
          else {
            refusals.add(`${answer.status} ${answer.body?.code}`)
            return assert.ok(ending, `an answer of ${answer.status} before SIGTERM`)
          }
        }
      }),
    )
    await Bun.sleep(random.integer(100, 600))
    const began = performance.now()
    ending = true
    server.signal('SIGTERM')
    await Bun.sleep(random.integer(0, 20))
    server.signal('SIGTERM')
    assert.equal(await server.ended(), 0, server.output())
    slowest = Math.max(slowest, performance.now() - began)
    inTime(slowest < mostMs, `it ended ${slowest.toFixed(0)} ms after SIGTERM`)
    await load
    for (const refusal of refusals) assert.equal(refusal, '503 shutting_down')
    assert.deepEqual(
      await Promise.all(codes),
      everybody.map(() => 1012),
    )
    assert.ok(!/"level":"(error|fatal)"/.test(server.output()), server.output())
    const log = `${databaseOf(directory)}-wal`
    assert.ok(!existsSync(log) || statSync(log).size === 0, 'a log was left')
    withSoundDatabase(databaseOf(directory), (db) => {
      const rows = db.query<{ client_id: string }, []>('SELECT client_id FROM messages').all()
      const stored = new Set(rows.map((row) => row.client_id))
      assert.equal(stored.size, rows.length)
      for (const id of answered) assert.ok(stored.has(id), `message ${id} was answered and is lost`)
    })
  }
  measured(`${rounds} ends under load: ${answered.size} answered, 0 lost; ended within ${slowest.toFixed(0)} ms`)
}

async function finishes({ directory, measured }: Run) {
  const server = await startServer(directory)
  const base = server.url
  const ada = await person(base, 1)
  // A connection that was used before, as those of browsers and proxies are.
  const kept = await openWire(base)
  const ask = `GET /api/v1/me HTTP/1.1\r\nHost: ${base.host}\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`
  kept.write(ask)
  await until('an answer', () => statusOf(kept.received()) === 200)

  // Hashing passwords takes a while, one after another.
  const registrations = Array.from({ length: 20 }, (_, i) =>
    call(base, 'POST', 'auth/register', {
      body: {
        email: `person${i}@example.org`,
        password,
        name: `Person ${i}`,
        consents: { terms: true, privacy: true, disclaimer: true },
      },
    }),
  )
  let done = 0
  for (const registration of registrations) void registration.then(() => done++)
  await until('the first registration', () => done > 0)
  const waiting = registrations.length - done
  assert.ok(waiting > 5, `${waiting} registrations still run`)
  server.signal('SIGTERM')
  await until('word of the stop', () => server.output().includes('stopping'))

  const before = kept.received().length
  kept.write(ask)
  const refused = await openWire(base).then(
    async (wire) => {
      wire.write(ask)
      await Promise.race([wire.closed, until('an answer', () => wire.received() !== '')])
      return wire.received()
    },
    () => '',
  )
  assert.ok(refused === '' || statusOf(refused) === 503, `a new connection was answered:\n${refused}`)
  const answers = await Promise.all(registrations)
  assert.deepEqual(
    answers.map(({ status }) => status),
    registrations.map(() => 201),
  )
  assert.equal(await server.ended(), 0)
  const late = kept.received().slice(before)
  assert.ok(late === '' || statusOf(late) === 503, `a request after SIGTERM was answered:\n${late}`)
  if (late !== '') assert.match(late, /shutting_down/)
  measured(`${waiting} running registrations were finished; ${late === '' ? 'closed' : '503'} to a later request`)
  withSoundDatabase(databaseOf(directory), (db) => {
    const { n } = db.query<{ n: number }, []>('SELECT count(*) AS n FROM users').get()!
    assert.equal(n, 21)
  })
}

async function hanging({ directory, measured, inTime }: Run) {
  const server = await startServer(directory)
  const base = server.url
  const ada = await person(base, 1)
  const head = `POST /api/v1/media HTTP/1.1\r\nHost: ${base.host}\r\nAuthorization: Bearer ${ada.token}\r\n`
  const beginnings = [
    '',
    'GET /api/v1/me HTTP/1.1\r\nHost:',
    `${head}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n--x`,
    `${head}Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n--x`,
    `POST /api/v1/auth/login HTTP/1.1\r\nHost: ${base.host}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    upgradeRequest(base, ada.token),
  ]
  for (const beginning of beginnings)
    for (let i = 0; i < 10; i++) {
      const wire = await openWire(base)
      wire.write(beginning)
      if (i % 2 === 0) wire.pause()
    }
  await Bun.sleep(200)
  const began = performance.now()
  server.signal('SIGTERM')
  assert.equal(await server.ended(), 0, server.output())
  const took = performance.now() - began
  measured(`ended within ${(took / 1000).toFixed(1)} s beside ${beginnings.length * 10} hanging connections`)
  inTime(took < mostMs, `it ended ${took.toFixed(0)} ms after SIGTERM`)
  withSoundDatabase(databaseOf(directory), () => {})
}
