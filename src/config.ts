import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { codeOf } from './lib/errors.ts'
import { limitListForm, limitsOf, limitsShown, type LimitTable, limitTable } from './lib/rate-limits.ts'
import { readBrand } from './lib/brand.ts'
import { readSocketAddress } from './lib/outbound.ts'
import { oidcProvidersIn } from './lib/oidc-settings.ts'
import { readApnsKey } from './outbox/apns/key.ts'
import { readServiceAccount } from './outbox/fcm/account.ts'
import { readRedisUrl } from './lib/redis-url.ts'
import {
  ConfigError,
  type ConfigOf,
  type Context,
  type Environment,
  onOrOff,
  oneOf,
  readAs,
  readSettings,
  setting,
  settingsShown,
  type ShownSetting,
  textOf,
  wholeNumber,
} from './lib/settings.ts'
import { registrationModes } from './features/registration/rules.ts'
import { isS3Url, readS3ObjectUrl, readS3Url, type S3Keys, type S3Place } from './s3/place.ts'
import { type DatabaseConfig, isPostgresUrl, readDatabaseUrl } from './storage/database-url.ts'

export { ConfigError }

// Elysia reads this once, when it is loaded. Without it, Elysia would describe every refused body at many times the cost.
Bun.env.NODE_ENV ??= 'production'

