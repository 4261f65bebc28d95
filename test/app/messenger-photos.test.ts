import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sign } from '@tma.js/init-data-node'
import { openOutbound } from '../../src/lib/outbound.ts'
import { days } from '../../src/lib/time.ts'
import { start, type TestApp, testApp } from '../app.ts'
import { certificateFor, serveTls } from '../tls-server.ts'

const botToken = '5768337691:AAH5YkoiEuPk8-FZa32hStHTqXiLPtAEhx8'
const tls = certificateFor(['photos.example', 'cdn.photos.example', 'other.example'])
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const photo = await new Bun.Image(pixel).resize(640, 480, { fit: 'fill' }).jpeg().bytes()

let server: Awaited<ReturnType<typeof serveTls>>
let asked: string[] = []
/** The next request waits for this. */
let hold: Promise<void> | null = null
beforeEach(() => {
  asked = []
  hold = null
})

async function answer({ url = '', headers }: IncomingMessage, response: ServerResponse) {
  asked.push(url)
  await hold
  const image = { 'content-type': 'image/jpeg' }
  if (url === '/ada.jpg') return response.writeHead(200, image).end(photo)
  if (url === '/elsewhere') return response.writeHead(302, { location: `https://other.example:${server.port}/` }).end()
  if (url === '/cdn') return response.writeHead(302, { location: `https://cdn.${headers.host}/ada.jpg` }).end()
  if (url === '/private') return response.writeHead(302, { location: 'https://169.254.169.254/ada.jpg' }).end()
  if (url === '/ada.svg') return response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg/>')
  if (url === '/html') return response.writeHead(200, { 'content-type': 'text/html' }).end(photo)
  if (url === '/disguised') return response.writeHead(200, image).end('<html>')
  if (url === '/large') return response.writeHead(200, image).end(Buffer.concat([photo, Buffer.alloc(5 * 1024 * 1024)]))
  response.writeHead(404, image).end(photo)
}

beforeAll(async () => {
  server = await serveTls(tls, (request, response) => void answer(request, response).catch(() => {}))
})
afterAll(() => server.stop())

const at = (path: string, host = 'photos.example') => `https://${host}:${server.port}${path}`

/** An app that resolves all names to the server of this test. */
async function open(allow = [`127.0.0.1:${server.port}`], environment: Record<string, string> = {}) {
  const outbound = openOutbound({ allow, resolve: async () => ['127.0.0.1'], ca: tls.cert })
  const photos = { MESSENGER_BOT_TOKEN: botToken, MESSENGER_PHOTO_HOSTS: 'photos.example' }
  return testApp({ ...photos, ...environment }, { outbound })
}

/** Logs in with that photo, and waits until fetching it has succeeded or failed. */
async function logIn(app: TestApp, photo_url: string | undefined, { id = 42, wait = true } = {}) {
  const init_data = sign(
    { user: { id, first_name: 'Ada', photo_url }, query_id: 'A' } as never,
    botToken,
    new Date(start),
  )
  const { status, body } = await app.request('POST', 'auth/messenger', { body: { init_data } })
  expect(status).toBeLessThan(300)
  if (wait) await settled(app)
  return { ...app.as(body.access_token), user: body.user }
}
const settled = ({ nodes }: TestApp) => Promise.all(nodes.map(({ services }) => services.messengerPhotos.settled()))
const photoIn = ({ rows }: TestApp) => rows('SELECT photo FROM users').then(([row]) => row!.photo as string | null)
const images = ({ rows }: TestApp) => rows('SELECT id FROM media').then((found) => found.length)

test('the server fetches a messenger’s photo, and serves it like an upload', async () => {
  const app = await open()
  const ada = await logIn(app, at('/ada.jpg'))
  // The login did not wait for it.
  expect(ada.user).toMatchObject({ photo: null, photo_thumb: null })
  const { body, text } = await ada.get('me')
  expect(text).not.toContain('example')
  const [image, thumb] = await Promise.all(
    [body.photo, body.photo_thumb].map((url) =>
      app.app.handle(new Request(new URL(url, 'http://localhost:3000').href)),
    ),
  )
  expect(await new Bun.Image(await image!.bytes()).metadata()).toMatchObject({
    format: 'webp',
    width: 640,
    height: 480,
  })
  expect(await new Bun.Image(await thumb!.bytes()).metadata()).toMatchObject({
    format: 'webp',
    width: 320,
    height: 240,
  })
  expect(asked).toEqual(['/ada.jpg'])
  // It is not fetched again.
  await logIn(app, at('/ada.jpg'))
  expect([asked.length, await images(app)]).toEqual([1, 1])
  expect(app.logged()).not.toContain('ada.jpg')
})

test('until it is fetched, nobody sees its URL but its owner in the export', async () => {
  const app = await open()
  const ada = await logIn(app, at('/missing'))
  expect((await ada.get('me')).text).not.toContain('/missing')
  const { body } = await ada.get('me/export')
  expect([body.account.photo, body.messenger_photo_url]).toEqual([null, at('/missing')])
  await logIn(app, at('/ada.jpg'))
  expect((await ada.get('me/export')).body).toMatchObject({
    account: { photo: expect.any(String) },
    messenger_photo_url: null,
  })
})

