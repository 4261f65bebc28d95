import { SQL } from 'bun'
import { afterEach, describe, expect, test } from 'bun:test'
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { migrations } from '../../migrations/index.ts'
import { MigrationError } from '../../src/storage/migrate.ts'
import { openDatabase } from '../../src/storage/postgres/database.ts'
import { openMigrator } from '../../src/storage/postgres/migrate.ts'
import { tables as schema } from '../../src/storage/postgres/schema.ts'
import { convene } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

async function empty() {
  const { url, drop } = await newPostgres()
  const sql = new SQL(url, { max: 1 })
  cleanUp.push(drop, () => sql.close())
  const migrator = async () => {
    const opened = await openMigrator(url)
    cleanUp.push(opened.close)
    return opened
  }
  return { url, sql, migrator }
}

// There from the first step that says with what it is compatible, and never taken away again.
const leftOver = "NOT LIKE 'schema_compatibility%'"

/** All that a schema says, but for the order of columns. */
async function schemaOf(sql: SQL) {
  const columns = await sql.unsafe(`
    SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name ${leftOver} ORDER BY 1, 2`)
  const indexes = await sql.unsafe(
    `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname ${leftOver} ORDER BY 1`,
  )
  const constraints = await sql.unsafe(`
    SELECT conrelid::regclass::text AS of, conname, pg_get_constraintdef(oid) AS says FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND conname ${leftOver} ORDER BY 1, 2`)
  return JSON.parse(JSON.stringify({ columns, indexes, constraints })) as Record<string, Record<string, string>[]>
}

const numbers = migrations.map(({ number }) => number)

