import { hours } from '../../lib/time.ts'
import type { Ids } from '../../lib/ids.ts'
import type { NewParcel } from '../../outbox/store.ts'
import type { Audit } from '../audit/service.ts'
import type { Webhooks } from '../webhooks/service.ts'
import { type Files, withThumbs } from '../media/files.ts'
import type { Cleared, Erasure, ErasureJournal, ErasureStore, Place } from './store.ts'

export type Erasures = ReturnType<typeof openErasures>

type Deps = {
  store: ErasureStore
  journal: ErasureJournal
  files: Files
  audit: Pick<Audit, 'entry'>
  webhooks: Webhooks
  ids: Ids
  now: () => number
}

// No request that was under way when its user was erased is still under way then.
const settledAfter = hours

/** Tells the others in their chats. */
type Tell = (events: Cleared['chats']) => Promise<void>

/**
 * Carries erasures out, so that they outlast a crash and the return of an older database: the journal knows who is erased,
 * and the database whose erasure is unfinished.
 */
export function openErasures({ store, journal, files, audit, webhooks, ids, now }: Deps) {
  let last: Promise<unknown> = Promise.resolve()
  const underWay = new Set<string>()

  const toldOf = (userId: string) => webhooks.about('user.erased', userId, { user_id: userId })

  /** One at a time: only the journal's newest entry can be taken back. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = last.then(work)
    last = run.catch(() => {})
    return run
  }

  /** Removes what is stored of an erased user, part by part, so that requests come in between. Answers how many rows. */
  async function clear({ user_id, at }: Erasure, tell: Tell = async () => {}): Promise<number> {
    if (underWay.has(user_id)) return 0
    underWay.add(user_id)
    try {
      let rows = 0
      let place: Place | null = null
      do {
        const cleared: Cleared = await store.clear(user_id, at, place, ids.next)
        rows += cleared.rows
        await files.remove(withThumbs(cleared.files))
        await tell(cleared.chats)
        place = cleared.next
      } while (place !== null)
      return rows
    } finally {
      underWay.delete(user_id)
    }
  }

  return {
    /**
     * Begins to erase a user: nobody finds them any more, and `finish` takes the rest. Null where they are erased already.
     *
     * The journal comes first: should we die in between, the next start finds the entry and goes on. Where the database
     * refuses, the entry goes again, and nothing has happened.
     */
    begin: (
      userId: string,
      actorId: string | null,
      mails: readonly NewParcel<'mail'>[] = [],
    ): Promise<Erasure | null> =>
      inTurn(async () => {
        const erasure = { user_id: userId, at: now() }
        const takeBack = await journal.add([erasure])
        let begun = false
        try {
          begun = await store.begin(userId, erasure.at, audit.entry('erase', actorId, userId), [
            ...mails,
            ...toldOf(userId),
          ])
        } finally {
          if (!begun) await takeBack()
        }
        return begun ? erasure : null
      }),

    /**
     * Removes all that is left of somebody whose erasure has begun, from the disk too: image files, and older pages in the
     * database's log. Answers how many rows that were. What a crash or a full disk cuts off is for `unfinished`.
     */
    async finish(erasure: Erasure, tell?: Tell): Promise<number> {
      const rows = await clear(erasure, tell)
      await store.emptyLog()
      return rows
    },

    unfinished: () => store.unfinished(),

    /**
     * Makes the database and the journal agree: erases again whom an older database brought back, adds whom the journal
     * does not know, and finishes what was cut off. Answers how many were erased again. For every start, and for a
     * restored backup.
     */
    replay: () =>
      inTurn(async () => {
        const toErase = await journal.read()
        const erased = await store.erasedSince(0)
        const unknown = erased.filter(({ user_id }) => !toErase.delete(user_id))
        if (unknown.length > 0) await journal.add(unknown)
        let count = 0
        for (const [userId, at] of toErase)
          // Who registered after that older database was made is not in it.
          if (await store.begin(userId, at, audit.entry('erase_again', null, userId), toldOf(userId))) count++
        const unfinished = await store.unfinished()
        for (const erasure of unfinished) await clear(erasure)
        if (unfinished.length > 0) await store.emptyLog()
        return count
      }),

    /**
     * Removes what requests that were under way have stored of users erased since, and what older pages the log still
     * holds. Answers how many rows.
     */
    async settle() {
      const unfinished = new Set((await store.unfinished()).map(({ user_id }) => user_id))
      const erased = await store.erasedSince(now() - settledAfter)
      let removed = 0
      for (const erasure of erased) if (!unfinished.has(erasure.user_id)) removed += await clear(erasure)
      // Also what retention has removed meanwhile is not to be read there.
      await store.emptyLog()
      return removed
    },
  }
}
