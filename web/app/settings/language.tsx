import { useConvene } from 'convene-client/react'
import { useRef } from 'react'
import { useToast } from '../../shared/ui/toasts.tsx'
import { FailureText } from '../account/failure.tsx'
import { type Language, languages, useLanguage } from '../language.tsx'
import { Chip, Chips } from '../people/chips.tsx'
import { failureOf, outcomeOf, useLastFailure } from '../requests.ts'
import { Part } from './loaded.tsx'
import styles from './settings.module.css'

/** The language of the app on this device, and of mails and notifications. */
export default function LanguageSettings() {
  const { t, chosen, setLanguage } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [failure, setFailure] = useLastFailure()
  // That of the language that is shown when the server has answered.
  const latestT = useRef(t)
  latestT.current = t
  const choices = useRef(0)
  const sending = useRef<Promise<unknown>>(Promise.resolve())

  /** The latest choice wins: each is sent after the one before, since two requests at once may arrive in either order. */
  async function choose(language: Language) {
    const own = ++choices.current
    const isLatest = () => own === choices.current
    setFailure(null)
    try {
      await setLanguage(language)
    } catch (error) {
      if (isLatest()) setFailure(failureOf(error))
      return
    }
    const sent = sending.current.then(() =>
      isLatest() ? outcomeOf(api.PUT('/api/v1/me/prefs', { body: { language } })) : null,
    )
    sending.current = sent.catch(() => null)
    const outcome = await sent
    if (outcome === null || !isLatest()) return
    setFailure(outcome.failure)
    if (!outcome.failure) toast(latestT.current('settings.saved'))
  }

  return (
    <Part title={t('settings.language.title')}>
      <Chips label={t('settings.language.choose')}>
        {languages().map(([each, name]) => (
          <Chip key={each} type="radio" name="language" checked={each === chosen} onChange={() => void choose(each)}>
            <bdi lang={each}>{name}</bdi>
          </Chip>
        ))}
      </Chips>
      <p className={styles.quiet}>{t('settings.language.hint')}</p>
      <FailureText failure={failure} />
    </Part>
  )
}
