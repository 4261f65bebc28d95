import type { Database } from 'bun:sqlite'
import type { Profile, User } from '../../features/profile/store.ts'
import { oneRow } from './one-row.ts'
import { recentMap, type RecentMap } from '../../lib/recent-map.ts'

/** What is cached about a person, by kind. */
type Kinds = { user: object; profile: { id: string } }
type Kind = keyof Kinds
type People = { user: User; profile: Profile }

export type Reads<Of extends Kinds = People> = {
  /** Runs the synchronous reads of `work` in the transaction of this turn, or of the write that is running. */
  read<T>(work: () => T): T
  /**
   * What `work` reads about a person, cached under that kind until something is written: by another process, or by this one
   * unless the write keeps the profile cache. Callers must not change the result. Not for use within a write.
   */
  remembered<K extends Kind>(kind: K, id: string, work: (id: string) => Of[K] | null): Of[K] | null
  /** The same for many people, in no order: `work` reads those that are not cached. */
  rememberedEach(kind: 'profile', ids: readonly string[], work: (missing: string[]) => Of['profile'][]): Of['profile'][]
  /** Empties the cache, after a write. */
  forget(): void
  /** Ends the transaction, if there is one: before a write, or anything that SQLite refuses within a transaction. */
  end(): void
}

// Some 600 bytes each. People in the centre of a city are shown again and again.
const mostRemembered = 16_384

/**
 * Lets the reads of one turn of the event loop share a transaction, and so a snapshot. Separately, each would take and release
 * the file's lock, which costs more than most of the reads.
 */
export function openReads<Of extends Kinds = People>(db: Database): Reads<Of> {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  // Changes when another process has written.
  const version = db.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const memory: { [K in Kind]: RecentMap<Of[K]> } = {
    user: recentMap(mostRemembered),
    profile: recentMap(mostRemembered),
  }
  let seen = 0
  let isOpen = false

  function end() {
    if (!isOpen) return
    isOpen = false
    // After a disk failure, SQLite has already ended it.
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
      const { data_version } = oneRow(version.get())
      if (data_version !== seen) forget()
      seen = data_version
    }
    return work()
  }

  return {
    read,

    remembered(kind, id, work) {
      return read(() => {
        const ofKind = memory[kind]
        const known = ofKind.get(id)
        if (known) return known
        const found = work(id)
        if (!found) return null
        Object.freeze(found)
        ofKind.set(id, found)
        return found
      })
    },

    rememberedEach(kind, ids, work) {
      return read(() => {
        const ofKind = memory[kind]
        const found = new Map<string, Of['profile']>()
        const missing: string[] = []
        for (const id of ids) {
          const known = ofKind.get(id)
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
