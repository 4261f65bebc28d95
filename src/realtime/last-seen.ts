import type { Logger } from 'pino'
import { minutes, seconds } from '../lib/time.ts'
import type { LastSeenStore } from './store.ts'

export type LastSeen = ReturnType<typeof openLastSeen>

const writeEveryMs = 1 * seconds
/** The shortest interval between writes for one user, so that frequent reconnections cost no more. */
const userEveryMs = 1 * minutes
const retryAfterMs = 1 * minutes
// Users in one statement.
const atOnce = 500

/**
 * When users of this node last had a socket. Recorded when they connect, renew their token and disconnect, and written in
 * batches, at most once a minute for each user. Other nodes, and a restart after a crash, may see times a minute old.
 */
export function openLastSeen({ store, log, now }: { store: LastSeenStore; log: Logger; now: () => number }) {
  /** Times that are not in storage yet. */
  const unwritten = new Map<string, number>()
  /** When a user's time was written, oldest first. */
  const writtenAt = new Map<string, number>()
  let timer: Timer | null = null
  let closed = false

  function later(ms: number) {
    if (!closed) timer ??= setTimeout(writeDue, ms).unref()
  }

  /** Whether less than `ms` have passed; false if the clock was set back. */
  const isWithin = (at: number, ms: number) => now() - at < ms && now() >= at

  async function writeDue() {
    timer = null
    for (const [userId, at] of writtenAt) {
      if (isWithin(at, userEveryMs)) break
      writtenAt.delete(userId)
    }
    try {
      await write([...unwritten.keys()].filter((userId) => !writtenAt.has(userId)))
      if (unwritten.size > 0) later(writeEveryMs)
    } catch (error) {
      log.warn({ err: error }, 'could not write when users were last seen: retrying in a minute')
      later(retryAfterMs)
    }
  }

  async function write(userIds: readonly string[]) {
    for (let i = 0; i < userIds.length; i += atOnce) {
      const seen = userIds.slice(i, i + atOnce).flatMap((user_id) => {
        const at = unwritten.get(user_id)
        return at === undefined ? [] : { user_id, at }
      })
      if (seen.length === 0) continue
      await store.note(seen)
      for (const { user_id, at } of seen) {
        if (unwritten.get(user_id) === at) unwritten.delete(user_id)
        writtenAt.delete(user_id)
        writtenAt.set(user_id, now())
      }
    }
  }

  return {
    /** A user has a socket now. */
    note(userId: string) {
      unwritten.set(userId, now())
      later(writeEveryMs)
    },

    /** Writes nothing more about a user whose account is erased. */
    forget(userId: string) {
      unwritten.delete(userId)
      writtenAt.delete(userId)
    },

    /** When these users last had a socket. Users who never had one, or are erased, are missing. */
    async of(userIds: readonly string[]): Promise<Map<string, number>> {
      const stored = new Map<string, number>()
      for (let i = 0; i < userIds.length; i += atOnce)
        for (const [userId, at] of await store.of(userIds.slice(i, i + atOnce))) stored.set(userId, at)
      for (const userId of userIds) {
        const at = unwritten.get(userId)
        if (at !== undefined) stored.set(userId, Math.max(at, stored.get(userId) ?? 0))
      }
      return stored
    },

    /** Writes the rest before the process ends. */
    async close() {
      closed = true
      if (timer) clearTimeout(timer)
      try {
        await write([...unwritten.keys()])
      } catch (error) {
        log.warn({ err: error }, 'could not write when users were last seen')
      }
    },
  }
}
