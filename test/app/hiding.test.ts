import { expect, test } from 'bun:test'
import { amendedBy, hidingBy, type HidingReport, shareOf } from '../../src/features/safety/rules.ts'
import { days, hours, minutes } from '../../src/lib/time.ts'
import { type Person, testApp, type TestApp } from '../app.ts'
import { connect, ofType } from '../socket-client.ts'
import { granted } from '../rows.ts'

const berlin = { latitude: 52.52, longitude: 13.405 }
const around = 'search/nearby?lat=52.52&lng=13.405'
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const outcome = ({ status, body }: { status: number; body: any }) => [status, body?.code]

/** Each has an address of their own, or the given one. */
const reportFrom = (person: Person, network: number, body: object) =>
  person.post('reports', { reason: 'scam', ...body }, { 'x-forwarded-for': `198.51.100.${network}` })

const asRole = async (app: TestApp, role: 'moderator' | 'admin') => {
  const person = await app.person('Mo')
  await app.services.storage.users.setRole(person.id, role, granted(person.id, app.clock.now))
  return person
}

/** Bob with a photo and a place, people who may report him, and a moderator. All accounts are two days old. */
async function setting(reporters = 4, settings: Record<string, string> = {}) {
  const app = await testApp({ TRUST_PROXY: '1', ...settings })
  const bob = await app.person('Bob')
  const ada = await app.person('Ada')
  const others = await Promise.all(Array.from({ length: reporters }, () => app.person()))
  const mo = await asRole(app, 'moderator')
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(8, 8, { fit: 'fill' }).png().bytes()]), 'a.png')
  const photo = (await bob.post('media', form)).body
  await bob.put('me', { photo: photo.id, bio: 'Tea, mostly.', city: 'Berlin' })
  await bob.put('me/location', berlin)
  await app.rows('UPDATE users SET created_at = created_at - ?', 2 * days)
  const chatId = await app.met(ada, bob)
  const shown = (await ada.get(`users/${bob.id}`)).body.photo as string
  return { app, bob, ada, others, mo, photo, chatId, shown }
}

const pathOf = (url: string) => url.slice(url.indexOf('/api/v1'))
const nearbyOf = async (person: Person) => (await person.get(around)).body.items.map((item: any) => item.user.id)
const noticesOf = async (person: Person) => (await person.get('me/notices')).body.items as any[]
const resolve = (by: Person, reportId: string, body: object = {}) =>
  by.post(`admin/reports/${reportId}/resolve`, { action: 'dismiss', note: 'Looked at.', ...body })

