import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Config, ConfigError, readConfig, s3Object, settings, settingsInFile } from '../../src/config.ts'
import { periods, usualRetention } from '../../src/features/retention/periods.ts'
import { limitTable } from '../../src/lib/rate-limits.ts'
import { settingsAsEnvFile, settingsAsMarkdown, settingsAsToml } from '../../src/lib/settings.ts'
import { s3ObjectUrl, shownPlace } from '../../src/s3/place.ts'

type Case = {
  field: keyof Config
  default: unknown
  good: [value: string, read: unknown][]
  bad: string[]
}

const bytes = (text: string) => new TextEncoder().encode(text)
const key = 'ab'.repeat(32)

const place = {
  bucket: 'photos',
  prefix: '',
  endpoint: 'https://s3.us-east-1.amazonaws.com',
  publicEndpoint: 'https://s3.us-east-1.amazonaws.com',
  region: 'us-east-1',
  accessKeyId: 'KEY',
  secretAccessKey: 'hunter2',
}
const at = (endpoint: string) => ({ ...place, endpoint, publicEndpoint: endpoint })
const badS3Urls = [
  's3:photos',
  's3://',
  's3:///prefix',
  's3://KEY:hunter2@ab',
  's3://KEY:hunter2@Photos',
  's3://KEY:hunter2@photos:9000',
  's3://KEY:hunter2@photos#part',
  's3://KEY:hunter2@photos/two words',
  's3://KEY:hunter2@photos/a//b',
  's3://KEY:hunter2@photos?endpoint=minio:9000',
  's3://KEY:hunter2@photos?endpoint=ftp://minio',
  's3://KEY:hunter2@photos?endpoint=https://KEY:hunter2@minio',
  's3://KEY:hunter2@photos?endpoint=https://minio?x',
  's3://KEY:hunter2@photos?public_endpoint=minio',
  's3://KEY:hunter2@photos?region=eu central',
  's3://KEY:hunter2@photos?region=a&region=b',
  's3://KEY:hunter2@photos?secret=hunter2',
  's3://KEY:hunter2/with/slashes@photos',
  's3://KEY:hunter2%@photos',
  's3://KEY:hunter2%0A@photos',
  's3://KEY@photos',
  's3://:hunter2@photos',
  // Without keys, here or in variables of their own.
  's3://photos/prefix',
]

