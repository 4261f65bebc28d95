import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { Refusal } from '../../lib/refusal.ts'
import { hashOfToken, tokenOfLink } from '../../outbox/mail/links.ts'
import { emailHint, type LinkKind } from '../../outbox/mail/mails.ts'
import type { SocketControl } from '../../realtime/events.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller, Callers } from '../auth/callers.ts'
import type { Client } from '../auth/consents.ts'
import { openCutOff } from '../auth/cut-off.ts'
import type { Auth } from '../auth/service.ts'
import { notSignedIn } from '../auth/tokens.ts'
import type { AccountMails } from './account-mails.ts'
import { type EmailLinkKind, linkLifetimes, longestLookupPause, normalizedEmail } from './rules.ts'
import type { Addressee, EmailLink, EmailStore, EmailWebhooks, Welcome } from './store.ts'
import type { Webhooks } from '../webhooks/service.ts'

export type Emails = ReturnType<typeof emailService>
export type EmailLinks = ReturnType<typeof emailLinks>

/** The page that a link of each kind opens. */
const pageOf: Record<EmailLinkKind, LinkKind> = {
  verify: 'verify',
  change: 'verify',
  reset: 'reset',
  undo: 'email_undo',
}

type LinkDeps = { key: Uint8Array; mails: AccountMails; verifies: boolean; ids: Ids; now: () => number }

/** Makes one-time links. `key` derives their tokens; `verifies`: whether a registration sends a link to verify its address. */
export function emailLinks({ key, mails, verifies, ids, now }: LinkDeps) {
  /**
   * A link to store, and the reference to it that a mail holds. The token itself is in neither. `unverified_at`: see `EmailLink`.
   */
  function make(kind: EmailLinkKind, userId: string, email: string | null, unverified_at: number | null = null) {
    const link = { kind: pageOf[kind], id: ids.random() }
    const hash = hashOfToken(tokenOfLink(key, link))
    const stored: EmailLink = {
      hash,
      user_id: userId,
      kind,
      email,
      expires_at: now() + linkLifetimes[kind],
      unverified_at,
    }
    return { link, stored }
  }

  return {
    make,

    /** The token of a link for a new password that an operator hands over, and the link to store. */
    forOperator(userId: string) {
      const { link, stored } = make('reset', userId, null)
      return { token: tokenOfLink(key, link), stored }
    },

    /** The link and mail that verify a registration's address; null if it need not be verified. */
    async welcome(userId: string, email: string, language: string): Promise<Welcome | null> {
      if (!verifies) return null
      const { link, stored } = make('verify', userId, email)
      const mail = mails.to({ user_id: userId, email, language }, { about: 'verify', link })
      return { link: stored, mails: (await mails.mayReach(email)) ? [mail] : [], asked_at: now() }
    },
  }
}

type Deps = {
  store: EmailStore
  links: EmailLinks
  mails: AccountMails
  webhooks: Webhooks
  auth: Pick<Auth, 'confirmPassword' | 'hashNewPassword'>
  callers: Pick<Callers, 'forget'>
  sockets: Pick<SocketControl, 'endSession'>
  limits: Limits
  audit: Audit
  /** Called when work fails after its request was answered. */
  failed(error: unknown): void
  now: () => number
  /** From 0 to 1. */
  random: () => number
}

