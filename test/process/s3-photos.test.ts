import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { jobs } from '../../src/jobs.ts'
import { readS3Url } from '../../src/s3/place.ts'
import { openS3Files, ownerMark } from '../../src/storage/files/s3.ts'
import { days, hours, minutes, seconds } from '../../src/lib/time.ts'
import { password, type Person, testApp } from '../app.ts'
import { refusing, s3Server } from '../s3-server.ts'
import { connect, ofType } from '../socket-client.ts'

const s3 = await s3Server()
const noKeys = { accessKeyId: null, secretAccessKey: null }
const name = '3f9c1d2e-8a4b-4c5d-9e6f-0a1b2c3d4e5f.webp'

/** A server whose images are in a bucket, under a prefix of its own. */
async function withBucket(environment: Record<string, string> = {}) {
  const prefix = crypto.randomUUID()
  const app = await testApp({ MEDIA_URL: s3.url(prefix), ...environment })
  const objects = () => s3.objects().filter((key) => key.startsWith(`${prefix}/`) && !key.endsWith(`/${ownerMark}`))
  return Object.assign(app, { prefix, objects })
}

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
function upload(person: Person) {
  const form = new FormData()
  form.append('file', new Blob([pixel]), 'photo.gif')
  return person.post('media', form)
}
async function uploaded(person: Person): Promise<{ id: string; url: string; thumb_url: string }> {
  const { status, body } = await upload(person)
  expect(status).toBe(201)
  return body
}

/** Where our link leads. */
async function target({ request }: Pick<Awaited<ReturnType<typeof withBucket>>, 'request'>, url: string) {
  const { status, headers } = await request('GET', url)
  expect(status).toBe(302)
  return new URL(headers.get('location')!)
}

const rowsOf = async ({ services, clock }: Awaited<ReturnType<typeof withBucket>>) =>
  (await services.storage.media.before(clock.now + 1, null, 100)).length

