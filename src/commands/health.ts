import { isIPv6 } from 'node:net'
import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from '../config.ts'
import { isRecord } from '../lib/record.ts'

export const help = `usage: convene health [--ready]

Asks the server on this machine, at HOST and PORT, whether it is alive, and prints the answer in one line, such as for the
health check of a container. Run it with the same environment as the server.

  --ready   asks whether it is ready for requests: it is not while it starts or stops, cannot reach its database, or has no
            disk space left

Exit code: 0 if it is alive, or ready; 1 if not, or if it does not answer within two seconds.`

const patienceMs = 2000

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ready: { type: 'boolean' } } })
  const url = addressOf(readConfig(), values.ready ? '/ready' : '/health')
  // The server is on this machine, so a proxy set in the environment is not used.
  const answer = await fetch(url, { proxy: false, signal: AbortSignal.timeout(patienceMs) }).catch((error: Error) => {
    throw new Error(`nothing answers at ${url}: is the server running, with this HOST and PORT?`, { cause: error })
  })
  const body: unknown = await answer.json().catch(() => null)
  const health = isRecord(body) ? body : null
  if (values.ready && health?.status === 'unavailable')
    throw new Error(`Convene ${String(health.version)} at ${url.origin} is not ready`)
  const isDegraded = values.ready === true && health?.status === 'degraded'
  if (health?.status !== 'ok' && !isDegraded)
    throw new Error(`what answers at ${url} with ${answer.status} is not Convene`)
  console.log(
    `Convene ${String(health.version)} ${values.ready ? 'is ready' : 'is alive'} at ${url.origin}${isDegraded ? `, but not all of it: see ${url}` : ''}`,
  )
}

function addressOf({ host, port }: { host: string; port: number }, path: string): URL {
  if (port === 0)
    throw new ConfigError('PORT is 0, which means any free port: set PORT, because this command has to know it')
  // Not every system can connect to a wildcard address.
  const called = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return new URL(`http://${isIPv6(called) ? `[${called}]` : called}:${port}${path}`)
}
