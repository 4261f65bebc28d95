import { SQL } from 'bun'
import type { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations, onPostgres } from '../../migrations/index.ts'
import { countOf, droppedBy, nameOf } from '../../src/storage/dropped.ts'
import { label, status, up } from '../../src/storage/migrate.ts'
import { openMigrator } from '../../src/storage/postgres/migrate.ts'
import { openDatabase, openReadOnly } from '../../src/storage/sqlite/database.ts'
import { command, convene } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'

setDefaultTimeout(60_000)

const root = mkdtempSync(join(tmpdir(), 'convene-down-'))
const cleanUp: (() => unknown)[] = []
afterAll(async () => {
  for (const step of cleanUp) await step()
  rmSync(root, { recursive: true })
})

let made = 0
/** The settings of a seeded community. */
async function seeded() {
  const settings = { DATA_DIR: join(root, String(made++)) }
  const { code, err } = await convene(['seed', '--users', '6', '--cities', '1', '--messages', '12'], settings)
  expect([code, err]).toEqual([0, ''])
  return settings
}
const postgresUrl = async () => {
  const { url, drop } = await newPostgres()
  cleanUp.push(drop)
  return url
}

const look = <T>(file: string, read: (db: Database) => T): T => {
  const db = openReadOnly(file)
  try {
    return read(db)
  } finally {
    db.close()
  }
}
const count = (file: string, table: string) =>
  look(file, (db) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()!.n)
const pendingIn = (file: string) =>
  look(file, (db) =>
    status(db)
      .filter(({ applied_at }) => applied_at === null)
      .map(({ number }) => number),
  )
const copiesIn = (path: string) => readdirSync(path).filter((name) => name.includes('.before-'))
const newerThan = (number: number) => migrations.filter((step) => step.number > number)
const labels = (number: number) => newerThan(number).map(label).reverse()

describe('what a step down removes is read from it rightly', () => {
  /** What was there before and is not any more: tables, and columns of those that stay. */
  const gone = (before: Map<string, Set<string>>, after: Map<string, Set<string>>) =>
    [...before].flatMap(([table, columns]) => {
      const left = after.get(table)
      return left ? [...columns].filter((column) => !left.has(column)).map((column) => `${table}.${column}`) : [table]
    })
  const grouped = (rows: { t: string; c: string }[]) => {
    const tables = new Map<string, Set<string>>()
    for (const { t, c } of rows) tables.set(t, (tables.get(t) ?? new Set()).add(c))
    return tables
  }

  test('on SQLite', () => {
    const db = openDatabase(':memory:')
    up(db)
    const columns = () =>
      grouped(
        db
          .query<{ t: string; c: string }, []>(
            "SELECT s.name AS t, p.name AS c FROM sqlite_schema AS s, pragma_table_info(s.name) AS p WHERE s.type = 'table'",
          )
          .all(),
      )
    for (const migration of migrations.toReversed()) {
      const before = columns()
      const dropped = droppedBy(migration)
      for (const each of dropped) expect(db.query(countOf(each)).all()).toHaveLength(1)
      db.run(migration.down)
      const expected = gone(before, columns())
      expect([migration.name, dropped.map(nameOf).sort()]).toEqual([
        migration.name,
        expect.arrayContaining(expected.sort()),
      ])
    }
  })

  test.skipIf(noPostgres !== null)('on PostgreSQL', async () => {
    const url = await postgresUrl()
    const migrator = await openMigrator(url)
    await migrator.up()
    await migrator.close()
    const sql = new SQL(url, { max: 1 })
    const columns = async () =>
      grouped(
        await sql.unsafe(
          "SELECT c.table_name AS t, c.column_name AS c FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name) WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
        ),
      )
    for (const migration of migrations.toReversed()) {
      const before = await columns()
      const dropped = droppedBy(onPostgres(migration))
      for (const each of dropped) expect(await sql.unsafe(countOf(each))).toHaveLength(1)
      await sql.unsafe(onPostgres(migration).down).simple()
      const expected = gone(before, await columns())
      expect([migration.name, dropped.map(nameOf).sort()]).toEqual([
        migration.name,
        expect.arrayContaining(expected.sort()),
      ])
    }
    await sql.close()
  })

  test('a table that is made anew under its name does not count, nor does a comment', () => {
    expect(
      droppedBy({
        up: '',
        down: `-- DROP TABLE not_this;
        CREATE TABLE new_chats (id TEXT); INSERT INTO new_chats SELECT id FROM chats;
        DROP TABLE chats;
        ALTER TABLE new_chats RENAME TO chats; DROP TABLE IF EXISTS other; DELETE FROM third WHERE a = 1;
        ALTER TABLE users DROP COLUMN one, DROP COLUMN IF EXISTS two`,
      }).map(nameOf),
    ).toEqual(['other', 'third', 'users.one', 'users.two'])
  })

  test('a value does not count that is the default which the step up gave it', () => {
    const db = openDatabase(':memory:')
    db.run(`CREATE TABLE pairs (id INTEGER); INSERT INTO pairs VALUES (1), (2), (3)`)
    const step = {
      up: `ALTER TABLE pairs ADD COLUMN held INTEGER NOT NULL DEFAULT 0; -- ALTER TABLE pairs ADD COLUMN note TEXT DEFAULT 'x';
        ALTER TABLE pairs ADD COLUMN tags TEXT NOT NULL DEFAULT '[]'; ALTER TABLE pairs ADD COLUMN note TEXT`,
      down: `ALTER TABLE pairs DROP COLUMN note; ALTER TABLE pairs DROP COLUMN tags; ALTER TABLE pairs DROP COLUMN held`,
    }
    db.run(step.up)
    const losses = () => droppedBy(step).map((each) => db.query<{ n: number }, []>(countOf(each)).get()!.n)
    expect(losses()).toEqual([0, 0, 0])
    db.run(`UPDATE pairs SET held = 7, tags = '["a"]' WHERE id = 1; UPDATE pairs SET note = '' WHERE id < 3`)
    expect(losses()).toEqual([2, 1, 1])
  })
})

