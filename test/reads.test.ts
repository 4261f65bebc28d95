import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { openDatabase } from '../src/storage/sqlite/database.ts'
import { openReads, type Reads } from '../src/storage/sqlite/reads.ts'
import { openWriter, type Writer } from '../src/storage/sqlite/writer.ts'

let directory: string
let db: Database
let reads: Reads
let writer: Writer

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'convene-reads-'))
  db = openDatabase(join(directory, 'convene.db'))
  db.run('CREATE TABLE t (n INTEGER)')
  reads = openReads(db)
  const onFatal = (error: Error) => {
    throw error
  }
  writer = openWriter(db, { onFatal }, reads)
})
afterEach(() => {
  writer.close()
  db.close()
  rmSync(directory, { recursive: true })
})

const count = () => reads.read(() => db.query<{ n: number }, []>('SELECT count(*) AS n FROM t').get()!.n)

test('the reads of one turn see one moment, whatever another process writes in between; those of the next see it', async () => {
  const other = new Database(join(directory, 'convene.db'))
  expect(count()).toBe(0)
  other.run('INSERT INTO t VALUES (1)')
  expect(count()).toBe(0)
  await setImmediate()
  expect(db.inTransaction).toBe(false)
  expect(count()).toBe(1)
  other.close()
})

test('a write that was answered is seen by the next read, in the same turn too', async () => {
  expect(count()).toBe(0)
  const written = writer.write(() => db.run('INSERT INTO t VALUES (1)'))
  expect(count()).toBe(0)
  await written
  expect(count()).toBe(1)
})

test('a read within a write sees what that one has written, and ends nothing', async () => {
  const seen = await writer.write(() => {
    db.run('INSERT INTO t VALUES (1)')
    return [count(), db.inTransaction]
  })
  expect(seen).toEqual([1, true])
  expect(count()).toBe(1)
})

test('a read that fails leaves nothing behind', async () => {
  expect(() => reads.read(() => db.query('SELECT * FROM nowhere').all())).toThrow('no such table')
  await setImmediate()
  expect(db.inTransaction).toBe(false)
  expect(count()).toBe(0)
})
