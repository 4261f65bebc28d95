import { afterEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openServiceManager } from '../../src/installation/service-manager.ts'
import { command, startServer } from '../convene.ts'
import { openNotifySocket } from '../service-manager.ts'
import { until } from '../until.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

function newDataDir() {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-manager-'))
  cleanUp.push(() => rmSync(dataDir, { recursive: true }))
  return dataDir
}

async function start(settings: Record<string, string>) {
  const server = await startServer(settings)
  cleanUp.push(() => server.end('SIGKILL'))
  return server
}

// Where the C library is another one, the binary itself is still the same.
const linuxTest = test.skipIf(
  !existsSync('/lib/x86_64-linux-gnu/libc.so.6') && !existsSync('/lib/aarch64-linux-gnu/libc.so.6'),
)

linuxTest('systemd is told when the server is ready, reloads, lives and stops', async () => {
  const dataDir = newDataDir()
  const socket = openNotifySocket(join(dataDir, 'notify'))
  cleanUp.push(socket.close)
  const has = (message: string) => socket.messages().some((each) => each.split('\n').includes(message))
  const server = await start({
    DATA_DIR: dataDir,
    NOTIFY_SOCKET: join(dataDir, 'notify'),
    WATCHDOG_USEC: '100000',
  })
  await until(() => has('READY=1'), 'it is ready')
  expect(socket.messages()[0]).toBe('STATUS=starting')
  expect(has(`STATUS=serving at ${server.base.origin}`)).toBe(true)
  const alive = () => socket.messages().filter((each) => each === 'WATCHDOG=1').length
  await until(() => alive() >= 3, 'the watchdog is fed')

  process.kill(server.pid, 'SIGHUP')
  await until(() => has('RELOADING=1'), 'it reloads')
  const reloading = socket.messages().find((each) => each.startsWith('RELOADING=1'))!
  const { boot } = { boot: Number((await Bun.file('/proc/uptime').text()).split(' ')[0]) }
  const at = Number(/MONOTONIC_USEC=(\d+)/.exec(reloading)![1]) / 1e6
  expect(at).toBeGreaterThan(0)
  expect(at).toBeLessThan(boot + 1)
  const readyAgain = () =>
    socket
      .messages()
      .slice(socket.messages().indexOf(reloading))
      .some((each) => each.startsWith('READY=1'))
  await until(readyAgain, 'it has reloaded')

  expect(await server.end('SIGTERM')).toBe(0)
  expect(has('STOPPING=1')).toBe(true)
  // Nothing secret, no person: what systemd shows to every user of the machine.
  expect(socket.messages().every((each) => /^[A-Z_]+=[\w :/.=\n]*$/.test(each))).toBe(true)
})

linuxTest('the watchdog is fed when every thread answers, and not while one does not', async () => {
  const dataDir = newDataDir()
  const socket = openNotifySocket(join(dataDir, 'notify'))
  cleanUp.push(socket.close)
  const fed = () => socket.messages().filter((each) => each === 'WATCHDOG=1').length
  const settings = { DATA_DIR: dataDir, NOTIFY_SOCKET: join(dataDir, 'notify'), WATCHDOG_USEC: '100000', WORKERS: '2' }
  const server = await start(settings)
  await until(() => fed() >= 3, 'the watchdog is fed')
  expect(await server.end('SIGTERM')).toBe(0)

  const manager = openServiceManager({ socket: join(dataDir, 'notify'), watchdogMs: 10 })
  const thread = Promise.withResolvers<void>()
  manager.feedAfter(() => thread.promise)
  manager.ready('serving')
  const before = fed()
  await Bun.sleep(100)
  expect(fed()).toBe(before)
  thread.resolve()
  await until(() => fed() > before, 'it is fed again')
})

linuxTest('a watchdog of another process is not fed, and a socket that nobody reads stops nothing', async () => {
  const dataDir = newDataDir()
  const socket = openNotifySocket(join(dataDir, 'notify'))
  cleanUp.push(socket.close)
  const server = await start({
    DATA_DIR: dataDir,
    NOTIFY_SOCKET: join(dataDir, 'notify'),
    WATCHDOG_USEC: '2000',
    WATCHDOG_PID: '1',
  })
  const away = await start({ DATA_DIR: newDataDir(), NOTIFY_SOCKET: join(dataDir, 'none'), WATCHDOG_USEC: '2000' })
  expect((await fetch(new URL('/health', server.base))).status).toBe(200)
  expect(socket.messages()).not.toContain('WATCHDOG=1')
  expect((await fetch(new URL('/health', away.base))).status).toBe(200)
  expect([await server.end(), await away.end()]).toEqual([0, 0])
})

