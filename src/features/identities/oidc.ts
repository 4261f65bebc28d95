import type { Ids } from '../../lib/ids.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import type { Seal } from '../../lib/seal.ts'
import { minutes } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller } from '../auth/callers.ts'
import { type Client, type ConsentChoices, registrationConsents } from '../auth/consents.ts'
import type { Auth } from '../auth/service.ts'
import type { AccountMails } from '../email/account-mails.ts'
import type { Claims } from './claims.ts'
import type { Errand, Providers } from './providers.ts'
import { returnTarget } from './rules.ts'
import type { Identities } from './service.ts'
import type { IdentityStore, Subject } from './store.ts'

export type OidcLogin = ReturnType<typeof oidcLogin>

/** How long a browser may take at the provider. */
export const errandMs = 10 * minutes

type Deps = {
  providers: Providers
  store: Pick<IdentityStore, 'find'>
  identities: Pick<Identities, 'linkSubject'>
  auth: Pick<Auth, 'registerSubject' | 'signInBy'>
  mails: Pick<AccountMails, 'to' | 'isOn' | 'wake'>
  /** Seals what a browser keeps while it is at the provider. */
  errands: Seal
  /** Seals refresh tokens, which the database holds. */
  grants: Pick<Seal, 'seal'>
  publicUrl: string | null
  corsOrigins: readonly string[]
  audit: Pick<Audit, 'entry'>
  ids: Pick<Ids, 'random'>
  now: () => number
}

type NativeLogin = {
  id_token: string
  nonce?: string | null
  code?: string | null
  consents?: unknown
  invite?: string | null
}

/** What a browser keeps while it is at the provider. */
type Kept = Errand & { provider: string; return_to: string; invite?: string; until: number }

/** Signing in by OpenID Connect: native apps bring an id token, browsers are sent to the provider and come back. */
export function oidcLogin(deps: Deps) {
  const { providers, store, identities, auth, mails, errands, grants, publicUrl, audit, ids, now } = deps

  function subjectOf(provider: string, { subject, client_id }: Claims, refreshToken: string | null): Subject {
    const grant = refreshToken === null ? null : { client_id, token: grants.seal(refreshToken) }
    return { id: ids.random(), provider, issuer: providers.issuerOf(provider), subject, grant }
  }

  /** The account that the subject signs in to; null where there is none. */
  async function find(subject: Subject, { email }: Claims) {
    const label = providers.labelOf(subject.provider)
    const found = await store.find(subject, email, now(), (to) => ({
      audit: audit.entry('identity_added', to.user_id, to.user_id, { kind: 'oidc', provider: subject.provider }),
      mails: mails.isOn ? [mails.to(to, { about: 'way_in_added', label })] : [],
    }))
    mails.wake()
    return found
  }

  /**
   * Signs in to the account of a subject: the one that it is linked with, the one whose verified address the provider
   * vouches for too, or a new one. `consentsOf` gives what a new one agrees to, or refuses.
   */
  async function signIn(
    subject: Subject,
    claims: Claims,
    consentsOf: () => ConsentChoices,
    invite: string | null,
    client: Client,
  ) {
    const known = await find(subject, claims)
    if (known !== null) {
      const session = await auth.signInBy(
        { kind: 'oidc', identity_id: known.identity_id },
        { user_id: known.user_id, created: false },
        client,
      )
      return { ...session, created: false }
    }
    const { name, email } = claims
    const made = await auth.registerSubject(subject, { name, email, invite }, consentsOf(), client)
    // Null: another request of theirs was faster, and made it.
    const account = made ?? (await find(subject, claims))
    if (account === null) throw new Error('a subject is linked with no account, and yet is taken')
    const created = made !== null
    const { user_id, identity_id } = account
    const session = await auth.signInBy({ kind: 'oidc', identity_id }, { user_id, created }, client)
    return { ...session, created }
  }

  const callbackOf = (provider: string) => `${publicUrl}/api/v1/auth/oidc/${provider}/callback`

  function read(sealed: string | null, provider: string): Kept | null {
    const text = sealed === null ? null : errands.open(sealed)
    const kept = text === null ? null : (JSON.parse(text) as Kept)
    return kept !== null && kept.provider === provider && now() < kept.until ? kept : null
  }

  /** Where a browser goes with a refusal. Throws what is none. */
  function backWith(error: unknown, returnTo: string): string {
    if (!(error instanceof Refusal)) throw error
    const url = new URL(returnTo)
    url.hash = new URLSearchParams({ error: error.code }).toString()
    return url.href
  }

  return {
    list: providers.list,

    /** Refuses with 401 `id_token_invalid`, and a first login without consents with 422 `consents_required`. */
    async native(provider: string, body: NativeLogin, client: Client) {
      const claims = await providers.verify(provider, body.id_token, body.nonce ?? null)
      const refreshToken = body.code == null ? null : await providers.redeem(provider, body.code, claims)
      const subject = subjectOf(provider, claims, refreshToken)
      return signIn(subject, claims, () => registrationConsents(body.consents), body.invite ?? null, client)
    },

    /** Lets the caller sign in with that subject too. */
    async link(
      caller: Caller,
      provider: string,
      body: { id_token: string; nonce?: string | null; code?: string | null },
    ) {
      const claims = await providers.verify(provider, body.id_token, body.nonce ?? null)
      const refreshToken = body.code == null ? null : await providers.redeem(provider, body.code, claims)
      return identities.linkSubject(caller, subjectOf(provider, claims, refreshToken))
    },

    /** Sends a browser to the provider. `kept` is what it has to bring back; null where the provider is away. */
    async start(provider: string, { return_to: returnTo, invite }: { return_to?: string; invite?: string }) {
      const isPosted = providers.postsForms(provider)
      if (publicUrl === null)
        throw new Refusal('provider_not_configured', 'This server has no PUBLIC_URL, to which a provider could answer.')
      const target = returnTarget(returnTo ?? '/', publicUrl, deps.corsOrigins)
      if (target === null)
        throw invalid('/return_to', 'Expected an address on this server, or on a listed origin', 'not_allowed')
      try {
        const { url, errand } = await providers.begin(provider, callbackOf(provider))
        const kept: Kept = { ...errand, provider, return_to: target, invite, until: now() + errandMs }
        return { location: url.href, kept: errands.seal(JSON.stringify(kept)), isPosted }
      } catch (error) {
        return { location: backWith(error, target), kept: null, isPosted }
      }
    },

    /** A browser comes back. The answer is where it goes on to, with its session, or with the code of a refusal. */
    async callback(provider: string, answer: URLSearchParams, sealed: string | null, client: Client) {
      const isPosted = providers.postsForms(provider)
      if (publicUrl === null) throw new Refusal('provider_not_configured', 'This server has no PUBLIC_URL.')
      const kept = read(sealed, provider)
      try {
        if (kept === null)
          throw new Refusal('id_token_invalid', 'This browser was not sent to the provider, or too long ago.')
        const { claims, refresh_token } = await providers.finish(provider, callbackOf(provider), answer, kept)
        const subject = subjectOf(provider, claims, refresh_token)
        // Made without consents, an account is hidden until they are given.
        const session = await signIn(subject, claims, () => ({}), kept.invite ?? null, client)
        return { location: kept.return_to, session, isPosted }
      } catch (error) {
        return { location: backWith(error, kept?.return_to ?? `${publicUrl}/`), session: null, isPosted }
      }
    },
  }
}
