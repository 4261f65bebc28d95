import { semver } from 'bun'
import { Database } from 'bun:sqlite'
import { Worker } from 'node:worker_threads'
import checkpointer from './checkpointer.js' with { type: 'file' }
import type { Reads } from './reads.ts'
import type { ReplicaLog } from './replica-log.ts'
import { asError } from '../../lib/errors.ts'
import { oneRow } from './one-row.ts'

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
}

/**
 * Checkpoints the log while the server keeps working. A thread does it, because a checkpoint waits for the disk as long as
 * hundreds of sends take. SQLite restarts the log only when all of it is in the file and nobody reads it, which never happens
 * while others write; so the few pages written during the thread's checkpoint are checkpointed here, where no write can come in
 * between.
 *
 * If the thread does not keep up or cannot run, SQLite checkpoints within a commit, at twice as many pages.
 */
export function openCheckpoints(
  db: Database,
  reads: Pick<Reads, 'end'>,
  { onError, replica = null, after = replica ? 32000 : 8000 }: Options,
): Checkpoints {
  const pages = db.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  const rest = db.prepare<null, []>('PRAGMA wal_checkpoint(PASSIVE)')
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
      rest.run()
    } catch (error) {
      onError(asError(error))
    }
    ended()
  }

  function ended() {
    running?.resolve()
    running = null
  }

  function empty() {
    reads.end()
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    begunAt = 0
  }

  return {
    onCommit() {
      if (!isMeasurable || running) return
      const log = length()
      if (log < begunAt) begunAt = 0
      if (log - begunAt < after) return
      begunAt = log
      running = Promise.withResolvers()
      if (replica) {
        // The replica checkpoints the whole log. If it fails, nothing is replicated any more, and the rest is done here.
        void replica.checkpoint().then(ended, end)
        return
      }
      thread ??= start()
      thread.postMessage(null)
    },

    async emptyLog() {
      await running?.promise
      if (replica && (await replica.empty().catch(() => false))) return
      empty()
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