const variables: Record<string, Case> = {
  HOST: {
    field: 'host',
    default: '127.0.0.1',
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
      ['localhost', 'localhost'],
      ['convene.internal', 'convene.internal'],
    ],
    bad: ['http://localhost', '0.0.0.0:3000', '[::1]', 'two words', 'a..b'],
  },
  PORT: {
    field: 'port',
    default: 3000,
    good: [
      ['0', 0],
      ['8080', 8080],
      ['65535', 65535],
    ],
    bad: ['65536', '-1', '80.5', '1e3', '0x50', 'http'],
  },
  WORKERS: {
    field: 'workers',
    default: 0,
    good: [
      ['0', 0],
      ['7', 7],
      ['64', 64],
    ],
    bad: ['-1', '65', '2.5', 'auto'],
  },
  DATA_DIR: {
    field: 'dataDir',
    default: resolve('./data'),
    good: [
      ['/var/lib/convene', '/var/lib/convene'],
      ['elsewhere', resolve('elsewhere')],
    ],
    bad: [],
  },
  DATABASE_URL: {
    field: 'database',
    default: { engine: 'sqlite', path: join(resolve('./data'), 'convene.db') },
    good: [
      ['sqlite:/var/lib/c.db', { engine: 'sqlite', path: '/var/lib/c.db' }],
      ['sqlite:///var/lib/c.db', { engine: 'sqlite', path: '/var/lib/c.db' }],
      ['file:c.db', { engine: 'sqlite', path: resolve('c.db') }],
      ['sqlite::memory:', { engine: 'sqlite', path: ':memory:' }],
      ['postgres://db/convene', { engine: 'postgres', url: 'postgres://db/convene' }],
      [
        'postgresql://u:p@one:5432,two/convene?sslmode=require',
        { engine: 'postgres', url: 'postgresql://u:p@one:5432,two/convene?sslmode=require' },
      ],
    ],
    bad: [
      'postgres://db',
      'postgres://u:p@/convene',
      'postgres://db:99999/c',
      'postgres://db/c?sslmode=on',
      'mysql://db/c',
      '/var/lib/c.db',
      'sqlite:',
      'sqlite://',
      'sqlite:/var/lib/',
    ],
  },
  REDIS_URL: {
    field: 'redis',
    default: null,
    good: [
      ['redis://10.0.0.7', { host: '10.0.0.7', port: 6379, username: null, password: null, database: 0, tls: false }],
      [
        'valkey://ada:p%40ss%2Fword@valkey.internal:7000/3',
        {
          ...{ host: 'valkey.internal', port: 7000, username: 'ada', password: 'p@ss/word' },
          ...{ database: 3, tls: false },
        },
      ],
      [
        'rediss://:secret@[::1]:6380/',
        { host: '::1', port: 6380, username: null, password: 'secret', database: 0, tls: true },
      ],
      ['valkeys://h', { host: 'h', port: 6379, username: null, password: null, database: 0, tls: true }],
    ],
    bad: [
      'redis.internal:6379',
      'http://redis.internal',
      'redis://',
      'redis:///3',
      'redis://h:99999',
      'redis://h:0',
      'redis://h/three',
      'redis://h/0?family=6',
      'redis://:pass#word@h',
      'redis://:%zz@h',
      'redis://a,redis://b',
    ],
  },
  JWT_SECRET: {
    field: 'jwtSecret',
    default: null,
    good: [
      ['x'.repeat(32), bytes('x'.repeat(32))],
      ['ключ'.repeat(4), bytes('ключ'.repeat(4))],
      // Others who check our tokens use the variable's very bytes.
      [` ${'x'.repeat(32)}\n`, bytes(` ${'x'.repeat(32)}\n`)],
    ],
    bad: ['x'.repeat(31), 'п'.repeat(15)],
  },
  LOCATION_KEY: {
    field: 'locationKey',
    default: null,
    good: [
      [key, Buffer.from(key, 'hex')],
      [Buffer.from(key, 'hex').toString('base64'), Buffer.from(key, 'hex')],
    ],
    bad: ['ab'.repeat(31), 'xy'.repeat(32), 'x'.repeat(32)],
  },
  PUBLIC_URL: {
    field: 'publicUrl',
    default: null,
    good: [
      ['https://meet.example.org', 'https://meet.example.org'],
      ['http://localhost:3000', 'http://localhost:3000'],
      ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ],
    bad: [
      'meet.example.org',
      'http://meet.example.org',
      'https://meet.example.org/',
      'https://meet.example.org/app',
      'https://ada@meet.example.org',
      'https://MEET.example.org',
    ],
  },
  MAIL_FROM: {
    field: 'mailFrom',
    default: null,
    good: [
      ['Convene <hello@example.org>', { name: 'Convene', address: 'hello@example.org' }],
      ['"Ada, and friends" <a@example.org>', { name: 'Ada, and friends', address: 'a@example.org' }],
    ],
    bad: ['hello@example.org', 'Convene <hello>', 'Convene\nBcc: all <hello@example.org>', '<hello@example.org>'],
  },
  NOTIFY_AFTER_S: {
    field: 'notifyAfterS',
    default: 15,
    good: [
      ['0', 0],
      ['3600', 3600],
    ],
    bad: ['-1', '3601', 'soon', '1.5'],
  },
  SMTP_URL: {
    field: 'smtpUrl',
    default: null,
    good: [],
    bad: ['smtp://mail.example.org', 'mail.example.org:587', 'https://mail.example.org', 'smtp:'],
  },
  EMAIL_VERIFICATION: {
    field: 'emailVerification',
    default: 'off',
    good: [['off', 'off']],
    bad: ['on', 'required', 'yes'],
  },
  MAIL_DKIM: {
    field: 'dkim',
    default: null,
    good: [],
    bad: ['example.org', 'example.org:convene:/nowhere/key.pem', `example.org:convene:${import.meta.path}`],
  },
  'OIDC_<NAME>_ISSUER': { field: 'oidc', default: [], good: [], bad: [] },
  // With what must come with them: see below.
  FCM_SERVICE_ACCOUNT: {
    field: 'fcmServiceAccount',
    default: null,
    good: [],
    bad: ['/nowhere.json', import.meta.path],
  },
  FCM_URL: { field: 'fcmUrl', default: null, good: [], bad: ['http://127.0.0.1:9000'] },
  APNS_KEY: { field: 'apnsKey', default: null, good: [], bad: [import.meta.path] },
  APNS_KEY_ID: { field: 'apnsKeyId', default: null, good: [], bad: ['ABC123DEFG'] },
  APNS_TEAM_ID: { field: 'apnsTeamId', default: null, good: [], bad: ['ABC123DEFG'] },
  APNS_TOPIC: { field: 'apnsTopic', default: null, good: [], bad: ['org.example.meet'] },
  APNS_ENV: {
    field: 'apnsEnv',
    default: 'production',
    good: [['sandbox', 'sandbox']],
    bad: ['development', 'Production'],
  },
  APNS_URL: { field: 'apnsUrl', default: null, good: [], bad: ['http://127.0.0.1:9000'] },
  MESSENGER_BOT_TOKEN: {
    field: 'messengerBotToken',
    default: null,
    good: [['12345678:some-token', '12345678:some-token']],
    bad: ['short', 'with white space'],
  },
  MESSENGER_BOT: {
    field: 'messengerBot',
    default: false,
    good: [['off', false]],
    bad: ['on', 'yes', '1'],
  },
  MESSENGER_APP: {
    field: 'messengerApp',
    default: null,
    good: [['meet', 'meet']],
    bad: ['ab', 'my app', 'https://t.me/bot/meet', 'a/b', '@meet'],
  },
  MESSENGER_API_URL: {
    field: 'messengerApiUrl',
    default: 'https://api.telegram.org',
    good: [
      ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
      ['https://bot-api.example.org/telegram/', 'https://bot-api.example.org/telegram'],
    ],
    bad: ['api.telegram.org', 'ftp://api.telegram.org', 'https://a:b@api.example.org', 'https://api.example.org/?x=1'],
  },
  WEBHOOK_URL: {
    field: 'webhookUrl',
    default: null,
    good: [],
    bad: ['https://crm.example.org/convene', 'crm.example.org', 'ftp://crm.example.org', 'https://a:b@crm.example.org'],
  },
  WEBHOOK_SECRET: {
    field: 'webhookSecret',
    default: null,
    good: [
      [`whsec_${'A'.repeat(32)}`, `whsec_${'A'.repeat(32)}`],
      ['A'.repeat(32), 'A'.repeat(32)],
    ],
    bad: ['whsec_', 'whsec_c2hvcnQ=', 'A'.repeat(33), `whsec_${'A'.repeat(88)}`, `whsec_${'*'.repeat(32)}`, 'hunter2'],
  },
  WEBHOOK_PREVIOUS_SECRET: {
    field: 'webhookPreviousSecret',
    default: null,
    good: [['A'.repeat(32), 'A'.repeat(32)]],
    bad: ['whsec_c2hvcnQ='],
  },
  IMAGE_CHECK_URL: {
    field: 'imageCheckUrl',
    default: null,
    good: [],
    bad: ['https://images.example.org/check', 'images.example.org', 'ftp://images.example.org'],
  },
  IMAGE_CHECK_SECRET: {
    field: 'imageCheckSecret',
    default: null,
    good: [],
    bad: ['A'.repeat(32), 'whsec_c2hvcnQ='],
  },
  IMAGE_CHECK: {
    field: 'imageCheck',
    default: 'optional',
    good: [['optional', 'optional']],
    bad: ['required', 'yes'],
  },
  INIT_DATA_MAX_AGE_S: {
    field: 'initDataMaxAgeS',
    default: 3600,
    good: [
      ['0', 0],
      ['86400', 86400],
    ],
    bad: ['-1', '1h', '31536001'],
  },
  MESSENGER_PHOTO_HOSTS: {
    field: 'messengerPhotoHosts',
    default: ['t.me', 'telegram.org'],
    good: [['Photos.example.org, localhost', ['photos.example.org', 'localhost']]],
    bad: ['https://t.me', 't.me/x', 't.me:443', '*.t.me', '.t.me', 't.me,', '0x7f.1', 'a b'],
  },
  OUTBOUND_ALLOW: {
    field: 'outboundAllow',
    default: [],
    good: [
      ['127.0.0.1:9000,10.0.0.5:443', ['127.0.0.1:9000', '10.0.0.5:443']],
      ['[::1]:9000, [0:0:0:0:0:0:0:1]:1', ['[::1]:9000', '[::1]:1']],
    ],
    bad: [
      '127.0.0.1',
      'localhost:9000',
      '127.0.0.1:0',
      '127.0.0.1:65536',
      '::1:9000',
      '10.0.0.0/8:443',
      '127.1:80',
      '*',
    ],
  },
  CORS_ORIGINS: {
    field: 'corsOrigins',
    default: [],
    good: [
      ['https://app.example.org', ['https://app.example.org']],
      ['https://a.example.org, http://localhost:5173', ['https://a.example.org', 'http://localhost:5173']],
    ],
    bad: [
      '*',
      'null',
      'app.example.org',
      'https://app.example.org/',
      'https://app.example.org/path',
      'https://*.example.org',
      'https://app.example.org:443',
      'https://APP.example.org',
      'ftp://app.example.org',
      'https://a.example.org,,https://b.example.org',
      'https://a.example.org https://b.example.org',
    ],
  },
  COOKIE_SAMESITE: {
    field: 'cookieSameSite',
    default: 'lax',
    good: [
      ['lax', 'lax'],
      ['none', 'none'],
    ],
    bad: ['None', 'strict', 'off'],
  },
  RATE_LIMIT: {
    field: 'rateLimit',
    default: limitTable,
    good: [
      ['on', limitTable],
      ['off', null],
      [
        'register=200/1h, search=600/90s',
        {
          ...limitTable,
          register: { points: 200, per: 3_600_000, by: 'address' },
          search: { points: 600, per: 90_000, by: 'account' },
        },
      ],
      ['export=1/24d', { ...limitTable, export: { points: 1, per: 2_073_600_000, by: 'account' } }],
    ],
    bad: [
      ...['true', 'OFF', '0', 'on,register=200/1h', 'register', 'register=200', 'register=200/h', 'register=200/1w'],
      ...['register=0/1h', 'register=-1/1h', 'register=1.5/1h', 'register=200/0s', 'register=1000001/1h'],
      ...[
        'register=200/25d',
        'register=200/577h',
        'unknown=200/1h',
        'toString=1/1h',
        'register=200/1h,',
        ',register=200/1h',
      ],
      ...['register=200/1h,register=100/1h', 'register=200/1h search=600/1m', 'register = 200/1h'],
    ],
  },
  REGISTRATION: {
    field: 'registration',
    default: 'open',
    good: [
      ['open', 'open'],
      ['invite', 'invite'],
      ['closed', 'closed'],
    ],
    bad: ['on', 'Invite', 'invites'],
  },
  CONSENT_GATE: {
    field: 'consentGate',
    default: false,
    good: [
      ['on', true],
      ['off', false],
    ],
    bad: ['yes'],
  },
  STAFF_PASSKEY: {
    field: 'staffPasskey',
    default: 'off',
    good: [
      ['off', 'off'],
      ['required', 'required'],
    ],
    bad: ['on', 'Required'],
  },
  MIN_AGE: {
    field: 'minAge',
    default: null,
    good: [
      ['off', null],
      ['18', 18],
    ],
    bad: ['0', '121', 'on', '18.5'],
  },
  FIRST_CONTACT: {
    field: 'firstContact',
    default: 'open',
    good: [
      ['open', 'open'],
      ['guarded', 'guarded'],
    ],
    bad: ['closed'],
  },
  NEARBY_MAX_AGE_DAYS: {
    field: 'nearbyMaxAgeDays',
    default: 30,
    good: [['1', 1]],
    bad: ['0', '3651', 'month'],
  },
  EVENT_RETENTION_DAYS: {
    field: 'eventRetentionDays',
    default: 7,
    good: [['30', 30]],
    bad: ['0', '7.5'],
  },
  ANONYMOUS_REVIEW_DELAY_H: {
    field: 'anonymousReviewDelayH',
    default: 24,
    good: [
      ['0', 0],
      ['720', 720],
    ],
    bad: ['-1', '721', '1.5', 'day'],
  },
  DRAIN_SECONDS: {
    field: 'drainSeconds',
    default: 0,
    good: [
      ['0', 0],
      ['3600', 3600],
    ],
    bad: ['3601', '-1', '10s'],
  },
  LOG_LEVEL: {
    field: 'logLevel',
    default: 'info',
    good: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    bad: ['verbose', 'INFO'],
  },
  MEDIA_URL: {
    field: 'media',
    default: null,
    good: [
      ['s3://KEY:hunter2@photos', place],
      ['S3://KEY:hunter2@photos/', place],
      ['s3://KEY:hunter2@photos/convene/images/', { ...place, prefix: 'convene/images/' }],
      ['s3://KEY:hunter2@photos?endpoint=http://127.0.0.1:9000', at('http://127.0.0.1:9000')],
      ['s3://KEY:hunter2@photos?endpoint=https%3A%2F%2Fx.example.org%2Fs3%2F', at('https://x.example.org/s3')],
      [
        's3://KEY:hunter2@photos?region=eu-central-1',
        { ...at('https://s3.eu-central-1.amazonaws.com'), region: 'eu-central-1' },
      ],
      [
        's3://KEY:hunter2@photos?endpoint=http://minio:9000&public_endpoint=https://photos.example.org',
        { ...place, endpoint: 'http://minio:9000', publicEndpoint: 'https://photos.example.org' },
      ],
      ['s3://K%40Y:a%2Fb%2Bc%3A@photos', { ...place, accessKeyId: 'K@Y', secretAccessKey: 'a/b+c:' }],
    ],
    bad: [...badS3Urls, './media', 'https://photos.s3.amazonaws.com', 'gs://photos'],
  },
  BACKUP_DIR: {
    field: 'backupDir',
    default: null,
    good: [
      ['/mnt/backups', '/mnt/backups'],
      ['s3://KEY:hunter2@photos/nightly', { ...place, prefix: 'nightly/' }],
    ],
    bad: ['./data', 'https://backups.example.org', ...badS3Urls],
  },
  BACKUP_CRON: {
    field: 'backupCron',
    default: '0 3 * * *',
    good: [['*/15 * * * MON-FRI', '*/15 * * * MON-FRI']],
    bad: ['daily', '0 3 * *', '61 * * * *', '0 0 30 2 *'],
  },
  BACKUP_KEEP: { field: 'backupKeep', default: 7, good: [['1', 1]], bad: ['0', '1001', 'all'] },
  REPLICA_URL: {
    field: 'replica',
    default: null,
    good: [
      ['/mnt/replica', '/mnt/replica'],
      ['s3://KEY:hunter2@photos/nightly', { ...place, prefix: 'nightly/' }],
    ],
    bad: ['./data', './data/replica', 'https://backups.example.org', ...badS3Urls],
  },
  REPLICA_KEY: {
    field: 'replicaKey',
    default: null,
    good: [['ab'.repeat(32), Buffer.alloc(32, 0xab)]],
    bad: ['hunter2', 'ab'.repeat(31), `${'A'.repeat(42)}==`],
  },
  REPLICA_KEEP_DAYS: { field: 'replicaKeepDays', default: 7, good: [['2', 2]], bad: ['1', '366', 'all'] },
  WEB_APP: { field: 'webApp', default: true, good: [['off', false]], bad: ['no', '1'] },
  CONSOLE: { field: 'console', default: true, good: [['off', false]], bad: ['no', '1'] },
  FRAME_ANCESTORS: {
    field: 'frameAncestors',
    default: [],
    good: [['https://web.telegram.org', ['https://web.telegram.org']]],
    bad: ['web.telegram.org', 'https://web.telegram.org/', '*'],
  },
  MAP_STYLE_URL: {
    field: 'mapStyleUrl',
    default: null,
    good: [['https://tiles.example.org/style.json', new URL('https://tiles.example.org/style.json')]],
    bad: ['tiles.example.org', 'ftp://tiles.example.org/style.json', 'https://user:pass@tiles.example.org/'],
  },
  // test/unit/brand.test.ts reads good ones.
  BRAND_DIR: { field: 'brand', default: null, good: [], bad: ['/nowhere/at/all'] },
  REPORT_TARGET_H: { field: 'reportTargetH', default: 24, good: [['4', 4]], bad: ['0', '8761', 'soon'] },
  LEGAL_CONTACT: {
    field: 'legalContact',
    default: null,
    good: [['safety@example.org', 'safety@example.org']],
    bad: ['nobody', 'javascript:alert(1)'],
  },
  LEGAL_DIR: { field: 'legalDir', default: null, good: [['/etc/convene/legal', '/etc/convene/legal']], bad: [] },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    field: 'otlpEndpoint',
    default: null,
    good: [['http://127.0.0.1:4318', 'http://127.0.0.1:4318']],
    bad: ['collector', '127.0.0.1:4318', 'ftp://collector.example'],
  },
  OTEL_SERVICE_NAME: {
    field: 'otlpServiceName',
    default: 'convene',
    good: [['meet', 'meet']],
    bad: ['two\nlines', 'x'.repeat(201)],
  },
  RETENTION: {
    field: 'retention',
    default: usualRetention,
    good: [
      ['positions=1d', { ...usualRetention, positions: 1 }],
      [' evidence=365d, audit_entries=180d ', { ...usualRetention, evidence: 365, audit_entries: 180 }],
    ],
    bad: [
      '30',
      'positions=0d',
      'positions=366d',
      'evidence=179d',
      'positions=30',
      'messages=1d',
      'positions=1d,positions=2d',
    ],
  },
  METRICS_TOKEN: {
    field: 'metricsToken',
    default: null,
    good: [['x'.repeat(16), 'x'.repeat(16)]],
    bad: ['x'.repeat(15), `${'x'.repeat(16)} y`],
  },
  TRUST_PROXY: {
    field: 'trustProxy',
    default: 0,
    good: [
      ['1', 1],
      ['16', 16],
    ],
    bad: ['17', 'true', '-1'],
  },
}

