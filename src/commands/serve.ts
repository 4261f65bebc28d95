import { existsSync } from 'node:fs'
import { isatty } from 'node:tty'
import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import { joinCluster, thisNode } from '../installation/cluster.ts'
import { claimPhotosLater, refuseForeignAssets } from '../installation/ownership.ts'
import { type Config, ConfigError, readConfig, settings, takeNotification } from '../config.ts'
import { openServiceManager } from '../installation/service-manager.ts'
import { reload, warnOfSettings } from '../reload.ts'
import { type DatabaseConfig, shownDatabase } from '../storage/database-url.ts'
import { type LegalFiles, legalFiles } from '../features/legal/service.ts'
import { jobs, startJobs, logLeftovers } from '../jobs.ts'
import { settingsAsHelp } from '../lib/settings.ts'
import { openWebFiles } from '../http/web-files.ts'
import { listen, refuseTakenPort } from '../listen.ts'
import { openLog } from '../telemetry/log.ts'
import { openMetrics } from '../telemetry/metrics.ts'
import { openReplicaOf } from '../backup/replica/of-config.ts'
import { backupDirectoryProblem, removeLeftovers } from '../backup/scheduled.ts'
import { messageOf } from '../lib/errors.ts'
import { seconds } from '../lib/time.ts'
import { missingSecrets, readSecrets } from '../installation/secrets.ts'
import { buildServices } from '../services.ts'
import { BucketError, openBucket } from '../s3/bucket.ts'
import { holdData } from '../installation/data-directory.ts'
import { beginRun, type Run } from '../installation/runs.ts'
import { openStorage, refuseForeign } from '../storage/open.ts'
import { isHalfRestored, resolveRestore } from '../backup/restore-switch.ts'

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

const stdin = 0
// SIGHUP means that the terminal was closed. Without a terminal, it is a request to reload the settings, or nohup, under which the
// server has to survive.
const hangup = ['SIGHUP'] as const
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT', ...(isatty(stdin) ? hangup : [])] as const
const reloadSignals = isatty(stdin) ? [] : hangup
// By default each of them would end the process at once, without finishing requests.
const ignoredSignals = ['SIGUSR1', 'SIGUSR2'] as const

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
  for (const signal of ignoredSignals)
    process.on(signal, () =>
      log.warn({ signal }, 'signal ignored: SIGHUP reloads the settings, SIGTERM stops the server'),
    )
  let reloadNow = () => log.warn('SIGHUP ignored: the server is still starting')
  for (const signal of reloadSignals) process.on(signal, () => reloadNow())
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
  // Not awaited, as there may be many photos to search.
  void removeBackupLeftovers(config, log)
  const run = begin()
  // By default they would end the process, which the next start would take for a crash.
  const stopEarly = (signal: string) => {
    manager.stopping()
    log.info({ signal }, 'stopping: the server was still starting')
    run.end()
    process.exit(0)
  }
  for (const signal of stopSignals) process.on(signal, stopEarly)
  metrics.started(run)
  if (run.wasUnclean)
    log.warn({ starts_within_an_hour: run.recent(Date.now()) }, 'the server was not stopped properly last time')
  const made = missingSecrets(config)
  const isOurs = config.jwtSecret === null && config.locationKey === null
  if (isLost(config.database) && isOurs && made.length === 0)
    log.warn(
      { data_dir: config.dataDir },
      'there are secrets but no database: the server starts with a new, empty community',
    )
  const secrets = readSecrets(config)
  const replica = openReplicaOf(config, log)
  const onFatal = (error: Error, reason: string) => {
    log.fatal({ err: error }, reason)
    process.exit(1)
  }
  const pool =
    config.workers > 0 && database.engine === 'sqlite'
      ? (await import('../workers/pool.ts')).openPool({ count: config.workers, databasePath: database.path, onFatal })
      : null
  const shared = config.redis
    ? await (await import('../redis/late.ts')).openShared(config.redis, { secrets, log })
    : (pool?.shared ?? null)
  const traces =
    config.otlpEndpoint === null
      ? null
      : await (await import('../telemetry/traces.ts')).openTraces(config.otlpEndpoint, config.otlpServiceName)
  const opened = await openStorage(config.database, {
    onGroup: metrics.writeGroup,
    replica: replica?.log,
    commits: pool?.commits,
    onFatal,
    onOutage: (error) => log.error({ err: error }, 'the database is gone: requests are answered 503 until it is back'),
    onRecovery: (host) => log.info({ host }, 'the database is back'),
  })
  const { migrated, kept } = opened
  const storage = traces === null ? opened.storage : (await import('../telemetry/traces.ts')).traced(opened.storage)
  if (migrated.length > 0) log.info({ migrated, kept: kept ?? undefined }, 'schema brought up to date')
  const services = buildServices({
    ...{ config, secrets, storage, log, metrics, traces, shared, replica },
    peerOf: pool?.peerOf,
  })
  const isBucketAway = await refuseForeignAssets({ config, community: services.community, log, made })
  if (isBucketAway) claimPhotosLater({ config, community: services.community, log })
  const cluster = storage.nodes && (await joinCluster({ store: storage.nodes, node: thisNode(config), log }))
  if (cluster) services.halfSet.watchCluster(cluster.problem)
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
  const stop = async (signal: string) => {
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
    let code = 0
    await storage.close().catch((error: unknown) => {
      // Nothing is lost: the next start applies the write-ahead log.
      log.error({ err: error, database: shownDatabase(config.database) }, 'the database could not be closed properly')
      code = 1
    })
    // Ships the last commits. If the place cannot be reached, they stay on this disk until the next start.
    await replica?.close(5 * seconds)
    await traces?.close()
    run.end()
    process.exit(code)
  }
  for (const signal of stopSignals) process.off(signal, stopEarly).on(signal, () => void stop(signal))
  const status = `serving at ${url.origin}`
  reloadNow = () => {
    if (stopping) return
    manager.reloading()
    reload(services)
    void pool?.reload()
    manager.ready(status)
  }
  manager.ready(status)
  // Logged last, because a script that waits for it may stop the server at once.
  log.info({ data_dir: config.dataDir }, `Convene is ready at ${url.origin}`)
}

