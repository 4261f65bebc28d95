import { useConvene } from 'convene-client/react'
import { Fingerprint } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { canUsePasskeys, makePasskey } from '../../shared/passkeys.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, outcomeOf, useAction } from '../requests.ts'
import { deviceOf } from './user-agent.ts'
import styles from './settings.module.css'

export function AddPasskey({ onChange }: { onChange: () => void }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [isOpen, setIsOpen] = useState(false)
  const [label, setLabel] = useState(() => deviceOf(navigator.userAgent) ?? '')
  const [password, setPassword] = useState('')
  const [isAsking, setIsAsking] = useState(false)
  const add = useAction(async () => {
    const body = password ? { password } : {}
    const begun = await outcomeOf(api.POST('/api/v1/me/passkeys/options', { body }))
    // A session that began more than ten minutes ago needs the password.
    if (begun.failure && begun.failure !== 'offline' && begun.failure.code === 'forbidden' && !isAsking) {
      setIsAsking(true)
      return null
    }
    if (begun.failure) return begun.failure
    const credential = await makePasskey(begun.data.options)
    if (!credential) return null
    const { failure } = await outcomeOf(api.POST('/api/v1/me/passkeys', { body: { label: label.trim(), credential } }))
    if (failure) return failure
    setIsOpen(false)
    toast(t('settings.identities.passkeyAdded'))
    onChange()
    return null
  })
  if (!canUsePasskeys()) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void add.run()
  }
  return (
    <>
      <Button wide icon={<Fingerprint size={20} aria-hidden />} onClick={() => setIsOpen(true)}>
        {t('settings.identities.addPasskey')}
      </Button>
      {isOpen && (
        <Sheet title={t('settings.identities.addPasskey')} closeLabel={t('app.close')} onClose={() => setIsOpen(false)}>
          <p>{t('settings.identities.passkeyText')}</p>
          <form className={styles.form} onSubmit={submit}>
            <Field
              label={t('settings.identities.passkeyName')}
              error={excessText(t, label, 60)}
              required
              value={label}
              onChange={(event) => setLabel(event.target.value)}
            />
            {isAsking && (
              <Field
                label={t('account.password')}
                hint={t('settings.identities.confirm')}
                type="password"
                autoComplete="current-password"
                required
                value={password}
                onChange={(event) => setPassword(event.target.value)}
              />
            )}
            <FailureText failure={add.failure} />
            <Button type="submit" look="primary" wide busy={add.busy}>
              {t('settings.identities.addPasskey')}
            </Button>
          </form>
        </Sheet>
      )}
    </>
  )
}
