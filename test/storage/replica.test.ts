import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { buildDatabase, planOf } from '../../src/backup/replica/build.ts'
import { decode, replicaKey } from '../../src/backup/replica/format.ts'
import { openReplica, type ReplicaOptions } from '../../src/backup/replica/open.ts'
import { removeExpiredPhotos } from '../../src/backup/replica/photos.ts'
import { openPlace, type Place } from '../../src/backup/replica/place.ts'
import { removeSpool } from '../../src/backup/replica/queue.ts'
import { removeExpired } from '../../src/backup/replica/retention.ts'
import { statusOf } from '../../src/backup/replica/status.ts'
import { days } from '../../src/lib/time.ts'
import { openCheckpoints } from '../../src/storage/sqlite/checkpoints.ts'
import { openDiskFiles } from '../../src/storage/files/disk.ts'
import { erasuresIn } from '../../src/storage/files/erasure-journal.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { openReads } from '../../src/storage/sqlite/reads.ts'
import { openWriter } from '../../src/storage/sqlite/writer.ts'
import { until } from '../until.ts'

setDefaultTimeout(30_000)

const secret = new Uint8Array(32).fill(9)
const key = replicaKey(secret)

const ends: (() => Promise<void>)[] = []
const folders: string[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'convene-replica-'))
  folders.push(folder)
  return folder
}

/** A database with a replica, as a server has it. */
async function replicated(folder: string, more: Partial<ReplicaOptions> & { after?: number } = {}) {
  const { after = 50, place = openPlace(join(folder, 'place')), ...options } = more
  const path = join(folder, 'data.db')
  const replica = openReplica({
    place,
    placeId: 'here',
    spool: join(folder, 'spool'),
    key: secret,
    journal: join(folder, 'erasures.log'),
    keepDays: 7,
    log: pino({ level: 'silent' }),
    everyMs: 20,
    ...options,
  })
  const db = openDatabase(path)
  const goesOn = await replica.log.open(path)
  db.run('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, x BLOB)')
  await replica.log.run()
  const errors: Error[] = []
  const reads = openReads(db)
  const checkpoints = openCheckpoints(db, reads, {
    onError: (error) => errors.push(error),
    after,
    replica: replica.log,
  })
  const writer = openWriter(
    db,
    { onFatal: (error) => errors.push(error), onCommit: checkpoints.onCommit, patienceMs: 10_000 },
    reads,
  )
  const insert = db.prepare('INSERT INTO rows (x) VALUES (?)')
  const end = async () => {
    writer.close()
    await checkpoints.close()
    db.close()
    await replica.close(5000)
  }
  ends.push(end)
  return {
    place,
    path,
    replica,
    goesOn,
    errors,
    checkpoints,
    add: (bytes = 3000) => writer.write(() => void insert.run(crypto.getRandomValues(new Uint8Array(bytes)))),
    /** Until the place has all that is committed. */
    async shipped() {
      const now = Date.now()
      const { report } = replica
      await until(() => report().complete_at > now && report().snapshot_at !== null, 'the place has all')
    },
    async end() {
      ends.splice(ends.indexOf(end), 1)
      await end()
    },
  }
}

async function rebuilt(place: Place, folder: string, to: number | null = null) {
  const path = join(folder, `${crypto.randomUUID()}.db`)
  await buildDatabase(place, path, { plan: await planOf(place, { to, key }), key })
  return readFileSync(path)
}

test('is page by page the database, however often the log began anew', async () => {
  const folder = newFolder()
  const one = await replicated(folder, { segmentEveryMs: 100, snapshotEveryMs: 300 })
  for (let i = 0; i < 60; i++) {
    await Promise.all(Array.from({ length: 10 }, () => one.add()))
    if (i % 20 === 0) await one.checkpoints.emptyLog()
  }
  await one.shipped()
  await one.end()
  expect(one.errors).toEqual([])
  const database = readFileSync(one.path)
  expect(database.length).toBeGreaterThan(2_000_000)
  expect((await rebuilt(one.place, folder)).equals(database)).toBe(true)
  expect(readdirSync(join(folder, 'place/manifest'))).toHaveLength(1)
  const again = await replicated(folder)
  expect(again.goesOn).toBe(true)
})

