// The service worker of an app with Web Push. Serve it at the root of your app's origin: a worker controls only the paths below its own.

/** Where your app shows a chat, or its start page. */
const pathOf = (chatId) => (chatId === null ? '/' : `/chats/${chatId}`)

self.addEventListener('push', (event) => event.waitUntil(show(event.data)))

/** Browsers require that every push shows something, so an unreadable one does too. */
async function show(data) {
  const unreadable = { title: 'New message', body: '', tag: 'unreadable', chat_id: null, unread: null, language: 'en' }
  let message = unreadable
  try {
    message = { ...unreadable, ...data.json() }
  } catch {}
  const { title, body, tag, chat_id, language } = message
  // A notification replaces the one with the same tag, and rings again.
  await self.registration.showNotification(title, { body, tag, renotify: true, lang: language, data: { chat_id } })
  if (message.unread !== null) await navigator.setAppBadge?.(message.unread).catch(() => {})
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.chat_id ?? null))
})

/** Shows the chat in a window that is open, or in a new one. */
async function open(chatId) {
  const [window] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (window === undefined) return self.clients.openWindow(pathOf(chatId))
  window.postMessage({ type: 'open_chat', chat_id: chatId })
  await window.focus()
}

// The push service has changed the subscription. The request is authenticated by the session's cookie. An app that uses tokens
// subscribes again when it is next opened, as page.js does.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))

async function renew({ oldSubscription, newSubscription }) {
  const subscribe = async () => {
    const { webpush } = await (await fetch('/api/v1/notifications/keys')).json()
    const applicationServerKey = oldSubscription?.options.applicationServerKey ?? webpush
    return self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  }
  const subscription = newSubscription ?? (await subscribe())
  const register = () => post('/api/v1/me/channels', { kind: 'webpush', subscription })
  // The access token in the cookie lasts for minutes, and no page may be open that refreshes it.
  if ((await register()).status === 401 && (await post('/api/v1/auth/refresh', {})).ok) await register()
}

const post = (path, body) =>
  fetch(path, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
