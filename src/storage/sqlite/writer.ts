import type { Database } from 'bun:sqlite'
import { Refusal, storageFull } from '../../lib/refusal.ts'
import { openReads, type Reads } from './reads.ts'
import { asError, codeOf } from '../../lib/errors.ts'

type Job = {
  /** Does the work, and returns a function that resolves its caller's promise. */
  work: () => () => void
  keepsProfileCache: boolean
  fail: (error: unknown) => void
}

export type WriterReport = { size: number; milliseconds: number }

/** Must end the process and log `reason`. */
export type OnFatal = (error: Error, reason: string) => void

export type Writer = {
  /**
   * Runs the synchronous `work` in the next group's transaction. If it throws, only its own changes are rolled back.
   * Resolves with its value once the whole group is on disk, never before. If anything in the group throws, the whole group
   * is rolled back and run again, so `work` must change nothing but the database.
   *
   * `keepsProfileCache`: the work changes nothing that `Reads.remembered` caches.
   */
  write<T>(work: () => T, options?: { keepsProfileCache?: boolean }): Promise<T>
  /** Commits queued work and refuses new work. */
  close(): void
}

// Further writes are refused: at some 20,000 per second the last one waits for a fifth of a second.
const queueLimit = 4096
// In larger groups, writes would wait longer than they save of an fsync.
const enough = 64
// Beside other work, each turn of the event loop takes milliseconds and brings more writes, and the first would wait for
// `enough` of them. Half of this costs a tenth of the sends per second.
const usualGatheringMs = 8
// Another process that reads, as a backup does, may hold the lock for some 50 µs; a command that writes, for an fsync.
const patienceWithOthersMs = 250
/** A checkpoint thread of this process holds the lock for several fsyncs, which takes long on a slow disk. */
export const patienceWithReplicaMs = 30_000

/**
 * Groups the writes that arrive together into one `BEGIN IMMEDIATE … COMMIT`, so that with `synchronous=FULL` they share one
 * fsync: those of one turn of the event loop, and of the next ones for as long as each brings more, for `gatheringMs` at most.
 *
 * `patienceMs` is how long a group waits for the lock of another process or thread.
 *
 * `onFatal` is called, with a line for the log, when the disk failed during a commit or the file is damaged: SQLite's state and
 * the disk may differ from then on, so the process has to end and recover from the log.
 */
export function openWriter(
  db: Database,
  {
    onFatal,
    onGroup,
    onCommit,
    patienceMs = patienceWithOthersMs,
    gatheringMs = usualGatheringMs,
  }: {
    onFatal: OnFatal
    onGroup?: (report: WriterReport) => void
    onCommit?: () => void
    patienceMs?: number
    gatheringMs?: number
  },
  reads: Pick<Reads, 'end' | 'committed'> = openReads(db),
): Writer {
  let queue: Job[] = []
  let scheduled = false
  let closed = false
  /** Since when the writer waits for the lock of another process; null if it does not wait. */
  let waitingSince: number | null = null
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const savepoint = db.prepare('SAVEPOINT job')
  const release = db.prepare('RELEASE job')
  const undo = db.prepare('ROLLBACK TO job')

  function gather(before: number, until: number) {
    if (queue.length > before && queue.length < enough && performance.now() < until)
      setImmediate(gather, queue.length, until)
    else flush()
  }

  function flush() {
    scheduled = false
    if (queue.length === 0) return
    const group = queue
    queue = []
    const started = performance.now()
    let answers: (() => void)[]
    try {
      reads.end()
      if (!begun(started)) {
        queue = group
        return
      }
      answers = allOf(group)
      commit.run()
      reads.committed(group.every((job) => job.keepsProfileCache))
    } catch (error) {
      for (const job of group) job.fail(asRefusal(error))
      if (db.inTransaction) rollback.run()
      endIfFatal(error, onFatal)
      return
    }
    for (const answer of answers) answer()
    onCommit?.()
    onGroup?.({ size: group.length, milliseconds: performance.now() - started })
  }

  /** Runs each job and returns the functions that resolve their callers. */
  function allOf(group: readonly Job[]): (() => void)[] {
    try {
      return group.map((job) => job.work())
    } catch (error) {
      throwIfLost(error)
      // A savepoint copies every page that its job changes, so savepoints are used only after a failure.
      rollback.run()
      begin.run()
      return group.map(oneOf)
    }
  }

  function oneOf(job: Job): () => void {
    savepoint.run()
    try {
      const answer = job.work()
      release.run()
      return answer
    } catch (error) {
      throwIfLost(error)
      undo.run()
      release.run()
      return () => job.fail(asRefusal(error))
    }
  }

  /** If SQLite has already rolled back the whole transaction (disk full, I/O error), every job of it is lost. */
  function throwIfLost(error: unknown) {
    if (!db.inTransaction || fatality(error) !== null) throw error
  }

  /** False if another process has the lock: the group is retried soon, and only reads run in between. */
  function begun(now: number): boolean {
    try {
      begin.run()
    } catch (error) {
      waitingSince ??= now
      if (isBusy(error) && !closed && now - waitingSince < patienceMs) {
        scheduled = true
        setTimeout(flush, 1)
        return false
      }
      waitingSince = null
      throw error
    }
    waitingSince = null
    return true
  }

  return {
    write<T>(work: () => T, { keepsProfileCache = false } = {}) {
      if (closed) return Promise.reject(new Refusal('shutting_down', 'The server is stopping. Try again shortly.'))
      if (queue.length >= queueLimit)
        return Promise.reject(
          new Refusal('busy', 'Too many writes are waiting. Try again shortly.', undefined, {
            'retry-after': '1',
          }),
        )
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const answering = () => {
        const value = work()
        return () => resolve(value)
      }
      queue.push({ work: answering, keepsProfileCache, fail: reject })
      if (!scheduled) {
        scheduled = true
        setImmediate(gather, 0, performance.now() + gatheringMs)
      }
      return promise
    },
    close() {
      closed = true
      flush()
      reads.end()
    },
  }
}

// SQLITE_FULL means no space; at a quota or a limit of the file's size, a write fails or the shared memory cannot grow. SQLite
// has then rolled the transaction back, and can continue once there is space.
const noRoom = new Set(['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'])

const isBusy = (error: unknown) => codeOf(error).startsWith('SQLITE_BUSY')

/** Why the process cannot continue after an error; null if it can. */
function fatality(error: unknown): string | null {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB')
    return 'the database is damaged: ending. Restore the last good backup with convene restore FILE'
  if (code.startsWith('SQLITE_IOERR') && !noRoom.has(code))
    return 'the disk failed: ending, so that the next start recovers from the log'
  return null
}

/** Ends the process with `onFatal` if the error means that it cannot continue. */
export function endIfFatal(error: unknown, onFatal: OnFatal) {
  const reason = fatality(error)
  if (reason !== null) onFatal(asError(error), reason)
}

function asRefusal(error: unknown): unknown {
  const code = codeOf(error)
  if (noRoom.has(code)) return storageFull(error)
  if (isBusy(error))
    return new Refusal('busy', 'The database is busy. Try again shortly.', undefined, { 'retry-after': '1' })
  return error
}
