import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jobs } from '../../src/jobs.ts'
import { openMetrics } from '../../src/telemetry/metrics.ts'
import { readS3Url, s3ObjectUrl } from '../../src/s3/place.ts'
import { backUpInto, removeLeftovers } from '../../src/backup/scheduled.ts'
import { openBucket } from '../../src/s3/bucket.ts'
import { openDiskFiles } from '../../src/storage/files/disk.ts'
import { days } from '../../src/lib/time.ts'
import { erasuresIn } from '../../src/storage/files/erasure-journal.ts'
import { type Person, start, testApp } from '../app.ts'
import { convene } from '../convene.ts'
import { bucket, keyId, refusing, s3Server, secret } from '../s3-server.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(30_000)

const root = join(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'convene-s3-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newPath = () => join(folder, crypto.randomUUID())

const s3 = await s3Server()
const keys = { S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret }
const noKeys = { accessKeyId: null, secretAccessKey: null }

/** A place of its own for a test: as a setting, as arguments name objects in it, and what lies there. */
function newPlace() {
  const prefix = crypto.randomUUID()
  const place = readS3Url(s3.url(prefix), noKeys)
  return {
    place,
    setting: s3.url(prefix),
    bucket: openBucket(place),
    urlOf: (name: string) => s3ObjectUrl(place, name),
    objects: () =>
      s3
        .objects()
        .filter((key) => key.startsWith(`${prefix}/`))
        .map((key) => key.slice(prefix.length + 1)),
  }
}

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
async function photoOf(person: Person) {
  const form = new FormData()
  form.append('file', new Blob([pixel]), 'a.gif')
  await person.put('me', { photo: (await person.post('media', form)).body.id })
}

/** The data directory of a community of two with a photo each. */
let original = ''
beforeAll(async () => {
  const databasePath = newPath()
  const app = await testApp({ DATABASE_URL: `sqlite:${databasePath}` }, { databasePath })
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body.id
  for (let i = 0; i < 5; i++) await ada.post(`chats/${chat}/messages`, { text: `Message ${i}` })
  for (const person of [ada, bob]) await photoOf(person)
  original = newPath()
  mkdirSync(original)
  cpSync(join(app.dataDir, 'media'), join(original, 'media'), { recursive: true })
  await app.close()
  copyFileSync(databasePath, join(original, 'convene.db'))
})

function installation(): string {
  const dataDir = newPath()
  cpSync(original, dataDir, { recursive: true })
  return dataDir
}

const photosIn = (dataDir: string) => Array.fromAsync(openDiskFiles(join(dataDir, 'media')).list(), (file) => file.name)

function namesIn(dataDir: string): string[] {
  const db = new Database(join(dataDir, 'convene.db'), { readonly: true })
  const rows = db.query<{ name: string }, []>('SELECT name FROM users ORDER BY name').all()
  db.close()
  return rows.map(({ name }) => name)
}

const oneLine = (reason: string | RegExp) => ({ code: 1, out: '', err: expect.stringMatching(reason) })

describe('a backup in a bucket', () => {
  test('is made beside the data, appears whole, and is restored elsewhere with its photos', async () => {
    const dataDir = installation()
    const { urlOf, objects } = newPlace()
    const url = urlOf('monday.db')
    const made = await convene(['backup', url], { DATA_DIR: dataDir, ...keys })
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toMatch(
      new RegExp(
        `^backed up 2 users, 5 messages and 2 photos to s3://${bucket}/[0-9a-f-]{36}/monday.db \\(.* MB\\)\n$`,
      ),
    )
    expect(objects()).toEqual(['monday.db'])
    expect(readdirSync(dataDir).sort()).toEqual(['convene.db', 'media'])

    const verified = await convene(['backup', 'verify', url], keys)
    expect(verified).toMatchObject({ code: 0, err: '' })
    expect(verified.out).toStartWith(`s3://${bucket}/`)
    expect(verified.out).toInclude('/monday.db is whole: a backup of ')

    const elsewhere = newPath()
    mkdirSync(elsewhere)
    const restored = await convene(['restore', url], { DATA_DIR: elsewhere, ...keys })
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toStartWith('restored 2 users, 5 messages and 2 photos, as they were at ')
    expect(namesIn(elsewhere)).toEqual(['Ada', 'Bob'])
    expect((await photosIn(elsewhere)).sort()).toEqual((await photosIn(dataDir)).sort())
    expect(readdirSync(elsewhere).sort()).toEqual(['convene.db', 'convene.lock', 'media'])
  })

  test('replaces nothing unless told', async () => {
    const dataDir = installation()
    const { urlOf, bucket: store } = newPlace()
    await store.put('a.db', Buffer.from('mine'), {})
    const env = { DATA_DIR: dataDir, ...keys }
    expect(await convene(['backup', urlOf('a.db')], env)).toMatchObject(oneLine(/a\.db exists: choose another name/))
    expect(await store.size('a.db')).toBe(4)
    expect(await convene(['backup', urlOf('a.db'), '--force'], env)).toMatchObject({ code: 0 })
    expect(await store.size('a.db')).toBeGreaterThan(100_000)
    expect(readdirSync(dataDir).sort()).toEqual(['convene.db', 'media'])
  })

  test('takes the keys of its URL, too', async () => {
    const { setting, objects } = newPlace()
    const url = setting.replace('?', '/b.db?')
    expect(await convene(['backup', url], { DATA_DIR: installation() })).toMatchObject({ code: 0, err: '' })
    expect(objects()).toEqual(['b.db'])
  })

  test('of a community whose photos are in a bucket is the database alone, and its restore leaves them there', async () => {
    const dataDir = installation()
    const [images, backups] = [newPlace(), newPlace()]
    const full = backups.urlOf('full.db')
    await convene(['backup', full], { DATA_DIR: dataDir, ...keys })
    const photos = (await photosIn(dataDir)).sort()
    rmSync(join(dataDir, 'media'), { recursive: true })

    // This is also how photos get from the disk into a bucket.
    const env = { DATA_DIR: dataDir, MEDIA_URL: images.setting, ...keys }
    const restored = await convene(['restore', full], env)
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toContain('the server removes photos that are not in this database')
    expect(images.objects().map((key) => key.slice(6))).toEqual(photos)
    expect(readdirSync(dataDir)).not.toContain('media')

    const alone = backups.urlOf('alone.db')
    expect((await convene(['backup', alone], env)).out).toMatch(
      /^backed up 2 users, 5 messages and no photos, which are in s3:/,
    )
    const elsewhere = newPath()
    mkdirSync(elsewhere)
    const again = await convene(['restore', alone], { ...env, DATA_DIR: elsewhere })
    expect(again.out).toStartWith('restored 2 users, 5 messages and 0 photos')
    expect(images.objects()).toHaveLength(4)
    expect(namesIn(elsewhere)).toEqual(['Ada', 'Bob'])
  })

  test('who was erased since takes their photos out of the bucket again', async () => {
    const dataDir = installation()
    const [images, backups] = [newPlace(), newPlace()]
    const env = { DATA_DIR: dataDir, MEDIA_URL: images.setting, ...keys }
    await convene(['backup', backups.urlOf('a.db')], { DATA_DIR: dataDir, ...keys })
    const db = new Database(join(dataDir, 'convene.db'), { readonly: true })
    const { id } = db.query<{ id: string }, []>("SELECT id FROM users WHERE name = 'Ada'").get()!
    db.close()
    writeFileSync(join(dataDir, 'erasures.log'), `${new Date(start + days).toISOString()} ${id}\n`)
    const { out, err } = await convene(['restore', backups.urlOf('a.db')], env)
    expect([err, out]).toEqual(['', expect.stringContaining('users erased again, because they were erased since: 1')])
    expect(images.objects()).toHaveLength(2)
  })
})

test('an account that an operator erases takes its photos out of the bucket, and one that they export links there', async () => {
  const dataDir = installation()
  const [images, backups] = [newPlace(), newPlace()]
  const env = { DATA_DIR: dataDir, MEDIA_URL: images.setting, ...keys }
  await convene(['backup', backups.urlOf('a.db')], { DATA_DIR: dataDir, ...keys })
  await convene(['restore', backups.urlOf('a.db')], env)
  const db = new Database(join(dataDir, 'convene.db'), { readonly: true })
  const [ada, bob] = db.query<{ id: string }, []>('SELECT id FROM users ORDER BY name').all()
  db.close()
  expect(await convene(['admin', 'export', ada!.id, join(dataDir, 'ada.json')], env)).toMatchObject({
    code: 0,
    err: '',
  })
  expect((await Bun.file(join(dataDir, 'ada.json')).json()).images).toHaveLength(1)
  expect(await convene(['admin', 'erase', ada!.id, '--yes'], env)).toMatchObject({ code: 0, err: '' })
  expect(images.objects()).toHaveLength(2)

  s3.failWhere(/^DELETE/, refusing(403, 'AccessDenied'))
  try {
    expect(await convene(['admin', 'erase', bob!.id, '--yes'], env)).toMatchObject(
      oneLine(/denies access: .* \(AccessDenied\)/),
    )
  } finally {
    s3.fail(null)
  }
})

describe('what cannot be', () => {
  const env = (dataDir: string) => ({ DATA_DIR: dataDir, ...keys })

  test('a bucket, keys or an address that are wrong end a backup in one line, and nothing is left', async () => {
    const dataDir = installation()
    const { place, urlOf } = newPlace()
    const good = urlOf('a.db')
    const cases: [url: string, settings: Record<string, string>, reason: RegExp][] = [
      [good.replace(bucket, 'none-such'), keys, /there is no bucket none-such at http:\S+ \(NoSuchBucket\)/],
      [good, { ...keys, S3_ACCESS_KEY_ID: 'nobody' }, /does not accept these keys \(InvalidAccessKeyId\)/],
      [good, { ...keys, S3_SECRET_ACCESS_KEY: `${secret}x` }, /does not accept these keys \(SignatureDoesNotMatch\)/],
      [good, {}, /the URL must come with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/],
      [s3ObjectUrl({ ...place, endpoint: 'http://127.0.0.1:1' }, 'a.db'), keys, /nothing answers at http:\/\/127/],
      [good.replace('/a.db', '/'), keys, /the URL must end in the name of an object/],
    ]
    for (const [url, settings, reason] of cases) {
      for (const command of ['backup', 'restore']) {
        const outcome = await convene([command, url], { DATA_DIR: dataDir, ...settings })
        const { err } = outcome
        expect(outcome).toMatchObject(oneLine(reason))
        expect(err.trim()).not.toContain('\n')
        expect(err).not.toContain(secret)
      }
    }
    expect(readdirSync(dataDir).sort()).toEqual(['convene.db', 'media'])
    expect(namesIn(dataDir)).toEqual(['Ada', 'Bob'])
  })

  test('a restore of what is not there, is no backup or breaks off changes nothing', async () => {
    const dataDir = installation()
    const { urlOf, bucket: store } = newPlace()
    expect(await convene(['restore', urlOf('none.db')], env(dataDir))).toMatchObject(
      oneLine(/there is no s3:.*none\.db/),
    )
    await store.put('diary.db', Buffer.from('Dear diary, '.repeat(1000)), {})
    expect(await convene(['restore', urlOf('diary.db')], env(dataDir))).toMatchObject(oneLine(/not an SQLite database/))
    s3.fail((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-length': 1000 })
      response.write('SQLite format 3')
      setTimeout(() => response.destroy(), 50)
    })
    try {
      expect(await convene(['restore', urlOf('a.db')], env(dataDir))).toMatchObject(
        oneLine(/the connection to \S+ broke/),
      )
    } finally {
      s3.fail(null)
    }
    expect(readdirSync(dataDir).sort()).toEqual(['convene.db', 'convene.lock', 'media'])
  })

  test('an upload goes in parts; one that breaks off is taken back, and never appears', async () => {
    const { bucket: store, objects } = newPlace()
    const file = newPath()
    writeFileSync(file, crypto.getRandomValues(Buffer.alloc(40_000)).toString('hex').repeat(600))
    const { size } = statSync(file)
    expect(size).toBe(48_000_000)
    s3.requests.length = 0
    await store.upload('large.db', file)
    expect(await store.size('large.db')).toBe(size)
    expect(s3.requests.filter((line) => /^PUT .*partNumber=/.test(line))).toHaveLength(3)
    const copy = newPath()
    expect(await store.download('large.db', copy)).toBe(true)
    expect(Bun.hash(await Bun.file(copy).bytes())).toBe(Bun.hash(await Bun.file(file).bytes()))
    expect(statSync(copy).mode & 0o777).toBe(0o600)

    s3.requests.length = 0
    s3.failWhere(/partNumber=2/, refusing(500, 'InternalError'))
    try {
      await expect(store.upload('broken.db', file)).rejects.toThrow('answered with an error (InternalError)')
    } finally {
      s3.fail(null)
    }
    expect(s3.requests.filter((line) => line.includes('partNumber=2')).length).toBeGreaterThan(1)
    expect(s3.requests.some((line) => /^DELETE .*broken\.db\?uploadId=/.test(line))).toBe(true)
    expect(objects()).toEqual(['large.db'])
  })

  test('an upload that arrives with another size is removed again', async () => {
    const { bucket: store, objects } = newPlace()
    const file = newPath()
    writeFileSync(file, 'twelve bytes')
    s3.failWhere(/^HEAD/, (_, response) => {
      response.writeHead(200, { 'content-length': 11 })
      response.end()
    })
    try {
      await expect(store.upload('short.db', file)).rejects.toThrow('only 11 of 12 bytes arrived')
    } finally {
      s3.fail(null)
    }
    expect(objects()).toEqual([])
  })
})

describe('scheduled backups into a bucket', () => {
  const writing = (dataDir: string, store: ReturnType<typeof openBucket>) => async (url: string) => {
    const name = /([^/]+\.db)\?/.exec(url)![1]!
    await store.put(name, Buffer.from(dataDir), {})
  }

  test('are named by their time; the oldest beyond those to keep go, and nothing else', async () => {
    const dataDir = newPath()
    mkdirSync(dataDir)
    const { place, bucket: store, objects } = newPlace()
    const backUp = writing(dataDir, store)
    for (let day = 0; day < 5; day++) await backUpInto({ place, dataDir }, { keep: 3, at: start + day * days, backUp })
    await store.put('convene-notes.txt', Buffer.from('mine'), {})
    writeFileSync(join(dataDir, 'convene-20261126T120000Z.db.0a1b2c3d.part'), 'cut off')
    await backUpInto({ place, dataDir }, { keep: 3, at: start + 5 * days, backUp })
    expect(objects()).toEqual([
      'convene-20261124T120000Z.db',
      'convene-20261125T120000Z.db',
      'convene-20261126T120000Z.db',
      'convene-notes.txt',
    ])
    expect(await removeLeftovers({ place, dataDir }, dataDir)).toEqual(['convene-20261126T120000Z.db.0a1b2c3d.part'])
    expect(readdirSync(dataDir)).toEqual(['backups.lock'])

    const failing = { keep: 1, at: start + 6 * days, backUp: () => Promise.reject(new Error('no room')) }
    await expect(backUpInto({ place, dataDir }, failing)).rejects.toThrow('no room')
    expect(objects()).toHaveLength(4)
  })

  test('have the erasure journal beside them, and a restore on another machine erases by it', async () => {
    const dataDir = installation()
    const { place, urlOf, bucket: store, objects } = newPlace()
    let lines = ''
    const erased = async () => erasuresIn(lines)
    const backUp = async (url: string) => {
      expect(await convene(['backup', url], { DATA_DIR: dataDir, ...keys })).toMatchObject({ code: 0, err: '' })
    }
    await backUpInto({ place, dataDir }, { keep: 2, at: start, erased, backUp })
    expect(objects()).toEqual(['convene-20261121T120000Z.db'])

    const db = new Database(join(dataDir, 'convene.db'), { readonly: true })
    const [ada, bob] = db.query<{ id: string }, []>('SELECT id FROM users ORDER BY name').all()
    db.close()
    const lineOf = (id: string) => `${new Date(start).toISOString()} ${id}\n`
    const elsewhere = crypto.randomUUID()
    for (lines of [lineOf(elsewhere), lineOf(elsewhere) + lineOf(ada!.id)]) {
      const failing = () => Promise.reject(new Error('no room'))
      await expect(backUpInto({ place, dataDir }, { keep: 2, at: start, erased, backUp: failing })).rejects.toThrow()
      await backUpInto({ place, dataDir }, { keep: 2, at: start + days, erased, backUp: async () => {} })
      expect(Buffer.from((await store.get('erasures.log'))!).toString()).toBe(lines)
    }
    expect(objects()).toEqual(['convene-20261121T120000Z.db', 'erasures.log'])

    // It knows of an erasure that the bucket's does not, and of one that it does.
    const other = newPath()
    mkdirSync(other)
    const own = lineOf(elsewhere) + lineOf(bob!.id)
    writeFileSync(join(other, 'erasures.log'), own)
    const restore = () => convene(['restore', urlOf('convene-20261121T120000Z.db')], { DATA_DIR: other, ...keys })
    const erasedAgain = expect.stringContaining('users erased again, because they were erased since: 2')
    for (let times = 0; times < 2; times++) {
      expect(await restore()).toMatchObject({ code: 0, err: '', out: erasedAgain })
      expect(namesIn(other)).not.toContain('Ada')
      expect(await Bun.file(join(other, 'erasures.log')).text()).toBe(own + lineOf(ada!.id))
    }

    // Without it nobody could say who is to be erased.
    s3.failWhere(/erasures\.log/, refusing(403, 'AccessDenied'))
    try {
      expect(await restore()).toMatchObject(oneLine(/denies access: .* \(AccessDenied\)/))
    } finally {
      s3.fail(null)
    }
  })

  test('run in a process of their own, whose command line shows no key; one that fails says why and leaves nothing', async () => {
    const dataDir = installation()
    const { setting, place, objects, bucket: store } = newPlace()
    const script = `const { backUpInto } = await import('${root}/src/backup/scheduled.ts')
      const { readConfig } = await import('${root}/src/config.ts')
      const { spawn } = Bun
      Bun.spawn = (command, options) => (console.log(command.join(' ')), spawn(command, options))
      const { backupDir, dataDir } = readConfig()
      await backUpInto({ place: backupDir, dataDir }, { keep: 1, at: Number(process.argv.at(-1)) })
        .then(() => console.log('done'), (error) => console.log(error.message))`
    const run = async (at: number) => {
      const env = { PATH: process.env.PATH, DATA_DIR: dataDir, BACKUP_DIR: setting }
      const child = Bun.spawn([process.execPath, '-e', script, String(at)], { cwd: root, env, stdout: 'pipe' })
      return child.stdout.text()
    }
    const said = await run(start)
    expect(said).toEndWith('done\n')
    expect(said).toContain('backup --incremental s3://')
    for (const key of [secret, encodeURIComponent(secret), keyId]) expect(said).not.toContain(key)
    const photos = objects().filter((name) => name.startsWith('photos/'))
    // Both have the same one.
    expect(photos).toHaveLength(2)
    expect(objects()).toEqual(['convene-20261121T120000Z.db', 'convene-20261121T120000Z.db.photos', ...photos])
    const copy = newPath()
    await openBucket(place).download('convene-20261121T120000Z.db', copy)
    expect(new Database(copy).query('SELECT count(*) AS n FROM backup_photos WHERE bytes IS NULL').get()).toEqual({
      n: 4,
    })

    s3.fail(refusing(403, 'AccessDenied'))
    try {
      const failed = await run(start + days)
      expect(failed).toMatch(/convene: the bucket \S+ at \S+ denies access: .* \(AccessDenied\)\n/)
      expect(failed).not.toContain(secret)
    } finally {
      s3.fail(null)
    }
    expect(objects()).toEqual(['convene-20261121T120000Z.db', 'convene-20261121T120000Z.db.photos', ...photos])
    expect(readdirSync(dataDir).sort()).toEqual(['backups.lock', 'convene.db', 'media'])

    // The photos are others since: they alone are sent, and the former goes with the backup that needed it.
    for (const name of await photosIn(dataDir))
      if (!name.includes('.320.')) await openDiskFiles(join(dataDir, 'media')).put(name, Buffer.from(`now ${name}`))
    s3.requests.length = 0
    expect(await run(start + 2 * days)).toEndWith('done\n')
    expect(s3.requests.filter((line) => /^PUT .*\/photos\//.test(line))).toHaveLength(2)
    // Which photos it needs is known without fetching it.
    expect(s3.requests.filter((line) => /^GET .*\.db\?/.test(line))).toEqual([])
    const now = objects().filter((name) => name.startsWith('photos/'))
    expect(now).toHaveLength(3)
    expect(now.filter((name) => !photos.includes(name))).toHaveLength(2)
    expect(objects()).toEqual(['convene-20261123T120000Z.db', 'convene-20261123T120000Z.db.photos', ...now])
    expect(await store.size('convene-20261123T120000Z.db')).toBeGreaterThan(100_000)

    const url = s3ObjectUrl(place, 'convene-20261123T120000Z.db')
    const elsewhere = newPath()
    mkdirSync(elsewhere)
    expect(await convene(['restore', url], { DATA_DIR: elsewhere, ...keys })).toMatchObject({ code: 0, err: '' })
    expect((await photosIn(elsewhere)).sort()).toEqual((await photosIn(dataDir)).sort())
    expect((await convene(['backup', 'verify', url], keys)).out).toContain(`/photos/ (`)

    // A backup without its list is fetched, rather than taken for one that needs nothing.
    await store.remove('convene-20261123T120000Z.db.photos')
    expect(await convene(['backup', 'prune', s3ObjectUrl(place, '')], { DATA_DIR: dataDir, ...keys })).toMatchObject({
      code: 0,
      out: expect.stringContaining('removed 0 photos in s3://'),
    })
    const gone = now.find((name) => !photos.includes(name))!
    await store.remove(gone)
    expect(await convene(['backup', 'verify', url], keys)).toMatchObject(oneLine(`1 of the photos in s3://${bucket}/`))
    expect((await convene(['backup', 'verify', url], keys)).err).toContain(`(${gone.split('/').at(-1)} is missing)`)
    expect(readdirSync(dataDir).sort()).toEqual(['backups.lock', 'convene.db', 'media'])
  })

  test('are a job where BACKUP_DIR names a bucket, and their age and size are told', async () => {
    const { setting, bucket: store } = newPlace()
    const { services } = await testApp({ BACKUP_DIR: setting, BACKUP_CRON: '*/5 * * * *' })
    const before = Math.floor(Date.now() / 1000)
    await store.put('convene-20261121T120000Z.db', Buffer.from('older'), {})
    await store.put('notes.txt', Buffer.from('mine'), {})
    const metrics = openMetrics()
    expect(jobs({ ...services, metrics }).find(({ name }) => name === 'backup')?.schedule).toBe('*/5 * * * *')
    const told = async (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(await metrics.text())?.[1])
    for (let i = 0; i < 200 && Number.isNaN(await told('convene_backup_last_size_bytes')); i++) await Bun.sleep(10)
    expect(await told('convene_backup_last_size_bytes')).toBe(5)
    expect(await told('convene_backup_last_success_timestamp_seconds')).toBeGreaterThanOrEqual(before)
  })

  test('of a bucket that is away nothing is told, rather than that there are none', async () => {
    const { services } = await testApp({ BACKUP_DIR: newPlace().setting })
    const metrics = openMetrics()
    s3.fail(refusing(503, 'ServiceUnavailable'))
    try {
      jobs({ ...services, metrics })
      for (let i = 0; i < 200 && !s3.requests.at(-1)!.includes('list-type'); i++) await Bun.sleep(10)
      await Bun.sleep(100)
    } finally {
      s3.fail(null)
    }
    expect(await metrics.text()).not.toContain('convene_backup')
  })
})
