import { useConvene } from 'convene-client/react'
import { type FormEvent, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { fieldText, outcomeOf, useAction } from '../requests.ts'
import { FailureText } from './failure.tsx'
import { AccountLayout } from './layout.tsx'
import { linkToken } from './link-token.ts'
import styles from './layout.module.css'

export type LinkKind = 'verify' | 'reset' | 'undo' | 'unsubscribe'

/** The pages that links in mails open. Only the button changes something, because mail scanners open links too. */
export default function LinkPage({ kind }: { kind: LinkKind }) {
  const { t } = useLanguage()
  const client = useConvene()
  const { api } = client
  const [token] = useState(() => linkToken(location))
  const [password, setPassword] = useState('')
  const [isDone, setIsDone] = useState(false)

  // Remove the token from the address bar at once.
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])

  const use = useAction(async () => {
    const answers = {
      verify: () => api.POST('/api/v1/auth/email/verify', { body: { token } }),
      reset: () => api.POST('/api/v1/auth/password/reset', { body: { token, password } }),
      undo: () => api.POST('/api/v1/auth/email/undo', { body: { token } }),
      unsubscribe: () => api.POST('/api/v1/notifications/unsubscribe', { body: { token } }),
    }
    const { failure } = await outcomeOf<unknown>(answers[kind]())
    setIsDone(failure === null)
    // Reading `/me` hides the banner that asks to verify the address.
    if (!failure && kind === 'verify' && client.session.get().state === 'signed-in')
      void outcomeOf(api.GET('/api/v1/me'))
    return failure
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void use.run()
  }

  const passwordError = fieldText(t, use.failure, '/password')
  const lead =
    token === '' ? t('account.link.invalid') : t(isDone ? `account.link.${kind}.done` : `account.link.${kind}.asks`)
  return (
    <AccountLayout title={t(`account.link.${kind}.title`)} lead={<span role="status">{lead}</span>}>
      {token !== '' && !isDone && (
        <form className={styles.form} onSubmit={submit}>
          {kind === 'reset' && (
            <Field
              label={t('account.newPassword')}
              hint={t('account.passwordRule')}
              error={passwordError}
              type="password"
              autoComplete="new-password"
              minLength={8}
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
          {passwordError === null && <FailureText failure={use.failure} />}
          <Button type="submit" look="primary" wide busy={use.busy}>
            {t(`account.link.${kind}.button`)}
          </Button>
        </form>
      )}
      {(isDone || token === '') && (
        <Link href="/" className={styles.buttonLink}>
          {t('account.link.open')}
        </Link>
      )}
    </AccountLayout>
  )
}
