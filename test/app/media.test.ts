import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { uploadsInMemory, withFormFile } from '../../src/http/form-file.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { bytesOfOwner } from '../../src/storage/sql/media.ts'
import * as tables from '../../src/storage/sqlite/schema.ts'
import { days, hours, minutes } from '../../src/lib/time.ts'
import { type Answer, type Person, type TestApp, testApp } from '../app.ts'
import { engineOfApps, nodesOfApps, oneNodeTest, sqliteTest } from '../engines.ts'

const MiB = 1024 * 1024
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const picture = (width: number, height: number) => new Bun.Image(pixel).resize(width, height, { fit: 'fill' })
const jpeg = async () => Buffer.from(await picture(64, 32).jpeg().bytes())
const png = async () => Buffer.from(await picture(64, 32).png().bytes())

/** A JPEG whose EXIF contains a position. */
async function jpegWithGps() {
  const exif = Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\0GPSLatitude 48.85837N', 'latin1')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(exif.length + 2)
  const plain = await jpeg()
  return Buffer.concat([plain.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, exif, plain.subarray(2)])
}

function form(...files: [field: string, bytes: Uint8Array<ArrayBuffer> | string, name?: string][]) {
  const body = new FormData()
  for (const [field, bytes, name = 'photo.jpg'] of files)
    if (typeof bytes === 'string') body.append(field, bytes)
    else body.append(field, new Blob([bytes]), name)
  return body
}

const upload = (person: Person, bytes: Uint8Array<ArrayBuffer>) => person.post('media', form(['file', bytes]))
async function uploaded(person: Person): Promise<{ id: string; url: string }> {
  const { status, body } = await upload(person, await png())
  expect(status).toBe(201)
  return body
}

/** The names of all files below the media directory, except thumbnails. */
const filesOf = ({ dataDir }: TestApp) =>
  readdirSync(join(dataDir, 'media'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.320.webp'))
    .map((entry) => join(entry.parentPath, entry.name))
const rowsOf = async ({ rows }: TestApp) => (await rows('SELECT id FROM media')).length

const refused = (answer: Answer) => [
  answer.status,
  answer.body?.code,
  ...(answer.body?.errors ?? []).map((e: any) => e.path),
]

/** A message that shows an image, in its own chat. */
async function messageWith({ rows }: TestApp, sender: Person, other: Person, imageId: string) {
  const id = Bun.randomUUIDv7()
  const [a, b] = [sender.id, other.id].sort() as [string, string]
  const chat = 'INSERT INTO chats (id, user_a, user_b, created_at) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING'
  await rows(chat, Bun.randomUUIDv7(), a, b)
  await rows(
    `INSERT INTO messages (id, chat_id, seq, sender_id, kind, photo_id, created_at)
     SELECT ?, id, (SELECT count(*) + 1 FROM messages), ?, 'photo', ?, 1 FROM chats WHERE user_a = ? AND user_b = ?`,
    ...[id, sender.id, imageId, a, b],
  )
  return id
}
const deleteMessage = ({ rows }: TestApp, id: string) => rows('UPDATE messages SET deleted_at = 2 WHERE id = ?', id)

describe('an upload', () => {
  test('returns a URL that serves a WebP to anybody who has it, without a token', async () => {
    const server = await testApp()
    const ada = await server.person('Ada')
    const base = await server.listen()
    const answer = await upload(ada, await jpeg())
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: expect.stringMatching(new RegExp(`^/api/v1/media/${answer.body.id}\\?for=upload&exp=\\d+&sig=[\\w-]{43}$`)),
      width: 64,
      height: 32,
      thumb_url: `${answer.body.url}&size=320`,
      placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
    })
    const image = await fetch(new URL(answer.body.url, base))
    expect(image.status).toBe(200)
    expect(Object.fromEntries(image.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      etag: `"${answer.body.id}"`,
      // noon of the clock: until midnight of the day after
      'cache-control': `private, max-age=${36 * 3600}, immutable`,
      'x-request-id': expect.any(String),
    })
    const decoded = new Bun.Image(await image.bytes())
    expect(await decoded.metadata()).toMatchObject({ format: 'webp', width: 64, height: 32 })
  })

  test('keeps nothing of a photo’s metadata, neither in the answer nor on disk', async () => {
    const server = await testApp()
    const ada = await server.person()
    const base = await server.listen()
    const original = await jpegWithGps()
    expect(original.includes('GPSLatitude')).toBe(true)
    const { body } = await upload(ada, original)
    const served = Buffer.from(await (await fetch(new URL(body.url, base))).bytes())
    const [path] = filesOf(server)
    const stored = Buffer.from(await Bun.file(path!).bytes())
    expect(stored.equals(served)).toBe(true)
    for (const trace of ['Exif', 'EXIF', 'GPS', '48.85', 'photo.jpg']) expect(served.includes(trace)).toBe(false)
  })

  test('is one file with a random name, readable only by the server’s user', async () => {
    const server = await testApp()
    const ada = await server.person()
    const { id } = await uploaded(ada)
    const paths = filesOf(server)
    expect(paths).toHaveLength(1)
    expect(paths[0]).not.toContain(id)
    expect(paths[0]).not.toContain(ada.id)
    expect(statSync(paths[0]!).mode & 0o777).toBe(0o600)
  })

  test('many at once all become images of their own', async () => {
    const server = await testApp()
    const people = await Promise.all([server.person(), server.person(), server.person()])
    const bytes = await png()
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => upload(people[i % 3]!, bytes)))
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(24)
    expect(filesOf(server)).toHaveLength(24)
  })

  test('accepts exactly 10 MiB, and ignores the form’s other fields', async () => {
    const server = await testApp()
    const ada = await server.person()
    const padded = Buffer.concat([await png(), Buffer.alloc(10 * MiB)]).subarray(0, 10 * MiB)
    const body = form(['file', padded], ['id', 'mine'], ['owner_id', ada.id], ['other', await png()])
    const answer = await ada.post('media', body)
    expect(answer.status).toBe(201)
    expect(answer.body.id).not.toBe('mine')
    expect(await rowsOf(server)).toBe(1)
  })
})

