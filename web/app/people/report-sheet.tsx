import type { components, Problem } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { trimmed } from '../../shared/text-length.ts'
import { Button } from '../../shared/ui/button.tsx'
import { TextArea } from '../../shared/ui/field.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useLanguage } from '../language.tsx'
import { excessText, useAction } from '../requests.ts'
import { useBlock } from './block-sheet.tsx'
import styles from './person.module.css'
import { problemText } from './problems.ts'

type Reason = components['schemas']['ReportReason']

/** The reasons, in the order in which people look for them. */
const reasons = [
  'harassment',
  'spam',
  'scam',
  'nudity',
  'hate',
  'impersonation',
  'underage',
  'danger',
  'other',
] as const satisfies readonly Reason[]

export type About = { user_id: string } | { message_id: string } | { review_id: string }

/** `userId` is null if the person must stay unknown, such as the author of an anonymous review. */
type Props = { about: About; userId: string | null; name: string; onClose: () => void }

/** Says what the moderators will see. Choosing a reason sends the report. */
export function ReportSheet({ about, userId, name, onClose }: Props) {
  const { t } = useLanguage()
  const title =
    'user_id' in about
      ? t('people.reportPerson', { name })
      : t('message_id' in about ? 'people.reportMessage' : 'people.reportReview')
  return (
    <Sheet title={title} closeLabel={t('app.close')} onClose={onClose}>
      <ReportForm about={about} userId={userId} name={name} onClose={onClose} />
    </Sheet>
  )
}

export function ReportForm({ about, userId, name, onClose }: Props) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const block = useBlock(userId ?? '', name)
  const [details, setDetails] = useState('')
  const [state, setState] = useState<'open' | 'sending' | 'sent' | 'sentBefore'>('open')
  const [failed, setFailed] = useState<Problem | 'offline' | null>(null)

  const evidence =
    'user_id' in about
      ? 'people.evidencePerson'
      : 'message_id' in about
        ? 'people.evidenceMessage'
        : 'people.evidenceReview'

  // What was pressed is gone then, and the focus with it.
  const answer = useRef<HTMLParagraphElement>(null)
  const isSent = state === 'sent' || state === 'sentBefore'
  useEffect(() => {
    if (isSent) answer.current?.focus()
  }, [isSent])

  async function report(reason: Reason) {
    if (state === 'sending') return
    setState('sending')
    setFailed(null)
    const { data, error, response } = await api
      .POST('/api/v1/reports', { body: { ...about, reason, details: trimmed(details) || null } })
      .catch(() => ({ data: undefined, error: undefined, response: undefined }))
    // 200 is the user's earlier report, which stays as it is until it is decided.
    setState(!data ? 'open' : response?.status === 200 ? 'sentBefore' : 'sent')
    if (!data) setFailed(error ?? 'offline')
  }
  const alsoBlock = useAction(async () => {
    const refused = await block()
    setFailed(refused)
    if (refused === null) onClose()
  })
  const alert = failed && <p role="alert">{problemText(t, failed === 'offline' ? null : failed)}</p>

  if (isSent)
    return (
      <div className={styles.sheet}>
        <p ref={answer} tabIndex={-1} role="status">
          {t(state === 'sent' ? 'people.reported' : 'people.reportedBefore')}
        </p>
        <p className={styles.quiet}>
          {t('people.reportedHint')} <Link href="/settings/reports">{t('people.myReports')}</Link>
        </p>
        {alert}
        {userId !== null && (
          <Button look="danger" wide busy={alsoBlock.busy} onClick={() => alsoBlock.run()}>
            {t('people.alsoBlock', { name })}
          </Button>
        )}
        <Button wide onClick={onClose}>
          {t('app.close')}
        </Button>
      </div>
    )
  return (
    <div className={styles.sheet}>
      <p className={styles.quiet}>{t(evidence, { name })}</p>
      <details>
        <summary>{t('people.addWords')}</summary>
        <TextArea
          label={t('people.details')}
          hint={t('people.detailsHint')}
          error={excessText(t, details, 2000)}
          value={details}
          onChange={(event) => setDetails(event.target.value)}
        />
      </details>
      <div className={styles.reasons} role="group" aria-label={t('people.reasons')}>
        {reasons.map((reason) => (
          <button
            key={reason}
            type="button"
            className={styles.reason}
            aria-disabled={state === 'sending' || undefined}
            onClick={() => void report(reason)}
          >
            {t(`people.reason.${reason}`)}
          </button>
        ))}
      </div>
      {alert}
    </div>
  )
}
