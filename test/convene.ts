import { join } from 'node:path'

/** What a command left behind: its exit code and what it printed. */
export type Outcome = { code: number; out: string; err: string }

/** Runs the command line as a process of its own, with no settings but the given ones. */
export async function convene(args: string[], settings: Record<string, string> = {}): Promise<Outcome> {
  const child = Bun.spawn([...command, ...args], {
    cwd: join(import.meta.dir, '..'),
    env: { PATH: process.env.PATH, ...settings },
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

const command = process.env.CONVENE_BIN ? [process.env.CONVENE_BIN] : [process.execPath, 'src/main.ts']
