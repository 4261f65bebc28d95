import type { Ids } from '../../ids.ts'
import { holderOf, type Limits } from '../../limits.ts'
import { keyOf, type Page, pageOf } from '../../paging.ts'
import type { SocketControl } from '../../realtime/events.ts'
import { invalid, Refusal } from '../../refusal.ts'
import { days, iso, seconds } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import { type Profiles, tidyProfile } from '../profile/service.ts'
import type { Gender } from '../profile/store.ts'
import type { Caller, Callers } from './callers.ts'
import { refuseSuspended } from './callers.ts'
import { isCommon } from './common-passwords.ts'
import { type Client, type ConsentChoices, type Consents, mandatory, registrationConsents } from './consents.ts'
import { checkInitData } from './init-data.ts'
import type { Passwords } from './passwords.ts'
import type { AccountStore, Credentials, Session, SessionStore } from './store.ts'
import { accessTokenS, notSignedIn, type Tokens } from './tokens.ts'

export type Auth = ReturnType<typeof authService>

const idle = 30 * days
const longest = 90 * days
// A client that lost our answer, or its other tab, may ask once more with the token before the newest.
const grace = 10 * seconds

type Deps = {
  accounts: AccountStore
  sessions: SessionStore
  profiles: Profiles
  consents: Consents
  callers: Callers
  tokens: Tokens
  passwords: Passwords
  limits: Limits
  sockets: SocketControl
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
  consents?: unknown
}

type Login = { email?: string | null; phone?: string | null; password: string }

/** Who one is: an account and its password, or the messenger's init data. */
export type Proof = {
  email?: string | null
  phone?: string | null
  password?: string | null
  init_data?: string | null
}