describe('an upload is refused, and leaves no file and no row,', () => {
  async function refusals(
    cases: [what: string, body: unknown, expected: unknown[], headers?: Record<string, string>][],
  ) {
    const server = await testApp()
    const ada = await server.person()
    for (const [what, body, expected, headers] of cases)
      expect([what, ...refused(await ada.post('media', body, headers))]).toEqual([what, ...expected])
    expect(filesOf(server)).toEqual([])
    expect(await rowsOf(server)).toBe(0)
  }

  test('without a session, whatever it contains', async () => {
    const server = await testApp()
    for (const body of [form(['file', await png()]), 'x', undefined])
      expect(refused(await server.request('POST', 'media', { body }))).toEqual([401, 'unauthenticated'])
    expect(filesOf(server)).toEqual([])
  })

  test('if it is not an image by its bytes, whatever its name', async () => {
    const html = Buffer.from('<!doctype html><script>alert(1)</script>')
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    await refusals([
      ['html', form(['file', html, 'photo.jpg']), [415, 'unsupported_media_type']],
      ['svg', form(['file', svg, 'photo.svg']), [415, 'unsupported_media_type']],
    ])
  })

  test('if it is damaged, empty or has too many pixels', async () => {
    const whole = await jpeg()
    const bomb = await png()
    bomb.writeUInt32BE(30_000, 16)
    bomb.writeUInt32BE(30_000, 20)
    await refusals([
      ['cut off', form(['file', whole.subarray(0, whole.length / 2)]), [422, 'validation_failed', '/file']],
      ['empty', form(['file', new Uint8Array()]), [422, 'validation_failed', '/file']],
      ['900 megapixels', form(['file', bomb]), [413, 'payload_too_large']],
    ])
  })

  test('if the form has no file, or several, in its field `file`', async () => {
    const bytes = await png()
    const noFile = [422, 'validation_failed', '/file']
    await refusals([
      ['no body', undefined, noFile],
      ['no field', form(['note', 'x']), noFile],
      ['another field', form(['photo', bytes]), noFile],
      ['text', form(['file', 'not a file']), noFile],
      ['two', form(['file', bytes], ['file', bytes]), noFile],
    ])
  })

  test('if the body is not a multipart form', async () => {
    const [type, bytes] = ['content-type', await png()]
    const [malformed, unsupported] = [
      [400, 'malformed_body'],
      [415, 'unsupported_media_type'],
    ]
    const boundary = { [type]: 'multipart/form-data; boundary=x' }
    await refusals([
      ['the image itself', bytes, unsupported, { [type]: 'image/png' }],
      ['json', '{"file":"x"}', unsupported, { [type]: 'application/json' }],
      ['a web form', 'file=x', unsupported, { [type]: 'application/x-www-form-urlencoded' }],
      ['no type', bytes, unsupported],
      ['a longer type', bytes, unsupported, { [type]: 'multipart/form-data-x; boundary=x' }],
      ['compressed', bytes, unsupported, { ...boundary, 'content-encoding': 'gzip' }],
      ['no boundary', bytes, malformed, { [type]: 'multipart/form-data' }],
      ['garbage', bytes, malformed, boundary],
      ['cut off', '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc', malformed, boundary],
    ])
  })

  test('if the form has too many parts', async () => {
    const parts = Array.from({ length: 17 }, (_, i): [string, string] => [`field ${i}`, 'x'])
    const bytes = await png()
    const server = await testApp()
    const ada = await server.person()
    expect((await ada.post('media', form(...parts.slice(0, 15), ['file', bytes]))).status).toBe(201)
    expect(refused(await ada.post('media', form(...parts.slice(0, 16), ['file', bytes])))).toEqual([
      413,
      'payload_too_large',
    ])
    expect(await rowsOf(server)).toBe(1)
  })

  test('if the file is a byte longer than 10 MiB', async () => {
    const large = Buffer.concat([await png(), Buffer.alloc(10 * MiB)]).subarray(0, 10 * MiB + 1)
    await refusals([['too large', form(['file', large]), [413, 'payload_too_large']]])
  })

  test('after sixty in an hour, before its body is read', async () => {
    const server = await testApp({ RATE_LIMIT: 'on' })
    const ada = await server.person()
    for (let i = 0; i < 60; i += 1) expect((await ada.post('media', 'x')).status).toBe(415)
    const answer = await ada.post('media', form(['file', await png()]))
    expect(refused(answer)).toEqual([429, 'rate_limited'])
    expect(answer.headers.get('retry-after')).toBeTruthy()
    expect(filesOf(server)).toEqual([])
  })
})

