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

// Longer than any request that was in progress at the erasure can take.
const recentMs = hours

/** Sends events to the other members of the user's chats. */
type Tell = (events: Cleared['chats']) => Promise<void>

/**
 * Carries out erasures so that they survive a crash and the restore of an older database: the journal lists who is erased,
 * the database which erasures are unfinished.
 */
export function openErasures({ store, journal, files, audit, webhooks, ids, now }: Deps) {
  let last: Promise<unknown> = Promise.resolve()
  const underWay = new Set<string>()

  const webhooksOf = (userId: string) => webhooks.about('user.erased', userId, { user_id: userId })

  /** One at a time: only the journal's newest entry can be taken back. */
  function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const run = last.then(work)
    last = run.catch(() => {})
    return run
  }

  /** Removes an erased user's data in parts, and leaves requests as much time between them. Returns the number of rows removed. */
  async function clear({ user_id, at }: Erasure, tell: Tell = async () => {}): Promise<number> {
    if (underWay.has(user_id)) return 0
    underWay.add(user_id)
    try {
      let rows = 0
      let place: Place | null = null
      for (;;) {
        const began = performance.now()
        const cleared: Cleared = await store.clear(user_id, at, place, ids.next)
        rows += cleared.rows
        await files.remove(withThumbs(cleared.files))
        await tell(cleared.chats)
        place = cleared.next
        if (place === null) return rows
        await Bun.sleep(performance.now() - began)
      }
    } finally {
      underWay.delete(user_id)
    }
  }

  /** Adds those of the erasures that the journal lacks. Returns those of the journal that are not among them. */
  async function addMissing(erased: readonly Erasure[]): Promise<Map<string, number>> {
    const known = await journal.read()
    const unknown = erased.filter(({ user_id }) => !known.delete(user_id))
    if (unknown.length > 0) await journal.add(unknown)
    return known
  }

  /** Adds the erasures that the journal lacks. Returns those that the database lacks. */
  const completeJournal = async () => addMissing(await store.erasedSince(0))

  return {
    /**
     * Begins to erase a user: nobody finds them from now on, and `finish` removes the rest. Null if they are erased
     * already.
     *
     * The journal is written first: after a crash in between, the next start finds the entry and continues. If the database
     * refuses or does not answer, the entry is removed again: a later start must not erase somebody whose erasure was not
     * stored. If it was stored without an answer, `unfinished` adds the entry.
     */
    begin: (
      userId: string,
      actorId: string | null,
      mails: readonly NewParcel<'mail'>[] = [],
    ): Promise<Erasure | null> =>
      oneAtATime(async () => {
        const erasure = { user_id: userId, at: now() }
        const takeBack = await journal.add([erasure])
        let begun = false
        try {
          begun = await store.begin(userId, erasure.at, audit.entry('erase', actorId, userId), [
            ...mails,
            ...webhooksOf(userId),
          ])
        } finally {
          if (!begun) await takeBack()
        }
        return begun ? erasure : null
      }),

    /**
     * Removes the rest of a user whose erasure has begun, including image files and older pages in the database's log.
     * Returns the number of rows removed. After a crash or a full disk, `unfinished` lists the erasure for another attempt.
     */
    async finish(erasure: Erasure, tell?: Tell): Promise<number> {
      const rows = await clear(erasure, tell)
      await store.emptyLog()
      return rows
    },

    /** Erasures that have begun and are not finished. They are in the journal when this resolves. */
    async unfinished(): Promise<Erasure[]> {
      const list = await store.unfinished()
      if (list.length > 0) await oneAtATime(() => addMissing(list))
      return list
    },

    /**
     * Makes the database and the journal agree: erases again the users that an older database brought back, adds erasures
     * missing in the journal, and finishes interrupted ones. Returns how many were erased again. For every start, and for a
     * restored backup.
     */
    replay: () =>
      oneAtATime(async () => {
        const toErase = await completeJournal()
        let count = 0
        for (const [userId, at] of toErase)
          // Users who registered after the older database was made are not in it.
          if (await store.begin(userId, at, audit.entry('erase_again', null, userId), webhooksOf(userId))) count++
        const unfinished = await store.unfinished()
        for (const erasure of unfinished) await clear(erasure)
        if (unfinished.length > 0) await store.emptyLog()
        return count
      }),

    /** Adds the erasures of other nodes to the journal, and returns all that it has then. */
    completeJournal: (): Promise<Map<string, number>> =>
      oneAtATime(async () => {
        await completeJournal()
        return journal.read()
      }),

    /**
     * Removes data of recently erased users that concurrent requests have stored since, and old pages in the log. Returns
     * the number of rows removed.
     */
    async sweepRecent() {
      const unfinished = new Set((await store.unfinished()).map(({ user_id }) => user_id))
      const erased = await store.erasedSince(now() - recentMs)
      let removed = 0
      for (const erasure of erased) if (!unfinished.has(erasure.user_id)) removed += await clear(erasure)
      // The log may also hold what retention has removed.
      await store.emptyLog()
      return removed
    },
  }
}
