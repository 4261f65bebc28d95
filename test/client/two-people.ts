// A fresh project: two people chat. It is run by Node, Bun and Deno with the packed package.
import { createClient } from 'convene-client'

const [url, partner] = process.argv.slice(2) as [string, string]
// Node 20 has no WebSocket of its own.
const WebSocket = globalThis.WebSocket ?? (await import('ws')).default
const consents = { terms: true, privacy: true, disclaimer: true } as const
async function join(name: string) {
  const convene = createClient({ url, WebSocket })
  const email = `${name}-${partner}@example.org`
  const { user } = await convene.register({ email, password: 'twelve green bottles', name, consents })
  convene.connect()
  // Listeners are told what happens from then on.
  await new Promise<void>((online) => {
    const look = () => convene.connection.get().state === 'online' && online()
    convene.connection.subscribe(look)
    look()
  })
  return { convene, user }
}
const [ada, bob] = [await join('Ada'), await join('Bob')]
const hers = await ada.convene.chats.start(bob.user.id)
bob.convene.on('message', (message) => {
  if (!('text' in message) || message.sender_id === bob.user.id) return
  console.log(`Bob reads: ${message.text}`)
  void bob.convene.chats.open(message.chat_id).send({ text: 'Tea!' })
})
await hers.send({ text: 'Coffee?' })
await new Promise<void>((resolve) => {
  const stop = hers.messages.subscribe(() => {
    if (!hers.messages.get().items.some(({ text }) => text === 'Tea!')) return
    stop()
    resolve()
  })
})
for (const { text, state } of hers.messages.get().items) console.log(`Ada sees: ${text} (${state})`)
for (const { convene } of [ada, bob]) convene.close()
