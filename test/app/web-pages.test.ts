import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Elysia } from 'elysia'
import pino from 'pino'
import { errors } from '../../src/http/errors.ts'
import { openWebFiles } from '../../src/http/web-files.ts'
import { notFoundPage, webPages } from '../../src/http/web-pages.ts'
import { readS3Url } from '../../src/s3/place.ts'

const files = await openWebFiles()
if (files === null) throw new Error('the web pages have not been built: run `bun run build:web`')

const given = {
  webApp: true,
  console: true,
  frameAncestors: [],
  mapStyleUrl: null,
  media: null,
  brand: null,
  messengerApp: null,
  messengerBotToken: null,
}
const pages = (changed: Partial<Parameters<typeof webPages>[0]> = {}) => {
  const room = { refused() {} }
  const storage = { failed() {} }
  const config = { ...given, ...changed }
  const log = pino({ level: 'silent' })
  const app = new Elysia()
    .use(errors({ log, storage, room, allowedMethods: () => [], notFoundPage: notFoundPage(config, files) }))
    .use(webPages(config, files))
  return (path: string, headers: Record<string, string> = {}) =>
    app.handle(new Request(`http://localhost${path}`, { headers: { accept: 'text/html', ...headers } }))
}

test('the root serves the app to browsers, and a description of the server to programs', async () => {
  const get = pages()
  const page = await get('/')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await page.text()).toContain('<div id="root">')
  expect(await (await get('/', { accept: '*/*' })).json()).toMatchObject({ name: 'Convene', openapi: '/openapi/json' })
})

test('a face that is off has no page, and then the root leads to the documentation', async () => {
  const off = pages({ webApp: false, console: false })
  expect(await (await off('/')).text()).toContain('/openapi')
  for (const path of ['/chats', '/console', '/console/queue', '/service-worker.js', '/app.json'])
    expect((await off(path)).status).toBe(404)
})

test('an address that does not exist shows browsers a page with the status 404, and tells programs a problem', async () => {
  const get = pages()
  for (const path of ['/nope', '/legal/terms', '/chats/1/2']) {
    const page = await get(path, { 'if-none-match': '*' })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await page.text()).toContain('<div id="root">')
    expect(await (await get(path, { accept: '*/*' })).json()).toMatchObject({ code: 'not_found' })
  }
  for (const path of ['/api/v1/nope', '/assets/nope.js', '/.well-known/nope'])
    expect(await (await get(path)).json()).toMatchObject({ code: 'not_found' })
  expect(await (await pages({ webApp: false })('/nope')).json()).toMatchObject({ code: 'not_found' })
})

test('every file that a page names is served, compressed as the client accepts, and can be cached for ever', async () => {
  const get = pages()
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }
  for (const path of ['/', '/chats', '/console']) {
    const named = [...(await (await get(path)).text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
      ([, name]) => name!,
    )
    expect(named.length).toBeGreaterThan(1)
    for (const name of named) {
      const plain = await get(name)
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(plain.headers.get('content-encoding')).toBeNull()
      const text = await plain.text()
      for (const [encoding, decode] of Object.entries(decoders)) {
        const answer = await get(name, { 'accept-encoding': `identity;q=0.5, ${encoding}` })
        const body = new Uint8Array(await answer.arrayBuffer())
        expect(answer.headers.get('vary')).toBe('accept-encoding')
        if (answer.headers.get('content-encoding') === encoding) expect(decode(body).toString()).toBe(text)
        else expect(new TextDecoder().decode(body)).toBe(text)
        const again = await get(name, { 'accept-encoding': encoding, 'if-none-match': answer.headers.get('etag')! })
        expect([again.status, (await again.bytes()).length]).toEqual([304, 0])
      }
      expect((await get(name, { 'accept-encoding': 'br;q=0, *;q=0' })).headers.get('content-encoding')).toBeNull()
    }
  }
  expect((await get('/assets/..%2Fdigest')).status).toBe(404)
})

test('a file that there is not is answered with a problem', async () => {
  for (const path of ['/assets/nope.js', '/brand/logo']) {
    const answer = await pages()(path)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({ status: 404, code: 'not_found' })
  }
})

