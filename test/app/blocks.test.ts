import { expect, test } from 'bun:test'
import { type Person, testApp } from '../app.ts'

const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'

/** Uploads an image and returns its id. */
async function uploaded(person: Person): Promise<string> {
  const body = new FormData()
  body.append(
    'file',
    new Blob([Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')]),
    'a.gif',
  )
  return (await person.post('media', body)).body.id
}

const eventsOf = async (person: Person) => (await person.get('sync?since=0&limit=100')).body.items
const auditOf = (app: Awaited<ReturnType<typeof testApp>>, action: string) =>
  app.services.storage.audit.list({ action }, 100, null)

test('a block is created once, and repeating it returns the same one', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const first = await ada.post('blocks', { user_id: bob.id })
  expect(first.status).toBe(201)
  expect(first.body).toEqual({ id: expect.any(String), user_id: bob.id, created_at: '2026-11-21T12:00:00.000Z' })
  app.clock.now += 1000
  const again = await ada.post('blocks', { user_id: bob.id })
  expect(again.status).toBe(200)
  expect(again.body).toEqual(first.body)
  // Bob's block of Ada is a separate one.
  const back = await bob.post('blocks', { user_id: ada.id })
  expect(back.status).toBe(201)
  expect(back.body.id).not.toBe(first.body.id)
})

test('20 concurrent requests create one block, one event and one audit entry', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const answers = await Promise.all(Array.from({ length: 20 }, () => ada.post('blocks', { user_id: bob.id })))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await eventsOf(ada)).toHaveLength(1)
  expect(await auditOf(app, 'block')).toHaveLength(1)
})

test('the event of a block reaches the blocker and never the blocked user', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const { body: block } = await ada.post('blocks', { user_id: bob.id })
  expect(await eventsOf(ada)).toEqual([{ type: 'block', seq: 1, at: block.created_at, data: block }])
  expect(await eventsOf(bob)).toEqual([])
})

test('blocks of oneself, of unknown or erased accounts and of invalid ids are refused, and nothing is stored', async () => {
  const app = await testApp()
  const [ada, gone] = [await app.person(), await app.person()]
  await app.rows('UPDATE users SET deleted_at = 1, name = NULL WHERE id = ?', gone.id)
  const self = await ada.post('blocks', { user_id: ada.id })
  expect([self.status, self.body.code]).toEqual([422, 'self_not_allowed'])
  expect((await ada.post('blocks', { user_id: unknown })).body.code).toBe('not_found')
  expect((await ada.post('blocks', { user_id: gone.id })).body.code).toBe('not_found')
  for (const body of [{}, { user_id: 'bob' }, { user_id: null }, { user_id: [unknown] }, []])
    expect((await ada.post('blocks', body)).status).toBe(422)
  expect((await ada.get('blocks')).body).toEqual({ items: [], next_cursor: null })
  expect(await eventsOf(ada)).toEqual([])
  expect(await auditOf(app, 'block')).toEqual([])
})

test('the list shows the caller’s own blocks, newest first, page by page', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    app.clock.now += 1000
    ids.unshift((await ada.post('blocks', { user_id: (await app.person()).id })).body.id)
  }
  await bob.post('blocks', { user_id: ada.id })
  const seen: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await ada.get(`blocks?limit=2${cursor}`)
    expect(body.items.length).toBeLessThanOrEqual(2)
    for (const item of body.items) expect(Object.keys(item).sort()).toEqual(['created_at', 'id', 'user_id'])
    seen.push(...body.items.map((item: { id: string }) => item.id))
    // Items that are inserted between two pages are neither repeated nor shift the others.
    app.clock.now += 1000
    await ada.post('blocks', { user_id: (await app.person()).id })
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(seen).toEqual(ids)
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'cursor=W10'])
    expect((await ada.get(`blocks?${query}`)).status).toBe(422)
})

test('only the blocker can lift a block, and only once', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const { id } = (await ada.post('blocks', { user_id: bob.id })).body
  expect((await bob.delete(`blocks/${id}`)).status).toBe(404)
  expect((await ada.get(`users/${bob.id}`)).status).toBe(404)
  expect((await ada.delete('blocks/nonsense')).status).toBe(404)
  expect((await ada.delete(`blocks/${id}`)).status).toBe(204)
  expect((await ada.delete(`blocks/${id}`)).status).toBe(404)
  expect((await ada.get(`users/${bob.id}`)).status).toBe(200)
  expect((await auditOf(app, 'unblock')).map(({ subject_id }) => subject_id)).toEqual([bob.id])
})

