import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, spyOn, test } from 'bun:test'
import { dueAt, dueAtOf } from '../../src/features/safety/rules.ts'
import { operator } from '../../src/features/moderation/moderators.ts'
import { proposalAt } from '../../src/features/moderation/rules.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { days, hours, minutes, seconds } from '../../src/lib/time.ts'
import { type Answer, type Person, testApp, type TestApp } from '../app.ts'
import { areThreads, sqliteTest } from '../engines.ts'
import { granted } from '../rows.ts'

const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'

const setRole = (app: TestApp, { id }: Person, role: 'user' | 'moderator' | 'admin') =>
  app.services.storage.users.setRole(id, role, granted(id, app.clock.now))

async function withRole(app: TestApp, role: 'moderator' | 'admin'): Promise<Person> {
  const person = await app.person()
  await setRole(app, person, role)
  return person
}

async function setting(environment: Record<string, string> = {}) {
  const app = await testApp(environment)
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  return { app, ada, bob, mo: await withRole(app, 'moderator'), ned: await withRole(app, 'moderator') }
}

/** The same user with a new token, because tokens last 15 minutes. */
async function later(app: TestApp, person: Person, ms: number): Promise<Person> {
  app.clock.now += ms
  const client = { address: '203.0.113.0', user_agent: 'test', language: 'en' }
  return { ...person, ...app.as((await app.services.auth.begin(person.id, client)).access_token) }
}

const outcome = ({ status, body }: Answer) => [status, body?.code]
const fileReport = async (by: Person, of: Person, reason = 'spam'): Promise<string> =>
  (await by.post('reports', { user_id: of.id, reason })).body.id
const resolve = (by: Person, report: string, body: object) =>
  by.post(`admin/reports/${report}/resolve`, { action: 'warn', note: 'Against the rules.', ...body })
const noticesOf = async (person: Person) =>
  (await person.get('me/notices')).body.items as { id: string; action: string }[]
const auditOf = async (app: TestApp, action: string) =>
  app.rows('SELECT * FROM audit_log WHERE action = ? ORDER BY at, id', action)

/** Carries out due decisions, on every node at once. */
async function carryOutDue({ nodes }: TestApp) {
  for (const { services } of nodes) services.delivery.wake('decision')
  await Promise.all(nodes.map(({ services }) => services.delivery.idle()))
}

test('a report is due after the target, and one about a child after at most four hours', () => {
  expect(dueAt('spam', 0, days)).toBe(days)
  expect(dueAt('underage', 0, days)).toBe(4 * hours)
  expect(dueAt('underage', 0, 2 * hours)).toBe(2 * hours)
  expect(dueAtOf({ due_at: null, created_at: 5 })).toBe(5 + days)
  expect(dueAtOf({ due_at: 7, created_at: 5 })).toBe(7)
})

test('the queue is sorted by deadline, and filtered by kind', async () => {
  const { app, ada, bob, mo } = await setting({ REPORT_TARGET_H: '48' })
  const chat = await app.met(ada, bob)
  const { id: message } = (await bob.post(`chats/${chat}/messages`, { text: 'Insult' })).body
  const other = await app.person()
  const first = await fileReport(ada, bob)
  app.clock.now += minutes
  const second = (await ada.post('reports', { message_id: message, reason: 'harassment' })).body.id
  app.clock.now += minutes
  const urgent = await fileReport(ada, other, 'underage')
  // The form of the previous release: due a day after it was filed.
  await app.rows('UPDATE reports SET due_at = NULL WHERE id = ?', second)
  const idsOf = async (query = '') =>
    (await mo.get(`admin/reports${query}`)).body.items.map(({ id }: { id: string }) => id)
  expect(await idsOf()).toEqual([urgent, second, first])
  expect(await idsOf('?sort=due')).toEqual([urgent, second, first])
  expect(await idsOf('?sort=created')).toEqual([first, second, urgent])
  expect(await idsOf('?sort=newest')).toEqual([urgent, second, first])
  const newest = (await mo.get('admin/reports?sort=newest&limit=1')).body
  expect(await idsOf(`?sort=newest&limit=1&cursor=${newest.next_cursor}`)).toEqual([second])
  expect(await idsOf('?kind=message')).toEqual([second])
  expect(await idsOf('?kind=user&reason=spam&status=open')).toEqual([first])
  expect(outcome(await mo.get('admin/reports?kind=odd'))).toEqual([422, 'validation_failed'])
  expect(outcome(await mo.get('admin/reports?sort=odd'))).toEqual([422, 'validation_failed'])
  const page = (await mo.get('admin/reports?limit=1')).body
  expect(await idsOf(`?limit=2&cursor=${page.next_cursor}`)).toEqual([second, first])
  // A cursor of one order does not work in the other.
  expect((await mo.get(`admin/reports?sort=created&cursor=${page.next_cursor}`)).status).toBe(422)
  expect(page.items[0]).toMatchObject({
    kind: 'user',
    due_at: '2026-11-21T16:02:00.000Z',
    claimed_by: null,
    claimed_until: null,
    pending: null,
  })
})

