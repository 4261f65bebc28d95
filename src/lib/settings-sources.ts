import { readFileSync, statSync } from 'node:fs'
import { codeOf } from './errors.ts'
import { ConfigError, type Environment, type Settings, textOf } from './settings.ts'
import { isRecord } from './record.ts'

/** Where a setting's value came from, as errors name it: `JWT_SECRET_FILE`, or `convene.toml, line 3`. Omits plain variables. */
type Origins = ReadonlyMap<string, string>

/** All settings that are given, as variables, whatever their source. */
export type Given = {
  env: Environment
  origins: Origins
  /** The settings file that was read; null if there is none. */
  file: string | null
}

/** The settings file, and the settings that it must not contain. */
type SettingsFile = { path: string; mustExist: boolean; forbidden: readonly string[] }

const longest = 1024 * 1024

/**
 * Collects the settings: from variables, from files named by `NAME_FILE`, and from the settings file. A variable, in either
 * form, has precedence over the settings file.
 *
 * Throws ConfigError for a file that cannot be read, a name given twice, or an unknown key in the file. No message repeats
 * a value.
 */
export function givenSettings(table: Settings, env: Environment, file: SettingsFile | null): Given {
  const isKnown = knownNames(table)
  const origins = new Map<string, string>()
  const own: Environment = {}
  for (const name of Object.keys(env)) {
    const of = settingOfFile(name)
    const text = textOf(env, name)
    if (of === null || !isKnown(of) || text === null) continue
    if (textOf(env, of) !== null) throw new ConfigError(`${of} and ${name} are both set: leave one of them out`)
    own[of] = contentOf(text, name)
    origins.set(of, name)
  }
  const entries = file === null ? null : entriesOf(file)
  const { path, forbidden }: Pick<SettingsFile, 'path' | 'forbidden'> = file ?? { path: '', forbidden: [] }
  for (const { key, line, value } of entries ?? []) {
    const name = key.toUpperCase()
    const of = settingOfFile(name)
    const setting = of !== null && isKnown(of) ? of : name
    const where = `${path}, line ${line}`
    if (!isKnown(setting)) throw new ConfigError(`${where}: ${key} is not a setting${suggestion(table, name)}`)
    if (forbidden.includes(setting)) throw new ConfigError(`${where}: ${key} cannot be set in this file`)
    if (textOf(env, setting) !== null || origins.get(setting) === `${setting}_FILE`) continue
    if (origins.has(setting)) throw new ConfigError(`${where}: ${setting} is set twice in this file`)
    own[setting] = setting === name ? value : contentOf(value, `${where}: ${key}`)
    origins.set(setting, where)
  }
  if (origins.size === 0) return { env, origins, file: entries === null ? null : path }
  return { env: { ...env, ...own }, origins, file: entries === null ? null : path }
}

/** The setting whose value `NAME_FILE` holds; null for other names. */
const settingOfFile = (name: string) => (name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : null)

/** The value in a file, without the line break that editors add at the end. */
function contentOf(path: string, name: string): string {
  // Not with the path, which may be the secret itself.
  const cannot = (why: string) => new ConfigError(`${name} must name a file that can be read (${why})`)
  let text: string
  try {
    if (statSync(path).size > longest) throw cannot('too large')
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw error instanceof ConfigError ? error : cannot(codeOf(error))
  }
  const value = text.replace(/\r?\n$/, '')
  if (value.trim() === '') throw cannot('empty')
  return value
}

type Entry = { key: string; line: number; value: string }