test('three reports by different people hide a photo and a place until a decision', async () => {
  const { app, bob, ada, others, mo, shown, chatId } = await setting()
  expect(await nearbyOf(ada)).toEqual([bob.id])
  const reports = []
  for (const [i, person] of others.slice(0, 2).entries()) {
    reports.push((await reportFrom(person, i, { user_id: bob.id })).body)
    app.clock.now += minutes
  }
  expect(await nearbyOf(ada)).toEqual([bob.id])
  expect(await noticesOf(bob)).toEqual([])
  reports.push((await reportFrom(others[2]!, 2, { user_id: bob.id })).body)

  expect(await nearbyOf(ada)).toEqual([])
  expect(await nearbyOf(others[0]!)).toEqual([])
  const seen = (await ada.get(`users/${bob.id}`)).body
  expect(seen).toMatchObject({ name: 'Bob', bio: 'Tea, mostly.', photo: null, photo_thumb: null })
  expect(seen).not.toHaveProperty('hidden')
  const [chat] = (await ada.get('chats')).body.items
  expect(chat.user).toMatchObject({ id: bob.id, name: 'Bob', photo: null, photo_thumb: null })
  expect((await ada.get(`chats/${chatId}`)).body.user?.photo ?? null).toBeNull()
  // Even at a URL that was handed out before.
  expect((await app.request('GET', pathOf(shown))).status).toBe(404)

  const me = (await bob.get('me')).body
  expect(me).toMatchObject({ hidden: 'nearby', visible: true })
  expect((await app.request('GET', pathOf(me.photo))).status).toBe(200)
  expect((await bob.get(`users/${bob.id}`)).body.photo).toBe(me.photo)
  const [notice] = await noticesOf(bob)
  expect(notice).toMatchObject({
    action: 'hide',
    automated: true,
    ground: 'scam',
    message_id: null,
    review_id: null,
    until: null,
    appeal: null,
  })
  expect(notice.how_to_appeal).toContain('/appeals')
  expect((await bob.get('sync?since=0')).body.items.filter((event: any) => event.type === 'notice')).toEqual([
    expect.objectContaining({ data: notice }),
  ])
  // Nothing that he does himself makes him visible.
  await bob.put('me/visibility', { visible: false })
  await bob.put('me/visibility', { visible: true })
  await bob.put('me/location', { ...berlin, latitude: 52.521 })
  expect(await nearbyOf(ada)).toEqual([])

  const detail = (await mo.get(`admin/reports/${reports[2]!.id}`)).body
  expect(detail).toMatchObject({ hidden: 'nearby', strikes: 0, proposal: null })
  expect(detail.evidence.user.photo).not.toBeNull()
  expect((await app.request('GET', pathOf(detail.evidence.user.photo))).status).toBe(200)
  expect((await mo.get(`admin/users/${bob.id}`)).body.hidden).toBe('nearby')
  expect((await mo.get(`admin/audit?action=person_hidden`)).body.items).toMatchObject([
    { actor_id: null, subject_id: bob.id, metadata: { report_id: reports[2]!.id, hidden: 'nearby' } },
  ])
  // The export of the case has it too.
  const actionsOf = async (id: string) =>
    (await app.services.storage.moderation.wholeCase(id))!.entries.map(({ action }) => action)
  expect(await actionsOf(reports[2]!.id)).toContain('person_hidden')
  expect(await actionsOf(reports[1]!.id)).not.toContain('person_hidden')

  expect((await resolve(mo, reports[0]!.id)).status).toBe(200)
  expect((await bob.get('me')).body.hidden).toBeNull()
  expect(await nearbyOf(ada)).toEqual([bob.id])
  expect((await ada.get(`users/${bob.id}`)).body.photo).not.toBeNull()
  expect((await app.request('GET', pathOf(shown))).status).toBe(200)
  expect((await noticesOf(bob)).map(({ action, how_to_appeal }) => [action, how_to_appeal])).toEqual([
    ['show', null],
    ['hide', notice.how_to_appeal],
  ])
  // Reports that a moderator has decided no longer hide him.
  await reportFrom(others[3]!, 3, { user_id: bob.id })
  expect((await bob.get('me')).body.hidden).toBeNull()
})

test('a warning lifts it too, but not one that is taken back', async () => {
  const { app, bob, others, mo } = await setting()
  for (const [i, person] of others.slice(0, 3).entries()) await reportFrom(person, i, { user_id: bob.id })
  const [report] = (await mo.get('admin/reports')).body.items
  await resolve(mo, report.id, { action: 'warn', undo_s: 10, strikes: 2 })
  expect((await bob.get('me')).body.hidden).toBe('nearby')
  expect((await mo.delete(`admin/reports/${report.id}/resolve`)).status).toBe(204)
  app.clock.now += minutes
  for (const { services } of app.nodes) services.delivery.wake('decision')
  await Promise.all(app.nodes.map(({ services }) => services.delivery.idle()))
  expect((await bob.get('me')).body.hidden).toBe('nearby')
  const resolved = await resolve(mo, report.id, { action: 'warn', strikes: 2 })
  expect(resolved.body).toMatchObject({ hidden: null, strikes: 2, proposal: { action: 'warn', days: null } })
  expect((await bob.get('me')).body.hidden).toBeNull()
  expect((await noticesOf(bob)).map(({ action }) => action).toSorted()).toEqual(['hide', 'show', 'warn'])
})

