import { afterEach, describe, expect, test } from 'bun:test'
import type { Cleared, Place } from '../../src/features/account/store.ts'
import { noContent } from '../../src/features/chats/content.ts'
import type { Block, NewReport } from '../../src/features/safety/store.ts'
import type { Review } from '../../src/features/reviews/store.ts'
import { engines } from '../engines.ts'
import { atOnce, chatOf, image, now, openWithRows, people, person, times, type WithRows } from '../rows.ts'

// Blocks, reports and reviews, asked of every engine: the same tests, race for race.

const open: WithRows[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

const block = (blocker_id: string, blocked_id: string, given: Partial<Block> = {}): Block => ({
  id: Bun.randomUUIDv7(),
  blocker_id,
  blocked_id,
  created_at: now,
  ...given,
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

type OwnReview = Review & { reviewer_id: string }
const review = (chat_id: string, reviewer_id: string, reviewed_id: string, given: Partial<Review> = {}) =>
  ({
    id: crypto.randomUUID(),
    chat_id,
    reviewer_id,
    reviewed_id,
    rating: 5,
    anonymous: false,
    text: null,
    created_at: now,
    ...given,
  }) as OwnReview

const entry = () => ({
  id: Bun.randomUUIDv7(),
  at: now,
  actor_id: null,
  action: 'erase',
  subject_id: null,
  metadata: {},
})

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    async function fresh() {
      const storage = await openWithRows(engine)
      open.push(storage)
      return storage
    }

    async function erased(storage: WithRows) {
      const id = await person(storage)
      expect(await storage.erasures.begin(id, now, entry())).toBe(true)
      return id
    }

    describe('blocks', () => {
      test('the same block many times at once is one block with one event', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const answers = await Promise.all(times(30, () => storage.blocks.ensure(block(a, b), { to: b })))
        expect(new Set(answers.map((answer) => answer?.block.id)).size).toBe(1)
        expect(answers.flatMap((answer) => answer!.seq ?? [])).toEqual([1])
        expect<unknown>(await storage.events.after(a, 0, 10)).toEqual([
          { seq: 1, type: 'block', at: now, ref: null, data: { to: b } },
        ])
        expect(await storage.events.range(b)).toEqual({ oldest: 1, newest: 0 })
        expect(await storage.blocks.list(a, 10, null)).toEqual([answers[0]!.block])
      })

      test('two who block each other at once have both done so', async () => {
        const storage = await fresh()
        for (let round = 0; round < 15; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          await chatOf(storage, a, b)
          const answers = await Promise.all([
            storage.blocks.ensure(block(a, b), {}),
            storage.blocks.ensure(block(b, a), {}),
            storage.blocks.ensure(block(a, b), {}),
            storage.blocks.ensure(block(b, a), {}),
          ])
          expect(answers.filter((answer) => answer!.seq === 1)).toHaveLength(2)
          expect(await storage.blocks.between(a, b)).toEqual({ by_a: true, by_b: true })
        }
      })

      test('whoever blocks while the same block is being lifted has a block', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        for (let round = 0; round < 30; round++) {
          const first = (await storage.blocks.ensure(block(a, b), {}))!
          const [removed, again] = await Promise.all([
            storage.blocks.remove(a, first.block.id),
            storage.blocks.ensure(block(a, b), {}),
          ])
          expect(removed).toBe(b)
          // Either before the other, and then it was there still, or after it, and then it is new.
          const isNew = again!.seq !== null
          expect(again!.block.id === first.block.id).toBe(!isNew)
          expect((await storage.blocks.between(a, b)).by_a).toBe(isNew)
          if (isNew) expect(await storage.blocks.remove(a, again!.block.id)).toBe(b)
        }
      })

      test('nobody is blocked who is not there, and only the blocker lifts a block', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const gone = await erased(storage)
        expect(await storage.blocks.ensure(block(a, 'nobody'), {})).toBeNull()
        expect(await storage.blocks.ensure(block(a, gone), {})).toBeNull()
        expect(await storage.events.range(a)).toEqual({ oldest: 1, newest: 0 })
        const { block: made } = (await storage.blocks.ensure(block(a, b), {}))!
        expect(await storage.blocks.remove(b, made.id)).toBeNull()
        expect(await storage.blocks.between(b, a)).toEqual({ by_a: false, by_b: true })
        expect(await storage.blocks.remove(a, made.id)).toBe(b)
        expect(await storage.blocks.remove(a, made.id)).toBeNull()
        expect(await storage.blocks.between(b, a)).toEqual({ by_a: false, by_b: false })
      })

      test('are listed newest first, page by page, and found among many', async () => {
        const storage = await fresh()
        const [a, ...others] = (await people(storage, 8)) as [string, ...string[]]
        const made = others.slice(0, 6).map((id, i) => block(a, id, { created_at: now + (i >> 1) }))
        for (const one of made) await storage.blocks.ensure(one, {})
        const newestFirst = made.toSorted((x, y) => y.created_at - x.created_at || (x.id < y.id ? 1 : -1))
        const first = await storage.blocks.list(a, 4, null)
        const last = first.at(-1)!
        const rest = await storage.blocks.list(a, 4, { at: last.created_at, id: last.id })
        expect([...first, ...rest]).toEqual(newestFirst)
        await storage.blocks.ensure(block(others[6]!, a), {})
        expect(await storage.blocks.among(a, [...others.slice(5), 'nobody', '{},"\\', ''])).toEqual(
          new Set(others.slice(5)),
        )
        expect(await storage.blocks.among(a, [])).toEqual(new Set())
      })
    })

    describe('reports', () => {
      test('of the same thing at once are one, with its evidence once', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        await storage.rows.insert('media', [image(b, 'shot')])
        const chat = await chatOf(storage, a, b, [{ sender_id: b, kind: 'photo', text: null, photo_id: 'shot' }])
        const asked = { target: 'message', target_id: `${chat}/1`, subject_id: b } as const
        const answers = await Promise.all(times(20, () => storage.reports.file(report(a, asked), 5)))
        expect(new Set(answers.map((answer) => answer?.report.id)).size).toBe(1)
        expect(answers.filter((answer) => answer!.created)).toHaveLength(1)
        expect(await storage.rows.of('evidence_photos')).toEqual([
          { report_id: answers[0]!.report.id, media_id: 'shot' },
        ])
        // Somebody else's is another one, and so is the next once this is settled.
        expect((await storage.reports.file(report(b, asked), 5))!.created).toBe(true)
        expect(await storage.reports.list(a, 10, null)).toEqual([answers[0]!.report])
      })

      test('that one is underage raise an open one once, however many come at once, and end its claim', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const asked = { target_id: b, subject_id: b } as const
        const open = await storage.reports.file(report(a, { ...asked, details: 'first' }), 5)
        const id = open!.report.id
        const pending = {
          decided_by: b,
          action: 'dismiss',
          note: '',
          until: null,
          strikes: 0,
          template_id: null,
        } as const
        await storage.users.setRole(b, 'moderator', entry())
        const about = { judge_id: b, subject_id: null, parties: [], suspends: false, decided_by: null }
        const carryOut = { id: 'later', kind: 'decision', user_id: null, created_at: now, due_at: now } as const
        expect(await storage.queue.claim(id, about, now, now + 1000)).toBeNull()
        expect(
          await storage.queue.hold(id, about, { ...pending, id: 'held' }, now, now + 1000, {
            ...carryOut,
            payload: { about: 'decision', report_id: id, pending_id: 'held' },
          }),
        ).toBeNull()
        const parcelsOf = (report_id: string) => [
          {
            ...carryOut,
            id: Bun.randomUUIDv7(),
            payload: { about: 'decision', report_id, pending_id: 'told' },
          } as const,
        ]
        const answers = await Promise.all(
          times(8, (i) =>
            storage.reports.file(
              report(a, { ...asked, reason: i < 4 ? 'underage' : 'scam', details: `said ${i}`, due_at: now + 5 }),
              5,
              null,
              parcelsOf,
            ),
          ),
        )
        expect(answers.map((answer) => [answer!.report.id, answer!.created])).toEqual(times(8, () => [id, false]))
        expect(answers.filter((answer) => answer!.raised)).toHaveLength(1)
        const stored = await storage.moderation.report(id)
        expect(stored).toMatchObject({
          ...{ reason: 'underage', due_at: now + 5, created_at: now, claimed_by: null, claimed_until: null },
          ...{ pending: null, pending_until: null },
        })
        expect(stored!.details!.split('\n').toSorted()).toEqual(['first', ...times(8, (i) => `said ${i}`)])
        const parcel = {
          ...carryOut,
          id: 'late',
          payload: { about: 'decision', report_id: id, pending_id: 'late' },
        } as const
        const held = (reason: string | null) =>
          storage.queue.hold(id, about, { ...pending, id: 'late' }, now, now + 1000, parcel, {
            release: undefined,
            reason,
          })
        expect(await held('spam')).toBe('raised')
        const decided = { action: 'dismiss', note: '', until: null } as const
        const decision = { at: now, audit: entry(), report: { id, resolved_by: b, ...decided, read_reason: 'spam' } }
        expect(await storage.moderation.decide(decision)).toBe('raised')
        expect(await held('underage')).toBeNull()
        const parcels = await storage.rows.of('outbox')
        expect(parcels.filter(({ payload }) => JSON.stringify(payload).includes('told'))).toHaveLength(1)
        expect(await storage.rows.of('reports')).toHaveLength(1)
      })

      test('of two rules about the same profile at once are one', async () => {
        const storage = await fresh()
        const [b] = (await people(storage, 1)) as [string]
        const asked = { target_id: b, subject_id: b } as const
        const answers = await Promise.all(
          times(20, () => storage.reports.file({ ...report(b, asked), reporter_id: null, kind: 'rule' }, 5)),
        )
        expect(answers.filter((answer) => answer!.created)).toHaveLength(1)
        expect(await storage.rows.of('reports')).toHaveLength(1)
      })

      test('keep what they are about as it is, with its neighbours, what it said before, images and the profile', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        await storage.rows.insert('media', [image(b, 'face'), image(b, 'shot'), image(a, 'other')])
        await storage.users.update(b, { photo: 'face', bio: 'sings' }, now)
        await storage.users.savePreferences(b, { drinks: ['tea'] })
        const chat = await chatOf(storage, a, b, [
          { sender_id: a },
          { sender_id: a, kind: 'photo', text: null, photo_id: 'other' },
          { sender_id: b, kind: 'photo', photo_id: 'shot' },
          { sender_id: b, text: 'now this', client_id: 'secret', edited_at: now + 9 },
          { sender_id: a, kind: 'photo', text: null, photo_id: 'never there' },
          { sender_id: b },
        ])
        await storage.rows.insert('message_versions', [
          { chat_id: chat, message_id: `${chat}/4`, at: now + 5, text: 'then that' },
          { chat_id: chat, message_id: `${chat}/4`, at: now + 1, text: 'first this' },
        ])
        const asked = report(a, {
          target: 'message',
          target_id: `${chat}/4`,
          subject_id: b,
          reason: 'scam',
          details: 'quote " and \\',
        })
        const filed = await storage.reports.file(asked, 2)
        expect(filed).toEqual({
          created: true,
          raised: false,
          hid: null,
          report: {
            ...asked,
            kind: null,
            status: 'open',
            resolved_at: null,
            resolved_by: null,
            action: null,
            note: null,
            until: null,
            due_at: null,
            claimed_by: null,
            claimed_until: null,
            pending: null,
            pending_until: null,
          },
        })
        const { evidence } = (await storage.moderation.report(asked.id))!
        const said = (seq: number, sender_id: string, given: object = {}) => ({
          id: `${chat}/${seq}`,
          chat_id: chat,
          seq,
          sender_id,
          kind: 'text',
          ...noContent,
          text: `words ${seq}`,
          photo_width: null,
          photo_height: null,
          photo_placeholder: null,
          client_id: null,
          read_at: null,
          edited_at: null,
          deleted_at: null,
          created_at: now + seq - 1,
          caution: null,
          ...given,
        })
        const photo = (photo_id: string, isThere = true) => ({
          kind: 'photo',
          photo_id,
          ...(isThere && { photo_width: 40, photo_height: 30, photo_placeholder: 'blur' }),
        })
        expect(evidence as unknown).toEqual({
          message: said(4, b, { text: 'now this', edited_at: now + 9 }),
          versions: [
            { text: 'first this', at: now + 1 },
            { text: 'then that', at: now + 5 },
          ],
          before: [said(2, a, { ...photo('other'), text: null }), said(3, b, photo('shot'))],
          after: [said(5, a, { ...photo('never there', false), text: null }), said(6, b)],
          review: null,
          user: await storage.users.profile(b),
        })
        expect((await storage.rows.of('evidence_photos')).map((row) => row.media_id).sort()).toEqual([
          'face',
          'other',
          'shot',
        ])
      })

      test('know whom they concern and who may see the thing, and there is none of what has gone', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const gone = await erased(storage)
        const chat = await chatOf(storage, a, b, [{ sender_id: a }])
        const written = review(chat, a, b)
        await storage.reviews.add(written, atOnce)
        const { target, file } = storage.reports
        expect(await target('user', b)).toEqual({ subject_id: b, seen_by: null })
        expect(await target('message', `${chat}/1`)).toEqual({ subject_id: a, seen_by: [a, b].sort() })
        expect(await target('review', written.id)).toEqual({ subject_id: a, seen_by: null })
        for (const [kind, id] of [
          ['user', gone],
          ['user', 'nobody'],
          ['message', 'none'],
          ['review', 'none'],
        ] as const) {
          expect(await target(kind, id)).toBeNull()
          expect(
            await file(report(a, { target: kind, target_id: id, subject_id: kind === 'user' ? id : b }), 5),
          ).toBeNull()
        }
        expect((await file(report(b, { target: 'review', target_id: written.id, subject_id: a }), 5))!.created).toBe(
          true,
        )
        expect(await storage.rows.of('reports')).toHaveLength(1)
      })

      test('of somebody who was erased meanwhile are not filed, nor is a block or an appeal of theirs', async () => {
        const storage = await fresh()
        const [b, gone] = (await people(storage, 2)) as [string, string]
        const told = {
          ...{ id: 'told', user_id: gone, report_id: null, action: 'warn' as const, reason: 'be kind', note: null },
          ...{ until: null, created_at: now, decided_by: null },
        }
        await storage.moderation.decide({ at: now, audit: entry(), notice: { notice: told, event: {} } })
        await storage.erasures.begin(gone, now, { ...entry(), id: 'erased' })
        const appeal = {
          ...{ id: 'late', notice_id: told.id, user_id: gone, text: 'no', status: 'open' as const, created_at: now },
          ...{ resolved_at: null, resolved_by: null, note: null },
        }
        expect(await storage.notices.appeal(appeal)).toBe(false)
        expect(await storage.reports.file(report(gone, { target_id: b, subject_id: b }), 5)).toBeNull()
        expect(await storage.blocks.ensure(block(gone, b), {})).toBeNull()
        for (const table of ['reports', 'blocks', 'appeals']) expect(await storage.rows.of(table)).toEqual([])
      })

      test('of a review name the author that it has when they are filed', async () => {
        const storage = await fresh()
        const [a, b] = (await people(storage, 2)) as [string, string]
        const one = review(await chatOf(storage, a, b), a, b)
        await storage.reviews.add(one, atOnce)
        // The service has asked for the target; then its author is erased.
        const { subject_id } = (await storage.reports.target('review', one.id))!
        await storage.erasures.begin(a, now, entry())
        await storage.erasures.clear(a, now, null)
        const filed = await storage.reports.file(report(b, { target: 'review', target_id: one.id, subject_id }), 5)
        expect(filed!.report.subject_id).toBeNull()
      })

      test('an image is kept as evidence, or removed with its owner, and never half of both', async () => {
        const storage = await fresh()
        for (let round = 0; round < 20; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          const shot = `shot ${round}`
          await storage.rows.insert('media', [image(b, shot)])
          const chat = await chatOf(storage, a, b, [{ sender_id: b, kind: 'photo', text: null, photo_id: shot }])
          const asked = report(a, { target: 'message', target_id: `${chat}/1`, subject_id: b })
          const files: string[] = []
          const begin = () => storage.erasures.begin(b, now, entry())
          const clear = async () => {
            for (let place: Place | null = null; ;) {
              const cleared: Cleared = await storage.erasures.clear(b, now, place)
              files.push(...cleared.files)
              if (cleared.next === null) return
              place = cleared.next
            }
          }
          // The erasure has only begun, or has not.
          if (round % 2 === 0) await begin()
          const [filed] = await Promise.all([
            storage.reports.file(asked, 5),
            round % 2 === 0 ? clear() : begin().then(clear),
          ])
          const isEvidence = (await storage.rows.of('evidence_photos')).some(({ media_id }) => media_id === shot)
          const isThere = (await storage.rows.of('media')).some(({ id }) => id === shot)
          expect({ isThere, isRemoved: files.includes(`file of ${shot}`) }).toEqual({
            isThere: isEvidence,
            isRemoved: !isEvidence,
          })
          if (filed && isEvidence)
            expect((await storage.moderation.report(asked.id))!.evidence!.message!.photo_width).toBe(40)
        }
      })
    })

    describe('reviews', () => {
      test('of one chat at once there is one', async () => {
        const storage = await fresh()
        for (let round = 0; round < 8; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          const chat = await chatOf(storage, a, b)
          const asked = times(10, (i) => (i % 2 === 0 ? review(chat, a, b) : review(chat, b, a)))
          const answers = await Promise.all(asked.map((one) => storage.reviews.add(one, atOnce)))
          const winners = asked.filter((_, i) => typeof answers[i] === 'object')
          expect(winners).toHaveLength(1)
          expect(answers.filter((answer) => answer === 'review_exists')).toHaveLength(9)
          const [{ reviewed_id, reviewer_id }] = winners as [OwnReview]
          expect(await storage.reviews.stats(reviewed_id)).toEqual({ rating_avg: 5, count: 1 })
          expect(await storage.reviews.stats(reviewer_id)).toEqual({ rating_avg: null, count: 0 })
          expect(await storage.reviews.ofUser(reviewed_id, 5, null)).toEqual(winners)
        }
      })

      test('of one person by many at once are all counted, and told one by one', async () => {
        const storage = await fresh()
        const [b, ...authors] = (await people(storage, 41)) as [string, ...string[]]
        const asked = await Promise.all(
          authors.map(async (a, i) => review(await chatOf(storage, a, b), a, b, { rating: (i % 5) + 1 })),
        )
        const answers = await Promise.all(asked.map((one) => storage.reviews.add(one, atOnce)))
        const seqs = answers.map((answer) => (answer as { seq: number }).seq)
        expect(seqs.toSorted((x, y) => x - y)).toEqual(times(40, (i) => i + 1))
        expect(await storage.reviews.stats(b)).toEqual({ rating_avg: 3, count: 40 })
        const events = await storage.events.after(b, 0, 100)
        expect(events.map(({ ref }) => ref).sort()).toEqual(asked.map(({ id }) => id).sort())
      })

      test('come and go at once, and the stats say what is there', async () => {
        const storage = await fresh()
        const [b, ...authors] = (await people(storage, 31)) as [string, ...string[]]
        const asked = await Promise.all(
          authors.map(async (a, i) => review(await chatOf(storage, a, b), a, b, { rating: (i % 5) + 1 })),
        )
        const [first, second] = [asked.slice(0, 15), asked.slice(15)]
        for (const one of first) await storage.reviews.add(one, atOnce)
        await Promise.all([
          ...second.map((one) => storage.reviews.add(one, atOnce)),
          ...first.map(({ id }) =>
            storage.moderation.decide({ at: now, audit: entry(), remove: { target: 'review', id, name: '' } }),
          ),
        ])
        const sum = second.reduce((total, { rating }) => total + rating, 0)
        expect(await storage.reviews.stats(b)).toEqual({
          rating_avg: Math.round((sum / second.length) * 100) / 100,
          count: second.length,
        })
        expect(await storage.reviews.byIds(first.map(({ id }) => id))).toEqual([])
      })

      test('are refused within the step where a block, an erasure or silence came after the service had looked', async () => {
        const storage = await fresh()
        const [a, b, gone] = (await people(storage, 3)) as [string, string, string]
        const chat = await chatOf(storage, a, b)
        const { block: made } = (await storage.blocks.ensure(block(b, a), {}))!
        for (const when of [atOnce, { ...atOnce, appearsAt: now + 5 }])
          for (const one of [review(chat, a, b, { anonymous: true }), review(chat, b, a)])
            expect(await storage.reviews.add(one, when)).toBe('blocked')
        await storage.blocks.remove(b, made.id)
        const silent = crypto.randomUUID()
        const [user_a, user_b] = [a, gone].sort() as [string, string]
        await storage.chats.ensure({ id: silent, user_a, user_b, created_at: now })
        expect(await storage.reviews.add(review(silent, a, gone), atOnce)).toBe('awaiting_reply')
        const last = await chatOf(storage, b, gone)
        await storage.erasures.begin(gone, now, entry())
        expect(await storage.reviews.add(review(last, b, gone), atOnce)).toBe('gone')
        expect(await storage.reviews.add(review(last, gone, b), atOnce)).toBe('gone')
        for (const table of ['reviews', 'pending_reviews', 'user_stats'])
          expect(await storage.rows.of(table)).toEqual([])
        // The block had number 1.
        expect(await storage.reviews.add(review(chat, a, b), atOnce)).toEqual({ seq: 2 })
      })

      test('and a block at once: what is stored came before it', async () => {
        const storage = await fresh()
        for (let round = 0; round < 25; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          const chat = await chatOf(storage, a, b)
          const [first] = await Promise.all([
            storage.reviews.add(review(chat, a, b), atOnce),
            storage.blocks.ensure(block(b, a), {}),
          ])
          if (typeof first === 'string') expect(first).toBe('blocked')
          expect(await storage.reviews.add(review(chat, b, a), atOnce)).toBe('blocked')
          expect((await storage.reviews.stats(b))!.count).toBe(typeof first === 'object' ? 1 : 0)
        }
      })

      test('that wait are one with all others of their chat, and appear once, whoever asks at once', async () => {
        const storage = await fresh()
        for (let round = 0; round < 6; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          const chat = await chatOf(storage, a, b)
          const asked = times(8, (i) => review(chat, i % 2 ? a : b, i % 2 ? b : a, { anonymous: i % 4 < 2 }))
          const answers = await Promise.all(
            asked.map((one) => storage.reviews.add(one, { ...atOnce, appearsAt: one.anonymous ? now + 5 : null })),
          )
          expect(answers.filter((answer) => answer === 'review_exists')).toHaveLength(7)
          const winner = asked[answers.findIndex((answer) => typeof answer === 'object')]!
          expect(await storage.reviews.due(now + 4, 10)).toEqual([])
          const due = await storage.reviews.due(now + 5, 10)
          expect(due).toEqual(winner.anonymous ? [winner.id] : [])
          const appeared = await Promise.all(
            times(8, (i) =>
              storage.reviews.appear(winner.id, { at: now + 7, eventAt: now }, { ...entry(), id: `${winner.id} ${i}` }),
            ),
          )
          expect(appeared.filter((one) => one !== null)).toHaveLength(winner.anonymous ? 1 : 0)
          expect(await storage.reviews.stats(winner.reviewed_id)).toEqual({ rating_avg: 5, count: 1 })
          const events = await storage.events.after(winner.reviewed_id, 0, 10)
          expect(events.map(({ type, ref }) => [type, ref])).toEqual([['review', winner.id]])
          expect(await storage.reviews.ofUser(winner.reviewed_id, 5, null)).toEqual([
            winner.anonymous ? { ...winner, created_at: now + 7 } : winner,
          ])
        }
        expect(await storage.rows.of('pending_reviews')).toEqual([])
        const entries = await storage.audit.list({ action: 'erase' }, 100, null)
        expect(entries).toHaveLength((await storage.rows.of('reviews')).filter(({ anonymous }) => anonymous).length)
      })

      test('that wait and appear while others come and go are counted as they are listed', async () => {
        const storage = await fresh()
        const [b, ...authors] = (await people(storage, 31)) as [string, ...string[]]
        const asked = await Promise.all(
          authors.map(async (a, i) =>
            review(await chatOf(storage, a, b), a, b, { rating: (i % 5) + 1, anonymous: i % 3 > 0 }),
          ),
        )
        const waiting = asked.filter(({ anonymous }) => anonymous)
        for (const one of waiting) await storage.reviews.add(one, { ...atOnce, appearsAt: now })
        expect(await storage.reviews.stats(b)).toEqual({ rating_avg: null, count: 0 })
        await Promise.all([
          ...asked.filter(({ anonymous }) => !anonymous).map((one) => storage.reviews.add(one, atOnce)),
          ...waiting.map(({ id }) =>
            storage.reviews.appear(id, { at: now, eventAt: now }, { ...entry(), id: crypto.randomUUID() }),
          ),
        ])
        const listed = await storage.reviews.ofUser(b, 100, null)
        expect(listed).toHaveLength(30)
        expect(await storage.reviews.stats(b)).toEqual({ rating_avg: 3, count: 30 })
        const events = await storage.events.after(b, 0, 100)
        expect(events.map(({ seq }) => seq)).toEqual(times(30, (i) => i + 1))
      })

      test('that wait lose an erased author, and go with an erased subject, whichever comes first', async () => {
        const storage = await fresh()
        const erase = async (id: string) => {
          await storage.erasures.begin(id, now, { ...entry(), id: crypto.randomUUID() })
          for (let place: Place | null = null; ;) {
            const cleared: Cleared = await storage.erasures.clear(id, now, place)
            if (cleared.next === null) return
            place = cleared.next
          }
        }
        for (let round = 0; round < 16; round++) {
          const [a, b] = (await people(storage, 2)) as [string, string]
          const one = review(await chatOf(storage, a, b), a, b, { anonymous: true, text: 'said' })
          await storage.reviews.add(one, { ...atOnce, appearsAt: now })
          const gone = round % 2 ? a : b
          await Promise.all([
            erase(gone),
            storage.reviews.appear(one.id, { at: now, eventAt: now }, { ...entry(), id: crypto.randomUUID() }),
          ])
          await storage.reviews.appear(one.id, { at: now, eventAt: now }, { ...entry(), id: crypto.randomUUID() })
          const found = await storage.reviews.byIds([one.id])
          expect(found.map(({ reviewer_id }) => reviewer_id)).toEqual(gone === a ? [null] : [])
          expect((await storage.reviews.stats(b))?.count ?? null).toBe(gone === a ? 1 : null)
          for (const table of ['reviews', 'pending_reviews', 'user_stats', 'events'])
            expect((await storage.rows.mentioning(gone))[table]).toBeUndefined()
        }
        expect(await storage.rows.of('pending_reviews')).toEqual([])
      })

      test('average to two decimals, half up', async () => {
        const storage = await fresh()
        for (const [ratings, rating_avg] of [
          [[5, 4, 4], 4.33],
          [[5, 5, 4], 4.67],
          [[1, 1, 1, 1, 1, 1, 1, 2], 1.13],
          [[3, 3, 3, 3, 3, 3, 3, 4], 3.13],
          [[5, 5, 5, 5, 5, 5, 5, 4], 4.88],
        ] as const) {
          const b = await person(storage)
          for (const rating of ratings) {
            const a = await person(storage)
            await storage.reviews.add(review(await chatOf(storage, a, b), a, b, { rating }), atOnce)
          }
          expect(await storage.reviews.stats(b)).toEqual({ rating_avg, count: ratings.length })
        }
      })

      test('are listed by day, and within a day by their ids, whatever the hour', async () => {
        const storage = await fresh()
        const day = 86_400_000
        const today = Math.floor(now / day)
        const b = await person(storage)
        const made: OwnReview[] = []
        for (const [i, created_at] of [now, now + 5000, now - day, now - day + 7, now - 30 * day].entries()) {
          const a = await person(storage)
          const one = review(await chatOf(storage, a, b), a, b, {
            created_at,
            anonymous: i % 2 === 0,
            text: `no. ${i}`,
          })
          made.push(one)
          await storage.reviews.add(one, atOnce)
        }
        const dayOf = ({ created_at }: Review) => Math.floor(created_at / day)
        const expected = made.toSorted((x, y) => dayOf(y) - dayOf(x) || (x.id < y.id ? 1 : -1))
        const first = await storage.reviews.ofUser(b, 3, null)
        const rest = await storage.reviews.ofUser(b, 3, { day: dayOf(first.at(-1)!), id: first.at(-1)!.id })
        expect([...first, ...rest]).toEqual(expected)
        expect(dayOf(first[0]!)).toBe(today)
        expect((await storage.reviews.byIds([made[0]!.id, 'none', ''])) as unknown).toEqual([made[0]])
      })

      test('nobody reviews the erased, and the erased have no stats', async () => {
        const storage = await fresh()
        const a = await person(storage)
        const gone = await erased(storage)
        const chat = await chatOf(storage, a, gone)
        expect(await storage.reviews.members(chat)).toEqual([a, gone].sort() as [string, string])
        expect(await storage.reviews.members('none')).toBeNull()
        expect(await storage.reviews.add(review(chat, a, gone), atOnce)).toBe('gone')
        expect(await storage.reviews.stats(gone)).toBeNull()
        expect(await storage.reviews.stats('nobody')).toBeNull()
        expect(await storage.rows.of('reviews')).toEqual([])
        expect(await storage.rows.of('user_stats')).toEqual([])
      })
    })
  })
}
