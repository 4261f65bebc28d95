import { afterEach, describe, expect, test } from 'bun:test'
import type { Appeal, Decided, Decision, Notice } from '../../src/features/moderation/store.ts'
import type { Case } from '../../src/features/moderation/rules.ts'
import { mandatory } from '../../src/features/auth/rules.ts'
import type { NewReport } from '../../src/features/safety/store.ts'
import { engines } from '../engines.ts'
import { atOnce, chatOf, image, now, openWithRows, people, person, times, type WithRows } from '../rows.ts'

// Decisions, notices and appeals, asked of every engine: the same tests, race for race.

const open: WithRows[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const moderators = times(8, (i) => `moderator ${i}`)

const entry = (action = 'decided') => ({
  id: Bun.randomUUIDv7(),
  at: now,
  actor_id: 'moderator 0',
  action,
  subject_id: null,
  metadata: {},
})

const report = (reporter_id: string, given: Partial<NewReport>): NewReport => ({
  id: Bun.randomUUIDv7(),
  reporter_id,
  target: 'user',
  target_id: '',
  subject_id: null,
  reason: 'spam',
  details: null,
  created_at: now,
  ...given,
})

const notice = (user_id: string, given: Partial<Notice> = {}): Notice => ({
  id: Bun.randomUUIDv7(),
  user_id,
  report_id: null,
  action: 'warn',
  reason: 'be kind',
  note: null,
  until: null,
  created_at: now,
  decided_by: null,
  strikes: null,
  ...given,
})

const appeal = ({ id: notice_id, user_id }: Notice, given: Partial<Appeal> = {}): Appeal => ({
  id: Bun.randomUUIDv7(),
  notice_id,
  user_id,
  text: 'it was not me',
  status: 'open',
  created_at: now,
  resolved_at: null,
  resolved_by: null,
  note: null,
  ...given,
})

const carried = (answer: Decided | string | null) => answer as Decided

const settled = { resolved_by: 'moderator 0', action: 'warn', note: 'so it is', until: null } as const

/** A decision that suspends, with its notice. */
function suspension(user_id: string, given: Partial<Decision> = {}): Decision & { notice: { notice: Notice } } {
  const told = notice(user_id, { action: 'suspend' })
  return {
    at: now,
    audit: entry('suspend'),
    suspend: { user_id, until: now + 1000, reason: 'enough', notice_id: told.id },
    notice: { notice: told, event: { of: told.id } },
    ...given,
  } as Decision & { notice: { notice: Notice } }
}

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    async function fresh() {
      const storage = await openWithRows(engine)
      open.push(storage)
      for (const id of moderators) await person(storage, { id })
      return storage
    }

    async function reported(storage: WithRows, given: Partial<NewReport> = {}) {
      const [a, b] = (await people(storage, 2)) as [string, string]
      const asked = report(a, { target_id: b, subject_id: b, ...given })
      expect((await storage.reports.file(asked, 5))!.created).toBe(true)
      return { ...asked, subject: b }
    }

    const statusOf = async (storage: WithRows, id: string) => (await storage.moderation.moderationStatus(id))!

    describe('decisions', () => {
      test('of one report at once are one, with one notice, one event and one line in the log', async () => {
        const storage = await fresh()
        for (let round = 0; round < 6; round++) {
          const { id, subject } = await reported(storage)
          const answers = await Promise.all(
            times(8, (i) =>
              storage.moderation.decide({
                at: now + i,
                audit: { ...entry(), subject_id: subject },
                report: { id, ...settled, resolved_by: `moderator ${i}` },
                notice: { notice: notice(subject, { report_id: id }), event: { no: i } },
              }),
            ),
          )
          const winner = answers.findIndex((answer) => answer !== null)
          expect(answers.filter((answer) => answer !== null)).toEqual([
            {
              noted: [{ user_id: subject, seq: 1, notice_id: expect.any(String) }],
              tombstone: null,
              released: null,
              photos: [],
              bank_changed: false,
            },
          ])
          expect(await storage.moderation.report(id)).toMatchObject({
            status: 'resolved',
            resolved_by: `moderator ${winner}`,
            resolved_at: now + winner,
            action: 'warn',
            note: 'so it is',
          })
          expect(await storage.notices.list(subject, 10, null)).toHaveLength(1)
          expect(await storage.events.after(subject, 0, 10)).toMatchObject([{ seq: 1, data: { no: winner } }])
          expect(await storage.audit.list({ subject_id: subject }, 10, null)).toHaveLength(1)
        }
      })

      test('change nothing at all where one part of them does not stand', async () => {
        const storage = await fresh()
        const { id, subject } = await reported(storage)
        const told = notice(subject)
        await storage.moderation.decide({ at: now, audit: entry(), notice: { notice: told, event: {} } })
        const filed = appeal(told)
        await storage.notices.appeal(filed)
        const before = await storage.rows.of('users')
        const whole: Decision = {
          ...suspension(subject),
          audit: entry('never'),
          report: { id, ...settled },
          appeal: { id: filed.id, resolved_by: 'moderator 1', status: 'upheld', note: 'n' },
          remove: { target: 'user', id: subject, name: 'Somebody' },
        }
        for (const broken of [
          { ...whole, report: { ...whole.report!, id: 'no report' } },
          { ...whole, appeal: { ...whole.appeal!, id: 'no appeal' } },
          { ...whole, lift: { user_id: subject, suspension_id: 'another' } },
          { ...whole, lift: { user_id: subject, suspension_id: null } },
        ])
          expect(await storage.moderation.decide(broken)).toBeNull()
        expect(await storage.rows.of('users')).toEqual(before)
        expect(await storage.moderation.report(id)).toMatchObject({ status: 'open', resolved_at: null })
        expect(await storage.moderation.appeal(filed.id)).toMatchObject({ status: 'open', resolved_at: null })
        expect(await storage.audit.list({ action: 'never' }, 10, null)).toEqual([])
        expect(await storage.events.range(subject)).toEqual({ oldest: 1, newest: 1 })
        expect(await storage.moderation.decide(whole)).not.toBeNull()
        expect(await storage.moderation.decide(whole)).toBeNull()
      })

      test('an appeal lifts the suspension it is about, or stays open where another has just come', async () => {
        const storage = await fresh()
        for (let round = 0; round < 12; round++) {
          const id = await person(storage)
          const first = suspension(id)
          await storage.moderation.decide(first)
          const filed = appeal(first.notice.notice)
          expect(await storage.notices.appeal(filed)).toBe(true)
          const second = suspension(id)
          const [upheld, again] = await Promise.all([
            storage.moderation.decide({
              at: now,
              audit: entry(),
              appeal: { id: filed.id, resolved_by: 'moderator 1', status: 'upheld', note: 'n' },
              lift: { user_id: id, suspension_id: first.notice.notice.id },
            }),
            storage.moderation.decide(second),
          ])
          expect(again).not.toBeNull()
          // Whichever came first, the second suspension is what stands.
          expect(await statusOf(storage, id)).toMatchObject({
            suspended_until: now + 1000,
            suspension_id: second.notice.notice.id,
          })
          expect((await storage.moderation.appeal(filed.id))!.status).toBe(upheld === null ? 'open' : 'upheld')
        }
      })

      test('are refused within the step, and change nothing, where a role changed after the service had looked', async () => {
        const storage = await fresh()
        const setRole = (id: string, role: 'user' | 'moderator' | 'admin') =>
          storage.users.setRole(id, role, { ...entry('role'), id: crypto.randomUUID(), actor_id: null })
        const [judge, other] = ['moderator 1', 'moderator 2'] as const
        // The last admin cannot be demoted.
        const keeper = await person(storage)
        await setRole(keeper, 'admin')
        await setRole(judge, 'moderator')
        const filed = await reported(storage)
        const about = { judge_id: judge, subject_id: filed.subject, parties: [filed.reporter_id], suspends: false }
        const settle = (given: Partial<Case> = {}) =>
          storage.moderation.decide({
            at: now,
            audit: { ...entry('tried'), id: crypto.randomUUID() },
            case: { ...about, decided_by: null, ...given },
            report: { id: filed.id, ...settled, resolved_by: judge },
          })
        expect(await settle({ judge_id: other })).toBe('no_moderator')
        expect(await settle({ parties: [judge] })).toBe('own_case')
        expect(await settle({ subject_id: judge })).toBe('own_case')
        await setRole(filed.subject, 'admin')
        expect(await settle()).toBe('for_admins')
        await setRole(judge, 'admin')
        expect(await settle({ suspends: true })).toBe('suspends_admin')
        await setRole(filed.subject, 'user')
        await setRole(judge, 'moderator')
        await setRole(other, 'moderator')
        expect(await settle({ decided_by: judge })).toBe('decided_before')
        await setRole(judge, 'user')
        expect(await settle()).toBe('no_moderator')
        await setRole(judge, 'moderator')
        await storage.moderation.decide({ ...suspension(judge), audit: { ...entry('suspend'), id: 'suspended' } })
        expect(await settle()).toBe('no_moderator')
        expect(await storage.moderation.report(filed.id)).toMatchObject({ status: 'open' })
        expect(await storage.audit.list({ action: 'tried' }, 10, null)).toEqual([])
        await storage.moderation.decide({
          at: now,
          audit: { ...entry('lift'), id: 'lifted' },
          lift: { user_id: judge, suspension_id: (await statusOf(storage, judge)).suspension_id },
        })
        // The other one is no moderator any more: there is nobody else.
        await setRole(other, 'user')
        await setRole(judge, 'admin')
        await setRole(keeper, 'user')
        expect(await settle({ decided_by: judge })).toMatchObject({ noted: [] })
      })

      test('and the loss of a role at once: whoever has lost it has decided before, or not at all', async () => {
        const storage = await fresh()
        for (let round = 0; round < 12; round++) {
          const judge = await person(storage)
          await storage.users.setRole(judge, 'moderator', { ...entry('role'), id: crypto.randomUUID() })
          const { id, subject, reporter_id } = await reported(storage)
          const about = { judge_id: judge, subject_id: subject, parties: [reporter_id], suspends: false }
          const decide = (reportId: string) =>
            storage.moderation.decide({
              at: now,
              audit: { ...entry(), id: crypto.randomUUID() },
              case: { ...about, decided_by: null },
              report: { id: reportId, ...settled, resolved_by: judge },
            })
          const [decided] = await Promise.all([
            decide(id),
            storage.users.setRole(judge, 'user', { ...entry('role'), id: crypto.randomUUID() }),
          ])
          expect((await storage.moderation.report(id))!.status).toBe(decided === 'no_moderator' ? 'open' : 'resolved')
          expect(await decide(id)).toBe('no_moderator')
        }
      })

      test('of several who lift one suspension at once one does, and it is over', async () => {
        const storage = await fresh()
        const id = await person(storage)
        const suspended = suspension(id)
        await storage.moderation.decide(suspended)
        expect(await storage.accounts.credentials({ user_id: id })).toMatchObject({ suspended_reason: 'enough' })
        const lift: Decision = {
          at: now,
          audit: entry(),
          lift: { user_id: id, suspension_id: suspended.notice.notice.id },
        }
        const answers = await Promise.all(
          times(8, () =>
            storage.moderation.decide({ ...lift, audit: entry(), notice: { notice: notice(id), event: {} } }),
          ),
        )
        expect(answers.filter((answer) => answer !== null)).toHaveLength(1)
        expect(await storage.accounts.credentials({ user_id: id })).toMatchObject({
          suspended_until: null,
          suspended_reason: null,
        })
        expect(await storage.notices.list(id, 10, null)).toHaveLength(2)
      })

      test('remove a message once, keep what it said, and tell both', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const chat = await chatOf(storage, a, b, [
          { sender_id: b, kind: 'photo', text: 'look', photo_id: 'shot', client_id: 'c' },
        ])
        await storage.rows.insert('message_versions', [
          { chat_id: chat, message_id: `${chat}/1`, at: now + 3, text: 'before' },
        ])
        const answers = await Promise.all(
          times(8, () =>
            storage.moderation.decide({
              at: now,
              audit: entry(),
              remove: { target: 'message', id: `${chat}/1`, name: '' },
              notice: { notice: notice(b), event: {} },
            }),
          ),
        )
        const removed = answers.map(carried).filter(({ tombstone }) => tombstone !== null)
        expect(removed).toHaveLength(1)
        expect(removed[0]!.photos).toEqual(['shot'])
        expect(removed[0]!.tombstone!.message).toMatchObject({
          id: `${chat}/1`,
          text: null,
          photo_id: null,
          photo_width: null,
          client_id: 'c',
          deleted_at: now,
        })
        for (const { user_id, seq } of removed[0]!.tombstone!.events) {
          const [event] = await storage.events.after(user_id, seq - 1, 1)
          expect(event).toMatchObject({ seq, type: 'message_deleted', ref: `${chat}/1` })
        }
        expect((await storage.events.range(a)).newest).toBe(1)
        expect((await storage.events.range(b)).newest).toBe(9)
        // The same millisecond, and a later one is taken: the next free one.
        expect(await storage.holdings.versions([`${chat}/1`])).toEqual([
          { message_id: `${chat}/1`, text: 'before', at: now + 3 },
          { message_id: `${chat}/1`, text: 'look', at: now + 4 },
        ])
      })

      test('of a message that nobody has read leave nothing unread', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)).toSorted() as [string, string]
        const chat = await chatOf(storage, a, b, [])
        const content = { kind: 'text' as const, text: 'spam', photo_id: null, client_id: null, created_at: now }
        const unread = async () => (await storage.chats.entries(b, [chat]))[0]!.unread_count
        for (const id of ['one', 'two'])
          await storage.chats.append({ id, chat_id: chat, sender_id: a, ...content }, b, null)
        expect(await unread()).toBe(2)
        const remove = { target: 'message', id: 'one', name: '' } as const
        await storage.moderation.decide({ at: now, audit: entry(), remove })
        expect(await unread()).toBe(1)
      })

      test('empty a profile, and people are found by it no more', async () => {
        const storage = await fresh()
        const id = await person(storage, { gender: 'female', city: 'Lisbon', bio: 'sings' })
        await storage.rows.insert('media', [image(id, 'face')])
        await storage.users.update(id, { photo: 'face' }, now)
        await storage.users.savePreferences(id, { drinks: ['tea'], language: 'pt' })
        // Without all of them nobody is found at all.
        const consent = { user_id: id, accepted: true, version: '1', text_hash: 'ab', recorded_at: now }
        await storage.accounts.recordConsents(
          id,
          mandatory.map((kind) => ({ ...consent, id: Bun.randomUUIDv7(), kind, user_agent: null, address: null })),
        )
        const published = { latitude: 38.7, longitude: -9.1 }
        await storage.locations.follow(id, () => ({ published, cell: 'aa'.repeat(8), strayed: false, tags: [] }), now)
        const found = async () => {
          const here = { caller: 'nobody', centre: published, radius: 1000, limit: 10, after: null, since: 0, now }
          const filters = { drinks: ['tea'] } as unknown as Parameters<typeof storage.locations.nearby>[0]['filters']
          return (await storage.locations.nearby({ ...here, filters })).map(({ user_id }) => user_id)
        }
        expect(await found()).toEqual([id])
        const remove = { target: 'user', id, name: 'Somebody' } as const
        const answers = await Promise.all(
          times(5, () => storage.moderation.decide({ at: now, audit: entry(), remove })),
        )
        expect(answers.flatMap((answer) => carried(answer).photos)).toEqual(['face'])
        expect(await found()).toEqual([])
        expect(await storage.users.profile(id)).toMatchObject({
          name: 'Somebody',
          city: null,
          bio: null,
          photo: null,
          gender: 'female',
          drinks: [],
          language: 'pt',
        })
        const gone = { target: 'user', id: 'nobody', name: 'x' } as const
        expect(await storage.moderation.decide({ at: now, audit: entry(), remove: gone })).toEqual({
          noted: [],
          tombstone: null,
          released: null,
          photos: [],
          bank_changed: false,
        })
      })

      test('tell nobody whose account is erased, and leave nothing of it behind', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const chat = await chatOf(storage, a, b, [{ sender_id: a }])
        const filed = report(a, { target_id: b, subject_id: b })
        await storage.reports.file(filed, 5)
        await storage.erasures.begin(b, now, entry('erase'))
        const decided = await storage.moderation.decide({
          ...suspension(b),
          report: { id: filed.id, ...settled },
          remove: { target: 'message', id: `${chat}/1`, name: '' },
        })
        expect(carried(decided).noted).toEqual([])
        expect(carried(decided).tombstone!.events).toEqual([{ user_id: a, seq: 1 }])
        expect(await storage.rows.of('notices')).toEqual([])
        expect((await storage.rows.of('events')).map(({ user_id }) => user_id)).toEqual([a])
        expect(await statusOf(storage, b)).toMatchObject({ suspended_until: null, deleted_at: now })
        expect(await storage.moderation.moderationStatus('nobody')).toBeNull()
      })
    })

    describe('notices and appeals', () => {
      test('of several appeals of one decision at once there is one', async () => {
        const storage = await fresh()
        const id = await person(storage)
        const told = notice(id)
        await storage.moderation.decide({ at: now, audit: entry(), notice: { notice: told, event: {} } })
        const asked = times(8, () => appeal(told))
        const answers = await Promise.all(asked.map((one) => storage.notices.appeal(one)))
        expect(answers.filter(Boolean)).toHaveLength(1)
        const kept = asked[answers.indexOf(true)]!
        expect(await storage.notices.appeals(id, 10, null)).toEqual([kept])
        expect(await storage.notices.byId(told.id)).toMatchObject({ appeal_id: kept.id, appeal_status: 'open' })
      })

      test('show what they are about, newest first, page by page', async () => {
        const storage = await fresh()
        const { id: report_id, subject } = await reported(storage, { reason: 'scam' })
        const made = times(5, (i) =>
          notice(subject, { created_at: now + (i >> 1), report_id: i === 2 ? report_id : null }),
        )
        for (const one of made)
          await storage.moderation.decide({ at: now, audit: entry(), notice: { notice: one, event: {} } })
        const filed = appeal(made[1]!)
        await storage.notices.appeal(filed)
        const expected = made
          .map((one, i) => ({
            ...one,
            target: i === 2 ? 'user' : null,
            target_id: i === 2 ? subject : null,
            ground: i === 2 ? 'scam' : null,
            appeal_id: i === 1 ? filed.id : null,
            appeal_status: i === 1 ? 'open' : null,
          }))
          .sort((x, y) => y.created_at - x.created_at || (x.id < y.id ? 1 : -1))
        const first = await storage.notices.list(subject, 3, null)
        const last = first.at(-1)!
        const rest = await storage.notices.list(subject, 3, { at: last.created_at, id: last.id })
        expect([...first, ...rest] as unknown).toEqual(expected)
        expect(await storage.notices.byId('none')).toBeNull()
        expect(await storage.moderation.appeal(filed.id)).toEqual({
          ...filed,
          notice: (await storage.notices.byId(made[1]!.id))!,
          reporter_id: null,
          reviewed_id: null,
        })
        expect(await storage.moderation.appeal('none')).toBeNull()
      })
    })

    describe('queues', () => {
      test('of reports leave out what concerns the reader, and nothing else', async () => {
        const storage = await fresh()
        const [reader, a, b] = (await people(storage, 3)) as [string, string, string]
        const chat = await chatOf(storage, a, reader)
        const id = crypto.randomUUID()
        await storage.reviews.add(
          {
            id,
            chat_id: chat,
            reviewer_id: a,
            reviewed_id: reader,
            rating: 1,
            anonymous: false,
            text: null,
            created_at: now,
          },
          atOnce,
        )
        const other = await chatOf(storage, a, b)
        const decoy = crypto.randomUUID()
        await storage.reviews.add(
          {
            id: decoy,
            chat_id: other,
            reviewer_id: a,
            reviewed_id: b,
            rating: 1,
            anonymous: false,
            text: `"reviewed_id":"${reader}"`,
            created_at: now,
          },
          atOnce,
        )
        const asked = [
          report(b, { target: 'review', target_id: id, subject_id: a }),
          report(b, { target: 'user', target_id: reader, subject_id: reader }),
          report(reader, { target: 'review', target_id: decoy, subject_id: a, created_at: now + 1, reason: 'hate' }),
          report(reader, { target: 'user', target_id: a, subject_id: a, details: reader }),
        ]
        for (const one of asked) expect((await storage.reports.file(one, 5))!.created).toBe(true)
        const ids = async (filter: Parameters<typeof storage.queue.list>[0], limit = 10, after = null) =>
          (await storage.queue.list(filter, 'created', limit, after)).map((found) => found.id)
        const [ofReader, about, decoyed, plain] = asked.map((one) => one.id) as [string, string, string, string]
        expect(await ids({ reader })).toEqual([plain, decoyed])
        expect(await ids({ reader: 'somebody else' })).toEqual([...[ofReader, about, plain].sort(), decoyed])
        expect(await ids({ reader, reason: 'hate' })).toEqual([decoyed])
        expect(await ids({ reader, status: 'resolved' })).toEqual([])
        await storage.moderation.decide({ at: now, audit: entry(), report: { id: plain, ...settled } })
        expect(await ids({ reader, status: 'resolved', reason: 'spam' })).toEqual([plain])
        expect(await ids({ reader, status: 'open' })).toEqual([decoyed])
        const [first] = await storage.queue.list({ reader }, 'created', 1, null)
        expect(
          (await storage.queue.list({ reader }, 'created', 5, { at: first!.created_at, id: first!.id })).map(
            (r) => r.id,
          ),
        ).toEqual([decoyed])
      })

      test('of appeals are oldest first, without the reader’s own', async () => {
        const storage = await fresh()
        const [reader, a] = (await people(storage, 2)) as [string, string]
        const filed: Appeal[] = []
        for (const [i, user] of [reader, a, a, a].entries()) {
          const told = notice(user)
          await storage.moderation.decide({ at: now, audit: entry(), notice: { notice: told, event: {} } })
          const one = appeal(told, { created_at: now - i })
          filed.push(one)
          await storage.notices.appeal(one)
        }
        await storage.moderation.decide({
          at: now,
          audit: entry(),
          appeal: { id: filed[2]!.id, resolved_by: 'moderator 1', status: 'rejected', note: 'no' },
        })
        const found = await storage.moderation.appeals({ reader }, 10, null)
        expect(found.map(({ id }) => id)).toEqual([filed[3]!.id, filed[2]!.id, filed[1]!.id])
        expect(found.map(({ notice: told }) => told.id)).toEqual([
          filed[3]!.notice_id,
          filed[2]!.notice_id,
          filed[1]!.notice_id,
        ])
        const rejected = await storage.moderation.appeals({ reader, status: 'rejected' }, 10, null)
        expect(rejected).toMatchObject([{ id: filed[2]!.id, resolved_at: now, note: 'no' }])
        const rest = await storage.moderation.appeals({ reader }, 10, { at: filed[3]!.created_at, id: filed[3]!.id })
        expect(rest.map(({ id }) => id)).toEqual([filed[2]!.id, filed[1]!.id])
      })
    })
  })
}
