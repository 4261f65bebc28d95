import type { Push, SocketControl } from '../../realtime/events.ts'
import type { Audit } from '../audit/service.ts'
import type { Auth } from '../auth/service.ts'
import type { Caller, Callers } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import type { Chats } from '../chats/service.ts'
import type { Erasures } from './erasures.ts'
import type { Exporter } from './export.ts'
import type { Erased } from './store.ts'

export type Account = ReturnType<typeof accountService>

type Deps = {
  erasures: Pick<Erasures, 'erase' | 'removeTraces'>
  exporter: Exporter
  auth: Pick<Auth, 'confirmPassword'>
  callers: Pick<Callers, 'forget'>
  sockets: Pick<SocketControl, 'endSession'>
  chats: Pick<Chats, 'chatsFor'>
  push: Push
  audit: Audit
  now: () => number
}

/** What users may do with all that is stored of them: take it with them, and have it erased. */
export function accountService({ erasures, exporter, auth, callers, sockets, chats, push, audit, now }: Deps) {
  /** One event for each chat says that its other side is gone, and with it whatever they wrote. */
  async function tellOthers(erased: Erased['chats']) {
    const at = now()
    for (const { chat_id, user_id, seq } of erased) {
      if (!push.isConnected(user_id)) continue
      const data = (await chats.chatsFor(user_id, [chat_id])).get(chat_id)
      push.events([{ user_id, seq, type: 'chat', at, data }])
    }
  }

  return {
    /** Erases the caller, at once and for good. Refuses with 403 `wrong_password` where the confirmation fails. */
    async erase(caller: Caller, password: string | undefined, client: Client): Promise<void> {
      await auth.confirmPassword(caller, password, client)
      const erased = await erasures.erase(caller.id)
      // Another request of theirs was faster.
      if (!erased) return
      callers.forget(caller.id)
      for (const sessionId of erased.session_ids) sockets.endSession(sessionId)
      await tellOthers(erased.chats)
      await erasures.removeTraces(erased.files)
    },

    /** All that is stored of the caller, and of others only what they sent to the caller, as JSON. */
    async export(caller: Caller) {
      await audit.record('export', caller.id, caller.id)
      return exporter.export(caller)
    },
  }
}
