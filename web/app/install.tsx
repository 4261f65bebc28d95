import { Download } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { useLanguage } from './language.tsx'
import { installOffer } from './install-offer.ts'
import styles from './settings/settings.module.css'
import { isInTelegram } from './telegram/launch.ts'

/** Safari on iOS installs apps only through its share menu. On an iPad it calls itself that of a Mac, which has no touch screen. */
const isOnIos = () =>
  (/iPhone|iPad/.test(navigator.userAgent) ||
    (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)) &&
  !matchMedia('(display-mode: standalone)').matches

/** Offers to put the app on the home screen, if the browser can. */
export function InstallCard() {
  const { t } = useLanguage()
  const event = useSyncExternalStore(installOffer.subscribe, installOffer.get)
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
