import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../../migrations/index.ts'
import { jobs } from '../../src/jobs.ts'
import { backUpInto, removeLeftovers } from '../../src/backup/scheduled.ts'
import { holdData } from '../../src/installation/data-directory.ts'
import { down, status } from '../../src/storage/migrate.ts'
import { openReadOnly } from '../../src/storage/sqlite/database.ts'
import { days, hours } from '../../src/lib/time.ts'
import { password, type Person, start, type TestApp, testApp } from '../app.ts'
import { startServer } from '../convene.ts'
import {
  closedInstallation,
  contentOf,
  convene,
  environmentOf,
  evaluate,
  installation,
  makeFormer,
  newPath,
  program,
  uploaded,
} from '../installation.ts'
import { tracesOfTruth, truth } from '../truth.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(30_000)

const root = join(import.meta.dir, '../..')
const tables = (db: Database) =>
  db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)

/** All rows of all tables. */
function rowsOf(path: string) {
  const db = openReadOnly(path)
  try {
    const list = tables(db).filter((name) => !name.startsWith('backup'))
    return Object.fromEntries(list.map((name) => [name, db.query(`SELECT * FROM ${name} ORDER BY 1, 2`).values()]))
  } finally {
    db.close()
  }
}

/** But for the events, whose numbers begin anew in a restore. */
function storedIn(path: string) {
  const { events: _, event_counters: __, ...rows } = rowsOf(path)
  return rows
}

test('a backup under load is one moment’s state, and restored it is equal to it, photos too', async () => {
  const app = await installation()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chatId = (await ada.post('chats', { user_id: bob.id })).body.id as string
  await ada.put('me', { photo: (await uploaded(ada, 20)).id })
  await bob.post(`chats/${chatId}/messages`, { kind: 'photo', photo: (await uploaded(bob, 30)).id })
  const { chats } = app.services.storage
  const answered: string[] = []
  const send = async () => {
    const id = Bun.randomUUIDv7()
    const message = { id, chat_id: chatId, sender_id: ada.id, kind: 'text' as const, text: 'x'.repeat(300) }
    await chats.append({ ...message, photo_id: null, client_id: null, created_at: Date.now() }, bob.id, null)
    answered.push(id)
  }
  for (let i = 0; i < 60; i++) await Promise.all(Array.from({ length: 50 }, send))
  const before = answered.length

  const file = newPath('.db')
  let running = true
  const backup = program(environmentOf(app), ['backup', file]).finally(() => (running = false))
  while (running) {
    await Promise.all(Array.from({ length: 8 }, send))
    await Bun.sleep(0)
  }
  expect(await backup).toMatchObject({ code: 0, error: '' })
  const after = answered.length
  expect(after).toBeGreaterThan(before)

  const dataDir = newPath()
  expect(await convene(dataDir, 'restore', file)).toMatchObject({ code: 0, error: '' })
  expect(storedIn(join(dataDir, 'convene.db'))).toEqual(storedIn(file))
  const { events, event_counters: counters } = rowsOf(file)
  const numbers = events!.flatMap(([user, seq]) => (user === bob.id ? [seq] : []))
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => i + 1))
  expect(counters).toContainEqual([bob.id, numbers.length])
  expect(contentOf(join(dataDir, 'media'))).toEqual(contentOf(join(app.dataDir, 'media')))
  const restored = openReadOnly(join(dataDir, 'convene.db'))
  expect(restored.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  expect(tables(restored)).toEqual(tables(app.db.$client))
  const ids = restored
    .query<{ id: string }, []>("SELECT id FROM messages WHERE kind = 'text' ORDER BY seq")
    .all()
    .map(({ id }) => id)
  // All that was answered before, none that was not, and nothing left out in between.
  expect(ids.length).toBeGreaterThanOrEqual(before)
  expect(ids).toEqual(answered.slice(0, ids.length))
  const { last_seq } = restored.query<{ last_seq: number }, []>('SELECT last_seq FROM chats').get()!
  expect(last_seq).toBe(ids.length + 1)
  restored.close()
})

