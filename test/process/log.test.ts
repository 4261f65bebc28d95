import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '../../src/telemetry/log.ts'
import { consents, password } from '../app.ts'
import { command, startServer } from '../convene.ts'
import { freePort } from '../pages.ts'
import { refuseSecrets } from '../unsaid.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'convene-log-'))
})

const running: Bun.Subprocess[] = []
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
  rmSync(root, { recursive: true, force: true })
})

/** A server whose standard output is that descriptor, which is closed here. It logs every request. */
async function startWith(stdout: number, { own = command } = {}) {
  const port = freePort()
  const base = `http://127.0.0.1:${port}`
  const child = Bun.spawn(own, {
    env: { PATH: process.env.PATH, PORT: `${port}`, DATA_DIR: join(root, 'data'), LOG_LEVEL: 'debug' },
    stdout,
    stderr: 'ignore',
  })
  running.push(child)
  closeSync(stdout)
  const health = async () => (await fetch(`${base}/health`, { signal: AbortSignal.timeout(20_000) })).status
  while ((await health().catch(() => 0)) !== 200) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    await Bun.sleep(20)
  }
  return {
    child,
    health,
    /** So many requests, a line of the log each. */
    async answers(count: number) {
      for (let i = 0; i < count; i += 50)
        expect(new Set(await Promise.all(Array.from({ length: 50 }, health)))).toEqual(new Set([200]))
    },
    async dropped() {
      const text = await (await fetch(`${base}/metrics`)).text()
      return Number(/^convene_log_lines_dropped_total (\d+)$/m.exec(text)![1])
    },
  }
}

/** More lines than any buffer holds: a pipe has 64 KiB, the queue 256. */
const flood = 4000

