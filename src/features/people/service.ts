import type { Page, Paging } from '../../lib/paging.ts'
import { Refusal } from '../../lib/refusal.ts'
import { iso, isoOrNull, minutes } from '../../lib/time.ts'
import type { SocketControl } from '../../realtime/events.ts'
import type { Audit } from '../audit/service.ts'
import type { AuditStore } from '../audit/store.ts'
import { type Callers, forever } from '../auth/callers.ts'
import { openCutOff } from '../auth/cut-off.ts'
import { sessionLifetime } from '../auth/rules.ts'
import type { Webhooks } from '../webhooks/service.ts'
import type { SessionStore } from '../auth/store.ts'
import type { Identities } from '../identities/service.ts'
import type { Emails } from '../email/service.ts'
import { proposalAt, strikesLast } from '../moderation/rules.ts'
import type { NoticeInContext } from '../moderation/store.ts'
import { noSuchUser } from '../profile/service.ts'
import type { Role, UserStore } from '../profile/store.ts'
import { type LookRefusal, rangesOf, refusesLook, type RoleRefusal, type Standing } from './rules.ts'
import type { PeopleStore, PersonInList, PersonRecord } from './store.ts'

export type People = ReturnType<typeof peopleService>

/** A moderator or an admin, or the operator at the command line, who has no id. */
type Reader = { id: string | null; role: Role }

type PeopleQuery = { q?: string; standing?: Standing; role?: Role } & Page

const mostSessions = 50
// Longer than the interval of the job, for commands on machines whose clocks differ.
const lookBackMs = 5 * minutes

type Deps = {
  store: PeopleStore
  users: Pick<UserStore, 'setRole'>
  sessions: Pick<SessionStore, 'live'>
  emails: Pick<Emails, 'sendResetTo'>
  identities: Pick<Identities, 'ofUser'>
  auditLog: Pick<AuditStore, 'list'>
  webhooks: Webhooks
  callers: Pick<Callers, 'forget'>
  sockets: Pick<SocketControl, 'endSession'>
  /** Closes the sockets of these users on this node if their session is over or they are suspended. */
  recheckSockets(userIds: string[]): void
  audit: Audit
  paging: Paging
  now: () => number
}

