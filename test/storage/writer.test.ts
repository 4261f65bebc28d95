import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '../../src/lib/refusal.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { openWriter, type Writer } from '../../src/storage/sqlite/writer.ts'

let directory: string
let db: Database
/** What another process sees: nothing that is not committed. */
let outside: Database
let writer: Writer
let groups: number[]
let fatal: Error[]
let reasons: string[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'convene-writer-'))
  db = openDatabase(join(directory, 'test.db'))
  db.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
  outside = new Database(join(directory, 'test.db'))
  groups = []
  fatal = []
  reasons = []
  writer = openWriter(db, {
    onFatal(error, reason) {
      fatal.push(error)
      reasons.push(reason)
    },
    onGroup: ({ size, milliseconds }) => {
      expect(milliseconds).toBeGreaterThan(0)
      groups.push(size)
    },
    gatheringMs: 60_000,
  })
})
afterEach(() => {
  outside.close()
  db.close()
  rmSync(directory, { recursive: true, force: true })
})

const stored = (from = outside) =>
  from
    .query<{ id: number }, []>('SELECT id FROM notes ORDER BY id')
    .all()
    .map(({ id }) => id)
const put = (id: number, text = 'x') => db.query('INSERT INTO notes VALUES (?, ?)').run(id, text)
const note = (id: number, text?: string) => writer.write(() => (put(id, text), id))

