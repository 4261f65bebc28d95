import { SQL } from 'bun'
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { up } from '../../src/storage/migrate.ts'
import { type Database as Postgres, openDatabase } from '../../src/storage/postgres/database.ts'
import { type Queries, queriesOn, type Value } from '../../src/storage/postgres/queries.ts'
import { postgresStorage } from '../../src/storage/postgres/storage.ts'
import { type Answer, consents, password, testApp } from '../app.ts'
import { migratedPostgres, noPostgres, type Opened, sqliteTest } from '../engines.ts'
import { granted } from '../rows.ts'

/** Every statement that is compiled while `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements = new Set<string>()
  const { prepare, run } = Database.prototype
  Database.prototype.prepare = function (this: Database, sql: string, ...rest: never[]) {
    statements.add(sql)
    return prepare.call(this, sql, ...rest)
  } as typeof prepare
  Database.prototype.run = function (this: Database, sql: string, ...rest: never[]) {
    statements.add(sql)
    return run.call(this, sql, ...rest)
  } as typeof run
  try {
    await work()
  } finally {
    Object.assign(Database.prototype, { prepare, run })
  }
  return [...statements].filter((sql) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(sql))
}

/** An empty database of the schema. */
function emptyDatabase(): Database {
  const db = new Database(':memory:')
  up(db)
  return db
}

/** The tables that a statement reads from end to end: not those that it reads in the order of an index up to its LIMIT. */
function scanned(db: Database, sql: string): string[] {
  const tables = new Set(db.query("SELECT name FROM sqlite_schema WHERE type = 'table'").values().flat())
  const aliases = new Map<string, string>()
  for (const [, table, alias] of sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|,)\s+"?(\w+)"?(?:\s+(?:AS\s+)?"?(\w+)"?)?/gi))
    if (tables.has(table!)) aliases.set(table!, table!).set(alias ?? table!, table!)
  const plan = db
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail)
  for (const step of plan) aliases.delete(/^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(step)?.[1] ?? '')
  const stops = /\blimit\s+\S+\s*$/i.test(sql) && !plan.some((step) => step.includes('TEMP B-TREE'))
  return plan.flatMap((step) => {
    const [, name = '', index] = /^SCAN (\w+)( USING)?/.exec(step) ?? []
    return stops && index !== undefined ? [] : (aliases.get(name) ?? [])
  })
}

async function done(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer
  if (status >= 400) throw new Error(`${status} ${text}`)
  return answer
}

