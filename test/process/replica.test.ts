import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeAll } from '../../src/backup/replica/format.ts'
import { marker } from '../../src/backup/replica/names.ts'
import { convene, startServer } from '../convene.ts'
import { bucket, keyId, refusing, s3Server, secret } from '../s3-server.ts'
import { tracesOfTruth, truth } from '../truth.ts'
import { until } from '../until.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(60_000)

const folder = mkdtempSync(join(tmpdir(), 'convene-replica-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newPath = () => join(folder, crypto.randomUUID())
const key = Buffer.alloc(32, 7).toString('hex')

/** A community on a server with a replica, asked over HTTP. */
async function community(settings: Record<string, string>) {
  const dataDir = settings.DATA_DIR ?? newPath()
  const start = () => startServer({ RATE_LIMIT: 'off', LOG_LEVEL: 'info', ...settings, DATA_DIR: dataDir })
  let server = await start()
  const ask = async (method: string, path: string, token: string | null, body?: unknown) => {
    const response = await fetch(new URL(`/api/v1/${path}`, server.base), {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : body instanceof FormData ? body : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? null : JSON.parse(text)
  }
  const join_ = async (name: string) => {
    const { access_token, user } = await ask('POST', 'auth/register', null, {
      email: `${name}@replica.example.org`,
      password: `${name} and green bottles`,
      name,
      consents: { terms: true, privacy: true, disclaimer: true },
    })
    return { token: access_token as string, id: user.id as string, password: `${name} and green bottles` }
  }
  const [ada, bob] = [await join_('Ada'), await join_('Bob')]
  const chat = (await ask('POST', 'chats', ada.token, { user_id: bob.id })).id as string
  return {
    dataDir,
    ada,
    bob,
    ask,
    send: (text: string) => ask('POST', `chats/${chat}/messages`, ada.token, { text, client_id: crypto.randomUUID() }),
    async upload() {
      const form = new FormData()
      const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
      form.append('file', new Blob([pixel]), 'a.gif')
      const { id } = await ask('POST', 'media', ada.token, form)
      await ask('PUT', 'me', ada.token, { photo: id })
    },
    metric: async (name: string) => {
      const text = await (await fetch(new URL('/metrics', server.base))).text()
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
    },
    log: () => server.log(),
    kill: () => server.end('SIGKILL'),
    stop: () => server.end(),
    async restart() {
      server = await start()
    },
  }
}

type Community = Awaited<ReturnType<typeof community>>

/** Until the replica has all that was answered so far. */
async function shipped(of: Community) {
  const now = Date.now() / 1000
  const isComplete = async () =>
    (await of.metric('convene_replica_complete_timestamp_seconds')) > now &&
    (await of.metric('convene_replica_snapshot_timestamp_seconds')) > 0
  await until(isComplete, 'the replica has all')
}

/** A new data directory with the secrets of another. */
function machine(dataDir: string) {
  const fresh = newPath()
  mkdirSync(fresh, { mode: 0o700 })
  for (const name of ['jwt-secret', 'location-key']) cpSync(join(dataDir, name), join(fresh, name))
  return fresh
}

function textsIn(dataDir: string): string[] {
  const db = new Database(join(dataDir, 'convene.db'), { readonly: true })
  try {
    return db
      .query<{ text: string }, []>("SELECT text FROM messages WHERE text LIKE 'Message %' ORDER BY id")
      .all()
      .map(({ text }) => text)
  } finally {
    db.close()
  }
}

const filesOf = (place: string) =>
  readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(place, name)).isFile())
    .sort()

const photosOf = (dataDir: string) => filesOf(join(dataDir, 'media'))

const nobody = 65534

describe('a replica in a directory', () => {
  test.skipIf(process.getuid?.() !== 0)('is restored by root for the owner of the data directory', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await one.upload()
    await shipped(one)
    await one.stop()
    const fresh = newPath()
    mkdirSync(fresh, { mode: 0o700 })
    chownSync(fresh, nobody, nobody)
    expect((await convene(['restore', place], { DATA_DIR: fresh })).code).toBe(0)
    const restored = readdirSync(fresh, { recursive: true, encoding: 'utf8' })
    expect(restored.filter((name) => name.endsWith('.webp')).length).toBeGreaterThan(0)
    expect(restored.filter((name) => lstatSync(join(fresh, name)).uid !== nobody)).toEqual([])
  })

  test('holds neither a secret of the server nor a true position', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    for (let i = 0; i < 3; i++) await one.ask('PUT', 'me/location', one.ada.token, truth)
    await one.send('Message to be found')
    await shipped(one)
    await one.stop()
    const secrets = ['jwt-secret', 'location-key'].map((name) => readFileSync(join(one.dataDir, name), 'utf8').trim())
    const keys = [...secrets, ...secrets.map((hex) => Buffer.from(hex, 'hex')), one.ada.token, one.ada.password]
    const contents = filesOf(place)
      .filter((name) => name !== marker)
      .flatMap((name) => Array.from(decodeAll(readFileSync(join(place, name)), name, null), (file) => file.content()))
    expect(contents.some((content) => content.includes('Message to be found'))).toBe(true)
    for (const secret of [...keys, ...tracesOfTruth])
      expect(contents.filter((content) => content.includes(secret))).toEqual([])
  })

  test('gives back all that was answered a second before the machine is lost, with photos', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await one.upload()
    for (let i = 0; i < 10; i++) await one.send(`Message ${i}`)
    await shipped(one)
    const photos = photosOf(one.dataDir)
    await one.kill()
    const fresh = machine(one.dataDir)
    rmSync(one.dataDir, { recursive: true })
    const restored = await convene(['restore', place], { DATA_DIR: fresh })
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toMatch(
      /^restored 2 users, \d+ messages and 1 photos, as they were at \d{4}-.*Z, into .*convene\.db\n$/,
    )
    expect(readdirSync(fresh).sort()).toEqual(['convene.db', 'convene.lock', 'jwt-secret', 'location-key', 'media'])
    expect(textsIn(fresh)).toEqual(Array.from({ length: 10 }, (_, i) => `Message ${i}`))
    expect(photosOf(fresh)).toEqual(photos)
    expect(photos.length).toBeGreaterThan(0)
    expect(statSync(join(fresh, 'convene.db')).mode & 0o777).toBe(0o600)
    // What was restored is a server like any other, with the same replica.
    const again = await startServer({ DATA_DIR: fresh, REPLICA_URL: place })
    expect(await again.end()).toBe(0)
    expect(again.log()).not.toMatch(/"level":"(warn|error|fatal)"/)
  })

  test('goes on where it was after a stop and after a kill, and begins anew where somebody wrote meanwhile', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await one.send('Message 0')
    await shipped(one)
    expect(await one.stop()).toBe(0)
    await one.restart()
    await one.send('Message 1')
    await shipped(one)
    await one.kill()
    await one.restart()
    await one.send('Message 2')
    await shipped(one)
    const generations = () => readdirSync(join(place, 'manifest'))
    expect(generations()).toHaveLength(1)
    expect(await one.stop()).toBe(0)
    const db = new Database(join(one.dataDir, 'convene.db'))
    db.run("UPDATE messages SET text = 'Message two' WHERE text = 'Message 2'")
    db.close()
    await one.restart()
    await until(() => generations().length === 2, 'a snapshot of the new generation')
    await shipped(one)
    await one.kill()
    const fresh = machine(one.dataDir)
    expect(await convene(['restore', place], { DATA_DIR: fresh })).toMatchObject({ code: 0, err: '' })
    expect(textsIn(fresh)).toEqual(['Message 0', 'Message 1', 'Message two'])
  })

  test('is restored as of a time, and who erased their account since is erased again', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await one.send('Message 0')
    await shipped(one)
    const at = new Date().toISOString()
    await one.send('Message 1')
    await one.ask('DELETE', 'me', one.bob.token, { password: one.bob.password })
    await shipped(one)
    await until(() => existsSync(join(place, 'erasures.log')), 'the journal is shipped')
    await one.stop()
    const then = machine(one.dataDir)
    const restored = await convene(['restore', place, '--to', at], { DATA_DIR: then })
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toInclude('users erased again, because they were erased since: 1\n')
    expect(textsIn(then)).toEqual(['Message 0'])
    const db = new Database(join(then, 'convene.db'), { readonly: true })
    expect(db.query("SELECT name FROM users WHERE name = 'Bob'").all()).toEqual([])
    db.close()

    const before = await convene(['restore', place, '--to', '2020-01-01T00:00:00Z'], { DATA_DIR: machine(one.dataDir) })
    expect(before).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/ goes back to 20\d\d-.*Z, and not to 2020-01-01T00:00:00.000Z\n$/),
    })
    const wrong = await convene(['restore', place, '--to', 'yesterday'], { DATA_DIR: machine(one.dataDir) })
    expect(wrong).toMatchObject({ code: 2, out: '' })
  })

  test('leaves nothing of anybody on this machine once REPLICA_URL is removed', async () => {
    const one = await community({ REPLICA_URL: newPath() })
    await one.send('Message 0')
    await shipped(one)
    await one.stop()
    const spool = join(one.dataDir, 'replica')
    expect(readdirSync(spool).length).toBeGreaterThan(0)
    const without = await startServer({ DATA_DIR: one.dataDir, LOG_LEVEL: 'info' })
    expect(await without.end()).toBe(0)
    expect(existsSync(spool)).toBe(false)
    expect(without.log()).toInclude(
      'REPLICA_URL is not set: the files of the former replica on this machine are removed',
    )
  })

  test('is never restored over a database', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await shipped(one)
    const running = await convene(['restore', place], { DATA_DIR: one.dataDir })
    expect(running).toMatchObject({ code: 1, out: '', err: expect.stringContaining('in use by another Convene') })
    await one.stop()
    const before = readFileSync(join(one.dataDir, 'convene.db'))
    const refused = await convene(['restore', place], { DATA_DIR: one.dataDir })
    expect(refused).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('exists and is not replaced'),
    })
    expect(readFileSync(join(one.dataDir, 'convene.db')).equals(before)).toBe(true)
  })

  test('that is encrypted shows nothing, and opens with its key alone', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place, REPLICA_KEY: key })
    await one.upload()
    await one.send('Message of a canary')
    await shipped(one)
    await one.stop()
    for (const name of filesOf(place)) {
      const bytes = readFileSync(join(place, name))
      for (const secret of ['canary', 'Ada', 'WEBP']) expect([name, bytes.includes(secret)]).toEqual([name, false])
    }
    expect(one.log()).not.toInclude(key)
    const restore = (settings: Record<string, string>) =>
      convene(['restore', place], { DATA_DIR: machine(one.dataDir), ...settings })
    expect(await restore({})).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('is encrypted: set the REPLICA_KEY'),
    })
    const other = await restore({ REPLICA_KEY: Buffer.alloc(32, 8).toString('hex') })
    expect(other).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('is encrypted with another REPLICA_KEY'),
    })
    expect(other.err).not.toInclude(key)
    expect(await restore({ REPLICA_KEY: key })).toMatchObject({ code: 0, err: '' })
  })

  test('of which a file is damaged or missing says which one, and until when it can be restored', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await shipped(one)
    for (let i = 0; i < 3; i++) {
      await one.send(`Message ${i}`)
      await shipped(one)
    }
    await one.kill()
    const whole = newPath()
    cpSync(place, whole, { recursive: true })
    const logs = filesOf(join(place, 'log')).map((name) => join(place, 'log', name))
    expect(logs.length).toBeGreaterThan(2)
    const restore = () => convene(['restore', place], { DATA_DIR: machine(one.dataDir) })
    for (const damage of [
      (path: string) => rmSync(path),
      (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 200)),
      (path: string) => {
        const bytes = readFileSync(path)
        bytes[bytes.length - 40]! ^= 1
        writeFileSync(path, bytes)
      },
      (path: string) => cpSync(logs.at(-1)!, path),
    ]) {
      rmSync(place, { recursive: true })
      cpSync(whole, place, { recursive: true })
      damage(logs.at(-2)!)
      const { code, out, err } = await restore()
      expect([code, out]).toEqual([1, ''])
      expect(err).toInclude(logs.at(-2)!.slice(place.length + 1))
      expect(err).toInclude('restore with --to ')
    }
    rmSync(place, { recursive: true })
    cpSync(whole, place, { recursive: true })
    const part = filesOf(join(place, 'snapshot'))[0]!
    rmSync(join(place, 'snapshot', part))
    expect(await restore()).toMatchObject({ code: 1, err: expect.stringContaining(`snapshot/${part} is missing`) })
  })

  test('of which a photo is damaged or missing gives back all the rest, and says so', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await one.upload()
    await one.send('Message 0')
    await shipped(one)
    await one.stop()
    const [photo] = filesOf(join(place, 'media')).filter((name) => !name.includes('.320.')) as [string]
    const path = join(place, 'media', photo)
    const restore = async () => {
      const fresh = machine(one.dataDir)
      const done = await convene(['restore', place], { DATA_DIR: fresh })
      return { ...done, texts: textsIn(fresh) }
    }
    writeFileSync(path, readFileSync(path).subarray(0, 100))
    const damaged = await restore()
    expect(damaged).toMatchObject({ code: 0, err: '', texts: ['Message 0'] })
    expect(damaged.out).toInclude(
      `photos left out because they cannot be read: 1; the first: media/${photo} is damaged`,
    )
    rmSync(path)
    const missing = await restore()
    expect(missing).toMatchObject({ code: 0, err: '', texts: ['Message 0'] })
    expect(missing.out).toInclude('photos that are in the database but not in the replica: 1\n')
  })

  test('tells how it stands', async () => {
    const place = newPath()
    const one = await community({ REPLICA_URL: place })
    await one.upload()
    await shipped(one)
    const { code, out, err } = await convene(['replica', 'status'], { DATA_DIR: one.dataDir, REPLICA_URL: place })
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(
      /^place {6}.*, not encrypted\nsnapshot {3}\d{4}-.*Z, .* MB in \d+ parts\ngoes back {2}to \d{4}-.*Z\nlog {8}\d+ files of the newest generation\nphotos {5}1\nwaiting {4}nothing\n$/,
    )
    await one.stop()
    const none = await convene(['replica', 'status'], { DATA_DIR: one.dataDir })
    expect(none).toMatchObject({ code: 1, out: '', err: 'convene: there is no replica: set REPLICA_URL\n' })
    const empty = await convene(['replica', 'status'], { DATA_DIR: newPath(), REPLICA_URL: newPath() })
    expect(empty).toMatchObject({ code: 1, out: expect.stringContaining('nothing can be restored') })
  })
})