/** The settings that `Config` holds, in the order in which help and documents list them. */
const serverSettings = {
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
  dataDir: setting({
    name: 'DATA_DIR',
    type: 'directory',
    default: './data',
    help: 'Directory of the database, the images and the generated secrets.',
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
      value === ''
        ? { engine: 'sqlite', path: join(resolve(textOf(env, 'DATA_DIR') ?? './data'), 'convene.db') }
        : readDatabaseUrl(value),
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
    // Others who check these tokens use the variable's very bytes, white space included.
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
    read: locationKey,
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
  /** The client's address is that many places from the end of `X-Forwarded-For`. */
  trustProxy: setting({
    name: 'TRUST_PROXY',
    default: '0',
    help: 'Number of proxies in front of the server whose `X-Forwarded-For` is trusted.',
    ...wholeNumber(0, 16),
  }),
  rateLimit: setting({
    name: 'RATE_LIMIT',
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
    help: 'where people reach this server, such as `https://meet.example.org`; links in mails begin with it',
    read: publicUrl,
  }),
  smtpUrl: setting({
    name: 'SMTP_URL',
    type: 'URL',
    default: null,
    help: '`smtp://USER:PASSWORD@HOST:587` or `smtps://…`: [sends mail](docs/accounts.md#mail); needs `MAIL_FROM` and `PUBLIC_URL` too',
    secret: true,
    read: smtpUrl,
  }),
  mailFrom: setting({
    name: 'MAIL_FROM',
    type: 'name and address',
    default: null,
    help: 'sender of mails, such as `Convene <hello@example.org>`; its name is what mails call the community',
    read: mailFrom,
  }),
  dkim: setting({
    name: 'MAIL_DKIM',
    type: 'domain, selector and file',
    default: null,
    help: '`DOMAIN:SELECTOR:FILE` of a private key in PEM form, to sign mails; leave it out where the mail server signs them',
    read: dkimKey,
  }),
  webApp: setting({
    name: 'WEB_APP',
    ...onOrOff,
    default: 'on',
    help: 'the web app at `/`; `off` leaves the API alone',
  }),
  /** The look of the app; null for its own. */
  brand: setting({
    name: 'BRAND_DIR',
    type: 'directory',
    default: null,
    help: 'Directory with [the name, colours, logo and texts](docs/fork-the-app.md#your-own-look) of your community.',
    read: (value) => readBrand(resolve(value)),
  }),
  frameAncestors: setting({
    name: 'FRAME_ANCESTORS',
    type: 'origins',
    default: '',
    shownDefault: 'none',
    help: 'comma-separated origins whose pages may show the app in a frame, such as `https://web.telegram.org`',
    read: (value) => value.split(',').flatMap((part) => (part.trim() === '' ? [] : [originOf(part.trim())])),
  }),
  mapStyleUrl: setting({
    name: 'MAP_STYLE_URL',
    type: 'URL',
    default: null,
    help: 'style of the map of people nearby, for MapLibre; without it, the app shows distances without a map',
    read: webUrl,
  }),
  /** Whether a registration asks to verify its address, and whether nothing else may be done before. */
  emailVerification: setting({
    name: 'EMAIL_VERIFICATION',
    type: 'off, on, required',
    default: '',
    shownDefault: '`on` with `SMTP_URL`',
    help: '`on`: registration sends a mail to verify the address; `required`: [nothing else is allowed](docs/accounts.md#verification) until that is done; `off`: neither',
    read: emailVerification,
  }),
  /** The OpenID Connect providers, of the settings of each. */
  oidc: setting({
    name: 'OIDC_<NAME>_ISSUER',
    type: 'URL',
    default: '',
    help: 'Issuer of an [OpenID Connect provider](docs/accounts.md#openid-connect), such as `OIDC_GOOGLE_ISSUER=https://accounts.google.com`. The next ones belong to it; use a name of your own for each provider.',
    read: (_, { env }) => oidcProvidersIn(env),
  }),
  notifyAfterS: setting({
    name: 'NOTIFY_AFTER_S',
    unit: 'seconds',
    default: '15',
    help: 'How long after an event its [notification](docs/notifications.md) is sent, in seconds, unless it was read by then.',
    ...wholeNumber(0, 3600),
  }),
  messengerBotToken: setting({
    name: 'MESSENGER_BOT_TOKEN',
    type: 'token',
    default: null,
    help: 'Token of the bot whose mini-app users log in from. Without it, that login answers 503.',
    secret: true,
    read: botToken,
  }),
  /** Whether this server is the bot. */
  messengerBot: setting({
    name: 'MESSENGER_BOT',
    default: 'off',
    type: 'on or off',
    help: '`on`: this server [is the bot](docs/telegram-bot.md) of `MESSENGER_BOT_TOKEN`: it answers `/start` and `/stop`, and sends notifications.',
    read: messengerBot,
  }),
  /** Null for the bot's main mini-app. */
  messengerApp: setting({
    name: 'MESSENGER_APP',
    type: 'short name',
    default: null,
    shownDefault: 'the bot’s main mini-app',
    help: 'Short name of the mini-app that the bot’s links open, as BotFather has it.',
    read: messengerApp,
  }),
  messengerApiUrl: setting({
    name: 'MESSENGER_API_URL',
    type: 'URL',
    default: 'https://api.telegram.org',
    help: 'Address of the Bot API, for a Bot API server of your own.',
    read: (value) => plainUrl(value).replace(/\/+$/, ''),
  }),
  webhookUrl: setting({
    name: 'WEBHOOK_URL',
    type: 'URL',
    default: null,
    help: 'Where the server [posts what happens](docs/webhooks.md), such as a new account or report; needs `WEBHOOK_SECRET` too.',
    secret: true,
    read: webhookUrl,
  }),
  webhookSecret: setting({
    name: 'WEBHOOK_SECRET',
    type: 'secret of 24 to 64 bytes',
    default: null,
    help: 'Signs webhooks: `whsec_` and 24 to 64 bytes as base64.',
    secret: true,
    read: webhookSecret,
  }),
  webhookPreviousSecret: setting({
    name: 'WEBHOOK_PREVIOUS_SECRET',
    type: 'secret of 24 to 64 bytes',
    default: null,
    help: 'The secret before `WEBHOOK_SECRET`: webhooks carry both signatures, until the receiver knows the new one.',
    secret: true,
    read: webhookSecret,
  }),
  initDataMaxAgeS: setting({
    name: 'INIT_DATA_MAX_AGE_S',
    unit: 'seconds',
    default: '3600',
    help: 'Maximum age of the init data in a mini-app login, in seconds. `0` accepts any age.',
    ...wholeNumber(0, 31_536_000),
  }),
  /** With their subdomains. */
  messengerPhotoHosts: setting({
    name: 'MESSENGER_PHOTO_HOSTS',
    type: 'host names, separated by commas',
    default: 't.me,telegram.org',
    help: 'Hosts, with their subdomains, from which the server fetches the photos of messenger users, separated by commas.',
    read: hostNames,
  }),
  outboundAllow: setting({
    name: 'OUTBOUND_ALLOW',
    type: 'addresses with ports, separated by commas',
    default: '',
    help: 'Private addresses that the server may call on behalf of users, such as `127.0.0.1:9000,10.0.0.5:443`.',
    read: socketAddresses,
  }),
  registration: setting({
    name: 'REGISTRATION',
    default: 'open',
    help: 'Who may make an account: everybody (`open`), who has [an invite](docs/accounts.md#who-may-register) (`invite`), or nobody (`closed`).',
    ...oneOf(...registrationModes),
  }),
  fcmServiceAccount: setting({
    name: 'FCM_SERVICE_ACCOUNT',
    type: 'file',
    default: null,
    help: 'Key file of a Google service account: [sends to Android apps](docs/push-providers.md#firebase-android).',
    read: serviceAccount,
  }),
  fcmUrl: setting({
    name: 'FCM_URL',
    type: 'URL',
    default: null,
    shownDefault: 'that of Google',
    help: 'Another server that speaks FCM v1, such as `http://127.0.0.1:9000`.',
    read: (value, { env }) => {
      comesWith(env, ['FCM_SERVICE_ACCOUNT'])
      return serverUrl(value)
    },
  }),
  apnsKey: setting({
    name: 'APNS_KEY',
    type: 'file',
    default: null,
    help: '`.p8` key of an Apple developer account: [sends to iOS apps](docs/push-providers.md#apns-ios). Needs `APNS_KEY_ID`, `APNS_TEAM_ID` and `APNS_TOPIC`.',
    secret: true,
    read: apnsKey,
  }),
  apnsKeyId: setting({
    name: 'APNS_KEY_ID',
    type: 'ten letters and digits',
    default: null,
    help: 'Id of `APNS_KEY`.',
    read: appleId,
  }),
  apnsTeamId: setting({
    name: 'APNS_TEAM_ID',
    type: 'ten letters and digits',
    default: null,
    help: 'Id of the team that `APNS_KEY` belongs to.',
    read: appleId,
  }),
  apnsTopic: setting({
    name: 'APNS_TOPIC',
    type: 'bundle id',
    default: null,
    help: 'Bundle id of the app, such as `org.example.meet`.',
    read: bundleId,
  }),
  apnsEnv: setting({
    name: 'APNS_ENV',
    default: 'production',
    help: '`sandbox` is for apps that Xcode has installed.',
    ...oneOf('production', 'sandbox'),
  }),
  apnsUrl: setting({
    name: 'APNS_URL',
    type: 'URL',
    default: null,
    shownDefault: 'that of Apple for `APNS_ENV`',
    help: 'Another server that speaks APNs over HTTP/2, such as `http://127.0.0.1:9000`.',
    read: (value, { env }) => {
      comesWith(env, apnsSettings)
      return serverUrl(value)
    },
  }),
  consentGate: setting({
    name: 'CONSENT_GATE',
    default: 'off',
    help: '`on` blocks users until they give the mandatory consents. They can still read and erase `/me`, hide, export, read notices, appeal and log out.',
    ...onOrOff,
  }),
  staffPasskey: setting({
    name: 'STAFF_PASSKEY',
    default: 'off',
    help: '`required`: moderators and admins [show a passkey](docs/moderation.md#passkeys-for-staff) before they moderate, every 12 hours.',
    ...oneOf('off', 'required'),
  }),
  firstContact: setting({
    name: 'FIRST_CONTACT',
    default: 'open',
    help: '`guarded` limits a stranger to three texts, without links or photos, until the other person answers.',
    ...oneOf('open', 'guarded'),
  }),
  nearbyMaxAgeDays: setting({
    name: 'NEARBY_MAX_AGE_DAYS',
    unit: 'days',
    default: '30',
    help: 'How long others can find a position, in days.',
    ...wholeNumber(1, 3650),
  }),
  eventRetentionDays: setting({
    name: 'EVENT_RETENTION_DAYS',
    unit: 'days',
    default: '7',
    help: 'How long a client can catch up on missed events, in days.',
    ...wholeNumber(1, 3650),
  }),
  /** Over how many hours an anonymous review may take to appear; 0 for at once. */
  anonymousReviewDelayH: setting({
    name: 'ANONYMOUS_REVIEW_DELAY_H',
    unit: 'hours',
    default: '24',
    help: 'An anonymous review appears at a random time within this many hours. `0` publishes it at once.',
    ...wholeNumber(0, 720),
  }),
  reportTargetH: setting({
    name: 'REPORT_TARGET_H',
    unit: 'hours',
    default: '24',
    help: 'Within how many hours a report is to be decided: [the queue](docs/moderation.md#the-queue) is sorted by that.',
    ...wholeNumber(1, 8760),
  }),
  legalContact: setting({
    name: 'LEGAL_CONTACT',
    type: 'e-mail address or URL',
    default: null,
    help: 'Where authorities and people without an account reach you, such as `safety@example.org`. It stands in `GET /api/v1/legal/child-safety`.',
    read: contact,
  }),
  legalDir: setting({
    name: 'LEGAL_DIR',
    type: 'directory',
    default: null,
    help: 'Directory of [your own legal texts](docs/operations.md#your-own-legal-texts): `terms.en.md`, `privacy.en.md`, `disclaimer.en.md`.',
    read: (value) => value,
  }),
  /** Where scheduled backups go, a directory or a bucket; null where there are none. */
  backupDir: setting({
    name: 'BACKUP_DIR',
    type: 'directory or URL',
    default: null,
    help: 'Where scheduled backups go: a directory, or `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`.',
    secret: true,
    read: backupDir,
  }),
  backupCron: setting({
    name: 'BACKUP_CRON',
    type: 'cron expression, in UTC',
    default: '0 3 * * *',
    help: 'Schedule of the backups: a cron expression, in UTC.',
    read: cronExpression,
  }),
  backupKeep: setting({
    name: 'BACKUP_KEEP',
    default: '7',
    help: 'How many scheduled backups to keep.',
    ...wholeNumber(1, 1000),
  }),
  metricsToken: setting({
    name: 'METRICS_TOKEN',
    type: 'token',
    default: null,
    help: 'Bearer token that lets other hosts read `/metrics`, at least 16 characters.',
    secret: true,
    read: metricsToken,
  }),
  /** Null where no traces are made. */
  otlpEndpoint: setting({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: 'URL',
    default: null,
    help: 'OpenTelemetry collector that receives a trace of each request, such as `http://127.0.0.1:4318`.',
    read: httpUrl,
  }),
  drainSeconds: setting({
    name: 'DRAIN_SECONDS',
    unit: 'seconds',
    default: '0',
    help: 'How long the server keeps answering after SIGTERM while it is [no longer ready](docs/scaling.md#a-node-that-ends), in seconds. Sockets are moved to other nodes during the second half.',
    ...wholeNumber(0, 3600),
  }),
  logLevel: setting({
    name: 'LOG_LEVEL',
    default: 'info',
    help: '`trace`, `debug`, `info`, `warn`, `error` or `silent`.',
    ...oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  }),
}

/** Keys of the buckets that other settings name. */
const bucketKeys = {
  s3AccessKeyId: key('S3_ACCESS_KEY_ID', 'Access key of buckets whose URL contains none.'),
  s3SecretAccessKey: key('S3_SECRET_ACCESS_KEY', 'Secret of `S3_ACCESS_KEY_ID`.'),
  awsAccessKeyId: key('AWS_ACCESS_KEY_ID', 'Used if neither `S3_ACCESS_KEY_ID` nor `S3_SECRET_ACCESS_KEY` is set.'),
  awsSecretAccessKey: key('AWS_SECRET_ACCESS_KEY', 'Secret of `AWS_ACCESS_KEY_ID`.'),
}

/** The other settings of an OpenID Connect provider, which `oidc` reads: one of each for a name. */
const oidcParts = {
  oidcClientId: key(
    'OIDC_<NAME>_CLIENT_ID',
    'Client id at the provider. Native apps with ids of their own follow the one for browsers, separated by commas.',
    false,
  ),
  oidcClientSecret: key(
    'OIDC_<NAME>_CLIENT_SECRET',
    'Client secret at the provider. Apple has the next three instead.',
  ),
  oidcTeamId: key('OIDC_<NAME>_TEAM_ID', 'Team id at Apple.', false),
  oidcKeyId: key('OIDC_<NAME>_KEY_ID', 'Id of the private key at Apple.', false),
  oidcPrivateKey: key('OIDC_<NAME>_PRIVATE_KEY', 'Private key of Apple, in PEM form or as the path of the `.p8` file.'),
  oidcLabel: key('OIDC_<NAME>_LABEL', 'What people read on the button. The default is the name.', false),
}

/** Every setting. The help of `convene serve`, the README's table and `.env.example` are made from this table. */
export const settings = { ...serverSettings, ...oidcParts, ...bucketKeys }

export type Config = ConfigOf<typeof serverSettings>

/**
 * The configuration from environment variables, all optional. This is the only reader of the environment.
 *
 * Throws ConfigError naming the first variable that holds a bad value and what it must be.
 */
export function readConfig(env: Environment = process.env): Config {
  const config = readSettings(serverSettings, env)
  shown.set(config, settingsShown(settings, env))
  return config
}

const shown = new WeakMap<Config, ShownSetting[]>()

/** The settings that a configuration was read from, secrets masked. */
export const settingsInForce = (config: Config): ShownSetting[] => shown.get(config) ?? []

/** Reads a database URL of the command line. Throws ConfigError by that name. */
export const databaseOf = (url: string, name: string): DatabaseConfig => readAs(name, () => readDatabaseUrl(url))

/** The object that an argument of the command line names by its URL. Throws ConfigError where it is no such URL. */
export const s3Object = (url: string, env: Environment = process.env) =>
  readAs('the URL', () => readS3ObjectUrl(url, s3Keys(env)))

/** The environment of a process that is to use the keys of a place. */
export const environmentFor = ({ accessKeyId, secretAccessKey }: S3Place): Environment => ({
  ...process.env,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
})

function key(name: string, help: string, isSecret = true) {
  const row = setting({ name, type: 'text', default: null, help, read: (value: string) => value })
  return isSecret ? { ...row, secret: true as const } : row
}

/** The keys come as a pair, so that the key of one store never goes with the secret of another. */
function s3Keys(env: Environment): S3Keys {
  const [id, secret] = [textOf(env, 'S3_ACCESS_KEY_ID'), textOf(env, 'S3_SECRET_ACCESS_KEY')]
  return id === null && secret === null
    ? { accessKeyId: textOf(env, 'AWS_ACCESS_KEY_ID'), secretAccessKey: textOf(env, 'AWS_SECRET_ACCESS_KEY') }
    : { accessKeyId: id, secretAccessKey: secret }
}

function hostName(value: string): string {
  if (isIP(value) === 0 && !/^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(value))
    throw new Error('must be an address or a host name, such as 0.0.0.0, without scheme or port')
  return value
}

/** Null where nothing is limited. */
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

function locationKey(value: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(value)) return Buffer.from(value, 'hex')
  if (/^[A-Za-z0-9+/]{43}=$/.test(value)) return Buffer.from(value, 'base64')
  throw new Error('must be 32 bytes, as 64 hexadecimal digits or as base64')
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

function smtpUrl(value: string, { env }: Context): string {
  const url = URL.parse(value)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// with TLS from the start')
  for (const name of ['MAIL_FROM', 'PUBLIC_URL'])
    if (textOf(env, name) === null) throw new Error(`must come with MAIL_FROM and PUBLIC_URL, and ${name} is not set`)
  return value
}

/** An http or https URL without credentials. */
function webUrl(value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error('must be an http or https URL without user and password')
  return url
}

function originOf(value: string): string {
  const { origin } = webUrl(value)
  if (origin !== value) throw new Error('must be a list of origins, such as https://web.telegram.org')
  return origin
}

function emailVerification(value: string, { env }: Context): 'off' | 'on' | 'required' {
  const sendsMail = textOf(env, 'SMTP_URL') !== null
  if (value === '') return sendsMail ? 'on' : 'off'
  const chosen = oneOf('off', 'on', 'required').read(value)
  if (chosen !== 'off' && !sendsMail) throw new Error(`must be off where no mail is sent: set SMTP_URL for ${chosen}`)
  return chosen
}

function mailFrom(value: string): { name: string; address: string } {
  const [, quoted, plain, address] = /^(?:"([^"<>]+)"|([^"<>]+?))\s*<([^<>\s@]+@[^<>\s@]+)>$/.exec(value) ?? []
  const name = quoted ?? plain
  // oxlint-disable-next-line no-control-regex -- a line break would begin another header
  if (name === undefined || address === undefined || /[\x00-\x1f]/.test(value))
    throw new Error('must be a name and an address, such as Convene <hello@example.org>')
  return { name, address }
}

