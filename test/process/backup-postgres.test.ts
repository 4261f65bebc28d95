import { SQL } from 'bun'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { removeLeftovers } from '../../src/backup/scheduled.ts'
import { endingOf, examineDump } from '../../src/backup/dump.ts'
import { readConfig } from '../../src/config.ts'
import { openPostgres } from '../../src/storage/postgres/open.ts'
import { openReadOnly } from '../../src/storage/sqlite/database.ts'
import { consents, password } from '../app.ts'
import { command, convene, startServer } from '../convene.ts'
import { migratedPostgres, newPostgres, noPostgres } from '../engines.ts'
import { closedInstallation, contentOf, newPath } from '../installation.ts'
import { bucket, keyId, s3Server, secret } from '../s3-server.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(60_000)

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

const hasDump = Bun.which('pg_dump') !== null && Bun.which('pg_restore') !== null

const s3 = noPostgres === null ? await s3Server() : null
let prefixes = 0
/** Photos in a bucket of their own, as nodes have them. */
const inBucket = () => ({
  MEDIA_URL: `s3://${bucket}/photos${prefixes++}?endpoint=${encodeURIComponent(s3!.endpoint)}`,
  S3_ACCESS_KEY_ID: keyId,
  S3_SECRET_ACCESS_KEY: secret,
})

type Settings = Record<string, string>

/** A PATH without PostgreSQL's programs, or with those given ones, each a script. */
function pathWith(programs: Record<string, string> = {}): string {
  const directory = newPath()
  mkdirSync(directory)
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(directory, name), 0o755)
  }
  return directory
}

async function emptyDatabase() {
  const { url, drop } = await newPostgres()
  cleanUp.push(drop)
  return url
}

