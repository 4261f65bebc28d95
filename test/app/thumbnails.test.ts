import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { thumbOf } from '../../src/features/media/files.ts'
import { jobs } from '../../src/jobs.ts'
import { days, hours } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { granted } from '../rows.ts'

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const picture = (width: number, height: number) =>
  new Bun.Image(pixel).resize(width, height, { fit: 'fill' }).png().bytes()

async function uploaded(person: Person, width = 1200, height = 900) {
  const body = new FormData()
  body.append('file', new Blob([await picture(width, height)]), 'a.png')
  const answer = await person.post('media', body)
  expect(answer.status).toBe(201)
  return answer.body as { id: string; url: string; thumb_url: string; width: number; height: number }
}

const get = ({ app }: TestApp, url: string, headers = {}) =>
  app.handle(new Request(new URL(url, 'http://localhost:3000').href, { headers }))

/** Width and height of the image at a URL, or the status if there is none. */
async function sizeOf(server: TestApp, url: string) {
  const answer = await get(server, url)
  if (answer.status !== 200) return answer.status
  const { width, height } = await new Bun.Image(await answer.bytes()).metadata()
  return [width, height]
}

const files = ({ dataDir }: TestApp) =>
  (readdirSync(join(dataDir, 'media'), { recursive: true }) as string[]).filter((name) => name.includes('.webp')).sort()

const pathOf = async ({ dataDir, rows }: TestApp, id: string) => {
  const [row] = await rows('SELECT file FROM media WHERE id = ?', id)
  const name = row!.file as string
  return join(dataDir, 'media', name.slice(0, 2), name.slice(2, 4), name)
}

const makeThumbs = ({ services }: TestApp) =>
  jobs(services)
    .find(({ name }) => name === 'media-thumbnails')!
    .run()

/** The state that an earlier release has left. */
async function withoutThumbs(server: TestApp, ...ids: string[]) {
  for (const id of ids) {
    unlinkSync(thumbOf(await pathOf(server, id)))
    await server.rows('UPDATE media SET thumb_bytes = NULL WHERE id = ?', id)
  }
}

