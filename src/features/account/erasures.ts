import { hours } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { Files } from '../media/files.ts'
import type { Erased, ErasureJournal, ErasureStore } from './store.ts'

export type Erasures = ReturnType<typeof openErasures>

type Deps = {
  store: ErasureStore
  journal: ErasureJournal
  files: Files
  audit: Pick<Audit, 'entry'>
  now: () => number
}

// No request that was under way when its user was erased is still under way then.
const settledAfter = hours

/** Carries erasures out, so that they outlast a crash and the return of an older database. */
export function openErasures({ store, journal, files, audit, now }: Deps) {
  let last: Promise<unknown> = Promise.resolve()

  /** One at a time: only the journal's newest entry can be taken back. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = last.then(work)
    last = run.catch(() => {})
    return run
  }

  async function removeFiles(names: readonly string[]) {
    for (const name of names) await files.remove(name)
  }

  return {
    /**
     * Erases a user, but for the files, which `removeTraces` takes. Null where they are erased already.
     *
     * The journal comes first: should we die in between, the next start finds the entry and finishes. Where the database
     * refuses, the entry goes again, and nothing has happened.
     */
    erase: (userId: string): Promise<Erased | null> =>
      inTurn(async () => {
        const at = now()
        const takeBack = await journal.add([{ user_id: userId, at }])
        let erased: Erased | null = null
        try {
          erased = await store.erase(userId, at, audit.entry('erase', userId, userId))
        } finally {
          if (!erased) await takeBack()
        }
        return erased
      }),

    /** Removes from the disk what the database has removed: image files, and older pages in its log. */
    async removeTraces(fileNames: readonly string[]) {
      await removeFiles(fileNames)
      await store.emptyLog()
    },

    /**
     * Makes the database and the journal agree: erases again whom an older database brought back, and adds whom the
     * journal does not know. Answers how many were erased again. For every start, and for a restored backup.
     */
    replay: () =>
      inTurn(async () => {
        const toErase = await journal.read()
        const erased = await store.erasedSince(0)
        const unknown = erased.filter(({ user_id }) => !toErase.delete(user_id))
        if (unknown.length > 0) await journal.add(unknown)
        let count = 0
        for (const [userId, at] of toErase) {
          const again = await store.erase(userId, at, audit.entry('erase_again', null, userId))
          // Who registered after that older database was made is not in it.
          if (!again) continue
          count++
          await removeFiles(again.files)
        }
        if (count > 0) await store.emptyLog()
        return count
      }),

    /**
     * Removes what requests that were under way have stored of users erased since, and what older pages the log still
     * holds. Answers how many rows.
     */
    async settle() {
      let removed = 0
      for (const { user_id, at } of await store.erasedSince(now() - settledAfter)) {
        const { rows, files: names } = await store.clear(user_id, at)
        await removeFiles(names)
        removed += rows
      }
      await store.emptyLog()
      return removed
    },
  }
}
