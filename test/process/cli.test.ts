import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../migrations/index.ts'
import { commitOf } from '../../src/commit.ts'
import { help as serveHelp } from '../../src/commands/serve.ts'
import { readConfig, settings } from '../../src/config.ts'
import { operator } from '../../src/features/moderation/moderators.ts'
import { holdData } from '../../src/installation/data-directory.ts'
import { limitTable } from '../../src/lib/rate-limits.ts'
import { up } from '../../src/storage/migrate.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { days, iso } from '../../src/lib/time.ts'
import { consents, password, testApp } from '../app.ts'
import { botToken, telegramServer } from '../telegram.ts'
import { command, convene, type Outcome, startServer } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'
import { connect, ofType } from '../socket-client.ts'
import { granted } from '../rows.ts'

const root = mkdtempSync(join(tmpdir(), 'convene-cli-'))
afterAll(() => rmSync(root, { recursive: true }))

let made = 0
/** A path in which there is nothing yet. */
const newPath = () => join(root, String(made++))

/** A data directory as the first start of a server leaves it. */
function dataDir(): string {
  const path = newPath()
  const db = openDatabase(join(path, 'convene.db'))
  up(db)
  db.close()
  for (const name of ['jwt-secret', 'location-key']) writeFileSync(join(path, name), 'ab'.repeat(32), { mode: 0o600 })
  return path
}

/** One line on standard error and nothing else, with that exit code. */
function expectRefusal({ code, out, err }: Outcome, expected: 1 | 2, says: RegExp) {
  expect(err).toMatch(says)
  expect(err).toMatch(/^convene: [^\n]+\n$/)
  expect(out).toBe('')
  expect(code).toBe(expected)
}