describe.each(Object.entries(variables))('%s', (name, { field, default: absent, good, bad }) => {
  test('has its default where it is not set, or empty', () => {
    expect(readConfig({})[field]).toEqual(absent as never)
    expect(readConfig({ [name]: '' })[field]).toEqual(absent as never)
  })

  test.each(good)('takes %p', (value, read) => {
    expect(readConfig({ [name]: value })[field]).toEqual(read as never)
  })

  if (bad.length > 0)
    test.each(bad)('refuses %p in one line that names it', (value) => {
      const message = refusalOf({ [name]: value })
      expect(message).toStartWith(`${name} must `)
      expect(message).not.toContain('\n')
    })
})

test('what is refused is not repeated: it may be a secret', () => {
  const secrets = {
    JWT_SECRET: 'hunter2',
    LOCATION_KEY: 'hunter2',
    METRICS_TOKEN: 'hunter2',
    MESSENGER_BOT_TOKEN: 'hunter2',
    MESSENGER_API_URL: 'https://a:hunter2@api.example.org',
    WEBHOOK_URL: 'https://a:hunter2@crm.example.org',
    WEBHOOK_SECRET: 'hunter2',
  }
  for (const [name, value] of Object.entries({ ...secrets, DATABASE_URL: 'postgres://convene:hunter2@db' }))
    expect(refusalOf({ [name]: value })).not.toContain('hunter2')
  for (const url of badS3Urls)
    for (const name of ['MEDIA_URL', 'BACKUP_DIR', 'REPLICA_URL'])
      expect(refusalOf({ [name]: url })).not.toContain('hunter2')
})

