import { join, resolve } from 'node:path'
import {
  ConfigError,
  type ConfigOf,
  type Environment,
  readAs,
  readSettings,
  type Setting,
  settingsShown,
  type ShownSetting,
  textOf,
} from './lib/settings.ts'
import { type Given, givenSettings, unknownSettings } from './lib/settings-sources.ts'
import type { Notification } from './installation/service-manager.ts'
import { readS3ObjectUrl, type S3Place } from './s3/place.ts'
import { type DatabaseConfig, readDatabaseUrl } from './storage/database-url.ts'
import { keysOf } from './lib/record.ts'
import { bucketKeys, dataDirectory, directoryOrBucket, s3Keys } from './config/places.ts'
import { serverSettings } from './config/server.ts'
import { mailSettings } from './config/mail.ts'
import { webSettings } from './config/web.ts'
import { loginSettings, oidcParts, registrationSettings } from './config/accounts.ts'
import { notificationSettings, pushSettings } from './config/push.ts'
import { botSettings, miniAppSettings } from './config/messenger.ts'
import { outboundSettings, webhookSettings } from './config/webhooks.ts'
import { communitySettings } from './config/community.ts'
import { backupSettings } from './config/backup.ts'
import { operationSettings } from './config/operation.ts'

export { ConfigError }

// Elysia reads this once, when it is loaded. Without it, Elysia would describe every refused body at many times the cost.
Bun.env.NODE_ENV ??= 'production'

/** The settings that `Config` holds, in the order in which help and documents list them. */
const configSettings = {
  ...serverSettings,
  ...mailSettings,
  ...webSettings,
  ...loginSettings,
  ...notificationSettings,
  ...botSettings,
  ...webhookSettings,
  ...miniAppSettings,
  ...outboundSettings,
  ...registrationSettings,
  ...pushSettings,
  ...communitySettings,
  ...backupSettings,
  ...operationSettings,
}

/** Every setting. The help of `convene serve`, the README's table and `.env.example` are made from this table. */
export const settings = { ...configSettings, ...oidcParts, ...bucketKeys }

export type Config = ConfigOf<typeof configSettings>

/** The settings that a settings file may hold: all except its own path. */
const { configFile: _, ...inFile } = settings
export const settingsInFile = inFile

/**
 * The configuration: environment variables, files named by `NAME_FILE`, and the settings file, all optional. This is the only
 * reader of the environment.
 *
 * Throws ConfigError naming the first setting that holds a bad value and what it must be.
 */
export function readConfig(env: Environment = process.env): Config {
  const given = givenIn(env)
  const config = { ...readSettings(configSettings, given.env, given.origins), configFile: given.file }
  readFrom.set(config, { given, shown: settingsShown(settings, given.env, given.origins) })
  return config
}

function sourceOf(config: Config) {
  const source = readFrom.get(config)
  if (source === undefined) throw new Error('only a configuration that readConfig returned can be reloaded')
  return source
}

const readFrom = new WeakMap<Config, { given: Given; shown: ShownSetting[] }>()

function givenIn(env: Environment): Given {
  const named = textOf(env, 'CONFIG_FILE')
  return givenSettings(settings, env, {
    path: named === null ? join(dataDirectory(env), 'convene.toml') : resolve(named),
    mustExist: named !== null,
    // The file that is found in DATA_DIR cannot say where DATA_DIR is.
    forbidden: named === null ? ['CONFIG_FILE', 'DATA_DIR'] : ['CONFIG_FILE'],
  })
}

/** Makes every later `readConfig()` read that file: `--config FILE`. */
export function useConfigFile(path: string) {
  process.env.CONFIG_FILE = path
}

/** The settings that a configuration was read from, secrets masked. */
export const settingsInForce = (config: Config): ShownSetting[] => readFrom.get(config)?.shown ?? []

/** Variables that look like settings but are unknown, each with the setting that was probably meant. */
export const unknownVariables = (env: Environment = process.env) => unknownSettings(settings, env)

/**
 * The socket and the watchdog interval that systemd has given this process; null without a socket. Removes the socket from the
 * environment, so that no child process reports to systemd in the server's name.
 */
export function takeNotification(env: Environment = process.env): Notification | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: every, WATCHDOG_PID: pid } = env
  delete env.NOTIFY_SOCKET
  if (!socket) return null
  const isOurs = pid === undefined || pid === '' || Number(pid) === process.pid
  return { socket, watchdogMs: isOurs && Number(every) >= 1000 ? Number(every) / 1000 : null }
}

/**
 * Copies from `fresh` into `config` the settings that can change without a restart. Returns the names of the changed settings:
 * those now in force, and those that need a restart.
 */
export function reloadConfig(config: Config, fresh: Config): { changed: string[]; needRestart: string[] } {
  const [before, after] = [sourceOf(config), sourceOf(fresh)]
  const valueOf = ({ env }: Given, name: string) => env[name] || null
  const changed: string[] = []
  const needRestart: string[] = []
  for (const row of Object.values<Setting<unknown>>(settings)) {
    if (row.name.includes('<') || valueOf(before.given, row.name) === valueOf(after.given, row.name)) continue
    const canChange = row.reload === true && !(row.name === 'RATE_LIMIT' && isSwitched(config, fresh))
    if (!canChange) needRestart.push(row.name)
    else changed.push(row.name)
  }
  const isOidc = (name: string) => name.startsWith('OIDC_')
  for (const name of new Set([before, after].flatMap(({ given }) => Object.keys(given.env).filter(isOidc))))
    if (valueOf(before.given, name) !== valueOf(after.given, name)) needRestart.push(name)
  for (const field of keysOf(configSettings)) {
    const row: Setting<unknown> = configSettings[field]
    // Also if the variable is unchanged, because the files that it names may have changed.
    if (row.reload && !needRestart.includes(row.name)) Object.assign(config, { [field]: fresh[field] })
  }
  const stays = new Set(needRestart)
  const old = new Map(before.shown.map((each) => [each.name, each]))
  readFrom.set(config, {
    given: {
      ...after.given,
      env: { ...after.given.env, ...Object.fromEntries(needRestart.map((name) => [name, before.given.env[name]])) },
    },
    shown: after.shown.map((each) => (stays.has(each.name) ? (old.get(each.name) ?? each) : each)),
  })
  return { changed, needRestart }
}

/** Whether rate limits were switched on or off, which needs a restart, as routes install them at the start. */
const isSwitched = (config: Config, fresh: Config) => (config.rateLimit === null) !== (fresh.rateLimit === null)

/** Reads a database URL from the command line. Throws ConfigError, which calls it `name`. */
export const databaseOf = (url: string, name: string): DatabaseConfig => readAs(name, () => readDatabaseUrl(url))

/** The S3 object that a URL on the command line names. Throws ConfigError if it is no such URL. */
export const s3Object = (url: string, env: Environment = process.env) =>
  readAs('the URL', () => readS3ObjectUrl(url, s3Keys(givenIn(env).env)))

/** The directory or the place in a bucket that an argument of the command line names. Throws ConfigError if it names neither. */
export const placeOf = (url: string, env: Environment = process.env) =>
  readAs('the URL', () => directoryOrBucket(url, env))

/** The environment for a child process that uses the keys of a place. */
export const environmentFor = ({ accessKeyId, secretAccessKey }: S3Place): Environment => ({
  ...process.env,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
})

/** The environment for PostgreSQL's programs: without our settings, and without variables that name another server. */
export const environmentForPrograms = (): Environment => {
  const passed = /^(PATH|HOME|PGUSER|PGPASSWORD|PGPASSFILE|PGSSL\w+)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name)))
}
