import { expect, test } from 'bun:test'
import { message } from '../../src/features/chats/model.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { random } from '../torture/random.ts'
import { granted } from '../rows.ts'

const uuid = () => Bun.randomUUIDv7()

async function pair(app: TestApp) {
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  return { ada, bob, chat }
}

const send = async (from: Person, chatId: string, text: string) =>
  (await from.post(`chats/${chatId}/messages`, { text })).body

/** All events of a user from `GET /sync`. */
async function eventsOf(person: Person) {
  const items: any[] = []
  for (let path = 'sync?since=0&limit=100'; ;) {
    const { body } = await person.get(path)
    items.push(...body.items)
    if (!body.next_cursor) return items
    path = `sync?limit=100&cursor=${body.next_cursor}`
  }
}

test('a pair has one chat, whoever of them asks for it first', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const first = await ada.post('chats', { user_id: bob.id })
  expect(first.status).toBe(201)
  expect(first.body).toMatchObject({
    user: { id: bob.id, name: 'Bob' },
    last_msg_at: null,
    last_message: null,
    unread_count: 0,
  })
  expect(Object.keys(first.body).sort()).toEqual([
    'created_at',
    'id',
    'last_message',
    'last_msg_at',
    'last_seen_at',
    'muted_until',
    'online',
    'unread_count',
    'user',
  ])
  expect(first.body.muted_until).toBeNull()
  const second = await bob.post('chats', { user_id: ada.id })
  expect(second.status).toBe(200)
  expect(second.body).toMatchObject({ id: first.body.id, user: { id: ada.id, name: 'Ada' } })
  expect(Object.keys(first.body.user)).not.toContain('email')
})

test('100 concurrent requests from both sides create one chat with one 201', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      i % 2 ? ada.post('chats', { user_id: bob.id }) : bob.post('chats', { user_id: ada.id }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(99)
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect((await eventsOf(ada)).map(({ type }) => type)).toEqual(['chat'])
  expect((await eventsOf(bob)).map(({ type }) => type)).toEqual(['chat'])
})

test('a chat with oneself, an unknown user or an invalid id is refused', async () => {
  const app = await testApp()
  const ada = await app.person()
  expect((await ada.post('chats', { user_id: ada.id })).body.code).toBe('self_not_allowed')
  expect((await ada.post('chats', { user_id: uuid() })).status).toBe(404)
  expect((await ada.post('chats', { user_id: 'bob' })).status).toBe(422)
  expect((await ada.post('chats', {})).status).toBe(422)
  expect((await ada.get('chats')).body).toEqual({ items: [], next_cursor: null, unread_total: 0 })
})

test('a message is listed, is unread for the recipient, and moves the chat up', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  app.clock.now += 5000
  const sent = await ada.post(`chats/${chat.id}/messages`, { text: '  Hello\r\nBob ', client_id: 'c1' })
  expect(sent.status).toBe(201)
  expect(Object.keys(sent.body).sort()).toEqual(Object.keys(message.properties).sort())
  expect(sent.body).toMatchObject({
    id: expect.any(String),
    chat_id: chat.id,
    sender_id: ada.id,
    kind: 'text',
    text: 'Hello\nBob',
    photo: null,
    read: false,
    read_at: null,
    edited: false,
    edited_at: null,
    deleted: false,
    created_at: new Date(app.clock.now).toISOString(),
    client_id: 'c1',
    caution: null,
  })
  const [forBob] = (await bob.get('chats')).body.items
  expect(forBob).toMatchObject({ id: chat.id, unread_count: 1, last_msg_at: sent.body.created_at })
  expect(forBob.last_message).toEqual({ ...sent.body, client_id: null })
  expect((await ada.get(`chats/${chat.id}`)).body).toMatchObject({ unread_count: 0, last_message: sent.body })
})

