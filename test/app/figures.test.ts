import { expect, test } from 'bun:test'
import { csv } from '../../src/lib/csv.ts'
import { rankOf } from '../../src/features/figures/rules.ts'
import { operator } from '../../src/features/moderation/moderators.ts'
import { type ReportTarget, reportActions, reportReasons } from '../../src/features/safety/store.ts'
import { kept } from '../../src/features/retention/service.ts'
import { jobs } from '../../src/jobs.ts'
import { days, hours, minutes } from '../../src/lib/time.ts'
import { type Answer, type Person, testApp, type TestApp } from '../app.ts'
import { painting, pngOf, uploadOf } from '../pictures.ts'
import { granted } from '../rows.ts'

const outcome = ({ status, body }: Answer) => [status, body?.code]

async function moderatorOf(app: TestApp): Promise<Person> {
  const person = await app.person()
  await app.services.storage.users.setRole(person.id, 'moderator', granted(person.id, app.clock.now))
  return person
}

/** An app whose ids follow its own clock. */
async function setting() {
  const clock = { now: Date.now() }
  const ids = { next: () => Bun.randomUUIDv7('hex', clock.now), random: () => crypto.randomUUID() }
  const app = await testApp({}, { ids })
  clock.now = app.clock.now
  return { app, mo: await moderatorOf(app) }
}

test('a cell that a spreadsheet would run is made text, and line breaks are quoted', () => {
  expect(csv([['=1+1', '+49', '-1', '@x', '\ttab', 'a"b', 'a,b', 'a\nb', 'plain', -5, 0, null]])).toBe(
    `'=1+1,'+49,'-1,'@x,'\ttab,"a""b","a,b","a\nb",plain,-5,0,\r\n`,
  )
  expect(csv([['=HYPERLINK("http://x";"y")']])).toBe(`"'=HYPERLINK(""http://x"";""y"")"\r\n`)
})

test('a quantile is taken at the nearest rank', () => {
  expect([0, 1, 2, 3, 20, 100].map((count) => rankOf(count, 0.5))).toEqual([null, 0, 0, 1, 9, 49])
  expect([1, 20, 100].map((count) => rankOf(count, 0.95))).toEqual([0, 18, 94])
})

test('the figures of a day count what happened on it', async () => {
  const { app, mo } = await setting()
  const [ada, bob, eve] = [await app.person(), await app.person(), await app.person()]
  const chat = await app.met(ada, bob)
  for (const text of ['one', 'two', 'three']) await ada.post(`chats/${chat}/messages`, { text })
  await ada.post('blocks', { user_id: eve.id })
  const [first, second] = [
    (await ada.post('reports', { user_id: bob.id, reason: 'spam' })).body.id,
    (await eve.post('reports', { user_id: bob.id, reason: 'hate' })).body.id,
  ]
  await app.rows('UPDATE reports SET created_at = created_at - ?, due_at = due_at - ?', 2 * hours, 30 * hours)
  await mo.post(`admin/reports/${first}/resolve`, { action: 'warn', note: 'No.' })
  const answer = await mo.get('admin/stats')
  expect(answer.status).toBe(200)
  expect(answer.body.days).toHaveLength(31)
  expect(answer.body.days.at(-1)).toEqual({
    date: '2026-11-21',
    registered: 4,
    active: 4,
    messages: 3,
    chats: 1,
    reports: 2,
    decided: 1,
    blocks: 1,
  })
  expect(answer.body).toMatchObject({
    ...{ open: 1, overdue: 1, held: 0, time_to_action: { p50_s: 7200, p95_s: 7200 }, target_s: 24 * 3600 },
    reports_by_kind: { user: 2 },
  })
  expect(answer.body.days[0]).toMatchObject({ date: '2026-10-22', registered: 0, messages: 0 })
  for (const person of [ada, bob, eve]) expect(answer.text).not.toContain(person.id)
  expect(second).toBeString()
})

test('past days are stored, and today is counted again', async () => {
  const { app, mo } = await setting()
  const { figures } = app.services
  await app.rows('UPDATE users SET created_at = created_at - ?', days)
  // Several nodes at once store the same figures.
  await Promise.all([figures.keepDays(), figures.keepDays()])
  const of = async () => (await mo.get('admin/stats?from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z')).body.days
  expect((await mo.get('admin/stats?from=2026-11-20&to=2026-11-22')).body.days).toEqual(await of())
  expect(await of()).toMatchObject([
    { date: '2026-11-20', registered: 1 },
    { date: '2026-11-21', registered: 0, active: 1 },
  ])
  await app.rows('UPDATE users SET created_at = created_at + ?', days)
  expect(await of()).toMatchObject([{ registered: 1 }, { registered: 1 }])
  // Users who were active today stay counted after they sign out.
  await app.rows('UPDATE sessions SET last_used_at = last_used_at - ?', 3 * days)
  expect((await of())[1]).toMatchObject({ active: 1 })
  // The days of the last months are stored in several bounded runs.
  for (let i = 0; i < 12; i++) await figures.keepDays()
  expect(await figures.keepDays()).toBe(0)
})

