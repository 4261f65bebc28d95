import { useConvene } from 'convene-client/react'
import { Link } from 'wouter'
import { addressOf, actionText, kindText, reasonText } from '../queue/reports.ts'
import { useLanguage } from '../language.tsx'
import { useResource } from '../requests.ts'
import { Failed, Skeleton } from '../ui/loaded.tsx'
import { Badge, Facts, Section } from '../ui/page.tsx'
import { Ago, At, fullTimeOf } from '../ui/time.tsx'
import { isGone, type Person, usePerson } from './person-record.ts'
import styles from './people.module.css'

/** The person whom a report concerns: standing, age of the account, earlier decisions and reports. */
export function Summary({ id, reportId }: { id: string; reportId: string }) {
  const { t } = useLanguage()
  const { data, failure, reload } = usePerson(id)
  if (failure !== null && isGone(failure))
    return (
      <>
        <Section title={t('people.about')}>
          <p className={styles.quiet}>{t('queue.noSubject')}</p>
        </Section>
        <OtherReports id={id} title={t('people.otherReports')} except={reportId} />
      </>
    )
  if (data === null)
    return (
      <Section title={t('people.about')}>
        {failure === null ? <Skeleton lines={4} /> : <Failed failure={failure} onRetry={reload} />}
      </Section>
    )
  return (
    <>
      <Section title={t('people.about')}>
        <p className={styles.name}>
          <Link href={`/people/${id}`}>
            <bdi>{data.name ?? t('people.nameless')}</bdi>
          </Link>
          <StandingBadge person={data} />
        </p>
        <Facts facts={factsOf(data, t)} />
      </Section>
      <Decisions person={data} />
      <OtherReports id={id} title={t('people.otherReports')} except={reportId} />
    </>
  )
}

export function StandingBadge({ person: { standing, role } }: { person: Pick<Person, 'standing' | 'role'> }) {
  const { t } = useLanguage()
  return (
    <>
      {role !== 'user' && <Badge tone="accent">{t(`console.role.${role}`)}</Badge>}
      {standing === 'suspended' && <Badge tone="danger">{t('people.standing.suspended')}</Badge>}
    </>
  )
}

/** The facts about a person that every moderator may see. */
export function factsOf(
  { id, created_at, strikes, counts, suspended_until, suspended_reason, hidden }: Person,
  t: ReturnType<typeof useLanguage>['t'],
) {
  const listed = counts.reports - counts.review_reports
  const open = counts.open_reports - counts.open_review_reports
  return [
    [t('people.since'), <Ago key="since" at={created_at} />],
    [t('people.suspendedUntil'), suspended_until && <At at={suspended_until} />],
    [t('people.suspendedReason'), suspended_reason],
    [t('people.hidden'), hidden && t(`people.hidden.${hidden}`)],
    [
      t('people.strikes'),
      strikes === 0 ? (
        0
      ) : (
        <a key="strikes" href="#decisions">
          {strikes}
        </a>
      ),
    ],
    [
      t('people.reports'),
      <span key="reports">
        {listed === 0 ? 0 : <Link href={addressOf({ status: 'any', subject: id })}>{listed}</Link>}
        {open > 0 && (
          <>
            {', '}
            <Link href={addressOf({ subject: id })}>{t('people.openReports', { count: open })}</Link>
          </>
        )}
      </span>,
    ],
    [
      t('people.reviewReports'),
      // Not a link: no list may reveal who wrote a review.
      counts.review_reports === 0 ? null : (
        <span key="reviews">
          {counts.review_reports}
          {counts.open_review_reports > 0 && `, ${t('people.openReports', { count: counts.open_review_reports })}`}
        </span>
      ),
    ],
    [t('people.blocks'), counts.blocks],
    [t('people.messages'), counts.messages],
  ] as const
}

/** The decisions about a person, newest first. */
export function Decisions({ person: { decisions } }: { person: Person }) {
  const { t, language } = useLanguage()
  return (
    <Section title={t('people.decisions')} id="decisions">
      {decisions.length === 0 ? (
        <p className={styles.quiet}>{t('people.noDecisions')}</p>
      ) : (
        <ul className={styles.decisions}>
          {decisions.map(({ id, action, ground, reason, note, created_at, until, strikes, report_id, appeal }) => (
            <li key={id}>
              <p className={styles.decisionHead}>
                <b>{t(`people.notice.${action}`)}</b>
                {ground && <span>{reasonText(t, ground)}</span>}
                {strikes > 0 && <Badge tone="notice">{t('people.strikesOf', { count: strikes })}</Badge>}
                {appeal && <Badge>{t(`people.appeal.${appeal.status}`)}</Badge>}
                <span className={styles.quiet}>
                  <Ago at={created_at} />
                </span>
              </p>
              <p className={styles.reason} dir="auto">
                {reason}
              </p>
              {note && (
                <p className={styles.quiet} dir="auto">
                  {note}
                </p>
              )}
              <p className={styles.quiet}>
                {until && t('people.until', { time: fullTimeOf(language, new Date(until)) })}{' '}
                {report_id && <Link href={`/queue/${report_id}`}>{t('people.itsReport')}</Link>}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

type OtherProps = { id: string; title: string; except?: string }

/** Reports about a person or what they wrote, newest first, without those of reviews, whose author no list may reveal. */
export function OtherReports({ id, title, except }: OtherProps) {
  const { t } = useLanguage()
  const { api } = useConvene()
  const { data, failure, reload } = useResource(
    () => api.GET('/api/v1/admin/reports', { params: { query: { subject_id: id, sort: 'newest', limit: 100 } } }),
    id,
  )
  if (data === null)
    return failure === null ? null : (
      <Section title={title}>
        <Failed failure={failure} onRetry={reload} />
      </Section>
    )
  const others = data.items.filter((report) => report.id !== except)
  if (others.length === 0) return null
  return (
    <Section title={title}>
      <ul className={styles.others}>
        {others.map(({ id, reason, kind, status, resolution, created_at }) => (
          <li key={id}>
            <Link href={`/queue/${id}${status === 'resolved' ? '?status=resolved' : ''}`}>{reasonText(t, reason)}</Link>
            <span className={styles.quiet}>{kindText(t, kind)}</span>
            <span className={styles.quiet}>
              {resolution ? actionText(t, resolution.action) : t('queue.status.open')}
            </span>
            <span className={styles.quiet}>
              <Ago at={created_at} />
            </span>
          </li>
        ))}
      </ul>
      {data.next_cursor !== null && (
        <p className={styles.quiet}>
          <Link href={addressOf({ status: 'any', subject: id })}>{t('people.everyReport')}</Link>
        </p>
      )}
    </Section>
  )
}
