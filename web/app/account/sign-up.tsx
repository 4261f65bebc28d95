import { useConvene } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button } from '../../shared/ui/button.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { SkeletonRows, State } from '../../shared/ui/state.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, failureText, fieldText, useAction } from '../requests.ts'
import { type ConsentKind, ConsentFields, mandatory } from './consents.tsx'
import { BirthDateField, useBirthDateError } from './birth-date.tsx'
import { contactOf } from '../../shared/contact.ts'
import { FailureText } from './failure.tsx'
import { AccountLayout } from './layout.tsx'
import styles from './layout.module.css'
import { type NewAccount, OtherWays, useProviders } from './providers.tsx'

export default function SignUp() {
  const { t } = useLanguage()
  const { data: providers, failure, reload } = useProviders()
  const [birthDate, setBirthDate] = useState('')
  const [invite, setInvite] = useState(invited)
  if (!providers)
    return (
      <AccountLayout title={t('account.signUp.title')}>
        {failure ? (
          <State title={failureText(t, failure)} action={<Button onClick={reload}>{t('app.retry')}</Button>} />
        ) : (
          <SkeletonRows label={t('app.loading')} count={3} />
        )}
      </AccountLayout>
    )
  if (providers.registration === 'closed')
    return (
      <AccountLayout title={t('account.closed.title')} lead={t('account.closed.text')}>
        <Link href="/sign-in" className={styles.buttonLink}>
          {t('account.signIn.title')}
        </Link>
      </AccountLayout>
    )
  const needed = {
    ...(providers.registration === 'invite' && { invite }),
    ...(providers.min_age !== null && { birth_date: birthDate }),
  }
  return (
    <AccountLayout title={t('account.signUp.title')}>
      <RegistrationForm needed={needed} minAge={providers.min_age} onBirthDate={setBirthDate} onInvite={setInvite} />
      <div className={styles.links}>
        <Link href="/sign-in">{t('account.signIn.already')}</Link>
      </div>
      <OtherWays providers={providers} newAccount={Object.keys(needed).length === 0 ? undefined : needed} />
    </AccountLayout>
  )
}

/** The code of an invitation, from the fragment of its link: `/sign-up#invite=…`. */
const invited = () => new URLSearchParams(location.hash.slice(1)).get('invite') ?? ''

type FormProps = {
  needed: NewAccount
  minAge: number | null
  onBirthDate: (date: string) => void
  onInvite: (code: string) => void
}

function RegistrationForm({ needed, minAge, onBirthDate, onInvite }: FormProps) {
  const { t } = useLanguage()
  const client = useConvene()
  const [, navigate] = useLocation()
  const [given, setGiven] = useState({ name: '', contact: '', password: '' })
  const [agreed, setAgreed] = useState<readonly ConsentKind[]>([])
  const [misses, setMisses] = useState(false)
  const register = useAction(async () => {
    const { name, contact, password } = given
    const consents = { terms: true, privacy: true, disclaimer: true }
    await client.register({ ...contactOf(contact), name, password, consents, ...needed })
    navigate('/me/edit', { replace: true })
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isComplete = mandatory.every((kind) => agreed.includes(kind))
    setMisses(!isComplete)
    if (isComplete) void register.run()
  }
  const change = (name: keyof typeof given) => (event: { target: { value: string } }) =>
    setGiven((before) => ({ ...before, [name]: event.target.value }))
  const { failure } = register
  const birthDateError = useBirthDateError(failure)
  const contactError =
    fieldText(t, failure, '/email') ??
    fieldText(t, failure, '/phone') ??
    (failure !== null && failure !== 'offline' && failure.code.endsWith('_taken') ? failureText(t, failure) : null)
  const errors = {
    birthDate: birthDateError,
    name: fieldText(t, failure, '/name'),
    contact: contactError,
    password: fieldText(t, failure, '/password'),
    invite:
      failure !== null && failure !== 'offline' && failure.code === 'invite_required' ? failureText(t, failure) : null,
  }
  const isShown = Object.values(errors).some((error) => error !== null)
  return (
    <form className={styles.form} onSubmit={submit}>
      {needed.invite !== undefined && (
        <Field
          label={t('account.signUp.invite')}
          hint={t('account.signUp.inviteHint')}
          error={errors.invite}
          name="invite"
          autoComplete="off"
          autoCapitalize="none"
          required
          value={needed.invite}
          onChange={(event) => onInvite(event.target.value)}
        />
      )}
      <Field
        label={t('account.name')}
        hint={t('account.nameHint')}
        error={excessText(t, given.name, 80) ?? errors.name}
        name="name"
        autoComplete="given-name"
        required
        value={given.name}
        onChange={change('name')}
      />
      <Field
        label={t('account.contact')}
        hint={t('account.contactHint')}
        error={errors.contact}
        name="username"
        autoComplete="username"
        inputMode="email"
        autoCapitalize="none"
        required
        value={given.contact}
        onChange={change('contact')}
      />
      <Field
        label={t('account.password')}
        hint={t('account.passwordRule')}
        error={errors.password}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={8}
        required
        value={given.password}
        onChange={change('password')}
      />
      {minAge !== null && (
        <BirthDateField years={minAge} value={needed.birth_date ?? ''} onChange={onBirthDate} failure={failure} />
      )}
      <ConsentFields
        kinds={mandatory}
        agreed={agreed}
        onChange={setAgreed}
        error={misses ? t('account.consents.missing') : null}
      />
      {!isShown && <FailureText failure={failure} />}
      <Button type="submit" look="primary" wide busy={register.busy}>
        {t('account.signUp.title')}
      </Button>
    </form>
  )
}
