import { useConvene } from 'convene-client/react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { SkeletonRows } from '../../shared/ui/state.tsx'
import { type T, useLanguage } from '../language.tsx'
import { type Failure, failureOf, failureText } from '../requests.ts'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'
import { openedPage } from './opened-page.ts'

/** The page to which a provider sends the browser back: with the session in cookies, or with `#error=<code>`. */
export default function SignedIn() {
  const { t } = useLanguage()
  const client = useConvene()
  const [, navigate] = useLocation()
  const [refusal] = useState(() => new URLSearchParams(location.hash.slice(1)).get('error'))
  const [failure, setFailure] = useState<Failure | null>(null)
  const isStarted = useRef(false)

  useEffect(() => {
    if (isStarted.current || refusal !== null) return
    isStarted.current = true
    client
      .signIn({ cookies: true })
      .then(() => navigate(openedPage(), { replace: true }))
      .catch((reason: unknown) => setFailure(failureOf(reason)))
  }, [client, navigate, refusal])

  const text = refusal !== null ? refusalText(t, refusal) : failure && failureText(t, failure)
  if (text === null)
    return (
      <AccountLayout title={t('account.signingIn')} isLoading>
        <SkeletonRows label={t('app.loading')} count={2} />
      </AccountLayout>
    )
  return (
    <AccountLayout title={t('account.provider.failed')} lead={text}>
      {(refusal === 'invite_required' || refusal === 'validation_failed') && (
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

/** The text for a code with which the server sends the browser back. */
function refusalText(t: T, code: string): string {
  switch (code) {
    case 'forbidden':
      return t('account.provider.refused')
    case 'id_token_invalid':
      return t('account.provider.invalid')
    case 'busy':
      return t('account.provider.away')
    case 'maintenance':
      return t('account.provider.maintenance')
    case 'invite_required':
      return t('account.provider.invite')
    case 'registration_closed':
      return t('account.closed.text')
    case 'validation_failed':
      return t('account.birthDate.needed')
    case 'too_young':
      return t('account.birthDate.tooYoung')
    case 'suspended':
      return t('account.ended.suspended')
  }
  return t('app.failed')
}
