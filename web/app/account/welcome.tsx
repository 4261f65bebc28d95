import { Coffee, MapPin, MessageCircle } from 'lucide-react'
import { Link, Redirect } from 'wouter'
import { useLanguage } from '../language.tsx'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'
import { LegalLinks } from './legal.tsx'
import { useProviders } from './providers.tsx'

export default function Welcome() {
  const { t } = useLanguage()
  const { data: providers } = useProviders()
  const isClosed = providers?.registration === 'closed'
  // A provider has sent the browser back too late: the server no longer knows to which page.
  if (location.hash.startsWith('#error=')) return <Redirect to={`/signed-in${location.hash}`} replace />
  const points = [
    { Icon: MapPin, text: t('account.welcome.nearby') },
    { Icon: Coffee, text: t('account.welcome.preferences') },
    { Icon: MessageCircle, text: t('account.welcome.chat') },
  ]
  return (
    <AccountLayout title={t('account.welcome.title')} lead={t('account.welcome.lead')} footer={<LegalLinks />}>
      <ul className={styles.points}>
        {points.map(({ Icon, text }) => (
          <li key={text}>
            <span className={styles.point} aria-hidden>
              <Icon size={22} />
            </span>
            {text}
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        {isClosed ? (
          <p className={styles.notice}>{t('account.closed.text')}</p>
        ) : (
          <Link href="/sign-up" className={`${styles.buttonLink} ${styles.main}`}>
            {t('account.signUp.title')}
          </Link>
        )}
        <Link href="/sign-in" className={styles.buttonLink}>
          {t('account.signIn.title')}
        </Link>
      </div>
    </AccountLayout>
  )
}
