/// <reference lib="webworker" />
export {}

declare const self: ServiceWorkerGlobalScope
/** The names of the app's files. The build defines it. */
declare const assetNames: readonly string[]
/** The id of this build. The build defines it. */
declare const buildId: string

const cacheName = `convene-${buildId}`
const assets = assetNames.map((name) => `/assets/${name}`)
// What the app needs to start. Requests to the API always go to the server.
const shell = ['/nearby', '/app.json', '/brand.css', '/manifest.webmanifest']

self.addEventListener('install', (event) => event.waitUntil(install()))

async function install() {
  // After a return to an earlier build, its cache is the newest one.
  await caches.delete(cacheName)
  const cache = await caches.open(cacheName)
  await cache.addAll([...shell.map((path) => new Request(path, { cache: 'reload' })), ...assets])
}

self.addEventListener('activate', (event) => event.waitUntil(activate()))

/**
 * Removes the caches of earlier builds but the newest: other tabs still run that build, and load parts of it that the server no
 * longer has.
 */
async function activate() {
  // In the order in which they were made. A newer build may be installing.
  const names = (await caches.keys()).filter((name) => name.startsWith('convene-'))
  const earlier = names.slice(0, names.indexOf(cacheName))
  await Promise.all(earlier.slice(0, -1).map((name) => caches.delete(name)))
  await self.clients.claim()
}

self.addEventListener('message', (event) => {
  if (event.data?.type === 'activate') void self.skipWaiting()
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (pathname.startsWith('/assets/')) return event.respondWith(cacheFirst(request))
  if (request.mode === 'navigate') {
    // All paths have the same page.
    if (isApp(pathname)) event.respondWith(orCached(fetch(request), '/nearby'))
    return
  }
  if (shell.includes(pathname)) event.respondWith(orCached(fetchAndCache(request), request))
})

const isApp = (path: string) => !/^\/(api|openapi|console|health|metrics|ready|ws)(\/|$)/.test(path)

/** From the cache of any build, as the name of a file changes with its content. */
const cacheFirst = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request)

/** The server's answer, or the cached one without it: while a server restarts, its proxy answers 502 or 503. */
async function orCached(answering: Promise<Response>, key: Request | string): Promise<Response> {
  const answer = await answering.catch((error: Error) => error)
  if (answer instanceof Response && answer.status < 500) return answer
  const cache = await caches.open(cacheName)
  const cached = await cache.match(key)
  if (cached) return cached
  if (answer instanceof Response) return answer
  throw answer
}

async function fetchAndCache(request: Request): Promise<Response> {
  const response = await fetch(request)
  if (response.ok) {
    const copy = response.clone()
    // The answer is good even if the device has no room to keep it.
    await caches
      .open(cacheName)
      .then((cache) => cache.put(request, copy))
      .catch(() => {})
  }
  return response
}

type Message = {
  kind: 'message' | 'chat' | 'review' | 'notice' | 'report' | 'test'
  title: string
  body: string
  tag: string
  chat_id: string | null
  unread: number | null
  language: string
}

self.addEventListener('push', (event) => event.waitUntil(show(event.data)))

/** Browsers require that every push shows something, so an unreadable one does too. */
async function show(data: PushMessageData | null) {
  const unreadable: Message = {
    kind: 'message',
    title: 'New message',
    body: '',
    tag: 'unreadable',
    chat_id: null,
    unread: null,
    language: 'en',
  }
  let message = unreadable
  try {
    message = { ...unreadable, ...data?.json() }
  } catch {}
  const { kind, title, body, tag, chat_id, language, unread } = message
  // A notification replaces the one with the same tag, and rings again.
  const options = { body, tag, renotify: true, lang: language, data: { kind, chat_id }, icon: '/brand/icon-192.png' }
  await self.registration.showNotification(title, options)
  if (unread !== null) await self.navigator.setAppBadge?.(unread).catch(() => {})
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(pathOf(event.notification.data)))
})

/** Where a notification leads. */
function pathOf({ kind, chat_id }: Pick<Message, 'kind' | 'chat_id'>): string {
  if (chat_id !== null) return `/chats/${chat_id}`
  if (kind === 'notice') return '/settings/reports'
  if (kind === 'review') return '/me'
  return kind === 'report' ? '/console/queue' : '/chats'
}

/** Shows a page of the app in a window that is open, or in a new one. */
async function open(path: string) {
  const windows = await self.clients.matchAll({ type: 'window' })
  const window = windows.find(({ url }) => isApp(new URL(url).pathname))
  // The console always gets a new one: in another, a moderator may be writing.
  if (window === undefined || !isApp(path)) return void (await self.clients.openWindow(path))
  window.postMessage({ type: 'open', path })
  await window.focus()
}

// The push service has changed the subscription. The request is authenticated by the session's cookie.
self.addEventListener('pushsubscriptionchange', (event) =>
  (event as ExtendableEvent).waitUntil(renew(event as Changed)),
)

type Changed = ExtendableEvent & { oldSubscription?: PushSubscription; newSubscription?: PushSubscription }

async function renew({ oldSubscription, newSubscription }: Changed) {
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

const post = (path: string, body: object) =>
  fetch(path, {
    method: 'POST',
    credentials: 'include',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
