import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import { isHalfRestored, removeServerWork, resolveRestore } from '../backup/restore-switch.ts'
import { removeLeftovers } from '../backup/scheduled.ts'
import { type Config, readConfig, settings, takeNotification } from '../config.ts'
import { openWebFiles } from '../http/web-files.ts'
import { joinCluster, thisNode } from '../installation/cluster.ts'
import { holdData } from '../installation/data-directory.ts'
import { claimPhotosLater, refuseForeignAssets } from '../installation/ownership.ts'
import { beginRun, type Run } from '../installation/runs.ts'
import { missingSecrets } from '../installation/secrets.ts'
import { watchSharedSettings } from '../installation/shared-settings.ts'
import { openServiceManager } from '../installation/service-manager.ts'
import { jobs, logLeftovers, startJobs } from '../jobs.ts'
import { messageOf } from '../lib/errors.ts'
import { settingsAsHelp } from '../lib/settings.ts'
import { listen, refuseTakenPort } from '../listen.ts'
import { logTexts, ownLegalTexts, reload, warnOfSettings } from '../reload.ts'
import { buildServices } from '../services.ts'
import { refuseForeign } from '../storage/open.ts'
import { openLog } from '../telemetry/log.ts'
import { openMetrics } from '../telemetry/metrics.ts'
import { openPorts } from './serve/ports.ts'
import { refusePlaces, refuseWorkers, warnOfLostDatabase } from './serve/preflight.ts'
import { shutDown } from './serve/shutdown.ts'
import { endOnUncaught, openSignals } from './serve/signals.ts'

export const help = `usage: convene [serve]

Runs the server: creates DATA_DIR and its secrets at the first start, brings the schema up to date, listens, and logs the
address. SIGTERM, SIGINT and SIGQUIT stop it after running requests are finished, a second SIGINT stops it at once. SIGHUP
reloads the settings that are marked so below, or stops the server if standard input is a terminal. SIGUSR1 and SIGUSR2 are
logged and ignored.

Settings are environment variables, all optional. NAME_FILE=PATH reads one from a file, and convene.toml in DATA_DIR, or
--config FILE, may hold any of them in small letters (port = 3000). Variables have precedence:

${settingsAsHelp(settings)}

convene check tells whether they are fit for production.`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  parseArgs({ args })
  await serve(readConfig())
}

/** Migrates, listens and returns. Ends the process on SIGTERM and the like, after finishing requests and jobs. */
export async function serve(config: Config): Promise<void> {
  const begun: { run?: Run } = {}
  try {
    await start(config, () => (begun.run = beginRun(config.dataDir, Date.now())))
  } catch (error) {
    begun.run?.refuse()
    throw error
  }
}