/** The entries of the settings file; null if there is none and none was named. */
function entriesOf({ path, mustExist }: SettingsFile): Entry[] | null {
  let text: string
  try {
    if (statSync(path).size > longest) throw new ConfigError(`${path} is too large for a file of settings`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    // A DATA_DIR that is a file is reported where it is used.
    if (!mustExist && ['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null
    // There need not be such a file: this is also said of a directory that this user must not enter.
    const fix = codeOf(error) === 'EACCES' ? ': run this as the user that runs the server' : ''
    throw new ConfigError(`the settings file ${path} cannot be read (${codeOf(error)})${fix}`, { cause: error })
  }
  const parsed = parsedToml(text)
  // The parser's own message repeats what it has read, which may be a secret.
  if (parsed === null) throw new ConfigError(`${path}, line ${lineOfFault(text)}: this is not valid TOML`)
  return Object.entries(parsed).map(([key, value]) => {
    const line = lineOf(key, text)
    const written = writtenValue(value)
    if (written === null)
      throw new ConfigError(
        `${path}, line ${line}: ${key} must be a text, a whole number, true, false or a list of texts`,
      )
    return { key, line, value: written }
  })
}

function parsedToml(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = Bun.TOML.parse(text)
    return isRecord(parsed) ? parsed : null
  } catch {
    return null
  }
}

/** A TOML value as the text of a variable; null if none can hold it. A table such as `[rate_limit]` is a list of `name=value`. */
function writtenValue(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null
  const join = (parts: (string | null)[]) => (parts.includes(null) ? null : parts.join(','))
  if (Array.isArray(value)) return join(value.map((part) => (typeof part === 'object' ? null : writtenValue(part))))
  if (typeof value !== 'object' || value === null) return null
  return join(
    Object.entries(value).map(([name, part]) => {
      const written = typeof part === 'object' ? null : writtenValue(part)
      return written === null ? null : `${name}=${written}`
    }),
  )
}

function lineOf(key: string, text: string): number {
  const escaped = key.replaceAll(/[^\w]/g, '\\$&')
  const opening = new RegExp(`^\\s*(?:\\[+\\s*["']?${escaped}["']?\\s*[.\\]]|["']?${escaped}["']?\\s*[=.])`)
  return text.split('\n').findIndex((line) => opening.test(line)) + 1
}

/** The line after the longest beginning of the file that is valid TOML. */
function lineOfFault(text: string): number {
  const lines = text.split('\n')
  let good = lines.length
  while (good > 0 && parsedToml(lines.slice(0, good).join('\n')) === null) good--
  return Math.min(good + 1, lines.length)
}

/** Whether a variable is a setting. A name such as `OIDC_<NAME>_ISSUER` stands for many. */
function knownNames(table: Settings): (name: string) => boolean {
  const names = Object.values(table).map(({ name }) => name)
  const exact = new Set(names)
  const patterns = names
    .filter((name) => name.includes('<'))
    .map((name) => new RegExp(`^${name.replaceAll(/<\w+>/g, '[A-Z0-9]+(?:_[A-Z0-9]+)*')}$`))
  return (name) => exact.has(name) || patterns.some((pattern) => pattern.test(name))
}

// Variables that Kubernetes and container links set for a service that is called `convene`.
const ofPlatform = /^CONVENE_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP))(?:_|$)/
const isOfPlatform = (name: string, value: string) => ofPlatform.test(name) || /^(?:tcp|udp):\/\//.test(value)
// Variables of other programs that are one letter away from a setting.
const ofOthers = new Set(['HOSTS', 'PORTS', 'HOSTNAME'])

/** Variables that look like settings but are unknown, each with the setting that was probably meant. */
export function unknownSettings(table: Settings, env: Environment): { name: string; meant: string | null }[] {
  const isKnown = knownNames(table)
  return Object.keys(env)
    .filter((name) => textOf(env, name) !== null && /^[A-Z][A-Z0-9_]*$/.test(name) && !ofOthers.has(name))
    .flatMap((name) => {
      const plain = settingOfFile(name) ?? name
      if (isKnown(name) || isKnown(plain)) return []
      const isOurs = name.startsWith('CONVENE_')
      const meant = closest(table, name, { isOurs })
      if (isOurs) return isOfPlatform(name, env[name] ?? '') ? [] : [{ name, meant }]
      return meant === null ? [] : [{ name, meant }]
    })
}

const suggestion = (table: Settings, name: string) => {
  const meant = closest(table, name, { isOurs: true })
  return meant === null ? '' : `; is ${meant} meant?`
}

/**
 * The setting that a misspelled name probably means. Short names must be closer, because other programs' variables resemble them
 * by chance; `isOurs` allows more for a name that is surely meant for us.
 */
function closest(table: Settings, written: string, { isOurs }: { isOurs: boolean }): string | null {
  const name = written.replace(/^CONVENE_/, '')
  const ending = settingOfFile(name) === null ? '' : '_FILE'
  const plain = settingOfFile(name) ?? name
  const near = Object.values(table)
    .filter((row) => !row.name.includes('<'))
    .map(({ name }) => ({ name, atMost: name.length < 5 ? Number(isOurs) : name.length < 9 ? 1 : 2 }))
    .filter(({ name, atMost }) => mayBeWithin(atMost, plain, name))
    .map(({ name, atMost }) => ({ name, atMost, steps: editDistance(plain, name) }))
    .filter(({ atMost, steps }) => steps <= atMost)
    .toSorted((a, b) => a.steps - b.steps)
  return near[0] === undefined ? null : near[0].name + ending
}

/**
 * Whether the edit distance can be within `steps`, as each step changes the length by at most one, and adds at most one letter.
 * Every start compares every variable with every setting, and this avoids computing nearly all of the distances.
 */
function mayBeWithin(steps: number, from: string, to: string): boolean {
  let left = steps
  if (Math.abs(from.length - to.length) > left) return false
  for (let i = 0; i < to.length; i++) if (!from.includes(to[i]!) && --left < 0) return false
  return true
}

/** The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = []
  const distance = (i: number, j: number) => rows[i]?.[j] ?? Infinity
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = []
    rows.push(row)
    for (let j = 0; j <= b.length; j++) {
      const replaced = distance(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwapped ? distance(i - 2, j - 2) + 1 : Infinity
      const changed = Math.min(distance(i - 1, j) + 1, distance(i, j - 1) + 1, replaced, swapped)
      row.push(i === 0 && j === 0 ? 0 : changed)
    }
  }
  return distance(a.length, b.length)
}
