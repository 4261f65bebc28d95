import { SQL } from 'bun'
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReadOnly } from '../../src/storage/sqlite/database.ts'
import { convene, startServer } from '../convene.ts'
import { engines, newPostgres, noPostgres } from '../engines.ts'
import { bucket, keyId, s3Server, secret } from '../s3-server.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(120_000)

const folder = mkdtempSync(join(tmpdir(), 'convene-community-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newPath = (end = '') => join(folder, `${crypto.randomUUID()}${end}`)

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    test('what is remembered first is what all are told, and stays until it is set', async () => {
      const { storage } = await engine.open()
      open.push(storage)
      const { community } = storage
      expect(await community.all()).toEqual(new Map())
      const told = await Promise.all(Array.from({ length: 8 }, (_, i) => community.keep('id', `node ${i}`)))
      expect(new Set(told).size).toBe(1)
      expect(told[0]).toMatch(/^node \d$/)
      expect(await community.keep('id', 'a later one')).toBe(told[0]!)
      await community.set('id', 'another')
      await community.set('more', 'x')
      expect(await community.keep('id', 'a later one')).toBe('another')
      expect(await community.all()).toEqual(
        new Map([
          ['id', 'another'],
          ['more', 'x'],
        ]),
      )
    })
  })
}

const serve = (settings: Record<string, string>) => startServer({ LOG_LEVEL: 'info', ...settings })
const start = async (settings: Record<string, string>) => {
  const server = await serve(settings)
  await server.end()
  return server.log()
}

/** A start that has to end at once, with one line that names what is wrong, and how to fix it. */
async function refused(settings: Record<string, string>, says: RegExp) {
  const { code, out, err } = await convene(['serve'], { PORT: '0', LOG_LEVEL: 'warn', ...settings })
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(says)
  expect(err.trim()).not.toContain('\n')
  expect(err).toContain('convene admin adopt')
}

const keyFile = (dataDir: string, name: 'location-key' | 'jwt-secret') => join(dataDir, name)
const other = 'c7'.repeat(32)

test('secrets without their database are a new community, and the log says so', async () => {
  const dataDir = newPath()
  const settings = { DATA_DIR: dataDir }
  const said = 'there are secrets but no database'
  expect(await start(settings)).not.toContain(said)
  expect(await start(settings)).not.toContain(said)
  for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `convene.db${end}`), { force: true })
  expect(await start(settings)).toContain(said)
})