test('the queue has the numbers of open and overdue reports and those about a user, without what concerns the reader', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const chat = await app.met(ada, bob)
  const { id: message } = (await bob.post(`chats/${chat}/messages`, { text: 'Insult' })).body
  const aboutBob = await fileReport(ada, bob)
  const ofMessage = (await ada.post('reports', { message_id: message, reason: 'harassment' })).body.id
  await fileReport(ada, mo)
  const reviewer = await app.person()
  const met = await app.met(reviewer, ada)
  for (const by of [reviewer, ada, reviewer]) await by.post(`chats/${met}/messages`, { text: 'Tea' })
  const review = (await reviewer.post('reviews', { chat_id: met, rating: 1, anonymous: true, text: 'Rude.' })).body.id
  expect((await ada.post('reports', { review_id: review, reason: 'other' })).status).toBe(201)
  // This hides her, so that nobody begins a chat with her afterwards.
  await fileReport(bob, ada, 'underage')
  const listed = async (by: Person, query = '') => (await by.get(`admin/reports${query}`)).body
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id)

  const counts = { open: 4, overdue: 0, by_kind: { user: 2, message: 1, review: 1 } }
  // Mo learns nothing of the report about her, not even that there is one.
  expect((await listed(mo)).counts).toEqual(counts)
  expect((await listed(ned)).counts).toEqual({ ...counts, open: 5, by_kind: { user: 3, message: 1, review: 1 } })
  // Independent of the filter.
  expect((await listed(mo, '?status=resolved&kind=review')).counts).toEqual(counts)
  expect((await listed(await later(app, mo, 5 * hours))).counts.overdue).toBe(1)
  const back = await later(app, mo, 20 * hours)
  expect((await listed(back)).counts.overdue).toBe(4)
  // The numbers are the same, because a difference would tell her.
  expect((await back.get('admin/stats')).body).toMatchObject({ open: 4, overdue: 4, held: 0 })
  const nedBack = await later(app, ned, 0)
  expect((await nedBack.get('admin/stats')).body).toMatchObject({ open: 5, overdue: 5, held: 0 })
  expect((await listed(back, '?overdue=true')).items).toHaveLength(4)
  expect((await listed(nedBack, '?overdue=true')).items).toHaveLength(5)

  expect(idsOf(await listed(back, `?subject_id=${bob.id}&sort=created`))).toEqual([aboutBob, ofMessage])
  expect(idsOf(await listed(back, `?subject_id=${mo.id}`))).toEqual([])
  // No query reveals the author of the review.
  expect(idsOf(await listed(back, `?subject_id=${reviewer.id}`))).toEqual([])
  expect(outcome(await back.get('admin/reports?subject_id=odd'))).toEqual([422, 'validation_failed'])
})

