import { Database } from 'bun:sqlite'
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildDatabase, planOf } from '../../src/backup/replica/build.ts'
import { replicaKey } from '../../src/backup/replica/format.ts'
import { openPlace, type Place } from '../../src/backup/replica/place.ts'
import { command, convene } from '../convene.ts'
import { databaseOf, restoredRules, withSoundDatabase } from './database.ts'
import { call, chatOf, done, people, upload } from './people.ts'
import { type Random, random } from './random.ts'
import { type Case, percentile, type Run, until } from './run.ts'
import { canary, keep, startServer } from './server.ts'

export const cases: Case[] = [
  { name: 'a machine that is lost under 100 sends a second loses at most the last second', run: lostMachines },
  {
    name: 'shipping that is killed anywhere leaves the state of one commit, to which later ones are added',
    run: (run) => killedWriters(run, run.long ? 800 : 10, 'sound'),
  },
  {
    name: 'the same, with a place that fails, lags, answers twice and lists late',
    run: (run) => killedWriters(run, run.long ? 200 : 6, 'faulty'),
  },
  { name: 'a restore that is killed leaves no database or all of it, and can be done again', run: killedRestores },
]

const secrets = ['jwt-secret', 'location-key']

function machineLike(directory: string, dataDir: string): string {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const name of secrets) cpSync(join(dataDir, name), join(directory, name))
  return directory
}

const sendsPerSecond = 100

async function lostMachines({ long, random, directory, measured, inTime }: Run) {
  const place = join(directory, 'place')
  const kept = join(directory, 'secrets')
  let dataDir = join(directory, 'data0')
  const rounds = long ? 20 : 2
  const losses: number[] = []
  const restores: number[] = []
  let [answeredInAll, lostInAll] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(dataDir, { REPLICA_URL: place, REPLICA_KEY: 'ab'.repeat(32) })
    if (round === 0) machineLike(kept, dataDir)
    const everybody = await people(server.url, 8)
    const chats = await Promise.all(everybody.map((one, i) => chatOf(server.url, one, everybody[(i + 1) % 8]!)))
    // What the clients themselves have noted: when each of their messages was answered.
    const asked = new Set<string>()
    const answered = new Map<string, number>()
    const images = new Map<string, number>()
    let over = false
    const sending = new Set<Promise<void>>()
    const send = async (i: number) => {
      const [sender, id] = [i % 8, `r${round}n${i}`]
      asked.add(id)
      const body = { text: `${canary} ${id}`, client_id: id }
      const { token } = everybody[sender]!
      const request = call(server.url, 'POST', `chats/${chats[sender]!}/messages`, { token, body })
      // No answer: the server is gone.
      const answer = await request.catch(() => null)
      if (answer?.status === 201) answered.set(id, performance.now())
      if (i % 50 === 0) {
        const image = await upload(server.url, token).catch(() => null)
        if (image) images.set(image.url, performance.now())
      }
    }
    // The snapshot of this machine, without which only the former ones can be restored.
    await until(
      'a snapshot',
      () => existsSync(join(place, 'manifest')) && readdirSync(join(place, 'manifest')).length > round,
    )
    const began = performance.now()
    const load = (async () => {
      for (let i = 0; !over; i++) {
        const one = send(i)
        sending.add(one)
        void one.finally(() => sending.delete(one))
        await Bun.sleep(Math.max(0, began + (i * 1000) / sendsPerSecond - performance.now()))
      }
    })()
    await Bun.sleep(random.integer(2000, long ? 8000 : 4000))
    const killedAt = performance.now()
    server.signal('SIGKILL')
    await server.ended()
    over = true
    await load
    await Promise.all(sending)
    rmSync(dataDir, { recursive: true })

    dataDir = machineLike(join(directory, `data${round + 1}`), kept)
    const restoreBegan = performance.now()
    const restored = await convene(['restore', place], { DATA_DIR: dataDir, REPLICA_KEY: 'ab'.repeat(32) })
    assert.deepEqual([restored.code, restored.err], [0, ''], restored.out)
    restores.push(performance.now() - restoreBegan)
    const there = new Set(
      withSoundDatabase(
        databaseOf(dataDir),
        (db) =>
          db
            .query<{ client_id: string }, []>('SELECT client_id FROM messages')
            .all()
            .map(({ client_id }) => client_id),
        restoredRules,
      ),
    )
    const lost = [...answered].filter(([id]) => !there.has(id))
    for (const id of there) if (id.startsWith(`r${round}n`)) assert.ok(asked.has(id), `${id} was never sent`)
    const loss = Math.max(0, ...lost.map(([, at]) => killedAt - at))
    losses.push(loss)
    answeredInAll += answered.size
    lostInAll += lost.length
    inTime(loss <= 1000, `${lost.length} answered messages of the last ${loss.toFixed(0)} ms are lost`)

    const again = await startServer(dataDir)
    for (const [url, at] of images)
      if (killedAt - at > 1000 || loss === 0)
        inTime((await fetch(new URL(url, again.url))).status === 200, 'an image that was answered is lost')
    await again.stop()
  }
  measured(
    `${rounds} machines lost under ${sendsPerSecond} sends a second: of ${answeredInAll} answered messages ${lostInAll} are lost, ` +
      `all of the last ${percentile(losses, 1).toFixed(0)} ms (median ${percentile(losses, 0.5).toFixed(0)} ms); ` +
      `a restore took ${percentile(restores, 1).toFixed(0)} ms at most`,
  )
}

