import type { Carrier } from '../../outbox/carrier.ts'
import { hashOfToken, tokenOfLink } from '../../outbox/mail/links.ts'
import type { EmailStore } from './store.ts'

type Deps = { store: Pick<EmailStore, 'isGood'>; linkKey: Uint8Array; now: () => number }

/**
 * Sends no mail whose link has ended while it waited, for example because the mail server was away: a link for a new password
 * is valid for an hour, and ends the one before it.
 */
export const withLiveLinks = (carrier: Carrier<'mail'>, { store, linkKey, now }: Deps): Carrier<'mail'> => ({
  ...carrier,
  async deliver(parcel) {
    const { payload } = parcel
    const isLive = !('link' in payload) || (await store.isGood(hashOfToken(tokenOfLink(linkKey, payload.link)), now()))
    return isLive ? carrier.deliver(parcel) : 'withheld'
  },
})
