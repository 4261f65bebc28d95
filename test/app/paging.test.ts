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

test('every list refuses a forged cursor', async () => {
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
    for (const key of ['-1e999,""', '0,""', '9e15,""', '0', '-1e999']) {
      const name = list.split('/').at(-1)!
      for (const forged of [`["${name}",${key}]`, `0123456789abcdef["${name}",${key}]`]) {
        const answer = await ada.get(`${list}?${query}cursor=${Buffer.from(forged).toString('base64url')}`)
        expect([path, expectProblem(answer, 422, 'validation_failed')]).toEqual([path, ['/cursor']])
      }
    }
  }
})