describe('migrate down', () => {
  test('without --yes names what would go and changes nothing; with it keeps a copy that restore puts back', async () => {
    const settings = await seeded()
    const file = join(settings.DATA_DIR, 'convene.db')
    const before = { users: count(file, 'users'), messages: count(file, 'messages'), bytes: readFileSync(file) }
    expect(before).toMatchObject({ users: 6, messages: 12 })

    for (const way of [
      ['--to', '0'],
      ['--steps', String(migrations.length)],
    ]) {
      const { code, out, err } = await convene(['migrate', 'down', ...way], settings)
      expect(code).toBe(2)
      expect(err).toMatch(/^convene: nothing was changed: add --yes to remove that for good; [^\n]+\n$/)
      expect(out).toContain('0001_users_consents_audit removes ')
      expect(out).toMatch(/users \(6 rows\)/)
      expect(out).toMatch(/messages \(12 rows\)/)
      expect(out).not.toContain('(0 rows)')
      expect(readFileSync(file).equals(before.bytes)).toBe(true)
      expect(copiesIn(settings.DATA_DIR)).toEqual([])
    }

    const { code, out, err } = await convene(['migrate', 'down', '--to', '2', '--yes'], settings)
    expect([code, err]).toEqual([0, ''])
    const copy = `${file}.before-down-${labels(2)[0]}`
    expect(out).toContain(
      labels(2)
        .map((step) => `took back ${step}\n`)
        .join(''),
    )
    expect(out).toEndWith(`the database as it was before is kept in ${copy}\n`)
    expect(pendingIn(file)).toEqual(newerThan(2).map(({ number }) => number))
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect(count(copy, 'messages')).toBe(12)

    expect((await convene(['restore', copy], settings)).code).toBe(0)
    expect([count(file, 'users'), count(file, 'messages'), pendingIn(file)]).toEqual([6, 12, []])
  })

  test('where nothing goes asks nothing and keeps nothing', async () => {
    const settings = { DATA_DIR: join(root, String(made++)) }
    expect((await convene(['migrate', 'up'], settings)).code).toBe(0)
    const { code, out } = await convene(['migrate', 'down', '--to', '2'], settings)
    expect([code, out]).toEqual([
      0,
      labels(2)
        .map((step) => `took back ${step}\n`)
        .join(''),
    ])
    expect(copiesIn(settings.DATA_DIR)).toEqual([])
    expect((await convene(['migrate', 'down', '--to', '2'], settings)).out).toBe(
      'nothing to take back: no such step is applied\n',
    )
  })

  test('refuses a number that is no step, and two ways at once', async () => {
    const settings = { DATA_DIR: join(root, 'nowhere') }
    for (const [args, says] of [
      [['down', '--to', '5'], /--to must be the number of a step/],
      [['down', '--to', 'two'], /--to must be the number of a step/],
      [['down', '--to', '2', '--steps', '1'], /exclude each other/],
      [['up', '--yes'], /--yes goes with down/],
      [['status', '--to', '2'], /--to goes with down/],
    ] as const) {
      const { code, err } = await convene(['migrate', ...args], settings)
      expect([args, code, err]).toEqual([args, 2, expect.stringMatching(says)])
    }
  })

  test('a copy that cannot be made leaves everything as it is', async () => {
    const settings = await seeded()
    const file = join(settings.DATA_DIR, 'convene.db')
    const before = readFileSync(file)
    const { code, err } = await convene(['migrate', 'down', '--to', '2', '--yes'], settings, {
      command: ['prlimit', '--fsize=8192', ...command],
    })
    expect([code, err]).toEqual([1, expect.stringMatching(/^convene: cannot keep a copy of the database [^\n]+\n$/)])
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(copiesIn(settings.DATA_DIR)).toEqual([])
  })

  test('the last two copies stay', async () => {
    const settings = await seeded()
    const made: string[] = []
    for (const to of [13, 9, 2]) {
      const { out } = await convene(['migrate', 'down', '--to', String(to), '--yes'], settings)
      made.push(/kept in (\S+)/.exec(out)![1]!)
    }
    expect(
      copiesIn(settings.DATA_DIR)
        .map((name) => join(settings.DATA_DIR, name))
        .sort(),
    ).toEqual(made.slice(1).sort())
    expect(count(made[1]!, 'messages')).toBe(12)
  })

  test.skipIf(noPostgres !== null)('on PostgreSQL asks too, and says that nothing is kept', async () => {
    const { DATA_DIR } = await seeded()
    const settings = { DATA_DIR, DATABASE_URL: await postgresUrl() }
    expect((await convene(['copy', '--to', settings.DATABASE_URL], { DATA_DIR })).code).toBe(0)
    const sql = new SQL(settings.DATABASE_URL, { max: 1 })
    const messages = async () => (await sql.unsafe('SELECT count(*)::int AS n FROM messages'))[0].n
    const { code, out, err } = await convene(['migrate', 'down', '--to', '2'], settings)
    expect(code).toBe(2)
    expect(err).toMatch(/^convene: nothing was changed: add --yes [^\n]*make one with convene backup first/)
    expect(out).toMatch(/messages \(12 rows\)/)
    expect(await messages()).toBe(12)

    const done = await convene(['migrate', 'down', '--to', '2', '--yes'], settings)
    expect([done.code, done.err]).toEqual([0, ''])
    expect(done.out).toEndWith(
      labels(2)
        .map((step) => `took back ${step}\n`)
        .join(''),
    )
    await expect(messages()).rejects.toThrow('messages')
    await sql.close()
  })
})