export function authService(deps: Deps) {
  const { accounts, sessions, profiles, consents, callers, tokens, passwords, limits, sockets, audit, ids, now } = deps
  const { consentGate } = deps

  async function begin(userId: string, client: Client, provenBy?: string) {
    const at = now()
    const session: Session = {
      id: ids.next(),
      user_id: userId,
      generation: 0,
      rotated_at: at,
      created_at: at,
      last_used_at: at,
      user_agent: client.user_agent?.slice(0, 300) ?? null,
      ended_at: null,
    }
    if (!(await sessions.create(session, provenBy))) throw invalidCredentials()
    return answer(session, 0)
  }

  async function answer(session: Pick<Session, 'id' | 'user_id'>, generation: number) {
    return {
      user: await profiles.me(session.user_id),
      access_token: await tokens.access(session.user_id, session.id),
      refresh_token: tokens.refresh(session.id, generation),
      token_type: 'Bearer' as const,
      expires_in: accessTokenS,
    }
  }

  /** Ended sessions must not answer one more request, nor keep a socket. */
  async function cutOff(userId: string, sessionIds: readonly string[]) {
    const forgotten = callers.forget(userId)
    for (const sessionId of sessionIds) sockets.endSession(userId, sessionId)
    await forgotten
  }

  async function newPasswordHash(password: string, path: string): Promise<string> {
    if (isCommon(password)) throw invalid(path, 'This password is among the most common ones: choose another')
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
    await limits.check('password', key)
    const hash = credentials?.password_hash ?? null
    if (!(await passwords.fits(key, password.normalize('NFKC'), hash)) || !credentials || hash === null) {
      await limits.take('password', key)
      return null
    }
    // All guesses of one burst pass the check above: those that failed meanwhile count against this one.
    await limits.check('password', key)
    await limits.reset('password', key)
    if (!passwords.isOutdated(hash)) return hash
    const today = await passwords.hash(password.normalize('NFKC'))
    if (await accounts.replacePasswordHash(credentials.user_id, hash, today)) return today
    // Another login was faster, or the password is another now.
    return provenHash(await accounts.credentials({ user_id: credentials.user_id }), named, password, client)
  }

  /** The hash of the caller's password, null of an account without one. Refuses with 403 `wrong_password`. */
  async function confirmedHash(
    caller: Caller,
    password: string | null | undefined,
    client: Client,
  ): Promise<string | null> {
    const credentials = await accounts.credentials({ user_id: caller.id })
    // An account of a messenger login has none to confirm.
    if (credentials?.password_hash === null) return null
    const hash = await provenHash(credentials, caller.id, password ?? '', client)
    if (hash === null) throw wrongPassword()
    return hash
  }

  /** The account of a login. A wrong password and an unknown account answer alike, in body and in time. */
  async function accountOf(body: Login, client: Client): Promise<Credentials & { password_hash: string }> {
    const email = body.email?.trim().normalize('NFC').toLowerCase()
    const account = email ?? body.phone ?? null
    if (account === null || (email !== undefined && body.phone != null))
      throw invalid('/email', 'Expected an e-mail address or a phone number')
    const credentials = await accounts.credentials(email === undefined ? { phone: account } : { email: account })
    const password_hash = await provenHash(credentials, account, body.password, client)
    if (credentials && password_hash !== null) return { ...credentials, password_hash }
    await audit.note('login_failed', null, credentials?.user_id ?? null)
    throw invalidCredentials()
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

    /** Refuses with 422 `consents_required`, 409 `email_taken` or `phone_taken`. Stores all or nothing. */
    async register(body: Registration, client: Client) {
      const choices = registrationConsents(body.consents)
      const email = body.email?.normalize('NFC').toLowerCase() ?? null
      const phone = body.phone ?? null
      if (email === null && phone === null) throw invalid('/email', 'Expected an e-mail address or a phone number')
      const { name, city = null, bio = null, gender = null } = tidyProfile(body)
      const id = ids.next()
      const outcome = await accounts.register(
        {
          id,
          email,
          phone,
          messenger_id: null,
          password_hash: await newPasswordHash(body.password, '/password'),
          name,
          city,
          bio,
          gender,
          photo: null,
          language: 'en',
          created_at: now(),
        },
        consents.entries(id, choices, client),
      )
      if (outcome === 'email_taken') throw new Refusal('email_taken', 'There is an account with this e-mail address.')
      if (outcome === 'phone_taken') throw new Refusal('phone_taken', 'There is an account with this phone number.')
      await audit.note('register', id, id, { by: email === null ? 'phone' : 'email' })
      return begin(id, client)
    },

    /** A wrong password and an unknown account answer alike, in body and in time: 401 `invalid_credentials`. */
    async login(body: Login, client: Client) {
      const credentials = await accountOf(body, client)
      refuseSuspended(credentials, now())
      const session = await begin(credentials.user_id, client, credentials.password_hash)
      await audit.note('login', credentials.user_id, credentials.user_id, { by: 'password' })
      return session
    },

    /** Logs in whom the messenger vouches for, with a new account at the first time. */
    async messenger(initData: string, client: Client) {
      const person = personOf(initData)
      const { user_id, created } = await accounts.ensureMessengerAccount({
        id: ids.next(),
        email: null,
        phone: null,
        messenger_id: person.messenger_id,
        password_hash: null,
        name: person.name,
        city: null,
        bio: null,
        gender: null,
        photo: person.photo_url,
        language: person.language ?? 'en',
        created_at: now(),
      })
      const credentials = await accounts.credentials({ user_id })
      if (credentials) refuseSuspended(credentials, now())
      await audit.note(created ? 'register' : 'login', user_id, user_id, { by: 'messenger' })
      return { ...(await begin(user_id, client)), created }
    },

    /**
     * Whose credentials these are, by password or from the messenger, suspended or not. Refuses like the logins, and
     * begins no session.
     */
    async userOf(body: Proof, client: Client): Promise<string> {
      const password = body.password ?? null
      const init_data = body.init_data ?? null
      if (password !== null && init_data === null) return (await accountOf({ ...body, password }, client)).user_id
      if (password !== null || init_data === null) throw invalid('/password', 'Expected a password or init_data')
      const credentials = await accounts.credentials({ messenger_id: personOf(init_data).messenger_id })
      if (!credentials) throw new Refusal('invalid_credentials', 'There is no account of this messenger’s user.')
      return credentials.user_id
    },

    /** Rotates the refresh token. A token used before ends the session: somebody else has it too. */
    async refresh(refreshToken: string) {
      const token = tokens.readRefresh(refreshToken)
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
        await cutOff(session.user_id, [session.id])
      }
      throw reused()
    },

    async logout(caller: Caller) {
      await sessions.end(caller.id, caller.session_id, now())
      await cutOff(caller.id, [caller.session_id])
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
      await cutOff(caller.id, [sessionId])
      await audit.note('session_ended', caller.id, sessionId)
    },

    async endOtherSessions(caller: Caller) {
      const ended = await sessions.endAll(caller.id, now(), caller.session_id)
      await cutOff(caller.id, ended)
      await audit.note('sessions_ended', caller.id, caller.id, { count: ended.length })
    },

    /** Refuses with 403 `wrong_password` where the confirmation fails. */
    async confirmPassword(caller: Caller, password: string | null | undefined, client: Client): Promise<void> {
      await confirmedHash(caller, password, client)
    },

    /** Ends every other session. Refuses with 403 `wrong_password`, 422 for a common password. */
    async changePassword(
      caller: Caller,
      body: { current_password?: string | null; new_password: string },
      client: Client,
    ) {
      const from = await confirmedHash(caller, body.current_password, client)
      const to = await newPasswordHash(body.new_password, '/new_password')
      const ended = await accounts.changePassword(caller.id, from, to, { keep: caller.session_id, now: now() })
      if (ended === null) throw wrongPassword()
      await cutOff(caller.id, ended)
      await audit.note('password_changed', caller.id, caller.id, { sessions_ended: ended.length })
    },

    async recordConsents(caller: Caller, choices: ConsentChoices, client: Client) {
      const recorded = await consents.record(caller.id, choices, client)
      await callers.forget(caller.id)
      // Who would not be let in now does not stay in.
      if (consentGate && mandatory.some((kind) => choices[kind] === false)) sockets.end(caller.id)
      return recorded
    },
  }
}

const invalidCredentials = () => new Refusal('invalid_credentials', 'E-mail, phone or password is wrong.')

const wrongPassword = () => new Refusal('wrong_password', 'The password is wrong.')

const reused = () =>
  new Refusal('refresh_reused', 'This refresh token was used before. The session is over for everybody: log in again.')
