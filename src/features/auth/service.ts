import type { Ids } from '../../lib/ids.ts'
import { holderOf, type Limits } from '../../lib/rate-limits.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import type { EndReason } from '../../realtime/connection.ts'
import type { SocketControl } from '../../realtime/events.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { iso, minutes, seconds } from '../../lib/time.ts'
import { languageTag, longestLanguageTag } from '../../lib/text.ts'
import type { Audit } from '../audit/service.ts'
import type { AccountMails } from '../email/account-mails.ts'
import { normalizedEmail } from '../email/rules.ts'
import type { EmailLinks } from '../email/service.ts'
import type { BotPermissions } from '../bot/permissions.ts'
import type { Webhooks } from '../webhooks/service.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { Subject } from '../identities/store.ts'
import type { MessengerPhotos } from '../media/messenger-photos.ts'
import { mostWantedFirst } from '../legal/service.ts'
import type { Filter, Verdict } from '../filter/service.ts'
import { type Profiles, tidyProfile } from '../profile/service.ts'
import { notAdmitted, type Registration as Gate } from '../registration/service.ts'
import type { Gender } from '../profile/store.ts'
import type { PasskeyUse } from '../passkeys/store.ts'
import type { Caller, Callers } from './callers.ts'
import { refuseSuspended } from './callers.ts'
import { isCommon } from './common-passwords.ts'
import { type Client, type ConsentChoices, type Consents, registrationConsents } from './consents.ts'
import { checkInitData, mendedName } from './init-data.ts'
import { passwordGuesses } from './password-guesses.ts'
import type { Passwords } from './passwords.ts'
import { mandatory, sessionLifetime } from './rules.ts'
import type { AccountStore, Credentials, NewAccount, Session, SessionStore, WayIn, WithSession } from './store.ts'
import { accessTokenS, notSignedIn, type Tokens } from './tokens.ts'

export type Auth = ReturnType<typeof authService>

const { idle, longest } = sessionLifetime

// A client that lost our answer, or its other tab, may ask once more with the token before the newest.
const grace = 10 * seconds
// How old a session may be that stands for a password which an account does not have.
const justNow = 10 * minutes

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
  consents?: unknown
}

type Login = { email?: string | null; phone?: string | null; password: string }

/** What shows that a request comes from the account's owner. */
export type Confirmation = Pick<Proof, 'password' | 'init_data'>

/** Who one is: an account and its password, or the messenger's init data. */
export type Proof = {
  email?: string | null
  phone?: string | null
  password?: string | null
  init_data?: string | null
}