test('misses nothing that another program writes, and takes into the file, beside it', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  await one.shipped()
  // It checkpoints after each commit, as far as it is let.
  const program = `
    const { Database } = require('bun:sqlite')
    const db = new Database(${JSON.stringify(one.path)})
    for (let i = 0; i < 300; i++) {
      db.run('PRAGMA busy_timeout = 10000')
      db.run('INSERT INTO rows (x) VALUES (randomblob(5000))')
      db.run('PRAGMA busy_timeout = 5')
      db.query('PRAGMA wal_checkpoint(' + ['PASSIVE', 'FULL', 'TRUNCATE'][i % 3] + ')').get()
    }
    db.close()`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'inherit', stderr: 'inherit' })
  while (child.exitCode === null) {
    await one.add()
    await Bun.sleep(1)
  }
  expect(child.exitCode).toBe(0)
  await one.shipped()
  await one.end()
  expect(one.replica.report().failures).toBe(0)
  expect(readdirSync(join(folder, 'place/manifest'))).toHaveLength(1)
  expect((await rebuilt(one.place, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('ships what is committed while old files are being removed, though nothing comes after it', async () => {
  const folder = newFolder()
  const sound = openPlace(join(folder, 'place'))
  const [isRemoving, mayRemove] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let lists = 0
  const place: Place = {
    ...sound,
    async *list(folderOfPlace) {
      // The first list is of what is there at the start.
      if (++lists === 2) {
        isRemoving.resolve()
        await mayRemove.promise
      }
      yield* sound.list(folderOfPlace)
    },
  }
  const one = await replicated(folder, { place })
  await isRemoving.promise
  await one.add()
  await until(() => one.replica.report().waiting_bytes > 0, 'the commit waits')
  mayRemove.resolve()
  await one.shipped()
  await one.end()
  expect((await rebuilt(sound, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('is not complete with a commit whose file is not known here yet, as where the event loop stands still', async () => {
  const one = await replicated(newFolder())
  await one.shipped()
  await one.add()
  const committed = Date.now()
  // The thread stores the commit meanwhile.
  Bun.sleepSync(1000)
  expect(one.replica.report().complete_at).toBeLessThanOrEqual(committed)
  await one.shipped()
})

test('ships commits at once though its place takes neither snapshots nor photos nor the journal of erasures', async () => {
  const folder = newFolder()
  const sound = openPlace(join(folder, 'place'))
  const place: Place = {
    ...sound,
    put: (name, bytes) =>
      /^(snapshot|media|erasures)/.test(name) ? Promise.reject(new Error('away')) : sound.put(name, bytes),
  }
  writeFileSync(join(folder, 'erasures.log'), `2026-01-01T00:00:00.000Z ${crypto.randomUUID()}\n`)
  const one = await replicated(folder, { place })
  await one.replica
    .follow(openDiskFiles(join(folder, 'media')))
    .put(`${crypto.randomUUID()}.webp`, Buffer.from('a photo'))
  const shippedLogs = () => filesIn(join(folder, 'place/log')).length
  for (let i = 0; i < 3; i++) {
    const before = shippedLogs()
    await one.add()
    await until(() => shippedLogs() > before, 'the commit is in the place')
  }
  const waiting = () => readdirSync(join(folder, 'spool')).map((file) => file.split(/[ ,.]/)[1])
  await until(() => ['erasures', 'media', 'snapshot'].every((kind) => waiting().includes(kind)), 'all others wait')
})

test('of a log that waits for a place, ships each file until it is there, and in order', async () => {
  const folder = newFolder()
  const sound = openPlace(join(folder, 'place'))
  const refused = new Set<string>()
  const logs: string[] = []
  let early = 0
  const place: Place = {
    ...sound,
    async put(name, bytes) {
      // A restore refuses a log in which one is missing and later ones are there.
      if (name.startsWith('log/')) {
        if (Number(name.slice(-10)) > logs.length + 1) early++
        await Bun.sleep(30)
      }
      // Each is refused the first time, and half of those after it is stored.
      const isFirst = !refused.has(name)
      refused.add(name)
      if (isFirst && refused.size % 2 === 0) throw new Error('refused')
      await sound.put(name, bytes)
      if (isFirst) throw new Error('stored, and not said')
      if (name.startsWith('log/')) logs.push(name)
    },
    async remove(name) {
      const isFirst = !refused.has(`remove ${name}`)
      refused.add(`remove ${name}`)
      if (isFirst) throw new Error('not removed')
      await sound.remove(name)
    },
  }
  const one = await replicated(folder, { place, segmentEveryMs: 200 })
  for (let i = 0; i < 12; i++) {
    await one.add()
    await Bun.sleep(25)
  }
  await until(() => filesIn(join(folder, 'place/segment')).length > 2, 'two segments')
  await one.shipped()
  await one.end()
  expect(early).toBe(0)
  expect(logs).toEqual([...new Set(logs)].sort())
  expect((await rebuilt(sound, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('merges in parts, and ships all else though its place refuses segments', async () => {
  const folder = newFolder()
  const sound = openPlace(join(folder, 'place'))
  let refuses = true
  const place: Place = {
    ...sound,
    put: (name, bytes) =>
      refuses && name.startsWith('segment/') ? Promise.reject(new Error('away')) : sound.put(name, bytes),
  }
  const mostInSegment = 100_000
  const one = await replicated(folder, { place, segmentEveryMs: 1, mostInSegment })
  await one.shipped()
  for (let i = 0; i < 12; i++) {
    await one.add(30_000)
    await one.shipped()
  }
  await until(() => one.replica.report().failures > 0, 'a segment is refused')
  await until(() => one.replica.report().waiting_bytes > mostInSegment, 'what is not merged counts')
  appendFileSync(join(folder, 'erasures.log'), `2026-01-01T00:00:00.000Z ${crypto.randomUUID()}\n`)
  await until(() => existsSync(join(folder, 'place/erasures.log')), 'the journal is shipped')
  refuses = false
  await until(async () => {
    await one.add()
    return one.replica.report().waiting_bytes === 0
  }, 'all is merged')
  await one.shipped()
  await one.end()
  const segments = (await Array.fromAsync(sound.list('segment'))).map(({ size }) => size)
  expect(segments.length).toBeGreaterThan(2)
  expect(Math.max(...segments)).toBeLessThan(mostInSegment)
  expect((await rebuilt(sound, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('leaves files of the log unmerged where its place goes on refusing segments, and begins nothing anew', async () => {
  const folder = newFolder()
  const sound = openPlace(join(folder, 'place'))
  const place: Place = {
    ...sound,
    put: (name, bytes) => (name.startsWith('segment/') ? Promise.reject(new Error('away')) : sound.put(name, bytes)),
  }
  const one = await replicated(folder, { place, segmentEveryMs: 1, mostInSegment: 30_000, mostWaiting: 200_000 })
  const kept = () => readdirSync(join(folder, 'spool')).filter((file) => file.includes(' log,')).length
  let shipped = 0
  while (kept() >= shipped) {
    await one.add(20_000)
    await one.shipped()
    shipped++
  }
  await one.end()
  expect(readdirSync(join(folder, 'place/manifest'))).toHaveLength(1)
  expect((await rebuilt(sound, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('tells how much is not merged, if that is more than usual', async () => {
  const folder = newFolder()
  const place = openPlace(join(folder, 'place'))
  const spool = join(folder, 'spool')
  mkdirSync(spool)
  writeFileSync(join(spool, 'state.json'), JSON.stringify({ generation: { id: 'one' } }))
  await place.put('log/one/0000000003', Buffer.from('the newest'))
  const store = (seq: number) => {
    const path = join(spool, `00000000000${seq} log,one,000000000${seq}`)
    writeFileSync(path, '')
    truncateSync(path, 10 * 2 ** 20)
  }
  store(1)
  store(3)
  expect(await statusOf(place, spool, null)).toMatchObject({ waiting: null, unmerged: null })
  store(2)
  expect(await statusOf(place, spool, null)).toMatchObject({ waiting: null, unmerged: 20 * 2 ** 20 })
})

/** A copy of what a machine has, as after a kill. In this order, as each of them follows the one after it. */
function killedAndMoved(folder: string) {
  const next = newFolder()
  for (const name of ['place', 'spool', 'data.db', 'data.db-wal'])
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(next, name), { recursive: true })
  return next
}

test('makes a snapshot after a kill in the midst of the one before', async () => {
  const folder = newFolder()
  const sound = openPlace(join(folder, 'place'))
  const isHeld = Promise.withResolvers<void>()
  const mayGoOn = Promise.withResolvers<void>()
  const place: Place = {
    ...sound,
    async put(name, bytes) {
      if (name.startsWith('snapshot/')) {
        isHeld.resolve()
        await mayGoOn.promise
      }
      await sound.put(name, bytes)
    },
  }
  const one = await replicated(folder, { place })
  await isHeld.promise
  await one.add()
  const addedAt = Date.now()
  await until(() => one.replica.log.capturedAt() > addedAt, 'the commit is in a file')
  const next = killedAndMoved(folder)
  mayGoOn.resolve()
  const again = await replicated(next)
  expect(again.goesOn).toBe(true)
  await again.add()
  await again.shipped()
  expect(again.replica.report().failures).toBe(0)
  await again.end()
  expect((await rebuilt(again.place, next)).equals(readFileSync(again.path))).toBe(true)
})

test('ships no file of the log again when it starts, and merges what it has shipped before', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  for (let i = 0; i < 5; i++) {
    await one.add()
    await one.shipped()
  }
  const next = killedAndMoved(folder)
  const sound = openPlace(join(next, 'place'))
  const puts: string[] = []
  const again = await replicated(next, {
    segmentEveryMs: 1,
    place: {
      ...sound,
      async put(name, bytes) {
        puts.push(name)
        await sound.put(name, bytes)
      },
    },
  })
  await again.add()
  await again.shipped()
  await until(() => puts.some((name) => name.startsWith('segment/')), 'a segment')
  await again.end()
  const before = filesIn(join(folder, 'place/log')).map((name) => `log/${name}`)
  expect(before.length).toBeGreaterThan(5)
  expect(puts.filter((name) => before.includes(name))).toEqual([])
  expect(puts.find((name) => name.startsWith('segment/'))).toMatch(/0000000001-/)
  expect((await rebuilt(sound, next)).equals(readFileSync(again.path))).toBe(true)
})

test('gives up what waits for a place that stays away, and begins anew when it is back', async () => {
  const folder = newFolder()
  let isAway = false
  const sound = openPlace(join(folder, 'place'))
  const place: Place = {
    ...sound,
    put: (name, bytes) => (isAway ? Promise.reject(new Error('away')) : sound.put(name, bytes)),
  }
  const one = await replicated(folder, { place, mostWaiting: 100_000, beginAgainMs: 50 })
  await one.add()
  await one.shipped()
  isAway = true
  const spooled = () => readdirSync(join(folder, 'spool')).length
  for (let i = 0; i < 200; i++) await one.add(20_000)
  await until(() => one.replica.report().waiting_bytes > 0, 'something waits')
  await until(() => spooled() < 10, 'what waits is given up')
  for (let i = 0; i < 50; i++) await one.add(20_000)
  expect(one.errors).toEqual([])
  isAway = false
  await until(() => readdirSync(join(folder, 'place/manifest')).length === 2, 'a new generation')
  await one.shipped()
  await one.end()
  expect((await rebuilt(sound, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('stores no more photos for a place that stays away than may wait, keeps the log, and ships the rest later', async () => {
  const folder = newFolder()
  let isAway = false
  const sound = openPlace(join(folder, 'place'))
  const place: Place = {
    ...sound,
    put: (name, bytes) => (isAway ? Promise.reject(new Error('away')) : sound.put(name, bytes)),
  }
  const mostWaiting = 200_000
  const one = await replicated(folder, { place, mostWaiting, beginAgainMs: 50 })
  await one.shipped()
  const files = openDiskFiles(join(folder, 'media'))
  expect(await one.replica.catchUp(files)).toBe(0)
  isAway = true
  const followed = one.replica.follow(files)
  for (let i = 0; i < 20; i++)
    await followed.put(`${crypto.randomUUID()}.webp`, crypto.getRandomValues(new Uint8Array(30_000)))
  await one.add()
  const { failures } = one.replica.report()
  await until(() => one.replica.report().failures > failures + 3, 'the place fails again and again')
  const inSpool = () => readdirSync(join(folder, 'spool')).filter((file) => file.endsWith('.webp'))
  expect(inSpool().length).toBeGreaterThan(3)
  expect(inSpool().length * 30_000).toBeLessThan(mostWaiting)
  isAway = false
  await one.shipped()
  expect(readdirSync(join(folder, 'place/manifest'))).toHaveLength(1)
  await until(() => inSpool().length === 0, 'what waited is shipped')
  const rest = 20 - readdirSync(join(folder, 'place/media')).length
  expect(rest).toBeGreaterThan(0)
  expect(await one.replica.catchUp(files)).toBe(rest)
  await until(() => readdirSync(join(folder, 'place/media')).length === 20, 'all photos are there')
  await one.end()
  expect((await rebuilt(sound, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('leaves nothing on this machine once there is no replica any more, and keeps what others have put there', async () => {
  const folder = newFolder()
  const sound = openPlace(join(folder, 'place'))
  const place: Place = { ...sound, put: () => Promise.reject(new Error('away')) }
  const one = await replicated(folder, { place })
  await one.add()
  await until(() => one.replica.report().waiting_bytes > 0, 'a commit waits')
  await one.end()
  const spool = join(folder, 'spool')
  await openPlace(spool).put('media/aaaa.webp', Buffer.from('the photo of another replica'))
  expect(removeSpool(spool)).toBeGreaterThan(1)
  expect(filesIn(spool)).toEqual(['media', 'media/aaaa.webp'])
  rmSync(join(spool, 'media'), { recursive: true })
  expect(removeSpool(spool)).toBe(0)
  expect(existsSync(spool)).toBe(false)
})

test('keeps nobody from writing while its own directory cannot be written', async () => {
  const folder = newFolder()
  const one = await replicated(folder, { beginAgainMs: 50 })
  await one.add()
  await one.shipped()
  const spool = join(folder, 'spool')
  rmSync(spool, { recursive: true })
  writeFileSync(spool, 'a file where the directory was')
  for (let i = 0; i < 100; i++) await one.add()
  await until(() => one.replica.report().failures > 0, 'it is noticed')
  for (let i = 0; i < 100; i++) await one.add()
  expect(one.errors).toEqual([])
  rmSync(spool)
  mkdirSync(spool)
  await until(() => readdirSync(join(folder, 'place/manifest')).length === 2, 'a new generation')
  await one.shipped()
  await one.end()
  expect((await rebuilt(one.place, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('is rebuilt as of each moment, from files of minutes too', async () => {
  const folder = newFolder()
  const one = await replicated(folder, { segmentEveryMs: 60 })
  await one.shipped()
  const states: { at: number; rows: number }[] = []
  for (let i = 1; i <= 12; i++) {
    await one.add()
    await one.shipped()
    states.push({ at: Date.now(), rows: i })
    await Bun.sleep(5)
  }
  for (const { at, rows } of states) {
    const path = join(folder, `${rows}.db`)
    writeFileSync(path, await rebuilt(one.place, folder, at))
    const db = openDatabase(path)
    expect(db.query('SELECT count(*) FROM rows').values()).toEqual([[rows]])
    db.close()
  }
  await one.end()
  const files = readdirSync(join(folder, 'place'), { recursive: true, encoding: 'utf8' })
  expect(files.some((name) => name.startsWith('segment/'))).toBe(true)
  expect((await rebuilt(one.place, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('is rebuilt to the last commit by a list that does not know the log yet', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  await one.shipped()
  for (let i = 1; i <= 5; i++) {
    await one.add()
    await one.shipped()
  }
  await one.end()
  const late: Place = { ...one.place, list: (name) => (name === 'manifest' ? one.place.list(name) : none()) }
  expect((await rebuilt(late, folder)).equals(readFileSync(one.path))).toBe(true)
})

async function* none() {}

test('is rebuilt with few large files of the log fetched at once', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  await one.shipped()
  for (let i = 1; i <= 8; i++) {
    await one.add()
    await one.shipped()
  }
  await one.end()
  let [atOnce, mostAtOnce] = [0, 0]
  const large: Place = {
    ...one.place,
    async *list(name) {
      for await (const file of one.place.list(name)) yield { ...file, size: 20 * 2 ** 20 }
    },
    async get(name) {
      if (!name.startsWith('log/')) return one.place.get(name)
      mostAtOnce = Math.max(mostAtOnce, ++atOnce)
      await Bun.sleep(5)
      return one.place.get(name).finally(() => atOnce--)
    },
  }
  expect((await rebuilt(large, folder)).equals(readFileSync(one.path))).toBe(true)
  expect(mostAtOnce).toBe(2)
})

test('keeps what is needed for the days that it goes back, and no more', async () => {
  const folder = newFolder()
  const one = await replicated(folder, { snapshotEveryMs: 150, segmentEveryMs: 50 })
  await one.shipped()
  const manifests = () =>
    readdirSync(join(folder, 'place'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^manifest\/.*\//.test(name),
    )
  while (manifests().length < 3) {
    await one.add()
    await Bun.sleep(20)
  }
  await one.shipped()
  await one.end()
  const all = () => readdirSync(join(folder, 'place'), { recursive: true, encoding: 'utf8' }).length
  const before = all()
  const now = Date.now()
  // Within the days, nothing goes.
  expect(await removeExpired(one.place, { keepDays: 7, now: now + 5 * days })).toBe(0)
  expect(all()).toBe(before)
  expect(await removeExpired(one.place, { keepDays: 7, now: now + 8 * days })).toBeGreaterThan(2)
  expect(manifests()).toHaveLength(1)
  // What is left is all that the newest snapshot needs.
  expect((await rebuilt(one.place, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('keeps a photo that was removed for those days, and one that is back for good', async () => {
  const place = openPlace(newFolder())
  const [gone, back, stays] = ['aaaa', 'bbbb', 'cccc'].map((four) => `${four}-0000-0000-0000.webp`) as [
    string,
    string,
    string,
  ]
  for (const name of [gone, gone.replace('.webp', '.320.webp'), back, stays])
    await place.put(`media/${name}`, Buffer.from('photo'))
  const look = (unknown: string[], inDays: number) =>
    removeExpiredPhotos(place, {
      unknown: async (names) => names.filter((name) => unknown.includes(name)),
      keepDays: 7,
      now: Date.now() + inDays * days,
    })
  const names = async () => (await Array.fromAsync(place.list('media'), ({ name }) => name)).length
  expect(await look([gone, back], 0)).toBe(0)
  expect(await look([gone], 5)).toBe(0)
  expect(await names()).toBe(4)
  expect(await look([gone], 7)).toBe(2)
  expect(await names()).toBe(2)
  expect(await look([back], 8)).toBe(0)
  expect(await names()).toBe(2)
})

test('has nothing unfinished of a killed server after a day, and keeps other files of its directory', async () => {
  const folder = newFolder()
  const place = openPlace(folder)
  const part = () => `${crypto.randomUUID()}.part`
  const names = [`convene-replica.json.${part()}`, `erasures.log.${part()}`]
  for (const kind of ['manifest/one', 'snapshot/one/two', 'segment/one', 'log/one', 'media', 'gone'])
    names.push(`${kind}/aaaa.webp.${part()}`)
  const others = ['another.part', `elsewhere/file.${part()}`, 'media/aaaa.webp']
  for (const name of [...names, ...others]) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), 'personal data')
  }
  const files = () => filesIn(folder).filter((name) => statSync(join(folder, name)).isFile())
  expect(await Array.fromAsync(place.list('media'), ({ name }) => name)).toEqual(['media/aaaa.webp'])
  expect(await removeExpired(place, { keepDays: 7, now: Date.now() })).toBe(0)
  expect(files()).toEqual([...names, ...others].sort())
  expect(await removeExpired(place, { keepDays: 7, now: Date.now() + 2 * days })).toBe(names.length)
  expect(files()).toEqual(others.sort())
})

test('begins after what another machine has left, even by a clock that is behind', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  await one.add()
  await one.shipped()
  await one.end()
  const [generation] = readdirSync(join(folder, 'place/manifest')) as [string]
  // As a machine would have left it whose clock was ahead by a century.
  for (const kind of ['manifest', 'snapshot', 'log'])
    renameSync(join(folder, 'place', kind, generation), join(folder, 'place', kind, generation.replace(/^20/, '21')))
  rmSync(join(folder, 'spool'), { recursive: true })
  const other = await replicated(folder)
  await other.add()
  await until(
    () => readdirSync(join(folder, 'place/manifest')).some((name) => name > generation.replace(/^20/, '21')),
    'a later one',
  )
  await other.shipped()
  await other.end()
  expect((await rebuilt(other.place, folder)).equals(readFileSync(other.path))).toBe(true)
})

const filesIn = (directory: string) =>
  existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort() : []

test('of two servers that ship to one place by mistake the former stops, and falls behind for all to see', async () => {
  const [here, there] = [newFolder(), newFolder()]
  const one = await replicated(here, { lookEveryMs: 10 })
  await one.add()
  await one.shipped()
  const [generation] = readdirSync(join(here, 'place/manifest')) as [string]
  const other = await replicated(there, { place: one.place })
  await other.add()
  await other.shipped()
  const before = filesIn(join(here, 'place/log', generation))
  await one.add()
  await until(() => one.replica.report().failures > 0 && one.replica.report().lag_ms > 200, 'it falls behind')
  // The other one may remove what no restore needs any more.
  expect(filesIn(join(here, 'place/log', generation)).filter((file) => !before.includes(file))).toEqual([])
  expect(other.replica.report().failures).toBe(0)
  await one.end()
  await other.end()
  expect((await rebuilt(one.place, there)).equals(readFileSync(other.path))).toBe(true)
})

test('begins anew with a snapshot where its place was emptied, while it runs or before it starts', async () => {
  const folder = newFolder()
  const one = await replicated(folder, { lookEveryMs: 10 })
  await one.add()
  await one.shipped()
  rmSync(join(folder, 'place'), { recursive: true })
  await one.add()
  await until(() => filesIn(join(folder, 'place/manifest')).length > 0, 'a snapshot')
  await one.shipped()
  await one.end()
  expect((await rebuilt(one.place, folder)).equals(readFileSync(one.path))).toBe(true)

  rmSync(join(folder, 'place'), { recursive: true })
  const again = await replicated(folder)
  expect(again.goesOn).toBe(true)
  await again.add()
  await until(() => filesIn(join(folder, 'place/manifest')).length > 0, 'a snapshot')
  await again.shipped()
  await again.end()
  expect((await rebuilt(again.place, folder)).equals(readFileSync(again.path))).toBe(true)
})

test('is behind for as long as it lacks the snapshot that it begins anew with', async () => {
  const folder = newFolder()
  const place = openPlace(join(folder, 'place'))
  let mode: 'sound' | 'away' | 'no snapshots' = 'sound'
  const failing: Place = {
    ...place,
    async put(name, bytes) {
      if (mode === 'away' || (mode === 'no snapshots' && name.startsWith('snapshot/'))) throw new Error('away')
      await place.put(name, bytes)
    },
  }
  const one = await replicated(folder, { place: failing, mostWaiting: 100_000, beginAgainMs: 50 })
  await one.shipped()
  mode = 'away'
  const awayAt = Date.now()
  while (one.replica.report().waiting_bytes < 200_000 && Date.now() < awayAt + 5000) await one.add(50_000)
  await until(() => one.replica.report().waiting_bytes < 100_000, 'it gives up')
  mode = 'no snapshots'
  await Bun.sleep(500)
  expect(one.replica.report().lag_ms).toBeGreaterThan(400)
  expect(one.replica.report().complete_at).toBeLessThan(awayAt + 1000)
  mode = 'sound'
  await until(() => one.replica.report().lag_ms === 0, 'it has caught up')
  await one.shipped()
  await one.end()
  expect((await rebuilt(place, folder)).equals(readFileSync(one.path))).toBe(true)
})

test('makes its next snapshot though the clock was years ahead at the last one', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  await one.shipped()
  await one.end()
  const statePath = join(folder, 'spool/state.json')
  const state = JSON.parse(readFileSync(statePath, 'utf8'))
  state.generation.snapshot.at += 3650 * days
  writeFileSync(statePath, JSON.stringify(state))
  const again = await replicated(folder)
  expect(again.goesOn).toBe(true)
  const [generation] = readdirSync(join(folder, 'place/manifest')) as [string]
  await until(() => readdirSync(join(folder, 'place/manifest', generation)).length === 2, 'the next snapshot')
})

test('learns the erasures that its place knows and this machine does not, and loses none of either', async () => {
  const folder = newFolder()
  const [known, unknown] = [crypto.randomUUID(), crypto.randomUUID()]
  writeFileSync(join(folder, 'erasures.log'), `2026-01-01T00:00:00.000Z ${unknown}\n`)
  const one = await replicated(folder)
  await until(() => existsSync(join(folder, 'place/erasures.log')), 'the journal')
  await one.end()
  writeFileSync(join(folder, 'erasures.log'), `2026-01-02T00:00:00.000Z ${known}\n`)
  rmSync(join(folder, 'spool'), { recursive: true })
  const again = await replicated(folder)
  await again.shipped()
  const shippedJournal = () => {
    const bytes = readFileSync(join(folder, 'place/erasures.log'))
    return erasuresIn(decode('file', bytes, 'erasures.log', key).content().toString())
  }
  await until(() => shippedJournal().size === 2, 'both')
  const here = erasuresIn(readFileSync(join(folder, 'erasures.log'), 'utf8'))
  expect(here).toEqual(
    new Map([
      [known, Date.parse('2026-01-02')],
      [unknown, Date.parse('2026-01-01')],
    ]),
  )
})

test('of the states of a journal that waited for its place, the place has the newest', async () => {
  const folder = newFolder()
  const real = openPlace(join(folder, 'place'))
  let [isAway, journals] = [true, 0]
  const place: Place = {
    ...real,
    async put(name, bytes) {
      if (isAway) throw new Error('away')
      // The first one takes longest.
      if (name === 'erasures.log' && journals++ === 0) await Bun.sleep(300)
      return real.put(name, bytes)
    },
  }
  const waiting = () => readdirSync(join(folder, 'spool')).filter((file) => file.endsWith(' erasures.log')).length
  const line = () => `2026-01-01T00:00:00.000Z ${crypto.randomUUID()}\n`
  writeFileSync(join(folder, 'erasures.log'), line())
  const one = await replicated(folder, { place })
  await until(() => waiting() === 1, 'the journal waits')
  appendFileSync(join(folder, 'erasures.log'), line())
  await until(() => waiting() === 2, 'its newer state waits too')
  isAway = false
  await one.shipped()
  await until(() => waiting() === 0, 'nothing waits')
  await one.end()
  const bytes = readFileSync(join(folder, 'place/erasures.log'))
  expect(erasuresIn(decode('file', bytes, 'erasures.log', key).content().toString()).size).toBe(2)
})

test('with another key is restored by that key alone, its photos too, and what is not encrypted is refused', async () => {
  const folder = newFolder()
  const files = openDiskFiles(join(folder, 'media'))
  const name = `${crypto.randomUUID()}.webp`
  await files.put(name, Buffer.from('a photo'))
  const one = await replicated(folder)
  expect(await one.replica.catchUp(files)).toBe(1)
  await one.add()
  await one.shipped()
  expect(await one.replica.catchUp(files)).toBe(0)
  await one.end()
  const former = newFolder()
  cpSync(join(folder, 'place'), join(former, 'place'), { recursive: true })

  const otherSecret = new Uint8Array(32).fill(10)
  const otherKey = replicaKey(otherSecret)
  const again = await replicated(folder, { key: otherSecret })
  expect(await again.replica.catchUp(files)).toBe(1)
  await again.add()
  await again.shipped()
  await again.end()
  expect(readdirSync(join(folder, 'place/manifest'))).toHaveLength(2)
  const photo = () => decode('file', readFileSync(join(folder, 'place/media', name)), name, otherKey).content()
  expect(photo().toString()).toBe('a photo')
  const path = join(folder, 'restored.db')
  await buildDatabase(again.place, path, {
    plan: await planOf(again.place, { to: null, key: otherKey }),
    key: otherKey,
  })
  expect(readFileSync(path).equals(readFileSync(again.path))).toBe(true)
  // The former key would give a former state.
  expect(planOf(again.place, { to: null, key })).rejects.toThrow('is encrypted with another REPLICA_KEY')

  const open = await replicated(former, { key: null })
  await open.shipped()
  await open.end()
  expect(planOf(open.place, { to: null, key })).rejects.toThrow('is not encrypted, and REPLICA_KEY is set')
})

test('says that it gives an older state where the newest snapshot is damaged, and the same one where it need not', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  await one.add()
  await one.shipped()
  await one.end()
  const before = readFileSync(one.path)
  const [first] = readdirSync(join(folder, 'place/manifest')) as [string]
  rmSync(join(folder, 'spool'), { recursive: true })
  const again = await replicated(folder)
  await again.add()
  await again.shipped()
  await again.end()
  const second = readdirSync(join(folder, 'place/manifest')).find((name) => name !== first)!
  const build = async () => {
    const path = join(folder, `${crypto.randomUUID()}.db`)
    const built = await buildDatabase(again.place, path, { plan: await planOf(again.place, { to: null, key }), key })
    return { ...built, content: readFileSync(path) }
  }
  const damage = (directory: string) => {
    const [file] = filesIn(directory)
      .filter((name) => /\d{6}|-[0-9a-f]{8}$/.test(name))
      .slice(-1) as [string]
    writeFileSync(join(directory, file), 'damaged')
    return file
  }
  // One that is not needed disturbs nobody.
  const oldManifest = join(folder, 'place/manifest', first)
  const [oldName] = readdirSync(oldManifest) as [string]
  const kept = readFileSync(join(oldManifest, oldName))
  writeFileSync(join(oldManifest, oldName), 'damaged')
  const whole = await build()
  expect([whole.isOlderAs, whole.content.equals(readFileSync(again.path))]).toEqual([null, true])
  writeFileSync(join(oldManifest, oldName), kept)
  for (const directory of [join(folder, 'place/snapshot', second), join(folder, 'place/manifest', second)]) {
    const file = damage(directory)
    const older = await build()
    expect(older.isOlderAs).toInclude(`${file} is damaged`)
    expect(older.content.equals(before)).toBe(true)
  }
})

test('keeps the parts of a snapshot that is still on its way, however long its place was away', async () => {
  const folder = newFolder()
  const one = await replicated(folder)
  await one.add()
  await one.shipped()
  await one.end()
  const [generation] = readdirSync(join(folder, 'place/manifest')) as [string]
  const later = `snapshot/${generation}/0000000900-0a0b0c0d/000000`
  const older = `snapshot/${generation.replace(/^2/, '1')}/0000000001-0a0b0c0d/000000`
  for (const name of [later, older]) await one.place.put(name, Buffer.from('part'))
  await removeExpired(one.place, { keepDays: 7, now: Date.now() + 3 * days })
  expect(await one.place.get(later)).not.toBeNull()
  expect(await one.place.get(older)).toBeNull()
})