const behindNoProxy = oneNodeTest('nginx reads a body before any node does')

describe('over a real connection', () => {
  /** Sends what `body` yields for as long as the server reads, and returns the answer once the server closes. */
  function send(base: URL, headers: string[], body: Iterable<Uint8Array>) {
    const { promise, resolve } = Promise.withResolvers<{ answer: string; sent: number }>()
    const socket = connect(Number(base.port), base.hostname)
    const pieces = body[Symbol.iterator]()
    let [answer, sent, over] = ['', 0, false]
    const end = () => {
      over = true
      socket.destroy()
      resolve({ answer, sent })
    }
    const pump = () => {
      for (let more = true; more && !over;) {
        const next = pieces.next()
        if (next.done) return
        sent += next.value.length
        more = socket.write(next.value)
      }
    }
    socket.on('drain', pump).on('error', end).on('close', end)
    socket.on('data', (data) => (answer += data.toString('latin1')))
    socket.write(['POST /api/v1/media HTTP/1.1', 'Host: convene.test', ...headers, '', ''].join('\r\n'))
    pump()
    return { socket, closed: promise, answer: () => answer }
  }
  const until = async (condition: () => boolean) => {
    for (let i = 0; i < 500 && !condition(); i += 1) await Bun.sleep(10)
    expect(condition()).toBe(true)
  }
  const multipart = 'Content-Type: multipart/form-data; boundary=x'
  const head = Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n')
  const chunk = (bytes: Uint8Array) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

  behindNoProxy('a body that says it is too long is refused before any of it is sent', async () => {
    const server = await testApp()
    const ada = await server.person()
    const base = await server.listen()
    const headers = [multipart, `Authorization: Bearer ${ada.token}`, `Content-Length: ${11 * MiB}`]
    const { socket, answer } = send(base, headers, [])
    await until(() => answer().includes('payload_too_large'))
    expect(answer()).toStartWith('HTTP/1.1 413')
    expect(answer()).toContain('application/problem+json')
    socket.destroy()
  })

  behindNoProxy('a chunked body without end is refused and cut off where it outgrows the limit', async () => {
    const server = await testApp()
    const ada = await server.person()
    const base = await server.listen()
    function* endless() {
      yield chunk(head)
      const piece = chunk(Buffer.alloc(64 * 1024))
      for (let i = 0; i < 1024; i += 1) yield piece
    }
    const headers = [multipart, `Authorization: Bearer ${ada.token}`, 'Transfer-Encoding: chunked']
    const { answer, sent } = await send(base, headers, endless()).closed
    expect(answer).toStartWith('HTTP/1.1 413')
    expect(answer).toContain('payload_too_large')
    // everything beyond 10 MiB filled the buffers of the two sockets
    expect(sent).toBeLessThan(32 * MiB)
    expect(filesOf(server)).toEqual([])
    expect(await rowsOf(server)).toBe(0)
  })

  test('a chunked body with an image is accepted', async () => {
    const server = await testApp()
    const ada = await server.person()
    const base = await server.listen()
    const bytes = await png()
    const body = [head, bytes.subarray(0, 20), bytes.subarray(20), Buffer.from('\r\n--x--\r\n')].map(chunk)
    const headers = [multipart, `Authorization: Bearer ${ada.token}`, 'Transfer-Encoding: chunked', 'Connection: close']
    const { answer } = await send(base, headers, [...body, Buffer.from('0\r\n\r\n')]).closed
    expect(answer).toStartWith('HTTP/1.1 201')
    expect(await rowsOf(server)).toBe(1)
  })

  test('an upload that breaks off leaves nothing, and the server continues', async () => {
    const server = await testApp()
    const ada = await server.person()
    const base = await server.listen()
    const headers = [multipart, `Authorization: Bearer ${ada.token}`, `Content-Length: ${MiB}`]
    const { socket } = send(base, headers, [Buffer.concat([head, Buffer.alloc(100_000)])])
    await Bun.sleep(50)
    socket.destroy()
    const response = await fetch(new URL('/api/v1/media', base), {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}` },
      body: form(['file', await png()]),
    })
    expect(response.status).toBe(201)
    expect(filesOf(server)).toHaveLength(1)
    expect(await rowsOf(server)).toBe(1)
  })

  behindNoProxy('an upload whose sender is signed out or suspended while it comes is not stored', async () => {
    const server = await testApp()
    const base = await server.listen()
    const ends: [string, string, (person: Person) => Promise<unknown>][] = [
      ['401', 'unauthenticated', (person) => person.post('auth/logout', { refresh_token: person.refresh })],
      [
        '403',
        'suspended',
        async (person) => {
          const end = server.clock.now + hours
          await server.rows('UPDATE users SET suspended_until = ? WHERE id = ?', end, person.id)
          await server.services.callers.forget(person.id)
        },
      ],
    ]
    const body = Buffer.concat([head, await png(), Buffer.from('\r\n--x--\r\n')])
    for (const [status, code, happens] of ends) {
      const person = await server.person()
      const headers = [multipart, `Authorization: Bearer ${person.token}`, `Content-Length: ${body.length}`]
      const { socket, answer } = send(base, headers, [body.subarray(0, 100)])
      // Long enough for the guard to have admitted it.
      await Bun.sleep(100)
      await happens(person)
      socket.write(body.subarray(100))
      await until(() => answer().includes(code))
      expect(answer()).toStartWith(`HTTP/1.1 ${status}`)
      socket.destroy()
    }
    expect(filesOf(server)).toEqual([])
    expect(await rowsOf(server)).toBe(0)
  })

  test('an image is served in ranges, for HEAD, and as 304 to a client that has it', async () => {
    const server = await testApp()
    const ada = await server.person()
    const base = await server.listen()
    const { id, url } = await uploaded(ada)
    const get = (headers: Record<string, string>, method = 'GET') => fetch(new URL(url, base), { method, headers })
    const whole = Buffer.from(await (await get({})).bytes())

    const part = await get({ range: 'bytes=4-9' })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 4-9/${whole.length}`)
    expect(part.headers.get('content-type')).toBe('image/webp')
    expect(part.headers.get('x-content-type-options')).toBe('nosniff')
    expect(Buffer.from(await part.bytes()).equals(whole.subarray(4, 10))).toBe(true)
    expect(Buffer.from(await (await get({ range: 'bytes=-5' })).bytes()).equals(whole.subarray(-5))).toBe(true)
    expect(Buffer.from(await (await get({ range: 'bytes=9-' })).bytes()).equals(whole.subarray(9))).toBe(true)

    const beyond = { range: `bytes=${whole.length}-` }
    for (const range of [beyond.range, `bytes=${whole.length}-${whole.length + 9}`, 'bytes=-0', 'BYTES = 99999999-']) {
      const none = await get({ range })
      expect([none.status, none.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`])
      expect(none.headers.get('content-type')).toBe('application/problem+json')
      expect(await none.json()).toMatchObject({ status: 416, code: 'bad_request' })
    }
    expect((await get({ ...beyond, 'if-range': `"${id}"` })).status).toBe(416)
    expect((await get({ ...beyond, 'if-range': '"another"' })).status).toBe(200)
    expect((await get({ ...beyond, 'if-none-match': '*' })).status).toBe(304)
    expect((await get(beyond, 'HEAD')).status).toBe(200)
    for (const range of ['items=9-', 'bytes=-', 'bytes=9-4', 'x']) expect((await get({ range })).status).toBe(200)

    expect((await get({ range: 'bytes=4-9', 'if-range': `"${id}"` })).status).toBe(206)
    expect((await get({ range: 'bytes=4-9', 'if-range': '"another"' })).status).toBe(200)

    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)])
    for (const { headers } of [head, await get({}), part]) expect(headers.get('accept-ranges')).toBe('bytes')
    expect((await head.bytes()).length).toBe(0)

    for (const known of [`"${id}"`, `W/"${id}"`, `"x", "${id}"`, '*']) {
      const unchanged = await get({ 'if-none-match': known })
      expect([known, unchanged.status, (await unchanged.bytes()).length]).toEqual([known, 304, 0])
      expect(unchanged.headers.get('etag')).toBe(`"${id}"`)
      expect(unchanged.headers.get('cache-control')).toContain('private')
    }
    expect((await get({ 'if-none-match': '"another"' })).status).toBe(200)
  })

  test('a missing file is 404, an unreadable one 500, and neither answer reveals anything about the disk', async () => {
    const server = await testApp()
    const base = await server.listen()
    const { url } = await uploaded(await server.person())
    const [path] = filesOf(server)
    rmSync(path!)
    const gone = await fetch(new URL(url, base))
    expect([gone.status, await gone.json()]).toMatchObject([404, { code: 'not_found' }])

    mkdirSync(path!)
    const broken = await fetch(new URL(url, base))
    expect(broken.status).toBe(500)
    expect(broken.headers.get('content-type')).toBe('application/problem+json')
    expect(await broken.json()).toEqual({
      type: 'urn:convene:problem:internal_error',
      title: 'Internal error',
      status: 500,
      detail: 'Something went wrong on our side.',
      code: 'internal_error',
      request_id: broken.headers.get('x-request-id'),
    })
  })
})

describe('a signed URL', () => {
  test('stops working if any part of it is altered or missing', async () => {
    const server = await testApp()
    const ada = await server.person()
    const { url } = await uploaded(ada)
    const other = await uploaded(ada)
    const { id, scope, exp, sig } = /media\/(?<id>.*)\?for=(?<scope>.*)&exp=(?<exp>.*)&sig=(?<sig>.*)/.exec(
      url,
    )!.groups!
    const of = (image = id, by = scope, end = exp, signature = sig) =>
      `/api/v1/media/${image}?for=${by}&exp=${end}&sig=${signature}`
    expect(of()).toBe(url)
    expect((await server.request('GET', url)).status).toBe(200)
    const altered = [
      of(other.id),
      of(id!.toUpperCase()),
      of(Bun.randomUUIDv7()),
      of('not-an-id'),
      of(id, 'profile'),
      of(id, Bun.randomUUIDv7()),
      of(id, scope, String(Number(exp) + 1)),
      of(id, scope, exp, `${sig}A`),
      of(id, scope, exp, other.url.slice(-43)),
      of(id, scope, exp, ''),
      `/api/v1/media/${id}`,
      `/api/v1/media/${id}?sig=${sig}`,
    ]
    for (const wrong of altered) {
      expect([wrong, ...refused(await server.request('GET', wrong))]).toEqual([wrong, 404, 'not_found'])
      // a token is no substitute for a signature
      expect([wrong, (await ada.get(wrong)).status]).toEqual([wrong, 404])
    }
  })

  test('expires, and is cached no longer than that', async () => {
    const server = await testApp()
    const { url } = await uploaded(await server.person())
    server.clock.now += 36 * hours - 1000
    const last = await server.request('GET', url)
    expect([last.status, last.headers.get('cache-control')]).toEqual([200, 'private, max-age=1, immutable'])
    server.clock.now += 1000
    expect(refused(await server.request('GET', url))).toEqual([404, 'not_found'])
    expect((await server.request('GET', url, { headers: { 'if-none-match': '*' } })).status).toBe(404)
  })
})

describe('a profile photo', () => {
  test('is an image that the user uploaded, and anybody with its URL can see it', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person('Ada'), await server.person('Bob')]
    const { id } = await uploaded(ada)
    const { status, body } = await ada.put('me', { photo: id })
    expect(status).toBe(200)
    expect(body.photo).toStartWith(`/api/v1/media/${id}?for=profile&`)
    const seen = (await bob.get(`users/${ada.id}`)).body.photo
    expect(seen).toBe(body.photo)
    const image = await server.request('GET', seen)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp'])
  })

  test('cannot be somebody else’s image or a missing one, and then nothing changes', async () => {
    const server = await testApp()
    const [ada, eve] = [await server.person(), await server.person()]
    const { id } = await uploaded(ada)
    for (const photo of [id, Bun.randomUUIDv7()]) {
      const answer = await eve.put('me', { photo, city: 'Paris' })
      expect(refused(answer)).toEqual([422, 'validation_failed', '/photo'])
    }
    expect((await eve.get('me')).body).toMatchObject({ photo: null, city: null })
    expect(await rowsOf(server)).toBe(1)
  })

  test('is removed, row and file, when it is replaced or cleared', async () => {
    const server = await testApp()
    const ada = await server.person()
    const [first, second] = [await uploaded(ada), await uploaded(ada)]
    const firstUrl = (await ada.put('me', { photo: first.id })).body.photo
    expect((await ada.put('me', { photo: first.id.toUpperCase(), city: 'Paris' })).body.photo).toBe(firstUrl)
    // Sending a profile back unchanged changes nothing, whatever host its photo was read from.
    const urls = [firstUrl, first.url, firstUrl.replace('?', '?x=1&')]
    for (const url of urls.flatMap((url) => [
      url,
      new URL(url, 'https://api.example.org').href,
      `//api.example.org${url}`,
    ]))
      expect((await ada.put('me', { photo: url })).body.photo).toBe(firstUrl)
    const eve = await server.person()
    for (const url of urls)
      expect(refused(await eve.put('me', { photo: new URL(url, 'https://api.example.org').href }))[0]).toBe(422)
    expect((await server.request('GET', firstUrl)).status).toBe(200)

    const secondUrl = (await ada.put('me', { photo: second.id })).body.photo
    for (const gone of [firstUrl, first.url]) expect((await server.request('GET', gone)).status).toBe(404)
    expect((await server.request('GET', secondUrl)).status).toBe(200)
    expect(filesOf(server)).toHaveLength(1)

    expect((await ada.put('me', { photo: null })).body.photo).toBeNull()
    for (const gone of [secondUrl, second.url]) expect((await server.request('GET', gone)).status).toBe(404)
    expect(filesOf(server)).toEqual([])
    expect(await rowsOf(server)).toBe(0)
  })

  test('that an earlier release has stored as an external URL is shown to nobody, and can be replaced', async () => {
    const server = await testApp()
    const ada = await server.person()
    const { id } = await uploaded(ada)
    await server.rows('UPDATE users SET photo = ? WHERE id = ?', 'https://example.org/ada.jpg', ada.id)
    const bob = await server.person()
    for (const { body } of [await ada.get('me'), await bob.get(`users/${ada.id}`)])
      expect(body).toMatchObject({ photo: null, photo_thumb: null })
    expect((await ada.put('me', { photo: id })).status).toBe(200)
    expect(await rowsOf(server)).toBe(1)
  })

  test('stays while a message shows it too, but its profile URL stops working', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person(), await server.person()]
    const { id } = await uploaded(ada)
    const profileUrl = (await ada.put('me', { photo: id })).body.photo
    const message = await messageWith(server, ada, bob, id)
    await ada.put('me', { photo: null })
    expect((await server.request('GET', profileUrl)).status).toBe(404)
    expect((await server.request('GET', server.services.media.messagePhoto(id, message).url)).status).toBe(200)
  })

  test('never names an image that is dropped concurrently', async () => {
    const server = await testApp()
    const ada = await server.person()
    const outcomes = new Set<number>()
    // each time, the drop comes a little later during the request
    for (let turns = 0; turns < 6; turns += 1) {
      const { id } = await uploaded(ada)
      const dropped = (async () => {
        for (let i = 0; i < turns; i += 1) await setImmediate()
        await server.services.media.drop([id])
      })()
      const [answer] = await Promise.all([ada.put('me', { photo: id }), dropped])
      outcomes.add(answer.status)
      const { photo } = (await ada.get('me')).body
      if (answer.status === 200) expect((await server.request('GET', photo)).status).toBe(200)
      else
        expect([refused(answer), await rowsOf(server), photo]).toEqual([[422, 'validation_failed', '/photo'], 0, null])
      await ada.put('me', { photo: null })
    }
    // Over real HTTP, or a connection to a database, either may come first.
    if (nodesOfApps === 1 && engineOfApps.name === 'SQLite') expect([...outcomes].toSorted()).toEqual([200, 422])
  })
})

