import { afterEach, expect, jest, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Job, jobs, startJobs } from '../../src/jobs.ts'
import { openMetrics } from '../../src/telemetry/metrics.ts'
import { backUpInto, newestBackup, removeLeftovers } from '../../src/backup/scheduled.ts'
import type { Services } from '../../src/services.ts'
import { jobLeaseStore } from '../../src/storage/sqlite/job-leases.ts'
import { erasuresIn } from '../../src/storage/files/erasure-journal.ts'
import { openJobLeases } from '../../src/lib/job-leases.ts'
import { password, testApp } from '../app.ts'

afterEach(() => {
  jest.useRealTimers()
})

const hour = 3_600_000

/** Stops the clock at half past: close to a full hour, a job would come round once more while a test waits some seconds. */
const stopClock = () => jest.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12, 30) })

/** What the jobs of a list log, and what storage is told. */
function recorded(store = jobLeaseStore()) {
  const failures: unknown[] = []
  const storage = { failed: (error: unknown) => failures.push(error) }
  const lines: Record<string, unknown>[] = []
  const write = (level: string) => (fields: object, message: string) => lines.push({ level, message, ...fields })
  const log = { debug: write('debug'), info: write('info'), error: write('error') } as unknown as Logger
  const jobLeases = openJobLeases({ store, node: crypto.randomUUID(), now: Date.now })
  const metrics = openMetrics()
  return {
    lines,
    failures,
    metrics,
    services: { log, storage, metrics, jobLeases, now: Date.now } as unknown as Services,
  }
}
const hourly = (name: string, run: Job['run']): Job => ({ name, schedule: '0 * * * *', run })
const settled = async () => {
  for (let i = 0; i < 100; i += 1) await Promise.resolve()
}

test('every job has a name of its own and a schedule that comes round', async () => {
  const list = jobs((await testApp()).services)
  expect(list.map(({ name }) => name)).toContain('media-sweep')
  expect(new Set(list.map(({ name }) => name)).size).toBe(list.length)
  for (const { schedule } of list) expect(Bun.cron.parse(schedule)).toBeInstanceOf(Date)
})

test('what an erasure has left over is looked for each minute, as the help of admin erase says', async () => {
  const { schedule } = jobs((await testApp()).services).find(({ name }) => name === 'unfinished-erasures')!
  const at = Date.UTC(2026, 10, 21, 12)
  expect(Bun.cron.parse(schedule, at, { tz: 'UTC' })!.getTime() - at).toBe(60_000)
})

test('every job runs on a fresh server, and finds nothing to do', async () => {
  for (const { name, run } of jobs((await testApp()).services)) {
    // The days before there was anybody are counted too, which is a figure each: 0.
    if (name === 'daily-figures') while ((await run()) > 0);
    expect([name, await run()]).toEqual([name, 0])
  }
})

test('a job runs when its time comes, time and again, and says what it did', async () => {
  stopClock()
  const { lines, services } = recorded()
  let runs = 0
  const stop = startJobs(services, [hourly('counting', async () => ++runs)])
  expect(runs).toBe(0)
  jest.advanceTimersByTime(hour)
  await settled()
  expect(lines).toEqual([{ level: 'info', message: 'job done', job: 'counting', count: 1, ms: expect.any(Number) }])
  jest.advanceTimersByTime(hour)
  await settled()
  expect(runs).toBe(2)
  await stop()
  jest.advanceTimersByTime(3 * hour)
  await settled()
  expect(runs).toBe(2)
})

test('a job that finds nothing to do is no line at the usual level', async () => {
  stopClock()
  const { lines, services } = recorded()
  const stop = startJobs(services, [hourly('idle', async () => 0)])
  jest.advanceTimersByTime(hour)
  await settled()
  expect(lines).toMatchObject([{ level: 'debug', message: 'job done', job: 'idle', count: 0 }])
  await stop()
})

test('a job that fails is logged as an error, told to storage, comes round again, and holds up no other', async () => {
  stopClock()
  const { lines, failures, services } = recorded()
  const broken = new Error('the disk is gone')
  const stop = startJobs(services, [
    hourly('failing', () => Promise.reject(broken)),
    hourly('throwing', () => {
      throw broken
    }),
    hourly('working', async () => 7),
  ])
  for (let i = 0; i < 2; i += 1) {
    jest.advanceTimersByTime(hour)
    await settled()
  }
  const of = (name: string) => lines.filter(({ job }) => job === name)
  for (const name of ['failing', 'throwing'])
    expect(of(name)).toEqual(
      Array(2).fill({ level: 'error', message: 'job failed', job: name, err: broken, ms: expect.any(Number) }),
    )
  expect(of('working').map(({ count }) => count)).toEqual([7, 7])
  expect(failures).toEqual([broken, broken, broken, broken])
  await stop()
})

