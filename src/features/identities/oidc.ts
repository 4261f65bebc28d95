import type { Ids } from '../../lib/ids.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import type { Seal } from '../../lib/seal.ts'
import { minutes } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller, Callers } from '../auth/callers.ts'
import { type Client, type ConsentChoices, registrationConsents } from '../auth/consents.ts'
import type { Auth } from '../auth/service.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { AccountMails } from '../email/account-mails.ts'
import type { Maintenance } from '../maintenance/rules.ts'
import type { Registration } from '../registration/service.ts'
import type { Claims } from './claims.ts'
import type { Providers } from './providers.ts'
import { returnTarget } from './rules.ts'
import type { Identities } from './service.ts'
import type { IdentityStore, Subject } from './store.ts'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

export type OidcLogin = ReturnType<typeof oidcLogin>

/** How long a user may stay at the provider. */
const errandMs = 10 * minutes

type Deps = {
  providers: Providers
  store: Pick<IdentityStore, 'isKnown' | 'find'>
  identities: Pick<Identities, 'linkSubject'>
  callers: Pick<Callers, 'accessState'>
  auth: Pick<Auth, 'registerSubject' | 'signInBy' | 'confirmRecently'>
  registration: Pick<Registration, 'admit'>
  mails: Pick<AccountMails, 'to' | 'isOn' | 'wake'>
  /** Seals the state that a browser keeps while it is at the provider. */
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
  birth_date?: string | null
}

/** The account to link. Its session must not end before the browser comes back. */
const linking = Type.Object({ user_id: Type.String(), session_id: Type.String() })
type Linking = Static<typeof linking>

/** The state that the browser keeps while the user is at the provider. With `link`, it links an account and does not sign in. */
const keptErrand = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  provider: Type.String(),
  return_to: Type.String(),
  invite: Type.Optional(Type.String()),
  birth_date: Type.Optional(Type.String()),
  link: Type.Optional(linking),
  until: Type.Number(),
})
type Kept = Static<typeof keptErrand>

