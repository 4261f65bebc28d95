import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../src/config.ts'
import { readSecrets } from '../../src/installation/secrets.ts'

const files = ['jwt-secret', 'location-key']
let root: string
let dataDir: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'convene-secrets-'))
  dataDir = join(root, 'data')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const read = (given: { jwtSecret?: Uint8Array; locationKey?: Uint8Array } = {}) =>
  readSecrets({ dataDir, jwtSecret: null, locationKey: null, ...given })

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('the first start makes both, in files that only their owner can read', () => {
  const secrets = read()
  expect(secrets.jwt.byteLength).toBe(64)
  expect(secrets.location.byteLength).toBe(32)
  expect(Buffer.from(secrets.jwt).toString('utf8')).not.toBe(Buffer.from(secrets.location).toString('hex'))
  expect(readdirSync(dataDir).sort()).toEqual(files)
  for (const file of files) expect(mode(join(dataDir, file))).toBe('600')
  expect(mode(dataDir)).toBe('700')
})

test('later starts find the same', () => {
  const first = read()
  expect(read()).toEqual(first)
})

test('two installations have different ones', () => {
  const first = read()
  dataDir = join(root, 'other')
  const second = read()
  expect(second.jwt).not.toEqual(first.jwt)
  expect(second.location).not.toEqual(first.location)
})

test('the key that signs tokens is the text of its file, as JWT_SECRET would be', () => {
  const { jwt } = read()
  expect(readFileSync(join(dataDir, 'jwt-secret'), 'utf8')).toBe(Buffer.from(jwt).toString('utf8'))
})

test('configured ones win, and nothing is written for them', () => {
  const given = { jwtSecret: new Uint8Array(40).fill(1), locationKey: new Uint8Array(32).fill(2) }
  expect(read(given)).toEqual({ jwt: given.jwtSecret, location: given.locationKey })
  expect(() => statSync(dataDir)).toThrow()
})

test('a file that others could read is closed to them', () => {
  const first = read()
  for (const file of files) chmodSync(join(dataDir, file), 0o644)
  expect(read()).toEqual(first)
  for (const file of files) expect(mode(join(dataDir, file))).toBe('600')
})

test('what a crash left half-written is never used and does not stop the next start', () => {
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, `jwt-secret.${process.pid}.tmp`), 'dead')
  expect(Buffer.from(read().jwt).toString('utf8')).toMatch(/^[0-9a-f]{64}$/)
})

test.each(['', 'abcd', 'x'.repeat(64), 'ab'.repeat(33)])('a broken file is refused, and kept as it is: %p', (text) => {
  for (const file of files) {
    read()
    const path = join(dataDir, file)
    writeFileSync(path, text)
    expect(refusal()).toMatch(new RegExp(`^${path} must hold 64 hexadecimal digits`))
    expect(readFileSync(path, 'utf8')).toBe(text)
    rmSync(path)
  }
})

test('a DATA_DIR that cannot be one is named in one line', () => {
  writeFileSync(dataDir, 'a file')
  expect(refusal()).toMatch(/^DATA_DIR must be a directory that can be written[^\n]+$/)
})

function refusal(): string {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}
