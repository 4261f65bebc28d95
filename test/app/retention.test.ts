import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kept } from '../../src/features/retention/service.ts'
import { type Job, jobs } from '../../src/jobs.ts'
import { days, hours, seconds } from '../../src/lib/time.ts'
import { password, type Person, type TestApp, testApp } from '../app.ts'
import { engineOfApps } from '../engines.ts'
import { granted } from '../rows.ts'

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** A boolean in the form of the engine. */
const flag = (is: boolean) => (engineOfApps.name === 'SQLite' ? Number(is) : is)

/** Runs one of the scheduled jobs of a server. */
const run = ({ services }: TestApp, name: string): Promise<number> =>
  jobs(services)
    .find((job: Job) => job.name === name)!
    .run()

async function chatOf(a: Person, b: Person): Promise<string> {
  return (await a.post('chats', { user_id: b.id })).body.id
}
const send = async (from: Person, chatId: string, body: object) =>
  (await from.post(`chats/${chatId}/messages`, body)).body

/** Signs a user in again whose token has expired. */
async function back(app: TestApp, person: Person): Promise<Person> {
  const session = await app.services.auth.begin(person.id, { address: '', user_agent: null, language: null })
  return { ...person, ...app.as(session.access_token) }
}

test('the operator’s period applies, and a changed one after a reload', async () => {
  const app = await testApp({ RETENTION: 'positions=10d' })
  const ada = await app.person('Ada')
  expect((await ada.put('me/location', { latitude: 52.52, longitude: 13.405 })).status).toBeLessThan(300)
  app.clock.now += 10 * days - 1
  expect(await run(app, 'old-positions')).toBe(0)
  Object.assign(app.config, { retention: { ...app.config.retention, positions: 9 } })
  expect(await run(app, 'old-positions')).toBe(1)
  expect(await run(app, 'old-positions')).toBe(0)
})

test('events are removed after the configured days, and their numbers continue', async () => {
  const app = await testApp({ EVENT_RETENTION_DAYS: '3' })
  const [ada, bob] = [await app.person(), await app.person()]
  const chatId = await chatOf(ada, bob)
  app.clock.now += 3 * days
  expect(await run(app, 'old-events')).toBe(0)
  app.clock.now += 1
  const ada2 = await back(app, ada)
  await send(ada2, chatId, { text: 'Still here?' })
  expect(await run(app, 'old-events')).toBe(2)
  expect(await app.rows('SELECT seq FROM events WHERE user_id = ?', bob.id)).toEqual([{ seq: 2 }])
})

test('a session is removed 30 days after its end or 90 days after its last use, and a live one stays', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  await ada.post('auth/logout')
  app.clock.now += kept.endedSessions
  expect(await run(app, 'old-sessions')).toBe(0)
  app.clock.now += 1
  expect(await run(app, 'old-sessions')).toBe(1)
  expect(await app.rows('SELECT user_id FROM sessions')).toEqual([{ user_id: bob.id }])
  app.clock.now += kept.unusedSessions - kept.endedSessions - 1
  const live = await back(app, bob)
  expect(await run(app, 'old-sessions')).toBe(0)
  app.clock.now += 1
  expect(await run(app, 'old-sessions')).toBe(1)
  expect((await live.get('me')).status).toBe(200)
  expect(await app.rows('SELECT user_id FROM sessions')).toHaveLength(1)
})

test('the origin of a consent is removed after 180 days, and the consent stays', async () => {
  const app = await testApp()
  const ada = await app.person()
  const consents = () =>
    app.rows('SELECT kind, accepted, user_agent, address FROM consent_log WHERE user_id = ?', ada.id)
  const before = await consents()
  app.clock.now += kept.consentOrigins
  expect(await run(app, 'old-consent-origins')).toBe(0)
  app.clock.now += 1
  await app.person()
  expect(await run(app, 'old-consent-origins')).toBe(3)
  expect(await consents()).toEqual(before.map((consent) => ({ ...consent, user_agent: null, address: null })))
  expect(await app.rows('SELECT id FROM consent_log WHERE address IS NOT NULL')).toHaveLength(3)
  expect(await run(app, 'old-consent-origins')).toBe(0)
})