describe('a thumbnail', () => {
  test('is made for each upload, with a longest side of 320, never enlarged', async () => {
    const server = await testApp()
    const ada = await server.person()
    const image = await uploaded(ada)
    expect(await sizeOf(server, image.url)).toEqual([1200, 900])
    expect(await sizeOf(server, image.thumb_url)).toEqual([320, 240])
    const high = await uploaded(ada, 10, 640)
    expect(await sizeOf(server, high.thumb_url)).toEqual([5, 320])
    const small = await uploaded(ada, 64, 32)
    expect(await sizeOf(server, small.thumb_url)).toEqual([64, 32])
    expect(files(server)).toHaveLength(6)
  })

  test('is a separate image for caches, with a signed URL', async () => {
    const server = await testApp()
    const image = await uploaded(await server.person())
    const thumb = await get(server, image.thumb_url)
    expect(thumb.headers.get('etag')).toBe(`"${image.id}-320"`)
    expect(thumb.headers.get('cache-control')).toContain('immutable')
    expect((await get(server, image.thumb_url, { 'if-none-match': `"${image.id}-320"` })).status).toBe(304)
    expect((await get(server, image.thumb_url, { 'if-none-match': `"${image.id}"` })).status).toBe(200)
    expect((await get(server, image.url)).headers.get('etag')).toBe(`"${image.id}"`)
    expect(
      (
        await get(
          server,
          image.thumb_url.replace(/sig=(.)/, (_, first) => `sig=${first === 'A' ? 'B' : 'A'}`),
        )
      ).status,
    ).toBe(404)
    expect((await get(server, image.thumb_url.replace('for=upload', 'for=profile'))).status).toBe(404)
    for (const size of ['', '1', '2048', '320x'])
      expect(await sizeOf(server, image.thumb_url.replace('size=320', `size=${size}`))).toEqual([1200, 900])
    server.clock.now += 2 * days
    expect((await get(server, image.thumb_url)).status).toBe(404)
  })

  test('that is missing on disk is served as the image itself', async () => {
    const server = await testApp()
    const image = await uploaded(await server.person())
    unlinkSync(thumbOf(await pathOf(server, image.id)))
    expect(await sizeOf(server, image.thumb_url)).toEqual([1200, 900])
  })

  test('is beside every photo in an answer, and is removed with it', async () => {
    const server = await testApp()
    const [ada, bob] = [await server.person('Ada'), await server.person('Bob')]
    const image = await uploaded(ada)
    const me = (await ada.put('me', { photo: image.id })).body
    const seen = (await bob.get(`users/${ada.id}`)).body
    const chat = (await bob.post('chats', { user_id: ada.id })).body
    for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.52, longitude: 13.405 })
    const near = (await bob.get('search/nearby?lat=52.52&lng=13.405&radius=5000')).body.items
    const ofAda = near.map((item: any) => item.user ?? item).find(({ id }: { id: string }) => id === ada.id)
    for (const shown of [me, seen, chat.user, ofAda]) {
      expect(shown.photo_thumb).toBe(`${shown.photo}&size=320`)
      expect(await sizeOf(server, shown.photo_thumb)).toEqual([320, 240])
    }
    // Sent back unchanged, it is still that image.
    expect((await ada.put('me', { photo: me.photo_thumb })).body.photo).toBe(me.photo)
    await ada.put('me', { photo: null })
    for (const url of [me.photo, me.photo_thumb]) expect(await sizeOf(server, url)).toBe(404)
    expect((await bob.get(`users/${ada.id}`)).body).toMatchObject({ photo: null, photo_thumb: null })
    expect(files(server)).toEqual([])
  })

  test('of a chat’s photo is for its message, and of evidence for moderators', async () => {
    const server = await testApp()
    const [ada, bob, mo] = [await server.person(), await server.person(), await server.person()]
    await server.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, server.clock.now))
    server.forget(mo.id)
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    const image = await uploaded(ada)
    const sent = (await ada.post(`chats/${chat.id}/messages`, { kind: 'photo', photo: image.id })).body
    const [listed] = (await bob.get(`chats/${chat.id}/messages`)).body.items
    const synced = (await bob.get('sync?since=0')).body.items.find(
      ({ type }: { type: string }) => type === 'message',
    ).data
    for (const { photo } of [sent, listed, synced]) {
      expect(photo.thumb_url).toBe(`${photo.url}&size=320`)
      expect(await sizeOf(server, photo.thumb_url)).toEqual([320, 240])
    }
    const report = (await bob.post('reports', { message_id: sent.id, reason: 'nudity' })).body
    await ada.delete(`messages/${sent.id}`)
    expect(await sizeOf(server, sent.photo.thumb_url)).toBe(404)
    const { evidence } = (await mo.get(`admin/reports/${report.id}`)).body
    expect(await sizeOf(server, evidence.message.photo.thumb_url)).toEqual([320, 240])
    // Its owner must not find out that it is kept.
    expect(await sizeOf(server, image.thumb_url)).toBe(404)
  })

  test('is removed with the account, and is in its export before', async () => {
    const server = await testApp()
    const ada = await server.person()
    const image = await uploaded(ada)
    await ada.put('me', { photo: image.id })
    const [exported] = (await ada.get('me/export')).body.images
    expect(await sizeOf(server, exported.thumb_url)).toEqual([320, 240])
    expect((await ada.delete('me', { password })).status).toBe(204)
    expect(files(server)).toEqual([])
    expect(await sizeOf(server, exported.thumb_url)).toBe(404)
  })

  oneNodeTest('the sweep looks at the files of its own disk')(
    'without an image is swept, and one with it stays',
    async () => {
      const server = await testApp()
      server.clock.now = Date.now()
      const ada = await server.person()
      const { id } = await uploaded(ada)
      await ada.put('me', { photo: id })
      const path = await pathOf(server, id)
      const stray = join(path, '..', `${path.split('/').at(-1)!.slice(0, 4)}0000-0000-4000-8000-000000000000.320.webp`)
      const unfinished = `${thumbOf(path)}.${crypto.randomUUID()}.part`
      for (const name of [stray, unfinished]) writeFileSync(name, 'x')
      const old = (server.clock.now - 2 * hours) / 1000
      for (const name of [stray, unfinished, path, thumbOf(path)]) utimesSync(name, old, old)
      expect(await server.services.media.sweep()).toEqual({ images: 0, files: 2 })
      expect([stray, unfinished, path, thumbOf(path)].map((name) => existsSync(name))).toEqual([
        false,
        false,
        true,
        true,
      ])
      await ada.put('me', { photo: null })
      expect(files(server)).toEqual([])
    },
  )
})

