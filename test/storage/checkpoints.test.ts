import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Checkpoints, openCheckpoints } from '../../src/storage/sqlite/checkpoints.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { openReads } from '../../src/storage/sqlite/reads.ts'
import { openWriter, type Writer } from '../../src/storage/sqlite/writer.ts'
import { readAllTheTime } from '../reading-threads.ts'

let directory: string
let path: string
let db: Database
/** Another connection, as another process has. */
let outside: Database
let writer: Writer
let checkpoints: Checkpoints
let errors: Error[]
let written: number

const after = 40

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'convene-checkpoints-'))
  path = join(directory, 'test.db')
  db = openDatabase(path)
  db.run('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
  outside = new Database(path, { readwrite: true })
  outside.run('PRAGMA user_version')
  errors = []
  written = 0
  begin()
})

function begin({ othersRead = false } = {}) {
  const reads = openReads(db)
  checkpoints = openCheckpoints(db, reads, { onError: (error) => errors.push(error), after, othersRead })
  writer = openWriter(
    db,
    {
      onFatal(error) {
        throw error
      },
      onCommit: checkpoints.onCommit,
    },
    reads,
  )
}
afterEach(async () => {
  writer.close()
  await checkpoints.close()
  outside.close()
  db.close()
  rmSync(directory, { recursive: true, force: true })
})

/** A page each. */
const note = () =>
  writer.write(() => db.query('INSERT INTO notes VALUES (?, ?)').run(++written, `${written}`.padEnd(3000)))
const pages = () => outside.query<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()!.log
const stored = () =>
  outside
    .query<{ n: number }, []>(
      'SELECT count(*) AS n FROM notes WHERE CAST(text AS INTEGER) = id AND length(text) = 3000',
    )
    .get()!.n
/** SQLite's own way, within a commit. */
const onlyByThread = () => db.run('PRAGMA wal_autocheckpoint = 0')

async function writeUntil(done: () => boolean) {
  for (const end = Date.now() + 20_000; !done();) {
    if (Date.now() > end) throw new Error(`not after ${written} writes: ${pages()} pages of log`)
    await note()
  }
}

test('the log is taken into the file and begins anew while writes go on, again and again', async () => {
  onlyByThread()
  for (let i = 0; i < 5; i++) {
    await writeUntil(() => pages() >= after)
    await writeUntil(() => pages() < after)
  }
  expect(stored()).toBe(written)
  expect(errors).toEqual([])
})

test('who reads keeps the log from beginning anew, and sees what was there; it does once they are done', async () => {
  onlyByThread()
  await note()
  outside.run('BEGIN')
  expect(stored()).toBe(1)
  for (let i = 0; i < 5 * after; i++) await note()
  expect(stored()).toBe(1)
  outside.run('COMMIT')
  expect(pages()).toBeGreaterThan(5 * after)
  await writeUntil(() => pages() < after)
  expect(stored()).toBe(written)
  expect(errors).toEqual([])
})

test('threads that read all the time do not keep the log from beginning anew, nor from being emptied', async () => {
  onlyByThread()
  await note()
  writer.close()
  begin({ othersRead: true })
  const endReading = readAllTheTime(path, 'notes')
  try {
    for (let i = 0; i < 5; i++) {
      await writeUntil(() => pages() >= after)
      await writeUntil(() => pages() < after)
    }
    await checkpoints.emptyLog()
    expect(Bun.file(`${path}-wal`).size).toBe(0)
  } finally {
    await endReading()
  }
  expect(stored()).toBe(written)
  expect(errors).toEqual([])
})

test('a log that is to be emptied is empty, though one is under way', async () => {
  onlyByThread()
  for (let i = 0; i < 4; i++) {
    // The thread is busy with so many for some ten milliseconds.
    await Promise.all(Array.from({ length: 4000 }, note))
    await Bun.sleep(3)
    await checkpoints.emptyLog()
    expect(Bun.file(`${path}-wal`).size).toBe(0)
  }
  expect(stored()).toBe(written)
})

test('one that is under way ends before the database closes, which leaves one file', async () => {
  onlyByThread()
  // The thread is up by then.
  await Promise.all(Array.from({ length: 2 * after }, note))
  await checkpoints.emptyLog()
  await Promise.all(Array.from({ length: 4000 }, note))
  await Bun.sleep(3)
  writer.close()
  await checkpoints.close()
  expect(Bun.file(`${path}-wal`).size).toBe(0)
  expect(stored()).toBe(written)
})

test('without the thread it is done all the same, and what is wrong is told', async () => {
  renameSync(path, `${path}.away`)
  await writeUntil(() => errors.length > 0)
  expect(errors[0]).toMatchObject({ code: 'SQLITE_CANTOPEN' })
  await writeUntil(() => pages() >= after)
  await writeUntil(() => pages() < after)
  renameSync(`${path}.away`, path)
  expect(stored()).toBe(written)
})
