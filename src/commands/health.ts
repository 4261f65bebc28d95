import { isIPv6 } from 'node:net'
import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from '../config.ts'
import { isRecord } from '../lib/record.ts'

export const help = `usage: convene health [--ready]

Asks the server that runs on this machine, at HOST and PORT, whether it lives, and says so in one line: for whatever keeps
it running, such as the health check of a container. Run it with the same environment as the server.

  --ready   asks whether it is ready for requests, which it is not while it starts, stops, cannot reach its database, or has
            no room to write

Exit code: 0 where it lives, or is ready; 1 where it does not within two seconds.`

const patienceMs = 2000

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { ready: { type: 'boolean' } } })
  const url = addressOf(readConfig(), values.ready ? '/ready' : '/health')
  // A proxy of the environment is for others: the server is here.
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
    `Convene ${String(health.version)} ${values.ready ? 'is ready' : 'lives'} at ${url.origin}${isDegraded ? `, but not all of it: see ${url}` : ''}`,
  )
}

function addressOf({ host, port }: { host: string; port: number }, path: string): URL {
  if (port === 0) throw new ConfigError('PORT is 0, any that is free: to be asked, the server needs a port of its own')
  // A wildcard address cannot be connected to everywhere.
  const called = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return new URL(`http://${isIPv6(called) ? `[${called}]` : called}:${port}${path}`)
}
