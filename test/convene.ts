import { join, resolve } from 'node:path'

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

/** Runs the command line as a process of its own, with no settings but the given ones. */
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
    timeout: 20_000,
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** Starts a server on a free port, if the settings name none, and returns once it is ready. */
export async function startServer(settings: Record<string, string>, where: Where = {}) {
  const child = Bun.spawn(where.command ?? command, {
    cwd: where.cwd ?? root,
    // Nothing of the caller's own settings: they could change what is shown, or where it is stored.
    env: { ...(where.env ?? ourPath), PORT: '0', ...settings },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let log = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the server did not start: ${log}`)
    log += value
    const url = /ready at (http:[^"\s]+)/.exec(log)?.[1]
    if (url === undefined) continue
    // A pipe that nobody empties would stop it in the end.
    void (async () => {
      while (!(await reader.read()).done);
    })()
    return {
      base: new URL(url),
      pid: child.pid,
      /** Ends it by that signal and answers its exit code. */
      async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number> {
        child.kill(signal)
        return child.exited
      },
    }
  }
}