describe('images of an earlier release', () => {
  test('are shown themselves until a job has made their thumbnails', async () => {
    const server = await testApp()
    const ada = await server.person()
    const image = await uploaded(ada)
    await withoutThumbs(server, image.id)
    const before = await get(server, image.thumb_url)
    expect([before.status, before.headers.get('etag')]).toEqual([200, `"${image.id}"`])
    // With a short expiry, so that the thumbnail soon replaces it.
    expect(before.headers.get('cache-control')).toContain('max-age=60,')
    expect(await makeThumbs(server)).toBe(1)
    expect(await sizeOf(server, image.thumb_url)).toEqual([320, 240])
    expect(files(server)).toHaveLength(2)
    expect(await makeThumbs(server)).toBe(0)
  })

  test('get their thumbnails in parts, and an interrupted job continues', async () => {
    const server = await testApp()
    const ada = await server.person()
    const [one, two, three] = [await uploaded(ada), await uploaded(ada), await uploaded(ada)]
    await withoutThumbs(server, one.id, two.id, three.id)
    // The state after a crash between file and row.
    writeFileSync(thumbOf(await pathOf(server, two.id)), 'half')
    const many = Array.from({ length: 250 }, () => [Bun.randomUUIDv7(), ada.id, `${crypto.randomUUID()}.webp`])
    await server.rows(
      `INSERT INTO media (id, owner_id, file, width, height, placeholder, bytes, created_at) VALUES ${many.map(() => "(?, ?, ?, 1, 1, '', 1, 1)").join()}`,
      ...(many.flat() as string[]),
    )
    const rounds = []
    for (let made = -1; made !== 0;) rounds.push((made = await makeThumbs(server)))
    expect(rounds).toEqual([200, 53, 0])
    for (const { thumb_url } of [one, two, three]) expect(await sizeOf(server, thumb_url)).toEqual([320, 240])
  })

  test('that are damaged or missing are recorded as such, and not read again', async () => {
    const server = await testApp()
    const ada = await server.person()
    const [damaged, gone] = [await uploaded(ada), await uploaded(ada)]
    await withoutThumbs(server, damaged.id, gone.id)
    writeFileSync(await pathOf(server, damaged.id), 'no image')
    unlinkSync(await pathOf(server, gone.id))
    expect(await makeThumbs(server)).toBe(2)
    expect(await makeThumbs(server)).toBe(0)
    expect(await server.rows('SELECT thumb_bytes FROM media')).toEqual([{ thumb_bytes: 0 }, { thumb_bytes: 0 }])
    expect((await get(server, gone.thumb_url)).status).toBe(404)
    expect(await (await get(server, damaged.thumb_url)).text()).toBe('no image')
  })

  test('that are removed meanwhile leave no thumbnail', async () => {
    const server = await testApp()
    const ada = await server.person()
    const image = await uploaded(ada)
    await withoutThumbs(server, image.id)
    const { files: store, storage } = server.services
    const put = store.put
    store.put = async (name, bytes) => {
      await put(name, bytes)
      await storage.media.removeUnused([image.id])
    }
    await makeThumbs(server)
    store.put = put
    expect(files(server).filter((name) => name.endsWith('.320.webp'))).toEqual([])
  })
})
