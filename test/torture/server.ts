import { readFileSync } from 'node:fs'
import { command } from '../convene.ts'
import { refuseSecrets } from '../unsaid.ts'

/** The real server, as a process of its own. */
export type Server = {
  url: URL
  pid: number
  /** All that it has printed. */
  output(): string
  signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void
  /** The exit code, or `SIG…` where a signal ended it. Throws where it has not ended within that time, or printed a secret. */
  ended(withinMs?: number): Promise<number | string>
  /** Ends it as an operator does, and fails where that does not go well. */
  stop(): Promise<void>
}

type Kept = {
  /** Ends it at once, with all that it has started. */
  end(): void
  /** Resolves once it has ended, and all that it has printed was looked at. */
  ended(): Promise<unknown>
}

const running = new Map<Bun.Subprocess, Kept>()
process.on('exit', () => {
  for (const { end } of running.values()) end()
})

/** Sees to it that a process does not outlive its case. */
export function keep(child: Bun.Subprocess, end: () => void = () => child.kill('SIGKILL')) {
  running.set(child, { end, ended: () => child.exited })
  void child.exited.then(() => running.delete(child))
}

/** The token of the bot by which people are signed in without the cost of a password's hash. */
export const botToken = '7000000000:torture-torture-torture-torture'

/** In every text that is sent, to find it again: no refusal and no line of the log may hold it. */
export const canary = 'zqCanary7'
/** Of everybody who has one. */
export const password = 'correct horse battery staple'
/** Of the databases and Redis that a case starts. */
export const servicePassword = 'torture-service-password'

const settings = {
  HOST: '127.0.0.1',
  PORT: '0',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'info',
  MESSENGER_BOT_TOKEN: botToken,
  INIT_DATA_MAX_AGE_S: '0',
}

/** Starts a server over a data directory, on a free port where `environment` names none, and waits until it is ready. */
export async function startServer(
  dataDir: string,
  environment: Record<string, string> = {},
  cwd?: string,
): Promise<Server> {
  const { child, output, search } = spawn(dataDir, environment, cwd)
  const ready = /ready at (http:[^\s"]+)/
  const ended = async (withinMs = 60_000) => {
    if (!(await Promise.race([child.exited.then(() => true), Bun.sleep(withinMs).then(() => false)])))
      throw new Error(`the server has not ended within ${withinMs} ms\n${output()}`)
    await search()
    return child.signalCode ?? child.exitCode!
  }
  const end = performance.now() + 60_000
  while (!ready.test(output())) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server did not start: ${await ended()}\n${output()}`)
    if (performance.now() > end) throw new Error(`the server was not ready within a minute\n${output()}`)
    await Bun.sleep(2)
  }
  return {
    url: new URL(ready.exec(output())![1]!),
    pid: child.pid,
    output,
    signal: (name) => child.kill(name),
    ended,
    async stop() {
      child.kill('SIGTERM')
      const code = await ended()
      if (code !== 0) throw new Error(`the server ended with ${code} instead of 0\n${output()}`)
    },
  }
}

/** Starts a server that is not expected to come up. */
export async function refusedStart(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<{ code: number | string; output: string }> {
  const { child, output, search } = spawn(dataDir, environment)
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000)
  await child.exited
  await search()
  clearTimeout(timer)
  return { code: child.signalCode ?? child.exitCode!, output: output() }
}

/** A start that is killed on its way, or soon after. */
export async function killedStart(
  dataDir: string,
  afterMs: number,
  settings: Record<string, string> = {},
): Promise<void> {
  const { child, search } = spawn(dataDir, settings)
  await Bun.sleep(afterMs)
  child.kill('SIGKILL')
  await search()
}

/** Ends what a case has left running, by its process id. Throws where one has printed a secret. */
export async function endAll(): Promise<void> {
  for (const { end } of running.values()) end()
  await Promise.all([...running.values()].map(({ ended }) => ended()))
}

/** Memory of a process that is resident now, in MiB. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

function spawn(dataDir: string, environment: Record<string, string>, cwd?: string) {
  const child = Bun.spawn([...command, 'serve'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings, DATA_DIR: dataDir, ...environment },
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed: string[] = []
  const read = Promise.all(
    [child.stdout, child.stderr].map(async (stream) => {
      for await (const chunk of stream.pipeThrough(new TextDecoderStream())) printed.push(chunk)
    }),
  )
  const output = () => printed.join('')
  const search = async () => {
    await read
    await child.exited
    running.delete(child)
    refuseSecrets(output(), [canary, password, botToken, servicePassword])
  }
  running.set(child, { end: () => child.kill('SIGKILL'), ended: search })
  return { child, output, search }
}
