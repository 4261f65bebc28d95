import { expect, test } from 'bun:test'
import { testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

const opened = (socket: WebSocket) =>
  new Promise<{ protocol: string; type: string } | null>((resolve) => {
    socket.onmessage = ({ data }) => resolve({ protocol: socket.protocol, type: JSON.parse(String(data)).type })
    socket.onclose = () => resolve(null)
  })

test('the access token opens a socket as a subprotocol, and the answer does not repeat it', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const url = new URL('/ws', await app.listen())
  url.protocol = 'ws:'
  const attempts: [string[], { protocol: string; type: string } | null][] = [
    [['convene', `bearer.${ada.token}`], { protocol: 'convene', type: 'hello' }],
    [['convene', `bearer.${ada.token}x`], null],
    [['convene'], null],
    // By default the server would answer with the first one.
    [[`bearer.${ada.token}`, 'convene'], null],
    [[`bearer.${ada.token}`], null],
  ]
  for (const [protocols, expected] of attempts) {
    const socket = new WebSocket(url, protocols)
    expect([protocols.length, await opened(socket)]).toEqual([protocols.length, expected])
    socket.close()
  }
})

test('a search without a point is around the published one, and a search with a point is not', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  expect(expectProblem(await ada.get('search/nearby'), 422, 'validation_failed')).toEqual(['/lat', '/lng'])
  for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5163, longitude: 13.3777 })
  const { latitude, longitude } = (await ada.get('me/location')).body
  const around = (await ada.get('search/nearby?radius=3000')).body
  expect(around.items.map(({ user }: { user: { name: string } }) => user.name)).toEqual(['Bob'])
  expect(around).toEqual((await ada.get(`search/nearby?lat=${latitude}&lng=${longitude}&radius=3000`)).body)
  for (const [half, path] of [
    ['lat=52.5', '/lng'],
    ['lng=13.4', '/lat'],
  ]) {
    const { status, body } = await ada.get(`search/nearby?${half}`)
    expect([status, body.errors[0].path, body.errors[0].code]).toEqual([422, path, 'required'])
  }
})
