import { useConvene } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Checkbox, Field } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { outcomeOf, useAction } from '../requests.ts'
import { useTelegram } from '../telegram/telegram.tsx'
import { Part } from './loaded.tsx'
import styles from './settings.module.css'

export default function Erase() {
  const { t } = useLanguage()
  const client = useConvene()
  const toast = useToast()
  const initData = useTelegram()?.sdk.initData ?? null
  const [password, setPassword] = useState('')
  const [isSure, setIsSure] = useState(false)
  const erase = useAction(async () => {
    const own = client.session.get().user?.id
    const body = { ...(password && { password }), ...(!password && initData !== null && { init_data: initData }) }
    const { failure } = await outcomeOf(client.api.DELETE('/api/v1/me', { body }))
    if (failure) return failure
    // Meanwhile, somebody else may have signed in. Nobody, if the socket has told of the erasure first.
    const now = client.session.get().user
    if (now && now.id !== own) return null
    toast(t('settings.erase.done'))
    await client.signOut()
    return null
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isSure) void erase.run()
  }
  return (
    <Part title={t('settings.erase.title')}>
      <p>{t('settings.erase.what')}</p>
      <p>{t('settings.erase.stays')}</p>
      <p className={styles.quiet}>{t('settings.erase.export')}</p>
      <form className={styles.form} onSubmit={submit}>
        {initData === null && (
          <Field
            label={t('account.password')}
            hint={t('settings.erase.passwordHint')}
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
        <Checkbox checked={isSure} onChange={setIsSure}>
          {t('settings.erase.sure')}
        </Checkbox>
        <FailureText failure={erase.failure} />
        <Button type="submit" look="danger" wide busy={erase.busy} disabled={!isSure}>
          {t('settings.erase.button')}
        </Button>
      </form>
    </Part>
  )
}
