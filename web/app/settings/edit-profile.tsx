import type { components, Me } from 'convene-client'
import { useConvene, useSession } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { trimmed } from '../../shared/text-length.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Checkbox, Field, Select, TextArea } from '../../shared/ui/field.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, fieldText, outcomeOf, useAction, useResource } from '../requests.ts'
import { useTelegram } from '../telegram/telegram.tsx'
import { Loaded, Part } from './loaded.tsx'
import { PhotoField } from './photo-field.tsx'
import styles from './settings.module.css'

type Gender = components['schemas']['Gender']
const genders: readonly Gender[] = ['female', 'male', 'other']

export default function EditProfile() {
  const { t } = useLanguage()
  const { api } = useConvene()
  // The session's copy lacks what was changed on another device since, but serves without a network.
  const copy = useSession(({ user }) => user)
  const read = useResource(() => api.GET('/api/v1/me'))
  const of = read.failure === 'offline' && read.data === null ? { ...read, data: copy } : read
  return (
    <Part title={t('settings.profile.edit')} back="/me">
      <Loaded of={of}>{(stored) => <ProfileForm read={stored} />}</Loaded>
    </Part>
  )
}

function ProfileForm({ read }: { read: Me }) {
  // What the fields began with decides what the user has changed. A later reading leaves it alone.
  const [stored] = useState(read)
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const sdk = useTelegram()?.sdk
  const [, navigate] = useLocation()
  const user = useSession(({ user }) => user) ?? stored
  const [given, setGiven] = useState({ name: stored.name ?? '', city: stored.city ?? '', bio: stored.bio ?? '' })
  const [gender, setGender] = useState<Gender | null>(stored.gender)
  const [showAge, setShowAge] = useState(stored.show_age)
  const save = useAction(async () => {
    const [name, city, bio] = [given.name, trimmed(given.city) || null, trimmed(given.bio) || null]
    // A field that the user has left alone may have been changed on another device meanwhile.
    const body = {
      ...(name !== stored.name && { name }),
      ...(city !== stored.city && { city }),
      ...(bio !== stored.bio && { bio }),
      ...(gender !== stored.gender && { gender }),
      ...(showAge !== stored.show_age && { show_age: showAge }),
    }
    const { failure } = await outcomeOf(api.PUT('/api/v1/me', { body }))
    if (failure) return failure
    sdk?.haptic('success')
    toast(t('settings.saved'))
    // Do not navigate if the user has left this screen meanwhile.
    if (location.pathname === '/me/edit') navigate('/me')
    return null
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save.run()
  }
  const change = (name: keyof typeof given) => (event: { target: { value: string } }) =>
    setGiven((before) => ({ ...before, [name]: event.target.value }))
  const errors = {
    name: fieldText(t, save.failure, '/name'),
    city: fieldText(t, save.failure, '/city'),
    bio: fieldText(t, save.failure, '/bio'),
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <PhotoField user={user} />
      <Field
        label={t('account.name')}
        autoComplete="given-name"
        required
        error={excessText(t, given.name, 80) ?? errors.name}
        value={given.name}
        onChange={change('name')}
      />
      <TextArea
        label={t('settings.profile.bio')}
        hint={t('settings.profile.bioHint')}
        error={excessText(t, given.bio, 500) ?? errors.bio}
        value={given.bio}
        onChange={change('bio')}
      />
      <Field
        label={t('settings.profile.city')}
        autoComplete="address-level2"
        error={excessText(t, given.city, 80) ?? errors.city}
        value={given.city}
        onChange={change('city')}
      />
      <Select
        label={t('settings.profile.gender')}
        value={gender ?? ''}
        options={[
          { value: '', label: t('settings.profile.noGender') },
          ...genders.map((value) => ({ value, label: t(`settings.profile.${value}`) })),
        ]}
        onChange={(value) => setGender(genders.find((each) => each === value) ?? null)}
      />
      {user.birth_month !== null && (
        <Checkbox checked={showAge} onChange={setShowAge}>
          {t('settings.profile.showAge')}
        </Checkbox>
      )}
      {Object.values(errors).every((error) => error === null) && <FailureText failure={save.failure} />}
      <Button type="submit" look="primary" wide busy={save.busy}>
        {t('settings.save')}
      </Button>
    </form>
  )
}
