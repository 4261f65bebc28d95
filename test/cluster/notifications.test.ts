import { afterEach, expect } from 'bun:test'
import { seconds } from '../../src/lib/time.ts'
import type { Person, TestApp } from '../app.ts'
import { deliver, devices, register } from '../devices.ts'
import { openNodes, redisTest, sweep } from '../redis.ts'
import { connect, ofType } from '../socket-client.ts'
import { until } from '../until.ts'

const prefixes: string[] = []
afterEach(async () => {
  for (const prefix of prefixes.splice(0)) await sweep(prefix)
})

async function open() {
  const way = devices()
  const nodes = await openNodes(2, { providers: way.providers })
  prefixes.push(nodes.prefix)
  const [here, there] = nodes.apps
  const [ada, bob] = [await here.person('Ada'), await here.person('Bob')]
  return { way, here, there, bases: nodes.bases, ada, bob, chat: await here.met(ada, bob) }
}

const say = (from: Person, chat: string) => from.post(`chats/${chat}/messages`, { text: 'hello' })
const isForeground = ({ services }: TestApp, { id }: Person) => services.hub.isForeground(id)

redisTest('whoever looks at the app on one node gets no notification from another', async () => {
  const { way, here, there, bases, ada, bob, chat } = await open()
  await register(here, bob, 'fcm')
  const one = connect(bases[1], bob.token)
  await one.until(ofType('hello'))
  await until(() => isForeground(here, bob), 'the other node knows')
  const isTold = async () => {
    await say(ada, chat)
    here.clock.now += 15 * seconds
    await deliver(here)
    const told = way.take().length > 0
    await bob.put(`chats/${chat}/read`)
    await deliver(here)
    way.take()
    return told
  }
  expect(await isTold()).toBe(false)

  const focus = async (client: typeof one, foreground: boolean, known: boolean) => {
    client.send({ type: 'focus', data: { foreground } })
    await client.pong()
    await until(async () => (await isForeground(here, bob)) === known, 'the other node knows')
  }
  await focus(one, false, false)
  expect(await isForeground(there, bob)).toBe(false)
  expect(await isTold()).toBe(true)
  // A second socket, on either node, until it goes to the background too.
  const other = connect(bases[1], bob.token)
  await other.until(ofType('hello'))
  await until(() => isForeground(here, bob), 'the other node knows')
  expect(await isTold()).toBe(false)
  await focus(other, false, false)
  await focus(one, true, true)
  expect(await isTold()).toBe(false)
  one.socket.close()
  await one.closed
  await until(async () => !(await isForeground(here, bob)), 'the other node knows')
  expect(await isTold()).toBe(true)
  other.socket.close()
})

redisTest('whoever has just left is told, although they count as online for a while', async () => {
  const { way, here, bases, ada, bob, chat } = await open()
  await register(here, bob, 'fcm')
  const socket = connect(bases[1], bob.token)
  await socket.until(ofType('hello'))
  await until(() => isForeground(here, bob), 'the other node knows')
  socket.socket.close()
  await socket.closed
  await until(async () => !(await isForeground(here, bob)), 'the other node knows')
  await say(ada, chat)
  here.clock.now += 15 * seconds
  await deliver(here)
  expect(way.take().length).toBe(1)
})

redisTest('two nodes send each notification once', async () => {
  const { way, here, there, ada, bob, chat } = await open()
  for (const kind of ['webpush', 'fcm', 'apns'] as const) await register(here, bob, kind)
  for (let round = 0; round < 5; round++) {
    await say(ada, chat)
    here.clock.now += 15 * seconds
    await deliver({ nodes: [...here.nodes, ...there.nodes] })
    expect(
      way
        .take()
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['apns', 'fcm', 'webpush'])
  }
})
