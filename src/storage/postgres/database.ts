import { SQL } from 'bun'
import { setTimeout as delay } from 'node:timers/promises'
import { Refusal } from '../../lib/refusal.ts'
import {
  busy,
  isLoss,
  isTransient,
  Lost,
  neverConnected,
  ReadOnly,
  refusalOf,
  sqlstate,
  toldOf,
  Unknown,
  unusable,
} from './failures.ts'
import { type Queries, queriesOn, type Turn } from './queries.ts'
import { type ServerUrl, serversOf } from './url.ts'
import { asError } from '../../lib/errors.ts'

export type Database = {
  /** Reads; each statement sees its own snapshot. `work` is called again if the connection is lost. */
  read<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /**
   * Reads like `read`, on connections of their own, whose statements the server ends after `searchMs`: `busy`. To set that limit
   * for each search takes a transaction, which costs the server a third of a search.
   */
  search<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Reads that all see one snapshot. */
  snapshot<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /**
   * One transaction: all of it, or nothing. `work` is called again after a deadlock or a serialization failure, so it
   * must do nothing but query. Resolves after the commit.
   *
   * READ COMMITTED, where a statement sees all that is committed when it begins. The next statement may see another state,
   * so a write may depend only on a unique index, on a condition of the statement itself, or on a row lock (`FOR UPDATE`,
   * `FOR SHARE`) that every writer takes. Rows are locked in this order: users, chats, messages, the rest, event counters;
   * several of a table by their key.
   */
  write<T>(work: (tx: Queries) => Promise<T>): Promise<T>
  /** One write statement, in one round trip. Only one, because each is its own transaction. */
  statement<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Waits for running work, and refuses new work. */
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** Called once when the database is lost. */
  onOutage?: (error: Error) => void
  onRecovery?: (host: string) => void
  /** Settings of each connection that override ours. */
  settings?: Record<string, string>
  /** The size of the pool, unless the URL sets it. Searches have a quarter as many connections besides. */
  max?: number
  /** The time limit for each statement of a search: its caller has given up by then. */
  searchMs?: number
}

// Beyond this, the last one in the queue would wait for seconds.
const runningLimit = 2048
// The longest that a request waits for the database.
export const patienceMs = 10_000
const attemptsLimit = 8
export const usualSearchMs = 2000
/** A server that does not answer within this time counts as lost. */
const probeMs = 3000
// Longer at the start, because a booting machine is slow.
const firstProbeMs = 5000
/** For how long after a failed probe requests fail without another one. */
const restMs = 250

/**
 * Opens a pool on the first server of the URL that takes writes, and moves on to another when that one is gone or has
 * become a standby. Throws an Error whose message tells the operator what is wrong.
 *
 * If a commit gets no answer, the write may or may not be stored, so it is neither reported as done nor repeated. It is
 * refused like any request while the database is away: `busy`, with Retry-After.
 */
