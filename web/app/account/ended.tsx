import type { EndReason, Me } from 'convene-client'
import { useConvene, useSession } from 'convene-client/react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { serverNow, withClock } from '../../shared/clock.ts'
import { untilOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { SkeletonRows } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { useResource } from '../requests.ts'
import { NoticeCard } from '../settings/notice-card.tsx'
import { SignOutSheet } from '../settings/sign-out-sheet.tsx'
import { FailureText } from './failure.tsx'
import { suspensionOf } from './in-force.ts'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'
import { OtherWays, useProviders } from './providers.tsx'
import { PasswordForm } from './sign-in.tsx'
import { isSuspended, Suspension } from './suspension.tsx'
import { useTelegram } from '../telegram/telegram.tsx'

/** Shown when the session is over: why, and how to sign in again. */
export default function Ended({ reason, user }: { reason: EndReason; user: Me | null }) {
  const { t } = useLanguage()
  const client = useConvene()
  if (reason === 'suspended') return <Suspended />
  if (reason === 'erased')
    return (
      <AccountLayout title={t('account.ended.erasedTitle')} lead={t('account.ended.erased')}>
        <Button look="primary" wide onClick={() => client.signOut()}>
          {t('account.ended.start')}
        </Button>
      </AccountLayout>
    )
  return <SignInAgain title={t('account.ended.title')} lead={t(reasonKey(reason))} user={user} />
}

function SignInAgain({ title, lead, user }: { title: string; lead: string; user: Me | null }) {
  const { t } = useLanguage()
  const telegram = useTelegram()
  const [isLeaving, setIsLeaving] = useState(false)
  return (
    <AccountLayout title={title} lead={lead}>
      {telegram ? <p className={styles.notice}>{t('account.telegram.reopen')}</p> : <Ways user={user} />}
      <div className={styles.links}>
        {!telegram && <Link href="/forgot-password">{t('account.forgot.title')}</Link>}
        <button type="button" className={styles.inline} onClick={() => setIsLeaving(true)}>
          {t('account.ended.other')}
        </button>
      </div>
      <p className={styles.small}>{t('account.ended.kept')}</p>
      {isLeaving && <SignOutSheet onClose={() => setIsLeaving(false)} />}
    </AccountLayout>
  )
}

/** The ways to sign in again outside of Telegram, which signs in by itself. */
function Ways({ user }: { user: Me | null }) {
  const { data: providers } = useProviders()
  return (
    <>
      <PasswordForm contact={user?.email ?? user?.phone ?? ''} />
      <OtherWays providers={providers} />
    </>
  )
}

function reasonKey(reason: EndReason) {
  if (reason === 'password_changed') return 'account.ended.password'
  if (reason === 'ended' || reason === 'logout') return 'account.ended.elsewhere'
  if (reason === 'refresh_reused') return 'account.ended.reused'
  return 'account.ended.old'
}

/** Why, until when, and how to appeal. The token of the ended session still works for that until it expires. */
function Suspended() {
  const { t, language } = useLanguage()
  const client = useConvene()
  const { data, failure, reload } = useResource(() =>
    withClock(client.api.GET('/api/v1/me/notices', { params: { query: { limit: 100 } } })),
  )
  const telegram = useTelegram()
  const { user } = useSession()
  const [isSigningIn, setIsSigningIn] = useState(false)
  // The socket is closed, so nobody tells this page of a decision.
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && void reload()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [reload])

  const suspension = suspensionOf(data?.items ?? [], serverNow())
  if (suspension === 'over')
    return <SignInAgain title={t('settings.notice.unsuspend')} lead={t('account.ended.title')} user={user} />
  // The token of the session is over, so the decision is shown to whoever signs in.
  if (!data && failure !== null && failure !== 'offline' && failure.status === 401)
    return (
      <AccountLayout
        title={t('account.ended.suspendedTitle')}
        lead={telegram ? null : t('account.ended.suspendedSignIn')}
      >
        {!telegram ? (
          <Ways user={user} />
        ) : (
          isSuspended(telegram.failure) && (
            <Suspension failure={telegram.failure} proof={{ init_data: telegram.sdk.initData }} />
          )
        )}
        <SignOut />
      </AccountLayout>
    )
  const lead = suspension?.until
    ? t('account.ended.suspendedUntil', { date: untilOf(language, new Date(suspension.until), serverNow()) })
    : t('account.ended.suspended')
  return (
    <AccountLayout title={t('account.ended.suspendedTitle')} lead={lead}>
      {suspension && <NoticeCard notice={suspension} onChange={reload} heading="h2" />}
      {!data && !failure && <SkeletonRows label={t('app.loading')} count={2} />}
      {!data && <FailureText failure={failure} />}
      {!telegram &&
        (isSigningIn ? (
          <Ways user={user} />
        ) : (
          <Button wide onClick={() => setIsSigningIn(true)}>
            {t('account.ended.again')}
          </Button>
        ))}
      <SignOut />
    </AccountLayout>
  )
}

function SignOut() {
  const { t } = useLanguage()
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <Button wide onClick={() => setIsAsked(true)}>
        {t('settings.signOut')}
      </Button>
      {isAsked && <SignOutSheet onClose={() => setIsAsked(false)} />}
    </>
  )
}
