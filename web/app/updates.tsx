import { useConvene, useSession } from 'convene-client/react'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useToast } from '../shared/ui/toasts.tsx'
import { isInTelegram } from './telegram/launch.ts'
import { useLanguage } from './language.tsx'
import { register } from './worker.ts'
import { renewPush } from './push.ts'

/** Registers the service worker, offers new versions of the app, and opens chats from its notifications. Renders nothing. */
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
      if (data?.type === 'open_chat') navigate(data.chat_id === null ? '/chats' : `/chats/${data.chat_id}`)
    }
    container.addEventListener('message', onMessage)
    return () => container.removeEventListener('message', onMessage)
  }, [navigate])

  useEffect(() => {
    if (isSignedIn && !isInTelegram) void renewPush(client)
  }, [isSignedIn, client])
  return null
}
