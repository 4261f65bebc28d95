import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker as Thread } from 'node:worker_threads'
import type { App } from '../app.ts'
import { budgetInMemory } from '../features/location/search-budget.ts'
import { listenAsThread } from '../listen.ts'
import type { Kind } from '../outbox/store.ts'
import type { Services } from '../services.ts'
import { bytesOfCommits } from '../storage/sqlite/reads.ts'
import type { Storage } from '../storage/storage.ts'
import { type Exchange, openExchange, toldAtOnce } from './exchange.ts'
import { asError } from '../lib/errors.ts'
import { Refusal } from '../lib/refusal.ts'
import { peerOf } from './front.ts'
import { type Link, openLink, type Port, type Remote, remote } from './link.ts'
import { sharedBy } from './shared.ts'
import { offeredStores } from './storage.ts'
import type { Worker } from './worker.ts'

/** What a thread begins with. */
export type WorkerData = {
  /** 0 for any that is free. */
  port: number
  /** The Unix socket on which the main thread answers what the others pass on. */
  mainSocket: string
  databasePath: string
  commits: SharedArrayBuffer
}

/** What the main thread offers each of the others. */
export type Host = {
  ready(url: string): void
  wake(kind: Kind): void
  fatal(message: string, reason: string): void
}

type Options = {
  count: number
  databasePath: string
  onFatal(error: Error, reason: string): void
}

/** What the main thread has built, and the port of all. */
type Server = { app: App; services: Services; storage: Storage; port: number }

export type Pool = ReturnType<typeof openPool>

/** Threads that answer requests: `WORKERS`. */
export function openPool({ count, databasePath, onFatal }: Options) {
  const commits = new SharedArrayBuffer(bytesOfCommits)
  const directory = mkdtempSync(join(tmpdir(), 'convene-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const mainSocket = join(directory, 'main')
  const exchange = openExchange({ budget: budgetInMemory(Date.now) })
  const shared = sharedOfMain(exchange)
  const workers: Remote<Worker>[] = []
  let isStopping = false

  async function begin({ services, storage, port }: Server): Promise<string> {
    const ready = Promise.withResolvers<string>()
    const thread = new Thread(Bun.main, {
      workerData: { port, mainSocket, databasePath, commits } satisfies WorkerData,
    })
    const host: Host = {
      ready: ready.resolve,
      wake: services.delivery.wake,
      fatal: (message, reason) => onFatal(new Error(message), reason),
    }
    const link = attach(thread, { exchange, host, storage, services })
    thread.on('error', (error) => {
      ready.reject(error)
      onFatal(asError(error), 'a worker thread failed: the server ends')
    })
    thread.on('exit', () => {
      if (!isStopping) onFatal(new Error('a worker thread ended'), 'a worker thread ended: the server ends')
    })
    workers.push(remote<Worker>(link, 'worker'))
    return ready.promise
  }

  const all = <T>(ask: (worker: Remote<Worker>) => Promise<T>) => Promise.all(workers.map(ask))

  return {
    shared,
    peerOf,
    commits: new Int32Array(commits),

    /** Has the main thread answer what is passed on to it, starts the others, and answers the URL at which they listen. */
    async start(server: Server): Promise<URL> {
      listenAsThread(server.app, server.services, { unix: mainSocket })
      const url = new URL(await begin(server))
      const port = Number(url.port)
      await Promise.all(Array.from({ length: count - 1 }, () => begin({ ...server, port })))
      return url
    },

    /** Resolves when every thread has answered. */
    ping: () => all((worker) => worker.ping()),
    metrics: () => all((worker) => worker.metrics()),
    reload: () => all((worker) => worker.reload()),
    drain: () => all((worker) => worker.drain()),
    closeSockets: (withinMs: number) => all((worker) => worker.closeSockets(withinMs)),
    async stop(withinMs: number) {
      isStopping = true
      await all((worker) => worker.stop(withinMs))
    },
  }
}

type Attached = { exchange: Exchange; host: Host; storage: Storage; services: Pick<Services, 'files' | 'room'> }

/** Offers a thread at the other end of the port what it needs of the main one. */
export function attach(port: Port, { exchange, host, storage, services }: Attached): Link {
  const noteFull = (error: unknown) => {
    if (error instanceof Refusal && error.code === 'storage_full') services.room.refused()
  }
  const offers: Record<string, object> = { host, ...offeredStores(services.files, storage, noteFull) }
  const link = openLink(port, offers)
  offers.desk = exchange.join(remote(link, 'told', toldAtOnce))
  return link
}

/** The main thread is a member of the exchange like the others, without a port in between. */
export function sharedOfMain(exchange: Exchange) {
  const offers: Record<string, object> = {}
  const call = async (object: string, method: string, args: unknown[]): Promise<unknown> => {
    const target = offers[object]
    return target && Reflect.apply(Reflect.get(target, method), target, args)
  }
  const link: Link = { call, tell: (...told) => void call(...told) }
  offers.desk = exchange.join(remote(link, 'told'))
  const { shared, told } = sharedBy(remote(link, 'desk'))
  offers.told = told
  return shared
}