/** The log so far: every line is whole. */
const linesOf = (text: string) => {
  refuseSecrets(text)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const isDropped = ({ msg }: Record<string, unknown>) => String(msg).startsWith('lines of the log were dropped')

async function until(check: () => boolean) {
  for (let tries = 0; !check(); tries++) {
    if (tries === 400) throw new Error('it did not happen within 20 s')
    await Bun.sleep(50)
  }
}

/** A pipe as the file system has it: `write` is for the server, and `open` opens another end to read from. */
function makePipe() {
  const path = join(root, `pipe-${crypto.randomUUID()}`)
  Bun.spawnSync(['mkfifo', path])
  const open = () => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const read = open()
  return { read, write: openSync(path, constants.O_WRONLY), open }
}

/** What a pipe holds now, without waiting for more. */
function drained(fd: number): string {
  const parts: Buffer[] = []
  for (;;) {
    const part = Buffer.alloc(65536)
    try {
      const size = readSync(fd, part)
      if (size === 0) break
      parts.push(part.subarray(0, size))
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') throw error
      break
    }
  }
  return Buffer.concat(parts).toString()
}

describe('the server goes on, and counts what its log loses, where standard output', () => {
  test('is full', async () => {
    const server = await startWith(openSync('/dev/full', 'w'))
    await server.answers(flood)
    expect(await server.dropped()).toBeGreaterThan(0)
    expect(server.child.exitCode).toBeNull()
  }, 60_000)

  test('is a file that cannot grow for a while: then it says how many lines are missing', async () => {
    if (Bun.which('prlimit') === null) return
    const path = join(root, 'log')
    const server = await startWith(openSync(path, 'a'))
    const limit = (bytes: string) =>
      expect(Bun.spawnSync(['prlimit', '--pid', `${server.child.pid}`, `--fsize=${bytes}:unlimited`]).exitCode).toBe(0)
    // In the middle of a line, which then is finished later.
    limit(`${statSync(path).size + 1000}`)
    await server.answers(flood)
    const dropped = await server.dropped()
    expect(dropped).toBeGreaterThan(0)
    limit('unlimited')
    await until(() => readFileSync(path, 'utf8').includes('lines of the log were dropped'))
    const lines = linesOf(readFileSync(path, 'utf8'))
    expect(lines.find(isDropped)).toMatchObject({ level: 'error', reason: 'EFBIG' })
    // None is missing, and none is there twice.
    const before = lines.findIndex(isDropped)
    const told = lines.slice(0, before).filter(({ msg }) => msg === 'request').length
    expect(told + Number(lines[before]!.dropped)).toBeGreaterThanOrEqual(flood)
    await server.answers(50)
    await until(() => linesOf(readFileSync(path, 'utf8')).length >= lines.length + 50)
  }, 60_000)

  test('is a pipe that nobody reads, and goes on telling once somebody does', async () => {
    const pipe = makePipe()
    const server = await startWith(pipe.write)
    await server.answers(flood)
    const dropped = await server.dropped()
    expect(dropped).toBeGreaterThan(0)
    let text = ''
    await until(() => (text += drained(pipe.read)).includes('lines of the log were dropped'))
    await server.answers(50)
    await until(() => linesOf((text += drained(pipe.read))).filter(({ msg }) => msg === 'request').length > 0)
    const lines = linesOf(text)
    const notice = lines.find(isDropped)!
    expect(notice).toMatchObject({ level: 'error', reason: 'slow' })
    expect(notice.dropped).toBeGreaterThanOrEqual(dropped)
    closeSync(pipe.read)
  }, 60_000)

  test('is a pipe whose reader has gone; another one finds whole lines', async () => {
    const pipe = makePipe()
    const server = await startWith(pipe.write)
    server.child.kill('SIGPIPE')
    closeSync(pipe.read)
    await server.answers(flood)
    expect(await server.dropped()).toBeGreaterThan(0)
    const read = pipe.open()
    let text = ''
    await until(() => (text += drained(read)).includes('lines of the log were dropped'))
    // What stood in the pipe went with its reader.
    const lines = linesOf(text.slice(text.indexOf('\n') + 1))
    expect(lines.find(isDropped)).toMatchObject({ reason: 'EPIPE' })
    closeSync(read)
  }, 60_000)

  test('is a socket that is closed, as of a journal that ends', async () => {
    const port = freePort()
    const child = Bun.spawn(command, {
      env: { PATH: process.env.PATH, PORT: `${port}`, DATA_DIR: join(root, 'data'), LOG_LEVEL: 'debug' },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    running.push(child)
    const reader = child.stdout.getReader()
    for (let text = ''; !text.includes('is ready');) text += new TextDecoder().decode((await reader.read()).value)
    await reader.cancel()
    for (let i = 0; i < 100; i++) expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200)
    expect(child.exitCode).toBeNull()
  }, 60_000)

  test('is closed from the start', async () => {
    const server = await startWith(openSync('/dev/null', 'w'), {
      own: ['sh', '-c', `exec ${command.join(' ')} >&-`],
    })
    await server.answers(50)
    expect(server.child.exitCode).toBeNull()
  }, 60_000)
})

test('a slow reader gets every line once, in order, with none dropped', async () => {
  const pipe = makePipe()
  const server = await startWith(pipe.write)
  let text = ''
  for (let i = 0; i < 10; i++) {
    await server.answers(100)
    text += drained(pipe.read)
  }
  await until(() => {
    text += drained(pipe.read)
    return linesOf(text.slice(0, text.lastIndexOf('\n'))).filter(({ msg }) => msg === 'request').length >= 1000
  })
  expect(await server.dropped()).toBe(0)
  text += drained(pipe.read)
  const ids = linesOf(text.slice(0, text.lastIndexOf('\n'))).flatMap(({ request_id }) => request_id ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  closeSync(pipe.read)
}, 60_000)

test('an error that nothing caught is logged as fatal, and ends the server with 1', async () => {
  for (const defect of ['throw new Error("a defect")', 'Promise.reject(new Error("a defect"))']) {
    const preload = join(root, 'preload.ts')
    await Bun.write(preload, `process.on('SIGWINCH', () => { ${defect} })`)
    const path = join(root, 'defect.log')
    const own = [process.execPath, '--preload', preload, join(import.meta.dir, '../../src/main.ts')]
    const server = await startWith(openSync(path, 'w'), { own })
    server.child.kill('SIGWINCH')
    expect(await server.child.exited).toBe(1)
    const last = linesOf(readFileSync(path, 'utf8')).at(-1)
    expect(last).toMatchObject({ level: 'fatal', err: { message: 'a defect' } })
  }
}, 60_000)

describe('what repeats', () => {
  const minute = 60_000
  function logged(level = 'info') {
    const lines: Record<string, any>[] = []
    const log = openLog({ logLevel: level as 'info' }, { to: { write: (line) => void lines.push(JSON.parse(line)) } })
    return { log, lines }
  }
  afterEach(() => void jest.useRealTimers())

  test('is logged at once, and then once a minute with a count', () => {
    jest.useFakeTimers()
    const { log, lines } = logged()
    const fail = (id: number) =>
      log.error({ request_id: `r${id}`, route: '/x', err: new Error(`row ${id} is locked`) }, 'request failed')
    for (let i = 0; i < 1744; i++) fail(i)
    expect(lines.length).toBe(1)
    expect(lines[0]).not.toHaveProperty('repeated')
    jest.advanceTimersByTime(minute)
    expect(lines.length).toBe(2)
    // The newest one stands for all.
    expect(lines[1]).toMatchObject({ level: 'error', request_id: 'r1743', repeated: 1743, msg: 'request failed' })
    fail(2000)
    jest.advanceTimersByTime(minute)
    expect(lines[2]).toMatchObject({ repeated: 1, request_id: 'r2000' })
    // A minute without ends it: the next one is told at once again.
    jest.advanceTimersByTime(minute)
    expect(lines.length).toBe(3)
    fail(3000)
    expect(lines.length).toBe(4)
  })

  test('is told apart by route, error and text; what is fatal, and what is no failure, is always logged', () => {
    const { log, lines } = logged('debug')
    log.error({ route: '/x', err: new Error('a') }, 'request failed')
    log.error({ route: '/y', err: new Error('a') }, 'request failed')
    log.error({ route: '/x', err: new TypeError('a') }, 'request failed')
    log.error({ route: '/x', err: Object.assign(new Error('a'), { code: 'ENOSPC' }) }, 'request failed')
    log.warn({ route: '/x', err: new Error('a') }, 'request failed')
    log.warn('a text alone')
    log.warn('another text')
    expect(lines.length).toBe(7)
    for (let i = 0; i < 3; i++) {
      log.fatal('the end')
      log.info({ route: '/x' }, 'request')
      log.debug('detail')
    }
    expect(lines.length).toBe(16)
  })

  test('takes a fixed amount of memory, however many different errors there are', () => {
    jest.useFakeTimers()
    const { log, lines } = logged()
    const names = Array.from({ length: 1500 }, (_, i) => `route ${i}`)
    for (const route of [...names, ...names]) log.error({ route }, 'request failed')
    expect(lines.length).toBe(2000)
    jest.advanceTimersByTime(minute)
    expect(lines.length).toBe(3000)
  })
})

describe('the log of a server that runs', () => {
  const running: { end(): Promise<number>; dataDir: string }[] = []
  afterEach(async () => {
    for (const { end, dataDir } of running.splice(0)) {
      await end()
      rmSync(dataDir, { recursive: true })
    }
  })

  type Session = { user: { id: string }; access_token: string; refresh_token: string }
  type Line = Record<string, unknown> & { level: string; msg: string }

  /** A server in its own process; `stop` ends it and returns its log. */
  async function serve(settings: Record<string, string>) {
    const dataDir = mkdtempSync(join(tmpdir(), 'convene-service-'))
    const server = await startServer({ DATA_DIR: dataDir, ...settings })
    const { base } = server
    running.push({ end: () => server.end('SIGKILL'), dataDir })
    return {
      base,
      ask: (path: string, body?: unknown, headers: Record<string, string> = {}) =>
        fetch(new URL(path, base), {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      async stop() {
        const code = await server.end()
        const output = server.log()
        const lines = output.trimEnd().split('\n')
        return { code, output, lines: lines.map((line) => JSON.parse(line) as Line) }
      },
    }
  }

  const ada = { email: 'ada@example.org', password, name: 'Ada', consents }

  test('has the start, failures and the end as one JSON object a line, and no successful request', async () => {
    const server = await serve({ LOG_LEVEL: 'info' })
    expect((await server.ask('/api/v1/auth/register', ada)).status).toBe(201)
    expect((await server.ask('/api/v1/me')).status).toBe(401)
    const failed = await server.ask('/api/v1/auth/messenger', { init_data: 'user=secret-user&hash=00' })
    expect(failed.status).toBe(503)
    const metrics = await (await server.ask('/metrics')).text()
    expect(metrics).toMatch(/^convene_write_group_size_count [1-9]/m)
    expect(metrics).toMatch(/^process_resident_memory_bytes [1-9]/m)

    const { code, lines, output } = await server.stop()
    expect(code).toBe(0)
    // On a busy machine, the registration may take long enough to be logged.
    const told = lines.filter(({ msg, ms, status }) => msg !== 'request' || Number(ms) <= 1000 || status === 503)
    expect(told.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'schema brought up to date'],
      ['info', expect.stringMatching(/^Convene is ready at http:/)],
      ['warn', 'request'],
      ['info', 'stopping'],
    ])
    expect(told[2]).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      request_id: failed.headers.get('x-request-id'),
      method: 'POST',
      route: '/api/v1/auth/messenger',
      status: 503,
      ms: expect.any(Number),
      msg: 'request',
    })
    for (const hidden of ['secret-user', password, ada.email]) expect(output).not.toContain(hidden)
  })

  test('has every request at LOG_LEVEL=debug, by its pattern, without tokens, positions or names', async () => {
    const server = await serve({ LOG_LEVEL: 'debug' })
    const session = (await (await server.ask('/api/v1/auth/register', ada)).json()) as Session
    const authorization = `Bearer ${session.access_token}`
    await server.ask('/api/v1/search/nearby?lat=38.71693&lng=-9.13991', undefined, { authorization })
    await server.ask(`/api/v1/users/${session.user.id}?_t=${session.access_token}`)
    await server.ask('/api/v1/nowhere/secret-path?_t=secret-token')
    // The line is written after the answer, so the server may end before the last one.
    await server.ask('/health')

    const { lines, output } = await server.stop()
    const requests = lines.filter(({ msg }) => msg === 'request')
    expect(requests.slice(0, 4).map(({ method, route, status }) => [method, route, status])).toEqual([
      ['POST', '/api/v1/auth/register', 201],
      ['GET', '/api/v1/search/nearby', 200],
      ['GET', '/api/v1/users/:id', 200],
      ['GET', 'none', 404],
    ])
    for (const { level, ms, request_id } of requests) {
      expect(level).toBe(Number(ms) > 1000 ? 'warn' : 'debug')
      expect(request_id).toBeString()
    }
    const hidden = ['secret', '38.71', '-9.13', session.access_token, session.refresh_token, password, ada.email]
    // The seconds of a time may equal the digits of a position.
    const told = output.replaceAll(/"time":"[^"]*"/g, '')
    for (const text of [...hidden, session.user.id]) expect(told).not.toContain(text)
  })
})
