import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { isSecret } from '../../installation/secrets.ts'
import { fine, type Finding, wrong } from './finding.ts'
import { messageOf } from '../../lib/errors.ts'

/** DATA_DIR and the secrets in it. Ends with `usable` false if nothing in it can be examined. */
export function* dataDirectory(config: Config): Generator<Finding, { usable: boolean }> {
  const { dataDir } = config
  if (!existsSync(dataDir)) {
    yield wrong(`DATA_DIR is not there: ${dataDir}`, 'correct DATA_DIR, or start the server once to create it')
    return { usable: false }
  }
  if (!statSync(dataDir).isDirectory()) {
    yield wrong(`DATA_DIR is no directory: ${dataDir}`, 'set DATA_DIR to a directory')
    return { usable: false }
  }
  if (!isWritable(dataDir)) {
    const fix = `run this as the user that runs the server, or chown -R ${process.getuid?.() ?? 'USER'} ${dataDir}`
    yield wrong(`DATA_DIR is not for this user: ${dataDir}`, fix)
    // Everything in it would seem to be missing.
    return { usable: false }
  }
  const mode = openTo(dataDir)
  yield mode === null
    ? fine(`the data directory is for its owner only: ${dataDir}`)
    : wrong(`others can look into the data directory (mode ${mode})`, `chmod 700 ${dataDir}`)
  yield* secrets(config)
  return { usable: true }
}

/** The mode, if it admits others than the owner; null if it does not, or if modes mean nothing on this system. */
export function openTo(path: string): string | null {
  const mode = statSync(path).mode & 0o777
  return process.platform === 'win32' || (mode & 0o077) === 0 ? null : mode.toString(8)
}

export function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function* secrets({ dataDir, jwtSecret, locationKey }: Config): Generator<Finding> {
  const files = [
    { name: 'jwt-secret', given: jwtSecret, loss: 'ends every session' },
    { name: 'location-key', given: locationKey, loss: 'draws the noise of every position anew' },
  ]
  for (const { name, given, loss } of files) {
    const path = join(dataDir, name)
    if (given !== null) yield fine(`${name} comes from the environment`)
    else if (!existsSync(path))
      yield wrong(
        `${name} is missing`,
        `restore it from your copy of ${dataDir}; if that is lost, convene admin adopt --yes makes a new one, which ${loss}`,
      )
    else yield secretFile(path, name)
  }
}

function secretFile(path: string, name: string): Finding {
  const mode = openTo(path)
  if (mode !== null) return wrong(`others can read ${name} (mode ${mode})`, `chmod 600 ${path}`)
  try {
    if (isSecret(readFileSync(path, 'utf8').trim())) return fine(`${name} is for its owner only`)
    return wrong(`${name} does not hold 64 hexadecimal digits`, `restore ${path} from your copy`)
  } catch (error) {
    return wrong(`${name} cannot be read: ${messageOf(error)}`, `check who owns ${path}`)
  }
}
