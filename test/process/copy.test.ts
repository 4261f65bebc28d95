import { SQL } from 'bun'
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tables } from '../../src/storage/copy.ts'
import { down, up } from '../../src/storage/migrate.ts'
import { openDatabase as openNode } from '../../src/storage/postgres/database.ts'
import { openMigrator } from '../../src/storage/postgres/migrate.ts'
import { openDatabase, openReadOnly } from '../../src/storage/sqlite/database.ts'
import { community } from '../community.ts'
import { command, convene, type Outcome } from '../convene.ts'
import { migratedPostgres, newPostgres, noPostgres } from '../engines.ts'

const root = mkdtempSync(join(tmpdir(), 'convene-copy-'))
afterAll(() => rmSync(root, { recursive: true }))

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

let made = 0
const newFile = () => join(root, `${made++}.db`)

/** Rows in every table, made by people who use the app, and what is rare or at the edge of what a column takes. */
let rich = ''
/** More rows than one batch, in several tables. */
let large = ''

beforeAll(async () => {
  const { app, ada, bob, chats, photos } = await community({ databasePath: ':memory:' })
  await ada.put(`messages/${chats.bob.ofOne}`, { text: 'Edited.' })
  await ada.delete(`messages/${photos.bob.id}`)
  // As a start does.
  expect(await app.services.community.foreignAssets()).toEqual([])
  const { $client: db } = app.db
  const largest = Number.MAX_SAFE_INTEGER
  const edges = [
    '',
    ' ',
    '\ufffd',
    'e\u0301 é',
    '😀 \u{10ffff} 👨‍👩‍👧',
    'NULL',
    '\\N',
    '\\x00',
    '{"a",}',
    '"\\\'',
    '\t\r\n',
    'ß'.repeat(4000),
  ]
  for (const [i, text] of edges.entries())
    db.query(
      'UPDATE messages SET text = ? WHERE id = (SELECT id FROM messages ORDER BY chat_id, seq LIMIT 1 OFFSET ?)',
    ).run(text, i)
  db.query('UPDATE users SET suspended_until = ?, bio = ? WHERE id = ?').run(largest, '', bob.id)
  db.query('UPDATE users SET created_at = ? WHERE id = ?').run(-largest, ada.id)
  const doubles = [
    0.1 + 0.2,
    5e-324,
    -1.7976931348623157e308,
    2 ** -1074 * 3,
    1 / 3,
    52.5,
    -0,
    1e22,
    123456789.12345679,
  ]
  const located = db.query<{ id: number }, []>('SELECT id FROM locations').all()
  for (const [i, { id }] of located.entries())
    db.query('UPDATE locations SET latitude = ?, longitude = ?, cell = ? WHERE id = ?').run(
      doubles[i]!,
      doubles.at(-1 - i)!,
      [new Uint8Array(0), new Uint8Array([0, 255, 92, 39]), null][i % 3]!,
      id,
    )
  // Written later, with an id and a time from before: what counts is the order of writing.
  db.query(
    `INSERT INTO consent_log (id, user_id, kind, accepted, version, text_hash, recorded_at)
     VALUES ('00000000-0000-7000-8000-000000000000', ?, 'marketing', 0, '1', 'x', 1)`,
  ).run(ada.id)
  db.query(
    `INSERT INTO pending_reviews (chat_id, id, reviewer_id, reviewed_id, rating, text, created_at, appears_at)
     SELECT id, 'a review that does not show yet', user_a, user_b, 3, 'later', 1, 2 FROM chats
     WHERE id NOT IN (SELECT chat_id FROM reviews) LIMIT 1`,
  ).run()
  // What a crash in the middle of an erasure leaves.
  db.query('INSERT INTO unfinished_erasures (user_id, at) VALUES (?, 1)').run(ada.id)
  db.query("INSERT INTO invites (id, code_hash, uses, created_at) VALUES ('a', '00ff', 3, 1)").run()
  db.query("INSERT INTO email_links (hash, user_id, kind, expires_at) VALUES ('00ff', ?, 'reset', 1)").run(ada.id)
  db.query(
    "INSERT INTO outbox (id, kind, user_id, payload, created_at, due_at) VALUES ('a', 'mail', ?, '{}', 1, 2)",
  ).run(ada.id)
  db.query(
    `INSERT INTO channels (id, user_id, session_id, kind, target, target_hash, label, created_at)
     VALUES ('c', ?, 's', 'fcm', '{"token":"t"}', 'h', 'Phone', 1)`,
  ).run(ada.id)
  db.query(
    "INSERT INTO notification_preferences (user_id, quiet_from, quiet_to, quiet_zone) VALUES (?, 1, 2, 'Etc/UTC')",
  ).run(ada.id)
  db.query("INSERT INTO shown_notifications VALUES ('c', 'chat_1', ?, 'm', 'h', NULL, 1)").run(ada.id)
  db.query(
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, label, created_at)
     VALUES ('a', ?, 'AAAA', 'AAAA', 4294967295, 'Phone', 1)`,
  ).run(ada.id)
  db.query(
    `INSERT INTO identities (id, user_id, kind, provider, issuer, subject, created_at)
     VALUES ('o', ?, 'oidc', 'google', 'https://accounts.google.com', '1', 1)`,
  ).run(ada.id)
  db.query("INSERT INTO age_refusals VALUES ('hash', 1)").run()
  db.query("UPDATE users SET birth_month = '1990-05', show_age = 1 WHERE id = ?").run(bob.id)
  db.query("INSERT INTO announcements VALUES ('a', 'We are closed on Sunday.', ?, 1)").run(largest)
  db.query("INSERT INTO templates VALUES ('t', 'Insults', 'en', 'Please be kind.', 1)").run()
  db.query('INSERT INTO daily_figures VALUES (86400000, 1, 1, 1, 1, 1, 1, 1, 172800000)').run()
  db.query("INSERT INTO used_challenges (id, expires_at) VALUES ('AAAA', 1)").run()
  db.query('INSERT OR REPLACE INTO last_seen (user_id, at) VALUES (?, 2)').run(ada.id)
  db.query("INSERT INTO bot_permissions VALUES (?, '42', 'granted', 'en', 1, NULL, 2)").run(ada.id)
  db.query('INSERT INTO bot_updates VALUES (9007199254740991, 1)').run()
  db.query("INSERT INTO invites (id, code_hash, uses, used, created_at) VALUES ('i', 'h', 2, 1, 1)").run()
  db.query("INSERT INTO rule_versions VALUES (1, 'imported', NULL, 0, '[]', NULL, 1)").run()
  db.query("INSERT INTO openers VALUES (?, 'h', 'c', 1)").run(ada.id)
  db.query(
    `INSERT INTO held_messages (id, chat_id, seq, sender_id, kind, text, created_at)
     SELECT 'held', id, last_seq + 1, user_a, 'text', 'waits', 1 FROM chats LIMIT 1`,
  ).run()
  db.query("INSERT INTO image_bank VALUES ('b', 'ff', 31, 'Spam', 'r', NULL, 1, 2)").run()
  db.query("INSERT INTO image_bank_state VALUES (1, 2, 1, 2, 'u')").run()
  rich = newFile()
  db.query('VACUUM INTO ?').run(rich)

  large = newFile()
  const seed = ['seed', '--users', '1000', '--messages', '5500', '--seed', 'copy']
  expect((await convene(seed, { DATA_DIR: root, DATABASE_URL: `sqlite:${large}` })).code).toBe(0)
})

/** A copy of a file that a test may change. */
function another(file: string, change: (db: Database) => void = () => {}): string {
  const path = newFile()
  copyFileSync(file, path)
  const db = new Database(path)
  change(db)
  db.close()
  return path
}

const copy = (from: string, to: string, settings: Record<string, string> = {}) =>
  convene(['copy', '--from', from, '--to', to], { DATA_DIR: root, ...settings })

/** One line on standard error and nothing else, with that exit code. */
function expectRefusal({ code, out, err }: Outcome, expected: 1 | 2, says: RegExp) {
  expect(err).toMatch(says)
  expect(err).toMatch(/^convene: [^\n]+\n$/)
  expect(out).toBe('')
  expect(code).toBe(expected)
}

function expectCopied({ code, out, err }: Outcome, rows: number) {
  expect(err).toBe('')
  expect(code).toBe(0)
  const lines = out.trim().split('\n')
  expect(lines.at(-1)).toContain(`copied ${rows} rows from `)
  const told = lines.slice(0, -1).map((line) => /^equal {2}(\w+) +(\d+) rows {2}[0-9a-f]{64}$/.exec(line)!)
  expect(told.map(([, name]) => name!)).toEqual(tables.map(({ name }) => name))
  expect(told.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(rows)
  return new Map(lines.slice(0, -1).map((line) => [line.split(/ +/)[1]!, line.split(/ +/).at(-1)!]))
}

/** All that a file holds, to the last bit, but for numbers that mean nothing outside it. */
function dump(file: string): Record<string, string[]> {
  const db = openReadOnly(file)
  try {
    const names = db
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'schema\\_%' ESCAPE '\\'",
      )
      .all()
      .map(({ name }) => name)
    const select: Record<string, string> = {
      locations: 'SELECT user_id, latitude, longitude, square, visible, cell, strayed, updated_at FROM locations',
      nearby_traits: 'SELECT trait, n.square, user_id FROM nearby_traits n JOIN locations l ON l.id = n.location_id',
      consent_log: 'SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY rowid) FROM consent_log',
    }
    return Object.fromEntries(
      names.sort().map((name) => [
        name,
        db
          .query(select[name] ?? `SELECT * FROM ${name}`)
          .values()
          .map((row) => row.map(bits).join('|'))
          .sort(),
      ]),
    )
  } finally {
    db.close()
  }
}

function bits(value: unknown): string {
  if (value instanceof Uint8Array) return `x${value.toHex()}`
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return String(value)
  return `d${Buffer.from(new Float64Array([value]).buffer).toString('hex')}`
}

/** The rows that are copied: triggers of the target fill `nearby_people`. */
const rowsIn = ({ nearby_people: _, ...dumped }: Record<string, string[]>) =>
  Object.values(dumped).reduce((sum, { length }) => sum + length, 0)

async function server(make = newPostgres) {
  const { url, drop } = await make()
  const sql = new SQL(url, { max: 1 })
  cleanUp.push(drop, () => sql.close())
  return { url, sql }
}

async function dumpServer(sql: SQL): Promise<Record<string, string[]>> {
  const names: { name: string }[] = await sql.unsafe(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'schema_%' ORDER BY 1",
  )
  const dumped: Record<string, string[]> = {}
  for (const { name } of names) {
    const rows: { row: string }[] = await sql.unsafe(`SELECT t::text AS row FROM ${name} AS t`)
    dumped[name] = rows.map(({ row }) => row).sort()
  }
  return dumped
}

/** Copies into a migrated database until it waits for what `block` has done in a transaction, and kills it there. */
async function killedCopy(from: string, url: string, block: (tx: SQL) => Promise<unknown>) {
  const [blocker, looker] = [new SQL(url, { max: 1 }), new SQL(url, { max: 1 })]
  try {
    await blocker.unsafe('BEGIN')
    await block(blocker)
    const child = Bun.spawn([...command, 'copy', '--from', `sqlite:${from}`, '--to', url], {
      env: { PATH: process.env.PATH, DATA_DIR: root },
      stdout: 'ignore',
      stderr: 'inherit',
    })
    const waits =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'convene copy' AND wait_event_type = 'Lock'"
    while ((await looker.unsafe(waits)).length === 0) {
      expect(child.exitCode).toBeNull()
      await Bun.sleep(5)
    }
    child.kill('SIGKILL')
    await child.exited
    await blocker.unsafe('ROLLBACK')
  } finally {
    await blocker.close()
    await looker.close()
  }
}

const inUse = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  const db = openDatabase(file)
  db.query('SELECT count(*) FROM users').get()
  try {
    return await work()
  } finally {
    db.close()
  }
}

test('every table of a database is copied, each after those that it refers to', () => {
  const db = openDatabase(':memory:')
  up(db)
  const stored = db
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name)
  const copied = tables.map(({ name }) => name)
  const others = new Set(['schema_migrations', 'schema_compatibility', 'nearby_people'])
  expect(copied.toSorted()).toEqual(stored.filter((name) => !others.has(name)).sort())
  for (const [i, name] of copied.entries())
    for (const { table } of db
      .query<{ table: string }, [string]>('SELECT "table" FROM pragma_foreign_key_list(?)')
      .all(name))
      expect([name, table, copied.slice(0, i).includes(table)]).toEqual([name, table, true])
  db.close()
})

describe('from file to file', () => {
  test('arrives what is there, to the last bit, and in every table there is something', async () => {
    const before = dump(rich)
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
    const target = newFile()
    expectCopied(await copy(`sqlite:${rich}`, `sqlite:${target}`), rowsIn(before))
    expect(dump(target)).toEqual(before)
    expect(dump(rich)).toEqual(before)
    expect((await convene(['check'], { DATA_DIR: root, DATABASE_URL: `sqlite:${target}` })).out).toContain(
      'ok     the database is whole',
    )
  })

  test('is refused where a server uses one of them', async () => {
    const target = newFile()
    const outcome = await inUse(rich, () => copy(`sqlite:${rich}`, `sqlite:${target}`))
    expectRefusal(outcome, 1, /--from: .* is in use: stop the server/)
    expect(existsSync(target)).toBe(false)
    const empty = newFile()
    const db = openDatabase(empty)
    up(db)
    db.close()
    expectRefusal(await inUse(empty, () => copy(`sqlite:${rich}`, `sqlite:${empty}`)), 1, /--to: .* is in use: stop/)
  })

  test('is refused where the target holds anything, and leaves it as it is', async () => {
    const target = another(rich, (db) => db.run("UPDATE users SET name = 'Somebody else'"))
    const before = dump(target)
    expectRefusal(await copy(`sqlite:${rich}`, `sqlite:${target}`), 1, /the target has rows in users already/)
    expect(dump(target)).toEqual(before)
  })

  test('fills a database on which a server was started, whose secrets and photos are those of the source then', async () => {
    const target = newFile()
    const db = openDatabase(target)
    up(db)
    db.run("INSERT INTO community (name, value) VALUES ('id', 'of nobody'), ('location_key', 'x'), ('jwt_secret', 'x')")
    db.close()
    const before = dump(rich)
    expectCopied(await copy(`sqlite:${rich}`, `sqlite:${target}`), rowsIn(before))
    expect(dump(target)).toEqual(before)
  })

  test('is refused from and to what is none of ours, older, newer, or not there', async () => {
    const foreign = newFile()
    const theirs = new Database(foreign)
    theirs.run('CREATE TABLE theirs (x)')
    theirs.close()
    const bytes = readFileSync(foreign)
    const newer = another(rich, (db) => db.run("INSERT INTO schema_migrations VALUES (4711, 'later', '2030')"))
    const older = another(rich, (db) => void down(db))
    const cases: [from: string, to: string, says: RegExp][] = [
      [foreign, newFile(), /--from: .*belongs to another program/],
      [rich, foreign, /--to: .*belongs to another program/],
      [newer, newFile(), /--from: .*newer than this release/],
      [rich, newer, /--to: .*newer than this release/],
      [older, newFile(), /--from is 1 migrations behind: run convene migrate up/],
      [newFile(), newFile(), /there is no database at/],
    ]
    for (const [from, to, says] of cases) {
      const wasThere = existsSync(to)
      expectRefusal(await copy(`sqlite:${from}`, `sqlite:${to}`), 1, says)
      expect(existsSync(to)).toBe(wasThere)
    }
    expect(readFileSync(foreign)).toEqual(bytes)
  })

  test('is refused before anything is copied where a row holds what the other engine would not take', async () => {
    const cases: [change: string, says: RegExp][] = [
      [
        "UPDATE messages SET text = 'a' || char(0) || 'b' WHERE seq = 2",
        /text of messages \(id \S+, chat_id \S+, seq 2\) holds a NUL/,
      ],
      ["UPDATE users SET bio = CAST(x'41eda08042' AS TEXT)", /bio of users \(rowid 1\) is not UTF-8/],
      ["UPDATE users SET bio = CAST(x'f09f98' AS TEXT)", /bio of users \(rowid 1\) is not UTF-8/],
      ["UPDATE users SET bio = x'00'", /bio of users \(id \S+\) is not text/],
      [
        'UPDATE users SET suspended_until = 9007199254740992',
        /suspended_until of users \(id \S+\) is not a whole number/,
      ],
      ["UPDATE users SET created_at = 'then'", /created_at of users \(id \S+\) is not a whole number/],
      ['UPDATE locations SET longitude = 9e999', /longitude of locations \(user_id \S+\) is not a number/],
      ['UPDATE locations SET strayed = 2', /strayed of locations \(user_id \S+\) is neither true nor false/],
    ]
    for (const [change, says] of cases) {
      const target = newFile()
      const changed = another(rich, (db) => db.run(change))
      expectRefusal(await copy(`sqlite:${changed}`, `sqlite:${target}`), 1, says)
      const db = openReadOnly(target)
      expect(db.query("SELECT 1 FROM sqlite_schema WHERE name = 'unfinished_copy'").get()).toBeNull()
      expect(db.query('SELECT 1 FROM users').get()).toBeNull()
      db.close()
    }
  })

  test('goes on where the disk was full, and ends with exactly the same', async () => {
    const target = newFile()
    const before = dump(large)
    const words = [...command, 'copy', '--from', `sqlite:${large}`, '--to', `sqlite:${target}`]
    const quoted = words.map((word) => `'${word}'`).join(' ')
    const full = Bun.spawn(['bash', '-c', `trap '' XFSZ; ulimit -f 3500; exec ${quoted}`], {
      env: { PATH: process.env.PATH, DATA_DIR: root },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    expect(await full.exited).toBe(1)
    expect(await full.stderr.text()).toMatch(/^convene: [^\n]+\n$/)

    const settings = { DATA_DIR: root, DATABASE_URL: `sqlite:${target}`, PORT: '0' }
    expectRefusal(await convene([], settings), 1, /this database is half copied: run the same convene copy again/)
    expectRefusal(await convene(['migrate', 'down'], settings), 1, /half copied/)
    expectRefusal(await copy(`sqlite:${target}`, `sqlite:${newFile()}`), 1, /--from: this database is half copied/)
    expect((await convene(['check'], settings)).out).toMatch(/WRONG {2}.*half copied/)
    const half = new Database(target)
    expect(half.query('SELECT count(*) AS n FROM users').get()).toEqual({ n: 1000 })
    expect(half.query('SELECT count(*) AS n FROM messages').get()).toEqual({ n: 0 })
    half.close()

    // Another source, or the same one changed, would not fit to what is there.
    expectRefusal(await copy(`sqlite:${rich}`, `sqlite:${target}`), 1, /half copied from another source/)
    const changed = another(large, (db) => db.run("UPDATE users SET name = 'X' WHERE rowid = 1"))
    expectRefusal(await copy(`sqlite:${changed}`, `sqlite:${target}`), 1, /or the source has changed since/)

    expectCopied(await copy(`sqlite:${large}`, `sqlite:${target}`), rowsIn(before))
    expect(dump(target)).toEqual(before)
    expectRefusal(await copy(`sqlite:${large}`, `sqlite:${target}`), 1, /has rows in users already/)
  })
})

describe.skipIf(noPostgres !== null)(`between a file and PostgreSQL${noPostgres ? `, ${noPostgres}` : ''}`, () => {
  test('there and back again, everything is as it was, to the last bit', async () => {
    const { url, sql } = await server()
    const before = dump(rich)
    const there = expectCopied(await copy(`sqlite:${rich}`, url), rowsIn(before))

    const positions: { user_id: string; bits: string }[] = await sql.unsafe(
      "SELECT user_id, encode(float8send(latitude) || float8send(longitude), 'hex') AS bits FROM locations",
    )
    const db = openReadOnly(rich)
    expect(new Map(positions.map(({ user_id, bits }) => [user_id, bits]))).toEqual(
      new Map(
        db
          .query<{ user_id: string; latitude: number; longitude: number }, []>('SELECT * FROM locations')
          .all()
          .map(({ user_id, latitude, longitude }) => {
            const bytes = Buffer.alloc(16)
            bytes.writeDoubleBE(latitude)
            bytes.writeDoubleBE(longitude, 8)
            return [user_id, bytes.toString('hex')]
          }),
      ),
    )
    db.close()
    expect(await sql.unsafe("SELECT 1 FROM pg_tables WHERE tablename = 'unfinished_copy'")).toHaveLength(0)
    expect(
      await sql.unsafe('SELECT * FROM nearby_traits EXCEPT SELECT trait, square, user_id FROM visible_traits'),
    ).toHaveLength(0)

    const back = newFile()
    expect(expectCopied(await copy(url, `sqlite:${back}`), rowsIn(before))).toEqual(there)
    expect(dump(back)).toEqual(before)
  }, 120_000)

  test('from one server to another, and by way of a file, arrives the same', async () => {
    const [one, two, three] = [await server(migratedPostgres), await server(migratedPostgres), await server()]
    const rows = rowsIn(dump(rich))
    expectCopied(await copy(`sqlite:${rich}`, one.url), rows)
    const before = await dumpServer(one.sql)
    expectCopied(await copy(one.url, two.url), rows)
    expect(await dumpServer(two.sql)).toEqual(before)
    const file = newFile()
    expectCopied(await copy(two.url, `sqlite:${file}`), rows)
    expectCopied(await copy(`sqlite:${file}`, three.url), rows)
    expect(await dumpServer(three.sql)).toEqual(before)
  }, 120_000)

  test('killed in the middle of a table, the same command goes on, and a start in between is refused', async () => {
    const { url, sql } = await server(migratedPostgres)
    const before = dump(large)
    const db = openReadOnly(large)
    // Of the second of two batches: the copy waits for whoever has written the same row.
    const [trait, square, userId] = db
      .query<[string, number, string], []>(
        `SELECT trait, n.square, user_id FROM nearby_traits n JOIN locations l ON l.id = n.location_id
         ORDER BY trait, n.square, location_id LIMIT 1 OFFSET 5500`,
      )
      .values()[0] as [string, number, string]
    db.close()
    await killedCopy(large, url, (tx) =>
      tx.unsafe('INSERT INTO nearby_traits (trait, square, user_id) VALUES ($1, $2, $3)', [trait, square, userId]),
    )

    expect(await sql.unsafe('SELECT count(*)::int AS n FROM users')).toEqual([{ n: 1000 }] as never)
    expect(await sql.unsafe('SELECT count(*)::int AS n FROM messages')).toEqual([{ n: 0 }] as never)
    expectRefusal(await convene([], { DATA_DIR: join(root, 'node'), DATABASE_URL: url, PORT: '0' }), 1, /half copied/)
    expectRefusal(await copy(`sqlite:${rich}`, url), 1, /half copied from another source/)

    expectCopied(await copy(`sqlite:${large}`, url), rowsIn(before))
    const back = newFile()
    expectCopied(await copy(url, `sqlite:${back}`), rowsIn(before))
    expect(dump(back)).toEqual(before)
  }, 120_000)

  test('what is changed in a half copied target is noticed, by the table’s name, and no server starts on it', async () => {
    const { url, sql } = await server(migratedPostgres)
    // Reads go on, and the rows of the last table wait.
    await killedCopy(rich, url, (tx) => tx.unsafe('LOCK TABLE evidence_photos IN SHARE MODE'))
    await sql.unsafe("UPDATE users SET city = 'Nowhere' WHERE id = (SELECT min(id) FROM users)")
    const outcome = await copy(`sqlite:${rich}`, url)
    expectRefusal(outcome, 1, /the copy differs from its source in users \(10 rows, 10 there\): empty the target/)
    expectRefusal(await convene([], { DATA_DIR: join(root, 'node'), DATABASE_URL: url, PORT: '0' }), 1, /half copied/)
  }, 120_000)

  test('is refused where nodes run on either of them, or the target holds anything', async () => {
    const [filled, empty] = [await server(migratedPostgres), await server(migratedPostgres)]
    expectCopied(await copy(`sqlite:${rich}`, filled.url), rowsIn(dump(rich)))
    expectRefusal(await copy(`sqlite:${rich}`, filled.url), 1, /the target has rows in users already/)
    for (const [used, from, to] of [
      [filled.url, filled.url, `sqlite:${newFile()}`],
      [empty.url, `sqlite:${rich}`, empty.url],
    ] as const) {
      const node = await openNode(used)
      await node.read((q) => q.get('SELECT 1'))
      expectRefusal(await copy(from, to), 1, /nodes of Convene use postgres:\S+ \(\d+ connections\): stop all of them/)
      await node.close()
    }
  }, 120_000)

  test('is refused where the server is not there, or its database another program’s, older or newer', async () => {
    const { url, sql } = await server()
    const other = await server()
    await other.sql.unsafe('CREATE TABLE theirs (x int)')
    const gone = new URL(url)
    gone.password = 'a-secret'
    gone.port = '1'
    const missing = await copy(`sqlite:${rich}`, gone.href)
    expectRefusal(missing, 1, /--to: postgres:.* cannot be reached .* that --to is right/)
    expect(missing.err).not.toContain('a-secret')
    expectRefusal(await copy(`sqlite:${rich}`, other.url), 1, /--to: this database belongs to another program/)
    expectRefusal(await copy(other.url, `sqlite:${newFile()}`), 1, /--from: this database belongs to another program/)
    expectRefusal(await copy(url, `sqlite:${newFile()}`), 1, /--from is \d+ migrations behind/)
    const migrator = await openMigrator(url)
    await migrator.up()
    await migrator.down()
    await migrator.close()
    expectRefusal(await copy(url, `sqlite:${newFile()}`), 1, /--from is 1 migrations behind/)
    await sql.unsafe("INSERT INTO schema_migrations VALUES (4711, 'later', '2030')")
    expectRefusal(await copy(`sqlite:${rich}`, url), 1, /--to: .*newer than this release/)
  }, 120_000)
})

describe('a wrong command line', () => {
  const cases: [args: string[], says: RegExp][] = [
    [[], /copy takes --from URL or --to URL, or both \(see convene copy --help\)/],
    [['--from', 'mysql:x', '--to', 'sqlite:y.db'], /--from must be sqlite:PATH/],
    [['--from', 'sqlite:y.db', '--to', 'postgres://one'], /--to must be postgres:\/\/USER/],
    [['--from', 'sqlite::memory:', '--to', 'sqlite:y.db'], /--from names a database in memory/],
    [['--from', 'postgres://a/b', '--to', 'postgres://u:p@a:5432/b'], /name the same database/],
    [['--from', 'sqlite:y.db', 'more'], /unexpected argument 'more'/],
  ]
  test.each(cases)('%p ends with 2 and one line', async (args, says) => {
    expectRefusal(await convene(['copy', ...args], { DATA_DIR: join(root, 'none') }), 2, says)
    expect(existsSync(join(root, 'none'))).toBe(false)
  })

  test('a URL that is left out is that of the settings', async () => {
    const target = newFile()
    const before = dump(rich)
    const outcome = await convene(['copy', '--to', `sqlite:${target}`], {
      DATA_DIR: root,
      DATABASE_URL: `sqlite:${rich}`,
    })
    expectCopied(outcome, rowsIn(before))
    expect(dump(target)).toEqual(before)
  })
})
