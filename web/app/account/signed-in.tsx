import { useConvene } from 'convene-client/react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { SkeletonRows } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureOf, failureText } from '../requests.ts'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'

/** Where a provider sends the browser back: with the session in cookies, or with `#error=<code>`. */
export default function SignedIn() {
  const { t } = useLanguage()
  const client = useConvene()
  const [, navigate] = useLocation()
  const [failure, setFailure] = useState<Failure | 'refused' | null>(null)
  const isStarted = useRef(false)

  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    const error = new URLSearchParams(location.hash.slice(1)).get('error')
    if (error !== null) return setFailure('refused')
    client
      .signIn({ cookies: true })
      .then(() => navigate('/nearby', { replace: true }))
      .catch((reason: unknown) => setFailure(failureOf(reason)))
  }, [client, navigate])

  if (failure === null) return <SkeletonRows label={t('app.loading')} />
  return (
    <AccountLayout
      title={t('account.provider.failed')}
      lead={failure === 'refused' ? t('account.provider.refused') : failureText(t, failure)}
    >
      <Link href="/sign-in" className={styles.buttonLink}>
        {t('account.signIn.title')}
      </Link>
    </AccountLayout>
  )
}
