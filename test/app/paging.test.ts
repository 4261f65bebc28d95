import { expect, test } from 'bun:test'
import { openPaging } from '../../src/lib/paging.ts'
import { testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

const paging = openPaging({ secret: 'a secret that is long enough for a test' })

test('a cursor is decoded to its key on every node with the secret', () => {
  const cursor = paging.cursorOf('nearby', [12.5, 'ä'])
  const other = openPaging({ secret: 'a secret that is long enough for a test' })
  expect(other.keyOf('nearby', cursor, ['number', 'string'])).toEqual([12.5, 'ä'])
  expect(paging.keyOf('nearby', undefined, ['number'])).toBeNull()
})

test('a cursor that was forged, changed, or made for another list or with another secret is refused', () => {
  const cursor = paging.cursorOf('nearby', [12.5, 'id'])
  const bytes = Buffer.from(cursor, 'base64url')
  const refused = (text: string, list = 'nearby') =>
    expect(() => paging.keyOf(list, text, ['number', 'string'])).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i]! ^= 1
    refused(changed.toString('base64url'))
  }
  refused(cursor, 'blocks')
  refused(openPaging({ secret: 'another secret of just that length' }).cursorOf('nearby', [12.5, 'id']))
  // The former form of cursors.
  refused(Buffer.from('["nearby",-1e999,""]').toString('base64url'))
  for (const text of ['', 'x', 'A'.repeat(22), bytes.subarray(0, 16).toString('base64url'), `${cursor}AAAA`])
    refused(text)
})

test('a cursor tells its holder nothing, neither by what it holds nor by its length', () => {
  const cursors = [9, 10, 123456].map((seq) => paging.cursorOf('messages of a chat', [seq, 'id']))
  expect(new Set(cursors.map(({ length }) => length)).size).toBe(1)
  for (const cursor of cursors)
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/messages|id|123456/)
})

test('every list refuses a forged cursor and a limit out of range', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  await app.services.storage.users.setRole(ada.id, 'admin', granted(ada.id, 0))
  app.forget(ada.id)
  const { body: chat } = await ada.post('chats', { user_id: bob.id })
  const { body: message } = await ada.post(`chats/${chat.id}/messages`, { text: 'hello' })
  const { paths } = (await app.request('GET', '/openapi/json')).body
  const lists = Object.entries<any>(paths).filter(([, { get }]) =>
    get?.parameters?.some(({ name }: { name: string }) => name === 'cursor'),
  )
  expect(lists.length).toBeGreaterThan(12)
  for (const [path] of lists) {
    const filled = path
      .replace('/chats/{id}', `/chats/${chat.id}`)
      .replace('/users/{id}', `/users/${bob.id}`)
      .replace('{id}', message.id)
    const list = filled.slice('/api/v1/'.length)
    const query = path.endsWith('/search/nearby') ? 'lat=1&lng=1&' : ''
    expect([path, (await ada.get(`${list}?${query}`)).status]).toEqual([path, 200])
    for (const limit of ['0', '101', 'x'])
      expect([path, expectProblem(await ada.get(`${list}?${query}limit=${limit}`), 422, 'validation_failed')]).toEqual([
        path,
        ['/limit'],
      ])
    for (const key of ['-1e999,""', '0,""', '9e15,""', '0', '-1e999']) {
      const name = list.split('/').at(-1)!
      for (const forged of [`["${name}",${key}]`, `0123456789abcdef["${name}",${key}]`]) {
        const answer = await ada.get(`${list}?${query}cursor=${Buffer.from(forged).toString('base64url')}`)
        expect([path, expectProblem(answer, 422, 'validation_failed')]).toEqual([path, ['/cursor']])
      }
    }
  }
})

test('a list that is answered as a whole has pages too, which repeat and skip nothing that was there before', async () => {
  const app = await testApp()
  const ada = await app.person()
  await app.services.storage.users.setRole(ada.id, 'admin', granted(ada.id, 0))
  app.forget(ada.id)
  const add = async (name: string) =>
    (await ada.post('admin/templates', { name, language: 'en', text: name })).body.id as string
  for (const name of ['B', 'D', 'F', 'H']) await add(name)
  const page = async (query: string) => {
    const { items, next_cursor } = (await ada.get(`admin/templates?${query}`)).body
    return {
      ids: items.map(({ id }: { id: string }) => id),
      names: items.map(({ name }: any) => name).join(''),
      next_cursor,
    }
  }
  expect(await page('')).toMatchObject({ names: 'BDFH', next_cursor: null })
  expect(await page('limit=4')).toMatchObject({ names: 'BDFH', next_cursor: null })
  const first = await page('limit=2')
  expect(first.names).toBe('BD')
  const rest = () => page(`cursor=${first.next_cursor}`)
  await add('A')
  await add('E')
  expect((await rest()).names).toBe('EFH')
  expect(await page(`limit=2&cursor=${first.next_cursor}`)).toMatchObject({
    names: 'EF',
    next_cursor: expect.any(String),
  })
  expect((await ada.delete(`admin/templates/${first.ids[0]}`)).status).toBe(204)
  expect((await rest()).names).toBe('EFH')
})

test('the next page of such a list begins after the last item, also if that has gone', async () => {
  const { pageOfAll } = openPaging({ secret: 'a secret' })
  const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
  const page = (of: typeof rows, cursor?: string) => pageOfAll('letters', of, { limit: 2, cursor }, ({ id }) => id)
  const { items, next_cursor } = page(rows)
  expect(items).toEqual(['a', 'b'])
  const gone = rows.filter(({ id }) => id !== 'b')
  expect(page(gone, next_cursor!)).toEqual({ items: ['c', 'd'], next_cursor: null })
})
