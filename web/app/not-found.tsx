import { Link } from 'wouter'
import { State } from '../shared/ui/state.tsx'
import { useLanguage } from './language.tsx'
import styles from './not-found.module.css'

/** For an address without a page. The link leads to the nearest one. */
export function NotFound({ href, label }: { href: string; label: string }) {
  const { t } = useLanguage()
  const link = (
    <Link href={href} className={styles.link}>
      {label}
    </Link>
  )
  return <State heading="h1" title={t('app.notFound')} action={link} />
}
