import { useConvene, useSession } from 'convene-client/react'
import { X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { IconButton } from '../../shared/ui/button.tsx'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { useBrand } from '../../shared/brand.tsx'
import { fetchBrand } from '../../shared/first-brand.ts'
import { useLanguage } from '../language.tsx'
import { failureText, outcomeOf, useAction } from '../requests.ts'
import styles from './banners.module.css'
import { Notices } from './notices.tsx'
import { useProviders } from './providers.tsx'
import { useConnected } from './connected.ts'

/** Banners above each screen: maintenance, notices, and what the account lacks, such as consents or a verified address. */
export function Banners({ onConsents }: { onConsents: () => void }) {
  const { t } = useLanguage()
  const isMissing = useSession(({ user }) => (user?.consents_missing.length ?? 0) > 0)
  const isHidden = useSession(({ user }) => user?.hidden != null)
  const isUnverified = useSession(({ user }) => user !== null && user.email !== null && !user.email_verified)
  return (
    <>
      <MaintenanceBanner />
      <Notices />
      {isHidden && (
        <div className={styles.banner}>
          <p>{t('account.hidden.banner')}</p>
          <Link href="/settings/reports">{t('account.hidden.why')}</Link>
        </div>
      )}
      {isMissing && (
        <div className={styles.banner}>
          <p>{t('account.consents.hidden')}</p>
          <button type="button" onClick={onConsents}>
            {t('account.consents.open')}
          </button>
        </div>
      )}
      {isUnverified && !isMissing && <VerifyBanner />}
    </>
  )
}

/** The operator's text while people can only read. */
function MaintenanceBanner() {
  const convene = useConvene()
  const { maintenance: atStart } = useBrand()
  const [told, setTold] = useState<{ text: string | null } | null>(null)
  useEffect(() => convene.on('maintenance', ({ text }) => setTold({ text })), [convene])
  const text = told === null ? atStart : told.text
  useConnected(async () => {
    const brand = await fetchBrand()
    if (brand) setTold({ text: brand.maintenance })
    return brand !== null
  })
  return text === null ? null : (
    <div className={styles.banner}>
      <p role="status">{text}</p>
    </div>
  )
}

function VerifyBanner() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const { data: providers } = useProviders()
  const email = useSession(({ user }) => user?.email ?? '')
  const [isSent, setIsSent] = useState(false)
  const [isHidden, setIsHidden] = useState(false)
  const send = useAction(async () => {
    const { failure } = await outcomeOf(api.POST('/api/v1/me/email/verify'))
    setIsSent(failure === null)
    return failure
  })
  if (!providers?.mail || isHidden) return null
  return (
    <div ref={leaveFocus} className={styles.banner}>
      <p role="status">
        {send.failure
          ? failureText(t, send.failure)
          : t(isSent ? 'account.verify.sent' : 'account.verify.banner', { email })}
      </p>
      {!isSent && (
        <button ref={leaveFocus} type="button" aria-disabled={send.busy} onClick={() => send.run()}>
          {t('account.verify.again')}
        </button>
      )}
      <IconButton label={t('app.close')} onClick={() => setIsHidden(true)}>
        <X size={18} aria-hidden />
      </IconButton>
    </div>
  )
}
