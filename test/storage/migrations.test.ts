import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { migrations } from '../../migrations/index.ts'
import { down, MigrationError, status, up } from '../../src/storage/migrate.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import * as schema from '../../src/storage/sqlite/schema.ts'

type Row = Record<string, string | number | Uint8Array | null>

const rows = <T = Row>(db: Database, sql: string, ...values: string[]) => db.query<T, string[]>(sql).all(...values)

const tablesOf = (db: Database) =>
  rows<{ name: string }>(
    db,
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'schema\\_%' ESCAPE '\\' ORDER BY rowid",
  ).map(({ name }) => name)

type Column = { name: string; type: string; notnull: number; dflt_value: string | null; pk: number; hidden: number }
const columnsOf = (db: Database, table: string) =>
  rows<Column>(
    db,
    'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid',
    table,
  )

type ForeignKey = { table: string; from: string; to: string }
const foreignKeysOf = (db: Database, table: string) =>
  rows<ForeignKey>(db, 'SELECT "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY "from"', table)

/** All that a schema says, but for the order of columns. */
const schemaOf = (db: Database) => ({
  tables: Object.fromEntries(
    tablesOf(db).map((table) => [
      table,
      {
        columns: Object.fromEntries(columnsOf(db, table).map((column) => [column.name, column])),
        foreignKeys: foreignKeysOf(db, table),
      },
    ]),
  ),
  indexes: rows(db, "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"),
})

const dataOf = (db: Database) =>
  new Map(tablesOf(db).map((table) => [table, rows(db, `SELECT * FROM ${table} ORDER BY 1, 2`)]))

/** The part of the data that stands in those columns. */
const within = (data: Map<string, Row[]>, columns: Map<string, string[]>) =>
  Object.fromEntries(
    [...columns].map(([table, names]) => [
      table,
      data.get(table)?.map((row) => Object.fromEntries(names.map((name) => [name, row[name]]))),
    ]),
  )

/** Puts rows into every table, finding out from the schema what may stand in each column. */
function fill(db: Database) {
  // A step that makes a table anew puts it behind those that refer to it.
  db.run('PRAGMA foreign_keys = OFF')
  for (const table of tablesOf(db)) {
    const [{ sql }] = rows<{ sql: string }>(db, 'SELECT sql FROM sqlite_schema WHERE name = ?', table) as [
      { sql: string },
    ]
    const references = new Map(foreignKeysOf(db, table).map((key) => [key.from, key]))
    const columns = columnsOf(db, table).filter(({ hidden }) => hidden === 0)
    for (let i = 0; i < (table === 'users' ? 3 : 2); i++) {
      const value = ({ name, type }: Column): string | number | Uint8Array => {
        const reference = references.get(name)
        // The two of a chat are two.
        if (reference) return `${reference.table}-${reference.to}-${name === 'user_b' ? i + 1 : i}`
        const oneOf = new RegExp(`\\b${name} IN \\('(\\w+)'`).exec(sql)
        if (oneOf) return oneOf[1]!
        if (type === 'INTEGER') return i + 1
        if (type === 'REAL') return i + 0.5
        // Lists are JSON.
        const byDefault = /\b(\w+)\s+TEXT NOT NULL DEFAULT '\[\]'/g
        if ([...sql.matchAll(byDefault)].some(([, column]) => column === name)) return JSON.stringify([`${name}-${i}`])
        if (type === 'BLOB') return new Uint8Array([i])
        return `${table}-${name}-${i}`
      }
      db.query(
        `INSERT INTO ${table} (${columns.map(({ name }) => name).join()}) VALUES (${columns.map(() => '?').join()})`,
      ).run(...columns.map(value))
    }
  }
  expect(rows(db, 'PRAGMA foreign_key_check')).toEqual([])
  db.run('PRAGMA foreign_keys = ON')
}

function migrated({ to }: { to?: number } = {}) {
  const db = openDatabase(':memory:')
  up(db, { to, now: () => Date.UTC(2026, 10, 21) })
  return db
}

const applied = (db: Database) =>
  status(db)
    .filter(({ applied_at }) => applied_at !== null)
    .map(({ number }) => number)

const numbers = migrations.map(({ number }) => number)

