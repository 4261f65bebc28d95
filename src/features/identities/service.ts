import type { Page, Paging } from '../../lib/paging.ts'
import { Refusal } from '../../lib/refusal.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { type Caller, type Callers, sessionOf } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import type { Auth } from '../auth/service.ts'
import type { BotPermissions } from '../bot/permissions.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { AccountMails } from '../email/account-mails.ts'
import type { Passkeys } from '../passkeys/service.ts'
import type { Configured } from './rules.ts'
import type { Providers } from './providers.ts'
import type { Identity, IdentityStore, Linked, Subject, ChangeRecords } from './store.ts'

export type Identities = ReturnType<typeof identityService>

type MessengerLink = { init_data: string; password?: string | null }

type Named = Pick<Identity, 'kind' | 'provider' | 'label'>

type Deps = {
  store: IdentityStore
  auth: Pick<Auth, 'messengerPerson' | 'confirmRecently'>
  botPermissions: Pick<BotPermissions, 'noteInitData'>
  passkeys: Pick<Passkeys, 'refuseRemoval'>
  callers: Pick<Callers, 'forget'>
  mails: Pick<AccountMails, 'about' | 'wake'>
  providers: Pick<Providers, 'labelOf'>
  configured: Configured
  /** Wakes the outbox to revoke a grant. */
  wakeRevocation(): void
  audit: Pick<Audit, 'entry'>
  paging: Pick<Paging, 'pageOfAll'>
  now: () => number
}

/** Lists, adds and removes the ways to sign in to an account. */
export function identityService(deps: Deps) {
  const { store, auth, botPermissions, passkeys, callers, mails, providers, configured } = deps
  const { wakeRevocation, audit, paging, now } = deps

  function labelOf({ kind, provider, label }: Named): string {
    if (label !== undefined) return label
    if (provider !== null) return providers.labelOf(provider)
    return kind === 'password' ? 'Password' : 'Telegram'
  }

  const view = (identity: Identity) => ({
    id: identity.id,
    kind: identity.kind,
    provider: identity.provider,
    label: labelOf(identity),
    created_at: iso(identity.created_at),
    last_used_at: isoOrNull(identity.last_used_at),
  })

  /** The audit entry and the mail to the owner, which are stored with a change. */
  async function changeRecords(about: 'way_in_added' | 'way_in_removed', userId: string, identity: Named) {
    const { kind, provider } = identity
    const action = about === 'way_in_added' ? 'identity_added' : 'identity_removed'
    const named = { label: labelOf(identity), ...((kind === 'passkey' || kind === 'password') && { kind }) }
    const mail = await mails.about(userId, { about, ...named })
    return { audit: audit.entry(action, userId, userId, { kind, provider }), mails: mail } satisfies ChangeRecords
  }

  function linkedView(linked: Linked) {
    if (linked === null) throw notSignedIn()
    if (linked === 'taken')
      throw new Refusal(
        'identity_taken',
        'This belongs to another account already. Sign in with it, or remove it there.',
      )
    if (linked === 'other')
      throw new Refusal('conflict', 'This account has another one of that kind. Remove that one first.')
    mails.wake()
    return { identity: view(linked.identity), isNew: linked.outcome === 'linked' }
  }

  return {
    list: async (caller: Caller, page: Page) =>
      paging.pageOfAll('identities', await store.ofUser(caller.id), page, view),

    /** The same for any user, for admins. */
    ofUser: async (userId: string) => (await store.ofUser(userId)).map(view),

    /**
     * Lets the caller sign in with their messenger too. That gives lasting access, so it needs a recent login or the password: 403
     * `forbidden` or `wrong_password`. 409 `identity_taken` or `conflict`.
     */
    async linkMessenger(caller: Caller, { init_data, password }: MessengerLink, client: Client) {
      await auth.confirmRecently(caller, password, client)
      const person = auth.messengerPerson(init_data)
      const with_ = await changeRecords('way_in_added', caller.id, { kind: 'messenger', provider: null })
      const linked = linkedView(await store.linkMessenger(sessionOf(caller), person.messenger_id, now(), with_))
      await botPermissions.noteInitData(caller.id, person)
      return linked
    },

    /** The same with a subject of an OIDC provider. Whoever calls it has confirmed the caller. */
    async linkSubject(caller: Pick<Caller, 'id' | 'session_id'>, subject: Subject) {
      const with_ = await changeRecords('way_in_added', caller.id, { kind: 'oidc', provider: subject.provider })
      return linkedView(await store.linkSubject(sessionOf(caller), subject, now(), with_))
    },

    /**
     * Removes a way to sign in. Refuses with 404, 403 `second_factor_required` for a passkey of staff, and 409 `last_identity`
     * for the last one that works.
     */
    async remove(caller: Caller, id: string): Promise<void> {
      const identity = (await store.ofUser(caller.id)).find((one) => one.id === id)
      if (identity === undefined) throw notFound()
      if (identity.kind === 'passkey') await passkeys.refuseRemoval(caller)
      const with_ = await changeRecords('way_in_removed', caller.id, identity)
      const outcome = await store.remove(caller.id, id, configured, now(), with_)
      if (outcome === null) throw notSignedIn()
      if (outcome === 'not_found') throw notFound()
      if (outcome === 'last_identity')
        throw new Refusal('last_identity', 'This is the last way to sign in to your account. Add another one first.')
      mails.wake()
      // No node may still trust a confirmation by the removed passkey.
      if (identity.kind === 'passkey') await callers.forget(caller.id)
      wakeRevocation()
    },
  }
}

const notFound = () => new Refusal('not_found', 'There is no such identity.')
