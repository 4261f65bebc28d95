import { SQL } from 'bun'
import { afterEach, describe, expect, test } from 'bun:test'
import type { Chat, NewMessage } from '../../src/features/chats/store.ts'
import { type Database, openDatabase } from '../../src/storage/postgres/database.ts'
import type { Value } from '../../src/storage/postgres/queries.ts'
import { pairStates } from '../../src/storage/postgres/append.ts'
import { afterMany } from '../../src/storage/postgres/events.ts'
import { postgresStorage } from '../../src/storage/postgres/storage.ts'
import { migratedPostgres, noPostgres } from '../engines.ts'

// What is PostgreSQL's alone: who waits for whom, and how its statements find their rows.

const now = Date.UTC(2026, 10, 21, 12)

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function fresh(wrap: (db: Database) => Database = (db) => db) {
  const database = await migratedPostgres()
  const storage = postgresStorage(wrap(await openDatabase(database.url)))
  const sql = new SQL(database.url, { max: 2 })
  open.push(database.drop, storage.close, () => sql.close())
  await sql.unsafe(
    `INSERT INTO users (id, name, created_at, updated_at) VALUES ('a', 'a', 0, 0), ('b', 'b', 0, 0), ('c', 'c', 0, 0)`,
  )
  return { ...storage, sql }
}

const chatOf = async ({ chats }: Pick<Awaited<ReturnType<typeof fresh>>, 'chats'>): Promise<Chat> => {
  const ensured = await chats.ensure({ id: 'chat', user_a: 'a', user_b: 'b', created_at: now })
  if (typeof ensured === 'string') throw new Error(ensured)
  return ensured.chat
}

const message = (id: string, given: Partial<NewMessage> = {}) =>
  ({
    id,
    chat_id: 'chat',
    sender_id: 'a',
    kind: 'text',
    text: 'hello',
    photo_id: null,
    client_id: null,
    created_at: now,
    ...given,
  }) as NewMessage

