import type { components } from 'convene-client'
import { Eye, EyeOff, ImageOff, Star } from 'lucide-react'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { useKeys } from '../keys.tsx'
import { useLanguage } from '../language.tsx'
import { Badge, Facts, Section } from '../ui/page.tsx'
import { fullTimeOf } from '../ui/time.tsx'
import type { Report } from './reports.ts'
import styles from './evidence.module.css'

type Evidence = components['schemas']['Evidence']
type Message = components['schemas']['Message']

/** How images are shown. Hidden ones are not even fetched. */
const steps = ['hidden', 'blurred', 'clear'] as const
type Step = (typeof steps)[number]

const ImagesContext = createContext<Step>('hidden')

export function EvidenceView({ report }: { report: Report }) {
  const { t } = useLanguage()
  const { evidence } = report
  if (evidence === null)
    return (
      <Section title={t('evidence.title')}>
        <p className={styles.quiet}>{t('evidence.over')}</p>
      </Section>
    )
  return <Shown evidence={evidence} subject={report.subject_id} />
}

function Shown({ evidence, subject }: { evidence: Evidence; subject: string | null }) {
  const { t } = useLanguage()
  const [step, setStep] = useState<Step>('hidden')
  const { message, versions, before, after, review, user } = evidence
  const images = useMemo(
    () => [...before, message, ...after].filter((each) => each?.photo).length + (user?.photo ? 1 : 0),
    [before, message, after, user],
  )
  const more = () => setStep(steps[(steps.indexOf(step) + 1) % steps.length] ?? 'hidden')
  const label = t(`evidence.images.${step}`)
  useKeys(t('queue.report'), images > 0 ? [{ keys: 'i', label, inLine: true, run: more }] : [])
  return (
    <ImagesContext value={step}>
      <Section
        title={t('evidence.title')}
        beside={
          images > 0 && (
            <button type="button" className={styles.images} onClick={more}>
              {step === 'clear' ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
              {label}
            </button>
          )
        }
      >
        {message && (
          <ol className={styles.talk}>
            {before.map((each) => (
              <Line key={each.id} message={each} subject={subject} />
            ))}
            <Line message={message} subject={subject} versions={versions} isReported />
            {after.map((each) => (
              <Line key={each.id} message={each} subject={subject} />
            ))}
          </ol>
        )}
        {review && (
          <figure className={styles.review}>
            <figcaption>
              <Stars rating={review.rating} />
              {review.anonymous && <Badge>{t('evidence.anonymous')}</Badge>}
            </figcaption>
            <blockquote dir="auto">{review.text ?? t('evidence.noText')}</blockquote>
          </figure>
        )}
        {user && <ProfileView user={user} />}
      </Section>
    </ImagesContext>
  )
}

function Stars({ rating }: { rating: number }) {
  const { t } = useLanguage()
  return (
    <span className={styles.stars} role="img" aria-label={t('evidence.stars', { count: rating })}>
      {[1, 2, 3, 4, 5].map((star) => (
        <Star key={star} size={14} aria-hidden fill={star <= rating ? 'currentColor' : 'none'} />
      ))}
    </span>
  )
}

type LineProps = {
  message: Message
  subject: string | null
  versions?: Evidence['versions']
  isReported?: boolean
}

/** A message of the conversation. The reported one is highlighted, with its earlier versions. */
function Line({ message, subject, versions = [], isReported = false }: LineProps) {
  const { t, language } = useLanguage()
  const { sender_id, text, photo, deleted, edited, created_at } = message
  return (
    <li className={`${styles.line} ${isReported ? styles.reported : ''}`}>
      <p className={styles.who}>
        <b>{t(sender_id === subject ? 'evidence.subject' : 'evidence.other')}</b>
        <time dateTime={created_at}>{fullTimeOf(language, new Date(created_at))}</time>
        {isReported && <Badge tone="danger">{t('evidence.reported')}</Badge>}
        {deleted && <Badge>{t('evidence.deleted')}</Badge>}
        {edited && <Badge>{t('evidence.edited')}</Badge>}
      </p>
      {text !== null && (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      )}
      {photo && <Picture url={photo.url} width={photo.width} height={photo.height} />}
      {versions.length > 0 && (
        <details className={styles.versions} open>
          <summary>{t('evidence.versions', { count: versions.length })}</summary>
          <ol>
            {versions.map((version) => (
              <li key={version.at}>
                <time dateTime={version.at}>
                  {t('evidence.versionUntil', { time: fullTimeOf(language, new Date(version.at)) })}
                </time>
                <p className={styles.text} dir="auto">
                  {version.text}
                </p>
              </li>
            ))}
          </ol>
        </details>
      )}
    </li>
  )
}

/** An image in its aspect ratio: first a grey area, then blurred, then clear. */
function Picture({ url, width, height }: { url: string; width: number; height: number }) {
  const { t } = useLanguage()
  const step = useContext(ImagesContext)
  return (
    <span className={styles.picture} style={{ aspectRatio: `${width} / ${height}` }}>
      {step === 'hidden' ? (
        <ImageOff size={20} role="img" aria-label={t('evidence.imageHidden')} />
      ) : (
        <img
          src={url}
          alt={t('evidence.image')}
          width={width}
          height={height}
          className={step === 'blurred' ? styles.blurred : undefined}
        />
      )}
    </span>
  )
}

function ProfileView({ user }: { user: NonNullable<Evidence['user']> }) {
  const { t } = useLanguage()
  const { name, age, bio, city, photo, drinks, activities, purposes } = user
  const listed = (tags: readonly string[]): ReactNode => tags.join(', ')
  return (
    <div className={styles.profile}>
      {photo !== null && (
        <div className={styles.portrait}>
          <Picture url={photo} width={1} height={1} />
        </div>
      )}
      <Facts
        facts={[
          [t('evidence.name'), name],
          [t('evidence.age'), age],
          [t('evidence.bio'), bio],
          [t('evidence.city'), city],
          [t('evidence.drinks'), listed(drinks)],
          [t('evidence.activities'), listed(activities)],
          [t('evidence.purposes'), listed(purposes)],
        ]}
      />
    </div>
  )
}