/** One of nearly everything that people, moderators and the server itself do. */
async function aDayOfWork(opened?: Opened) {
  const { person, request, services } = await testApp({}, { opened })
  const [ada, bob, mod] = [await person(), await person(), await person()]
  await services.storage.users.setRole(mod.id, 'admin', granted(mod.id, 0))
  const account = { email: 'eve@example.org', phone: '+37120000000', password, name: 'Eve', consents }
  const { body: eve } = await done(request('POST', 'auth/register', { body: account }))
  await done(request('POST', 'auth/login', { body: { email: account.email, password } }))
  await done(request('POST', 'auth/login', { body: { phone: account.phone, password } }))
  await done(request('POST', 'auth/refresh', { body: { refresh_token: eve.refresh_token } }))
  const chat = (await done(ada.post('chats', { user_id: bob.id }))).body
  const message = (await done(ada.post(`chats/${chat.id}/messages`, { text: 'hello', client_id: 'a' }))).body
  await done(ada.post(`chats/${chat.id}/messages`, { text: 'hello', client_id: 'a' }))
  await done(bob.post(`chats/${chat.id}/messages`, { text: 'hello' }))
  const nearby = 'search/nearby?lat=56.95&lng=24.1&radius=5000'
  for (const path of [
    'me',
    'me/prefs',
    'me/sessions',
    'chats',
    `chats/${chat.id}`,
    `chats/${chat.id}/messages`,
    'sync',
  ])
    await done(bob.get(path))
  for (const path of [`users/${ada.id}`, `users/${ada.id}/reviews`, `users/${ada.id}/stats`, 'blocks', 'reports'])
    await done(bob.get(path))
  await done(ada.put('me', { name: 'Ada', city: 'Riga', gender: 'female' }))
  await done(ada.put('me/prefs', { drinks: ['tea'], language: 'de' }))
  await done(ada.put('me/location', { latitude: 56.95, longitude: 24.1 }))
  for (const query of ['', '&drinks=tea', '&gender=female&language=de']) await done(bob.get(nearby + query))
  await done(ada.put('me/visibility', { visible: false }))
  await done(bob.put(`chats/${chat.id}/read`))
  await done(ada.put(`messages/${message.id}`, { text: 'hello there' }))
  await done(ada.get(`chats/${chat.id}/messages?after=${message.id}`))
  await done(bob.post('reports', { message_id: message.id, reason: 'spam' }))
  await done(bob.post('reviews', { chat_id: chat.id, rating: 5 }))
  await done(ada.delete(`messages/${message.id}`))
  const block = (await done(bob.post('blocks', { user_id: ada.id }))).body
  await done(bob.delete(`blocks/${block.id}`))
  for (const query of ['', '?q=eve', '?q=%2B371', '?standing=suspended', '?q=e&standing=suspended', '?role=moderator'])
    await done(mod.get(`admin/users${query}`))
  await done(mod.get(`admin/users?q=${eve.user.id}&standing=active`))
  await done(mod.get(`admin/users/${eve.user.id}`))
  await done(mod.post(`admin/users/${eve.user.id}/role`, { role: 'moderator' }))
  await done(mod.post(`admin/users/${eve.user.id}/sessions/end`))
  const invite = (await done(mod.post('admin/invites', { uses: 2 }))).body
  await done(mod.get('admin/invites'))
  await done(mod.delete(`admin/invites/${invite.id}`))
  await services.people.applyOperatorCommands()
  for (const path of ['admin/reports', 'admin/appeals', 'admin/audit', 'me/notices', 'appeals'])
    await done(mod.get(path))
  await done(bob.post('auth/consents', { consents: { marketing: true } }))
  await done(bob.get('me/export'))
  await done(ada.post('auth/logout', { refresh_token: ada.refresh }))
  await done(bob.delete('me', { password }))
}

/** Reads its whole index, which is as small as said here, and nothing that grows with the people or what they write. */
const small: Record<string, string> = {
  users: 'the partial index of who is suspended now',
}

sqliteTest('no statement reads a table from end to end', async () => {
  const statements = await statementsOf(aDayOfWork)
  expect(statements.length).toBeGreaterThan(150)
  const db = emptyDatabase()
  const found = statements.flatMap((sql) =>
    scanned(db, sql).map((table) => ({ table, sql: sql.replaceAll(/\s+/g, ' ') })),
  )
  expect(found.filter(({ table }) => !(table in small))).toEqual([])
  for (const { sql } of found) expect(sql).toContain('INDEXED BY users_suspended')
})

test('a statement that reads a table from end to end is seen', () => {
  const db = emptyDatabase()
  expect(scanned(db, 'SELECT id FROM users WHERE bio = ?')).toEqual(['users'])
  expect(scanned(db, 'SELECT m.id FROM users u JOIN messages AS m ON m.text = u.bio WHERE u.id = ?')).toEqual([
    'messages',
  ])
  expect(scanned(db, 'UPDATE messages SET text = NULL WHERE text = ?')).toEqual(['messages'])
  expect(scanned(db, 'SELECT id FROM users WHERE id = ?')).toEqual([])
  expect(scanned(db, 'SELECT at FROM audit_log ORDER BY at LIMIT 9')).toEqual([])
  expect(scanned(db, 'SELECT at FROM audit_log ORDER BY action LIMIT 9')).toEqual(['audit_log'])
})

sqliteTest('no statement sorts more than a page, but for an export of all chats', async () => {
  const statements = await statementsOf(aDayOfWork)
  const db = emptyDatabase()
  const sorting = statements.filter((sql) => {
    const steps = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
    return steps.some(({ detail }) => detail.includes('TEMP B-TREE FOR ORDER BY'))
  })
  // Each side of a union stops at its own limit, and a search sorts those whom it has found around one place.
  const stopped = sorting.filter(
    (sql) => (sql.match(/\bLIMIT\b/gi) ?? []).length < 2 && !/^\s*WITH candidates/.test(sql),
  )
  expect(stopped.map((sql) => sql.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'SELECT id, user_b AS other_id, created_at FROM chats WHERE user_a = ? UNION ALL SELECT id, user_a, created_at FROM chats WHERE user_b = ? ORDER BY id',
  ])
})

