import type { Database } from 'bun:sqlite'

export type Reads = {
  /** Runs `work`, which reads and is synchronous, in the transaction of this turn; within a write, in that one's. */
  read<T>(work: () => T): T
  /** Ends the transaction, where there is one: before a write, or what SQLite does in no transaction. */
  end(): void
}

/**
 * Lets the reads of one turn of the event loop share a transaction, and so one moment's state. Each alone would take the
 * file's lock and give it back, which costs more than most of them do.
 */
export function openReads(db: Database): Reads {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  let isOpen = false

  function end() {
    if (!isOpen) return
    isOpen = false
    // Where the disk failed, SQLite has ended it.
    if (db.inTransaction) commit.run()
  }

  return {
    read(work) {
      if (!isOpen && !db.inTransaction) {
        begin.run()
        isOpen = true
        setImmediate(end)
      }
      return work()
    },
    end,
  }
}
