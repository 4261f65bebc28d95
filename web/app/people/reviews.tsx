import type { components } from 'convene-client'
import { useConvene, useSession } from 'convene-client/react'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { dateOf } from '../../shared/dates.ts'
import { Button } from '../../shared/ui/button.tsx'
import { leaveFocus } from '../../shared/ui/focus.ts'
import { useLanguage } from '../language.tsx'
import styles from './person.module.css'
import { ReportSheet } from './report-sheet.tsx'

type Review = components['schemas']['Review']
type Page = { items: readonly Review[]; next: string | null }

/** The reviews of a person, by page. */
export function Reviews({ userId }: { userId: string }) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const [page, setPage] = useState<Page | null>(null)
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading')

  async function read(before: Page | null) {
    setState('loading')
    const query = { limit: 10, ...(before?.next != null && { cursor: before.next }) }
    const { data } = await api
      .GET('/api/v1/users/{id}/reviews', { params: { path: { id: userId }, query } })
      .catch(() => ({ data: undefined }))
    if (!data) return setState('failed')
    setPage({ items: [...(before?.items ?? []), ...data.items], next: data.next_cursor })
    setState('ready')
  }
  useEffect(() => {
    void read(null)
  }, [userId])

  return (
    <section>
      <h2>{t('people.reviews')}</h2>
      {page?.items.length === 0 && <p className={styles.quiet}>{t('people.noReviews')}</p>}
      <ul className={styles.reviews}>
        {page?.items.map((review) => (
          <ReviewItem key={review.id} review={review} />
        ))}
      </ul>
      {state === 'loading' && page === null && <p className={styles.quiet}>{t('app.loading')}</p>}
      {(state === 'failed' || page?.next != null) && (
        <Button ref={leaveFocus} look="quiet" busy={state === 'loading'} onClick={() => void read(page)}>
          {t(state === 'failed' ? 'app.retry' : 'people.moreReviews')}
        </Button>
      )}
    </section>
  )
}

function ReviewItem({ review: { id, rating, text, anonymous, reviewer_id, created_at } }: { review: Review }) {
  const { t, language } = useLanguage()
  const [isReporting, setReporting] = useState(false)
  const isMine = useSession(({ user }) => user?.id === reviewer_id)
  return (
    <li className={styles.review}>
      <header>
        <span className={styles.stars} role="img" aria-label={t('people.stars', { count: rating })}>
          {'★'.repeat(rating) + '☆'.repeat(5 - rating)}
        </span>
        <span>
          {anonymous || reviewer_id === null ? (
            t('people.anonymous')
          ) : (
            <Link href={`/people/${reviewer_id}`}>{t('people.reviewer')}</Link>
          )}
          {' · '}
          {dateOf(language, new Date(created_at))}
        </span>
      </header>
      {text && <p dir="auto">{text}</p>}
      {!isMine && (
        <Button look="quiet" className={styles.reportReview} onClick={() => setReporting(true)}>
          {t('people.report')}
        </Button>
      )}
      {isReporting && (
        <ReportSheet about={{ review_id: id }} userId={null} name="" onClose={() => setReporting(false)} />
      )}
    </li>
  )
}
