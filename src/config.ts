import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { isS3Url, readS3ObjectUrl, readS3Url, type S3Keys, type S3Place } from './s3-place.ts'
import { serversOf, shownUrl } from './storage/postgres/url.ts'

/** A variable of the environment holds what it must not; the message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** `path` is that of the SQLite file, or `:memory:`. `url` holds the password: show `shownDatabase` instead. */
export type DatabaseConfig = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

export type RedisAddress = {
  host: string
  port: number
  username: string | null
  password: string | null
  /** Number of the database. */
  database: number
  tls: boolean
}

export type Config = {
  host: string
  port: number
  dataDir: string
  database: DatabaseConfig
  /** What the nodes of one service share; null where this is the only one. */
  redis: RedisAddress | null
  /** Where images are kept; null for DATA_DIR. */
  media: S3Place | null
  jwtSecret: Uint8Array | null
  locationKey: Uint8Array | null
  messengerBotToken: string | null
  initDataMaxAgeS: number
  corsOrigins: string[]
  rateLimit: boolean
  consentGate: boolean
  firstContact: 'open' | 'guarded'
  nearbyMaxAgeDays: number
  eventRetentionDays: number
  /** How long a stop goes on answering before it closes the sockets and ends. */
  drainSeconds: number
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  legalDir: string | null
  /** Where scheduled backups go, a directory or a bucket; null where there are none. */
  backupDir: string | S3Place | null
  /** Cron expression, in UTC. */
  backupCron: string
  /** How many of them are kept. */
  backupKeep: number
  metricsToken: string | null
  /** Where OpenTelemetry traces go; null where none are made. */
  otlpEndpoint: string | null
  /** How many proxies stand in front: the client's address is that many places from the end of `X-Forwarded-For`. */
  trustProxy: number
}

// Elysia asks once, when it is loaded. Otherwise it would put every refusal of a body into words that nobody reads, at
// many times the cost, and fail over what cannot be put into any.
Bun.env.NODE_ENV ??= 'production'

type Environment = Record<string, string | undefined>

/**
 * The configuration from environment variables, all optional. This is the only reader of the environment.
 *
 * Throws ConfigError naming the first variable that holds a bad value and what it must be.
 */
export function readConfig(env: Environment = process.env): Config {
  const dataDir = resolve(text(env, 'DATA_DIR') ?? './data')
  return {
    host: host(env),
    port: integer(env, 'PORT', { default: 3000, min: 0, max: 65535 }),
    dataDir,
    database: database(env, dataDir),
    redis: redisAddress(env),
    media: media(env),
    jwtSecret: jwtSecret(env),
    locationKey: locationKey(env),
    messengerBotToken: botToken(env),
    initDataMaxAgeS: integer(env, 'INIT_DATA_MAX_AGE_S', { default: 3600, min: 0, max: 31_536_000 }),
    corsOrigins: origins(env),
    rateLimit: oneOf(env, 'RATE_LIMIT', ['on', 'off']) === 'on',
    consentGate: oneOf(env, 'CONSENT_GATE', ['off', 'on']) === 'on',
    firstContact: oneOf(env, 'FIRST_CONTACT', ['open', 'guarded']),
    nearbyMaxAgeDays: integer(env, 'NEARBY_MAX_AGE_DAYS', { default: 30, min: 1, max: 3650 }),
    eventRetentionDays: integer(env, 'EVENT_RETENTION_DAYS', { default: 7, min: 1, max: 3650 }),
    drainSeconds: integer(env, 'DRAIN_SECONDS', { default: 0, min: 0, max: 3600 }),
    logLevel: oneOf(env, 'LOG_LEVEL', ['info', 'trace', 'debug', 'warn', 'error', 'silent']),
    legalDir: text(env, 'LEGAL_DIR'),
    backupDir: backupDir(env, dataDir),
    backupCron: backupCron(env),
    backupKeep: integer(env, 'BACKUP_KEEP', { default: 7, min: 1, max: 1000 }),
    metricsToken: metricsToken(env),
    otlpEndpoint: otlpEndpoint(env),
    trustProxy: integer(env, 'TRUST_PROXY', { default: 0, min: 0, max: 16 }),
  }
}

