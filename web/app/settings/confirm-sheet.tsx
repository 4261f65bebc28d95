import { type FormEvent, useState } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import type { Failure } from '../requests.ts'
import styles from './settings.module.css'

type Props = {
  title: string
  busy: boolean
  failure: Failure | null
  onConfirm: (password: string) => void
  onClose: () => void
}

/** Asks for the password, for what the server refuses with `forbidden` after a login that was not recent. */
export function ConfirmSheet({ title, busy, failure, onConfirm, onClose }: Props) {
  const { t } = useLanguage()
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onConfirm(password)
  }
  return (
    <Sheet title={title} closeLabel={t('app.close')} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <Field
          label={t('account.password')}
          hint={t('settings.identities.confirm')}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <FailureText failure={failure} />
        <Button type="submit" look="primary" wide busy={busy}>
          {title}
        </Button>
      </form>
    </Sheet>
  )
}

const hasCode = (failure: Failure | null, code: string) =>
  failure !== null && failure !== 'offline' && failure.code === code

/** Whether the password is asked for next, given the password that was sent and what the server answered. */
export const asksForPassword = (sent: string | undefined, failure: Failure | null): boolean =>
  sent === undefined ? hasCode(failure, 'forbidden') : hasCode(failure, 'wrong_password')
