import type { Logger } from 'pino'
import { type Config, settingsInForce } from '../config.ts'
import type { CommunityStore } from '../features/community/store.ts'
import { type Legal, legalKinds } from '../features/legal/service.ts'
import { seconds } from '../lib/time.ts'
import { shownPlace } from '../s3/place.ts'

// What may differ between nodes: their own address, directory and log, and what names a file or a server as one node sees it.
const ofEachNode = new Set([
  ...['HOST', 'PORT', 'WORKERS', 'DATA_DIR', 'CONFIG_FILE', 'DATABASE_URL', 'REDIS_URL', 'METRICS_TOKEN', 'LOG_LEVEL'],
  ...['DRAIN_SECONDS', 'OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OUTBOUND_ALLOW', 'MESSENGER_BOT'],
  ...['MESSENGER_API_URL', 'MAIL_DKIM', 'FCM_SERVICE_ACCOUNT', 'FCM_URL', 'APNS_KEY', 'APNS_URL'],
  ...['JWT_SECRET', 'LOCATION_KEY', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
])

type Prints = Record<string, string>
type Given = { config: Config; legal: Pick<Legal, 'version'>; key: Uint8Array }

/** The settings that must be the same on all nodes, each as a fingerprint. A directory counts by its contents. */
function printsOf({ config, legal, key }: Given): Prints {
  const contents = new Map<string, unknown>([
    ['LEGAL_DIR', legalKinds.map((kind) => legal.version(kind))],
    ['BRAND_DIR', config.brand],
    ['MEDIA_URL', config.media && shownPlace(config.media)],
    [
      'BACKUP_DIR',
      typeof config.backupDir === 'string' ? config.backupDir : config.backupDir && shownPlace(config.backupDir),
    ],
  ])
  const print = (name: string, value: unknown) =>
    new Bun.CryptoHasher('sha256', key).update(`convene setting v1 ${name} ${JSON.stringify(value)}`).digest('hex')
  return Object.fromEntries(
    settingsInForce(config).flatMap(({ name, value }) =>
      ofEachNode.has(name) ? [] : [[name, print(name, contents.has(name) ? contents.get(name) : value).slice(0, 16)]],
    ),
  )
}

const rowName = 'settings'

/** The settings that differ from `remembered`, those of the node that was started or reloaded last. */
export function differingSettings(remembered: ReadonlyMap<string, string>, given: Given): string[] {
  const theirs: Prints = JSON.parse(remembered.get(rowName) ?? '{}')
  // A setting that only one of two releases knows is left out.
  return Object.entries(printsOf(given)).flatMap(([name, print]) => ((theirs[name] ?? print) === print ? [] : [name]))
}

const everyMs = 30 * seconds

type Deps = Given & { store: CommunityStore; log: Pick<Logger, 'info' | 'warn'> }

/**
 * Compares the settings of the nodes of a database. The node that was started or reloaded last stores the fingerprints of its
 * settings, and every node logs which of its own differ. A difference is only a warning, because a new setting reaches the nodes
 * one after another.
 */
export function watchSharedSettings({ store, log, ...given }: Deps) {
  let last = ''

  async function look() {
    const settings = differingSettings(await store.all(), given)
    if (settings.join() === last) return
    last = settings.join()
    if (settings.length > 0)
      log.warn({ settings }, 'settings differ from those of the node that was started or reloaded last')
    else log.info('the settings are those of the other nodes again')
  }

  // If the database is down, the next look may succeed.
  const timer = setInterval(() => void look().catch(() => {}), everyMs)
  timer.unref()

  return {
    look,
    /** Makes the settings of this node the example: call it after a start and a reload. */
    remember: () => store.set(rowName, JSON.stringify(printsOf(given))),
    stop: () => clearInterval(timer),
  }
}