test('earlier texts are removed 30 days after the change, and the message stays', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const chatId = await chatOf(ada, bob)
  const first = await send(ada, chatId, { text: 'One' })
  await ada.put(`messages/${first.id}`, { text: 'Two' })
  app.clock.now += hours / 10
  await ada.put(`messages/${first.id}`, { text: 'Three' })
  app.clock.now += kept.messageVersions - hours / 10
  expect(await run(app, 'old-message-versions')).toBe(0)
  app.clock.now += 1
  expect(await run(app, 'old-message-versions')).toBe(1)
  expect(await app.rows('SELECT text FROM message_versions')).toEqual([{ text: 'Two' }])
  expect(await app.rows('SELECT text FROM messages')).toEqual([{ text: 'Three' }])
})

test('a position without an update for a year is removed with the codes of its places, and the choice to be visible stays', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  await ada.put('me/prefs', { drinks: ['tea'] })
  for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5, longitude: 13.4 })
  await bob.put('me/visibility', { visible: false })
  app.clock.now += kept.positions
  expect(await run(app, 'old-positions')).toBe(0)
  app.clock.now += 1
  const cay = await app.person()
  await cay.put('me/location', { latitude: 52.5, longitude: 13.4 })
  expect(await run(app, 'old-positions')).toBe(2)
  expect(await run(app, 'old-positions')).toBe(0)
  const gone = { latitude: null, longitude: null, square: null, cell: null, strayed: flag(false), updated_at: null }
  const columns = Object.keys(gone).join()
  expect(await app.rows(`SELECT ${columns}, visible FROM locations WHERE user_id = ?`, ada.id)).toEqual([
    { ...gone, visible: flag(true) },
  ])
  expect(await app.rows(`SELECT ${columns}, visible FROM locations WHERE user_id = ?`, bob.id)).toEqual([
    { ...gone, visible: flag(false) },
  ])
  expect(await app.rows('SELECT DISTINCT user_id FROM location_cells')).toEqual([{ user_id: cay.id }])
  // Preferences do not find them either.
  const traits =
    engineOfApps.name === 'SQLite'
      ? 'SELECT DISTINCT u.user_id FROM nearby_traits t JOIN locations u ON u.id = t.location_id'
      : 'SELECT DISTINCT user_id FROM nearby_traits'
  expect(await app.rows(traits)).toEqual([{ user_id: cay.id }])
  const again = await back(app, ada)
  await again.put('me/location', { latitude: 52.5, longitude: 13.4 })
  const found = await (await back(app, cay)).get('search/nearby?lat=52.5&lng=13.4&drinks=tea')
  expect(found.body.items.map((item: any) => item.user.id)).toEqual([ada.id])
})

test('the audit log is kept for two years', async () => {
  const app = await testApp()
  const ada = await app.person()
  await ada.put('me', { city: 'Ulm' })
  app.clock.now += kept.auditEntries
  await (await back(app, ada)).put('me', { city: 'Bern' })
  expect(await run(app, 'old-audit-entries')).toBe(0)
  app.clock.now += 1
  expect(await run(app, 'old-audit-entries')).toBe(1)
  expect(await app.rows('SELECT action FROM audit_log')).toEqual([{ action: 'profile' }])
})

async function uploaded(person: Person): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(8, 8, { fit: 'fill' }).png().bytes()]), 'a.png')
  return (await person.post('media', form)).body.id
}

