import assert from 'node:assert/strict'
import { Database } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, call, chatOf, done, initData, people, person, type Person, upload } from './people.ts'
import { databaseOf, withSoundDatabase } from './database.ts'
import { type Case, percentile, type Run, Skipped, until } from './run.ts'
import { canary, refusedStart, type Server, startServer } from './server.ts'
import { inject } from './strace.ts'

export const cases: Case[] = [
  { name: 'a slow fsync delays answers, loses nothing, and is shared by all who wait', run: slowFsync },
  { name: 'an fsync that fails is answered with no success; the server ends, and starts clean', run: failingFsync },
  { name: 'a file that may not grow answers 503 to writes, serves reads, and is over once it may', run: limitedFiles },
  { name: 'a full disk answers 503 to writes, serves reads, and is over once there is room', run: fullDisk },
  { name: 'a damaged file is refused at the start, with the way to restore', run: damagedAtRest },
  { name: 'damage that shows while the server runs ends it, with the way to restore', run: damagedAtWork },
]

/** Two people with a chat, and their ways to write into it. */
async function pair(base: URL) {
  const [ada, bob] = (await people(base, 2)) as [Person, Person]
  const chat = await chatOf(base, ada, bob)
  const send = (clientId: string, { text = `${canary} ${clientId}`, by = ada } = {}) =>
    call(base, 'POST', `chats/${chat}/messages`, { token: by.token, body: { text, client_id: clientId } })
  return { ada, bob, chat, send }
}

/** How often each client_id is stored. */
const storedTimes = (db: Database) =>
  new Map(
    db
      .query<{ client_id: string; n: number }, []>('SELECT client_id, count(*) AS n FROM messages GROUP BY client_id')
      .all()
      .map(({ client_id, n }) => [client_id, n]),
  )

async function slowFsync({ long, directory, measured, inTime }: Run) {
  const server = await startServer(directory)
  const { send } = await pair(server.url)
  await done(send('before'))
  const release = await inject(server, 'fsync,fdatasync:delay_enter=50000')

  // Nobody is answered before the disk is.
  for (let i = 0; i < 5; i++) {
    const began = performance.now()
    await done(send(`alone${i}`))
    const took = performance.now() - began
    assert.ok(took >= 50, `an answer came after ${took.toFixed(1)} ms, before the fsync that takes 50`)
  }

  const ids = Array.from({ length: long ? 6000 : 1000 }, (_, i) => `c${i}`)
  const times: number[] = []
  const began = performance.now()
  const queue = [...ids]
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        const sentAt = performance.now()
        await done(send(id))
        times.push(performance.now() - sentAt)
      }
    }),
  )
  const perSecond = ids.length / ((performance.now() - began) / 1000)
  await release()
  // Not the orderly way, which would write down what waits.
  server.signal('SIGKILL')
  await server.ended()
  const again = await startServer(directory)
  await again.stop()
  withSoundDatabase(databaseOf(directory), (db) => {
    const stored = storedTimes(db)
    for (const id of ids) assert.equal(stored.get(id), 1, `message ${id}`)
  })
  const p99 = percentile(times, 0.99).toFixed(0)
  measured(`fsync + 50 ms: ${perSecond.toFixed(0)} messages a second from 64 senders, p99 ${p99} ms`)
  inTime(perSecond >= 200, `${perSecond.toFixed(0)} messages a second, 200 at least are promised`)
}

async function failingFsync({ long, random, directory, measured }: Run) {
  const rounds = long ? 20 : 3
  const answered = new Set<string>()
  const unanswered = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(directory)
    const { send } = await pair(server.url)
    for (const id of unanswered) {
      assert.ok((await send(id)).status < 300, 'a retry after the clean start')
      answered.add(id)
      unanswered.delete(id)
    }
    await inject(server, `fsync,fdatasync:error=EIO:when=${random.integer(1, 20)}+`)
    await Promise.all(
      Array.from({ length: 8 }, async (_, sender) => {
        for (let i = 0; i < 1000; i++) {
          const id = `r${round}s${sender}n${i}`
          unanswered.add(id)
          const answer = await send(id).catch(() => null)
          if (!answer || answer.status >= 500) return
          assert.equal(answer.status, 201)
          unanswered.delete(id)
          answered.add(id)
        }
      }),
    )
    assert.equal(await server.ended(), 1, server.output())
    const [fatal, ...more] = server
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"fatal"'))
    assert.ok(fatal && more.length === 0, `one fatal line expected:\n${server.output()}`)
    assert.match(JSON.parse(fatal).msg, /disk/)
  }
  const server = await startServer(directory)
  const { send } = await pair(server.url)
  for (const id of unanswered) assert.ok((await send(id)).status < 300)
  await server.stop()
  withSoundDatabase(databaseOf(directory), (db) => {
    const stored = storedTimes(db)
    for (const id of [...answered, ...unanswered]) assert.equal(stored.get(id), 1, `message ${id}`)
  })
  measured(`${rounds} failing disks: ${answered.size} answered writes, all there once`)
}

