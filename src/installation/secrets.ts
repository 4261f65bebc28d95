import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { ConfigError, type Config } from '../config.ts'
import { giveToOwner } from '../lib/owner.ts'
import { codeOf } from '../lib/errors.ts'

/** The keys of an installation. Kept outside the database, so that backups do not contain them. */
export type Secrets = {
  /** Signs access tokens. */
  jwt: Uint8Array
  /** Seeds the noise of published positions. */
  location: Uint8Array
}

/**
 * The configured secrets, or those generated at the first start in `DATA_DIR`, mode 0600.
 *
 * Throws ConfigError if a file is invalid, or DATA_DIR is not writable.
 */
export function readSecrets(config: Given): Secrets {
  const { jwt, location } = filesOf(config)
  return {
    jwt: config.jwtSecret ?? jwtOf(secretFile(jwt)),
    location: config.locationKey ?? locationOf(secretFile(location)),
  }
}

/** The same without generating secrets: null for a secret that is missing, invalid or unreadable. */
export function secretsAtHand(config: Given): { [name in keyof Secrets]: Uint8Array | null } {
  const { jwt, location } = filesOf(config)
  const read = (path: string) => {
    try {
      const secret = readFileSync(path, 'utf8').trim()
      return isSecret(secret) ? secret : null
    } catch {
      return null
    }
  }
  const [ofJwt, ofLocation] = [config.jwtSecret ? null : read(jwt), config.locationKey ? null : read(location)]
  return {
    jwt: config.jwtSecret ?? (ofJwt === null ? null : jwtOf(ofJwt)),
    location: config.locationKey ?? (ofLocation === null ? null : locationOf(ofLocation)),
  }
}

/** The files of secrets that are missing and would be generated. */
export const missingSecrets = (config: Given): string[] =>
  Object.entries(filesOf(config)).flatMap(([name, path]) => {
    const given = name === 'jwt' ? config.jwtSecret : config.locationKey
    return given !== null || existsSync(path) ? [] : [path]
  })

type Given = Pick<Config, 'dataDir' | 'jwtSecret' | 'locationKey'>

const filesOf = ({ dataDir }: Given) => ({ jwt: join(dataDir, 'jwt-secret'), location: join(dataDir, 'location-key') })

// The key is the file's text itself, so that the same text in JWT_SECRET gives the same key.
const jwtOf = (text: string) => new TextEncoder().encode(text)
const locationOf = (text: string) => Buffer.from(text, 'hex')

/** Whether a text is a valid secret file. */
export const isSecret = (text: string) => /^[0-9a-f]{64}$/.test(text)

function secretFile(path: string): string {
  const secret = readOrMake(path)
  if (!isSecret(secret))
    throw new ConfigError(`${path} must hold 64 hexadecimal digits: restore it from your copy of DATA_DIR`)
  return secret
}

function readOrMake(path: string): string {
  try {
    if (!existsSync(path)) make(path)
    // Changed only if it is wrong, because the file may be mounted read-only.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const code = codeOf(error)
    if (existsSync(path)) throw new ConfigError(`${path} cannot be read (${code}): check who owns it`, { cause: error })
    throw new ConfigError(`DATA_DIR must be a directory that can be written, for ${path} (${code})`, { cause: error })
  }
}

function make(path: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Written under a temporary name first, so that a crash leaves no truncated key.
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const file = openSync(temporary, 'wx', 0o600)
  writeSync(file, randomBytes(32).toString('hex'))
  fsyncSync(file)
  closeSync(file)
  giveToOwner(temporary)
  renameSync(temporary, path)
}
