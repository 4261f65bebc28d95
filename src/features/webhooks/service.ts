import type { Ids } from '../../lib/ids.ts'
import type { NewParcel } from '../../outbox/store.ts'
import type { Webhook, WebhookData, WebhookType } from '../../outbox/webhook/webhooks.ts'

export type Webhooks = ReturnType<typeof webhookService>

type Deps = {
  /** Whether the operator wants webhooks. */
  isOn: boolean
  ids: Ids
  now: () => number
}

/** Makes the webhooks that go with a change, for the transaction that stores it. Makes none if they are off. */
export function webhookService({ isOn, ids, now }: Deps) {
  return {
    /** Webhooks with the same `orderedBy`, the id of a user or another object, arrive in order. */
    about<T extends WebhookType>(about: T, orderedBy: string, data: WebhookData[T]): NewParcel<'webhook'>[] {
      if (!isOn) return []
      const at = now()
      const payload = { about, data } as Webhook // TypeScript loses the connection between a generic type and its data
      // Without `user_id`, so that webhooks about a user, such as their erasure, outlive the account.
      return [
        { id: ids.next(), kind: 'webhook', user_id: null, payload, created_at: at, due_at: at, ordered_by: orderedBy },
      ]
    },
  }
}
