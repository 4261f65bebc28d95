import { type paths, passkey } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Fingerprint } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { makePasskey } from '../../shared/passkeys.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, type Failure, outcomeOf, useAction, useResource } from '../requests.ts'
import { FailureText } from '../ui/failure.tsx'
import { Front } from './front.tsx'
import styles from './front.module.css'

type Confirmation = NonNullable<paths['/api/v1/auth/passkey/confirm']['post']['requestBody']>
type Credential = Confirmation['content']['application/json']['credential']

/** Asks for a passkey, which `STAFF_PASSKEY` requires every 12 hours. Users without a passkey add one first. */
export function Confirm({ onDone }: { onDone: () => void }) {
  const { t } = useLanguage()
  const client = useConvene()
  const { api } = client
  const { data: identities, failure, reload } = useResource(() => api.GET('/api/v1/me/identities'))
  const confirm = useAction(async (): Promise<Failure | null> => {
    const begun = await outcomeOf(api.POST('/api/v1/auth/passkey/options'))
    if (begun.failure) return begun.failure
    let credential: Credential
    try {
      credential = (await passkey().passkey(begun.data.options)) as Credential
    } catch (error) {
      // The user has closed the browser's dialog.
      if (error instanceof DOMException) return null
      throw error
    }
    const { failure } = await outcomeOf(api.POST('/api/v1/auth/passkey/confirm', { body: { credential } }))
    if (!failure) onDone()
    return failure
  })
  const isWithout = identities !== null && !identities.items.some(({ kind }) => kind === 'passkey')
  return (
    <Front title={t('console.confirm.title')} lead={t(isWithout ? 'console.confirm.none' : 'console.confirm.text')}>
      {isWithout ? (
        <AddPasskey onAdded={reload} />
      ) : (
        <Button
          look="primary"
          wide
          busy={confirm.busy}
          icon={<Fingerprint size={16} aria-hidden />}
          onClick={() => confirm.run()}
        >
          {t('console.confirm.show')}
        </Button>
      )}
      <FailureText failure={confirm.failure ?? failure} />
      <Button look="quiet" wide onClick={() => client.signOut()}>
        {t('console.signOut')}
      </Button>
    </Front>
  )
}

function AddPasskey({ onAdded }: { onAdded: () => Promise<unknown> }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [label, setLabel] = useState('')
  const [password, setPassword] = useState('')
  const add = useAction(async (): Promise<Failure | null> => {
    const begun = await outcomeOf(api.POST('/api/v1/me/passkeys/options', { body: password ? { password } : {} }))
    if (begun.failure) return begun.failure
    const credential = await makePasskey(begun.data.options)
    if (!credential) return null
    const { failure } = await outcomeOf(api.POST('/api/v1/me/passkeys', { body: { label: label.trim(), credential } }))
    if (!failure) await onAdded()
    return failure
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void add.run()
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field
        label={t('console.confirm.label')}
        hint={t('console.confirm.labelHint')}
        error={excessText(t, label, 60)}
        required
        value={label}
        onChange={(event) => setLabel(event.target.value)}
      />
      <Field
        label={t('console.signIn.password')}
        hint={t('console.confirm.passwordHint')}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <FailureText failure={add.failure} />
      <Button type="submit" look="primary" wide busy={add.busy}>
        {t('console.confirm.add')}
      </Button>
    </form>
  )
}