test('who has seen more than a backup knows finds a gap after its restore, however much was stored since', async () => {
  const first = await installation()
  const [ada, bob, cay] = [await first.person('Ada'), await first.person('Bob'), await first.person('Cay')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body.id
  const say = (text: string) => ada.post(`chats/${chat}/messages`, { text })
  for (let i = 0; i < 3; i++) await say(`old ${i}`)
  const file = newPath('.db')
  expect(await program(environmentOf(first), ['backup', file])).toMatchObject({ code: 0 })
  for (let i = 0; i < 3; i++) await say(`lost ${i}`)
  // Of whom the backup knows no event at all.
  await cay.post('chats', { user_id: bob.id })
  const seen = { bob: (await bob.get('sync?since=0')).body.seq, cay: (await cay.get('sync?since=0')).body.seq }
  expect(seen).toEqual({ bob: 8, cay: 1 })

  for (let times = 0; times < 2; times++) {
    const dataDir = newPath()
    expect(await convene(dataDir, 'restore', file)).toMatchObject({ code: 0, error: '' })
    const again = await testApp({}, { databasePath: join(dataDir, 'convene.db') })
    const back = async ({ id }: Person) =>
      again.as((await again.services.auth.begin(id, { address: '', user_agent: null, language: null })).access_token)
    const [ada2, bob2, cay2] = [await back(ada), await back(bob), await back(cay)]
    const since = async (person: typeof bob2, seq: number) => (await person.get(`sync?since=${seq}`)).body
    for (let i = 0; i < 12; i++) await ada2.post(`chats/${chat}/messages`, { text: `new ${i}` })
    const chats = Array.from({ length: 3 }, () => again.person())
    for (const person of await Promise.all(chats)) await cay2.post('chats', { user_id: person.id })
    expect(await since(bob2, seen.bob)).toMatchObject({ resume: 'gap', items: [] })
    expect(await since(cay2, seen.cay)).toMatchObject({ resume: 'gap', items: [] })
    // From there on it goes on without one.
    const { seq } = await since(bob2, seen.bob)
    await ada2.post(`chats/${chat}/messages`, { text: 'and on' })
    expect((await since(bob2, seq)).items).toMatchObject([{ seq: seq + 1, data: { text: 'and on' } }])
    seen.bob = seq + 1
    seen.cay = (await since(cay2, seen.cay)).seq
    await again.close()
  }
})

test('a backup is for its owner only, and holds neither a secret nor a true position', async () => {
  const app = await testApp({}, { databasePath: newPath('.db') })
  const secrets = { jwt: 'feedc0de'.repeat(8), location: 'deadbeef'.repeat(8) }
  writeFileSync(join(app.dataDir, 'jwt-secret'), secrets.jwt)
  writeFileSync(join(app.dataDir, 'location-key'), secrets.location)
  const ada = await app.person('Ada')
  for (let i = 0; i < 3; i++) await ada.put('me/location', truth)
  const file = newPath('.db')
  const environment = environmentOf({ dataDir: app.dataDir, databasePath: app.db.$client.filename })
  expect((await program(environment, ['backup', file])).code).toBe(0)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const bytes = readFileSync(file)
  expect(bytes.includes('Ada')).toBe(true)
  const keys = [...Object.values(secrets), ada.token, ada.refresh, password]
  for (const secret of [...keys, ...keys.slice(0, 2).map((key) => Buffer.from(key, 'hex')), ...tracesOfTruth])
    expect(bytes.includes(secret)).toBe(false)
})

test('a backup replaces nothing unless told, never the database, and a failed one leaves nothing behind', async () => {
  const { dataDir } = await closedInstallation()
  const directory = newPath()
  mkdirSync(directory)
  const file = join(directory, 'a.db')
  writeFileSync(file, 'mine')
  const refused = await convene(dataDir, 'backup', file)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.error).toContain('exists')
  const forced = await convene(dataDir, 'backup', '--force', file)
  expect(forced).toMatchObject({ code: 1, out: '', error: expect.stringContaining('is not a backup of Convene') })
  expect(readFileSync(file, 'utf8')).toBe('mine')
  rmSync(file)
  expect((await convene(dataDir, 'backup', file)).code).toBe(0)
  const inodeOf = () => statSync(file).ino
  const first = inodeOf()
  expect((await convene(dataDir, 'backup', '--force', file)).out).toMatch(
    /^backed up 2 users, 6 messages and 2 photos to /,
  )
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(inodeOf()).not.toBe(first)

  const database = join(dataDir, 'convene.db')
  const before = contentOf(dataDir)
  for (const [args, reason] of [
    [['backup', '--force', database], 'is the database itself'],
    [['backup', join(directory, 'no', 'such.db')], 'there is no directory'],
    [['backup'], 'where to?'],
    [['backup', 'verify'], 'which one? backup verify FILE'],
    [['backup', 'verify', ''], 'which one? backup verify FILE'],
    [['backup', 'prune'], 'where? backup prune PLACE'],
    [['backup', 'prune', ''], 'where? backup prune PLACE'],
    [['backup', file, 'more'], "unexpected argument 'more'"],
  ] as const) {
    const { code, error } = await convene(dataDir, ...args)
    expect(code).toBeGreaterThan(0)
    expect(error).toContain(reason)
  }
  const others = ['convene.lock', 'convene.toml', 'erasures.log', 'jwt-secret', 'location-key']
  for (const name of others) writeFileSync(join(dataDir, name), name === 'convene.lock' ? '' : '# mine')
  const withThem = contentOf(dataDir)
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  expect(files.length).toBeGreaterThan(others.length + 1)
  for (const { parentPath, name } of files)
    expect((await convene(dataDir, 'backup', '--force', join(parentPath, name))).code).toBe(1)
  expect(contentOf(dataDir)).toEqual(withThem)
  for (const name of others) rmSync(join(dataDir, name))
  expect(contentOf(dataDir)).toEqual(before)
  expect((await convene(newPath(), 'backup', join(directory, 'b.db'))).error).toContain('there is no database')

  // A page of an index is overwritten: what is copied then is not whole.
  const broken = openReadOnly(database)
  const { rootpage } = broken
    .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'chats_of_a'")
    .get()!
  broken.close()
  const bytes = readFileSync(database)
  bytes.fill(0, (rootpage - 1) * 4096 + 100, rootpage * 4096)
  writeFileSync(database, bytes)
  expect((await convene(dataDir, 'backup', join(directory, 'c.db'))).error).toMatch(/malformed|damaged/)
  expect(readdirSync(directory)).toEqual(['a.db'])
})

