import { expect, test } from 'bun:test'
import type { OpenapiDocument } from '../../src/http/openapi-document.ts'
import { testApp } from '../app.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('the examples of the document work one after the other on an empty server', async () => {
  const app = await testApp()
  const { paths } = (await app.request('GET', '/openapi/json')).body as OpenapiDocument

  /** The documented body of an operation: the only one, or that number. */
  function example(method: string, path: string, number = 1): Record<string, unknown> | undefined {
    const [content] = Object.values(paths[path]![method]!.requestBody?.content ?? {})
    return (content?.examples?.[String(number)]?.value ?? content?.example) as Record<string, unknown> | undefined
  }

  /** Sends an example with the ids of this server. Returns the answer. */
  async function send(
    status: number,
    operation: string,
    { token = '', number = 1, ids = {} }: { token?: string; number?: number; ids?: Record<string, string> } = {},
  ) {
    const [method, path] = operation.split(' ') as [string, string]
    const documented = example(method.toLowerCase(), path, number)
    const body =
      documented &&
      Object.fromEntries(
        Object.entries(documented).map(([name, value]) => [name, name === 'id' ? value : (ids[name] ?? value)]),
      )
    const filled = path.replace('{id}', () => ids.id!).replace('{kind}', 'terms')
    const parameters = (paths[path]![method.toLowerCase()]!.parameters ?? []).filter(
      (one) => one.in === 'query' && one.required,
    )
    const query = new URLSearchParams(parameters.map(({ name, example }): [string, string] => [name, String(example)]))
    const headers = token ? { authorization: `Bearer ${token}` } : undefined
    const answer = await app.request(method, `${filled}?${query}`, { body, headers })
    expect([operation, answer.status, answer.text]).toEqual([operation, status, answer.text])
    return answer.body
  }

  const ada = await send(201, 'POST /api/v1/auth/register')
  const ben = await send(201, 'POST /api/v1/auth/register', { number: 2 })
  const token = (await send(200, 'POST /api/v1/auth/login')).access_token
  const other = ben.access_token
  expect(ada.user.id).not.toBe(ben.user.id)
  await send(200, 'POST /api/v1/auth/refresh', { ids: { refresh_token: ada.refresh_token } })
  await send(201, 'POST /api/v1/auth/consents', { token })
  await send(200, 'GET /api/v1/legal/{kind}')

  await send(200, 'PUT /api/v1/me', { token })
  const file = new FormData()
  file.set('file', new Blob([png], { type: 'image/png' }), 'photo.png')
  const uploaded = await app.request('POST', 'media', { body: file, headers: { authorization: `Bearer ${token}` } })
  expect(uploaded.status).toBe(201)
  await send(200, 'PUT /api/v1/me/prefs', { token })

  // The two places are within the radius of the search.
  await send(200, 'PUT /api/v1/me/location', { token })
  await send(200, 'PUT /api/v1/me/location', { token: other, number: 2 })
  await send(200, 'PUT /api/v1/me/visibility', { token })
  const found = async (by: string): Promise<string[]> =>
    (await send(200, 'GET /api/v1/search/nearby', { token: by })).items.map(({ user }: any) => user.id)
  expect(await found(token)).toEqual([ben.user.id])
  expect(await found(other)).toEqual([ada.user.id])
  await send(200, 'GET /api/v1/users/{id}', { token, ids: { id: ben.user.id } })

  const chat = await send(201, 'POST /api/v1/chats', { token, ids: { user_id: ben.user.id } })
  const inChat = { id: chat.id, chat_id: chat.id }
  const message = await send(201, 'POST /api/v1/chats/{id}/messages', { token, ids: inChat })
  await send(201, 'POST /api/v1/chats/{id}/messages', { token: other, ids: inChat })
  await send(200, 'PUT /api/v1/chats/{id}/read', { token: other, ids: { ...inChat, up_to: message.id } })
  await send(200, 'PUT /api/v1/messages/{id}', { token, ids: { id: message.id } })
  await send(200, 'GET /api/v1/chats/{id}/messages', { token, ids: inChat })
  await send(201, 'POST /api/v1/reviews', { token, ids: inChat })

  await send(201, 'POST /api/v1/reports', { token: other, ids: { message_id: message.id } })
  const block = await send(201, 'POST /api/v1/blocks', { token, ids: { user_id: ben.user.id } })
  await send(204, 'DELETE /api/v1/blocks/{id}', { token, ids: { id: block.id } })
  await send(204, 'DELETE /api/v1/messages/{id}', { token, ids: { id: message.id } })

  await send(204, 'PUT /api/v1/me/password', { token })

  const judge = await app.person('Judge')
  await app.services.storage.users.setRole(judge.id, 'admin', {
    id: Bun.randomUUIDv7(),
    at: app.clock.now,
    actor_id: null,
    action: 'user.role',
    subject_id: judge.id,
    metadata: {},
  })
  app.forget(judge.id)
  const [report] = (await judge.get('admin/reports')).body.items
  const resolve = 'POST /api/v1/admin/reports/{id}/resolve'
  await send(200, resolve, { token: judge.token, ids: { id: report.id } })
  await send(201, 'POST /api/v1/auth/appeals')
  const [appeal] = (await judge.get('admin/appeals')).body.items
  await send(200, 'POST /api/v1/admin/appeals/{id}/resolve', { token: judge.token, ids: { id: appeal.id } })
  await send(200, 'POST /api/v1/admin/users/{id}/suspend', { token: judge.token, ids: { id: ada.user.id } })
  const [notice] = (await app.as(token).get('me/notices')).body.items
  await send(201, 'POST /api/v1/appeals', { token, ids: { notice_id: notice.id } })
  await send(200, 'POST /api/v1/admin/users/{id}/unsuspend', { token: judge.token, ids: { id: ada.user.id } })

  await send(204, 'DELETE /api/v1/me', { token })
})

test('no address is in two examples of a registration', async () => {
  const { paths } = (await (await testApp()).request('GET', '/openapi/json')).body as OpenapiDocument
  const { examples } = paths['/api/v1/auth/register']!.post!.requestBody!.content['application/json']!
  const addresses = Object.values(examples!).map(({ value }) => (value as { email: string }).email)
  expect(addresses.length).toBeGreaterThan(1)
  expect(new Set(addresses).size).toBe(addresses.length)
})