const picture = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** A node on PostgreSQL with two people and their chat. */
async function community(settings: Settings = {}) {
  const { url, drop } = await migratedPostgres()
  cleanUp.push(drop)
  const dataDir = newPath()
  const environment: Settings = { DATA_DIR: dataDir, DATABASE_URL: url, ...settings }
  const server = await startServer(environment)
  let ended = false
  const end = async () => {
    if (!ended) await server.end()
    ended = true
  }
  cleanUp.push(end)
  const api = (path: string) => new URL(`/api/v1/${path}`, server.base)
  async function person(name: string) {
    const answer = await fetch(api('auth/register'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${name}@example.org`, password, name, consents }),
    })
    const { access_token, user } = (await answer.json()) as { access_token: string; user: { id: string } }
    const authorization = `Bearer ${access_token}`
    const ask = async (method: string, path: string, body?: unknown) => {
      const found = await fetch(api(path), {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      // oxlint-disable-next-line no-explicit-any -- what the test asks for
      return { status: found.status, body: (await found.json().catch(() => null)) as any }
    }
    async function upload() {
      const form = new FormData()
      form.append(
        'file',
        new Blob([await new Bun.Image(picture).resize(20, 20, { fit: 'fill' }).png().bytes()]),
        'a.png',
      )
      const found = await fetch(api('media'), { method: 'POST', headers: { authorization }, body: form })
      const image = (await found.json()) as { id: string }
      await ask('PUT', 'me', { photo: image.id })
      return image
    }
    return { id: user.id, ask, upload }
  }
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const chatId = (await ada.ask('POST', 'chats', { user_id: bob.id })).body.id as string
  const { storage } = await openPostgres(url, { max: 3 })
  cleanUp.push(storage.close)
  const answered: string[] = []
  /** As another node stores it. */
  async function send() {
    const id = Bun.randomUUIDv7()
    const message = { id, chat_id: chatId, sender_id: ada.id, kind: 'text' as const, text: 'x'.repeat(300) }
    await storage.chats.append({ ...message, photo_id: null, client_id: null, created_at: Date.now() }, bob.id, null)
    answered.push(id)
  }
  return { url, dataDir, environment, server, end, person, ada, bob, chatId, send, answered }
}

/** Runs a command beside writes, and answers how many were answered before and after it. */
async function underWrites({ send, answered }: Awaited<ReturnType<typeof community>>, run: () => Promise<unknown>) {
  for (let i = 0; i < 30; i++) await Promise.all(Array.from({ length: 10 }, send))
  const before = answered.length
  let running = true
  const done = run().finally(() => (running = false))
  while (running) {
    await Promise.all(Array.from({ length: 8 }, send))
    await Bun.sleep(0)
  }
  await done
  expect(answered.length).toBeGreaterThan(before)
  return before
}

/** All that was answered before, none that was not, and nothing left out in between. */
function expectOneMoment(ids: string[], answered: string[], before: number) {
  expect(ids.length).toBeGreaterThanOrEqual(before)
  expect(ids.length).toBeLessThanOrEqual(answered.length)
  expect(new Set(ids)).toEqual(new Set(answered.slice(0, ids.length)))
}

async function rowsIn<Row>(url: string, statement: string): Promise<Row[]> {
  const client = new SQL(url, { max: 1 })
  try {
    return [...((await client.unsafe(statement)) as Row[])]
  } finally {
    await client.close()
  }
}

const ok = { code: 0, err: '' }
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe.skipIf(noPostgres !== null)(noPostgres ?? 'a backup of PostgreSQL', () => {
  test('in our own form is one moment’s state beside a node under writes, and comes back with its photos', async () => {
    const node = await community()
    const { environment, url, answered, ada, bob, dataDir } = node
    await ada.upload()
    const photos = contentOf(join(dataDir, 'media'))
    expect(photos.size).toBeGreaterThan(0)
    const directory = newPath()
    mkdirSync(directory)
    const file = join(directory, 'one.db')
    const hidden = { env: { PATH: pathWith() } }
    const before = await underWrites(node, async () =>
      expect(await convene(['backup', file], environment, hidden)).toMatchObject(ok),
    )
    expect(readdirSync(directory)).toEqual(['one.db'])
    expect(modeOf(file)).toBe('600')
    const db = openReadOnly(file)
    const ids = db.query<{ id: string }, []>("SELECT id FROM messages WHERE kind = 'text' ORDER BY seq").all()
    db.close()
    expectOneMoment(
      ids.map(({ id }) => id),
      answered,
      before,
    )
    const verified = await convene(['backup', 'verify', file], {}, hidden)
    expect(verified).toMatchObject({
      ...ok,
      out: expect.stringContaining(`2 users, ${ids.length} messages and 1 photos`),
    })

    // Bob goes after it; the journal beside it says so.
    expect((await bob.ask('DELETE', 'me', { password })).status).toBe(204)
    await node.end()
    copyFileSync(join(dataDir, 'erasures.log'), join(directory, 'erasures.log'))
    const there = await emptyDatabase()
    const elsewhere = { DATA_DIR: newPath(), DATABASE_URL: there }
    mkdirSync(elsewhere.DATA_DIR)
    for (const name of ['jwt-secret', 'location-key']) copyFileSync(join(dataDir, name), join(elsewhere.DATA_DIR, name))
    const restored = await convene(['restore', file], elsewhere, hidden)
    expect(restored).toMatchObject(ok)
    expect(restored.out).toContain('users erased again, because they were erased since: 1')
    expect(readdirSync(elsewhere.DATA_DIR).sort()).not.toContain('restore.unpacked')
    expect(await rowsIn(there, 'SELECT count(*)::int AS n FROM messages')).toMatchObject([{ n: ids.length }])
    expect(await rowsIn(there, `SELECT id FROM users WHERE deleted_at IS NULL`)).toMatchObject([{ id: ada.id }])
    const [before0] = await rowsIn<{ seq: string }>(url, `SELECT seq FROM event_counters WHERE user_id = '${ada.id}'`)
    const [after0] = await rowsIn<{ seq: string }>(there, `SELECT seq FROM event_counters WHERE user_id = '${ada.id}'`)
    expect(Number(after0!.seq)).toBeGreaterThan(Number(before0!.seq))
    expect(contentOf(join(elsewhere.DATA_DIR, 'media'))).toEqual(photos)
    const again = await startServer(elsewhere)
    expect(await again.end()).toBe(0)
    expect(await convene(['restore', file], elsewhere, hidden)).toMatchObject({
      code: 1,
      err: expect.stringContaining('the database is not empty'),
    })
  })

  test.skipIf(!hasDump)(
    'by pg_dump is one moment’s state too, says what it holds, and comes back with pg_restore',
    async () => {
      const node = await community(inBucket())
      const { environment, answered, bob, dataDir, ada } = node
      const directory = newPath()
      mkdirSync(directory)
      const file = join(directory, 'one.dump')
      const before = await underWrites(node, async () =>
        expect(await convene(['backup', file], environment)).toMatchObject(ok),
      )
      expect(readdirSync(directory)).toEqual(['one.dump'])
      expect(modeOf(file)).toBe('600')
      expect(readFileSync(file).subarray(0, 5).toString()).toBe('PGDMP')
      const verified = await convene(['backup', 'verify', file], {}, { env: { PATH: pathWith() } })
      expect(verified).toMatchObject({
        ...ok,
        out: expect.stringMatching(/is whole: a dump of .* with 2 users, \d+ messages/),
      })
      // The lines at its end do not disturb PostgreSQL's own programs, from a pipe either.
      for (const how of [`pg_restore --file=/dev/null '${file}'`, `cat '${file}' | pg_restore --file=/dev/null`])
        expect(Bun.spawnSync(['sh', '-c', how]).stderr.toString()).toBe('')

      expect((await bob.ask('DELETE', 'me', { password })).status).toBe(204)
      await node.end()
      copyFileSync(join(dataDir, 'erasures.log'), join(directory, 'erasures.log'))
      const there = await emptyDatabase()
      const elsewhere = { ...environment, ...inBucket(), DATA_DIR: newPath(), DATABASE_URL: there }
      const restored = await convene(['restore', file], elsewhere)
      expect(restored).toMatchObject(ok)
      expect(restored.out).toContain('users erased again, because they were erased since: 1')
      const ids = await rowsIn<{ id: string }>(there, "SELECT id FROM messages WHERE kind = 'text' ORDER BY seq")
      expectOneMoment(
        ids.map(({ id }) => id),
        answered,
        before,
      )
      expect(examineDump(file).messages).toBe(ids.length)
      expect(await rowsIn(there, `SELECT id FROM users WHERE deleted_at IS NULL`)).toMatchObject([{ id: ada.id }])
      const [{ seq }] = (await rowsIn<{ seq: string }>(there, 'SELECT min(seq) AS seq FROM event_counters')) as [
        { seq: string },
      ]
      expect(Number(seq)).toBeGreaterThan(1e12)
      for (const name of ['jwt-secret', 'location-key'])
        copyFileSync(join(dataDir, name), join(elsewhere.DATA_DIR, name))
      const again = await startServer(elsewhere)
      expect(await again.end()).toBe(0)
      expect(await convene(['restore', file], elsewhere)).toMatchObject({
        code: 1,
        err: expect.stringContaining('the database is not empty'),
      })
    },
  )

  test.skipIf(!hasDump)(
    'that is cut off, changed or bare is refused by name, and nothing is restored of it',
    async () => {
      const { environment, end } = await community(inBucket())
      const good = newPath('.dump')
      expect(await convene(['backup', good], environment)).toMatchObject(ok)
      await end()
      const there = await emptyDatabase()
      const elsewhere = { ...environment, DATA_DIR: newPath(), DATABASE_URL: there }
      const { size } = statSync(good)
      const bad = (change: (path: string) => void) => {
        const path = newPath('.dump')
        copyFileSync(good, path)
        change(path)
        return path
      }
      const flipped = bad((path) => {
        const bytes = readFileSync(path)
        bytes[size >> 1]! ^= 1
        writeFileSync(path, bytes)
      })
      const cut = bad((path) => truncateSync(path, size >> 1))
      const bare = bad((path) => truncateSync(path, readFileSync(path).lastIndexOf('\nconvene-dump')))
      const longer = bad((path) => appendFileSync(path, 'x'))
      for (const path of [flipped, cut, bare, longer])
        for (const args of [
          ['backup', 'verify', path],
          ['restore', path],
        ]) {
          const { code, err } = await convene(args, elsewhere)
          expect([code, err]).toEqual([1, expect.stringContaining(path)])
          expect(err).toMatch(/does not match its checksum|does not end with a checksum/)
        }
      expect(await rowsIn(there, "SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'")).toHaveLength(
        0,
      )
      const onFile = await convene(['restore', good], { DATA_DIR: newPath() })
      expect(onFile).toMatchObject({
        code: 1,
        err: expect.stringContaining('is a dump of PostgreSQL: set DATABASE_URL'),
      })
    },
  )

  test('is of pg_dump only where that can read the server and leaves no photos out, and says why else', async () => {
    const node = await community(inBucket())
    const { environment } = node
    const old = { pg_dump: 'echo "pg_dump (PostgreSQL) 9.6.24"', pg_restore: 'echo "pg_restore (PostgreSQL) 9.6.24"' }
    for (const [programs, reason] of [
      [{}, 'pg_dump is not on PATH'],
      [old, 'pg_dump is of PostgreSQL 9, older than the server'],
      [{ pg_dump: 'echo "pg_dump (PostgreSQL) 99.1"' }, 'pg_restore is not on PATH'],
    ] as const) {
      const where = { env: { PATH: pathWith(programs) } }
      const file = newPath('.dump')
      const { code, err } = await convene(['backup', file], environment, where)
      expect([code, err]).toEqual([1, expect.stringContaining(reason)])
      expect(existsSync(file)).toBe(false)
      const other = newPath()
      expect(await convene(['backup', other], environment, where)).toMatchObject(ok)
      expect(readFileSync(other).subarray(0, 15).toString()).toBe('SQLite format 3')
    }
    const { MEDIA_URL: _, ...onDisk } = environment
    const file = newPath('.dump')
    const { code, err } = await convene(['backup', file], onDisk)
    expect([code, err]).toEqual([1, expect.stringContaining('the photos in DATA_DIR/media would not be in it')])
    expect(existsSync(file)).toBe(false)
  })

  test.skipIf(!hasDump)('that fails or is killed in between leaves nothing under its name', async () => {
    const { environment } = await community(inBucket())
    const directory = newPath()
    mkdirSync(directory)
    const version = 'case "$1" in --version) echo "pg_dump (PostgreSQL) 99.1"; exit;; esac'
    const real = `exec ${Bun.which('pg_restore')} "$@"`
    const failing = pathWith({
      pg_dump: `${version}; echo "pg_dump: error: the disk is gone" >&2; exit 1`,
      pg_restore: `${version}; ${real}`,
    })
    const failed = await convene(['backup', join(directory, 'a.dump')], environment, { env: { PATH: failing } })
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('pg_dump: error: the disk is gone')])
    expect(readdirSync(directory)).toEqual([])
    // Half of a dump, which pg_restore cannot read to its end.
    const half = pathWith({
      pg_dump: `${version}; for a in "$@"; do case "$a" in --file=*) f="\${a#--file=}"; esac; done
        ${Bun.which('pg_dump')} "$@" && /usr/bin/truncate -s -3000 "$f"`,
      pg_restore: `${version}; ${real}`,
    })
    const cut = await convene(['backup', join(directory, 'a.dump')], environment, { env: { PATH: half } })
    expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('pg_restore: ')])
    expect(readdirSync(directory)).toEqual([])

    // Killed while the program hangs, and once our own form is begun.
    const hanging = pathWith({ pg_dump: `${version}; exec /bin/sleep 20`, pg_restore: `${version}; ${real}` })
    for (const [name, path] of [
      ['convene-20261121T120000Z.dump', hanging],
      ['convene-20261121T120000Z.db', process.env.PATH!],
    ] as const) {
      const child = Bun.spawn([...command, 'backup', join(directory, name)], {
        env: { PATH: path, ...environment },
        stdout: 'ignore',
        stderr: 'ignore',
      })
      while (readdirSync(directory).length === 0) await Bun.sleep(5)
      child.kill('SIGKILL')
      await child.exited
      expect(readdirSync(directory)).not.toContain(name)
    }
    const left = readdirSync(directory)
    expect(left.length).toBeGreaterThan(0)
    for (const name of left) expect(name).toMatch(/\.part/)
    expect((await removeLeftovers(directory, environment.DATA_DIR!)).sort()).toEqual(left.sort())
    expect(readdirSync(directory)).toEqual([])
  })

  test.skipIf(!hasDump)('shows its password to nobody who lists the processes, nor in what it prints', async () => {
    const { environment, url } = await community(inBucket())
    const word = 'hunter2-of-the-database'
    const role = `convene_test_${process.pid}`
    const admin = new SQL(url, { max: 1 })
    cleanUp.push(() => admin.close())
    await admin.unsafe(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${word}'`)
    cleanUp.push(() => admin.unsafe(`DROP ROLE ${role}`))
    const secretUrl = new URL(url)
    secretUrl.username = role
    secretUrl.password = word
    const seen = newPath()
    const note = (name: string) =>
      `case "$1" in --version) echo "${name} (PostgreSQL) 99.1"; exit;; esac; /usr/bin/tr '\\0' ' ' < /proc/$$/cmdline >> ${seen}; echo " [$PGUSER:\${#PGPASSWORD}]" >> ${seen}; exec ${Bun.which(name)} "$@"`
    const path = pathWith({ pg_dump: note('pg_dump'), pg_restore: note('pg_restore') })
    const file = newPath('.dump')
    const made = await convene(
      ['backup', file],
      { ...environment, DATABASE_URL: secretUrl.href },
      { env: { PATH: path } },
    )
    expect(made).toMatchObject(ok)
    const lines = readFileSync(seen, 'utf8')
    expect(lines).toContain('--format=custom')
    expect(lines).toContain(`[${role}:${word.length}]`)
    expect(lines + made.out).not.toContain(word)
    expect(readFileSync(file).includes(word)).toBe(false)
    const nowhere = new URL(secretUrl.href)
    nowhere.pathname = '/no_such_database'
    const failed = await convene(['backup', newPath()], { ...environment, DATABASE_URL: nowhere.href })
    expect(failed.code).toBe(1)
    expect(failed.err).not.toContain(word)
  })

  test.skipIf(!hasDump)(
    'a restore of a dump that is killed goes on with the same command, and no node starts before',
    async () => {
      const { environment, end, dataDir } = await community(inBucket())
      const file = newPath('.dump')
      expect(await convene(['backup', file], environment)).toMatchObject(ok)
      await end()
      const there = await emptyDatabase()
      const elsewhere = { ...environment, ...inBucket(), DATA_DIR: newPath(), DATABASE_URL: there }
      mkdirSync(elsewhere.DATA_DIR)
      for (const name of ['jwt-secret', 'location-key'])
        copyFileSync(join(dataDir, name), join(elsewhere.DATA_DIR, name))
      const version = 'case "$1" in --version) echo "pg_restore (PostgreSQL) 99.1"; exit;; esac'
      const mark = newPath()
      // Killed once before anything is there, and once when all is there.
      for (const script of [
        `: > ${mark}; exec /bin/sleep 20`,
        `${Bun.which('pg_restore')} "$@" && : > ${mark}; exec /bin/sleep 20`,
      ]) {
        const child = Bun.spawn([...command, 'restore', file], {
          env: { ...elsewhere, PATH: pathWith({ pg_restore: `${version}; ${script}` }) },
          stdout: 'ignore',
          stderr: 'ignore',
        })
        while (!existsSync(mark)) await Bun.sleep(5)
        child.kill('SIGKILL')
        await child.exited
        await Bun.file(mark).delete()
        const refused = await convene([], { ...elsewhere, PORT: '0' })
        expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('half copied')])
      }
      expect(await convene(['restore', file], elsewhere)).toMatchObject(ok)
      expect(await (await startServer(elsewhere)).end()).toBe(0)
    },
  )

  test.skipIf(!hasDump)(
    'a restore of a dump that is killed before all who have erased themselves are erased goes on too',
    async () => {
      const { environment, end, dataDir, bob } = await community(inBucket())
      const directory = newPath()
      mkdirSync(directory)
      const file = join(directory, 'one.dump')
      expect(await convene(['backup', file], environment)).toMatchObject(ok)
      expect((await bob.ask('DELETE', 'me', { password })).status).toBe(204)
      await end()
      copyFileSync(join(dataDir, 'erasures.log'), join(directory, 'erasures.log'))
      const there = await emptyDatabase()
      const elsewhere = { ...environment, ...inBucket(), DATA_DIR: newPath(), DATABASE_URL: there }
      mkdirSync(elsewhere.DATA_DIR)
      for (const name of ['jwt-secret', 'location-key'])
        copyFileSync(join(dataDir, name), join(elsewhere.DATA_DIR, name))
      const living = () => rowsIn(there, `SELECT id FROM users WHERE id = '${bob.id}' AND deleted_at IS NULL`)
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      const unpacked = newPath()
      const goOn = newPath()
      const script = `case "$1" in --version) echo "pg_restore (PostgreSQL) 99.1"; exit;; esac
        ${Bun.which('pg_restore')} "$@" && : > ${unpacked}; while [ ! -e ${goOn} ]; do /bin/sleep 0.02; done`
      const PATH = pathWith({ pg_restore: script })
      const client = new SQL(there, { max: 1 })
      cleanUp.push(() => client.close())
      const child = Bun.spawn([...command, 'restore', file], {
        env: { ...elsewhere, PATH },
        stdout: 'ignore',
        stderr: 'ignore',
      })
      while (!existsSync(unpacked)) await Bun.sleep(5)
      await client.begin(async (tx) => {
        await tx.unsafe(`SELECT 1 FROM users WHERE id = '${bob.id}' FOR NO KEY UPDATE`)
        writeFileSync(goOn, '')
        while ((await rowsIn(there, waiting)).length === 0) {
          expect(child.exitCode).toBeNull()
          await Bun.sleep(5)
        }
        child.kill('SIGKILL')
        await child.exited
      })
      expect(await living()).toHaveLength(1)
      const refused = await convene([], { ...elsewhere, PORT: '0' })
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('half copied')])
      expect(await convene(['restore', file], elsewhere)).toMatchObject(ok)
      expect(await living()).toEqual([])
      expect(await (await startServer(elsewhere)).end()).toBe(0)
    },
  )

  test('of our own form goes from either engine to the other', async () => {
    const { dataDir, ada } = await closedInstallation()
    const ofFile = newPath('.db')
    expect(await convene(['backup', ofFile], { DATA_DIR: dataDir })).toMatchObject(ok)
    const there = { DATA_DIR: newPath(), DATABASE_URL: await emptyDatabase() }
    expect(await convene(['restore', ofFile], there)).toMatchObject(ok)
    expect(contentOf(join(there.DATA_DIR, 'media'))).toEqual(contentOf(join(dataDir, 'media')))
    expect(await rowsIn(there.DATABASE_URL, `SELECT name FROM users WHERE id = '${ada.id}'`)).toEqual([{ name: 'Ada' }])

    const ofServer = newPath('.db')
    // A server that is away, and then the one that is there.
    const { host } = new URL(there.DATABASE_URL)
    const several = there.DATABASE_URL.replace(host, `127.0.0.1:1,${host}`)
    expect(await convene(['backup', ofServer], { ...there, DATABASE_URL: several })).toMatchObject(ok)
    const back = newPath()
    expect(await convene(['restore', ofServer], { DATA_DIR: back })).toMatchObject(ok)
    const db = openReadOnly(join(back, 'convene.db'))
    expect(db.query<{ n: number }, []>('SELECT count(*) AS n FROM messages').get()).toEqual({ n: 6 })
    db.close()
    expect(contentOf(join(back, 'media'))).toEqual(contentOf(join(dataDir, 'media')))
  })

  test('goes into a bucket and comes back from there, whichever form it has', async () => {
    const { environment, end, ada, dataDir } = await community(inBucket())
    const name = (file: string) => `s3://${bucket}/backups/${file}?endpoint=${encodeURIComponent(s3!.endpoint)}`
    const files = hasDump ? ['one.db', 'one.dump'] : ['one.db']
    for (const file of files) {
      expect(await convene(['backup', name(file)], environment)).toMatchObject(ok)
      const again = await convene(['backup', name(file)], environment)
      expect(again).toMatchObject({ code: 1, err: expect.stringContaining(`s3://${bucket}/backups/${file} exists`) })
      const verified = await convene(['backup', 'verify', name(file)], environment)
      expect(verified).toMatchObject({ ...ok, out: expect.stringContaining(`s3://${bucket}/backups/${file} is whole`) })
    }
    expect(readdirSync(dataDir).filter((left) => left.includes('one.'))).toEqual([])
    await end()
    for (const file of files) {
      const there = await emptyDatabase()
      const elsewhere = { ...environment, ...inBucket(), DATA_DIR: newPath(), DATABASE_URL: there }
      expect(await convene(['restore', name(file)], elsewhere)).toMatchObject(ok)
      expect(await rowsIn(there, `SELECT name FROM users WHERE id = '${ada.id}'`)).toEqual([{ name: 'Ada' }])
      expect(readdirSync(elsewhere.DATA_DIR).filter((left) => left.startsWith('restore.'))).toEqual([])
    }
  })

  test('what a killed restore has left goes at the next one, and at the start of a node', async () => {
    const { environment, end } = await community(inBucket())
    const file = `s3://${bucket}/left/one.db?endpoint=${encodeURIComponent(s3!.endpoint)}`
    expect(await convene(['backup', file], environment)).toMatchObject(ok)
    await end()
    const elsewhere = { ...environment, ...inBucket(), DATA_DIR: newPath(), DATABASE_URL: await emptyDatabase() }
    mkdirSync(elsewhere.DATA_DIR)
    const leave = () => {
      for (const name of ['download', 'unpacked', 'unpacked-wal', 'unpacked-shm'])
        writeFileSync(join(elsewhere.DATA_DIR, `restore.${name}`), 'cut off')
    }
    const left = () => readdirSync(elsewhere.DATA_DIR).filter((name) => name.startsWith('restore.'))
    leave()
    expect(await convene(['restore', file], elsewhere)).toMatchObject(ok)
    expect(left()).toEqual([])
    leave()
    for (const name of ['jwt-secret', 'location-key'])
      copyFileSync(join(environment.DATA_DIR!, name), join(elsewhere.DATA_DIR, name))
    expect(await (await startServer(elsewhere)).end()).toBe(0)
    expect(left()).toEqual([])
  })

  test('by the clock has the ending of its form, and check tells when the first one is due', async () => {
    const { environment, url } = await community()
    const database = { engine: 'postgres', url } as const
    const { media } = readConfig({ ...inBucket(), DATABASE_URL: url })
    expect(await endingOf({ database, media: null })).toBe('db')
    expect(await endingOf({ database, media })).toBe(hasDump ? 'dump' : 'db')
    const BACKUP_DIR = newPath()
    const { out } = await convene(['check'], { ...environment, BACKUP_DIR })
    expect(out).toContain(`ok     the first backup in ${BACKUP_DIR} is due at `)
  })

  test('says beforehand how much room it needs', async () => {
    const { environment } = await community()
    const directory = newPath()
    mkdirSync(directory)
    if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=300k', 'tmpfs', directory]).exitCode !== 0) return
    cleanUp.push(() => Bun.spawnSync(['umount', directory]))
    const { code, err } = await convene(['backup', join(directory, 'a.db')], environment)
    expect([code, err]).toEqual([1, expect.stringMatching(/a backup needs [\d.]+ MB of space in /)])
    expect(readdirSync(directory)).toEqual([])
  })
})