export function authService(deps: Deps) {
  const {
    accounts,
    sessions,
    profiles,
    consents,
    callers,
    tokens,
    passwords,
    limits,
    sockets,
    mails,
    webhooks,
    audit,
    ids,
    now,
  } = deps
  const { consentGate } = deps
  const { keyOf, pageOf } = deps.paging

  function newSession(userId: string, client: Client, wayIn?: WayIn): Session {
    const at = now()
    return {
      id: ids.next(),
      user_id: userId,
      generation: 0,
      rotated_at: at,
      created_at: at,
      last_used_at: at,
      user_agent: client.user_agent?.slice(0, 300) ?? null,
      ended_at: null,
      passkey_at: wayIn?.kind === 'passkey' ? at : null,
    }
  }

  /**
   * Begins a session. `newDeviceMail` goes out if this user agent has never used the account. Null where the account is erased,
   * or its way in is good no more.
   */
  async function tryBegin(userId: string, client: Client, with_: WithSession) {
    const session = newSession(userId, client, with_.wayIn)
    if (!(await sessions.create(session, with_))) return null
    if (with_.newDeviceMail) mails.wake()
    return answer(session, 0)
  }

  async function begin(userId: string, client: Client, with_: WithSession = {}) {
    const session = await tryBegin(userId, client, with_)
    if (session === null) throw invalidCredentials()
    return session
  }

  /** The same for a login, with the mail about a new device. Null like `tryBegin`. */
  async function trySignIn(userId: string, client: Client, with_: { wayIn: WayIn; audit: AuditEntry }) {
    const user_agent = client.user_agent?.slice(0, 300) ?? null
    const [mail] = await mails.about(userId, { about: 'new_device', user_agent, at: now() })
    return tryBegin(userId, client, { ...with_, newDeviceMail: mail })
  }

  async function signIn(userId: string, client: Client, with_: { wayIn: WayIn; audit: AuditEntry }) {
    const session = await trySignIn(userId, client, with_)
    if (session === null) throw invalidCredentials()
    return session
  }

  async function refuseSignIn(user_id: string) {
    const credentials = await accounts.credentials({ user_id })
    if (credentials) refuseSuspended(credentials, now())
    await limits.take('session', user_id)
  }

  /** Signs in somebody whom something else than a password has proven. Refuses with 403 `suspended`. */
  async function signInBy(
    wayIn: Exclude<WayIn, { kind: 'password' | 'passkey' }>,
    { user_id, created }: { user_id: string; created: boolean },
    client: Client,
  ) {
    await refuseSignIn(user_id)
    const entry = audit.entry(created ? 'register' : 'login', user_id, user_id, { by: wayIn.kind })
    return signIn(user_id, client, { wayIn, audit: entry })
  }

  /** The lifetimes are in seconds. */
  async function answer(session: Pick<Session, 'id' | 'user_id' | 'created_at'>, generation: number) {
    const lasts = Math.min(idle, session.created_at + longest - now())
    return {
      user: await profiles.me(session.user_id),
      access_token: await tokens.access(session.user_id, session.id),
      refresh_token: tokens.refresh(session.id, generation),
      token_type: 'Bearer' as const,
      expires_in: accessTokenS,
      refresh_expires_in: Math.floor(lasts / seconds),
    }
  }

  /** Ended sessions must not answer one more request, nor keep a socket. */
  async function cutOff(userId: string, sessionIds: readonly string[], reason: EndReason) {
    const forgotten = callers.forget(userId)
    for (const sessionId of sessionIds) sockets.endSession(userId, sessionId, reason)
    await forgotten
  }

  /** Every new account, whichever way it is made. */
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

  async function newPasswordHash(password: string, path: string): Promise<string> {
    if (isCommon(password))
      throw invalid(path, 'This password is among the most common ones: choose another', 'too_common')
    return passwords.hash(password.normalize('NFKC'))
  }

  /**
   * The account's password hash where this is its password, else null. Failures count by account and address, so that no
   * stranger can lock an account; `named` is what it was called by, for where there is none.
   */
  async function provenHash(
    credentials: Credentials | null,
    named: string,
    password: string,
    client: Client,
  ): Promise<string | null> {
    const key = `${credentials?.user_id ?? named} ${holderOf(client.address)}`
    const guesses = passwordGuesses(limits, credentials?.user_id ?? named, client.address)
    await guesses.check()
    const hash = credentials?.password_hash ?? null
    if (!(await passwords.fits(key, password.normalize('NFKC'), hash)) || !credentials || hash === null) {
      await guesses.countFailure()
      return null
    }
    // All guesses of one burst pass the check above: those that failed meanwhile count against this one.
    await guesses.check()
    await guesses.forgive()
    if (!passwords.isOutdated(hash)) return hash
    const today = await passwords.hash(password.normalize('NFKC'))
    if (await accounts.replacePasswordHash(credentials.user_id, hash, today)) return today
    // Another login was faster, or the password is another now.
    return provenHash(await accounts.credentials({ user_id: credentials.user_id }), named, password, client)
  }

  /**
   * The hash of the caller's password; null of an account without one, which has to have logged in just now. Refuses with
   * 403 `wrong_password` or `forbidden`.
   */
  async function confirmedHash(
    caller: Caller,
    password: string | null | undefined,
    client: Client,
  ): Promise<string | null> {
    const credentials = await accounts.credentials({ user_id: caller.id })
    if (credentials?.password_hash === null) {
      await refuseOldSession(caller)
      return null
    }
    const hash = await provenHash(credentials, caller.id, password ?? '', client)
    if (hash === null) throw wrongPassword()
    return hash
  }

  /** A refresh does not make a session younger: whoever has stolen a token has not logged in. */
  async function refuseOldSession(caller: Caller): Promise<void> {
    if (!(await isProvenJustNow(caller)))
      throw new Refusal(
        'forbidden',
        'Log in again first, or confirm this session with a passkey, then do this at once.',
      )
  }

  /** Whether the owner has logged in to this session, or shown a passkey in it, just now. */
  async function isProvenJustNow({ session_id }: Caller): Promise<boolean> {
    const session = await sessions.byId(session_id)
    if (!session) throw notSignedIn()
    return now() - Math.max(session.created_at, session.passkey_at ?? session.created_at) < justNow
  }

  /** The account of a login. A wrong password and an unknown account answer alike, in body and in time. */
  async function accountOf(body: Login, client: Client): Promise<Credentials & { password_hash: string }> {
    const email = body.email == null ? undefined : normalizedEmail(body.email.trim())
    const account = email ?? body.phone ?? null
    if (account === null) throw invalid('/email', 'Expected an e-mail address or a phone number', 'required')
    if (email !== undefined && body.phone != null)
      throw invalid('/email', 'Expected an e-mail address or a phone number, not both', 'not_allowed')
    const credentials = await accounts.credentials(email === undefined ? { phone: account } : { email: account })
    const password_hash = await provenHash(credentials, account, body.password, client)
    if (credentials && password_hash !== null) return { ...credentials, password_hash }
    await audit.fold('login_failed', null, credentials?.user_id ?? null)
    throw invalidCredentials()
  }

  /** A name of another service, or a neutral one where a rule refuses it: nobody can change theirs on the way here. */
  async function allowedName(name: string): Promise<{ name: string; verdict: Verdict }> {
    try {
      return { name, verdict: await deps.filter.text('name', null, name) }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'content_refused') throw error
      return { name: 'User', verdict: { flags: [], caution: null } }
    }
  }

  /** Whom the messenger vouches for. */
  function personOf(initData: string) {
    if (deps.messengerBotToken === null)
      throw new Refusal('messenger_not_configured', 'This server is not connected to a messenger.')
    return checkInitData(initData, deps.messengerBotToken, { nowMs: now(), maxAgeS: deps.initDataMaxAgeS })
  }

  return {
    /** Begins a session of whoever was proven to be that user. */
    begin,

    signInBy,

    /** Whom init data of the messenger vouches for. Refuses like the messenger login. */
    messengerPerson: personOf,

    /**
     * Refuses with 403 `registration_closed` or `invite_required`, 422 `consents_required`, 409 `email_taken` or
     * `phone_taken`. Stores all or nothing.
     */
    async register(body: Registration, client: Client) {
      const admission = await deps.registration.admit(body.invite)
      const choices = registrationConsents(body.consents)
      const email = body.email == null ? null : normalizedEmail(body.email)
      const phone = body.phone ?? null
      if (email === null && phone === null)
        throw invalid('/email', 'Expected an e-mail address or a phone number', 'required')
      const { name, city = null, bio = null, gender = null } = tidyProfile(body)
      const verdicts = [await deps.filter.text('name', null, name), await deps.filter.text('bio', null, bio)]
      const language = preferredLanguage(client.language)
      const password_hash = await newPasswordHash(body.password, '/password')
      const account = newAccount({ email, phone, password_hash, name, city, bio, gender, language, admission })
      const { id } = account
      const session = newSession(id, client)
      const outcome = await accounts.register(account, consents.entries(id, choices, client), {
        session,
        audit: audit.entry('register', id, id, { by: email === null ? 'phone' : 'email' }),
        welcome: email === null ? null : deps.emailLinks.welcome(id, email, language),
        webhooks: webhooks.about('user.created', id, { user_id: id, by: email === null ? 'phone' : 'email' }),
      })
      if (outcome === 'email_taken') throw new Refusal('email_taken', 'There is an account with this e-mail address.')
      if (outcome === 'phone_taken') throw new Refusal('phone_taken', 'There is an account with this phone number.')
      if (outcome !== 'created') throw notAdmitted(outcome)
      await deps.filter.report('user', id, { flags: verdicts.flatMap(({ flags }) => flags) })
      mails.wake()
      return answer(session, 0)
    },

    /** A wrong password and an unknown account answer alike, in body and in time: 401 `invalid_credentials`. */
    async login(body: Login, client: Client) {
      const credentials = await accountOf(body, client)
      refuseSuspended(credentials, now())
      await limits.take('session', credentials.user_id)
      const { user_id, password_hash } = credentials
      return signIn(user_id, client, {
        wayIn: { kind: 'password', password_hash },
        audit: audit.entry('login', user_id, user_id, { by: 'password' }),
      })
    },

    /**
     * Begins a session of whoever has shown a passkey. Null where the challenge was used before, the counter did not rise, or
     * the passkey is gone. Refuses like the other logins.
     */
    async signInByPasskey(userId: string, use: PasskeyUse, client: Client) {
      await refuseSignIn(userId)
      const entry = audit.entry('login', userId, userId, { by: 'passkey' })
      return trySignIn(userId, client, { wayIn: { kind: 'passkey', ...use }, audit: entry })
    },

    /**
     * A new account for a subject of an OIDC provider. `email` is one that the provider has verified. Null where the subject
     * is linked with an account already. Refuses like `messenger` where it is not admitted.
     */
    async registerSubject(
      subject: Subject,
      { name, email, invite }: { name: string; email: string | null; invite: string | null },
      choices: ConsentChoices,
      client: Client,
    ) {
      const language = preferredLanguage(client.language)
      const admission = deps.registration.admissionBy(invite)
      const { name: allowed, verdict } = await allowedName(mendedName(name) || 'User')
      const account = newAccount({ email, name: allowed, language, admission })
      const { id } = account
      const told = webhooks.about('user.created', id, { user_id: id, by: 'oidc' })
      const made = await accounts.registerSubject(account, subject, consents.entries(id, choices, client), told)
      if (typeof made === 'string') throw notAdmitted(made)
      if (made !== null) await deps.filter.report('user', id, verdict)
      return made
    },

    /**
     * Logs in whom the messenger vouches for, with a new account at the first time. That one has to be admitted: 403
     * `registration_closed` or `invite_required`.
     */
    async messenger(initData: string, invite: string | null | undefined, client: Client) {
      const person = personOf(initData)
      const { messenger_id, photo_url: photo } = person
      const { name, verdict } = await allowedName(person.name)
      const admission = deps.registration.admissionBy(invite)
      const made = newAccount({ name, photo, language: person.language ?? 'en', admission })
      const told = webhooks.about('user.created', made.id, { user_id: made.id, by: 'messenger' })
      const account = await accounts.ensureMessengerAccount({ ...made, messenger_id }, told)
      if (typeof account === 'string') throw notAdmitted(account)
      const { user_id } = account
      if (account.created) await deps.filter.report('user', user_id, verdict)
      const session = await signInBy({ kind: 'messenger', messenger_id }, account, client)
      deps.messengerPhotos.begin(user_id, person.photo_url)
      await deps.botPermissions.noteInitData(user_id, person)
      return { ...session, created: account.created, start_param: person.start_param }
    },

    /**
     * Whose credentials these are, by password or from the messenger, suspended or not. Refuses like the logins, and
     * begins no session.
     */
    async userOf(body: Proof, client: Client): Promise<string> {
      const password = body.password ?? null
      const init_data = body.init_data ?? null
      if (password !== null && init_data === null) return (await accountOf({ ...body, password }, client)).user_id
      if (password !== null) throw invalid('/password', 'Expected a password or init_data, not both', 'not_allowed')
      if (init_data === null) throw invalid('/password', 'Expected a password or init_data', 'required')
      const credentials = await accounts.credentials({ messenger_id: personOf(init_data).messenger_id })
      if (!credentials) throw new Refusal('invalid_credentials', 'There is no account of this messenger’s user.')
      return credentials.user_id
    },

    /** Rotates the refresh token. A token used before ends the session: somebody else has it too. */
    async refresh(refreshToken: string | null) {
      const token = refreshToken === null ? null : tokens.readRefresh(refreshToken)
      const session = token && (await sessions.byId(token.session_id))
      if (!token || !session) throw notSignedIn()
      const at = now()
      const generation = token.generation
      if (session.ended_at !== null) {
        if (generation < session.generation) throw reused()
        throw notSignedIn()
      }
      if (session.last_used_at + idle <= at || session.created_at + longest <= at)
        throw new Refusal('token_expired', 'The session is over: log in again.')
      refuseSuspended(session, at)
      // A generation ahead of ours is genuine as well: the database was restored from a backup made before it.
      if (
        generation >= session.generation &&
        (await sessions.rotate(session.id, session.generation, generation + 1, at))
      )
        return answer(session, generation + 1)
      // Whoever lost the race for this rotation finds the winner's successor.
      const current = (await sessions.byId(session.id)) ?? session
      if (current.ended_at === null && generation === current.generation - 1 && at - current.rotated_at < grace)
        return answer(session, current.generation)
      if (await sessions.end(session.user_id, session.id, at)) {
        await audit.note('refresh_reused', session.user_id, session.id)
        await cutOff(session.user_id, [session.id], 'ended')
      }
      throw reused()
    },

    async logout(caller: Caller) {
      await sessions.end(caller.id, caller.session_id, now())
      await cutOff(caller.id, [caller.session_id], 'logout')
      await audit.note('logout', caller.id, caller.session_id)
    },

    /** The caller's live sessions, newest first. */
    async sessions(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('sessions', cursor, ['number', 'string'])
      const live = await sessions.live(
        caller.id,
        { began: now() - longest, lastUsed: now() - idle },
        { limit: limit + 1, after: key && { created_at: key[0], id: key[1] } },
      )
      return pageOf(
        'sessions',
        live,
        limit,
        (session) => [session.created_at, session.id],
        (session) => ({
          id: session.id,
          created_at: iso(session.created_at),
          last_used_at: iso(session.last_used_at),
          user_agent: session.user_agent,
          current: session.id === caller.session_id,
        }),
      )
    },

    async endSession(caller: Caller, sessionId: string) {
      if (!(await sessions.end(caller.id, sessionId, now())))
        throw new Refusal('not_found', 'There is no such session.')
      await cutOff(caller.id, [sessionId], 'ended')
      await audit.note('session_ended', caller.id, sessionId)
    },

    async endOtherSessions(caller: Caller) {
      const ended = await sessions.endAll(caller.id, now(), caller.session_id)
      await cutOff(caller.id, ended, 'ended')
      if (ended.length > 0) await audit.note('sessions_ended', caller.id, caller.id, { count: ended.length })
    },

    /**
     * Confirms that the account's owner asks, and nobody who only has a token of theirs: by the password or, for an account
     * of a messenger, by fresh init data. An account that has neither has to have logged in just now. Refuses with 403
     * `wrong_password` or `forbidden`, and for init data as the messenger login does.
     */
    async confirmOwner(caller: Caller, { password, init_data }: Confirmation, client: Client): Promise<void> {
      const credentials = await accounts.credentials({ user_id: caller.id })
      if (!credentials) throw notSignedIn()
      if (password == null && init_data != null) {
        if (personOf(init_data).messenger_id !== credentials.messenger_id) throw wrongPassword()
        return
      }
      const { messenger_id, password_hash } = credentials
      if (messenger_id !== null && (password == null || password_hash === null))
        throw new Refusal('wrong_password', 'Confirm it with the password, or with fresh init data of the messenger.')
      await confirmedHash(caller, password, client)
    },

    /** Confirms that the account's owner asks, by the password alone. Refuses with 403 `wrong_password` or `forbidden`. */
    async confirmPassword(caller: Caller, password: string | null | undefined, client: Client): Promise<void> {
      await confirmedHash(caller, password, client)
    },

    /**
     * Confirms that the account's owner asks: by having logged in, or shown a passkey, just now, or by the password. Refuses with
     * 403 `wrong_password` or `forbidden`.
     */
    async confirmRecently(caller: Caller, password: string | null | undefined, client: Client): Promise<void> {
      if (password == null) await refuseOldSession(caller)
      else await confirmedHash(caller, password, client)
    },

    /** The hash of a new password. Refuses a common one with 422, naming the field. */
    hashNewPassword: newPasswordHash,

    /**
     * Ends every other session. An account without a password sets its first one. Refuses with 403 `wrong_password`, or
     * `forbidden` for a first one in a session that is 10 minutes old, 422 for a common password.
     */
    async changePassword(
      caller: Caller,
      body: { current_password?: string | null; new_password: string },
      client: Client,
    ) {
      const from = await confirmedHash(caller, body.current_password, client)
      const to = await newPasswordHash(body.new_password, '/new_password')
      const told = await mails.about(
        caller.id,
        from === null ? { about: 'way_in_added', label: 'Password' } : { about: 'password_changed' },
      )
      const ended = await accounts.changePassword(caller.id, from, to, { keep: caller.session_id, now: now() }, told)
      if (ended === null) throw wrongPassword()
      mails.wake()
      await cutOff(caller.id, ended, 'password_changed')
      await audit.fold('password_changed', caller.id, caller.id, { sessions_ended: ended.length })
    },

    async recordConsents(caller: Caller, choices: ConsentChoices, client: Client) {
      const recorded = await consents.record(caller.id, choices, client)
      await callers.forget(caller.id)
      // Who would not be let in now does not stay in.
      if (consentGate && mandatory.some((kind) => choices[kind] === false)) sockets.awaitConsent(caller.id)
      return recorded
    },
  }
}

/** The language that an Accept-Language header wants most, of those that preferences take; English where it names none. */
function preferredLanguage(acceptLanguage: string | null): string {
  for (const tag of mostWantedFirst(acceptLanguage ?? '')) {
    const language = tag.length <= longestLanguageTag ? languageTag(tag) : null
    if (language !== null) return language
  }
  return 'en'
}

const invalidCredentials = () => new Refusal('invalid_credentials', 'E-mail, phone or password is wrong.')

const wrongPassword = () => new Refusal('wrong_password', 'The password is wrong.')

const reused = () =>
  new Refusal(
    'refresh_reused',
    'This refresh token was used before: another tab or device has its successor, or somebody copied it. To be safe the session is over for all of them: log in again, and refresh in one place at a time.',
  )