describe('a message’s photo', () => {
  test('is served for that message while it shows it', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person(), await server.person()]
    const { media } = server.services
    const [shown, other] = [await uploaded(ada), await uploaded(ada)]
    const message = await messageWith(server, ada, bob, shown.id)
    const url = media.messagePhoto(shown.id, message).url
    expect(url).toStartWith(`/api/v1/media/${shown.id}?for=${message}&`)
    expect((await server.request('GET', url)).status).toBe(200)
    for (const wrong of [
      media.messagePhoto(other.id, message).url,
      media.messagePhoto(shown.id, Bun.randomUUIDv7()).url,
      media.profilePhoto(shown.id).photo!,
    ])
      expect((await server.request('GET', wrong)).status).toBe(404)

    await deleteMessage(server, message)
    expect((await server.request('GET', url)).status).toBe(404)
  })

  test('is removed with its file once no message shows it', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person(), await server.person()]
    const { media } = server.services
    const { id, url } = await uploaded(ada)
    const [one, two] = [await messageWith(server, ada, bob, id), await messageWith(server, ada, bob, id)]
    await deleteMessage(server, one)
    await media.drop([id])
    expect((await server.request('GET', media.messagePhoto(id, two).url)).status).toBe(200)
    await deleteMessage(server, two)
    await media.drop([id])
    for (const gone of [url, media.messagePhoto(id, two).url])
      expect((await server.request('GET', gone)).status).toBe(404)
    expect(filesOf(server)).toEqual([])
  })
})

