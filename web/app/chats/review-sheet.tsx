import type { Problem } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useState } from 'react'
import { trimmed } from '../../shared/text-length.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Switch, TextArea } from '../../shared/ui/field.tsx'
import { Sheet } from '../../shared/ui/sheet.tsx'
import { useToast } from '../../shared/ui/toasts.tsx'
import { type T, useLanguage } from '../language.tsx'
import { problemText } from '../people/problems.ts'
import { excessText } from '../requests.ts'
import styles from './chat.module.css'

/** Writes a review: one to five stars and a text about somebody the user has met. */
export function ReviewSheet({ chatId, name, onClose }: { chatId: string; name: string; onClose: () => void }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const toast = useToast()
  const [rating, setRating] = useState(0)
  const [text, setText] = useState('')
  const [anonymous, setAnonymous] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState<string | null>(null)

  async function send() {
    if (rating === 0) return setFailed(t('chats.reviewChoose'))
    setBusy(true)
    setFailed(null)
    const { data, error } = await api
      .POST('/api/v1/reviews', { body: { chat_id: chatId, rating, text: trimmed(text) || null, anonymous } })
      .catch(() => ({ data: undefined, error: undefined }))
    setBusy(false)
    if (!data) return setFailed(reviewProblem(t, error ?? null))
    toast(t(anonymous ? 'chats.reviewedLater' : 'chats.reviewed'))
    onClose()
  }

  return (
    <Sheet title={t('chats.reviewOf', { name })} closeLabel={t('app.close')} onClose={onClose}>
      <div className={styles.form}>
        <div className={styles.stars} role="radiogroup" aria-label={t('chats.rating')}>
          {[1, 2, 3, 4, 5].map((stars) => (
            <label key={stars}>
              <input type="radio" name="rating" checked={rating === stars} onChange={() => setRating(stars)} />
              <span aria-hidden>{stars <= rating ? '★' : '☆'}</span>
              <span className="unseen">{t('people.stars', { count: stars })}</span>
            </label>
          ))}
        </div>
        <TextArea
          label={t('chats.reviewText')}
          error={excessText(t, text, 1000)}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Switch
          label={t('chats.anonymous')}
          hint={t('chats.anonymousHint', { name })}
          checked={anonymous}
          onChange={setAnonymous}
        />
        {failed && <p role="alert">{failed}</p>}
        <Button look="primary" wide busy={busy} onClick={() => void send()}>
          {t('chats.reviewSend')}
        </Button>
      </div>
    </Sheet>
  )
}

function reviewProblem(t: T, problem: Problem | null): string {
  if (problem?.code === 'awaiting_reply') return t('chats.reviewTooEarly')
  if (problem?.code === 'review_exists') return t('chats.reviewExists')
  return problemText(t, problem)
}
