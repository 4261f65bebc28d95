import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readS3Url } from '../../src/s3/place.ts'
import { openBucket } from '../../src/s3/bucket.ts'
import { consents, password } from '../app.ts'
import { command, convene } from '../convene.ts'
import { bucket, keyId, refusing, s3Server, secret } from '../s3-server.ts'

// Each runs programs of ours, which takes its time where others work too.
setDefaultTimeout(30_000)

const folder = mkdtempSync(join(tmpdir(), 'convene-s3-serve-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newPath = () => join(folder, crypto.randomUUID())

const s3 = await s3Server()
afterEach(() => s3.fail(null))
const keys = { S3_ACCESS_KEY_ID: keyId, S3_SECRET_ACCESS_KEY: secret }
const plain = (name = bucket, endpoint = s3.endpoint) => `s3://${name}/here?endpoint=${encodeURIComponent(endpoint)}`
/** As it might be written anywhere. */
const secrets = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]

describe.each(['MEDIA_URL', 'BACKUP_DIR'])(
  '%s: the server does not start, says why in one line and touches nothing,',
  (name) => {
    test.each([
      ['where there is no such bucket', plain('none-such'), keys, /there is no bucket none-such at http/],
      [
        'where nobody knows the key',
        plain(),
        { ...keys, S3_ACCESS_KEY_ID: 'nobody' },
        /does not accept these keys \(Inval/,
      ],
      ['where the secret is another', plain(), { ...keys, S3_SECRET_ACCESS_KEY: 'x' }, /these keys \(SignatureDoesNot/],
      ['without keys', plain(), {}, /must come with S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/],
      ['where the URL is none', 's3:/photos', keys, /must be s3:\/\/BUCKET\/PREFIX\?endpoint=/],
    ])('%s', async (_, url, settings, reason) => {
      const dataDir = newPath()
      const { code, out, err } = await convene(['serve'], { DATA_DIR: dataDir, PORT: '0', [name]: url, ...settings })
      expect(err).toMatch(reason)
      expect(err).toStartWith(`convene: ${name}`)
      expect(err.trim()).not.toContain('\n')
      expect([code, out]).toEqual([1, ''])
      for (const written of secrets) expect(err).not.toContain(written)
      expect(existsSync(dataDir)).toBe(false)
    })
  },
)

test('with nothing at the address of the images it starts, says so, and goes on without photos', async () => {
  const server = await serve({ MEDIA_URL: plain(bucket, 'http://127.0.0.1:1'), ...keys })
  const answer = await fetch(new URL('/ready', server.base))
  expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'degraded', checks: { media: 'away' } }])
  expect(await server.end()).toMatch(
    /"level":"warn".*nothing answers at http:\/\/127\.0\.0\.1:1.*bucket of the images failed/,
  )
})

test('whose photos they are is found out once the bucket is back', async () => {
  const mine = newPath()
  const place = (name: string) => `s3://${bucket}/${name}?endpoint=${encodeURIComponent(s3.endpoint)}`
  await (await serve({ MEDIA_URL: place('theirs'), ...keys })).end()
  for (const [name, isOurs] of [
    ['nobodys', true],
    ['theirs', false],
  ] as const) {
    s3.fail(refusing(500, 'InternalError'))
    const server = await serve({ DATA_DIR: mine, MEDIA_URL: place(name), ...keys })
    s3.fail(null)
    if (isOurs) {
      await server.until('the bucket of the images is back')
      await server.end()
    } else {
      expect(await server.exited).toBe(1)
      expect(await server.end()).toMatch(/"level":"fatal".*MEDIA_URL names photos of another community/)
    }
  }
})

test('a key that may not write, read, list or remove is found out at the start', async () => {
  for (const line of [/^PUT/, /^GET .*convene-check/, /list-type/, /^DELETE/]) {
    s3.failWhere(line, refusing(403, 'AccessDenied'))
    const { code, err } = await convene(['serve'], { DATA_DIR: newPath(), PORT: '0', MEDIA_URL: plain(), ...keys })
    expect([line, code, err]).toEqual([line, 1, expect.stringMatching(/denies access: .* \(AccessDenied\)/)])
  }
})

/** A server, and all that it has said. */
async function serve(settings: Record<string, string>) {
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: newPath(), LOG_LEVEL: 'trace', ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  const ready = Promise.withResolvers<URL>()
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      said += text
      const url = /ready at (http:[^"\s]+)/.exec(said)?.[1]
      if (url !== undefined) ready.resolve(new URL(url))
    }
  }
  const reading = Promise.all([read(child.stdout), read(child.stderr)]).then(() =>
    ready.reject(new Error(`the server did not start: ${said}`)),
  )
  ready.promise.catch(() => {})
  return {
    base: await ready.promise,
    exited: child.exited,
    async until(words: string) {
      while (!said.includes(words)) await Bun.sleep(20)
    },
    /** Ends it, and answers all that it said. */
    async end() {
      child.kill()
      await child.exited
      await reading
      return said
    },
  }
}