test('each command of the runbook is one that is taken', async () => {
  const runbook = readFileSync(join(import.meta.dir, '../../docs/runbook.md'), 'utf8')
  const lines = [...runbook.matchAll(/`convene ([^`]+)`/g)].map(([, line]) => line!)
  expect(lines).toContain('outbox retry mail')
  // With nothing there each fails, but none for how it is written.
  for (const line of new Set(lines)) {
    const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!)
    const { code, err } = await convene(args, { DATA_DIR: newPath() })
    expect([line, code === 2, err.includes('--help')]).toEqual([line, false, false])
  }
}, 60_000)

describe('help', () => {
  test('of the whole lists the commands, and each command has its own', async () => {
    const { code, out, err } = await convene(['--help'])
    expect([code, err]).toEqual([0, ''])
    for (const name of ['serve', 'migrate', 'copy', 'check', 'health', 'admin', 'seed'])
      expect(out).toMatch(new RegExp(`^  ${name} `, 'm'))

    const seed = await convene(['seed', '--users', 'many', '--help'])
    expect([seed.code, seed.err]).toEqual([0, ''])
    for (const option of ['--users', '--cities', '--messages', '--seed']) expect(seed.out).toContain(option)
  })

  test('of serve names every setting, and nothing else is read', () => {
    const read = new Set<string>()
    readConfig(new Proxy({}, { get: (_, name) => void read.add(String(name)) }))
    expect(read.size).toBeGreaterThan(15)
    const told = [...serveHelp.matchAll(/^ {2}([A-Z][A-Z0-9_<>]+)\s/gm)].map(([, name]) => name!)
    expect(told).toEqual(Object.values(settings).map(({ name }) => name))
    expect([...read].filter((name) => !told.includes(name))).toEqual([])
  })

  test('of serve names every limit with its default, in the form that RATE_LIMIT takes', () => {
    const told = [...serveHelp.matchAll(/\b([a-z_]+=\d+\/\d+[smhd])\b/g)].map(([, limit]) => limit!)
    const list = told.slice(told.indexOf('register=60/1h')).join(',')
    expect(readConfig({ RATE_LIMIT: list }).rateLimit).toEqual(limitTable)
    expect(list.split(',')).toHaveLength(Object.keys(limitTable).length)
  })

  test('is not needed for the release, with its commit and its newest step of the schema', async () => {
    const { code, out, err } = await convene(['--version'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^0\.6\.0 \((?:commit [0-9a-f]{12}(?:-dirty)?|source), schema \d+\)\n$/)
    expect(out).toContain(`schema ${migrations.at(-1)!.number})`)
    const checkout = join(import.meta.dir, '../..')
    const commit = commitOf(checkout)
    expect(commit !== null).toBe(existsSync(join(checkout, '.git')))
    // A binary may have been built from another state of the checkout.
    if (!process.env.CONVENE_BIN) expect(out).toContain(commit === null ? 'source' : `commit ${commit}`)
  })

  test('names no commit of a repository around the sources', () => {
    const around = newPath()
    mkdirSync(join(around, 'sources'), { recursive: true })
    const git = (...args: string[]) =>
      Bun.spawnSync(['git', '-C', around, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args]).exitCode
    if (Bun.which('git') === null) return
    expect([git('init', '-q'), git('commit', '-q', '--allow-empty', '-m', 'x')]).toEqual([0, 0])
    expect(commitOf(around)).toMatch(/^[0-9a-f]{12}$/)
    expect(commitOf(join(around, 'sources'))).toBeNull()
  })
})

describe('a wrong command line', () => {
  const cases: [args: string[], says: RegExp][] = [
    [['sreve'], /unknown command 'sreve' \(see convene --help\)/],
    [['--port', '80'], /unknown option '--port' \(see convene --help\)/],
    [['toString'], /unknown command 'toString'/],
    [['serve', '--port', '80'], /unknown option '--port' \(see convene serve --help\)/],
    [['migrate', 'sideways'], /up, down or status, not 'sideways'/],
    [['migrate', 'down', '--steps', '0'], /--steps must be a whole number from 1/],
    [['admin', 'grant', 'ada@example.org', 'emperor'], /moderator or admin/],
    [
      ['admin'],
      /admin takes list, show, invite, suspend, unsuspend, end-sessions, grant, revoke, export, erase, reset-password, adopt, lost-photos \(see convene admin --help\)/,
    ],
    [['mail', 'preview', 'nope'], /: KIND must be one of: /],
    [['admin', 'promote', 'ada@example.org'], /not 'promote'/],
    [['admin', 'erase'], /whose account\? admin erase WHO/],
    [['admin', 'export', 'ada@example.org'], /where to\? admin export WHO FILE/],
    [['admin', 'erase', 'ada@example.org', 'bob@example.org', '--yes'], /unexpected argument 'bob@example\.org'/],
    [['admin', 'grant', 'ada@example.org', 'admin', '--yes'], /--yes goes with erase/],
  ]
  test.each(cases)('%p ends with 2, one line, and no data directory', async (args, says) => {
    const path = newPath()
    expectRefusal(await convene(args, { DATA_DIR: path }), 2, says)
    expect(existsSync(path)).toBe(false)
  })
})

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  const skipped = engine === 'PostgreSQL' ? noPostgres : null
  describe.skipIf(skipped !== null)(`accounts that the seed made, on ${engine}${skipped ? `, ${skipped}` : ''}`, () => {
    test('are named by check, and only those whose password is still the published one', async () => {
      const settings: Record<string, string> = { DATA_DIR: newPath() }
      expect((await convene(['seed', '--users', '12', '--messages', '0'], settings)).code).toBe(0)
      const database = engine === 'PostgreSQL' ? await newPostgres() : null
      if (database !== null) {
        expect(
          (await convene(['copy', '--from', `sqlite:${settings.DATA_DIR}/convene.db`, '--to', database.url], settings))
            .code,
        ).toBe(0)
        settings.DATABASE_URL = database.url
      }
      const server = await startServer({ ...settings, RATE_LIMIT: 'off' })
      const post = async (path: string, body: object, token = '', method = 'POST') => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
        const url = new URL(`/api/v1/${path}`, server.base)
        const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
        return { status: answer.status, body: (await answer.json().catch(() => null)) as any }
      }
      // A real person with such an address, and one who has changed their password.
      await post('auth/register', { email: 'user99@example.org', password, name: 'Real', consents })
      const login = await post('auth/login', { email: 'user3@example.org', password: 'convene demo password' })
      const change = { current_password: 'convene demo password', new_password: password }
      expect((await post('me/password', change, login.body.access_token, 'PUT')).status).toBe(204)
      const { code, out } = await convene(['check'], settings)
      const found = out.split('\n').filter((line) => line.includes('convene seed'))
      expect([code, found.length]).toEqual([1, 1])
      expect(found[0]).toMatch(
        /^WRONG {2}11 accounts, such as user\d+@example\.org, have the password that convene seed prints/,
      )
      for (const other of ['user99', 'user3@']) expect(out).not.toContain(other)
      await server.end()
      await database?.drop()
    }, 60_000)
  })
}

describe('what is wrong with a database names it', () => {
  /** A database that a step is missing in which fails, as its tables are there already. */
  function unfit(): string {
    const path = dataDir()
    const db = openDatabase(join(path, 'convene.db'))
    db.run('DELETE FROM schema_migrations WHERE number = 1')
    db.close()
    return path
  }

  test('where a migration fails, by a start and by the command', async () => {
    const path = unfit()
    for (const args of [['migrate', 'up'], ['serve']]) {
      const { code, err } = await convene(args, { DATA_DIR: path, PORT: '0' })
      expect([args, code, err.split('\n').length]).toEqual([args, 1, 2])
      expect(err).toStartWith(`convene: ${path}/convene.db: migration 00`)
    }
  })

  test.skipIf(Bun.which('prlimit') === null)('where the disk fails', async () => {
    const full = ['prlimit', '--fsize=4096', ...command]
    for (const args of [['migrate', 'up'], ['seed', '--users', '3'], ['serve']]) {
      const path = newPath()
      const { code, err } = await convene(args, { DATA_DIR: path, PORT: '0' }, { command: full })
      expect([args, code]).toEqual([args, 1])
      expect(err).toMatch(/disk I\/O error|disk is full/)
      expect(err).toContain(`${path}/convene.db`)
    }
  })

  test('where a table is missing, by check', async () => {
    const path = dataDir()
    const db = openDatabase(join(path, 'convene.db'))
    db.run('ALTER TABLE community RENAME TO mislaid')
    db.close()
    const { code, out } = await convene(['check'], { DATA_DIR: path })
    expect([code, out]).toEqual([1, expect.stringContaining(`WRONG  ${path}/convene.db: no such table: community`)])
  })

  test('where a lock cannot be had, which is not the database', async () => {
    const path = dataDir()
    mkdirSync(join(path, 'convene.lock'))
    const { code, err } = await convene(['serve'], { DATA_DIR: path, PORT: '0' })
    expect([code, err]).toEqual([1, expect.stringContaining(path)])
    rmSync(join(path, 'convene.lock'), { recursive: true })
    writeFileSync(join(path, 'convene.lock'), 'no database at all, and longer than that'.repeat(100))
    const other = await convene(['serve'], { DATA_DIR: path, PORT: '0' })
    expect([other.code, other.err]).toEqual([1, expect.stringContaining(join(path, 'convene.lock'))])
  })
})

describe('a start that cannot succeed touches nothing', () => {
  test('where a setting is wrong', async () => {
    const path = newPath()
    const outcome = await convene([], { DATA_DIR: path, PORT: 'http', LOG_LEVEL: 'debug' })
    expectRefusal(outcome, 1, /PORT must be a whole number/)
    expect(existsSync(path)).toBe(false)
  })

  test('where the port is taken', async () => {
    const path = newPath()
    const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const outcome = await convene([], { DATA_DIR: path, PORT: String(other.port) })
    other.stop()
    expectRefusal(outcome, 1, new RegExp(`port ${other.port} is used by another program`))
    expect(existsSync(path)).toBe(false)
  })

  test('where the host is no address', async () => {
    const path = newPath()
    for (const HOST of ['999.1.1.1', 'nowhere.invalid'])
      expectRefusal(
        await convene([], { DATA_DIR: path, PORT: '0', HOST }),
        1,
        /HOST must be an address of this machine/,
      )
    expect(existsSync(path)).toBe(false)
  })

  test('where the backups can never be written', async () => {
    const [path, file] = [newPath(), join(root, 'no-directory')]
    writeFileSync(file, 'a file')
    for (const BACKUP_DIR of [file, join(file, 'below')])
      expectRefusal(
        await convene([], { DATA_DIR: path, PORT: '0', BACKUP_DIR }),
        1,
        /BACKUP_DIR must be a directory, and \S+no-directory is not/,
      )
    expect(existsSync(path)).toBe(false)
  })

  test('where a legal text says nothing', async () => {
    const [path, LEGAL_DIR] = [newPath(), newPath()]
    mkdirSync(LEGAL_DIR)
    writeFileSync(join(LEGAL_DIR, 'terms.en.md'), ' \n')
    mkdirSync(join(LEGAL_DIR, 'disclaimer.en.md'))
    const outcome = await convene([], { DATA_DIR: path, PORT: '0', LEGAL_DIR })
    expectRefusal(outcome, 1, /LEGAL_DIR has texts without content to read: disclaimer\.en\.md, terms\.en\.md/)
    expect(existsSync(path)).toBe(false)
  })

  test('where the data directory is none', async () => {
    const path = newPath()
    writeFileSync(path, 'a file')
    expectRefusal(await convene([], { DATA_DIR: path, PORT: '0' }), 1, /DATA_DIR must be a directory/)
    expect(readFileSync(path, 'utf8')).toBe('a file')
  })

  test('where nothing can be written into the data directory', async () => {
    const path = newPath()
    mkdirSync(join(path, 'convene.lock'), { recursive: true })
    const outcome = await convene([], { DATA_DIR: path, PORT: '0' })
    expectRefusal(outcome, 1, /DATA_DIR must be a directory that can be written, not \S+ \(EISDIR\)/)
    expect(readdirSync(path)).toEqual(['convene.lock'])
  })

  test('where the database is another program’s, or no database at all', async () => {
    const path = newPath()
    const file = join(root, 'other.db')
    const other = new Database(file)
    other.run('CREATE TABLE theirs (x)')
    other.close()
    chmodSync(file, 0o644)
    const before = readFileSync(file)
    const settings = { DATA_DIR: path, DATABASE_URL: `sqlite:${file}`, PORT: '0' }
    expectRefusal(await convene([], settings), 1, /belongs to another program/)
    expectRefusal(await convene(['migrate', 'up'], settings), 1, /belongs to another program/)
    expect(readFileSync(file)).toEqual(before)
    expect(statSync(file).mode & 0o777).toBe(0o644)
    expect(existsSync(path)).toBe(false)

    writeFileSync(file, 'Dear diary, '.repeat(1000))
    expectRefusal(await convene([], settings), 1, /other\.db is not an SQLite database/)
  })

  test('where the database is a newer release’s; LOG_LEVEL=debug shows where that was noticed', async () => {
    const path = dataDir()
    const db = openDatabase(join(path, 'convene.db'))
    db.run("INSERT INTO schema_migrations VALUES (4711, 'from the future', '2030-01-01T00:00:00.000Z')")
    db.close()
    expectRefusal(await convene([], { DATA_DIR: path, PORT: '0' }), 1, /at migration 4711, newer than this release/)
    const { code, err } = await convene([], { DATA_DIR: path, PORT: '0', LOG_LEVEL: 'debug' })
    expect(code).toBe(1)
    expect(err).toMatch(/migrate\.ts:\d+/)
  })
})

describe('restore', () => {
  test('of what is no backup says so in a line, and makes no data directory for it', async () => {
    const path = newPath()
    const file = join(root, 'diary.txt')
    writeFileSync(file, 'Dear diary, '.repeat(1000))
    const refusals: [string, RegExp][] = [
      [file, /diary\.txt is not a backup of Convene: it is not an SQLite database/],
      [join(root, 'nowhere.db'), /there is no file/],
      [root, /is not a backup of Convene: it cannot be read as a file/],
    ]
    for (const [given, says] of refusals) expectRefusal(await convene(['restore', given], { DATA_DIR: path }), 1, says)
    expect(existsSync(path)).toBe(false)
  })
})

describe('migrate', () => {
  test('makes a database, lists its steps, takes the newest back and applies it again', async () => {
    const settings = { DATA_DIR: newPath() }
    expectRefusal(await convene(['migrate', 'status'], settings), 1, /there is no database/)
    expect(existsSync(settings.DATA_DIR)).toBe(false)

    const first = await convene(['migrate', 'up'], settings)
    expect([first.code, first.err]).toEqual([0, ''])
    const steps = first.out.trim().split('\n')
    expect(steps[0]).toBe('applied 0001_users_consents_audit')

    expect((await convene(['migrate', 'down', '--steps', '2'], settings)).out.trim().split('\n')).toEqual(
      steps
        .slice(-2)
        .reverse()
        .map((step) => step.replace('applied', 'took back')),
    )
    const { out } = await convene(['migrate', 'status'], settings)
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.endsWith('not applied')),
    ).toEqual(steps.map((_, i) => i >= steps.length - 2))

    const again = (await convene(['migrate', 'up'], settings)).out.trim().split('\n')
    expect(again).toEqual([...steps.slice(-2), expect.stringContaining('is kept in')])
    expect((await convene(['migrate', 'up'], settings)).out).toBe('nothing to do: the schema is up to date\n')
  })

  test('refuses to change what a server uses', async () => {
    const path = dataDir()
    const server = openDatabase(join(path, 'convene.db'))
    server.query('SELECT count(*) FROM users').get()
    expectRefusal(await convene(['migrate', 'down'], { DATA_DIR: path }), 1, /in use: stop the server/)
    server.close()
    expect((await convene(['migrate', 'status'], { DATA_DIR: path })).out).not.toContain('not applied')
  })
})

test('rules are exported, changed and imported beside a running server, or refused with the place', async () => {
  const databasePath = join(newPath(), 'convene.db')
  const app = await testApp({}, { databasePath })
  const settings = { DATA_DIR: app.dataDir, DATABASE_URL: `sqlite:${databasePath}` }
  const file = join(app.dataDir, 'rules.json')
  expect((await convene(['rules', 'export', file], settings)).out).toContain('rules written')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { rules } = await Bun.file(file).json()
  const given = {
    name: 'Fees',
    on: true,
    applies_to: ['message'],
    match: { type: 'words', words: ['fee'] },
    action: 'refuse',
  }
  await Bun.write(file, JSON.stringify({ rules: [...rules, given] }))
  expect((await convene(['rules', 'import', file], settings)).out).toContain(`${rules.length + 1} rules are in force`)
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  app.clock.now += 2000
  expect((await ada.post(`chats/${chat.id}/messages`, { text: 'a fee' })).body.code).toBe('content_refused')
  const lookbehind = { ...given, match: { type: 'pattern', pattern: 'a(?<=b)' } }
  const cases: [unknown, RegExp][] = [
    [{ rules: [given, lookbehind] }, /\/rules\/1\/match\/pattern: .*at character 2: RE2 has no lookbehind/],
    [{ rules: [{ ...given, action: 'burn' }] }, /\/rules\/0\/action: Expected one of refuse, hold, flag, note/],
    [
      { rules: [{ ...given, match: { type: 'words', words: Array.from({ length: 100_000 }, (_, i) => `ab${i}`) } }] },
      /Expected up to 20000 words in all rules together/,
    ],
    [{ rules: [], more: 'x'.repeat(10 * 1024 * 1024) }, /larger than the limit of 2 MB/],
  ]
  for (const [body, message] of cases) {
    await Bun.write(file, JSON.stringify(body))
    expectRefusal(await convene(['rules', 'import', file], settings), 1, message)
  }
  expectRefusal(await convene(['rules', 'burn'], settings), 2, /import or export/)
  expect((await ada.post(`chats/${chat.id}/messages`, { text: 'a fee' })).body.code).toBe('content_refused')
}, 60_000)

test('outbox lists what waits, makes it due and drops it, beside a running server', async () => {
  const databasePath = join(newPath(), 'convene.db')
  const app = await testApp({}, { databasePath })
  const settings = { DATA_DIR: app.dataDir, DATABASE_URL: `sqlite:${databasePath}` }
  const outbox = async (...args: string[]) => (await convene(['outbox', ...args, '--json'], settings)).out
  const mail = { to: 'ada@example.org', language: 'en' as const, about: 'password_changed' as const }
  const { storage } = app.services
  const later = Date.now() + 3_600_000
  for (const id of ['a', 'b', 'c'])
    await storage.outbox.add([{ id, kind: 'mail', user_id: null, payload: mail, created_at: 1, due_at: later }])
  const listed = JSON.parse(await outbox('list'))
  expect(listed.map(({ id, about }: { id: string; about: string }) => [id, about])).toEqual([
    ['a', 'password_changed'],
    ['b', 'password_changed'],
    ['c', 'password_changed'],
  ])
  expect(JSON.stringify(listed)).not.toContain('ada@example.org')
  expect(JSON.parse(await outbox('retry', 'a'))).toEqual({ count: 1 })
  expect(await storage.outbox.lease('mail', 'n', Date.now(), later, 10)).toMatchObject([{ id: 'a' }])
  expectRefusal(await convene(['outbox', 'drop', 'b'], settings), 2, /add --yes to drop b undelivered/)
  expectRefusal(await convene(['outbox', 'drop', 'x', '--yes'], settings), 1, /nothing with the id x waits/)
  expect(JSON.parse(await outbox('drop', 'b', '--yes'))).toEqual({ count: 1 })
  expect(JSON.parse(await outbox('drop', 'mail', '--yes'))).toEqual({ count: 2 })
})

test('webhooks lists those that wait and makes them due, beside a running server', async () => {
  const databasePath = join(newPath(), 'convene.db')
  const app = await testApp({}, { databasePath })
  const settings = { DATA_DIR: app.dataDir, DATABASE_URL: `sqlite:${databasePath}` }
  const webhooks = async (...args: string[]) => (await convene(['webhooks', ...args], settings)).out
  expect(await webhooks('list')).toBe('no webhook waits\n')
  const { outbox } = app.services.storage
  const later = Date.now() + 3_600_000
  const payload = { about: 'user.erased', data: { user_id: 'ada' } } as const
  for (const id of ['a', 'b'])
    await outbox.add([
      { id, kind: 'webhook', user_id: null, payload, created_at: 1, due_at: later, ordered_by: `ada-${id}` },
    ])
  await outbox.add([
    {
      ...{ id: 'm', kind: 'mail', user_id: null, created_at: 1, due_at: later },
      payload: { to: 'ada@example.org', language: 'en', about: 'password_changed' },
    },
  ])
  expect(JSON.parse(await webhooks('list', '--json'))).toMatchObject([
    { id: 'a', type: 'user.erased', data: { user_id: 'ada' }, attempts: 0, last_error: null },
    { id: 'b' },
  ])
  expect(await webhooks('list', '--limit', '1')).toMatch(
    /^a user\.erased \{"user_id":"ada"\}, made 1970-.*failed 0 times\n$/,
  )
  expect(await webhooks('retry', 'b')).toBe('due now: 1\n')
  expect(await outbox.lease('webhook', 'n', Date.now(), later, 10)).toMatchObject([{ id: 'b' }])
  expect(JSON.parse(await webhooks('retry', '--json'))).toEqual({ count: 1 })
  expectRefusal(await convene(['webhooks', 'retry', 'x'], settings), 1, /no webhook with the id x waits/)
  expectRefusal(await convene(['webhooks', 'retry', 'm'], settings), 1, /no webhook with the id m waits/)
  expectRefusal(await convene(['webhooks', 'list', 'x'], settings), 2, /unexpected argument 'x'/)
  expectRefusal(await convene(['webhooks'], settings), 2, /webhooks takes list or retry/)
})

describe('admin', () => {
  test('grants and takes away a role beside a running server, which follows at once', async () => {
    const databasePath = join(newPath(), 'convene.db')
    const app = await testApp({}, { databasePath })
    const ada = await app.person('Ada')
    const settings = { DATA_DIR: app.dataDir, DATABASE_URL: `sqlite:${databasePath}` }
    expect((await ada.get('admin/reports')).status).toBe(403)

    const granted = await convene(['admin', 'grant', ada.email.toUpperCase(), 'moderator'], settings)
    expect([granted.code, granted.err]).toEqual([0, ''])
    expect((await ada.get('admin/reports')).status).toBe(200)
    expect((await ada.get('me')).body.role).toBe('moderator')

    expectRefusal(await convene(['admin', 'revoke', ada.email, 'admin'], settings), 1, /is not admin, but moderator/)
    expect((await ada.get('admin/reports')).status).toBe(200)

    expect((await convene(['admin', 'revoke', ada.email, 'moderator'], settings)).code).toBe(0)
    expect((await ada.get('admin/reports')).status).toBe(403)

    const audit = app.db.$client
      .query("SELECT action, actor_id, subject_id, metadata FROM audit_log WHERE action LIKE 'role%' ORDER BY at, id")
      .all()
    expect(audit).toEqual([
      { action: 'role_granted', actor_id: null, subject_id: ada.id, metadata: '{"role":"moderator","before":"user"}' },
      {
        action: 'role_revoked',
        actor_id: null,
        subject_id: ada.id,
        metadata: '{"role":"moderator","before":"moderator"}',
      },
    ])
    // The server writes on.
    expect((await ada.put('me', { name: 'Ada L.' })).status).toBe(200)
  })

  test('makes a link for a new password, which works once; without PUBLIC_URL a token', async () => {
    const databasePath = join(newPath(), 'convene.db')
    const app = await testApp({}, { databasePath })
    app.clock.now = Date.now()
    const ada = await app.person('Ada')
    const settings = {
      DATA_DIR: app.dataDir,
      DATABASE_URL: `sqlite:${databasePath}`,
      JWT_SECRET: new TextDecoder().decode(app.config.jwtSecret!),
    }
    const reset = (token: string) =>
      app.request('POST', 'auth/password/reset', { body: { token, password: 'thirteen green bottles' } })
    const first = await convene(['admin', 'reset-password', ada.email, '--json'], {
      ...settings,
      PUBLIC_URL: 'https://meet.example.org',
    })
    const { token, ...given } = JSON.parse(first.out)
    expect(given).toEqual({
      user_id: ada.id,
      link: `https://meet.example.org/reset#token=${token}`,
      expires_at: expect.any(String),
    })
    const second = await convene(['admin', 'reset-password', ada.email], settings)
    expect([second.code, second.err]).toEqual([0, ''])
    expect((await reset(token)).body.code).toBe('link_invalid')
    expect((await reset(second.out.trim())).status).toBe(204)
    expect((await reset(second.out.trim())).body.code).toBe('link_invalid')
    expect((await ada.get('me')).status).toBe(401)
  })

  test('knows nobody where there is nobody, and makes no database', async () => {
    const path = dataDir()
    const grant = ['admin', 'grant', 'nobody@example.org', 'admin']
    expectRefusal(await convene(grant, { DATA_DIR: path }), 1, /no account with the e-mail address nobody@example\.org/)
    for (const [who, named] of [
      ['+4915112345678', 'phone number \\+4915112345678'],
      ['4711', 'messenger id 4711'],
      ['nobody', 'id nobody'],
    ] as const)
      expectRefusal(
        await convene(['admin', 'erase', who, '--yes'], { DATA_DIR: path }),
        1,
        new RegExp(`no account with the ${named}`),
      )
    expect(existsSync(join(path, 'erasures.log'))).toBe(false)
    const empty = newPath()
    expectRefusal(await convene(grant, { DATA_DIR: empty }), 1, /there is no database/)
    expect(existsSync(empty)).toBe(false)
  })

  /** A server, as far as the command line can see one, whose settings commands can have. */
  async function serverOf() {
    const databasePath = join(newPath(), 'convene.db')
    const app = await testApp({}, { databasePath })
    const settings = {
      DATA_DIR: app.dataDir,
      DATABASE_URL: `sqlite:${databasePath}`,
      JWT_SECRET: 'a secret of the tests, long enough',
      LOCATION_KEY: '11'.repeat(32),
    }
    return {
      app,
      settings,
      letGo: holdData({ dataDir: app.dataDir, database: { engine: 'sqlite', path: databasePath } }),
    }
  }

  test('erases an account beside a running server, which ends what it holds of it and removes the rest', async () => {
    const { app, settings, letGo } = await serverOf()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    await ada.post(`chats/${chat.id}/messages`, { text: 'Mark-Text' })
    const base = await app.listen()
    const [adas, bobs] = [connect(base, ada.token), connect(base, bob.token)]
    for (const socket of [adas, bobs]) await socket.until(ofType('hello'))

    const asked = await convene(['admin', 'erase', ada.email], settings)
    expectRefusal(asked, 2, new RegExp(`is the account ${ada.id}, here since 2026-11-21: add --yes`))
    expect((await ada.get('me')).status).toBe(200)

    const done = await convene(['admin', 'erase', ada.email.toUpperCase(), '--yes'], settings)
    expect(done).toEqual({ code: 0, out: expect.stringMatching(/^erased .* within a minute\n$/), err: '' })
    expect((await bob.get(`users/${ada.id}`)).status).toBe(404)

    // What the server does within the minute.
    expect(await app.services.account.finishErasures()).toBeGreaterThan(0)
    expect(await adas.closed).toBe(4401)
    expect((await ada.get('me')).status).toBe(401)
    expect((await bobs.until(ofType('chat'))).data).toMatchObject({ id: chat.id, user: { name: null } })
    expect((await bob.get(`chats/${chat.id}/messages`)).body.items).toMatchObject([{ deleted: true, text: null }])
    expect(readFileSync(join(app.dataDir, 'erasures.log'), 'utf8')).toEndWith(` ${ada.id}\n`)
    const entries = await app.services.storage.audit.list({ action: 'erase' }, 10, null)
    expect(entries).toMatchObject([{ actor_id: null, subject_id: ada.id }])

    const again = await convene(['admin', 'erase', ada.id, '--yes'], settings)
    expectRefusal(again, 1, /there is no account with the id/)
    letGo()
  })

  test('erases an account where no server runs, photos and all', async () => {
    const { app, settings, letGo } = await serverOf()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    await ada.post(`chats/${chat.id}/messages`, { text: 'Mark-Text' })
    letGo()
    expect(await convene(['admin', 'erase', ada.id, '--yes'], settings)).toEqual({
      code: 0,
      out: `erased ${ada.id}\n`,
      err: '',
    })
    expect(app.db.$client.query('SELECT 1 FROM messages WHERE text IS NOT NULL').all()).toEqual([])
    expect(app.db.$client.query('SELECT 1 FROM unfinished_erasures').all()).toEqual([])
  })

  test('exports an account for somebody who cannot log in, into a file for this user only', async () => {
    const { app, settings, letGo } = await serverOf()
    const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    await ada.post(`chats/${chat.id}/messages`, { text: 'Hello Bob' })
    await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Insults.' })
    expect((await ada.get('me/export')).status).toBe(403)

    const file = join(newPath(), 'ada.json')
    expectRefusal(await convene(['admin', 'export', ada.email, file], settings), 1, /there is no directory/)
    const there = join(app.dataDir, 'ada.json')
    const done = await convene(['admin', 'export', ada.email, there], settings)
    expect(done).toEqual({ code: 0, out: `all data of ${ada.email} is in ${there}\n`, err: '' })
    expect(statSync(there).mode & 0o777).toBe(0o600)
    const exported = JSON.parse(readFileSync(there, 'utf8'))
    expect(exported).toMatchObject({
      account: { id: ada.id, email: ada.email },
      notices: [{ action: 'suspend', reason: 'Insults.' }],
      chats: [{ user: { name: 'Bob' }, messages: [{ text: 'Hello Bob' }] }],
    })
    expectRefusal(await convene(['admin', 'export', bob.email, there], settings), 1, /exists: choose another name/)
    expect(JSON.parse(readFileSync(there, 'utf8'))).toEqual(exported)
    const entries = await app.services.storage.audit.list({ action: 'export' }, 10, null)
    expect(entries).toMatchObject([{ actor_id: null, subject_id: ada.id }])
    letGo()
  })

  test('exports a case for an authority, into a file for this user only', async () => {
    const { app, settings, letGo } = await serverOf()
    const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    const message = (await bob.post(`chats/${chat.id}/messages`, { text: 'Insult' })).body
    const report = (await ada.post('reports', { message_id: message.id, reason: 'harassment' })).body.id
    await mo.post(`admin/reports/${report}/resolve`, { action: 'warn', note: 'No insults.', strikes: 2 })
    const file = join(app.dataDir, 'case.json')
    expectRefusal(await convene(['case', 'export'], settings), 2, /which report, and where to/)
    expectRefusal(await convene(['case', 'export', ada.id, file], settings), 1, /there is no report with the id/)
    expect((await convene(['case', 'export', report, file], settings)).code).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      report: { id: report, evidence: { message: { text: 'Insult', created_at: iso(app.clock.now) } } },
      decisions: [{ action: 'warn', reason: 'No insults.', strikes: 2, decided_by: mo.id }],
      appeals: [],
      images: [],
      audit_log: [{ action: 'report' }, { action: 'report_resolved' }, { action: 'case_exported' }],
    })
    const { accounts } = JSON.parse(readFileSync(file, 'utf8'))
    expect(accounts.map(({ email }: { email: string }) => email).sort()).toEqual([ada.email, bob.email].sort())
    expectRefusal(await convene(['case', 'export', report, file], settings), 1, /exists: choose another name/)

    await app.services.filter.replaceAll(operator, [
      { name: 'Hold', on: true, applies_to: ['message'], match: { type: 'words', words: ['holdme'] }, action: 'hold' },
    ])
    await bob.post(`chats/${chat.id}/messages`, { text: 'holdme' })
    const held = (await mo.get('admin/reports?kind=held')).body.items[0].id
    await mo.post(`admin/reports/${held}/resolve`, { action: 'release', note: 'Fine.' })
    const released = join(app.dataDir, 'released.json')
    expect((await convene(['case', 'export', held, released], settings)).code).toBe(0)
    expect(JSON.parse(readFileSync(released, 'utf8')).report).toMatchObject({ kind: 'held', action: 'release' })

    await app.rows(`UPDATE users SET birth_month = '1990-04', show_age = TRUE WHERE id = '${bob.id}'`)
    app.forget(bob.id)
    const about = (await ada.post('reports', { user_id: bob.id, reason: 'underage' })).body.id
    const other = join(app.dataDir, 'other.json')
    expect((await convene(['case', 'export', about, other], settings)).code).toBe(0)
    const text = readFileSync(other, 'utf8')
    expect(JSON.parse(text).report.evidence.user).toMatchObject({ id: bob.id, age: expect.any(Number) })
    expect(text).not.toContain('birth')
    expect(text).not.toContain('1990-04')
    letGo()
  })
})

