import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { useLanguage } from './language.tsx'
import styles from './settings/settings.module.css'
import { isInTelegram } from './telegram/launch.ts'

/** Chromium asks the page to choose the moment. The event comes once, before this is shown. */
type InstallEvent = Event & { prompt(): Promise<unknown> }
let offered: InstallEvent | null = null
const listeners = new Set<() => void>()

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault()
  offered = event as InstallEvent
  for (const listener of listeners) listener()
})
addEventListener('appinstalled', () => {
  offered = null
  for (const listener of listeners) listener()
})

/** Safari on iOS installs by its share menu alone. */
const isOnIos = () => /iPhone|iPad/.test(navigator.userAgent) && !matchMedia('(display-mode: standalone)').matches

/** Offers to put the app on the home screen, where the browser can. */
export function InstallCard() {
  const { t } = useLanguage()
  const [event, setEvent] = useState(offered)
  useEffect(() => {
    const follow = () => setEvent(offered)
    listeners.add(follow)
    follow()
    return () => void listeners.delete(follow)
  }, [])
  if (isInTelegram || (!event && !isOnIos())) return null
  return (
    <section className={styles.card}>
      <h2>{t('app.install.title')}</h2>
      <p>{t(event ? 'app.install.text' : 'app.install.ios')}</p>
      {event && (
        <div className={styles.actions}>
          <Button look="primary" icon={<Download size={20} aria-hidden />} onClick={() => event.prompt()}>
            {t('app.install.button')}
          </Button>
        </div>
      )}
    </section>
  )
}