test('on PostgreSQL images and backups may be in a bucket, and a replica is for its own means', () => {
  const environment = {
    DATABASE_URL: 'postgres://db/convene',
    S3_ACCESS_KEY_ID: 'own',
    S3_SECRET_ACCESS_KEY: 'own-secret',
  }
  expect(readConfig({ ...environment, MEDIA_URL: 's3://photos' }).media).toMatchObject({ bucket: 'photos' })
  expect(readConfig({ ...environment, BACKUP_DIR: '/mnt/backups' }).backupDir).toBe('/mnt/backups')
  expect(readConfig({ ...environment, BACKUP_DIR: 's3://backups/nightly' }).backupDir).toMatchObject({
    bucket: 'backups',
  })
  expect(refusalOf({ ...environment, REPLICA_URL: '/mnt/replica' })).toStartWith(
    'REPLICA_URL is for an SQLite database',
  )
  expect(refusalOf({ DATABASE_URL: 'sqlite::memory:', REPLICA_URL: '/mnt/replica' })).toStartWith('REPLICA_URL is for')
})

test('the keys of a bucket stand in its URL or in variables of their own, always a pair of one kind', () => {
  const url = { MEDIA_URL: 's3://photos/prefix' }
  const own = { S3_ACCESS_KEY_ID: 'own', S3_SECRET_ACCESS_KEY: 'own-secret' }
  const aws = { AWS_ACCESS_KEY_ID: 'aws', AWS_SECRET_ACCESS_KEY: 'aws-secret' }
  const keysIn = (environment: Record<string, string>) => {
    const { accessKeyId, secretAccessKey } = readConfig(environment).media!
    return [accessKeyId, secretAccessKey]
  }
  expect(keysIn({ ...url, ...aws })).toEqual(['aws', 'aws-secret'])
  expect(keysIn({ ...url, ...aws, ...own })).toEqual(['own', 'own-secret'])
  expect(keysIn({ ...aws, ...own, MEDIA_URL: 's3://KEY:hunter2@photos' })).toEqual(['KEY', 'hunter2'])
  for (const half of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])
    expect(refusalOf({ ...url, ...aws, [half]: 'hunter2' })).toMatch(
      /^MEDIA_URL must come with S3_ACCESS_KEY_ID and S3_SECRET/,
    )
  expect(readConfig({ ...aws, ...own })).toMatchObject({ media: null, backupDir: null })
})