test('evidence is removed 180 days after the decision, with photos that only it kept', async () => {
  const app = await testApp()
  const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  const chatId = await chatOf(ada, bob)
  const shown = await send(bob, chatId, { kind: 'photo', photo: await uploaded(bob), text: 'Look' })
  const other = await send(bob, chatId, { text: 'More' })
  const report = (await ada.post('reports', { message_id: shown.id, reason: 'nudity', details: 'Unasked.' })).body
  const open = (await ada.post('reports', { message_id: other.id, reason: 'spam' })).body
  await bob.delete(`messages/${shown.id}`)
  await mo.post(`admin/reports/${report.id}/resolve`, { action: 'warn', note: 'Do not.' })
  const resolved = app.clock.now

  app.clock.now = resolved + kept.evidence
  expect(await run(app, 'old-evidence')).toBe(0)
  expect(await run(app, 'media-sweep')).toBe(0)
  app.clock.now += 1
  expect(await run(app, 'old-evidence')).toBe(1)
  expect(await run(app, 'old-evidence')).toBe(0)
  const moderator = await back(app, mo)
  expect((await moderator.get(`admin/reports/${report.id}`)).body).toMatchObject({
    evidence: null,
    details: 'Unasked.',
    reporter_id: ada.id,
    resolution: { action: 'warn', note: 'Do not.' },
  })
  // An open report keeps its evidence however long it waits, including its neighbour’s photo.
  expect((await moderator.get(`admin/reports/${open.id}`)).body.evidence.message.text).toBe('More')
  expect(await run(app, 'media-sweep')).toBe(0)
  await moderator.post(`admin/reports/${open.id}/resolve`, { action: 'dismiss', note: 'No.' })
  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(1)
  expect(await app.rows('SELECT * FROM evidence_photos')).toEqual([])
  expect(await run(app, 'media-sweep')).toBe(1)
})

test('a report of a review does not name its author once its evidence is removed', async () => {
  const app = await testApp()
  const [author, mo, other] = [await app.person(), await app.person(), await app.person()]
  for (const { id } of [mo, other])
    await app.services.storage.users.setRole(id, 'moderator', granted(id, app.clock.now))
  const review = { chat_id: await app.met(author, mo), rating: 1, anonymous: true, text: 'Rude.' }
  const { id: review_id } = (await author.post('reviews', review)).body
  const report = (await mo.post('reports', { review_id, reason: 'hate', details: 'It was them.' })).body
  await other.post(`admin/reports/${report.id}/resolve`, { action: 'dismiss', note: 'Ask them.' })
  expect((await mo.get(`admin/reports/${report.id}`)).status).toBe(403)
  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(1)
  const reviewed = await back(app, mo)
  for (const path of [`admin/reports/${report.id}`, 'admin/reports', 'admin/audit?action=report_resolved']) {
    const { status, text } = await reviewed.get(path)
    expect([path, status, text.includes(author.id)]).toEqual([path, 200, false])
  }
  expect(await app.rows('SELECT subject_id, details, note FROM reports')).toEqual([
    { subject_id: null, details: null, note: null },
  ])
})

test('an account does not show the reviewed moderator decisions about a review of them, with or without its evidence', async () => {
  const app = await testApp()
  const [author, mo, other, third] = [await app.person(), await app.person(), await app.person(), await app.person()]
  for (const { id } of [mo, other, third])
    await app.services.storage.users.setRole(id, 'moderator', granted(id, app.clock.now))
  const review = { chat_id: await app.met(author, mo), rating: 1, anonymous: true, text: 'Rude.' }
  const { id: review_id } = (await author.post('reviews', review)).body
  const report = (await mo.post('reports', { review_id, reason: 'hate' })).body
  const seenBy = async (reader: Pick<Person, 'get'>) => {
    const { decisions, suspended_reason } = (await reader.get(`admin/users/${author.id}`)).body
    return [suspended_reason, ...decisions.map(({ reason }: { reason: string }) => reason).toSorted()]
  }
  const appeal = async (decision: string, note: string) => {
    const [notice] = (await author.get('me/notices')).body.items
    app.clock.now += 1
    const { id } = (await author.post('appeals', { notice_id: notice.id, text: 'No.' })).body
    await third.post(`admin/appeals/${id}/resolve`, { decision, note })
    app.clock.now += 1
  }
  await other.post(`admin/users/${author.id}/warn`, { reason: 'Spam.' })
  await appeal('reject', 'It was spam.')
  const decision = { action: 'suspend', note: 'Your review of Mo is rude.' }
  await other.post(`admin/reports/${report.id}/resolve`, decision)
  await appeal('reject', 'Mo is not rude.')

  const unsaid = [null, 'It was spam.', 'Spam.']
  const all = [decision.note, 'It was spam.', 'Mo is not rude.', 'Spam.', decision.note]
  expect(await seenBy(mo)).toEqual(unsaid)
  expect(await seenBy(other)).toEqual(all)
  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(1)
  for (const reader of [mo, other]) expect(await seenBy(await back(app, reader))).toEqual(unsaid)
  // Its author still reads the reasons.
  const notices = (await (await back(app, author)).get('me/notices')).body.items
  expect(notices.map(({ reason }: { reason: string }) => reason).toSorted()).toEqual(all.slice(1))
})

