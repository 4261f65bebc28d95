import { Worker } from 'node:worker_threads'
import replicator from './replicator.js' with { type: 'file' }
import { asError } from '../../lib/errors.ts'

/**
 * A file that the thread has put into the spool, to be shipped under the name in its own. All commits up to `capturedAt`
 * are in earlier files; 0 where the thread has not looked yet.
 */
export type Stored = { file: string; bytes: number; capturedAt: number }

/** Why the thread has stopped to replicate. `gap`: commits went past it, so what follows begins with a snapshot. */
export type Failure = { gap: boolean; code: string | null; message: string }

export type ReplicaLogOptions = {
  /** Where files wait for the place: a directory of this machine. */
  spool: string
  /** What tells this place from another. */
  place: string
  /** 32 bytes; null for files that are not encrypted. */
  key: Uint8Array | null
  /** The erasure journal, which is shipped whenever it has changed. */
  journal: string
  /** How often the thread looks for commits; half as often after it has found none. */
  everyMs?: number
  snapshotEveryMs?: number
  onStored(stored: Stored): void
  onFailure(failure: Failure): void
}

/** The thread that owns the log of a database: it writes each commit into files, and does the checkpoints. */
export type ReplicaLog = {
  /** Begins, before anything is written: answers whether it goes on where it was, or with a new generation. */
  open(path: string): Promise<boolean>
  /** Begins to ship. Not before the schema is up to date: the thread takes the write lock now and then. */
  run(): Promise<void>
  /** Takes the log into the database file, once all of it is in files. */
  checkpoint(): Promise<void>
  /** Leaves no byte in the log. False where readers of other processes did not let it. */
  empty(): Promise<boolean>
  /** The time up to which all commits are in files; 0 before the thread has looked. */
  capturedAt(): number
  /** Puts another file into the spool. */
  file(name: string, bytes: Uint8Array): Promise<void>
  /** A part of a snapshot is shipped. */
  partShipped(): void
  /** Stops to replicate, and forgets where it was. */
  abandon(): Promise<void>
  /** Begins a new generation after a failure, or where the present one does not follow that one. Answers whether it did. */
  begin(after?: string): Promise<boolean>
  /** Ends the thread with all commits in files. */
  close(): Promise<void>
}

type Answer = { id: number; value: unknown; error?: { code: string | null; message: string } }
type Message = ({ type: 'answer' } & Answer) | ({ type: 'stored' } & Stored) | ({ type: 'failed' } & Failure)

export function replicaLog(options: ReplicaLogOptions): ReplicaLog {
  const { spool, place, key, journal, everyMs = 250, snapshotEveryMs = 24 * 3600_000 } = options
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  // Memory of both threads: a message four times a second would be most of what an idle replica costs.
  const captured = new BigInt64Array(new SharedArrayBuffer(8))
  let path: string | null = null
  let thread: Worker | null = null
  let asked = 0

  function start(): Worker {
    const started = new Worker(replicator, {
      workerData: { path, spool, place, key, journal, everyMs, snapshotEveryMs, captured },
    })
    started.unref()
    started.on('message', (message: Message) => {
      if (message.type === 'stored') options.onStored(message)
      else if (message.type === 'failed') options.onFailure(message)
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
    if (thread === null) return Promise.reject(new Error('the replica has no thread'))
    const call = Promise.withResolvers<unknown>()
    const id = ++asked
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
    capturedAt: () => Number(captured[0]),
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