describe('a step that fails at each start', () => {
  const stampOf = (path: string) => {
    const { ino, mtimeMs } = statSync(path)
    return { ino, mtimeMs }
  }

  test('keeps the copy of the first try, until the database changes', async () => {
    const settings = await seeded()
    const file = join(settings.DATA_DIR, 'convene.db')
    expect((await convene(['migrate', 'down', '--to', '9', '--yes'], settings)).code).toBe(0)
    const change = (sql: string) => {
      const db = openDatabase(file)
      db.run(sql)
      db.close()
    }
    // The step makes a table of this name after it has changed others.
    change('CREATE TABLE appeals (mine INTEGER)')
    const copy = `${file}.before-0010_moderation`
    const failingStart = async () => {
      const { code, err } = await convene([], { ...settings, PORT: '0' })
      expect([code, err]).toEqual([1, expect.stringContaining('migration 0010_moderation failed')])
      // It names the file that is concerned.
      expect(err).toContain(file)
      expect(err).toContain(copy)
      return stampOf(copy)
    }
    const first = await failingStart()
    expect(await failingStart()).toEqual(first)
    expect((await convene(['migrate', 'up'], settings)).code).toBe(1)
    expect(stampOf(copy)).toEqual(first)

    change("UPDATE users SET city = 'Elsewhere'")
    const second = await failingStart()
    expect(second.ino === first.ino && second.mtimeMs === first.mtimeMs).toBe(false)
    expect(look(copy, (db) => db.query('SELECT DISTINCT city FROM users').all())).toEqual([{ city: 'Elsewhere' }])
    expect(await failingStart()).toEqual(second)

    // What is put right goes on, with the copy of that state.
    change('DROP TABLE appeals')
    expect((await convene(['migrate', 'up'], settings)).code).toBe(0)
    expect(pendingIn(file)).toEqual([])
    expect(copiesIn(settings.DATA_DIR).filter((name) => !name.includes('down'))).toHaveLength(1)
  })
})