/** An uncaught error is a defect after which the state is uncertain: it is logged and ends the process. */
function endOnUncaught(log: Logger) {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, 'uncaught error: the server stops')
      process.exit(1)
    })
}

/** Throws ConfigError where WORKERS cannot be had. */
function refuseWorkers({ workers, database, redis, replica }: Config) {
  if (workers === 0) return
  const isFile = database.engine === 'sqlite' && database.path !== ':memory:'
  if (!isFile || redis !== null)
    throw new ConfigError(
      'WORKERS is for one server on a file of SQLite: with PostgreSQL or Redis, start several nodes',
    )
  // Its thread does the checkpoints, and cannot begin the log anew while others read without pause: it would grow and grow.
  if (replica !== null) throw new ConfigError('WORKERS and REPLICA_URL exclude each other: use BACKUP_DIR with WORKERS')
  // Elsewhere the system gives all connections to one of the threads that listen on a port.
  if (process.platform !== 'linux') throw new ConfigError('WORKERS needs Linux, which spreads connections over threads')
}

/** The texts in LEGAL_DIR; null if it is not set. Throws ConfigError if it is unreadable or empty. */
function ownLegalTexts({ legalDir }: Config): LegalFiles | null {
  if (legalDir === null) return null
  let files: LegalFiles
  try {
    files = legalFiles(legalDir)
  } catch (error) {
    throw new ConfigError('LEGAL_DIR must be a directory that can be read', { cause: error })
  }
  if (files.empty.length > 0)
    throw new ConfigError(`LEGAL_DIR has texts without content to read: ${files.empty.join(', ')}`)
  return files
}

function logTexts({ texts, misnamed }: LegalFiles, log: Logger) {
  if (texts.length > 0) log.info({ texts }, 'legal texts of LEGAL_DIR')
  else log.warn('LEGAL_DIR has no text that is named like terms.en.md: the built-in texts are used')
  if (misnamed.length > 0)
    log.warn({ misnamed }, 'files in LEGAL_DIR are not used, because they are not named like terms.en.md')
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

/** Whether an expected database file is missing. */
const isLost = (database: DatabaseConfig) =>
  database.engine === 'sqlite' && database.path !== ':memory:' && !existsSync(database.path)

/** Throws ConfigError if a bucket does not exist or does not accept the keys, or BACKUP_DIR is not a directory. */
async function refusePlaces({ media, backupDir, replica }: Config, log: Logger) {
  const problem = typeof backupDir === 'string' ? backupDirectoryProblem(backupDir) : null
  if (problem?.isFinal) throw new ConfigError(`BACKUP_DIR ${problem.text}`)
  // For example a disk that is not mounted yet: users must not wait for backups.
  if (problem !== null) log.error({ reason: problem.text }, 'BACKUP_DIR cannot be written now')
  const places = {
    MEDIA_URL: media,
    BACKUP_DIR: typeof backupDir === 'string' ? null : backupDir,
    REPLICA_URL: typeof replica === 'string' ? null : replica,
  }
  const kinds = { MEDIA_URL: 'images', BACKUP_DIR: 'backups', REPLICA_URL: 'replica' }
  for (const name of ['MEDIA_URL', 'BACKUP_DIR', 'REPLICA_URL'] as const) {
    const place = places[name]
    if (place === null) continue
    try {
      await openBucket(place).probe()
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      if (error.refused) throw new ConfigError(`${name}: ${error.message}`, { cause: error })
      // As with an outage later: text works without photos, and users must not wait for backups.
      log.warn({ reason: error.message }, `the bucket of the ${kinds[name]} failed`)
    }
  }
}
