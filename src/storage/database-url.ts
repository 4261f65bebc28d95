import { resolve } from 'node:path'
import { parseServers, shownUrl } from './postgres/url.ts'

/** `path` is the SQLite file, or `:memory:`. `url` holds the password: show `shownDatabase` instead. */
export type DatabaseConfig = { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

export const isPostgresUrl = (url: string) => /^postgres(ql)?:/.test(url)

/** Reads the URL of a database. Throws an Error whose message continues a variable's name: "must be …". */
export function readDatabaseUrl(url: string): DatabaseConfig {
  if (isPostgresUrl(url)) {
    const parsed = parseServers(url)
    if (parsed === null)
      throw new Error(
        'must be postgres://USER:PASSWORD@HOST/DATABASE; separate several hosts by commas, and write special characters in a name or password as %XX',
      )
    if (!sslModes.includes(parsed.parameters.get('sslmode') ?? 'disable'))
      throw new Error(`must have an sslmode of these: ${sslModes.join(', ')}`)
    return { engine: 'postgres', url }
  }
  const path = /^(?:sqlite|file):(?:\/\/)?(.+)$/.exec(url)?.[1]
  if (path === undefined || path.endsWith('/'))
    throw new Error(
      'must be sqlite:PATH, for example sqlite:/var/lib/convene/convene.db, or postgres://USER:PASSWORD@HOST/DATABASE',
    )
  return { engine: 'sqlite', path: path === ':memory:' ? path : resolve(path) }
}

/** Where the database is, for messages: without user, password and parameters. */
export const shownDatabase = (database: DatabaseConfig) =>
  database.engine === 'sqlite' ? database.path : shownUrl(database.url)
