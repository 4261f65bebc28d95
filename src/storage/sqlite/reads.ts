import type { Database } from 'bun:sqlite'
import { recentMap } from '../../lib/recent-map.ts'

type Kind = 'user' | 'profile'

export type Reads = {
  /** Runs `work`, which reads and is synchronous, in the transaction of this turn; within a write, in that one's. */
  read<T>(work: () => T): T
  /**
   * What `work` read of a person, remembered as of that kind until anything is written: by this process, unless the write
   * leaves people alone, or by another one. Nobody may change the answer. Not for use within a write.
   */
  remembered<T extends object>(kind: Kind, id: string, work: (id: string) => T | null): T | null
  /** The same of many, in no order: `work` reads those that are not remembered. */
  rememberedEach<T extends { id: string }>(kind: Kind, ids: readonly string[], work: (missing: string[]) => T[]): T[]
  /** Forgets what is remembered: after a write. */
  forget(): void
  /** Ends the transaction, where there is one: before a write, or what SQLite does in no transaction. */
  end(): void
}

// Some 600 bytes each. Those of a city's centre are shown again and again.
const mostRemembered = 16_384

/**
 * Lets the reads of one turn of the event loop share a transaction, and so one moment's state. Each alone would take the
 * file's lock and give it back, which costs more than most of them do.
 */
export function openReads(db: Database): Reads {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  // Another number when another process has written.
  const version = db.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const memory = { user: recentMap<object>(mostRemembered), profile: recentMap<object>(mostRemembered) }
  let seen = 0
  let isOpen = false

  function end() {
    if (!isOpen) return
    isOpen = false
    // Where the disk failed, SQLite has ended it.
    if (db.inTransaction) commit.run()
  }

  function forget() {
    memory.user.clear()
    memory.profile.clear()
  }

  function read<T>(work: () => T): T {
    if (!isOpen && !db.inTransaction) {
      begin.run()
      isOpen = true
      setImmediate(end)
      const { data_version } = version.get()!
      if (data_version !== seen) forget()
      seen = data_version
    }
    return work()
  }

  return {
    read,

    remembered<T extends object>(kind: Kind, id: string, work: (id: string) => T | null): T | null {
      return read(() => {
        const ofKind = memory[kind]
        const known = ofKind.get(id) as T | undefined
        if (known) return known
        const found = work(id)
        if (found) ofKind.set(id, Object.freeze(found))
        return found
      })
    },

    rememberedEach<T extends { id: string }>(
      kind: Kind,
      ids: readonly string[],
      work: (missing: string[]) => T[],
    ): T[] {
      return read(() => {
        const ofKind = memory[kind]
        const found = new Map<string, T>()
        const missing: string[] = []
        for (const id of ids) {
          const known = ofKind.get(id) as T | undefined
          if (known) found.set(id, known)
          else missing.push(id)
        }
        if (missing.length > 0)
          for (const one of work(missing)) {
            ofKind.set(one.id, Object.freeze(one))
            found.set(one.id, one)
          }
        return [...found.values()]
      })
    },

    forget,

    end,
  }
}
