import type { Providers } from '../../features/identities/providers.ts'
import type { Seal } from '../../lib/seal.ts'
import { type Carrier, patienceOf, Undeliverable } from '../carrier.ts'

/** A grant that a user gave this server at a provider. It is revoked when the account or the identity is removed. */
export type GrantToRevoke = {
  provider: string
  client_id: string
  /** The refresh token, sealed. */
  token: string
}

/** Revokes grants at their providers. */
export function revocationCarrier(
  providers: Pick<Providers, 'revoke'>,
  grants: Pick<Seal, 'open'>,
): Carrier<'oidc_revoke'> {
  return {
    atOnce: 2,
    patienceMs: patienceOf.oidc_revoke,
    async deliver({ payload: { provider, client_id, token } }) {
      const refreshToken = grants.open(token)
      if (refreshToken === null) throw new Undeliverable('it was sealed with another JWT_SECRET')
      if (!(await providers.revoke(provider, client_id, refreshToken)))
        throw new Undeliverable('the provider is not configured any more, or revokes nothing')
    },
  }
}
