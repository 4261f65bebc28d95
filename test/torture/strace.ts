import { Skipped } from './run.ts'
import type { Server } from './server.ts'

/**
 * Attaches strace to a running server, with a fault to inject into calls of the kernel, as `strace -e inject=…` takes it.
 * The answer takes it off again. Skips the case where strace is not at hand, or may not attach here.
 */
export async function inject(server: Pick<Server, 'pid'>, fault: string): Promise<() => Promise<void>> {
  if (Bun.which('strace') === null) throw new Skipped('no strace')
  const calls = fault.split(':', 1)[0]!
  const command = ['strace', '-f', '-qq', '-p', String(server.pid), '-o', '/dev/null', '-e', `trace=${calls}`]
  const strace = Bun.spawn([...command, '-e', 'signal=none', '-e', `inject=${fault}`], {
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const printed = new Response(strace.stderr).text()
  while (!(await isTraced(server.pid))) {
    if (strace.exitCode !== null) throw new Skipped(`strace cannot attach here: ${(await printed).trim()}`)
    await Bun.sleep(5)
  }
  return async () => {
    strace.kill('SIGTERM')
    await strace.exited
  }
}

/** Whether every thread of a process has its tracer. */
async function isTraced(pid: number): Promise<boolean> {
  try {
    for await (const status of new Bun.Glob(`task/*/status`).scan({ cwd: `/proc/${pid}`, absolute: true }))
      if (/^TracerPid:\s+0$/m.test(await Bun.file(status).text())) return false
    return true
  } catch {
    // A thread that ended meanwhile.
    return false
  }
}
