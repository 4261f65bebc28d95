import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { Refusal } from '../../lib/refusal.ts'
import { type Mail, type MailContent, mailLanguageOf } from '../../outbox/mail/mails.ts'
import type { NewParcel } from '../../outbox/store.ts'
import type { Addressee, EmailStore } from './store.ts'

export type AccountMails = ReturnType<typeof accountMails>

type Deps = {
  store: Pick<EmailStore, 'ofUser'>
  /** Whether this server sends mail. */
  isOn: boolean
  /** Tells the outbox that a mail was committed. */
  wake(): void
  limits: Pick<Limits, 'take'>
  ids: Ids
  now: () => number
}

/** Makes the mails to users about their accounts, for the transaction that causes them. */
export function accountMails({ store, isOn, wake, limits, ids, now }: Deps) {
  const to = ({ user_id, email, language }: Omit<Addressee, 'email_verified_at'>, content: MailContent) => {
    const payload: Mail = { to: email, language: mailLanguageOf(language), ...content }
    const at = now()
    // The mail about an erasure has to outlive the account.
    const owner = content.about === 'account_erased' ? null : user_id
    const parcel: NewParcel<'mail'> = {
      id: ids.next(),
      kind: 'mail',
      user_id: owner,
      payload,
      created_at: at,
      due_at: at,
    }
    return parcel
  }

  /**
   * Counts a mail to an address that may be a stranger's, and answers whether it may be sent: accounts must not fill the mailbox
   * of somebody who never asked for one.
   */
  async function mayReach(email: string): Promise<boolean> {
    try {
      await limits.take('mail_to', email)
      return true
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limited') return false
      throw error
    }
  }

  return {
    isOn,
    wake,
    to,
    mayReach,

    /** A mail to the account's address; none if there is no address, or this server sends no mail. */
    async about(userId: string, content: MailContent): Promise<NewParcel<'mail'>[]> {
      const addressee = isOn ? await store.ofUser(userId) : null
      if (addressee === null) return []
      // Mails about new devices, which have a limit of their own, are made for each login and seldom sent.
      const isCounted = addressee.email_verified_at === null && content.about !== 'new_device'
      return isCounted && !(await mayReach(addressee.email)) ? [] : [to(addressee, content)]
    },
  }
}