test('of several nodes one does a job each time, what is its own each does, and all know when it was done', async () => {
  stopClock()
  const store = jobLeaseStore()
  const nodes = [recorded(store), recorded(store), recorded(store)]
  let [shared, own] = [0, 0]
  const stops = nodes.map(({ services }) =>
    startJobs(services, [
      hourly('shared', async () => ++shared),
      { ...hourly('own', async () => ++own), onEach: true },
    ]),
  )
  for (let hours = 1; hours <= 3; hours += 1) {
    jest.advanceTimersByTime(hour)
    await settled()
    // Who found another one at work looks again.
    jest.advanceTimersByTime(5000)
    await settled()
    expect([shared, own]).toEqual([hours, 3 * hours])
  }
  const last = /convene_job_last_success_timestamp_seconds\{job="shared"\} (\d+)/
  const done = await Promise.all(nodes.map(async ({ metrics }) => last.exec(await metrics.text())?.[1]))
  expect(new Set(done).size).toBe(1)
  expect(done[0]).toBeDefined()
  expect(nodes.flatMap(({ lines }) => lines).filter(({ job }) => job === 'shared')).toHaveLength(3)
  for (const stop of stops) await stop()
})

test('what migrations and restores have replaced is removed after 30 days, and nothing else', async () => {
  const { dataDir, services } = await testApp()
  const now = Date.now()
  const [old, young] = [now - 31 * 24 * hour, now - 29 * 24 * hour]
  const stamp = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const make = (name: string, at: number) => {
    writeFileSync(join(dataDir, name), 'x')
    utimesSync(join(dataDir, name), at / 1000, at / 1000)
  }
  const stays = [
    ['convene.db', old],
    ['convene.db.before-0013_erasures', young],
    ['convene.db.before-down-0013_erasures', young],
    // What was moved aside yesterday may have been written long ago.
    [`convene.db.before-restore-${stamp(young)}`, old],
    ['convene.db.before-I-went-on-holiday', old],
    ['other.db.before-0012_account', old],
    ['convene.db.before-0012_account.txt', old],
  ] as const
  const goes = [
    ['convene.db.before-0012_account', old],
    [`convene.db.before-restore-${stamp(old)}`, old],
    [`convene.db.before-restore-${stamp(old)}-wal`, now],
    [`convene.db.before-restore-${stamp(old)}-journal`, now],
    ['convene.db.before-down-0016_review_reports', old],
    ['convene.db.before-down-0014_unread_counts.part', old],
    ['convene.db.before-0011_nearby.part', old],
  ] as const
  for (const [name, at] of [...stays, ...goes]) make(name, at)
  const photos = `media.before-restore-${stamp(old)}`
  mkdirSync(join(dataDir, photos))
  make(`${photos}/photo.webp`, now)

  const [job] = jobs({ ...services, now: () => now }).filter(({ name }) => name === 'old-copies')
  expect(await job!.run()).toBe(goes.length + 1)
  const left = readdirSync(dataDir)
  for (const [name] of stays) expect([name, left.includes(name)]).toEqual([name, true])
  for (const [name] of [...goes, [photos]]) expect([name, left.includes(name)]).toEqual([name, false])
  expect(left).toContain('media')
  expect(await job!.run()).toBe(0)
})

test('of several nodes one makes the backup, and each tells how old it is', async () => {
  const { services, dataDir } = await testApp()
  const of = (database: Services['config']['database']) => {
    const config = { ...services.config, database, backupDir: join(dataDir, 'backups') }
    const list = jobs({ ...services, config }).filter(({ name }) => /backup/.test(name))
    return list.map(({ name, onEach }) => [name, onEach])
  }
  expect(of({ engine: 'sqlite', path: ':memory:' })).toEqual([['backup', true]])
  expect(of({ engine: 'postgres', url: 'postgres://db/convene' })).toEqual([
    ['backup', false],
    ['newest-backup', true],
  ])
})

test('a node’s journal gets those whom other nodes have erased, and nobody twice', async () => {
  const { services, dataDir, person } = await testApp()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  for (const one of [ada, bob]) expect((await one.delete('me', { password })).status).toBe(204)
  const journal = join(dataDir, 'erasures.log')
  const linesOf = () => readFileSync(journal, 'utf8').trim().split('\n')
  const both = linesOf()
  expect(both).toHaveLength(2)
  // Another node has erased Bob.
  writeFileSync(journal, `${both[0]}\n`)
  await services.erasures.completeJournal()
  await services.erasures.completeJournal()
  expect(linesOf().map((line) => line.split(' ')[1])).toEqual([ada.id, bob.id])
})

