import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, readConfig, reloadConfig, settingsInForce, unknownVariables } from '../../src/config.ts'
import { halfSetOf } from '../../src/installation/half-set.ts'
import { editDistance } from '../../src/lib/settings-sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'convene-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileWith(text: string, name = crypto.randomUUID()): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** A data directory with that settings file. */
function dataDirWith(toml: string): string {
  const directory = join(folder, crypto.randomUUID())
  mkdirSync(directory)
  writeFileSync(join(directory, 'convene.toml'), toml)
  return directory
}

function refusalOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as Error).message).not.toContain('hunter2')
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}

const secret = 'hunter2 hunter2 hunter2 hunter2 hunter2'

describe('NAME_FILE', () => {
  test('gives any setting from a file, without the line break at its end', () => {
    const config = readConfig({
      JWT_SECRET_FILE: fileWith(`${secret}\n`),
      PORT_FILE: fileWith(' 8080 \r\n'),
      S3_ACCESS_KEY_ID_FILE: fileWith('KEY\n'),
      S3_SECRET_ACCESS_KEY_FILE: fileWith('hunter2'),
      MEDIA_URL: 's3://photos',
      OIDC_GOOGLE_ISSUER: 'https://accounts.google.com',
      OIDC_GOOGLE_CLIENT_ID: 'convene',
      OIDC_GOOGLE_CLIENT_SECRET_FILE: fileWith('hunter2'),
    })
    expect(new TextDecoder().decode(config.jwtSecret!)).toBe(secret)
    expect(config.port).toBe(8080)
    expect(config.media).toMatchObject({ accessKeyId: 'KEY', secretAccessKey: 'hunter2' })
    expect(config.oidc[0]!.credentials).toEqual({ secret: 'hunter2' })
    const shown = settingsInForce(config).find(({ name }) => name === 'JWT_SECRET')!
    expect(shown).toMatchObject({ value: '***', source: 'file' })
  })

  test('is refused beside the setting itself, and where the file cannot be read, which is named and not shown', () => {
    expect(refusalOf({ PORT: '1', PORT_FILE: '/x' })).toBe('PORT and PORT_FILE are both set: leave one of them out')
    // The secret itself may stand where its file belongs.
    expect(refusalOf({ JWT_SECRET_FILE: 'hunter2' })).toBe('JWT_SECRET_FILE must name a file that can be read (ENOENT)')
    expect(refusalOf({ PORT_FILE: folder })).toContain('(EISDIR)')
    expect(refusalOf({ JWT_SECRET_FILE: fileWith('\n') })).toMatch(/^JWT_SECRET_FILE must name a file .*\(empty\)$/)
    expect(refusalOf({ METRICS_TOKEN_FILE: fileWith('hunter2') })).toBe(
      'METRICS_TOKEN must have at least 16 characters, and no white space (from METRICS_TOKEN_FILE)',
    )
    if (process.getuid?.() === 0) return
    const closed = fileWith('hunter2')
    chmodSync(closed, 0)
    expect(refusalOf({ PORT_FILE: closed })).toContain('(EACCES)')
  })

  test('an empty one is not set', () => {
    expect(readConfig({ PORT_FILE: '', PORT: '81' }).port).toBe(81)
  })
})

