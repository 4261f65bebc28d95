import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { openReads, type Reads } from '../../src/storage/sqlite/reads.ts'
import { openWriter, type Writer } from '../../src/storage/sqlite/writer.ts'
import { testApp } from '../app.ts'

let directory: string
let db: Database
type Counted = { user: { n: number } | { name: string }; profile: { id: string; n: number } }
let reads: Reads<Counted>
let writer: Writer

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'convene-reads-'))
  db = openDatabase(join(directory, 'convene.db'))
  db.run('CREATE TABLE t (n INTEGER)')
  reads = openReads<Counted>(db)
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

test('the reads of one turn see one snapshot, whatever another process writes, and the next turn sees that', async () => {
  const other = new Database(join(directory, 'convene.db'))
  expect(count()).toBe(0)
  other.run('INSERT INTO t VALUES (1)')
  expect(count()).toBe(0)
  await setImmediate()
  expect(db.inTransaction).toBe(false)
  expect(count()).toBe(1)
  other.close()
})

test('the next read sees a write that was answered, even in the same turn', async () => {
  expect(count()).toBe(0)
  const written = writer.write(() => db.run('INSERT INTO t VALUES (1)'))
  expect(count()).toBe(0)
  await written
  expect(count()).toBe(1)
})

test('a read within a write sees its changes, and does not end it', async () => {
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

test('of many profiles only those not cached are read, and each existing one is found', async () => {
  const asked: string[][] = []
  const each = (ids: string[]) =>
    reads
      .rememberedEach('profile', ids, (missing) => {
        asked.push(missing)
        return missing.filter((id) => id !== 'nobody').map((id) => ({ id, n: count() }))
      })
      .toSorted((a, b) => a.id.localeCompare(b.id))
  expect(each(['b', 'a', 'nobody'])).toEqual([
    { id: 'a', n: 0 },
    { id: 'b', n: 0 },
  ])
  expect(each(['a', 'c', 'b', 'a'])).toEqual([
    { id: 'a', n: 0 },
    { id: 'b', n: 0 },
    { id: 'c', n: 0 },
  ])
  expect(each(['c', 'a'])).toHaveLength(2)
  expect(reads.remembered('profile', 'c', () => null)).toEqual({ id: 'c', n: 0 })
  expect(asked).toEqual([['b', 'a', 'nobody'], ['c']])
  await writer.write(() => db.run('INSERT INTO t VALUES (1)'))
  expect(each(['a'])).toEqual([{ id: 'a', n: 1 }])
  // More than the cache holds: the first ones are evicted.
  const many = Array.from({ length: 20_000 }, (_, i) => `p${i}`)
  expect(each(many)).toHaveLength(20_000)
  asked.length = 0
  expect(each(['p0', 'p10000', 'p19999'])).toHaveLength(3)
  expect(asked).toEqual([['p0']])
})

test('cached profiles are read again after a write of this process or of another', async () => {
  const other = new Database(join(directory, 'convene.db'))
  const remembered = () => reads.remembered('user', 'count', () => ({ n: count() }))
  expect(remembered()).toEqual({ n: 0 })
  await writer.write(() => db.run('INSERT INTO t VALUES (1)'))
  expect(remembered()).toEqual({ n: 1 })
  await setImmediate()
  other.run('INSERT INTO t VALUES (2)')
  expect(remembered()).toEqual({ n: 2 })
  other.close()
})

test('the cache survives a write that changes no profile, but no other write of its group', async () => {
  const remembered = () => reads.remembered('user', 'count', () => ({ n: count() }))
  expect(remembered()).toEqual({ n: 0 })
  const insert = () => db.run('INSERT INTO t VALUES (1)')
  await writer.write(insert, { keepsProfileCache: true })
  expect(remembered()).toEqual({ n: 0 })
  await Promise.all([writer.write(insert, { keepsProfileCache: true }), writer.write(insert)])
  expect(remembered()).toEqual({ n: 3 })
})

test('absence is not cached, and cached values cannot be changed', () => {
  expect(reads.remembered('user', 'nobody', () => null)).toBeNull()
  expect(reads.remembered('user', 'nobody', () => ({ name: 'Ada' }))).toEqual({ name: 'Ada' })
  expect(() =>
    Object.assign(
      reads.remembered('user', 'nobody', () => null)!,
      { name: 'Eve' },
    ),
  ).toThrow(TypeError)
})

test('the writes that keep the cache change nothing that is shown of users', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const shown = () =>
    Promise.all(
      [
        'SELECT * FROM users ORDER BY id',
        'SELECT * FROM preferences ORDER BY user_id',
        'SELECT * FROM user_stats ORDER BY user_id',
        'SELECT user_id FROM locations WHERE NOT visible',
      ].map((sql) => app.rows(sql)),
    )
  const before = await shown()
  const { body: chat } = await ada.post('chats', { user_id: bob.id })
  const { body: message } = await ada.post(`chats/${chat.id}/messages`, { text: 'Coffee?' })
  await bob.put(`chats/${chat.id}/read`)
  await ada.put(`messages/${message.id}`, { text: 'Tea?' })
  await ada.delete(`messages/${message.id}`)
  expect((await ada.put('me/location', { latitude: 52.5, longitude: 13.4 })).status).toBe(200)
  await app.services.audit.record('profile', ada.id, ada.id, {})
  expect(await shown()).toEqual(before)
})
