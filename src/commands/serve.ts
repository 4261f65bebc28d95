import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import { refuseStrange } from '../belongings.ts'
import { type Config, ConfigError, type DatabaseConfig, readConfig } from '../config.ts'
import { type LegalFiles, legalFiles } from '../features/legal/service.ts'
import { jobs, startJobs } from '../jobs.ts'
import { listen, refuseTakenPort } from '../listen.ts'
import { openLog } from '../log.ts'
import { openMetrics } from '../metrics.ts'
import { backupDirectoryProblem } from '../scheduled-backup.ts'
import { missingSecrets, readSecrets } from '../secrets.ts'
import { buildServices } from '../services.ts'
import { BucketError, openBucket } from '../storage/files/bucket.ts'
import { holdData } from '../storage/data-dir.ts'
import { openStorage, refuseForeign } from '../storage/open.ts'

export const help = `usage: convene [serve]

Runs the server: makes DATA_DIR and its secrets at the first start, brings the schema up to date, listens, and logs
where. SIGTERM and SIGINT end it once what runs is done. Settings are environment variables, all optional:

  HOST                 address to listen on (127.0.0.1); 0.0.0.0 for all
  PORT                 port to listen on (3000); 0 for any that is free
  DATA_DIR             directory of the database, the images and the generated secrets (./data)
  DATABASE_URL         sqlite:PATH of the database, where it is not DATA_DIR/convene.db; or postgres://… for several nodes
  REDIS_URL            redis://HOST, or rediss:// with TLS: makes several nodes one service (none: this is the only one)
  MEDIA_URL            s3://BUCKET/PREFIX?endpoint=URL&region=NAME, to keep images there (in DATA_DIR/media); with
                       &public_endpoint=URL where clients reach it by another address
  S3_ACCESS_KEY_ID     the key of those buckets whose URL has none of its own, as s3://KEY:SECRET@BUCKET/PREFIX
  S3_SECRET_ACCESS_KEY its secret
  AWS_ACCESS_KEY_ID    the same, where S3_ACCESS_KEY_ID is not set
  AWS_SECRET_ACCESS_KEY
                       its secret
  JWT_SECRET           signs access tokens, 32 bytes at least (generated into DATA_DIR)
  LOCATION_KEY         draws the noise of positions, 32 bytes as hex or base64 (generated into DATA_DIR)
  CORS_ORIGINS         web pages that may act for their users, such as https://app.example.org, between commas (none)
  TRUST_PROXY          how many proxies stand in front, whose X-Forwarded-For counts (0)
  RATE_LIMIT           on, or off to lift every counted limit, for tests and load only (on)
  MESSENGER_BOT_TOKEN  the bot whose mini-app users log in from (none: that login answers 503)
  INIT_DATA_MAX_AGE_S  how old the init data of such a login may be, in seconds; 0 for any age (3600)
  CONSENT_GATE         on refuses everything else until the mandatory consents are given (off)
  FIRST_CONTACT        guarded lets a stranger send three texts, without links or photos, before an answer (open)
  NEARBY_MAX_AGE_DAYS  how long a position is found by others, in days (30)
  EVENT_RETENTION_DAYS how long missed events can be caught up on, in days (7)
  BACKUP_DIR           directory of scheduled backups, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME (none are made)
  BACKUP_CRON          when they are made, a cron expression in UTC (0 3 * * *)
  BACKUP_KEEP          how many are kept (7)
  LEGAL_DIR            directory of your own terms.en.md, privacy.en.md, disclaimer.en.md (those of the product)
  METRICS_TOKEN        who sends it as a bearer token may read /metrics from elsewhere, 16 characters at least (none)
  OTEL_EXPORTER_OTLP_ENDPOINT
                       an OpenTelemetry collector, such as http://127.0.0.1:4318, that gets a trace of each request (none)
  DRAIN_SECONDS        how long it goes on answering after SIGTERM, not ready any more; over the second half of that, sockets
                       are told to come back to another node (0: it ends as soon as what runs is done)
  LOG_LEVEL            trace, debug, info, warn, error or silent (info)

convene check tells whether they are fit for production.`

export async function run(args: string[]): Promise<void> {
  parseArgs({ args })
  await serve(readConfig())
}

