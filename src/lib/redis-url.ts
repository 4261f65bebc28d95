export type RedisAddress = {
  host: string
  port: number
  username: string | null
  password: string | null
  /** Number of the database. */
  database: number
  tls: boolean
}

/** Reads a URL of Redis or Valkey. Its errors never repeat the value, which may hold a password. */
export function readRedisUrl(value: string): RedisAddress {
  const wrong = new Error(
    'must be redis://[user:password@]host[:port][/number], or rediss:// with TLS (or valkey://, valkeys://), with special characters percent-encoded',
  )
  if (!URL.canParse(value)) throw wrong
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(value)
  const database = /^\/?(\d{0,5})$/.exec(pathname)?.[1]
  if (!/^(redis|valkey)s?:$/.test(protocol) || hostname === '' || port === '0' || database === undefined) throw wrong
  if (search !== '' || hash !== '') throw wrong
  try {
    return {
      host: decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1')),
      port: Number(port || 6379),
      username: decodeURIComponent(username) || null,
      password: decodeURIComponent(password) || null,
      database: Number(database),
      tls: protocol === 'rediss:' || protocol === 'valkeys:',
    }
  } catch {
    // A % is followed by something other than two hexadecimal digits.
    throw wrong
  }
}
