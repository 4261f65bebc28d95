import { useConvene } from 'convene-client/react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { SkeletonRows } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, failureOf, failureText } from '../requests.ts'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'

/** The page to which a provider sends the browser back: with the session in cookies, or with `#error=<code>`. */
export default function SignedIn() {
  const { t } = useLanguage()
  const client = useConvene()
  const [, navigate] = useLocation()
  const [failure, setFailure] = useState<Failure | 'refused' | 'birthDate' | 'tooYoung' | null>(null)
  const isStarted = useRef(false)

  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    const error = new URLSearchParams(location.hash.slice(1)).get('error')
    if (error === 'validation_failed') return setFailure('birthDate')
    if (error === 'too_young') return setFailure('tooYoung')
    if (error !== null) return setFailure('refused')
    client
      .signIn({ cookies: true })
      .then(() => navigate('/nearby', { replace: true }))
      .catch((reason: unknown) => setFailure(failureOf(reason)))
  }, [client, navigate])

  if (failure === null)
    return (
      <AccountLayout title={t('account.signingIn')}>
        <SkeletonRows label={t('app.loading')} count={2} />
      </AccountLayout>
    )
  return (
    <AccountLayout
      title={t('account.provider.failed')}
      lead={
        failure === 'refused'
          ? t('account.provider.refused')
          : failure === 'birthDate'
            ? t('account.birthDate.needed')
            : failure === 'tooYoung'
              ? t('account.birthDate.tooYoung')
              : failureText(t, failure)
      }
    >
      {failure === 'birthDate' && (
        <Link href="/sign-up" className={styles.buttonLink}>
          {t('account.signUp.title')}
        </Link>
      )}
      <Link href="/sign-in" className={styles.buttonLink}>
        {t('account.signIn.title')}
      </Link>
    </AccountLayout>
  )
}
