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
import { ConfigError, type Config } from './config.ts'

/** The keys of one installation. They stand beside the database, never in it, so that no backup of it carries them. */
export type Secrets = {
  /** Signs access tokens. */
  jwt: Uint8Array
  /** Draws the noise of the published positions. */
  location: Uint8Array
}

/**
 * The secrets as configured, else as generated at the first start into `DATA_DIR`, mode 0600.
 *
 * Throws ConfigError where a file of them is broken, or DATA_DIR cannot be written.
 */
export function readSecrets(config: Given): Secrets {
  const { jwt, location } = filesOf(config)
  return {
    jwt: config.jwtSecret ?? jwtOf(secretFile(jwt)),
    location: config.locationKey ?? locationOf(secretFile(location)),
  }
}

/** The same, but null for one that is not there, or whose file is broken or may not be read. Makes none. */
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

/** The files of those secrets that are generated where there are none, and are none now. */
export const missingSecrets = (config: Given): string[] =>
  Object.entries(filesOf(config)).flatMap(([name, path]) => {
    const given = name === 'jwt' ? config.jwtSecret : config.locationKey
    return given !== null || existsSync(path) ? [] : [path]
  })

type Given = Pick<Config, 'dataDir' | 'jwtSecret' | 'locationKey'>

const filesOf = ({ dataDir }: Given) => ({ jwt: join(dataDir, 'jwt-secret'), location: join(dataDir, 'location-key') })

// The file's text itself is the key, so that a JWT_SECRET given by hand and one from the file mean the same.
const jwtOf = (text: string) => new TextEncoder().encode(text)
const locationOf = (text: string) => Buffer.from(text, 'hex')

/** Whether that is the text of a file of a secret. */
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
    // Left alone where it is right already: it may be mounted read-only.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (existsSync(path))
      throw new ConfigError(`${path} cannot be read (${code}): look at who owns it`, { cause: error })
    throw new ConfigError(`DATA_DIR must be a directory that can be written, for ${path} (${code})`, { cause: error })
  }
}

function make(path: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Written whole under another name first: a crash in between must not leave half a key that is then used.
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`
  const file = openSync(temporary, 'wx', 0o600)
  writeSync(file, randomBytes(32).toString('hex'))
  fsyncSync(file)
  closeSync(file)
  renameSync(temporary, path)
}
