import { afterAll, expect, test } from 'bun:test'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Subprocess, S3Client } from 'bun'
import { consents, password } from '../app.ts'
import { command } from '../convene.ts'
import { newPostgres, noPostgres } from '../engines.ts'
import { newerBuild, nextLabel, nextVersion } from '../newer-build.ts'
import { newest } from '../../src/storage/migrate.ts'
import { freePort, readPage } from '../pages.ts'
import { noRedis, redisUrl } from '../redis.ts'
import { until } from '../until.ts'
import { bucket, keyId, region, s3Server, secret } from '../s3-server.ts'
import { refuseSecrets } from '../unsaid.ts'

const noProgram = ['nginx', 'openssl', 'bash', 'curl'].find((program) => Bun.which(program) === null)
const skipped = noPostgres ?? noRedis ?? (noProgram === undefined ? null : `skipped: no ${noProgram}`)

/** What the chapter's blocks say of why the other test leaves them out. */
const ours = 'test/cluster/scaling-walk.test.ts does, where there are PostgreSQL, Redis and nginx'

const root = mkdtempSync(join(tmpdir(), 'convene-walk-'))
const cleanUp: (() => unknown)[] = []
afterAll(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
  rmSync(root, { recursive: true })
})

/**
 * A machine as the chapter has it, below a directory of its own: its files, a systemd that runs what `deploy/` says, and an
 * nginx. Paths, addresses and secrets are put into the texts of `docs/` and `deploy/`, and nothing else is changed in them.
 */