describe('the storage limit of an account', () => {
  const room = 500_000_000
  const taken = async ({ rows }: TestApp) =>
    Number((await rows('SELECT sum(bytes + thumb_bytes) AS n FROM media'))[0]!.n)

  test('is 500 MB of images and thumbnails: one more is refused until some are removed, and leaves nothing', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person(), await server.person()]
    const { id } = await uploaded(ada)
    const size = await taken(server)
    const fill = (left: number) => server.rows('UPDATE media SET bytes = ? - thumb_bytes', room - left)
    await fill(size - 1)
    const files = filesOf(server).length
    expect(refused(await upload(ada, await png()))).toEqual([409, 'conflict', '/file'])
    expect(await rowsOf(server)).toBe(1)
    expect(filesOf(server)).toHaveLength(files)
    expect((await upload(bob, await png())).status).toBe(201)
    await server.rows('DELETE FROM media WHERE owner_id = ?', bob.id)
    await fill(size)
    await uploaded(ada)
    expect(refused(await upload(ada, await png()))).toEqual([409, 'conflict', '/file'])
    await server.services.media.drop([id])
    await uploaded(ada)
  })

  test('is not exceeded by concurrent uploads', async () => {
    const server = await testApp()
    const ada = await server.person()
    await uploaded(ada)
    const size = await taken(server)
    await server.rows('UPDATE media SET bytes = ? - thumb_bytes', room - 3 * size)
    const bytes = await png()
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload(ada, bytes)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409, 409, 409])
    expect(await taken(server)).toBe(room)
  })

  sqliteTest('is added up from an index, however many images there are', async () => {
    const { db } = await testApp()
    const { sql } = bytesOfOwner({ tables }, db!, 'ada').toSQL()
    using statement = db!.$client.prepare<{ detail: string }, [string]>(`EXPLAIN QUERY PLAN ${sql}`)
    const [step] = statement.all('ada')
    expect(step!.detail).toContain('COVERING INDEX media_sizes')
  })
})

