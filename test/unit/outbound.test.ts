import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import {
  isPublic,
  openOutbound,
  OutboundError,
  type OutboundRequest,
  readSocketAddress,
} from '../../src/lib/outbound.ts'
import { certificateFor, serveTls } from '../tls-server.ts'

const hosts = ['photos.example', 'sub.photos.example', 'other.example', 'rebinding.example']
const tls = certificateFor([...hosts, 'localhost'])
const asked: { host?: string; url?: string; method?: string; encoding?: unknown; body: string }[] = []
let server: Awaited<ReturnType<typeof serveTls>>

const MiB = 1024 * 1024

async function answer(request: IncomingMessage, response: ServerResponse) {
  let body = ''
  for await (const chunk of request) body += chunk
  const { url = '', method, headers } = request
  asked.push({ host: headers.host, url, method, encoding: headers['accept-encoding'], body })
  const to = new URL(url, 'https://x').searchParams.get('to')
  if (to !== null) return response.writeHead(302, { location: to }).end()
  if (url === '/missing') return response.writeHead(404).end('none')
  if (url === '/large') return response.end(Buffer.alloc(MiB + 1))
  if (url === '/claims-large') return response.writeHead(200, { 'content-length': `${MiB + 1}` }).write('x')
  if (url === '/exact') return response.end(Buffer.alloc(MiB))
  if (url === '/bomb')
    return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50 * MiB)))
  if (url === '/stalls') return response.writeHead(200).write('x')
  if (url === '/silent') return
  if (url === '/breaks-off') {
    response.writeHead(200, { 'content-length': '100' }).write('x')
    return setTimeout(() => response.destroy(), 20)
  }
  response.writeHead(200, { 'content-type': 'image/png' }).end('here')
}

beforeAll(async () => {
  server = await serveTls(tls, (request, response) => void answer(request, response).catch(() => {}))
})
afterAll(() => server.stop())

const wanted: OutboundRequest = { maxBytes: MiB, timeoutMs: 5000 }

/** Everything resolves to this machine, which is allowed at the server's port. */
const open = (options: Parameters<typeof openOutbound>[0] = {}) =>
  openOutbound({ allow: [`127.0.0.1:${server.port}`], resolve: async () => ['127.0.0.1'], ca: tls.cert, ...options })

const at = (path: string, host = 'photos.example') => `https://${host}:${server.port}${path}`

async function reasonOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(OutboundError)
  expect(String(error)).not.toContain('example')
  return (error as OutboundError).reason
}

describe('an outbound request', () => {
  test('goes to the address that was checked, under the name of the URL, and answers status, headers and body', async () => {
    asked.length = 0
    const { status, headers, body } = await open().fetch(at('/a?b=c'), {
      ...wanted,
      method: 'POST',
      headers: { 'x-y': 'z' },
      body: Buffer.from('sent'),
    })
    expect([status, headers['content-type'], body.toString()]).toEqual([200, 'image/png', 'here'])
    expect(asked).toEqual([
      { host: `photos.example:${server.port}`, url: '/a?b=c', method: 'POST', encoding: 'identity', body: 'sent' },
    ])
  })

  test('an error status is an answer too', async () => {
    expect((await open().fetch(at('/missing'), wanted)).status).toBe(404)
  })

  test('goes to https alone, without a user or a password', async () => {
    for (const url of [
      'nonsense',
      '',
      'http://photos.example/',
      'ftp://photos.example/',
      'file:///etc/passwd',
      'data:image/png,x',
      'unix:/run/x.sock',
      'https://ada@photos.example/',
      'https://ada:x@photos.example/',
      'https://',
    ])
      expect([url, await reasonOf(open().fetch(url, wanted))]).toEqual([url, 'url'])
  })

  test('takes no certificate but that of the name', async () => {
    expect(await reasonOf(open().fetch(at('/', 'stranger.example'), wanted))).toBe('connection')
    expect(await reasonOf(open({ ca: undefined }).fetch(at('/'), wanted))).toBe('connection')
  })

  test('goes to no proxy of the environment', async () => {
    let proxied = 0
    const proxy = createServer((socket) => {
      proxied++
      socket.destroy()
    })
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
    const before = process.env.HTTPS_PROXY
    process.env.HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    try {
      expect((await open().fetch(at('/'), wanted)).status).toBe(200)
      expect(proxied).toBe(0)
    } finally {
      if (before === undefined) delete process.env.HTTPS_PROXY
      else process.env.HTTPS_PROXY = before
      proxy.close()
    }
  })

  test('stays among the hosts that are asked for, and their subdomains', async () => {
    const fetch = (url: string) => open().fetch(url, { ...wanted, hosts: ['photos.example'] })
    expect((await fetch(at('/'))).status).toBe(200)
    expect((await fetch(at('/', 'PHOTOS.example'))).status).toBe(200)
    expect((await fetch(at('/', 'sub.photos.example'))).status).toBe(200)
    for (const host of ['other.example', 'evilphotos.example', 'photos.example.other.example', '127.0.0.1', 'example'])
      expect([host, await reasonOf(fetch(at('/', host)))]).toEqual([host, 'host'])
    expect(await reasonOf(fetch(`https://other.example:${server.port}/photos.example/`))).toBe('host')
    expect(await reasonOf(fetch(`https://other.example:${server.port}\\@photos.example/`))).toBe('host')
  })
})

