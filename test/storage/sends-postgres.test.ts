import { SQL } from 'bun'
import { afterEach, describe, expect, test } from 'bun:test'
import type { ChatStore, NewMessage } from '../../src/features/chats/store.ts'
import { type Database, openDatabase } from '../../src/storage/postgres/database.ts'
import { postgresStorage } from '../../src/storage/postgres/storage.ts'
import { cable } from '../cable.ts'
import { migratedPostgres, noPostgres } from '../engines.ts'

// Messages that arrive together share a transaction on PostgreSQL: what one of them comes to must not touch the others.

const now = Date.UTC(2026, 10, 21, 12)

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Nodes = { url: string; sql: SQL; node(url?: string, wrap?: (db: Database) => Database): Promise<ChatStore> }

/** A hub who has a chat with each of `p1`, `p2` …, by the names `c1`, `c2` …, and nodes of one database. */
async function community(people: number): Promise<Nodes> {
  const database = await migratedPostgres()
  const sql = new SQL(database.url, { max: 2 })
  open.push(database.drop, () => sql.close())
  await sql.unsafe(
    `INSERT INTO users (id, name, created_at, updated_at)
     SELECT id, id, 0, 0 FROM (SELECT 'hub' AS id UNION ALL SELECT 'p' || n FROM generate_series(1, $1::int) AS n) AS u`,
    [people],
  )
  await sql.unsafe(
    `INSERT INTO chats (id, user_a, user_b, created_at) SELECT 'c' || n, 'hub', 'p' || n, 0
     FROM generate_series(1, $1::int) AS n`,
    [people],
  )
  return {
    url: database.url,
    sql,
    async node(url = database.url, wrap = (db) => db) {
      const { chats, close } = postgresStorage(wrap(await openDatabase(url)))
      open.push(close)
      return chats
    },
  }
}

/** The database, with each of its writes noted. */
const noting =
  (writes: unknown[]) =>
  (db: Database): Database => ({
    ...db,
    write(work) {
      writes.push(work)
      return db.write(work)
    },
  })

type NewText = Extract<NewMessage, { kind: 'text' }>

const message = (chat: number, id: string, given: Partial<NewText> = {}): NewText => ({
  id,
  chat_id: `c${chat}`,
  sender_id: 'hub',
  kind: 'text',
  text: id,
  photo_id: null,
  client_id: null,
  created_at: now,
  ...given,
})
const send = (chats: ChatStore, chat: number, id: string, given: Partial<NewText> = {}) =>
  chats.append(message(chat, id, given), given.sender_id === undefined ? `p${chat}` : 'hub', null)
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i + 1))
const numbers = (n: number) => times(n, (i) => i)

/** What every user's events refer to, in the order of their numbers, which count without a gap. */
async function eventsOf(sql: SQL, userId: string): Promise<string[]> {
  const rows: { seq: string; ref: string }[] =
    await sql`SELECT seq, ref FROM events WHERE user_id = ${userId} ORDER BY seq`
  const [counter] = await sql`SELECT seq FROM event_counters WHERE user_id = ${userId}`
  expect(rows.map(({ seq }) => Number(seq))).toEqual(numbers(Number(counter?.seq ?? 0)))
  return rows.map(({ ref }) => ref)
}

const stored = async (sql: SQL): Promise<string[]> =>
  (await sql`SELECT id FROM messages ORDER BY id`).map(({ id }: { id: string }) => id)

