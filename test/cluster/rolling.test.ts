import { SQL } from 'bun'
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newest } from '../../src/storage/migrate.ts'
import { openReadOnly } from '../../src/storage/sqlite/database.ts'
import { consents, password } from '../app.ts'
import { convene, type Outcome, startServer } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'
import { newerBuild, nextLabel, nextStep } from '../newer-build.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})
const [expanding, contracting] = await Promise.all([newerBuild({ compatibleWith: newest }), newerBuild({})])
afterAll(() => {
  expanding[Symbol.dispose]()
  contracting[Symbol.dispose]()
})

function dataDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'convene-rolling-'))
  cleanUp.push(() => rmSync(path, { recursive: true }))
  return path
}

type Settings = { DATA_DIR: string; DATABASE_URL?: string; JWT_SECRET?: string; LOCATION_KEY?: string }

// Those of all nodes. None of it answers, which a node bears.
const shared = {
  JWT_SECRET: 'a secret of the tests, long enough',
  LOCATION_KEY: '11'.repeat(32),
  REDIS_URL: 'redis://127.0.0.1:1',
  MEDIA_URL: 's3://KEY:hunter2@photos?endpoint=http://127.0.0.1:1',
}

/** Settings of a node over an empty database of its own. */
const engines = [
  { name: 'SQLite', skipped: null, settings: async (): Promise<Settings> => ({ DATA_DIR: dataDirectory() }) },
  {
    name: 'PostgreSQL',
    skipped: noPostgres,
    async settings(): Promise<Settings> {
      const { url, drop } = await newPostgres()
      cleanUp.push(drop)
      return { ...shared, DATA_DIR: dataDirectory(), DATABASE_URL: url }
    },
  },
]

async function start(settings: Settings, command?: string[]) {
  const server = await startServer(settings, { command })
  cleanUp.push(() => server.end('SIGKILL'))
  return server
}

const json = { 'content-type': 'application/json' }
const post = (base: URL, path: string, body: object) =>
  fetch(new URL(path, base), { method: 'POST', headers: json, body: JSON.stringify(body) })
const register = async (base: URL, name: string) =>
  (await post(base, '/api/v1/auth/register', { email: `${name}@example.org`, password, name, consents })).status
const login = async (base: URL, name: string) =>
  (await post(base, '/api/v1/auth/login', { email: `${name}@example.org`, password })).status
const readyOf = async (base: URL) => {
  const answer = await fetch(new URL('/ready', base))
  return [answer.status, ((await answer.json()) as { checks: object }).checks]
}
const fine = [200, expect.objectContaining({ storage: 'ok', migrations: 'ok', running: 'ok', room: 'ok' })]
const nextApplied = new RegExp(`^${String(nextStep).padStart(4, '0')} {2}of_the_next_release +20`, 'm')
const isNewer = new RegExp(
  `^convene: (?:\\S+: )?this database is at migration ${nextStep}, newer than this release knows \\(${newest}\\): [^\\n]+\\n$`,
)
const expectRefused = (command: string[], { code, out, err }: Outcome) =>
  expect([command, code, out, err]).toEqual([command, 1, '', expect.stringMatching(isNewer)])

describe.each(engines)('on $name', ({ skipped, settings: newSettings }) => {
  if (skipped !== null) {
    test.skip(skipped, () => {})
    return
  }

  test('a release that a newer one says it is compatible with starts on its database, and works', async () => {
    const settings = await newSettings()
    const newer = (...args: string[]) => convene(args, settings, { command: expanding.command })
    expect((await newer('migrate', 'up')).out).toContain(`applied ${nextLabel}`)
    const older = await start(settings)
    expect([await register(older.base, 'ada'), await readyOf(older.base)]).toEqual([201, fine])
    expect((await convene(['migrate', 'status'], settings)).out).toMatch(nextApplied)
    expect(await older.end()).toBe(0)

    // What would have to know all of it, or take it back, does not.
    const elsewhere = `sqlite:${join(settings.DATA_DIR, 'elsewhere.db')}`
    for (const command of [
      ['migrate', 'down'],
      ['copy', '--to', elsewhere],
    ])
      expectRefused(command, await convene(command, settings))

    expect((await newer('migrate', 'down')).out).toBe(`took back ${nextLabel}\n`)
    expect((await convene(['migrate', 'status'], settings)).out).not.toMatch(nextApplied)
    expect((await newer('migrate', 'up')).out).toContain(`applied ${nextLabel}`)
  })

  test('any other is refused with one line', async () => {
    const settings = await newSettings()
    expect((await convene(['migrate', 'up'], settings, { command: contracting.command })).code).toBe(0)
    for (const command of [[], ['migrate', 'up']])
      expectRefused(command, await convene(command, { ...settings, PORT: '0' }))
  })
})

test.skipIf(noPostgres !== null)(
  `an older node goes on while newer ones expand the schema at once, and is not ready once one contracts it${noPostgres ? `, ${noPostgres}` : ''}`,
  async () => {
    const settings = await engines[1]!.settings()
    const older = await start(settings)
    expect(await register(older.base, 'ada')).toBe(201)
    const newer = await Promise.all(
      [1, 2].map(() => start({ ...settings, DATA_DIR: dataDirectory() }, expanding.command)),
    )
    expect(newer.filter(({ log }) => log().includes(nextLabel))).toHaveLength(1)
    // Statements that the older one has prepared were made for the table as it was.
    for (const [i, { base }] of [older, ...newer].entries())
      expect([await readyOf(base), await login(base, 'ada'), await register(base, `person${i}`)]).toEqual([
        fine,
        200,
        201,
      ])
    const sql = new SQL(settings.DATABASE_URL!, { max: 1 })
    await sql.unsafe('DELETE FROM schema_compatibility')
    await sql.close()
    expect((await readyOf(older.base))[0]).toBe(503)
    expect(await readyOf(newer[0]!.base)).toEqual(fine)
  },
)

test('on SQLite what is compatible lies beside what is applied, where earlier releases do not look', async () => {
  const settings = { DATA_DIR: dataDirectory() }
  expect((await convene(['migrate', 'up'], settings, { command: expanding.command })).code).toBe(0)
  const db = openReadOnly(join(settings.DATA_DIR, 'convene.db'))
  expect(db.query('SELECT * FROM schema_compatibility').all()).toContainEqual({
    number: nextStep,
    compatible_with: newest,
  })
  expect(db.query("SELECT group_concat(name) AS columns FROM pragma_table_info('schema_migrations')").get()).toEqual({
    columns: 'number,name,applied_at',
  })
  db.close()
})