test('the queue is filtered by times, outcome, source and target', async () => {
  const { app, ada, bob, mo } = await setting()
  await app.services.filter.replaceAll(operator, [
    { name: 'Hold', on: true, applies_to: ['message'], match: { type: 'words', words: ['holdme'] }, action: 'hold' },
    { name: 'Flag', on: true, applies_to: ['message'], match: { type: 'words', words: ['flagme'] }, action: 'flag' },
  ])
  const began = app.clock.now
  const chat = await app.met(ada, bob)
  for (const text of ['holdme one', 'holdme two', 'flagme']) await bob.post(`chats/${chat}/messages`, { text })
  const all = (await mo.get('admin/reports')).body.items as { id: string; kind: string }[]
  const [heldOne, heldTwo] = all.filter(({ kind }) => kind === 'held').map(({ id }) => id)
  const flagged = all.find(({ kind }) => kind === 'rule')!.id
  const others = await Promise.all(Array.from({ length: 4 }, () => app.person()))
  app.clock.now += minutes
  const [warned, dismissed, suspended, open] = [
    await fileReport(ada, others[0]!),
    await fileReport(ada, others[1]!, 'hate'),
    await fileReport(ada, others[2]!, 'scam'),
    // This hides the user at once.
    await fileReport(ada, others[3]!, 'underage'),
  ] as const
  app.clock.now += minutes
  for (const [id, action] of [
    [heldOne!, 'release'],
    [heldTwo!, 'remove_content'],
    [warned, 'warn'],
    [dismissed, 'dismiss'],
    [suspended, 'suspend'],
  ])
    expect((await resolve(mo, id!, { action })).status).toBe(200)
  const iso = (ms: number) => new Date(ms).toISOString()
  const found = async (query: string) =>
    (await mo.get(`admin/reports?${query}`)).body.items.map(({ id }: { id: string }) => id).toSorted()
  const expectFound = async (query: string, ids: readonly (string | undefined)[]) =>
    expect([query, await found(query)]).toEqual([query, ids.map((id) => id!).toSorted()])

  const [rules, people] = [
    [heldOne, heldTwo, flagged],
    [warned, dismissed, suspended, open],
  ]
  await expectFound('reported_by=rules', rules)
  await expectFound('reported_by=people', people)
  await expectFound('target=message', rules)
  await expectFound('target=user', people)
  await expectFound(`to=${iso(began + minutes)}`, rules)
  await expectFound(`from=${iso(began + minutes)}`, people)
  await expectFound(`from=${iso(began + minutes)}&to=${iso(began + minutes)}`, [])
  await expectFound(`decided_from=${iso(began)}`, [heldOne, heldTwo, warned, dismissed, suspended])
  await expectFound(`decided_to=${iso(began + 2 * minutes)}`, [])
  await expectFound('outcome=release', [heldOne])
  await expectFound('outcome=dismiss', [dismissed])
  await expectFound('outcome=remove_content', [heldTwo])
  await expectFound('outcome=measure', [heldTwo, warned, suspended])
  await expectFound('outcome=measure&reason=scam&reported_by=people', [suspended])
  await expectFound('automated=any', [heldOne, heldTwo, open])
  await expectFound('automated=overturned', [heldOne])
  await expectFound(`automated=any&from=${iso(began + minutes)}`, [open])
  // A measure counts as overturned if the report is dismissed, or an appeal is upheld.
  expect((await resolve(mo, open, { action: 'dismiss' })).status).toBe(200)
  await expectFound('automated=overturned', [heldOne, open])
  await expectFound('overdue=true', [])
  for (const query of ['target=chat', 'outcome=odd', 'automated=yes', 'overdue=1', 'from=now', 'decided_to=2026'])
    expect([query, ...outcome(await mo.get(`admin/reports?${query}`))]).toEqual([query, 422, 'validation_failed'])
  expect(outcome(await ada.get('admin/reports?automated=any'))).toEqual([403, 'forbidden'])
})

test('fifty moderators who ask at once get fifty different reports, and the next one gets none', async () => {
  const { app, mo } = await setting()
  const moderators = await Promise.all(Array.from({ length: 50 }, () => withRole(app, 'moderator')))
  const reporters = await Promise.all(Array.from({ length: 10 }, () => app.person()))
  const reported = await Promise.all(Array.from({ length: 5 }, () => app.person()))
  const ids = new Set<string>()
  for (const by of reporters) for (const of of reported) ids.add(await fileReport(by, of))
  // Each asks one of the nodes, if there are several.
  const answers = await Promise.all(moderators.map((each) => each.post('admin/reports/next', {})))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ body }) => body.id))).toEqual(ids)
  const none = await mo.post('admin/reports/next', {})
  expect([none.status, none.text]).toEqual([204, ''])
  expect(await auditOf(app, 'report_read')).toHaveLength(50)
  const moLater = await later(app, mo, 15 * minutes)
  expect((await moLater.post('admin/reports/next', {})).status).toBe(200)
}, 60_000)

