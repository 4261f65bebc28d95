import { expect, jest, spyOn, test } from 'bun:test'
import type { Chat, ChatList, Message } from '../answers.ts'
import { password, testApp, type TestApp } from '../app.ts'
import { oneNodeTest, oneSqliteNodeTest, sqliteTest } from '../engines.ts'
import { granted, haveBothWritten } from '../rows.ts'
import { type Client, connect, ofType, presenceOf } from '../socket-client.ts'
import { until } from '../until.ts'

async function pair(options: Parameters<typeof testApp>[1] = {}) {
  const app = await testApp({}, options)
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post<Chat>('chats', { user_id: bob.id })).body
  return { app, base, ada, bob, chat }
}

// Tests that stop the timers of the process run only on SQLite: connections to a database would time out.

async function join(base: URL, { token }: { token: string }): Promise<Client> {
  const client = connect(base, token)
  await client.until(ofType('hello'))
  return client
}

/** Lets everything happen that is due, without a timer. */
async function turns() {
  for (let i = 0; i < 50; i++) await new Promise((done) => setImmediate(done))
}

async function leave(app: TestApp, client: Client) {
  const sockets = () => app.nodes.reduce((sum, { services }) => sum + services.hub.counts().sockets, 0)
  const before = sockets()
  client.socket.close()
  await client.closed
  while (sockets() === before) await new Promise((done) => setImmediate(done))
}

test('presence is sent to those with whom both have written, at the first device and some time after the last one', async () => {
  const { app, base, ada, bob, chat } = await pair({ calmMs: 100 })
  await haveBothWritten(app, chat.id)
  const [eve, dan] = [await app.person('Eve'), await app.person('Dan')]
  await haveBothWritten(app, (await dan.post<Chat>('chats', { user_id: bob.id })).body.id)
  const b = await join(base, bob)
  const e = await join(base, eve)
  const a1 = await join(base, ada)
  expect((await b.until(ofType('presence'))).data).toMatchObject({ user_id: ada.id, online: true })
  expect((await a1.until(ofType('presence'))).data).toEqual({
    user_id: bob.id,
    online: true,
    last_seen_at: new Date(app.clock.now).toISOString(),
  })
  const a2 = await join(base, ada)
  await a2.until(ofType('presence'))
  await leave(app, a1)
  // With another device, she is reported as gone later.
  const d = await join(base, dan)
  await until(() => presenceOf(b, dan).length === 1, 'he is told to be online')
  await leave(app, d)
  await until(() => presenceOf(b, dan).length === 2, 'he is told to be offline')
  expect(presenceOf(b, ada)).toEqual([true])
  const went = app.clock.now
  await leave(app, a2)
  app.clock.now += 5000
  const gone = await b.until(({ type, data }) => type === 'presence' && data.user_id === ada.id && !data.online)
  expect(gone.data).toEqual({ user_id: ada.id, online: false, last_seen_at: new Date(went).toISOString() })
  expect(e.frames.filter(ofType('presence'))).toHaveLength(0)
})

test('opening a chat, or writing into it alone, reveals the presence of neither', async () => {
  const { app, base, ada, bob, chat } = await pair({ calmMs: 1 })
  const eve = await app.person('Eve')
  await haveBothWritten(app, (await eve.post<Chat>('chats', { user_id: bob.id })).body.id)
  const [a, b] = [await join(base, ada), await join(base, bob)]
  await ada.post<Message>(`chats/${chat.id}/messages`, { text: 'Hello?' })
  await ada.post<Message>(`chats/${chat.id}/messages`, { text: 'Are you there?' })
  const again = await join(base, ada)
  await leave(app, a)
  await leave(app, again)
  const last = await join(base, ada)
  const e = await join(base, eve)
  await until(() => presenceOf(b, eve).length === 1, 'he sees whom he knows come')
  await leave(app, e)
  await until(() => presenceOf(b, eve).length === 2, 'he sees them go')
  for (const client of [a, again, last]) expect(client.frames.filter(ofType('presence'))).toEqual([])
  expect(presenceOf(b, ada)).toEqual([])
  for (const person of [ada, bob]) {
    const shown = (await person.get<Chat>(`chats/${chat.id}`)).body
    expect([shown.online, shown.last_seen_at]).toEqual([false, null])
    const listed = (await person.get<ChatList>('chats')).body.items.find(({ id }) => id === chat.id)
    expect(listed).toMatchObject({ online: false, last_seen_at: null })
  }
  expect((await ada.post<Chat>('chats', { user_id: bob.id })).body).toMatchObject({ online: false, last_seen_at: null })

  // With the answer, both see each other, even after it is deleted.
  const answer = (await bob.post<Message>(`chats/${chat.id}/messages`, { text: 'Yes' })).body
  await bob.delete(`messages/${answer.id}`)
  expect((await ada.get<Chat>(`chats/${chat.id}`)).body.online).toBe(true)
  const seeing = await join(base, ada)
  expect((await seeing.until(ofType('presence'))).data).toMatchObject({ user_id: bob.id, online: true })
})