test('invalid periods are refused', async () => {
  const { mo } = await setting()
  for (const query of [
    'from=yesterday',
    'from=2026-02-30',
    'from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z',
    'from=2020-01-01T00:00:00Z',
  ]) {
    expect([query, ...outcome(await mo.get(`admin/stats?${query}`))]).toEqual([query, 422, 'validation_failed'])
    expect([query, ...outcome(await mo.get(`admin/transparency?${query}`))]).toEqual([query, 422, 'validation_failed'])
  }
  expect(outcome(await mo.get('admin/transparency?format=xml'))).toEqual([422, 'validation_failed'])
})

test('the transparency report counts notices, decisions and appeals, and names nobody', async () => {
  const { app, mo } = await setting()
  const ned = await moderatorOf(app)
  const people = [await app.person('=cmd()'), await app.person(), await app.person()] as const
  const [ada, bob, eve] = people
  const report = async (reason: string, by: Person) => (await by.post('reports', { user_id: bob.id, reason })).body.id
  const resolve = (id: string, action: string) =>
    mo.post(`admin/reports/${id}/resolve`, { action, note: '=Secret words', strikes: 0 })
  await resolve(await report('spam', ada), 'warn')
  await resolve(await report('hate', eve), 'dismiss')
  await report('scam', ada)
  await mo.post(`admin/users/${eve.id}/suspend`, { reason: 'Spam.' })
  const notice = (await bob.get('me/notices')).body.items[0].id
  const appeal = (await bob.post('appeals', { notice_id: notice, text: 'Why?' })).body.id
  await ned.post(`admin/appeals/${appeal}/resolve`, { decision: 'uphold', note: 'Sorry.' })
  // It counts only the period, whose end is excluded.
  const appealsOf = async (query: string) =>
    (await mo.get(`admin/appeals?${query}`)).body.items.map(({ id }: { id: string }) => id)
  const [made, next] = [0, 1].map((ms) => new Date(app.clock.now + ms).toISOString())
  expect(await appealsOf(`status=upheld&from=${made}&to=${next}`)).toEqual([appeal])
  expect(await appealsOf(`status=open&from=${made}&to=${next}`)).toEqual([])
  expect(await appealsOf(`to=${made}`)).toEqual([])
  expect(await appealsOf(`from=${next}`)).toEqual([])
  expect(outcome(await mo.get('admin/appeals?from=yesterday'))).toEqual([422, 'validation_failed'])
  const answer = await mo.get('admin/transparency')
  expect(answer.body).toMatchObject({
    notices: { total: 3, by_reason: { spam: 1, hate: 1, scam: 1 }, by_kind: { user: 3 } },
    decisions: {
      total: 2,
      by_action: { warn: 1, dismiss: 1 },
      by_ground: { spam: 1 },
      by_kind: { user: 2 },
      own_initiative: { suspend: 1 },
    },
    automated: { total: 0, overturned: 0 },
    time_to_action: { p50_s: 0, p95_s: 0 },
    appeals: { total: 1, open: 0, upheld: 1, rejected: 0 },
  })
  const sheet = await mo.get('admin/transparency?format=csv')
  expect(sheet.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(sheet.text).toStartWith('section,indicator,category,reason,kind,action,value\r\n')
  expect(sheet.text).toContain('4_notices,notices_received,STATEMENT_CATEGORY_SCAMS_AND_FRAUD,scam,user,,1\r\n')
  expect(sheet.text).toContain('4_notices,actions_taken,STATEMENT_CATEGORY_OTHER_VIOLATION_TC,spam,user,warn,1\r\n')
  expect(sheet.text).toContain('7_appeals_and_recidivism,complaints_upheld,,,,,1\r\n')
  for (const said of [answer.text, sheet.text]) {
    expect(said).not.toContain('Secret')
    for (const { id } of [...people, mo, ned]) expect(said).not.toContain(id)
  }
})

test('reports by rules are not notices, and held messages are automated until a person decides', async () => {
  const { app, mo } = await setting()
  const [ada, bob] = [await app.person(), await app.person()]
  await app.services.filter.replaceAll(operator, [
    { name: 'Hold', on: true, applies_to: ['message'], match: { type: 'words', words: ['holdme'] }, action: 'hold' },
    { name: 'Flag', on: true, applies_to: ['message'], match: { type: 'words', words: ['flagme'] }, action: 'flag' },
  ])
  const chat = (await ada.post('chats', { user_id: bob.id })).body.id
  for (const text of ['holdme one', 'holdme two', 'flagme']) await ada.post(`chats/${chat}/messages`, { text })
  await ada.post('reports', { user_id: bob.id, reason: 'danger' })
  app.clock.now += 5 * minutes
  const reports = (await mo.get('admin/reports?limit=10')).body.items
  const held = reports.filter(({ kind }: { kind: string }) => kind === 'held')
  const decide = (id: string, action: string) =>
    mo.post(`admin/reports/${id}/resolve`, { action, note: 'Looked at.', strikes: 0 })
  expect(held).toHaveLength(2)
  expect((await decide(held[0].id, 'release')).status).toBe(200)
  expect((await decide(held[1].id, 'remove_content')).status).toBe(200)
  const answer = (await mo.get('admin/transparency')).body
  expect(answer).toMatchObject({
    notices: { total: 1, by_reason: { danger: 1 }, by_kind: { user: 1 } },
    decisions: { total: 2, by_action: { release: 1, remove_content: 1 } },
    automated: { total: 2, overturned: 1 },
    // No notice has been decided.
    time_to_action: { p50_s: null, p95_s: null },
  })
  expect((await mo.get('admin/stats')).body).toMatchObject({
    time_to_action: { p50_s: 300 },
    reports_by_kind: { user: 1, held: 2, rule: 1 },
  })
  const sheet = (await mo.get('admin/transparency?format=csv')).text
  expect(sheet).toContain('4_notices,notices_received,STATEMENT_CATEGORY_VIOLENCE,danger,user,,1\r\n')
  expect(sheet).not.toContain('4_notices,notices_decided')
  expect(sheet).toContain(
    '6_own_initiative_TC,measures_after_detection_by_rules,STATEMENT_CATEGORY_OTHER_VIOLATION_TC,other,message,remove_content,1\r\n',
  )
  expect(sheet).toContain('8_automated_means,measures_solely_automated,,,,,2\r\n')
  expect(sheet).toContain('8_automated_means,measures_solely_automated_overturned,,,,,1\r\n')
  expect(sheet).toContain('8_automated_means,measures_not_automated,,,,,1\r\n')
})

test('the report and its file count every kind of report, decision, measure and appeal exactly once', async () => {
  const { app } = await setting()
  const [root, ned] = [await app.person('Root'), await app.person('Ned')]
  for (const { id } of [root, ned]) await app.services.storage.users.setRole(id, 'admin', granted(id, app.clock.now))
  await app.services.filter.replaceAll(operator, [
    { name: 'Hold', on: true, applies_to: ['message'], match: { type: 'words', words: ['holdme'] }, action: 'hold' },
    { name: 'Flag', on: true, applies_to: ['message'], match: { type: 'words', words: ['flagme'] }, action: 'flag' },
  ])
  const resolve = async (id: string, action: string) => {
    const body = { action, note: 'Looked at.', strikes: 0 }
    expect([action, (await root.post(`admin/reports/${id}/resolve`, body)).status]).toEqual([action, 200])
  }
  const targets: Record<ReportTarget, (by: Person) => Promise<object>> = {
    user: async () => ({ user_id: (await app.person()).id }),
    message: async (by) => {
      const other = await app.person()
      const chat = await app.met(other, by)
      return { message_id: (await other.post(`chats/${chat}/messages`, { text: 'Hello' })).body.id }
    },
    review: async (by) => {
      const other = await app.person()
      const chat = await app.met(by, other)
      for (const each of [by, other, by]) await each.post(`chats/${chat}/messages`, { text: 'Tea' })
      return { review_id: (await other.post('reviews', { chat_id: chat, rating: 1, text: 'Rude.' })).body.id }
    },
  }
  const person = reportActions.filter((action) => action !== 'release')
  // Reports by people: each target with each decision, each reason at least once, and one that stays open.
  const reasons = reportReasons.filter((reason) => reason !== 'underage')
  let filed = 0
  for (const about of Object.values(targets))
    for (const action of person) {
      const by = await app.person()
      const reason = reasons[filed++ % reasons.length]
      const report = await by.post('reports', { ...(await about(by)), reason })
      expect(report.status).toBe(201)
      await resolve(report.body.id, action)
    }
  const hiding = await app.person()
  const child = await app.person()
  const hidden = (await hiding.post('reports', { user_id: child.id, reason: 'underage' })).body.id
  // Reports by rules: flagged content with each decision, and held messages with both decisions and none.
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body.id
  for (const text of ['flagme', 'holdme', 'holdme', 'holdme', ...person.map(() => 'flagme')])
    expect((await ada.post(`chats/${chat}/messages`, { text })).status).toBe(201)
  const queued = async (kind: string) =>
    (await root.get(`admin/reports?status=open&kind=${kind}&limit=50`)).body.items.map(({ id }: { id: string }) => id)
  const [flagged, held] = [await queued('rule'), await queued('held')]
  expect([flagged.length, held.length]).toEqual([person.length + 1, 3])
  for (const [i, action] of person.filter((action) => action !== 'suspend').entries()) await resolve(flagged[i], action)
  await resolve(held[0], 'release')
  await resolve(held[1], 'remove_content')
  await resolve(flagged[3], 'suspend')
  // A banned photo is taken out of a profile.
  const [model, other] = [await app.person(), await app.person()]
  const upload = async (by: Person) => (await by.post('media', uploadOf(pngOf(painting(1))))).body.id
  const [photo, copy] = [await upload(model), await upload(other)]
  for (const [by, id] of [
    [model, photo],
    [other, copy],
  ] as const)
    expect((await by.put('me', { photo: id })).status).toBe(200)
  expect((await root.post('admin/image-bank', { image_id: photo, reason: 'a scam' })).status).toBe(201)
  await jobs(app.services)
    .find(({ name }) => name === 'banned-profile-photos')!
    .run()
  // Measures without a report, and appeals with each outcome.
  const [cleo, dan, eve] = [await app.person(), await app.person(), await app.person()]
  for (const each of [cleo, dan, eve]) await root.post(`admin/users/${each.id}/warn`, { reason: 'No.' })
  await root.post(`admin/users/${bob.id}/suspend`, { reason: 'Spam.' })
  for (const [each, decision] of [
    [cleo, 'uphold'],
    [dan, 'reject'],
    [eve, null],
    [model, 'uphold'],
  ] as const) {
    const [notice] = (await each.get('me/notices')).body.items
    const appeal = (await each.post('appeals', { notice_id: notice.id, text: 'Why?' })).body.id
    if (decision)
      expect((await ned.post(`admin/appeals/${appeal}/resolve`, { decision, note: 'Again.' })).status).toBe(200)
  }

  const report = (await root.get('admin/transparency')).body
  const kinds = Object.keys(targets).length
  const ofPeople = kinds * person.length
  const each = Object.fromEntries(person.map((action) => [action, kinds + 1]))
  expect(report).toMatchObject({
    notices: {
      total: ofPeople + 1,
      by_kind: { user: person.length + 1, message: person.length, review: person.length },
    },
    decisions: {
      total: ofPeople + person.length + 2,
      by_action: { ...each, remove_content: kinds + 2, release: 1 },
      by_kind: { user: person.length, message: 2 * person.length + 2, review: person.length },
      own_initiative: { warn: 3, suspend: 1 },
    },
    // One hidden person, two photos and three held messages. One photo was given back, and one message released.
    automated: { total: 6, overturned: 2 },
    appeals: { total: 4, open: 1, upheld: 2, rejected: 1 },
  })
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, count) => all + count, 0)
  const { notices, decisions } = report
  expect(Object.keys(notices.by_reason).toSorted()).toEqual([...reportReasons].toSorted())
  for (const counts of [notices.by_reason, notices.by_kind]) expect(sum(counts)).toBe(notices.total)
  for (const counts of [decisions.by_action, decisions.by_kind]) expect(sum(counts)).toBe(decisions.total)
  const measures = decisions.total - decisions.by_action.dismiss - decisions.by_action.release
  expect(sum(decisions.by_ground)).toBe(measures)

  // The file has the same figures, and each of its names is one of the template's or of the API's.
  const [head, ...rows] = (await root.get('admin/transparency?format=csv')).text.trim().split('\r\n')
  expect(head).toBe('section,indicator,category,reason,kind,action,value')
  const cells = rows.map((row) => row.split(','))
  expect(cells.filter((row) => row.length !== 7)).toEqual([])
  const valueOf = (indicator: string) =>
    cells.filter((row) => row[1] === indicator).reduce((all, row) => all + Number(row[6]), 0)
  expect(valueOf('notices_received')).toBe(notices.total)
  expect(valueOf('notices_decided') + valueOf('detections_by_rules_decided')).toBe(decisions.total)
  expect(valueOf('actions_taken') + valueOf('measures_after_detection_by_rules')).toBe(measures)
  expect(valueOf('measures')).toBe(sum(decisions.own_initiative))
  expect(valueOf('measures_not_automated')).toBe(measures + sum(decisions.own_initiative))
  expect(valueOf('measures_solely_automated')).toBe(report.automated.total)
  expect(valueOf('measures_solely_automated_overturned')).toBe(report.automated.overturned)
  for (const status of ['open', 'upheld', 'rejected'])
    expect(valueOf(`complaints_${status}`)).toBe(report.appeals[status])
  const actionsOf = (indicator: string) =>
    [...new Set(cells.filter((row) => row[1] === indicator).map((row) => row[5]))].toSorted()
  expect(actionsOf('notices_decided')).toEqual([...person].toSorted())
  expect(actionsOf('detections_by_rules_decided')).toEqual([...reportActions].toSorted())
  expect(cells.filter((row) => row.some((cell) => /^[=+\-@]/.test(cell)))).toEqual([])
  expect(hidden).toBeString()
})