test('two connection pools never claim the same report', async () => {
  const { app, mo, ned } = await setting()
  const reporters = await Promise.all(Array.from({ length: 12 }, () => app.person()))
  const bob = await app.person()
  for (const by of reporters) await fileReport(by, bob)
  const { queue } = app.services.storage
  const { queue: other } = app.nodes.at(-1)!.services.storage
  const claimed = await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      (i % 2 ? queue : other).next({ id: i % 2 ? mo.id : ned.id, role: 'moderator' }, undefined, 1, 2),
    ),
  )
  const ids = claimed.filter((id) => id !== null)
  // A moderator may skip a report that is being claimed at that moment, and find no other.
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBe(12)
})

test('next returns the most urgent report of a kind that the moderator may decide', async () => {
  const { app, ada, bob, mo } = await setting()
  const root = await withRole(app, 'admin')
  await fileReport(ada, mo)
  await fileReport(mo, ada)
  const ofRoot = await fileReport(ada, root)
  expect((await mo.post('admin/reports/next', {})).status).toBe(204)
  const ofBob = await fileReport(ada, bob)
  expect((await mo.post('admin/reports/next', { kind: 'message' })).status).toBe(204)
  const taken = await mo.post('admin/reports/next', { kind: 'user' })
  expect(taken.body).toMatchObject({
    id: ofBob,
    claimed_by: mo.id,
    claimed_until: '2026-11-21T12:15:00.000Z',
    evidence: { user: { name: 'Bob' } },
  })
  expect((await root.post('admin/reports/next', { kind: null })).body.id).not.toBe(ofRoot)
})

test('a claimed report belongs to one moderator, for 15 minutes', async () => {
  const { app, ada, bob, ...moderators } = await setting()
  let { mo, ned } = moderators
  const report = await fileReport(ada, bob)
  const claim = (by: Person) => by.post(`admin/reports/${report}/claim`)
  const release = (by: Person) => by.delete(`admin/reports/${report}/claim`)
  expect((await claim(mo)).body).toMatchObject({ claimed_by: mo.id, evidence: { user: { name: 'Bob' } } })
  expect(outcome(await claim(ned))).toEqual([409, 'claimed'])
  expect(outcome(await release(ned))).toEqual([409, 'claimed'])
  expect(outcome(await resolve(ned, report, {}))).toEqual([409, 'claimed'])
  expect(outcome(await resolve(ned, report, { undo_s: 5 }))).toEqual([409, 'claimed'])
  expect(await noticesOf(bob)).toEqual([])
  // Claiming it again extends the claim.
  app.clock.now += 10 * minutes
  expect((await claim(mo)).body.claimed_until).toBe('2026-11-21T12:25:00.000Z')
  ned = await later(app, ned, 10 * minutes)
  mo = await later(app, mo, 0)
  expect(outcome(await claim(ned))).toEqual([409, 'claimed'])
  expect((await release(mo)).status).toBe(204)
  expect((await release(mo)).status).toBe(204)
  expect((await claim(ned)).status).toBe(200)
  // A moderator without a claim can decide once nobody has one.
  mo = await later(app, mo, 15 * minutes)
  ned = await later(app, ned, 0)
  expect((await mo.get(`admin/reports/${report}`)).body).toMatchObject({ claimed_by: null, claimed_until: null })
  expect((await resolve(mo, report, {})).body).toMatchObject({ status: 'resolved', claimed_by: null })
  expect(outcome(await claim(ned))).toEqual([409, 'conflict'])
  expect(outcome(await claim(mo))).toEqual([409, 'conflict'])
})

test('moderators cannot claim reports that they may not decide', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const cases = [await fileReport(ada, mo), await fileReport(mo, bob), await fileReport(ada, ned)]
  for (const report of cases) {
    expect(outcome(await mo.post(`admin/reports/${report}/claim`))).toEqual([403, 'forbidden'])
    expect(outcome(await resolve(mo, report, { undo_s: 10 }))).toEqual([403, 'forbidden'])
  }
  expect(outcome(await mo.post(`admin/reports/${unknown}/claim`))).toEqual([404, 'not_found'])
  expect(await app.rows('SELECT id FROM reports WHERE claimed_by IS NOT NULL OR pending IS NOT NULL')).toEqual([])
  expect(await app.rows('SELECT id FROM outbox')).toEqual([])
})

