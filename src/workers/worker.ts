import { parentPort, workerData } from 'node:worker_threads'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Files } from '../features/media/files.ts'
import { openWebFiles } from '../http/web-files.ts'
import { readSecrets } from '../installation/secrets.ts'
import { listenAsThread } from '../listen.ts'
import type { Kind } from '../outbox/store.ts'
import { applySettings } from '../reload.ts'
import { buildServices } from '../services.ts'
import { sqliteReadOnlyStorage } from '../storage/sqlite/storage.ts'
import { openLog } from '../telemetry/log.ts'
import { openMetrics } from '../telemetry/metrics.ts'
import { type Desk, deskToldAtOnce } from './exchange.ts'
import { front } from './front.ts'
import { openLink, type Port, remote } from './link.ts'
import type { Host, WorkerData } from './pool.ts'
import { sharedBy } from './shared.ts'
import { withWritesBy } from './storage.ts'

export type Worker = ReturnType<typeof offered>

/** The ports of a thread's services, by what the main thread offers over `port`. */
export function portsOver(port: Port, { databasePath, commits }: Pick<WorkerData, 'databasePath' | 'commits'>) {
  const offers: Record<string, object> = {}
  const link = openLink(port, offers)
  const host = remote<Host>(link, 'host', ['wake'])
  const files = remote<Pick<Files, 'put' | 'remove'>>(link, 'files')
  const { shared, told } = sharedBy(remote<Desk>(link, 'desk', deskToldAtOnce))
  offers.told = told
  const reading = sqliteReadOnlyStorage(databasePath, {
    commits: new Int32Array(commits),
    onFatal: (error, reason) => void host.fatal(error.message, reason),
  })
  return {
    offers,
    host,
    reading,
    ports: {
      storage: withWritesBy(link, reading),
      shared,
      wakeElsewhere: (kind: Kind) => void host.wake(kind),
      filesElsewhere: (own: Files) => ({ ...own, put: files.put, remove: files.remove }),
    },
  }
}

/**
 * A thread that answers requests beside the main one: it has services, sockets and a connection of its own, reads the file
 * itself, and has the main thread write.
 */
export async function runWorker(): Promise<void> {
  if (parentPort === null) throw new Error('this is no thread')
  const { port, mainSocket, ...database }: WorkerData = workerData
  const config = readConfig()
  const log = openLog(config)
  const { offers, host, reading, ports } = portsOver(parentPort, database)
  const { openTraces, traced } = await import('../telemetry/traces.ts')
  const traces = config.otlpEndpoint === null ? null : await openTraces(config.otlpEndpoint, config.otlpServiceName)
  const services = buildServices({
    ...ports,
    storage: traces === null ? ports.storage : traced(ports.storage),
    config,
    secrets: readSecrets(config),
    log,
    metrics: openMetrics({ ofWorker: true }),
    traces,
  })
  await services.maintenance.look()
  services.maintenance.start()
  const app = buildApp(services, await openWebFiles())
  const place = { hostname: config.host, port, reusePort: true } as const
  const server = listenAsThread(app, services, place, front(mainSocket, services.metrics))
  offers.worker = offered({ services, server, storage: reading })
  await host.ready(server.url.href)
  Bun.unsafe.setJITPolicy(1)
}

type Running = {
  services: ReturnType<typeof buildServices>
  server: ReturnType<typeof listenAsThread>
  storage: { close(): Promise<void> }
}

/** What the main thread asks of this one. */
const offered = ({ services, server, storage }: Running) => ({
  /** An answer says that its event loop runs. */
  ping() {},
  metrics: () => services.metrics.asJson(),
  /** The main thread has told the outcome. */
  reload: () => void applySettings(services),
  drain: () => services.hub.drain(),
  closeSockets: (withinMs: number) => services.hub.closeAll(withinMs),
  /** Finishes requests, at most for that long. */
  async stop(withinMs: number) {
    await Promise.race([server.stop(false), Bun.sleep(withinMs)])
    await server.stop(true)
    await storage.close()
  },
})