describe('check', () => {
  const listing = (path: string) =>
    readdirSync(path).map((name) => [name, statSync(join(path, name)).mode, readFileSync(join(path, name)).length])

  test('finds nothing wrong with a fresh installation, and changes nothing', async () => {
    const path = dataDir()
    const before = listing(path)
    const { code, out, err } = await convene(['check'], { DATA_DIR: path })
    expect(out).not.toContain('WRONG')
    expect(out).toEndWith('All is well.\n')
    expect([code, err]).toEqual([0, ''])
    expect(listing(path)).toEqual(before)
  })

  test('names the keys of push services that are in use', async () => {
    const directory = dataDir()
    const pem = (pair: { privateKey: KeyObject }) => pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const account = {
      type: 'service_account',
      project_id: 'meet-1',
      private_key_id: 'key-1',
      private_key: pem(generateKeyPairSync('rsa', { modulusLength: 2048 })),
      client_email: 'convene@meet-1.iam.gserviceaccount.com',
      token_uri: 'https://oauth2.googleapis.com/token',
    }
    const [FCM_SERVICE_ACCOUNT, APNS_KEY] = [join(directory, 'firebase.json'), join(directory, 'key.p8')]
    writeFileSync(FCM_SERVICE_ACCOUNT, JSON.stringify(account))
    writeFileSync(APNS_KEY, pem(generateKeyPairSync('ec', { namedCurve: 'P-256' })))
    const apple = { APNS_KEY, APNS_KEY_ID: 'ABC123DEFG', APNS_TEAM_ID: 'DEF123GHIJ', APNS_TOPIC: 'org.example.meet' }
    const { out } = await convene(['check'], { DATA_DIR: directory, FCM_SERVICE_ACCOUNT, ...apple })
    expect(out).toContain('ok     FCM_SERVICE_ACCOUNT holds a key of the Firebase project meet-1\n')
    expect(out).toContain('ok     APNS_KEY is a key for org.example.meet, used with the production servers of Apple\n')
    const half = await convene(['check'], { DATA_DIR: directory, APNS_KEY })
    expect(half.out).toContain('WRONG  APNS_KEY must come with APNS_KEY_ID, APNS_TEAM_ID and APNS_TOPIC')
    expect(half.code).toBe(1)
  })

  test('asks Telegram who the bot is, sends nothing, and says where webhooks go without what may be secret', async () => {
    const telegram = telegramServer()
    const settings = {
      DATA_DIR: dataDir(),
      MESSENGER_BOT: 'on',
      MESSENGER_BOT_TOKEN: botToken,
      MESSENGER_API_URL: telegram.url,
      WEBHOOK_URL: 'http://127.0.0.1:1/hook?key=a-secret',
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      IMAGE_CHECK_URL: 'http://127.0.0.1:2/check?key=a-secret',
      IMAGE_CHECK_SECRET: `whsec_${Buffer.alloc(32, 8).toString('base64')}`,
    }
    const { out } = await convene(['check'], settings)
    expect(out).toContain(
      'ok     images are checked by http://127.0.0.1:2, unencrypted, and stored unchecked if it does not answer\n',
    )
    const halfSet = await convene(['check'], { DATA_DIR: dataDir(), IMAGE_CHECK: 'required' })
    expect(halfSet.out).toContain('IMAGE_CHECK must come with IMAGE_CHECK_URL, which is not set')
    expect(out).toContain('ok     MESSENGER_BOT_TOKEN is the token of the bot @tests_bot\n')
    expect(out).toContain('ok     webhooks go to http://127.0.0.1:1, unencrypted\n')
    expect(out).not.toContain('a-secret')
    expect(telegram.calls.map(({ method }) => method)).toEqual(['getMe'])
    const other = await convene(['check'], { ...settings, MESSENGER_BOT_TOKEN: '7000000002:another-token' })
    expect(other.out).toContain('WRONG  the bot cannot be reached: Telegram answered 401 to getMe\n')
    expect(other.out).not.toMatch(/a-secret|another-token/)
    expect(other.code).toBe(1)
    await telegram.close()
  })

  test('finds what is wrong, says how to fix it, and fixes nothing itself', async () => {
    const path = dataDir()
    chmodSync(path, 0o755)
    chmodSync(join(path, 'jwt-secret'), 0o644)
    rmSync(join(path, 'location-key'))
    const db = openDatabase(join(path, 'convene.db'))
    const later = Date.now() + 3_600_000
    db.run(`INSERT INTO users (id, created_at, updated_at) VALUES ('a', ${later}, ${later})`)
    db.run('PRAGMA foreign_keys = OFF')
    db.run("INSERT INTO preferences (user_id) VALUES ('nobody')")
    db.close()
    const before = listing(path)

    const { code, out } = await convene(['check'], { DATA_DIR: path, HOST: '0.0.0.0', RATE_LIMIT: 'off' })
    expect(code).toBe(1)
    for (const problem of [
      /RATE_LIMIT is off/,
      /CORS_ORIGINS is empty/,
      /no METRICS_TOKEN/,
      /look into the data directory \(mode 755\)\n +to fix it: chmod 700 /,
      /others can read jwt-secret \(mode 644\)\n +to fix it: chmod 600 .*jwt-secret/,
      /location-key is missing\n +to fix it: restore/,
      /the database is damaged: a row of preferences refers to a missing row/,
      /something was stored at 20\d\d-/,
    ])
      expect(out).toMatch(problem)
    // Nor is the key that is missing told again as another one's.
    expect(out).toEndWith('8 things are wrong.\n')
    expect(listing(path)).toEqual(before)
  })

  test('names legal texts that nobody is shown, and settings that let old logins in', async () => {
    const LEGAL_DIR = newPath()
    mkdirSync(LEGAL_DIR)
    const files = { 'Terms.md': '# Terms', 'term.en.md': '# Terms', 'privacy.en.md': '', 'README.md': 'ours' }
    for (const [file, text] of Object.entries(files)) writeFileSync(join(LEGAL_DIR, file), text)
    const { out } = await convene(['check'], {
      DATA_DIR: dataDir(),
      LEGAL_DIR,
      MESSENGER_BOT_TOKEN: '7000000000:a-bot-of-this-test',
      INIT_DATA_MAX_AGE_S: '0',
    })
    expect(out.match(/^WRONG .*/gm)).toEqual([
      'WRONG  INIT_DATA_MAX_AGE_S is 0: anyone who finds init data of any age can log in',
      'WRONG  privacy.en.md in LEGAL_DIR has no content',
      'WRONG  Terms.md in LEGAL_DIR is not used',
      'WRONG  term.en.md in LEGAL_DIR is not used',
    ])
  })

  test('looks at the newest scheduled backup, by when the next one was due', async () => {
    const settings = { DATA_DIR: dataDir(), BACKUP_DIR: newPath(), BACKUP_CRON: '0 3 * * 0' }
    const none = await convene(['check'], settings)
    expect([none.code, none.out]).toEqual([
      0,
      expect.stringContaining(`ok     the first backup in ${settings.BACKUP_DIR}`),
    ])
    const db = new Database(join(settings.DATA_DIR, 'convene.db'))
    db.run('UPDATE schema_migrations SET applied_at = ?', [iso(Date.now() - 9 * days)])
    db.close()
    const overdue = await convene(['check'], settings)
    expect([overdue.code, overdue.out]).toEqual([1, expect.stringContaining('WRONG  there is no backup in BACKUP_DIR')])
    mkdirSync(settings.BACKUP_DIR)
    const file = join(settings.BACKUP_DIR, 'convene-20261101T030000Z.db')
    writeFileSync(file, 'a backup')
    const checkAfter = async (days: number) => {
      const at = Date.now() / 1000 - days * 86_400
      utimesSync(file, at, at)
      return convene(['check'], settings)
    }
    // Weekly ones may be a week old.
    expect((await checkAfter(0)).code).toBe(0)
    const late = await checkAfter(9)
    expect([late.code, late.out]).toEqual([1, expect.stringMatching(/WRONG {2}the newest backup in \S+ is of 20/)])
  })

  test('finds where what the nearby search reads differs from the profiles, and a backup and its restore mend it', async () => {
    const path = dataDir()
    const env = { DATA_DIR: path }
    const file = join(path, 'convene.db')
    const db = openDatabase(file)
    db.run("INSERT INTO users (id, gender, created_at, updated_at) VALUES ('a', 'female', 1, 1)")
    db.run("INSERT INTO preferences (user_id, drinks) VALUES ('a', '[\"tea\"]')")
    db.run(
      "INSERT INTO locations (user_id, latitude, longitude, visible, square, updated_at) VALUES ('a', 1, 1, 1, 7, 1)",
    )
    db.run("INSERT INTO nearby_traits VALUES ('gender:female', 7, 1), ('drinks:wine', 7, 1)")
    db.run("UPDATE nearby_people SET name = 'Ada'")
    db.run(
      "INSERT INTO nearby_people (square, user_id, language, reviews_count, created_at) VALUES (8, 'a', 'en', 0, 1)",
    )
    db.close()
    const differs = await convene(['check'], env)
    expect(differs.code).toBe(1)
    // Tea and the language are missing, and wine is too many.
    expect(differs.out).toMatch(/the index of the nearby search differs from the profiles in 3 entries\n +to fix it: /)
    // One has a name that is not theirs, and is also somewhere else.
    expect(differs.out).toMatch(/the nearby search shows 2 people not as their profiles are\n +to fix it: /)

    const backup = newPath()
    expect((await convene(['backup', backup], env)).code).toBe(0)
    expect((await convene(['restore', backup], env)).code).toBe(0)
    const mended = await convene(['check'], env)
    expect([mended.code, mended.out]).toEqual([0, expect.stringContaining('All is well.')])
    const again = openDatabase(file)
    expect(again.query('SELECT trait FROM nearby_traits ORDER BY 1').values().flat()).toEqual([
      'drinks:tea',
      'gender:female',
      'language:en',
    ])
    expect(again.query('SELECT square, user_id, name FROM nearby_people').values()).toEqual([[7, 'a', null]])
    again.close()
  })

  test('names a bad setting, and a data directory that is not there', async () => {
    const bad = await convene(['check'], { DATA_DIR: newPath(), HOST: 'http://here' })
    expect([bad.code, bad.out]).toEqual([
      1,
      expect.stringMatching(/^WRONG {2}HOST must be .*\n.*\n1 thing is wrong\.\n$/),
    ])
    const path = newPath()
    const none = await convene(['check'], { DATA_DIR: path })
    expect(none.code).toBe(1)
    expect(none.out).toContain(`WRONG  DATA_DIR is not there: ${path}`)
    expect(existsSync(path)).toBe(false)
  })
})

