import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'

/** A server that was started: ask it at `url`, and `stop` it in the end. */
export type Server = { url: URL; pid: number; stop(): Promise<void> }

type Start = {
  command: string[]
  env?: Record<string, string>
  cwd?: string
  url: URL
  /** What answers as soon as the server does. */
  path: string
}

/** Starts a server and waits for its first answer, whatever it is. */
export async function start({ command, env = {}, cwd, url, path }: Start): Promise<Server & { startedMs: number }> {
  const began = performance.now()
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...env }, stdout: 'ignore', stderr: 'inherit' })
  process.on('exit', () => child.kill('SIGKILL'))
  while (!(await answers(new URL(path, url)))) {
    if (child.exitCode !== null || performance.now() - began > 60_000) {
      child.kill('SIGKILL')
      throw new Error(`${command.join(' ')} did not start`)
    }
    await Bun.sleep(1)
  }
  return { url, pid: child.pid, startedMs: performance.now() - began, stop: () => stop(child) }
}

const answers = (url: URL) =>
  fetch(url).then(
    (response) => response.arrayBuffer().then(() => true),
    () => false,
  )

async function stop(child: Subprocess): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await child.exited
  clearTimeout(timer)
}

/** A port that nobody listens on now. */
export function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = probe
  probe.stop(true)
  return port!
}

/** Memory of a process in MiB: resident now, and at its highest. */
export function memory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)![1]) / 1024
  return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') }
}

export type OwnAndMapped = { own: number; mapped: number }

/**
 * MiB of processes, where each page counts in equal parts to all processes that have it: what is theirs, and what they have
 * mapped of files, such as their code and the database, which the kernel takes back where it needs room.
 */
export function proportionalMemory(pids: readonly number[]): OwnAndMapped {
  const rollups = pids.map((pid) => ofProcess(pid, 'smaps_rollup') ?? '')
  const mebibytes = (field: string) =>
    rollups.reduce((sum, one) => sum + Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(one)?.[1] ?? 0), 0) / 1024
  return { own: mebibytes('Pss_Anon') + mebibytes('Pss_Shmem'), mapped: mebibytes('Pss_File') }
}

/** A file of a process; null where that has ended meanwhile, as the workers of a server come and go. */
function ofProcess(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return null
    throw error
  }
}

/** Seconds of CPU that processes have used so far, in user and kernel mode, with those of children that have ended. */
export function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const stat = ofProcess(pid, 'stat')
    // Those of a child that has ended are its parent's now.
    if (stat === null) return 0
    // The name before it may hold anything; utime to cstime are the 14th to 17th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  })
  return ticks.reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond
}

// USER_HZ, which is this on every Linux that Bun runs on.
const ticksPerSecond = 100

/** A process and all below it. */
export function family(pid: number): number[] {
  const children = ofProcess(pid, `task/${pid}/children`) ?? ''
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(family)]
}

/** What a server answered, to be answered by a bare one. */
export async function answerOf(url: URL, path: string, headers: Record<string, string>) {
  const response = await fetch(new URL(path, url), { headers })
  const { date: _, 'content-length': __, ...kept } = Object.fromEntries(response.headers)
  return { status: response.status, headers: kept, body: await response.text() }
}

/** Starts a server of Bun alone that answers just this, and publishes `frame`. */
export function startBare(answer: Awaited<ReturnType<typeof answerOf>>, frame = ''): Promise<Server> {
  const port = freePort()
  return start({
    command: [process.execPath, join(import.meta.dir, 'bare.ts')],
    env: { PORT: String(port), ANSWER: JSON.stringify(answer), FRAME: frame },
    url: new URL(`http://127.0.0.1:${port}`),
    path: '/answer',
  })
}