const key = replicaKey(new Uint8Array(32))

/** The kinds of calls of the kernel by which a step of shipping is done. */
const steps = ['pwrite64', 'write', 'fsync,fdatasync', '/^rename', '/^unlink', 'openat', 'ftruncate']

/**
 * Lists late: what was put just now is missing, and some of what is removed is still named. What was listed once stays so,
 * though it is put again.
 */
function lateLists(place: Place, choices: Random): Place {
  const listed = new Set<string>()
  return {
    ...place,
    async *list(folder) {
      for await (const file of place.list(folder))
        if (listed.has(file.name) || Date.now() - file.modified_ms > 400 || choices.chance(0.5)) {
          listed.add(file.name)
          yield file
        }
      if (folder.startsWith('log/')) yield { name: `${folder}/0000000001`, size: 1, modified_ms: 0 }
    },
  }
}

/** What a lane of deaths has seen. */
type Lane = {
  deaths: number
  /** Of those, before there was any snapshot, and before there was one of the generation that had just begun. */
  empty: number
  early: number
  losses: number[]
  generations: Set<string>
  commits: number
}

/** A lane begins again with nothing once its database is larger: each death costs a whole restore. */
const largestDatabase = 12 * 2 ** 20

async function killedWriters(run: Run, deaths: number, mode: 'sound' | 'faulty') {
  const lanes = run.long ? 4 : 2
  const traced = Bun.which('strace') !== null
  const seen = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => laneOfDeaths(run, { deaths: deaths / lanes, mode, lane, traced })),
  )
  const losses = seen.flatMap(({ losses }) => losses)
  assert.ok(losses.length > 0, 'nothing could be restored')
  const most = percentile(losses, 1)
  const sum = (of: (lane: Lane) => number) => seen.reduce((sum, lane) => sum + of(lane), 0)
  run.measured(
    `${sum(({ deaths }) => deaths)} deaths${traced ? '' : ' (none at a system call: no strace)'} over ${sum(({ commits }) => commits)} commits in ` +
      `${sum(({ generations }) => generations.size)} generations, ${sum(({ empty }) => empty)} of them before the first snapshot and ${sum(({ early }) => early)} before that of a new generation: ` +
      `each restored state is that of one commit; ` +
      `answered commits of at most ${most.toFixed(0)} ms are missing (p99 ${percentile(losses, 0.99).toFixed(0)} ms, median ${percentile(losses, 0.5).toFixed(0)} ms)`,
  )
  run.inTime(most <= 1000, `answered commits of ${most.toFixed(0)} ms are missing`)
}