oneNodeTest('other nodes read the time from storage, a second later')(
  'chats show who is online and who was when, to either side, but across a block',
  async () => {
    const { app, base, ada, bob, chat } = await pair({ calmMs: 1 })
    await haveBothWritten(app, chat.id)
    const seenBy = async () => {
      const { online, last_seen_at } = (await ada.get<Chat>(`chats/${chat.id}`)).body
      expect((await ada.get<ChatList>('chats')).body.items[0]).toMatchObject({ online, last_seen_at })
      expect((await ada.post<Chat>('chats', { user_id: bob.id })).body).toMatchObject({ online, last_seen_at })
      return [online, last_seen_at]
    }
    const time = () => new Date(app.clock.now).toISOString()
    expect(await seenBy()).toEqual([false, null])
    const b = await join(base, bob)
    app.clock.now += 60_000
    expect(await seenBy()).toEqual([true, time()])
    await leave(app, b)
    const went = time()
    await until(async () => !(await ada.get<Chat>(`chats/${chat.id}`)).body.online, 'he is offline')
    app.clock.now += 60_000
    expect(await seenBy()).toEqual([false, went])
    const block = (await bob.post('blocks', { user_id: ada.id })).body
    expect(await seenBy()).toEqual([false, null])
    await (await join(base, bob)).pong()
    expect(await seenBy()).toEqual([false, null])
    await bob.delete(`blocks/${block.id}`)
    expect(await seenBy()).toEqual([true, time()])
  },
)

oneSqliteNodeTest(
  'that somebody went is told ten seconds later, and not at all where they came back by then',
  async () => {
    const { app, base, ada, bob, chat } = await pair()
    await haveBothWritten(app, chat.id)
    const b = await join(base, bob)
    jest.useFakeTimers()
    try {
      const a = await join(base, ada)
      await b.until(ofType('presence'))
      await leave(app, a)
      jest.advanceTimersByTime(9999)
      await turns()
      // Until then, they are online.
      expect((await bob.get<Chat>(`chats/${chat.id}`)).body.online).toBe(true)
      const back = await join(base, ada)
      await turns()
      jest.advanceTimersByTime(60_000)
      await turns()
      expect(b.frames.filter(ofType('presence'))).toHaveLength(1)
      await leave(app, back)
      jest.advanceTimersByTime(9999)
      await turns()
      expect(b.frames.filter(ofType('presence'))).toHaveLength(1)
      jest.advanceTimersByTime(1)
      await b.until(({ type, data }) => type === 'presence' && !data.online)
      expect((await bob.get<Chat>(`chats/${chat.id}`)).body.online).toBe(false)
    } finally {
      jest.useRealTimers()
    }
  },
)

