import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { version } from '../../src/version.ts'
import { freePort } from '../pages.ts'

const text = (path: string) => Bun.file(join(import.meta.dir, '../../deploy', path)).text()

type Service = {
  image: string
  environment?: Record<string, string>
  env_file?: string
  healthcheck: { test: string[] }
  networks: Record<string, { ipv4_address: string }> | string[]
  depends_on?: Record<string, { condition: string }>
  volumes?: string[]
  stop_grace_period?: string
}

describe('compose.yaml', async () => {
  const { services, volumes, networks } = Bun.YAML.parse(await text('cluster/compose.yaml')) as {
    services: Record<string, Service>
    volumes: Record<string, null>
    networks: { inside: { ipam: { config: { subnet: string }[] } } }
  }
  const nodes = ['node1', 'node2', 'node3'].map((name) => services[name]!)

  test('has three nodes of this release behind nginx, with PostgreSQL and Redis, all pinned and looked after', () => {
    expect(Object.keys(services).sort()).toEqual(['nginx', 'node1', 'node2', 'node3', 'postgres', 'redis'])
    expect(nodes.map(({ image }) => image)).toEqual(nodes.map(() => `convene:${version}`))
    for (const [name, { image, healthcheck }] of Object.entries(services)) {
      // Ours is built where it runs, so it has no digest before.
      const pinned = name.startsWith('node')
        ? /^convene:[\d.]+$/
        : /^[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)?@sha256:[\da-f]{64}$/
      expect([name, image]).toEqual([name, expect.stringMatching(pinned)])
      expect([name, healthcheck.test.length > 1]).toEqual([name, true])
    }
    for (const { healthcheck, stop_grace_period, environment } of nodes) {
      expect(healthcheck.test).toEqual(['CMD', 'convene', 'health', '--ready'])
      expect(parseInt(stop_grace_period!)).toBeGreaterThan(Number(environment!.DRAIN_SECONDS) + 8)
    }
  })

  test('gives its nodes settings that there are, and secrets that nobody finds in it', () => {
    const known = new Set<string>()
    readConfig(
      new Proxy({} as Record<string, string>, {
        get(_, name) {
          known.add(String(name))
        },
      }),
    )
    const [{ environment }] = nodes as [Service]
    for (const node of nodes) expect(node.environment).toEqual(environment!)
    expect(Object.keys(environment!).filter((name) => !known.has(name))).toEqual([])
    // All others that an operator sets come from there.
    expect(nodes.map(({ env_file }) => env_file)).toEqual(['.env', '.env', '.env'])
    const given = { POSTGRES_PASSWORD: 'hunter2', REDIS_PASSWORD: 'hunter3', MEDIA_URL: 's3://K:S@photos' }
    const secrets = { JWT_SECRET: 'ab'.repeat(32), LOCATION_KEY: 'cd'.repeat(32), METRICS_TOKEN: 'ef'.repeat(32) }
    // As Compose puts them in.
    const filled = Object.entries(environment!).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):([-?])[^}]*\}/g, (_, key: string, kind: string) => {
        const found = ({ ...given, ...secrets } as Record<string, string>)[key]
        if (found === undefined && kind === '?') throw new Error(`${key} is in no .env`)
        return found ?? ''
      }),
    ])
    const config = readConfig(Object.fromEntries(filled))
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 3000,
      trustProxy: 1,
      corsOrigins: [],
      messengerBotToken: null,
    })
    expect(config.database).toEqual({ engine: 'postgres', url: 'postgres://convene:hunter2@postgres:5432/convene' })
    expect(config.redis).toMatchObject({ host: 'redis', password: 'hunter3' })
    const required = [services.postgres!.environment!.POSTGRES_PASSWORD, services.redis!.environment!.REDIS_PASSWORD]
    for (const name of Object.keys(secrets)) required.push(environment![name])
    for (const value of required) expect(value).toMatch(/^\$\{[A-Z_]+:\?/)
  })

  test('has its nodes where nginx looks for them, each with a volume of its own', async () => {
    const addresses = nodes.map(
      ({ networks }) => (networks as Record<string, { ipv4_address: string }>).inside!.ipv4_address,
    )
    const [{ subnet }] = networks.inside.ipam.config as [{ subnet: string }]
    for (const address of addresses) expect(address).toStartWith(subnet.replace('0/24', ''))
    expect(nodesOf(await text('cluster/compose/nodes.conf'))).toEqual(addresses.map((address) => `${address}:3000`))
    const mounted = nodes.map(({ volumes }) => volumes![0]!.replace(':/data', ''))
    // The backups of whichever node makes them are in one place.
    expect(nodes.map((node) => node.volumes!.slice(1))).toEqual(nodes.map(() => ['./backups:/backups']))
    expect(Object.keys(volumes).sort()).toEqual([...mounted, 'postgres'].sort())
    for (const mount of services.nginx!.volumes!) {
      const from = mount.split(':')[0]!.slice(2)
      const isThere =
        from === 'certs' ||
        (await Bun.file(join(import.meta.dir, '../../deploy/cluster', from))
          .stat()
          .catch(() => null)) !== null
      expect([from, isThere]).toEqual([from, true])
    }
  })

  test('gives nginx connections for more sockets than the limit of one address, of which each takes two', async () => {
    const main = await text('cluster/compose/main.conf')
    const [, connections] = /worker_connections (\d+);/.exec(main)!
    const [, files] = /worker_rlimit_nofile (\d+);/.exec(main)!
    const [, limit] = /limit_conn convene_connections (\d+);/.exec(await text('cluster/nginx.conf'))!
    expect(Number(connections)).toBeGreaterThan(20 * Number(limit))
    expect(Number(files)).toBeGreaterThan(2 * Number(connections))
    expect(services.nginx!.volumes).toContain('./compose/main.conf:/etc/nginx/nginx.conf:ro')
  })
})