describe.skipIf(noPostgres !== null)(noPostgres ?? 'messages that arrive together on PostgreSQL', () => {
  test('keep texts that mean something in an array of PostgreSQL', async () => {
    const { node, sql } = await community(4)
    const chats = await node()
    const texts = ['NULL', '{a,b}', ' , ', '💚 }']
    await Promise.all(texts.map((text, i) => send(chats, i + 1, `m${i}`, { text })))
    const rows: { text: string }[] = await sql`SELECT text FROM messages ORDER BY id`
    expect(rows.map(({ text }) => text)).toEqual(texts)
  })

  test('share a transaction, and each gets its numbers', async () => {
    const { node, sql } = await community(20)
    const writes: unknown[] = []
    const chats = await node(undefined, noting(writes))
    const texts = ['', '💚', 'a "b" \\ {c,NULL}', 'NULL', '\n\t']
    const answers = await Promise.all(
      times(20, (i) => send(chats, i, `m${i}`, { text: texts[i % 5]!, client_id: i % 3 === 0 ? null : `x${i}` })),
    )
    expect(writes).toHaveLength(1)
    const told = await eventsOf(sql, 'hub')
    for (const [i, answer] of answers.entries()) {
      if (typeof answer === 'string') throw new Error(answer)
      const { message: sent, created, events } = answer
      expect(created).toBe(true)
      expect(sent).toEqual((await chats.message(`m${i + 1}`))!)
      expect(sent).toMatchObject({
        seq: 1,
        text: texts[(i + 1) % 5]!,
        client_id: (i + 1) % 3 === 0 ? null : `x${i + 1}`,
      })
      expect(events).toEqual([
        { user_id: 'hub', seq: told.indexOf(sent.id) + 1 },
        { user_id: `p${i + 1}`, seq: 1 },
      ])
      expect(await eventsOf(sql, `p${i + 1}`)).toEqual([sent.id])
    }
    const [entry] = await chats.entries('p7', ['c7'])
    expect(entry).toMatchObject({ unread_count: 1, chat: { last_msg_at: now }, last_message: { id: 'm7' } })
    expect(await chats.entries('hub', ['c7'])).toMatchObject([{ unread_count: 0 }])
  })

  test('in one chat are numbered in the order in which they came', async () => {
    const { node, sql } = await community(2)
    const chats = await node()
    await Promise.all(times(30, (i) => send(chats, (i % 2) + 1, `m${String(i).padStart(2, '0')}`)))
    for (const chat of ['c1', 'c2']) {
      const found = await chats.after(chat, 0, 99)
      expect(found.map(({ seq }) => seq)).toEqual(numbers(15))
      expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).toSorted())
    }
    expect(await eventsOf(sql, 'hub')).toHaveLength(30)
  })

  test('are refused each for itself', async () => {
    const { node, sql } = await community(6)
    const chats = await node()
    await send(chats, 1, 'first', { client_id: 'x' })
    await sql`INSERT INTO blocks (id, blocker_id, blocked_id, created_at) VALUES ('b', 'p2', 'hub', 0)`
    await sql`UPDATE users SET deleted_at = 1 WHERE id = 'p3'`
    const answers = await Promise.all([
      send(chats, 1, 'again', { client_id: 'x' }),
      send(chats, 2, 'blocked'),
      send(chats, 3, 'nobody'),
      send(chats, 4, 'fine'),
      send(chats, 5, 'twice', { client_id: 'y' }),
      send(chats, 6, 'second', { client_id: 'y' }),
    ])
    expect(answers).toMatchObject([
      { created: false, message: { id: 'first' }, events: [] },
      'blocked',
      'nobody_there',
      { created: true },
      // Which of the two came first is nobody's business.
      { message: { client_id: 'y' } },
      { message: { client_id: 'y' } },
    ])
    expect(
      answers
        .slice(4)
        .map((answer) => typeof answer === 'object' && answer.created)
        .toSorted(),
    ).toEqual([false, true])
    const kept = await stored(sql)
    expect(kept).toHaveLength(3)
    expect((await eventsOf(sql, 'hub')).toSorted()).toEqual(kept)
    for (const nobody of ['p2', 'p3']) expect(await eventsOf(sql, nobody)).toEqual([])
  })

  test('that were sent before do not part the others', async () => {
    const { node, sql } = await community(20)
    const writes: unknown[] = []
    const chats = await node(undefined, noting(writes))
    await send(chats, 1, 'first', { client_id: 'x' })
    writes.length = 0
    const answers = await Promise.all(times(20, (i) => send(chats, i, `m${i}`, { client_id: i === 7 ? 'x' : `c${i}` })))
    for (const [i, answer] of answers.entries())
      expect(answer).toMatchObject(
        i === 6 ? { created: false, message: { id: 'first' } } : { created: true, message: { id: `m${i + 1}` } },
      )
    // All of them, the one by itself, and the rest.
    expect(writes).toHaveLength(3)
    expect(await stored(sql)).toHaveLength(20)
    expect(await eventsOf(sql, 'hub')).toHaveLength(20)
  })

  test('leave those across a block aside, and stay together', async () => {
    const { node, sql } = await community(3)
    const writes: unknown[] = []
    const chats = await node(undefined, noting(writes))
    await sql`INSERT INTO blocks (id, blocker_id, blocked_id, created_at) VALUES ('b', 'p2', 'hub', 0)`
    const answers = await Promise.all(numbers(3).map((i) => send(chats, i, `m${i}`)))
    expect(answers).toMatchObject([{ created: true }, 'blocked', { created: true }])
    expect(await send(chats, 2, 'again')).toBe('blocked')
    expect(writes).toHaveLength(2)
    expect(await stored(sql)).toEqual(['m1', 'm3'])
  })

  test('fail each for itself', async () => {
    const { node, sql } = await community(3)
    const chats = await node()
    const outcomes = await Promise.allSettled([
      send(chats, 1, 'm1'),
      chats.append(message(2, 'm2'), 'who is not there', null),
      send(chats, 3, 'm3'),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await stored(sql)).toEqual(['m1', 'm3'])
    expect(await eventsOf(sql, 'hub')).toHaveLength(2)
  })

  test('wait each for itself where another write holds a chat', async () => {
    const { node, sql } = await community(3)
    const chats = await node()
    let held: Promise<unknown>
    await sql.begin(async (tx) => {
      await tx.unsafe(`SELECT id FROM chats WHERE id = 'c2' FOR NO KEY UPDATE`)
      held = Promise.all([send(chats, 2, 'm2'), send(chats, 2, 'm2 too')])
      expect(await Promise.all([send(chats, 1, 'm1'), send(chats, 3, 'm3')])).toMatchObject([
        { created: true },
        { created: true },
      ])
      expect(await Promise.race([held.then(() => 'sent'), Bun.sleep(50).then(() => 'waits')])).toBe('waits')
      expect(await send(chats, 1, 'm1 too')).toMatchObject({ created: true })
    })
    expect(await held!).toMatchObject([{ message: { seq: 1 } }, { message: { seq: 2 } }])
    expect(await stored(sql)).toEqual(['m1', 'm1 too', 'm2', 'm2 too', 'm3'])
  })

  test('that come while others are stored go together, and do not wait for those that take long', async () => {
    const { node, sql } = await community(9)
    const writes: unknown[] = []
    const chats = await node(undefined, noting(writes))
    const all: Promise<unknown>[] = []
    // The first goes at once, and those of the turns after it, together, when it is stored.
    for (const i of numbers(9)) {
      all.push(send(chats, i, `m${i}`))
      await new Promise(setImmediate)
    }
    await Promise.all(all)
    expect(writes).toHaveLength(2)

    await sql`INSERT INTO chats (id, user_a, user_b, created_at) VALUES ('elsewhere', 'p2', 'p3', 0)`
    let held: Promise<unknown>
    await sql.begin(async (tx) => {
      await tx`SELECT seq FROM event_counters WHERE user_id = 'p1' FOR UPDATE`
      held = send(chats, 1, 'held')
      await Bun.sleep(5)
      const elsewhere = message(0, 'free', { chat_id: 'elsewhere', sender_id: 'p2' })
      expect(await chats.append(elsewhere, 'p3', null)).toMatchObject({ created: true })
      expect(await Promise.race([held.then(() => 'sent'), Bun.sleep(50).then(() => 'waits')])).toBe('waits')
    })
    expect(await held!).toMatchObject({ created: true })
    expect(await eventsOf(sql, 'p1')).toEqual(['m1', 'held'])
  })

  test.each([
    ['was stored', 'pass, then cut', 2],
    ['was not stored', 'cut', 0],
  ] as const)('are busy together, and no others, where their commit is not answered: it %s', async (_, fate, kept) => {
    const { node, sql, url } = await community(4)
    const { username, pathname, port } = new URL(url)
    let commits = 0
    const line = await cable(Number(port || 5432), (sent) =>
      sent.includes('COMMIT') && commits++ === 0 ? fate : 'pass',
    )
    open.push(line.unplug)
    const chats = await node(`postgres://${username}@127.0.0.1:${line.port}${pathname}?max=4`)
    const lost = await Promise.allSettled([send(chats, 1, 'm1'), send(chats, 2, 'm2')])
    for (const outcome of lost)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'busy', headers: { 'retry-after': '1' } } })
    expect(await stored(sql)).toHaveLength(kept)
    expect(await Promise.all([send(chats, 3, 'm3'), send(chats, 1, 'm4')])).toMatchObject([
      { created: true },
      { created: true },
    ])
    expect(await eventsOf(sql, 'hub')).toHaveLength(kept + 2)
  })

  test('from several nodes into the same chats are all there, once and without a gap', async () => {
    const { node, sql } = await community(5)
    const nodes = [await node(), await node(), await node()]
    const sent = await Promise.all(
      times(180, (i) => {
        const chat = (i % 5) + 1
        const given = i % 2 === 0 ? {} : { sender_id: `p${chat}` }
        return send(nodes[i % 3]!, chat, `m${i}`, { ...given, client_id: `x${i}` })
      }),
    )
    expect(sent.every((answer) => typeof answer === 'object' && answer.created)).toBe(true)
    expect(await stored(sql)).toHaveLength(180)
    const told = await eventsOf(sql, 'hub')
    expect(new Set(told).size).toBe(180)
    for (const chat of numbers(5)) {
      expect(await eventsOf(sql, `p${chat}`)).toHaveLength(36)
      expect((await nodes[0]!.after(`c${chat}`, 0, 99)).map(({ seq }) => seq)).toEqual(numbers(36))
    }
    for (const [i, answer] of sent.entries())
      if (typeof answer === 'object')
        expect(told[answer.events.find(({ user_id }) => user_id === 'hub')!.seq - 1]).toBe(`m${i + 1}`)
  })
})
