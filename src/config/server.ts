import { join, resolve } from 'node:path'
import { limitListForm, limitsOf, limitsShown, type LimitTable, limitTable } from '../lib/rate-limits.ts'
import { readRedisUrl } from '../lib/redis-url.ts'
import { oneOf, setting, wholeNumber } from '../lib/settings.ts'
import { readS3Url } from '../s3/place.ts'
import { type DatabaseConfig, readDatabaseUrl } from '../storage/database-url.ts'
import { hostName, key32 } from './readers.ts'
import { dataDirectory, s3Keys } from './places.ts'

/** What the server listens on, where it keeps data, and who may call it. */
export const serverSettings = {
  host: setting({
    name: 'HOST',
    type: 'address or host name',
    default: '127.0.0.1',
    help: 'Address to listen on. `0.0.0.0` listens on all interfaces.',
    read: hostName,
  }),
  port: setting({
    name: 'PORT',
    default: '3000',
    help: 'Port to listen on. `0` picks a free one.',
    ...wholeNumber(0, 65535),
  }),
  workers: setting({
    name: 'WORKERS',
    default: '0',
    help: 'Threads that answer requests beside the one that writes, so that a server uses [more than one core](docs/scaling.md#all-cores). Linux, and one server on SQLite without `REPLICA_URL`.',
    ...wholeNumber(0, 64),
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    type: 'directory',
    default: './data',
    help: 'Directory of the database, the images and the generated secrets.',
    read: (value) => resolve(value),
  }),
  /** The settings file that was read, whether it was named or found in DATA_DIR; null if there is none. */
  configFile: setting({
    name: 'CONFIG_FILE',
    type: 'file',
    default: null,
    shownDefault: '`convene.toml` in `DATA_DIR`',
    help: '[File of settings](docs/operations.md#configure), such as `/etc/convene/convene.toml`; `--config FILE` does the same.',
    read: (value) => resolve(value),
  }),
  database: setting<DatabaseConfig>({
    name: 'DATABASE_URL',
    type: 'URL',
    default: '',
    shownDefault: '`convene.db` in `DATA_DIR`',
    help: '`sqlite:PATH`, or `postgres://USER:PASSWORD@HOST/NAME`, which several nodes can share.',
    secret: true,
    read: (value, { env }) =>
      value === '' ? { engine: 'sqlite', path: join(dataDirectory(env), 'convene.db') } : readDatabaseUrl(value),
  }),
  /** Shared by the nodes of one service; null for a single node. */
  redis: setting({
    name: 'REDIS_URL',
    type: 'URL',
    default: null,
    help: '`redis://HOST`, or `rediss://` for TLS. Connects [several nodes](docs/scaling.md#redis) into one service.',
    secret: true,
    read: readRedisUrl,
  }),
  /** Where images are kept; null for DATA_DIR. */
  media: setting({
    name: 'MEDIA_URL',
    type: 'URL',
    default: null,
    shownDefault: '`media` in `DATA_DIR`',
    help: '`s3://BUCKET/PREFIX?endpoint=URL&region=NAME` stores [images in a bucket](docs/scaling.md#photos-in-s3). Add `&public_endpoint=URL` if clients reach the bucket at another address.',
    secret: true,
    read: (value, { env }) => readS3Url(value, s3Keys(env)),
  }),
  jwtSecret: setting({
    name: 'JWT_SECRET',
    type: 'text of at least 32 bytes',
    default: null,
    shownDefault: 'generated',
    help: 'Key that signs access tokens, at least 32 bytes. Use the same one on all nodes.',
    secret: true,
    // Other programs that verify these tokens use the variable's exact bytes, white space included.
    verbatim: true,
    read: jwtSecret,
  }),
  locationKey: setting({
    name: 'LOCATION_KEY',
    type: '32 bytes as hex or base64',
    default: null,
    shownDefault: 'generated',
    help: 'Key of the noise in published positions, 32 bytes as hex or base64. Keep it: the server refuses to start with another one.',
    secret: true,
    read: key32,
  }),
  corsOrigins: setting({
    name: 'CORS_ORIGINS',
    type: 'origins, separated by commas',
    default: '',
    help: 'Origins whose web pages may call the API for their users, such as `https://app.example.org`, separated by commas.',
    read: origins,
  }),
  cookieSameSite: setting({
    name: 'COOKIE_SAMESITE',
    default: 'lax',
    help: '`none` makes session cookies work inside a frame of another site, as in a messenger.',
    ...oneOf('lax', 'none'),
  }),
  /** The position of the client's address in `X-Forwarded-For`, counted from the end. */
  trustProxy: setting({
    name: 'TRUST_PROXY',
    default: '0',
    help: 'Number of proxies in front of the server whose `X-Forwarded-For` is trusted.',
    ...wholeNumber(0, 16),
  }),
  rateLimit: setting({
    name: 'RATE_LIMIT',
    reload: true,
    default: 'on',
    type: 'on, off or a list',
    help: '`off` disables all rate limits, for tests and benchmarks. A list such as `register=200/1h,search=600/1m` changes [single limits](docs/api.md#rate-limits).',
    details: `The limits are ${limitsShown}.`,
    read: rateLimit,
  }),
  /** Where people reach this server, without a slash at the end. */
  publicUrl: setting({
    name: 'PUBLIC_URL',
    type: 'URL',
    default: null,
    help: 'Where people reach this server, such as `https://meet.example.org`. Links in mails begin with it, and its pages may send requests for people who are signed in.',
    read: publicUrl,
  }),
}

/** Null if rate limits are off. */
function rateLimit(value: string): LimitTable | null {
  if (value === 'off') return null
  const limits = value === 'on' ? limitTable : limitsOf(value)
  if (limits === null) throw new Error(`must be on, off, or ${limitListForm}`)
  return limits
}

function jwtSecret(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value)
  if (bytes.length < 32) throw new Error('must have at least 32 bytes')
  return bytes
}

function publicUrl(value: string): string {
  const url = URL.parse(value)
  const isLocal = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:')) || url.origin !== value)
    throw new Error(
      'must be an https URL without a path or a slash at the end, such as https://meet.example.org; http on this machine only',
    )
  return value
}

function origins(value: string): string[] {
  if (value === '') return []
  return value.split(',').map((part) => {
    const origin = part.trim()
    if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:[^*]+$/.test(origin))
      throw new Error(
        'must be a list of origins between commas, for example https://app.example.org, without a slash or a path after it',
      )
    return origin
  })
}