/** Verifies and changes e-mail addresses, and resets passwords. Without mail, all but the use of a link refuses with 503. */
export function emailService(deps: Deps) {
  const { store, links, mails, webhooks, auth, callers, limits, audit, failed, now, random } = deps
  const cutOff = openCutOff(deps)
  const afterAnswers = new Set<Promise<void>>()
  /** Callbacks that end a pause early. */
  const pauses = new Set<() => void>()

  async function pause(ms: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    pauses.add(resolve)
    const timer = setTimeout(resolve, ms)
    await promise
    clearTimeout(timer)
    pauses.delete(resolve)
  }
  const webhooksOf: EmailWebhooks = (userId, field) =>
    webhooks.about('user.updated', userId, { user_id: userId, fields: [field] })

  function refuseWithoutMail() {
    if (!mails.isOn) throw new Refusal('mail_not_configured', 'This server sends no mail.')
  }

  async function send(to: Addressee, kind: 'verify' | 'reset') {
    const { link, stored } = links.make(kind, to.user_id, to.email)
    if (await store.issue(to.user_id, [stored], [mails.to(to, { about: kind, link })])) mails.wake()
  }

  async function sendReset(email: string) {
    const to = await store.byEmail(email)
    if (to !== null) await send(to, 'reset')
  }

  return {
    /**
     * Sends a link for a new password if there is such an account. The account is looked up some time after the answer, so
     * that neither the answer nor any timing reveals whether it exists.
     */
    async forgot(body: { email: string }): Promise<void> {
      refuseWithoutMail()
      const email = normalizedEmail(body.email)
      await limits.take('forgot', email)
      const work: Promise<void> = pause(random() * longestLookupPause)
        .then(() => sendReset(email))
        .catch(failed)
        .finally(() => afterAnswers.delete(work))
      afterAnswers.add(work)
    },

    /**
     * Sends a user a link for a new password, on behalf of an admin. Counts like `forgot`. Refuses with 409 an account without
     * an address.
     */
    async sendResetTo(userId: string): Promise<void> {
      refuseWithoutMail()
      const to = await store.ofUser(userId)
      if (to === null) throw new Refusal('conflict', 'This account has no e-mail address.')
      await limits.take('forgot', to.email)
      await send(to, 'reset')
    },

    /** Refuses with 401 `link_invalid`, and with 422 for a common password; the link stays valid then. */
    async reset({ token, password }: { token: string; password: string }): Promise<void> {
      const hash = hashOfToken(token)
      // Hashing a password is expensive, so check the token first.
      if (!(await store.isGood(hash, now(), 'reset'))) throw linkInvalid()
      const passwordHash = await auth.hashNewPassword(hash, password, '/password')
      const notice = (to: Addressee) => (mails.isOn ? [mails.to(to, { about: 'password_changed' })] : [])
      const entry = audit.entry('password_reset', null)
      const used = await store.reset(hash, passwordHash, now(), entry, notice, webhooksOf)
      if (used === null) throw linkInvalid()
      mails.wake()
      await cutOff(used.user_id, used.ended, 'password_changed')
    },

    /** Refuses with 401 `link_invalid`, and with 409 `email_taken` if the new address belongs to somebody else by now. */
    async verify({ token }: { token: string }) {
      const used = await store.verify(hashOfToken(token), now(), audit.entry('email_verified', null), webhooksOf)
      if (used === null) throw linkInvalid()
      if (used === 'email_taken') throw emailTaken()
      await callers.forget(used.user_id)
      if (used.lost_by !== null) await callers.forget(used.lost_by)
      return { email: used.email, email_verified: true as const }
    },

    /** Sends the link for the caller's address once more; nothing if it is verified. */
    async sendVerification(caller: Caller): Promise<void> {
      refuseWithoutMail()
      const to = await store.ofUser(caller.id)
      if (to === null) throw new Refusal('not_found', 'This account has no e-mail address.')
      if (to.email_verified_at !== null) return
      await limits.take('mail_to', to.email)
      await send(to, 'verify')
    },

    /**
     * Sends a link to the new address, and one that undoes the change to the old one. The address changes when the first
     * is used. With the present address, it takes back a change that was asked for before. Refuses with 403 `wrong_password`,
     * or `forbidden` for an old session of an account without a password, and with 429 if too many mails went to the new address.
     */
    async change(caller: Caller, body: { email: string; password?: string | null }, client: Client): Promise<void> {
      refuseWithoutMail()
      await auth.confirmPassword(caller, body.password, client)
      const email = normalizedEmail(body.email)
      const from = await store.ofUser(caller.id)
      if (from?.email === email) return store.cancelChange(caller.id)
      await limits.take('mail_change', email)
      const { link, stored } = links.make('change', caller.id, email)
      const to = { user_id: caller.id, email, language: await store.languageOf(caller.id) }
      const made = [stored]
      const sent = [mails.to(to, { about: 'email_change', link })]
      if (from !== null) {
        const undo = links.make('undo', caller.id, from.email, from.email_verified_at === null ? now() : null)
        made.push(undo.stored)
        const notice = mails.to(from, { about: 'email_changed', link: undo.link, new_email_hint: emailHint(email) })
        if (from.email_verified_at !== null || (await mails.mayReach(from.email))) sent.push(notice)
      }
      if (!(await store.issue(caller.id, made, sent, caller.session_id))) throw notSignedIn()
      mails.wake()
      await audit.note('email_change_asked', caller.id, caller.id)
    },

    /**
     * Restores the old address and ends every session. If the link is the first proof of who owns the address, it also removes
     * every way to sign in, which a new password replaces. Refuses with 401 `link_invalid`, and with 409 `email_taken` if
     * somebody else has verified the address since, or has registered an address that nobody had verified.
     */
    async undo({ token }: { token: string }) {
      const used = await store.undo(hashOfToken(token), now(), audit.entry('email_change_undone', null), webhooksOf)
      if (used === null) throw linkInvalid()
      if (used === 'email_taken') throw emailTaken()
      await cutOff(used.user_id, used.ended, 'ended')
      if (used.lost_by !== null) await callers.forget(used.lost_by)
      return { email: used.email }
    },

    /** Finishes work whose request was answered already. */
    async settled(): Promise<void> {
      for (const end of pauses) end()
      await Promise.all(afterAnswers)
    },
  }
}

/** One answer for malformed, used, expired and unknown links. */
const linkInvalid = () =>
  new Refusal('link_invalid', 'This link was used already, is too old, or was replaced by a newer one.')

const emailTaken = () => new Refusal('email_taken', 'This e-mail address belongs to another account by now.')
