import { setImmediate } from 'node:timers/promises'
import type { Push, SocketControl } from '../../realtime/events.ts'
import type { Audit } from '../audit/service.ts'
import type { Confirmation } from '../auth/proofs.ts'
import type { Auth } from '../auth/service.ts'
import type { Caller, Callers } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import type { AccountMails } from '../email/account-mails.ts'
import type { ChatViews } from '../chats/views.ts'
import type { Erasures } from './erasures.ts'
import type { Exporter } from './export.ts'
import type { Cleared, Erasure } from './store.ts'

export type Account = ReturnType<typeof accountService>

type Deps = {
  erasures: Pick<Erasures, 'begin' | 'finish' | 'unfinished'>
  exporter: Exporter
  auth: Pick<Auth, 'confirmOwner'>
  mails: Pick<AccountMails, 'about' | 'wake'>
  callers: Pick<Callers, 'forget'>
  sockets: Pick<SocketControl, 'end'>
  chats: Pick<ChatViews, 'chatsOf'>
  push: Push
  audit: Audit
  now: () => number
}

/** Exports and erases everything that is stored about a user. */
export function accountService({ erasures, exporter, auth, mails, callers, sockets, chats, push, audit, now }: Deps) {
  /** Tells the other member of each chat, in one event, that the user and all their messages are gone. */
  async function tellOthers(events: Cleared['chats']) {
    const at = now()
    for (const { chat_id, user_id, seq } of events) {
      const isHere = push.isConnected(user_id)
      const data = isHere ? (await chats.chatsOf(user_id, [chat_id])).get(chat_id) : undefined
      push.event('chat', at, [{ user_id, seq }], () => data)
      // SQLite answers synchronously: without this, a user with hundreds of chats would block the event loop.
      if (isHere) await setImmediate()
    }
  }

  async function finish(erasure: Erasure): Promise<number> {
    const forgotten = callers.forget(erasure.user_id)
    sockets.end(erasure.user_id, 'erased')
    await forgotten
    return erasures.finish(erasure, tellOthers)
  }

  return {
    /** Erases the caller, at once and for good. Refuses if the confirmation fails: see `confirmOwner`. */
    async erase(caller: Caller, confirmation: Confirmation, client: Client): Promise<void> {
      await auth.confirmOwner(caller, confirmation, client)
      const notice = await mails.about(caller.id, { about: 'account_erased' })
      const erasure = await erasures.begin(caller.id, caller.id, notice)
      mails.wake()
      // Null: a concurrent request has already begun the erasure.
      if (erasure) await finish(erasure)
    },

    /** Finishes erasures that were interrupted or begun by the operator's command. Returns the number of rows removed. */
    async finishErasures(): Promise<number> {
      let rows = 0
      for (const erasure of await erasures.unfinished()) rows += await finish(erasure)
      return rows
    },

    /** Everything that is stored about the caller, as JSON. Of others, only their names and what they sent to the caller. */
    async export(caller: Caller) {
      await audit.record('export', caller.id, caller.id)
      return exporter.export(caller)
    },

    /** The same for the operator, about a user who cannot log in. */
    async exportOf(userId: string) {
      await audit.record('export', null, userId)
      const caller: Caller = {
        id: userId,
        session_id: '',
        consents_missing: [],
        has_unverified_email: false,
        passkey_at: null,
        token_expires_at: 0,
      }
      return exporter.export(caller)
    },
  }
}
