import { minutes } from '../../lib/time.ts'
import type { Carrier } from '../../outbox/carrier.ts'
import { hashOfToken, tokenOfLink } from '../../outbox/mail/links.ts'
import type { EmailStore } from './store.ts'

type Deps = { store: Pick<EmailStore, 'isGood'>; linkKey: Uint8Array; now: () => number }

// Of several mails that are asked for one after another, each is sent as long as the mail server is there.
const soonMs = minutes

/**
 * Sends no mail whose link has ended while it waited, for example because the mail server was away: a link for a new password
 * is valid for an hour, and ends the one before it.
 */
export const withLiveLinks = (carrier: Carrier<'mail'>, { store, linkKey, now }: Deps): Carrier<'mail'> => ({
  ...carrier,
  async deliver(parcel) {
    const { payload, created_at } = parcel
    const isLive =
      !('link' in payload) ||
      now() - created_at < soonMs ||
      (await store.isGood(hashOfToken(tokenOfLink(linkKey, payload.link)), now()))
    return isLive ? carrier.deliver(parcel) : 'withheld'
  },
})