describe('restore refuses, and changes nothing,', () => {
  const cases: Record<string, [reason: RegExp, make: (file: string) => void]> = {
    'a file that is no database': [
      /not an SQLite database/,
      (file) => writeFileSync(file, 'Dear diary, '.repeat(1000)),
    ],
    'an empty file': [/contains no data of Convene/, (file) => writeFileSync(file, '')],
    'a file that is not there': [/there is no file/, (file) => rmSync(file)],
    'a truncated one': [/damaged|malformed/, (file) => truncateSync(file, statSync(file).size - 4096 * 3)],
    'one with a broken page': [
      /damaged|malformed/,
      (file) => {
        const bytes = readFileSync(file)
        bytes.fill(0x5a, 4096 * 4 + 8, 4096 * 5)
        writeFileSync(file, bytes)
      },
    ],
    'one that lacks rows': [
      /incomplete: it holds 5 messages, and should hold 6/,
      changed('DELETE FROM messages WHERE seq = 6'),
    ],
    'one that points at what is not there': [/refers to a missing row/, changed("UPDATE chats SET user_b = 'zzz'")],
    'one of a newer release': [
      /newer than this release/,
      changed("INSERT INTO schema_migrations VALUES (999, 'later', '')"),
    ],
    'a database of another program': [
      /belongs to another program/,
      (file) => {
        rmSync(file)
        const db = new Database(file, { create: true })
        db.run('CREATE TABLE notes (text TEXT)')
        db.close()
      },
    ],
  }
  // Of the release before, as what is changed does not match its checksum.
  function changed(sql: string) {
    return (file: string) => {
      makeFormer(file)
      const db = new Database(file)
      db.run(sql)
      db.close()
    }
  }

  let made: Promise<{ dataDir: string; file: string }> | null = null
  const backup = () =>
    (made ??= (async () => {
      const { dataDir } = await closedInstallation()
      const file = newPath('.db')
      await convene(dataDir, 'backup', file)
      return { dataDir, file }
    })())

  test.each(Object.entries(cases))('%s', async (_, [reason, make]) => {
    const { dataDir, file } = await backup()
    const bad = newPath('.db')
    copyFileSync(file, bad)
    make(bad)
    const before = contentOf(dataDir)
    const { code, out, error } = await convene(dataDir, 'restore', bad)
    expect(error).toMatch(reason)
    expect(error.trim()).not.toContain('\n')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(contentOf(dataDir)).toEqual(before)
  })

  test('while a server runs on that data directory, or has the database open', async () => {
    const { dataDir, file } = await backup()
    const data = { dataDir, database: { engine: 'sqlite', path: join(dataDir, 'convene.db') } } as const
    const letGo = holdData(data)
    expect((await convene(dataDir, 'restore', file)).error).toContain('DATA_DIR is in use by another Convene')
    expect(() => holdData(data)).toThrow('in use')
    letGo()
    const database = new Database(join(dataDir, 'convene.db'))
    database.run('PRAGMA journal_mode = WAL')
    database.query('SELECT count(*) FROM users').get()
    expect((await convene(dataDir, 'restore', file)).error).toContain('is in use')
    database.close(true)
    expect(readdirSync(dataDir).filter((name) => name.includes('restore'))).toEqual([])
  })
})

