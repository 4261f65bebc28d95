import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { buildApp } from '../src/app.ts'
import { budgetInMemory } from '../src/features/location/search-budget.ts'
import { listenAsThread } from '../src/listen.ts'
import { buildServices, type Services } from '../src/services.ts'
import { traced } from '../src/telemetry/traces.ts'
import { openExchange } from '../src/workers/exchange.ts'
import { front } from '../src/workers/front.ts'
import { attach, type Host, sharedOfMain } from '../src/workers/pool.ts'
import { portsOver } from '../src/workers/worker.ts'
import type { App } from '../src/app.ts'
import { bytesOfCommits } from '../src/storage/sqlite/reads.ts'
import type { Storage } from '../src/storage/storage.ts'

type Ports = Omit<Parameters<typeof buildServices>[0], 'storage' | 'shared'>

/**
 * What the threads of a server have in common. Here they run in one thread, as nothing else would share a test's clock; all
 * else is as in a server: a port between each two, a connection and sockets of its own, and one port of TCP for all.
 */
export function openThreads({ databasePath, now }: { databasePath: string; now: () => number }) {
  const exchange = openExchange({ budget: budgetInMemory(now) })
  const commits = new SharedArrayBuffer(bytesOfCommits)
  const closing: (() => unknown)[] = []
  return {
    shared: sharedOfMain(exchange),
    commits: new Int32Array(commits),

    /** One more thread beside the main one. */
    join(main: { services: Services; storage: Storage }, ports: Ports, tracesStorage = false) {
      const { port1, port2 } = new MessageChannel()
      const host: Host = {
        ready() {},
        wake: main.services.delivery.wake,
        fatal(message) {
          throw new Error(message)
        },
      }
      attach(port1, { exchange, host, ...main })
      const { ports: own, reading } = portsOver(port2, { databasePath, commits })
      const stores = tracesStorage ? traced(own.storage) : own.storage
      closing.push(
        () => reading.close(),
        () => port1.close(),
      )
      const services = buildServices({ ...ports, ...own, storage: stores })
      return { app: buildApp(services), services }
    },

    /** Has the first of them answer what the others pass on, and those answer on a port of their own. */
    listen([main, ...others]: readonly { app: App; services: Services }[], dataDir: string): URL {
      const mainSocket = join(dataDir, 'main')
      listenAsThread(main!.app, main!.services, { unix: mainSocket })
      let port = 0
      for (const { app, services } of others)
        port = listenAsThread(
          app,
          services,
          { hostname: '127.0.0.1', port, reusePort: true },
          front(mainSocket, services.metrics),
        ).port!
      return new URL(`http://127.0.0.1:${port}`)
    },

    async close() {
      for (const close of closing) await close()
    },
  }
}

/** Asks any of the threads, as if that URL were theirs. Tells nothing of this client but what `headers` say. */
export function fetchAny(base: URL, url: URL, { headers, ...init }: RequestInit): Promise<Response> {
  const ours = new Headers({ host: url.host, 'user-agent': '' })
  for (const [name, value] of new Headers(headers)) ours.set(name, value)
  // As a proxy in front of them adds it: what comes from this machine itself may read the metrics.
  ours.append('x-forwarded-for', '127.0.0.1')
  return fetch(`${base.origin}${url.pathname}${url.search}`, {
    ...{ ...init, headers: ours, redirect: 'manual' },
    // Each connection goes to a random thread.
    keepalive: false,
  })
}
