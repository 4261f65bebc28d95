import { holderOf, type Limits } from '../../lib/rate-limits.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { minutes } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { normalizedEmail } from '../email/rules.ts'
import type { Caller } from './callers.ts'
import { isCommon } from './common-passwords.ts'
import type { Client } from './consents.ts'
import { checkInitData } from './init-data.ts'
import { passwordGuesses } from './password-guesses.ts'
import type { Passwords } from './passwords.ts'
import type { AccountStore, Credentials, SessionStore } from './store.ts'
import { notSignedIn } from './tokens.ts'

// How old a session may be to replace the password that an account does not have.
const recentMs = 10 * minutes

type Deps = {
  accounts: AccountStore
  sessions: Pick<SessionStore, 'byId'>
  passwords: Passwords
  limits: Limits
  audit: Audit
  now: () => number
  messengerBotToken: string | null
  initDataMaxAgeS: number
}

export type Login = { email?: string | null; phone?: string | null; password: string }

/** Proves that a request comes from the account's owner. */
export type Confirmation = Pick<Proof, 'password' | 'init_data'>

/** An account and its password, or the messenger's init data. */
export type Proof = {
  email?: string | null
  phone?: string | null
  password?: string | null
  init_data?: string | null
}

/** Proves a user's identity by a password, by the messenger's init data, or by a recent login. */
export function openProofs({
  accounts,
  sessions,
  passwords,
  limits,
  audit,
  now,
  messengerBotToken,
  initDataMaxAgeS,
}: Deps) {
  async function newPasswordHash(holder: string, password: string, path: string): Promise<string> {
    if (isCommon(password))
      throw invalid(path, 'This password is among the most common ones: choose another', 'too_common')
    return passwords.hash(holder, password.normalize('NFKC'))
  }

  /**
   * The account's password hash if this is its password, else null. Failures count per account and address, so that no
   * stranger can lock an account. `named` is the name that was given, for unknown accounts.
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
    if (!(await passwords.matches(key, password.normalize('NFKC'), hash)) || !credentials || hash === null) {
      await guesses.countFailure()
      return null
    }
    // All guesses of a burst pass the check above: check again with those that have failed meanwhile.
    await guesses.check()
    await guesses.forgive()
    if (!passwords.isOutdated(hash)) return hash
    const today = await passwords.hash(key, password.normalize('NFKC'))
    if (await accounts.replacePasswordHash(credentials.user_id, hash, today)) return today
    // A concurrent login has replaced the hash, or the password has changed.
    return provenHash(await accounts.credentials({ user_id: credentials.user_id }), named, password, client)
  }

  /**
   * The hash of the caller's password; null for an account without one, whose login must be recent. Refuses with 403
   * `wrong_password` or `forbidden`.
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

  /** Counts from the login or the last passkey. A refresh does not count: a thief of the token could do it. */
  async function refuseOldSession({ session_id }: Caller): Promise<void> {
    const session = await sessions.byId(session_id)
    if (!session) throw notSignedIn()
    if (now() - Math.max(session.created_at, session.passkey_at ?? session.created_at) >= recentMs)
      throw new Refusal(
        'forbidden',
        'Log in again first, or confirm this session with a passkey, then do this at once.',
      )
  }

  /** The account of a login. The answers for a wrong password and an unknown account do not differ, not even in time. */
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

  /** The user that init data of the messenger authenticates. Refuses like the messenger login. */
  function personOf(initData: string) {
    if (messengerBotToken === null)
      throw new Refusal('messenger_not_configured', 'This server is not connected to a messenger.')
    return checkInitData(initData, messengerBotToken, { nowMs: now(), maxAgeS: initDataMaxAgeS })
  }

  return {
    newPasswordHash,
    confirmedHash,
    accountOf,
    personOf,

    /** The id of the user, suspended or not, whose credentials these are. Refuses like the logins, but begins no session. */
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

    /**
     * Confirms that the account's owner makes the request, and not somebody with a stolen token: by the password or, for a
     * messenger account, by fresh init data. An account without a password may have logged in recently instead. Refuses with 403
     * `wrong_password` or `forbidden`, and for init data like the messenger login.
     */
    async confirmOwner(caller: Caller, { password, init_data }: Confirmation, client: Client): Promise<void> {
      const credentials = await accounts.credentials({ user_id: caller.id })
      if (!credentials) throw notSignedIn()
      if (password == null && init_data != null) {
        if (personOf(init_data).messenger_id !== credentials.messenger_id) throw wrongPassword()
        return
      }
      await confirmedHash(caller, password, client)
    },

    /** Confirms the owner like `confirmOwner`, by the password alone. */
    async confirmPassword(caller: Caller, password: string | null | undefined, client: Client): Promise<void> {
      await confirmedHash(caller, password, client)
    },

    /** Confirms the owner by a recent login or passkey, or by the password. Refuses with 403 `wrong_password` or `forbidden`. */
    async confirmRecently(caller: Caller, password: string | null | undefined, client: Client): Promise<void> {
      if (password == null) await refuseOldSession(caller)
      else await confirmedHash(caller, password, client)
    },
  }
}

export const invalidCredentials = () => new Refusal('invalid_credentials', 'E-mail, phone or password is wrong.')

export const wrongPassword = () => new Refusal('wrong_password', 'The password is wrong.')