describe('steps', () => {
  test('are numbered in order, without the one that was never used', () => {
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers.slice(0, 5)).toEqual([1, 2, 3, 4, 6])
  })

  test('are what the interface says of each number', () => {
    const made: Record<number, string[]> = {}
    const db = openDatabase(':memory:')
    for (const number of numbers) {
      const before = tablesOf(db)
      up(db, { to: number })
      made[number] = tablesOf(db).filter((table) => !before.includes(table))
    }
    expect(made[1]!.sort()).toEqual(['audit_log', 'consent_log', 'users'])
    expect(made[2]).toEqual(expect.arrayContaining(['preferences', 'locations']))
    expect(made[3]!.sort()).toEqual(['blocks', 'chats', 'messages', 'reports'])
    expect(made[4]!.sort()).toEqual(['reviews', 'user_stats'])
    expect(made[6]).toEqual([])
    expect(columnsOf(migrated({ to: 4 }), 'messages').map(({ name }) => name)).not.toContain('read_at')
    expect(columnsOf(migrated({ to: 6 }), 'messages').map(({ name }) => name)).toContain('read_at')
  })

  test('each goes down and up again over a filled database, which keeps what it does not concern', () => {
    const db = migrated()
    fill(db)
    // Who is visible follows from the consents, which rows made up one by one do not agree on.
    db.run('UPDATE locations SET visible = 0, held_back = 0')
    for (const table of tablesOf(db)) expect(rows(db, `SELECT 1 FROM ${table}`).length).toBeGreaterThan(1)
    expect(rows(db, 'PRAGMA foreign_key_check')).toEqual([])

    for (const number of [...numbers].reverse()) {
      const before = { schema: schemaOf(db), data: dataOf(db) }
      expect(down(db)).toEqual([expect.stringMatching(new RegExp(`^${String(number).padStart(4, '0')}_`))])
      expect(applied(db)).toEqual(numbers.filter((other) => other < number))
      const untouched = new Map(
        // What the search reads is made of other tables, and a step may make it anew.
        tablesOf(db)
          .filter((table) => table !== 'nearby_traits' && table !== 'nearby_people')
          .map((table) => {
            const names = columnsOf(db, table).map(({ name }) => name)
            return [table, names.filter((name) => name in before.schema.tables[table]!.columns)]
          }),
      )
      expect(within(dataOf(db), untouched)).toEqual(within(before.data, untouched))

      up(db, { to: number })
      expect(schemaOf(db)).toEqual(before.schema)
      expect(within(dataOf(db), untouched)).toEqual(within(before.data, untouched))
      expect(rows(db, 'PRAGMA foreign_key_check')).toEqual([])
      expect(rows(db, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      down(db)
    }
    expect(tablesOf(db)).toEqual([])
    expect(rows(db, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")).toEqual([])
  })

  test('a message that was read stays read through the step that remembers when, and back', () => {
    const db = migrated()
    fill(db)
    db.run("UPDATE messages SET read_at = NULL WHERE id = 'messages-id-1'")
    const read = () => rows(db, 'SELECT id, read_at IS NOT NULL AS read FROM messages ORDER BY id')
    const asWas = read()
    expect(asWas.map(({ read }) => read)).toEqual([1, 0])
    down(db, { steps: numbers.filter((number) => number >= 6).length })
    expect(rows(db, 'SELECT id, read FROM messages ORDER BY id')).toEqual(asWas)
    up(db)
    expect(read()).toEqual(asWas)
    expect(rows(db, "SELECT read_at = created_at AS guess FROM messages WHERE id = 'messages-id-0'")).toEqual([
      { guess: 1 },
    ])
  })

  test('what is unread is counted by the step that stores the counts', () => {
    const db = migrated()
    fill(db)
    db.run('DELETE FROM message_versions; DELETE FROM messages')
    const [chat] = db.query<{ id: string; user_a: string; user_b: string }, []>('SELECT * FROM chats').all()
    const say = db.prepare(
      "INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, read_at, deleted_at, created_at) VALUES (?, ?, ?, ?, 'text', 'x', ?, ?, 1)",
    )
    const { id, user_a: a, user_b: b } = chat!
    const said = [
      [a, 1, null],
      [b, 1, null],
      [a, null, null],
      [b, 1, null],
      [a, null, 1],
      [a, null, null],
    ] as const
    for (const [i, [sender, read_at, deleted_at]] of said.entries())
      say.run(`m${i}`, id, i + 1, sender, read_at, deleted_at)
    db.run('UPDATE chats SET last_seq = 6 WHERE id = ?', [id])
    down(db, { steps: numbers.filter((number) => number >= 14).length })
    up(db)
    expect(rows(db, `SELECT unread_a, read_to_a, unread_b, read_to_b FROM chats WHERE id = '${id}'`)).toEqual([
      { unread_a: 0, read_to_a: 6, unread_b: 2, read_to_b: 2 },
    ])
  })

  test('who has written in a chat is found by the step that stores it, also from deleted messages', () => {
    const db = migrated()
    fill(db)
    db.run('DELETE FROM message_versions; DELETE FROM messages')
    const [both, one] = db.query<{ id: string; user_a: string; user_b: string }, []>('SELECT * FROM chats').all()
    const say = db.prepare(
      "INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, deleted_at, created_at) VALUES (?, ?, ?, ?, 'text', 'x', ?, 1)",
    )
    say.run('m1', both!.id, 1, both!.user_a, 1)
    say.run('m2', both!.id, 2, both!.user_b, null)
    say.run('m3', one!.id, 1, one!.user_b, null)
    down(db, { steps: numbers.filter((number) => number >= 17).length })
    up(db)
    expect(rows(db, 'SELECT wrote_a, wrote_b FROM chats ORDER BY id')).toEqual([
      { wrote_a: 1, wrote_b: 1 },
      { wrote_a: 0, wrote_b: 1 },
    ])
  })

  test('who wants to be seen without the consents is held back by the step that stores it, and shown again without it', () => {
    const db = migrated({ to: 16 })
    const person = (id: string, visible: number, consents: Record<string, number[]>) => {
      db.query('INSERT INTO users (id, created_at, updated_at) VALUES (?, 1, 1)').run(id)
      db.query(
        'INSERT INTO locations (user_id, latitude, longitude, square, visible, updated_at) VALUES (?, 1, 1, 7, ?, 1)',
      ).run(id, visible)
      for (const [kind, choices] of Object.entries(consents))
        for (const accepted of choices)
          db.query('INSERT INTO consent_log VALUES (?, ?, ?, ?, ?, ?, 1, NULL, NULL)').run(
            crypto.randomUUID(),
            id,
            kind,
            accepted,
            'v',
            'h',
          )
    }
    person('all', 1, { terms: [0, 1], privacy: [1], disclaimer: [1] })
    person('none', 1, {})
    person('withdrew', 1, { terms: [1], privacy: [1, 0], disclaimer: [1] })
    person('marketing', 1, { terms: [1], privacy: [1], marketing: [1] })
    person('hides', 0, {})
    db.run('INSERT INTO nearby_traits SELECT trait, square, location_id FROM visible_traits')
    const before = dataOf(db)
    const state = () => rows(db, 'SELECT user_id, visible, held_back FROM locations ORDER BY 1')
    const listed = () =>
      rows(db, 'SELECT user_id FROM nearby_traits AS t JOIN locations AS l ON l.id = t.location_id ORDER BY 1')
    up(db, { to: 21 })
    expect(state()).toEqual([
      { user_id: 'all', visible: 1, held_back: 0 },
      { user_id: 'hides', visible: 0, held_back: 0 },
      { user_id: 'marketing', visible: 0, held_back: 1 },
      { user_id: 'none', visible: 0, held_back: 1 },
      { user_id: 'withdrew', visible: 0, held_back: 1 },
    ])
    expect(listed()).toEqual([{ user_id: 'all' }])
    down(db, { steps: numbers.filter((number) => number > 16 && number <= 21).length })
    expect(dataOf(db)).toEqual(before)
  })
})

describe('up', () => {
  test('applies what is missing in order, tells of each, and does nothing the second time', () => {
    const db = openDatabase(':memory:')
    const told: string[] = []
    const done = up(db, { now: () => Date.UTC(2026, 10, 21), onStep: (name) => told.push(name) })
    expect(done).toHaveLength(numbers.length)
    expect(told).toEqual(done)
    expect(done[0]).toBe('0001_users_consents_audit')
    expect(status(db)[0]).toEqual({ number: 1, name: 'users_consents_audit', applied_at: '2026-11-21T00:00:00.000Z' })
    const before = schemaOf(db)
    expect(up(db)).toEqual([])
    expect(schemaOf(db)).toEqual(before)
  })

  test('a step that fails leaves the schema as it was before it, and the steps before it applied', () => {
    const db = migrated({ to: 4 })
    // The step changes `users` and makes two tables before it gets to this one.
    db.run('CREATE TABLE appeals (mine INTEGER)')
    const users = columnsOf(db, 'users')
    expect(() => up(db)).toThrow(MigrationError)
    expect(() => up(db)).toThrow('migration 0010_moderation failed and was undone')
    expect(applied(db)).toEqual(numbers.filter((number) => number < 10))
    expect(columnsOf(db, 'users')).toEqual(users)
    expect(tablesOf(db)).not.toContain('notices')

    db.run('DROP TABLE appeals')
    up(db)
    expect(schemaOf(db)).toEqual(schemaOf(migrated()))
  })
})

describe('down', () => {
  test('takes back the newest step, or as many as told, and no more than there are', () => {
    const db = migrated()
    expect(down(db, { steps: 0 })).toEqual([])
    expect(down(db, { steps: 2 })).toHaveLength(2)
    expect(applied(db)).toEqual(numbers.slice(0, -2))
    const told: string[] = []
    expect(down(db, { steps: 1000, onStep: (name) => told.push(name) })).toEqual(told)
    expect(told).toHaveLength(numbers.length - 2)
    expect(told.at(-1)).toBe('0001_users_consents_audit')
    expect(down(db)).toEqual([])
  })
})

describe('status', () => {
  test('tells what is applied and changes nothing', () => {
    const empty = openDatabase(':memory:')
    expect(status(empty).every(({ applied_at }) => applied_at === null)).toBe(true)
    expect(rows(empty, 'SELECT name FROM sqlite_schema')).toEqual([])
    expect(applied(migrated({ to: 3 }))).toEqual([1, 2, 3])
  })
})

describe('a database is refused untouched', () => {
  const refused = (db: Database, message: RegExp) => {
    const before = { schema: rows(db, 'SELECT * FROM sqlite_schema'), migrations: schemaOf(db) }
    for (const command of [up, down, status]) {
      expect(() => command(db)).toThrow(MigrationError)
      expect(() => command(db)).toThrow(message)
    }
    expect({ schema: rows(db, 'SELECT * FROM sqlite_schema'), migrations: schemaOf(db) }).toEqual(before)
  }

  test('where a newer release migrated it', () => {
    const db = migrated()
    db.run("INSERT INTO schema_migrations VALUES (9998, 'beyond', '2030-01-01T00:00:00.000Z')")
    db.run("INSERT INTO schema_migrations VALUES (9999, 'farther', '2030-01-02T00:00:00.000Z')")
    refused(db, /^this database is at migration 9999, newer than this release knows \(\d+\): [^\n]+$/)
  })

  test('where it is another program’s', () => {
    const db = openDatabase(':memory:')
    db.run('CREATE TABLE posts (id INTEGER)')
    refused(db, /^this database belongs to another program[^\n]+$/)
  })

  test('where the other program keeps a table of the same name', () => {
    const db = openDatabase(':memory:')
    db.run('CREATE TABLE schema_migrations (version TEXT NOT NULL, dirty INTEGER)')
    refused(db, /^this database belongs to another program/)
  })
})

describe('the Drizzle schema is the migrated one', () => {
  const db = migrated()
  const tables = Object.values(schema).filter((value) => is(value, SQLiteTable))
  const uniqueOf = (table: string) =>
    rows<{ name: string }>(
      db,
      `SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND origin <> 'pk' AND partial = 0`,
      table,
    ).map(({ name }) => rows<{ name: string }>(db, 'SELECT name FROM pragma_index_info(?)', name).map((c) => c.name))

  test('in its tables', () => {
    expect(tables.map((table) => getTableConfig(table).name).sort()).toEqual(tablesOf(db).sort())
  })

  test.each(tables.map((table) => [getTableConfig(table).name, table] as const))('in %s', (name, table) => {
    const config = getTableConfig(table)
    const columns = config.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      nullable: !column.notNull,
      hasDefault: column.hasDefault,
    }))
    const migratedColumns = columnsOf(db, name)
    const primary = migratedColumns.filter(({ pk }) => pk > 0)
    expect(columns).toEqual(
      migratedColumns.map((column) => ({
        name: column.name,
        type: column.type,
        nullable: column.notnull === 0,
        // An INTEGER PRIMARY KEY numbers itself.
        hasDefault:
          column.dflt_value !== null || (column.pk === 1 && column.type === 'INTEGER' && primary.length === 1),
      })),
    )

    const primaryKey = config.primaryKeys[0]?.columns ?? config.columns.filter((column) => column.primary)
    expect(primaryKey.map((column) => column.name)).toEqual(
      primary.sort((a, b) => a.pk - b.pk).map((column) => column.name),
    )

    const unique = [
      ...config.columns.filter((column) => column.isUnique).map((column) => [column.name]),
      ...config.uniqueConstraints.map((constraint) => constraint.columns.map((column) => column.name)),
    ]
    expect(unique.sort()).toEqual(uniqueOf(name).sort())
  })
})

test('photos elsewhere are removed by the step that refuses them, but those that a messenger named stay noted', () => {
  const db = new Database(':memory:')
  up(db, { to: 16 })
  const insert = db.prepare(
    'INSERT INTO users (id, messenger_id, photo, created_at, updated_at) VALUES (?, ?, ?, 1, 1)',
  )
  insert.run('elsewhere', null, 'https://example.org/a.jpg')
  insert.run('messenger', '42', 'https://t.me/i/a.jpg')
  insert.run('image', null, '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11')
  insert.run('none', null, null)
  up(db)
  expect(rows(db, 'SELECT id, photo FROM users ORDER BY id')).toEqual([
    { id: 'elsewhere', photo: null },
    { id: 'image', photo: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11' },
    { id: 'messenger', photo: 'https://t.me/i/a.jpg' },
    { id: 'none', photo: null },
  ])
})
