import type { Ids } from '../../lib/ids.ts'
import type { Limits } from '../../lib/rate-limits.ts'
import { seconds } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { AccountMails } from '../email/account-mails.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { Profiles } from '../profile/service.ts'
import { refuseSuspended } from './callers.ts'
import type { Client } from './consents.ts'
import { sessionLifetime } from './rules.ts'
import type { AccountStore, Session, SessionStore, LoginMethod, WithSession } from './store.ts'
import { accessTokenS, type Tokens } from './tokens.ts'
import { invalidCredentials } from './proofs.ts'

export type SessionStart = ReturnType<typeof openSessionStart>

const { idle, longest } = sessionLifetime

type Deps = {
  accounts: Pick<AccountStore, 'credentials'>
  sessions: Pick<SessionStore, 'create'>
  profiles: Pick<Profiles, 'me'>
  tokens: Pick<Tokens, 'access' | 'refresh'>
  limits: Limits
  mails: AccountMails
  audit: Audit
  ids: Ids
  now: () => number
}

/** Begins sessions for authenticated users. */
export function openSessionStart({ accounts, sessions, profiles, tokens, limits, mails, audit, ids, now }: Deps) {
  function newSession(userId: string, client: Client, loginMethod?: LoginMethod): Session {
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
      passkey_at: loginMethod?.kind === 'passkey' ? at : null,
    }
  }

  /**
   * Begins a session. `newDeviceMail` is sent if this user agent has never used the account. Null if the account is erased,
   * or the credential is no longer valid.
   */
  async function tryBegin(userId: string, client: Client, with_: WithSession) {
    const session = newSession(userId, client, with_.loginMethod)
    if (!(await sessions.create(session, with_))) return null
    if (with_.newDeviceMail) mails.wake()
    return answer(session, 0)
  }

  async function begin(userId: string, client: Client, with_: WithSession = {}) {
    const session = await tryBegin(userId, client, with_)
    if (session === null) throw invalidCredentials()
    return session
  }

  /** Like `tryBegin`, with the mail about a new device. */
  async function trySignIn(userId: string, client: Client, with_: { loginMethod: LoginMethod; audit: AuditEntry }) {
    const user_agent = client.user_agent?.slice(0, 300) ?? null
    const [mail] = await mails.about(userId, { about: 'new_device', user_agent, at: now() })
    return tryBegin(userId, client, { ...with_, newDeviceMail: mail })
  }

  async function signIn(userId: string, client: Client, with_: { loginMethod: LoginMethod; audit: AuditEntry }) {
    const session = await trySignIn(userId, client, with_)
    if (session === null) throw invalidCredentials()
    return session
  }

  async function refuseSignIn(user_id: string) {
    const credentials = await accounts.credentials({ user_id })
    if (credentials) refuseSuspended(credentials, now())
    await limits.take('session', user_id)
  }

  /** Signs in a user who was authenticated by another service. Refuses with 403 `suspended`. */
  async function signInBy(
    loginMethod: Exclude<LoginMethod, { kind: 'password' | 'passkey' }>,
    { user_id, created }: { user_id: string; created: boolean },
    client: Client,
  ) {
    await refuseSignIn(user_id)
    const entry = audit.entry(created ? 'register' : 'login', user_id, user_id, { by: loginMethod.kind })
    return signIn(user_id, client, { loginMethod, audit: entry })
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

  return { newSession, begin, trySignIn, signIn, refuseSignIn, signInBy, answer }
}
