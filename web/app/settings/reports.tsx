import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { Flag } from 'lucide-react'
import { useEffect } from 'react'
import { dateOf } from '../../shared/dates.ts'
import { State } from '../../shared/ui/state.tsx'
import { markRead } from '../account/read-notices.ts'
import { useLanguage } from '../language.tsx'
import { allPages, useResource } from '../requests.ts'
import { Group, Loaded, Part } from './loaded.tsx'
import { type Notice, NoticeCard } from './notice-card.tsx'
import styles from './settings.module.css'

type Report = components['schemas']['Report']

/** The user's reports with their outcome, and decisions about the user. */
export default function Reports() {
  const { t } = useLanguage()
  const client = useConvene()
  const { api } = client
  const reports = useResource(() => allPages<Report>((query) => api.GET('/api/v1/reports', { params: { query } })))
  const notices = useResource(() => allPages<Notice>((query) => api.GET('/api/v1/me/notices', { params: { query } })))
  const { data: known, reload } = notices
  useEffect(() => client.on('notice', () => void reload()), [client, reload])
  useEffect(() => {
    // Announcements keep their banner until its button is pressed.
    const decisions = known?.items.filter(({ action }) => action !== 'announce') ?? []
    markRead(decisions.map(({ id }) => id))
  }, [known])
  return (
    <Part title={t('settings.reports.title')}>
      <Group title={t('settings.reports.mine')}>
        <Loaded of={reports}>
          {({ items }) =>
            items.length === 0 ? (
              <State icon={<Flag size={32} />} title={t('settings.reports.empty')}>
                {t('settings.reports.emptyText')}
              </State>
            ) : (
              items.map((report) => <ReportCard key={report.id} report={report} />)
            )
          }
        </Loaded>
      </Group>
      <Group title={t('settings.reports.notices')}>
        <Loaded of={notices}>
          {({ items }) =>
            items.length === 0 ? (
              <p className={styles.quiet}>{t('settings.reports.noNotices')}</p>
            ) : (
              items.map((notice) => <NoticeCard key={notice.id} notice={notice} onChange={notices.reload} />)
            )
          }
        </Loaded>
      </Group>
    </Part>
  )
}

function ReportCard({ report }: { report: Report }) {
  const { t, language } = useLanguage()
  const about = report.message_id ? 'message' : report.review_id ? 'review' : 'person'
  return (
    <article className={styles.card}>
      <div>
        <h3>{t(`settings.reports.${about}`)}</h3>
        <p className={styles.quiet}>
          {t(`settings.reason.${report.reason}`)} · {dateOf(language, new Date(report.created_at))}
        </p>
      </div>
      {report.details && <p dir="auto">{report.details}</p>}
      <p>
        <span className={styles.badge}>
          {report.status === 'open'
            ? t('settings.reports.open')
            : t(`settings.reports.done.${report.action ?? 'dismiss'}`)}
        </span>
      </p>
    </article>
  )
}