describe('convene.toml', () => {
  test('in DATA_DIR holds settings of every kind, and variables have precedence', () => {
    const DATA_DIR = dataDirWith(`
# a comment
port = 8081
RATE_LIMIT = { login = "7/1m", send = "9/1s" }
web_app = false
cors_origins = ["https://a.example", "https://b.example"]
jwt_secret_file = ${JSON.stringify(fileWith(secret))}
log_level = "warn"
host = "::1"
`)
    const config = readConfig({ DATA_DIR, LOG_LEVEL: 'error', HOST_FILE: fileWith('localhost') })
    expect(config).toMatchObject({ port: 8081, webApp: false, logLevel: 'error', host: 'localhost' })
    expect(config.corsOrigins).toEqual(['https://a.example', 'https://b.example'])
    expect(config.rateLimit).toMatchObject({ login: { points: 7, per: 60_000 }, send: { points: 9, per: 1000 } })
    expect(new TextDecoder().decode(config.jwtSecret!)).toBe(secret)
    expect(config.configFile).toBe(join(DATA_DIR, 'convene.toml'))
    const source = Object.fromEntries(settingsInForce(config).map(({ name, source }) => [name, source]))
    expect(source).toMatchObject({ PORT: 'file', LOG_LEVEL: 'environment', JWT_SECRET: 'file', MAIL_FROM: 'default' })
  })

  test('of another place is named by CONFIG_FILE, and may then say where DATA_DIR is; no other file is read', () => {
    const CONFIG_FILE = fileWith(`data_dir = ${JSON.stringify(dataDirWith('port = 1'))}\nhost = "localhost"\n`)
    expect(readConfig({ CONFIG_FILE })).toMatchObject({ host: 'localhost', port: 3000, configFile: CONFIG_FILE })
    expect(refusalOf({ CONFIG_FILE: join(folder, 'none') })).toContain(
      `${join(folder, 'none')} cannot be read (ENOENT)`,
    )
    expect(readConfig({ DATA_DIR: join(folder, 'none') }).configFile).toBeNull()
    if (process.getuid?.() === 0) return
    const closed = dataDirWith('')
    chmodSync(closed, 0)
    expect(refusalOf({ DATA_DIR: closed })).toEndWith('(EACCES): run this as the user that runs the server')
    chmodSync(closed, 0o700)
  })

  test.each([
    ['port = 80\n\nprot = 81\n', 'line 3: prot is not a setting; is PORT meant?'],
    ['colour = "red"', 'line 1: colour is not a setting'],
    ['[metrics]\ntoken = "hunter2"', 'line 1: metrics is not a setting'],
    ['port = 1\nPORT = 2', 'line 2: PORT is set twice in this file'],
    ['port = 1.5', 'line 1: port must be a text, a whole number, true, false or a list of texts'],
    ['data_dir = "/elsewhere"', 'line 1: data_dir cannot be set in this file'],
    ['config_file = "/elsewhere"', 'line 1: config_file cannot be set in this file'],
    ['host = "::1"\nmetrics_token = "hunter2\nport = 2', 'line 2: this is not valid TOML'],
    ['host = "::1"\nport_file = "/none"', 'line 2: port_file must name a file that can be read (ENOENT)'],
    ['port = 1\n[a.b]\nc = 1', 'line 2: a must be a text'],
    ['port = "http"', 'PORT must be a whole number from 0 to 65535 (from '],
  ])('%j is refused with its line, and without its values', (toml, says) => {
    const DATA_DIR = dataDirWith(toml)
    const message = refusalOf({ DATA_DIR })
    expect(message).toContain(says)
    expect(message).toContain(join(DATA_DIR, 'convene.toml'))
  })
})

test('variables that look like settings are named with what was probably meant, and no others', () => {
  const looked = {
    CONVENE_PORT: '80',
    CONVENE_COLOUR: 'red',
    DATABSE_URL: 'x',
    JWT_SECERT_FILE: '/x',
    RATELIMIT: 'off',
    REDIS_ULR: 'x',
  }
  expect(unknownVariables(looked)).toEqual([
    { name: 'CONVENE_PORT', meant: 'PORT' },
    { name: 'CONVENE_COLOUR', meant: null },
    { name: 'DATABSE_URL', meant: 'DATABASE_URL' },
    { name: 'JWT_SECERT_FILE', meant: 'JWT_SECRET_FILE' },
    { name: 'RATELIMIT', meant: 'RATE_LIMIT' },
    { name: 'REDIS_ULR', meant: 'REDIS_URL' },
  ])
  const others = {
    PATH: '/bin',
    HOSTNAME: 'here',
    HOME: '/',
    PORT_FILE: '/x',
    POST: '1',
    LOGNAME: 'ada',
    CONVENE_SERVICE_HOST: '10.0.0.1',
    CONVENE_SERVICE_PORT_HTTP: '80',
    CONVENE_PORT_3000_TCP_ADDR: '10.0.0.1',
    OIDC_MY_IDP_ISSUER: 'x',
    DATABSE_URL: '',
    convene_port: '80',
  }
  expect(unknownVariables(others)).toEqual([])
})

test('the edit distance counts insertions, deletions, replacements and swaps', () => {
  const pairs = [
    ['', 'abc'],
    ['abc', 'abc'],
    ['acb', 'abc'],
    ['ab', 'abc'],
    ['abcd', 'abc'],
    ['xbc', 'abc'],
    ['kitten', 'sitting'],
  ]
  expect(pairs.map(([a, b]) => editDistance(a!, b!))).toEqual([3, 0, 1, 1, 1, 1, 3])
})