test('SIGHUP puts in force what can change, names what needs a restart, and keeps the old settings where new ones are wrong', async () => {
  const dataDir = newDataDir()
  const legal = join(dataDir, 'legal')
  mkdirSync(legal)
  writeFileSync(join(legal, 'terms.en.md'), 'The terms of old.')
  const write = (toml: string) => writeFileSync(join(dataDir, 'convene.toml'), toml)
  const base = `legal_dir = ${JSON.stringify(legal)}\nlog_level = "info"\n`
  write(`${base}[rate_limit]\nread = "5/1h"\n`)
  // No LOG_LEVEL in the environment, which would have precedence.
  const server = await start({ DATA_DIR: dataDir, LOG_LEVEL: '' })
  const terms = async () => {
    const answer = await fetch(new URL('/api/v1/legal/terms', server.base))
    return { limit: answer.headers.get('ratelimit-limit'), text: ((await answer.json()) as { text: string }).text }
  }
  expect(await terms()).toEqual({ limit: '5', text: 'The terms of old.' })
  const reloaded = async (says: string) => {
    const before = server.log().length
    process.kill(server.pid, 'SIGHUP')
    await until(() => server.log().slice(before).includes(says), `it says: ${says}`)
    return server.log().slice(before)
  }

  writeFileSync(join(legal, 'terms.en.md'), 'The terms of today.')
  write(`${base}host = "::1"\n[rate_limit]\nread = "700/1h"\n`)
  const log = await reloaded('settings have changed that need a restart')
  expect(log).toContain('"changed":["RATE_LIMIT"]')
  expect(log).toContain('"settings":["HOST"]')
  expect(await terms()).toEqual({ limit: '700', text: 'The terms of today.' })

  write(`${base}metrics_token = "hunter2"\n[rate_limit]\nread = "9/1h"\n`)
  const bad = await reloaded('settings are not reloaded: the old ones stay in force')
  expect(bad).toContain('METRICS_TOKEN must have at least 16 characters')
  expect(bad).not.toContain('hunter2')
  expect((await terms()).limit).toBe('700')

  writeFileSync(join(legal, 'terms.en.md'), ' ')
  write(base)
  expect(await reloaded('texts without content')).toContain('settings are not reloaded')
  expect(await terms()).toEqual({ limit: '700', text: 'The terms of today.' })

  write(`legal_dir = ${JSON.stringify(join(dataDir, 'nowhere'))}\n`)
  expect(await reloaded('settings are not reloaded')).toContain('LEGAL_DIR must be a directory that can be read')

  renameSync(join(legal, 'terms.en.md'), join(legal, 'term.en.md'))
  write(base)
  expect(await reloaded('files in LEGAL_DIR are not used')).toContain('"misnamed":["term.en.md"]')

  // A higher level is in force at once: the reload itself is not told any more.
  writeFileSync(join(legal, 'terms.en.md'), 'The terms of tomorrow.')
  write(`legal_dir = ${JSON.stringify(legal)}\nlog_level = "error"\n`)
  const before = server.log().length
  process.kill(server.pid, 'SIGHUP')
  await until(async () => (await terms()).text === 'The terms of tomorrow.', 'it has reloaded')
  expect(server.log().slice(before)).toBe('')
  expect(await server.end()).toBe(0)
})

test('a start names variables that are no settings, and settings that are half set', async () => {
  const server = await start({ DATA_DIR: newDataDir(), METRICS_TOKN: 'hunter2', BACKUP_KEEP: '3' })
  const lines = server.log().split('\n')
  expect(lines.find((line) => line.includes('is not a known setting'))).toContain('"meant":"METRICS_TOKEN"')
  expect(lines.some((line) => line.includes('BACKUP_KEEP is set without BACKUP_DIR'))).toBe(true)
  expect(server.log()).not.toContain('hunter2')
})

test('a crash loop shows in the metrics of the next start, and refusals by their cause', async () => {
  const settings = { DATA_DIR: newDataDir() }
  const metrics = async (server: { base: URL }) => (await fetch(new URL('/metrics', server.base))).text()
  await (await start(settings)).end('SIGKILL')
  const crashed = await start(settings)
  const after = await metrics(crashed)
  expect(after).toContain('\nconvene_starts_recent 2\n')
  expect(after).toContain('\nconvene_last_exit_unclean 1\n')
  expect(crashed.log()).toContain('the server was not stopped properly last time')
  // Shown before the first one, so that an alert sees a rise.
  expect(after).toContain('\nconvene_problems_total{code="storage_full"} 0\n')
  await fetch(new URL('/api/v1/auth/messenger', crashed.base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"init_data":"x"}',
  })
  expect(await metrics(crashed)).toContain('\nconvene_problems_total{code="messenger_not_configured"} 1\n')
  expect(await crashed.end()).toBe(0)
  const stopped = await start(settings)
  expect(await metrics(stopped)).toContain('\nconvene_last_exit_unclean 0\n')
  expect(stopped.log()).not.toContain('in order')
})

test('a server that is stopped while it starts has not crashed', async () => {
  const dataDir = newDataDir()
  const starts = join(dataDir, 'starts.json')
  const child = Bun.spawn(command, { env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0' }, stdout: 'pipe' })
  while (!existsSync(starts)) await Bun.sleep(1)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect(await new Response(child.stdout).text()).toContain('the server was still starting')
  expect(await Bun.file(starts).json()).toMatchObject({ ended: true })
})
