import { expect, test } from 'bun:test'
import { tables } from '../../src/storage/copy.ts'
import { type Answer, type Person, type TestApp, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

async function rowsOf({ rows }: TestApp): Promise<number> {
  let all = 0
  for (const { name } of tables) all += Number((await rows<{ n: number }>(`SELECT count(*) AS n FROM ${name}`))[0]!.n)
  return all
}

test('repeating what is unlimited adds no rows', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  const message = (await bob.post(`chats/${chat.id}/messages`, { text: 'hi' })).body
  const report = { user_id: bob.id, reason: 'spam' }
  const wrong = { email: ada.email, password: 'not this one' }
  const table: Record<string, (i: number) => Promise<Answer>> = {
    'the profile': (i) => ada.put('me', { city: `Town ${i}` }),
    'the preferences': (i) => ada.put('me/prefs', { drinks: [`tea ${i}`] }),
    'the visibility': (i) => ada.put('me/visibility', { visible: i % 2 === 0 }),
    'the position': (i) => ada.put('me/location', { latitude: 10 + (i % 2), longitude: 20 }),
    'a chat that is there': () => ada.post('chats', { user_id: bob.id }),
    'a read mark': () => ada.put(`chats/${chat.id}/read`),
    'a block that is there': () => ada.post('blocks', { user_id: bob.id }),
    'a report that is open': () => ada.post('reports', report),
    'a message sent again': () => bob.post(`chats/${chat.id}/messages`, { text: 'hi', client_id: 'one' }),
    'the end of no session': () => ada.delete('me/sessions'),
    'a wrong password': () => app.request('POST', 'auth/login', { body: wrong }),
    'an unknown account': (i) =>
      app.request('POST', 'auth/login', { body: { ...wrong, email: `nobody-${i}@example.org` } }),
    'a deleted message': () => bob.delete(`messages/${message.id}`),
  }
  for (const [name, write] of Object.entries(table)) {
    for (let i = 0; i < 4; i++) await write(i)
    const before = await rowsOf(app)
    for (let i = 4; i < 24; i++) await write(i)
    expect([name, (await rowsOf(app)) - before]).toEqual([name, 0])
  }
})

test('requests that add a row each time have a daily limit', async () => {
  const app = await testApp({ RATE_LIMIT: 'send_day=2/1d,block=2/1d,session=2/1d,report=2/1d,password=100/15m' })
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const others: Person[] = []
  for (let i = 0; i < 3; i++) others.push(await app.person())
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  const { email } = ada
  const table: Record<string, (i: number) => Promise<Answer>> = {
    messages: (i) => ada.post(`chats/${chat.id}/messages`, { text: `${i}` }),
    blocks: (i) => ada.post('blocks', { user_id: others[i]!.id }),
    reports: (i) => ada.post('reports', { user_id: others[i]!.id, reason: 'spam' }),
    logins: () => app.request('POST', 'auth/login', { body: { email, password: 'twelve green bottles' } }),
  }
  for (const [name, write] of Object.entries(table)) {
    for (let i = 0; i < 2; i++) expect([name, (await write(i)).status]).toEqual([name, name === 'logins' ? 200 : 201])
    const before = await rowsOf(app)
    expectProblem(await write(2), 429, 'rate_limited')
    expect([name, (await rowsOf(app)) - before]).toEqual([name, 0])
  }
})