describe('the daily number of images', () => {
  test('is 300 for one account, even concurrently, and then the answer tells when the next one is accepted', async () => {
    const server = await testApp({ RATE_LIMIT: 'on' })
    const [ada, bob] = [await server.person(), await server.person()]
    const { limits, media } = server.services
    for (let i = 0; i < 295; i++) await limits.take('photos', ada.id)
    const bytes = await png()
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload(ada, bytes)))
    const late = answers.filter(({ status }) => status !== 201)
    expect(late.map(refused)).toEqual(Array(5).fill([429, 'rate_limited']))
    for (const { headers } of late) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(23 * 3600)
      expect(headers.get('ratelimit-limit')).toBe('300')
    }
    expect(await rowsOf(server)).toBe(5)
    expect(filesOf(server)).toHaveLength(5)
    // This check comes before the body is read, on every route.
    expect(refused(await ada.post('media', 'no form'))).toEqual([429, 'rate_limited'])
    await expect(media.upload({ id: ada.id }, bytes)).rejects.toMatchObject({ code: 'rate_limited' })
    expect((await upload(bob, bytes)).status).toBe(201)
  })

  test('counts only accepted images', async () => {
    const server = await testApp({ RATE_LIMIT: 'on' })
    const ada = await server.person()
    for (let i = 0; i < 299; i++) await server.services.limits.take('photos', ada.id)
    for (let i = 0; i < 3; i++) expect((await upload(ada, Buffer.from('no image'))).status).toBe(415)
    expect((await upload(ada, await png())).status).toBe(201)
    expect((await upload(ada, await png())).status).toBe(429)
  })
})