describe('a database without its secrets', () => {
  test('is not served with another location key, until that is meant', async () => {
    const dataDir = newPath()
    const settings = { DATA_DIR: dataDir }
    await start(settings)
    const path = keyFile(dataDir, 'location-key')
    const key = readFileSync(path, 'utf8')

    await refused(
      { ...settings, LOCATION_KEY: other },
      /^convene: LOCATION_KEY is not the key with which the positions/,
    )
    rmSync(path)
    await refused(settings, /location-key is missing: the key with which the positions/)
    // No new one is left that could be taken for it.
    expect(existsSync(path)).toBe(false)
    const check = await convene(['check'], settings)
    expect([check.code, check.out]).toEqual([
      1,
      expect.stringMatching(/WRONG {2}location-key is missing\n.*convene admin adopt/),
    ])
    writeFileSync(path, key, { mode: 0o600 })
    await start(settings)
    expect((await convene(['check'], settings)).out).toContain('ok     the secrets are those of the database')

    // Lost for good: a new one, once that is said twice.
    rmSync(path)
    const asked = await convene(['admin', 'adopt'], settings)
    expect([asked.code, asked.out]).toEqual([2, expect.stringContaining('location-key is missing')])
    await refused(settings, /location-key is missing/)
    const done = await convene(['admin', 'adopt', '--yes'], settings)
    expect([done.code, done.out]).toEqual([0, expect.stringContaining('adopted: location_key')])
    expect(readFileSync(path, 'utf8')).not.toBe(key)
    await start(settings)
    expect((await convene(['admin', 'adopt'], settings)).out).toContain('nothing to adopt')
    await refused({ ...settings, LOCATION_KEY: key }, /LOCATION_KEY is not the key/)
  })

  test('takes another JWT_SECRET where it has one server, says so once, and remembers none of them', async () => {
    const dataDir = newPath()
    const settings = { DATA_DIR: dataDir }
    expect(await start(settings)).not.toContain('JWT_SECRET')
    const given = 'another secret, which is long enough'
    expect(await start({ ...settings, JWT_SECRET: given })).toContain('JWT_SECRET has changed since the last start')
    expect(await start({ ...settings, JWT_SECRET: given })).not.toContain('JWT_SECRET')

    const db = openReadOnly(join(dataDir, 'convene.db'))
    const rows = JSON.stringify(db.query('SELECT * FROM community').all())
    db.close()
    const secrets = (['location-key', 'jwt-secret'] as const).map((name) =>
      readFileSync(keyFile(dataDir, name), 'utf8'),
    )
    for (const text of [...secrets, given])
      for (const form of [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64')])
        expect(rows).not.toContain(form)
    // Whoever has the same secrets elsewhere is not known by them.
    const second = newPath()
    const same = { LOCATION_KEY: secrets[0]!, JWT_SECRET: given }
    await start({ DATA_DIR: second, ...same })
    const values = (path: string) => {
      const opened = openReadOnly(join(path, 'convene.db'))
      const found = opened.query<{ value: string }, []>('SELECT value FROM community').all()
      opened.close()
      return found.map(({ value }) => value)
    }
    expect(values(second).filter((value) => values(dataDir).includes(value))).toEqual([])
  })

  test('is told of by the restore that makes it', async () => {
    const [dataDir, elsewhere, file] = [newPath(), newPath(), newPath('.db')]
    await start({ DATA_DIR: dataDir })
    await convene(['backup', file], { DATA_DIR: dataDir })
    const restored = await convene(['restore', file], { DATA_DIR: elsewhere })
    expect([restored.code, restored.err]).toEqual([0, ''])
    expect(restored.out).toMatch(/before the next start: \S*location-key is missing: the key with which/)
    expect(existsSync(keyFile(elsewhere, 'location-key'))).toBe(false)
    await refused({ DATA_DIR: elsewhere }, /location-key is missing/)
    for (const name of ['location-key', 'jwt-secret'] as const)
      writeFileSync(keyFile(elsewhere, name), readFileSync(keyFile(dataDir, name)), { mode: 0o600 })
    expect((await convene(['restore', file], { DATA_DIR: elsewhere })).out).not.toContain('before the next start')
    await start({ DATA_DIR: elsewhere })
  })
})

test('a command beside the server signs with its secrets or refuses, and generates none', async () => {
  const settings = { DATA_DIR: newPath() }
  await start(settings)
  const elsewhere = newPath()
  const away = { DATA_DIR: elsewhere, DATABASE_URL: `sqlite:${join(settings.DATA_DIR, 'convene.db')}` }
  const outcome = await convene(['admin', 'invite'], away)
  expect(outcome).toMatchObject({ code: 1, out: '' })
  expect(outcome.err).toMatch(/location-key is missing/)
  expect(existsSync(keyFile(elsewhere, 'jwt-secret')) || existsSync(keyFile(elsewhere, 'location-key'))).toBe(false)
  const key = { LOCATION_KEY: readFileSync(keyFile(settings.DATA_DIR, 'location-key'), 'utf8').trim() }
  const wrong = { ...away, ...key, JWT_SECRET: 'another one that is long enough too' }
  expect((await convene(['admin', 'list'], wrong)).err).toMatch(/^convene: JWT_SECRET is not the secret with which/)
  expect(await convene(['admin', 'list'], settings)).toMatchObject({ code: 0, err: '' })
})

describe.skipIf(noPostgres !== null)(noPostgres ?? 'nodes of one community on PostgreSQL', () => {
  test('are told by check where the database has no room, as it stores a test write', async () => {
    const { url, drop } = await newPostgres()
    open.push({ close: drop })
    const settings = { DATABASE_URL: url, DATA_DIR: newPath() }
    await (await serve(settings)).end()
    expect((await convene(['check'], settings)).out).toContain('ok     the database takes writes: postgres://')

    // As a full disk refuses what needs new pages.
    const sql = new SQL(url)
    open.push(sql)
    await sql.unsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON community
        FOR EACH ROW WHEN (length(NEW.value) > 65536) EXECUTE FUNCTION refuse()`)
    const check = await convene(['check'], settings)
    expect([check.code, check.out]).toEqual([
      1,
      expect.stringMatching(/WRONG {2}the database takes no writes: .*no room .*No space left on device/),
    ])
    expect(check.out).not.toContain('takes writes:')
  })

  test('have the same secrets, or do not start; those that are changed are changed for all', async () => {
    const { url, drop } = await newPostgres()
    open.push({ close: drop })
    const secrets = { JWT_SECRET: 'one secret of all nodes, long enough', LOCATION_KEY: '11'.repeat(32) }
    const node = () => ({ DATABASE_URL: url, DATA_DIR: newPath(), ...secrets })
    const first = await serve(node())
    await refused({ ...node(), LOCATION_KEY: other }, /^convene: LOCATION_KEY is not the key with which the positions/)
    const changed = { ...node(), JWT_SECRET: 'another one that is long enough too' }
    await refused(changed, /^convene: JWT_SECRET is not the secret with which the community of this database signs/)
    // A node that generates its own has those of nobody.
    const { JWT_SECRET: _, LOCATION_KEY: __, ...alone } = node()
    await refused(alone, /(location-key|jwt-secret) is missing/)
    expect(existsSync(keyFile(alone.DATA_DIR, 'jwt-secret'))).toBe(false)
    const beside = await convene(['admin', 'adopt', '--yes'], changed)
    expect(beside).toMatchObject({ code: 1, out: '' })
    expect(beside.err).toMatch(/nodes of Convene use .* stop all of them first/)
    await first.end()

    expect((await convene(['admin', 'adopt', '--yes'], changed)).out).toContain('adopted: jwt_secret')
    await start(changed)
    await refused(node(), /^convene: JWT_SECRET is not the secret/)
  })
})

describe('a bucket of images', () => {
  test('is one community’s: another one does not start on it, and removes nothing', async () => {
    const s3 = await s3Server()
    const url = (prefix: string) => `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(s3.endpoint)}`
    const settings = (prefix: string) => ({
      MEDIA_URL: url(prefix),
      S3_ACCESS_KEY_ID: keyId,
      S3_SECRET_ACCESS_KEY: secret,
    })
    const one = { DATA_DIR: newPath(), ...settings('photos') }
    const two = { DATA_DIR: newPath(), ...settings('photos') }
    await start(one)
    const before = s3.objects()
    await refused(two, /^convene: MEDIA_URL names photos of another community/)
    expect(s3.objects()).toEqual(before)
    const check = await convene(['check'], two)
    expect(check.out).toContain('WRONG  MEDIA_URL names photos of another community')
    expect((await convene(['check'], one)).out).not.toContain('another community')

    // Nor does a restore put its photos there. Backups lie beside anything.
    const file = newPath('.db')
    const third = { ...one, DATA_DIR: newPath(), MEDIA_URL: url('others') }
    await start({ ...third, BACKUP_DIR: url('photos') })
    await convene(['backup', file], { DATA_DIR: third.DATA_DIR })
    const restored = await convene(['restore', file], { ...third, MEDIA_URL: url('photos') })
    expect([restored.code, restored.err]).toEqual([1, expect.stringContaining('MEDIA_URL names photos of another')])

    // Where they are its own all the same, the operator says so; the first one has lost them then.
    expect((await convene(['admin', 'adopt', '--yes'], two)).out).toContain('adopted: photos')
    await start(two)
    await refused(one, /MEDIA_URL names photos of another community/)
  })
})
