import { SQL } from 'bun'
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { believedMs } from '../../src/features/auth/callers.ts'
import { openLog } from '../../src/telemetry/log.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { buildServices } from '../../src/services.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/storage/postgres/database.ts'
import type { Queries } from '../../src/storage/postgres/queries.ts'
import { recordEvents } from '../../src/storage/postgres/events.ts'
import { nearbySearch } from '../../src/storage/postgres/nearby.ts'
import { postgresStorage } from '../../src/storage/postgres/storage.ts'
import { cable, type Fate } from '../cable.ts'
import { migratedPostgres, newPostgres, noPostgres } from '../engines.ts'

// What is PostgreSQL's own: races that only its concurrency has, and what becomes of writes when connections go.

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

async function migrated() {
  const database = await migratedPostgres()
  cleanUp.push(database.drop)
  return database.url
}

async function opened(url: string, options?: DatabaseOptions): Promise<Database> {
  const db = await openDatabase(url, options)
  cleanUp.push(db.close)
  return db
}

const through = (url: string, ...ports: number[]) => {
  const { username, pathname } = new URL(url)
  return `postgres://${username}@${ports.map((port) => `127.0.0.1:${port}`).join()}${pathname}?max=4`
}
const portOf = (url: string) => Number(new URL(url).port || 5432)

async function cabled(url: string, watch?: (sent: string) => Fate) {
  const line = await cable(portOf(url), watch)
  cleanUp.push(line.unplug)
  return line
}

const addUser = (q: Queries, id: string) =>
  q.run('INSERT INTO users (id, email, created_at, updated_at) VALUES ($1, $2, 1, 1)', [id, `${id}@example.org`])
const countUsers = (db: Database) =>
  db.read((q) => q.get<{ n: number }>('SELECT count(*) AS n FROM users')).then((row) => row!.n)
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown) => thrown,
  )
const refusal = async (work: Promise<unknown>): Promise<Refusal> => {
  const error = await thrownBy(work)
  expect(error).toBeInstanceOf(Refusal)
  return error
}
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

test.skipIf(noPostgres !== null)(
  `who has seen more than a database from the past finds a gap, by the statements of the documentation${noPostgres ? `, ${noPostgres}` : ''}`,
  async () => {
    const url = await migrated()
    const db = await opened(url)
    const { events } = postgresStorage(db)
    const record = (user_id: string) =>
      db.write(async (tx) => (await recordEvents(tx, [user_id], 'notice', 1, { data: {} }))[0]!.seq)
    await db.write(async (tx) => void (await Promise.all(['ada', 'bob'].map((id) => addUser(tx, id)))))
    for (let i = 0; i < 3; i++) await record('ada')
    const page = await Bun.file(`${import.meta.dir}/../../docs/reliability.md`).text()
    const statements = /^psql .*<<'END'\n([^]*?)\nEND$/m.exec(page)![1]!
    const sql = new SQL(url, { max: 1 })
    await sql.unsafe(statements).simple()
    await sql.close()
    for (const [user, seen] of [
      ['ada', 7],
      ['bob', 2],
    ] as const) {
      const from = (await events.range(user)).newest
      for (let i = 1; i <= 10; i++) expect(await record(user)).toBe(from + i)
      const { oldest, newest } = await events.range(user)
      expect([oldest, newest]).toEqual([from + 1, from + 10])
      // As replay decides it.
      expect(seen < oldest - 1).toBe(true)
    }
  },
)

test.skipIf(noPostgres !== null)(
  `a session that ended without this process being told is refused half a minute later${noPostgres ? `, ${noPostgres}` : ''}`,
  async () => {
    const url = await migrated()
    const db = await opened(url)
    let at = Date.UTC(2026, 10, 21, 12)
    const directory = mkdtempSync(join(tmpdir(), 'convene-postgres-'))
    cleanUp.push(async () => rmSync(directory, { recursive: true }))
    const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent', DATA_DIR: directory })
    const storage = postgresStorage(db)
    const secrets = { jwt: new Uint8Array(32), location: new Uint8Array(32) }
    const { auth, callers } = buildServices({ config, secrets, storage, log: openLog(config), now: () => at })
    await db.write(async (tx) => void (await addUser(tx, 'ada')))
    const { access_token } = await auth.begin('ada', { address: '', user_agent: null, language: null })
    expect((await callers.byToken(access_token)).id).toBe('ada')
    // As a commit does that had no answer.
    await db.write(async (tx) => void (await tx.run('UPDATE sessions SET ended_at = 1')))
    at += believedMs
    await expect(callers.byToken(access_token)).rejects.toMatchObject({ code: 'unauthenticated' })
  },
)