test('the journal beside a backup has erasures made during it, and keeps those that it had', async () => {
  const { dataDir } = await testApp()
  const directory = join(dataDir, 'backups')
  const file = join(directory, 'erasures.log')
  const [before, during, elsewhere] = [Bun.randomUUIDv7(), Bun.randomUUIDv7(), Bun.randomUUIDv7()]
  const backUp = async (path: string) => writeFileSync(path, 'a backup')
  await backUpInto(directory, { keep: 3, at: 0, backUp, erased: async () => new Map() })
  expect(readdirSync(directory)).toEqual(['convene-19700101T000000Z.db'])
  writeFileSync(file, `2026-11-01T00:00:00.000Z ${elsewhere}\n`)
  const erased = new Map([[before, 1000]])
  await backUpInto(directory, {
    keep: 3,
    at: 1000,
    async backUp(path) {
      await backUp(path)
      erased.set(during, 2000)
    },
    erased: async () => new Map(erased),
  })
  expect([...erasuresIn(readFileSync(file, 'utf8')).keys()]).toEqual([elsewhere, before, during])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory)).not.toContain('erasures.log.part')
})

test('backups of either form are counted together, and what was cut off of them goes', async () => {
  const { dataDir } = await testApp()
  const directory = join(dataDir, 'backups')
  const backUp = async (file: string) => writeFileSync(file, 'a backup')
  for (let day = 0; day < 4; day++)
    await backUpInto(directory, { keep: 3, at: day * 24 * hour, ending: day % 2 ? 'dump' : 'db', backUp })
  for (const left of ['', '-copy', '-copy-wal', '-copy-shm', '-journal'])
    writeFileSync(join(directory, `convene-19700101T000000Z.dump.0a1b2c3d.part${left}`), 'cut off')
  writeFileSync(join(directory, 'other.dump'), 'mine')
  expect((await removeLeftovers(directory, dataDir)).length).toBe(5)
  await backUpInto(directory, { keep: 3, at: 4 * 24 * hour, backUp })
  expect(readdirSync(directory).sort()).toEqual([
    'convene-19700103T000000Z.db',
    'convene-19700104T000000Z.dump',
    'convene-19700105T000000Z.db',
    'other.dump',
  ])
  expect(newestBackup(directory)?.bytes).toBe('a backup'.length)
})

test('stopping waits for what is running', async () => {
  stopClock()
  const { services } = recorded()
  const work = Promise.withResolvers<number>()
  const stop = startJobs(services, [hourly('slow', () => work.promise)])
  jest.advanceTimersByTime(hour)
  await settled()
  let stopped = false
  const stopping = stop().then(() => (stopped = true))
  await settled()
  expect(stopped).toBe(false)
  work.resolve(1)
  await stopping
  expect(stopped).toBe(true)
})

test('what one node is long at no other begins, and one that stops does not wait for it', async () => {
  stopClock()
  const store = jobLeaseStore()
  const done = Promise.withResolvers<number>()
  let runs = 0
  const run = () => {
    runs += 1
    return done.promise
  }
  const [stop, stopOther] = [recorded(store), recorded(store)].map(({ services }) =>
    startJobs(services, [hourly('long', run)]),
  )
  jest.advanceTimersByTime(hour)
  await settled()
  // Four times as long as a node is taken for alive that says nothing.
  for (let seconds = 0; seconds < 120; seconds += 5) {
    jest.advanceTimersByTime(5000)
    await settled()
  }
  expect(runs).toBe(1)
  let stopped = false
  void stopOther!().then(() => (stopped = true))
  await settled()
  expect(stopped).toBe(true)
  done.resolve(1)
  await stop!()
})

test('what failed on one node is no success to the others', async () => {
  stopClock()
  const store = jobLeaseStore()
  const nodes = [recorded(store), recorded(store)]
  const stops = nodes.map(({ services }) =>
    startJobs(services, [hourly('failing', () => Promise.reject(new Error('the disk is gone')))]),
  )
  jest.advanceTimersByTime(hour)
  await settled()
  jest.advanceTimersByTime(5000)
  await settled()
  for (const { metrics } of nodes)
    expect(await metrics.text()).toContain(
      // Since the start it is awaited, so that an alert sees it if it never succeeds.
      `convene_job_last_success_timestamp_seconds{job="failing"} ${Date.UTC(2026, 10, 21, 12, 30) / 1000}\n`,
    )
  for (const stop of stops) await stop()
})