test('a block hides each user from the other at once, and closes their chat for both', async () => {
  const app = await testApp()
  const [ada, bob, cleo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cleo')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  const message = (await bob.post(`chats/${chat.id}/messages`, { text: 'Hello' })).body
  await ada.post('blocks', { user_id: bob.id })
  for (const [one, other] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    for (const path of ['', '/reviews', '/stats']) expect((await one.get(`users/${other.id}${path}`)).status).toBe(404)
    const refused = await one.post(`chats/${chat.id}/messages`, { text: 'Still there?' })
    expect([refused.status, refused.body.code]).toEqual([403, 'blocked'])
    const review = await one.post('reviews', { chat_id: chat.id, rating: 1 })
    expect([review.status, review.body.code]).toEqual([403, 'blocked'])
    // The history stays readable, but only the name of the other user is shown.
    expect((await one.get(`chats/${chat.id}/messages`)).body.items).toHaveLength(1)
    expect((await one.get(`chats/${chat.id}`)).body.user).toMatchObject({
      name: other.name,
      bio: null,
      created_at: null,
    })
  }
  expect((await bob.put(`messages/${message.id}`, { text: 'Hello!' })).body.code).toBe('blocked')
  // Nobody else is affected, nor is a visitor without a token.
  expect((await cleo.get(`users/${bob.id}/stats`)).status).toBe(200)
  expect((await app.request('GET', `users/${bob.id}/stats`)).status).toBe(200)
})

test('nothing tells a hidden user from one who never existed', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  await bob.post('blocks', { user_id: ada.id })
  const calls = [
    (id: string) => ada.get(`users/${id}`),
    (id: string) => ada.get(`users/${id}/reviews`),
    (id: string) => ada.get(`users/${id}/stats`),
    (id: string) => ada.post('chats', { user_id: id }),
  ]
  for (const call of calls) {
    const [hidden, never] = [await call(bob.id), await call(unknown)]
    expect({ ...hidden.body, request_id: '' }).toEqual({ ...never.body, request_id: '' })
    expect([...hidden.headers.keys()]).toEqual([...never.headers.keys()])
  }
})

test('every block route refuses a caller who is not signed in', async () => {
  const app = await testApp()
  const calls = [['GET', 'blocks'] as const, ['POST', 'blocks'] as const, ['DELETE', `blocks/${unknown}`] as const]
  for (const [method, path] of calls) expect((await app.request(method, path)).status).toBe(401)
})

test('two users who block each other cannot begin a chat', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await ada.post('blocks', { user_id: bob.id })
  await bob.post('blocks', { user_id: ada.id })
  expect((await ada.post('chats', { user_id: bob.id })).body.code).toBe('not_found')
})

test('across a block, a chat shows only the id and name of the other user', async () => {
  const app = await testApp()
  const [ada, bob, eve] = [await app.person('Ada'), await app.person('Bob'), await app.person('Eve')]
  await bob.put('me', { city: 'Oslo', bio: 'Sings.', gender: 'male', photo: await uploaded(bob) })
  await bob.put('me/prefs', { drinks: ['tea'], activities: ['chess'], purposes: ['talk'], language: 'no' })
  await eve.post('reviews', { chat_id: await app.met(eve, bob), rating: 5 })
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  expect(chat.user).toMatchObject({ city: 'Oslo', rating_avg: 5, reviews_count: 1 })
  for (const url of [chat.user.photo, chat.user.photo_thumb]) expect((await app.request('GET', url)).status).toBe(200)
  await ada.post('blocks', { user_id: bob.id })
  const empty = { city: null, bio: null, gender: null, age: null, photo: null, photo_thumb: null, language: null }
  const lists = { drinks: [], activities: [], purposes: [], rating_avg: null, created_at: null }
  expect((await ada.get(`chats/${chat.id}`)).body.user).toEqual({
    id: bob.id,
    name: 'Bob',
    ...empty,
    ...lists,
    reviews_count: 0,
  })
})
