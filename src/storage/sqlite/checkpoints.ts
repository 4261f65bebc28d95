import { semver } from 'bun'
import { Database } from 'bun:sqlite'
import { Worker } from 'node:worker_threads'
import checkpointer from './checkpointer.js' with { type: 'file' }
import type { Reads } from './reads.ts'
import type { ReplicaLog } from './replica-log.ts'
import { asError } from '../../lib/errors.ts'
import { oneRow } from './one-row.ts'

// Pages that are taken into the file here, in a few milliseconds, rather than in the thread.
const little = 300

export type Checkpoints = {
  /** Call after a commit, outside any transaction: starts a checkpoint if the log has grown enough. */
  onCommit(): void
  /** Checkpoints the whole log and truncates it. */
  emptyLog(): Promise<void>
  /** The same, for the last time. */
  close(): Promise<void>
}

type Options = {
  /** Called when a checkpoint fails, with an SQLite error and its `code`. */
  onError(error: Error): void
  /**
   * Pages of log after which a checkpoint starts: 32 MB, or 128 MB with a replica, because each of its checkpoints writes the
   * rest of the log into files and waits for the disk. At 32 MB a replica costs 15 % of the sends per second, at 128 MB 4 %.
   */
  after?: number
  /** With a replica, its thread owns the log and runs the checkpoints. */
  replica?: Pick<ReplicaLog, 'checkpoint' | 'empty' | 'close'> | null
  /** Whether other threads of this server read the file. */
  othersRead?: boolean
}

// Readers end their transaction with the turn of their event loop. The wait holds up requests, so it is longer only for a log
// that has grown while shorter ones were in vain.
const patienceWithReadersMs = 10
const mostPatienceMs = 1000
const mostTries = 50

/**
 * Takes the log into the file while the server goes on: from a thread, as that waits for the disk for as long as hundreds
 * of sends take. SQLite begins the log anew once all of it is in the file and nobody reads it, which never happens while
 * others write; so the few pages that were written meanwhile are taken in here, where no write can come in between. Where
 * other threads read all the time, this waits until each of them has ended the transaction that it is in.
 *
 * If the thread does not keep up or cannot run, SQLite checkpoints within a commit, at twice as many pages.
 */
export function openCheckpoints(
  db: Database,
  reads: Pick<Reads, 'end'>,
  { onError, replica = null, after = replica ? 32000 : 8000, othersRead = false }: Options,
): Checkpoints {
  const pages = db.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  const rest = db.prepare<null, []>(`PRAGMA wal_checkpoint(${othersRead ? 'RESTART' : 'PASSIVE'})`)
  const truncate = db.prepare<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)')
  let thread: Worker | null = null
  let running: PromiseWithResolvers<void> | null = null
  const isMeasurable = canMeasureLog(db)
  /** The length of this log when the last checkpoint started, or when it was opened, in pages. */
  let begunAt = isMeasurable ? length() : 0
  if (isMeasurable) db.run(`PRAGMA wal_autocheckpoint = ${(replica ? 4 : 2) * after}`)

  function start(): Worker {
    const started = new Worker(checkpointer, { workerData: db.filename })
    started.unref()
    started.on('message', (error: { code: string; message: string } | null) => {
      if (error) onError(Object.assign(new Error(error.message), { code: error.code }))
      end()
    })
    // The thread could not start, or could not open the file.
    started.on('error', onError)
    started.on('exit', () => {
      thread = null
      if (running) end()
    })
    return started
  }

  function length(): number {
    try {
      return oneRow(pages.get()).log
    } catch (error) {
      onError(asError(error))
      return 0
    }
  }

  function end() {
    try {
      reads.end()
      patiently(() => rest.run(), Math.min(mostPatienceMs, (patienceWithReadersMs * length()) / after))
    } catch (error) {
      onError(asError(error))
    }
    ended()
  }

  function ended() {
    running?.resolve()
    running = null
  }

  /** Returns whether nothing is left of the log, which a reader can prevent. */
  function empty(): boolean {
    reads.end()
    begunAt = 0
    return patiently(() => oneRow(truncate.get()).busy === 0)
  }

  function patiently<T>(work: () => T, ms = patienceWithReadersMs): T {
    if (!othersRead) return work()
    db.run(`PRAGMA busy_timeout = ${Math.ceil(ms)}`)
    try {
      return work()
    } finally {
      db.run('PRAGMA busy_timeout = 0')
    }
  }

  function begin(): Promise<void> {
    running = Promise.withResolvers()
    const { promise } = running
    // A replica takes all of the log in by itself. Where it failed, nothing is replicated, and the rest is done here.
    if (replica) void replica.checkpoint().then(ended, end)
    else {
      thread ??= start()
      thread.postMessage(null)
    }
    return promise
  }

  /** Has the thread take in all but what is written meanwhile, because requests wait for what is done here. */
  async function takeIn() {
    const wasIdle = thread === null
    await begin()
    // A command does not end before its threads.
    if (wasIdle) await thread?.terminate()
  }

  return {
    onCommit() {
      if (!isMeasurable || running) return
      const log = length()
      if (log < begunAt) begunAt = 0
      if (log - begunAt < after) return
      begunAt = log
      void begin()
    },

    async emptyLog() {
      await running?.promise
      if (replica && (await replica.empty().catch(() => false))) return
      if (isMeasurable && !running && length() > little) await takeIn()
      for (let tries = 1; !empty() && tries < mostTries; tries++) await Bun.sleep(patienceWithReadersMs)
    },

    async close() {
      await running?.promise
      await thread?.terminate()
      // The replica stores the last commits in files before the log is truncated. Otherwise the next start needs a snapshot.
      await replica?.close().catch(onError)
      empty()
    },
  }
}

// Apple's own SQLite may be older, and would run a checkpoint when asked for the length of the log.
const canMeasureLog = (db: Database) =>
  semver.satisfies(oneRow(db.query<{ v: string }, []>('SELECT sqlite_version() AS v').get()).v, '>=3.51.0')

/** Whether this system's SQLite reports the length of the log, which a replica needs. */
export function isLogReadable(): boolean {
  const db = new Database(':memory:')
  try {
    return canMeasureLog(db)
  } finally {
    db.close()
  }
}