test('of two concurrent claims, one succeeds', async () => {
  const { ada, bob, mo, ned } = await setting()
  const report = await fileReport(ada, bob)
  const answers = await Promise.all([mo, ned].map((by) => by.post(`admin/reports/${report}/claim`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('a decision is pending while it can be taken back, and is carried out without the console', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const report = await fileReport(ada, bob)
  const asked = await resolve(mo, report, { action: 'suspend', until: '2026-12-01T00:00:00Z', undo_s: 10 })
  expect(asked.body).toMatchObject({
    status: 'open',
    resolution: null,
    pending: {
      action: 'suspend',
      note: 'Against the rules.',
      until: '2026-12-01T00:00:00.000Z',
      decided_by: mo.id,
      takes_effect_at: '2026-11-21T12:00:10.000Z',
    },
  })
  // Meanwhile nobody else can decide or claim it, and nothing has changed.
  expect(outcome(await resolve(ned, report, {}))).toEqual([409, 'conflict'])
  expect(outcome(await ned.post(`admin/reports/${report}/claim`))).toEqual([409, 'conflict'])
  expect((await ned.post('admin/reports/next', {})).status).toBe(204)
  app.clock.now += 9 * seconds
  await carryOutDue(app)
  expect((await bob.get('me')).status).toBe(200)
  app.clock.now += seconds
  // It is too late, even if no node has carried it out yet.
  expect(outcome(await mo.delete(`admin/reports/${report}/resolve`))).toEqual([409, 'conflict'])
  await carryOutDue(app)
  expect(outcome(await bob.get('me'))).toEqual([403, 'suspended'])
  expect((await mo.get(`admin/reports/${report}`)).body).toMatchObject({
    status: 'resolved',
    pending: null,
    resolution: { action: 'suspend', resolved_by: mo.id, resolved_at: '2026-11-21T12:00:10.000Z' },
  })
  expect(await noticesOf(bob)).toHaveLength(1)
  await carryOutDue(app)
  expect(await noticesOf(bob)).toHaveLength(1)
  expect(await auditOf(app, 'report_resolved')).toHaveLength(1)
  expect(await app.rows("SELECT id FROM outbox WHERE kind = 'decision'")).toEqual([])
})

sqliteTest('a decision that waits is carried out by the server that starts next', async () => {
  const databasePath = join(mkdtempSync(join(tmpdir(), 'convene-test-')), 'convene.db')
  const app = await testApp({}, { databasePath })
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const mo = await withRole(app, 'moderator')
  const [kept, undone] = [await fileReport(ada, bob), await fileReport(mo, bob)]
  const ned = await withRole(app, 'moderator')
  await resolve(mo, kept, { action: 'suspend', undo_s: 10 })
  await resolve(ned, undone, { action: 'warn', undo_s: 10 })
  await ned.delete(`admin/reports/${undone}/resolve`)
  await app.close()

  const next = await testApp({}, { databasePath })
  next.clock.now = app.clock.now + 9 * seconds
  await carryOutDue(next)
  const standing = () =>
    next.rows<{ suspended_until: number | null }>('SELECT suspended_until FROM users WHERE id = ?', bob.id)
  expect(await standing()).toEqual([{ suspended_until: null }])
  next.clock.now += seconds
  await carryOutDue(next)
  expect((await standing())[0]!.suspended_until).toBeGreaterThan(next.clock.now)
  expect(await next.rows('SELECT action FROM notices')).toEqual([{ action: 'suspend' }])
  await next.close()
  rmSync(dirname(databasePath), { recursive: true })
})

test('a decision that was taken back never takes effect, and another one can be made', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const report = await fileReport(ada, bob)
  await resolve(mo, report, { undo_s: 10 })
  expect(outcome(await ned.delete(`admin/reports/${report}/resolve`))).toEqual([403, 'forbidden'])
  await app.rows('UPDATE reports SET claimed_by = ?, claimed_until = ?', mo.id, app.clock.now + minutes)
  expect((await mo.delete(`admin/reports/${report}/resolve`)).status).toBe(204)
  // The claim continues.
  expect((await mo.get(`admin/reports/${report}`)).body).toMatchObject({ claimed_by: mo.id, pending: null })
  expect(outcome(await mo.delete(`admin/reports/${report}/resolve`))).toEqual([409, 'conflict'])
  // The second decision is due later than the first one was.
  app.clock.now += 5 * seconds
  await resolve(mo, report, { action: 'dismiss', undo_s: 10 })
  app.clock.now += 5 * seconds
  await carryOutDue(app)
  expect((await mo.get(`admin/reports/${report}`)).body).toMatchObject({
    status: 'open',
    pending: { action: 'dismiss' },
  })
  app.clock.now += 5 * seconds
  await carryOutDue(app)
  expect((await mo.get(`admin/reports/${report}`)).body).toMatchObject({ resolution: { action: 'dismiss' } })
  expect(await noticesOf(bob)).toEqual([])
  expect(await auditOf(app, 'decision_undone')).toMatchObject([{ actor_id: mo.id, subject_id: report }])
})

test('a decision that is carried out and taken back at once has exactly one of the outcomes', async () => {
  const { app, ada, bob, mo } = await setting()
  const report = await fileReport(ada, bob)
  const { pending } = (await resolve(mo, report, { undo_s: 1 })).body
  expect(pending.takes_effect_at).toBe('2026-11-21T12:00:01.000Z')
  const [stored] = await app.rows('SELECT pending FROM reports WHERE id = ?', report)
  const payload = { about: 'decision', report_id: report, pending_id: JSON.parse(stored!.pending).id } as const
  app.clock.now += seconds
  // Of the threads of one server, the main one delivers.
  const delivering = areThreads ? app.nodes.slice(0, 1) : app.nodes
  await Promise.all([
    ...Array.from({ length: 4 }, (_, i) =>
      delivering[i % delivering.length]!.services.moderation.carryOutPending(payload),
    ),
    mo.delete(`admin/reports/${report}/resolve`),
  ])
  expect(await noticesOf(bob)).toHaveLength(1)
  expect(await auditOf(app, 'report_resolved')).toHaveLength(1)
  expect(await auditOf(app, 'decision_undone')).toHaveLength(0)
})

test('a decision is dropped if its maker is no longer a moderator, and the report is open again', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const report = await fileReport(ada, bob)
  await resolve(mo, report, { action: 'suspend', undo_s: 3 })
  await setRole(app, mo, 'user')
  app.clock.now += 3 * seconds
  await carryOutDue(app)
  expect((await bob.get('me')).status).toBe(200)
  expect((await ned.get(`admin/reports/${report}`)).body).toMatchObject({ status: 'open', pending: null })
  expect(await auditOf(app, 'decision_dropped')).toMatchObject([{ actor_id: mo.id, subject_id: report }])
  expect((await resolve(ned, report, {})).status).toBe(200)
})

test('a decision that the database refuses for a moment is tried again, not dropped', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const report = await fileReport(ada, bob)
  await resolve(mo, report, { action: 'suspend', undo_s: 3 })
  const refusals = app.nodes.map(({ services }) => {
    const { moderation } = services.storage
    return spyOn(moderation, 'decide').mockRejectedValue(new Refusal('busy', 'The database is busy.'))
  })
  app.clock.now += 3 * seconds
  await carryOutDue(app)
  expect((await ned.get(`admin/reports/${report}`)).body).toMatchObject({
    status: 'open',
    pending: { action: 'suspend' },
  })
  expect(await auditOf(app, 'decision_dropped')).toEqual([])
  expect((await bob.get('me')).status).toBe(200)

  for (const refusal of refusals) refusal.mockRestore()
  app.clock.now += minutes
  await carryOutDue(app)
  expect(outcome(await bob.get('me'))).toEqual([403, 'suspended'])
})

test('a lost decision does not block others', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const report = await fileReport(ada, bob)
  await resolve(mo, report, { undo_s: 3 })
  await app.rows("DELETE FROM outbox WHERE kind = 'decision'")
  const nedLater = await later(app, ned, 59 * minutes)
  expect(outcome(await resolve(nedLater, report, {}))).toEqual([409, 'conflict'])
  const after = await later(app, ned, 2 * minutes)
  expect((await after.post('admin/reports/next', {})).body.id).toBe(report)
  expect((await resolve(after, report, { action: 'dismiss' })).body).toMatchObject({
    status: 'resolved',
    pending: null,
  })
})