test('an appeal against it is decided like any other, and makes the user visible again', async () => {
  const { bob, ada, others, mo } = await setting()
  for (const [i, person] of others.slice(0, 3).entries()) await reportFrom(person, i, { user_id: bob.id })
  const [notice] = await noticesOf(bob)
  const appeal = await bob.post('appeals', { notice_id: notice.id, text: 'They know each other.' })
  expect(appeal.status).toBe(201)
  expect((await mo.get('admin/appeals')).body.items).toMatchObject([{ notice: { action: 'hide' } }])
  const body = { decision: 'uphold', note: 'So it is.' }
  expect((await mo.post(`admin/appeals/${appeal.body.id}/resolve`, body)).status).toBe(200)
  expect((await bob.get('me')).body.hidden).toBeNull()
  expect(await nearbyOf(ada)).toEqual([bob.id])
  // The reports are still open, but no longer hide him.
  expect((await mo.get('admin/reports?status=open')).body.items).toHaveLength(3)
  await reportFrom(others[3]!, 3, { user_id: bob.id })
  expect((await bob.get('me')).body.hidden).toBeNull()
})

test('a rejected appeal changes nothing', async () => {
  const { bob, ada, others, mo } = await setting()
  for (const [i, person] of others.slice(0, 3).entries()) await reportFrom(person, i, { user_id: bob.id })
  const [notice] = await noticesOf(bob)
  const appeal = await bob.post('appeals', { notice_id: notice.id, text: 'They know each other.' })
  await mo.post(`admin/appeals/${appeal.body.id}/resolve`, { decision: 'reject', note: 'They do not.' })
  expect((await bob.get('me')).body.hidden).toBe('nearby')
  expect(await nearbyOf(ada)).toEqual([])
})

test('reports from one address, by young accounts, about other targets or older than a day do not count', async () => {
  const { app, bob, ada, others, chatId } = await setting(5)
  const hidden = async () => (await bob.get('me')).body.hidden
  const [one, two, three, four, five] = others as [Person, Person, Person, Person, Person]
  await reportFrom(one, 1, { user_id: bob.id })
  await reportFrom(two, 1, { user_id: bob.id })
  await reportFrom(three, 2, { user_id: bob.id })
  expect(await hidden()).toBeNull()
  const young = await app.person()
  await reportFrom(young, 3, { user_id: bob.id })
  expect(await hidden()).toBeNull()
  const message = (await bob.post(`chats/${chatId}/messages`, { text: 'Hello' })).body
  await reportFrom(ada, 4, { message_id: message.id })
  expect(await hidden()).toBeNull()
  await app.rows('UPDATE reports SET created_at = created_at - ?', days)
  await reportFrom(four, 5, { user_id: bob.id })
  expect(await hidden()).toBeNull()
  await reportFrom(five, 6, { user_id: bob.id })
  await reportFrom(young, 7, { user_id: bob.id })
  // A repeated open report is the same report: theirs stays one of yesterday.
  expect(await hidden()).toBeNull()
  await reportFrom(await app.person(), 8, { user_id: bob.id })
  expect(await hidden()).toBeNull()
  await reportFrom(ada, 9, { user_id: bob.id })
  expect(await hidden()).toBe('nearby')
})