test('a place in a bucket is shown without its keys', () => {
  const { media } = readConfig({ MEDIA_URL: 's3://KEY:hunter2@photos/a/b?endpoint=http://127.0.0.1:9000' })
  expect(shownPlace(media!)).toBe('s3://photos/a/b/')
  const url = s3ObjectUrl(media!, 'x.db')
  expect(url).toBe('s3://photos/a/b/x.db?endpoint=http%3A%2F%2F127.0.0.1%3A9000&region=us-east-1')
  const keys = { S3_ACCESS_KEY_ID: 'KEY', S3_SECRET_ACCESS_KEY: 'hunter2' }
  expect(s3Object(url, keys)).toEqual({ place: media!, name: 'x.db' })
  expect(s3Object('s3://KEY:hunter2@photos/x.db', {})).toEqual({ place, name: 'x.db' })
  for (const noObject of ['s3://photos', 's3://photos/', 's3://photos/a/', 's3://photos/a b', 's3://photos/x?y=1'])
    expect(() => s3Object(noObject, keys)).toThrow(ConfigError)
})

test('every field of the configuration is read from one of these variables', () => {
  // That file must exist: test/unit/settings-sources.test.ts.
  expect(Object.keys(readConfig({})).sort()).toEqual(
    [...Object.values(variables).map(({ field }) => field), 'configFile'].sort(),
  )
})