test('only members can read, write and mark, and only the author can edit and delete', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const eve = await app.person('Eve')
  const message = await send(ada, chat.id, 'between us')
  for (const call of [
    eve.get(`chats/${chat.id}`),
    eve.get(`chats/${chat.id}/messages`),
    eve.post(`chats/${chat.id}/messages`, { text: 'me too' }),
    eve.put(`chats/${chat.id}/read`),
    eve.put(`messages/${message.id}`, { text: 'changed' }),
    eve.delete(`messages/${message.id}`),
  ]) {
    const answer = await call
    expect([answer.status, answer.body.code]).toEqual([403, 'not_a_member'])
    expect(answer.text).not.toContain('between us')
  }
  for (const call of [bob.put(`messages/${message.id}`, { text: 'changed' }), bob.delete(`messages/${message.id}`)]) {
    expect((await call).body.code).toBe('not_the_owner')
  }
  for (const call of [
    ada.get(`chats/${uuid()}`),
    ada.put(`messages/${uuid()}`, { text: 'x' }),
    ada.delete('messages/x'),
  ]) {
    expect((await call).status).toBe(404)
  }
  expect((await bob.get(`chats/${chat.id}/messages`)).body.items).toEqual([{ ...message, client_id: null }])
})

test('100 concurrent sends of one client_id store one message with one event for each member', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => ada.post(`chats/${chat.id}/messages`, { text: 'once', client_id: 'same' })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect((await bob.get(`chats/${chat.id}/messages`)).body.items).toHaveLength(1)
  expect((await eventsOf(bob)).map(({ type }) => type)).toEqual(['chat', 'message'])
  // The same client_id of another sender is independent.
  expect((await bob.post(`chats/${chat.id}/messages`, { text: 'mine', client_id: 'same' })).status).toBe(201)
})

test('a client_id is unique to its sender in all chats: in another chat it returns the first message', async () => {
  const { person } = await testApp()
  const [ada, bob, eve] = [await person('Ada'), await person('Bob'), await person('Eve')]
  const withBob = (await ada.post('chats', { user_id: bob.id })).body.id
  const withEve = (await ada.post('chats', { user_id: eve.id })).body.id
  const first = await ada.post(`chats/${withBob}/messages`, { text: 'To Bob', client_id: 'c1' })
  const again = await ada.post(`chats/${withEve}/messages`, { text: 'To Eve', client_id: 'c1' })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(again.body.chat_id).toBe(withBob)
  expect((await eve.get(`chats/${withEve}/messages`)).body.items).toEqual([])
  expect((await bob.post(`chats/${withBob}/messages`, { text: 'Bob’s own', client_id: 'c1' })).status).toBe(201)
})

test('a retry returns the first message, whatever has changed between the two users', async () => {
  const app = await testApp()
  const [ada, bob, eve] = [await app.person('Ada'), await app.person('Bob'), await app.person('Eve')]
  const say = async (who: Person, to: Person, client_id: string) => {
    const { body: chat } = await who.post('chats', { user_id: to.id })
    return () => who.post(`chats/${chat.id}/messages`, { text: 'Hello', client_id })
  }
  const [toBob, toEve] = [await say(ada, bob, 'b'), await say(ada, eve, 'e')]
  const [first, second] = [await toBob(), await toEve()]
  expect([first.status, second.status]).toEqual([201, 201])
  await bob.post('blocks', { user_id: ada.id })
  await eve.delete('me', { password })
  for (const [again, original] of [
    [await toBob(), first],
    [await toEve(), second],
  ] as const)
    expect([again.status, again.body]).toEqual([200, original.body])
  expect((await bob.get('chats')).body.items[0].last_message.id).toBe(first.body.id)
})

test('a client_id is compared without surrounding white space', async () => {
  const app = await testApp()
  const { ada, chat } = await pair(app)
  const sent = await ada.post(`chats/${chat.id}/messages`, { text: 'x', client_id: `${' '.repeat(900)}k\t` })
  expect([sent.status, sent.body.client_id]).toEqual([201, 'k'])
  expect((await ada.post(`chats/${chat.id}/messages`, { text: 'x', client_id: 'k' })).status).toBe(200)
})

test('messages page both ways without repeats or gaps while more arrive', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const texts = Array.from({ length: 25 }, (_, i) => `m${i}`)
  const sent = []
  for (const text of texts) sent.push(await send(ada, chat.id, text))

  const back: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await bob.get(`chats/${chat.id}/messages?limit=10${cursor}`)
    back.push(...body.items.map((m: any) => m.text))
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
    await send(ada, chat.id, 'meanwhile')
  }
  expect(back).toEqual(texts.toReversed())

  const on: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await bob.get(`chats/${chat.id}/messages?after=${sent[4].id}&limit=7${cursor}`)
    on.push(...body.items.map((m: any) => m.text))
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(on).toEqual([...texts.slice(5), 'meanwhile', 'meanwhile'])
})