test('what was there before a restore is kept, log and photos too, and can be restored again', async () => {
  const { dataDir } = await closedInstallation()
  const file = newPath('.db')
  await convene(dataDir, 'backup', file)
  const photos = contentOf(join(dataDir, 'media'))
  const database = join(dataDir, 'convene.db')
  // Written since, and still in the log, as after a crash: in another process, which is killed.
  const later = `const { Database } = await import('bun:sqlite'); const db = new Database('${database}')
    db.run('PRAGMA journal_mode = WAL'); db.run("UPDATE users SET city = 'Later' WHERE name = 'Ada'"); process.kill(process.pid, 'SIGKILL')`
  await evaluate({}, later)
  expect(existsSync(`${database}-wal`)).toBe(true)
  writeFileSync(join(dataDir, 'media', 'newer.webp'), 'newer')

  const restored = await convene(dataDir, 'restore', file)
  expect(restored).toMatchObject({ code: 0, error: '' })
  const cityOf = () => {
    const db = openReadOnly(database)
    const row = db.query<{ city: string | null }, []>("SELECT city FROM users WHERE name = 'Ada'").get()
    db.close()
    return row?.city
  }
  expect(cityOf()).toBeNull()
  expect(contentOf(join(dataDir, 'media'))).toEqual(photos)
  const kept = readdirSync(dataDir).filter((name) => name.includes('.before-restore-'))
  expect(kept.sort()).toEqual([
    expect.stringMatching(/^convene\.db\.before-restore-\d{8}T\d{6}Z$/),
    expect.stringMatching(/^media\.before-restore-\d{8}T\d{6}Z$/),
  ])
  for (const name of kept) expect(restored.out).toContain(name)
  expect(contentOf(join(dataDir, kept[1]!)).size).toBe(photos.size + 1)
  expect(statSync(database).mode & 0o777).toBe(0o600)
  expect(readdirSync(dataDir).sort()).toEqual(['convene.db', 'convene.lock', 'media', ...kept].sort())

  // Whatever second it is done in, what other restores have kept stays.
  const stamp = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const others = Array.from({ length: 120 }, (_, i) =>
    join(dataDir, `${i % 2 ? 'media' : 'convene.db'}.before-restore-${stamp(Date.now() + i * 1000)}`),
  ).filter((path) => !existsSync(path))
  for (const path of others) writeFileSync(path, 'of another restore')
  expect(await convene(dataDir, 'restore', join(dataDir, kept[0]!))).toMatchObject({ code: 0, error: '' })
  expect(cityOf()).toBe('Later')
  for (const path of others) expect(readFileSync(path, 'utf8')).toBe('of another restore')
  for (const name of kept) expect(existsSync(join(dataDir, name))).toBe(true)
  expect(contentOf(join(dataDir, 'media'))).toEqual(photos)
})

