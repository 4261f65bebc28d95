import { useConvene } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { fieldText, outcomeOf, useAction } from '../requests.ts'
import { Group } from './loaded.tsx'
import styles from './settings.module.css'

/** Changes the password, or sets a first one. */
export function PasswordForm({ hasPassword, onChange }: { hasPassword: boolean; onChange: () => void }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [given, setGiven] = useState({ current: '', next: '' })
  const save = useAction(async () => {
    const body = { new_password: given.next, ...(hasPassword && { current_password: given.current }) }
    const { failure } = await outcomeOf(api.PUT('/api/v1/me/password', { body }))
    if (failure) return failure
    setGiven({ current: '', next: '' })
    toast(t('settings.password.saved'))
    onChange()
    return null
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save.run()
  }
  const error = fieldText(t, save.failure, '/new_password')
  return (
    <Group title={t(hasPassword ? 'settings.password.change' : 'settings.password.set')}>
      <form className={styles.form} onSubmit={submit}>
        {hasPassword && (
          <Field
            label={t('settings.password.current')}
            type="password"
            autoComplete="current-password"
            required
            value={given.current}
            onChange={(event) => setGiven({ ...given, current: event.target.value })}
          />
        )}
        <Field
          label={t('account.newPassword')}
          hint={t('account.passwordRule')}
          error={error}
          type="password"
          autoComplete="new-password"
          minLength={8}
          required
          value={given.next}
          onChange={(event) => setGiven({ ...given, next: event.target.value })}
        />
        <p className={styles.quiet}>{t('settings.password.ends')}</p>
        {error === null && <FailureText failure={save.failure} />}
        <Button type="submit" wide busy={save.busy}>
          {t('settings.save')}
        </Button>
      </form>
    </Group>
  )
}
