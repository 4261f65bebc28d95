import type { Ids } from '../../lib/ids.ts'
import { holderOf, type Limits } from '../../lib/rate-limits.ts'
import type { Paging } from '../../lib/paging.ts'
import type { SocketControl } from '../../realtime/events.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { languageTag, longestLanguageTag } from '../../lib/text.ts'
import type { Audit } from '../audit/service.ts'
import type { AccountMails } from '../email/account-mails.ts'
import { normalizedEmail } from '../email/rules.ts'
import type { EmailLinks } from '../email/service.ts'
import type { EmailWebhooks } from '../email/store.ts'
import type { BotPermissions } from '../bot/permissions.ts'
import type { Webhooks } from '../webhooks/service.ts'
import type { Subject } from '../identities/store.ts'
import type { MessengerPhotos } from '../media/messenger-photos.ts'
import { mostWantedFirst } from '../legal/service.ts'
import type { Filter } from '../filter/service.ts'
import type { Verdict } from '../filter/verdicts.ts'
import { type Profiles, tidyProfile } from '../profile/service.ts'
import { notAdmitted, type Registration as Gate } from '../registration/service.ts'
import type { Gender } from '../profile/store.ts'
import type { PasskeyUse } from '../passkeys/store.ts'
import { type Caller, type Callers, refuseSuspended } from './callers.ts'
import { type Client, type ConsentChoices, type Consents, registrationConsents } from './consents.ts'
import { sanitizedName } from './init-data.ts'
import type { Passwords } from './passwords.ts'
import { mandatory } from './rules.ts'
import type { AccountStore, NewAccount, SessionStore } from './store.ts'
import type { Tokens } from './tokens.ts'
import { type Login, openProofs, wrongPassword } from './proofs.ts'
import { openSessionStart } from './session-start.ts'
import { openSessions } from './sessions.ts'

export type Auth = ReturnType<typeof authService>

type Deps = {
  accounts: AccountStore
  sessions: SessionStore
  profiles: Profiles
  filter: Pick<Filter, 'text' | 'report'>
  consents: Consents
  callers: Callers
  tokens: Tokens
  passwords: Passwords
  limits: Limits
  paging: Paging
  sockets: SocketControl
  messengerPhotos: Pick<MessengerPhotos, 'begin'>
  mails: AccountMails
  emailLinks: Pick<EmailLinks, 'welcome'>
  registration: Pick<Gate, 'admissionBy' | 'admit'>
  webhooks: Webhooks
  botPermissions: Pick<BotPermissions, 'noteInitData'>
  audit: Audit
  ids: Ids
  now: () => number
  messengerBotToken: string | null
  initDataMaxAgeS: number
  consentGate: boolean
}

type Registration = {
  email?: string | null
  phone?: string | null
  password: string
  name: string
  city?: string | null
  bio?: string | null
  gender?: Gender | null
  invite?: string | null
  birth_date?: string | null
  consents?: unknown
}

