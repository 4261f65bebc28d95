import { useConvene } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { useAction } from '../requests.ts'
import { contactOf } from '../../shared/contact.ts'
import { FailureText } from './failure.tsx'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'
import { OtherWays, useProviders } from './providers.tsx'
import { isSuspended, Suspension } from './suspension.tsx'

export default function SignIn() {
  const { t } = useLanguage()
  const { data: providers } = useProviders()
  return (
    <AccountLayout title={t('account.signIn.title')}>
      <PasswordForm />
      <div className={styles.links}>
        <Link href="/forgot-password">{t('account.forgot.title')}</Link>
        {providers?.registration !== 'closed' && <Link href="/sign-up">{t('account.signUp.title')}</Link>}
      </div>
      <OtherWays providers={providers} />
    </AccountLayout>
  )
}

/** `contact` is known after a session has ended. */
export function PasswordForm({ contact: known = '' }: { contact?: string }) {
  const { t } = useLanguage()
  const client = useConvene()
  const [contact, setContact] = useState(known)
  const [password, setPassword] = useState('')
  const signIn = useAction(async () => {
    await client.signIn({ ...contactOf(contact), password })
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void signIn.run()
  }
  return (
    <>
      <form className={styles.form} onSubmit={submit}>
        <Field
          label={t('account.contact')}
          name="username"
          autoComplete="username webauthn"
          inputMode="email"
          autoCapitalize="none"
          required
          value={contact}
          onChange={(event) => setContact(event.target.value)}
        />
        <Field
          label={t('account.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {!isSuspended(signIn.failure) && <FailureText failure={signIn.failure} />}
        <Button type="submit" look="primary" wide busy={signIn.busy}>
          {t('account.signIn.title')}
        </Button>
      </form>
      {isSuspended(signIn.failure) && (
        <Suspension failure={signIn.failure} proof={{ ...contactOf(contact), password }} />
      )}
    </>
  )
}
