import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { up } from '../src/storage/migrate.ts'
import { type Answer, consents, password, testApp } from './app.ts'
import { sqliteTest } from './engines.ts'
import { granted } from './rows.ts'

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
async function aDayOfWork() {
  const { person, request, services } = await testApp()
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
  for (const path of ['admin/reports', 'admin/appeals', 'admin/audit', 'me/notices', 'appeals'])
    await done(mod.get(path))
  await done(bob.post('auth/consents', { consents: { marketing: true } }))
  await done(bob.post('auth/logout', { refresh_token: bob.refresh }))
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