export function authService(deps: Deps) {
  const { accounts, consents, callers, limits, sockets, mails, webhooks, audit, ids, now, consentGate } = deps
  const proofs = openProofs(deps)
  const { newPasswordHash, confirmedHash, accountOf, personOf } = proofs
  const start = openSessionStart(deps)
  const { newSession, begin, trySignIn, signIn, refuseSignIn, signInBy, answer } = start
  const { cutOff, ...own } = openSessions({ ...deps, answer })

  function newAccount(given: Pick<NewAccount, 'name' | 'language' | 'admission'> & Partial<NewAccount>): NewAccount {
    return {
      id: ids.next(),
      email: null,
      phone: null,
      messenger_id: null,
      password_hash: null,
      city: null,
      bio: null,
      gender: null,
      photo: null,
      created_at: now(),
      ...given,
    }
  }

  /** The webhooks about an account that loses its address to a new one. */
  const toldOfLoss: EmailWebhooks = (userId, field) =>
    webhooks.about('user.updated', userId, { user_id: userId, fields: [field] })

  /** A name from another service, or a neutral one if a rule refuses it: the user cannot change it while logging in. */
  async function allowedName(name: string): Promise<{ name: string; verdict: Verdict }> {
    try {
      return { name, verdict: await deps.filter.text('name', null, name) }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'content_refused') throw error
      return { name: 'User', verdict: { holds: [], flags: [], caution: null } }
    }
  }

  return {
    begin,
    signInBy,
    ...own,

    userOf: proofs.userOf,
    confirmOwner: proofs.confirmOwner,
    confirmPassword: proofs.confirmPassword,
    confirmRecently: proofs.confirmRecently,

    messengerPerson: personOf,

    /**
     * Refuses with 403 `registration_closed` or `invite_required`, 422 `consents_required`, 409 `email_taken` or
     * `phone_taken`. Stores all or nothing.
     */
    async register(body: Registration, client: Client) {
      const admission = await deps.registration.admit(body.invite, body.birth_date, client)
      const choices = registrationConsents(body.consents)
      const email = body.email == null ? null : normalizedEmail(body.email)
      const phone = body.phone ?? null
      if (email === null && phone === null)
        throw invalid('/email', 'Expected an e-mail address or a phone number', 'required')
      const { name, city = null, bio = null, gender = null } = tidyProfile(body)
      const verdicts = [await deps.filter.text('name', null, name), await deps.filter.text('bio', null, bio)]
      const language = preferredLanguage(client.language)
      const password_hash = await newPasswordHash(holderOf(client.address), body.password, '/password')
      // Before the mail to the address is counted, so that strangers do not use up the mails of the account that has it.
      if (email !== null && (await accounts.keepsAddress(email, now()))) throw emailTaken()
      const account = newAccount({ email, phone, password_hash, name, city, bio, gender, language, admission })
      const { id } = account
      const session = newSession(id, client)
      const outcome = await accounts.register(account, consents.entries(id, choices, client), {
        session,
        audit: audit.entry('register', id, id, { by: email === null ? 'phone' : 'email' }),
        welcome: email === null ? null : await deps.emailLinks.welcome(id, email, language),
        webhooks: webhooks.about('user.created', id, { user_id: id, by: email === null ? 'phone' : 'email' }),
        told: toldOfLoss,
      })
      if (outcome === 'email_taken') throw emailTaken()
      if (outcome === 'phone_taken') throw new Refusal('phone_taken', 'There is an account with this phone number.')
      if (typeof outcome === 'string') throw notAdmitted(outcome)
      if (outcome.lost_by !== null) await callers.forget(outcome.lost_by)
      await deps.filter.report('user', id, { flags: verdicts.flatMap(({ flags }) => flags) })
      mails.wake()
      return answer(session, 0)
    },

    /** Refuses a wrong password and an unknown account alike, in body and in time, with 401 `invalid_credentials`. */
    async login(body: Login, client: Client) {
      const credentials = await accountOf(body, client)
      refuseSuspended(credentials, now())
      await limits.take('session', credentials.user_id)
      const { user_id, password_hash } = credentials
      return signIn(user_id, client, {
        loginMethod: { kind: 'password', password_hash },
        audit: audit.entry('login', user_id, user_id, { by: 'password' }),
      })
    },

    /**
     * Begins a session for the owner of a verified passkey. Null if the challenge was used before, the counter did not rise,
     * or the passkey is gone. Refuses like the other logins.
     */
    async signInByPasskey(userId: string, use: PasskeyUse, client: Client) {
      await refuseSignIn(userId)
      const entry = audit.entry('login', userId, userId, { by: 'passkey' })
      return trySignIn(userId, client, { loginMethod: { kind: 'passkey', ...use }, audit: entry })
    },

    /**
     * A new account for a subject of an OIDC provider. `email` is one that the provider has verified. Null if the subject is
     * linked with an account already. Refuses like `messenger` if it is not admitted.
     */
    async registerSubject(
      subject: Subject,
      {
        name,
        email,
        invite,
        birth_date,
      }: { name: string; email: string | null; invite: string | null; birth_date: string | null },
      choices: ConsentChoices,
      client: Client,
    ) {
      const language = preferredLanguage(client.language)
      const admission = await deps.registration.admissionBy(invite, birth_date, client)
      const { name: allowed, verdict } = await allowedName(sanitizedName(name) || 'User')
      const account = newAccount({ email, name: allowed, language, admission })
      const { id } = account
      const parcels = webhooks.about('user.created', id, { user_id: id, by: 'oidc' })
      const logged = consents.entries(id, choices, client)
      const made = await accounts.registerSubject(account, subject, logged, parcels, toldOfLoss)
      if (typeof made === 'string') throw notAdmitted(made)
      if (made === null) return null
      if (made.lost_by !== null) await callers.forget(made.lost_by)
      await deps.filter.report('user', id, verdict)
      return made
    },

    /**
     * Logs in the user of a messenger. The first login creates the account, unless it is not admitted: 403
     * `registration_closed` or `invite_required`.
     */
    async messenger(
      initData: string,
      { invite, birth_date }: { invite?: string | null; birth_date?: string | null },
      client: Client,
    ) {
      const person = personOf(initData)
      const { messenger_id, photo_url: photo } = person
      const { name, verdict } = await allowedName(person.name)
      // A date of birth concerns new accounts only: it neither refuses a login nor counts against the network address.
      const isKnown = (await accounts.credentials({ messenger_id })) !== null
      const admission = await deps.registration.admissionBy(invite, isKnown ? null : birth_date, client)
      const made = newAccount({ name, photo, language: person.language ?? 'en', admission })
      const parcels = webhooks.about('user.created', made.id, { user_id: made.id, by: 'messenger' })
      const account = await accounts.ensureMessengerAccount({ ...made, messenger_id }, parcels)
      if (typeof account === 'string') throw notAdmitted(account)
      const { user_id } = account
      if (account.created) await deps.filter.report('user', user_id, verdict)
      const session = await signInBy({ kind: 'messenger', messenger_id }, account, client)
      deps.messengerPhotos.begin(user_id, person.photo_url)
      await deps.botPermissions.noteInitData(user_id, person)
      return { ...session, created: account.created, start_param: person.start_param }
    },

    /** The hash of a holder's new password. Refuses a common one with 422, naming the field. */
    hashNewPassword: newPasswordHash,

    /**
     * Ends every other session. An account without a password sets its first one. Refuses with 403 `wrong_password`, 403
     * `forbidden` for a first one more than 10 minutes after the login, or 422 for a common password.
     */
    async changePassword(
      caller: Caller,
      body: { current_password?: string | null; new_password: string },
      client: Client,
    ) {
      const from = await confirmedHash(caller, body.current_password, client)
      const to = await newPasswordHash(caller.id, body.new_password, '/new_password')
      const notice = await mails.about(
        caller.id,
        from === null ? { about: 'way_in_added', kind: 'password', label: 'Password' } : { about: 'password_changed' },
      )
      const ended = await accounts.changePassword(caller.id, from, to, { keep: caller.session_id, now: now() }, notice)
      if (ended === null) throw wrongPassword()
      mails.wake()
      await cutOff(caller.id, ended, 'password_changed')
      await audit.fold('password_changed', caller.id, caller.id, { sessions_ended: ended.length })
    },

    async recordConsents(caller: Caller, choices: ConsentChoices, client: Client) {
      const recorded = await consents.record(caller.id, choices, client)
      await callers.forget(caller.id)
      // A new socket would be refused now, so the open ones close too.
      if (consentGate && mandatory.some((kind) => choices[kind] === false)) sockets.awaitConsent(caller.id)
      return recorded
    },
  }
}

const emailTaken = () => new Refusal('email_taken', 'There is an account with this e-mail address.')

/** The most preferred language of an Accept-Language header that is valid in our preferences; English if there is none. */
function preferredLanguage(acceptLanguage: string | null): string {
  for (const tag of mostWantedFirst(acceptLanguage ?? '')) {
    const language = tag.length <= longestLanguageTag ? languageTag(tag) : null
    if (language !== null) return language
  }
  return 'en'
}