async function machine() {
  const { url, drop } = await newPostgres()
  const store = await s3Server()
  cleanUp.push(drop)
  const ports = ['3001', '3002', '3003'].map((port) => [port, String(freePort())] as const)
  const [plain, tls, single] = [freePort(), freePort(), freePort()]
  const here: (readonly [from: string | RegExp, to: string])[] = [
    ...ports,
    [/\blisten 80;/g, `listen 127.0.0.1:${plain};`],
    [/\blisten \[::\]:(80|443 ssl http2);/g, ''],
    [/\blisten 443/g, `listen 127.0.0.1:${tls}`],
    [/\/etc\/letsencrypt\/live\/[^/]+/g, `${root}/certs`],
    ['curl -sf https://api.example.org/', `curl -sfk https://127.0.0.1:${tls}/`],
    [/(?<![\w.])\/(etc\/(?:nginx|convene)|var\/lib\/convene|var\/log\/nginx|usr\/local\/bin)\b/g, `${root}/$1`],
    ['postgres://convene:PASSWORD@127.0.0.1:5432/convene', url],
    ['redis://127.0.0.1:6379', redisUrl],
    ['s3://BUCKET/PREFIX?endpoint=https://s3.example.org', `s3://${bucket}/photos?endpoint=${store.endpoint}`],
    ["'KEY'", `'${keyId}'`],
    ["'SECRET'", `'${secret}'`],
    // That they are off for this test is found by the check.
    [' convene check', ' RATE_LIMIT=on convene check'],
    ['DRAIN_SECONDS=10', 'DRAIN_SECONDS=2\nRATE_LIMIT=off'],
  ]
  const laid = (text: string) => here.reduce((done, [from, to]) => done.replaceAll(from as string, to), text)

  for (const path of [
    'etc/nginx/conf.d',
    'etc/convene',
    'var/lib/convene',
    'var/log/nginx',
    'usr/local/bin',
    'certs',
    'tools',
  ])
    mkdirSync(join(root, path), { recursive: true, mode: 0o700 })
  cpSync(join(import.meta.dir, '../../deploy'), join(root, 'deploy'), { recursive: true })
  for (const name of new Bun.Glob('**/*').scanSync({ cwd: join(root, 'deploy') })) {
    const path = join(root, 'deploy', name)
    writeFileSync(path, laid(readFileSync(path, 'utf8')))
  }
  await Bun.write(join(root, 'etc/convene/convene.env'), `PORT=${single}\nRATE_LIMIT=off\n`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${root}/${kind};`)
  await Bun.write(
    join(root, 'etc/nginx/nginx.conf'),
    `daemon off; pid ${root}/nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 2;
     error_log ${root}/var/log/nginx/error.log error;
     events {} http { ${paths.join(' ')} include conf.d/*.conf; }`,
  )
  const subject = ['-subj', '/CN=api.example.org', '-days', '1', '-newkey', 'rsa:2048', '-nodes']
  const files = ['-keyout', `${root}/certs/privkey.pem`, '-out', `${root}/certs/fullchain.pem`]
  Bun.spawnSync(['openssl', 'req', '-x509', ...subject, ...files])

  const running = new Map<string, { child: Subprocess; log: string }>()
  const logs: string[] = []
  cleanUp.push(async () => {
    const left = [...running]
    running.clear()
    // nginx ends its workers itself.
    for (const [unit, { child }] of left) child.kill(unit === 'nginx' ? 'SIGTERM' : 'SIGKILL')
    for (const [, { child }] of left) await child.exited
    for (const log of logs) if (!log.includes('nginx')) refuseSecrets(readFileSync(log, 'utf8'))
  })

  function spawn(unit: string, words: string[], env: Record<string, string | undefined>) {
    const log = join(root, `${unit}-${logs.length}.log`)
    logs.push(log)
    const child = Bun.spawn(words, { cwd: root, env, stdout: Bun.file(log), stderr: Bun.file(log) })
    running.set(unit, { child, log })
    // As the units say: Restart=on-failure.
    void child.exited.then((code) => {
      if (code !== 0 && running.get(unit)?.child === child) spawn(unit, words, env)
    })
  }

  async function start(unit: string) {
    if (unit === 'nginx') {
      spawn(unit, ['nginx', '-c', `${root}/etc/nginx/nginx.conf`], process.env)
      // Debian's unit has it listen before it counts as started.
      return until(() => listens(tls), 'nginx')
    }
    const [name, instance = ''] = unit.split('@')
    const file = instance === '' ? 'deploy/convene.service' : `deploy/cluster/${name}@.service`
    const text = readFileSync(join(root, file), 'utf8').replaceAll('%i', instance)
    const all = (setting: string) =>
      Array.from(text.matchAll(new RegExp(`^${setting}=-?(.+)$`, 'gm')), ([, value]) => value!)
    const given = [
      ...all('Environment'),
      ...all('EnvironmentFile').flatMap((path) => readFileSync(path, 'utf8').trim().split('\n')),
    ]
    const settings = given.map((line) => {
      const [, key, value] = /^(\w+)='?(.*?)'?$/.exec(line)!
      return [key!, value!]
    })
    mkdirSync(join(root, 'var/lib', all('StateDirectory')[0]!), { recursive: true, mode: 0o700 })
    spawn(unit, all('ExecStart')[0]!.split(' '), {
      PATH: process.env.PATH,
      LOG_LEVEL: 'debug',
      ...Object.fromEntries(settings),
    })
  }

  async function stop(unit: string) {
    const { child } = running.get(unit)!
    running.delete(unit)
    child.kill('SIGTERM')
    expect([unit, await child.exited]).toEqual([unit, 0])
  }

  async function systemctl([action, ...units]: string[]) {
    const now = units.includes('--now')
    for (const unit of units.filter((word) => word !== '--now')) {
      const isRunning = running.has(unit)
      if (action === 'restart' || action === 'stop' || (action === 'disable' && now)) await stop(unit)
      if (action === 'reload' && isRunning) running.get(unit)!.child.kill('SIGHUP')
      else if (/^(?:start|restart|reload)$/.test(action!) || (action === 'enable' && now)) await start(unit)
    }
  }

  /** `aws s3 sync FROM TO`, for the files of a directory. */
  async function aws([, , from, to]: string[]) {
    const keys = { accessKeyId: keyId, secretAccessKey: secret }
    const client = new S3Client({ ...keys, bucket, endpoint: store.endpoint, region })
    if (to!.startsWith('s3:'))
      for (const name of new Bun.Glob('**/*').scanSync({ cwd: from! }))
        await client.write(`photos/${name}`, Bun.file(join(from!, name)))
    else
      for (const name of store.objects().filter((name) => name.startsWith('photos/')))
        await Bun.write(join(to!, name.slice('photos/'.length)), await client.file(name).bytes())
  }

  const checkpoints: (() => Promise<void>)[] = []
  const control = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const [name, ...words] = (await request.text()).split(' ')
      try {
        if (name === 'systemctl') await systemctl(words)
        else if (name === 'aws') await aws(words)
        else await checkpoints[Number(words[0])]!()
        return new Response()
      } catch (error) {
        failure ??= error as Error
        return new Response(null, { status: 500 })
      }
    },
  })
  cleanUp.push(() => control.stop(true))
  let failure: Error | null = null

  const tool = (path: string, script: string) => {
    writeFileSync(join(root, path), `#!/bin/sh\n${script}\n`)
    chmodSync(join(root, path), 0o755)
  }
  const runs = (words: string[]) => `exec ${words.map((word) => `'${word}'`).join(' ')} "$@"`
  for (const name of ['systemctl', 'aws', 'checkpoint'])
    tool(`tools/${name}`, `exec curl -sf -o /dev/null ${control.url.href} --data "${name} $*"`)
  tool('tools/nginx', `exec ${Bun.which('nginx')} -c ${root}/etc/nginx/nginx.conf "$@" 2> /dev/null`)
  tool(
    'tools/sudo',
    `while [ "$1" = -u ] || [ "$1" = --preserve-env ]; do [ "$1" = -u ] && shift; shift; done\nexec "$@"`,
  )
  tool('usr/local/bin/convene', runs(command))

  return {
    single: new URL(`http://127.0.0.1:${single}`),
    nodes: ports.map(([, port]) => new URL(`http://127.0.0.1:${port}`)),
    front: new URL(`https://127.0.0.1:${tls}`),
    start,
    newBinary: (words: string[]) => tool('convene-linux-x64', runs(words)),
    accessLog: () => readFileSync(join(root, 'var/log/nginx/access.log'), 'utf8'),

    /** Runs the blocks in one shell, and each check after the block of its place. */
    async walk(blocks: string[], checks: (() => Promise<void>)[]) {
      checkpoints.push(...checks)
      const script = blocks.map((block, i) => `${laid(block)}\ncheckpoint ${i}`).join('\n')
      const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
        cwd: root,
        env: { PATH: `${root}/tools:${root}/usr/local/bin:${process.env.PATH}` },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      if (failure) throw failure
      expect([code, err], out).toEqual([0, expect.any(String)])
      return out
    },
  }
}

