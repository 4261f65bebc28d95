import { buildApp } from '../app.ts'
import { type Config, ConfigError } from '../config.ts'
import { legalDirExists } from '../features/legal/service.ts'
import { startJobs } from '../jobs.ts'
import { listen } from '../listen.ts'
import { openLog } from '../log.ts'
import { readSecrets } from '../secrets.ts'
import { buildServices } from '../services.ts'
import { openStorage } from '../storage/open.ts'

/** Migrates, listens, and returns once it does. Ends the process on SIGTERM and SIGINT, when what runs is done. */
export async function serve(config: Config): Promise<void> {
  if (config.legalDir !== null && !legalDirExists(config.legalDir))
    throw new ConfigError('LEGAL_DIR must be a directory that can be read')
  const log = openLog(config)
  const secrets = readSecrets(config)
  const { storage, migrated } = openStorage(config.databasePath, {
    onFatal(error) {
      log.fatal({ err: error }, 'the disk failed to take a write: ending, so that the next start recovers from the log')
      process.exit(1)
    },
  })
  if (migrated.length > 0) log.info({ migrated }, 'schema brought up to date')
  const services = buildServices({ config, secrets, storage, log })
  const app = buildApp(services)
  const url = listen(app, services, config)
  const stopJobs = startJobs(services)
  log.info({ data_dir: config.dataDir }, `Convene is ready at ${url.origin}`)

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    // Open sockets would keep the server from stopping.
    services.hub.closeAll()
    // Requests and jobs that run are finished; whoever still holds a connection after that is cut off.
    await Promise.race([Promise.all([app.server!.stop(false), stopJobs()]), Bun.sleep(8000)])
    await app.server!.stop(true)
    await storage.close()
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
}
