import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useState } from 'react'
import { serverNow } from '../../shared/clock.ts'
import { untilOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useLanguage } from '../language.tsx'
import { type Failure, outcomeOf } from '../requests.ts'
import { AppealForm, AppealState } from '../settings/notice-card.tsx'
import styles from '../settings/settings.module.css'

/** What proves who appeals: the login that was refused. */
type Proof = Omit<components['schemas']['NewAppealWithLogin'], 'text'>

export const isSuspended = (failure: Failure | null): failure is Exclude<Failure, 'offline'> =>
  failure !== null && failure !== 'offline' && failure.code === 'suspended'

/** Why a sign-in was refused for a suspension, until when, and how to appeal without being signed in. */
export function Suspension({ failure, proof }: { failure: Exclude<Failure, 'offline'>; proof: Proof }) {
  const { t, language } = useLanguage()
  const { reason, until } = failure
  return (
    <section className={styles.card} role="alert">
      <h2>{t('account.ended.suspendedTitle')}</h2>
      <p>
        {until
          ? t('account.ended.suspendedUntil', { date: untilOf(language, new Date(until), serverNow()) })
          : t('account.ended.suspended')}
      </p>
      {reason && <p dir="auto">{reason}</p>}
      <Appeal proof={proof} />
    </section>
  )
}

function Appeal({ proof }: { proof: Proof }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [isOpen, setIsOpen] = useState(false)
  const [isSent, setIsSent] = useState(false)
  const send = async (text: string) => {
    const { failure } = await outcomeOf(api.POST('/api/v1/auth/appeals', { body: { ...proof, text } }))
    // An account has one appeal against a suspension.
    const isThere = failure !== null && failure !== 'offline' && failure.code === 'conflict'
    setIsSent(failure === null || isThere)
    return isThere ? null : failure
  }
  if (isSent) return <AppealState text={t('settings.appeal.sent')} takesFocus />
  if (!isOpen)
    return (
      <div className={styles.actions}>
        <Button onClick={() => setIsOpen(true)}>{t('settings.appeal.begin')}</Button>
      </div>
    )
  return <AppealForm onSend={send} />
}