test('a broken database is put aside as it is', async () => {
  const { dataDir } = await closedInstallation()
  const file = newPath('.db')
  await convene(dataDir, 'backup', file)
  writeFileSync(join(dataDir, 'convene.db'), 'rubbish')
  writeFileSync(join(dataDir, 'convene.db-wal'), 'more rubbish')
  expect(await convene(dataDir, 'restore', file)).toMatchObject({ code: 0, error: '' })
  expect(storedIn(join(dataDir, 'convene.db'))).toEqual(storedIn(file))
  const kept = readdirSync(dataDir).filter((name) => name.startsWith('convene.db.'))
  expect(kept.map((name) => readFileSync(join(dataDir, name), 'utf8')).sort()).toEqual(['more rubbish', 'rubbish'])
})

test('who was erased stays erased when an older backup is restored, their photos too', async () => {
  const { dataDir, ada, bob } = await closedInstallation()
  const file = newPath('.db')
  await convene(dataDir, 'backup', file)
  const at = new Date(start + hours).toISOString()
  writeFileSync(join(dataDir, 'erasures.log'), `${at} ${ada.id}\n`)
  const { code, out } = await convene(dataDir, 'restore', file)
  expect(code).toBe(0)
  expect(out).toContain('users erased again, because they were erased since: 1')
  const bytes = readFileSync(join(dataDir, 'convene.db'))
  for (const mark of [ada.email, 'Message 0']) {
    expect(readFileSync(file).includes(mark)).toBe(true)
    expect(bytes.includes(mark)).toBe(false)
  }
  expect(bytes.includes(bob.email)).toBe(true)
  const photos = [...contentOf(join(dataDir, 'media')).keys()].filter((name) => name.endsWith('.webp'))
  expect(photos).toHaveLength(2)
  const db = openReadOnly(join(dataDir, 'convene.db'))
  expect(db.query('SELECT name, deleted_at FROM users WHERE id = ?').get(ada.id)).toEqual({
    name: null,
    deleted_at: Date.parse(at),
  })
  expect(db.query('SELECT action, actor_id FROM audit_log WHERE subject_id = ?').all(ada.id)).toContainEqual({
    action: 'erase_again',
    actor_id: null,
  })
  db.close()
})