const listens = (port: number) =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
    (socket) => {
      socket.end()
      return true
    },
    () => false,
  )

type Body = Record<string, any>

/** Asks as an app would, and remembers what was answered. */
function asker(statuses: number[] = []) {
  return async (base: URL, method: string, path: string, token: string | null, body?: Body | FormData) => {
    const answer = await fetch(new URL(path, base), {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : body && JSON.stringify(body),
      tls: { rejectUnauthorized: false },
    })
    statuses.push(answer.status)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? {} : JSON.parse(text)) as Body
  }
}

/** Follows somebody's events through restarts, as docs/websocket.md says. */
function follow(base: URL, token: string) {
  const seqs: number[] = []
  const codes: number[] = []
  let over = false
  let socket: WebSocket
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const open = () => {
    const since = seqs.at(-1)
    const url = new URL(`/ws?token=${token}${since === undefined ? '' : `&since=${since}`}`, base)
    socket = new WebSocket(url.href.replace('http', 'ws'), { tls: { rejectUnauthorized: false } })
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(String(data))
      if (frame.type === 'hello') {
        if (seqs.length === 0) seqs.push(frame.data.seq)
        else expect(frame.data.resume).toBe('ok')
        resolve()
      } else if (frame.seq !== undefined) seqs.push(frame.seq)
    }
    socket.onclose = ({ code }) => {
      codes.push(code)
      if (!over) setTimeout(open, Math.random() * 100)
    }
  }
  open()
  return {
    ready,
    seqs,
    codes,
    close() {
      over = true
      socket.close()
    },
  }
}