describe('the sweep', () => {
  test('removes unused images after a day, and nothing younger or in use', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person(), await server.person()]
    const [unused, photo, sent, deleted] = [
      await uploaded(ada),
      await uploaded(ada),
      await uploaded(ada),
      await uploaded(ada),
    ]
    await ada.put('me', { photo: photo.id })
    await messageWith(server, ada, bob, sent.id)
    await deleteMessage(server, await messageWith(server, ada, bob, deleted.id))
    server.clock.now += days
    const young = await uploaded(await server.person())
    expect(await server.services.media.sweep()).toEqual({ images: 0, files: 0 })
    server.clock.now += 1
    expect(await server.services.media.sweep()).toEqual({ images: 2, files: 0 })
    expect(filesOf(server)).toHaveLength(3)
    expect((await server.request('GET', unused.url)).status).toBe(404)
    expect((await server.request('GET', young.url)).status).toBe(200)
    expect(await server.services.media.sweep()).toEqual({ images: 0, files: 0 })
  })

  test('removes files without a row after an hour, and remains of interrupted uploads', async () => {
    const server = await testApp()
    const ada = await server.person()
    const { url } = await uploaded(ada)
    const [kept] = filesOf(server)
    const folder = join(kept!, '..')
    const prefix = kept!.slice(folder.length + 1).slice(0, 4)
    const leave = (name: string, age: number) => {
      const path = join(folder, name)
      writeFileSync(path, 'x')
      utimesSync(path, new Date(), new Date(server.clock.now - age))
      return path
    }
    const stray = `${prefix}0000-0000-4000-8000-000000000000.webp`
    const part = `${prefix}0000-0000-4000-8000-000000000001.webp.${crypto.randomUUID()}.part`
    const old = [leave(stray, 61 * minutes), leave(part, 61 * minutes)]
    const left = [
      leave(stray.replace('00.webp', '02.webp'), 59 * minutes),
      leave(part.replace('01.webp', '03.webp'), 59 * minutes),
      leave('notes.txt', 61 * minutes),
    ]
    // old enough, but it has a row
    utimesSync(kept!, new Date(), new Date(server.clock.now - 30 * days))
    expect(await server.services.media.sweep()).toEqual({ images: 0, files: 2 })
    expect(old.map(existsSync)).toEqual([false, false])
    expect(left.map(existsSync)).toEqual([true, true, true])
    expect((await server.request('GET', url)).status).toBe(200)
  })

  test('handles any number of images, with used ones among them', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person(), await server.person()]
    const images = Array.from({ length: 1700 }, (_, i) => ({
      id: Bun.randomUUIDv7(),
      // many with the same millisecond, so the key has to continue within it
      created_at: Math.floor(i / 600),
    }))
    await server.rows(
      `INSERT INTO media (id, owner_id, file, width, height, placeholder, bytes, created_at)
       VALUES ${images.map(() => "(?, ?, ?, 1, 1, '', 1, ?)").join()}`,
      ...images.flatMap(({ id, created_at }) => [id, ada.id, `${crypto.randomUUID()}.webp`, created_at]),
    )
    const used = images.filter((_, i) => i % 300 === 0).map(({ id }) => id)
    for (const id of used) await messageWith(server, ada, bob, id)
    expect(await server.services.media.sweep()).toEqual({ images: 1700 - used.length, files: 0 })
    const left = await server.rows<{ id: string }>('SELECT id FROM media')
    expect(left.map(({ id }) => id).toSorted()).toEqual(used.toSorted())
  })
})

