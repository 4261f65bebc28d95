import { type FormEvent, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { useLanguage } from '../language.tsx'
import { useAction } from '../requests.ts'
import type { useTelegram } from '../telegram/telegram.tsx'
import { BirthDateField, useBirthDateError } from './birth-date.tsx'
import { FailureText } from './failure.tsx'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'
import { useProviders } from './providers.tsx'
import { isSuspended, Suspension } from './suspension.tsx'

/** Shown in Telegram if the user could not be signed in automatically, or has signed out. */
export default function FromTelegram({ telegram }: { telegram: NonNullable<ReturnType<typeof useTelegram>> }) {
  const { t } = useLanguage()
  const { failure } = telegram
  const [invite, setInvite] = useState('')
  const [birthDate, setBirthDate] = useState('')
  const enter = useAction(() => telegram.signIn({ invite: invite.trim(), birthDate }))
  const { data: providers } = useProviders()
  const minAge = providers?.min_age ?? null
  const needsDate = useBirthDateError(failure) !== null && minAge !== null
  const code = failure === null || failure === 'offline' ? null : failure.code
  const needsInvite = code === 'invite_required'
  // Only Telegram has newer init data: it gives them when it opens the app.
  const needsReopening = code === 'init_data_expired' || code === 'init_data_invalid'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void enter.run()
  }
  return (
    <AccountLayout title={t('account.welcome.title')} lead={t('account.welcome.lead')}>
      <form className={styles.form} onSubmit={submit}>
        {needsInvite && (
          <Field
            label={t('account.signUp.invite')}
            hint={t('account.signUp.inviteHint')}
            autoCapitalize="none"
            required
            value={invite}
            onChange={(event) => setInvite(event.target.value)}
          />
        )}
        {needsDate && (
          <BirthDateField
            years={minAge}
            value={birthDate}
            onChange={setBirthDate}
            failure={birthDate === '' ? null : failure}
          />
        )}
        {!(needsInvite && invite === '') && !needsDate && !isSuspended(failure) && <FailureText failure={failure} />}
        {!needsReopening && (
          <Button type="submit" look="primary" wide busy={enter.busy}>
            {t('account.telegram.enter')}
          </Button>
        )}
      </form>
      {isSuspended(failure) && <Suspension failure={failure} proof={{ init_data: telegram.sdk.initData }} />}
    </AccountLayout>
  )
}