test('the audit log does not tell whose account was opened with a report of a review once its evidence is removed', async () => {
  const app = await testApp()
  const [author, mo, other] = [await app.person(), await app.person(), await app.person()]
  for (const { id } of [mo, other])
    await app.services.storage.users.setRole(id, 'moderator', granted(id, app.clock.now))
  const review = { chat_id: await app.met(author, mo), rating: 1, anonymous: true, text: 'Rude.' }
  const { id: review_id } = (await author.post('reviews', review)).body
  const report = (await mo.post('reports', { review_id, reason: 'hate' })).body
  await other.get(`admin/reports/${report.id}`)
  app.clock.now += 5 * seconds
  await other.get(`admin/users/${author.id}`)
  app.clock.now += days
  const again = await back(app, other)
  await again.get(`admin/users/${author.id}`)
  await again.post(`admin/reports/${report.id}/resolve`, { action: 'dismiss', note: 'True.' })
  const opened = async () =>
    (await (await back(app, mo)).get('admin/audit?action=person_read')).body.items.map((entry: any) => entry.subject_id)
  expect(await opened()).toEqual([])
  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(1)
  // The other time had nothing to do with the report.
  expect(await opened()).toEqual([author.id, null])
})

test('texts by or about an erased user are removed from a report with its evidence', async () => {
  const app = await testApp()
  const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  const photo = await uploaded(ada)
  await ada.put('me', { photo })
  const about = (await bob.post('reports', { user_id: ada.id, reason: 'spam', details: 'Ada sells things.' })).body
  const by = (await ada.post('reports', { user_id: bob.id, reason: 'scam', details: 'Bob owes me.' })).body
  for (const { id } of [about, by])
    await mo.post(`admin/reports/${id}/resolve`, { action: 'warn', note: 'Both of you.' })
  expect((await ada.delete('me', { password })).status).toBe(204)
  // Until then, a moderator sees everything, including the photo.
  const before = (await mo.get(`admin/reports/${about.id}`)).body
  expect(before).toMatchObject({ details: 'Ada sells things.', evidence: { user: { name: 'Ada' } } })
  expect((await app.request('GET', before.evidence.user.photo)).status).toBe(200)

  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(2)
  expect(await run(app, 'media-sweep')).toBe(1)
  const moderator = await back(app, mo)
  const shown = async (id: string) => (await moderator.get(`admin/reports/${id}`)).body
  expect(await shown(about.id)).toMatchObject({ details: null, evidence: null, resolution: { note: null } })
  expect(await shown(by.id)).toMatchObject({
    details: null,
    evidence: null,
    reporter_id: null,
    resolution: { note: 'Both of you.' },
  })
})

test('if the evidence was removed before the erasure, the texts are removed with the account', async () => {
  const app = await testApp()
  const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  const about = (await bob.post('reports', { user_id: ada.id, reason: 'spam', details: 'Ada sells things.' })).body
  const by = (await ada.post('reports', { user_id: bob.id, reason: 'scam', details: 'Bob owes me.' })).body
  for (const { id } of [about, by]) await mo.post(`admin/reports/${id}/resolve`, { action: 'dismiss', note: 'No.' })
  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(2)
  expect((await (await back(app, ada)).delete('me', { password })).status).toBe(204)
  const left = await app.rows('SELECT id, reporter_id, details, note FROM reports ORDER BY id')
  expect(left).toEqual([
    { id: about.id, reporter_id: bob.id, details: null, note: null },
    { id: by.id, reporter_id: null, details: null, note: 'No.' },
  ])
})

