import type { Page, Paging } from '../../lib/paging.ts'
import type { SocketControl } from '../../realtime/events.ts'
import { Refusal } from '../../lib/refusal.ts'
import { iso, seconds } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { type Caller, type Callers, refuseSuspended } from './callers.ts'
import { openCutOff } from './cut-off.ts'
import { sessionLifetime } from './rules.ts'
import type { SessionStore } from './store.ts'
import { notSignedIn, type Tokens } from './tokens.ts'
import type { SessionStart } from './session-start.ts'

const { idle, longest } = sessionLifetime

// For this long, a client that lost our answer, or another tab of it, may still use the token before the newest.
const grace = 10 * seconds

type Deps = {
  sessions: SessionStore
  callers: Pick<Callers, 'forget'>
  tokens: Pick<Tokens, 'readRefresh'>
  paging: Paging
  sockets: SocketControl
  audit: Audit
  answer: SessionStart['answer']
  now: () => number
}

/** Refreshes, lists and ends sessions. */
export function openSessions({
  sessions,
  callers,
  tokens,
  paging: { keyOf, pageOf },
  sockets,
  audit,
  answer,
  now,
}: Deps) {
  const cutOff = openCutOff({ callers, sockets })

  return {
    cutOff,

    /** Rotates the refresh token. A reused token ends the session, because somebody else has it too. */
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
      // A generation ahead of ours is genuine too, if the database was restored from an older backup.
      if (
        generation >= session.generation &&
        (await sessions.rotate(session.id, session.generation, generation + 1, at))
      )
        return answer(session, generation + 1)
      // A concurrent request may have won the race for this rotation: answer with its token.
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
  }
}

const reused = () =>
  new Refusal(
    'refresh_reused',
    'This refresh token was used before: another tab or device has its successor, or somebody copied it. To be safe the session is over for all of them: log in again, and refresh in one place at a time.',
  )
