import { useConvene, useSession } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { FailureText } from '../account/failure.tsx'
import { useProviders } from '../account/providers.tsx'
import { useLanguage } from '../language.tsx'
import { fieldText, outcomeOf, useAction } from '../requests.ts'
import { Loaded, Part } from './loaded.tsx'
import styles from './settings.module.css'

export default function Email() {
  const { t } = useLanguage()
  const providers = useProviders()
  const email = useSession(({ user }) => user?.email ?? null)
  const isVerified = useSession(({ user }) => user?.email_verified === true)
  return (
    <Part title={t('settings.email.title')}>
      <div className={styles.card}>
        <p>{email ?? t('settings.email.none')}</p>
        {email !== null && (
          <p className={styles.quiet}>{t(isVerified ? 'settings.email.verified' : 'settings.email.unverified')}</p>
        )}
        <p className={styles.quiet}>{t('settings.email.who')}</p>
      </div>
      <Loaded of={providers}>
        {({ mail }) => (mail ? <Change /> : <p className={styles.notice}>{t('settings.email.noMail')}</p>)}
      </Loaded>
    </Part>
  )
}

function Change() {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [sentTo, setSentTo] = useState<string | null>(null)
  const change = useAction(async () => {
    const body = { email: email.trim(), ...(password && { password }) }
    const { failure } = await outcomeOf(api.PUT('/api/v1/me/email', { body }))
    if (!failure) setSentTo(body.email)
    return failure
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void change.run()
  }
  if (sentTo !== null)
    return (
      <p className={styles.notice} role="status">
        {t('settings.email.sent', { email: sentTo })}
      </p>
    )
  const emailError = fieldText(t, change.failure, '/email')
  return (
    <form ref={leaveFocus} className={styles.form} onSubmit={submit}>
      <Field
        label={t('settings.email.new')}
        type="email"
        autoComplete="email"
        required
        error={emailError}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Field
        label={t('account.password')}
        hint={t('settings.email.passwordHint')}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {emailError === null && <FailureText failure={change.failure} />}
      <Button type="submit" look="primary" wide busy={change.busy}>
        {t('settings.email.send')}
      </Button>
    </form>
  )
}