describe('a redirect', () => {
  const redirect = (to: string) => at(`/?to=${encodeURIComponent(to)}`)

  test('is followed as often as is asked for, and checked like the first URL', async () => {
    const photos = { ...wanted, hosts: ['photos.example'], redirects: 2 }
    expect((await open().fetch(redirect('/b'), photos)).body.toString()).toBe('here')
    expect((await open().fetch(redirect(at('/', 'sub.photos.example')), photos)).status).toBe(200)
    expect((await open().fetch(redirect(redirect('/b')), photos)).status).toBe(200)
    expect(await reasonOf(open().fetch(redirect(redirect(redirect('/b'))), photos))).toBe('redirect')
    expect(await reasonOf(open().fetch(redirect('/b'), wanted))).toBe('redirect')
    for (const [to, reason] of [
      [at('/', 'other.example'), 'host'],
      ['//other.example/', 'host'],
      [`http://photos.example:${server.port}/`, 'url'],
      ['file:///etc/passwd', 'url'],
      [`https://127.0.0.1:${server.port}/`, 'host'],
      ['https://[::1]/', 'host'],
    ] as const)
      expect([to, await reasonOf(open().fetch(redirect(to), photos))]).toEqual([to, reason])
  })

  test('to an address that is not public is not followed, whichever host is', async () => {
    for (const to of ['https://169.254.169.254/latest/meta-data', 'https://[::ffff:127.0.0.1]/', 'https://2130706433/'])
      expect([to, await reasonOf(open().fetch(redirect(to), { ...wanted, redirects: 3 }))]).toEqual([to, 'address'])
  })
})