describe('an image in a bucket', () => {
  test('lies there with its thumbnail alone, and our links lead to them for some minutes, with the headers of an image', async () => {
    const app = await withBucket()
    const ada = await app.person()
    const { id, url, thumb_url } = await uploaded(ada)
    expect(app.objects()).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}\/(..)\/(..)\/\1\2[0-9a-f-]{32}\.320\.webp$/),
      expect.stringMatching(/^[0-9a-f-]{36}\/(..)\/(..)\/\1\2[0-9a-f-]{32}\.webp$/),
    ])
    expect((await target(app, thumb_url)).pathname).toEndWith('.320.webp')
    expect(existsSync(join(app.dataDir, 'media'))).toBe(false)
    expect(url).toStartWith(`/api/v1/media/${id}?for=upload&`)

    const base = await app.listen()
    const answer = await fetch(new URL(url, base), { redirect: 'manual' })
    expect(answer.status).toBe(302)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'private, max-age=240',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
    })
    const link = new URL(answer.headers.get('location')!)
    expect(link.origin).toBe(s3.endpoint)
    expect(link.searchParams.get('X-Amz-Expires')).toBe('300')

    const image = await fetch(new URL(url, base))
    expect(image.status).toBe(200)
    expect(Object.fromEntries(image.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-disposition': 'inline',
      'cache-control': 'private',
    })
    expect(await new Bun.Image(await image.bytes()).metadata()).toMatchObject({ format: 'webp', width: 1, height: 1 })
  })

  test('is fetched by HEAD and in parts, and not at all by who has it', async () => {
    const app = await withBucket()
    const { id, url } = await uploaded(await app.person())
    const base = await app.listen()
    const get = (headers: Record<string, string>, method = 'GET') => fetch(new URL(url, base), { method, headers })
    const whole = await (await get({})).bytes()
    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)])
    const part = await get({ range: 'bytes=4-9' })
    expect([part.status, await part.bytes()]).toEqual([206, whole.slice(4, 10)])
    expect((await get({ 'if-none-match': `"${id}"` })).status).toBe(304)
  })

  test('is behind a link that cannot be made to last, nor to lead elsewhere', async () => {
    const app = await withBucket()
    const ada = await app.person()
    const [one, two] = [await uploaded(ada), await uploaded(ada)]
    const link = await target(app, one.url)
    expect((await fetch(link)).status).toBe(200)
    const longer = new URL(link)
    longer.searchParams.set('X-Amz-Expires', '604800')
    const other = new URL(link)
    other.pathname = (await target(app, two.url)).pathname
    for (const altered of [longer, other]) expect((await fetch(altered)).status).toBe(403)
    expect((await fetch(link, { method: 'DELETE' })).status).toBe(403)
    expect((await fetch(link, { method: 'PUT', body: 'x' })).status).toBe(403)
    expect(app.objects()).toHaveLength(4)
  })

  test('has no link that outlives ours', async () => {
    const app = await withBucket()
    const { url } = await uploaded(await app.person())
    const end = Number(new URL(url, 'http://x').searchParams.get('exp')) * 1000
    for (const [left, life, kept] of [
      [301, 300, 240],
      [90, 90, 30],
      [10, 10, 0],
      [1, 1, 0],
    ] as const) {
      app.clock.now = end - left * seconds
      expect((await app.request('GET', url)).headers.get('cache-control')).toBe(`private, max-age=${kept}`)
      expect((await target(app, url)).searchParams.get('X-Amz-Expires')).toBe(String(life))
    }
    app.clock.now = end
    expect((await app.request('GET', url)).status).toBe(404)
  })

  test('is reached where clients reach the store, which may be another address than ours', async () => {
    const outside = s3.endpoint.replace('127.0.0.1', 'localhost')
    const more = `&public_endpoint=${encodeURIComponent(outside)}`
    const app = await withBucket({ MEDIA_URL: s3.url('outside', { more }) })
    const link = await target(app, (await uploaded(await app.person())).url)
    expect(link.origin).toBe(outside)
    expect((await fetch(link)).status).toBe(200)
  })

  test('goes with what showed it: neither our link nor the one it led to works any more', async () => {
    const app = await withBucket()
    const [ada, bob] = [await app.person(), await app.person()]
    const chat = (await ada.post('chats', { user_id: bob.id })).body.id
    const photo = await uploaded(ada)
    const profile = (await ada.put('me', { photo: photo.id })).body.photo
    const sent = await uploaded(ada)
    const message = (await ada.post(`chats/${chat}/messages`, { kind: 'photo', photo: sent.id })).body
    const links = [await target(app, profile), await target(app, message.photo.url), await target(app, sent.url)]
    for (const link of links) expect((await fetch(link)).status).toBe(200)

    await ada.delete(`messages/${message.id}`)
    await ada.put('me', { photo: null })
    for (const url of [profile, message.photo.url, sent.url, photo.url])
      expect((await app.request('GET', url)).status).toBe(404)
    for (const link of links) expect((await fetch(link)).status).toBe(404)
    expect(app.objects()).toEqual([])
  })

  test('is for who may see it, as on disk: a block leaves the history, and evidence is for moderators', async () => {
    const app = await withBucket()
    const [ada, bob] = [await app.person(), await app.person()]
    const chat = (await ada.post('chats', { user_id: bob.id })).body.id
    const { id } = await uploaded(ada)
    await ada.put('me', { photo: (await uploaded(ada)).id })
    const message = (await ada.post(`chats/${chat}/messages`, { kind: 'photo', photo: id })).body
    await ada.post('blocks', { user_id: bob.id })
    const [seen] = (await bob.get(`chats/${chat}/messages`)).body.items
    expect((await fetch(await target(app, seen.photo.url))).status).toBe(200)
    expect((await bob.get(`chats/${chat}`)).body.user.photo).toBeNull()
    expect((await bob.get(`users/${ada.id}`)).status).toBe(404)

    const report = (await bob.post('reports', { message_id: message.id, reason: 'nudity' })).body
    await ada.delete(`messages/${message.id}`)
    expect((await app.request('GET', seen.photo.url)).status).toBe(404)
    const evidence = app.services.media.evidencePhoto(id, report.id).url
    expect((await fetch(await target(app, evidence))).status).toBe(200)
  })

  test('is in its owner’s export, and gone from the bucket with their account', async () => {
    const app = await withBucket()
    const [ada, bob] = [await app.person(), await app.person()]
    await ada.put('me', { photo: (await uploaded(ada)).id })
    for (let i = 0; i < 20; i++) await uploaded(ada)
    await uploaded(bob)
    const { images } = (await ada.get('me/export')).body
    expect(images).toHaveLength(21)
    expect((await fetch(await target(app, images[0].url))).status).toBe(200)
    expect((await ada.delete('me', { password })).status).toBe(204)
    expect(app.objects()).toHaveLength(2)
    expect((await app.request('GET', images[0].url)).status).toBe(404)
  })
})