test("the README's table, .env.example and deploy/convene.toml list every setting as the code reads it (`bun run settings` writes them)", async () => {
  const file = (name: string) => Bun.file(join(import.meta.dir, '../..', name)).text()
  const cells = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{2,}/g, '--')
  expect(cells(await file('README.md'))).toContain(cells(settingsAsMarkdown(settings)))
  expect(await file('.env.example')).toEndWith(settingsAsEnvFile(settings))
  const toml = await file('deploy/convene.toml')
  expect(toml).toEndWith(settingsAsToml(settingsInFile))
  // As it is, it sets nothing, and each line of it is valid without the #.
  expect(Bun.TOML.parse(toml)).toEqual({})
  const names = Object.keys(Bun.TOML.parse(toml.replaceAll(/^#(?=\w+ = )/gm, '')))
  expect(names).toEqual(Object.values(settingsInFile).map(({ name }) => name.toLowerCase().replaceAll(/[<>]/g, '')))
})

test('each period of RETENTION stands in the documents with its bounds, which hold its default', async () => {
  const privacy = await Bun.file(join(import.meta.dir, '../../docs/privacy.md')).text()
  for (const [kind, { days, min, max }] of Object.entries(periods)) {
    expect([kind, min <= days && days <= max]).toEqual([kind, true])
    expect(privacy).toMatch(new RegExp(`^\\| \`${kind}\` +\\| ${days} days +\\| ${min} to ${max} +\\|`, 'm'))
  }
})

test('no secret is shown in help or documents', () => {
  const areNone = ['STAFF_PASSKEY', 'APNS_KEY_ID', 'OIDC_<NAME>_KEY_ID']
  const mayHoldOne = /SECRET|TOKEN|PASSWORD|KEY|^(SMTP|DATABASE|REDIS|MEDIA|WEBHOOK|IMAGE_CHECK)_URL$/
  const shown = Object.values(settings).filter((row) => mayHoldOne.test(row.name) && !('secret' in row))
  expect(shown.map(({ name }) => name).filter((name) => !areNone.includes(name))).toEqual([])
})

test('mail needs a sender and the address of the server, and says which is missing', () => {
  const SMTP_URL = 'smtp://convene:hunter2@mail.example.org:587'
  const rest = { MAIL_FROM: 'Convene <hello@example.org>', PUBLIC_URL: 'https://meet.example.org' }
  expect(readConfig({ SMTP_URL, ...rest }).smtpUrl).toBe(SMTP_URL)
  for (const missing of Object.keys(rest)) {
    const message = refusalOf({ SMTP_URL, ...rest, [missing]: '' })
    expect(message).toBe(`SMTP_URL must come with MAIL_FROM and PUBLIC_URL, and ${missing} is not set`)
  }
  const sending = { SMTP_URL, ...rest }
  expect(readConfig(sending).emailVerification).toBe('on')
  for (const EMAIL_VERIFICATION of ['off', 'on', 'required'] as const)
    expect(readConfig({ ...sending, EMAIL_VERIFICATION }).emailVerification).toBe(EMAIL_VERIFICATION)
})

describe('the providers of OpenID Connect', () => {
  const google = {
    OIDC_GOOGLE_ISSUER: 'https://accounts.google.com',
    OIDC_GOOGLE_CLIENT_ID: 'web.apps.example, ios.apps.example',
    OIDC_GOOGLE_CLIENT_SECRET: 'hunter2',
  }
  const keyOf = (namedCurve: string) =>
    generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const apple = {
    OIDC_APPLE_ISSUER: 'https://appleid.apple.com',
    OIDC_APPLE_CLIENT_ID: 'org.example.web',
    OIDC_APPLE_TEAM_ID: 'TEAM123456',
    OIDC_APPLE_KEY_ID: 'KEY1234567',
    OIDC_APPLE_PRIVATE_KEY: keyOf('P-256'),
  }

  test('are as many as are named, each whole', () => {
    const local = {
      OIDC_MY_IDP_ISSUER: 'http://127.0.0.1:8080/realms/town/',
      OIDC_MY_IDP_CLIENT_ID: 'convene',
      OIDC_MY_IDP_CLIENT_SECRET: 'x',
      OIDC_MY_IDP_LABEL: 'Town hall',
    }
    const { oidc } = readConfig({ ...google, ...apple, ...local, OIDC_EMPTY_ISSUER: '', GOOGLE_OIDC_ISSUER: 'x' })
    expect(oidc.map(({ name, label }) => [name, label])).toEqual([
      ['apple', 'Apple'],
      ['google', 'Google'],
      ['my_idp', 'Town hall'],
    ])
    expect(oidc[1]).toEqual({
      name: 'google',
      label: 'Google',
      issuer: 'https://accounts.google.com',
      clientIds: ['web.apps.example', 'ios.apps.example'],
      credentials: { secret: 'hunter2' },
    })
    expect(oidc[0]!.credentials).toMatchObject({ teamId: 'TEAM123456', keyId: 'KEY1234567' })
  })

  test('take their key from a file, or in one line', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'convene-key-')), 'AuthKey.p8')
    writeFileSync(file, apple.OIDC_APPLE_PRIVATE_KEY)
    const credentials = readConfig(apple).oidc[0]!.credentials
    const inOneLine = apple.OIDC_APPLE_PRIVATE_KEY.trim().replaceAll('\n', '\\n')
    for (const OIDC_APPLE_PRIVATE_KEY of [file, inOneLine])
      expect(readConfig({ ...apple, OIDC_APPLE_PRIVATE_KEY }).oidc[0]!.credentials).toEqual(credentials)
    rmSync(dirname(file), { recursive: true })
  })

  test('stop the start where they are half set or wrong, and repeat no secret', () => {
    const without = (all: Record<string, string>, name: string) => ({ ...all, [name]: '' })
    const bad: [string, Record<string, string>][] = [
      ...Object.keys(google).map((name): [string, Record<string, string>] => [name, without(google, name)]),
      ...Object.keys(apple).map((name): [string, Record<string, string>] => [name, without(apple, name)]),
      ['OIDC_X_ISSUER', { OIDC_X_LABEL: 'X' }],
      ['OIDC_GOOGLE_CLIENT_SECRET', { ...google, OIDC_GOOGLE_TEAM_ID: 'T' }],
      ['OIDC_GOOGLE_ISSUER', { ...google, OIDC_GOOGLE_ISSUER: 'http://accounts.google.com' }],
      ['OIDC_GOOGLE_ISSUER', { ...google, OIDC_GOOGLE_ISSUER: 'https://user:hunter2@idp.example.org' }],
      ['OIDC_GOOGLE_ISSUER', { ...google, OIDC_GOOGLE_ISSUER: 'https://idp.example.org/?x=hunter2' }],
      ['OIDC_GOOGLE_ISSUER', { ...google, OIDC_GOOGLE_ISSUER: 'accounts.google.com' }],
      ['OIDC_GOOGLE_CLIENT_ID', { ...google, OIDC_GOOGLE_CLIENT_ID: 'one,' }],
      ['OIDC_GOOGLE_CLIENT_ID', { ...google, OIDC_GOOGLE_CLIENT_ID: 'two words' }],
      ['OIDC_GOOGLE_LABEL', { ...google, OIDC_GOOGLE_LABEL: 'x'.repeat(81) }],
      ['OIDC_APPLE_PRIVATE_KEY', { ...apple, OIDC_APPLE_PRIVATE_KEY: '/nowhere/hunter2.p8' }],
      ['OIDC_APPLE_PRIVATE_KEY', { ...apple, OIDC_APPLE_PRIVATE_KEY: '-----BEGIN hunter2' }],
      ['OIDC_APPLE_PRIVATE_KEY', { ...apple, OIDC_APPLE_PRIVATE_KEY: keyOf('P-384') }],
    ]
    for (const [name, environment] of bad) {
      const message = refusalOf(environment)
      expect([name, message]).toEqual([name, expect.stringMatching(new RegExp(`^${name} must .*$`))])
      expect(message).not.toContain('hunter2')
    }
  })
})