test('a decision about a review does not become a measure without a report once its evidence is removed', async () => {
  const { app, mo } = await setting()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = await app.met(ada, bob)
  for (const each of [ada, bob, ada]) await each.post(`chats/${chat}/messages`, { text: 'Tea' })
  const review = (await bob.post('reviews', { chat_id: chat, rating: 1, text: 'Rude.' })).body.id
  const report = (await ada.post('reports', { review_id: review, reason: 'harassment' })).body.id
  await mo.post(`admin/reports/${report}/resolve`, { action: 'warn', note: 'No insults.' })
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Spam.' })
  const decisions = { total: 1, by_action: { warn: 1 }, by_kind: { review: 1 }, own_initiative: { suspend: 1 } }
  expect((await mo.get('admin/transparency')).body.decisions).toMatchObject(decisions)
  app.clock.now += kept.evidence + 1
  const job = jobs(app.services).find(({ name }) => name === 'old-evidence')
  expect(await job?.run()).toBe(1)
  const until = new Date(app.clock.now).toISOString()
  expect((await app.services.figures.transparency({ to: until })).decisions).toEqual({
    ...decisions,
    by_ground: { harassment: 1 },
  })
})

test('the audit log can be exported as a file, which runs nothing in a spreadsheet', async () => {
  const { app, mo } = await setting()
  const [ada, bob] = [await app.person(), await app.person()]
  await ada.post('reports', { user_id: bob.id, reason: 'spam' })
  const toMo = (await ada.post('reports', { user_id: mo.id, reason: 'spam' })).body.id
  await app.rows(
    "INSERT INTO audit_log (id, at, actor_id, action, subject_id, metadata) VALUES ('=1+1', ?, NULL, '=cmd()', NULL, '{}')",
    app.clock.now - 1,
  )
  for (let i = 0; i < 600; i++)
    await app.services.storage.audit.record({
      ...{ id: crypto.randomUUID(), at: app.clock.now - 10 - i, actor_id: ada.id, action: 'many' },
      ...{ subject_id: null, metadata: { i } },
    })
  const lines = await mo.get('admin/audit?format=jsonl&action=many')
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
  const entries = lines.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(entries.map(({ metadata }) => metadata.i)).toEqual(Array.from({ length: 600 }, (_, i) => i))
  const sheet = await mo.get('admin/audit?format=csv&limit=1')
  expect(sheet.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const rows = sheet.text.split('\r\n')
  expect(rows[0]).toBe('id,at,actor_id,action,subject_id,metadata')
  expect(sheet.text).toContain("'=1+1,2026-11-21T11:59:59.999Z,,'=cmd(),,{}\r\n")
  // Entries that concern the reader are left out of the file as well.
  expect(sheet.text).not.toContain(toMo)
  expect(rows.length).toBeGreaterThan(600)
  const taken = (await mo.get('admin/audit?action=audit_exported')).body.items
  expect(taken).toMatchObject([
    { actor_id: mo.id, metadata: { format: 'csv' } },
    { actor_id: mo.id, metadata: { format: 'jsonl', action: 'many' } },
  ])
  expect((await mo.get(`admin/audit?format=jsonl&actor_id=${bob.id}`)).text).toBe('')
  expect(outcome(await mo.get('admin/audit?format=xml'))).toEqual([422, 'validation_failed'])
  expect(outcome(await ada.get('admin/audit?format=csv'))).toEqual([403, 'forbidden'])
})