describe('the sweep of a bucket', () => {
  test('takes what has no row after an hour, and leaves the rest, and what is not ours', async () => {
    const app = await withBucket()
    app.clock.now = Date.now()
    const ada = await app.person()
    await ada.put('me', { photo: (await uploaded(ada)).id })
    const unused = app.objects()
    await uploaded(ada)
    const foreign = new Bun.S3Client({ ...readS3Url(s3.url(), noKeys) })
    for (const key of ['notes.txt', `zz/zz/${name}`, name]) await foreign.write(`${app.prefix}/${key}`, 'x')
    for (let i = 0; i < 7; i++) await foreign.write(`${app.prefix}/ab/c${i}/abc${i}${crypto.randomUUID()}.webp`, 'x')
    expect(await app.services.media.sweep()).toEqual({ images: 0, files: 0 })

    app.clock.now += days + minutes
    expect(await app.services.media.sweep()).toEqual({ images: 1, files: 7 })
    expect(app.objects()).toEqual(
      [...unused, ...['notes.txt', `zz/zz/${name}`, name].map((key) => `${app.prefix}/${key}`)].sort(),
    )
  })

  test('lists the bucket once a day, or where something may have been left', async () => {
    const app = await withBucket()
    app.clock.now = Date.now()
    const lists = () => s3.requests.filter((line) => line.includes('list-type') && line.includes(app.prefix)).length
    await app.services.media.sweep()
    const once = lists()
    expect(once).toBeGreaterThan(0)
    for (let hour = 1; hour < 24; hour++) {
      app.clock.now += hours
      await app.services.media.sweep()
    }
    expect(lists()).toBe(once)
    app.clock.now += hours
    await app.services.media.sweep()
    expect(lists()).toBe(2 * once)

    const ada = await app.person()
    const { id } = await uploaded(ada)
    await ada.put('me', { photo: id })
    s3.fail(refusing(500, 'InternalError'))
    await ada.put('me', { photo: null })
    s3.fail(null)
    expect(app.objects()).toHaveLength(2)
    app.clock.now += 2 * hours
    expect(await app.services.media.sweep()).toEqual({ images: 0, files: 2 })
    expect(app.objects()).toEqual([])
  })
})

describe('the sweep of a bucket by several nodes', () => {
  test('lists it once a day for all, and what a node could not remove by that node', async () => {
    const one = await withBucket()
    one.clock.now = Date.now()
    const two = await testApp({ MEDIA_URL: s3.url(one.prefix) }, { beside: one })
    const run = async ({ services }: Pick<typeof one, 'services'>, name: string) =>
      jobs(services)
        .find((job) => job.name === name)!
        .run()
    const lists = () => s3.requests.filter((line) => line.includes('list-type') && line.includes(one.prefix)).length
    for (let hour = 0; hour < 3; hour++) {
      for (const node of [one, two]) await run(node, 'media-sweep')
      expect(lists()).toBe(1)
      one.clock.now += hours
    }
    one.clock.now += days
    for (const node of [two, one]) await run(node, 'media-sweep')
    expect(lists()).toBe(2)

    const ada = await one.person()
    await ada.put('me', { photo: (await uploaded(ada)).id })
    s3.fail(refusing(500, 'InternalError'))
    await ada.put('me', { photo: null })
    s3.fail(null)
    one.clock.now += 2 * hours
    expect(await run(two, 'media-leftovers')).toBe(0)
    expect(await run(one, 'media-leftovers')).toBe(2)
    expect(one.objects()).toEqual([])
  })

  test('removes nothing where another community has marked the photos as its own', async () => {
    const app = await withBucket()
    app.clock.now = Date.now()
    const place = readS3Url(s3.url(app.prefix), noKeys)
    const file = `ab/cd/abcd${crypto.randomUUID()}.webp`
    await new Bun.S3Client({ ...place }).write(`${app.prefix}/${file}`, 'of the other one')
    const files = openS3Files(place, { now: Date.now, onAnswer: () => {} })
    await files.remote!.mark('the other one')
    app.clock.now += 2 * days
    await expect(app.services.media.sweep()).rejects.toThrow('marked as another community’s')
    expect(app.objects()).toEqual([`${app.prefix}/${file}`])
    expect(await files.remote!.owner()).toBe('the other one')
    await app.services.community.adopt('photos')
    expect(await app.services.media.sweep()).toEqual({ images: 0, files: 1 })
  })
})

