import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, convene, type Outcome } from '../convene.ts'
import { databaseOf, restoredRules, rules, withSoundDatabase } from './database.ts'
import { call, chatOf, done, initData, people, person, type Person, upload } from './people.ts'
import { type Case, percentile, type Run, until } from './run.ts'
import { canary, startServer } from './server.ts'

export const cases: Case[] = [
  { name: 'a backup under load is one moment’s state, and what comes of it serves on', run: underLoad },
  { name: 'a backup that is killed, or finds no room, leaves nothing that passes for one', run: cutOff },
  { name: 'a restore that is killed leaves the old state or the new one, and can be done again', run: killedRestores },
  { name: 'scheduled backups come by the clock, and one that fails is told', run: scheduled, only: 'long' },
]

/** What a backup needs beside it. */
const secrets = ['jwt-secret', 'location-key']

/** A data directory of its own with the secrets of another. */
function elsewhere(directory: string, dataDir: string): string {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const name of secrets) cpSync(join(dataDir, name), join(directory, name))
  return directory
}

const fine = ({ code, out, err }: Outcome) => assert.deepEqual([code, err], [0, ''], out)

const clientIdsOf = (dataDir: string, all = rules) =>
  withSoundDatabase(
    databaseOf(dataDir),
    (db) =>
      new Map(
        db
          .query<{ client_id: string; text: string }, []>('SELECT client_id, text FROM messages')
          .all()
          .map(({ client_id, text }) => [client_id, text]),
      ),
    all,
  )

async function underLoad({ long, random, directory, measured }: Run) {
  const dataDir = join(directory, 'data')
  const server = await startServer(dataDir)
  const base = server.url
  const everybody = await people(base, 16)
  const chats = await Promise.all(everybody.map((one, i) => chatOf(base, one, everybody[(i + 1) % 16]!)))
  const asked = new Set<string>()
  const answered = new Set<string>()
  const images: string[] = []
  const times: number[] = []
  const text = (id: string) => `${canary} ${id} ${'text '.repeat(id.length * 9)}`.trim()
  let over = false
  const load = Promise.all(
    everybody.map(async (one, sender) => {
      for (let i = 0; !over; i++) {
        const id = `s${sender}n${i}`
        asked.add(id)
        const began = performance.now()
        await done(
          call(base, 'POST', `chats/${chats[sender]!}/messages`, {
            token: one.token,
            body: { text: text(id), client_id: id },
          }),
        )
        times.push(performance.now() - began)
        answered.add(id)
        if (random.chance(0.02)) images.push((await upload(base, one.token)).url)
        // Some hundred a second: it is backups that are to be many, not messages.
        await Bun.sleep(random.integer(0, long ? 100 : 20))
      }
    }),
  )

  const rounds = long ? 20 : 2
  let during = 0
  for (let round = 0; round < rounds; round++) {
    const file = join(directory, `backup${round}.db`)
    const leaving = await person(base, 100 + round)
    await until('more messages', () => answered.size > 200 * (round + 1))
    const [before, imagesBefore] = [new Set(answered), [...images]]
    fine(await convene(['backup', file], { DATA_DIR: dataDir }))
    const sentSince = answered.size - before.size
    during += sentSince
    assert.ok(sentSince > 0, 'no message was answered while the backup was made')
    const mayBeIn = new Set(asked)
    const init_data = initData(leaving.number, leaving.name)
    assert.equal((await call(base, 'DELETE', 'me', { token: leaving.token, body: { init_data } })).status, 204)

    const there = elsewhere(join(directory, 'there'), dataDir)
    cpSync(join(dataDir, 'erasures.log'), join(there, 'erasures.log'))
    fine(await convene(['restore', file], { DATA_DIR: there }))
    const stored = clientIdsOf(there, restoredRules)
    for (const id of before) assert.equal(stored.get(id), text(id), `message ${id} was answered before the backup`)
    for (const id of stored.keys()) assert.ok(mayBeIn.has(id), `message ${id} was sent after the backup`)

    // What was restored is a server like any other, for the same tokens and links.
    const again = await startServer(there)
    const one = random.pick(everybody)
    for (const url of imagesBefore) assert.equal((await fetch(new URL(url, again.url))).status, 200, 'an image is lost')
    assert.equal((await call(again.url, 'GET', 'me', { token: leaving.token })).status, 401, 'who was erased is back')
    const syncedSince = (since: number) => done(call(again.url, 'GET', `sync?since=${since}`, { token: one.token }))
    const { seq, resume } = await syncedSince(1)
    assert.equal(resume, 'gap', 'who has seen what the backup may not know is not told that they missed nothing')
    const chat = chats[everybody.indexOf(one)]!
    const body = { text: `${canary} after`, client_id: 'after' }
    await done(call(again.url, 'POST', `chats/${chat}/messages`, { token: one.token, body }))
    const { items } = await syncedSince(seq)
    assert.deepEqual(
      items.map((event: { seq: number }) => event.seq),
      [seq + 1],
    )
    await again.stop()
    withSoundDatabase(databaseOf(there), () => {}, restoredRules)
    rmSync(file)
  }
  over = true
  await load
  await server.stop()
  const stored = clientIdsOf(dataDir)
  for (const id of answered) assert.equal(stored.get(id), text(id))
  const p99 = percentile(times, 0.99)
  measured(
    `${rounds} backups beside ${answered.size} messages and ${images.length} images, ${during} messages of them while one was made: ` +
      `nothing answered before is missing; p99 of sends ${p99.toFixed(0)} ms, the longest ${percentile(times, 1).toFixed(0)} ms`,
  )
}

