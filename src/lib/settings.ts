import { messageOf } from './errors.ts'

/** An environment variable holds a bad value; the message is one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Environment = Record<string, string | undefined>

/** The other variables, for the few settings that depend on one. */
export type Context = { env: Environment }

/** One setting: an environment variable, as the server reads it and as help and documents show it. */
export type Setting<T> = {
  /** The environment variable. */
  name: string
  /** What its value is, as a noun: `directory`, `whole number`, `on or off`. */
  type: string
  unit?: 'seconds' | 'hours' | 'days'
  /** The value if none is given; null if there is none. */
  default: string | null
  /** The default as help and documents show it, if that is not `default`. */
  shownDefault?: string
  /** One sentence without a full stop; Markdown links are for the documents and are left out of the help. */
  help: string
  /** Shown by the help only, because the documents have it elsewhere. */
  details?: string
  /** Its value is never shown. */
  secret?: true
  /** Throws an Error whose message continues the variable's name: "must be …". Never repeats the value. */
  read(value: string, context: Context): T
  /** Reads the value as it was given, white space included. */
  verbatim?: true
  /** SIGHUP applies a new value to a running server. Other settings need a restart. */
  reload?: true
}

/** A setting without a default is null if it is not given. */
export function setting<T>(row: Setting<T> & { default: string }): Setting<T>
export function setting<T>(row: Setting<T> & { default: null }): Setting<T | null>
export function setting<T>(row: Setting<T>): Setting<T | null> {
  return row
}

export type Settings = Record<string, Setting<unknown>>
export type ConfigOf<Table extends Settings> = {
  [Field in keyof Table]: Table[Field] extends Setting<infer T> ? T : never
}

/** The value of a variable; null if it is missing or empty, as in `CORS_ORIGINS= convene`. */
export const textOf = (env: Environment, name: string): string | null => env[name]?.trim() || null

/**
 * Reads every setting of a table. Throws ConfigError for the first variable with a bad value, and names where it came from if
 * that was a file.
 */
export function readSettings<Table extends Settings>(
  table: Table,
  env: Environment,
  origins: ReadonlyMap<string, string> = new Map(),
): ConfigOf<Table> {
  const values = Object.entries(table).map(([field, row]) => {
    const given = row.verbatim ? env[row.name] || null : textOf(env, row.name)
    const value = given ?? row.default
    return [field, value === null ? null : readAs(row.name, () => row.read(value, { env }), origins.get(row.name))]
  })
  return Object.fromEntries(values)
}

/** A setting as admins see it. A secret `value` is masked. */
export type ShownSetting = {
  name: string
  value: string | null
  default: string | null
  source: 'environment' | 'file' | 'default'
  secret: boolean
}

const masked = '***'

/** Whether a value is a URL with credentials, which somebody may put into a setting that is not secret. */
const isPrivate = (value: string) => {
  const url = URL.parse(value)
  return url !== null && (url.username !== '' || url.password !== '')
}

export function settingsShown(
  table: Settings,
  env: Environment,
  origins: ReadonlyMap<string, string> = new Map(),
): ShownSetting[] {
  return Object.values(table).map((row) => {
    const given = textOf(env, row.name)
    const isSecret = row.secret === true
    const value = given ?? row.default
    return {
      name: row.name,
      value: given !== null && (isSecret || isPrivate(given)) ? masked : value === '' ? null : value,
      default: row.default === '' ? null : row.default,
      source: given === null ? 'default' : origins.has(row.name) ? 'file' : 'environment',
      secret: isSecret,
    }
  })
}

/** Runs a reader. An error gets the variable's name before its message, and the value's origin after it. */
export function readAs<T>(name: string, read: () => T, origin?: string): T {
  try {
    return read()
  } catch (error) {
    // This error names its variable itself.
    if (error instanceof ConfigError) throw error
    const from = origin === undefined ? '' : ` (from ${origin})`
    throw new ConfigError(`${name} ${messageOf(error)}${from}`, { cause: error })
  }
}

export const wholeNumber = (min: number, max: number) => ({
  type: 'whole number',
  read(value: string): number {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  },
})

export const oneOf = <const T extends string>(...values: T[]) => ({
  type: values.join(', '),
  read(value: string): T {
    const known = values.find((known) => known === value)
    if (known === undefined) throw new Error(`must be one of: ${values.join(', ')}`)
    return known
  },
})

export const onOrOff = {
  type: 'on or off',
  read: (value: string): boolean => oneOf('on', 'off').read(value) === 'on',
}

const plain = (markdown: string) => markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '')
const shownDefaultOf = ({ shownDefault, default: value }: Setting<unknown>) => plain(shownDefault ?? (value || 'none'))

/** The settings as lines of a command's help, wrapped at `width` columns. */
export function settingsAsHelp(table: Settings, width = 120): string {
  const rows = Object.values(table)
  const indent = Math.max(...rows.map(({ name }) => name.length).filter((length) => length < 24)) + 3
  return rows
    .map((row) => {
      const help = row.details === undefined ? row.help : `${row.help} ${row.details}`
      const words = `${plain(help)} (${shownDefaultOf(row)}${row.reload ? '; SIGHUP' : ''})`.split(' ')
      const lines: string[] = []
      let line = `  ${row.name}`
      if (line.length >= indent) {
        lines.push(line)
        line = ''
      }
      line = line.padEnd(indent - 1)
      for (const word of words) {
        if (line.length + 1 + word.length > width) {
          lines.push(line)
          line = ' '.repeat(indent - 1)
        }
        line += ` ${word}`
      }
      return [...lines, line].join('\n')
    })
    .join('\n')
}

/** The settings as a Markdown table. */
export function settingsAsMarkdown(table: Settings): string {
  const cells = Object.values(table).map((row) => [
    `\`${row.name}\``,
    row.shownDefault ?? (row.default ? `\`${row.default}\`` : '–'),
    row.reload ? 'SIGHUP' : 'restart',
    row.help,
  ])
  return [
    '| variable | default | changed by | description |',
    '| --- | --- | --- | --- |',
    ...cells.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n')
}

/** The settings as a file of variables, each commented out. */
export function settingsAsEnvFile(table: Settings): string {
  return Object.values(table)
    .map(
      (row) => `# ${plain(row.help)} (${shownDefaultOf(row)})\n#${row.name}=${row.secret ? '' : (row.default ?? '')}\n`,
    )
    .join('\n')
}

/** The settings as a TOML file, each commented out. */
export function settingsAsToml(table: Settings): string {
  return Object.values(table)
    .map((row) => {
      const value = row.secret ? '' : (row.default ?? '')
      const written = row.type === 'whole number' && value !== '' ? value : JSON.stringify(value)
      return `# ${plain(row.help)} (${shownDefaultOf(row)})\n#${row.name.toLowerCase().replaceAll(/[<>]/g, '')} = ${written}\n`
    })
    .join('\n')
}