/** Sign-in with OpenID Connect: native apps send an id token, browsers are redirected to the provider and back. */
export function oidcLogin(deps: Deps) {
  const { providers, store, identities, callers, auth, registration, mails, errands, grants } = deps
  const { publicUrl, audit, ids, now } = deps

  function subjectOf(provider: string, { subject, client_id }: Claims, refreshToken: string | null): Subject {
    const grant = refreshToken === null ? null : { client_id, token: grants.seal(refreshToken) }
    return { id: ids.random(), provider, issuer: providers.issuerOf(provider), subject, grant }
  }

  /** The subject's account; null if there is none. */
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
   * Signs in to the account of a subject: the one that it is linked with, the one with the same verified address, or a new
   * one. `consentsOf` returns the consents of a new one, or refuses.
   */
  async function signIn(
    subject: Subject,
    claims: Claims,
    consentsOf: () => ConsentChoices,
    { invite, birth_date }: Pick<NativeLogin, 'invite' | 'birth_date'>,
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
    const made = await auth.registerSubject(
      subject,
      { name, email, invite: invite ?? null, birth_date: birth_date ?? null },
      consentsOf(),
      client,
    )
    // Null: a concurrent request has created the account.
    const account = made ?? (await find(subject, claims))
    if (account === null) throw new Error('the subject is taken but not linked with an account')
    const created = made !== null
    const { user_id, identity_id } = account
    const session = await auth.signInBy({ kind: 'oidc', identity_id }, { user_id, created }, client)
    return { ...session, created }
  }

  const callbackOf = (provider: string) => `${publicUrl}/api/v1/auth/oidc/${provider}/callback`

  function read(sealed: string | null, provider: string): Kept | null {
    const text = sealed === null ? null : errands.open(sealed)
    const kept: unknown = text === null ? null : JSON.parse(text)
    return Value.Check(keptErrand, kept) && kept.provider === provider && now() < kept.until ? kept : null
  }

  /** Checks that the redirect is possible. `target` is the absolute address to return to. */
  function prepare(provider: string, returnTo: string | undefined) {
    const isPosted = providers.postsForms(provider)
    if (publicUrl === null)
      throw new Refusal('provider_not_configured', 'This server has no PUBLIC_URL, to which a provider could answer.')
    const target = returnTarget(returnTo ?? '/', publicUrl, deps.corsOrigins)
    if (target === null)
      throw invalid(
        '/return_to',
        'Expected an address on this server or a listed origin, of up to 2,000 characters once encoded',
        'not_allowed',
      )
    return { isPosted, target }
  }

  async function begin(provider: string, more: Pick<Kept, 'return_to' | 'invite' | 'birth_date' | 'link'>) {
    const { url, errand } = await providers.begin(provider, callbackOf(provider))
    const kept: Kept = { ...errand, provider, ...more, until: now() + errandMs }
    return { location: url.href, kept: errands.seal(JSON.stringify(kept)) }
  }

  /** Links a subject to the account that started the redirect, if its session still lasts. */
  async function link(by: Linking, subject: Subject) {
    const state = (await callers.accessState([by])).get(by.session_id)
    if (state === 'suspended') throw new Refusal('suspended', 'This account is suspended.')
    if (state === 'ended') throw notSignedIn()
    await identities.linkSubject({ id: by.user_id, session_id: by.session_id }, subject)
  }

  /** The gate for writes lets these redirects pass, because a browser needs an address to go to. */
  function refuseDuring(maintenance: Maintenance | null): void {
    if (maintenance !== null) throw new Refusal('maintenance', maintenance.text)
  }

  /** The address to redirect a browser to with a refusal. Rethrows any other error. */
  function backWith(error: unknown, returnTo: string): string {
    if (!(error instanceof Refusal)) throw error
    const url = new URL(returnTo)
    url.hash = new URLSearchParams({ error: error.code }).toString()
    return url.href
  }

  return {
    list: providers.list,

    /**
     * Refuses a bad token with 401 `id_token_invalid`. Refuses a first login without consents with 422 `consents_required`, and
     * otherwise for the same reasons as a registration.
     */
    async native(provider: string, body: NativeLogin, client: Client) {
      const claims = await providers.verify(provider, body.id_token, body.nonce ?? null)
      // Apple's code works once, so whatever may refuse a new account comes first: the next attempt has the same code.
      if (body.code != null && !(await store.isKnown(subjectOf(provider, claims, null), claims.email))) {
        registrationConsents(body.consents)
        await registration.admit(body.invite, body.birth_date, client)
      }
      const refreshToken = body.code == null ? null : await providers.redeem(provider, body.code, claims)
      const subject = subjectOf(provider, claims, refreshToken)
      return signIn(subject, claims, () => registrationConsents(body.consents), body, client)
    },

    /**
     * Lets the caller sign in with that subject too. That gives lasting access, so it needs a recent login or the password: 403
     * `forbidden` or `wrong_password`.
     */
    async link(
      caller: Caller,
      provider: string,
      body: { id_token: string; nonce?: string | null; code?: string | null; password?: string | null },
      client: Client,
    ) {
      await auth.confirmRecently(caller, body.password, client)
      const claims = await providers.verify(provider, body.id_token, body.nonce ?? null)
      const refreshToken = body.code == null ? null : await providers.redeem(provider, body.code, claims)
      return identities.linkSubject(caller, subjectOf(provider, claims, refreshToken))
    },

    /** Sends a browser to the provider. `kept` is its sealed state; null if the provider is away. */
    async start(
      provider: string,
      { return_to: returnTo, invite }: { return_to?: string; invite?: string },
      maintenance: Maintenance | null,
    ) {
      const { isPosted, target } = prepare(provider, returnTo)
      try {
        refuseDuring(maintenance)
        return { ...(await begin(provider, { return_to: target, invite })), isPosted }
      } catch (error) {
        return { location: backWith(error, target), kept: null, isPosted }
      }
    },

    /**
     * The same for a page, which keeps the date of birth out of the address by sealing it into the cookie. Refuses if the
     * provider is away.
     */
    async startBySignUp(
      provider: string,
      {
        return_to: returnTo,
        invite,
        birth_date,
      }: Pick<NativeLogin, 'invite' | 'birth_date'> & { return_to?: string | null },
    ) {
      const { isPosted, target } = prepare(provider, returnTo ?? undefined)
      const more = { invite: invite ?? undefined, birth_date: birth_date ?? undefined }
      return { ...(await begin(provider, { return_to: target, ...more })), isPosted }
    },

    /** The same to link the caller's account, after a confirmation as for `link`. Refuses if the provider is away. */
    async startLink(
      caller: Caller,
      provider: string,
      { return_to: returnTo, password }: { return_to?: string | null; password?: string | null },
      client: Client,
    ) {
      const { isPosted, target } = prepare(provider, returnTo ?? undefined)
      await auth.confirmRecently(caller, password, client)
      const link = { user_id: caller.id, session_id: caller.session_id }
      return { ...(await begin(provider, { return_to: target, link })), isPosted }
    },

    /** Handles the redirect back. Returns the address to redirect to, with a session or the code of a refusal. */
    async callback(
      provider: string,
      answer: URLSearchParams,
      sealed: string | null,
      client: Client,
      maintenance: Maintenance | null,
    ) {
      const isPosted = providers.postsForms(provider)
      if (publicUrl === null) throw new Refusal('provider_not_configured', 'This server has no PUBLIC_URL.')
      const kept = read(sealed, provider)
      try {
        refuseDuring(maintenance)
        if (kept === null)
          throw new Refusal('id_token_invalid', 'This browser was not sent to the provider, or too long ago.')
        const { claims, refresh_token } = await providers.finish(provider, callbackOf(provider), answer, kept)
        const subject = subjectOf(provider, claims, refresh_token)
        if (kept.link) {
          await link(kept.link, subject)
          return { location: kept.return_to, session: null, isPosted }
        }
        // An account without consents is hidden until they are given.
        const session = await signIn(subject, claims, () => ({}), kept, client)
        return { location: kept.return_to, session, isPosted }
      } catch (error) {
        return { location: backWith(error, kept?.return_to ?? `${publicUrl}/`), session: null, isPosted }
      }
    },
  }
}