test('concurrent reports hide once, whichever nodes they reach', async () => {
  const { app, bob, others } = await setting(8)
  const other = await testApp({ TRUST_PROXY: '1' }, { beside: app })
  const answers = await Promise.all(
    others.map((person, i) => {
      const there = i % 2 ? other.as(person.token) : person
      return reportFrom({ ...person, ...there }, i, { user_id: bob.id })
    }),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
  expect(await noticesOf(bob)).toMatchObject([{ action: 'hide' }])
  expect(await app.rows('SELECT id FROM reports WHERE hides > 0')).toHaveLength(3)
})

test('a report of a child hides the whole profile at once, and is due within four hours', async () => {
  const { app, bob, ada, others, mo, chatId, shown } = await setting()
  const socket = await connect(await app.listen(), bob.token)
  await socket.until(ofType('hello'))
  const [reporter, stranger] = others as [Person, Person]
  const report = await reportFrom(reporter, 1, { user_id: bob.id, reason: 'underage' })
  expect(await socket.until(ofType('notice'))).toMatchObject({ data: { action: 'hide', ground: 'underage' } })
  const detail = (await mo.get(`admin/reports/${report.body.id}`)).body
  expect(Date.parse(detail.due_at) - Date.parse(detail.created_at)).toBe(4 * hours)
  expect((await bob.get('me')).body.hidden).toBe('profile')

  expect(await nearbyOf(ada)).toEqual([])
  expect(outcome(await ada.get(`users/${bob.id}`))).toEqual([404, 'not_found'])
  expect(outcome(await ada.get(`users/${bob.id}/reviews`))).toEqual([404, 'not_found'])
  expect((await app.request('GET', `users/${bob.id}/stats`)).status).toBe(404)
  expect((await bob.get(`users/${bob.id}/stats`)).status).toBe(200)
  expect(outcome(await stranger.post('chats', { user_id: bob.id }))).toEqual([404, 'not_found'])
  expect((await app.request('GET', pathOf(shown))).status).toBe(404)
  const [chat] = (await ada.get('chats')).body.items
  expect(chat.user).toMatchObject({ id: bob.id, name: 'Bob', bio: null, city: null, photo: null })
  expect(JSON.stringify(chat)).not.toContain('Tea, mostly.')
  // Chats continue, and the user can be reported and blocked.
  expect((await bob.post(`chats/${chatId}/messages`, { text: 'Hello' })).status).toBe(201)
  expect((await stranger.post('blocks', { user_id: bob.id })).status).toBe(201)

  // Three other reports hide less, and that remains once this report is decided.
  const three = []
  for (const [i, person] of others.slice(1).entries())
    three.push((await reportFrom(person, 10 + i, { user_id: bob.id })).body)
  expect(await noticesOf(bob)).toHaveLength(1)
  expect((await resolve(mo, report.body.id)).status).toBe(200)
  expect((await bob.get('me')).body.hidden).toBe('nearby')
  expect((await ada.get(`users/${bob.id}`)).body).toMatchObject({ bio: 'Tea, mostly.', photo: null })
  expect((await resolve(mo, three[0]!.id)).status).toBe(200)
  expect((await bob.get('me')).body.hidden).toBeNull()
  expect(await nearbyOf(ada)).toEqual([bob.id])
})

test('an open report that is reported again as of a child is raised: it hides, is due, and is told like a new one', async () => {
  const { app, bob, ada, others, mo } = await setting(4, {
    WEBHOOK_URL: 'https://hooks.example.com/convene',
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
  })
  const [reporter] = others as [Person]
  const first = await reportFrom(reporter, 1, { user_id: bob.id, reason: 'spam', details: 'Adverts.' })
  // So old that it would no longer count.
  await app.rows('UPDATE reports SET created_at = created_at - ?, due_at = due_at - ?', 25 * hours, 25 * hours)
  first.body.created_at = new Date(app.clock.now - 25 * hours).toISOString()
  expect((await mo.post(`admin/reports/${first.body.id}/claim`)).status).toBe(200)
  expect((await resolve(mo, first.body.id, { undo_s: 10 })).body.pending).toMatchObject({ action: 'dismiss' })
  const told = async (about: string) =>
    (await app.rows<{ payload: string }>("SELECT payload FROM outbox WHERE kind = 'webhook' ORDER BY id"))
      .map(({ payload }) => (typeof payload === 'string' ? JSON.parse(payload) : payload))
      .filter((payload) => payload.about === about)
      .map(({ data }) => data)

  const body = { user_id: bob.id, reason: 'underage', details: 'She told me that she is 14.' }
  const again = await Promise.all(Array.from({ length: 5 }, () => reportFrom(reporter, 1, body)))
  expect(again.map(({ status, body }) => [status, body])).toEqual(Array(5).fill([200, first.body]))
  expect((await bob.get('me')).body.hidden).toBe('profile')
  expect(outcome(await ada.get(`users/${bob.id}`))).toEqual([404, 'not_found'])
  expect(await noticesOf(bob)).toMatchObject([{ action: 'hide', ground: 'underage' }])
  const about = { user_id: bob.id, target: 'user' }
  expect(await told('report.created')).toEqual(
    ['spam', 'underage'].map((reason) => ({ ...about, report_id: first.body.id, reason })),
  )
  const entries = (await mo.get('admin/audit?action=report')).body.items
  expect(entries.map(({ subject_id, metadata }: any) => [subject_id, metadata.reason])).toEqual([
    [first.body.id, 'underage'],
    [first.body.id, 'spam'],
  ])
  expect((await mo.get('admin/audit?action=person_hidden')).body.items).toMatchObject([
    { metadata: { report_id: first.body.id, hidden: 'profile' } },
  ])

  // What was decided about adverts is not carried out.
  app.clock.now += minutes
  for (const { services } of app.nodes) services.delivery.wake('decision')
  await Promise.all(app.nodes.map(({ services }) => services.delivery.idle()))
  const [queued] = (await mo.get('admin/reports?status=open')).body.items
  expect(queued).toMatchObject({
    ...{ id: first.body.id, reason: 'underage', details: 'Adverts.\nShe told me that she is 14.' },
    ...{ claimed_by: null, pending: null, created_at: first.body.created_at },
  })
  // It is overdue since yesterday, and stays so.
  expect(Date.parse(queued.due_at) - Date.parse(queued.created_at)).toBe(24 * hours)
  expect((await bob.get('me')).body.hidden).toBe('profile')

  // Any other reason changes no more than the details, and a decision ends it.
  expect((await reportFrom(reporter, 1, { user_id: bob.id, reason: 'spam' })).body).toEqual(first.body)
  expect((await reporter.get('reports')).body.items).toMatchObject([{ reason: 'underage', status: 'open' }])
  // The moderator has read only of adverts: nothing is decided unseen, at once or later.
  for (const later of [{}, { undo_s: 10 }])
    expect(outcome(await resolve(mo, first.body.id, later))).toEqual([409, 'conflict'])
  expect((await bob.get('me')).body.hidden).toBe('profile')
  expect((await mo.get(`admin/reports/${first.body.id}`)).body.reason).toBe('underage')
  expect((await resolve(mo, first.body.id)).status).toBe(200)
  expect((await bob.get('me')).body.hidden).toBeNull()
  expect((await reportFrom(reporter, 1, body)).status).toBe(201)
})

test('a raised report is due within four hours, and hides again where an appeal had been upheld', async () => {
  const { app, bob, others, mo } = await setting()
  const reports = []
  for (const [i, person] of others.slice(0, 3).entries())
    reports.push((await reportFrom(person, i, { user_id: bob.id })).body)
  const upheld = async () => {
    const [notice] = (await noticesOf(bob)).filter(({ action }) => action === 'hide')
    const appeal = await bob.post('appeals', { notice_id: notice.id, text: 'It is not so.' })
    await mo.post(`admin/appeals/${appeal.body.id}/resolve`, { decision: 'uphold', note: '.' })
    return (await bob.get('me')).body.hidden
  }
  expect(await upheld()).toBeNull()
  app.clock.now += minutes
  const underage = () => reportFrom(others[0]!, 0, { user_id: bob.id, reason: 'underage' })
  expect((await underage()).body).toEqual(reports[0])
  expect((await bob.get('me')).body.hidden).toBe('profile')
  const detail = (await mo.get(`admin/reports/${reports[0]!.id}`)).body
  expect(Date.parse(detail.due_at)).toBe(app.clock.now + 4 * hours)
  app.clock.now += minutes
  expect(await upheld()).toBeNull()
  // Saying the same once more does not hide them again, but the others have not said it yet.
  expect((await underage()).status).toBe(200)
  expect((await bob.get('me')).body.hidden).toBeNull()
  expect((await reportFrom(others[1]!, 1, { user_id: bob.id, reason: 'underage' })).status).toBe(200)
  expect((await bob.get('me')).body.hidden).toBe('profile')
})

test('a report about a review is raised without hiding its author', async () => {
  const { app, bob, ada, chatId } = await setting()
  await ada.post(`chats/${chatId}/messages`, { text: 'Hello' })
  await bob.post(`chats/${chatId}/messages`, { text: 'Hello' })
  const review = (await bob.post('reviews', { chat_id: chatId, rating: 1, anonymous: true })).body
  for (const reason of ['hate', 'underage']) await reportFrom(ada, 1, { review_id: review.id, reason })
  expect(await app.rows('SELECT reason, hides FROM reports')).toEqual([{ reason: 'underage', hides: null }])
  expect((await bob.get('me')).body.hidden).toBeNull()
})

test('what another report adds to an open one', () => {
  const at = 1_000 * days
  const open = { reason: 'spam' as const, details: 'Old.', due_at: at + days, created_at: at }
  const again = { reason: 'scam', details: 'New.', due_at: at + days, created_at: at + hours } as const
  expect(amendedBy(open, { ...again, details: null })).toBeNull()
  expect(amendedBy(open, { ...again, details: 'Old.' })).toBeNull()
  expect(amendedBy(open, again)).toEqual({ raised: false, set: { details: 'Old.\nNew.' } })
  const child = { ...again, reason: 'underage', due_at: at + 5 * hours } as const
  const raised = (due_at: number, details: string) => ({
    raised: true,
    set: { reason: 'underage' as const, due_at, details },
  })
  expect(amendedBy(open, child)).toEqual(raised(at + 5 * hours, 'Old.\nNew.'))
  expect(amendedBy({ ...open, due_at: at + 2 * hours }, child)).toEqual(raised(at + 2 * hours, 'Old.\nNew.'))
  expect(amendedBy({ ...open, reason: 'underage' }, { ...child, details: null })).toBeNull()
  // Whatever was said before, there is room for what is new.
  const cups = '🍵'.repeat(2000)
  expect(amendedBy({ ...open, details: cups }, child)?.set.details).toBe(`${'🍵'.repeat(1995)}\nNew.`)
  expect(amendedBy(open, { ...child, details: cups })?.set.details).toBe(cups)
})

test('a report about a child in a message does not reveal the message', async () => {
  const { bob, ada, chatId } = await setting()
  const message = (await bob.post(`chats/${chatId}/messages`, { text: 'I am 14' })).body
  await reportFrom(ada, 1, { message_id: message.id, reason: 'underage' })
  const [notice] = await noticesOf(bob)
  expect(notice).toMatchObject({ action: 'hide', ground: 'underage', message_id: null })
  expect(JSON.stringify([notice, (await bob.get('me/export')).body])).not.toContain(ada.email)
})

test('a hidden place stays hidden while one of two causes is open', async () => {
  const { bob, others, mo } = await setting()
  for (const [i, person] of others.slice(0, 3).entries()) await reportFrom(person, i, { user_id: bob.id })
  const underage = await reportFrom(others[3]!, 3, { user_id: bob.id, reason: 'underage' })
  expect((await bob.get('me')).body.hidden).toBe('profile')
  await resolve(mo, underage.body.id)
  expect((await bob.get('me')).body.hidden).toBe('nearby')
  expect((await noticesOf(bob)).map(({ action }) => action)).toEqual(['hide', 'hide'])
})

test('an upheld appeal against either cause makes the user visible again, but not one against an earlier hiding', async () => {
  for (const appealed of [0, 1]) {
    const { app, bob, ada, others, mo } = await setting()
    const appealAgainst = (notice: any) => bob.post('appeals', { notice_id: notice.id, text: 'It is not so.' })
    const uphold = (appeal: any) =>
      mo.post(`admin/appeals/${appeal.body.id}/resolve`, { decision: 'uphold', note: '.' })
    const first = await reportFrom(ada, 9, { user_id: bob.id, reason: 'underage' })
    const [earlier] = await noticesOf(bob)
    await resolve(mo, first.body.id)
    for (const [i, person] of others.slice(0, 3).entries()) await reportFrom(person, i, { user_id: bob.id })
    app.clock.now += minutes
    const underage = await reportFrom(others[3]!, 3, { user_id: bob.id, reason: 'underage' })
    const hidings = (await noticesOf(bob)).filter(({ action }) => action === 'hide').toReversed()
    expect(hidings).toHaveLength(3)
    expect((await uphold(await appealAgainst(earlier))).status).toBe(200)
    expect((await bob.get('me')).body.hidden).toBe('profile')
    const appeal = await appealAgainst(hidings[1 + appealed])
    await resolve(mo, underage.body.id)
    expect((await bob.get('me')).body.hidden).toBe('nearby')
    expect((await uphold(appeal)).status).toBe(200)
    expect((await bob.get('me')).body.hidden).toBeNull()
    expect(await nearbyOf(ada)).toEqual([bob.id])
  }
})

test('erasing their accounts, reporters change nothing, and the hidden user can do so too', async () => {
  const { app, bob, ada, others, mo } = await setting()
  const reports = []
  for (const [i, person] of others.slice(0, 3).entries())
    reports.push((await reportFrom(person, i, { user_id: bob.id })).body)
  expect((await app.rows<{ origin: string | null }>('SELECT origin FROM reports')).every((row) => row.origin)).toBe(
    true,
  )
  for (const person of others.slice(0, 2))
    expect((await person.delete('me', { password: 'twelve green bottles' })).status).toBe(204)
  expect((await app.rows('SELECT id FROM reports WHERE origin IS NOT NULL')).length).toBe(1)
  expect(await nearbyOf(ada)).toEqual([])
  await resolve(mo, reports[2]!.id)
  expect(await nearbyOf(ada)).toEqual([bob.id])
  await reportFrom(others[3]!, 3, { user_id: bob.id, reason: 'underage' })
  expect((await bob.delete('me', { password: 'twelve green bottles' })).status).toBe(204)
  expect(await app.rows('SELECT hidden, hidden_by FROM users WHERE id = ?', bob.id)).toEqual([
    { hidden: null, hidden_by: null },
  ])
})

test('the origin of a report is kept for a day, as a hash', async () => {
  const { app, bob, others } = await setting()
  await reportFrom(others[0]!, 42, { user_id: bob.id })
  const [row] = await app.rows<{ origin: string }>('SELECT origin FROM reports')
  expect(row!.origin).toMatch(/^[\w-]{22}$/)
  app.clock.now += days
  expect(await app.services.retention.reportOrigins()).toBe(0)
  app.clock.now += 1
  expect(await app.services.retention.reportOrigins()).toBe(1)
  expect(await app.rows('SELECT origin FROM reports')).toEqual([{ origin: null }])
})

test('the weight of a reporter’s reports', () => {
  for (const [decided, dismissed, share] of [
    [0, 0, 100],
    [2, 2, 100],
    [3, 1, 100],
    [4, 2, 100],
    [3, 2, 50],
    [10, 9, 50],
    [20, 19, 25],
    [11, 11, 25],
  ] as const)
    expect([decided, dismissed, shareOf({ decided, dismissed })]).toEqual([decided, dismissed, share])
})

test('when reports hide a user', () => {
  const at = 100 * days
  const trusted = { decided: 0, dismissed: 0 }
  const mistrusted = { decided: 3, dismissed: 3 }
  const report = (id: string, more: Partial<HidingReport> = {}): HidingReport => ({
    id,
    target: 'user',
    reason: 'spam',
    created_at: at,
    origin: id,
    reporter_since: 0,
    history: trusted,
    ...more,
  })
  const three = ['a', 'b', 'c'].map((id) => report(id))
  const hides = (reports: HidingReport[], hidden: 'nearby' | 'profile' | null = null) =>
    hidingBy(reports.at(-1)!, reports, hidden)?.hidden ?? null
  const underage = (id: string, more: Partial<HidingReport> = {}) => report(id, { reason: 'underage', ...more })
  expect(hides(three)).toBe('nearby')
  expect(hides(three.slice(1))).toBeNull()
  expect(hides(three, 'nearby')).toBeNull()
  expect(hides([...three.slice(1), report('d', { origin: 'c' })])).toBeNull()
  expect(hides([report('x', { origin: null }), report('y', { origin: null }), ...three.slice(1)])).toBe('nearby')
  expect(hides([report('x', { origin: null }), report('y', { origin: null }), report('a')])).toBeNull()
  expect(hides([...three.slice(1), report('d', { history: mistrusted })])).toBeNull()
  expect(hides([...three.slice(1), report('d', { history: mistrusted }), report('e', { history: mistrusted })])).toBe(
    'nearby',
  )
  expect(
    hides([...three.slice(1), report('d', { created_at: at - days }), report('e', { target: 'message' })]),
  ).toBeNull()
  expect(hides([...three.slice(1), report('d', { reporter_since: at - days + 1 })])).toBeNull()
  expect(hides([underage('a')])).toBe('profile')
  expect(hides([underage('a')], 'nearby')).toBe('profile')
  expect(hides([underage('a')], 'profile')).toBe('profile')
  expect(hides(three, 'profile')).toBe('profile')
  expect(hides([underage('a', { target: 'message', reporter_since: at })])).toBe('profile')
  expect(hides([underage('a', { target: 'review' })])).toBeNull()
  expect(hides([underage('a', { history: mistrusted })])).toBeNull()
  expect(hides([underage('a', { history: mistrusted }), underage('b', { history: mistrusted })])).toBe('profile')
})