test('a suspended or erased user is offline at once, and no time of an erased one is kept', async () => {
  const { app, base, ada, bob, chat } = await pair()
  await haveBothWritten(app, chat.id)
  const [eve, mod] = [await app.person('Eve'), await app.person('Mod')]
  await haveBothWritten(app, (await eve.post<Chat>('chats', { user_id: bob.id })).body.id)
  await app.services.storage.users.setRole(mod.id, 'admin', granted(mod.id, 0))
  const b = await join(base, bob)
  const [a, e] = [await join(base, ada), await join(base, eve)]
  for (const person of [ada, eve])
    await b.until(({ type, data }) => type === 'presence' && data.user_id === person.id && data.online)
  await mod.post(`admin/users/${eve.id}/suspend`, { reason: 'For spam.', ground: 'spam' })
  expect([await e.closed, e.frames.at(-1).data]).toEqual([4403, { reason: 'suspended' }])
  const offline = (id: string) =>
    b.until(({ type, data }) => type === 'presence' && data.user_id === id && !data.online)
  expect((await offline(eve.id)).data.last_seen_at).toBeString()
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect([await a.closed, a.frames.at(-1).data]).toEqual([4401, { reason: 'erased' }])
  expect((await offline(ada.id)).data).toEqual({ user_id: ada.id, online: false, last_seen_at: null })
  expect((await bob.get<Chat>(`chats/${chat.id}`)).body).toMatchObject({ online: false, last_seen_at: null })
  for (const { services } of app.nodes) await services.hub.closeAll()
  const noted = await app.rows<{ user_id: string }>('SELECT user_id FROM last_seen')
  expect(noted.map(({ user_id }) => user_id)).not.toContain(ada.id)
  expect(noted.map(({ user_id }) => user_id)).toContain(eve.id)
})

test('the time when a user was last seen outlives the process, and is in the export', async () => {
  const { app, base, ada, bob, chat } = await pair()
  await haveBothWritten(app, chat.id)
  const b = await join(base, bob)
  app.clock.now += 60_000
  const at = new Date(app.clock.now).toISOString()
  // The end of the process.
  for (const { services } of app.nodes) await services.hub.closeAll()
  expect(await b.closed).toBe(1012)
  const next = await testApp({}, { beside: app })
  app.clock.now += 3_600_000
  const asAda = next.as((await next.services.auth.begin(ada.id, nobody)).access_token)
  const asBob = next.as((await next.services.auth.begin(bob.id, nobody)).access_token)
  const shown = (await asAda.get<Chat>(`chats/${chat.id}`)).body
  expect([shown.online, shown.last_seen_at]).toEqual([false, at])
  expect((await asBob.get('me/export')).body.last_seen_at).toBe(at)
})

const nobody = { address: '', user_agent: null, language: null }

oneSqliteNodeTest(
  'when somebody was last seen is written once a minute at most, however often they come and go',
  async () => {
    jest.useFakeTimers()
    try {
      const { app, base, ada } = await pair()
      const note = spyOn(app.services.storage.lastSeen, 'note')
      for (let i = 0; i < 5; i++) {
        await leave(app, await join(base, ada))
        app.clock.now += 2000
        jest.advanceTimersByTime(2000)
        await turns()
      }
      const came = app.clock.now - 10_000
      expect(note.mock.calls).toEqual([[[{ user_id: ada.id, at: came }]]])
      app.clock.now += 60_000
      jest.advanceTimersByTime(60_000)
      await turns()
      expect(note.mock.calls.slice(1)).toEqual([[[{ user_id: ada.id, at: came + 8000 }]]])
      note.mockRestore()
    } finally {
      jest.useRealTimers()
    }
  },
)

sqliteTest('where storage is away, when somebody was last seen is kept until it is back', async () => {
  jest.useFakeTimers()
  try {
    const { app, base, ada } = await pair()
    const note = spyOn(app.services.storage.lastSeen, 'note').mockRejectedValueOnce(new Error('away'))
    await join(base, ada)
    const at = app.clock.now
    jest.advanceTimersByTime(1000)
    await turns()
    expect(note.mock.calls).toHaveLength(1)
    app.clock.now += 60_000
    jest.advanceTimersByTime(60_000)
    await turns()
    expect(await app.rows('SELECT user_id, at FROM last_seen')).toEqual([{ user_id: ada.id, at }])
    note.mockRestore()
  } finally {
    jest.useRealTimers()
  }
})