test('a claim and a pending decision made while the clock was a day ahead keep no report from others', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const claimed = await fileReport(ada, bob)
  const pending = await fileReport(bob, ada)
  const ahead = await later(app, mo, days)
  expect((await ahead.post(`admin/reports/${claimed}/claim`)).status).toBe(200)
  expect((await resolve(ahead, pending, { action: 'warn', note: 'Too early.', undo_s: 10 })).status).toBe(200)
  app.clock.now -= days
  expect((await ned.get(`admin/reports/${claimed}`)).body).toMatchObject({ claimed_by: null, claimed_until: null })
  const got = [(await ned.post('admin/reports/next', {})).body.id, (await ned.post('admin/reports/next', {})).body.id]
  expect(got.toSorted()).toEqual([claimed, pending].toSorted())
  expect((await ned.get(`admin/reports/${pending}`)).body.pending).toBeNull()
  for (const report of got)
    expect(outcome(await resolve(ned, report, { action: 'dismiss', note: 'Looked at.' }))).toEqual([200, undefined])
  // The earlier decision does not take effect when its time comes.
  app.clock.now += days + minutes
  for (const { services } of app.nodes) services.delivery.wake('decision')
  await Promise.all(app.nodes.map(({ services }) => services.delivery.idle()))
  const notices = (await (await later(app, ada, 0)).get('me/notices')).body.items
  expect(notices).toEqual([])
})