function dkimKey(value: string): { domainName: string; keySelector: string; privateKey: string } {
  const [, domainName, keySelector, file] = /^([a-z0-9.-]+):([a-z0-9._-]+):(.+)$/i.exec(value) ?? []
  if (domainName === undefined || keySelector === undefined || file === undefined)
    throw new Error('must be DOMAIN:SELECTOR:FILE, such as example.org:convene:/etc/convene/dkim.pem')
  let privateKey: string
  try {
    privateKey = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`must name a file that can be read, not ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  if (!privateKey.includes('PRIVATE KEY-----'))
    throw new Error(`must name a private key in PEM form, and ${file} holds none`)
  return { domainName, keySelector, privateKey }
}

const apnsSettings = ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC']

/** Throws if one of the settings is missing. */
function comesWith(env: Environment, names: string[]) {
  const missing = names.filter((name) => textOf(env, name) === null)
  if (missing.length === 0) return
  const listed = missing.join(', ').replace(/, (\w+)$/, ' and $1')
  throw new Error(`must come with ${listed}, which ${missing.length === 1 ? 'is' : 'are'} not set`)
}

function serviceAccount(value: string) {
  return readServiceAccount(keyFile(value), value)
}

function apnsKey(value: string, { env }: Context) {
  comesWith(env, apnsSettings)
  return readApnsKey(keyFile(value), value)
}

function appleId(value: string, { env }: Context): string {
  comesWith(env, apnsSettings)
  if (!/^[A-Z0-9]{10}$/.test(value)) throw new Error('must be ten capital letters and digits, such as ABC123DEFG')
  return value
}

function bundleId(value: string, { env }: Context): string {
  comesWith(env, apnsSettings)
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(value)) throw new Error('must be a bundle id, such as org.example.meet')
  return value
}

function keyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`must name a file that can be read, not ${path} (${codeOf(error)})`)
  }
}

/** Without a slash at the end. */
function serverUrl(value: string): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error('must be an http or https URL without a user or a query, such as http://127.0.0.1:9000')
  return url.href.replace(/\/+$/, '')
}

function botToken(value: string): string {
  if (value.length < 8 || /\s/.test(value)) throw new Error('must be the token that the messenger gave for the bot')
  return value
}

function messengerBot(value: string, { env }: Context): boolean {
  const isOn = oneOf('on', 'off').read(value) === 'on'
  // The token becomes a part of the path of each call.
  if (isOn && !/^\d+:[\w-]+$/.test(textOf(env, 'MESSENGER_BOT_TOKEN') ?? ''))
    throw new Error('must come with MESSENGER_BOT_TOKEN, as BotFather gives it: digits, a colon and letters')
  return isOn
}

function messengerApp(value: string): string {
  if (!/^\w{3,30}$/.test(value)) throw new Error('must be the short name of a mini-app, such as app')
  return value
}

function plainUrl(value: string): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || /[?#]/.test(value))
    throw new Error('must be an http or https URL without a user, a query or a fragment')
  return url.href
}

function webhookUrl(value: string, { env }: Context): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error('must be an http or https URL without a user, such as https://crm.example.org/convene')
  if (textOf(env, 'WEBHOOK_SECRET') === null) throw new Error('must come with WEBHOOK_SECRET, which is not set')
  return url.href
}

function webhookSecret(value: string): string {
  const [, base64 = ''] = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(base64, 'base64')
  // A receiver decodes it strictly.
  if (bytes.toString('base64') !== base64 || bytes.length < 24 || bytes.length > 64)
    throw new Error('must be whsec_ and 24 to 64 bytes as base64, as of: echo whsec_$(openssl rand -base64 32)')
  return value
}

function backupDir(value: string, { env }: Context): string | S3Place {
  if (isPostgresUrl(textOf(env, 'DATABASE_URL') ?? ''))
    throw new Error('is for an SQLite database: leave it out, and back PostgreSQL up by its own means, such as pg_dump')
  if (isS3Url(value)) return readS3Url(value, s3Keys(env))
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(value))
    throw new Error('must be a directory, or s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME')
  const directory = resolve(value)
  // A backup in DATA_DIR would be lost together with it.
  if (directory === resolve(textOf(env, 'DATA_DIR') ?? './data'))
    throw new Error('must be another directory than DATA_DIR')
  return directory
}

function cronExpression(value: string): string {
  const wrong = new Error('must be a cron expression of five fields, in UTC, such as 0 3 * * *')
  let next: unknown
  try {
    next = Bun.cron.parse(value, Date.now(), { tz: 'UTC' })
  } catch {
    throw wrong
  }
  // Null: a day that no calendar has.
  if (next === null) throw wrong
  return value
}

function contact(value: string): string {
  const isAddress = /^[^\s@<>()[\]]+@[^\s@<>()[\]]+\.[^\s@<>()[\]]+$/.test(value)
  const url = URL.parse(value)
  if (!isAddress && (url?.protocol !== 'https:' || url.username !== '' || /[\s<>()[\]]/.test(value)))
    throw new Error('must be an e-mail address or an https URL, such as safety@example.org')
  return value
}

function httpUrl(value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new Error('must be an http or https URL, for example http://127.0.0.1:4318')
  return value
}

function metricsToken(value: string): string {
  if (value.length < 16 || /\s/.test(value)) throw new Error('must have at least 16 characters, and no white space')
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

function hostNames(value: string): string[] {
  return value.split(',').map((part) => {
    const name = part.trim().toLowerCase()
    if (!/^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) || URL.parse(`https://${name}/`)?.hostname !== name)
      throw new Error('must be a list of host names between commas, for example t.me,telegram.org')
    return name
  })
}

function socketAddresses(value: string): string[] {
  if (value === '') return []
  return value.split(',').map((part) => {
    const address = readSocketAddress(part.trim())
    if (address === null)
      throw new Error('must be a list of addresses with ports between commas, for example 127.0.0.1:9000,10.0.0.5:443')
    return address
  })
}