test('a limit out of range and a cursor of another list answer 422', async () => {
  const app = await testApp()
  const { ada, chat } = await pair(app)
  const foreign = Buffer.from('["chats",1,"x"]').toString('base64url')
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1.5',
    'cursor=nonsense',
    `cursor=${foreign}`,
    'after=x',
  ]) {
    expect((await ada.get(`chats/${chat.id}/messages?${query}`)).status).toBe(422)
  }
})

test('a cursor works only for its own chat and direction', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const other = (await ada.post('chats', { user_id: (await app.person()).id })).body
  const first = await send(bob, chat.id, 'one')
  await send(bob, chat.id, 'two')
  await send(bob, chat.id, 'three')
  const elsewhere = await send(ada, other.id, 'one')
  const back = (await ada.get(`chats/${chat.id}/messages?limit=1`)).body.next_cursor
  const on = (await ada.get(`chats/${chat.id}/messages?limit=1&after=${first.id}`)).body.next_cursor
  const pathOf = (id: string, after = '') => `chats/${id}/messages?cursor=${after ? `${on}&after=${after}` : back}`
  expect((await bob.get(pathOf(chat.id.toUpperCase()))).body.items).toHaveLength(2)
  expect((await bob.get(pathOf(chat.id, first.id))).body.items).toHaveLength(1)
  for (const path of [pathOf(other.id), pathOf(other.id, elsewhere.id), `chats/${chat.id}/messages?cursor=${on}`])
    expect((await ada.get(path)).body).toMatchObject({ status: 422, errors: [{ path: '/cursor' }] })
})

test('of texts from empty to 4001 characters, those that cannot be shown are refused and not stored', async () => {
  const app = await testApp()
  const { ada, chat } = await pair(app)
  const path = `chats/${chat.id}/messages`
  const refused = [
    '',
    '   ',
    '\u200b\u200b',
    'a'.repeat(4001),
    'nul\u0000',
    'override \u202e',
    '\ud800',
    7,
    null,
    ['x'],
  ]
  for (const text of refused) expect((await ada.post(path, { text })).status).toBe(422)
  for (const body of [
    {},
    { kind: 'photo' },
    { kind: 'video', text: 'x' },
    { text: 'x', photo: uuid() },
    { text: 'x', client_id: '' },
  ]) {
    expect((await ada.post(path, body)).status).toBe(422)
  }
  expect((await ada.post(path, { kind: 'photo', photo: uuid() })).body.errors[0].path).toBe('/photo')
  expect((await ada.get(path)).body.items).toEqual([])
  expect((await ada.post(path, { text: '😀'.repeat(4000) })).status).toBe(201)
  expect((await ada.post(path, { text: 'x', id: uuid(), sender_id: uuid(), read: true })).body).toMatchObject({
    sender_id: ada.id,
    read: false,
  })
})

test('marking read sets read_at once, and sends no event if nothing was unread', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  await send(ada, chat.id, 'one')
  const last = await send(ada, chat.id, 'two')
  await send(bob, chat.id, 'own')
  app.clock.now += 1000
  const at = new Date(app.clock.now).toISOString()
  expect((await bob.put(`chats/${chat.id}/read`)).body).toEqual({ read: 2, read_at: at })
  app.clock.now += 1000
  expect((await bob.put(`chats/${chat.id}/read`)).body).toEqual({ read: 0, read_at: null })
  const { items } = (await ada.get(`chats/${chat.id}/messages`)).body
  expect(items.map((m: any) => [m.text, m.read, m.read_at])).toEqual([
    ['own', false, null],
    ['two', true, at],
    ['one', true, at],
  ])
  const reads = (await eventsOf(ada)).filter(({ type }) => type === 'message_read')
  expect(reads.map(({ data }) => data)).toEqual([
    { chat_id: chat.id, reader_id: bob.id, read_at: at, last_read_message_id: last.id, count: 2 },
  ])
  expect((await bob.get('chats')).body.items[0].unread_count).toBe(0)
})

