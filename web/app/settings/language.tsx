import { useConvene } from 'convene-client/react'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { type Language, languages, useLanguage } from '../language.tsx'
import { Chip, Chips } from '../people/chips.tsx'
import { outcomeOf, useAction } from '../requests.ts'
import { Part } from './loaded.tsx'
import styles from './settings.module.css'

/** The language of the app on this device, and of mails and notifications. */
export default function LanguageSettings() {
  const { t, chosen, setLanguage } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const choose = useAction(async (language: Language) => {
    await setLanguage(language)
    const { failure } = await outcomeOf(api.PUT('/api/v1/me/prefs', { body: { language } }))
    if (!failure) toast(t('settings.saved'))
    return failure
  })
  return (
    <Part title={t('settings.language.title')}>
      <Chips label={t('settings.language.choose')}>
        {languages().map(([each, name]) => (
          <Chip key={each} type="radio" name="language" checked={each === chosen} onChange={() => choose.run(each)}>
            <bdi lang={each}>{name}</bdi>
          </Chip>
        ))}
      </Chips>
      <p className={styles.quiet}>{t('settings.language.hint')}</p>
      <FailureText failure={choose.failure} />
    </Part>
  )
}