/** Accounts for staff. Reading a person's data is always recorded in the audit log. */
export function peopleService(deps: Deps) {
  const { store, users, sessions, emails, identities, auditLog, webhooks, callers, audit, now } = deps
  const cutOff = openCutOff(deps)
  const { keyOf, pageOf } = deps.paging
  /** Audit entries of operators' commands that this process has applied. */
  let known: ReadonlySet<string> = new Set()

  async function recordOf(reader: Reader, userId: string): Promise<PersonRecord> {
    const person = await store.record(userId, reader.id, now() - strikesLast)
    if (!person) throw new Refusal('not_found', noSuchUser)
    const refused = refusesLook(reader, person)
    if (refused) throw new Refusal('forbidden', lookRefusals[refused])
    return person
  }

  /** The data that only admins see. */
  async function contactsOf({ id, email, email_verified_at, phone }: PersonRecord) {
    const { idle, longest } = sessionLifetime
    const live = await sessions.live(
      id,
      { began: now() - longest, lastUsed: now() - idle },
      { limit: mostSessions, after: null },
    )
    return {
      email,
      email_verified: email !== null && email_verified_at !== null,
      phone,
      identities: await identities.ofUser(id),
      sessions: live.map(({ id, created_at, last_used_at, user_agent }) => ({
        id,
        created_at: iso(created_at),
        last_used_at: iso(last_used_at),
        user_agent,
      })),
    }
  }

  const standingOf = ({ suspended_until: until }: Pick<PersonInList, 'suspended_until'>) =>
    until !== null && until > now()
      ? { standing: 'suspended' as const, suspended_until: until >= forever ? null : iso(until) }
      : { standing: 'active' as const, suspended_until: null }

  const personInList = (person: PersonInList) => ({
    id: person.id,
    name: person.name,
    role: person.role,
    ...standingOf(person),
    created_at: iso(person.created_at),
    email: person.email,
    phone: person.phone,
  })

  return {
    /** Accounts that are not erased, by `q` (see `rangesOf`); without it all of them, newest first. */
    async search(reader: Reader, { q = '', standing, role, limit = 30, cursor }: PeopleQuery) {
      const key = keyOf('people', cursor, ['number', 'string', 'string'])
      const found = await store.search(
        { ranges: rangesOf(q), standing, role, now: now() },
        limit + 1,
        key && { range: key[0], key: key[1], id: key[2] },
      )
      const page = pageOf('people', found, limit, ({ place }) => [place.range, place.key, place.id], personInList)
      // Only ids, not the query, which may be an e-mail address.
      const user_ids = page.items.map(({ id }) => id)
      await audit.record('people_searched', reader.id, null, { user_ids })
      return page
    },

    /** One account: the facts for moderation and, for admins, contact data, ways to sign in and sessions. */
    async record(reader: Reader, userId: string) {
      const person = await recordOf(reader, userId)
      const contacts = reader.role === 'admin' ? await contactsOf(person) : {}
      await audit.record('person_read', reader.id, person.id)
      const isSuspended = standingOf(person).standing === 'suspended'
      return {
        id: person.id,
        name: person.name,
        role: person.role,
        ...standingOf(person),
        language: person.language,
        suspended_reason: isSuspended ? person.suspended_reason : null,
        created_at: iso(person.created_at),
        hidden: person.hidden,
        strikes: person.strikes,
        proposal: proposalAt(person.strikes),
        counts: person.counts,
        decisions: person.decisions.map(decisionView),
        ...contacts,
      }
    },

    /** Ends all sessions of a user. Returns how many. */
    async endSessions(reader: Reader, userId: string): Promise<number> {
      const ended = await store.endSessions(userId, audit.entry('sessions_ended', reader.id, userId))
      if (ended === null) throw new Refusal('not_found', noSuchUser)
      await cutOff(userId, ended, 'ended')
      return ended.length
    },

    /** Mails a user a link for a new password. */
    async sendPasswordLink(reader: Reader, userId: string): Promise<void> {
      if ((await store.record(userId, reader.id, now() - strikesLast)) === null)
        throw new Refusal('not_found', noSuchUser)
      await emails.sendResetTo(userId)
      await audit.note('password_link_sent', reader.id, userId)
    },

    /** Gives a user a role; `user` withdraws it. */
    async changeRole(reader: Reader, userId: string, role: Role) {
      const person = await store.record(userId, reader.id, now() - strikesLast)
      if (person && person.role !== role) {
        const before = person.role
        const entry =
          role === 'user'
            ? audit.entry('role_revoked', reader.id, userId, { role: before, before })
            : audit.entry('role_granted', reader.id, userId, { role, before })
        const parcels = webhooks.about('user.updated', userId, { user_id: userId, fields: ['role'] })
        const outcome = await users.setRole(userId, role, entry, parcels)
        if (outcome === 'changed') return { user_id: userId, role }
        if (outcome !== 'no_such_user') throw roleRefusals[outcome]()
      } else if (person) return { user_id: userId, role }
      throw new Refusal('not_found', noSuchUser)
    },

    /**
     * Applies what operators have done by commands, outside this process: ended sessions and changed suspensions. Returns how many
     * accounts were concerned.
     */
    async applyOperatorCommands(): Promise<number> {
      const from = now() - lookBackMs
      const lists = ['sessions_ended', 'suspend', 'unsuspend'].map((action) =>
        auditLog.list({ actor_id: null, action, from }, 1000, null),
      )
      const entries = (await Promise.all(lists)).flat()
      const userIds = new Set(entries.flatMap(({ id, subject_id }) => (known.has(id) ? [] : (subject_id ?? []))))
      for (const userId of userIds) await callers.forget(userId)
      deps.recheckSockets([...userIds])
      known = new Set(entries.map(({ id }) => id))
      return userIds.size
    },
  }
}

const lookRefusals: Record<LookRefusal, string> = {
  own_record: 'This is your own account: use /me.',
  for_admins: 'The accounts of moderators and admins are for admins.',
}

const roleRefusals: Record<RoleRefusal, () => Refusal> = {
  no_admin: () => new Refusal('forbidden', 'This is for admins.'),
  last_admin: () => new Refusal('conflict', lastAdmin),
}

const lastAdmin = 'This is the only admin: make somebody else one first.'

function decisionView(notice: NoticeInContext) {
  const { id, action, ground, reason, note, until, created_at, decided_by, report_id, target, strikes } = notice
  const { appeal_id, appeal_status } = notice
  return {
    id,
    action,
    ground,
    reason,
    note,
    until: isoOrNull(until),
    created_at: iso(created_at),
    decided_by,
    strikes: strikes ?? 0,
    // Only the evidence of the report may name the author of a review.
    report_id: target === 'review' ? null : report_id,
    appeal: appeal_id === null || appeal_status === null ? null : { id: appeal_id, status: appeal_status },
  }
}
