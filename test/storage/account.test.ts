import { afterEach, describe, expect, test } from 'bun:test'
import type { Cleared, Place } from '../../src/features/account/store.ts'
import type { Consent } from '../../src/features/auth/store.ts'
import type { Whereabouts } from '../../src/features/location/published-point.ts'
import type { Image } from '../../src/features/media/store.ts'
import type { Database } from '../../src/storage/postgres/database.ts'
import { postgresStorage } from '../../src/storage/postgres/storage.ts'
import { type Engine, engines } from '../engines.ts'
import { atOnce, chatOf, image, now, openWithRows, people, person, times, type WithRows, granted } from '../rows.ts'

// Erasures, exports and what is kept for a time only, asked of every engine: the same tests, race for race.

const open: WithRows[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const entry = (subject_id: string | null = null) => ({
  id: Bun.randomUUIDv7(),
  at: now,
  actor_id: null,
  action: 'erase',
  subject_id,
  metadata: {},
})

const session = (user_id: string, given: object = {}) => ({
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

const whereabouts: Whereabouts = {
  published: { latitude: 38.7, longitude: -9.1 },
  cell: 'ab'.repeat(8),
  strayed: false,
  tags: [{ tag: 'ab'.repeat(8), uses: 1 }],
}

async function clearAll({ erasures }: WithRows, id: string, at = now): Promise<Cleared[]> {
  const parts: Cleared[] = []
  for (let place: Place | null = null; ;) {
    const part: Cleared = await erasures.clear(id, at, place)
    parts.push(part)
    if (part.next === null) return parts
    place = part.next
  }
}

const sum = (parts: readonly Cleared[]) => parts.reduce((rows, part) => rows + part.rows, 0)

/** Whether the engine has the ports that chats are written by. */
const hasChats = ({ name }: Engine) => name === 'SQLite' || 'chats' in postgresStorage({} as Database)

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    async function fresh() {
      const storage = await openWithRows(engine)
      open.push(storage)
      return storage
    }

    describe('erasures', () => {
      test('that begin at once begin once, and nobody finds the account any more', async () => {
        const storage = await fresh()
        const id = await person(storage, { phone: '+49301', gender: 'other' })
        await storage.sessions.create(session(id))
        const entries = times(8, () => entry(id))
        const answers = await Promise.all(entries.map((one, i) => storage.erasures.begin(id, now + i, one)))
        expect(answers.filter(Boolean)).toHaveLength(1)
        const at = now + answers.indexOf(true)
        expect(await storage.erasures.unfinished()).toEqual([{ user_id: id, at }])
        expect(await storage.erasures.erasedSince(at)).toEqual([{ user_id: id, at }])
        expect(await storage.erasures.erasedSince(at + 1)).toEqual([])
        expect(await storage.audit.list({ subject_id: id }, 10, null)).toHaveLength(1)
        for (const by of [{ user_id: id }, { email: `${id}@example.org` }, { phone: '+49301' }])
          expect(await storage.accounts.credentials(by)).toBeNull()
        expect(await storage.rows.of('sessions')).toEqual([])
        expect(await storage.rows.of('preferences')).toEqual([])
        expect(await storage.erasures.begin('nobody', now, entry())).toBe(false)
        await clearAll(storage, id, at)
        expect(await storage.erasures.unfinished()).toEqual([])
        expect(await storage.erasures.begin(id, now, entry())).toBe(false)
      })

      test('leave tombstones, reviews without an author, reports, and nothing else', async () => {
        const storage = await fresh()
        const [a, b, c] = (await people(storage, 3)) as [string, string, string]
        await storage.rows.insert('media', [image(a, 'shot'), image(a, 'evidence')])
        const chat = await chatOf(storage, a, b, [
          { sender_id: a, client_id: 'one' },
          { sender_id: b },
          { sender_id: a, kind: 'photo', text: null, photo_id: 'evidence' },
          { sender_id: a, text: null, deleted_at: now - 5 },
        ])
        await storage.rows.insert('message_versions', [
          { chat_id: chat, message_id: `${chat}/1`, at: now, text: 'theirs' },
          { chat_id: chat, message_id: `${chat}/2`, at: now, text: 'not theirs' },
        ])
        const review = { rating: 4, anonymous: false, text: 'nice', created_at: now }
        await storage.reviews.add(
          { ...review, id: crypto.randomUUID(), chat_id: chat, reviewer_id: a, reviewed_id: b },
          atOnce,
        )
        const second = await chatOf(storage, a, c)
        await storage.reviews.add(
          { ...review, id: crypto.randomUUID(), chat_id: second, reviewer_id: c, reviewed_id: a },
          atOnce,
        )
        await storage.blocks.ensure({ id: 'x', blocker_id: a, blocked_id: c, created_at: now }, {})
        await storage.blocks.ensure({ id: 'y', blocker_id: c, blocked_id: a, created_at: now }, {})
        const of = { reason: 'spam', details: 'said', created_at: now } as const
        await storage.reports.file(
          { ...of, id: 'by b', reporter_id: b, target: 'message', target_id: `${chat}/3`, subject_id: a },
          0,
        )
        await storage.reports.file(
          { ...of, id: 'by a', reporter_id: a, target: 'user', target_id: b, subject_id: b },
          0,
        )
        expect(await storage.erasures.begin(a, now, entry(a))).toBe(true)
        const parts = await clearAll(storage, a)
        expect(parts.flatMap(({ files }) => files)).toEqual(['file of shot'])
        expect(parts.flatMap(({ chats }) => chats).map(({ chat_id, user_id }) => [chat_id, user_id])).toEqual(
          expect.arrayContaining([
            [chat, b],
            [second, c],
          ]),
        )
        const messages = (await storage.rows.of('messages')).toSorted((x, y) => Number(x.seq) - Number(y.seq))
        expect(messages.map(({ text, photo_id, client_id }) => [text, photo_id, client_id])).toEqual([
          [null, null, null],
          ['words 2', null, null],
          [null, null, null],
          [null, null, null],
        ])
        expect(messages.map(({ deleted_at }) => (deleted_at === null ? null : Number(deleted_at)))).toEqual([
          now,
          null,
          now,
          now - 5,
        ])
        expect((await storage.rows.of('message_versions')).map(({ text }) => text)).toEqual(['not theirs'])
        expect(await storage.reviews.ofUser(b, 5, null)).toMatchObject([{ reviewer_id: null, text: 'nice' }])
        expect(await storage.reviews.stats(b)).toEqual({ rating_avg: 4, count: 1 })
        expect(await storage.moderation.report('by a')).toMatchObject({ reporter_id: null, details: 'said' })
        expect((await storage.moderation.report('by b'))!.evidence).not.toBeNull()
        expect(await storage.rows.mentioning(a)).toEqual({
          audit_log: 1,
          users: 1,
          consent_log: 1,
          chats: 2,
          messages: 3,
          reports: 1,
          media: 1,
        })
        expect(await storage.rows.of('consent_log')).toContainEqual(
          expect.objectContaining({ user_id: a, user_agent: null, address: null }),
        )
        // Again, as the next start may: nothing is there to be removed, and nobody is told.
        const again = await clearAll(storage, a)
        expect([sum(again), again.flatMap(({ chats, files }) => [...chats, ...files])]).toEqual([0, []])
      })

      test('of a long history go in parts, and everybody is told once', async () => {
        const storage = await fresh()
        const [a, ...others] = (await people(storage, 61)) as [string, ...string[]]
        const chats: string[] = []
        for (const [i, b] of others.entries()) {
          const long = i === 30 ? 1100 : 3
          chats.push(
            await chatOf(
              storage,
              a,
              b,
              times(long, (n) => ({ sender_id: n % 2 === 0 ? a : b })),
            ),
          )
        }
        await storage.erasures.begin(a, now, entry(a))
        const parts = await clearAll(storage, a)
        expect(parts.length).toBeGreaterThan(2)
        for (const { rows } of parts) expect(rows).toBeLessThanOrEqual(1200)
        const told = parts.flatMap((part) => part.chats)
        expect(told.map(({ chat_id }) => chat_id).sort()).toEqual(chats.toSorted())
        expect(told.map(({ user_id }) => user_id).sort()).toEqual(others.toSorted())
        for (const { user_id, seq, chat_id } of told)
          expect(await storage.events.after(user_id, 0, 5)).toEqual([
            { seq, type: 'chat', at: now, ref: chat_id, data: null },
          ])
        const left = (await storage.rows.of('messages')).filter((m) => m.sender_id === a && m.text !== null)
        expect(left).toEqual([])
        expect(await storage.erasures.unfinished()).toEqual([])
      })

      test('that two nodes finish at once are finished', async () => {
        const storage = await fresh()
        const [a, ...others] = (await people(storage, 13)) as [string, ...string[]]
        for (const b of others)
          await chatOf(
            storage,
            a,
            b,
            times(60, () => ({ sender_id: a })),
          )
        await storage.erasures.begin(a, now, entry(a))
        await Promise.all(times(3, () => clearAll(storage, a)))
        expect((await storage.rows.of('messages')).filter(({ text }) => text !== null)).toEqual([])
        expect(await storage.erasures.unfinished()).toEqual([])
        expect(sum(await clearAll(storage, a))).toBe(0)
      })

      test('of both sides of a chat at once leave nothing of either', async () => {
        const storage = await fresh()
        for (let round = 0; round < 8; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          await chatOf(storage, a, b, [{ sender_id: a }, { sender_id: b }])
          await Promise.all(
            [a, b].map(async (id) => {
              await storage.erasures.begin(id, now, entry(id))
              await clearAll(storage, id)
            }),
          )
          for (const id of [a, b]) {
            const left = await storage.rows.mentioning(id)
            expect(left).toEqual({ audit_log: 1, users: 1, consent_log: 1, chats: 1, messages: 1 })
          }
        }
      })

      test('leave nothing of what is stored at the same time', async () => {
        const storage = await fresh()
        // One for each place of the erasure among the writes, and more.
        for (let round = 0; round < 18; round++) {
          const [a, b, c] = (await people(storage, 3)) as [string, string, string]
          const [chat, second] = [await chatOf(storage, a, b, [{ sender_id: a }]), await chatOf(storage, a, c)]
          const suspended = `notice ${round}`
          const told = {
            id: `told ${round}`,
            user_id: a,
            report_id: null,
            action: 'warn' as const,
            reason: 'be kind',
            note: null,
            until: null,
            created_at: now,
            decided_by: null,
          }
          await storage.moderation.decide({ at: now, audit: entry(), notice: { notice: told, event: {} } })
          const review = { rating: 4, anonymous: false, text: 'nice', created_at: now }
          const photo = { ...image(a, `photo ${round}`), owner_id: a } as Image
          const consent: Consent = {
            ...{ id: `consent ${round}`, user_id: a, kind: 'marketing', accepted: true, version: '1', text_hash: 'ab' },
            ...{ recorded_at: now, user_agent: 'theirs', address: '203.0.113.0/24' },
          }
          const about = { reason: 'spam', details: null, created_at: now } as const
          const writes: (() => Promise<unknown>)[] = [
            () => storage.sessions.create(session(a)),
            () => storage.media.add(photo, Infinity),
            () => storage.accounts.recordConsents(a, [consent]),
            () => storage.users.savePreferences(a, { drinks: ['tea'] }),
            () => storage.users.update(a, { bio: 'sings' }, now),
            () => storage.locations.setVisible(a, false),
            () => storage.locations.follow(a, () => whereabouts, now),
            () => storage.blocks.ensure({ id: `b${round}`, blocker_id: a, blocked_id: b, created_at: now }, {}),
            () => storage.blocks.ensure({ id: `c${round}`, blocker_id: c, blocked_id: a, created_at: now }, {}),
            () =>
              storage.reviews.add(
                { ...review, id: crypto.randomUUID(), chat_id: chat, reviewer_id: a, reviewed_id: b },
                atOnce,
              ),
            () =>
              storage.reviews.add(
                { ...review, id: crypto.randomUUID(), chat_id: second, reviewer_id: c, reviewed_id: a },
                atOnce,
              ),
            () =>
              storage.reports.file(
                { ...about, id: `r${round}`, reporter_id: a, target: 'user', target_id: b, subject_id: b },
                5,
              ),
            () =>
              storage.notices.appeal({
                id: `a${round}`,
                notice_id: told.id,
                user_id: a,
                text: 'no',
                status: 'open',
                created_at: now,
                resolved_at: null,
                resolved_by: null,
                note: null,
              }),
            () =>
              storage.moderation.decide({
                at: now,
                audit: entry(),
                suspend: { user_id: a, until: now + 1, reason: 'x', notice_id: suspended },
                notice: { notice: { ...told, id: suspended }, event: {} },
                remove: { target: 'message', id: `${chat}/1`, name: '' },
              }),
          ]
          const erase = async () => {
            await storage.erasures.begin(a, now, entry())
            await clearAll(storage, a)
          }
          // The erasure in the midst of them: some have come before, and some come after.
          const half = round % (writes.length + 1)
          await Promise.all([...writes.slice(0, half), erase, ...writes.slice(half)].map((write) => write()))
          const { consent_log, ...left } = await storage.rows.mentioning(a)
          expect(left).toEqual({ users: 1, chats: 2, messages: 1 })
          // What was agreed to stays, and not from where.
          const consents = (await storage.rows.of('consent_log')).filter(({ user_id }) => user_id === a)
          expect(consents.length).toBe(consent_log!)
          for (const { user_agent, address } of consents) expect([user_agent, address]).toEqual([null, null])
          const row = (await storage.rows.of('users')).find(({ id }) => id === a)!
          for (const field of ['email', 'name', 'bio', 'suspended_until', 'suspension_id'])
            expect([field, row[field]]).toEqual([field, null])
        }
      })

      test('leave nothing to be stored of them after', async () => {
        const storage = await fresh()
        const id = await person(storage)
        await storage.erasures.begin(id, now, entry())
        await clearAll(storage, id)
        const before = await storage.rows.mentioning(id)
        expect(await storage.media.add({ ...image(id, 'late'), owner_id: id } as Image, Infinity)).toBe('no_such_owner')
        expect(
          await storage.accounts.recordConsents(id, [
            {
              ...{ id: 'late', user_id: id, kind: 'marketing', accepted: true, version: '1', text_hash: 'ab' },
              ...{ recorded_at: now, user_agent: 'theirs', address: null },
            },
          ]),
        ).toBeNull()
        expect(await storage.users.savePreferences(id, { drinks: ['tea'] })).toBeNull()
        expect(await storage.users.update(id, { bio: 'sings' }, now)).toBe('no_such_user')
        expect(await storage.users.setRole(id, 'admin', granted(id, now))).toBe('no_such_user')
        expect(await storage.locations.setVisible(id, false)).toBe(false)
        expect(await storage.locations.follow(id, () => whereabouts, now)).toBeNull()
        expect(await storage.sessions.create(session(id))).toBe(false)
        expect(await storage.accounts.replacePasswordHash(id, 'hash', 'other')).toBe(false)
        expect(await storage.rows.mentioning(id)).toEqual(before)
      })

      test.skipIf(!hasChats(engine))('leave nothing of what is said in chats at the same time', async () => {
        const storage = await fresh()
        for (let round = 0; round < 12; round++) {
          const [a, b, c] = (await people(storage, 3)) as [string, string, string]
          const chat = await chatOf(storage, a, b, [{ sender_id: a }, { sender_id: b }])
          const [user_a, user_b] = [a, b].sort() as [string, string]
          const pair = { id: chat, user_a, user_b, created_at: now, last_msg_at: null, held_a: 0, held_b: 0 }
          const [first, second] = [a, c].sort() as [string, string]
          const message = { chat_id: chat, kind: 'text', text: 'late', photo_id: null, created_at: now } as const
          const writes: (() => Promise<unknown>)[] = [
            () => storage.chats.append({ ...message, id: `s${round}`, sender_id: b, client_id: null }, a, null),
            () => storage.chats.append({ ...message, id: `o${round}`, sender_id: a, client_id: 'own' }, b, null),
            () => storage.chats.markRead(pair, a, now, null),
            () => storage.chats.markRead(pair, b, now, null),
            () => storage.chats.edit(pair, `${chat}/1`, 'edited', now, 100),
            () => storage.chats.remove(pair, `${chat}/2`, now),
            () => storage.chats.ensure({ id: `e${round}`, user_a: first, user_b: second, created_at: now }),
          ]
          const erase = async () => {
            await storage.erasures.begin(a, now, entry())
            await clearAll(storage, a)
          }
          const half = round % (writes.length + 1)
          await Promise.all([...writes.slice(0, half), erase, ...writes.slice(half)].map((write) => write()))
          const { users, consent_log, messages, chats, events: _, ...left } = await storage.rows.mentioning(a)
          expect([users, consent_log]).toEqual([1, 1])
          expect(messages).toBeGreaterThan(0)
          expect(chats).toBeGreaterThan(0)
          expect(left).toEqual({})
          // Those of the others may tell of them.
          expect((await storage.rows.of('events')).filter(({ user_id }) => user_id === a)).toEqual([])
          const theirs = (await storage.rows.of('messages')).filter(({ sender_id }) => sender_id === a)
          expect(theirs.filter(({ text, client_id }) => text !== null || client_id !== null)).toEqual([])
        }
      })
    })

    describe('exports', () => {
      test('hold all there is, page by page', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const kinds = ['privacy', 'marketing', 'disclaimer', 'marketing'] as const
        await storage.accounts.recordConsents(
          a,
          kinds.map((kind, i) => ({
            id: `consent ${i}`,
            user_id: a,
            kind,
            accepted: i % 2 === 0,
            version: '1',
            text_hash: 'ab',
            recorded_at: now - i,
            user_agent: null,
            address: null,
          })),
        )
        const made = times(5, (i) => session(a, { created_at: now + (i >> 1), ended_at: i === 2 ? now : null }))
        for (const one of made) await storage.sessions.create(one)
        async function all<T>(page: (after: T | null) => Promise<T[]>): Promise<T[]> {
          const found: T[] = []
          for (;;) {
            const rows = await page(found.at(-1) ?? null)
            if (rows.length === 0) return found
            found.push(...rows)
          }
        }
        const consents = await all<Awaited<ReturnType<typeof storage.holdings.consents>>[number]>((after) =>
          storage.holdings.consents(a, 2, after),
        )
        expect(consents.map(({ kind, accepted }) => `${kind} ${accepted}`)).toEqual([
          'disclaimer true',
          'marketing false',
          'marketing false',
          'privacy true',
          'terms true',
        ])
        expect(new Set(consents.map(({ id }) => id)).size).toBe(5)
        const sessions = await all<(typeof made)[number]>(
          (after) => storage.holdings.sessions(a, 2, after) as Promise<typeof made>,
        )
        expect(sessions).toEqual(made.toSorted((x, y) => x.created_at - y.created_at || (x.id < y.id ? -1 : 1)))
        const chat = await chatOf(storage, a, b)
        expect(await storage.holdings.chats(a)).toEqual([{ id: chat, other_id: b, created_at: now }])
        expect(await storage.holdings.chats('nobody')).toEqual([])
        expect(await storage.holdings.places(a)).toBe(0)
        expect(await storage.holdings.versions([])).toEqual([])
        const review = { rating: 4, anonymous: true, text: null, created_at: now }
        const written = { ...review, id: crypto.randomUUID(), chat_id: chat, reviewer_id: a, reviewed_id: b }
        await storage.reviews.add(written, atOnce)
        expect(await storage.holdings.reviewsBy(a)).toEqual([written])
      })

      test('do not tell of images that are kept as evidence alone', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        await storage.rows.insert(
          'media',
          times(9, (i) => image(a, `image ${i}`)),
        )
        const chat = await chatOf(storage, a, b, [{ sender_id: a, kind: 'photo', text: null, photo_id: 'image 5' }])
        await storage.users.update(a, { photo: 'image 6' }, now)
        const asked = { reason: 'spam', details: null, created_at: now } as const
        await storage.reports.file(
          { ...asked, id: 'r', reporter_id: b, target: 'message', target_id: `${chat}/1`, subject_id: a },
          0,
        )
        await storage.rows.insert(
          'evidence_photos',
          [0, 1, 2, 3].map((i) => ({ report_id: 'r', media_id: `image ${i}` })),
        )
        const first = await storage.holdings.images(a, 3, null)
        const rest = await storage.holdings.images(a, 3, first.at(-1)!)
        expect([...first, ...rest].map(({ id }) => id)).toEqual(times(5, (i) => `image ${i + 4}`))
        expect(first[0] as unknown).toEqual({
          id: 'image 4',
          width: 40,
          height: 30,
          bytes: 1000,
          hashes: null,
          created_at: now,
        })
      })
    })

    describe('what is kept for a time', () => {
      const nodes = 3
      /** As several nodes that do it at once, in batches. */
      async function together(remove: () => Promise<number>, limit: number): Promise<number> {
        const counts = await Promise.all(
          times(nodes, async () => {
            let removed = 0
            for (let idle = 0; idle < 2;) {
              const count = await remove()
              expect(count).toBeLessThanOrEqual(limit)
              removed += count
              idle = count === 0 ? idle + 1 : 0
            }
            return removed
          }),
        )
        return counts.reduce((a, b) => a + b)
      }

      test('sessions, consents’ origins, versions and the log go once, in batches, and what is young stays', async () => {
        const storage = await fresh()
        const { retention, rows } = storage
        const [a, b] = (await people(storage, 2)) as [string, string]
        await rows.insert('sessions', [
          ...times(25, (i) => session(a, { id: `ended ${i}`, ended_at: now - 10 - i })),
          ...times(15, (i) => session(b, { id: `unused ${i}`, last_used_at: now - 10 - i })),
          session(a, { id: 'young', ended_at: now }),
          session(a, { id: 'live', created_at: now - 100 }),
        ])
        const old = { ended: now - 5, lastUsed: now - 5 }
        expect(await together(() => retention.sessions(old, 7), 7)).toBe(40)
        expect((await rows.of('sessions')).map(({ id }) => id).sort()).toEqual(['live', 'young'])

        expect(await together(() => retention.consentOrigins(now, 7), 7)).toBe(0)
        await storage.accounts.recordConsents(
          a,
          times(20, (i) => ({
            id: `c${i}`,
            user_id: a,
            kind: 'marketing',
            accepted: true,
            version: '1',
            text_hash: 'ab',
            recorded_at: now - 10,
            user_agent: i % 2 === 0 ? 'x' : null,
            address: i % 3 === 0 ? null : 'y',
          })),
        )
        // Of twenty, those of 3, 9 and 15 have no origin.
        expect(await together(() => retention.consentOrigins(now - 5, 6), 6)).toBe(17)
        const consents = await rows.of('consent_log')
        expect(consents).toHaveLength(22)
        expect(consents.filter(({ user_agent }) => user_agent !== null)).toHaveLength(2)

        const chat = await chatOf(storage, a, b, [{ sender_id: a }])
        await rows.insert('message_versions', [
          ...times(20, (i) => ({ chat_id: chat, message_id: `${chat}/1`, at: now - 10 - i, text: `${i}` })),
          { chat_id: chat, message_id: `${chat}/1`, at: now, text: 'young' },
        ])
        expect(await together(() => retention.messageVersions(now - 5, 6), 6)).toBe(20)
        expect((await rows.of('message_versions')).map(({ text }) => text)).toEqual(['young'])

        for (const i of times(20, (n) => n)) await storage.audit.record({ ...entry(), at: now - 10 - i })
        await storage.audit.record(entry())
        expect(await together(() => retention.auditEntries(now - 5, 6), 6)).toBe(20)
        expect(await storage.audit.list({}, 10, null)).toHaveLength(1)
      })

      test('evidence goes, and with it what was said in reports by and about the erased', async () => {
        const storage = await fresh()
        const { retention, rows } = storage
        const [a, b, by, about] = (await people(storage, 4)) as [string, string, string, string]
        await person(storage, { id: 'moderator' })
        const asked = { target: 'user', reason: 'spam', details: 'said', created_at: now } as const
        await storage.reports.file({ ...asked, id: 'plain', reporter_id: a, target_id: b, subject_id: b }, 0)
        await storage.reports.file({ ...asked, id: 'by', reporter_id: by, target_id: b, subject_id: b }, 0)
        await storage.reports.file({ ...asked, id: 'about', reporter_id: a, target_id: about, subject_id: about }, 0)
        await storage.reports.file({ ...asked, id: 'open', reporter_id: b, target_id: a, subject_id: a }, 0)
        const settled = { resolved_by: 'moderator', action: 'dismiss', note: 'noted', until: null } as const
        for (const id of ['plain', 'by', 'about']) {
          await storage.moderation.decide({ at: now - 10, audit: entry(), report: { id, ...settled } })
          await rows.insert('media', [image(a, `photo of ${id}`)])
          await rows.insert('evidence_photos', [{ report_id: id, media_id: `photo of ${id}` }])
        }
        for (const id of [by, about]) {
          await storage.erasures.begin(id, now, entry())
          await clearAll(storage, id)
        }
        expect((await storage.moderation.report('about'))!.details).toBe('said')
        expect(await retention.evidence(now - 10, 10)).toBe(0)
        expect(await together(() => retention.evidence(now - 5, 2), 2)).toBe(3)
        const said = async (id: string) => {
          const { details, note, evidence } = (await storage.moderation.report(id))!
          return [details, note, evidence === null]
        }
        expect(await said('plain')).toEqual(['said', 'noted', true])
        expect(await said('by')).toEqual([null, 'noted', true])
        expect(await said('about')).toEqual([null, null, true])
        expect(await said('open')).toEqual(['said', null, false])
        expect(await rows.of('evidence_photos')).toEqual([])
      })

      test('evidence that goes while somebody in it is being erased takes what they said along', async () => {
        const storage = await fresh()
        await person(storage, { id: 'moderator' })
        for (let round = 0; round < 12; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          const id = `r${round}`
          const asked = { target: 'user', reason: 'spam', details: 'said', created_at: now } as const
          await storage.reports.file({ ...asked, id, reporter_id: a, target_id: b, subject_id: b }, 0)
          const settled = { resolved_by: 'moderator', action: 'dismiss', note: 'noted', until: null } as const
          await storage.moderation.decide({ at: now - 10, audit: entry(), report: { id, ...settled } })
          const gone = round % 2 === 0 ? a : b
          await Promise.all([
            storage.erasures.begin(gone, now, entry()).then(() => clearAll(storage, gone)),
            storage.retention.evidence(now - 5, 5),
          ])
          const { details, note, evidence } = (await storage.moderation.report(id))!
          expect([details, note, evidence]).toEqual([null, gone === a ? 'noted' : null, null])
        }
      })

      test('positions that nobody has renewed go, and whether their owner wants to be seen stays', async () => {
        const storage = await fresh()
        const ids = await people(storage, 12)
        const point = { latitude: 1, longitude: 2, square: 3, strayed: false, visible: true }
        await storage.rows.insert(
          'locations',
          ids.map((user_id, i) => ({
            ...point,
            user_id,
            visible: i % 2 === 0,
            updated_at: i < 9 ? now - 10 - i : now,
          })),
        )
        expect(await together(() => storage.retention.positions(now - 5, 4), 4)).toBe(9)
        const left = await storage.rows.of('locations')
        expect(
          left
            .filter(({ latitude }) => latitude !== null)
            .map(({ user_id }) => user_id)
            .sort(),
        ).toEqual(ids.slice(9).toSorted())
        expect(left).toHaveLength(12)
        expect(left.filter(({ visible }) => Boolean(visible))).toHaveLength(6)
      })
    })
  })
}
