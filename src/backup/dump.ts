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
 * A backup in pg_dump's custom format, followed by two lines that pg_restore ignores: the contents of the backup, and a checksum
 * of everything before it.
 */
type Dumped = Static<typeof dumped>

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

/** Why pg_dump and pg_restore cannot be used with a server of that major version; null if they can. */
function dumpProblem(serverMajor: number): string | null {
  for (const program of ['pg_dump', 'pg_restore']) {
    if (Bun.which(program) === null) return `${program} is not on PATH`
    const { stdout } = Bun.spawnSync([program, '--version'], { stderr: 'ignore' })
    const major = Number(/(\d+)/.exec(stdout.toString())?.[1] ?? 0)
    if (major < serverMajor) return `${program} is of PostgreSQL ${major}, older than the server's ${serverMajor}`
  }
  return null
}

/** `dump`: pg_dump's custom format. `file`: an SQLite database, which needs none of PostgreSQL's programs. */
export type Form = 'dump' | 'file'

type Where = Pick<Config, 'database' | 'media'>

/** The form of a backup under that name. Throws if the name's ending demands a form that cannot be made. */
export async function formOf(path: string, { media }: Pick<Where, 'media'>, q: Queries): Promise<Form> {
  if (path.endsWith('.db')) return 'file'
  const problem =
    media === null ? 'the photos in DATA_DIR/media would not be in it' : dumpProblem(await majorVersion(q))
  if (problem === null) return 'dump'
  if (path.endsWith('.dump'))
    throw new Error(
      `pg_dump cannot make this backup: ${problem}. Choose a name that ends in .db for Convene's own format`,
    )
  return 'file'
}

const majorVersion = async (q: Queries) =>
  Math.floor((await q.one<{ n: number }>("SELECT current_setting('server_version_num')::int AS n")).n / 10_000)

/** The ending of the names of scheduled backups of PostgreSQL. */
export async function endingOf(config: Where): Promise<'dump' | 'db'> {
  const form = await readSnapshotBesideNodes(serverUrl(config), ({ q }) => formOf('', config, q))
  return form === 'dump' ? 'dump' : 'db'
}

/** The URL of the PostgreSQL database. Throws for another engine. */
export function serverUrl({ database }: Pick<Where, 'database'>): string {
  if (database.engine !== 'postgres') throw new Error('DATABASE_URL must name a PostgreSQL database for this')
  return database.url
}

/**
 * Writes a dump of an exported snapshot of a server into an empty file. Omits the nodes' own state. Resolves when the dump is
 * examined and on disk.
 */
export async function writeDump(
  file: string,
  { server, snapshot, holds }: { server: ServerUrl; snapshot: string; holds: Omit<Dumped, 'schema'> },
): Promise<void> {
  const excluded = ['--exclude-table-data=job_turns', '--exclude-table-data=nodes']
  await run(
    ['pg_dump', '--format=custom', '--no-password', `--snapshot=${snapshot}`, ...excluded, `--file=${file}`],
    server,
  )
  // Reads and unpacks the whole dump, which examines it.
  await run(['pg_restore', '--file=/dev/null', file], server)
  appendFileSync(file, `\nconvene-dump ${JSON.stringify({ ...holds, schema: newest } satisfies Dumped)}\n`)
  appendChecksum(file)
}

/** Examines a dump and returns its contents. Throws if it is damaged, incomplete, or of a newer release. */
export function examineDump(path: string): Dumped {
  const { size } = statSync(path)
  const matches = matchesChecksum(path)
  if (matches === false)
    throw new Error(`${path} is damaged: its content does not match its checksum. Choose another backup`)
  const last = Math.min(size, longestLine)
  const [, said] = line.exec(read(path, size - last, last).toString('latin1')) ?? []
  if (matches === null || said === undefined)
    throw new Error(
      `${path} is incomplete, or not a backup of Convene: it does not end with a checksum. Use pg_restore for a dump that pg_dump alone has written`,
    )
  const holds: unknown = JSON.parse(said)
  if (!Value.Check(dumped, holds)) throw new Error(`${path} lacks the record of its contents: choose another backup`)
  if (holds.schema > newest)
    throw new Error(`${path} is of Convene ${holds.release}, newer than this release: use that one, or an older backup`)
  return holds
}

/** Fills an empty database from a dump, in one transaction. */
export async function unpackDump(file: string, server: ServerUrl): Promise<void> {
  // Not a name, which pg_restore would read as a connection string if it looked like one.
  const database = `dbname='${serversOf(server.url).database.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  const safely = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--no-password']
  await run(['pg_restore', ...safely, `--dbname=${database}`, file], server)
}

/** Runs a program of PostgreSQL. If it fails, throws the last line that it has printed. */
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