describe('a replica in a bucket', () => {
  test('is restored from there; while the bucket fails nobody waits, and all arrives once it is back', async () => {
    const s3 = await s3Server()
    const url = s3.url('replica')
    const one = await community({ REPLICA_URL: url, REPLICA_KEY: key })
    await one.upload()
    await one.send('Message 0')
    await shipped(one)
    s3.fail(refusing(503, 'SlowDown'))
    for (let i = 1; i < 5; i++) await one.send(`Message ${i}`)
    await until(async () => (await one.metric('convene_replica_lag_seconds')) > 1, 'the replica lags')
    expect(await one.metric('convene_replica_waiting_bytes')).toBeGreaterThan(0)
    await until(() => one.log().includes('the place of the replica failed'), 'the failure is in the log')
    s3.fail(null)
    await shipped(one)
    await one.kill()
    expect(one.log()).not.toInclude(secret)
    expect(one.log()).not.toInclude(encodeURIComponent(secret))
    const fresh = machine(one.dataDir)
    const restored = await convene(['restore', url], { DATA_DIR: fresh, REPLICA_KEY: key })
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toInclude(' and 1 photos')
    expect(textsIn(fresh)).toEqual(Array.from({ length: 5 }, (_, i) => `Message ${i}`))
    const without = s3.url('replica').replace(/\/\/[^@]+@/, '//')
    const byKeys = await convene(['replica', 'status'], {
      DATA_DIR: fresh,
      REPLICA_URL: without,
      REPLICA_KEY: key,
      S3_ACCESS_KEY_ID: keyId,
      S3_SECRET_ACCESS_KEY: secret,
    })
    expect(byKeys).toMatchObject({ code: 0, err: '' })
    expect(byKeys.out).toStartWith(`place      s3://${bucket}/replica/, encrypted\n`)
  })
})