test('thousands of rows are removed in several writes, so that requests can run in between', async () => {
  const app = await testApp()
  const ada = await app.person()
  const { storage, audit } = app.services
  await Promise.all(Array.from({ length: 1234 }, () => audit.record('counted', ada.id)))
  app.clock.now += kept.auditEntries + 1
  const removing = run(app, 'old-audit-entries')
  const left: number[] = []
  let done = false
  void removing.then(() => (done = true))
  while (!done) {
    left.push((await storage.audit.list({ action: 'counted' }, 5000, null)).length)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await removing).toBe(1234)
  expect(left.filter((count) => count > 0 && count < 1234).length).toBeGreaterThanOrEqual(2)
  expect((await storage.audit.list({ action: 'counted' }, 1, null)).length).toBe(0)
})

test('removed data do not stay in the database’s log', async () => {
  const databasePath = join(tmpdir(), `convene-retention-${crypto.randomUUID()}.db`)
  const app = await testApp({}, { databasePath })
  const [ada, bob] = [await app.person(), await app.person()]
  const chatId = await chatOf(ada, bob)
  const sent = await send(ada, chatId, { text: 'Mark-Before' })
  await ada.put(`messages/${sent.id}`, { text: 'Mark-After' })
  app.clock.now += kept.messageVersions + 1
  await run(app, 'old-message-versions')
  const log = Bun.file(`${databasePath}-wal`)
  expect(await log.text()).toContain('Mark-Before')
  expect(await run(app, 'erasures')).toBe(0)
  expect(log.size).toBe(0)
  const database = await Bun.file(databasePath).text()
  expect(database).toContain('Mark-After')
  expect(database).not.toContain('Mark-Before')
  await app.close()
  rmSync(databasePath)
})

test('an appeal against the removal of a review is removed with its evidence, and the audit log names no author', async () => {
  const app = await testApp()
  const [author, mo, other, third] = [await app.person(), await app.person(), await app.person(), await app.person()]
  for (const { id } of [mo, other, third])
    await app.services.storage.users.setRole(id, 'moderator', granted(id, app.clock.now))
  const review = { chat_id: await app.met(author, mo), rating: 1, anonymous: true, text: 'Rude.' }
  const { id: review_id } = (await author.post('reviews', review)).body
  const report = (await mo.post('reports', { review_id, reason: 'hate' })).body
  await other.post(`admin/reports/${report.id}/resolve`, { action: 'remove_content', note: 'Rude.' })
  const [notice] = (await author.get('me/notices')).body.items
  expect((await author.post('appeals', { notice_id: notice.id, text: 'It was true.' })).status).toBe(201)
  expect((await mo.get('admin/appeals')).body.items).toEqual([])
  const [appeal] = (await other.get('admin/appeals')).body.items
  const decision = { decision: 'reject', note: 'No.' }
  expect((await third.post(`admin/appeals/${appeal.id}/resolve`, decision)).status).toBe(200)
  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(1)
  const reviewed = await back(app, mo)
  expect((await reviewed.get('admin/appeals')).body.items).toEqual([])
  for (const action of ['appeal', 'appeal_resolved']) {
    const { items } = (await reviewed.get(`admin/audit?action=${action}`)).body
    expect(items).toHaveLength(1)
    expect(JSON.stringify(items)).not.toContain(author.id)
  }
})

test('if the evidence was removed before the erasure, the note is removed with the account, with or without details', async () => {
  const app = await testApp()
  const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  const report = (await bob.post('reports', { user_id: ada.id, reason: 'spam' })).body
  await mo.post(`admin/reports/${report.id}/resolve`, { action: 'warn', note: 'Ada sells things.' })
  app.clock.now += kept.evidence + 1
  expect(await run(app, 'old-evidence')).toBe(1)
  expect((await (await back(app, ada)).delete('me', { password })).status).toBe(204)
  expect(await app.rows('SELECT note FROM reports')).toEqual([{ note: null }])
})

test('old events of users without recent ones are removed too', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  await chatOf(ada, bob)
  app.clock.now += 7 * days + 1
  expect(await app.services.retention.events()).toBe(2)
  expect(await app.rows('SELECT seq FROM events')).toEqual([])
})