test('the reported moderator sees no decision in the audit log, whoever takes it back', async () => {
  const { app, ada, mo, ned } = await setting()
  const root = await withRole(app, 'admin')
  const report = await fileReport(ada, mo)
  await resolve(root, report, { undo_s: 10 })
  await root.delete(`admin/reports/${report}/resolve`)
  const seen = async (by: Person) => (await by.get('admin/audit?limit=100')).text
  expect(await seen(ned)).toContain('decision_undone')
  expect(await seen(mo)).not.toContain(report)
})

test('strikes count for 90 days unless an appeal overturned them, and lead to a proposal', async () => {
  const { app, ada, bob, mo, ned } = await setting()
  const strike = async (strikes: number, action = 'warn') =>
    (await resolve(mo, await fileReport(ada, bob), { action, strikes })).status
  const recordOf = async () => (await ned.get(`admin/users/${bob.id}`)).body
  expect(await recordOf()).toMatchObject({ strikes: 0, proposal: null })
  expect(await strike(2)).toBe(200)
  expect(await recordOf()).toMatchObject({
    strikes: 2,
    proposal: { action: 'warn', days: null },
    decisions: [{ strikes: 2 }],
  })
  await app.rows('UPDATE notices SET created_at = created_at - ?', days)
  expect(await strike(4)).toBe(200)
  expect(await recordOf()).toMatchObject({ strikes: 6, proposal: { action: 'suspend', days: null } })
  const [latest] = await noticesOf(bob)
  const appeal = (await bob.post('appeals', { notice_id: latest!.id, text: 'Why?' })).body.id
  expect((await recordOf()).strikes).toBe(6)
  expect((await ned.post(`admin/appeals/${appeal}/resolve`, { decision: 'uphold', note: 'Sorry.' })).status).toBe(200)
  expect((await recordOf()).strikes).toBe(2)
  await app.rows('UPDATE notices SET created_at = created_at - ?', 90 * days)
  expect(await recordOf()).toMatchObject({ strikes: 0, proposal: null })
  expect([1, 2, 3, 4, 5, 6, 9].map((strikes) => proposalAt(strikes)?.days)).toEqual([
    undefined,
    null,
    null,
    7,
    7,
    null,
    null,
  ])
})

