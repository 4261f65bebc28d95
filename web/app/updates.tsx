import { useConvene, useSession } from 'convene-client/react'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { forgetDrafts } from '../shared/kept-drafts.ts'
import { useToast } from '../shared/ui/toasts.tsx'
import { isInTelegram } from './telegram/launch.ts'
import { useLanguage } from './language.tsx'
import { register } from './worker.ts'
import { closeNotifications, renewPush, showUnread, unsubscribe } from './push.ts'

/** Registers the service worker, offers new versions of the app, and opens what its notifications are about. Renders nothing. */
export function Updates() {
  const { t } = useLanguage()
  const toast = useToast()
  const client = useConvene()
  const [, navigate] = useLocation()
  const isSignedIn = useSession(({ state }) => state === 'signed-in')

  useEffect(() => {
    if (isInTelegram) return
    const offer = () =>
      void register((activate) => toast(t('app.update.ready'), { label: t('app.update.load'), run: activate }))
    // The worker fetches the whole app, which would delay the first screen. Safari has no `requestIdleCallback`.
    const whenIdle = (window as Partial<Window>).requestIdleCallback
    if (whenIdle) whenIdle(offer, { timeout: 5000 })
    else setTimeout(offer, 1000)
  }, [t, toast])

  useEffect(() => {
    const container = navigator.serviceWorker
    if (!container) return
    const onMessage = ({ data }: MessageEvent) => {
      if (data?.type === 'open') navigate(data.path)
    }
    container.addEventListener('message', onMessage)
    return () => container.removeEventListener('message', onMessage)
  }, [navigate])

  useEffect(() => {
    if (isInTelegram) return
    if (isSignedIn) return void renewPush(client)
    void closeNotifications()
    showUnread(0)
    // Who signs out without a network keeps a session on the server, which would go on pushing to this device.
    void client.ready.then(async (isRead) => {
      // A storage that cannot be read does not say that nobody is signed in.
      if (!isRead || client.session.get().state !== 'signed-out') return
      forgetDrafts()
      await unsubscribe().catch(() => {})
    })
  }, [isSignedIn, client])
  return null
}

const afterStartMs = 1000

/**
 * Closes the notifications of chats that have been read, here or on another device, and keeps the number on the app's icon
 * current: the server sends no push for that. Only for signed-in users, because it loads their chats.
 */
export function useReadNotifications() {
  const { list } = useConvene().chats
  useEffect(() => {
    if (isInTelegram) return
    let unread = new Set<string>()
    const follow = () => {
      const { items, unreadTotal, loaded } = list.get()
      if (!loaded) return
      showUnread(unreadTotal)
      // While nobody looks, the list may be older than a notification, so only a chat that becomes read counts.
      const isVisible = document.visibilityState === 'visible'
      const before = unread
      const now = new Set(items.filter(({ unread_count }) => unread_count > 0).map(({ id }) => id))
      unread = now
      void closeNotifications((chatId) => {
        // A chat without a message has nothing to read: its notification says that somebody has opened it.
        const hasMessages = items.some(({ id, last_message }) => id === chatId && last_message !== null)
        return hasMessages && !now.has(chatId) && (isVisible || before.has(chatId))
      })
    }
    let stop = () => {}
    // Subscribing loads the chats, which the first screen does not need.
    const timer = setTimeout(() => {
      follow()
      stop = list.subscribe(follow)
      document.addEventListener('visibilitychange', follow)
    }, afterStartMs)
    return () => {
      clearTimeout(timer)
      stop()
      document.removeEventListener('visibilitychange', follow)
    }
  }, [list])
}