describe('a store that does not do as asked', () => {
  const refused = ({ status, body, headers }: Awaited<ReturnType<typeof upload>>) => [
    status,
    body?.code,
    headers.get('retry-after'),
  ]

  test('that is gone refuses uploads with 503 and is named by /ready; all else goes on, and it comes back', async () => {
    const app = await withBucket()
    const ada = await app.person()
    const before = await uploaded(ada)
    const ready = async () => {
      app.clock.now += 10 * seconds
      const { status, body } = await app.request('GET', '/ready')
      return [status, body.checks.media]
    }
    expect(await ready()).toEqual([200, 'ok'])
    await s3.stop()
    try {
      expect(refused(await upload(ada))).toEqual([503, 'busy', '5'])
      expect(await rowsOf(app)).toBe(1)
      expect(await ready()).toEqual([200, 'away'])
      expect((await app.request('GET', '/health')).status).toBe(200)
      expect((await ada.get('me')).status).toBe(200)
      expect((await app.request('GET', before.url)).status).toBe(302)
    } finally {
      await s3.start()
    }
    expect(await ready()).toEqual([200, 'ok'])
    expect((await upload(ada)).status).toBe(201)
    expect((await fetch(await target(app, before.url))).status).toBe(200)
  })

  test('that lacks images which the database knows is named by /ready, and the server stays ready', async () => {
    const app = await withBucket()
    const ada = await app.person()
    for (let i = 0; i < 12; i++) await uploaded(ada)
    const { photos, files, storage } = app.services
    await photos.look()
    // Each look is a request, so a few have to do.
    expect(photos.last()).toEqual({ looked: 10, missing: 0 })
    await files.remove(await storage.media.filesAfter('', 20))
    await photos.look()
    expect(photos.last()).toEqual({ looked: 10, missing: 10 })
    const { status, body } = await app.request('GET', '/ready')
    expect([status, body.checks]).toMatchObject([200, { media: 'ok', photos: 'failed' }])
    // One that does not answer tells nothing of what it has.
    s3.failWhere(new RegExp(`^HEAD .*${app.prefix}`), refusing(503, 'SlowDown'))
    try {
      await photos.look()
      expect(photos.last()).toEqual({ looked: 10, missing: 10 })
    } finally {
      s3.fail(null)
    }
  })

  test('is asked for /ready once in ten seconds at most, however often that is asked', async () => {
    const app = await withBucket()
    const asked = () => s3.requests.filter((line) => line.includes(`${app.prefix}/convene-check`)).length
    await Promise.all(Array.from({ length: 20 }, () => app.request('GET', '/ready')))
    app.clock.now += 9 * seconds
    await app.request('GET', '/ready')
    expect(asked()).toBe(1)
    app.clock.now += seconds
    await app.request('GET', '/ready')
    expect(asked()).toBe(2)
  })

  test.each([
    [403, 'AccessDenied', 'busy'],
    [404, 'NoSuchBucket', 'busy'],
    [404, 'NoSuchKey', 'busy'],
    [307, 'TemporaryRedirect', 'busy'],
    [503, 'SlowDown', 'busy'],
    [507, 'XMinioStorageFull', 'storage_full'],
    [403, 'QuotaExceeded', 'storage_full'],
  ])('answers %i %s: an upload gets 503, and nothing is stored', async (status, said, code) => {
    const app = await withBucket()
    const ada = await app.person()
    s3.fail(refusing(status, said))
    try {
      expect((await upload(ada)).body).toMatchObject({ status: 503, code })
    } finally {
      s3.fail(null)
    }
    expect([await rowsOf(app), app.objects()]).toEqual([0, []])
  })

  test('that fails to take an image keeps nobody waiting for its removal: the sweep takes what stayed', async () => {
    const app = await withBucket()
    app.clock.now = Date.now()
    await app.services.media.sweep()
    const ada = await app.person()
    s3.requests.length = 0
    s3.failWhere(/^PUT .*\.320\.webp/, refusing(403, 'AccessDenied'))
    try {
      expect(refused(await upload(ada))).toEqual([503, 'busy', '5'])
    } finally {
      s3.fail(null)
    }
    expect(s3.requests.map((line) => line.split(' ')[0])).toEqual(['PUT', 'PUT'])
    expect([await rowsOf(app), app.objects().length]).toEqual([0, 1])
    app.clock.now += 2 * hours
    expect(await app.services.media.sweep()).toEqual({ images: 0, files: 1 })
    expect(app.objects()).toEqual([])
  })

  test('that is busy for a moment is asked again', async () => {
    const app = await withBucket()
    const ada = await app.person()
    s3.fail((request, response) => {
      s3.fail(null)
      refusing(503, 'SlowDown')(request, response)
    })
    expect((await upload(ada)).status).toBe(201)
    expect(app.objects()).toHaveLength(2)
  })

  test('that never answers is waited for as long as was said, and then let go', async () => {
    const failed: string[] = []
    const files = openS3Files(readS3Url(s3.url('slow'), noKeys), {
      now: Date.now,
      onAnswer: (operation, _, error) => void failed.push(`${operation}: ${error?.code}`),
      patienceMs: 200,
    })
    const left: Promise<unknown>[] = []
    s3.fail((request: IncomingMessage, response: ServerResponse) => {
      request.resume()
      left.push(new Promise((resolve) => response.on('close', resolve)))
    })
    try {
      await expect(files.put(name, pixel)).rejects.toMatchObject({ code: 'busy' })
      await expect(files.get(name)).rejects.toMatchObject({ code: 'busy' })
      expect(await files.remove([name])).toBe(0)
      await expect(Array.fromAsync(files.list())).rejects.toThrow('did not answer in time')
      expect(failed).toEqual(['put: Timeout', 'get: Timeout', 'delete: Timeout'])
      expect(files.remote!.leftovers()).toBe(true)
      // Bun's own client keeps the list's connection for some minutes; the others are closed.
      expect(left).toHaveLength(4)
      await Promise.all(left.slice(0, 3))
    } finally {
      s3.fail(null)
    }
    await files.put(name, pixel)
    expect((await files.get(name))!.size).toBe(pixel.length)
  })

  test('is asked to take 64 images at once at most, as each is held in memory; more are refused at once', async () => {
    const files = openS3Files(readS3Url(s3.url('slow'), noKeys), { now: Date.now, onAnswer() {}, patienceMs: 300 })
    const names = Array.from({ length: 65 }, () => `${crypto.randomUUID()}.webp`)
    s3.requests.length = 0
    s3.fail((request) => void request.resume())
    try {
      const outcomes = names.map((file) => files.put(file, pixel).catch((error) => error.code))
      expect(await Promise.race(outcomes)).toBe('busy')
      expect(await Promise.all(outcomes)).toEqual(Array(65).fill('busy'))
    } finally {
      s3.fail(null)
    }
    expect(s3.requests).toHaveLength(64)
    await files.put(name, pixel)
  })

  test('keeps nobody from deleting a message, changing a photo or leaving; the sweep takes what stayed', async () => {
    const app = await withBucket()
    app.clock.now = Date.now()
    const [ada, bob] = [await app.person(), await app.person()]
    const chat = (await ada.post('chats', { user_id: bob.id })).body.id
    await ada.put('me', { photo: (await uploaded(ada)).id })
    const sent = await uploaded(ada)
    const message = (await ada.post(`chats/${chat}/messages`, { kind: 'photo', photo: sent.id })).body
    await bob.put('me', { photo: (await uploaded(bob)).id })
    await app.services.media.sweep()
    const phone = connect(await app.listen(), bob.token)
    await phone.until(ofType('hello'))

    s3.fail(refusing(503, 'ServiceUnavailable'))
    try {
      expect((await ada.delete(`messages/${message.id}`)).status).toBe(204)
      await phone.until(ofType('message_deleted'))
      expect((await ada.put('me', { photo: null })).status).toBe(200)
      expect((await bob.delete('me', { password })).status).toBe(204)
    } finally {
      s3.fail(null)
    }
    phone.socket.close()
    expect((await app.request('GET', message.photo.url)).status).toBe(404)
    expect(app.objects()).toHaveLength(6)
    app.clock.now += hours + minutes
    expect(await app.services.media.sweep()).toEqual({ images: 0, files: 6 })
    expect(app.objects()).toEqual([])
  })
})

test('without MEDIA_URL nothing of it shows', async () => {
  const app = await testApp()
  const asked = s3.requests.length
  const { url } = await uploaded(await app.person())
  expect((await app.request('GET', url)).status).toBe(200)
  expect((await app.request('GET', '/ready')).body.checks).not.toHaveProperty('media')
  expect(readdirSync(join(app.dataDir, 'media'))).toHaveLength(1)
  expect(s3.requests).toHaveLength(asked)
})