describe('health', () => {
  const other = (body: string) => Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(body) })

  const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  )
  const hosts = ['127.0.0.1', '0.0.0.0', ...(hasIPv6 ? ['::1', '::'] : [])]

  test.each(hosts)('finds the server that runs with HOST=%s', async (host) => {
    const settings = { DATA_DIR: newPath(), HOST: host }
    const server = await startServer(settings)
    // A proxy of the environment is not asked.
    const asked = { ...settings, PORT: server.base.port, HTTP_PROXY: 'http://127.0.0.1:9' }
    expect(await convene(['health'], asked)).toEqual({
      code: 0,
      out: expect.stringMatching(/^Convene 0\.6\.0 is alive at http:\S+\n$/),
      err: '',
    })
    expect((await convene(['health', '--ready'], asked)).out).toMatch(/^Convene 0\.6\.0 is ready at http:\S+\n$/)
    expect(await server.end()).toBe(0)
    expectRefusal(await convene(['health'], asked), 1, /nothing answers at http:/)
  })

  test('is not deceived by another program, and makes no data directory', async () => {
    for (const body of ['hello', '{}', 'null']) {
      const server = other(body)
      const settings = { DATA_DIR: newPath(), PORT: String(server.port) }
      expectRefusal(await convene(['health'], settings), 1, /is not Convene/)
      expect(existsSync(settings.DATA_DIR)).toBe(false)
      await server.stop(true)
    }
  })

  test('gives up on a server that takes the call and is silent', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    expectRefusal(await convene(['health'], { PORT: String(silent.port) }), 1, /nothing answers/)
    silent.stop(true)
  })

  test('needs a port that it can know', async () => {
    expectRefusal(await convene(['health'], { PORT: '0' }), 1, /PORT is 0/)
    expectRefusal(await convene(['health', 'now'], {}), 2, /unexpected argument 'now'/)
  })
})

