import { expect, test } from 'bun:test'
import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'
import type { Convene } from '../../client/src/index.ts'
import { haveSameFields } from '../../client/src/same-fields.ts'
import {
  ConveneProvider,
  useChats,
  useConnection,
  useMessages,
  usePresence,
  useSession,
  useTyping,
} from '../../client/src/react.ts'
import { testApp } from '../app.ts'
import { clientOf, fits, newClient, pair, sharedStorage } from './people.ts'

test('the browser hydrates a page with what the server has shown, although it knows who is signed in', async () => {
  const app = await testApp()
  const { base, people, chatId } = await pair(app)
  await people.bob.post(`chats/${chatId}/messages`, { text: 'Hello' })
  const browser = await clientOf(base, people.ada, { storage: sharedStorage() })
  browser.connect()
  await fits(browser.connection, ({ state }) => state === 'online')
  await fits(browser.chats.list, ({ unreadTotal }) => unreadTotal === 1)
  await fits(browser.chats.open(chatId).messages, ({ loaded }) => loaded)
  const Page = () =>
    h(
      'p',
      null,
      JSON.stringify([
        useSession(),
        useConnection(),
        useChats(),
        useMessages(chatId),
        useTyping(chatId),
        usePresence(people.bob.id),
      ]),
    )
  // React renders the first time as on a server in both places.
  const first = (client: Convene) => renderToString(h(ConveneProvider, { client }, h(Page)))
  const server = first(newClient(base))
  expect(server).toContain('signed-out')
  expect(first(browser)).toBe(server)
})

test('a selected value is the same where its fields are, and Sets, Maps and Dates are not compared', () => {
  const one = {}
  expect(haveSameFields({ one, n: NaN }, { one, n: NaN })).toBe(true)
  expect(haveSameFields([one, 2], [one, 2])).toBe(true)
  const different = [
    [{ one }, { one: {} }],
    [{ a: undefined }, { b: undefined }],
    [[], {}],
    [new Set([1]), new Set([2])],
    [new Map([[1, 1]]), new Map([[1, 2]])],
    [new Date(0), new Date(1)],
    [null, {}],
  ]
  for (const [a, b] of different) expect(haveSameFields(a, b)).toBe(false)
})
