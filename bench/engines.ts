import { SQL } from 'bun'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './process.ts'

export type Engine = { url: string; pid: number; stop(): Promise<void> }

// As docs/scaling.md advises, at the size of a small machine. Every commit is on disk when it is answered.
const postgresSettings = {
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
  shared_buffers: '2GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  max_connections: '200',
  unix_socket_directories: '',
}

/** A PostgreSQL of its own, with an empty database; gone with the process. Null where none is installed. */
export async function startPostgres(): Promise<Engine | null> {
  const initdb = Bun.which('initdb') ?? globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().at(-1)
  if (initdb === undefined) return null
  const dir = mkdtempSync(join(tmpdir(), 'convene-bench-postgres-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  // It refuses to run as root.
  const isRoot = process.getuid!() === 0
  const asItself = isRoot ? ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'] : []
  if (isRoot) Bun.spawnSync(['chown', 'postgres', dir])
  const data = join(dir, 'data')
  const made = Bun.spawnSync([...asItself, initdb, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'])
  if (made.exitCode !== 0) throw new Error(`initdb failed: ${made.stderr.toString()}`)
  const port = freePort()
  const settings = Object.entries(postgresSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = Bun.spawn([...asItself, join(initdb, '../postgres'), '-D', data, '-p', `${port}`, ...settings], {
    stdout: 'ignore',
    stderr: Bun.file(join(dir, 'log')),
  })
  process.on('exit', () => child.kill('SIGQUIT'))
  await listening(port)
  const url = `postgres://postgres@127.0.0.1:${port}`
  await created(`${url}/postgres`)
  return {
    url: `${url}/convene`,
    pid: child.pid,
    async stop() {
      child.kill('SIGINT')
      await child.exited
    },
  }
}

/** Makes the database, as soon as the server is up: it listens a while before. */
async function created(url: string) {
  for (const end = performance.now() + 20_000; ; await Bun.sleep(25)) {
    const admin = new SQL(url, { max: 1 })
    try {
      await admin.unsafe('CREATE DATABASE convene')
      return
    } catch (error) {
      if (performance.now() > end) throw error
    } finally {
      await admin.close()
    }
  }
}

/** A Redis of its own that keeps nothing on disk; gone with the process. Null where none is installed. */
export async function startRedis(): Promise<Engine | null> {
  const program = Bun.which('redis-server') ?? Bun.which('valkey-server')
  if (program === null) return null
  const port = freePort()
  const child = Bun.spawn([program, '--port', `${port}`, '--bind', '127.0.0.1', '--save', ''], {
    cwd: tmpdir(),
    stdout: 'ignore',
  })
  process.on('exit', () => child.kill('SIGKILL'))
  await listening(port)
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function listening(port: number) {
  for (const end = performance.now() + 20_000; performance.now() < end; await Bun.sleep(25)) {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).catch(() => null)
    if (socket === null) continue
    socket.end()
    return
  }
  throw new Error(`nothing listens on port ${port}`)
}
