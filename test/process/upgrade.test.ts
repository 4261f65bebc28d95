import type { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../migrations/index.ts'
import { down, label, status, up } from '../../src/storage/migrate.ts'
import { openDatabase, openReadOnly } from '../../src/storage/sqlite/database.ts'
import { convene, startServer } from '../convene.ts'

const password = 'convene demo password'

// A database as each release left it, never changed once the release is out. That of a new one is made by it:
//   DATA_DIR=fixture convene seed --users 20 --cities 2 --messages 60 --seed upgrade
//   zstd -19 fixture/convene.db -o test/fixtures/<release>.db.zst
const fixtures = join(import.meta.dir, '../fixtures')
const releases = readdirSync(fixtures).flatMap((file) => (file.endsWith('.db.zst') ? file.replace('.db.zst', '') : []))

const root = mkdtempSync(join(tmpdir(), 'convene-upgrade-'))
afterAll(() => rmSync(root, { recursive: true }))

let made = 0
/** A data directory with that release's database; `change` does something to it. */
async function dataDirOf(release: string, change: (db: Database) => void = () => {}) {
  const path = join(root, String(made++))
  mkdirSync(path, { mode: 0o700 })
  const packed = await Bun.file(join(fixtures, `${release}.db.zst`)).bytes()
  writeFileSync(join(path, 'convene.db'), await Bun.zstdDecompress(packed), { mode: 0o600 })
  const db = openDatabase(join(path, 'convene.db'))
  change(db)
  db.close()
  return path
}

const look = <T>(file: string, read: (db: Database) => T): T => {
  const db = openReadOnly(file)
  try {
    return read(db)
  } finally {
    db.close()
  }
}
const schemaOf = (db: Database) =>
  // Not the planner's statistics, which come and go.
  db
    .query("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name")
    .all()
const peopleOf = (db: Database) => db.query('SELECT id, name, email FROM users ORDER BY id').all()
const messagesOf = (db: Database) => db.query('SELECT id, chat_id, sender_id, text FROM messages ORDER BY id').all()
const pendingOf = (db: Database) => status(db).filter(({ applied_at }) => applied_at === null)
const copiesIn = (path: string) =>
  readdirSync(path)
    .filter((name) => name.includes('.before-'))
    .sort()

const last = migrations.at(-1)!
const newest = releases.at(-1)!
/** Leaves the newest step to go, or the newest few. */
const takeBack = (db: Database, steps = 1) => {
  up(db)
  down(db, { steps })
}

describe('a start on the database of', () => {
  test.each(releases)('%s has this release’s schema, the same people, and what they wrote', async (release) => {
    const path = await dataDirOf(release)
    const file = join(path, 'convene.db')
    const before = look(file, (db) => ({ people: peopleOf(db), messages: messagesOf(db) }))
    expect([before.people.length, before.messages.length]).toEqual([20, 60])

    const server = await startServer({ DATA_DIR: path })
    const login = await fetch(new URL('/api/v1/auth/login', server.base), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'user1@example.org', password }),
    })
    expect(login.status).toBe(200)
    const { access_token, user } = (await login.json()) as { access_token: string; user: { email_verified: boolean } }
    expect(user.email_verified).toBe(false)
    const authorization = `Bearer ${access_token}`
    expect((await fetch(new URL('/api/v1/chats', server.base), { headers: { authorization } })).status).toBe(200)
    expect(await server.end()).toBe(0)

    const fresh = openDatabase(':memory:')
    up(fresh)
    look(file, (db) => {
      expect(schemaOf(db)).toEqual(schemaOf(fresh))
      expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      expect({ people: peopleOf(db), messages: messagesOf(db) }).toEqual(before)
    })
  })
})

describe('before the schema changes', () => {
  test('the database as it was is kept beside it, whole and for its owner only', async () => {
    const path = await dataDirOf(newest, takeBack)
    const file = join(path, 'convene.db')
    const before = look(file, (db) => ({ schema: schemaOf(db), people: peopleOf(db), messages: messagesOf(db) }))

    const server = await startServer({ DATA_DIR: path })
    expect(await server.end()).toBe(0)
    expect(look(file, pendingOf)).toEqual([])
    const copy = `convene.db.before-${label(last)}`
    expect(copiesIn(path)).toEqual([copy])
    expect(statSync(join(path, copy)).mode & 0o777).toBe(0o600)
    look(join(path, copy), (db) => {
      expect({ schema: schemaOf(db), people: peopleOf(db), messages: messagesOf(db) }).toEqual(before)
      expect(pendingOf(db).map(({ number }) => number)).toEqual([last.number])
    })

    const again = await startServer({ DATA_DIR: path })
    expect(await again.end()).toBe(0)
    expect(copiesIn(path)).toEqual([copy])
  })

  test('migrate up keeps it too and says where, in the place of one of an earlier try', async () => {
    const path = await dataDirOf(newest, takeBack)
    const copy = join(path, `convene.db.before-${label(last)}`)
    writeFileSync(copy, 'of an earlier try')
    const { code, out, err } = await convene(['migrate', 'up'], { DATA_DIR: path })
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(`applied ${label(last)}\nthe database as it was before is kept in ${copy}\n`)
    expect(look(copy, peopleOf)).toHaveLength(20)
  })

  test('the last two copies stay, and what is no such copy', async () => {
    const path = await dataDirOf(newest, takeBack)
    const others = ['convene.db.before-restore-20260101T000000Z', 'convene.db.before-I-went-on-holiday']
    for (const name of ['convene.db.before-0002_old', 'convene.db.before-0003_newer', ...others])
      writeFileSync(join(path, name), '')
    expect((await convene(['migrate', 'up'], { DATA_DIR: path })).code).toBe(0)
    const copies = ['convene.db.before-0003_newer', `convene.db.before-${label(last)}`]
    expect(copiesIn(path)).toEqual([...copies, ...others].sort())
  })

  test('nothing is kept where there was nothing', async () => {
    const path = join(root, 'new')
    const server = await startServer({ DATA_DIR: path })
    expect(await server.end()).toBe(0)
    expect(copiesIn(path)).toEqual([])
  })

  test('a copy that cannot be made leaves the schema as it is', async () => {
    const path = await dataDirOf(newest, takeBack)
    mkdirSync(join(path, `convene.db.before-${label(last)}`))
    const { code, err } = await convene([], { DATA_DIR: path, PORT: '0' })
    expect([code, err]).toEqual([1, expect.stringMatching(/^convene: cannot keep a copy of the database [^\n]+\n$/)])
    expect(look(join(path, 'convene.db'), pendingOf)).toHaveLength(1)
    expect(readdirSync(path).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

test('a step that fails leaves the state before it, and says where the copy is', async () => {
  const path = await dataDirOf(newest, (db) => {
    takeBack(db, migrations.length - migrations.findIndex(({ name }) => name === 'moderation'))
    // The step makes a table of this name after it has changed others.
    db.run('CREATE TABLE appeals (mine INTEGER)')
  })
  const file = join(path, 'convene.db')
  const before = look(file, (db) => ({ schema: schemaOf(db), people: peopleOf(db), messages: messagesOf(db) }))
  const copy = `${file}.before-0010_moderation`
  const { code, out, err } = await convene([], { DATA_DIR: path, PORT: '0' })
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/^convene: \S+convene\.db: migration 0010_moderation failed and was undone: [^\n]+\n$/)
  expect(err).toEndWith(`; the database as it was before is kept in ${copy}\n`)
  for (const each of [file, copy])
    look(each, (db) => expect({ schema: schemaOf(db), people: peopleOf(db), messages: messagesOf(db) }).toEqual(before))
})
