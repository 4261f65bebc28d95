import { useConvene } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, useAction } from '../requests.ts'
import { FailureText } from './failure.tsx'
import { AccountLayout } from './layout.tsx'
import { LegalLinks } from './legal.tsx'
import styles from './layout.module.css'
import { useProviders } from './providers.tsx'

export default function ForgotPassword() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const { data: providers } = useProviders()
  const [email, setEmail] = useState('')
  const [isSent, setIsSent] = useState(false)
  const ask = useAction(async () => {
    const { failure } = await outcomeOf(api.POST('/api/v1/auth/password/forgot', { body: { email: email.trim() } }))
    setIsSent(failure === null)
    return failure
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void ask.run()
  }
  if (providers?.mail === false)
    return (
      <AccountLayout title={t('account.forgot.title')} lead={t('account.forgot.noMail')} footer={<LegalLinks />}>
        <div className={styles.links}>
          <Link href="/sign-in">{t('account.signIn.title')}</Link>
        </div>
      </AccountLayout>
    )
  return (
    <AccountLayout title={t('account.forgot.title')} lead={t(isSent ? 'account.forgot.sent' : 'account.forgot.lead')}>
      {!isSent && (
        <form className={styles.form} onSubmit={submit}>
          <Field
            label={t('account.email')}
            type="email"
            autoComplete="email"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <FailureText failure={ask.failure} />
          <Button type="submit" look="primary" wide busy={ask.busy}>
            {t('account.forgot.send')}
          </Button>
        </form>
      )}
      <div className={styles.links}>
        <Link href="/sign-in">{t('account.signIn.title')}</Link>
      </div>
    </AccountLayout>
  )
}
