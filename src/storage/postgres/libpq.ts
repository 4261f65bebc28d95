import { type ServerUrl, serversOf } from './url.ts'

// The URL parameters that change how libpq connects.
const variables: Record<string, string> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
}

/**
 * How PostgreSQL's own programs find a server: in the environment, because other users can read command lines. They never ask
 * for a password.
 */
export function libpqEnvironment({ url }: ServerUrl): Record<string, string> {
  const { hostname, port, username, password } = new URL(url)
  const { database, parameters } = serversOf(url)
  const given = Object.entries(variables).flatMap(([parameter, variable]) => {
    const value = parameters.get(parameter)
    return value === null ? [] : [[variable, value]]
  })
  return {
    PGHOST: hostname.replaceAll(/[[\]]/g, ''),
    PGPORT: port || '5432',
    PGDATABASE: database,
    ...(username !== '' && { PGUSER: decodeURIComponent(username) }),
    ...(password !== '' && { PGPASSWORD: decodeURIComponent(password) }),
    PGCONNECT_TIMEOUT: parameters.get('connect_timeout') ?? '10',
    PGAPPNAME: 'convene backup',
    ...Object.fromEntries(given),
  }
}
