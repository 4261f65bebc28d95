import { appendFileSync, closeSync, openSync, readSync, statSync } from 'node:fs'
import { type Config, environmentForPrograms } from '../config.ts'
import { messageOf } from '../lib/errors.ts'
import { newest } from '../storage/migrate.ts'
import { libpqEnvironment } from '../storage/postgres/libpq.ts'
import { readSnapshotBesideNodes } from '../storage/postgres/copy.ts'
import type { Queries } from '../storage/postgres/queries.ts'
import { type ServerUrl, serversOf } from '../storage/postgres/url.ts'
import { appendChecksum, matchesChecksum } from '../storage/sqlite/checksum.ts'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/**
 * A backup as pg_dump writes it, in its custom format. Two lines follow, which pg_restore does not read: what it holds, and a
 * checksum of all before it.
 */
export type Dumped = Static<typeof dumped>

const dumped = Type.Object({
  made_at: Type.String(),
  release: Type.String(),
  /** The newest migration that this release knew. */
  schema: Type.Number(),
  users: Type.Number(),
  messages: Type.Number(),
})

const line = /\nconvene-dump (\{.*\})\nconvene-backup-sha256 [0-9a-f]{64}\n$/
const longestLine = 1000

/** Whether a file begins like pg_dump's custom format. */
export function isDump(path: string): boolean {
  if (!statSync(path).isFile()) return false
  return read(path, 0, 5).toString('latin1') === 'PGDMP'
}

function read(path: string, at: number, length: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, at))
  } finally {
    closeSync(file)
  }
}

/** Why pg_dump and pg_restore cannot be used with a server of that major version; null where they can. */
function dumpProblem(serverMajor: number): string | null {
  for (const program of ['pg_dump', 'pg_restore']) {
    if (Bun.which(program) === null) return `${program} is not on PATH`
    const { stdout } = Bun.spawnSync([program, '--version'], { stderr: 'ignore' })
    const major = Number(/(\d+)/.exec(stdout.toString())?.[1] ?? 0)
    if (major < serverMajor) return `${program} is of PostgreSQL ${major}, and the server of ${serverMajor}`
  }
  return null
}

/** `dump`: as pg_dump writes it. `file`: an SQLite database, which needs no program of PostgreSQL's. */
export type Form = 'dump' | 'file'

type Where = Pick<Config, 'database' | 'media'>

/** Which form a backup under that name has. Throws where its ending asks for one that cannot be made. */
export async function formOf(path: string, { media }: Pick<Where, 'media'>, q: Queries): Promise<Form> {
  if (path.endsWith('.db')) return 'file'
  const problem =
    media === null ? 'the photos in DATA_DIR/media would not be in it' : dumpProblem(await majorVersion(q))
  if (problem === null) return 'dump'
  if (path.endsWith('.dump'))
    throw new Error(
      `no backup can be made by pg_dump: ${problem}. Choose a name that ends in .db, for one of Convene's own form`,
    )
  return 'file'
}

const majorVersion = async (q: Queries) =>
  Math.floor((await q.one<{ n: number }>("SELECT current_setting('server_version_num')::int AS n")).n / 10_000)

/** How the name of a scheduled backup of PostgreSQL ends. */
export async function endingOf(config: Where): Promise<'dump' | 'db'> {
  const form = await readSnapshotBesideNodes(serverUrl(config), ({ q }) => formOf('', config, q))
  return form === 'dump' ? 'dump' : 'db'
}

/** The URL of PostgreSQL, for what has no meaning on another engine. */
export function serverUrl({ database }: Pick<Where, 'database'>): string {
  if (database.engine !== 'postgres') throw new Error('DATABASE_URL names no PostgreSQL')
  return database.url
}

/**
 * Writes a dump of a server's snapshot, which its transaction has exported, into an empty file. Examined and on disk when it
 * resolves. What nodes keep for themselves is left out.
 */
export async function writeDump(
  file: string,
  { server, snapshot, holds }: { server: ServerUrl; snapshot: string; holds: Omit<Dumped, 'schema'> },
): Promise<void> {
  const passing = ['--exclude-table-data=job_turns', '--exclude-table-data=nodes']
  await run(
    ['pg_dump', '--format=custom', '--no-password', `--snapshot=${snapshot}`, ...passing, `--file=${file}`],
    server,
  )
  // Reads and unpacks all of it.
  await run(['pg_restore', '--file=/dev/null', file], server)
  appendFileSync(file, `\nconvene-dump ${JSON.stringify({ ...holds, schema: newest } satisfies Dumped)}\n`)
  appendChecksum(file)
}

/** Examines a dump and answers what it holds. Throws where it is not whole, or newer than this release knows. */
export function examineDump(path: string): Dumped {
  const { size } = statSync(path)
  const matches = matchesChecksum(path)
  if (matches === false)
    throw new Error(`${path} is damaged: what it holds does not match its checksum. Choose another backup`)
  const last = Math.min(size, longestLine)
  const [, said] = line.exec(read(path, size - last, last).toString('latin1')) ?? []
  if (matches === null || said === undefined)
    throw new Error(
      `${path} is cut off, or no backup of Convene: it does not end with a checksum. What pg_dump has written alone is for pg_restore`,
    )
  const holds: unknown = JSON.parse(said)
  if (!Value.Check(dumped, holds)) throw new Error(`${path} does not say what it holds: choose another backup`)
  if (holds.schema > newest)
    throw new Error(`${path} is of Convene ${holds.release}, newer than this release: use that one, or an older backup`)
  return holds
}

/** Fills an empty database, in one transaction. */
export async function unpackDump(file: string, server: ServerUrl): Promise<void> {
  // Not a name, which pg_restore would read as a connection string if it looked like one.
  const database = `dbname='${serversOf(server.url).database.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  const safely = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password']
  await run(['pg_restore', ...safely, `--dbname=${database}`, file], server)
}

/** Throws with the last line that the program has printed. */
async function run(command: [string, ...string[]], server: ServerUrl): Promise<void> {
  try {
    const child = Bun.spawn(command, {
      env: { ...environmentForPrograms(), LC_ALL: 'C', ...libpqEnvironment(server) },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const said = await child.stderr.text()
    if ((await child.exited) === 0) return
    throw new Error(said.trim().split('\n').at(-1) || `ended with ${child.signalCode ?? child.exitCode}`)
  } catch (error) {
    throw new Error(`${command[0]}: ${messageOf(error)}`, { cause: error })
  }
}
