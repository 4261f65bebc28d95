import type { Convene } from 'convene-client'
import { readLocal, writeLocal } from '../shared/local-storage.ts'
import type { Failure } from './requests.ts'
import { outcomeOf } from './requests.ts'

/** Whether this browser supports notifications, and whether the user allows them. */
export function pushState(): 'unsupported' | NotificationPermission {
  return 'PushManager' in window && 'Notification' in window && navigator.serviceWorker
    ? Notification.permission
    : 'unsupported'
}

/** The key of a subscription, as base64url. */
function keyOf({ options }: PushSubscription): string {
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0)))
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const readyWithinMs = 10_000

/** Whether the service worker runs. `ready` never resolves if it could not be installed. */
const isWorkerReady = () =>
  Promise.race([
    navigator.serviceWorker.ready.then(() => true),
    new Promise<false>((resolve) => setTimeout(resolve, readyWithinMs, false)),
  ])

/** Asks for the permission and registers this device. Call it from a click: browsers require one. */
export async function subscribeToPush(client: Convene): Promise<Failure | 'denied' | null> {
  writeLocal(removed, null)
  if ((await Notification.requestPermission()) !== 'granted') return 'denied'
  if (!(await isWorkerReady())) return 'offline'
  return renewPush(client)
}

/** Registers this device if the user has allowed it. Registering the same subscription again adds no channel. */
export async function renewPush({ api }: Convene): Promise<Failure | null> {
  if (pushState() !== 'granted' || readLocal(removed) !== null) return null
  const keys = await outcomeOf(api.GET('/api/v1/notifications/keys'))
  if (keys.failure) return keys.failure
  const { pushManager } = await navigator.serviceWorker.ready
  let subscription: PushSubscription | null
  try {
    subscription = await pushManager.getSubscription()
    // The server's key pair has changed since this device subscribed.
    if (subscription && keyOf(subscription) !== keys.data.webpush) {
      await subscription.unsubscribe()
      subscription = null
    }
    subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: keys.data.webpush })
  } catch {
    // The browser's push service cannot be reached.
    return 'offline'
  }
  const { endpoint, keys: secrets } = subscription.toJSON()
  if (!endpoint || !secrets?.p256dh || !secrets.auth) return 'offline'
  const body = {
    kind: 'webpush' as const,
    subscription: { endpoint, keys: { p256dh: secrets.p256dh, auth: secrets.auth } },
  }
  const { data, failure } = await outcomeOf(api.POST('/api/v1/me/channels', { body }))
  if (failure) return failure
  writeLocal(ownChannel, data.id)
  return null
}

const removed = 'convene:no-push'
const ownChannel = 'convene:push-channel'

/** Whether a channel is that of this device. */
export const isThisDevice = (channelId: string): boolean => readLocal(ownChannel) === channelId

/** Ends the subscription once the channel of this device is removed, and does not renew it at the next start. */
export async function endPush(): Promise<void> {
  writeLocal(removed, '1')
  await unsubscribe()
}

/** Ends this browser's subscription, also without a network: no push for the user who had it is shown here from then on. */
export async function unsubscribe(): Promise<void> {
  writeLocal(ownChannel, null)
  const registration = await navigator.serviceWorker?.getRegistration()
  await (await registration?.pushManager?.getSubscription())?.unsubscribe()
}

/** Closes notifications of this device: those of the chats for which `isOver` says so, or all without it. */
export async function closeNotifications(isOver?: (chatId: string) => boolean): Promise<void> {
  if (pushState() !== 'granted') return
  const registration = await navigator.serviceWorker.getRegistration()
  for (const notification of (await registration?.getNotifications()) ?? []) {
    const chatId: string | null = notification.data?.chat_id ?? null
    if (isOver === undefined || (chatId !== null && isOver(chatId))) notification.close()
  }
}

/** Shows the number of unread messages on the icon of the app. Zero removes it. */
export const showUnread = (count: number) => void navigator.setAppBadge?.(count).catch(() => {})