describe.skipIf(noPostgres !== null)(`PostgreSQL${noPostgres ? `, ${noPostgres}` : ''}`, () => {
  describe('values', () => {
    test('come back as they were given', async () => {
      const db = await opened(await migrated())
      const hostile = ['', 'a', 'b"\\,{}', 'NULL', "'; DROP TABLE users", '💚', '\n\t']
      const row = await db.read((q) =>
        q.get(
          `SELECT $1::int8 AS big, $2::int4 AS small, $3::float8 AS real, $4::bytea AS bytes, $5::boolean AS yes,
             $6::text AS nothing, $7::text[] AS list, sum(x) AS total FROM unnest($8::int8[]) AS x`,
          [2 ** 53 - 1, -5, 55, new Uint8Array([0, 255]), true, null, hostile, [2 ** 40, 2]],
        ),
      )
      expect(row).toEqual({
        big: 2 ** 53 - 1,
        small: -5,
        real: 55,
        bytes: Buffer.from([0, 255]),
        yes: true,
        nothing: null,
        list: hostile,
        total: 2 ** 40 + 2,
      })
      expect(await db.read((q) => q.all('SELECT 1 AS one WHERE 1 = ANY($1::int8[])', [[]]))).toEqual([])
    })

    test('that PostgreSQL cannot hold find nothing, and fail nothing', async () => {
      const { users, accounts } = postgresStorage(await opened(await migrated()))
      for (const text of ['\u0000', 'a\u0000b', '\ud800']) {
        expect(await accounts.credentials({ email: text })).toBeNull()
        expect(await users.profiles([text, 'a'])).toEqual([])
        expect(await users.byId(text)).toBeNull()
      }
    })

    test('of a failed statement are in no error', async () => {
      const db = await opened(await migrated())
      await db.statement((q) => addUser(q, 'secret-a'))
      const failures = [
        db.statement((q) => addUser(q, 'secret-a')),
        db.read((q) => q.get("SELECT ('secret-a' || $1)::int8", ['x'])),
        db.statement((q) => q.run("UPDATE users SET role = 'secret-a'", [])),
        db.write((tx) => tx.run('UPDATE users SET role = $1', ['secret-a'])),
      ]
      for (const error of await Promise.all(failures.map(thrownBy))) {
        expect(error).toBeInstanceOf(Error)
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret-a')
        expect(JSON.stringify(error)).not.toContain('secret-a')
      }
    })
  })

  describe('a write', () => {
    test('is undone where it throws', async () => {
      const db = await opened(await migrated())
      const failing = db.write(async (tx) => {
        await addUser(tx, 'a')
        throw new Error('no')
      })
      expect((await thrownBy(failing)).message).toBe('no')
      expect(await countUsers(db)).toBe(0)
    })

    test('that runs into a deadlock is done again, and both are done once', async () => {
      const db = await opened(await migrated())
      for (const id of ['a', 'b']) await db.statement((q) => addUser(q, id))
      let attempts = 0
      const met = Promise.withResolvers<void>()
      let waiting = 0
      const bothOf = (first: string, second: string) =>
        db.write(async (tx) => {
          attempts++
          await tx.run('UPDATE users SET updated_at = updated_at + 1 WHERE id = $1', [first])
          if (++waiting === 2) met.resolve()
          await met.promise
          await tx.run('UPDATE users SET updated_at = updated_at + 1 WHERE id = $1', [second])
        })
      await Promise.all([bothOf('a', 'b'), bothOf('b', 'a')])
      expect(attempts).toBeGreaterThan(2)
      expect(await db.read((q) => q.all('SELECT updated_at FROM users'))).toEqual([
        { updated_at: 3 },
        { updated_at: 3 },
      ])
    })

    test('whose connection is lost before its commit is done again, once in all', async () => {
      const url = await migrated()
      let cuts = 2
      const line = await cabled(url, (sent) => (sent.includes('INSERT') && cuts-- > 0 ? 'pass, then cut' : 'pass'))
      const db = await opened(through(url, line.port))
      expect(await db.write((tx) => addUser(tx, 'a'))).toBe(1)
      expect(cuts).toBeLessThan(1)
      expect(await countUsers(db)).toBe(1)
    })

    test.each([
      ['was stored', 'pass, then cut', 1],
      ['was not stored', 'cut', 0],
    ] as const)('whose commit is not answered is refused and not done again: it %s', async (_, fate, stored) => {
      const url = await migrated()
      let attempts = 0
      const line = await cabled(url, (sent) => (sent.includes('COMMIT') ? fate : 'pass'))
      const db = await opened(through(url, line.port))
      const { code, headers } = await refusal(
        db.write(async (tx) => {
          attempts++
          return addUser(tx, 'a')
        }),
      )
      expect([code, headers]).toEqual(['busy', { 'retry-after': '1' }])
      expect(attempts).toBe(1)
      expect(await countUsers(await opened(url))).toBe(stored)
    })

    test('of one statement that is not answered is refused and not done again', async () => {
      const url = await migrated()
      let seen = 0
      const line = await cabled(url, (sent) => {
        if (!sent.includes('INSERT')) return 'pass'
        seen++
        return 'pass, then cut'
      })
      const db = await opened(through(url, line.port))
      expect((await refusal(db.statement((q) => addUser(q, 'a')))).code).toBe('busy')
      expect(seen).toBe(1)
    })
  })

  describe('servers', () => {
    test('that are gone answer busy, and all goes on when they are back', async () => {
      const url = await migrated()
      const line = await cabled(url)
      const told: string[] = []
      const db = await opened(through(url, line.port), {
        onOutage: () => told.push('gone'),
        onRecovery: (host) => told.push(host),
      })
      await line.unplug()
      const works = [countUsers(db), db.write((tx) => addUser(tx, 'a')), db.statement((q) => addUser(q, 'b'))]
      for (const { code, headers } of await Promise.all(works.map(refusal))) {
        expect([code, headers]).toEqual(['busy', { 'retry-after': '1' }])
      }
      await line.plug()
      while ((await countUsers(db).catch(() => null)) === null);
      expect(await countUsers(db)).toBe(0)
      expect(told).toEqual(['gone', `127.0.0.1:${line.port}`])
    })

    test('that are named in one URL are tried in order, and left when they go', async () => {
      const url = await migrated()
      const [first, second] = [await cabled(url), await cabled(url)]
      const dead = await cabled(url)
      await dead.unplug()
      const db = await opened(through(url, dead.port, first.port, second.port))
      expect(await db.write((tx) => addUser(tx, 'a'))).toBe(1)
      await first.unplug()
      expect(await db.write((tx) => addUser(tx, 'b'))).toBe(1)
      await second.unplug()
      await first.plug()
      expect(await db.write((tx) => addUser(tx, 'c'))).toBe(1)
      expect(await countUsers(db)).toBe(3)
    })

    test('that can only be read are refused at the start, and left when they become so', async () => {
      const database = await migratedPostgres()
      cleanUp.push(database.drop)
      const admin = new SQL(database.url, { max: 1 })
      cleanUp.push(() => admin.close())
      const readOnly = (is: boolean) =>
        admin.unsafe(`ALTER DATABASE ${database.name} SET default_transaction_read_only = ${is}`)
      await readOnly(true)
      expect((await thrownBy(openDatabase(database.url))).message).toMatch(/can only be read: it is a standby/)
      await admin.unsafe('SET default_transaction_read_only = off')
      await readOnly(false)
      const line = await cabled(database.url)
      const db = await opened(through(database.url, line.port))
      await readOnly(true)
      line.cut()
      while ((await thrownBy(countUsers(db)))?.code !== 'busy');
      await readOnly(false)
      while ((await thrownBy(countUsers(db))) !== null);
      expect(await db.write((tx) => addUser(tx, 'a'))).toBe(1)
    })

    test.each([
      [
        'nothing listens',
        'postgres://postgres:hidden-word@127.0.0.1:1/convene',
        /127\.0\.0\.1:1\/convene cannot be reached/,
      ],
      ['there is no such database', null, /has no database nothing_here: create it first/],
      ['there is no such user', null, /refuses the user or the password of DATABASE_URL/],
      ['TLS is asked for and not offered', null, /do not agree on TLS/],
    ])('are told of in one line where %s', async (what, url, expected) => {
      const own = new URL(await migrated())
      own.password = 'hidden-word'
      if (what.includes('database')) own.pathname = '/nothing_here'
      if (what.includes('user')) own.username = 'nobody_at_all'
      if (what.includes('TLS')) own.search = '?sslmode=require'
      const error = await thrownBy(openDatabase(url ?? own.href))
      expect(error.message).toMatch(expected)
      expect(error.message).not.toContain('\n')
      expect(inspect(error, { depth: 9 })).not.toContain('hidden-word')
    })
  })

  test('after close everything is refused, and what ran is finished', async () => {
    const db = await opened(await migrated())
    const running = db.write(async (tx) => {
      await addUser(tx, 'a')
      await Bun.sleep(50)
      return addUser(tx, 'b')
    })
    await Bun.sleep(20)
    await db.close()
    expect(await running).toBe(1)
    expect((await refusal(countUsers(db))).code).toBe('shutting_down')
  })

  test('more than can wait are refused at once', async () => {
    const db = await opened(await migrated())
    const reads = times(3000, () =>
      db.read((q) => q.get<{ i: number }>('SELECT $1::int4 AS i', [1])).catch((error) => error.code),
    )
    const answers = await Promise.all(reads)
    expect(answers.filter((answer) => answer === 'busy').length).toBe(3000 - 2048)
    expect(answers.filter((answer) => answer.i === 1).length).toBe(2048)
  })

  test('a search that takes too long is given up as busy, and delays nothing else', async () => {
    const url = await migrated()
    const db = await opened(url, { max: 1, searchMs: 100 })
    const search = nearbySearch(db)
    const centre = { latitude: 1, longitude: 1 }
    const query = { caller: 'ada', centre, radius: 500, limit: 10, filters: {}, after: null, since: 0, now: 1 }
    const other = new SQL(url, { max: 1 })
    await other.unsafe('BEGIN; LOCK TABLE locations IN ACCESS EXCLUSIVE MODE').simple()
    const waiting = refusal(search(query))
    const row = await db.read((q) => q.get<{ statement_timeout: string }>('SHOW statement_timeout'))
    expect(row!.statement_timeout).toBe('10s')
    expect((await waiting).code).toBe('busy')
    await other.unsafe('ROLLBACK')
    await other.close()
    expect(await search(query)).toEqual([])
  })

  describe('events', () => {
    test('of a pair, recorded at once in both orders, are numbered without a gap', async () => {
      const db = await opened(await migrated())
      const { events } = postgresStorage(db)
      for (const id of ['a', 'b', 'c']) await db.statement((q) => addUser(q, id))
      const pairs = times(
        50,
        (i) =>
          [
            ['a', 'b'],
            ['b', 'a'],
            ['c', 'a'],
            ['b', 'c'],
          ][i % 4]!,
      )
      const numbers = await Promise.all(
        pairs.map((pair, i) => db.write((tx) => recordEvents(tx, pair, 'block', i, { data: { i, nul: '\u0000' } }))),
      )
      numbers.forEach((given, i) => expect(given.map(({ user_id }) => user_id)).toEqual(pairs[i]!))
      for (const id of ['a', 'b', 'c']) {
        const seqs = numbers.flatMap((given) => given.filter(({ user_id }) => user_id === id)).map(({ seq }) => seq)
        expect(seqs.toSorted((x, y) => x - y)).toEqual(times(seqs.length, (i) => i + 1))
        expect(await events.range(id)).toEqual({ oldest: 1, newest: seqs.length })
        const stored = await events.after(id, 0, 100)
        expect(stored.map(({ seq }) => seq)).toEqual(times(seqs.length, (i) => i + 1))
        for (const event of stored) expect<unknown>(event.data).toEqual({ i: event.at, nul: '\u0000' })
      }
    })

    test('of a write that is undone take no number', async () => {
      const db = await opened(await migrated())
      const { events } = postgresStorage(db)
      await db.statement((q) => addUser(q, 'a'))
      await db
        .write(async (tx) => {
          await recordEvents(tx, ['a'], 'block', 1, { ref: 'x' })
          throw new Error('no')
        })
        .catch(() => {})
      expect(await events.range('a')).toEqual({ oldest: 1, newest: 0 })
      expect(await db.write((tx) => recordEvents(tx, ['a'], 'block', 1, { ref: 'x' }))).toEqual([
        { user_id: 'a', seq: 1 },
      ])
      expect<unknown>(await events.after('a', 0, 10)).toEqual([{ seq: 1, type: 'block', at: 1, ref: 'x', data: null }])
    })

    test('that are too old go, and the numbering goes on', async () => {
      const db = await opened(await migrated())
      const { events } = postgresStorage(db)
      for (const id of times(120, (i) => `u${i}`)) {
        await db.statement((q) => addUser(q, id))
        for (const at of [1, 9, 5]) await db.write((tx) => recordEvents(tx, [id], 'block', at, {}))
      }
      // The last one is older than the second, by a clock that jumped: it stays, so that there is no hole.
      expect(await events.purge(6)).toBe(120)
      expect(await events.range('u7')).toEqual({ oldest: 2, newest: 3 })
      expect(await events.purge(100)).toBe(240)
      expect(await events.range('u7')).toEqual({ oldest: 4, newest: 3 })
    })
  })

  test('a database without a schema is not ready', async () => {
    const empty = await newPostgres()
    cleanUp.push(empty.drop)
    expect(await postgresStorage(await opened(empty.url)).schemaFits()).toBe(false)
    expect(await postgresStorage(await opened(await migrated())).schemaFits()).toBe(true)
  })
})
