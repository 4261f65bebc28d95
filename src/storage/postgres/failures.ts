import { SQL } from 'bun'
import { Refusal, storageFull } from '../../lib/refusal.ts'
import { serversOf, shownUrl } from './url.ts'
import { asError, codeOf, messageOf } from '../../lib/errors.ts'

/** The server takes no writes. */
export class ReadOnly extends Error {
  constructor() {
    super('it takes no writes')
  }
}
/** No server can be reached. */
export class Lost extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}
/** The connection was lost after the statements, before the commit was answered. */
export class Unknown extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/** An error of the server, without the values that its details show. */
export class PostgresFault extends Error {
  override readonly name = 'PostgresFault'

  constructor(
    readonly sqlstate: string,
    message: string,
  ) {
    super(`${message} (${sqlstate})`)
  }
}

/** The server's code of an error; empty if the error is not the server's. */
export const sqlstate = (error: unknown) =>
  error instanceof SQL.PostgresError && error.errno !== undefined ? String(error.errno) : ''

/**
 * Whether the server or the connection to it is lost. 57P01 to 57P03: it shuts down or starts. 25006: the primary has become a
 * standby. 25P03: an idle transaction timed out. 53300: it has too many connections.
 */
export function isLoss(error: unknown): boolean {
  if (error instanceof Lost || error instanceof ReadOnly) return true
  const state = sqlstate(error)
  if (state !== '') return /^(08|57P0[1-5]|25006|25P03|53300|40003)/.test(state)
  return /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT|TLS)/.test(codeOf(error))
}

/** Whether no server was reached, so that nothing can have been written. */
export const neverConnected = (error: unknown) =>
  error instanceof Lost ||
  error instanceof ReadOnly ||
  /^(57P03|53300|25006)$/.test(sqlstate(error)) ||
  /^ERR_POSTGRES_(CONNECTION_(REFUSED|FAILED|TIMEOUT)|TLS)/.test(codeOf(error))

/** Deadlocks and serialization failures: the same transaction may succeed the next time. */
export const isTransient = (error: unknown) => /^(40001|40P01)$/.test(sqlstate(error))

export const busy = (detail: string, cause?: unknown) =>
  Object.assign(new Refusal('busy', `${detail} Try again shortly.`, undefined, { 'retry-after': '1' }), { cause })

/** The refusal that a request is answered with; an error that is none of these stays an error. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof Unknown)
    return busy(
      'The connection to the database broke during the commit: this may or may not be stored.',
      toldOf(error.cause),
    )
  if (isLoss(error)) return busy('The database cannot be reached.', toldOf(error))
  const state = sqlstate(error)
  if (state === '53100') return storageFull(toldOf(error))
  // Resources are exhausted, a lock or a statement took too long, or conflicts did not end.
  if (/^(53|55P03|57014|40)/.test(state)) return busy('The database is busy.', toldOf(error))
  return state === '' ? error : toldOf(error)
}

/** An error that is safe to log: the server's details show the row, and messages of class 22 show the value. */
export function toldOf(error: unknown): Error {
  const state = sqlstate(error)
  if (state === '') return error instanceof Lost || error instanceof Unknown ? toldOf(error.cause) : asError(error)
  const message = messageOf(error)
  return new PostgresFault(state, state.startsWith('22') ? message.replace(/:? ".*"/s, '') : message)
}

/** An error for the operator: what is wrong with the database. */
export function unusable(url: string, error: unknown): Error {
  const { database } = serversOf(url)
  const state = sqlstate(error)
  const reason =
    error instanceof ReadOnly
      ? 'can only be read: it is a standby, or was made read-only. Name its primary'
      : state.startsWith('28')
        ? 'refuses the user or the password of DATABASE_URL'
        : state === '3D000'
          ? `has no database ${database}: create it first, as with createdb ${database}`
          : /TLS|CERT|SSL/.test(codeOf(error))
            ? `and DATABASE_URL do not agree on TLS (${toldOf(error).message}): look at its sslmode`
            : isLoss(error)
              ? `cannot be reached (${toldOf(error).message}): check that it is running and that DATABASE_URL is right`
              : `cannot be used: ${toldOf(error).message}`
  return new Error(`${shownUrl(url)} ${reason}`, { cause: toldOf(error) })
}