const nodesOf = (conf: string) =>
  Array.from(conf.matchAll(/^server (\S+) fail_timeout=2s;$/gm), ([, address]) => address)

test('the unit of a node is as hardened as that of one server, and stops in time', async () => {
  const settings = async (path: string) =>
    (await text(path))
      .split('\n')
      .filter(
        (line) =>
          /^[A-Z]\w+=/.test(line) &&
          !/^(?:Description|Environment|EnvironmentFile|StateDirectory|TimeoutStopSec)=/.test(line),
      )
  expect(await settings('cluster/convene@.service')).toEqual(await settings('convene.service'))
  const unit = await text('cluster/convene@.service')
  expect(unit).toMatch(/^Environment=PORT=%i$/m)
  // A node that found none would begin a community of its own.
  expect(unit).toMatch(/^EnvironmentFile=\/etc\/convene\/cluster\.env$/m)
  const ports = nodesOf(await text('cluster/nodes.conf')).map((address) => address!.replace('127.0.0.1:', ''))
  expect(unit).toContain(`enable --now ${ports.map((port) => `convene@${port}`).join(' ')}`)
})

const missing = ['nginx', 'openssl'].filter((program) => Bun.which(program) === null)

describe.skipIf(missing.length > 0)(
  `nginx, by the example${missing.length > 0 ? `, skipped: no ${missing.join(', no ')}` : ''}`,
  () => {
    const root = mkdtempSync(join(tmpdir(), 'convene-cluster-'))
    const port = freePort()
    /** What each node was asked, and how it answers. */
    const asked: string[][] = [[], [], []]
    const answers: (string | null)[] = [null, null, null]
    let head = ''
    const listeners = asked.map((requests, i) =>
      Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          data(socket, bytes) {
            head = String(bytes)
            requests.push(head.split(' HTTP')[0]!)
            const answer = answers[i]
            if (answer === null) socket.terminate()
            else socket.end(`HTTP/1.1 ${answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
          },
        },
      }),
    )
    let nginx: Bun.Subprocess

    beforeAll(async () => {
      mkdirSync(join(root, 'convene'))
      const servers = listeners.map((listener) => `server 127.0.0.1:${listener.port} max_fails=0;`)
      await Bun.write(join(root, 'convene/nodes.conf'), servers.join('\n'))
      const example = (await text('cluster/nginx.conf'))
        .replaceAll(/listen (?:\[::\]:)?80;/g, '')
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace(/listen \[::\]:443.*;/, '')
        .replace(/server \{\s*server_name api\.example\.org; # yours/, `server { listen 127.0.0.1:${freePort()};`)
        .replaceAll(/\/etc\/letsencrypt\/live\/[^/]+|\/var\/log\/nginx/g, root)
      await Bun.write(join(root, 'convene.conf'), example)
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${root}/${kind};`,
      )
      await Bun.write(
        join(root, 'nginx.conf'),
        `daemon off; pid ${root}/pid; ${process.getuid?.() === 0 ? 'user root;' : ''} error_log ${root}/error.log error;
       events {} http { ${paths.join(' ')} include ${root}/convene.conf; }`,
      )
      const files = ['-keyout', `${root}/privkey.pem`, '-out', `${root}/fullchain.pem`]
      Bun.spawnSync([
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-subj',
        '/CN=api.example.org',
        '-days',
        '1',
        ...files,
      ])
      nginx = Bun.spawn(['nginx', '-c', join(root, 'nginx.conf')], { stderr: Bun.file(join(root, 'stderr.log')) })
      while ((await ask('GET', '/metrics').catch(() => 0)) !== 404) await Bun.sleep(20)
    })
    afterAll(async () => {
      nginx?.kill()
      await nginx?.exited
      for (const listener of listeners) listener.stop(true)
      rmSync(root, { recursive: true })
    })

    async function ask(method: string, path: string): Promise<number> {
      const tls = { rejectUnauthorized: false }
      return (
        await fetch(`https://127.0.0.1:${port}${path}`, { method, tls, body: method === 'POST' ? 'once' : undefined })
      ).status
    }

    /** What all nodes together were asked, for as many requests as there are nodes. */
    async function round(method: string, path: string) {
      for (const requests of asked) requests.length = 0
      const statuses = [await ask(method, path), await ask(method, path), await ask(method, path)]
      return { statuses, times: asked.flat().length }
    }

    test('asks another node again what may be asked twice, and never sends a POST twice', async () => {
      answers.splice(0, 3, null, '200 OK', '200 OK')
      const gets = await round('GET', '/api/v1/me')
      expect([gets.statuses, gets.times]).toEqual([[200, 200, 200], 4])
      const posts = await round('POST', '/api/v1/chats')
      expect([posts.statuses.toSorted(), posts.times]).toEqual([[200, 200, 503], 3])
    })

    test('does not ask again where a node says that it cannot', async () => {
      answers.splice(0, 3, '503 Unavailable', '200 OK', '200 OK')
      for (const method of ['GET', 'POST']) {
        const { statuses, times } = await round(method, '/api/v1/me')
        expect([method, statuses.toSorted(), times]).toEqual([method, [200, 200, 503], 3])
      }
      const sockets = await round('GET', '/ws?token=x')
      expect([sockets.statuses.toSorted(), sockets.times]).toEqual([[200, 200, 503], 3])
    })

    test('finds the files of the web app on the nodes of the release that has them', async () => {
      answers.splice(0, 3, '404 Not Found', '404 Not Found', '200 OK')
      expect((await round('GET', '/assets/app-12345678.js')).statuses).toEqual([200, 200, 200])
      expect((await round('GET', '/api/v1/me')).statuses.toSorted()).toEqual([200, 404, 404])
      answers.fill('404 Not Found')
      expect((await round('GET', '/assets/app-12345678.js')).statuses).toEqual([404, 404, 404])
    })

    test('tells nodes by which address, from where and how people reach them, for sockets too', async () => {
      answers.splice(0, 3, '200 OK', '200 OK', '200 OK')
      const of = ['Host: 127.0.0.1', 'X-Forwarded-For: 127.0.0.1', 'X-Forwarded-Proto: https']
      await ask('GET', '/api/v1/me')
      expect(head.split('\r\n')).toEqual(expect.arrayContaining(of))
      expect(head).not.toMatch(/^(?:connection|upgrade):/im)
      const socket = new WebSocket(`wss://127.0.0.1:${port}/ws`, { tls: { rejectUnauthorized: false } })
      await new Promise((resolve) => (socket.onerror = resolve))
      expect(head.split('\r\n')).toEqual(expect.arrayContaining([...of, 'Upgrade: websocket', 'Connection: upgrade']))
    })

    test('sends what no node has got to another one, a POST too', async () => {
      answers.splice(0, 3, '200 OK', '200 OK', '200 OK')
      listeners[0]!.stop(true)
      for (const method of ['GET', 'POST']) {
        const { statuses, times } = await round(method, '/api/v1/me')
        expect([method, statuses, times]).toEqual([method, [200, 200, 200], 3])
      }
    })
  },
)