describe('a progress bar', () => {
  /** What a command shows on a terminal; without colours and the like. */
  async function onTerminal(args: string[], settings: Record<string, string>) {
    let shown = ''
    const child = Bun.spawn([...command, ...args], {
      env: { PATH: process.env.PATH, TERM: 'xterm', ...settings },
      terminal: { cols: 120, rows: 24, data: (_, bytes) => void (shown += new TextDecoder().decode(bytes)) },
    })
    const code = await child.exited
    return { code, shown: Bun.stripANSI(shown) }
  }

  test('goes along with long work, and to its end, on a terminal only', async () => {
    const [here, there] = [{ DATA_DIR: newPath() }, { DATA_DIR: newPath() }]
    const work: [string, args: string[], settings: Record<string, string>][] = [
      ['seeding', ['seed', '--users', '30'], here],
      ['migrating', ['migrate', 'down', '--steps', '2', '--yes'], here],
      ['migrating', ['migrate', 'up'], here],
      ['backing up', ['backup', `${here.DATA_DIR}/a.db`], here],
      ['restoring', ['restore', `${here.DATA_DIR}/a.db`], there],
    ]
    for (const [title, args, settings] of work) {
      const { code, shown } = await onTerminal(args, settings)
      expect([code, shown]).toEqual([0, expect.stringMatching(new RegExp(`${title} \\S+ 0 % .* 100 % `, 's'))])
    }
    const { code, out, err } = await convene(['backup', `${here.DATA_DIR}/b.db`], here)
    expect([code, out, err]).toEqual([0, expect.stringMatching(/^backed up [^\n]+\n$/), ''])
  })
})
