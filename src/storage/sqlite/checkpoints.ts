import { semver } from 'bun'
import type { Database } from 'bun:sqlite'
import { Worker } from 'node:worker_threads'
import checkpointer from './checkpointer.js' with { type: 'file' }
import type { Reads } from './reads.ts'

export type Checkpoints = {
  /** After a commit, outside of any transaction: begins one where the log has grown by enough. */
  onCommit(): void
  /** Takes all of the log into the file, and leaves none. */
  emptyLog(): Promise<void>
  /** The same, for the last time. */
  close(): Promise<void>
}

type Options = {
  /** Is told of what keeps the log from being taken into the file: an SQLite error with its `code`. */
  onError(error: Error): void
  /** Pages of log after which one begins. */
  after?: number
}

/**
 * Takes the log into the file while the server goes on: from a thread, as that waits for the disk for as long as hundreds
 * of sends take. SQLite begins the log anew once all of it is in the file and nobody reads it, which never happens while
 * others write; so the few pages that were written meanwhile are taken in here, where no write can come in between.
 *
 * Where the thread does not keep up, or there is none, SQLite does all of it within a commit, at twice as many pages.
 */
export function openCheckpoints(
  db: Database,
  reads: Pick<Reads, 'end'>,
  { onError, after = 8000 }: Options,
): Checkpoints {
  const pages = db.prepare<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)')
  const rest = db.prepare<null, []>('PRAGMA wal_checkpoint(PASSIVE)')
  let thread: Worker | null = null
  let running: PromiseWithResolvers<void> | null = null
  const isAble = canAsk(db)
  /** Pages of this log when the last one began, or another process had written so many. */
  let begunAt = isAble ? length() : 0
  if (isAble) db.run(`PRAGMA wal_autocheckpoint = ${2 * after}`)

  function start(): Worker {
    const started = new Worker(checkpointer, { workerData: db.filename })
    started.unref()
    started.on('message', (error: { code: string; message: string } | null) => {
      if (error) onError(Object.assign(new Error(error.message), { code: error.code }))
      end()
    })
    // It could not be started, or the file not be opened.
    started.on('error', onError)
    started.on('exit', () => {
      thread = null
      if (running) end()
    })
    return started
  }

  function length(): number {
    try {
      return pages.get()!.log
    } catch (error) {
      onError(error as Error)
      return 0
    }
  }

  function end() {
    try {
      reads.end()
      rest.run()
    } catch (error) {
      onError(error as Error)
    }
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
      if (!isAble || running) return
      const log = length()
      if (log < begunAt) begunAt = 0
      if (log - begunAt < after) return
      begunAt = log
      running = Promise.withResolvers()
      thread ??= start()
      thread.postMessage(null)
    },

    async emptyLog() {
      await running?.promise
      empty()
    },

    async close() {
      await running?.promise
      await thread?.terminate()
      empty()
    },
  }
}

// Apple's own SQLite may be older, and would take the log in where it is asked how long it is.
const canAsk = (db: Database) =>
  semver.satisfies(db.query<{ v: string }, []>('SELECT sqlite_version() AS v').get()!.v, '>=3.51.0')
