import { Worker } from 'node:worker_threads'
import replicator from './replicator.js' with { type: 'file' }
import { asError } from '../../lib/errors.ts'

/**
 * A file that the thread has put into the spool. Its name contains the name under which it is shipped. All commits up to
 * `capturedAt` are in earlier files; 0 before the thread's first capture.
 */
type Stored = { file: string; bytes: number; capturedAt: number }

/** Why the thread has stopped replicating. `gap`: it has missed commits, so a new generation must start with a snapshot. */
export type Failure = { gap: boolean; code: string | null; message: string }

type ReplicaLogOptions = {
  /** The directory of this machine where files wait to be shipped. */
  spool: string
  /** Identifies the place to which files are shipped. */
  place: string
  /** 32 bytes; null for files that are not encrypted. */
  key: Uint8Array | null
  /** The erasure journal, which is shipped whenever it has changed. */
  journal: string
  /** How often the thread checks for commits; half as often after it has found none. */
  everyMs?: number
  snapshotEveryMs?: number
  onStored(stored: Stored): void
  onFailure(failure: Failure): void
}

/** The thread that owns the log of a database: it writes each commit into files, and runs the checkpoints. */
export type ReplicaLog = {
  /** Starts before anything is written. Returns true if it continues its generation, false if it starts a new one. */
  open(path: string): Promise<boolean>
  /** Starts replicating. Call it after migrations, because the thread takes the write lock now and then. */
  run(): Promise<void>
  /** Checkpoints the log, once all of it is in files. */
  checkpoint(): Promise<void>
  /** Truncates the log. False if readers of other processes prevented it. */
  empty(): Promise<boolean>
  /** The time up to which all commits are in files; 0 before the thread's first capture. */
  capturedAt(): number
  /** Puts another file into the spool. */
  file(name: string, bytes: Uint8Array): Promise<void>
  /** Call when a part of a snapshot is shipped. */
  partShipped(): void
  /** Stops replicating, and forgets its position. */
  abandon(): Promise<void>
  /** Starts a new generation after a failure, or if the present one is earlier than `after`. Returns whether it did. */
  begin(after?: string): Promise<boolean>
  /** Ends the thread with all commits in files. */
  close(): Promise<void>
}

type Answer = { id: number; value: unknown; error?: { code: string | null; message: string } }
type Message = ({ type: 'answer' } & Answer) | ({ type: 'stored' } & Stored) | ({ type: 'failed' } & Failure)

export function replicaLog(options: ReplicaLogOptions): ReplicaLog {
  const { spool, place, key, journal, everyMs = 250, snapshotEveryMs = 24 * 3600_000 } = options
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  // Shared memory, because messages four times a second would be most of the cost of an idle replica.
  const captured = new BigInt64Array(new SharedArrayBuffer(16))
  /** Messages of stored files that have arrived here, which may be later than what the memory says. */
  let heard = 0n
  let capturedAt = 0
  let path: string | null = null
  let thread: Worker | null = null
  let calls = 0

  function start(): Worker {
    Atomics.store(captured, 1, heard)
    const started = new Worker(replicator, {
      workerData: { path, spool, place, key, journal, everyMs, snapshotEveryMs, captured },
    })
    started.unref()
    started.on('message', (message: Message) => {
      if (message.type === 'stored') {
        heard++
        options.onStored(message)
      } else if (message.type === 'failed') options.onFailure(message)
      else answer(message)
    })
    started.on('error', (error) => end(started, asError(error)))
    started.on('exit', () => end(started, new Error('the thread of the replica has ended')))
    return started
  }

  function answer({ id, value, error }: Answer) {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error) call?.reject(Object.assign(new Error(error.message), { code: error.code ?? undefined }))
    else call?.resolve(value)
  }

  function end(ended: Worker, error: Error) {
    if (thread !== ended) return
    thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    options.onFailure({ gap: false, code: null, message: error.message })
  }

  function ask<T>(ask: string, more: object = {}): Promise<T> {
    if (thread === null) return Promise.reject(new Error('the thread of the replica is not running'))
    const call = Promise.withResolvers<unknown>()
    const id = ++calls
    waiting.set(id, call)
    thread.postMessage({ id, ask, ...more })
    return call.promise as Promise<T>
  }

  return {
    open(databasePath) {
      path = databasePath
      thread = start()
      return ask<boolean>('start')
    },
    run: () => ask('run'),
    checkpoint: () => ask('checkpoint'),
    empty: () => ask('empty'),
    capturedAt() {
      const at = Atomics.load(captured, 0)
      // Not before all that was stored until then is known here, and counts as waiting.
      if (Atomics.load(captured, 1) === heard) capturedAt = Number(at)
      return capturedAt
    },
    file: (name, bytes) => ask('file', { name, bytes }),
    partShipped: () => void ask('part').catch(() => {}),
    abandon: () => ask('abandon'),
    async begin(after) {
      if (thread !== null) return ask('begin', { after })
      thread = start()
      await ask('start')
      await ask('run')
      return true
    },
    async close() {
      const ending = thread
      if (ending === null) return
      try {
        await ask('close')
      } finally {
        thread = null
        await ending.terminate()
      }
    },
  }
}