async function limitedFiles({ directory }: Run) {
  if (Bun.which('prlimit') === null) throw new Skipped('no prlimit')
  const server = await startServer(directory)
  const limit = async (soft: string) => {
    const child = Bun.spawn(['prlimit', '--pid', String(server.pid), `--fsize=${soft}:`], { stderr: 'pipe' })
    if ((await child.exited) !== 0) throw new Skipped(`prlimit: ${(await child.stderr.text()).trim()}`)
  }
  await outOfRoom(server, directory, { fill: () => limit('65536'), clear: () => limit('unlimited') })
}

async function fullDisk({ directory }: Run) {
  const disk = join(directory, 'disk')
  mkdirSync(disk)
  const mount = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'none', disk])
  if (!mount.success) throw new Skipped('a small tmpfs cannot be mounted here')
  try {
    const dataDir = join(disk, 'data')
    const server = await startServer(dataDir)
    const ballast = join(disk, 'ballast')
    await outOfRoom(server, dataDir, {
      async fill() {
        const file = openSync(ballast, 'w')
        try {
          for (const size of [65536, 4096]) for (;;) writeSync(file, Buffer.alloc(size), 0, size)
        } catch (error) {
          assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
        } finally {
          closeSync(file)
        }
      },
      async clear() {
        rmSync(ballast)
      },
    })
  } finally {
    Bun.spawnSync(['umount', '-l', disk])
  }
}

type Room = { fill(): Promise<void>; clear(): Promise<void> }

/** What holds wherever the room ends. */
async function outOfRoom(server: Server, dataDir: string, { fill, clear }: Room) {
  const base = server.url
  const { ada, bob, chat, send } = await pair(base)
  const messageId: string = (await done(send('before'))).id
  const leaving = await person(base, 5)
  const as = (token: string) => (method: string, path: string, body?: unknown) =>
    call(base, method, path, { token, body })
  const asAda = as(ada.token)
  // A review needs a message from both.
  await done(as(bob.token)('POST', `chats/${chat}/messages`, { text: 'answer', client_id: 'answer' }))
  const socket = new WebSocket(new URL(`/ws?token=${bob.token}`, base).href.replace('http', 'ws'))
  const texts: string[] = []
  socket.onmessage = ({ data }) => texts.push(JSON.parse(data as string).data?.text)
  await until('a socket', () => socket.readyState === WebSocket.OPEN)

  await fill()
  // What is left of the log is filled up by what still fits.
  const fitted: string[] = []
  for (let i = 0; ; i++) {
    assert.ok(i < 20_000, 'the disk does not get full')
    const answer = await send(`fit${i}`, { text: 'x'.repeat(4000) })
    if (answer.status !== 201) {
      expectFull(answer)
      break
    }
    fitted.push(`fit${i}`)
  }
  const writes: [string, string, unknown][] = [
    ['POST', `chats/${chat}/messages`, { text: 'y'.repeat(4000), client_id: 'lost' }],
    ['PUT', `messages/${messageId}`, { text: 'z'.repeat(4000) }],
    ['PUT', 'me', { bio: 'b'.repeat(500) }],
    ['PUT', 'me/prefs', { drinks: Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(40, 'd')) }],
    ['POST', 'auth/consents', { consents: { terms: true, privacy: true, disclaimer: true } }],
    ['POST', 'blocks', { user_id: bob.id }],
    ['POST', 'reports', { user_id: bob.id, reason: 'spam', details: 'd'.repeat(2000) }],
    ['POST', 'reviews', { chat_id: chat, rating: 5 }],
    ['PUT', `chats/${chat}/read`, undefined],
    ['POST', 'auth/logout', undefined],
  ]
  for (const [method, path, body] of writes) {
    // Whose write is small may find a last page: then it is done, and no lie.
    const answer = await (path === `chats/${chat}/read` ? as(bob.token) : asAda)(method, path, body)
    if (answer.status >= 300) expectFull(answer, `${method} ${path}`)
    else assert.fail(`${method} ${path} was answered with ${answer.status} on a full disk`)
  }
  await assert.rejects(person(base, 3), /503.*storage_full/)
  await assert.rejects(upload(base, ada.token), /503.*storage_full/)
  const confirmed = () => ({ init_data: initData(leaving.number, leaving.name) })
  expectFull(await call(base, 'DELETE', 'me', { token: leaving.token, body: confirmed() }), 'an erasure')
  assert.equal((await call(base, 'GET', 'me', { token: leaving.token })).status, 200, 'an erasure that failed')
  for (const path of ['me', 'me/prefs', 'chats', `chats/${chat}/messages`, `users/${bob.id}`, 'sync?since=0'])
    assert.equal((await asAda('GET', path)).status, 200, `GET ${path} on a full disk`)
  assert.equal((await call(base, 'GET', 'legal/terms')).status, 200)
  assert.ok(!texts.includes('y'.repeat(4000)), 'what was not stored was pushed')

  await clear()
  for (const [method, path, body] of writes) {
    const answer = await (path === `chats/${chat}/read` ? as(bob.token) : asAda)(method, path, body)
    // Ada has blocked Bob by then, and may not send or review any more.
    const fine = answer.status < 300 || answer.body.code === 'blocked'
    assert.ok(fine, `${method} ${path} was answered with ${answer.status} once there was room`)
  }
  await upload(base, leaving.token)
  assert.equal((await call(base, 'DELETE', 'me', { token: leaving.token, body: confirmed() })).status, 204)
  const eve = await person(base, 3)
  const chatOfEve = await chatOf(base, eve, await person(base, 4))
  for (let i = 0; i < 50; i++)
    await done(as(eve.token)('POST', `chats/${chatOfEve}/messages`, { text: 'after', client_id: `after${i}` }))
  socket.close()
  await server.stop()
  withSoundDatabase(databaseOf(dataDir), (db) => {
    const stored = storedTimes(db)
    for (const id of ['before', ...fitted]) assert.equal(stored.get(id), 1, `message ${id}`)
    for (let i = 0; i < 50; i++) assert.equal(stored.get(`after${i}`), 1)
    assert.equal(stored.size, fitted.length + 53)
  })
}