// An empty variable is one that was not set, as in `CORS_ORIGINS= convene`.
const text = (env: Environment, name: string) => env[name]?.trim() || null

function integer(env: Environment, name: string, range: { default: number; min: number; max: number }): number {
  const value = text(env, name)
  if (value === null) return range.default
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < range.min || number > range.max)
    throw new ConfigError(`${name} must be a whole number from ${range.min} to ${range.max}`)
  return number
}

/** One of the values; the first is the default. */
function oneOf<const T extends string>(env: Environment, name: string, values: readonly [T, ...T[]]): T {
  const value = text(env, name)
  if (value === null) return values[0]
  const known = values.find((v) => v === value)
  if (known === undefined) throw new ConfigError(`${name} must be one of: ${values.join(', ')}`)
  return known
}

function host(env: Environment): string {
  const value = text(env, 'HOST')
  if (value === null) return '127.0.0.1'
  if (isIP(value) === 0 && !/^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(value))
    throw new ConfigError('HOST must be an address or a host name, such as 0.0.0.0, without scheme or port')
  return value
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

function database(env: Environment, dataDir: string): DatabaseConfig {
  const url = text(env, 'DATABASE_URL')
  return url === null ? { engine: 'sqlite', path: join(dataDir, 'convene.db') } : databaseOf(url)
}

/** The database of a URL. Throws ConfigError by that name where it is none. */
export function databaseOf(url: string, name = 'DATABASE_URL'): DatabaseConfig {
  if (/^postgres(ql)?:/.test(url)) {
    const parsed = serversOf(url)
    if (parsed === null)
      throw new ConfigError(
        `${name} must be postgres://USER:PASSWORD@HOST/DATABASE; several hosts stand between commas, and what is special in a name or password as %XX`,
      )
    if (!sslModes.includes(parsed.parameters.get('sslmode') ?? 'disable'))
      throw new ConfigError(`${name} must have an sslmode of these: ${sslModes.join(', ')}`)
    return { engine: 'postgres', url }
  }
  const path = /^(?:sqlite|file):(?:\/\/)?(.+)$/.exec(url)?.[1]
  if (path === undefined || path.endsWith('/'))
    throw new ConfigError(
      `${name} must be sqlite:PATH, for example sqlite:/var/lib/convene/convene.db, or postgres://USER:PASSWORD@HOST/DATABASE`,
    )
  return { engine: 'sqlite', path: path === ':memory:' ? path : resolve(path) }
}

/** Where the database is, as people may be told: without user, password and parameters. */
export const shownDatabase = (database: DatabaseConfig) =>
  database.engine === 'sqlite' ? database.path : shownUrl(database.url)

function redisAddress(env: Environment): RedisAddress | null {
  const value = text(env, 'REDIS_URL')
  if (value === null) return null
  // Told without the value, which may hold a password.
  const wrong = new ConfigError(
    'REDIS_URL must be redis://[user:password@]host[:port][/number], or rediss:// with TLS (or valkey://, valkeys://), with special characters percent-encoded',
  )
  if (!URL.canParse(value)) throw wrong
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(value)
  const database = /^\/?(\d{0,5})$/.exec(pathname)?.[1]
  if (!/^(redis|valkey)s?:$/.test(protocol) || hostname === '' || port === '0' || database === undefined) throw wrong
  if (search !== '' || hash !== '') throw wrong
  try {
    return {
      host: decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1')),
      port: Number(port || 6379),
      username: decodeURIComponent(username) || null,
      password: decodeURIComponent(password) || null,
      database: Number(database),
      tls: protocol === 'rediss:' || protocol === 'valkeys:',
    }
  } catch {
    // What follows a % is no character.
    throw wrong
  }
}

function jwtSecret(env: Environment): Uint8Array | null {
  // As given, white space too: whoever signs or checks tokens elsewhere uses these very bytes.
  const value = env.JWT_SECRET
  if (!value) return null
  const bytes = new TextEncoder().encode(value)
  if (bytes.length < 32) throw new ConfigError('JWT_SECRET must have 32 bytes at least')
  return bytes
}

function locationKey(env: Environment): Uint8Array | null {
  const value = text(env, 'LOCATION_KEY')
  if (value === null) return null
  if (/^[0-9a-f]{64}$/i.test(value)) return Buffer.from(value, 'hex')
  if (/^[A-Za-z0-9+/]{43}=$/.test(value)) return Buffer.from(value, 'base64')
  throw new ConfigError('LOCATION_KEY must be 32 bytes, as 64 hexadecimal digits or as base64')
}

function botToken(env: Environment): string | null {
  const value = text(env, 'MESSENGER_BOT_TOKEN')
  if (value !== null && (value.length < 8 || /\s/.test(value)))
    throw new ConfigError('MESSENGER_BOT_TOKEN must be the token that the messenger gave for the bot')
  return value
}

function media(env: Environment): S3Place | null {
  const keys = s3Keys(env)
  const value = text(env, 'MEDIA_URL')
  return value === null ? null : fromUrl('MEDIA_URL', () => readS3Url(value, keys))
}

function s3Keys(env: Environment): S3Keys {
  const either = (name: string) => [text(env, `S3_${name}`), text(env, `AWS_${name}`)] as const
  const [id, awsId] = either('ACCESS_KEY_ID')
  const [secret, awsSecret] = either('SECRET_ACCESS_KEY')
  // A pair, so that the key of one store never goes with the secret of another.
  return id === null && secret === null
    ? { accessKeyId: awsId, secretAccessKey: awsSecret }
    : { accessKeyId: id, secretAccessKey: secret }
}

function fromUrl<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(`${name} ${(error as Error).message}`, { cause: error })
  }
}