describe('an address that is not public', () => {
  const privates = [
    ['this network', '0.0.0.0', '0.1.2.3'],
    ['private', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
    ['shared by carriers', '100.64.0.1', '100.127.255.255'],
    ['loopback', '127.0.0.1', '127.255.255.254'],
    ['link-local, and metadata of clouds', '169.254.0.1', '169.254.169.254'],
    ['protocols, documentation, benchmarks', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
    ['6to4 relays', '192.88.99.1'],
    ['multicast, reserved, broadcast', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
    ['IPv6 loopback and none', '::1', '::'],
    ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::10.0.0.1'],
    ['6to4 and Teredo', '2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['unique local', 'fc00::1', 'fd12:3456:789a::1'],
    ['link-local, site-local', 'fe80::1', 'fe80::1%lo', 'febf::1', 'fec0::1'],
    ['multicast', 'ff02::1', 'ff0e::1'],
    ['documentation, discard, benchmarks', '2001:db8::1', '3fff::1', '100::1', '2001:2::1'],
    ['not assigned', '4000::1', 'e000::1', '1::1'],
    ['no address', '', 'localhost', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '1.2.3.4.5', '::1::'],
  ] as const

  test.each(privates.map(([name, ...addresses]) => [name, addresses] as const))('%s', async (_, addresses) => {
    for (const address of addresses) {
      expect([address, isPublic(address)]).toEqual([address, false])
      const outbound = openOutbound({ resolve: async () => [address], ca: tls.cert })
      expect([address, await reasonOf(outbound.fetch(at('/'), wanted))]).toEqual([address, 'address'])
    }
  })

  test('those that are public are told apart', () => {
    for (const address of ['8.8.8.8', '149.154.167.99', '172.32.0.1', '100.128.0.1', '2001:4860:4860::8888', '2a00::1'])
      expect([address, isPublic(address)]).toEqual([address, true])
  })

  test('is refused however a URL writes it', async () => {
    const outbound = openOutbound({ ca: tls.cert })
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0x7f.1',
      '017700000001',
      '0177.0.0.1',
      '127.0.0.1.',
      '%31%32%37.0.0.1',
      '１２７.0.0.1',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fc00::1]',
      'localhost',
    ]) {
      const reason = await reasonOf(outbound.fetch(`https://${host}:${server.port}/`, wanted))
      expect([host, reason]).toEqual([host, 'address'])
    }
  })

  test('is called where it is allowed, at that port and no other', async () => {
    const outbound = openOutbound({ allow: [`127.0.0.1:${server.port}`], ca: tls.cert })
    expect((await outbound.fetch(`https://localhost:${server.port}/`, wanted)).status).toBe(200)
    expect(await reasonOf(outbound.fetch('https://localhost/', wanted))).toBe('address')
    expect(await reasonOf(outbound.fetch(`https://[::ffff:127.0.0.1]:${server.port}/`, wanted))).toBe('address')
  })

  test('is never connected to: of a name with several, only the others are', async () => {
    const both = open({ resolve: async () => ['10.0.0.1', '127.0.0.1', '::1'] })
    expect((await both.fetch(at('/'), wanted)).status).toBe(200)
  })

  test('that a name answers the second time is not looked at: the connection goes where the check was', async () => {
    let answers = 0
    const resolve = async () => (answers++ === 0 ? ['127.0.0.1'] : ['169.254.169.254'])
    expect((await open({ resolve }).fetch(at('/', 'rebinding.example'), wanted)).status).toBe(200)
    expect(answers).toBe(1)
    // The other way round, and at each redirect anew.
    answers = 0
    const later = open({ resolve: async () => (answers++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']) })
    expect(await reasonOf(later.fetch(at('/?to=/b'), { ...wanted, redirects: 1 }))).toBe('address')
    expect(answers).toBe(2)
  })
})

describe('a body', () => {
  test('is read to its limit and no further, whatever its length is said to be', async () => {
    expect((await open().fetch(at('/exact'), wanted)).body.length).toBe(MiB)
    expect(await reasonOf(open().fetch(at('/large'), wanted))).toBe('too_large')
    expect(await reasonOf(open().fetch(at('/claims-large'), wanted))).toBe('too_large')
  })

  test('that is compressed is refused before it is unpacked', async () => {
    expect(await reasonOf(open().fetch(at('/bomb'), wanted))).toBe('encoding')
  })

  test('that stalls, or never begins, ends with the time', async () => {
    const soon = { ...wanted, timeoutMs: 200 }
    for (const path of ['/stalls', '/silent']) expect(await reasonOf(open().fetch(at(path), soon))).toBe('timeout')
  })

  test('that breaks off is none', async () => {
    expect(await reasonOf(open().fetch(at('/breaks-off'), wanted))).toBe('connection')
  })
})

test('a name that is never resolved, and a port where nobody speaks TLS, end with the time', async () => {
  const never = open({ resolve: () => new Promise(() => {}) })
  expect(await reasonOf(never.fetch(at('/'), { ...wanted, timeoutMs: 100 }))).toBe('timeout')
  const mute = createServer(() => {})
  await new Promise<void>((listening) => mute.listen(0, '127.0.0.1', listening))
  const { port } = mute.address() as AddressInfo
  const outbound = open({ allow: [`127.0.0.1:${port}`] })
  expect(await reasonOf(outbound.fetch(`https://photos.example:${port}/`, { ...wanted, timeoutMs: 200 }))).toBe(
    'timeout',
  )
  mute.close()
})

test('nobody there, and a name that does not exist, are failures of the connection', async () => {
  const free = createServer()
  await new Promise<void>((listening) => free.listen(0, '127.0.0.1', listening))
  const { port } = free.address() as AddressInfo
  await new Promise((closed) => free.close(closed))
  const outbound = open({ allow: [`127.0.0.1:${port}`] })
  expect(await reasonOf(outbound.fetch(`https://photos.example:${port}/`, wanted))).toBe('connection')
  const unknown = open({ resolve: () => Promise.reject(new Error('ENOTFOUND photos.example')) })
  expect(await reasonOf(unknown.fetch(at('/'), wanted))).toBe('connection')
})

test('an address that is allowed is written with its port, IPv6 in brackets', () => {
  expect(readSocketAddress('[0:0::1]:443')).toBe('[::1]:443')
  expect(readSocketAddress('10.0.0.5:443')).toBe('10.0.0.5:443')
  for (const text of ['10.0.0.5', '::1:443', '10.5:443', '[10.0.0.5]:443', '10.0.0.5:0', '10.0.0.5:99999', 'a:443'])
    expect([text, readSocketAddress(text)]).toEqual([text, null])
})