test('an edit shows everywhere, and a deleted message leaves a tombstone without its text', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const message = await send(ada, chat.id, 'meet at five')
  app.clock.now += 1000
  const edited = (await ada.put(`messages/${message.id}`, { text: 'meet at six' })).body
  expect(edited).toMatchObject({ text: 'meet at six', edited: true, edited_at: new Date(app.clock.now).toISOString() })
  expect((await ada.delete(`messages/${message.id}`)).status).toBe(204)
  expect((await ada.delete(`messages/${message.id}`)).status).toBe(204)
  expect((await ada.put(`messages/${message.id}`, { text: 'again' })).body.code).toBe('message_deleted')

  const [tombstone] = (await bob.get(`chats/${chat.id}/messages`)).body.items
  expect(tombstone).toMatchObject({ id: message.id, deleted: true, text: null, photo: null })
  expect((await bob.get('chats')).body.items[0]).toMatchObject({
    unread_count: 0,
    last_message: { deleted: true, text: null },
  })
  const events = await eventsOf(bob)
  expect(events.map(({ type, seq }) => [type, seq])).toEqual([
    ['chat', 1],
    ['message', 2],
    ['message_edited', 3],
    ['message_deleted', 4],
  ])
  expect(JSON.stringify(events)).not.toContain('meet at')
  // Moderators may have to see the earlier text.
  expect(await app.rows('SELECT text FROM message_versions ORDER BY at')).toEqual([
    { text: 'meet at five' },
    { text: 'meet at six' },
  ])
})

test('a message can be edited a hundred times, and still be deleted after that', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const message = await send(ada, chat.id, 'meet at 0')
  const edit = (n: number) => ada.put(`messages/${message.id}`, { text: `meet at ${n}` })
  for (let n = 1; n <= 100; n++) expect((await edit(n)).status).toBe(200)
  const refused = await edit(101)
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
  expect(refused.body.detail).toBe('A message may be edited 100 times: send another one.')
  expect((await bob.get(`chats/${chat.id}/messages`)).body.items[0].text).toBe('meet at 100')
  expect(await eventsOf(bob)).toHaveLength(2 + 100)
  expect((await ada.delete(`messages/${message.id}`)).status).toBe(204)
})

test('chats are listed by their last message, page by page, in a constant number of queries', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const chats: string[] = []
  for (let i = 0; i < 7; i++) {
    app.clock.now += 1000
    chats.push((await ada.post('chats', { user_id: (await app.person()).id })).body.id)
  }
  app.clock.now += 1000
  await send(ada, chats[2]!, 'up')
  const listed: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await ada.get(`chats?limit=3${cursor}`)
    listed.push(...body.items.map((c: any) => c.id))
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(listed).toEqual([chats[2]!, ...[6, 5, 4, 3, 1, 0].map((i) => chats[i]!)])
})