test('the operator’s systems are told of the photo once the profile shows it', async () => {
  const app = await open(undefined, {
    WEBHOOK_URL: 'https://operator.example/hook',
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
  })
  const waiting = async () => (await app.services.storage.outbox.list('webhook', 9)).map(({ payload }) => payload)
  const { user } = await logIn(app, at('/missing'))
  expect(await waiting()).toMatchObject([{ about: 'user.created' }])
  await logIn(app, at('/ada.jpg'))
  expect(await waiting()).toMatchObject([
    { about: 'user.created' },
    { about: 'user.updated', data: { user_id: user.id, fields: ['photo'] } },
  ])
})

test('a redirect between the messenger’s own hosts is followed', async () => {
  const app = await open()
  const ada = await logIn(app, at('/cdn'))
  expect((await ada.get('me')).body.photo).toStartWith('/api/v1/media/')
  expect(asked).toEqual(['/cdn', '/ada.jpg'])
})

test('a login succeeds without a photo if it cannot be fetched', async () => {
  const app = await open()
  const failing = [
    at('/missing'),
    at('/elsewhere'),
    at('/private'),
    at('/ada.svg'),
    at('/html'),
    at('/disguised'),
    at('/large'),
    at('/ada.jpg', 'other.example'),
    at('/ada.jpg', 'evilphotos.example'),
    `https://127.0.0.1:${server.port}/ada.jpg`,
    'https://[::1]/ada.jpg',
    'http://photos.example/ada.jpg',
    'nonsense',
  ]
  for (const [i, url] of failing.entries()) {
    const ada = await logIn(app, url, { id: 100 + i })
    expect([url, (await ada.get('me')).body.photo]).toEqual([url, null])
  }
  expect(await images(app)).toBe(0)
  expect(asked).not.toContain('/')
  expect(app.logged()).not.toContain('"level":50')
})

test('a private address is never contacted', async () => {
  const app = await open([])
  const ada = await logIn(app, at('/ada.jpg'))
  expect((await ada.get('me')).body.photo).toBeNull()
  expect(asked).toEqual([])
})

test('a photo that failed, or that an earlier release has stored as a URL, is fetched at the next login', async () => {
  const app = await open()
  await logIn(app, at('/missing'))
  expect(await photoIn(app)).toBe(at('/missing'))
  const ada = await logIn(app, at('/ada.jpg'))
  expect((await ada.get('me')).body.photo).toStartWith('/api/v1/media/')
})

test('a user who has chosen another photo, or none, keeps that choice', async () => {
  const app = await open()
  const released = Promise.withResolvers<void>()
  hold = released.promise
  const ada = await logIn(app, at('/ada.jpg'), { wait: false })
  const body = new FormData()
  body.append('file', new Blob([pixel]), 'a.gif')
  const own = (await ada.post('media', body)).body.id
  await ada.put('me', { photo: own })
  released.resolve()
  await settled(app)
  expect([await photoIn(app), await images(app)]).toEqual([own, 1])

  await ada.put('me', { photo: null })
  await logIn(app, at('/ada.jpg'))
  expect([await photoIn(app), await images(app)]).toEqual([null, 0])
  expect(asked).toEqual(['/ada.jpg'])
})

test('many concurrent logins fetch it once on each node, and keep one', async () => {
  const app = await open()
  await logIn(app, undefined)
  await app.rows('UPDATE users SET photo = ?', at('/ada.jpg'))
  await Promise.all(Array.from({ length: 5 }, () => logIn(app, at('/ada.jpg'), { wait: false })))
  await settled(app)
  expect(asked.length).toBeLessThanOrEqual(app.nodes.length)
  expect(await images(app)).toBe(1)
})

test('a user who is erased meanwhile gets no photo, and nothing of it is left', async () => {
  const app = await open()
  const released = Promise.withResolvers<void>()
  hold = released.promise
  const ada = await logIn(app, at('/ada.jpg'), { wait: false })
  await app.services.erasures.begin(ada.user.id, null).then((erasure) => app.services.erasures.finish(erasure!))
  released.resolve()
  await settled(app)
  expect([await photoIn(app), await images(app)]).toEqual([null, 0])
})

test('no photo of a suspended user is fetched', async () => {
  const app = await open()
  const ada = await logIn(app, undefined)
  await app.rows('UPDATE users SET photo = ?, suspended_until = ?', at('/ada.jpg'), start + days)
  const init_data = sign(
    { user: { id: 42, first_name: 'Ada', photo_url: at('/ada.jpg') }, query_id: 'A' } as never,
    botToken,
    new Date(start),
  )
  expect((await app.request('POST', 'auth/messenger', { body: { init_data } })).status).toBe(403)
  await settled(app)
  expect(asked).toEqual([])
  expect(ada.user.photo).toBeNull()
})
