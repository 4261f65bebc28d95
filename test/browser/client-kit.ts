import { createElement as h, Fragment, memo, StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '../../client/src/index.ts'
import { indexedDb } from '../../client/src/indexeddb.ts'
import {
  ConveneProvider,
  useChat,
  useChats,
  useMessages,
  useNearby,
  usePresence,
  useSession,
  useTyping,
} from '../../client/src/react.ts'

/** Shows a chat with the hooks, and counts how often each part is drawn. */
function render(client: ReturnType<typeof createClient>, chatId: string) {
  const drawn: Record<string, number> = {}
  const count = (name: string) => void (drawn[name] = (drawn[name] ?? 0) + 1)
  const Row = memo(({ text }: { text: string | null }) => {
    count(`row ${text}`)
    return h('li', null, text)
  })
  const Rows = () => useMessages(chatId).items.map((one) => h(Row, { key: one.key, text: one.text }))
  const Name = () => {
    count('name')
    return h(
      'h1',
      null,
      useSession(({ user }) => user?.name),
    )
  }
  const Badge = () => {
    count('badge')
    return h(
      'b',
      null,
      useChats(({ unreadTotal }) => unreadTotal),
    )
  }
  const Typing = () => {
    count('typing')
    return h('i', null, String(useTyping(chatId)))
  }
  const Online = () => {
    const other = useChats(({ items }) => items[0]?.user.id ?? '')
    return h('em', null, String(usePresence(other).online))
  }
  const Send = () => {
    const { send } = useChat(chatId)
    return h('button', { onClick: () => void send({ text: 'from a button' }) })
  }
  const Near = () => {
    const [place, setPlace] = useState<{ lat: number; lng: number; limit: number } | null>(null)
    const { items, loading, loaded, loadMore, reload } = useNearby(place)
    const names = items.map(({ user }) => user.name).join()
    count(`near ${useSession(({ user }) => user?.name)}: ${names}`)
    useEffect(() => count('search'), [loadMore, reload])
    const toggle = () => setPlace(place ? null : { lat: 52.52, lng: 13.405, limit: 1 })
    const shown = place && !loaded ? 'not known' : `near: ${names}`
    // Two events before the next render, as when somebody scrolls.
    const more = () => void [loadMore(), loadMore()]
    return h(
      Fragment,
      null,
      h('a', { onClick: toggle }, loading ? 'loading' : shown),
      h('u', { onClick: more }, 'more'),
      h('s', null, names),
    )
  }
  const element = globalThis as unknown as { document: { body: Parameters<typeof createRoot>[0] } }
  const parts = [Name, Badge, Typing, Rows, Online, Send, Near].map((part, key) => h(part, { key }))
  createRoot(element.document.body).render(h(StrictMode, null, h(ConveneProvider, { client }, parts)))
  return drawn
}

Object.assign(globalThis, { kit: { createClient, indexedDb, render } })