test('a clock that is set back changes no order and no number', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const other = (await ada.post('chats', { user_id: (await app.person()).id })).body
  app.clock.now += 600_000
  await send(ada, chat.id, 'first')
  app.clock.now -= 86_400_000
  await send(bob, chat.id, 'second')
  await send(ada, other.id, 'elsewhere')
  expect((await ada.get(`chats/${chat.id}/messages`)).body.items.map((m: any) => m.text)).toEqual(['second', 'first'])
  expect((await ada.get('chats')).body.items.map((c: any) => c.id)).toEqual([chat.id, other.id])
  expect((await eventsOf(ada)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
})

test('with a guarded first contact, a stranger can send three texts without links until there is an answer', async () => {
  const app = await testApp({ FIRST_CONTACT: 'guarded' })
  const { ada, bob, chat } = await pair(app)
  const path = `chats/${chat.id}/messages`
  for (const text of [
    'see https://example.org',
    'www.example.org',
    'example.unknown/x',
    'write me: t.me',
    'see example.com.',
    'EXAMPLE。com',
    'ｅｘａｍｐｌｅ．ｃｏｍ',
    'hxxp://a',
    'ftp://x.example',
    'tg://resolve?domain=x',
    'mailto:a@b.co',
    'see example.\u200bcom',
    't\u2060.\u200dme/ada',
    'пиши на пример.рф',
  ])
    expect([text, (await ada.post(path, { text })).body.code]).toEqual([text, 'awaiting_reply'])
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      ada.post(path, { text: `hello.Are you e.g. at 7.30 in room ${i}.a?`, client_id: `${i}` }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(answers.filter(({ body }) => body.code === 'awaiting_reply')).toHaveLength(7)
  const taken = answers.findIndex(({ status }) => status === 201)
  for (const text of ['again', 'https://example.org'])
    expect((await ada.post(path, { text, client_id: `${taken}` })).status).toBe(200)
  expect((await ada.put(`messages/${answers[taken]!.body.id}`, { text: 'https://example.org' })).body.code).toBe(
    'awaiting_reply',
  )
  await send(bob, chat.id, 'hi')
  expect((await ada.post(path, { text: 'see https://example.org' })).status).toBe(201)
  // A missing space does not make a link.
  for (const text of [
    'Nice to meet you.Me too!',
    'Hola.Es un placer.Se fue',
    'Merci.De rien',
    'Great.By the way',
    'To jest super.Co robisz?',
    'Yes.Online tomorrow.Live music tonight?',
    'привет.как дела',
    'at 7.30 p.m.',
    'tea and/or coffee: you choose',
  ]) {
    const stranger = await app.person()
    const { body: first } = await stranger.post('chats', { user_id: bob.id })
    expect([text, (await stranger.post(`chats/${first.id}/messages`, { text })).status]).toEqual([text, 201])
  }
})

test('a message to an erased account is refused and not stored', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const message = await send(ada, chat.id, 'still there?')
  expect((await bob.delete('me', { password })).status).toBe(204)
  const events = () => app.rows('SELECT seq FROM events WHERE user_id = ? ORDER BY seq', bob.id)
  const before = await events()
  expect((await ada.post(`chats/${chat.id}/messages`, { text: 'hello?' })).body.code).toBe('conflict')
  expect((await ada.put(`messages/${message.id}`, { text: 'hm' })).status).toBe(200)
  expect((await ada.delete(`messages/${message.id}`)).status).toBe(204)
  expect(await events()).toEqual(before)
  expect((await ada.get('chats')).body.items[0].user).toMatchObject({ id: bob.id, name: null })
})

test('the unread count is exact after sending, reading, deleting, editing, taking down and erasing', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const mo = await app.person('Mo')
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  const { next, pick } = random('unread')
  const messages: { id: string; from: Person }[] = []
  const readers = [ada, bob]
  const unread =
    'SELECT count(*) AS n FROM messages WHERE chat_id = ? AND sender_id = ? AND read_at IS NULL AND deleted_at IS NULL'
  const counted = async (other: Person) => (await app.rows(unread, chat.id, other.id))[0]!.n
  const shown = async (reader: Person) => (await reader.get('chats')).body.items[0].unread_count
  for (let i = 0; i < 150; i++) {
    app.clock.now += 1000
    const from = pick(readers)
    const dice = next()
    const any = messages.length > 0 ? pick(messages) : null
    if (dice < 0.5 || !any) messages.push({ id: (await send(from, chat.id, `Number ${i}`)).id, from })
    else if (dice < 0.56) await from.put(`chats/${chat.id}/read`)
    else if (dice < 0.65) await from.put(`chats/${chat.id}/read`, { up_to: any.id })
    else if (dice < 0.75) await any.from.delete(`messages/${any.id}`)
    else if (dice < 0.85) await any.from.put(`messages/${any.id}`, { text: 'Better so' })
    else {
      const other = any.from === ada ? bob : ada
      const report = await other.post('reports', { message_id: any.id, reason: 'spam' })
      await mo.post(`admin/reports/${report.body.id}/resolve`, { action: 'remove_content', note: 'Spam.' })
    }
    expect(await shown(ada)).toBe(await counted(bob))
    expect(await shown(bob)).toBe(await counted(ada))
    expect((await ada.get('chats')).body.unread_total).toBe(await counted(bob))
  }
  for (let i = 0; i < 3; i++) await send(ada, chat.id, 'One more')
  expect(await shown(bob)).toBeGreaterThanOrEqual(3)
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect(await shown(bob)).toBe(0)
})

test('a message of another chat is refused as a place to continue from', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const [eve, cay] = [await app.person('Eve'), await app.person('Cay')]
  const theirs = (await eve.post('chats', { user_id: cay.id })).body
  const foreign = await send(eve, theirs.id, 'not for Ada')
  await send(bob, chat.id, 'one')
  expect((await ada.get(`chats/${chat.id}/messages?after=${foreign.id}`)).body.code).toBe('not_found')
})

