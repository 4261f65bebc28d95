import type { Ids } from '../../lib/ids.ts'
import { mailLanguageOf } from '../../outbox/mail/mails.ts'
import { digestAfterMs, digestEveryMs } from './rules.ts'
import type { NotificationStore } from './store.ts'

type Deps = {
  store: Pick<NotificationStore, 'digests' | 'sendDigest'>
  /** Whether this server sends mail. */
  isOn: boolean
  wake(): void
  ids: Ids
  now: () => number
}

// Some milliseconds of work, so that requests can run in between.
const batch = 25

/** Sends a daily mail about long unread messages to users who have chosen it and have verified their address. */
export function openDigest({ store, isOn, wake, ids, now }: Deps) {
  return {
    /** Sends all digests that are due. Returns how many. */
    async send(): Promise<number> {
      if (!isOn) return 0
      const at = now()
      const lastBefore = at - digestEveryMs
      let sent = 0
      for (let after: string | null = ''; after !== null;) {
        const when = { now: at, unreadBefore: at - digestAfterMs, lastBefore }
        const { candidates, last } = await store.digests(when, after, batch)
        for (const { user_id, email, language, messages, chats } of candidates) {
          const to = { to: email, language: mailLanguageOf(language) }
          const payload = { ...to, about: 'digest' as const, user_id, messages, chats }
          const mail = { id: ids.next(), kind: 'mail' as const, user_id, payload, created_at: at, due_at: at }
          if (await store.sendDigest(user_id, at, lastBefore, mail)) sent++
        }
        after = last
      }
      if (sent > 0) wake()
      return sent
    },
  }
}
