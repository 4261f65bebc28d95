import { expect, test } from 'bun:test'
import { hours, iso, minutes } from '../../src/lib/time.ts'
import { testApp, type TestApp } from '../app.ts'
import { connect, ofType } from '../socket-client.ts'
import { granted } from '../rows.ts'

async function setting() {
  const app = await testApp()
  const [ada, admin] = [await app.person('Ada'), await app.person('Root')]
  await app.services.storage.users.setRole(admin.id, 'admin', granted(admin.id, app.clock.now))
  return { app, ada, admin }
}

const rowsOf = async ({ rows }: TestApp) =>
  (await rows<{ n: number }>('SELECT count(*) AS n FROM notices'))[0]!.n +
  (await rows<{ n: number }>('SELECT count(*) AS n FROM events'))[0]!.n

test('an announcement is among everybody’s notices until it expires, and is one row', async () => {
  const { app, ada, admin } = await setting()
  const until = iso(app.clock.now + 10 * minutes)
  const before = await rowsOf(app)
  const answer = await admin.post('admin/announcements', { text: '  We are closed on Sunday. ', until })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.any(String),
    text: 'We are closed on Sunday.',
    until,
    created_at: iso(app.clock.now),
  })
  const notice = {
    id: answer.body.id,
    action: 'announce',
    message_id: null,
    review_id: null,
    ground: null,
    reason: 'We are closed on Sunday.',
    until,
    created_at: iso(app.clock.now),
    automated: false,
    appeal: null,
    how_to_appeal: null,
  }
  expect((await ada.get('me/notices')).body.items).toEqual([notice])
  // Users who register later find it as well.
  expect((await (await app.person()).get('me/notices')).body.items).toEqual([notice])
  expect(await rowsOf(app)).toBe(before)
  const appeal = await ada.post('appeals', { notice_id: answer.body.id, text: 'No.' })
  expect([appeal.status, appeal.body.code]).toEqual([404, 'not_found'])
  app.clock.now += 10 * minutes
  expect((await ada.get('me/notices')).body.items).toEqual([])
  expect((await admin.get('admin/announcements')).body.items).toEqual([answer.body])
  expect((await admin.get('admin/audit?action=announced')).body.items).toMatchObject([
    { actor_id: admin.id, subject_id: answer.body.id, metadata: { until } },
  ])
})

test('open sockets of every node get an announcement at once, and its withdrawal', async () => {
  const { app, ada, admin } = await setting()
  const socket = await connect(await app.listen(), ada.token)
  await socket.until(ofType('hello'))
  const { body } = await admin.post('admin/announcements', { text: 'Hello' })
  expect((await socket.until(ofType('announcement'))).data).toEqual(body)
  expect((await admin.delete(`admin/announcements/${body.id}`)).status).toBe(204)
  const takenBack = await socket.until((frame) => frame.type === 'announcement' && frame.data.text === null)
  expect(takenBack.data).toEqual({ ...body, text: null })
  expect(takenBack).not.toHaveProperty('seq')
  expect((await ada.get('me/notices')).body.items).toEqual([])
  const again = await admin.delete(`admin/announcements/${body.id}`)
  expect([again.status, again.body.code]).toEqual([404, 'not_found'])
  // Another node is notified, and reads it.
  const { id } = (await admin.post('admin/announcements', { text: 'There' })).body
  for (const { services } of app.nodes) services.announcements.reread()
  await socket.until((frame) => frame.type === 'announcement' && frame.data.id === id)
  await socket.pong()
  expect(socket.frames.filter(({ type, data }) => type === 'announcement' && data.id === id)).toHaveLength(1)
})

test('a server that starts again sends no announcement from before, but its withdrawal', async () => {
  const { app, ada, admin } = await setting()
  const old = (await admin.post('admin/announcements', { text: 'Old' })).body
  const again = await testApp({}, { beside: app })
  const socket = await connect(await again.listen(), ada.token)
  await socket.until(ofType('hello'))
  const there = again.as(admin.token)
  const { body } = await there.post('admin/announcements', { text: 'New' })
  await socket.until(ofType('announcement'))
  expect((await there.delete(`admin/announcements/${old.id}`)).status).toBe(204)
  await socket.until((frame) => frame.type === 'announcement' && frame.data.text === null)
  expect(socket.frames.filter(ofType('announcement')).map(({ data }) => data)).toEqual([body, { ...old, text: null }])
})

test('a server that could not read the announcements when it started sends the next one, and none from before', async () => {
  const { app, ada, admin } = await setting()
  await admin.post('admin/announcements', { text: 'Old' })
  const again = await testApp({}, { beside: app })
  const { announcements } = again.services.storage
  const { active } = announcements
  const failed = Promise.withResolvers<void>()
  announcements.active = async () => {
    announcements.active = active
    failed.resolve()
    throw new Error('the database is away')
  }
  const socket = await connect(await again.listen(), ada.token)
  await socket.until(ofType('hello'))
  await failed.promise
  app.clock.now += 1
  const { body } = await again.as(admin.token).post('admin/announcements', { text: 'New' })
  await socket.until(ofType('announcement'))
  expect(socket.frames.filter(ofType('announcement')).map(({ data }) => data)).toEqual([body])
})

test('pages of notices contain decisions and announcements in order, each once', async () => {
  const { app, ada, admin } = await setting()
  const expected: string[] = []
  for (let i = 0; i < 4; i++) {
    app.clock.now += minutes
    expected.push((await admin.post('admin/announcements', { text: `No ${i}` })).body.reason ?? `No ${i}`)
    app.clock.now += i % 2 ? 0 : 1
    const report = await admin.post('reports', { user_id: ada.id, reason: 'spam' })
    const mo = await app.person()
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    await mo.post(`admin/reports/${report.body.id}/resolve`, { action: 'warn', note: `Warning ${i}` })
    expected.push(`Warning ${i}`)
  }
  for (const limit of [1, 2, 3, 100]) {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: any } = await ada.get(`me/notices?limit=${limit}${cursor && `&cursor=${cursor}`}`)
      expect(body.items.length).toBeLessThanOrEqual(limit)
      found.push(...body.items.map(({ reason }: { reason: string }) => reason))
      cursor = body.next_cursor
    }
    expect(found).toEqual(expected.toReversed())
  }
})

test('invalid announcements are refused, and at most twenty are active', async () => {
  const { app, admin } = await setting()
  for (const body of [
    {},
    { text: '' },
    { text: 'x'.repeat(1001) },
    { text: 'x', until: iso(app.clock.now) },
    { text: 'x', until: 'soon' },
  ])
    expect((await admin.post('admin/announcements', body)).status).toBe(422)
  const until = iso(app.clock.now + minutes)
  for (let i = 0; i < 20; i++)
    expect((await admin.post('admin/announcements', { text: `${i}`, until })).status).toBe(201)
  const full = await admin.post('admin/announcements', { text: 'x' })
  expect([full.status, full.body.code]).toEqual([409, 'conflict'])
  app.clock.now += minutes
  expect((await admin.post('admin/announcements', { text: 'x', until: iso(app.clock.now + hours) })).status).toBe(201)
})
