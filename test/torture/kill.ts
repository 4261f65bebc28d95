import assert from 'node:assert/strict'
import { databaseOf, withSoundCopy, withSoundDatabase } from './database.ts'
import {
  act,
  type Ask,
  compareWithAnswers,
  compareWithRows,
  Ear,
  type Ledger,
  renew,
  retryAll,
  selectMessages,
  selectReviews,
  settle,
} from './ledger.ts'
import { call, upload } from './people.ts'
import type { Random } from './random.ts'
import { type Case, type Run, until } from './run.ts'
import { killedStart, type Server, startServer } from './server.ts'
import { inject } from './strace.ts'

const peopleCount = 16
const workers = 24
const listeners = 4

export const cases: Case[] = [
  {
    name: 'kill -9 under load: nothing answered is lost, nothing is there twice, events count without a gap',
    run: (run) => deaths(run, run.long ? 300 : 10, killSoon(run.random)),
  },
  {
    name: 'the same, where death comes at a write to the disk or at an fsync',
    run: (run) =>
      deaths(run, run.long ? 100 : 5, async (server) => {
        const calls = run.random.pick(['pwrite64', 'fsync,fdatasync', 'ftruncate,pwrite64,fsync,fdatasync'])
        await inject(server, `${calls}:signal=KILL:when=${run.random.integer(1, 120)}`)
      }),
  },
  {
    name: 'kill -9 under load, where threads beside the one that writes answer: the same',
    run: (run) => deaths(run, run.long ? 100 : 5, killSoon(run.random), { WORKERS: '3' }),
  },
]

const killSoon = (random: Random) => async (server: Server) => {
  await Bun.sleep(random.integer(20, 250))
  server.signal('SIGKILL')
}

/** Lives and deaths of a server over one data directory. After each the files are examined, and at last everything. */
async function deaths(
  { random, directory, measured }: Run,
  cycles: number,
  kill: (server: Server) => Promise<void>,
  settings: Record<string, string> = {},
) {
  const dataDir = `${directory}/data`
  let ledger: Ledger | null = null
  const ears: Ear[] = []
  let recoveries = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    // Death in the middle of a start, while it recovers what the last death left.
    if (cycle > 0 && random.chance(0.2)) {
      await killedStart(dataDir, random.integer(20, 300), settings)
      recoveries++
    }
    const server = await startServer(dataDir, settings)
    ledger ??= await settle(server.url, peopleCount)
    // Tokens end after a quarter of an hour.
    if (cycle > 0 && cycle % 50 === 0) await renew(ledger, server.url)
    if (ears.length === 0) ears.push(...ledger.people.slice(0, listeners).map((owner) => new Ear(owner)))
    for (const ear of ears) void ear.listen(server.url)
    const dead = { yet: false }
    const working = Array.from({ length: workers }, () => work(ledger!, server.url, random, dead))
    await kill(server)
    assert.equal(await server.ended(), 'SIGKILL', server.output())
    dead.yet = true
    await Promise.all(working)
    await Promise.all(ears.map((ear) => ear.over()))
    withSoundCopy(dataDir, directory, () => {})
  }

  const server = await startServer(dataDir, settings)
  assert.ok(ledger)
  await renew(ledger, server.url)
  await retryAll(ledger, (...request) => call(server.url, ...request))
  for (const ear of ears) void ear.listen(server.url)
  await compareWithAnswers(ledger, server.url, ears)
  await Promise.all([server.stop(), ...ears.map((ear) => ear.over())])
  withSoundDatabase(databaseOf(dataDir), (db) =>
    compareWithRows(ledger, db.query<any, []>(selectMessages).all(), db.query<any, []>(selectReviews).all()),
  )
  measured(
    `${cycles} deaths, ${recoveries} more while recovering: ${ledger.answered} sends answered, ${ledger.retried} of them ` +
      `as retries of what a death left unanswered; 0 lost, 0 twice`,
  )
}

async function work(ledger: Ledger, base: URL, random: Random, dead: { yet: boolean }) {
  const ask: Ask = (...request) => call(base, ...request)
  while (!dead.yet) {
    try {
      if (random.chance(0.03)) ledger.images.push((await upload(base, random.pick(ledger.people).token)).url)
      else await act(ledger, ask, random)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // A broken connection is what death looks like from here.
      await until(`the death that explains ${error}`, () => dead.yet)
    }
  }
}
