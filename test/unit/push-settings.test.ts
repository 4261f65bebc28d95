import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, readConfig } from '../../src/config.ts'
import { openOutbound } from '../../src/lib/outbound.ts'
import { openPushSenders } from '../../src/outbox/senders.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'convene-push-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

function fileOf(name: string, content: string): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

const pemOf = (type: 'ec' | 'rsa', namedCurve = 'P-256') =>
  type === 'ec'
    ? generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    : generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const rsa = pemOf('rsa')

const account = {
  type: 'service_account',
  project_id: 'meet-1',
  private_key_id: 'key-1',
  private_key: rsa,
  client_email: 'convene@meet-1.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
}

function refusalOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    const { message } = error as ConfigError
    expect(message).not.toMatch(/\n|PRIVATE KEY|MII/)
    return message
  }
  throw new Error('nothing was refused')
}

const sendersOf = (env: Record<string, string>) =>
  openPushSenders({
    config: readConfig(env),
    secrets: { jwt: new Uint8Array(32), location: new Uint8Array(32) },
    outbound: openOutbound(),
    now: Date.now,
  })

test('without any setting there is Web Push alone', () => {
  const { senders, vapidPublicKey, readSubscription } = sendersOf({})
  expect(readSubscription({ endpoint: 'https://10.0.0.1/', keys: {} })).toHaveProperty('problem')
  expect(Object.keys(senders)).toEqual(['webpush'])
  expect(vapidPublicKey).toMatch(/^[\w-]{87}$/)
})

describe('FCM_SERVICE_ACCOUNT', () => {
  test('is the key file as Google gives it', () => {
    const env = {
      FCM_SERVICE_ACCOUNT: fileOf('good.json', JSON.stringify(account)),
      FCM_URL: 'http://127.0.0.1:9000/x/',
    }
    const { fcmServiceAccount, fcmUrl } = readConfig(env)
    expect(fcmServiceAccount).toMatchObject({ projectId: 'meet-1', keyId: 'key-1', email: account.client_email })
    expect(fcmUrl).toBe('http://127.0.0.1:9000/x')
    expect(Object.keys(sendersOf(env).senders)).toEqual(['webpush', 'fcm'])
  })

  test('stops the start with one line that says what is wrong with the file', () => {
    const cases: [unknown, RegExp][] = [
      ['{', /is not JSON$/],
      [[], /has no type$/],
      [null, /has no type$/],
      [{ ...account, type: 'authorized_user' }, /is of another type$/],
      [{ ...account, project_id: '' }, /has no project_id$/],
      [{ ...account, project_id: '../x' }, /has a malformed project_id$/],
      [{ ...account, client_email: 7 }, /has no client_email$/],
      [{ ...account, token_uri: 'file:///etc/passwd' }, /has a malformed token_uri$/],
      [{ ...account, private_key: 'nonsense' }, /private_key that is no RSA key in PEM form$/],
      [{ ...account, private_key: pemOf('ec') }, /private_key that is no RSA key in PEM form$/],
    ]
    for (const [content, problem] of cases) {
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      expect(refusalOf({ FCM_SERVICE_ACCOUNT: fileOf('bad.json', text) })).toMatch(problem)
    }
    expect(refusalOf({ FCM_SERVICE_ACCOUNT: directory })).toBe(
      'FCM_SERVICE_ACCOUNT must name a file that can be read (EISDIR)',
    )
    expect(refusalOf({ FCM_URL: 'http://127.0.0.1:9000' })).toBe(
      'FCM_URL must come with FCM_SERVICE_ACCOUNT, which is not set',
    )
    for (const FCM_URL of ['ftp://x', 'x', 'https://user:pass@x', 'https://x?y']) {
      const FCM_SERVICE_ACCOUNT = fileOf('good.json', JSON.stringify(account))
      expect(refusalOf({ FCM_SERVICE_ACCOUNT, FCM_URL })).toMatch(/^FCM_URL must be an http or https URL/)
    }
  })
})

describe('the settings of APNs', () => {
  const env = () => ({
    APNS_KEY: fileOf('key.p8', pemOf('ec')),
    APNS_KEY_ID: 'KEY1234567',
    APNS_TEAM_ID: 'TEAM123456',
    APNS_TOPIC: 'org.example.meet',
  })

  test('are a key, its id, the team and the app', () => {
    expect(Object.keys(sendersOf(env()).senders)).toEqual(['webpush', 'apns'])
    expect(readConfig({ ...env(), APNS_URL: 'https://127.0.0.1:9000/', APNS_ENV: 'sandbox' })).toMatchObject({
      apnsUrl: 'https://127.0.0.1:9000',
      apnsEnv: 'sandbox',
    })
  })

  test('come together, and the start says which is missing', () => {
    for (const missing of Object.keys(env()))
      expect(refusalOf({ ...env(), [missing]: '' })).toMatch(
        new RegExp(`^APNS_\\w+ must come with ${missing}, which is not set$`),
      )
    expect(refusalOf({ APNS_KEY: env().APNS_KEY })).toBe(
      'APNS_KEY must come with APNS_KEY_ID, APNS_TEAM_ID and APNS_TOPIC, which are not set',
    )
    expect(refusalOf({ APNS_URL: 'https://127.0.0.1:9000' })).toMatch(/^APNS_URL must come with APNS_KEY/)
  })

  test('are refused where one is malformed', () => {
    for (const [bad, problem] of [
      [{ APNS_KEY: fileOf('bad.p8', 'nonsense') }, /^APNS_KEY must name a \.p8 key of Apple/],
      [{ APNS_KEY: fileOf('bad.p8', rsa) }, /^APNS_KEY must name a \.p8 key of Apple/],
      [{ APNS_KEY: fileOf('bad.p8', pemOf('ec', 'P-384')) }, /^APNS_KEY must name a \.p8 key of Apple/],
      [{ APNS_KEY: join(directory, 'nowhere') }, /^APNS_KEY must name a file that can be read.*\(ENOENT\)$/],
      [{ APNS_KEY_ID: 'key' }, /^APNS_KEY_ID must be ten capital letters and digits/],
      [{ APNS_TEAM_ID: 'team123456' }, /^APNS_TEAM_ID must be ten capital letters and digits/],
      [{ APNS_TOPIC: 'meet' }, /^APNS_TOPIC must be a bundle id/],
      [{ APNS_TOPIC: 'org.example\n.meet' }, /^APNS_TOPIC must be a bundle id/],
    ] as const)
      expect(refusalOf({ ...env(), ...bad })).toMatch(problem)
  })
})
