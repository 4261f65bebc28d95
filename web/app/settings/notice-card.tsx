import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { type FormEvent, useState } from 'react'
import { dateOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { TextArea } from '../../shared/ui/field.tsx'
import { FailureText } from '../account/failure.tsx'
import { type T, useLanguage } from '../language.tsx'
import { excessText, type Failure, outcomeOf, useAction } from '../requests.ts'
import styles from './settings.module.css'

export type Notice = components['schemas']['Notice']

type Props = { notice: Notice; onChange: () => void; heading?: 'h2' | 'h3' }

/** A decision of the moderators about the user: what, why, until when, and how to appeal. */
export function NoticeCard({ notice, onChange, heading: Heading = 'h3' }: Props) {
  const { t, language } = useLanguage()
  const { api } = useConvene()
  const send = async (text: string) => {
    const { failure } = await outcomeOf(api.POST('/api/v1/appeals', { body: { notice_id: notice.id, text } }))
    // An appeal exists: this one, or one that the user has made on another device.
    if (!failure || (failure !== 'offline' && failure.code === 'conflict')) {
      onChange()
      return null
    }
    return failure
  }
  const [isAppealing, setIsAppealing] = useState(false)
  const date = (at: string) => dateOf(language, new Date(at))
  return (
    <article className={styles.card}>
      <div>
        <Heading>{t(`settings.notice.${notice.action}`)}</Heading>
        <p className={styles.quiet}>
          {date(notice.created_at)}
          {notice.until !== null && ` · ${t('settings.notice.until', { date: date(notice.until) })}`}
        </p>
      </div>
      <p dir="auto">{reasonOf(t, notice)}</p>
      {notice.ground && <p className={styles.quiet}>{t(`settings.reason.${notice.ground}`)}</p>}
      {notice.appeal ? (
        <p>
          <span className={styles.badge}>{t(`settings.appeal.${notice.appeal.status}`)}</span>
        </p>
      ) : (
        notice.how_to_appeal !== null &&
        (isAppealing ? (
          <AppealForm onSend={send} />
        ) : (
          <div className={styles.actions}>
            <Button onClick={() => setIsAppealing(true)}>{t('settings.appeal.begin')}</Button>
          </div>
        ))
      )}
    </article>
  )
}

/** Why. What the server decides by itself has fixed texts, which the app has in its own languages. */
function reasonOf(t: T, { action, automated, ground, reason }: Notice): string {
  if (action === 'show') return t('settings.notice.showReason')
  if (action === 'unsuspend' && reason === 'The suspension was lifted.') return t('settings.notice.unsuspendReason')
  if (!automated) return reason
  if (action !== 'hide') return t('settings.notice.photoReason')
  return t(ground === 'underage' ? 'settings.notice.underageReason' : 'settings.notice.hideReason')
}

/** Why a decision is wrong, in the user's words. */
export function AppealForm({ onSend }: { onSend: (text: string) => Promise<Failure | null> }) {
  const { t } = useLanguage()
  const [text, setText] = useState('')
  const send = useAction(() => onSend(text))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send.run()
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextArea
        label={t('settings.appeal.text')}
        hint={t('settings.appeal.hint')}
        error={excessText(t, text, 2000)}
        required
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <FailureText failure={send.failure} />
      <Button type="submit" look="primary" busy={send.busy}>
        {t('settings.appeal.send')}
      </Button>
    </form>
  )
}