describe('half-set settings', () => {
  const said = (environment: Record<string, string>) => halfSetOf(readConfig(environment)).map(({ text }) => text)

  test('are none without settings, and where pairs are whole', () => {
    expect(said({})).toEqual([])
    expect(said({ BACKUP_CRON: '0 4 * * *', BACKUP_DIR: '/mnt/backups' })).toEqual([])
    expect(said({ DATABASE_URL: 'postgres://db/convene' })).toEqual([])
    expect(said({ REPLICA_URL: '/mnt/replica', REPLICA_KEY: 'ab'.repeat(32), REPLICA_KEEP_DAYS: '3' })).toEqual([])
  })

  test.each([
    [{ BACKUP_KEEP: '3' }, 'BACKUP_KEEP is set without BACKUP_DIR'],
    [{ WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}` }, 'WEBHOOK_SECRET is set without WEBHOOK_URL'],
    [
      { MAP_STYLE_URL: 'https://maps.example.org/style.json', WEB_APP: 'off' },
      'MAP_STYLE_URL is set and WEB_APP is off',
    ],
    [{ FRAME_ANCESTORS: 'https://web.telegram.org' }, 'FRAME_ANCESTORS is set without COOKIE_SAMESITE=none'],
    [{ STAFF_PASSKEY: 'required' }, 'STAFF_PASSKEY is required without PUBLIC_URL'],
    [{ S3_ACCESS_KEY_ID: 'KEY' }, 'S3_ACCESS_KEY_ID is set without S3_SECRET_ACCESS_KEY'],
    [{ REDIS_URL: 'redis://here' }, 'REDIS_URL is set with an SQLite database'],
    [{ REDIS_URL: 'redis://here', DATABASE_URL: 'postgres://db/convene' }, 'REDIS_URL is set without MEDIA_URL'],
    [{ OTEL_SERVICE_NAME: 'meet' }, 'OTEL_SERVICE_NAME is set without OTEL_EXPORTER_OTLP_ENDPOINT'],
    [{ MESSENGER_APP: 'meet' }, 'MESSENGER_APP is set without MESSENGER_BOT_TOKEN'],
    [{ MESSENGER_API_URL: 'https://bot.example.org' }, 'MESSENGER_API_URL is set without MESSENGER_BOT_TOKEN'],
    [{ MESSENGER_PHOTO_HOSTS: 'example.org' }, 'MESSENGER_PHOTO_HOSTS is set without MESSENGER_BOT_TOKEN'],
    [{ INIT_DATA_MAX_AGE_S: '60' }, 'INIT_DATA_MAX_AGE_S is set without MESSENGER_BOT_TOKEN'],
    [{ MAIL_FROM: 'Convene <hello@example.org>' }, 'MAIL_FROM is set without SMTP_URL: no mail is sent'],
    [{ REPLICA_KEY: 'ab'.repeat(32) }, 'REPLICA_KEY is set without REPLICA_URL: there is no replica'],
    [{ REPLICA_KEEP_DAYS: '3' }, 'REPLICA_KEEP_DAYS is set without REPLICA_URL'],
    [{ APNS_ENV: 'sandbox' }, 'APNS_ENV is set without APNS_KEY'],
  ])('%p is said, with what to do', (environment, text) => {
    const found = halfSetOf(readConfig(environment as Record<string, string>))
    expect(found.map((each) => each.text).join()).toStartWith(text)
    expect(found.every(({ fix }) => /^(set|leave) /.test(fix))).toBe(true)
  })

  test('mail without a sender or PUBLIC_URL stops the start', () => {
    const mail = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'Convene <hello@example.org>' }
    const needs = 'SMTP_URL must come with MAIL_FROM and PUBLIC_URL, and'
    expect(() => said(mail)).toThrow(`${needs} PUBLIC_URL is not set`)
    expect(() => said({ ...mail, MAIL_FROM: '', PUBLIC_URL: 'https://meet.example.org' })).toThrow(
      `${needs} MAIL_FROM is not set`,
    )
  })
})

describe('a reload', () => {
  test('takes over what can change, and names the rest, whose old values stay in force', () => {
    const config = readConfig({
      LOG_LEVEL: 'warn',
      PORT: '80',
      OIDC_A_ISSUER: 'https://a.example',
      OIDC_A_CLIENT_ID: 'a',
      OIDC_A_CLIENT_SECRET: 'b',
    })
    const fresh = readConfig({ LOG_LEVEL: 'error', PORT: '81', RATE_LIMIT: 'send=1/1m' })
    const outcome = reloadConfig(config, fresh)
    expect(outcome.changed).toEqual(['RATE_LIMIT', 'LOG_LEVEL'])
    expect(outcome.needRestart).toEqual(['PORT', 'OIDC_A_ISSUER', 'OIDC_A_CLIENT_ID', 'OIDC_A_CLIENT_SECRET'])
    expect(config).toMatchObject({ logLevel: 'error', port: 80, rateLimit: { send: { points: 1 } } })
    expect(config.oidc).toHaveLength(1)
    const shown = Object.fromEntries(settingsInForce(config).map(({ name, value }) => [name, value]))
    expect(shown).toMatchObject({ LOG_LEVEL: 'error', PORT: '80' })
    // As long as it differs, it is named again; and no more once it is back.
    expect(reloadConfig(config, fresh).needRestart).toContain('PORT')
    expect(reloadConfig(config, readConfig({ LOG_LEVEL: 'error', PORT: '80' })).needRestart).not.toContain('PORT')
  })

  test('does not switch the limits on or off as a whole', () => {
    const config = readConfig({ RATE_LIMIT: 'off' })
    expect(reloadConfig(config, readConfig({}))).toEqual({ changed: [], needRestart: ['RATE_LIMIT'] })
    expect(config.rateLimit).toBeNull()
  })
})