test('the journal that lies beside a backup erases again too, on a machine that has none', async () => {
  const { dataDir, ada, bob } = await closedInstallation()
  const directory = newPath()
  mkdirSync(directory)
  const file = join(directory, 'convene-20261121T120000Z.db')
  await convene(dataDir, 'backup', file)
  const line = ({ id }: Person) => `${new Date(start + hours).toISOString()} ${id}\n`
  writeFileSync(join(directory, 'erasures.log'), line(ada))

  const elsewhere = newPath()
  const { code, out } = await convene(elsewhere, 'restore', file)
  expect([code, out]).toEqual([0, expect.stringContaining('users erased again, because they were erased since: 1')])
  const bytes = readFileSync(join(elsewhere, 'convene.db'))
  expect([bytes.includes(ada.email), bytes.includes(bob.email)]).toEqual([false, true])
  // It is known from now on, without that directory.
  expect(readFileSync(join(elsewhere, 'erasures.log'), 'utf8')).toBe(line(ada))

  // What each of the two knows alone counts, and is noted once.
  writeFileSync(join(directory, 'erasures.log'), line(ada) + line(bob))
  expect((await convene(elsewhere, 'restore', file)).out).toContain('since: 2')
  expect(readFileSync(join(elsewhere, 'erasures.log'), 'utf8')).toBe(line(ada) + line(bob))
})

test('who was erased is erased again at the start, if an older database was put in place by hand', async () => {
  const { dataDir, ada, bob } = await closedInstallation()
  writeFileSync(join(dataDir, 'erasures.log'), `${new Date(start).toISOString()} ${ada.id}\n`)
  const server = await startServer({ DATA_DIR: dataDir })
  expect(
    server
      .log()
      .split('\n')
      .find((line) => line.includes('erased again')),
  ).toContain('"count":1')
  // Nothing restores over a server that runs, nor is there a second one.
  for (const args of [['restore', join(dataDir, 'convene.db')], ['serve']]) {
    const { code, error } = await program({ DATA_DIR: dataDir, PORT: '0' }, args)
    expect([code, error]).toEqual([1, expect.stringContaining('DATA_DIR is in use by another Convene')])
  }
  // Nor one with a data directory of its own, which would know nothing of what the first one decides.
  const elsewhere = { DATA_DIR: newPath(), DATABASE_URL: `sqlite:${join(dataDir, 'convene.db')}`, PORT: '0' }
  const { code, error } = await program(elsewhere, ['serve'])
  expect([code, error]).toEqual([1, expect.stringContaining('the database is in use by another Convene')])
  await server.end()
  const bytes = readFileSync(join(dataDir, 'convene.db'))
  expect(bytes.includes(ada.email)).toBe(false)
  expect(bytes.includes(bob.email)).toBe(true)
})

test('a backup of an older release is brought up to this one’s schema', async () => {
  const { dataDir } = await closedInstallation()
  const db = new Database(join(dataDir, 'convene.db'))
  down(db, { steps: 2 })
  db.close()
  const file = newPath('.db')
  expect((await convene(dataDir, 'backup', file)).code).toBe(0)
  expect((await convene(dataDir, 'restore', file)).code).toBe(0)
  const restored = openReadOnly(join(dataDir, 'convene.db'))
  expect(status(restored).filter(({ applied_at }) => applied_at === null)).toEqual([])
  expect(status(restored)).toHaveLength(migrations.length)
  restored.close()
})