async function laneOfDeaths(
  { directory }: Run,
  { deaths, mode, lane, traced }: { deaths: number; mode: string; lane: number; traced: boolean },
): Promise<Lane> {
  const choices = random(`replica ${mode} ${lane}`)
  let home = join(directory, `${mode}${lane}`)
  mkdirSync(home, { recursive: true })
  const place = openPlace(join(home, 'place'))
  const asListed = mode === 'faulty' ? lateLists(place, choices) : place
  const seen: Lane = { deaths: 0, empty: 0, early: 0, losses: [], generations: new Set(), commits: 0 }
  /** When each commit was answered that is in this line of states, and what a restore has shown to be in the place. */
  let answered = new Map<number, number>()
  let restoredBefore = 0
  const lives: { from: number; to: number }[] = []
  for (; seen.deaths < deaths; seen.deaths++) {
    const answeredBefore = answered.size
    const began = Date.now()
    const { died, wasTraced } = await oneLife(home, { choices, mode, traced, seed: `${lane} ${seen.deaths}`, answered })
    seen.commits += answered.size - answeredBefore
    const restored = join(directory, `${mode}${lane}.db`)
    for (const end of ['', '-wal', '-shm']) rmSync(restored + end, { force: true })
    let generation: string
    try {
      const plan = await planOf(asListed, { to: null, key })
      ;({ generation } = await buildDatabase(asListed, restored, { plan, key }))
    } catch (error) {
      // Killed before there was a whole snapshot.
      assert.match(String(error), /no whole snapshot/)
      assert.equal(restoredBefore, 0, 'what could be restored before cannot be any more')
      seen.empty++
      continue
    }
    seen.generations.add(generation)
    const count = stateOf(restored)
    assert.ok(count >= restoredBefore, `${count} commits are restored, and were ${restoredBefore} before`)
    restoredBefore = count
    const lost = [...answered].filter(([n]) => n > count).map(([, at]) => at)
    lives.push({ from: began, to: died })
    const since = Math.min(died, ...lost)
    // Nobody writes between two lives.
    const loss = lives.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, since)), 0)
    if (generation !== generationOf(home)) seen.early++
    // The bound of a second is for a whole server: these lanes, with tracers, take all of the machine.
    else if (!wasTraced) seen.losses.push(loss)
    if (statSync(restored).size > largestDatabase) {
      rmSync(home, { recursive: true })
      mkdirSync(home)
      answered = new Map()
      restoredBefore = 0
      continue
    }
    if (!choices.chance(0.2)) continue
    // The machine is lost: another one goes on from what was restored.
    const next = `${home}n`
    rmSync(next, { recursive: true, force: true })
    mkdirSync(next)
    cpSync(restored, join(next, 'data.db'))
    cpSync(join(home, 'place'), join(next, 'place'), { recursive: true, preserveTimestamps: true })
    rmSync(home, { recursive: true })
    cpSync(next, home, { recursive: true, preserveTimestamps: true })
    rmSync(next, { recursive: true })
    answered = new Map([...answered].filter(([n]) => n <= count))
  }
  return seen
}

/** Lets a writer work until it is killed. Answers when that was; notes which commits it has answered, and when. */
async function oneLife(
  home: string,
  {
    choices,
    mode,
    traced,
    seed,
    answered,
  }: { choices: Random; mode: string; traced: boolean; seed: string; answered: Map<number, number> },
): Promise<{ died: number; wasTraced: boolean }> {
  const atStep = traced && choices.chance(0.4)
  const calls = choices.pick(steps)
  const when = choices.integer(1, 300)
  const tracer = [
    ...['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', 'signal=none'],
    ...['-e', `inject=${calls}:signal=KILL:when=${when}`],
  ]
  const child = Bun.spawn(
    [
      ...(atStep ? tracer : []),
      process.execPath,
      join(import.meta.dir, 'replica-writer.ts'),
      home,
      seed,
      ...(mode === 'faulty' ? [mode] : []),
    ],
    { env: { PATH: process.env.PATH }, stdout: 'pipe', stderr: 'pipe', detached: true },
  )
  // With its tracer, a group of processes.
  const endAll = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  keep(child, endAll)
  const errors = new Response(child.stderr).text()
  const lifeMs = choices.integer(100, mode === 'faulty' ? 5000 : 2500)
  let timer: ReturnType<typeof setTimeout> | null = null
  let rest = ''
  let killedAt: number | null = null
  const kill = () => {
    killedAt = Date.now()
    endAll()
  }
  // One whose step never comes, or that hangs.
  const last = setTimeout(kill, 20_000)
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (line === 'ready') timer = setTimeout(kill, atStep ? 4000 : lifeMs)
      else {
        const [n, at] = line.split(' ').map(Number)
        answered.set(n!, at!)
      }
    }
  }
  await child.exited
  const died = killedAt ?? Date.now()
  if (timer) clearTimeout(timer)
  clearTimeout(last)
  const said = await errors
  // strace says so of the process that it has killed.
  assert.ok(said === '' || /strace/.test(said), said)
  return { died, wasTraced: atStep }
}

