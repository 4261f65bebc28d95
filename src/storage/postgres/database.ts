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

export type Database = {
  /** Reads, each statement the state of its own moment. Called again where the connection is lost. */
  read<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Reads, none of whose statements may take longer than that: then they are refused as `busy`. */
  within<T>(ms: number, work: (db: Queries) => Promise<T>): Promise<T>
  /** Reads that all see one moment's state. */
  snapshot<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /**
   * One transaction: all of it, or nothing. `work` is called again after a deadlock or a serialization failure, so it
   * must do nothing but query. Resolves after the commit.
   *
   * READ COMMITTED, where a statement sees all that is committed when it begins. What one statement has found may be
   * otherwise for the next, so whatever a write depends on is decided by a unique index, by the condition of the
   * statement itself, or under the lock of a row (`FOR UPDATE`, `FOR SHARE`) that everybody takes who changes it.
   * Rows are locked in this order: users, chats, messages, the rest, event counters; several of a table by their key.
   */
  write<T>(work: (tx: Queries) => Promise<T>): Promise<T>
  /** One statement that writes, in one round trip. One only: each is a transaction of its own. */
  statement<T>(work: (db: Queries) => Promise<T>): Promise<T>
  /** Lets what runs finish, and refuses what comes later. */
  close(): Promise<void>
}

export type DatabaseOptions = {
  /** Told once when the database is gone, and when it is there again. */
  onOutage?: (error: Error) => void
  onRecovery?: (host: string) => void
  /** Of each connection, in the place of ours. */
  settings?: Record<string, string>
  /** How many connections, where the URL does not say. */
  max?: number
}

// Beyond this the last one would wait for seconds.
const runningLimit = 2048
// No request waits longer for the database, whatever happens to it.
export const patienceMs = 10_000
const attemptsLimit = 8
/** A server that says nothing for so long is taken for gone. */
const probeMs = 3000
// At the start there is time: a machine that comes up is slow.
const firstProbeMs = 5000
/** How long an outage is answered for, without another look. */
const restMs = 250

/**
 * Opens a pool on the first server of the URL that takes writes, and moves on to another when that one is gone or has
 * become a standby. Throws an Error whose message tells the operator what is wrong.
 *
 * A write whose commit was not answered is neither called done nor done again: it may have been stored. It is refused like
 * everything else while the database is gone: `busy`, with Retry-After.
 */
