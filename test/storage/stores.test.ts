import { afterEach, describe, expect, test } from 'bun:test'
import type { Consent, NewAccount, Session } from '../../src/features/auth/store.ts'
import { anybody } from '../../src/features/registration/rules.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { engines } from '../engines.ts'
import { granted } from '../rows.ts'

// What the ports promise, asked of every engine: the same tests, race for race.

const now = Date.UTC(2026, 10, 21, 12)
const many = 50

const open: Storage[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

let count = 0
const account = (given: Partial<NewAccount> = {}): NewAccount => ({
  id: Bun.randomUUIDv7('hex', now + count),
  email: `person-${++count}@example.org`,
  phone: null,
  admission: anybody,
  messenger_id: null,
  password_hash: 'a hash',
  name: `Person ${count}`,
  city: null,
  bio: null,
  gender: null,
  photo: null,
  language: 'en',
  created_at: now,
  ...given,
})

const consent = (user_id: string, given: Partial<Consent> = {}): Consent => ({
  id: Bun.randomUUIDv7(),
  user_id,
  kind: 'terms',
  accepted: true,
  version: '1',
  text_hash: 'ab',
  recorded_at: now,
  user_agent: 'a browser',
  address: '203.0.113.0',
  ...given,
})

const session = (user_id: string, given: Partial<Session> = {}): Session => ({
  id: Bun.randomUUIDv7(),
  user_id,
  generation: 0,
  rotated_at: now,
  created_at: now,
  last_used_at: now,
  user_agent: null,
  ended_at: null,
  passkey_at: null,
  ...given,
})

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const numberOf = <T>(list: readonly T[], value: T) => list.filter((one) => one === value).length

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    async function fresh(): Promise<Storage> {
      const { storage } = await engine.open()
      open.push(storage)
      return storage
    }

    async function registered({ accounts }: Pick<Storage, 'accounts'>, given: Partial<NewAccount> = {}) {
      const made = account(given)
      expect(await accounts.register(made, [consent(made.id)])).toEqual({ lost_by: null })
      return made
    }

    describe('accounts', () => {
      test('of those who register one address at once, one gets it, and nothing is left of the others', async () => {
        const { accounts, users } = await fresh()
        const rivals = times(many, () => account({ email: 'same@example.org' }))
        const answers = await Promise.all(rivals.map((one) => accounts.register(one, [consent(one.id)])))
        const isCreated = (answer: (typeof answers)[number]) => typeof answer === 'object'
        expect(answers.filter(isCreated)).toEqual([{ lost_by: null }])
        expect(numberOf(answers, 'email_taken')).toBe(many - 1)
        const winner = rivals[answers.findIndex(isCreated)]!.id
        for (const { id } of rivals) {
          expect((await users.byId(id))?.id ?? null).toBe(id === winner ? id : null)
          expect(await accounts.consents(id)).toHaveLength(id === winner ? 1 : 0)
        }
        expect(await accounts.credentials({ email: 'same@example.org' })).toEqual({
          user_id: winner,
          messenger_id: null,
          password_hash: 'a hash',
          suspended_until: null,
          suspended_reason: null,
        })
      })

      test('a phone number that is taken is told apart from an address that is', async () => {
        const { accounts } = await fresh()
        await registered({ accounts }, { email: 'a@example.org', phone: '+4930123456' })
        expect(await accounts.register(account({ phone: '+4930123456' }), [])).toBe('phone_taken')
        expect(await accounts.register(account({ email: 'a@example.org', phone: '+4930123456' }), [])).toBe(
          'email_taken',
        )
      })

      test('all who come with one messenger id at once are one account', async () => {
        const { accounts } = await fresh()
        const logins = times(many, () => account({ email: null, messenger_id: '4711' }))
        const answers = await Promise.all(
          logins.map(async (one) => {
            const answer = await accounts.ensureMessengerAccount({ ...one, messenger_id: '4711' })
            if (typeof answer === 'string') throw new Error(answer)
            return answer
          }),
        )
        expect(new Set(answers.map(({ user_id }) => user_id)).size).toBe(1)
        expect(answers.filter(({ created }) => created)).toHaveLength(1)
        expect((await accounts.credentials({ messenger_id: '4711' }))?.user_id).toBe(answers[0]!.user_id)
      })

      test('an account is found by each of its names, and by no other', async () => {
        const { accounts } = await fresh()
        const { id } = await registered({ accounts }, { email: 'a@example.org', phone: '+49301', messenger_id: '1' })
        for (const by of [{ email: 'a@example.org' }, { phone: '+49301' }, { messenger_id: '1' }, { user_id: id }])
          expect((await accounts.credentials(by))?.user_id).toBe(id)
        for (const by of [{ email: 'A@example.org' }, { phone: '1' }, { messenger_id: '+49301' }, { user_id: '1' }])
          expect(await accounts.credentials(by)).toBeNull()
      })

      test('of several changes of one password at once, one counts', async () => {
        const { accounts } = await fresh()
        const { id } = await registered({ accounts })
        const answers = await Promise.all(times(10, (i) => accounts.replacePasswordHash(id, 'a hash', `hash ${i}`)))
        expect(numberOf(answers, true)).toBe(1)
        expect((await accounts.credentials({ user_id: id }))?.password_hash).toBe(`hash ${answers.indexOf(true)}`)
      })

      test('a first password is set where there was none, and once', async () => {
        const { accounts, sessions } = await fresh()
        const { id } = await registered({ accounts }, { password_hash: null })
        const [kept, other] = [session(id), session(id)]
        for (const one of [kept, other]) expect(await sessions.create(one)).toBe(true)
        expect(await accounts.changePassword(id, 'a hash', 'new', { keep: kept.id, now })).toBeNull()
        expect(await accounts.changePassword(id, null, 'new', { keep: kept.id, now: now + 1 })).toEqual([other.id])
        expect(await accounts.changePassword(id, null, 'newer', { keep: kept.id, now })).toBeNull()
        expect((await sessions.byId(kept.id))?.ended_at).toBeNull()
        expect((await sessions.byId(other.id))?.ended_at).toBe(now + 1)
      })

      test('the newest consent of each kind is the one written last, whatever the clock said', async () => {
        const { accounts } = await fresh()
        const { id } = await registered({ accounts })
        await accounts.recordConsents(id, [
          consent(id, { kind: 'marketing', accepted: true, recorded_at: now + 5 }),
          consent(id, { kind: 'privacy', accepted: true }),
        ])
        const last = consent(id, { kind: 'marketing', accepted: false, recorded_at: now - 5, user_agent: null })
        await accounts.recordConsents(id, [last])
        const found = await accounts.consents(id)
        expect(found.map(({ kind, accepted }) => [kind, accepted])).toEqual([
          ['terms', true],
          ['privacy', true],
          ['marketing', false],
        ])
        expect(found[2]).toEqual(last)
      })

      test('consents that are given at once are all kept', async () => {
        const { accounts } = await fresh()
        const { id } = await registered({ accounts })
        await Promise.all(
          times(many, (i) => accounts.recordConsents(id, [consent(id, { kind: 'marketing', accepted: i % 2 === 0 })])),
        )
        expect((await accounts.consents(id)).map(({ kind }) => kind)).toEqual(['terms', 'marketing'])
      })
    })

    describe('sessions', () => {
      test('of two who rotate one generation at once, one does', async () => {
        const storage = await fresh()
        const { id } = await registered(storage)
        const one = session(id)
        await storage.sessions.create(one)
        for (let generation = 0; generation < 5; generation++) {
          const answers = await Promise.all(
            times(8, () => storage.sessions.rotate(one.id, generation, generation + 1, now + generation)),
          )
          expect(numberOf(answers, true)).toBe(1)
        }
        expect(await storage.sessions.byId(one.id)).toEqual({
          ...one,
          generation: 5,
          rotated_at: now + 4,
          last_used_at: now + 4,
          suspended_until: null,
          suspended_reason: null,
          email: expect.any(String),
          email_verified_at: null,
        })
      })

      test('a session that ended is rotated no more, and ended once', async () => {
        const storage = await fresh()
        const { id } = await registered(storage)
        const one = session(id)
        await storage.sessions.create(one)
        const ends = await Promise.all(times(8, () => storage.sessions.end(id, one.id, now)))
        expect(numberOf(ends, true)).toBe(1)
        expect(await storage.sessions.rotate(one.id, 0, 1, now)).toBe(false)
        expect(await storage.sessions.end('somebody else', one.id, now)).toBe(false)
      })

      test('no session outlives the password that it was opened with', async () => {
        const storage = await fresh()
        for (let i = 0; i < 20; i++) {
          const { id } = await registered(storage)
          const [kept, opened] = [session(id), session(id)]
          await storage.sessions.create(kept)
          const [created, ended] = await Promise.all([
            storage.sessions.create(opened, { loginMethod: { kind: 'password', password_hash: 'a hash' } }),
            storage.accounts.changePassword(id, 'a hash', 'new', { keep: kept.id, now }),
          ])
          expect(ended).toEqual(created ? [opened.id] : [])
        }
      })

      test('the account of a session must be there', async () => {
        const { sessions } = await fresh()
        expect(await sessions.create(session('nobody'))).toBe(false)
        expect(await sessions.byId('nothing')).toBeNull()
      })

      test('live ones are listed newest first, page by page, in the order of bytes', async () => {
        const storage = await fresh()
        const { id } = await registered(storage)
        const made = ['a', 'B', 'Z', 'b', '_', '-', 'ä'].map((name) => session(id, { id: name }))
        for (const one of made) await storage.sessions.create(one)
        await storage.sessions.create(session(id, { id: 'old', created_at: now - 10, last_used_at: now - 10 }))
        await storage.sessions.create(session(id, { id: 'over', ended_at: now }))
        const expected = ['ä', 'b', 'a', '_', 'Z', 'B', '-']
        const seen: string[] = []
        for (let after: Session | null = null; ;) {
          const page: Session[] = await storage.sessions.live(
            id,
            { began: now - 5, lastUsed: now - 5 },
            { limit: 3, after },
          )
          if (page.length === 0) break
          seen.push(...page.map((one) => one.id))
          after = page.at(-1)!
        }
        expect(seen).toEqual(expected)
        expect(new Set(await storage.sessions.endAll(id, now, 'ä'))).toEqual(new Set([...expected.slice(1), 'old']))
        expect(await storage.sessions.endAll(id, now)).toEqual(['ä'])
      })

      test('of several at once, those that last are told, with how their user stands', async () => {
        const storage = await fresh()
        const [ada, bob, eve] = [await registered(storage), await registered(storage), await registered(storage)]
        const lasts = session(ada.id)
        const over = session(ada.id, { ended_at: now })
        const suspended = session(bob.id)
        const erased = session(eve.id)
        for (const one of [lasts, over, suspended, erased]) await storage.sessions.create(one)
        const entry = { id: 'an entry', at: now, actor_id: null, subject_id: null, metadata: {} }
        await storage.erasures.begin(eve.id, now, { ...entry, action: 'erase' })
        const suspend = { user_id: bob.id, until: now + 1, reason: 'enough', notice_id: 'a notice' }
        const notice = {
          notice: {
            ...{ id: 'a notice', user_id: bob.id, action: 'suspend' as const, reason: 'enough', note: null },
            ...{ until: null, report_id: null, created_at: now, decided_by: null },
          },
          event: {},
        }
        await storage.moderation.decide({
          at: now,
          audit: { ...entry, id: 'another', action: 'suspend' },
          notice,
          suspend,
        })
        const told = await storage.sessions.lasting([lasts, over, suspended, erased, session(ada.id)])
        expect(new Map(told.map(({ id, suspended_until }) => [id, suspended_until]))).toEqual(
          new Map([
            [lasts.id, null],
            [suspended.id, now + 1],
          ]),
        )
        expect(await storage.sessions.lasting([])).toEqual([])
      })
    })

    describe('profiles', () => {
      test('changes of different fields at once are all there', async () => {
        const storage = await fresh()
        const { id } = await registered(storage)
        await Promise.all([
          storage.users.update(id, { city: 'Lisbon' }, now + 1),
          storage.users.update(id, { bio: 'sings' }, now + 1),
          storage.users.update(id, { gender: 'other' }, now + 1),
          storage.users.savePreferences(id, { drinks: ['tea'] }),
          storage.users.savePreferences(id, { activities: ['walk', 'quote " and , comma {}'] }),
          storage.users.savePreferences(id, { language: 'pt' }),
          storage.users.setRole(id, 'moderator', granted(id, now + 1)),
        ])
        expect(await storage.users.byId(id)).toMatchObject({
          city: 'Lisbon',
          bio: 'sings',
          gender: 'other',
          role: 'moderator',
          visible: true,
          updated_at: now + 1,
          deleted_at: null,
        })
        const preferences = {
          drinks: ['tea'],
          activities: ['walk', 'quote " and , comma {}'],
          purposes: [],
          language: 'pt',
        }
        expect(await storage.users.preferences(id)).toEqual(preferences)
        expect(await storage.users.profile(id)).toMatchObject({ ...preferences, rating_avg: null, reviews_count: 0 })
      })

      test('profiles are found by their ids, and what is no id finds nothing', async () => {
        const storage = await fresh()
        const [a, b] = [await registered(storage), await registered(storage)]
        const found = await storage.users.profiles([a.id, b.id, 'nobody', '', '{},"\\', 'NULL'])
        expect(found.map(({ id }) => id).sort()).toEqual([a.id, b.id].sort())
        expect(await storage.users.profiles([])).toEqual([])
        expect(await storage.users.profile('nobody')).toBeNull()
        expect(await storage.users.byId('nobody')).toBeNull()
        expect(await storage.users.update('nobody', { name: 'x' }, now)).toBe('no_such_user')
      })

      test('a role is set together with the entry that tells of it, or not at all', async () => {
        const storage = await fresh()
        const { id } = await registered(storage)
        const entry = granted(id, now + 1)
        expect(await storage.users.setRole(id, 'moderator', entry)).toBe('changed')
        expect(await storage.users.setRole('nobody', 'admin', granted('nobody', now))).toBe('no_such_user')
        expect(await storage.audit.list({}, 10, null)).toEqual([entry])
        // Its id is taken.
        await expect(storage.users.setRole(id, 'admin', entry)).rejects.toThrow()
        expect((await storage.users.byId(id))?.role).toBe('moderator')
      })

      test('the photo that a change took away is told once, and another’s image is refused', async () => {
        const storage = await fresh()
        const { id } = await registered(storage, { photo: 'https://example.org/1.jpg' })
        expect(await storage.users.update(id, { photo: 'an image', name: 'not stored' }, now)).toBe('not_their_image')
        const answers = await Promise.all(times(8, () => storage.users.update(id, { photo: null }, now)))
        const replaced = answers.map((answer) => (typeof answer === 'string' ? answer : answer.replaced_photo))
        expect(numberOf(replaced, 'https://example.org/1.jpg')).toBe(1)
        expect(numberOf(replaced, null)).toBe(7)
        expect((await storage.users.byId(id))?.name).not.toBe('not stored')
      })
    })

    describe('audit log', () => {
      test('is listed newest first, by filter and page, with the metadata as given', async () => {
        const { audit } = await fresh()
        const metadata = { text: 'NUL \u0000 and half a pair \ud800', list: [1, 2.5, null], nested: { a: true } }
        const entries = times(7, (i) => ({
          id: Bun.randomUUIDv7('hex', now),
          at: now + (i >> 1),
          actor_id: i % 2 === 0 ? 'even' : null,
          action: 'looked',
          subject_id: `subject ${i}`,
          metadata: i === 3 ? metadata : {},
        }))
        await Promise.all(entries.map((entry) => audit.record(entry)))
        const newestFirst = entries.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
        const first = await audit.list({}, 4, null)
        expect([...first, ...(await audit.list({}, 4, first.at(-1)!))]).toEqual(newestFirst)
        const ids = async (filter: Parameters<typeof audit.list>[0]) =>
          (await audit.list(filter, 10, null)).map(({ id }) => id)
        const those = (keep: (i: number) => boolean) =>
          newestFirst.filter((e) => keep(entries.indexOf(e))).map((e) => e.id)
        expect(await ids({ actor_id: 'even' })).toEqual(those((i) => i % 2 === 0))
        expect(await ids({ subject_id: 'subject 5' })).toEqual([entries[5]!.id])
        expect(await ids({ action: 'nothing' })).toEqual([])
        expect(await ids({ from: now + 1, to: now + 2 })).toEqual(those((i) => i >= 2 && i < 6))
      })
    })

    describe('limits', () => {
      test('of those who announce at once, only as many get through as there is room for', async () => {
        const { announcements } = await fresh()
        const add = () => {
          const id = Bun.randomUUIDv7()
          return announcements.add({ id, text: 'Hello', until: null, created_at: now }, 3, granted(id, now))
        }
        expect(await add()).toBe('added')
        const answers = await Promise.all(times(8, add))
        expect([numberOf(answers, 'added'), numberOf(answers, 'full')]).toEqual([2, 6])
        expect(await announcements.active(now, 10)).toHaveLength(3)
      })

      test('the same holds for templates', async () => {
        const { templates } = await fresh()
        const add = () => {
          const id = Bun.randomUUIDv7()
          const template = { id, name: id, language: 'en', text: 'Hello', created_at: now }
          return templates.add(template, 3, granted(id, now))
        }
        expect(await add()).toBe('added')
        const answers = await Promise.all(times(8, add))
        expect([numberOf(answers, 'added'), numberOf(answers, 'full')]).toEqual([2, 6])
        expect(await templates.list(undefined)).toHaveLength(3)
      })
    })

    describe('events', () => {
      test('nobody has missed anything before the first', async () => {
        const storage = await fresh()
        const { id } = await registered(storage)
        expect(await storage.events.range(id)).toEqual({ oldest: 1, newest: 0 })
        expect(await storage.events.after(id, 0, 10)).toEqual([])
        expect(await storage.events.purge(now)).toBe(0)
        expect(await storage.events.newest([id, 'nobody'])).toEqual(new Map())
        expect(await storage.events.afterEach([{ user_id: id, since: 0, limit: 10 }])).toEqual([[]])
        for (const none of [storage.events.newest([]), storage.events.afterEach([])])
          expect([...(await none)]).toEqual([])
      })

      test('of several users at once the newest numbers, and the events after some, are those of each', async () => {
        const storage = await fresh()
        const people = await Promise.all(times(4, () => registered(storage)))
        const [ada, bob, eve, dan] = people.map(({ id }) => id) as [string, string, string, string]
        const block = (blocker_id: string, blocked_id: string) =>
          storage.blocks.ensure({ id: Bun.randomUUIDv7(), blocker_id, blocked_id, created_at: now }, { of: blocked_id })
        for (const other of [bob, eve, dan]) await block(ada, other)
        for (const other of [eve, dan]) await block(bob, other)
        await block(eve, dan)
        expect(await storage.events.newest([eve, dan, ada, 'nobody', bob])).toEqual(
          new Map([
            [ada, 3],
            [bob, 2],
            [eve, 1],
          ]),
        )
        const asked = [
          { user_id: bob, since: 1, limit: 10 },
          { user_id: dan, since: 0, limit: 10 },
          { user_id: ada, since: 0, limit: 2 },
          { user_id: eve, since: 1, limit: 10 },
          { user_id: ada, since: 2, limit: 10 },
        ]
        const found = await storage.events.afterEach(asked)
        expect<unknown>(found.map((events) => events.map(({ seq, type, data }) => [seq, type, data]))).toEqual([
          [[2, 'block', { of: dan }]],
          [],
          [
            [1, 'block', { of: bob }],
            [2, 'block', { of: eve }],
          ],
          [],
          [[3, 'block', { of: dan }]],
        ])
        for (const [i, { user_id, since, limit }] of asked.entries())
          expect(found[i]).toEqual(await storage.events.after(user_id, since, limit))
      })
    })
  })
}