describe('reading a form', () => {
  const read = (body: ReadableStream<Uint8Array>, userId = 'ada', boundary = 'x') =>
    withFormFile(
      new Request('http://convene.test/', {
        method: 'POST',
        body,
        headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      }),
      { name: 'file', maxBytes: 16 * MiB, userId },
      async () => 'read',
    ).catch((error: unknown) => (error instanceof Refusal ? error.code : error))

  /** `pieces` MiB, which end when allowed to, or fail. */
  function stream(pieces: number, end: Promise<void> | null) {
    const piece = new Uint8Array(MiB)
    let left = pieces
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (left-- > 0) return controller.enqueue(piece)
        await end
        controller.close()
      },
    })
  }

  test('that breaks off is the sender’s fault', async () => {
    expect(await read(stream(1, Promise.reject(new Error('connection reset'))))).toBe('bad_request')
  })

  test('that is nothing but delimiters is refused', async () => {
    const dashes = new Response(Buffer.alloc(10 * MiB, '-')).body!
    expect(await read(dashes, 'ada', '-')).toBe('payload_too_large')
  })

  test('works for the forms of browsers and others', async () => {
    const file = (body: string, boundary = 'x') =>
      withFormFile(
        new Request('http://convene.test/', {
          method: 'POST',
          body: Buffer.from(body, 'latin1'),
          headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        }),
        { name: 'file', maxBytes: 1000, userId: 'ada' },
        async (bytes) => Buffer.from(bytes).toString('latin1'),
      ).catch((error: unknown) => (error instanceof Refusal ? error.code : error))
    const part = (headers: string, content: string) => `--x\r\n${headers}\r\n\r\n${content}\r\n`
    const named = 'Content-Disposition: form-data; name="file"; filename="a.jpg"'
    const end = '--x--\r\n'
    const good = {
      [part(named, 'photo') + end]: 'photo',
      [part(named, '') + end]: '',
      [part(named, '\r\n--\r\n--X\r\n-x\0\xff') + end]: '\r\n--\r\n--X\r\n-x\0\xff',
      [`a preamble\r\n${part(named, 'photo')}${end}an epilogue`]: 'photo',
      [part(`${named}\r\nContent-Type: image/jpeg`, 'photo') + end]: 'photo',
      [part(`content-type: image/jpeg\r\ncontent-disposition:form-data;name=file;filename=a.jpg`, 'photo') + end]:
        'photo',
      [part('Content-Disposition: form-data; filename="na;me=\\"x.jpg"; name="file"', 'photo') + end]: 'photo',
      [part('Content-Disposition: form-data; name="file"; filename*=utf-8\'\'a.jpg', 'photo') + end]: 'photo',
      [part('Content-Disposition: form-data; name="file"; filename=""', 'photo') + end]: 'photo',
      [part('Content-Disposition: form-data; name="other"', 'x') + part(named, 'photo') + end]: 'photo',
      [`--x  \r\n${named}\r\n\r\nphoto\r\n${end}`]: 'photo',
    }
    for (const [body, expected] of Object.entries(good)) expect([body, await file(body)]).toEqual([body, expected])
    const bad = {
      '': 'malformed_body',
      [end]: 'validation_failed',
      [part('Content-Disposition: form-data; name="file"', 'no file') + end]: 'validation_failed',
      [part('Content-Disposition: form-data; filename="name=file"', 'x') + end]: 'validation_failed',
      [part('Content-Disposition: attachment; name="file"; filename="a"', 'x') + end]: 'validation_failed',
      [part('X: Content-Disposition: form-data; name="file"; filename="a"', 'x') + end]: 'validation_failed',
      [part(named, 'one') + part(named, 'two') + end]: 'validation_failed',
      [`--x\r\n\r\n${named}\r\n${end}`]: 'validation_failed',
      [part(named, 'photo')]: 'malformed_body',
      [`--x\r\n${named}\r\n`]: 'malformed_body',
      [`--xy\r\n${named}\r\n\r\nphoto\r\n--xy--`]: 'malformed_body',
      ['nothing of the kind']: 'malformed_body',
      [`--x\r\nX: ${'x'.repeat(20_000)}\r\n\r\nphoto\r\n${end}`]: 'malformed_body',
      [part(named, 'photo').repeat(17) + end]: 'payload_too_large',
    }
    for (const [body, expected] of Object.entries(bad)) expect([body, await file(body)]).toEqual([body, expected])
    expect(uploadsInMemory()).toBe(0)
  })

  test('holds its bytes once, counts them while it holds them, and frees them after their use', async () => {
    const content = Buffer.alloc(10 * MiB, 7)
    const body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'),
      content,
      Buffer.from('\r\n--x--\r\n'),
    ])
    const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': String(body.length) }
    let held: Uint8Array | null = null
    await withFormFile(
      new Request('http://convene.test/', { method: 'POST', body, headers }),
      { name: 'file', maxBytes: 16 * MiB, userId: 'ada' },
      async (bytes) => {
        held = bytes
        expect(bytes.length).toBe(content.length)
        expect(bytes.buffer.byteLength).toBe(body.length)
        expect(uploadsInMemory()).toBe(body.length)
      },
    )
    expect(uploadsInMemory()).toBe(0)
    expect(held!.buffer.byteLength).toBe(0)
  })

  test('is unrestricted up to 128 MiB of memory, and beyond that it is refused until there is room', async () => {
    const release = Promise.withResolvers<void>()
    const waiting = Array.from({ length: 8 }, (_, i) => read(stream(16, release.promise), `user ${i % 4}`))
    let further: unknown
    for (let i = 0; i < 500 && further !== 'busy'; i += 1) {
      await Bun.sleep(2)
      further = await read(stream(1, null))
    }
    expect(further).toBe('busy')
    release.resolve()
    // these are no forms, but they were read completely
    expect(await Promise.all(waiting)).toEqual(Array(8).fill('malformed_body'))
    expect(await read(stream(1, null))).toBe('malformed_body')
    expect(uploadsInMemory()).toBe(0)
  })

  test('takes at most a quarter of that for one user, and leaves the rest to others', async () => {
    const release = Promise.withResolvers<void>()
    const waiting = Array.from({ length: 2 }, () => read(stream(16, release.promise), 'ada'))
    let further: unknown
    for (let i = 0; i < 500 && further !== 'busy'; i += 1) {
      await Bun.sleep(2)
      further = await read(stream(1, null), 'ada')
    }
    expect(further).toBe('busy')
    expect(await read(stream(16, null), 'bob')).toBe('malformed_body')
    release.resolve()
    expect(await Promise.all(waiting)).toEqual(Array(2).fill('malformed_body'))
    expect(await read(stream(16, null), 'ada')).toBe('malformed_body')
  })
})