async function start(config: Config, begin: () => Run): Promise<void> {
  const manager = openServiceManager(takeNotification())
  manager.status('starting')
  const legal = ownLegalTexts(config)
  refuseWorkers(config)
  // Checked first: a start that cannot succeed must not migrate the database under a running server.
  refuseTakenPort(config)
  const { database } = config
  const halfRestored = database.engine === 'sqlite' && isHalfRestored(database.path)
  // Skipped for a database that a restore is about to replace.
  if (!halfRestored) await refuseForeign(database)
  const metrics = openMetrics({ ofProcess: true })
  const log = openLog(config, { onDropped: metrics.logLineDropped })
  endOnUncaught(log)
  const signals = openSignals(log)
  if (config.configFile !== null) log.info({ file: config.configFile }, 'settings are read from a file too')
  warnOfSettings({ config, log })
  if (legal !== null) logTexts(legal, log)
  await refusePlaces(config, log)
  holdData(config)
  if (database.engine === 'sqlite' && database.path !== ':memory:') {
    const resolved = await resolveRestore({ databasePath: database.path, dataDir: config.dataDir })
    if (resolved === 'finished') log.warn({ database: database.path }, 'an interrupted restore has been finished')
    if (resolved === 'undone')
      log.warn({ database: database.path }, 'the files of an interrupted restore have been removed')
  }
  if (database.engine === 'postgres' && removeServerWork(config.dataDir))
    log.warn({ data_dir: config.dataDir }, 'the files of an interrupted restore have been removed')
  // Not awaited, as there may be many photos to search.
  void removeBackupLeftovers(config, log)
  const run = begin()
  // By default they would end the process, which the next start would take for a crash.
  signals.onStop((signal) => {
    manager.stopping()
    log.info({ signal }, 'stopping: the server was still starting')
    run.end()
    process.exit(0)
  })
  metrics.started(run)
  if (run.wasUnclean)
    log.warn({ starts_within_an_hour: run.recent(Date.now()) }, 'the server was not stopped properly last time')
  const made = missingSecrets(config)
  warnOfLostDatabase({ config, made, log })
  const { ports, pool } = await openPorts(config, { log, metrics })
  const { storage } = ports
  const services = buildServices(ports)
  const isBucketAway = await refuseForeignAssets({ config, community: services.community, log, made })
  if (isBucketAway) claimPhotosLater({ config, community: services.community, log })
  const cluster = storage.nodes && (await joinCluster({ store: storage.nodes, node: thisNode(config), log }))
  if (cluster) services.halfSet.watchCluster(cluster.problem)
  const { community, nodes } = storage
  const { legal: texts } = services
  const shared = nodes && watchSharedSettings({ store: community, config, legal: texts, key: ports.secrets.jwt, log })
  await shared?.remember()
  const erasedAgain = await services.erasures.replay()
  if (erasedAgain > 0)
    log.warn({ count: erasedAgain }, 'erased users were in the database again, and have been erased again')
  // Not awaited, as a bucket may be slow; the result is logged.
  const looked = services.photos.look()
  if (!services.files.remote) await looked
  await services.maintenance.look()
  services.maintenance.start()
  const app = buildApp(services, await openWebFiles())
  const url = pool ? await pool.start({ app, services, storage, port: config.port }) : listen(app, services, config)
  if (pool) {
    metrics.addWorkers(pool.metrics)
    manager.feedAfter(pool.ping)
  }
  const { replica } = services
  if (replica && !services.files.remote)
    void replica
      .catchUp(services.files)
      .then((count) => count > 0 && log.info({ count }, 'photos that the replica lacked have been shipped'))
      .catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'the photos of the replica could not be compared'),
      )
  // Later, to keep the first answers fast.
  let stopJobs = async () => {}
  const list = jobs(services)
  await services.delivery.start(config.database.engine === 'sqlite')
  services.bot.intake?.start()
  const background = setTimeout(() => {
    // The binary starts with lazy compilation; code that runs from now on runs often.
    Bun.unsafe.setJITPolicy(1)
    stopJobs = startJobs(services, list)
  }, 1000)

  let stopping = false
  signals.onStop(async (signal) => {
    if (stopping && signal === 'SIGINT') {
      // Every answered write is on disk: only running requests are lost.
      log.warn({ signal }, 'stopping at once')
      run.end()
      process.exit(130)
    }
    if (stopping) return
    stopping = true
    manager.stopping()
    log.info({ signal }, 'stopping')
    clearTimeout(background)
    shared?.stop()
    const code = await shutDown({ app, services, stopJobs, pool, cluster })
    run.end()
    process.exit(code)
  })
  const status = `serving at ${url.origin}`
  signals.onReload(() => {
    if (stopping) return
    manager.reloading()
    const isReloaded = reload(services)
    void shared?.remember().catch(() => {})
    if (isReloaded) void pool?.reload()
    manager.ready(status)
  })
  manager.ready(status)
  // Logged last, because a script that waits for it may stop the server at once.
  log.info({ data_dir: config.dataDir }, `Convene is ready at ${url.origin}`)
}

async function removeBackupLeftovers({ backupDir, dataDir, database }: Config, log: Logger) {
  // Several nodes share one directory: another one may be making a backup there now.
  if (backupDir === null || database.engine === 'postgres') return
  const where = typeof backupDir === 'string' ? backupDir : { place: backupDir, dataDir }
  try {
    logLeftovers(await removeLeftovers(where, dataDir), log)
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'the files of interrupted backups could not be removed')
  }
}