/** How long a command takes when it is left alone, in milliseconds. */
async function timeOf(args: string[], dataDir: string): Promise<number> {
  const began = performance.now()
  fine(await convene(args, { DATA_DIR: dataDir }))
  return performance.now() - began
}

/** A community with something in it, and its server ended; who lives there. */
async function settled(dataDir: string, messages: number): Promise<Person[]> {
  const server = await startServer(dataDir)
  const two = await people(server.url, 2)
  const chat = await chatOf(server.url, two[0]!, two[1]!)
  const { token } = two[0]!
  for (let i = 0; i < messages; i += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, j) => {
        const body = { text: `${canary} ${'x'.repeat(3000)}`, client_id: `${messages}n${i + j}` }
        return done(call(server.url, 'POST', `chats/${chat}/messages`, { token, body }))
      }),
    )
  for (let i = 0; i < 5; i++) await upload(server.url, token)
  await server.stop()
  return two
}

async function cutOff({ long, random, directory, measured }: Run) {
  const dataDir = join(directory, 'data')
  await settled(dataDir, 400)
  const server = await startServer(dataDir)
  const place = join(directory, 'backups')
  mkdirSync(place)
  const rounds = long ? 100 : 6
  let [whole, left] = [0, 0]
  let lifeMs = await timeOf(['backup', join(place, 'first.db')], dataDir)
  rmSync(join(place, 'first.db'))
  for (let round = 0; round < rounds; round++) {
    const file = join(place, `${round}.db`)
    const child = Bun.spawn([...command, 'backup', file], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await Bun.sleep(lifeMs * (0.5 + random.next() / 2))
    child.kill('SIGKILL')
    await child.exited
    // Deaths come in the midst of it, however fast it is just now.
    lifeMs *= existsSync(file) ? 0.9 : 1.1
    const entries = readdirSync(place)
    for (const name of entries) assert.match(name, /^\d+\.db(\.[0-9a-f]{8}\.part(-journal)?)?$/)
    if (existsSync(file)) {
      whole++
      const there = elsewhere(join(directory, 'there'), dataDir)
      fine(await convene(['restore', file], { DATA_DIR: there }))
      assert.equal(clientIdsOf(there, restoredRules).size, 400)
    } else if (entries.length > 0) left++
    for (const name of entries) rmSync(join(place, name))
  }

  const limited = Bun.which('prlimit') !== null
  if (!limited) measured('none without room: no prlimit')
  for (let pages = 1; limited && pages <= 2 ** 9; pages *= long ? 2 : 16) {
    const file = join(place, 'full.db')
    const { code, out, err } = await convene(
      ['backup', file],
      { DATA_DIR: dataDir },
      {
        command: ['prlimit', `--fsize=${pages * 4096}`, ...command],
      },
    )
    assert.deepEqual([code, out], [1, ''], err)
    assert.equal(err.trim().split('\n').length, 1, err)
    assert.deepEqual(readdirSync(place), [], 'a backup without room')
  }
  // Nobody on the server has noticed.
  await person(server.url, 3)
  await server.stop()
  assert.ok(!/"level":"(warn|error|fatal)"/.test(server.output()), server.output())
  assert.equal(clientIdsOf(dataDir).size, 400)
  measured(
    `${rounds} backups were killed: ${whole} were whole by then, ${left} left an unfinished part under its own name`,
  )
}

async function killedRestores({ long, random, directory, measured }: Run) {
  const dataDir = join(directory, 'data')
  await settled(dataDir, 200)
  const file = join(directory, 'backup.db')
  fine(await convene(['backup', file], { DATA_DIR: dataDir }))
  await settled(dataDir, 300)
  const [older, newer] = [200, 500]
  const kept = join(directory, 'kept')
  cpSync(dataDir, kept, { recursive: true })

  // By the clock, and where strace is at hand at each step in which names change.
  const ways: string[][] = Array.from({ length: long ? 40 : 2 }, () => [])
  const traced = Bun.which('strace') !== null && (await canTrace())
  const steps = ['link', 'rename', 'fsync|fdatasync']
  if (traced)
    for (const calls of long ? steps : [random.pick(steps)])
      for (const when of long ? [1, 2, 3, 4, 5, 6] : [random.integer(1, 4)])
        ways.push([
          ...['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=/^(${calls})`],
          ...['-e', `inject=/^(${calls}):signal=KILL:when=${when}`],
        ])
  const outcomes = { old: 0, new: 0 }
  let lifeMs = await timeOf(['restore', file], dataDir)
  for (const way of ways) {
    rmSync(dataDir, { recursive: true })
    cpSync(kept, dataDir, { recursive: true })
    const child = Bun.spawn([...way, ...command, 'restore', file], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    if (way.length === 0) {
      await Bun.sleep(lifeMs * (0.5 + random.next() / 2))
      child.kill('SIGKILL')
    }
    await child.exited
    const server = await startServer(dataDir)
    await server.stop()
    const { size } = clientIdsOf(dataDir, restoredRules)
    assert.ok(size === older || size === newer, `${size} messages are neither the old state nor the new one`)
    const left = readdirSync(dataDir).filter((name) => /unpacked|restored|restoring/.test(name))
    assert.deepEqual(left, [], 'a start leaves what a killed restore has left')
    const outcome = size === newer ? 'old' : 'new'
    outcomes[outcome]++
    if (way.length === 0) lifeMs *= outcome === 'new' ? 0.9 : 1.1
    // A second to be named by: what is kept beside must not have that name already.
    await Bun.sleep(1000 - (Date.now() % 1000))
    fine(await convene(['restore', file], { DATA_DIR: dataDir }))
    assert.equal(clientIdsOf(dataDir, restoredRules).size, older)
    const again = await startServer(dataDir)
    const one = await person(again.url, 1)
    assert.equal((await call(again.url, 'GET', 'me', { token: one.token })).status, 200)
    await again.stop()
  }
  measured(
    `${ways.length} restores were killed${traced ? '' : ' (none at a system call: no strace)'}: ` +
      `${outcomes.old} left the old state, ${outcomes.new} the new one; all were done again`,
  )
}

async function scheduled({ directory, measured }: Run) {
  const dataDir = join(directory, 'data')
  const place = join(directory, 'backups')
  await settled(dataDir, 20)
  const server = await startServer(dataDir, { BACKUP_DIR: place, BACKUP_CRON: '* * * * *', BACKUP_KEEP: '1' })
  const made = () => (existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.db')) : [])
  await until('a backup', () => made().length > 0, 90_000)
  const there = elsewhere(join(directory, 'there'), dataDir)
  fine(await convene(['restore', join(place, made()[0]!)], { DATA_DIR: there }))
  assert.equal(clientIdsOf(there).size, 20)

  // Where the directory was, there is a file: the next one fails.
  rmSync(place, { recursive: true })
  writeFileSync(place, '')
  const failures = async () => {
    const metrics = await (await fetch(new URL('/metrics', server.url))).text()
    return /^convene_job_duration_seconds_count\{[^}]*job="backup"[^}]*outcome="failed"[^}]*\} (\d+)$/m.exec(
      metrics,
    )?.[1]
  }
  await until('a failure in the metrics', async () => (await failures()) === '1', 90_000)
  assert.match(server.output(), /"level":"error".*"job":"backup".*job failed/)
  await server.stop()
  measured('one by the clock, restored; one that failed, in the log and in the metrics')
}

/** Whether strace may trace here. */
async function canTrace(): Promise<boolean> {
  const child = Bun.spawn(['strace', '-o', '/dev/null', 'true'], { stdout: 'ignore', stderr: 'ignore' })
  return (await child.exited) === 0
}