export async function openDatabase(
  url: string,
  { onOutage, onRecovery, settings, max }: DatabaseOptions = {},
): Promise<Database> {
  const { servers } = serversOf(url)!
  let present: { client: SQL; server: ServerUrl } | null = null
  /** The one that was found to be gone last: it is asked last, as it may take its time to say nothing. */
  let left: ServerUrl | null = null
  let looking: Promise<SQL> | null = null
  let suspecting = false
  let outage: { error: Error; at: number } | null = null
  let running = 0
  let closed = false

  /** The first server that takes writes; the present one where it still does. */
  async function look(withinMs = probeMs): Promise<SQL> {
    let failure: unknown = null
    if (present) {
      const { client } = present
      failure = await probe(client, withinMs)
      if (failure === null) return client
      leave()
    }
    for (const server of servers.toSorted((a, b) => Number(a === left) - Number(b === left))) {
      const timeouts = { statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' }
      const client = connect(server, { ...timeouts, ...settings }, { max })
      const found = await probe(client, withinMs)
      if (found === null && !closed) {
        present = { client, server }
        return client
      }
      // That a standby is one is no news where its primary is gone.
      if (failure === null || failure instanceof ReadOnly) failure = found
      drop(client)
    }
    throw failure
  }

  /** Ends its connections, and with them whatever waits for an answer there. */
  const drop = (client: SQL) => void client.close({ timeout: 0 }).catch(() => {})

  function leave() {
    left = present!.server
    drop(present!.client)
    present = null
  }

  /**
   * Asks a server that has kept somebody waiting for too long, on a connection of its own: one that hangs, or has gone
   * without a word, leaves all the others open. Nobody waits for this, as the server may only be slow.
   */
  async function suspect(client: SQL) {
    if (suspecting || looking || present?.client !== client) return
    suspecting = true
    const apart = connect(present.server, {}, { max: 1 })
    const failure = await probe(apart, probeMs)
    drop(apart)
    suspecting = false
    // Whoever answers, and be it with a refusal, does not hang.
    if (failure === null || failure instanceof ReadOnly || sqlstate(failure) !== '') return
    if (closed || looking || present?.client !== client) return
    leave()
    lookAgain().catch(() => {})
  }

  function lookAgain(withinMs?: number): Promise<SQL> {
    looking ??= look(withinMs)
      .then(
        (client) => {
          if (outage) onRecovery?.(present!.server.host)
          outage = null
          return client
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

  /** The pool to use. Waits while one is looked for. */
  function pool(): Promise<SQL> | SQL {
    if (looking) return looking
    if (present) return present.client
    if (outage && performance.now() - outage.at < restMs) throw new Lost(outage.error)
    return lookAgain()
  }

  async function patiently<T>(once: (client: SQL, turn: Turn) => Promise<T>): Promise<T> {
    if (closed) throw new Refusal('shutting_down', 'The server is stopping. Try again shortly.')
    if (running >= runningLimit) throw busy('The server has more waiting for its database than it can take.')
    running++
    const turn: Turn = { isOver: false }
    let client: SQL | null = null
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      turn.isOver = true
      reject(busy('The database did not answer in time.'))
      if (client) void suspect(client)
    }, patienceMs)
    const until = performance.now() + patienceMs
    try {
      for (let attempt = 1; ; attempt++) {
        client = null
        try {
          client = await Promise.race([pool(), late])
          return await Promise.race([once(client, turn), late])
        } catch (error) {
          const isLost = isLoss(error)
          if (client && isLost && present?.client === client && !closed) lookAgain().catch(() => {})
          // Full jitter, so that those who failed each other do not meet again.
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
      patiently(async (client, turn) => {
        let isDone = false
        const failures: unknown[] = []
        try {
          const { value } = await client.begin(options, async (tx) => {
            const value = await work(queriesOn(tx, turn, failures))
            if (turn.isOver) throw new Error('given up before its commit')
            isDone = true
            return { value }
          })
          return value
        } catch (error) {
          // Of several statements on their way the first failure says why; those after it only that there was one.
          const cause = sqlstate(error) === '25P02' ? failures[0] : error
          // Before COMMIT was sent, nothing can have been committed.
          throw isDone && isLoss(cause) ? new Unknown(cause as Error) : cause
        }
      })

  const reading = transaction('isolation level read committed read only')

  try {
    await lookAgain(firstProbeMs)
  } catch (error) {
    throw unusable(url, error)
  }
  return {
    read: (work) => patiently((client, turn) => work(queriesOn(client, turn))),
    within: (ms, work) =>
      reading(async (tx) => {
        // On its way before the statements of `work`, it needs no round trip of its own.
        const [, answer] = await Promise.all([tx.run(`SET LOCAL statement_timeout = ${ms}`), work(tx)])
        return answer
      }),
    snapshot: transaction('isolation level repeatable read read only'),
    write: transaction('isolation level read committed read write'),
    statement: (work) =>
      patiently(async (client, turn) => {
        try {
          return await work(queriesOn(client, turn))
        } catch (error) {
          // One that reached no server wrote nothing.
          throw isLoss(error) && !neverConnected(error) ? new Unknown(error as Error) : error
        }
      }),
    async close() {
      closed = true
      await looking?.catch(() => {})
      await present?.client.close({ timeout: 5 })
    },
  }
}

/** A pool of connections to one server, none of which is open yet. */
export function connect({ url }: ServerUrl, settings: Record<string, string>, { max }: { max?: number } = {}): SQL {
  const { database, parameters } = serversOf(url)!
  // Compiling a statement takes longer than any of ours runs, and the planner would do it for large tables.
  const ours = { application_name: 'convene', jit: 'off', ...settings }
  return new SQL(url, {
    // Bun would let PGDATABASE go before what the URL says.
    database,
    max: max ?? (Number(parameters.get('max')) || 16),
    connectionTimeout: Number(parameters.get('connect_timeout')) || firstProbeMs / 1000,
    connection: Object.fromEntries(Object.entries(ours).filter(([name]) => !parameters.has(name))),
  })
}

/** Null where the server takes writes; otherwise why it does not. */
async function probe(client: SQL, withinMs: number): Promise<unknown> {
  const isOver = new AbortController()
  try {
    const answer = client.unsafe('SHOW transaction_read_only').execute()
    const [row] = await Promise.race([answer, silence(withinMs, isOver.signal)])
    return row.transaction_read_only === 'off' ? null : new ReadOnly()
  } catch (error) {
    return error
  } finally {
    // A timer that runs on would keep a command from ending.
    isOver.abort()
  }
}

/** Fails after that time: in many turns of the event loop, so that a process that gets none does not blame the server. */
async function silence(ms: number, signal: AbortSignal): Promise<never> {
  const turns = 30
  for (let i = 0; i < turns; i++) await delay(ms / turns, undefined, { signal })
  throw new Lost(new Error('no answer'))
}
