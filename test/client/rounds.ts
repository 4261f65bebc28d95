import { expect } from 'bun:test'
import type { Convene } from '../../client/src/index.ts'
import { type TestApp } from '../app.ts'
import { until } from '../until.ts'
import { badNetwork, dice } from './bad-network.ts'
import { fits, pair, textsOf } from './people.ts'

/** All durable events that a client tells of, by their numbers. */
function record(client: Convene) {
  const seqs: number[] = []
  const messages: string[] = []
  let gaps = 0
  client.on('*', (_data, frame) => {
    if (!frame) return void gaps++
    if (frame.seq === undefined) return
    seqs.push(frame.seq)
    if (frame.type === 'message' && 'text' in frame.data) messages.push(frame.data.text!)
  })
  return { seqs, messages, gaps: () => gaps }
}

/** Two people write to each other over a network that loses, delays, doubles and reorders. Nothing of that may show. */
export async function rounds(app: TestApp, count: number, seed: number) {
  const random = dice(seed)
  const base = await app.listen()
  const networks = { ada: await badNetwork(base, random), bob: await badNetwork(base, random) }
  try {
    const urls = { ada: networks.ada.url, bob: networks.bob.url }
    // Signing in needs a few tries on such a network; the rest must not.
    const { ada, bob, chatId } = await retried(() => pair(app, urls, { retry: { minMs: 2, maxMs: 40 } }))
    const told = { ada: record(ada), bob: record(bob) }
    ada.connect()
    bob.connect()
    await Promise.all([ada, bob].map(({ connection }) => fits(connection, ({ state }) => state === 'online', 'online')))
    const chats = { ada: ada.chats.open(chatId), bob: bob.chats.open(chatId) }
    const stops = [chats.ada.messages, chats.bob.messages, ada.chats.list, bob.chats.list].map((store) =>
      store.subscribe(() => {}),
    )
    const sent = { ada: [] as string[], bob: [] as string[] }
    for (let round = 0; round < count; round++) {
      for (const who of ['ada', 'bob'] as const) {
        if (random() < 0.2) continue
        const text = `${who} ${round}`
        sent[who].push(text)
        await chats[who].send({ text })
        if (random() < 0.1) void chats[who].markRead()
      }
      if (random() < 0.4) networks.ada.cutAll()
      if (random() < 0.4) networks.bob.cutAll()
      // Tokens run out on the way.
      if (round % 25 === 24) {
        // Nothing is held back or on its way for a quarter of an hour: a message has the time at which its request arrived.
        await Promise.all([networks.ada.drained(), networks.bob.drained()])
        for (const { messages } of Object.values(chats))
          await fits(messages, ({ items }) => items.every(({ state }) => state === 'sent'), 'nothing waits')
        app.clock.now += 901_000
        // The clock stands still meanwhile: a lost answer may be asked again for ten seconds.
        await Promise.all([ada, bob].map(({ api }) => retried(() => api.GET('/api/v1/me'))))
      }
      await Bun.sleep(random() * 20)
    }
    networks.ada.calm()
    networks.bob.calm()
    for (const client of [ada, bob]) client.wake()
    const all = sent.ada.length + sent.bob.length
    const states = () =>
      JSON.stringify(
        [ada, bob].map(({ session, connection }) => [session.get().state, session.get().reason, connection.get()]),
      ) +
      JSON.stringify(
        Object.values(chats).map(({ messages }) => messages.get().items.findLast(({ state }) => state !== 'sent')),
      )
    for (const who of ['ada', 'bob'] as const) {
      await until(() => told[who].messages.length >= all, `${who} has all ${all} messages`, 60_000).catch((error) => {
        throw new Error(`${error.message}: ${states()}`)
      })
      await fits(chats[who].messages, ({ items }) => items.length >= all && items.every((one) => one.state === 'sent'))
    }
    for (const who of ['ada', 'bob'] as const) {
      const { seqs, messages, gaps } = told[who]
      expect(seqs).toEqual(seqs.map((_, i) => seqs[0]! + i))
      expect(gaps()).toBe(0)
      expect(messages.length).toBe(all)
      expect(new Set(messages).size).toBe(all)
      for (const from of ['ada', 'bob'] as const)
        expect(messages.filter((text) => text.startsWith(from))).toEqual(sent[from])
      // What is shown is what the events said, and what the server has.
      expect(textsOf(chats[who].messages.get())).toEqual(messages)
    }
    const stored = await app.rows('SELECT text FROM messages WHERE chat_id = ?', chatId)
    expect(stored.length).toBe(all)
    expect(told.ada.messages).toEqual(told.bob.messages)
    for (const stop of stops) stop()
    return { messages: all, events: told.ada.seqs.length + told.bob.seqs.length, ...networks.ada.counts }
  } finally {
    networks.ada.close()
    networks.bob.close()
  }
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i++)
    try {
      return await work()
    } catch (error) {
      if (i === 50 || !(error instanceof Error) || error.name === 'Refused') throw error
    }
}
