import type { Me } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Fingerprint } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { contactOf } from '../../shared/contact.ts'
import { canUsePasskeys, signInWithPasskey } from '../../shared/passkeys.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { useAction, useResource } from '../requests.ts'
import { FailureText } from '../ui/failure.tsx'
import { Front } from './front.tsx'
import styles from './front.module.css'

/** `ended` is the user whose session has ended. */
export function SignIn({ ended }: { ended?: Me }) {
  const { t } = useLanguage()
  const client = useConvene()
  const { data: providers } = useResource(() => client.api.GET('/api/v1/auth/providers'))
  const [contact, setContact] = useState(ended?.email ?? ended?.phone ?? '')
  const [password, setPassword] = useState('')
  const withPassword = useAction(async () => {
    await client.signIn({ ...contactOf(contact), password })
  })
  const withPasskey = useAction(() => signInWithPasskey(client))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void withPassword.run()
  }
  return (
    <Front title={t('console.signIn.title')} lead={ended ? t('console.signIn.ended') : t('console.signIn.lead')}>
      <form className={styles.form} onSubmit={submit}>
        <Field
          label={t('console.signIn.contact')}
          name="username"
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          required
          value={contact}
          onChange={(event) => setContact(event.target.value)}
        />
        <Field
          label={t('console.signIn.password')}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <FailureText failure={withPassword.failure} />
        <Button type="submit" look="primary" wide busy={withPassword.busy}>
          {t('console.signIn.title')}
        </Button>
      </form>
      {providers?.passkey === true && canUsePasskeys() && (
        <>
          <p className={styles.or}>{t('console.signIn.or')}</p>
          <Button
            wide
            busy={withPasskey.busy}
            icon={<Fingerprint size={16} aria-hidden />}
            onClick={() => withPasskey.run()}
          >
            {t('console.signIn.passkey')}
          </Button>
          <FailureText failure={withPasskey.failure} />
        </>
      )}
      {ended && (
        <Button look="quiet" wide onClick={() => client.signOut()}>
          {t('console.gate.other')}
        </Button>
      )}
    </Front>
  )
}