sqliteTest('what one account can pile up is entered where it is asked for, not read through', async () => {
  const statements = await statementsOf(aDayOfWork)
  const db = emptyDatabase()
  /** How those statements come to a table. */
  const stepsOf = (sign: RegExp, table: string) => {
    const found = statements.filter((sql) => sign.test(sql))
    expect(found).not.toEqual([])
    return found.flatMap((sql) =>
      db
        .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .filter((detail) => detail.split(' ')[1] === table),
    )
  }
  const newest = stepsOf(/SELECT[^;]*FROM consent_log/, 'consent_log').filter((step) => step.includes('kind=?'))
  expect(newest.length).toBeGreaterThan(0)
  for (const step of newest)
    expect(step).toBe('SEARCH consent_log USING INDEX consent_log_newest (user_id=? AND kind=?)')
  for (const step of stepsOf(/^\s*WITH candidates/, 'blocks')) expect(step).toEndWith('(blocker_id=? AND blocked_id=?)')
  expect(stepsOf(/^\s*SELECT c\.id, c\.other/, 'chats').filter((step) => step.includes('chats_of_'))).toEqual([
    'SEARCH chats USING INDEX chats_of_a (user_a=? AND <expr>>?)',
    'SEARCH chats USING INDEX chats_of_b (user_b=? AND <expr>>?)',
  ])
  // A removed message is taken off, and nothing counted anew.
  expect(stepsOf(/^update "chats" set "unread_a"/, 'messages')).toEqual([])
})

type Statement = { text: string; values: readonly Value[] }

/** Keeps every statement that goes to the database, with its last values. */
function recorded(db: Postgres, statements: Map<string, Statement>): Postgres {
  function queries(q: Queries): Queries {
    const kept =
      (run: (...args: any[]) => Promise<any>) =>
      (statement: string | { toSQL(): { sql: string; params: unknown[] } }, values: readonly Value[] = []) => {
        const { sql, params } = typeof statement === 'string' ? { sql: statement, params: values } : statement.toSQL()
        statements.set(sql, { text: sql, values: params as Value[] })
        return run(statement, values)
      }
    const each = {
      all: kept(q.all),
      get: kept(q.get),
      one: kept(q.one),
      run: kept(q.run),
      values: kept(q.values),
      result: kept(q.result),
    }
    return each satisfies Record<keyof Queries, unknown>
  }
  return {
    read: (work) => db.read((q) => work(queries(q))),
    search: (work) => db.search((q) => work(queries(q))),
    snapshot: (work) => db.snapshot((q) => work(queries(q))),
    write: (work) => db.write((q) => work(queries(q))),
    statement: (work) => db.statement((q) => work(queries(q))),
    close: db.close,
  }
}

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** The tables, or whole indexes of them, that a plan reads from end to end: not those that it reads up to a LIMIT. */
function readWhole(plan: PlanNode, isStopped = false): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index, 'Index Cond': condition } = plan
  // This index holds the open reports alone, which the queue counts.
  const isOfPart = index === 'reports_one_open'
  const isUnbounded = /^(Index|Bitmap Index)/.test(type) && condition === undefined && !isStopped && !isOfPart
  const isWhole = type === 'Seq Scan' || isUnbounded
  // What is sorted, grouped or joined is read to its end before anything comes of it.
  const stops = type === 'Limit' || (isStopped && /^(Index|Subquery|Append|Merge Append|Nested Loop)/.test(type))
  return [...(isWhole ? [table] : []), ...(plan.Plans ?? []).flatMap((inner) => readWhole(inner, stops))]
}

/** How many rows a plan that was run has touched. */
const visited = (plan: PlanNode): number =>
  nodesOf(plan).reduce(
    (sum, node) =>
      sum +
      (node['Actual Loops'] ?? 0) *
        ((node['Actual Rows'] ?? 0) +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)),
    0,
  )

