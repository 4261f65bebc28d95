// What the pages of an app with Web Push do. `call(path, options)` is your app's fetch of the API, with its token or cookie.

/** Call this when the user turns notifications on: browsers ask for the permission only after a click. Null without it. */
export async function subscribe(call) {
  if ((await Notification.requestPermission()) !== 'granted') return null
  return renew(call)
}

/** Call this at each start of the app, after the sign-in. Registering the same subscription again adds no channel. */
export async function renew(call) {
  if (Notification.permission !== 'granted') return null
  await navigator.serviceWorker.register('/sw.js')
  const { pushManager } = await navigator.serviceWorker.ready
  const { webpush } = await (await call('/api/v1/notifications/keys')).json()
  let subscription = await pushManager.getSubscription()
  // The server has another key pair: its JWT_SECRET has changed.
  if (subscription !== null && keyOf(subscription) !== webpush) {
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: webpush })
  const answer = await call('/api/v1/me/channels', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'webpush', subscription }),
  })
  return answer.json()
}

/** Call this when a chat is read, here or on another device. `chat_<id>` is the tag of its notification. */
export async function takeBack(chatId, unread) {
  const registration = await navigator.serviceWorker.getRegistration()
  const shown = (await registration?.getNotifications({ tag: `chat_${chatId}` })) ?? []
  for (const notification of shown) notification.close()
  await navigator.setAppBadge?.(unread).catch(() => {})
}

/** The key of a subscription, as base64url. */
function keyOf({ options }) {
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey))
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