describe('scheduled backups', () => {
  const writing = (content: string) => async (file: string) => writeFileSync(file, content)

  test('are named by their time; the oldest beyond those to keep go, and nothing else', async () => {
    const directory = newPath()
    for (let day = 0; day < 5; day++)
      await backUpInto(directory, { keep: 3, at: start + day * days, backUp: writing(`day ${day}`) })
    writeFileSync(join(directory, 'notes.txt'), 'mine')
    writeFileSync(join(directory, 'convene-20261126T120000Z.db.0a1b2c3d.part'), 'cut off')
    await backUpInto(directory, { keep: 3, at: start + 5 * days, backUp: writing('day 5') })
    expect(await removeLeftovers(directory, directory)).toEqual(['convene-20261126T120000Z.db.0a1b2c3d.part'])
    rmSync(join(directory, 'backups.lock'))
    expect(readdirSync(directory).sort()).toEqual([
      'convene-20261124T120000Z.db',
      'convene-20261125T120000Z.db',
      'convene-20261126T120000Z.db',
      'notes.txt',
    ])
  })

  test('a clock that was set back does not cost the newest one', async () => {
    const directory = newPath()
    for (const at of [start, start + days, start - days])
      await backUpInto(directory, { keep: 2, at, backUp: writing(String(at)) })
    expect(readdirSync(directory).sort()).toEqual(['convene-20261120T120000Z.db', 'convene-20261122T120000Z.db'])
  })

  test('one that fails takes no older one with it, and says why', async () => {
    const directory = newPath()
    for (const at of [start, start + days]) await backUpInto(directory, { keep: 2, at, backUp: writing('good') })
    const failing = backUpInto(directory, {
      keep: 1,
      at: start + 2 * days,
      backUp: () => Promise.reject(new Error('no room')),
    })
    await expect(failing).rejects.toThrow('no room')
    expect(readdirSync(directory)).toHaveLength(2)
  })

  test('run in a process of their own, on the same data', async () => {
    const { dataDir } = await closedInstallation()
    const directory = newPath()
    const script = `const { backUpInto } = await import('${root}/src/backup/scheduled.ts')
      try { await backUpInto('${directory}', { keep: 1, at: ${start} }); console.log('done') } catch (error) { console.log(error.message) }`
    expect((await evaluate({ DATA_DIR: dataDir }, script)).out).toBe('done\n')
    expect(rowsOf(join(directory, 'convene-20261121T120000Z.db'))).toEqual(rowsOf(join(dataDir, 'convene.db')))
    const failed = await evaluate({ DATA_DIR: newPath() }, script.replace(String(start), String(start + days)))
    expect(failed.out).toContain('there is no database')
    expect(readdirSync(directory).sort()).toEqual(['convene-20261121T120000Z.db', 'photos'])
  })

  test('are a job where there is a directory for them, and none where there is not', async () => {
    const named = ({ services }: TestApp) => jobs(services).find(({ name }) => name === 'backup')?.schedule
    expect(named(await testApp())).toBeUndefined()
    expect(named(await testApp({ BACKUP_DIR: newPath() }))).toBe('0 3 * * *')
    expect(named(await testApp({ BACKUP_DIR: newPath(), BACKUP_CRON: '*/5 * * * *' }))).toBe('*/5 * * * *')
  })
})

test('a backup is examined without being restored, by its checksum and its numbers', async () => {
  const { dataDir } = await closedInstallation()
  const file = newPath('.db')
  expect(await convene(dataDir, 'backup', file)).toMatchObject({ code: 0 })
  const elsewhere = newPath()
  const whole = await convene(elsewhere, 'backup', 'verify', file)
  expect(whole).toMatchObject({ code: 0, error: '' })
  expect(whole.out).toMatch(/ is whole: a backup of 20\d\d-.*Z with 2 users, 6 messages and 2 photos \(\d+\.\d MB\)\n$/)
  expect(existsSync(elsewhere)).toBe(false)
  const bytes = readFileSync(file)
  for (const at of [100, bytes.length >> 1, bytes.length - 30]) {
    const damaged = newPath('.db')
    const copy = Buffer.from(bytes)
    copy[at]! ^= 4
    writeFileSync(damaged, copy)
    const { code, out, error } = await convene(elsewhere, 'backup', 'verify', damaged)
    expect([at, code, out, error.includes(damaged)]).toEqual([at, 1, '', true])
  }
  const missing = await convene(elsewhere, 'backup', 'verify', newPath('.db'))
  expect(missing).toMatchObject({ code: 1, out: '', error: expect.stringContaining('there is no file') })
  expect(await convene(elsewhere, 'backup', 'verify', file, 'more')).toMatchObject({ code: 2, out: '' })
  expect(await convene(elsewhere, 'backup', 'verify', file, '--force')).toMatchObject({ code: 2, out: '' })
})
