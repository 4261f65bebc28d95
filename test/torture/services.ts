import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { Skipped, until } from './run.ts'
import { keep, servicePassword } from './server.ts'

// What a case with several nodes needs beside them: PostgreSQL, Redis and nginx of its own, on free ports.

const debian = '/usr/lib/postgresql'
const superuser = 'postgres'
export const owner = 'convene'
export const databaseName = 'convene'

/** Where the programs of the newest PostgreSQL are. */
function postgresPrograms(): string {
  const releases = readdirSafely(debian).toSorted((a, b) => Number(b) - Number(a))
  const directory = releases
    .map((release) => join(debian, release, 'bin'))
    .find((path) => Bun.which('initdb', { PATH: path }))
  if (directory) return directory
  const inPath = Bun.which('initdb')
  if (inPath === null) throw new Skipped('no PostgreSQL (initdb)')
  return join(inPath, '..')
}

function readdirSafely(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** PostgreSQL refuses to run as root, and runs as its own user then. */
function postgresUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  if (uid === undefined) throw new Skipped('no user postgres to run PostgreSQL as')
  return { uid: Number(uid), gid: Number(gid) }
}

/** Throws Skipped where this machine lacks a program that a case needs. */
export function requirePrograms() {
  postgresPrograms()
  postgresUser()
  for (const program of ['redis-server', 'nginx']) if (Bun.which(program) === null) throw new Skipped(`no ${program}`)
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

export type Postgres = Awaited<ReturnType<typeof postgresIn>>

/** A new PostgreSQL with an empty database, in that directory. It runs. */
export async function startPostgres(directory: string): Promise<Postgres> {
  const postgres = await postgresIn(directory)
  const secret = join(directory, 'password')
  writeFileSync(secret, servicePassword, { mode: 0o644 })
  await postgres.run(
    'initdb',
    '-N',
    '-A',
    'scram-sha-256',
    '-U',
    superuser,
    `--pwfile=${secret}`,
    '-E',
    'UTF8',
    '--locale=C',
    '-D',
    postgres.data,
  )
  await postgres.start()
  await using admin = postgres.client(superuser, 'postgres')
  await admin.unsafe(`CREATE ROLE ${owner} LOGIN PASSWORD '${servicePassword}'`)
  await admin.unsafe(`CREATE DATABASE ${databaseName} OWNER ${owner}`)
  return postgres
}

/** A standby of it in that directory. It runs, and from now on no write is answered before it is there too. */
export async function startStandby(primary: Postgres, directory: string): Promise<Postgres> {
  const standby = await postgresIn(directory)
  const there = ['-h', '127.0.0.1', '-p', `${primary.port}`, '-U', superuser]
  await standby.run('pg_basebackup', ...there, '-D', standby.data, '-R', '-N', '-c', 'fast', '-X', 'stream')
  await standby.start()
  await using admin = primary.client(superuser, 'postgres')
  // After the copy was made: the standby has none of its own to wait for.
  await admin.unsafe("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await admin.unsafe('SELECT pg_reload_conf()')
  const isSynchronous = async () =>
    (await admin.unsafe("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1
  await until('the standby to be synchronous', isSynchronous)
  return standby
}

async function postgresIn(directory: string) {
  const programs = postgresPrograms()
  const user = postgresUser()
  const data = join(directory, 'data')
  const port = freePort()
  mkdirSync(directory, { recursive: true })
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid!)
  let child: Bun.Subprocess | null = null
  let frozen = false

  const client = (name = owner, database = databaseName) =>
    new SQL(`postgres://${name}:${servicePassword}@127.0.0.1:${port}/${database}`, { max: 1, connectionTimeout: 3 })

  const accepts = () =>
    run('pg_isready', '-q', '-h', '127.0.0.1', '-p', `${port}`).then(
      () => true,
      () => false,
    )

  async function run(program: string, ...args: string[]) {
    const ended = Bun.spawn([join(programs, program), ...args], {
      ...user,
      cwd: directory,
      env: { PATH: process.env.PATH, PGPASSWORD: servicePassword },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    keep(ended)
    const [out, error] = await Promise.all([new Response(ended.stdout).text(), new Response(ended.stderr).text()])
    if ((await ended.exited) !== 0) throw new Error(`${program}: ${out}${error}`)
  }

  /** It and all that it has started. */
  const everyProcess = () => [child!.pid, ...childrenOf(child!.pid)]
  /** Kills all of it at once, and removes what it would itself at an end of its own. */
  const killAll = () => {
    const segment = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[6]?.trim().split(/\s+/)[1]
    for (const pid of everyProcess())
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has followed its parent.
      }
    if (segment) Bun.spawnSync(['ipcrm', '-m', segment])
  }

  return {
    port,
    data,
    run,
    client,

    /** Waits until it takes connections. */
    async start() {
      const settings = {
        port: `${port}`,
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        // Nothing stays in /dev/shm where it is killed.
        dynamic_shared_memory_type: 'mmap',
        shared_buffers: '32MB',
        // How soon a standby looks for a primary that is back.
        wal_retrieve_retry_interval: '500ms',
      }
      const log = Bun.file(join(directory, 'log'))
      child = Bun.spawn(
        [
          join(programs, 'postgres'),
          '-D',
          data,
          ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        { ...user, cwd: directory, env: { PATH: process.env.PATH }, stdin: 'ignore', stdout: log, stderr: log },
      )
      keep(child, () => (frozen ? killAll() : child!.kill('SIGQUIT')))
      await until(`PostgreSQL on port ${port}, see ${directory}`, accepts)
    },

    /** Stops it as `pg_ctl stop -m` does. */
    async stop(mode: 'fast' | 'immediate') {
      child!.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await child!.exited
    },

    /** As a machine dies: all of it at once, its files gone. */
    async die() {
      killAll()
      await child!.exited
      renameSync(data, `${data}.gone`)
    },

    /** As a machine hangs: its connections stand, and nothing comes from them. */
    freeze() {
      frozen = true
      for (const pid of everyProcess()) process.kill(pid, 'SIGSTOP')
    },

    /** Makes a standby the primary. */
    promote: () => run('pg_ctl', 'promote', '-D', data),
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

export type RedisServer = ReturnType<typeof redisOn>

/** A Redis that keeps nothing. It runs. */
export async function startRedis(): Promise<RedisServer> {
  const redis = redisOn(freePort())
  await redis.start()
  return redis
}

function redisOn(port: number) {
  let child: Bun.Subprocess | null = null
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--requirepass', servicePassword]
  return {
    url: `redis://:${servicePassword}@127.0.0.1:${port}`,
    async start() {
      child = Bun.spawn(['redis-server', ...settings], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
      keep(child)
      await until(`Redis on port ${port}`, () => isListening(port))
    },
    /** Ends it at once, with all that it holds. */
    async stop() {
      child!.kill('SIGKILL')
      await child!.exited
    },
  }
}

/**
 * nginx in front of servers on those ports of this machine. Answers its URL. Whoever refuses to connect is passed over for
 * two seconds; what was sent to one that died goes to another only where it may be asked twice: never a POST. One upstream
 * for requests and sockets: a node that has failed is trusted again when something that it began is over, which of sockets
 * alone takes long.
 */
export async function startNginx(directory: string, ports: readonly number[]): Promise<URL> {
  const port = freePort()
  mkdirSync(directory)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${directory}/pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
     error_log ${directory}/error.log emerg;
     events { worker_connections 4096; }
     http {
       ${kinds.map((kind) => `${kind}_temp_path ${directory}/${kind};`).join(' ')}
       access_log off;
       map $http_upgrade $convene_connection { default upgrade; '' ''; }
       upstream convene {
         ${ports.map((each) => `server 127.0.0.1:${each} fail_timeout=2s;`).join(' ')}
         keepalive 64;
         keepalive_timeout 45s;
       }
       server {
         listen 127.0.0.1:${port};
         location / {
           proxy_pass http://convene;
           proxy_http_version 1.1;
           proxy_set_header Host $host;
           proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
           proxy_set_header Upgrade $http_upgrade;
           proxy_set_header Connection $convene_connection;
           proxy_connect_timeout 2s;
           proxy_next_upstream error timeout;
           proxy_read_timeout 180s;
         }
       }
     }`,
  )
  chmodSync(directory, 0o755)
  const child = Bun.spawn(['nginx', '-c', file, '-e', join(directory, 'error.log')], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  keep(child, () => child.kill('SIGTERM'))
  await until(`nginx on port ${port}`, () => isListening(port))
  return new URL(`http://127.0.0.1:${port}`)
}

const isListening = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).then(
    (socket) => {
      socket.end()
      return true
    },
    () => false,
  )