/** The object that an argument of the command line names by its URL. Throws ConfigError where it is no such URL. */
export const s3Object = (url: string, env: Environment = process.env) =>
  fromUrl('the URL', () => readS3ObjectUrl(url, s3Keys(env)))

/** The environment of a process that is to use the keys of a place. */
export const environmentFor = ({ accessKeyId, secretAccessKey }: S3Place): Environment => ({
  ...process.env,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
})

function backupDir(env: Environment, dataDir: string): string | S3Place | null {
  const value = text(env, 'BACKUP_DIR')
  if (value === null) return null
  if (/^postgres(ql)?:/.test(text(env, 'DATABASE_URL') ?? ''))
    throw new ConfigError(
      'BACKUP_DIR is for an SQLite database: leave it out, and back PostgreSQL up by its own means, such as pg_dump',
    )
  if (isS3Url(value)) return fromUrl('BACKUP_DIR', () => readS3Url(value, s3Keys(env)))
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(value))
    throw new ConfigError('BACKUP_DIR must be a directory, or s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME')
  const directory = resolve(value)
  // What the directory of the data loses, the backups of it should not.
  if (directory === dataDir) throw new ConfigError('BACKUP_DIR must be another directory than DATA_DIR')
  return directory
}

function backupCron(env: Environment): string {
  const value = text(env, 'BACKUP_CRON')
  if (value === null) return '0 3 * * *'
  if (!comesRound(value))
    throw new ConfigError('BACKUP_CRON must be a cron expression of five fields, in UTC, such as 0 3 * * *')
  return value
}

function comesRound(expression: string): boolean {
  try {
    return Bun.cron.parse(expression, Date.now(), { tz: 'UTC' }) !== null
  } catch {
    return false
  }
}

function otlpEndpoint(env: Environment): string | null {
  const value = text(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  if (value !== null && (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)))
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, for example http://127.0.0.1:4318')
  return value
}

function metricsToken(env: Environment): string | null {
  const value = text(env, 'METRICS_TOKEN')
  if (value !== null && (value.length < 16 || /\s/.test(value)))
    throw new ConfigError('METRICS_TOKEN must have 16 characters at least, and no white space')
  return value
}

function origins(env: Environment): string[] {
  const value = text(env, 'CORS_ORIGINS')
  if (value === null) return []
  return value.split(',').map((part) => {
    const origin = part.trim()
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:[^*]+$/.test(origin))
      throw new ConfigError(
        'CORS_ORIGINS must be a list of origins between commas, for example https://app.example.org, without a slash or a path after it',
      )
    return origin
  })
}