/** Resolves once so many statements of the database wait for a lock. */
async function waiting(sql: SQL, count: number) {
  for (;;) {
    const [row] = await sql.unsafe(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    if (row.n >= count) return
    await Bun.sleep(5)
  }
}

describe.skipIf(noPostgres !== null)(noPostgres ?? 'who waits for whom', () => {
  const toOne = { events: [{ user_id: 'a' }] }
  const cases: { name: string; change: string; answers: unknown[] }[] = [
    {
      name: 'a block',
      change: `INSERT INTO blocks (id, blocker_id, blocked_id, created_at) VALUES ('x', 'b', 'a', 0)`,
      answers: ['blocked', 'blocked', { count: 0, last_read_message_id: null, events: [] }],
    },
    {
      name: 'an erasure',
      change: `UPDATE users SET deleted_at = 1 WHERE id = 'b'`,
      answers: ['nobody_there', toOne, { count: 1, ...toOne }],
    },
  ]
  test.each(cases)(
    'what is written while $name is under way comes before it, or finds it',
    async ({ change, answers }) => {
      const { chats, events, sql, ...all } = await fresh()
      const chat = await chatOf({ chats, ...all })
      await chats.append(message('first'), 'b', null)
      const work: (() => Promise<unknown>)[] = [
        () => chats.append(message('second'), 'b', null),
        () => chats.edit(chat, 'first', 'changed', now, 100),
        () => chats.markRead(chat, 'b', now, null),
      ]
      const under: Promise<unknown>[] = []
      await sql.begin(async (tx) => {
        await tx.unsafe(`SELECT id FROM users WHERE id = 'b' FOR NO KEY UPDATE`)
        await tx.unsafe(`SELECT id FROM chats WHERE id = 'chat' FOR NO KEY UPDATE`)
        await tx.unsafe(change)
        for (const [i, start] of work.entries()) {
          under.push(start())
          await waiting(sql, i + 1)
        }
      })
      expect(await Promise.all(under)).toMatchObject(answers)
      expect((await chats.after('chat', 0, 9)).map(({ id }) => id)).toEqual(['first'])
      expect((await events.range('b')).newest).toBe(2)
    },
  )

  test('nothing is stored of who is erased meanwhile', async () => {
    const { chats, events, sql, ...all } = await fresh()
    await chatOf({ chats, ...all })
    const under: Promise<unknown>[] = []
    await sql.begin(async (tx) => {
      await tx.unsafe(`SELECT id FROM chats WHERE id = 'chat' FOR NO KEY UPDATE`)
      await tx.unsafe(`UPDATE users SET deleted_at = 1 WHERE id = 'a'`)
      under.push(chats.append(message('late'), 'b', null))
      await waiting(sql, 1)
    })
    expect(await under[0]).toBe('nobody_there')
    expect(await chats.message('late')).toBeNull()
    expect((await events.range('a')).newest).toBe(1)
  })

  test('a block that is lifted while a message waits for its chat does not refuse it', async () => {
    const { chats, events, sql, ...all } = await fresh()
    await chatOf({ chats, ...all })
    await sql.unsafe(`INSERT INTO blocks (id, blocker_id, blocked_id, created_at) VALUES ('x', 'b', 'a', 0)`)
    const under: Promise<unknown>[] = []
    await sql.begin(async (tx) => {
      await tx.unsafe(`SELECT id FROM chats WHERE id = 'chat' FOR NO KEY UPDATE`)
      // A first message goes in no group.
      under.push(chats.append(message('one'), 'b', 3))
      await waiting(sql, 1)
      await tx.unsafe('DELETE FROM blocks')
    })
    expect(await under[0]).toMatchObject({ created: true, message: { id: 'one', seq: 1 } })
    expect((await events.range('b')).newest).toBe(2)
  })

  test('a chat that is opened while a block is under way comes before it, or is refused', async () => {
    const { chats, sql } = await fresh()
    const under: Promise<unknown>[] = []
    await sql.begin(async (tx) => {
      await tx.unsafe(`SELECT id FROM users WHERE id IN ('a', 'b') ORDER BY id FOR SHARE`)
      await tx.unsafe(`INSERT INTO blocks (id, blocker_id, blocked_id, created_at) VALUES ('x', 'b', 'a', 0)`)
      under.push(chats.ensure({ id: 'chat', user_a: 'a', user_b: 'b', created_at: now }))
      await waiting(sql, 1)
    })
    expect(await under[0]).toBe('blocked')
    expect(await chats.ofPair('a', 'b')).toBeNull()
  })

  test('chats do not wait for each other', async () => {
    const all = await fresh()
    await chatOf(all)
    await all.chats.ensure({ id: 'other', user_a: 'a', user_b: 'c', created_at: now })
    await all.sql.begin(async (tx) => {
      await tx.unsafe(`SELECT id FROM chats WHERE id = 'chat' FOR NO KEY UPDATE`)
      expect(await all.chats.append(message('one', { chat_id: 'other' }), 'c', null)).toMatchObject({ created: true })
    })
  })
})

describe.skipIf(noPostgres !== null)(noPostgres ?? 'plans', () => {
  type Statement = [text: string, values: readonly Value[]]

  /** The statements that the stores run, each once. */
  function recording(seen: Map<string, Statement>) {
    return (db: Database): Database => {
      const through =
        (run: Database['read']): Database['read'] =>
        (work) =>
          run((q) => {
            // oxlint-disable-next-line no-explicit-any -- any of the three, whatever it answers
            const noted =
              (method: (...args: any[]) => any) =>
              // oxlint-disable-next-line no-explicit-any -- a text, or a statement made by `build`, of which there is none here
              (text: any, values: readonly Value[] = []) => {
                seen.set(text, [text, values])
                return method(text, values)
              }
            return work({
              all: noted(q.all),
              get: noted(q.get),
              one: noted(q.one),
              run: noted(q.run),
              values: noted(q.values),
              result: noted(q.result),
            })
          })
      return { ...db, read: through(db.read), write: through(db.write), statement: through(db.statement) }
    }
  }

  /** The tables that a statement reads from end to end where it need not. */
  async function scanned(sql: SQL, [text, values]: Statement): Promise<string[]> {
    const plan = await sql.begin(async (tx) => {
      await tx.unsafe('SET LOCAL enable_seqscan = off')
      return (await tx.unsafe(`EXPLAIN ${text}`, values as Value[])) as { 'QUERY PLAN': string }[]
    })
    return plan.flatMap((line) => /Seq Scan on (\w+)/.exec(line['QUERY PLAN'])?.[1] ?? [])
  }

  test('no statement of chats, images and positions reads a table from end to end', async () => {
    const seen = new Map<string, Statement>()
    const all = await fresh(recording(seen))
    const { chats, media, locations, lastSeen, sql } = all
    const chat = await chatOf(all)
    const image = {
      id: 'i',
      owner_id: 'a',
      file: 'f',
      width: 1,
      height: 1,
      placeholder: '',
      bytes: 1,
      created_at: now,
      thumb_bytes: null,
    }
    await media.add(image, 500)
    await chats.append(message('one', { client_id: 'x' }), 'b', null)
    await chats.append(message('two', { client_id: 'x' }), 'b', 3)
    await chats.append(message('three', { kind: 'photo', photo_id: 'i' }), 'b', 3)
    await chats.markRead(chat, 'b', now, null)
    await chats.edit(chat, 'one', 'changed', now, 100)
    await chats.remove(chat, 'three', now)
    await chats.list('a', 10, { at: now, id: 'z' })
    await chats.entries('a', ['chat'])
    await chats.peers('a', 100)
    await chats.byId('chat')
    await lastSeen.note([{ user_id: 'a', at: now }])
    await lastSeen.of(['a', 'b'])
    await chats.before('chat', 9, 9)
    await chats.after('chat', 0, 9)
    await chats.message('one')
    await chats.messages(['one', 'two'])
    await chats.hasWritten('chat', 'a')
    for (const scope of ['upload', 'profile', 'one']) await media.fileFor('i', scope)
    await media.before(now, null, 9)
    await media.strayFiles(['f', 'g'])
    await media.removeUnused(['i'])
    const centre = { latitude: 52, longitude: 13 }
    await locations.follow(
      'a',
      () => ({ published: centre, cell: 'ab', strayed: false, tags: [{ tag: 'ab', uses: 1 }] }),
      now,
    )
    await locations.follow('a', (before) => ({ ...before, tags: [] }), now)
    await locations.setVisible('a', true)
    await locations.of('a')
    for (const filters of [{}, { drinks: ['tea'] }, { drinks: ['tea'], gender: ['other'], language: ['en'] }])
      await locations.nearby({
        caller: 'b',
        centre,
        radius: 5000,
        limit: 9,
        filters,
        after: null,
        since: 0,
        now,
      })
    expect(seen.size).toBeGreaterThan(45)
    const found = []
    for (const statement of seen.values())
      for (const table of await scanned(sql, statement)) found.push({ table, text: statement[0] })
    expect(found).toEqual([])
    expect(await scanned(sql, ['SELECT id FROM messages WHERE text = $1', ['x']])).toEqual(['messages'])
  })
})

test.skipIf(noPostgres !== null)(
  `what many have missed is read by their numbers, however many events there are${noPostgres ? `, ${noPostgres}` : ''}`,
  async () => {
    const { sql } = await fresh()
    await sql
      .unsafe(
        `
      INSERT INTO users (id, name, created_at, updated_at) SELECT 'u' || i, 'u', 0, 0 FROM generate_series(1, 100) i;
      INSERT INTO events (user_id, seq, type, at) SELECT 'u' || i, n, 'chat', 0 FROM generate_series(1, 100) i, generate_series(1, 300) n;
      ANALYZE events`,
      )
      .simple()
    // As after some runs of a prepared statement: one plan for all that it may be given.
    const plan = await sql.begin(async (tx) => {
      await tx.unsafe('SET LOCAL plan_cache_mode = force_generic_plan')
      await tx.unsafe(`PREPARE missed (text[], int8[], int8) AS ${afterMany}`)
      return tx.unsafe("EXPLAIN EXECUTE missed (ARRAY['u1', 'u50'], ARRAY[299, 299], 1000)")
    })
    const lines = plan.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
    expect(lines).toMatch(/Index Cond: \(\(user_id = s\.user_id\) AND \(seq > s\.since\)\)/)
    expect(lines).not.toMatch(/Merge Join|Hash Join|Seq Scan/)
  },
)

test.skipIf(noPostgres !== null)(
  `the state of pairs is read by indexes, also by a plan made while the tables were empty${noPostgres ? `, ${noPostgres}` : ''}`,
  async () => {
    const { sql } = await fresh()
    const plan = await sql.begin(async (tx) => {
      await tx.unsafe('SET LOCAL plan_cache_mode = force_generic_plan')
      await tx.unsafe(`PREPARE states (text[]) AS ${pairStates}`)
      return tx.unsafe("EXPLAIN EXECUTE states ('{chat}')")
    })
    const lines = plan.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
    expect(lines).toMatch(/Index Only Scan using blocks_/)
    expect(lines).not.toMatch(/hashed|Seq Scan on (blocks|users)/)
  },
)
