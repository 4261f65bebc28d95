import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { serverNow } from '../../shared/clock.ts'
import { dateOf, untilOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { TextArea } from '../../shared/ui/field.tsx'
import { FailureText } from '../account/failure.tsx'
import { type T, useLanguage } from '../language.tsx'
import { excessText, type Failure, fieldText, outcomeOf, useAction } from '../requests.ts'
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
  return (
    <article className={styles.card}>
      <div>
        <Heading>{t(`settings.notice.${notice.action}`)}</Heading>
        <p className={styles.quiet}>
          {dateOf(language, new Date(notice.created_at))}
          {notice.until !== null &&
            ` · ${t('settings.notice.until', { date: untilOf(language, new Date(notice.until), serverNow()) })}`}
        </p>
      </div>
      <p dir="auto">{reasonOf(t, notice)}</p>
      {notice.ground && <p className={styles.quiet}>{t(`settings.reason.${notice.ground}`)}</p>}
      {notice.appeal ? (
        <AppealState text={t(`settings.appeal.${notice.appeal.status}`)} takesFocus={isAppealing} />
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

/** What became of an appeal. `takesFocus`: the form that had the focus was here. */
export function AppealState({ text, takesFocus }: { text: string; takesFocus: boolean }) {
  const line = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (takesFocus) line.current?.focus()
  }, [])
  return (
    <p ref={line} tabIndex={-1}>
      <span className={styles.badge}>{text}</span>
    </p>
  )
}

/** Why a decision is wrong, in the user's words. */
export function AppealForm({ onSend }: { onSend: (text: string) => Promise<Failure | null> }) {
  const { t } = useLanguage()
  const [text, setText] = useState('')
  const send = useAction(() => onSend(text))
  const refused = fieldText(t, send.failure, '/text')
  const field = useRef<HTMLTextAreaElement>(null)
  // The button that opened the form has made way for it.
  useEffect(() => field.current?.focus(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send.run()
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextArea
        ref={field}
        label={t('settings.appeal.text')}
        hint={t('settings.appeal.hint')}
        error={excessText(t, text, 2000) ?? refused}
        required
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {refused === null && <FailureText failure={send.failure} />}
      <Button type="submit" look="primary" busy={send.busy}>
        {t('settings.appeal.send')}
      </Button>
    </form>
  )
}