describe.skipIf(noPostgres !== null)(`migrations on PostgreSQL${noPostgres ? `, ${noPostgres}` : ''}`, () => {
  test('each goes down, and up again to the same schema', async () => {
    const { sql, migrator } = await empty()
    const { up, down, status } = await migrator()
    const before = new Map<number, Awaited<ReturnType<typeof schemaOf>>>()
    for (const number of numbers) {
      expect(await up({ to: number })).toEqual([
        expect.stringMatching(new RegExp(`^${String(number).padStart(4, '0')}_`)),
      ])
      before.set(number, await schemaOf(sql))
    }
    expect(await up()).toEqual([])
    for (const number of numbers.toReversed()) {
      expect(await schemaOf(sql)).toEqual(before.get(number)!)
      expect(await down()).toHaveLength(1)
    }
    expect(await down()).toEqual([])
    expect((await status()).every(({ applied_at }) => applied_at === null)).toBe(true)
    await up()
    expect(await schemaOf(sql)).toEqual(before.get(numbers.at(-1)!)!)
  })

  test('who has written in a chat is found by the step that stores it, also from deleted messages', async () => {
    const { sql, migrator } = await empty()
    const { up } = await migrator()
    await up({ to: 16 })
    await sql.unsafe(`
      INSERT INTO chats (id, user_a, user_b, created_at) VALUES ('both', 'a', 'b', 1), ('one', 'a', 'c', 1), ('none', 'b', 'c', 1);
      INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, deleted_at, created_at) VALUES
        ('m1', 'both', 1, 'a', 'text', NULL, 1, 1), ('m2', 'both', 2, 'b', 'text', 'x', NULL, 1), ('m3', 'one', 1, 'c', 'text', 'x', NULL, 1)`)
    await up()
    expect(await sql.unsafe('SELECT id, wrote_a, wrote_b FROM chats ORDER BY id').values()).toEqual([
      ['both', true, true],
      ['none', false, false],
      ['one', false, true],
    ])
  })

  test('who wants to be seen without the consents is held back by the step that stores it, and shown again without it', async () => {
    const { sql, migrator } = await empty()
    const { up, down } = await migrator()
    await up({ to: 16 })
    await sql.unsafe(`
      INSERT INTO users (id, created_at, updated_at) SELECT id, 1, 1 FROM unnest(ARRAY['all', 'hides', 'none', 'withdrew']) AS t (id);
      INSERT INTO locations (user_id, latitude, longitude, square, visible, updated_at)
        SELECT id, 1, 1, 7, id <> 'hides', 1 FROM users;
      INSERT INTO consent_log (user_id, seq, id, kind, accepted, version, text_hash, recorded_at)
        SELECT user_id, seq, seq, kind, accepted, 'v', 'h', 1 FROM (VALUES
          ('all', 1, 'terms', false), ('all', 2, 'terms', true), ('all', 3, 'privacy', true), ('all', 4, 'disclaimer', true),
          ('withdrew', 1, 'terms', true), ('withdrew', 2, 'privacy', true), ('withdrew', 3, 'disclaimer', true), ('withdrew', 4, 'privacy', false)
        ) AS t (user_id, seq, kind, accepted);
      INSERT INTO nearby_traits SELECT trait, square, user_id FROM visible_traits`)
    const listed = () => sql.unsafe('SELECT user_id FROM nearby_traits ORDER BY 1').values()
    await up({ to: 21 })
    expect(await sql.unsafe('SELECT user_id, visible, held_back FROM locations ORDER BY 1').values()).toEqual([
      ['all', true, false],
      ['hides', false, false],
      ['none', false, true],
      ['withdrew', false, true],
    ])
    expect(await listed()).toEqual([['all']])
    await down({ steps: migrations.filter(({ number }) => number > 16 && number <= 21).length })
    expect(await sql.unsafe('SELECT user_id, visible FROM locations ORDER BY 1').values()).toEqual([
      ['all', true],
      ['hides', false],
      ['none', true],
      ['withdrew', true],
    ])
    expect(await listed()).toEqual([['all'], ['none'], ['withdrew']])
  })

  test('the tables are what Drizzle believes, and every text of a key is ordered by its bytes', async () => {
    const { sql, migrator } = await empty()
    await (await migrator()).up()
    const { columns, indexes } = await schemaOf(sql)
    const tables = Object.values(schema).filter((table) => is(table, PgTable))
    const ours = new Set(['schema_migrations', 'schema_turn', 'traits', 'visible_traits', 'visible_people'])
    const found = new Set(columns!.map(({ table_name }) => table_name!).filter((name) => !ours.has(name)))
    expect([...found].sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort())
    for (const table of tables) {
      const config = getTableConfig(table)
      const keys = config.primaryKeys.flatMap(({ columns }) => columns.map(({ name }) => name))
      const believed = config.columns.map((column) => [
        column.name,
        column.getSQLType(),
        column.notNull || keys.includes(column.name) ? 'NO' : 'YES',
        column.default === undefined ? null : String(column.mapToDriverValue(column.default)),
      ])
      const real = columns!
        .filter(({ table_name }) => table_name === config.name)
        .map(({ column_name, data_type, is_nullable, column_default }) => [
          column_name!,
          data_type!,
          is_nullable!,
          column_default?.replace(/^'(.*)'::text$/, '$1') ?? null,
        ])
      expect(believed.sort()).toEqual(real.sort())
      const primary = keys.length > 0 ? keys : config.columns.filter(({ primary }) => primary).map(({ name }) => name)
      const index = indexes!.find(({ indexname }) => indexname === `${config.name}_pkey`)!
      expect(index.indexdef).toEndWith(`(${primary.join(', ')})`)
    }
    const sorted = await sql.unsafe(`
      SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_attribute a ON a.attrelid = i.indexrelid JOIN pg_type t ON t.oid = a.atttypid
        JOIN pg_collation l ON l.oid = a.attcollation JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND t.typname = 'text' AND l.collname <> 'C'
        AND NOT (c.relname = 'reports_queue' AND a.attname = 'status')
        AND NOT (c.relname = 'reports_by_due' AND a.attname = 'status')
        AND NOT (c.relname = 'appeals_queue' AND a.attname = 'status')
        AND NOT (c.relname = 'reports_one_open' AND a.attname = 'target')`)
    expect(Array.from(sorted)).toEqual([])
  })

  test('nodes that start at once apply each step once', async () => {
    const { sql, migrator } = await empty()
    const nodes = await Promise.all(Array.from({ length: 6 }, migrator))
    const applied = await Promise.all(nodes.map(({ up }) => up()))
    expect(applied.flat().sort()).toEqual(
      migrations.map(({ number, name }) => `${String(number).padStart(4, '0')}_${name}`),
    )
    expect(await sql.unsafe('SELECT count(*)::int4 AS n FROM schema_migrations').then((rows) => rows[0].n)).toBe(
      numbers.length,
    )
  })

  test('another program’s database, and a newer release’s, are refused and not touched', async () => {
    const { sql, migrator } = await empty()
    const { up, down, status } = await migrator()
    await sql.unsafe('CREATE TABLE schema_migrations (version bigint)')
    for (const work of [up, down, status]) expect(await thrownBy(work())).toMatch(/belongs to another program/)
    expect((await schemaOf(sql)).columns).toHaveLength(1)
    await sql.unsafe('DROP TABLE schema_migrations')
    await up()
    await sql.unsafe("INSERT INTO schema_migrations VALUES (9999, 'of_the_future', 'now')")
    const before = await schemaOf(sql)
    for (const work of [up, down, status])
      expect(await thrownBy(work())).toMatch(/migration 9999, newer than this release/)
    expect(await schemaOf(sql)).toEqual(before)
  })

  test('a step that fails leaves nothing of itself', async () => {
    const { sql, migrator } = await empty()
    const { up, status } = await migrator()
    await up({ to: 2 })
    await sql.unsafe('CREATE TABLE messages (here integer)')
    expect(await thrownBy(up())).toMatch(/0003_chats_messages_blocks_reports failed and was undone/)
    expect((await schemaOf(sql)).columns!.filter(({ table_name }) => table_name === 'chats')).toEqual([])
    expect((await status()).filter(({ applied_at }) => applied_at !== null)).toHaveLength(2)
    await sql.unsafe('DROP TABLE messages')
    expect(await up()).toHaveLength(numbers.length - 2)
  })

  test('convene migrate goes up, down and tells the status, and shows no password', async () => {
    const { url } = await empty()
    const secret = new URL(url)
    secret.password = 'hidden-word'
    const run = (...args: string[]) => convene(['migrate', ...args], { DATABASE_URL: secret.href })
    const taken = migrations.filter(({ number }) => number >= 13).toReversed()
    const outcomes = [
      await run('status'),
      await run('up'),
      await run('up'),
      await run('down', '--steps', String(taken.length)),
      await run('status'),
    ]
    for (const { code, err, out } of outcomes) {
      expect([code, err]).toEqual([0, expect.any(String)])
      expect(out + err).not.toContain('hidden-word')
    }
    const [before, up, again, down, after] = outcomes.map(({ out }) => out)
    expect(before).toMatch(/0013 {2}erasures +not applied/)
    expect(up).toContain('applied 0013_erasures')
    expect(again).toContain('nothing to do')
    expect(down).toBe(
      taken.map(({ number, name }) => `took back ${String(number).padStart(4, '0')}_${name}\n`).join(''),
    )
    expect(after).toMatch(/0012 {2}account +20/)
    expect(after).toMatch(/0013 {2}erasures +not applied/)
  })

  test('nothing is taken back while a node is connected', async () => {
    const { url, sql } = await empty()
    const migrate = (...args: string[]) => convene(['migrate', ...args], { DATABASE_URL: url })
    expect((await migrate('up')).code).toBe(0)
    const node = await openDatabase(url, { max: 1 })
    await node.read((q) => q.get('SELECT 1'))
    const { code, err } = await migrate('down', '--yes')
    expect([code, err]).toEqual([1, expect.stringMatching(/nodes of Convene use .* stop all of them first/)])
    expect((await sql`SELECT count(*)::int AS n FROM schema_migrations`)[0].n).toBe(numbers.length)
    await node.close()
    expect((await migrate('down', '--yes')).code).toBe(0)
  })
})

const thrownBy = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing',
    (error) => {
      expect(error).toBeInstanceOf(MigrationError)
      return error.message
    },
  )