export async function openDatabase(
  url: string,
  { onOutage, onRecovery, settings, max, searchMs = usualSearchMs }: DatabaseOptions = {},
): Promise<Database> {
  const { servers } = serversOf(url)
  let present: Connected | null = null
  /** The server that was lost most recently. It is probed last, because it may only answer by a timeout. */
  let left: ServerUrl | null = null
  let looking: Promise<Connected> | null = null
  let suspecting = false
  let outage: { error: Error; at: number } | null = null
  let running = 0
  let closed = false

  /** The first server that takes writes; the present one if it still does. */
  async function look(withinMs = probeMs): Promise<Connected> {
    let failure: unknown = null
    if (present) {
      const connected = present
      failure = await probe(connected.client, withinMs)
      if (failure === null) return connected
      leave(connected)
    }
    for (const server of servers.toSorted((a, b) => Number(a === left) - Number(b === left))) {
      const timeouts = { statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' }
      const most = poolSize(server, max)
      const client = connect(server, { ...timeouts, ...settings }, { max: most })
      const found = await probe(client, withinMs)
      if (found === null && !closed) {
        const ofSearch = { ...timeouts, ...settings, statement_timeout: `${searchMs}` }
        const searches = connect(server, ofSearch, { max: Math.ceil(most / 4) })
        present = { client, searches, server }
        return present
      }
      // Prefer the primary's error to a standby's "read-only".
      if (failure === null || failure instanceof ReadOnly) failure = found
      drop(client)
    }
    throw failure
  }

  /** Closes all connections of a client, and fails the statements that wait on them. */
  const drop = (client: SQL) => void client.close({ timeout: 0 }).catch(() => {})

  function leave({ client, searches, server }: Connected) {
    left = server
    drop(client)
    drop(searches)
    present = null
  }

  /**
   * Probes a server that was too slow to answer, on a separate connection: a hung or vanished server leaves its connections
   * open. Nobody waits for the probe, because the server may only be slow.
   */
  async function suspect(connected: Connected) {
    if (suspecting || looking || present !== connected) return
    suspecting = true
    const separate = connect(connected.server, {}, { max: 1 })
    const failure = await probe(separate, probeMs)
    drop(separate)
    suspecting = false
    // An error response proves that the server is alive.
    if (failure === null || failure instanceof ReadOnly || sqlstate(failure) !== '') return
    if (closed || looking || present !== connected) return
    leave(connected)
    lookAgain().catch(() => {})
  }

  function lookAgain(withinMs?: number): Promise<Connected> {
    looking ??= look(withinMs)
      .then(
        (connected) => {
          if (outage) onRecovery?.(connected.server.host)
          outage = null
          return connected
        },
        (error) => {
          const told = toldOf(error)
          if (!outage && !closed) onOutage?.(told)
          outage = { error: told, at: performance.now() }
          throw error
        },
      )
      .finally(() => {
        looking = null
      })
    return looking
  }

  /** The pools to use. Waits while a server is searched for. */
  function pools(): Promise<Connected> | Connected {
    if (looking) return looking
    if (present) return present
    if (outage && performance.now() - outage.at < restMs) throw new Lost(outage.error)
    return lookAgain()
  }

  async function patiently<T>(once: (connected: Connected, turn: Turn) => Promise<T>): Promise<T> {
    if (closed) throw new Refusal('shutting_down', 'The server is stopping. Try again shortly.')
    if (running >= runningLimit) throw busy('Too many requests are waiting for the database.')
    running++
    const turn: Turn = { isOver: false }
    let connected: Connected | null = null
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      turn.isOver = true
      reject(busy('The database did not answer in time.'))
      if (connected) void suspect(connected)
    }, patienceMs)
    const until = performance.now() + patienceMs
    try {
      for (let attempt = 1; ; attempt++) {
        connected = null
        try {
          connected = await Promise.race([pools(), late])
          return await Promise.race([once(connected, turn), late])
        } catch (error) {
          const isLost = isLoss(error)
          if (connected && isLost && present === connected && !closed) lookAgain().catch(() => {})
          // Full jitter, so that conflicting transactions do not collide again.
          const pause = Math.random() * Math.min(500, 10 * 2 ** attempt)
          const again = error instanceof Unknown ? false : isLost || isTransient(error)
          if (!again || closed || attempt === attemptsLimit || performance.now() + pause > until) throw refusalOf(error)
          await Bun.sleep(pause)
        }
      }
    } finally {
      clearTimeout(timer)
      running--
    }
  }

  const transaction =
    (options: string) =>
    <T>(work: (tx: Queries) => Promise<T>): Promise<T> =>
      patiently(async ({ client }, turn) => {
        let isDone = false
        const failures: unknown[] = []
        try {
          const { value } = await client.begin(options, async (tx) => {
            const value = await work(queriesOn(tx, turn, failures))
            if (turn.isOver) throw new Error('abandoned before its commit')
            isDone = true
            return { value }
          })
          return value
        } catch (error) {
          // In a pipeline, only the first failure gives the reason; later ones report an aborted transaction.
          const cause = sqlstate(error) === '25P02' ? failures[0] : error
          // Before COMMIT was sent, nothing can have been committed.
          throw isDone && isLoss(cause) ? new Unknown(asError(cause)) : cause
        }
      })

  try {
    await lookAgain(firstProbeMs)
  } catch (error) {
    throw unusable(url, error)
  }
  return {
    read: (work) => patiently(({ client }, turn) => work(queriesOn(client, turn))),
    search: (work) => patiently(({ searches }, turn) => work(queriesOn(searches, turn))),
    snapshot: transaction('isolation level repeatable read read only'),
    write: transaction('isolation level read committed read write'),
    statement: (work) =>
      patiently(async ({ client }, turn) => {
        try {
          return await work(queriesOn(client, turn))
        } catch (error) {
          // A statement that reached no server wrote nothing.
          throw isLoss(error) && !neverConnected(error) ? new Unknown(asError(error)) : error
        }
      }),
    async close() {
      closed = true
      await looking?.catch(() => {})
      await Promise.all([present?.client.close({ timeout: 5 }), present?.searches.close({ timeout: 5 })])
    },
  }
}

/** The pools of a server: `searches` for searches, and `client` for everything else. */
type Connected = { client: SQL; searches: SQL; server: ServerUrl }

const poolSize = ({ url }: ServerUrl, max?: number) => max ?? (Number(serversOf(url).parameters.get('max')) || 16)

/** A pool of connections to one server, none of which is open yet. */
export function connect(server: ServerUrl, settings: Record<string, string>, { max }: { max?: number } = {}): SQL {
  const { url } = server
  const { database, parameters } = serversOf(url)
  // JIT compilation takes longer than any of our statements runs, yet the planner would use it for large tables.
  const ours = { application_name: 'convene', jit: 'off', ...settings }
  return new SQL(url, {
    // Bun would prefer PGDATABASE to the database of the URL.
    database,
    max: poolSize(server, max),
    connectionTimeout: Number(parameters.get('connect_timeout')) || firstProbeMs / 1000,
    connection: Object.fromEntries(Object.entries(ours).filter(([name]) => !parameters.has(name))),
  })
}

/** Null if the server takes writes; otherwise why it does not. */
async function probe(client: SQL, withinMs: number): Promise<unknown> {
  const isOver = new AbortController()
  try {
    const answer = client.unsafe('SHOW transaction_read_only').execute()
    const [row] = await Promise.race([answer, silence(withinMs, isOver.signal)])
    return row.transaction_read_only === 'off' ? null : new ReadOnly()
  } catch (error) {
    return error
  } finally {
    // A running timer would keep a command from exiting.
    isOver.abort()
  }
}

/** Fails after that time, counted in many short timers, so that a blocked event loop is not mistaken for a silent server. */
async function silence(ms: number, signal: AbortSignal): Promise<never> {
  const turns = 30
  for (let i = 0; i < turns; i++) await delay(ms / turns, undefined, { signal })
  throw new Lost(new Error('no answer'))
}