async function openRecorded() {
  const { url, drop } = await migratedPostgres()
  const statements = new Map<string, Statement>()
  const storage = postgresStorage(recorded(await openDatabase(url, { max: 3 }), statements))
  const client = new SQL(url, { max: 1 })
  const q = queriesOn(client)
  async function close() {
    await storage.close()
    await client.close()
    await drop()
  }
  const none = () => Promise.reject(new Error('not of this test'))
  let n = 0
  const rows: Opened['rows'] = (sql, ...values) => (
    (n = 0),
    q.all(
      sql.replaceAll('?', () => `$${++n}`),
      values,
    )
  )
  const opened: Opened = { storage: { ...storage, close }, db: null, rows, another: none, remember: none }

  async function planOf({ text, values }: Statement, options = ''): Promise<PlanNode> {
    const [row] = await q.all<Record<string, string>>(`EXPLAIN (FORMAT JSON${options}) ${text}`, values)
    const plan: unknown = row!['QUERY PLAN']
    return (typeof plan === 'string' ? JSON.parse(plan) : plan)[0].Plan
  }
  return { opened, statements, client, planOf }
}

const isQuery = ({ text }: Statement) => /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)\b/i.test(text)

describe.skipIf(noPostgres !== null)(`PostgreSQL${noPostgres ? `, ${noPostgres}` : ''}`, () => {
  test('no statement reads a table from end to end', async () => {
    const { opened, statements, client, planOf } = await openRecorded()
    await aDayOfWork(opened)
    const queries = [...statements.values()].filter(isQuery)
    expect(queries.length).toBeGreaterThan(80)
    // Tables of a test are small: where there is a way by an index, it is to be taken.
    await client.unsafe('SET enable_seqscan = off; SET enable_bitmapscan = off').simple()
    const found: { table: string; sql: string }[] = []
    for (const statement of queries)
      for (const table of readWhole(await planOf(statement)))
        found.push({ table, sql: statement.text.replaceAll(/\s+/g, ' ') })
    expect(found).toEqual([])
  }, 60_000)

  test('what one account has piled up costs no statement of a request more than a page', async () => {
    const { opened, statements, client, planOf } = await openRecorded()
    const { person, request, services } = await testApp({}, { opened })
    const [ada, bob, cleo] = [await person(), await person(), await person()]
    const pile = 20_000
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    const message = (await ada.post(`chats/${chat.id}/messages`, { text: 'the first' })).body
    for (const one of [ada, bob]) await one.put('me/location', { latitude: 52.5, longitude: 13.4 })
    const isA = ada.id < bob.id
    const each = `FROM generate_series(1, ${pile}) AS i`
    const other = (prefix: string) => `'${prefix}' || lpad(i::text, 8, '0')`
    await client
      .unsafe(
        `INSERT INTO users (id, name, created_at, updated_at) SELECT ${other('x')}, 'x', 1, 1 ${each};
        INSERT INTO consent_log (user_id, seq, id, kind, accepted, version, text_hash, recorded_at, user_agent)
          SELECT '${ada.id}', 100 + i, ${other('c')}, 'marketing', i % 2 = 0, '1', 'ab', i, 'test' ${each};
        INSERT INTO sessions (user_id, id, rotated_at, created_at, last_used_at, ended_at)
          SELECT '${ada.id}', ${other('s')}, i, 1800000000000 + i, 1800000000000 + i, CASE WHEN i % 2 = 0 THEN i END ${each};
        INSERT INTO blocks (blocker_id, blocked_id, id, created_at) SELECT '${ada.id}', ${other('x')}, ${other('b')}, i ${each};
        INSERT INTO blocks (blocker_id, blocked_id, id, created_at) SELECT ${other('x')}, '${ada.id}', ${other('d')}, i ${each};
        INSERT INTO chats (id, user_a, user_b, created_at)
          SELECT ${other('h')}, least('${ada.id}' COLLATE "C", ${other('x')}), greatest('${ada.id}' COLLATE "C", ${other('x')}), i ${each};
        INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, client_id, created_at)
          SELECT ${other('m')}, '${chat.id}', 1 + i, '${ada.id}', 'text', 'hello', ${other('k')}, 2 + i ${each};
        UPDATE chats SET last_seq = ${pile + 1}, ${isA ? 'unread_b' : 'unread_a'} = ${pile + 1} WHERE id = '${chat.id}';
        INSERT INTO events (user_id, seq, type, at, data) SELECT '${ada.id}', 1000 + i, 'block', i, '{}' ${each};
        UPDATE event_counters SET seq = ${1000 + pile} WHERE user_id = '${ada.id}';
        INSERT INTO reports (id, reporter_id, target, target_id, reason, status, created_at)
          SELECT ${other('r')}, '${ada.id}', 'user', ${other('x')}, 'spam', 'resolved', i ${each};
        INSERT INTO audit_log (id, at, actor_id, action, subject_id, metadata)
          SELECT ${other('a')}, i, '${ada.id}', 'profile', '${ada.id}', '{}' ${each};
        INSERT INTO media (owner_id, id, file, width, height, placeholder, bytes, created_at)
          SELECT '${ada.id}', ${other('i')}, ${other('f')}, 1, 1, '', 1, i ${each};
        ANALYZE`,
      )
      .simple()

    statements.clear()
    const nearby = 'search/nearby?lat=52.5&lng=13.4&radius=5000'
    for (const path of [
      'me',
      'me/sessions',
      'chats',
      `chats/${chat.id}`,
      `chats/${chat.id}/messages`,
      'blocks',
      'reports',
      'sync',
      nearby,
    ])
      await done(ada.get(path))
    await done(bob.get(`chats/${chat.id}/messages`))
    await done(ada.put('me', { city: 'Riga', gender: 'female' }))
    await done(ada.put('me/prefs', { drinks: ['tea'] }))
    await done(ada.put('me/visibility', { visible: true }))
    await done(ada.post('auth/consents', { consents: { marketing: true, terms: true } }))
    await done(request('POST', 'auth/refresh', { body: { refresh_token: ada.refresh } }))
    await done(ada.post(`chats/${chat.id}/messages`, { text: 'hello', client_id: 'another' }))
    await done(ada.put(`messages/${message.id}`, { text: 'edited' }))
    await done(ada.delete(`messages/${message.id}`))
    await done(ada.post('chats', { user_id: cleo.id }))
    await done(ada.post('reports', { user_id: cleo.id, reason: 'spam' }))
    const block = (await done(ada.post('blocks', { user_id: cleo.id }))).body
    await done(ada.delete(`blocks/${block.id}`))
    const { consents, sessions, images } = services.storage.holdings
    await consents(ada.id, 100, (await consents(ada.id, 100, null)).at(-1)!)
    await sessions(ada.id, 100, null)
    await images(ada.id, 100, null)
    expect(
      (await opened.rows('SELECT unread_a + unread_b AS unread FROM chats WHERE id = ?', chat.id))[0]!.unread,
    ).toBe(pile + 1)

    const queries = [...statements.values()].filter(isQuery)
    expect(queries.length).toBeGreaterThan(50)
    for (const statement of queries) {
      await client.unsafe('BEGIN')
      // What was stored already conflicts with itself, and costs what it costs.
      const plan = await planOf(statement, ', ANALYZE').catch(() => null)
      await client.unsafe('ROLLBACK')
      if (plan && visited(plan) > 2000) expect([statement.text, visited(plan)]).toEqual([])
    }

    // The parts of an erasure: each goes on where the one before has stopped.
    const { erasures } = services.storage
    await erasures.begin(bob.id, 1, { ...granted(bob.id, 0), action: 'erased' })
    await erasures.begin(ada.id, 1, { ...granted(ada.id, 0), action: 'erased' })
    let from: Awaited<ReturnType<typeof erasures.clear>>['next'] = { chat_id: '', seq: 1 }
    for (let part = 0; part < 60; part++) from = (await erasures.clear(ada.id, 1, from)).next
    statements.clear()
    expect((await erasures.clear(ada.id, 1, from)).next).not.toBeNull()
    for (const statement of [...statements.values()].filter(isQuery)) {
      await client.unsafe('BEGIN')
      const plan = await planOf(statement, ', ANALYZE').catch(() => null)
      await client.unsafe('ROLLBACK')
      if (plan && visited(plan) > 4000) expect([statement.text, visited(plan)]).toEqual([])
    }
  }, 60_000)
})
