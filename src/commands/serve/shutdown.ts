import type { App } from '../../app.ts'
import type { joinCluster } from '../../installation/cluster.ts'
import { seconds } from '../../lib/time.ts'
import type { Services } from '../../services.ts'
import { shownDatabase } from '../../storage/database-url.ts'
import type { Pool } from '../../workers/pool.ts'

type Running = {
  app: App
  services: Services
  stopJobs(): Promise<void>
  /** Null without WORKERS. */
  pool: Pool | null
  /** Null if the database is for one node. */
  cluster: Awaited<ReturnType<typeof joinCluster>> | null
}

/** Finishes requests, jobs and deliveries, and closes everything. Returns the exit code of the process. */
export async function shutDown({ app, services, stopJobs, pool, cluster }: Running): Promise<0 | 1> {
  const { config, log, storage, shared, replica, traces } = services
  const jobsStopped = stopJobs()
  const deliveryStopped = services.delivery.stop()
  const intakeStopped = services.bot.intake?.stop()
  // Load balancers see first that this node is not ready; then the sockets close, spread over time.
  services.hub.drain()
  await pool?.drain()
  const halfMs = config.drainSeconds * 500
  if (halfMs > 0) await Bun.sleep(halfMs)
  // Open sockets would block the shutdown.
  await Promise.all([services.hub.closeAll(halfMs), pool?.closeSockets(halfMs)])
  // Finishes requests and jobs, then closes the remaining connections.
  await Promise.race([Promise.all([pool?.stop(7000), jobsStopped]), Bun.sleep(8000)])
  await Promise.race([app.server?.stop(false), Bun.sleep(pool ? 1000 : 8000)])
  await app.server?.stop(true)
  await services.emails.settled()
  await Promise.race([Promise.all([intakeStopped, services.bot.settled()]), Bun.sleep(2000)])
  await deliveryStopped
  await shared?.close()
  await cluster?.leave()
  const isClosed = await storage.close().then(
    () => true,
    (error: unknown) => {
      // Nothing is lost: the next start applies the write-ahead log.
      log.error({ err: error, database: shownDatabase(config.database) }, 'the database could not be closed properly')
      return false
    },
  )
  // Ships the last commits. If the place cannot be reached, they stay on this disk until the next start.
  await replica?.close(5 * seconds)
  await traces?.close()
  return isClosed ? 0 : 1
}