describe('grouping', () => {
  test('writes that arrive in one turn of the event loop share one transaction', async () => {
    const seenWithin: number[] = []
    const all = Array.from({ length: 100 }, (_, id) =>
      writer.write(() => {
        put(id)
        seenWithin.push(stored().length)
        return id
      }),
    )
    expect(stored(db)).toEqual([])
    const ids = Array.from({ length: 100 }, (_, id) => id)
    expect(await Promise.all(all)).toEqual(ids)
    expect(groups).toEqual([100])
    expect(new Set(seenWithin)).toEqual(new Set([0]))
    expect(stored()).toEqual(ids)
  })

  test('so do those of the next turns, for as long as each brings more, and until they are enough', async () => {
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const some = [note(1)]
    await turn()
    some.push(note(2), note(3))
    await turn()
    some.push(note(4))
    await Promise.all(some)
    expect(groups).toEqual([4])
    const many = []
    for (let i = 0; i < 20; i++) {
      for (let j = 0; j < 10; j++) many.push(note(100 + 10 * i + j))
      await turn()
    }
    await Promise.all(many)
    expect(groups.length).toBeGreaterThan(2)
    for (const size of groups.slice(1)) expect(size).toBeLessThan(64 + 10)
    expect(stored()).toHaveLength(204)
  })

  test('long turns that each bring one do not hold the first back', async () => {
    const usual = openWriter(db, { onFatal: (error) => fatal.push(error), onGroup: ({ size }) => groups.push(size) })
    const all = []
    for (let turn = 0; turn < 10; turn++) {
      all.push(usual.write(() => put(turn)))
      Bun.sleepSync(5)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(all)
    expect(Math.max(...groups)).toBeLessThanOrEqual(4)
  })

  test('writes of later turns do not wait for each other', async () => {
    await note(1)
    expect(stored()).toEqual([1])
    await Promise.all([note(2), note(3)])
    expect(groups).toEqual([1, 2])
  })

  test('nobody is answered before the whole group is on disk, and they are in the order they came', async () => {
    const answers: string[] = []
    const tell = (id: number) => (outcome: unknown) =>
      answers.push(`${id} ${outcome instanceof Error ? outcome.message : 'stored'}, ${stored().length} on disk`)
    const fail = writer.write(() => {
      throw new Error('refused')
    })
    await Promise.all([note(1).then(tell(1)), fail.catch(tell(2)), note(3).then(tell(3)), note(4).then(tell(4))])
    expect(answers.sort()).toEqual([
      '1 stored, 3 on disk',
      '2 refused, 3 on disk',
      '3 stored, 3 on disk',
      '4 stored, 3 on disk',
    ])

    const order: number[] = []
    await Promise.all([5, 6, 7, 8].map((id) => note(id).then((done) => order.push(done))))
    expect(order).toEqual([5, 6, 7, 8])
  })

  test('the end commits at once what waits, and refuses what comes later', async () => {
    const done = note(1)
    writer.close()
    expect(stored()).toEqual([1])
    expect(await done).toBe(1)
    expect(((await failure(note(2))) as Refusal).code).toBe('shutting_down')
    expect(stored()).toEqual([1])
    expect(groups).toEqual([1])
  })
})

describe('a write that fails', () => {
  test('fails alone, and nothing of it stays', async () => {
    const results = await Promise.allSettled([
      note(1),
      writer.write(() => {
        put(2)
        put(3)
        throw new Error('changed my mind')
      }),
      writer.write(() => {
        put(4)
        put(1, 'taken')
      }),
      note(5),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect((results[1] as PromiseRejectedResult).reason.message).toBe('changed my mind')
    expect((results[2] as PromiseRejectedResult).reason.code).toStartWith('SQLITE_CONSTRAINT')
    expect(stored()).toEqual([1, 5])
    expect(groups).toEqual([4])
    expect(fatal).toEqual([])
  })

  test('keeps its own refusal', async () => {
    const refusal = new Refusal('conflict', 'No.')
    expect(await failure(writer.write(() => raise(refusal)))).toBe(refusal)
  })
})

describe('a full disk', () => {
  const pages = () => db.query<{ page_count: number }, []>('PRAGMA page_count').get()!.page_count
  const large = 'x'.repeat(200_000)

  test('is told as storage_full, leaves nothing half-written, and is over once there is room', async () => {
    await note(1)
    db.run(`PRAGMA max_page_count = ${pages() + 3}`)
    const failed = await failure(
      writer.write(() => {
        put(2)
        put(3, large)
      }),
    )
    expectRefusal(failed, 'storage_full')
    expect((failed.cause as { code: string }).code).toBe('SQLITE_FULL')
    expect(stored()).toEqual([1])
    expect(db.inTransaction).toBe(false)

    expect(await note(4)).toBe(4)
    db.run('PRAGMA max_page_count = 1000000')
    expect(await note(5, large)).toBe(5)
    expect(stored()).toEqual([1, 4, 5])
    expect(fatal).toEqual([])
  })

  test('tells each of a group the truth: what was answered as stored is, and the rest is not', async () => {
    db.run(`PRAGMA max_page_count = ${pages() + 3}`)
    const ids = [1, 2, 3, 4, 5, 6]
    const results = await Promise.allSettled(ids.map((id) => note(id, id === 4 ? large : 'x')))
    const fulfilled = ids.filter((_, i) => results[i]!.status === 'fulfilled')
    expect(stored()).toEqual(fulfilled)
    expect(fulfilled).not.toContain(4)
    for (const result of results) if (result.status === 'rejected') expectRefusal(result.reason, 'storage_full')
  })

  test.skipIf(process.platform === 'win32')('is what a limit of the file’s size is too', async () => {
    const script = join(directory, 'fill.ts')
    const source = (path: string) => JSON.stringify(join(import.meta.dir, '../../src/storage/sqlite', path))
    await Bun.write(
      script,
      `import { openDatabase } from ${source('database.ts')}
       import { openWriter } from ${source('writer.ts')}
       const db = openDatabase(${JSON.stringify(join(directory, 'limited.db'))})
       const writer = openWriter(db, { onFatal: () => console.log('fatal') })
       await writer.write(() => db.run('CREATE TABLE notes (text TEXT)'))
       const put = (bytes: number) => writer.write(() => db.run('INSERT INTO notes VALUES (?)', ['x'.repeat(bytes)]))
       await put(10)
       console.log(await put(2_000_000).then(() => 'stored', (error) => error.code))
       console.log(await put(20).then(() => 'stored', (error) => error.code))
       console.log(db.query('SELECT group_concat(length(text)) AS lengths FROM notes').get().lengths)`,
    )
    const child = Bun.spawn(['sh', '-c', `ulimit -f 1000; exec "${process.execPath}" "${script}"`], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    expect((await child.stdout.text()).trim().split('\n')).toEqual(['storage_full', 'stored', '10,20'])
    expect(await child.exited).toBe(0)
  })
})

describe('a disk that failed', () => {
  const broken = (code: string) => Object.assign(new Error('disk I/O error'), { code })

  test.each([
    ['SQLITE_IOERR_FSYNC', /disk failed/],
    ['SQLITE_IOERR_READ', /disk failed/],
    ['SQLITE_CORRUPT', /damaged.*convene restore/],
    ['SQLITE_NOTADB', /damaged.*convene restore/],
  ])('with %s is fatal, says what it means, and nothing of the group counts', async (code, meaning) => {
    const error = broken(code)
    const results = await Promise.allSettled([note(1), writer.write(() => raise(error)), note(3)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(fatal).toEqual([error])
    expect(reasons).toEqual([expect.stringMatching(meaning)])
    expect(stored()).toEqual([])
    expect(groups).toEqual([])
  })
})

describe('busy', () => {
  test('is the answer where another process writes for long, and nothing but the write waits for it', async () => {
    outside.run('BEGIN IMMEDIATE')
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    const failed = await failure(note(1))
    clearInterval(turning)
    expectRefusal(failed, 'busy')
    expect(turns).toBeGreaterThan(10)
    outside.run('ROLLBACK')
    expect(await note(2)).toBe(2)
    expect(stored()).toEqual([2])
    expect(fatal).toEqual([])
  })

  test('is not the answer where another process has the lock for a moment: what came meanwhile is stored in order', async () => {
    outside.run('BEGIN IMMEDIATE')
    const first = note(1)
    await Bun.sleep(20)
    const second = note(2)
    outside.run('ROLLBACK')
    expect(await Promise.all([first, second])).toEqual([1, 2])
    expect(groups).toEqual([2])
    expect(stored()).toEqual([1, 2])
  })

  test('is the answer to what waits for the lock when the writer closes', async () => {
    outside.run('BEGIN IMMEDIATE')
    const waiting = failure(note(1))
    await Bun.sleep(5)
    writer.close()
    expectRefusal(await waiting, 'busy')
    outside.run('ROLLBACK')
    await Bun.sleep(5)
    expect(stored()).toEqual([])
  })

  test('is the answer to a write that finds the queue full; those in it are stored', async () => {
    const waiting = Array.from({ length: 4096 }, (_, id) => note(id))
    const refused = await Promise.all([failure(note(5000)), failure(note(5001))])
    for (const refusal of refused) expectRefusal(refusal, 'busy')
    await Promise.all(waiting)
    expect(groups).toEqual([4096])
    expect(stored()).toHaveLength(4096)
    expect(await note(5000)).toBe(5000)
  })
})

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => {
      throw new Error('nothing failed')
    },
    (error) => error,
  )
}

function expectRefusal(error: unknown, code: string) {
  expect(error).toBeInstanceOf(Refusal)
  expect((error as Refusal).code as string).toBe(code)
  expect(Number((error as Refusal).headers?.['retry-after'])).toBeGreaterThan(0)
}

function raise(error: Error): never {
  throw error
}
