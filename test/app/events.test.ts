import { Value } from '@sinclair/typebox/value'
import { expect, test } from 'bun:test'
import { documentedEvents, ephemeral } from '../../src/realtime/events.ts'
import { testApp } from '../app.ts'
import { granted } from '../rows.ts'
import { connect, ofType } from '../socket-client.ts'

test('every durable event and every frame matches its schema, and each has one', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob, judge] = [await app.person('Ada'), await app.person('Bob'), await app.person('Judge')]
  await app.rows("UPDATE users SET role = 'moderator' WHERE id = ?", judge.id)
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  const path = `chats/${chat.id}`
  const socket = connect(base, ada.token)
  await socket.until(ofType('hello'))
  const message = (await ada.post(`${path}/messages`, { text: 'hi' })).body
  await bob.put(`${path}/read`)
  await bob.post(`${path}/messages`, { text: 'hello' })
  await ada.put(`messages/${message.id}`, { text: 'hi there' })
  await ada.delete(`messages/${message.id}`)
  const other = connect(base, bob.token)
  await other.until(ofType('presence'))
  await socket.until(ofType('presence'))
  other.send({ type: 'typing', data: { chat_id: chat.id } })
  await socket.until(ofType('typing'))
  for (const frame of [{ type: 'ping' }, { type: 'auth', data: { token: ada.token } }, { type: 'dance' }])
    socket.send(frame)
  for (const type of ['pong', 'auth', 'error']) await socket.until(ofType(type))
  await bob.post('reviews', { chat_id: chat.id, rating: 5 })
  await ada.post('blocks', { user_id: bob.id })
  const report = (await bob.post('reports', { user_id: ada.id, reason: 'spam' })).body
  await judge.post(`admin/reports/${report.id}/resolve`, { action: 'warn', note: 'Slow down.' })
  await socket.until(ofType('notice'))
  const replayed: { type: string }[] = (await ada.get('sync?limit=100')).body.items
  await app.services.storage.users.setRole(judge.id, 'admin', granted(judge.id, app.clock.now))
  app.forget(judge.id)
  expect((await judge.post('admin/announcements', { text: 'We are closed on Sunday.' })).status).toBe(201)
  await socket.until(ofType('announcement'))
  for (const { services } of app.nodes) services.hub.tellMaintenance('Back at 22:00 UTC.')
  await socket.until(ofType('maintenance'))
  await ada.post('auth/logout')
  await socket.until(ofType('session_ended'))

  const byType = new Map(documentedEvents.map((schema) => [String(schema.properties.type.const), schema]))
  const sent = socket.frames.filter(({ seq }) => seq !== undefined)
  for (const event of [...sent, ...replayed])
    expect([event, ...Value.Errors(byType.get(event.type)!, event)]).toEqual([event])
  expect(new Set(replayed.map(({ type }) => type))).toEqual(new Set(byType.keys()))

  const once = socket.frames.filter(({ seq }) => seq === undefined)
  for (const frame of once)
    expect([frame, ...Value.Errors(ephemeral[frame.type as keyof typeof ephemeral], frame.data)]).toEqual([frame])
  expect(new Set(once.map(({ type }) => type))).toEqual(new Set(Object.keys(ephemeral)))
})
