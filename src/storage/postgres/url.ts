/** A `postgres://` URL, one for each of its hosts, in order. */
export type ServerUrl = {
  /** For Bun's client; holds the password. */ url: string
  /** For people: host and port. */ host: string
}

const form = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(\?[^#]*)?$/

type Parsed = { servers: ServerUrl[]; database: string; parameters: URLSearchParams }

/** The servers of a URL that the settings have already validated. */
export function serversOf(url: string): Parsed {
  const parsed = parseServers(url)
  if (parsed === null) throw new Error('this is not the URL of a PostgreSQL database')
  return parsed
}

/**
 * The servers of a URL such as `postgres://user:password@one:5432,two:5432/convene?sslmode=verify-full`: several hosts, as
 * libpq takes them, of which one is the primary. Null if it is not such a URL, or names no database.
 */
export function parseServers(url: string): Parsed | null {
  const [, credentials, hosts, name, query = ''] = form.exec(url) ?? []
  if (hosts === undefined || name === undefined) return null
  try {
    const servers = hosts.split(',').map((host) => {
      const one = new URL(`postgres://${credentials === undefined ? '' : `${credentials}@`}${host}/${name}${query}`)
      if (one.hostname === '') throw new TypeError('no host')
      return { url: one.href, host: `${one.hostname}:${one.port || '5432'}` }
    })
    return { servers, database: decodeURIComponent(name), parameters: new URLSearchParams(query) }
  } catch {
    return null
  }
}

/** The URL as it may be shown: hosts and database, without user, password and parameters. */
export function shownUrl(url: string): string {
  const parsed = parseServers(url)
  return parsed === null
    ? 'postgres://…'
    : `postgres://${parsed.servers.map(({ host }) => host).join()}/${parsed.database}`
}