test('a store of backups that does not answer is warned of, and keeps nobody waiting', async () => {
  const server = await serve({ BACKUP_DIR: plain(bucket, 'http://127.0.0.1:1'), ...keys })
  expect((await fetch(new URL('/ready', server.base))).status).toBe(200)
  expect(await server.end()).toMatch(
    /"level":"warn".*nothing answers at http:\/\/127\.0\.0\.1:1.*bucket of the backups failed/,
  )
})

test('neither log, metrics, errors nor answers hold the secret, whatever the store says', async () => {
  const server = await serve({ MEDIA_URL: s3.url('loud'), BACKUP_DIR: plain(), ...keys })
  const answers: string[] = []
  const ask = async (method: string, path: string, body?: object, token = '') => {
    const isForm = body instanceof FormData
    const response = await fetch(new URL(path, server.base), {
      method,
      redirect: 'manual',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : body && JSON.stringify(body),
    })
    const text = await response.text()
    answers.push(text, JSON.stringify([...response.headers]))
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const image = () => {
    const form = new FormData()
    form.append(
      'file',
      new Blob([Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')]),
    )
    return form
  }
  const { body: session } = await ask('POST', '/api/v1/auth/register', {
    ...{ email: 'ada@example.org', password, name: 'Ada', consents },
  })
  const { body: photo } = await ask('POST', '/api/v1/media', image(), session.access_token)
  expect((await ask('GET', photo.url)).status).toBe(302)
  s3.fail(refusing(403, 'SignatureDoesNotMatch'))
  expect((await ask('POST', '/api/v1/media', image(), session.access_token)).body.code).toBe('busy')
  expect((await ask('GET', '/ready')).body.checks.media).toBe('away')
  const { body: metrics } = await ask('GET', '/metrics')
  expect(metrics).toContain('convene_s3_request_duration_seconds_count{operation="put",outcome="done"} 2')
  expect(metrics).toContain('convene_s3_request_duration_seconds_count{operation="put",outcome="failed"} 1')
  s3.fail(null)
  const log = await server.end()
  expect(log).toMatch(
    /"operation":"put","reason":"the bucket \S+ at \S+ does not accept these keys \(SignatureDoesNotMatch\)/,
  )
  for (const written of secrets) expect([...answers, log].filter((text) => text.includes(written))).toEqual([])
  expect(log).not.toContain('X-Amz')
})

test('convene check ends when it has waited for a bucket that does not answer lists', async () => {
  const settings = { DATA_DIR: newPath(), BACKUP_DIR: plain(), ...keys }
  await (await serve(settings)).end()
  s3.failWhere(/list-type/, (request) => void request.resume())
  try {
    const { code, out } = await convene(['check'], settings)
    expect([code, out]).toEqual([1, expect.stringMatching(/WRONG {2}BACKUP_DIR: .* did not answer in time/)])
  } finally {
    s3.fail(null)
  }
}, 60_000)

test('convene check looks at both buckets, and for images that nobody looks for', async () => {
  const dataDir = newPath()
  const settings = { DATA_DIR: dataDir, ...keys }
  await (await serve({ ...settings, MEDIA_URL: plain() })).end()
  const good = await convene(['check'], { ...settings, MEDIA_URL: plain(), BACKUP_DIR: plain() })
  expect(good.out).toContain(`ok     s3://${bucket}/here/ takes what MEDIA_URL brings\n`)
  expect(good.out).toContain(`ok     s3://${bucket}/here/ takes what BACKUP_DIR brings\n`)

  expect(good.out).toContain(`ok     the first backup in s3://${bucket}/here/ is due at `)
  // How old it is says the store.
  const backups = openBucket(readS3Url(plain(), { accessKeyId: keyId, secretAccessKey: secret }))
  await backups.put('convene-20261101T030000Z.db', Buffer.from('a backup'), {})
  const fresh = await convene(['check'], { ...settings, MEDIA_URL: plain(), BACKUP_DIR: plain() })
  expect([fresh.code, fresh.out]).toEqual([0, expect.stringContaining('ok     the newest backup is of 20')])

  mkdirSync(join(dataDir, 'media', 'ab'), { recursive: true })
  writeFileSync(join(dataDir, 'media', 'ab', 'x'), 'x')
  const bad = await convene(['check'], { ...settings, MEDIA_URL: plain(), BACKUP_DIR: plain('none-such') })
  expect(bad.code).toBe(1)
  expect(bad.out).toContain('WRONG  BACKUP_DIR: there is no bucket none-such at')
  expect(bad.out).toContain(`WRONG  there are images in ${join(dataDir, 'media')}, which is not used`)
  expect(readdirSync(dataDir)).toContain('media')
})