/** The generation to which a machine adds; null where it was killed before it had one. */
function generationOf(home: string): string | null {
  const path = join(home, 'spool/state.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).generation.id : null
}

/** How many commits there are in a database, each of them whole and none missing. */
function stateOf(path: string): number {
  const db = new Database(path, { readwrite: true })
  try {
    assert.deepEqual(db.query('PRAGMA integrity_check').values(), [['ok']])
    // Killed between the two, the tables are not there yet.
    const tables = db.query("SELECT count(*) FROM sqlite_schema WHERE name IN ('a', 'b')").values()[0]![0]
    if (tables !== 2) return 0
    const [a, b] = ['a', 'b'].map((table) => db.query(`SELECT count(*), coalesce(max(n), 0) FROM ${table}`).values()[0])
    assert.deepEqual(a, b, 'a commit is there in part')
    assert.equal(a![0], a![1], 'a commit is missing, and later ones are there')
    return a![0] as number
  } finally {
    db.close()
  }
}

async function killedRestores({ long, random, directory, measured }: Run) {
  const dataDir = join(directory, 'data')
  const place = join(directory, 'place')
  const server = await startServer(dataDir, { REPLICA_URL: place })
  const two = await people(server.url, 2)
  const chat = await chatOf(server.url, two[0]!, two[1]!)
  const { token } = two[0]!
  for (let i = 0; i < 200; i++)
    await done(call(server.url, 'POST', `chats/${chat}/messages`, { token, body: { text: `${canary} ${i}` } }))
  for (let i = 0; i < 5; i++) await upload(server.url, token)
  await until('a snapshot', () => existsSync(join(place, 'manifest')))
  await server.stop()

  const traced = Bun.which('strace') !== null
  const outcomes = { none: 0, all: 0 }
  const began = performance.now()
  const fresh = machineLike(join(directory, 'fresh'), dataDir)
  assert.equal((await convene(['restore', place], { DATA_DIR: fresh })).code, 0)
  let lifeMs = performance.now() - began

  /** Kills a restore at that call of the kernel, or at some time. Answers whether it was killed. */
  async function killed(step: { calls: string; when: number } | null): Promise<boolean> {
    machineLike(fresh, dataDir)
    const inject = step && `inject=${step.calls}:signal=KILL:when=${step.when}`
    const tracer = step ? ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${step.calls}`, '-e', inject!] : []
    const child = Bun.spawn([...tracer, ...command, 'restore', place], {
      env: { PATH: process.env.PATH, DATA_DIR: fresh },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    keep(child)
    if (step === null) {
      await Bun.sleep(lifeMs * (0.4 + 0.7 * random.next()))
      child.kill('SIGKILL')
    }
    const isKilled = (await child.exited) !== 0
    const isThere = existsSync(databaseOf(fresh)) && !existsSync(`${databaseOf(fresh)}.restoring`)
    outcomes[isThere ? 'all' : 'none']++
    if (step === null) lifeMs *= isThere ? 0.9 : 1.05
    if (!isThere) {
      const again = await convene(['restore', place], { DATA_DIR: fresh })
      // Cut off after its commit, the first one is finished by the second, which then finds a database.
      assert.ok(again.code === 0 || /exists and is not replaced/.test(again.err), again.err)
    }
    const { n } = withSoundDatabase(
      databaseOf(fresh),
      (db) => db.query<{ n: number }, []>('SELECT count(*) AS n FROM messages').get()!,
      restoredRules,
    )
    assert.equal(n, 200)
    assert.equal(
      readdirSync(join(fresh, 'media'), { recursive: true }).filter((name) => `${name}`.endsWith('.webp')).length > 0,
      true,
    )
    const left = readdirSync(fresh).filter((name) => /unpacked|restored|restoring/.test(name))
    assert.deepEqual(left, [], 'a restore leaves what a killed one has left')
    return isKilled
  }

  // At each change of a name, from the first one to the last.
  let renames = 0
  if (traced) while (await killed({ calls: '/^rename', when: renames + 1 })) renames++
  assert.ok(!traced || renames > 2, `only ${renames} changes of a name`)
  const rounds = long ? 60 : 4
  for (let round = 0; round < rounds; round++) {
    const calls = random.pick(['/^(fsync|fdatasync)', 'pwrite64', '/^unlink', 'ftruncate'])
    const step = { calls, when: random.integer(1, calls === 'pwrite64' ? 150 : 12) }
    await killed(traced && round % 2 === 1 ? step : null)
  }
  measured(
    `a restore was killed at each of ${renames} changes of a name${traced ? '' : ' (no strace)'}, and ${rounds} times elsewhere: ` +
      `${outcomes.none} left no database, ${outcomes.all} all of it`,
  )
}
