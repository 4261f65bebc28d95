import { expect, test } from 'bun:test'
import { testApp } from '../app.ts'
import { fits, pair, textsOf } from './people.ts'

test('two people chat: each message, mark and count arrives, and typing and presence do', async () => {
  const app = await testApp()
  const { ada, bob, chatId, people } = await pair(app)
  ada.connect()
  bob.connect()
  await Promise.all([ada, bob].map(({ connection }) => fits(connection, ({ state }) => state === 'online')))
  const [hers, his] = [ada.chats.open(chatId), bob.chats.open(chatId)]
  await Promise.all([hers, his].map(({ messages }) => fits(messages, ({ loaded }) => loaded)))
  await fits(bob.chats.list, ({ loaded }) => loaded)

  const sent = hers.send({ text: 'Coffee?' })
  expect(hers.messages.get().items.map(({ text, state }) => [text, state])).toEqual([['Coffee?', 'pending']])
  const { key } = hers.messages.get().items[0]!
  expect(await sent).toBe(key)
  const shown = await fits(hers.messages, ({ items }) => items[0]!.state === 'sent', 'it is sent')
  expect(shown.items[0]!.key).toBe(key)
  await fits(his.messages, (state) => textsOf(state).includes('Coffee?'))
  await fits(bob.chats.list, ({ unreadTotal, items }) => unreadTotal === 1 && items[0]?.unread_count === 1)

  await his.markRead()
  await fits(bob.chats.list, ({ unreadTotal }) => unreadTotal === 0)
  await fits(hers.messages, ({ items }) => items[0]!.read)

  his.typing()
  await fits(hers.isTyping, (is) => is, 'she sees him type')
  await his.send({ text: 'Tea!' })
  await fits(hers.isTyping, (is) => !is)
  await fits(hers.messages, (state) => textsOf(state).join() === 'Coffee?,Tea!')
  expect(ada.chats.list.get().items).toEqual([])
  await fits(ada.presence(people.bob.id), ({ online }) => online)
})