test.skipIf(skipped !== null)(
  `from one server to three nodes, to the next release, and back, by the chapter’s own words${skipped ? `, ${skipped}` : ''}`,
  async () => {
    const { blocks } = await readPage('docs/scaling.md')
    const steps = blocks.filter(({ reason }) => reason === ours).map(({ code }) => code)
    expect(steps).toHaveLength(6)
    const [at, build] = [await machine(), await newerBuild({ compatibleWith: newest })]
    cleanUp.push(() => build[Symbol.dispose]())
    at.newBinary(build.command)
    const ask = asker()
    const until = async (base: URL) => {
      while (!(await ask(base, 'GET', '/ready', null).catch(() => null))) await Bun.sleep(20)
    }

    // A community on one server: two who talk, with a photo, and one who was erased.
    await at.start('convene')
    await until(at.single)
    const register = async (name: string) => {
      const account = { email: `${name}@example.org`, password, name, consents }
      const { user, access_token } = await ask(at.single, 'POST', '/api/v1/auth/register', null, account)
      return { id: user.id as string, token: access_token as string }
    }
    const [ada, bob, cay] = [await register('ada'), await register('bob'), await register('cay')]
    await ask(at.single, 'DELETE', '/api/v1/me', cay.token, { password })
    const chat = await ask(at.single, 'POST', '/api/v1/chats', ada.token, { user_id: bob.id })
    const messages = `/api/v1/chats/${chat.id}/messages`
    const form = new FormData()
    const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
    form.append('file', new Blob([pixel]), 'pixel.gif')
    const { id: photo } = await ask(at.single, 'POST', '/api/v1/media', ada.token, form)
    await ask(at.single, 'POST', messages, ada.token, { kind: 'photo', photo, text: 'From one server.' })
    const said = ['From one server.']

    /** The same people and messages, with their photo, and no Cay. */
    async function isAsItWas(base: URL) {
      // The tokens of before are good, and so are passwords.
      const { access_token } = await ask(base, 'POST', '/api/v1/auth/login', null, {
        email: 'bob@example.org',
        password,
      })
      for (const token of [access_token, ada.token]) {
        const list: Body[] = []
        for (let page = ''; ;) {
          const { items, next_cursor } = await ask(base, 'GET', `${messages}?limit=100${page}`, token)
          list.push(...items)
          if (!next_cursor) break
          page = `&cursor=${encodeURIComponent(next_cursor)}`
        }
        expect(list.map(({ text }) => text).toSorted()).toEqual(said.toSorted())
        const shown = await fetch(new URL(list.find(({ photo }) => photo)!.photo.url, base), {
          tls: { rejectUnauthorized: false },
        })
        expect([shown.status, (await shown.bytes()).length > 20]).toEqual([200, true])
      }
      expect(await ask(base, 'GET', `/api/v1/users/${cay.id}`, ada.token).catch(String)).toContain('404')
    }
    const say = async (base: URL, text: string, by = asker()) => {
      await by(base, 'POST', messages, ada.token, { text, client_id: text })
      said.push(text)
    }
    await isAsItWas(at.single)

    const load = { over: false, statuses: [] as number[], work: Promise.resolve() }
    let bobsSocket: ReturnType<typeof follow> | null = null
    const told = await at.walk(steps, [
      async () => {},
      async () => {},
      async () => {
        for (const node of at.nodes) await isAsItWas(node)
        await say(at.nodes[1]!, 'From the second node.')
      },
      async () => {
        await isAsItWas(at.front)
        // People go on writing while all nodes are restarted.
        bobsSocket = follow(at.front, bob.token)
        await bobsSocket.ready
        const by = asker(load.statuses)
        const write = async (i: number) => {
          for (let n = 0; !load.over; n++) {
            await say(at.front, `${i}-${n}`, by)
            await by(at.front, 'GET', '/api/v1/me', bob.token)
            await Bun.sleep(50)
          }
        }
        load.work = Promise.all([1, 2].map(write)).then(() => {})
        load.work.catch(() => {})
      },
      async () => {
        load.over = true
        await load.work
        expect(load.statuses.filter((status) => status !== 200 && status !== 201)).toEqual([])
        expect(said.length).toBeGreaterThan(10)
        for (const node of at.nodes) {
          const { version, status } = await ask(node, 'GET', '/ready', null)
          expect([version, status]).toEqual([nextVersion, 'ok'])
        }
        await isAsItWas(at.front)
        // Every event came once and in order, over sockets of several nodes.
        const { seq } = await ask(at.front, 'GET', '/api/v1/sync?since=0', bob.token)
        while (bobsSocket!.seqs.at(-1) !== seq) await Bun.sleep(20)
        bobsSocket!.close()
        const [first] = bobsSocket!.seqs
        expect(bobsSocket!.seqs).toEqual(Array.from({ length: seq - first! + 1 }, (_, i) => first! + i))
        expect(bobsSocket!.codes).toContain(1012)
        expect(at.accessLog()).not.toContain(bob.token.slice(-20))
      },
      async () => {
        await until(at.single)
        await isAsItWas(at.single)
        await say(at.single, 'And on one server again.')
      },
    ])
    expect(told).toMatch(new RegExp(`^${nextLabel.replace('_', ' {2}')} +20`, 'm'))
  },
  // A dozen processes of ours start, on whatever machine.
  300_000,
)
