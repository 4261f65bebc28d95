import type { Ids } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import { tidyLabel } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller, Callers } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import type { Auth } from '../auth/service.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { AccountMails } from '../email/account-mails.ts'
import type { Profiles } from '../profile/service.ts'
import type { Challenges, Purpose } from './challenges.ts'
import type { RelyingParty } from './relying-party.ts'
import { hasRoomForPasskey, mostPasskeys } from './rules.ts'
import type { SecondFactor } from './second-factor.ts'
import type { Passkey, PasskeyStore, PasskeyUse } from './store.ts'
import {
  type Assertion,
  clientDataOf,
  creationOptions,
  dummyPublicKey,
  type Registration,
  requestOptions,
  verifiedAssertion,
  verifiedRegistration,
} from './webauthn.ts'

export type Passkeys = ReturnType<typeof passkeyService>

type Deps = {
  store: PasskeyStore
  auth: Pick<Auth, 'signInByPasskey' | 'confirmRecently'>
  callers: Pick<Callers, 'forget'>
  profiles: Pick<Profiles, 'me'>
  mails: AccountMails
  audit: Audit
  challenges: Challenges
  relyingParty: RelyingParty
  secondFactor: SecondFactor
  ids: Ids
  now: () => number
}

/** Passkeys: adding them to an account, signing in with them, and confirming a session. */
export function passkeyService(deps: Deps) {
  const { store, auth, callers, profiles, mails, audit, challenges, relyingParty, secondFactor, ids, now } = deps
  const dummyKey = dummyPublicKey()

  /** The challenge that a credential answers; null unless it is a genuine one for that purpose and our page sent the answer. */
  function answeredChallenge(clientDataJSON: string, purpose: Purpose) {
    const clientData = clientDataOf(clientDataJSON)
    const challenge = clientData && challenges.open(clientData.challenge, purpose)
    if (!challenge || !relyingParty.hasOrigin(clientData.origin)) return null
    return { challenge, expected: { ...clientData, rpId: relyingParty.id } }
  }

  /** The passkey of a credential, and its verified use. The store still has to check the challenge and the counter. */
  async function verify(credential: Assertion): Promise<{ passkey: Passkey | null; use: PasskeyUse | null }> {
    const answer = answeredChallenge(credential.response.clientDataJSON, 'show')
    if (!answer) return { passkey: null, use: null }
    const passkey = await store.byCredential(credential.id)
    const counter = await verifiedAssertion(credential, passkey?.public_key ?? dummyKey, answer.expected)
    const isOwners = passkey !== null && isHandleOf(passkey.user_id, credential.response.userHandle)
    if (counter === null || !isOwners) return { passkey, use: null }
    return { passkey, use: { passkey_id: passkey.id, counter, challenge: answer.challenge } }
  }

  return {
    /** The options with which a browser asks for a passkey, to sign in or to confirm a session. */
    options() {
      return { options: requestOptions(challenges.make('show'), relyingParty.id) }
    },

    /** Refuses every fault alike, with 401 `passkey_invalid`, and a suspended user with 403. */
    async signIn(credential: Assertion, client: Client) {
      const { passkey, use } = await verify(credential)
      const session = passkey && use && (await auth.signInByPasskey(passkey.user_id, use, client))
      if (session) return session
      await audit.fold('login_failed', null, passkey?.user_id ?? null, { by: 'passkey' })
      throw passkeyInvalid()
    },

    /** Confirms this session with a passkey of its owner. Refuses with 401 `passkey_invalid`. */
    async confirm(caller: Caller, credential: Assertion): Promise<void> {
      const { passkey, use } = await verify(credential)
      const session = { id: caller.session_id, user_id: caller.id }
      const entry = audit.entry('passkey_confirmed', caller.id, caller.session_id)
      if (passkey?.user_id !== caller.id || !use || !(await store.confirm(session, use, now(), entry))) {
        await audit.fold('passkey_refused', caller.id, caller.id)
        throw passkeyInvalid()
      }
      await callers.forget(caller.id)
    },

    /**
     * The options with which a browser creates a passkey. A passkey gives lasting access, so it needs a recent login or passkey,
     * or the password: 403 `forbidden` or `wrong_password`. Staff who need a passkey and have one must confirm with it first:
     * 403 `second_factor_required`. 409 `conflict` if the account has too many.
     */
    async creationOptions(caller: Caller, { password }: { password?: string | null }, client: Client) {
      const known = await store.ofUser(caller.id)
      const { name, email, phone, role } = await profiles.me(caller.id)
      if (known.length > 0) secondFactor.require(caller, role)
      await auth.confirmRecently(caller, password, client)
      if (!hasRoomForPasskey(known.length)) throw tooMany()
      const options = creationOptions({
        challenge: challenges.make({ addIn: caller.session_id }),
        rp: relyingParty,
        user: {
          handle: handleOf(caller.id),
          name: email ?? phone ?? name ?? relyingParty.name,
          displayName: name ?? '',
        },
        known,
      })
      return { options }
    },

    /** Staff who need a passkey must confirm with one before they remove one. Otherwise the password alone could replace it. */
    async refuseRemoval(caller: Caller): Promise<void> {
      secondFactor.require(caller, (await profiles.me(caller.id)).role)
    },

    /** Refuses with 401 `passkey_invalid`, 409 `identity_taken`, or 409 `conflict` if the account has too many. */
    async add(caller: Caller, { label, credential }: { label: string; credential: Registration }) {
      const answer = answeredChallenge(credential.response.clientDataJSON, { addIn: caller.session_id })
      const made = answer && (await verifiedRegistration(credential, answer.expected))
      if (!made) throw passkeyInvalid()
      const passkey: Passkey = {
        id: ids.next(),
        user_id: caller.id,
        ...made,
        transports: credential.response.transports ?? [],
        label: tidyLabel(label),
        created_at: now(),
        last_used_at: null,
      }
      const outcome = await store.add(passkey, {
        session_id: caller.session_id,
        challenge: answer.challenge,
        audit: audit.entry('passkey_added', caller.id, passkey.id),
        mails: await mails.about(caller.id, { about: 'way_in_added', kind: 'passkey', label: passkey.label }),
      })
      if (outcome === null) throw notSignedIn()
      if (outcome === 'challenge_used') throw passkeyInvalid()
      if (outcome === 'taken') throw new Refusal('identity_taken', 'This passkey was added before.')
      if (outcome === 'too_many') throw tooMany()
      mails.wake()
      return view(passkey)
    },
  }
}

const view = ({ id, label, created_at, last_used_at }: Passkey) => ({
  id,
  kind: 'passkey' as const,
  provider: null,
  label,
  created_at: iso(created_at),
  last_used_at: isoOrNull(last_used_at),
})

/** The user handle that authenticators store: the bytes of the account's id, which reveal nothing about the person. */
const handleOf = (userId: string) => new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex'))

const isHandleOf = (userId: string, handle: string | null | undefined) =>
  handle != null && Buffer.from(handle, 'base64url').equals(handleOf(userId))

const passkeyInvalid = () =>
  new Refusal('passkey_invalid', 'This passkey was not accepted: ask for new options, and try again.')

const tooMany = () => new Refusal('conflict', `An account has up to ${mostPasskeys} passkeys: remove one first.`)