test('a checker of images needs a secret, and nothing is required without one', () => {
  const IMAGE_CHECK_URL = 'https://images.example.org/check?key=hunter2'
  const IMAGE_CHECK_SECRET = 'A'.repeat(32)
  expect(refusalOf({ IMAGE_CHECK_URL })).toBe('IMAGE_CHECK_URL must come with IMAGE_CHECK_SECRET, which is not set')
  expect(refusalOf({ IMAGE_CHECK_SECRET })).toBe('IMAGE_CHECK_SECRET must come with IMAGE_CHECK_URL, which is not set')
  expect(refusalOf({ IMAGE_CHECK: 'required' })).toBe('IMAGE_CHECK must come with IMAGE_CHECK_URL, which is not set')
  const config = readConfig({ IMAGE_CHECK_URL, IMAGE_CHECK_SECRET, IMAGE_CHECK: 'required' })
  expect([config.imageCheckUrl, config.imageCheckSecret, config.imageCheck]).toEqual([
    IMAGE_CHECK_URL,
    IMAGE_CHECK_SECRET,
    'required',
  ])
})

test('webhooks need a secret, and the bot the token that BotFather gives', () => {
  const WEBHOOK_URL = 'https://crm.example.org/convene?key=hunter2'
  expect(refusalOf({ WEBHOOK_URL })).toBe('WEBHOOK_URL must come with WEBHOOK_SECRET, which is not set')
  expect(readConfig({ WEBHOOK_URL, WEBHOOK_SECRET: 'A'.repeat(32) }).webhookUrl).toBe(WEBHOOK_URL)
  const bot = { MESSENGER_BOT: 'on', MESSENGER_BOT_TOKEN: '7000000000:AA_hunter2-x' }
  expect(readConfig(bot).messengerBot).toBe(true)
  for (const MESSENGER_BOT_TOKEN of ['', 'of-another-messenger', '7:a/../b'])
    expect(refusalOf({ ...bot, MESSENGER_BOT_TOKEN })).toStartWith('MESSENGER_BOT must come with MESSENGER_BOT_TOKEN')
})

test('the database lies in DATA_DIR unless DATABASE_URL says otherwise', () => {
  expect(readConfig({ DATA_DIR: '/srv/c' }).database).toEqual({ engine: 'sqlite', path: '/srv/c/convene.db' })
  expect(readConfig({ DATA_DIR: '/srv/c', DATABASE_URL: 'sqlite:/mnt/x.db' }).database).toEqual({
    engine: 'sqlite',
    path: '/mnt/x.db',
  })
})

test('white space around a value does not count', () => {
  expect(readConfig({ PORT: ' 8080 ', RATE_LIMIT: 'off\n' })).toMatchObject({ port: 8080, rateLimit: null })
})

test('the process’ environment is what is read where nothing else is given', () => {
  const { EVENT_RETENTION_DAYS } = process.env
  process.env.EVENT_RETENTION_DAYS = '11'
  try {
    expect(readConfig().eventRetentionDays).toBe(11)
  } finally {
    if (EVENT_RETENTION_DAYS === undefined) delete process.env.EVENT_RETENTION_DAYS
    else process.env.EVENT_RETENTION_DAYS = EVENT_RETENTION_DAYS
  }
})

function refusalOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}