test('strikes for a review of the reader do not reveal its author', async () => {
  const { app, ada, mo, ned } = await setting()
  const chat = await app.met(ada, mo)
  const review = (await ada.post('reviews', { chat_id: chat, rating: 1, anonymous: true, text: 'Rude.' })).body.id
  const report = (await mo.post('reports', { review_id: review, reason: 'spam' })).body.id
  expect((await resolve(ned, report, { action: 'remove_content', strikes: 3 })).status).toBe(200)
  expect((await ned.get(`admin/users/${ada.id}`)).body.strikes).toBe(3)
  expect((await mo.get(`admin/users/${ada.id}`)).body).toMatchObject({ strikes: 0, proposal: null, decisions: [] })
})

test('invalid resolutions of the queue are refused and change nothing', async () => {
  const { app, ada, bob, mo } = await setting()
  const report = await fileReport(ada, bob)
  for (const body of [
    { strikes: 5 },
    { strikes: -1 },
    { strikes: 1.5 },
    { strikes: '2' },
    { undo_s: 11 },
    { undo_s: -1 },
    { action: 'dismiss', strikes: 1 },
    { note: undefined },
    { note: '', undo_s: 5 },
    { until: '2026-12-01T00:00:00Z', undo_s: 5 },
  ])
    expect([body, ...outcome(await resolve(mo, report, body))]).toEqual([body, 422, 'validation_failed'])
  expect((await resolve(mo, report, { template_id: unknown })).body).toMatchObject({
    code: 'not_found',
    errors: [{ path: '/template_id' }],
  })
  expect((await mo.get(`admin/reports/${report}`)).body).toMatchObject({ status: 'open', pending: null })
  expect(await noticesOf(bob)).toEqual([])
  expect(await app.rows("SELECT id FROM outbox WHERE kind = 'decision'")).toEqual([])
})

test('admins write templates, and moderators decide with them', async () => {
  const { app, ada, bob, mo } = await setting()
  const root = await withRole(app, 'admin')
  const insults = { name: 'Insults', language: 'en', text: 'Insults break section 3.' }
  const made = await root.post('admin/templates', insults)
  expect(made).toMatchObject({ status: 201, body: insults })
  expect(outcome(await root.post('admin/templates', insults))).toEqual([409, 'conflict'])
  const russian = (await root.post('admin/templates', { ...insults, language: 'ru', text: 'Оскорбления' })).body
  expect(outcome(await mo.post('admin/templates', { ...insults, name: 'Other' }))).toEqual([403, 'forbidden'])
  for (const bad of [{ name: '' }, { language: 'not a tag' }, { text: '' }, { text: 'x'.repeat(2001) }])
    expect((await root.post('admin/templates', { ...insults, ...bad })).status).toBe(422)
  const change = (id: string, given: object) => root.put(`admin/templates/${id}`, { ...insults, ...given })
  expect(outcome(await change(russian.id, {}))).toEqual([409, 'conflict'])
  expect((await change(made.body.id, { text: 'Be kind.' })).body).toMatchObject({ id: made.body.id, text: 'Be kind.' })
  expect(outcome(await change(unknown, { name: 'None' }))).toEqual([404, 'not_found'])
  expect((await mo.get('admin/templates')).body.items.map(({ language }: any) => language)).toEqual(['en', 'ru'])
  expect((await mo.get('admin/templates?language=ru')).body.items).toMatchObject([{ id: russian.id }])

  const decided = await mo.post(`admin/reports/${await fileReport(ada, bob)}/resolve`, {
    action: 'warn',
    template_id: made.body.id,
  })
  expect(decided.body.resolution.note).toBe('Be kind.')
  expect((await root.delete(`admin/templates/${made.body.id}`)).status).toBe(204)
  expect(outcome(await root.delete(`admin/templates/${made.body.id}`))).toEqual([404, 'not_found'])
  expect((await bob.get('me/notices')).body.items[0].reason).toBe('Be kind.')
  expect(await auditOf(app, 'template_created')).toHaveLength(2)
})

test('of two concurrent templates with one name, one is stored', async () => {
  const { app } = await setting()
  const root = await withRole(app, 'admin')
  const add = () => root.post('admin/templates', { name: 'Spam', language: 'en', text: 'No spam.' })
  const answers = await Promise.all([add(), add(), add()])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(await app.rows('SELECT id FROM templates')).toHaveLength(1)
})