function expectFull({ status, body, headers }: Answer, what = '') {
  assert.deepEqual([what, status, body?.code], [what, 503, 'storage_full'])
  assert.ok(Number(headers.get('retry-after')) > 0)
}

async function damagedAtRest({ random, directory }: Run) {
  const server = await startServer(directory)
  const { send } = await pair(server.url)
  await Promise.all(Array.from({ length: 300 }, (_, i) => done(send(`c${i}`))))
  await server.stop()
  const path = databaseOf(directory)
  const whole = await Bun.file(path).bytes()
  const pages = whole.length / 4096

  const damages: [string, () => void][] = [
    ['half the file', () => truncateSync(path, Math.floor(pages / 2) * 4096)],
    ['the schema’s page', () => overwrite(path, 100, 3996, random.integer(1, 255))],
    ['the header', () => overwrite(path, 0, 100, random.integer(1, 255))],
    ...[0, random.integer(1, 255)].map((byte): [string, () => void] => {
      const page = random.integer(2, pages - 1)
      return [`page ${page + 1} of ${pages} full of ${byte}`, () => overwrite(path, page * 4096, 4096, byte)]
    }),
  ]
  for (const [what, damage] of damages) {
    writeFileSync(path, whole)
    damage()
    const { code, output } = await refusedStart(directory)
    assert.equal(code, 1, `${what}: ${output}`)
    assert.equal(output.trim().split('\n').length, 1, `${what}, one line expected:\n${output}`)
    assert.ok(output.includes(path), `${what}: ${output}`)
    assert.match(output, /convene restore/, what)
  }
  writeFileSync(path, whole)
  await (await startServer(directory)).stop()
}

async function damagedAtWork({ directory }: Run) {
  const server = await startServer(directory)
  const { ada, chat, send } = await pair(server.url)
  await Promise.all(Array.from({ length: 300 }, (_, i) => done(send(`c${i}`, { text: 'x'.repeat(4000) }))))
  await server.stop()
  const again = await startServer(directory)
  const path = databaseOf(directory)
  overwrite(path, 4096, statSync(path).size - 4096, 0xff)
  const answer = await call(again.url, 'GET', `chats/${chat}/messages`, { token: ada.token }).catch(() => null)
  if (answer) assert.equal(answer.status, 500)
  assert.equal(await again.ended(), 1, again.output())
  const fatal = again
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":"fatal"'))
  assert.equal(fatal.length, 1, again.output())
  assert.match(JSON.parse(fatal[0]!).msg, /damaged.*convene restore/)
}

function overwrite(path: string, at: number, bytes: number, value: number) {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(bytes, value), 0, bytes, at)
  closeSync(file)
}