test('a page runs only scripts of this server, and no other page may frame it unless the operator allows it', async () => {
  const policyOf = async (changed = {}) => (await pages(changed)('/')).headers.get('content-security-policy') ?? ''
  const policy = await policyOf()
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toContain('unsafe')
  expect(await policyOf({ frameAncestors: ['https://web.telegram.org'] })).toContain(
    'frame-ancestors https://web.telegram.org',
  )
  const mapStyleUrl = new URL('https://tiles.example.org/style.json?key=secret')
  expect(await policyOf({ mapStyleUrl })).toContain("connect-src 'self' https://tiles.example.org;")
})

test('the app and the console show photos that the server keeps in a bucket', async () => {
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret' }
  const place = 's3://photos/convene?endpoint=http://minio:9000/&public_endpoint=https://photos.example.org/s3'
  const get = pages({ media: readS3Url(place, keys) })
  for (const path of ['/', '/console']) {
    const policy = (await get(path)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("img-src 'self' blob: data: https://photos.example.org;")
    expect(policy).not.toMatch(/minio|secret|script-src[^;]*photos/)
  }
})

test('the console is one page at all its paths, which no page may frame and no search engine may list', async () => {
  const get = pages({
    webApp: false,
    frameAncestors: ['https://web.telegram.org'],
    mapStyleUrl: new URL('https://t.org/s'),
  })
  const page = await (await get('/console')).text()
  expect(page).toContain('<div id="root">')
  for (const path of ['/console', '/console/', '/console/queue/0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11']) {
    const answer = await get(path)
    expect(await answer.text()).toBe(page)
    expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|t\.org/)
    expect((await get(path, { 'if-none-match': answer.headers.get('etag')! })).status).toBe(304)
  }
  for (const path of ['/consoles', '/nearby', '/']) expect(await (await get(path)).text()).not.toBe(page)
  expect((await pages({ console: false })('/console')).status).toBe(404)
})

test('the links in mails open the app, or a plain page if it is off', async () => {
  for (const path of ['/verify', '/reset', '/email-undo', '/unsubscribe']) {
    expect(await (await pages()(path)).text()).toContain('<div id="root">')
    expect(await (await pages({ webApp: false })(path)).text()).toContain('<form')
  }
})

test('the app gets the operator’s name, colours and icons from the server', async () => {
  const plain = pages()
  expect(await (await plain('/app.json')).json()).toMatchObject({ name: 'Convene', logo: null, messenger: null })
  expect(await (await plain('/brand.css')).text()).toBe('')
  expect((await plain('/brand/logo')).status).toBe(404)
  const manifest: { icons: { src: string; type: string }[] } = JSON.parse(
    await (await plain('/manifest.webmanifest')).text(),
  )
  for (const { src, type } of manifest.icons) expect((await plain(src)).headers.get('content-type')).toBe(type)

  const logo = { type: 'image/svg+xml', bytes: new TextEncoder().encode('<svg/>'), hash: 'abc' }
  const light = { accent: '#7c2d12', onAccent: '#ffffff', soft: '#ebdfdb' }
  const brand = { name: 'Tea & Chess', light, dark: null, texts: { en: {} }, logo, icon: null, stylesheet: '' }
  const branded = pages({ brand, messengerBotToken: 'a-secret-of-the-bot', messengerApp: 'tea' })
  const answer = await (await branded('/app.json')).text()
  expect(answer).not.toContain('a-secret')
  expect(JSON.parse(answer)).toMatchObject({ name: 'Tea & Chess', logo: '/brand/logo?abc', messenger: { app: 'tea' } })
  expect(await (await branded('/brand.css')).text()).toContain('--accent: #7c2d12')
  // A picture that is opened as a page runs nothing.
  expect((await branded('/brand/logo')).headers.get('content-security-policy')).toContain('sandbox')
  expect((await branded('/brand/logo', { 'if-none-match': '"abc"' })).status).toBe(304)
  expect(await (await branded('/manifest.webmanifest')).json()).toMatchObject({
    name: 'Tea & Chess',
    theme_color: '#7c2d12',
  })
})

test('the app gets the operator’s map, or learns that there is none', async () => {
  const asked = async (changed = {}) => (await pages(changed)('/app.json')).json()
  expect(await asked()).toMatchObject({ map_style_url: null })
  const mapStyleUrl = new URL('https://tiles.example.org/style.json')
  expect(await asked({ mapStyleUrl })).toMatchObject({ map_style_url: mapStyleUrl.href })
  // The console has the same name and colours.
  expect((await pages({ webApp: false })('/app.json')).status).toBe(200)
})