test('with a guarded first contact, a stranger can send no photo until there is an answer', async () => {
  const app = await testApp({ FIRST_CONTACT: 'guarded' })
  const { ada, bob, chat } = await pair(app)
  const photo = { kind: 'photo', photo: await uploaded(ada) }
  const path = `chats/${chat.id}/messages`
  expect((await ada.post(path, photo)).body.code).toBe('awaiting_reply')
  await send(bob, chat.id, 'hi')
  expect((await ada.post(path, photo)).status).toBe(201)
})

test('a retry of a photo returns the first message, even after the photo is gone', async () => {
  const app = await testApp()
  const { ada, chat } = await pair(app)
  const body = { kind: 'photo', photo: await uploaded(ada), client_id: 'p1' }
  const path = `chats/${chat.id}/messages`
  const first = await ada.post(path, body)
  expect((await ada.delete(`messages/${first.body.id}`)).status).toBe(204)
  const again = await ada.post(path, body)
  expect([again.status, again.body.id, again.body.deleted]).toEqual([200, first.body.id, true])
  expect(await app.rows('SELECT id FROM media')).toEqual([])
  expect((await ada.post(path, { ...body, client_id: 'p2' })).body.errors[0].path).toBe('/photo')
})

test('across a block nothing counts as unread', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  await send(bob, chat.id, 'hi')
  const unread = async () => (await ada.get(`chats/${chat.id}`)).body.unread_count
  expect(await unread()).toBe(1)
  const block = (await ada.post('blocks', { user_id: bob.id })).body
  expect(await unread()).toBe(0)
  await ada.delete(`blocks/${block.id}`)
  expect(await unread()).toBe(1)
})

async function uploaded(person: Person): Promise<string> {
  const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(8, 8, { fit: 'fill' }).png().bytes()]), 'a.png')
  return (await person.post('media', form)).body.id
}

test('chats with messages come page by page, in any order of their creation', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const chats: string[] = []
  for (let i = 0; i < 6; i++) chats.push((await ada.post('chats', { user_id: (await app.person()).id })).body.id)
  for (const chat of chats.toReversed()) {
    app.clock.now += 1000
    await send(ada, chat, 'hi')
  }
  const listed: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await ada.get(`chats?limit=2${cursor}`)
    listed.push(...body.items.map((c: any) => c.id))
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(listed).toEqual(chats)
})

test('an edit is normalized like a new message', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const { id } = await send(ada, chat.id, 'hi')
  const edited = (await ada.put(`messages/${id}`, { text: '  A\u030angstro\u0308m\r\n' })).body
  expect(edited.text).toBe('Ångström')
  expect((await bob.get(`chats/${chat.id}/messages`)).body.items[0].text).toBe('Ångström')
})

test('marking read ignores messages that are counted as unread but no longer exist', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  await send(bob, chat.id, 'hi')
  // The state during an erasure.
  await app.rows('UPDATE messages SET text = NULL, deleted_at = ?', app.clock.now)
  const { status, body } = await ada.put(`chats/${chat.id}/read`)
  expect([status, body]).toEqual([200, { read: 0, read_at: null }])
  expect((await eventsOf(bob)).map(({ type }) => type)).toEqual(['chat', 'message'])
})

test('an edit needs a text of up to 4000 characters, and a client_id has up to 64', async () => {
  const app = await testApp()
  const { ada, chat } = await pair(app)
  const { id } = await send(ada, chat.id, 'hi')
  for (const text of ['', ' ', '\u200b', 'a'.repeat(4001), null, 7])
    expect((await ada.put(`messages/${id}`, { text })).status).toBe(422)
  expect((await ada.get(`chats/${chat.id}/messages`)).body.items[0]).toMatchObject({ text: 'hi', edited: false })
  expect((await ada.put(`messages/${id}`, { text: 'a'.repeat(4000) })).status).toBe(200)
  const sent = async (length: number) =>
    (await ada.post(`chats/${chat.id}/messages`, { text: 'x', client_id: 'k'.repeat(length) })).status
  expect([await sent(64), await sent(65)]).toEqual([201, 422])
})

