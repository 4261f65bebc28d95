import { join, resolve } from 'node:path'
import { refuseSecrets } from './unsaid.ts'

const root = join(import.meta.dir, '..')

/** How Convene is run: the binary that `CONVENE_BIN` names, or else the sources. Absolute, for any working directory. */
export const command = process.env.CONVENE_BIN
  ? [resolve(process.env.CONVENE_BIN)]
  : [process.execPath, join(root, 'src/main.ts')]

const ourPath = { PATH: process.env.PATH }

/** What a command left behind: its exit code and what it printed. */
export type Outcome = { code: number; out: string; err: string }

/** `env` is what the process gets beside its settings; `PATH` of this one, where nothing is said. */
type Where = { command?: string[]; cwd?: string; env?: Record<string, string> }

/** Runs the command line as a process of its own, with no settings but the given ones. Throws where it prints a secret. */
export async function convene(
  args: string[],
  settings: Record<string, string> = {},
  where: Where = {},
): Promise<Outcome> {
  const child = Bun.spawn([...(where.command ?? command), ...args], {
    cwd: where.cwd ?? root,
    env: { ...(where.env ?? ourPath), ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
    // A command that should have refused must not run on as a server.
    timeout: 50_000,
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  refuseSecrets(out + err)
  return { code, out, err }
}

/**
 * Starts a server on a free port, if the settings name none, and returns once it is ready. It logs each request, and
 * whatever it has printed is searched for secrets at its end.
 */
export async function startServer(settings: Record<string, string>, where: Where = {}) {
  const child = Bun.spawn(where.command ?? command, {
    cwd: where.cwd ?? root,
    // Nothing of the caller's own settings: they could change what is shown, or where it is stored.
    env: { ...(where.env ?? ourPath), PORT: '0', LOG_LEVEL: 'debug', ...settings },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const ready = Promise.withResolvers<URL>()
  let log = ''
  // To the end: a pipe that nobody empties would stop it.
  const read = Promise.all(
    [child.stdout, child.stderr].map(async (stream) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) {
        log += text
        const url = /ready at (http:[^"\s]+)/.exec(log)?.[1]
        if (url !== undefined) ready.resolve(new URL(url))
      }
    }),
  )
  void read.then(() => ready.reject(new Error(`the server did not start: ${log}`)))
  return {
    base: await ready.promise,
    pid: child.pid,
    /** All that it has printed. */
    log: () => log,
    /** Ends it by that signal and answers its exit code. Throws where it has printed a secret. */
    async end(signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGTERM'): Promise<number> {
      child.kill(signal)
      await read
      refuseSecrets(log)
      return child.exited
    },
  }
}
