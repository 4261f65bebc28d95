import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Request = { method?: string; path: string; headers?: Record<string, string>; body?: string }

/**
 * What one run of load found: answers a second, without those that failed; latencies in milliseconds. `failed` counts answers
 * from 400 on and broken connections.
 */
export type Run = { perSecond: number; p50: number; p99: number; answers: number; failed: number }

export type Load = { connections?: number; seconds: number }

/** Where `wrk` is; null where this machine has none. */
export const wrk = () => Bun.which('wrk')

export const noWrk = 'wrk is not installed: apt-get install wrk'

/**
 * Sends the requests over and over, each connection one after the other, from one thread of wrk: it costs a fraction of
 * what a server does, so that on two cores the server has one for itself.
 */
export async function load(url: URL, requests: readonly Request[], { connections = 32, seconds }: Load): Promise<Run> {
  const dir = mkdtempSync(join(tmpdir(), 'convene-load-'))
  try {
    const script = join(dir, 'load.lua')
    await Bun.write(script, lua(requests))
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script, url.origin]
    const child = Bun.spawn([wrk()!, ...args], { stderr: 'inherit' })
    const output = await new Response(child.stdout).text()
    const result = /^RESULT (.*)$/m.exec(output)?.[1]
    if ((await child.exited) !== 0 || result === undefined) throw new Error(`wrk failed: ${output}`)
    const found = JSON.parse(result) as { requests: number; us: number; failed: number; p50: number; p99: number }
    return {
      perSecond: (found.requests - found.failed) / (found.us / 1e6),
      p50: found.p50 / 1000,
      p99: found.p99 / 1000,
      answers: found.requests,
      failed: found.failed,
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const lua = (requests: readonly Request[]) => `
local requests, next = {}, 0
init = function()
${requests
  .map(({ method = 'GET', path, headers = {}, body }) => {
    const table = Object.entries(headers).map(([name, value]) => `[${quoted(name)}] = ${quoted(value)}`)
    const all = [quoted(method), quoted(path), `{ ${table.join(', ')} }`, body === undefined ? 'nil' : quoted(body)]
    return `  requests[#requests + 1] = wrk.format(${all.join(', ')})`
  })
  .join('\n')}
end
request = function()
  next = next % #requests + 1
  return requests[next]
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"requests": %d, "us": %d, "failed": %d, "p50": %d, "p99": %d}\\n',
    summary.requests, summary.duration, e.status + e.connect + e.read + e.write + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
`

/** As a Lua string: JSON's escapes mean the same there, for ASCII text. */
function quoted(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error('requests under load are plain ASCII')
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The value that `part` of the values do not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!
}

/** The medians of several runs of the same load. */
export const medianRun = (runs: readonly Run[]): Run => ({
  perSecond: median(runs.map((run) => run.perSecond)),
  p50: median(runs.map((run) => run.p50)),
  p99: median(runs.map((run) => run.p99)),
  answers: runs.reduce((sum, run) => sum + run.answers, 0),
  failed: runs.reduce((sum, run) => sum + run.failed, 0),
})