test('marking read up to a message leaves later ones unread, and counts exactly', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const sent: { id: string }[] = []
  for (const text of ['one', 'two', 'three', 'four', 'five']) sent.push(await send(ada, chat.id, text))
  const own = await send(bob, chat.id, 'own')
  await ada.delete(`messages/${sent[1]!.id}`)
  const unread = async () => (await bob.get(`chats/${chat.id}`)).body.unread_count
  const marked = async () => (await eventsOf(ada)).filter(({ type }) => type === 'message_read').map(({ data }) => data)
  expect(await unread()).toBe(4)
  app.clock.now += 1000
  const at = new Date(app.clock.now).toISOString()
  expect((await bob.put(`chats/${chat.id}/read`, { up_to: sent[2]!.id })).body).toEqual({ read: 2, read_at: at })
  expect(await unread()).toBe(2)
  expect((await bob.get(`chats/${chat.id}/messages`)).body.items.map((m: any) => m.read)).toEqual([
    ...[false, false, false],
    ...[true, false, true],
  ])
  const first = { chat_id: chat.id, reader_id: bob.id, read_at: at, last_read_message_id: sent[2]!.id, count: 2 }
  expect(await marked()).toEqual([first])
  // Nothing is unread up to there any longer, so there is no event.
  app.clock.now += 1000
  for (const { id } of sent.slice(0, 3))
    expect((await bob.put(`chats/${chat.id}/read`, { up_to: id })).body).toEqual({ read: 0, read_at: null })
  expect(await marked()).toEqual([first])
  // One's own message and a deleted one work too: only their position counts.
  await ada.delete(`messages/${sent[4]!.id}`)
  expect((await bob.put(`chats/${chat.id}/read`, { up_to: sent[4]!.id })).body.read).toBe(1)
  expect((await marked())[1]).toMatchObject({ last_read_message_id: sent[3]!.id, count: 1 })
  await send(ada, chat.id, 'six')
  expect((await bob.put(`chats/${chat.id}/read`, { up_to: own.id })).body.read).toBe(0)
  expect(await unread()).toBe(1)
  expect((await bob.put(`chats/${chat.id}/read`, { up_to: null })).body.read).toBe(1)
  expect(await unread()).toBe(0)
})

test('marking read up to a message of another chat is refused and marks nothing', async () => {
  const app = await testApp()
  const { ada, bob, chat } = await pair(app)
  const cleo = await app.person('Cleo')
  const other = (await cleo.post('chats', { user_id: bob.id })).body
  const elsewhere = await send(cleo, other.id, 'elsewhere')
  await send(ada, chat.id, 'hello')
  for (const up_to of [elsewhere.id, uuid()]) {
    const { status, body } = await bob.put(`chats/${chat.id}/read`, { up_to })
    expect([status, body.code]).toEqual([404, 'not_found'])
    expect(body.errors).toMatchObject([{ path: '/up_to', code: 'unknown' }])
  }
  for (const up_to of ['last', 7, '', {}]) expect((await bob.put(`chats/${chat.id}/read`, { up_to })).status).toBe(422)
  const stranger = await cleo.put(`chats/${chat.id}/read`, { up_to: elsewhere.id })
  expect([stranger.status, stranger.body.code]).toEqual([403, 'not_a_member'])
  expect((await bob.get(`chats/${chat.id}`)).body.unread_count).toBe(1)
  expect((await bob.get('chats')).body.unread_total).toBe(2)
})

test('the list has the number of unread messages in all chats, not only those of the page', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const others = await Promise.all(Array.from({ length: 4 }, () => app.person()))
  const chats = []
  for (const [i, other] of others.entries()) {
    const chat = (await other.post('chats', { user_id: ada.id })).body
    chats.push(chat)
    for (let n = 0; n < i; n++) await send(other, chat.id, `Number ${n}`)
    await send(ada, chat.id, 'own')
  }
  const total = async () => (await ada.get('chats?limit=1')).body.unread_total
  const shown = async () =>
    (await ada.get('chats')).body.items.reduce((sum: number, chat: any) => sum + chat.unread_count, 0)
  expect([await total(), await shown()]).toEqual([6, 6])
  const block = (await others[3]!.post('blocks', { user_id: ada.id })).body
  expect([await total(), await shown()]).toEqual([3, 3])
  await others[3]!.delete(`blocks/${block.id}`)
  await ada.put(`chats/${chats[2].id}/read`)
  expect([await total(), await shown()]).toEqual([4, 4])
  expect((await others[0]!.get('chats')).body.unread_total).toBe(1)
})