/** Migrates, listens, and returns once it does. Ends the process on SIGTERM and SIGINT, when what runs is done. */
export async function serve(config: Config): Promise<void> {
  const legal = ownLegalTexts(config)
  // A start that cannot succeed touches nothing; beside a server of an older release it would even migrate under it.
  refuseTakenPort(config)
  await refuseForeign(config.database)
  const log = openLog(config)
  if (legal !== null) tellOfTexts(legal, log)
  await refusePlaces(config, log)
  holdData(config)
  const made = missingSecrets(config)
  const isOurs = config.jwtSecret === null && config.locationKey === null
  if (isLost(config.database) && isOurs && made.length === 0)
    log.warn({ data_dir: config.dataDir }, 'there are secrets but no database: a new community begins')
  const secrets = readSecrets(config)
  const metrics = openMetrics({ ofProcess: true })
  const shared =
    config.redis === null ? null : await (await import('../redis/open.ts')).openRedis(config.redis, { secrets, log })
  const { storage, migrated, kept } = await openStorage(config.database, {
    onGroup: metrics.writeGroup,
    onFatal(error, reason) {
      log.fatal({ err: error }, reason)
      process.exit(1)
    },
    onOutage: (error) => log.error({ err: error }, 'the database is gone: requests are answered 503 until it is back'),
    onRecovery: (host) => log.info({ host }, 'the database is back'),
  })
  if (migrated.length > 0) log.info({ migrated, kept: kept ?? undefined }, 'schema brought up to date')
  const traces =
    config.otlpEndpoint === null ? null : await (await import('../traces.ts')).openTraces(config.otlpEndpoint)
  const services = buildServices({ config, secrets, storage, log, metrics, traces, shared })
  await refuseStrange({ config, community: services.community, log, made })
  const erasedAgain = await services.erasures.replay()
  if (erasedAgain > 0) log.warn({ count: erasedAgain }, 'erased users were back in the database, and are erased again')
  const app = buildApp(services)
  const url = listen(app, services, config)
  // Not in the way of the first answers.
  let stopJobs = async () => {}
  const list = jobs(services)
  const background = setTimeout(() => {
    // The binary starts with one that compiles late; what runs from now on runs often.
    Bun.unsafe.setJITPolicy(1)
    stopJobs = startJobs(services, list)
  }, 1000)

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    clearTimeout(background)
    const jobsStopped = stopJobs()
    // Whoever sends requests here sees first that they should not, and then gets the sockets back, not all at once.
    services.hub.drain()
    const halfMs = config.drainSeconds * 500
    if (halfMs > 0) await Bun.sleep(halfMs)
    // Open sockets would keep the server from stopping.
    await services.hub.closeAll(halfMs)
    // Requests and jobs that run are finished; whoever still holds a connection after that is cut off.
    await Promise.race([Promise.all([app.server!.stop(false), jobsStopped]), Bun.sleep(8000)])
    await app.server!.stop(true)
    await shared?.close()
    await storage.close()
    await traces?.close()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
  // Told last: whoever waits for it may end the server at once.
  log.info({ data_dir: config.dataDir }, `Convene is ready at ${url.origin}`)
}

/** What stands in LEGAL_DIR; null without one. Throws ConfigError where that cannot be read, or says nothing. */
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

function tellOfTexts({ texts, misnamed }: LegalFiles, log: Logger) {
  if (texts.length > 0) log.info({ texts }, 'legal texts of LEGAL_DIR')
  else log.warn('LEGAL_DIR has no text that is named like terms.en.md: those of the product stand')
  if (misnamed.length > 0)
    log.warn({ misnamed }, 'files of LEGAL_DIR are not used, as they are not named like terms.en.md')
}

/** Whether a file of a database should be there and is not. */
const isLost = (database: DatabaseConfig) =>
  database.engine === 'sqlite' && database.path !== ':memory:' && !existsSync(database.path)

/**
 * Throws ConfigError where a bucket is not there or does not take the keys, images could not be stored now, or BACKUP_DIR is
 * no directory.
 */
async function refusePlaces({ media, backupDir }: Config, log: Logger) {
  const problem = typeof backupDir === 'string' ? backupDirectoryProblem(backupDir) : null
  if (problem?.isFinal) throw new ConfigError(`BACKUP_DIR ${problem.text}`)
  // As of a disk that is not there yet: backups can wait for it, and people need not wait for backups.
  if (problem !== null) log.error({ reason: problem.text }, 'BACKUP_DIR cannot be written now')
  const places = { MEDIA_URL: media, BACKUP_DIR: typeof backupDir === 'string' ? null : backupDir }
  for (const [name, place] of Object.entries(places)) {
    if (place === null) continue
    try {
      await openBucket(place).probe()
    } catch (error) {
      if (!(error instanceof BucketError)) throw error
      if (place === media || error.refused) throw new ConfigError(`${name}: ${error.message}`, { cause: error })
      // Backups can wait until it is back, and people need not wait for backups.
      log.warn({ reason: error.message }, 'the bucket of the backups failed')
    }
  }
}
