import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as tlsConnect, type TLSSocket } from 'node:tls'
import { type Problem, problemOf as problemOfRefusal } from '../../src/http/errors.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { startServer } from '../convene.ts'
import { freePort } from '../pages.ts'

type Dashboard = { panels: { title: string; targets: { expr: string; legendFormat: string }[] }[] }

const root = join(import.meta.dir, '../..')
const text = (path: string) => Bun.file(join(root, path)).text()

describe('the dashboard and the alert rules', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-deploy-'))
  let names: Set<string>

  beforeAll(async () => {
    const server = await startServer({
      DATA_DIR: join(dataDir, 'data'),
      BACKUP_DIR: join(dataDir, 'backups'),
      REPLICA_URL: join(dataDir, 'replica'),
    })
    const metrics = await (await fetch(new URL('/metrics', server.base))).text()
    await server.end()
    const declared = [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    // What a node that is the only one does not give, and what Prometheus itself tells.
    const ofOthers = ['convene_redis_up', 'convene_redis_unsaid', 'up']
    names = new Set(
      declared.flatMap(([, name, type]) =>
        type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name!],
      ),
    ).union(new Set(ofOthers))
    expect(names.size).toBeGreaterThan(20)
  })
  afterAll(() => rmSync(dataDir, { recursive: true }))

  /** What an expression reads: its identifiers that are neither labels, functions, operators nor durations. */
  const metricsOf = (expression: string) =>
    [
      ...expression
        .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without)\s*\([^)]*\)|\bor\b/g, ' ')
        .matchAll(/(?<![\w.])([a-z_]\w*)\b(?!\s*\()/gi),
    ].map(([name]) => name)

  test('metrics are told from functions, labels and durations', () => {
    const expression =
      'sum by (le, route) (rate(a_bucket{status=~"5..", b="c"}[5m]) or vector(0)) / time() > 1e9 * d_total'
    expect(metricsOf(expression)).toEqual(['a_bucket', 'd_total'])
  })

  test('the dashboard reads only metrics that /metrics gives', async () => {
    const { panels } = JSON.parse(await text('deploy/grafana-dashboard.json')) as Dashboard
    expect(panels.length).toBeGreaterThan(10)
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        const read = metricsOf(expr)
        expect([title, read.length > 0, read.filter((name) => !names.has(name))]).toEqual([title, true, []])
      }
  })

  test('what nodes have of each is shown for each and together', async () => {
    const { panels } = JSON.parse(await text('deploy/grafana-dashboard.json')) as Dashboard
    const ofEach = panels.flatMap(({ title, targets }) =>
      targets
        .filter(
          ({ expr, legendFormat }) =>
            !/\b(?:sum|max) ?(?:by|\()/.test(expr) && !/\{\{(?:instance|job)/.test(legendFormat),
        )
        .map(() => title),
    )
    expect(ofEach).toEqual([])
    const together = (metric: string) =>
      panels.some(({ targets }) => targets.some(({ expr }) => expr.startsWith('sum') && expr.includes(metric)))
    for (const metric of [
      'convene_sockets',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'convene_events_pushed_total',
    ])
      expect([metric, together(metric)]).toEqual([metric, true])
  })

  test('so do the alert rules', async () => {
    const { groups } = Bun.YAML.parse(await text('deploy/alerts.yml')) as {
      groups: { rules: { alert: string; expr: string }[] }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThan(5)
    for (const { alert, expr } of rules) {
      const read = metricsOf(expr)
      expect([alert, read.length > 0, read.filter((name) => !names.has(name))]).toEqual([alert, true, []])
    }
  })
})

const missing = (...programs: string[]) => programs.filter((program) => Bun.which(program) === null)

type Proxy = {
  name: string
  needs: string[]
  /** Lays the example of `deploy/` into the directory, changed for this machine alone, and says how it is run. */
  lay(directory: string, to: { server: URL; port: number }): Promise<{ command: string[]; base: URL }>
}

/** Lays an example for nginx into the directory, changed for this machine alone, and says how it is run. */
async function layNginx(directory: string, { example, server, port }: { example: string; server: URL; port: number }) {
  const changed = example
    .replaceAll('127.0.0.1:3000', server.host)
    .replaceAll(/listen (?:\[::\]:)?80;/g, `listen 127.0.0.1:${freePort()};`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace(/listen \[::\]:443.*;/, '')
    .replaceAll(/\/etc\/letsencrypt\/live\/[^/]+/g, directory)
    .replaceAll('/var/log/nginx', directory)
    // What this one has twice now.
    .replace(/(listen 127\.0\.0\.1:\d+;)\s+listen [^;]+;/, '$1')
  expect(changed).not.toMatch(/3000|letsencrypt|var\/log/)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${directory}/${kind};`,
  )
  await Bun.write(
    join(directory, 'nginx.conf'),
    // What the main file of a distribution holds around it.
    `daemon off; pid ${directory}/pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
     error_log ${directory}/error.log error;
     events { worker_connections 2048; } http { ${paths.join(' ')} include ${directory}/convene.conf; }`,
  )
  await Bun.write(join(directory, 'convene.conf'), changed)
  const subject = ['-subj', '/CN=api.example.org', '-days', '1']
  const files = ['-keyout', join(directory, 'privkey.pem'), '-out', join(directory, 'fullchain.pem')]
  Bun.spawnSync(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files])
  return { command: ['nginx', '-c', join(directory, 'nginx.conf')], base: new URL(`https://127.0.0.1:${port}`) }
}

const proxies: Proxy[] = [
  {
    name: 'nginx',
    needs: ['nginx', 'openssl'],
    lay: async (directory, to) => layNginx(directory, { example: await text('deploy/nginx.conf'), ...to }),
  },
  {
    name: 'caddy',
    needs: ['caddy'],
    async lay(directory, { server, port }) {
      const example = (await text('deploy/Caddyfile'))
        .replaceAll('reverse_proxy 127.0.0.1:3000', `reverse_proxy ${server.host}`)
        // Nobody gives this machine a certificate for that name.
        .replace('api.example.org {', `http://127.0.0.1:${port} {`)
        .replace('{\n\tlog {', '{\n\tadmin off\n\tlog {')
      await Bun.write(join(directory, 'Caddyfile'), example)
      return {
        command: ['caddy', 'run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile'],
        base: new URL(`http://127.0.0.1:${port}`),
      }
    },
  },
]

describe.each(proxies)('behind $name, by the example', ({ needs, lay }) => {
  if (missing(...needs).length > 0) {
    test.skip(`SKIPPED: this machine has no ${missing(...needs).join(', no ')}`, () => {})
    return
  }
  const root = mkdtempSync(join(tmpdir(), 'convene-proxy-'))
  const metricsToken = 'a-token-for-the-scraper'
  let server: Awaited<ReturnType<typeof startServer>>
  let proxy: Bun.Subprocess
  let base: URL

  beforeAll(async () => {
    server = await startServer({ DATA_DIR: join(root, 'data'), TRUST_PROXY: '1', METRICS_TOKEN: metricsToken })
    const directory = join(root, 'proxy')
    mkdirSync(directory)
    const laid = await lay(directory, { server: server.base, port: freePort() })
    base = laid.base
    proxy = Bun.spawn(laid.command, {
      env: { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
      stdout: Bun.file(join(directory, 'stdout.log')),
      stderr: Bun.file(join(directory, 'stderr.log')),
    })
    for (let tries = 0; ; tries++) {
      const answer = await ask('/health').catch(() => null)
      if (answer?.status === 200) return
      if (tries === 100) throw new Error(`it does not answer: ${logs()}`)
      await Bun.sleep(50)
    }
  })
  afterAll(async () => {
    proxy?.kill()
    await proxy?.exited
    await server?.end('SIGKILL')
    rmSync(root, { recursive: true })
  })

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(base.origin + path, { ...init, tls: { rejectUnauthorized: false } })
  /** The error of an answer, which is in the one form, whoever gives it. */
  async function problemOf(answer: Response) {
    expect(answer.headers.get('content-type')).toStartWith('application/problem+json')
    const problem = (await answer.json()) as Problem
    expect(problem.status).toBe(answer.status)
    expect(problem.type).toBe(`urn:convene:problem:${problem.code}`)
    expect(problem.request_id).toBe(answer.headers.get('x-request-id')!)
    expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id'])
    return problem
  }
  const json = { 'content-type': 'application/json' }
  const register = async (name: string, headers = {}) => {
    const account = {
      email: `${name}@example.org`,
      password: `${name} and green bottles`,
      name,
      consents: { terms: true, privacy: true, disclaimer: true },
    }
    const answer = await ask('/api/v1/auth/register', {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(account),
    })
    return (await answer.json()) as { user: { id: string }; access_token: string }
  }
  const socketUrl = (token: string) => new URL(`/ws?token=${token}`, base).href.replace('http', 'ws')
  /** Everything that it has written about requests. */
  const logs = () =>
    readdirSync(join(root, 'proxy'))
      .filter((name) => name.endsWith('.log'))
      .map((name) => readFileSync(join(root, 'proxy', name), 'utf8'))
      .join('\n')

  test('metrics are closed, with the token too', async () => {
    for (const path of ['/metrics', '/metrics/', '/metrics?x=1', '//metrics', '/%6detrics']) {
      const answer = await ask(path, { headers: { authorization: `Bearer ${metricsToken}` } })
      expect([path, answer.status]).toEqual([path, 404])
    }
  })

  test('a client is known by its own address, whatever it says itself', async () => {
    const { access_token } = await register('ada', { 'x-forwarded-for': '198.51.100.77' })
    const answer = await ask('/api/v1/me/export', { headers: { authorization: `Bearer ${access_token}` } })
    const { consents } = (await answer.json()) as { consents: { address: string }[] }
    expect(new Set(consents.map(({ address }) => address))).toEqual(new Set(['127.0.0.0/24']))
  })

  test('sockets are upgraded, and carry what happens', async () => {
    const [cay, bob] = [await register('cay'), await register('bob')]
    const socket = new WebSocket(socketUrl(cay.access_token), { tls: { rejectUnauthorized: false } })
    const frames: { type: string; data: any }[] = []
    const told = Promise.withResolvers<void>()
    socket.onmessage = ({ data }) => {
      frames.push(JSON.parse(String(data)))
      if (frames.at(-1)!.type === 'message') told.resolve()
    }
    const opened = Promise.withResolvers<void>()
    socket.onopen = () => opened.resolve()
    socket.onerror = () => opened.reject(new Error('there was no upgrade'))
    await opened.promise
    const send = async (path: string, body: object) => {
      const headers = { ...json, authorization: `Bearer ${bob.access_token}` }
      return (await ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<{
        id: string
      }>
    }
    const chat = await send('/api/v1/chats', { user_id: cay.user.id })
    await send(`/api/v1/chats/${chat.id}/messages`, { text: 'Through the proxy' })
    await told.promise
    expect(frames.map(({ type }) => type)).toEqual(['hello', 'chat', 'message'])
    socket.close()
  })

  test('browsers are told to come by HTTPS only, by every answer', async () => {
    for (const path of ['/health', '/nowhere', '/metrics', '/api/v1/me'])
      expect([path, (await ask(path)).headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000'])
  })

  test('ten mebibytes come through, and are the server’s to judge', async () => {
    const { access_token } = await register('dan')
    const upload = async (bytes: number) => {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(bytes)]), 'a.png')
      const headers = { authorization: `Bearer ${access_token}` }
      return problemOf(await ask('/api/v1/media', { method: 'POST', headers, body: form }))
    }
    expect(await upload(10 * 2 ** 20)).toMatchObject({ status: 415, code: 'unsupported_media_type' })
    expect(await upload(12 * 2 ** 20)).toMatchObject({ status: 413, code: 'payload_too_large' })
  })

  test('no token gets into its logs, not even where the server is gone', async () => {
    const { access_token } = await register('eve')
    const paths = ['/api/v1/me', '/api/v1/search/nearby']
    const queries = () =>
      Promise.all(
        paths.map((path) =>
          ask(`${path}?_t=${access_token}&lat=52.51631&lng=13.37771`, {
            headers: { referer: `${base}?_t=${access_token}` },
          }),
        ),
      )
    expect((await queries()).map(({ status }) => status)).toEqual([200, 200])
    await server.end('SIGKILL')
    for (const answer of await queries()) {
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
      expect(await problemOf(answer)).toMatchObject({ status: 503, code: 'busy', title: 'Busy' })
    }
    await new Promise((resolve) => {
      const socket = new WebSocket(socketUrl(access_token), { tls: { rejectUnauthorized: false } })
      socket.onclose = resolve
    })
    const written = logs()
    for (const path of paths) expect(written).toContain(path)
    for (const secret of [access_token.slice(-20), '52.5163', '13.3777']) expect(written).not.toContain(secret)
  })
})

describe.each(['deploy/nginx.conf', 'deploy/cluster/nginx.conf'])('%s', (example) => {
  if (missing('nginx', 'openssl').length > 0) {
    test.skip(`SKIPPED: this machine has no ${missing('nginx', 'openssl').join(', no ')}`, () => {})
    return
  }
  const started: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const stop of started.reverse()) await stop()
  })

  /** The example before a server that answers everything, with another rate: what a machine gets done is none of its matter. */
  async function start(rate: string) {
    const root = mkdtempSync(join(tmpdir(), 'convene-limits-'))
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('fine') })
    mkdirSync(join(root, 'convene'))
    // Twice, because nginx never takes out the only node.
    await Bun.write(join(root, 'convene/nodes.conf'), `server ${server.url.host};`.repeat(2))
    const changed = (await text(example)).replace(/rate=\d+r\/s/, `rate=${rate}`)
    const { command, base } = await layNginx(root, { example: changed, server: server.url, port: freePort() })
    const nginx = Bun.spawn(command, { stderr: Bun.file(join(root, 'stderr.log')) })
    started.push(async () => {
      nginx.kill()
      await nginx.exited
      await server.stop(true)
      rmSync(root, { recursive: true })
    })
    const ask = async (path: string, method = 'GET') => {
      const answer = await fetch(base.origin + path, { method, tls: { rejectUnauthorized: false } })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    }
    while ((await ask('/metrics').catch(() => null)) === null) await Bun.sleep(20)
    const [, connections, burst] = /limit_conn \w+ (\d+);[^]*limit_req zone=\w+ burst=(\d+)/.exec(changed)!
    return { base, ask, connections: Number(connections), burst: Number(burst) }
  }

  type Asked = { headers: Headers; text: string }
  function expectRefusal({ headers, text }: Asked) {
    expect(headers.get('content-type')).toStartWith('application/problem+json')
    const title = problemOfRefusal(new Refusal('rate_limited', ''), '').title
    expect(JSON.parse(text)).toMatchObject({ status: 429, code: 'rate_limited', title })
    expect(JSON.parse(text).request_id).toBe(headers.get('x-request-id'))
    for (const [name, value] of [
      ['retry-after', '1'],
      ['ratelimit-remaining', '0'],
      ['strict-transport-security', 'max-age=31536000'],
    ] as const)
      expect([name, headers.get(name)]).toEqual([name, value])
  }

  test('keeps one address to a number of requests at once, and then to the rate', async () => {
    const { ask, burst } = await start('1r/m')
    let served = 0
    const refused: Asked[] = []
    const flood = async () => {
      while (refused.length === 0) {
        const answer = await ask('/health')
        if (answer.status === 429) refused.push(answer)
        else if (answer.status === 200) served++
      }
    }
    await Promise.all(Array.from({ length: 16 }, flood))
    // Of the burst, some went while it started.
    expect(served).toBeGreaterThan(burst / 2)
    expect(served).toBeLessThanOrEqual(burst + 1)
    expectRefusal(refused[0]!)
  }, 60_000)

  test('keeps one address to a number of open connections', async () => {
    const { base, ask, connections } = await start('100000r/s')
    // A request whose body does not come is open, as a socket is.
    const hold = async () => {
      const socket = tlsConnect({ host: '127.0.0.1', port: Number(base.port), rejectUnauthorized: false })
      await new Promise((resolve) => socket.once('secureConnect', resolve))
      socket.write('POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
      return socket
    }
    const held: TLSSocket[] = []
    while (held.length < connections - 1) held.push(await hold())
    expect((await ask('/health')).status).toBe(200)
    held.push(await hold())
    let answer = await ask('/health')
    // It has read what was sent last a moment later.
    while (answer.status === 200) answer = await ask('/health')
    expectRefusal(answer)
    for (const socket of held) socket.destroy()
    while ((await ask('/health')).status !== 200);
  }, 60_000)

  test('refuses itself what a node cannot parse, and so takes no node out', async () => {
    const { base, ask } = await start('100000r/s')
    const long = 'x'.repeat(40_000)
    // nginx itself knows that methods are in upper case.
    const malformed = ['get /health', `GET /${long}`, `GET /health HTTP/1.1\r\nX-Long: ${long}\r\nX-Rest:`, 'GET']
    const wrong = ['FOO', 'PROPFIND', 'TRACE'].map((method) => `${method} /health`)
    for (const request of [...malformed, ...wrong]) {
      const socket = tlsConnect({ host: '127.0.0.1', port: Number(base.port), rejectUnauthorized: false })
      socket.write(`${request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      let answer = ''
      for await (const chunk of socket) answer += String(chunk)
      const [head, body] = answer.split('\r\n\r\n') as [string, string]
      const [status, code, allow] = wrong.includes(request)
        ? ([405, 'method_not_allowed', ['allow: GET, ']] as const)
        : ([400, 'bad_request', []] as const)
      const title = problemOfRefusal(new Refusal(code, ''), '').title
      expect([request.slice(0, 20), head.slice(0, 12)]).toEqual([request.slice(0, 20), `HTTP/1.1 ${status}`])
      expect(JSON.parse(body)).toMatchObject({ status, code, title })
      for (const header of ['content-type: application/problem+json', 'strict-transport-security: ', ...allow])
        expect(head.toLowerCase()).toContain(header.toLowerCase())
      expect(head).toContain(JSON.parse(body).request_id)
    }
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect([method, (await ask('/health', method)).status]).toEqual([method, 200])
  })
})

test('a client of IPv6 is its /64, and one of IPv4 itself', async () => {
  for (const path of ['deploy/nginx.conf', 'deploy/cluster/nginx.conf']) {
    const rules = Array.from((await text(path)).matchAll(/^ {2}"~(\^.+)"\s+("?)(.+)\2;$/gm), ([, rule, , value]) => ({
      rule: new RegExp(rule!),
      value: value!,
    }))
    expect(rules.length).toBe(3)
    const clientOf = (address: string) => {
      for (const { rule, value } of rules) {
        const { groups } = rule.exec(address) ?? {}
        if (groups) return value.replace(/\$(\w+)/, (_, name: string) => groups[name]!)
      }
      return address
    }
    expect(clientOf('203.0.113.7')).toBe('203.0.113.7')
    expect(clientOf('::ffff:203.0.113.7')).toBe('203.0.113.7')
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::9'])
      expect(clientOf(address)).toBe('2001:db8:1:2:')
    expect(clientOf('2001:db8:1:3::1')).not.toBe(clientOf('2001:db8:1:2::1'))
    expect(clientOf('2001:db8::1')).toBe(clientOf('2001:db8::2:3'))
    expect(clientOf('2001:db8::1')).not.toBe(clientOf('2001:db9::1'))
    // Without a key there would be no limit.
    expect(clientOf('::1')).not.toBe('')
  }
})

test('the image is built from what .dockerignore lets through, and from nothing else', async () => {
  const copied = [...(await text('Dockerfile')).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from]) =>
    from!.split(' '),
  )
  const letThrough = [...(await text('.dockerignore')).matchAll(/^!(.+)$/gm)].map(([, path]) => path!)
  expect(letThrough.toSorted()).toEqual(copied.toSorted())
})
