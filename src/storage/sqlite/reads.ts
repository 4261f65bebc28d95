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
  /** Call after a commit, before it is answered: forgets what is remembered, unless the writes leave people alone. */
  committed(leftPeopleAlone: boolean): void
  /** Ends the transaction, where there is one: before a write, or what SQLite does in no transaction. */
  end(): void
}

// Some 600 bytes each. People in the centre of a city are shown again and again.
const mostRemembered = 16_384

/**
 * Numbers in memory that threads share, of which one writes: how often it has committed, and how often it has forgotten what it
 * remembers of people. Both rise before the write is answered, so that no other thread reads what was there before.
 */
type Commits = { mine?: Int32Array; others?: undefined } | { mine?: undefined; others?: Int32Array }

const [commitCount, forgetCount] = [0, 1]
export const bytesOfCommits = 8

/**
 * Lets the reads of one turn of the event loop share a transaction, and so one moment's state. Each alone would take the
 * file's lock and give it back, which costs more than most of them do.
 */
export function openReads<Of extends Kinds = People>(db: Database, { mine, others }: Commits = {}): Reads<Of> {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  const version = db.prepare<{ data_version: number }, []>('PRAGMA data_version')
  const memory: { [K in Kind]: RecentMap<Of[K]> } = {
    user: recentMap(mostRemembered),
    profile: recentMap(mostRemembered),
  }
  let seen = 0
  let begunAt = 0
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
    if (mine) Atomics.add(mine, forgetCount, 1)
  }

  /** Another number when another process, or the thread that writes, has changed what is remembered. */
  const newestVersion = () => (others ? Atomics.load(others, forgetCount) : oneRow(version.get()).data_version)

  function read<T>(work: () => T): T {
    // Whoever was answered since this transaction began must find what they have written.
    if (isOpen && others && Atomics.load(others, commitCount) !== begunAt) end()
    if (!isOpen && !db.inTransaction) {
      // Before the transaction: what is read in it is not older than this says.
      if (others) begunAt = Atomics.load(others, commitCount)
      const known = others && newestVersion()
      begin.run()
      isOpen = true
      setImmediate(end)
      const newest = known ?? newestVersion()
      if (newest !== seen) forget()
      seen = newest
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

    committed(leftPeopleAlone) {
      if (!leftPeopleAlone) forget()
      if (mine) Atomics.add(mine, commitCount, 1)
    },

    end,
  }
}
